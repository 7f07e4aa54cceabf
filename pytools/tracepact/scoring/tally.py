"""Counts of some clips that can be added to those of others: every aggregation follows from the sum, exactly."""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

import numpy as np

from tracepact.core import Aggregation
from tracepact.records import Record
from tracepact.scoring.aggregate import ClauseCounts, MeanTally, Score, aggregate, mean_tally
from tracepact.scoring.soft import SoftCounts

_BY_CLIP = tuple(aggregation for aggregation in Aggregation if not aggregation.steps.adds_clips)
_ALL = slice(None)
_MANTISSA = 53
_HALF = 27
_LEAST = 1127
"""Floats are whole multiples of two to the minus this, the least of them included."""


class ClauseTally(Record, frozen=True):
    """The counts of one clause: sums over clips by class, and the parts of every mean over clips."""

    satisfied: tuple[int, ...]
    obligated: tuple[int, ...]
    counter: tuple[bool, ...]
    means: dict[Aggregation, MeanTally]

    @classmethod
    def of(cls, counts: ClauseCounts, aggregations: Collection[Aggregation] = tuple(Aggregation)) -> "ClauseTally":
        """The tally of the counts of some clips, enough for these aggregations."""
        total = counts.added(clips=True, classes=False)
        means = {}
        for aggregation in (one for one in _BY_CLIP if one in aggregations):
            steps = aggregation.steps
            means[aggregation] = mean_tally(counts.added(clips=False, classes=steps.adds_classes), steps.leaves_out)
        satisfied, obligated, counter = (
            tuple(column[:, 0].tolist()) for column in (total.satisfied, total.obligated, total.counter)
        )
        return cls(satisfied, obligated, counter, means)

    def __add__(self, other: "ClauseTally") -> "ClauseTally":
        return ClauseTally(
            _added(self.satisfied, other.satisfied),
            _added(self.obligated, other.obligated),
            tuple(mine or theirs for mine, theirs in zip(self.counter, other.counter, strict=True)),
            {aggregation: mean + other.means[aggregation] for aggregation, mean in self.means.items()},
        )

    def score(self, aggregation: Aggregation) -> Score:
        """The score of all clips and classes (rule 7.5)."""
        found = self.means.get(aggregation)
        return aggregate(self._counts(), aggregation) if found is None else found.score

    def of_class(self, label: int) -> Score:
        """The pooled score of one class."""
        return aggregate(self._counts(slice(label, label + 1)), Aggregation.POOLED)

    def _counts(self, classes: slice = _ALL) -> ClauseCounts:
        """The sums over clips, of some classes, as the counts of one clip."""
        kinds = (np.int64, np.int64, np.bool_)
        columns = (self.satisfied[classes], self.obligated[classes], self.counter[classes])
        return ClauseCounts(*(np.array(c, dtype=kind)[:, None] for c, kind in zip(columns, kinds, strict=True)))


def _added(mine: Sequence[int], theirs: Sequence[int]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(mine, theirs, strict=True))


class SoftTally(Record, frozen=True):
    """The sum of floats and how many there are; the sum is exact, a whole number of the least floats in hexadecimal."""

    closeness: str
    edges: int

    @classmethod
    def of(cls, counts: SoftCounts) -> "SoftTally":
        """The tally of the soft boundary scores of some clips."""
        return cls(f"{_whole_sum(counts.closeness):x}", int(counts.edges.sum()))

    def __add__(self, other: "SoftTally") -> "SoftTally":
        return SoftTally(f"{int(self.closeness, 16) + int(other.closeness, 16):x}", self.edges + other.edges)

    @property
    def mean(self) -> tuple[float, int]:
        """The mean, rounded once, and of how many edges it is; 1 for none."""
        if not self.edges:
            return 1.0, 0
        return min(1.0, float(Fraction(int(self.closeness, 16), self.edges << _LEAST))), self.edges


def _whole_sum(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> int:
    """The exact sum of floats that are not negative, in units of the least float."""
    fractions, exponents = np.frexp(values.ravel())
    whole = (fractions * (1 << _MANTISSA)).astype(np.int64)
    total = 0
    for exponent in np.unique(exponents).tolist():
        some = whole[exponents == exponent]
        # Halves of a mantissa can be added a thousand million times before an int64 is full.
        high, low = int((some >> _HALF).sum()), int((some & ((1 << _HALF) - 1)).sum())
        total += ((high << _HALF) + low) << (_LEAST + exponent - _MANTISSA)
    return total


class GroupTally(Record, frozen=True):
    """What a report says of a group of clips: how many, the counts of every clause, the soft boundary score."""

    clips: int
    clauses: dict[str, ClauseTally]
    soft: SoftTally

    @classmethod
    def of(cls, clips: int, counts: Mapping[str, ClauseCounts], soft: SoftCounts) -> "GroupTally":
        """The tally of the counts of some clips, by clause."""
        return cls(clips, {name: ClauseTally.of(found) for name, found in counts.items()}, SoftTally.of(soft))

    def __add__(self, other: "GroupTally") -> "GroupTally":
        clauses = {name: found + other.clauses[name] for name, found in self.clauses.items()}
        return GroupTally(self.clips + other.clips, clauses, self.soft + other.soft)

    def vector(self, aggregation: Aggregation) -> dict[str, Score]:
        """The score of every clause."""
        return {name: found.score(aggregation) for name, found in self.clauses.items()}

    def logic(self, aggregation: Aggregation) -> Fraction:
        """The mean of the vector (rule 7.7)."""
        values = [score.value for score in self.vector(aggregation).values()]
        return sum(values, Fraction(0)) / len(values)
