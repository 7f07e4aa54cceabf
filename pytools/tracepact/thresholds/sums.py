"""Counts of some clips over every threshold that can be added to those of others: curves in batches (rule 24.16).

Every part has scores of its own. Their cuts mean the same on the scores of both: the cut just above a score stays just
above it. Counts that are only ever added over clips are added at once; what becomes a mean over clips stays by clip.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tracepact.thresholds.intersection import Criteria, Intersections
from tracepact.thresholds.steps import MetricSteps, Steps, Whole
from tracepact.trace import Ranks, ScoreLevels
from tracepact.trace.levels import join_levels


@dataclass(frozen=True, slots=True, eq=False)
class CurveSums:
    """What is counted of some clips at every threshold.

    Attributes:
        classes: the classes of the whole.
        levels: the distinct scores of these clips.
        places: the numbers of these clips in the whole, ascending.
        seconds: how long they are together.
        by_clip: the clauses whose counts stay by clip, in the order of `places`; all other counts are of all clips.
        clauses: the counts of clauses.
        metrics: the counts of metrics.
        crossed: the counts by intersections of each criteria that were asked for.
    """

    classes: tuple[str, ...]
    levels: ScoreLevels
    places: Whole
    seconds: Fraction
    by_clip: frozenset[str]
    clauses: Mapping[str, Steps]
    metrics: Mapping[str, MetricSteps]
    crossed: Mapping[Criteria, Intersections]

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of classes and clips."""
        return len(self.classes), len(self.places)

    def __add__(self, other: "CurveSums") -> "CurveSums":
        levels, ranks = join_levels([self.levels, other.levels])
        mine, theirs = _Part(ranks[0], self.places), _Part(ranks[1], other.places)
        order = np.argsort(np.concatenate([self.places, other.places]), kind="stable")

        def added(a: Steps, b: Steps, name: str = "") -> Steps:
            moved = mine.moved(a), theirs.moved(b)
            return _side_by_side(*moved, order) if name in self.by_clip else _summed(*moved)

        def if_there(a: Steps | None, b: Steps | None) -> Steps | None:
            return None if a is None or b is None else added(a, b)

        def both(a: MetricSteps, b: MetricSteps) -> MetricSteps:
            return MetricSteps(added(a.tallies, b.tallies), if_there(a.substitutions, b.substitutions))

        def crossings(a: Intersections, b: Intersections) -> Intersections:
            lengths, references = zip(a.lengths, b.lengths, strict=True), zip(a.references, b.references, strict=True)
            return Intersections(
                added(a.tallies, b.tallies),
                if_there(a.triggers, b.triggers),
                tuple(one + two for one, two in lengths),
                tuple(one + two for one, two in references),
            )

        return CurveSums(
            self.classes,
            levels,
            np.concatenate([self.places, other.places])[order],
            self.seconds + other.seconds,
            self.by_clip,
            {name: added(steps, other.clauses[name], name) for name, steps in self.clauses.items()},
            {name: both(steps, other.metrics[name]) for name, steps in self.metrics.items()},
            {criteria: crossings(some, other.crossed[criteria]) for criteria, some in self.crossed.items()},
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """One of two parts: the new rank of each of its scores, and its clips."""

    ranks: Ranks
    places: Whole

    def moved(self, steps: Steps) -> Steps:
        """The same counts on the scores of both parts; a cut above no score is in no change."""
        return Steps(steps.shape, steps.base, self.ranks[steps.cut - 1] + 1, steps.entry, steps.change)


def _summed(a: Steps, b: Steps) -> Steps:
    """The counts of both added; where all that changes cancels there is still a piece, as in the whole."""
    columns = ((a.cut, b.cut), (a.entry, b.entry), (a.change, b.change))
    cut, entry, change = (np.concatenate(pair, axis=-1) for pair in columns)
    return Steps(a.shape, a.base + b.base, cut, entry, change).netted(cancelled=True)


def _side_by_side(a: Steps, b: Steps, order: Whole) -> Steps:
    """The counts of the clips of both, in an order of all."""
    classes, number = a.shape[0], a.shape[1] + b.shape[1]
    place = np.argsort(order)
    base = np.concatenate([some.base.reshape(len(some.base), *some.shape) for some in (a, b)], axis=2)[:, :, order]
    entries = []
    for some, first in ((a, 0), (b, a.shape[1])):
        label, clip = np.divmod(some.entry, max(some.shape[1], 1))
        entries.append(label * number + place[clip + first])
    columns = ((a.cut, b.cut), tuple(entries), (a.change, b.change))
    cut, entry, change = (np.concatenate(pair, axis=-1) for pair in columns)
    return Steps((classes, number), base.reshape(len(base), -1), cut, entry, change).netted(cancelled=True)


def of_all_clips(steps: Steps) -> Steps:
    """The counts of all clips added, one change for each class and cut."""
    return steps.grouped(clips=True, classes=False).netted(cancelled=True)


def crossed_in_all_clips(found: Intersections) -> Intersections:
    """The same, of counts by intersections."""
    triggers = None if found.triggers is None else of_all_clips(found.triggers)
    return Intersections(of_all_clips(found.tallies), triggers, found.lengths, found.references)
