"""Counts by class and clip as step functions of the threshold, kept as their changes.

A threshold matters only through its *cut*: how many of the distinct scores are not greater than it. At cut c the scores
of rank c and above are active. Cut 0 lies below all scores.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.signedinteger[Any]]
"""Whole numbers, short ones where many are kept."""


@dataclass(frozen=True, eq=False)
class Steps:
    """Several counts of every class and clip: their values at cut 0, and every change from one cut to the next.

    Attributes:
        shape: the numbers of classes and of clips; entry `class · clips + clip` is one class of one clip.
        base: the counts at cut 0, counts × entries.
        cut: the cuts at which something changes, in any order.
        entry: whose counts change there.
        change: by how much, counts × changes.
    """

    shape: tuple[int, int]
    base: Whole
    cut: Whole
    entry: Whole
    change: Whole

    @cached_property
    def by_cut(self) -> "Steps":
        """The same, with the changes ascending by cut."""
        order = np.argsort(self.cut, kind="stable")
        return Steps(self.shape, self.base, self.cut[order], self.entry[order], self.change[:, order])

    def at(self, cut: int) -> Whole:
        """The counts at a cut, counts × classes × clips."""
        here = self.cut <= cut
        found = self.base.copy()
        for row, change in zip(found, self.change[:, here], strict=True):
            row += np.bincount(self.entry[here], change, len(row)).astype(np.int64)
        return found.reshape(-1, *self.shape)

    def select(self, clips: Sequence[int] | Whole) -> "Steps":
        """The counts of some clips alone; those of a clip that is named twice count twice."""
        chosen = np.asarray(clips, dtype=np.int64)
        classes, number = self.shape
        times = np.bincount(chosen, minlength=number)
        place = np.cumsum(times > 0) - 1
        kept = np.flatnonzero(times)
        label, clip = np.divmod(self.entry, number)
        here = times[clip] > 0
        base = self.base.reshape(-1, classes, number)[:, :, kept] * times[kept]
        return Steps(
            (classes, len(kept)),
            base.reshape(len(self.base), -1),
            self.cut[here],
            label[here] * len(kept) + place[clip[here]],
            self.change[:, here] * times[clip[here]],
        )

    def label(self, label: int) -> "Steps":
        """The counts of one class alone."""
        clips = self.shape[1]
        here = (self.entry >= label * clips) & (self.entry < (label + 1) * clips)
        base = self.base[:, label * clips : (label + 1) * clips]
        return Steps((1, clips), base, self.cut[here], self.entry[here] - label * clips, self.change[:, here])

    def grouped(self, *, clips: bool, classes: bool) -> "Steps":
        """The counts of all clips, or of all classes, or of both, added."""
        rows, columns = self.shape
        label, clip = np.divmod(self.entry, columns)
        shape = (1 if classes else rows, 1 if clips else columns)
        entry = np.where(classes, 0, label) * shape[1] + np.where(clips, 0, clip)
        axes = tuple(axis for axis, asked in ((1, classes), (2, clips)) if asked)
        base = self.base.reshape(-1, rows, columns).sum(axis=axes, keepdims=True)
        return Steps(shape, base.reshape(len(base), -1), self.cut, entry, self.change)

    def netted(self, *, cancelled: bool = False) -> "Steps":
        """One change for each entry and cut, ascending; those that add up to nothing stay only if asked for.

        Changes are long numbers then: sums over many clips.
        """
        key = self.cut.astype(np.int64) * self.base.shape[1] + self.entry
        order = np.argsort(key, kind="stable")
        first = np.flatnonzero(np.diff(key[order], prepend=-1))
        change = np.add.reduceat(self.change[:, order], first, axis=1, dtype=np.int64) if len(first) else self.change
        if not cancelled:
            kept = (change != 0).any(axis=0)
            first, change = first[kept], change[:, kept]
        return Steps(self.shape, self.base, self.cut[order[first]], self.entry[order[first]], change)

    def running(self) -> tuple[Whole, Whole]:
        """The cuts from 0 on at which something changes, and the counts of all entries added, from each cut on."""
        size = int(self.cut.max(initial=0)) + 1
        if size <= _DENSE * len(self.cut):
            changed = np.bincount(self.cut, minlength=size) > 0
            changed[0] = True
            cuts = np.flatnonzero(changed)
            totals = np.stack([np.bincount(self.cut, row, size)[cuts] for row in self.change])
        else:
            cuts, place = np.unique(np.append(self.cut, 0), return_inverse=True)
            totals = np.stack([np.bincount(place[:-1], row, len(cuts)) for row in self.change])
        start = self.base.sum(axis=1, keepdims=True)
        return cuts, start + np.cumsum(totals.astype(np.int64), axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class MetricSteps:
    """The counts of a metric over every threshold; `substitutions` is None where the metric knows none."""

    tallies: Steps
    substitutions: Steps | None


_DENSE = 8
"""Up to this many cuts per change, a sum over cuts is faster by counting than by sorting."""


class StepsBuilder:
    """Collects changes, in any order, and makes steps of them."""

    def __init__(self, shape: tuple[int, int], counts: int) -> None:
        self.shape = shape
        self.base: Whole = np.zeros((counts, shape[0] * shape[1]), dtype=np.int64)
        none = np.zeros(0, np.int32)
        self._parts: list[tuple[Whole, Whole, Whole]] = [(none, none, np.zeros((counts, 0), np.int32))]

    def add_base(self, entry: Whole, counts: Whole) -> None:
        """Add counts, counts × entries, to the values at cut 0."""
        for row, count in zip(self.base, counts, strict=True):
            row += np.bincount(entry, count, len(row)).astype(np.int64)

    def add(self, cut: Whole, entry: Whole, change: Whole) -> None:
        """Add changes, counts × changes, from these cuts on; a change at cut 0 is one of the base."""
        here = np.logical_or.reduce([row != 0 for row in change])
        first = here & (cut <= 0)
        if first.any():
            self.add_base(entry[first], change[:, first])
            here &= ~first
        if here.any():
            some = (cut, entry, change) if here.all() else (cut[here], entry[here], change[:, here])
            self._parts.append(tuple(part.astype(np.int32) for part in some))  # type: ignore[arg-type]

    def build(self) -> Steps:
        """The steps."""
        cut, entry, change = (np.concatenate(column, axis=-1) for column in zip(*self._parts, strict=True))
        entries = self.base.shape[1]
        places = (int(cut.max(initial=0)) + 1) * entries
        if len(cut) <= 2 * places:
            return Steps(self.shape, self.base, cut, entry, change)
        key = cut.astype(np.int64) * entries + entry  # many changes at few places: long stretches of one score
        there = np.flatnonzero(np.bincount(key, minlength=places))
        added = np.stack([np.bincount(key, row, places)[there] for row in change]).astype(np.int64)
        return Steps(self.shape, self.base, there // entries, there % entries, added)
