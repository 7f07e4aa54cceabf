"""What a metric found: counts by class, and the values that follow from them (rules 15.2, 15.7, 15.10, 15.11)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isnan, nan
from typing import Annotated

import numpy as np
from msgspec import Meta

from tracepact.metrics.policy import Arithmetic, Input, Number
from tracepact.records import Count, Record

_EPSILON = 2.0**-52


class Tally(Record, frozen=True):
    """True positives, false positives, false negatives (15.2)."""

    tp: Annotated[Count, Meta(description="True positives.")]
    fp: Annotated[Count, Meta(description="False positives.")]
    fn: Annotated[Count, Meta(description="False negatives.")]

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)


@dataclass(frozen=True, slots=True)
class Rates:
    """Precision, recall and F1; None where undefined."""

    precision: Number | None
    recall: Number | None
    f1: Number | None


@dataclass(frozen=True, slots=True)
class Macro:
    """The mean of each rate over the classes that have it, and how many those are."""

    rates: Rates
    classes: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Errors:
    """Substitutions, deletions and insertions, and how many references there were."""

    substitutions: int
    deletions: int
    insertions: int
    reference: int

    def rate(self, arithmetic: Arithmetic) -> Number | None:
        """The error rate; None without a reference."""
        parts = (self.substitutions, self.deletions, self.insertions)
        if arithmetic is Arithmetic.SED_EVAL:
            substituted, deleted, inserted = (part / (self.reference + _EPSILON) for part in parts)
            return substituted + deleted + inserted
        return quotient(sum(parts), self.reference)


@dataclass(frozen=True, slots=True, eq=False)
class CountMetric:
    """A metric of true and false positives and false negatives, with its errors where it has any."""

    name: str
    input: Input
    policy: str
    unit: str
    classes: Mapping[str, Tally]
    errors: Errors | None = None
    arithmetic: Arithmetic = Arithmetic.EXACT

    @property
    def total(self) -> Tally:
        """The counts of all classes."""
        return sum(self.classes.values(), Tally(0, 0, 0))

    @property
    def micro(self) -> Rates:
        """The rates of the counts of all classes."""
        return self.rates(self.total)

    def rates(self, tally: Tally) -> Rates:
        """The rates of some counts, in this metric's arithmetic."""
        return _float_rates(tally) if self.arithmetic is Arithmetic.SED_EVAL else _exact_rates(tally)

    @property
    def macro(self) -> Macro:
        """The means over classes."""
        rates = [self.rates(tally) for tally in self.classes.values()]
        columns = {name: [getattr(found, name) for found in rates] for name in ("precision", "recall", "f1")}
        means = {name: _mean(column) for name, column in columns.items()}
        return Macro(Rates(**means), {n: sum(value is not None for value in c) for n, c in columns.items()})

    @property
    def error_rate(self) -> Number | None:
        """The error rate, if this metric has one and it is defined."""
        return self.errors.rate(self.arithmetic) if self.errors else None

    @property
    def macro_error_rate(self) -> Number | None:
        """The mean of the classes' own error rates: within a class there are deletions and insertions only."""
        if not self.errors:
            return None
        found = self.classes.values()
        return _mean(Errors(0, tally.fn, tally.fp, tally.tp + tally.fn).rate(self.arithmetic) for tally in found)


@dataclass(frozen=True, slots=True)
class Deviation:
    """The sum of some distances in seconds, and how many there are."""

    total: Fraction = Fraction(0)
    pairs: int = 0

    @property
    def mean(self) -> Fraction | None:
        """Their mean; None without any."""
        return self.total / self.pairs if self.pairs else None


@dataclass(frozen=True, slots=True, eq=False)
class MeanMetric:
    """A mean of distances over matched pairs."""

    name: str
    input: Input
    policy: str
    classes: Mapping[str, Deviation]

    @property
    def total(self) -> Deviation:
        """All distances of all classes."""
        found = self.classes.values()
        return Deviation(sum((d.total for d in found), Fraction(0)), sum(d.pairs for d in found))

    @property
    def macro(self) -> Number | None:
        """The mean over the classes with a pair."""
        return _mean([found.mean for found in self.classes.values()])


Metric = CountMetric | MeanMetric


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Some metrics of two tables, of so many clips.

    `left_out` events lay in ignore regions (rule 15.13), `unlisted` predictions on clips nobody else names (rule 15.3).
    """

    arithmetic: Arithmetic
    clips: int
    metrics: tuple[Metric, ...]
    left_out: int
    unlisted: int


def quotient(top: int, bottom: int) -> Fraction | None:
    """A fraction; None where it is undefined."""
    return Fraction(top, bottom) if bottom else None


def _exact_rates(tally: Tally) -> Rates:
    tp, fp, fn = tally.tp, tally.fp, tally.fn
    return Rates(quotient(tp, tp + fp), quotient(tp, tp + fn), quotient(2 * tp, 2 * tp + fp + fn))


def _float_rates(tally: Tally) -> Rates:
    """The rates as sed_eval computes them: F1 from the two rounded quotients, undefined where one of them is."""
    predicted, reference = tally.tp + tally.fp, tally.tp + tally.fn
    precision = tally.tp / predicted if predicted else nan
    recall = tally.tp / reference if reference else nan
    f1 = 0.0 if precision == 0 and recall == 0 else 2.0 * precision * recall / (precision + recall)
    return Rates(*(None if isnan(value) else value for value in (precision, recall, f1)))


def _mean(values: Iterable[Number | None]) -> Number | None:
    """The mean of the values that are defined; floats are added as NumPy adds them, nothing standing for 0."""
    given = list(values)
    found = [value for value in given if value is not None]
    if not found:
        return None
    if isinstance(found[0], float):
        return float(np.sum(np.array([value or 0.0 for value in given], dtype=np.float64)) / len(found))
    return sum((Fraction(value) for value in found), Fraction(0)) / len(found)
