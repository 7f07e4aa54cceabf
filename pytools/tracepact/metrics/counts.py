"""What a metric counts, class by class and clip by clip, kept only where there is something."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]
Values = NDArray[np.float64]
Whole = NDArray[Any]
"""Whole numbers: int64, or Python's own where sums may be longer."""

_CELLS = 2**24


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Whole numbers of some kinds, such as true and false positives, by segment (class · clips + clip), ascending.

    `values` is an array of kinds by segments; a segment that is not listed has none of any kind.
    """

    classes: int
    clips: int
    segment: Indices
    values: Whole

    @classmethod
    def of(cls, classes: int, clips: int, kinds: Sequence[tuple[Indices, Whole | None]]) -> "Counts":
        """Add up by segment what is listed of each kind: segments, and how much each entry adds (1 if not said)."""
        segment, place = np.unique(np.concatenate([found for found, _ in kinds]), return_inverse=True)
        longer = any(amount is not None and amount.dtype == np.object_ for _, amount in kinds)
        values: Whole = np.zeros((len(kinds), len(segment)), dtype=np.object_ if longer else np.int64)
        ends = np.cumsum([len(found) for found, _ in kinds])[:-1]
        for row, at, (_, amount) in zip(values, np.split(place.reshape(-1), ends), kinds, strict=True):
            np.add.at(row, at, 1 if amount is None else amount)
        return cls(classes, clips, segment, values)

    @property
    def tallied(self) -> "Counts":
        """True positives, false positives and false negatives, out of pairs, predictions and references."""
        pairs, preds, refs = self.values
        return replace(self, values=np.stack([pairs, preds - pairs, refs - pairs]))

    @property
    def by_class(self) -> list[list[int]]:
        """The sums over clips: for each class its number of each kind."""
        sums: Whole = np.zeros((self.classes, len(self.values)), dtype=self.values.dtype)
        np.add.at(sums, self.segment // max(self.clips, 1), self.values.T)
        return [[int(value) for value in row] for row in sums]

    def renumbered(self, clips: Sequence[int], number: int) -> "Counts":
        """The same counts with the clips renumbered among a larger number of clips."""
        label, clip = np.divmod(self.segment, max(self.clips, 1))
        segment = label * number + np.asarray(clips, dtype=np.int64)[clip]
        order = np.argsort(segment)
        return Counts(self.classes, number, segment[order], self.values[:, order])

    def drawn(self, weights: Values) -> Values:
        """The sums of every draw, draws by kinds by classes: exact while they are below 2**53."""
        label, clip = np.divmod(self.segment, max(self.clips, 1))
        kinds = len(self.values)
        found = np.empty((len(weights), kinds, self.classes))
        block = max(1, _CELLS // max(self.clips * kinds, 1))
        for first in range(0, self.classes, block):
            last = min(first + block, self.classes)
            here = (label >= first) & (label < last)
            dense = np.zeros((self.clips, kinds, last - first))
            dense[clip[here], :, label[here] - first] = self.values[:, here].T
            found[:, :, first:last] = (weights @ dense.reshape(self.clips, -1)).reshape(-1, kinds, last - first)
        return found

    def drawn_once(self, times: Indices) -> "Counts":
        """The exact sums of one draw, given how often it has each clip, as the counts of one clip."""
        label, clip = np.divmod(self.segment, max(self.clips, 1))
        return Counts.of(self.classes, 1, [(label, row * times[clip]) for row in self.values])

    def differing_clips(self, other: "Counts") -> Indices:
        """The clips in which some class has another number of some kind; both have the same classes and clips."""
        both = np.concatenate([self.segment, other.segment])
        kinds = [
            (both, np.concatenate([mine, -theirs])) for mine, theirs in zip(self.values, other.values, strict=True)
        ]
        left = Counts.of(self.classes, self.clips, kinds)
        found: Indices = left.segment[(left.values != 0).any(axis=0)] % max(self.clips, 1)
        return found
