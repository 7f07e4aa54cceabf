"""How far an obligation is from a witness: nearest frames of a mask (rule 10.2), and windows that grow to them."""

from dataclasses import dataclass

import numpy as np

from tracepact.core import Atom, Eventually, Formula, FrameClause, Implies
from tracepact.trace.layout import Indices, Layout

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
        found = np.full(len(positions), NO_WITNESS, dtype=np.int64)
        if self.hi is None:
            after = padded[np.searchsorted(targets, np.maximum(positions + _near(self.lo or 0), first)) + 1]
            found = np.where(after <= last, after - positions, found)
        if self.lo is None:
            before = padded[np.searchsorted(targets, np.minimum(positions + _near(self.hi or 0), last), side="right")]
            found = np.where(before >= first, np.minimum(found, positions - before), found)
        return found


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
