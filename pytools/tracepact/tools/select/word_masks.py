"""Masks as rows of 64-bit words: many formulas of one shape are evaluated at once, with the engine's own windows."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tracepact.core import Dag, Node, Operator
from tracepact.monitor.bitset import apply_node

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
            made = _together(dag, chunk, kept, row, atoms, algebra)
            repeats = [len(outer[i]) for i in chunk]
            yield np.array([p for i in chunk for p in outer[i]], dtype=np.int64), np.repeat(made, repeats, axis=0)


def _reachable(dag: Dag, roots: Sequence[int]) -> set[int]:
    found: set[int] = set()
    stack = list(roots)
    while stack:
        index = stack.pop()
        if index not in found:
            found.add(index)
            stack.extend(dag.nodes[index].parts)
    return found


def _groups(dag: Dag, indices: Sequence[int]) -> list[list[int]]:
    """Nodes of one level, operator and parameters together, parts before what they are parts of."""
    level: dict[int, int] = {}
    for index, node in enumerate(dag.nodes):
        level[index] = 1 + max((level[part] for part in node.parts), default=0)
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
    made = apply_node(Node(first.operator, first.parameters, first.parts), parts, atoms, algebra)
    return np.broadcast_to(made, (len(group), len(algebra.valid)))
