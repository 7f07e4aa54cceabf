"""The formulas of a family, each once, and their masks as rows of 64-bit words (rules 14.6, 14.7)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import ceil

import numpy as np
from numpy.typing import NDArray

from tracepact.evaluate.masks import apply_node
from tracepact.language.formula import (
    Always,
    And,
    Atom,
    Constant,
    Dag,
    Eventually,
    Formula,
    Iff,
    Implies,
    Node,
    Not,
    Operator,
    Or,
    Since,
    Until,
    cost,
)
from tracepact.selection.calibration import CandidateFamily

# Masks as rows of 64-bit words: many formulas of one shape are evaluated at once, with the engine's own windows.

Rows = NDArray[np.uint64]
"""Masks, one in each row; a single mask has one dimension."""

_WORD = 64
_CHUNK = 1 << 22
"""How many words of rows that nothing else needs are made at a time."""


class WordAlgebra:
    """Masks as arrays whose last axis is their words; what is moved beyond the last word is lost: it is not valid."""

    def __init__(self, valid: Rows, longest: int) -> None:
        self.valid = valid
        self.longest = longest
        self.none: Rows = np.zeros_like(valid)

    def conjunction(self, a: Rows, b: Rows, /) -> Rows:
        """Frames of both."""
        both: Rows = a & b
        return both

    def disjunction(self, a: Rows, b: Rows, /) -> Rows:
        """Frames of either."""
        either: Rows = a | b
        return either

    def difference(self, a: Rows, b: Rows, /) -> Rows:
        """Frames of exactly one."""
        one: Rows = a ^ b
        return one

    def later(self, a: Rows, k: int, /) -> Rows:
        """Move every frame k later."""
        words, bits = divmod(k, _WORD)
        moved = np.zeros_like(a)
        if words >= a.shape[-1]:
            return moved
        kept = a[..., : a.shape[-1] - words]
        moved[..., words:] = kept << np.uint64(bits)
        if bits and kept.shape[-1] > 1:
            moved[..., words + 1 :] |= kept[..., :-1] >> np.uint64(_WORD - bits)
        return moved

    def earlier(self, a: Rows, k: int, /) -> Rows:
        """Move every frame k earlier; those before the first are lost."""
        words, bits = divmod(k, _WORD)
        moved = np.zeros_like(a)
        if words >= a.shape[-1]:
            return moved
        kept = a[..., words:]
        moved[..., : kept.shape[-1]] = kept >> np.uint64(bits)
        if bits and kept.shape[-1] > 1:
            moved[..., : kept.shape[-1] - 1] |= kept[..., 1:] << np.uint64(_WORD - bits)
        return moved


def evaluate_rows(
    dag: Dag, roots: Sequence[int], atoms: Mapping[str, Rows], algebra: WordAlgebra
) -> Iterator[tuple[NDArray[np.int64], Rows]]:
    """The masks of the roots in batches: which of the roots, by place, and a row for each.

    Nodes with one operator and the same numbers are evaluated together, level by level. A root that is part of nothing
    else is made when its batch is asked for and not kept.
    """
    wanted = _reachable(dag, roots)
    inner = sorted({part for index in wanted for part in dag.nodes[index].parts})
    # only what is part of something else is kept: the outermost formulas are by far the most, and each is needed
    # once
    kept = np.zeros((len(inner), len(algebra.valid)), dtype=np.uint64)
    row = {index: place for place, index in enumerate(inner)}
    for group in _groups(dag, inner):
        kept[[row[i] for i in group]] = _together(dag, group, kept, row, atoms, algebra)
    size = max(1, _CHUNK // max(1, len(algebra.valid)))
    places = np.arange(len(roots), dtype=np.int64)
    at = np.array([row.get(root, -1) for root in roots], dtype=np.int64)
    for start in range(0, len(roots), size):
        some = places[start : start + size]
        some = some[at[some] >= 0]
        if len(some):
            yield some, kept[at[some]]
    outer: dict[int, list[int]] = {}
    for place, root in enumerate(roots):
        if root not in row:
            outer.setdefault(root, []).append(place)
    for group in _groups(dag, list(outer)):
        for start in range(0, len(group), size):
            chunk = group[start : start + size]
            rows = _together(dag, chunk, kept, row, atoms, algebra)
            repeats = [len(outer[i]) for i in chunk]
            yield np.array([p for i in chunk for p in outer[i]], dtype=np.int64), np.repeat(rows, repeats, axis=0)


def _reachable(dag: Dag, roots: Sequence[int]) -> set[int]:
    reached: set[int] = set()
    stack = list(roots)
    while stack:
        index = stack.pop()
        if index not in reached:
            reached.add(index)
            stack.extend(dag.nodes[index].parts)
    return reached


def _groups(dag: Dag, indices: Sequence[int]) -> list[list[int]]:
    """Nodes of one level, operator and parameters together, parts before what they are parts of."""
    level: dict[int, int] = {}
    for index, node in enumerate(dag.nodes):
        level[index] = 1 + max((level[part] for part in node.parts), default=0)
    # one NumPy call for all formulas of a shape: a call for each would cost more than its words
    groups: dict[tuple[int, Operator, tuple[int | str, ...]], list[int]] = {}
    for index in indices:
        node = dag.nodes[index]
        groups.setdefault((level[index], node.operator, node.parameters), []).append(index)
    return [groups[key] for key in sorted(groups, key=lambda key: key[0])]


def _together(
    dag: Dag, group: Sequence[int], kept: Rows, row: Mapping[int, int], atoms: Mapping[str, Rows], algebra: WordAlgebra
) -> Rows:
    """The rows of nodes that differ in their parts only."""
    first = dag.nodes[group[0]]
    parts = [kept[[row[dag.nodes[index].parts[place]] for index in group]] for place in range(len(first.parts))]
    rows = apply_node(Node(first.operator, first.parameters, first.parts), parts, atoms, algebra)
    return np.broadcast_to(rows, (len(group), len(algebra.valid)))


# Enumerates the formulas of a family, each once, as a shared graph; says beforehand how many (rules 14.6, 14.7).

_REACH = {"U": Operator.UNTIL, "S": Operator.SINCE}
_WINDOW = {"F": Operator.EVENTUALLY, "G": Operator.ALWAYS}
_JOIN = {"and": Operator.AND, "or": Operator.OR}


def radii(family: CandidateFamily, step: Fraction) -> tuple[int, ...]:
    """The tolerances in frames, each once."""
    return tuple(dict.fromkeys(ceil(tolerance / step) for tolerance in family.tolerances))


def windows(family: CandidateFamily, step: Fraction) -> tuple[tuple[int, int], ...]:
    """The windows of every tolerance in every shape."""
    ends = {"near": (-1, 1), "ahead": (0, 1), "back": (-1, 0)}
    return tuple((ends[shape][0] * r, ends[shape][1] * r) for r in radii(family, step) for shape in family.shapes)


def formula_count(family: CandidateFamily, step: Fraction) -> int:
    """How many formulas the family has, without making them."""
    joins = [o for o in family.operators if o in _JOIN]
    unary = len(windows(family, step)) * sum(o in _WINDOW for o in family.operators)
    reaching = len(radii(family, step)) * sum(o in _REACH for o in family.operators)
    # counted before anything is made, so that a family beyond its bound is refused at once
    basic, before_basic, below, total, parts = 2 * len(family.atoms), 0, 0, 0, 0
    for depth in range(family.depth + 1):
        pairs = _pairs(before_basic + basic) - _pairs(before_basic) - (len(family.atoms) if depth == 0 else 0)
        level = basic + len(joins) * pairs
        before_basic, total = before_basic + basic, total + level
        ordered = total * (total - 1) - below * (below - 1)
        below = total
        basic = unary * level + reaching * ordered
        parts += level if depth < family.from_depth else 0
    return total - parts


def _pairs(number: int) -> int:
    return number * (number - 1) // 2


def enumerate_formulas(family: CandidateFamily, step: Fraction, dag: Dag) -> list[int]:
    """The formulas by depth, then operator, then parts, as indices into the graph."""
    basic: list[int] = []
    below: list[int] = []
    level: list[int] = []
    parts = 0
    for depth in range(family.depth + 1):
        formulas = list(
            _literals(family, dag) if depth == 0 else _modal(family, step, dag, level, below[: -len(level)])
        )
        joined = list(_joined(family, dag, basic, formulas))
        basic += formulas
        level = formulas + joined
        below += level
        parts += len(level) if depth < family.from_depth else 0
    return below[parts:]


def _literals(family: CandidateFamily, dag: Dag) -> Iterator[int]:
    for name in family.atoms:
        atom = dag.put(Node(Operator.ATOM, (name,), ()))
        yield atom
        yield dag.put(Node(Operator.NOT, (), (atom,)))


def _modal(family: CandidateFamily, step: Fraction, dag: Dag, level: list[int], before: list[int]) -> Iterator[int]:
    """Modalities whose deepest part is of the last level."""
    for operator in family.operators:
        if operator in _WINDOW:
            for window in windows(family, step):
                for body in level:
                    yield dag.put(Node(_WINDOW[operator], window, (body,)))
        elif operator in _REACH:
            deep = set(level)
            every = [*before, *level]
            for radius in radii(family, step):
                for left, right in product(every, every):
                    # one part at least is new at this depth, so that no formula is made twice
                    if left != right and (left in deep or right in deep):
                        yield dag.put(Node(_REACH[operator], (radius,), (left, right)))


def _joined(family: CandidateFamily, dag: Dag, before: list[int], level: list[int]) -> Iterator[int]:
    """Pairs without order of basic formulas, one at least of the last level; never a literal with its negation."""
    every = [*before, *level]
    for operator in family.operators:
        if operator in _JOIN:
            for j in range(len(before), len(every)):
                # pairs without order, since `and` and `or` commute: half the formulas, and none is
                # lost
                for i in range(j):
                    if not _contrary(dag, every[i], every[j]):
                        yield dag.put(Node(_JOIN[operator], (), (every[i], every[j])))


def _contrary(dag: Dag, first: int, second: int) -> bool:
    node = dag.nodes[second]
    return node.operator is Operator.NOT and node.parts == (first,)


_FORMULAS: Mapping[Operator, Callable[..., Formula]] = {
    Operator.ATOM: Atom,
    Operator.CONSTANT: lambda value: Constant(bool(value)),
    Operator.NOT: Not,
    Operator.EVENTUALLY: Eventually,
    Operator.ALWAYS: Always,
    Operator.UNTIL: Until,
    Operator.SINCE: Since,
    Operator.AND: And,
    Operator.OR: Or,
    Operator.IMPLIES: Implies,
    Operator.IFF: Iff,
}
"""By operator what makes a formula of its parameters and parts, in the order that a node has them."""
_UNARY = (Operator.NOT, Operator.EVENTUALLY, Operator.ALWAYS)


def formula_of(dag: Dag, index: int) -> Formula:
    """The formula of a node."""
    node = dag.nodes[index]
    return _FORMULAS[node.operator](*node.parameters, *(formula_of(dag, part) for part in node.parts))


def node_costs(dag: Dag) -> list[int]:
    """The cost of every node's formula (rule 14.11), parts counted as often as they occur."""
    costs: list[int] = []
    for node in dag.nodes:
        costs.append(_own_cost(node.operator, node.parameters) + sum(costs[part] for part in node.parts))
    return costs


@cache
def _own_cost(operator: Operator, parameters: tuple[int | str, ...]) -> int:
    """The cost of an operator without its parts."""
    if operator in (Operator.ATOM, Operator.CONSTANT):
        return 0
    parts = [Atom("p")] * (1 if operator in _UNARY else 2)
    return cost(_FORMULAS[operator](*parameters, *parts))
