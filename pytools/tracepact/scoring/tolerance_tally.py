"""Tolerance curves of some clips that can be added to those of others: what changes at which value (rule 24.21)."""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from tracepact.core import Aggregation, Contract
from tracepact.records import Record
from tracepact.scoring.aggregate import ClauseCounts, MeanTally, aggregate, mean_tally
from tracepact.scoring.scorecard import Scorecard
from tracepact.scoring.steps import Counts, Place, StepFunction, step_function
from tracepact.scoring.tolerance import Tolerance, curve_finder, default_range, tolerance_of


class StepChange(Record, frozen=True):
    """By how much the counts of a clause change at a place, as sums over clips.

    By class under an aggregation that adds clips, else of all classes, with the parts of the mean over clips by their
    denominator and how many clips take part in it.
    """

    place: Place
    satisfied: tuple[int, ...]
    obligated: tuple[int, ...]
    counter: tuple[int, ...]
    sums: dict[int, int]
    clips: int

    def __add__(self, other: "StepChange") -> "StepChange":
        return StepChange(
            self.place,
            _added(self.satisfied, other.satisfied),
            _added(self.obligated, other.obligated),
            _added(self.counter, other.counter),
            _summed(self.sums, other.sums, 1),
            self.clips + other.clips,
        )

    def since(self, before: "StepChange") -> "StepChange":
        """The change from one place to this one, both as sums from nothing."""
        return StepChange(
            self.place,
            _added(self.satisfied, before.satisfied, -1),
            _added(self.obligated, before.obligated, -1),
            _added(self.counter, before.counter, -1),
            _summed(self.sums, before.sums, -1),
            self.clips - before.clips,
        )

    @property
    def is_none(self) -> bool:
        """Whether nothing changes."""
        return not (any((*self.satisfied, *self.obligated, *self.counter, self.clips)) or self.sums)

    def scored(self, aggregation: Aggregation) -> tuple[Fraction, Counts]:
        """The value, with the counts behind it, where these are sums from nothing."""
        if aggregation.steps.adds_clips:
            satisfied, obligated, counter = (
                np.array(some, dtype=np.int64)[:, None] for some in (self.satisfied, self.obligated, self.counter)
            )
            score = aggregate(ClauseCounts(satisfied, obligated, counter > 0), aggregation)
        else:
            idle, entries = False, 0
            score = MeanTally(
                self.sums, self.clips, sum(self.satisfied), sum(self.obligated), idle, entries, entries, entries
            ).score
        return score.value, (score.satisfied, score.obligated)


def _added(mine: tuple[int, ...], theirs: tuple[int, ...], sign: int = 1) -> tuple[int, ...]:
    return tuple(a + sign * b for a, b in zip(mine, theirs, strict=True))


def _summed(mine: dict[int, int], theirs: dict[int, int], sign: int) -> dict[int, int]:
    total = Counter(mine)
    for kind, part in theirs.items():
        total[kind] += sign * part
    return {kind: total[kind] for kind in sorted(total) if total[kind]}


class StepTally(Record, frozen=True):
    """The curve of one clause: how it was found, and its changes, ascending; the first is from nothing."""

    method: str
    changes: tuple[StepChange, ...]

    @classmethod
    def of(
        cls, method: str, found: Iterable[tuple[Place, ClauseCounts]], high: Fraction, aggregation: Aggregation
    ) -> "StepTally":
        """The tally of counts and the places from which they hold, ascending; the last at a place counts."""
        taken = {place: _change(place, counts, aggregation) for place, counts in found if place <= (high, 0)}
        changes: list[StepChange] = []
        before: StepChange | None = None
        for one in taken.values():
            change = one if before is None else one.since(before)
            if before is None or not change.is_none:
                changes.append(change)
            before = one
        return cls(method, tuple(changes))

    def __add__(self, other: "StepTally") -> "StepTally":
        found: dict[Place, StepChange] = {}
        for change in (*self.changes, *other.changes):
            found[change.place] = found[change.place] + change if change.place in found else change
        first, *later = (found[place] for place in sorted(found))
        return StepTally(self.method, (first, *(change for change in later if not change.is_none)))

    def function(self, high: Fraction, aggregation: Aggregation) -> StepFunction:
        """The curve."""
        found: list[tuple[Place, Fraction, Counts]] = []
        total: StepChange | None = None
        for change in self.changes:
            total = change if total is None else total + change
            found.append((change.place, *total.scored(aggregation)))
        return step_function(high, found)


def _change(place: Place, counts: ClauseCounts, aggregation: Aggregation) -> StepChange:
    """The counts of all clips at a place, as a change from nothing."""
    if aggregation.steps.adds_clips:
        satisfied, obligated, counter = (
            tuple(column.sum(axis=1).tolist()) for column in (counts.satisfied, counts.obligated, counts.counter)
        )
        return StepChange(place, satisfied, obligated, counter, {}, 0)
    steps = aggregation.steps
    mean = mean_tally(counts.added(clips=False, classes=steps.adds_classes), steps.leaves_out)
    sums = {kind: part for kind, part in mean.sums.items() if part}
    return StepChange(place, (mean.satisfied,), (mean.obligated,), (0,), sums, mean.clips)


class ToleranceTally(Record, frozen=True):
    """The curves of every clause over the values of a parameter, of some clips."""

    parameter: str
    clauses: dict[str, StepTally]

    @classmethod
    def of(cls, card: Scorecard, parameter: str) -> "ToleranceTally":
        """The curves of a scorecard over the usual range; InvalidInput where there are none that are exact."""
        finder = curve_finder(card, parameter)
        clauses = {
            clause.name: StepTally.of(*finder.running(index), finder.high, finder.aggregation)
            for index, clause in enumerate(card.contract.clauses)
        }
        return cls(parameter, clauses)

    def __add__(self, other: "ToleranceTally") -> "ToleranceTally":
        clauses = {name: found + other.clauses[name] for name, found in self.clauses.items()}
        return ToleranceTally(self.parameter, clauses)

    def tolerance(self, contract: Contract) -> Tolerance:
        """The curves of all that was added, under the contract's aggregation."""
        low, high = default_range(contract, self.parameter)
        own = contract.aggregation
        found = {name: (steps.method, steps.function(high, own)) for name, steps in self.clauses.items()}
        return tolerance_of(contract, self.parameter, low, high, own, found)
