"""Scores: exact fractions with their counts, and the aggregations over clips and classes (chapter 7)."""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from tracepact.core import Aggregation, LeftOut
from tracepact.records import Record

Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]
LOGIC = "logic"
"""The key of the mean of the vector in data (rule 7.7), beside the names of clauses."""
MEAN = "mean of the vector"
"""What a reader sees in its place."""


@dataclass(frozen=True, slots=True)
class Score:
    """A value with the counts behind it.

    Attributes:
        value: the score, exact.
        satisfied: how many obligations are satisfied, over all clips and classes.
        obligated: how many obligations there are.
        vacuous: whether the value is 1 because there is no obligation at all (rules 7.3 and 7.5).
        entries: how many values a mean was taken of.
        vacuous_entries: how many of these are 1 because they have no obligation.
        counter_entries: how many of these are 0 because an event clause without obligations met events (rule 7.4).

    Examples:
        >>> import tracepact
        >>> run = tracepact.score("boundary_gate", ref=[(1, 2)], pred=[(1, 1.5)], durations=3)
        >>> missing = run.card.score("missing_guard")  # the last 23 of 50 frames have no prediction within 2 frames
        >>> missing.value, missing.satisfied, missing.obligated
        (Fraction(27, 50), 27, 50)
    """

    value: Fraction
    satisfied: int
    obligated: int
    vacuous: bool
    entries: int = 1
    vacuous_entries: int = 0
    counter_entries: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class ClauseCounts:
    """Satisfied and obligated counts of one clause, by class and clip.

    `counter` marks where an empty obligation is counter evidence (rule 7.4); frame clauses have none.
    """

    satisfied: Counts
    obligated: Counts
    counter: Flags

    @property
    def vacuous(self) -> Flags:
        """Where there is no obligation and no counter evidence."""
        vacuous: Flags = (self.obligated == 0) & ~self.counter
        return vacuous

    def added(self, *, clips: bool, classes: bool) -> "ClauseCounts":
        """The counts of all clips, or of all classes, or of both, as one."""
        axes = tuple(axis for axis, asked in enumerate((classes, clips)) if asked)
        return ClauseCounts(
            self.satisfied.sum(axis=axes, keepdims=True),
            self.obligated.sum(axis=axes, keepdims=True),
            np.asarray(self.counter.any(axis=axes, keepdims=True)),
        )

    def select(self, *, clips: Counts | None = None, label: int | None = None) -> "ClauseCounts":
        """The counts of some clips, or of one class."""
        rows = slice(None) if label is None else slice(label, label + 1)
        columns = slice(None) if clips is None else clips
        return ClauseCounts(
            self.satisfied[rows][:, columns], self.obligated[rows][:, columns], self.counter[rows][:, columns]
        )

    def score(self, label: int, clip: int) -> Score:
        """The score of one clip and class."""
        return _score(
            int(self.satisfied[label, clip]), int(self.obligated[label, clip]), bool(self.counter[label, clip])
        )


def aggregate(counts: ClauseCounts, aggregation: Aggregation) -> Score:
    """One score for all clips and classes (rule 7.5)."""
    steps = aggregation.steps
    return mean_tally(counts.added(clips=steps.adds_clips, classes=steps.adds_classes), steps.leaves_out).score


def taken(empty: Flags, counter: Flags, leaves_out: LeftOut) -> Flags:
    """Which entries take part in a mean, given where nothing was obliged and where that is counter evidence."""
    match leaves_out:
        case LeftOut.NOTHING:
            return np.ones_like(empty)
        case LeftOut.VACUOUS:
            return ~empty | counter


def _score(satisfied: int, obligated: int, counter: bool) -> Score:
    """Rules 7.2 to 7.4."""
    if obligated:
        return Score(Fraction(satisfied, obligated), satisfied, obligated, vacuous=False)
    return Score(
        Fraction(0 if counter else 1),
        0,
        0,
        vacuous=not counter,
        vacuous_entries=int(not counter),
        counter_entries=int(counter),
    )


class MeanTally(Record, frozen=True):
    """What a mean over clips of the mean over classes is made of, exact, so that those of some clips can be added.

    Entry (class, clip) contributes satisfied / (obligated · entries of its clip). `sums` are the contributions by their
    denominator, as whole numbers; `idle` says that no entry has an obligation or counter evidence.
    """

    sums: dict[int, int]
    clips: int
    satisfied: int
    obligated: int
    idle: bool
    entries: int
    vacuous_entries: int
    counter_entries: int

    def __add__(self, other: "MeanTally") -> "MeanTally":
        sums = dict(self.sums)
        for kind, part in other.sums.items():
            sums[kind] = sums.get(kind, 0) + part
        return MeanTally(
            dict(sorted(sums.items())),
            self.clips + other.clips,
            self.satisfied + other.satisfied,
            self.obligated + other.obligated,
            self.idle and other.idle,
            self.entries + other.entries,
            self.vacuous_entries + other.vacuous_entries,
            self.counter_entries + other.counter_entries,
        )

    @property
    def score(self) -> Score:
        """The mean with its counts."""
        if not self.clips:
            return Score(Fraction(1), self.satisfied, self.obligated, vacuous=True, entries=0)
        common = lcm(*self.sums)
        total = sum(part * (common // kind) for kind, part in self.sums.items())
        counts = self.satisfied, self.obligated, self.idle
        return Score(
            Fraction(total, common * self.clips), *counts, self.entries, self.vacuous_entries, self.counter_entries
        )


def mean_tally(counts: ClauseCounts, leaves_out: LeftOut) -> MeanTally:
    """The mean over clips (columns) of the mean over classes (rows), as what it is made of."""
    vacuous = counts.vacuous
    kept = taken(counts.obligated == 0, counts.counter, leaves_out)
    per_clip = kept.sum(axis=0)
    numerator = np.where(counts.obligated > 0, counts.satisfied, vacuous)[kept]
    denominator = (np.maximum(counts.obligated, 1) * per_clip)[kept]
    return MeanTally(
        _sums_by_kind(denominator, numerator),
        int((per_clip > 0).sum()),
        int(counts.satisfied.sum()),
        int(counts.obligated.sum()),
        bool(vacuous.all()),
        int(kept.sum()),
        int((vacuous & kept).sum()),
        int((counts.counter & (counts.obligated == 0) & kept).sum()),
    )


_DENSE = 64
"""Denominators of up to so many times their number are counted in a table of their own size, which takes no sorting."""


def _sums_by_kind(kinds: Counts, parts: Counts) -> dict[int, int]:
    """The sums of the parts of each kind, by kind; sums stay far below 2**53, where floats add exactly."""
    if not len(kinds):
        return {}
    if int(kinds.max()) <= _DENSE * len(kinds):
        found = np.flatnonzero(np.bincount(kinds))
        sums = np.bincount(kinds, weights=parts)[found].astype(np.int64)
    else:
        found, inverse = np.unique(kinds, return_inverse=True)
        sums = np.zeros(len(found), dtype=np.int64)
        np.add.at(sums, inverse, parts)
    return dict(zip(found.tolist(), sums.tolist(), strict=True))


def shown_name(key: str) -> str:
    """A clause, or the mean of the vector, as a reader sees it."""
    return MEAN if key == LOGIC else key
