"""Enumerates the formulas of a family, each once, as a shared graph; says beforehand how many (rules 14.6, 14.7)."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from math import ceil

from tracepact.calibration.family import CandidateFamily
from tracepact.core import (
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
        made = list(_literals(family, dag) if depth == 0 else _modal(family, step, dag, level, below[: -len(level)]))
        joined = list(_joined(family, dag, basic, made))
        basic += made
        level = made + joined
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
                    if left != right and (left in deep or right in deep):
                        yield dag.put(Node(_REACH[operator], (radius,), (left, right)))


def _joined(family: CandidateFamily, dag: Dag, before: list[int], made: list[int]) -> Iterator[int]:
    """Pairs without order of basic formulas, one at least of the last level; never a literal with its negation."""
    every = [*before, *made]
    for operator in family.operators:
        if operator in _JOIN:
            for j in range(len(before), len(every)):
                for i in range(j):
                    if not _contrary(dag, every[i], every[j]):
                        yield dag.put(Node(_JOIN[operator], (), (every[i], every[j])))


def _contrary(dag: Dag, first: int, second: int) -> bool:
    node = dag.nodes[second]
    return node.operator is Operator.NOT and node.parts == (first,)


def formula_of(dag: Dag, index: int) -> Formula:
    """The formula of a node."""
    node = dag.nodes[index]
    parts = [formula_of(dag, part) for part in node.parts]
    match node.operator, node.parameters:
        case Operator.ATOM, (str(name),):
            return Atom(name)
        case Operator.CONSTANT, (value,):
            return Constant(bool(value))
        case Operator.NOT, _:
            return Not(parts[0])
        case Operator.EVENTUALLY, (int(lo), int(hi)):
            return Eventually(lo, hi, parts[0])
        case Operator.ALWAYS, (int(lo), int(hi)):
            return Always(lo, hi, parts[0])
        case Operator.UNTIL, (int(radius),):
            return Until(radius, *parts)
        case Operator.SINCE, (int(radius),):
            return Since(radius, *parts)
        case Operator.AND, _:
            return And(*parts)
        case Operator.OR, _:
            return Or(*parts)
        case Operator.IMPLIES, _:
            return Implies(*parts)
        case Operator.IFF, _:
            return Iff(*parts)
    raise AssertionError(f"malformed node {node}")


def node_costs(dag: Dag) -> list[int]:
    """The cost of every node's formula (rule 14.11), parts counted as often as they occur."""
    costs: list[int] = []
    for node in dag.nodes:
        costs.append(_own_cost(node.operator, node.parameters) + sum(costs[part] for part in node.parts))
    return costs


@cache
def _own_cost(operator: Operator, parameters: tuple[int | str, ...]) -> int:
    """What the operator costs by itself."""
    if operator in (Operator.ATOM, Operator.CONSTANT):
        return 0
    dag = Dag()
    atom = dag.put(Node(Operator.ATOM, ("p",), ()))
    arity = 1 if operator in (Operator.NOT, Operator.EVENTUALLY, Operator.ALWAYS) else 2
    return cost(formula_of(dag, dag.put(Node(operator, parameters, (atom,) * arity))))
