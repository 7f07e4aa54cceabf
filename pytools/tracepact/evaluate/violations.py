"""Violated frame obligations in columns, and the soft boundary score beside the vector (chapter 10, rule 7.9)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum

import numpy as np
from numpy.typing import NDArray

from tracepact.data.family import Atoms, Family, Indices, Layout
from tracepact.diagnostics.findings import Span
from tracepact.language.contract import FrameClause, Located
from tracepact.language.formula import And, Atom, Eventually, Formula, Implies

# How far an obligation is from a witness: nearest frames of a mask (rule 10.2), and windows that grow to them.

NO_WITNESS = np.iinfo(np.int64).max
"""In place of an offset or a radius: there is no witness in the clip, or none where the window grows."""
_FAR = 2**30
"""More frames than a clip has: a bound beyond it is as far from every frame of the clip, frame for frame."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A clause `F[lo,hi] atom` or `o -> F[lo,hi] atom`: the only shapes that have distances."""

    lo: int
    hi: int
    atom: str


def distance_shape(clause: FrameClause) -> Shape | None:
    """The window and atom of a clause that has distances."""
    match clause.formula:
        case Eventually(lo, hi, Atom(name)) | Implies(_, Eventually(lo, hi, Atom(name))):
            return Shape(lo, hi, name)
        case _:
            return None


def nearest_offsets(layout: Layout, positions: Indices, targets: Indices, lo: int = 0, hi: int = 0) -> Indices:
    """For each position the offset of the target that lies least outside [lo, hi], then nearest, then earlier.

    Positions and targets are bits of the layout; a target in another clip does not count.
    """
    if not len(positions):
        return np.zeros(0, dtype=np.int64)
    lo, hi = _near(lo), _near(hi)
    # The target that lies least outside the window is the nearest one on either side of the offset of the window that
    # is nearest to 0: two neighbours in a sorted array decide.
    aim = min(max(0, lo), hi)
    segment, _ = layout.locate(positions)
    first = layout.start[segment]
    last = first + layout.frames[segment] - 1
    after = np.searchsorted(targets, np.clip(positions + aim, first, last + 1))
    padded = np.concatenate(([np.int64(-1)], targets, [np.int64(NO_WITNESS)]))
    later, earlier = padded[after + 1], padded[after]
    later_offset = np.where(later <= last, later - positions, NO_WITNESS)
    earlier_offset = np.where(earlier >= first, earlier - positions, NO_WITNESS)
    takes_earlier = _rank(earlier_offset, lo, hi) <= _rank(later_offset, lo, hi)
    return np.where(takes_earlier, earlier_offset, later_offset)


def _near(bound: int) -> int:
    """A bound, or one that is as good for every frame of a clip and that a machine word holds."""
    return min(max(bound, -_FAR), _FAR)


def _rank(offset: Indices, lo: int, hi: int) -> Indices:
    """Orders offsets: frames outside the window first, then distance (both at most 2**31)."""
    bounded = offset != NO_WITNESS
    shown = np.where(bounded, offset, 0)
    outside = np.maximum(np.maximum(lo - shown, shown - hi), 0)
    # Two keys in one word, so that one comparison of columns orders by both.
    return np.where(bounded, (outside << 31) + np.abs(shown), NO_WITNESS)


@dataclass(frozen=True, slots=True)
class GrowingWindow:
    """The window of `F[a,b] atom` or `o -> F[a,b] atom`, an end or both k frames away at a parameter of k frames.

    An end that is None moves, downward if it is `lo` and upward if it is `hi`; the other stays.
    """

    lo: int | None
    hi: int | None
    atom: str

    def radii(self, layout: Layout, positions: Indices, targets: Indices) -> Indices:
        """For each position the least k whose window holds a target of the same clip, or NO_WITNESS."""
        segment, _ = layout.locate(positions)
        first = layout.start[segment]
        last = first + layout.frames[segment] - 1
        padded = np.concatenate(([np.int64(-1)], targets, [np.int64(NO_WITNESS)]))
        radii = np.full(len(positions), NO_WITNESS, dtype=np.int64)
        if self.hi is None:
            after = padded[np.searchsorted(targets, np.maximum(positions + _near(self.lo or 0), first)) + 1]
            radii = np.where(after <= last, after - positions, radii)
        if self.lo is None:
            before = padded[np.searchsorted(targets, np.minimum(positions + _near(self.hi or 0), last), side="right")]
            radii = np.where(before >= first, np.minimum(radii, positions - before), radii)
        return radii


