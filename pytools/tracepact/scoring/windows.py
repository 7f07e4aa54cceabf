"""Clauses whose window grows with a parameter: at which radius each obligation finds its witness."""

from dataclasses import dataclass

import numpy as np

from tracepact.core import Atom, Eventually, Formula, Implies
from tracepact.trace.layout import Indices, Layout

NEVER = int(np.iinfo(np.int64).max)
"""Stands for a radius when no witness lies on the side the window grows to."""


@dataclass(frozen=True, slots=True)
class GrowingWindow:
    """The window of `o -> F[a,b] atom` with an end, or both, k frames away when the parameter is k frames.

    An end that is None moves, downward if it is `lo` and upward if it is `hi`; the other stays.
    """

    lo: int | None
    hi: int | None
    atom: str

    def radii(self, layout: Layout, positions: Indices, targets: Indices) -> Indices:
        """For each position the least k whose window holds a target of the same clip, or NEVER."""
        segment, _ = layout.locate(positions)
        first = layout.start[segment]
        last = first + layout.frames[segment] - 1
        padded = np.concatenate(([np.int64(-1)], targets, [np.int64(NEVER)]))
        found = np.full(len(positions), NEVER, dtype=np.int64)
        if self.hi is None:
            after = padded[np.searchsorted(targets, np.maximum(positions + (self.lo or 0), first)) + 1]
            found = np.where(after <= last, after - positions, found)
        if self.lo is None:
            before = padded[np.searchsorted(targets, np.minimum(positions + (self.hi or 0), last), side="right")]
            found = np.where(before >= first, np.minimum(found, positions - before), found)
        return found


def growing_window(at_low: Formula, at_high: Formula) -> GrowingWindow | None:
    """The window of a formula at the two ends of a parameter's range, if it has distances and only grows.

    A bound is the parameter, its negative or a constant, and rounds outward (rule 2.6): an upper end that grows is the
    parameter, a lower end that falls is its negative.
    """
    match at_low, at_high:
        case (
            Implies(left, Eventually(lo, hi, Atom(name))),
            Implies(same, Eventually(low, high, Atom(other))),
        ) if left == same and name == other and low <= lo and high >= hi:
            return GrowingWindow(lo if low == lo else None, hi if high == hi else None, name)
    return None
