"""How far an obligation is from a witness: nearest frames of a mask within the same clip (rule 10.2)."""

from dataclasses import dataclass

import numpy as np

from tracepact.core import Atom, Eventually, FrameClause, Implies
from tracepact.trace.layout import Indices, Layout

NO_WITNESS = np.iinfo(np.int64).max
"""Stands for an offset when there is no witness at all in the clip."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A clause `o -> F[lo,hi] atom`: the only shape that has distances."""

    lo: int
    hi: int
    atom: str


def distance_shape(clause: FrameClause) -> Shape | None:
    """The window and atom of a clause that has distances."""
    match clause.formula:
        case Implies(_, Eventually(lo, hi, Atom(name))):
            return Shape(lo, hi, name)
        case _:
            return None


def nearest_offsets(layout: Layout, positions: Indices, targets: Indices, lo: int = 0, hi: int = 0) -> Indices:
    """For each position the offset of the target that lies least outside [lo, hi], then nearest, then earlier.

    Positions and targets are bits of the layout; a target in another clip does not count.
    """
    if not len(positions):
        return np.zeros(0, dtype=np.int64)
    aim = min(max(0, lo), hi)
    segment, _ = layout.locate(positions)
    first = layout.start[segment]
    last = first + layout.frames[segment] - 1
    after = np.searchsorted(targets, positions + aim)
    padded = np.concatenate(([np.int64(-1)], targets, [np.int64(NO_WITNESS)]))
    later, earlier = padded[after + 1], padded[after]
    later_offset = np.where(later <= last, later - positions, NO_WITNESS)
    earlier_offset = np.where(earlier >= first, earlier - positions, NO_WITNESS)
    takes_earlier = _rank(earlier_offset, lo, hi) <= _rank(later_offset, lo, hi)
    return np.where(takes_earlier, earlier_offset, later_offset)


def _rank(offset: Indices, lo: int, hi: int) -> Indices:
    """Orders offsets: frames outside the window first, then distance (both below 2**31)."""
    bounded = offset != NO_WITNESS
    shown = np.where(bounded, offset, 0)
    outside = np.maximum(np.maximum(lo - shown, shown - hi), 0)
    return np.where(bounded, (outside << 31) + np.abs(shown), NO_WITNESS)
