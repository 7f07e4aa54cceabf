"""Counts by class and clip as step functions of the threshold, kept as their changes.

A threshold matters only through its *cut*: how many of the distinct scores are not greater than it. At cut c the scores
of rank c and above are active. Cut 0 lies below all scores.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Several counts of every class and clip: their values at cut 0, and every change from one cut to the next.

    Attributes:
        shape: the numbers of classes and of clips; entry `class · clips + clip` is one class of one clip.
        base: the counts at cut 0, counts × entries.
        cut: the cuts at which something changes, ascending.
        entry: whose counts change there.
        change: by how much, counts × changes.
    """

    shape: tuple[int, int]
    base: Whole
    cut: Whole
    entry: Whole
    change: Whole

    def at(self, cut: int) -> Whole:
        """The counts at a cut, counts × classes × clips."""
        last = int(np.searchsorted(self.cut, cut, side="right"))
        found = self.base.copy()
        for row, change in zip(found, self.change[:, :last], strict=True):
            row += np.bincount(self.entry[:last], change, len(row)).astype(np.int64)
        return found.reshape(-1, *self.shape)

    def select(self, clips: Sequence[int] | Whole) -> "Steps":
        """The counts of some clips alone; a clip may be named more than once."""
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
        here = self.entry // clips == label
        base = self.base[:, label * clips : (label + 1) * clips]
        return Steps((1, clips), base, self.cut[here], self.entry[here] % clips, self.change[:, here])

    def grouped(self, *, clips: bool, classes: bool) -> "Steps":
        """The counts of all clips, or of all classes, or of both, added."""
        if not (clips or classes):
            return self
        rows, columns = self.shape
        label, clip = np.divmod(self.entry, columns)
        shape = (1 if classes else rows, 1 if clips else columns)
        entry = (0 if classes else label) * shape[1] + (0 if clips else clip) * np.ones_like(label)
        axes = tuple(axis for axis, asked in ((1, classes), (2, clips)) if asked)
        base = self.base.reshape(-1, rows, columns).sum(axis=axes, keepdims=True)
        return _merged(shape, base.reshape(len(base), -1), self.cut, entry, self.change)

    def running(self) -> tuple[Whole, Whole]:
        """The cuts from 0 on at which something changes, and the counts of all entries added, from each cut on."""
        cuts, first = np.unique(self.cut, return_index=True)
        totals = np.add.reduceat(self.change, first, axis=1) if len(cuts) else self.change
        start = self.base.sum(axis=1, keepdims=True)
        counts = np.concatenate([start, start + np.cumsum(totals, axis=1)], axis=1)
        if len(cuts) and cuts[0] == 0:
            return cuts, counts[:, 1:]
        return np.concatenate([np.zeros(1, np.int64), cuts]), counts


class StepsBuilder:
    """Collects changes, in any order, and makes steps of them."""

    def __init__(self, shape: tuple[int, int], counts: int) -> None:
        self.shape = shape
        self.base: Whole = np.zeros((counts, shape[0] * shape[1]), dtype=np.int64)
        self._parts: list[tuple[Whole, Whole, Whole]] = []

    def add_base(self, entry: Whole, counts: Whole) -> None:
        """Add counts, counts × entries, to the values at cut 0."""
        for row, count in zip(self.base, counts, strict=True):
            np.add.at(row, entry, count)

    def add(self, cut: Whole, entry: Whole, change: Whole) -> None:
        """Add changes, counts × changes, from these cuts on; a change at cut 0 is one of the base."""
        here = change.any(axis=0)
        first = here & (cut <= 0)
        if first.any():
            self.add_base(entry[first], change[:, first])
        here &= cut > 0
        if here.any():
            self._parts.append((cut[here].astype(np.int32), entry[here].astype(np.int32), change[:, here].astype(np.int32)))

    def build(self) -> Steps:
        """The steps; changes of one entry at one cut become one."""
        none = (np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros((len(self.base), 0), np.int32))
        parts, self._parts = [none, *self._parts], []
        cut, entry, change = (np.concatenate(column, axis=-1) for column in zip(*parts, strict=True))
        return _merged(self.shape, self.base, cut, entry, change)


def _merged(shape: tuple[int, int], base: Whole, cut: Whole, entry: Whole, change: Whole) -> Steps:
    """Steps with one change for each entry and cut, ascending by cut; what cancels out is left out."""
    key = cut.astype(np.int64) * (shape[0] * shape[1]) + entry
    order = np.argsort(key, kind="stable")
    key = key[order]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    total = np.add.reduceat(change[:, order].astype(np.int64), first, axis=1) if len(first) else change.astype(np.int64)
    kept = total.any(axis=0)
    cuts, entries = np.divmod(key[first][kept], shape[0] * shape[1])
    return Steps(shape, base, cuts, entries, total[:, kept])
