"""Intervals of metrics over clips, differences between systems, and their records."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from tracepact.evaluate.draws import Weights, draws, in_order, interval
from tracepact.evaluate.uncertainty import NEAR, USUAL, Bootstrap, BootstrapUsed, Signs, holm, two_sided
from tracepact.measures.policy import EPSILON, Arithmetic, Empty, MacroOver, Number, Rules, Values
from tracepact.measures.results import NAMED_ACCURACIES, RATES, CountMetric, MeanMetric, Measured, Metric
from tracepact.records import Count, Record, Share
from tracepact.wording import rounded

# The values of a metric in many draws of clips at once, from its counts (rules 15.22 and 16.7).

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class MetricSums:
    """The sums of a metric over some clips in every draw; those of other clips can be added in any order (rule 24.20).

    `counts` are draws by kinds by classes; of errors and cells, which not every metric has, draws by kinds and draws.
    """

    counts: Values
    errors: Values | None
    cells: Values | None

    def __add__(self, other: "MetricSums") -> "MetricSums":
        errors = None if self.errors is None or other.errors is None else self.errors + other.errors
        cells = None if self.cells is None or other.cells is None else self.cells + other.cells
        return MetricSums(self.counts + other.counts, errors, cells)


def drawn_values(metric: Metric, weights: Weights) -> dict[str, Values]:
    """Every value of `metric.values` in every draw, in floats; not a number where it is undefined."""
    return values_of_sums(metric, metric_sums(metric, weights))


def metric_sums(metric: Metric, weights: Weights) -> MetricSums:
    """The sums of a metric in every draw, given how often each draw has each of its clips."""
    counts = metric.counts.drawn(weights)
    if isinstance(metric, MeanMetric):
        return MetricSums(counts, None, None)
    errors = None if metric.clip_errors is None else metric.clip_errors.drawn(weights)[:, :, 0]
    cells = None if metric.cells is None else weights @ metric.cells.astype(np.float64)
    return MetricSums(counts, errors, cells)


def values_of_sums(metric: Metric, sums: MetricSums) -> dict[str, Values]:
    """Every value of a metric in every draw; of the metric itself only its rules, labels and unit are taken."""
    return _means(metric, sums) if isinstance(metric, MeanMetric) else _counts(metric, sums)


def _means(metric: MeanMetric, sums: MetricSums) -> dict[str, Values]:
    ticks, pairs = np.moveaxis(sums.counts, 1, 0)
    seconds = ticks / metric.unit
    macro = _over(_quotient(seconds, pairs), pairs > 0, MacroOver.DEFINED)
    return {"mean": _quotient(in_order(seconds.T), pairs.sum(axis=1)), "macro_mean": macro}


def _counts(metric: CountMetric, sums: MetricSums) -> dict[str, Values]:
    rules = metric.rules
    tally = np.moveaxis(sums.counts, 1, 0)
    total, in_reference = tally.sum(axis=2), tally[0] + tally[2] > 0
    found = dict(zip(RATES, _rates(total, rules), strict=True))
    for name, values in zip(RATES, _rates(tally, rules), strict=True):
        found[f"macro_{name}"] = _over(values, in_reference, rules.macro)
    if sums.cells is not None:
        micro = _accuracies(total, sums.cells * len(metric.labels) - total.sum(axis=0), rules)
        by_class = _accuracies(tally, sums.cells[:, None] - tally.sum(axis=0), rules)
        found |= dict(zip(NAMED_ACCURACIES, micro, strict=True))
        for name, values in zip(NAMED_ACCURACIES, by_class, strict=True):
            found[f"macro_{name}"] = _over(values, in_reference, rules.macro)
    if sums.errors is not None:
        found["error_rate"] = _error_rate(sums.errors[:, :3].sum(axis=1), sums.errors[:, 3], rules)
        own = _error_rate(tally[1] + tally[2], tally[0] + tally[2], rules)
        over = MacroOver.DEFINED if rules.macro is MacroOver.ALL else rules.macro
        found["macro_error_rate"] = _over(own, in_reference, over)
    return found


def _rates(tally: Values, rules: Rules) -> tuple[Values, Values, Values]:
    """Precision, recall and F1 of true positives, false positives and false negatives."""
    tp, fp, fn = tally
    precision, recall = _quotient(tp, tp + fp), _quotient(tp, tp + fn)
    if rules.empty is Empty.ZERO_SCORE:
        precision = np.where(tp + fp > 0, precision, 0.0)
    if rules.arithmetic is Arithmetic.EXACT:
        return precision, recall, _quotient(2 * tp, 2 * tp + fp + fn)
    both = precision + recall
    return precision, recall, np.where(both == 0, 0.0, _quotient(2.0 * precision * recall, both))


def _accuracies(tally: Values, tn: Values, rules: Rules) -> tuple[Values, Values, Values]:
    """Specificity, balanced accuracy and accuracy."""
    tp, fp, fn = tally
    more = EPSILON if rules.arithmetic is Arithmetic.SED_EVAL else 0.0
    sensitivity, specificity = _quotient(tp, tp + fn + more), _quotient(tn, tn + fp + more)
    return specificity, (sensitivity + specificity) / 2, _quotient(tp + tn, tp + tn + fn + fp + more)


def _error_rate(wrong: Values, reference: Values, rules: Rules) -> Values:
    return _quotient(wrong, reference + (EPSILON if rules.arithmetic is Arithmetic.SED_EVAL else 0.0))


def _over(values: Values, in_reference: Flags, over: MacroOver) -> Values:
    """The mean over classes of every draw (rule 15.21)."""
    kept = ~np.isnan(values)
    if over is MacroOver.REFERENCE:
        kept &= in_reference
    # One class after the other, so that a draw has the same float in whatever portion it comes.
    number = np.full(len(values), values.shape[1]) if over is MacroOver.ALL else kept.sum(axis=1)
    return _quotient(in_order(np.where(kept, values, 0.0).T), number.astype(np.float64))


def _quotient(top: Values, bottom: Values) -> Values:
    """A quotient; not a number where it is undefined."""
    found: Values = np.divide(top, bottom, out=np.full(np.broadcast(top, bottom).shape, np.nan), where=bottom != 0)
    return found


# Intervals of metrics over clips, and differences between systems with their significance (rule 15.22).

Quantity = tuple[str, str]
"""A metric and one of its values: `("event", "macro_f1")`."""


@dataclass(frozen=True, slots=True)
class MetricInterval:
    """A value, the interval of the draws in which it is defined, and the number of those in which it is not.

    A value that is undefined for all clips is so in every draw, and has no interval.
    """

    value: Number | None
    low: float | None
    high: float | None
    undefined: int


@dataclass(frozen=True, slots=True)
class MetricDifference(MetricInterval):
    """A system minus the one it is compared with, the interval of its draws, its p, and this after Holm."""

    p: Fraction
    corrected: Fraction


@dataclass(frozen=True, slots=True, eq=False)
class ComparedSystems:
    """The intervals of several systems, and the differences of all but the first from the first."""

    intervals: tuple[dict[Quantity, MetricInterval], ...]
    differences: tuple[dict[Quantity, MetricDifference], ...]


def metric_values(measured: Measured) -> dict[Quantity, Number | None]:
    """Every value of every metric, by metric and name."""
    return {(metric.name, name): value for metric in measured.metrics for name, value in metric.values.items()}


def metric_draws(measured: Measured, bootstrap: Bootstrap = USUAL) -> dict[Quantity, Values]:
    """Every value in every draw; systems with the same clips in the same order see the same draws."""
    # Draws come in portions: all of them at once would take memory of draws times clips.
    portions = [
        _drawn(measured.metrics, weights) for weights in draws(measured.clips, bootstrap.number, bootstrap.seed)
    ]
    return {quantity: np.concatenate([some[quantity] for some in portions]) for quantity in portions[0]}


def metric_intervals(measured: Measured, bootstrap: Bootstrap = USUAL) -> dict[Quantity, MetricInterval]:
    """Every value with its interval over clips."""
    return metric_intervals_of(measured, metric_draws(measured, bootstrap), bootstrap)


def metric_intervals_of(
    measured: Measured, drawn: Mapping[Quantity, Values], bootstrap: Bootstrap
) -> dict[Quantity, MetricInterval]:
    """Every value with the interval of its draws."""
    return {
        quantity: MetricInterval(value, *_interval(drawn[quantity], bootstrap))
        for quantity, value in metric_values(measured).items()
    }


def compare_systems(systems: Sequence[Measured], bootstrap: Bootstrap = USUAL) -> ComparedSystems:
    """Intervals of systems measured alike on one reference, and differences from the first, corrected over the systems.

    A clip that one of them does not have is silent in it.
    """
    base, *others = aligned(systems)
    found = [_differences(base, other, bootstrap) for other in others]
    for quantity in found[0] if found else ():
        corrected = holm([some[quantity].p for some in found])
        for some, p in zip(found, corrected, strict=True):
            some[quantity] = replace(some[quantity], corrected=p)
    return ComparedSystems(tuple(metric_intervals(some, bootstrap) for some in (base, *others)), tuple(found))


def aligned(systems: Sequence[Measured]) -> list[Measured]:
    """The systems with the clips of all of them, in one order."""
    names = tuple(dict.fromkeys(clip for some in systems for clip in some.clip_names))
    return [some.on_clips(names) for some in systems]


_Ends = tuple[float | None, float | None, int]


def _differences(base: Measured, other: Measured, bootstrap: Bootstrap) -> dict[Quantity, MetricDifference]:
    """Each value of the other minus that of the base, not yet corrected for other comparisons."""
    pairs = list(zip(other.metrics, base.metrics, strict=True))
    portions = [
        {(a.name, name): found for a, b in pairs for name, found in _signed(a, b, weights).items()}
        for weights in draws(base.clips, bootstrap.number, bootstrap.seed)
    ]
    before, found = metric_values(base), {}
    for quantity, after in metric_values(other).items():
        values, signs = (np.concatenate([some[quantity][part] for some in portions]) for part in (0, 1))
        was = before[quantity]
        value = None if after is None or was is None else after - was
        p = two_sided(signs.astype(np.int8))
        found[quantity] = MetricDifference(value, *_interval(values, bootstrap), p, p)
    return found


def _signed(ours: Metric, theirs: Metric, weights: Weights) -> dict[str, tuple[Values, Signs]]:
    """The differences of every draw and their signs, computed exactly where a float could mislead; 0 if undefined."""
    a, b = drawn_values(ours, weights), drawn_values(theirs, weights)
    # A draw without a clip on which the systems differ has difference 0 exactly, and needs no second look.
    touched = weights @ _differing_clips(ours, theirs) > 0
    found = {}
    exact: dict[int, tuple[Mapping[str, Number | None], Mapping[str, Number | None]]] = {}
    for name in a:
        difference = a[name] - b[name]
        signs = np.sign(np.nan_to_num(difference)).astype(np.int8)
        # Floats decide only where they cannot be wrong; p counts signs, and a sign must be exact.
        near = np.abs(difference) < NEAR
        for draw in np.flatnonzero(near & touched).tolist():
            if draw not in exact:
                times = weights[draw].astype(np.int64)
                exact[draw] = ours.drawn_once(times).values, theirs.drawn_once(times).values
            x, y = (values[name] for values in exact[draw])
            assert x is not None
            assert y is not None
            signs[draw] = (x > y) - (x < y)
        found[name] = difference, signs
    return found


def _differing_clips(a: Metric, b: Metric) -> Values:
    """1 for each clip on which two systems differ in some count, else 0."""
    found = np.zeros(a.counts.clips)
    if a.labels != b.labels:
        return found + 1
    found[a.counts.differing_clips(b.counts)] = 1
    if isinstance(a, CountMetric) and isinstance(b, CountMetric):
        if a.clip_errors is not None and b.clip_errors is not None:
            found[a.clip_errors.differing_clips(b.clip_errors)] = 1
        if a.cells is not None and b.cells is not None:
            found[a.cells != b.cells] = 1
    return found


def _drawn(metrics: Sequence[Metric], weights: Weights) -> dict[Quantity, Values]:
    return {(metric.name, name): values for metric in metrics for name, values in drawn_values(metric, weights).items()}


def _interval(values: Values, bootstrap: Bootstrap) -> _Ends:
    """The ends of the interval of the defined values, and how many are not."""
    defined = values[~np.isnan(values)]
    undefined = len(values) - len(defined)
    return (*interval(defined, bootstrap.level), undefined) if len(defined) else (None, None, undefined)


# Intervals and differences of metrics as records: what JSON and CSV hold of them (rule 15.22).

_End = Annotated[float | None, Meta(description="An end of the interval, for reading; null where undefined.")]


class ValueInterval(Record, frozen=True):
    """A value of a metric with its interval over clips."""

    metric: Annotated[str, Meta(description="The metric.")]
    quantity: Annotated[str, Meta(description="Which of its values: `f1`, `macro_f1`, `error_rate`, ….")]
    value: Annotated[Fraction | None, Meta(description="Exact; null where undefined, or a binary float (15.14).")]
    decimal: Annotated[float | None, Meta(description="The same for reading; null where undefined.")]
    low: _End
    high: _End
    undefined: Annotated[Count, Meta(description="In how many draws it is undefined; they are not in the interval.")]


class ValueDifference(ValueInterval, frozen=True):
    """A value of a metric minus that of the first system, with its interval over clips and its p."""

    p: Annotated[Share, Meta(description="Two-sided (16.7).")]
    corrected: Annotated[Share, Meta(description="After Holm's correction over the systems (16.8).")]


class SystemIntervals(Record, frozen=True):
    """The values of a system, and its differences from the first one."""

    name: Annotated[str, Meta(description="The predictions as they were given.")]
    values: tuple[ValueInterval, ...]
    differences: Annotated[tuple[ValueDifference, ...], Meta(description="Empty for the first system.")]


class MetricIntervals(Record, frozen=True):
    """The intervals of all values of all metrics over clips, and differences between systems (15.22)."""

    bootstrap: BootstrapUsed
    systems: Annotated[tuple[SystemIntervals, ...], Meta(min_length=1)]


INTERVAL_COLUMNS = (
    *("system", "metric", "quantity", "kind"),
    *("value", "decimal", "low", "high", "undefined", "p", "corrected"),
)


def intervals_record(names: Sequence[str], compared: ComparedSystems, bootstrap: Bootstrap) -> MetricIntervals:
    """The record of systems of these names."""
    systems = zip(names, compared.intervals, ({}, *compared.differences), strict=True)
    return MetricIntervals(
        bootstrap.record,
        tuple(
            SystemIntervals(
                name,
                tuple(ValueInterval(*_written(*item)) for item in values.items()),
                tuple(ValueDifference(*_written(*item), item[1].p, item[1].corrected) for item in less.items()),
            )
            for name, values, less in systems
        ),
    )


def interval_rows(intervals: MetricIntervals) -> Iterator[Sequence[str | int]]:
    """A row for every value and every difference of every system."""
    for system in intervals.systems:
        for one in system.values:
            yield system.name, one.metric, one.quantity, "value", *_fields(one), "", ""
        for less in system.differences:
            head = system.name, less.metric, less.quantity, "difference"
            yield *head, *_fields(less), str(less.p), str(less.corrected)


def _fields(one: ValueInterval) -> tuple[str | int, ...]:
    numbers = ("" if number is None else repr(number) for number in (one.decimal, one.low, one.high))
    return "" if one.value is None else str(one.value), *numbers, one.undefined


_Written = tuple[str, str, Fraction | None, float | None, float | None, float | None, int]


def _written(quantity: Quantity, one: MetricInterval) -> _Written:
    """The first fields of the record of a value: its name, the value exact and for reading, its interval."""
    exact = None if isinstance(one.value, float) else one.value  # a float is for reading alone
    decimal = rounded(exact) if exact is not None else None if one.value is None else float(one.value)
    low, high = (None if end is None else rounded(end) for end in (one.low, one.high))
    return *quantity, exact, decimal, low, high, one.undefined
