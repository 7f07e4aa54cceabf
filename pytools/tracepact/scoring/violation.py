"""Violated frame obligations, in columns: where, which part failed, how far from holding (chapter 10)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tracepact.core import And, Formula, FrameClause, Implies, Located
from tracepact.diagnostics import Span
from tracepact.scoring.distance import NO_WITNESS, distance_shape, nearest_offsets
from tracepact.trace.family import Atoms
from tracepact.trace.layout import Indices, Layout

Evaluate = Callable[[Sequence[Formula]], list[int]]


@dataclass(frozen=True, slots=True, eq=False)
class FrameViolations:
    """The violated obligations of one clause, ordered by segment and frame; `offset` is None without distances."""

    clause: FrameClause
    segment: Indices
    frame: Indices
    spans: tuple[Span, ...]
    span: Indices
    offset: Indices | None

    def __len__(self) -> int:
        return len(self.frame)

    def distance(self, index: int) -> int | None:
        """The distance to the nearest witness in frames; None if unbounded or without distances."""
        if self.offset is None or self.offset[index] == NO_WITNESS:
            return None
        return abs(int(self.offset[index]))

    @property
    def distances(self) -> Indices:
        """All distances, NO_WITNESS where there is no witness; empty for a clause without distances."""
        if self.offset is None:
            return np.zeros(0, dtype=np.int64)
        return np.where(self.offset == NO_WITNESS, NO_WITNESS, np.abs(self.offset))


def find_violations(
    clause: FrameClause, violated: int, layout: Layout, atoms: Atoms, evaluate: Evaluate
) -> FrameViolations:
    """The violated frames of a clause, each with the part that failed and its distance."""
    positions = layout.positions(violated)
    segment, frame = layout.locate(positions)
    spans: list[Span] = []
    blamed = np.zeros(len(positions), dtype=np.int64)
    for span, mask in blame(clause.body, violated, evaluate):
        if mask:
            blamed[np.searchsorted(positions, layout.positions(mask))] = len(spans)
            spans.append(span)
    shape = distance_shape(clause)
    offset = None
    if shape is not None:
        offset = nearest_offsets(layout, positions, layout.positions(atoms[shape.atom]), shape.lo, shape.hi)
    return FrameViolations(clause, segment, frame, tuple(spans), blamed, offset)


def blame(body: Located, violated: int, evaluate: Evaluate) -> Iterator[tuple[Span, int]]:
    """The failing parts and the frames each is to blame for (rule 10.1)."""
    match body.formula:
        case And():
            left, right = body.parts
            (holds,) = evaluate([left.formula])
            yield from blame(left, violated & ~holds, evaluate)
            yield from blame(right, violated & holds, evaluate)
        case Implies():
            yield from blame(body.parts[1], violated, evaluate)
        case _:
            yield body.span, violated