def _without_antecedent(formula: Formula) -> tuple[Formula | None, Formula]:
    """The antecedent of an implication and its consequent; any other formula has no antecedent."""
    return (formula.left, formula.right) if isinstance(formula, Implies) else (None, formula)


def growing_window(at_low: Formula, at_high: Formula) -> GrowingWindow | None:
    """The window of a formula at the two ends of a parameter's range, if it has distances and only grows.

    A bound is the parameter, its negative or a constant, and rounds outward (rule 2.6): an upper end that grows is the
    parameter, a lower end that falls is its negative.
    """
    match _without_antecedent(at_low), _without_antecedent(at_high):
        case (
            (left, Eventually(lo, hi, Atom(name))),
            (same, Eventually(low, high, Atom(other))),
        ) if left == same and name == other and low <= lo and high >= hi:
            return GrowingWindow(lo if low == lo else None, hi if high == hi else None, name)
    return None


# Violated frame obligations, in columns: where, which part failed, how far from holding (chapter 10).

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
            # The left part is blamed where it fails, whatever the right one does: each violated frame is blamed on one
            # part, and the shares add up.
            (holds,) = evaluate([left.formula])
            yield from blame(left, violated & ~holds, evaluate)
            yield from blame(right, violated & holds, evaluate)
        case Implies():
            yield from blame(body.parts[1], violated, evaluate)
        case _:
            yield body.span, violated


# The soft boundary score: how close the edges of both sides are, beside the vector (rule 7.9).


@dataclass(frozen=True, slots=True, eq=False)
class SoftCounts:
    """Sum of exp(-d/scale) and number of edges, by class and clip. The only floats of a scorecard."""

    closeness: NDArray[np.float64]
    edges: NDArray[np.int64]

    def mean(self, clips: NDArray[np.int64] | None = None, label: int | None = None) -> tuple[float, int]:
        """The mean closeness over some clips or one class, and the number of edges; 1 for none."""
        rows = slice(None) if label is None else slice(label, label + 1)
        columns = slice(None) if clips is None else clips
        edges = int(self.edges[rows][:, columns].sum())
        # `fsum` is exact before that one rounding (Shewchuk 1997).
        # Rounded once, so that the order of the clips does not show in the last digit.
        return (fsum(self.closeness[rows][:, columns].flat) / edges if edges else 1.0), edges


def soft_counts(family: Family, layout: Layout, atoms: Atoms, scale: Fraction) -> SoftCounts:
    """The soft boundary score of every clip and class."""
    closeness = np.zeros(layout.segments)
    edges = np.zeros(layout.segments, dtype=np.int64)
    frames_per_scale = float(scale / family.step)
    for kind in ("onset", "offset"):
        ref = layout.positions(atoms[f"ref_{kind}"])
        pred = layout.positions(atoms[f"pred_{kind}"])
        for some, others in ((ref, pred), (pred, ref)):
            offset = nearest_offsets(layout, some, others)
            near = np.exp(-np.abs(offset) / frames_per_scale)
            segment, _ = layout.locate(some)
            closeness += np.bincount(segment, np.where(offset == NO_WITNESS, 0.0, near), layout.segments)
            edges += np.bincount(segment, minlength=layout.segments)
    shape = len(family.classes), len(family.clips)
    return SoftCounts(closeness.reshape(shape), edges.reshape(shape))
