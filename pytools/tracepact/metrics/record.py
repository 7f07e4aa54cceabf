"""Metrics as a record: what JSON holds and every drawing reads (spec/schemas/metrics.schema.json)."""

from fractions import Fraction
from typing import Annotated, Literal

from msgspec import Meta

from tracepact.metrics.cells import CellDifference
from tracepact.metrics.events import PairDifference
from tracepact.metrics.policy import Arithmetic, Input, Number
from tracepact.metrics.result import ACCURACIES, CountMetric, MeanMetric, Measured, Metric
from tracepact.metrics.standard import StandardMetrics
from tracepact.metrics.values import Rates, Tally
from tracepact.records import Count, NotNegative, OneOf, Record
from tracepact.wording import rounded

_Policy = Annotated[str, Meta(description="All that the value depends on beside the data, in words.")]
_Label = Annotated[str, Meta(description="The class.")]


class MetricValue(Record, frozen=True):
    """An exact value and its decimal; without the former a binary float (15.14), without either undefined (15.2)."""

    value: Annotated[NotNegative | None, Meta(description="The exact value.")]
    decimal: Annotated[
        Annotated[float, Meta(ge=0)] | None, Meta(description="The same for reading, or the float itself.")
    ]

    @classmethod
    def of(cls, value: Number | None) -> "MetricValue":
        """The record of a value; a float, which is not exact, is a decimal alone."""
        if value is None or isinstance(value, float):
            return cls(None, value)
        return cls(value, rounded(value))

    @property
    def shown(self) -> Fraction | float | None:
        """What is written for people: the exact value where there is one."""
        return self.decimal if self.value is None else self.value


class RateValues(Record, frozen=True):
    """Precision, recall and F1 of the counts of all classes."""

    precision: MetricValue
    recall: MetricValue
    f1: MetricValue


class RateClasses(Record, frozen=True):
    """How many classes have a value."""

    precision: Annotated[Count, Meta(description="Classes.")]
    recall: Annotated[Count, Meta(description="Classes.")]
    f1: Annotated[Count, Meta(description="Classes.")]


class MacroValues(Record, frozen=True):
    """The means over the classes that have the value."""

    precision: MetricValue
    recall: MetricValue
    f1: MetricValue
    classes: RateClasses


class ErrorValues(Record, frozen=True):
    """Substitutions, deletions and insertions (15.7, 15.10)."""

    substitutions: Annotated[Count, Meta(description="The substitutions.")]
    deletions: Annotated[Count, Meta(description="The deletions.")]
    insertions: Annotated[Count, Meta(description="The insertions.")]
    reference: Annotated[Count, Meta(description="What the error rate divides by.")]
    rate: MetricValue
    macro_rate: MetricValue


class AccuracyValues(Record, frozen=True):
    """What the cells that neither side covers make of the counts (15.19)."""

    tn: Annotated[Count, Meta(description="True negatives.")]
    sensitivity: MetricValue
    specificity: MetricValue
    balanced_accuracy: MetricValue
    accuracy: MetricValue


class MacroAccuracy(Record, frozen=True):
    """The means over classes."""

    sensitivity: MetricValue
    specificity: MetricValue
    balanced_accuracy: MetricValue
    accuracy: MetricValue


class ClassAccuracy(Record, frozen=True):
    """The accuracies of one class."""

    label: _Label
    values: AccuracyValues


class AccuracyRecord(Record, frozen=True):
    """The accuracies of a metric whose cells are all counted (15.19)."""

    metric: Annotated[Literal["segment"], Meta(description="The metric.")]
    policy: _Policy
    cells: Annotated[Count, Meta(description="The cells of one class, over all clips.")]
    micro: AccuracyValues
    macro: MacroAccuracy
    classes: Annotated[tuple[ClassAccuracy, ...], Meta(description="Each class.")]


class ClassCounts(Record, frozen=True):
    """The counts and rates of one class."""

    label: _Label
    counts: Tally
    precision: MetricValue
    recall: MetricValue
    f1: MetricValue


class ClassMean(Record, frozen=True):
    """The mean distance of one class."""

    label: _Label
    pairs: Annotated[Count, Meta(description="Its matched pairs.")]
    mean: MetricValue


class MetricRecord(OneOf):
    """One metric: its policy, its counts, its values for all and for each class."""

    __slots__ = ()


class CountMetricRecord(Record, MetricRecord, frozen=True):
    """A metric of true and false positives and false negatives."""

    name: Annotated[
        str, Meta(pattern="^(frame|segment|event|boundary|transition|point|overlap)$", description="The metric.")
    ]
    input: Annotated[Input, Meta(description="What the metric looks at (15.1).")]
    policy: _Policy
    kind: Annotated[Literal["counts"], Meta(description="This kind of metric.")]
    unit: Annotated[str, Meta(pattern="^(frames|segments|events|runs)$", description="What is counted.")]
    counts: Tally
    micro: RateValues
    macro: MacroValues
    errors: Annotated[ErrorValues | None, Meta(description="Null where the metric has no errors of its own.")]
    classes: Annotated[tuple[ClassCounts, ...], Meta(description="Each class.")]


class MeanMetricRecord(Record, MetricRecord, frozen=True):
    """A mean of distances over matched pairs (15.11)."""

    name: Annotated[str, Meta(pattern="^(onset|offset) error$", description="The metric.")]
    input: Annotated[Input, Meta(description="What the metric looks at (15.1).")]
    policy: _Policy
    kind: Annotated[Literal["mean"], Meta(description="This kind of metric.")]
    unit: Annotated[Literal["s"], Meta(description="Seconds.")]
    pairs: Annotated[Count, Meta(description="The matched pairs.")]
    micro: MetricValue
    macro: MetricValue
    classes: Annotated[tuple[ClassMean, ...], Meta(description="Each class.")]


class ListedDifferences(Record, frozen=True):
    """Which they are; a report lists the first."""

    pairs: tuple[PairDifference, ...]
    cells: Annotated[tuple[CellDifference, ...], Meta(description="Consecutive segments as one entry.")]


class BothTallies(Record, frozen=True):
    """The counts of one metric in both arithmetics."""

    exact: Tally
    sed_eval: Tally


class ChangedCounts(Record, frozen=True):
    """What the differences change."""

    event: BothTallies
    segment: BothTallies


class Differences(Record, frozen=True):
    """The decisions on which exact arithmetic and sed_eval's floats differ (15.15)."""

    pairs: Annotated[Count, Meta(description="Pairs of events that one takes for a candidate and the other does not.")]
    cells: Annotated[Count, Meta(description="Segments that are active under one of them only.")]
    listed: ListedDifferences
    counts: ChangedCounts


class MetricsRecord(Record, frozen=True):
    """What `tracepact metrics --format json` prints, and what a report holds: the standard metrics with their policies.

    Numbers in parentheses are rules of language.md and tools.md.
    """

    format: Annotated[Literal["tracepact-metrics/1"], Meta(description="The form of this document.")]
    policy: Annotated[Arithmetic, Meta(description="The arithmetic of the values.")]
    clips: Annotated[Count, Meta(description="The clips of either side.")]
    left_out: Annotated[
        Count, Meta(description="Events in ignore regions, left out of the metrics on intervals (15.13).")
    ]
    unlisted: Annotated[
        Count,
        Meta(
            description="Predicted events on clips that neither the reference nor the durations name; "
            "false positives (15.3)."
        ),
    ]
    metrics: Annotated[tuple[MetricRecord, ...], Meta(min_length=1, description="The metrics.")]
    differences: Annotated[
        Differences | None, Meta(description="Null for points and overlaps, which sed_eval does not have.")
    ]


def metrics_record(found: Measured, most: int | None = None) -> MetricsRecord:
    """All metrics with their policies, and the decisions that differ, a limited number of each kind listed."""
    return MetricsRecord(
        "tracepact-metrics/1",
        found.arithmetic,
        found.clips,
        found.left_out,
        found.unlisted,
        tuple(_metric(metric) for metric in found.metrics),
        _differences(found, most) if isinstance(found, StandardMetrics) else None,
    )


def _differences(found: StandardMetrics, most: int | None) -> Differences:
    pairs, cells = found.pair_differences, found.cell_differences
    event, segment = (BothTallies(both.exact.total, both.sed_eval.total) for both in (found.event, found.segment))
    return Differences(
        len(pairs),
        sum(cell.count for cell in cells),
        ListedDifferences(tuple(pairs[:most]), tuple(cells[:most])),
        ChangedCounts(event, segment),
    )


def _metric(metric: Metric) -> CountMetricRecord | MeanMetricRecord:
    return _mean(metric) if isinstance(metric, MeanMetric) else _counts(metric)


def _mean(metric: MeanMetric) -> MeanMetricRecord:
    classes = (ClassMean(label, some.pairs, MetricValue.of(some.mean)) for label, some in metric.classes.items())
    total, macro = MetricValue.of(metric.total.mean), MetricValue.of(metric.macro)
    pairs = metric.total.pairs
    return MeanMetricRecord(metric.name, metric.input, metric.policy, "mean", "s", pairs, total, macro, tuple(classes))


def _counts(metric: CountMetric) -> CountMetricRecord:
    macro = metric.macro
    return CountMetricRecord(
        metric.name,
        metric.input,
        metric.policy,
        "counts",
        metric.unit,
        metric.total,
        RateValues(*_rates(metric.micro)),
        MacroValues(*_rates(macro.rates), RateClasses(**macro.classes)),
        _errors(metric),
        tuple(ClassCounts(label, t, *_rates(metric.rates(t))) for label, t in metric.classes.items()),
    )


def accuracy_records(found: Measured) -> tuple[AccuracyRecord, ...]:
    """The accuracies of the metrics that have some."""
    return tuple(
        _accuracies(metric) for metric in found.metrics if isinstance(metric, CountMetric) and metric.cells is not None
    )


def _accuracies(metric: CountMetric) -> AccuracyRecord:
    assert metric.cell_count is not None
    macro = metric.macro_accuracy
    return AccuracyRecord(
        "segment",
        metric.policy,
        metric.cell_count,
        _accuracy(metric, metric.total, len(metric.labels)),
        MacroAccuracy(*(MetricValue.of(getattr(macro, name)) for name in ACCURACIES)),
        tuple(ClassAccuracy(label, _accuracy(metric, tally)) for label, tally in metric.classes.items()),
    )


def _accuracy(metric: CountMetric, tally: Tally, classes: int = 1) -> AccuracyValues:
    found = metric.accuracy(tally, classes)
    values = (MetricValue.of(getattr(found, name)) for name in ACCURACIES)
    return AccuracyValues(metric.true_negatives(tally, classes), *values)


def _errors(metric: CountMetric) -> ErrorValues | None:
    errors = metric.errors
    if errors is None:
        return None
    rates = MetricValue.of(metric.error_rate), MetricValue.of(metric.macro_error_rate)
    return ErrorValues(errors.substitutions, errors.deletions, errors.insertions, errors.reference, *rates)


def _rates(rates: Rates) -> tuple[MetricValue, MetricValue, MetricValue]:
    return MetricValue.of(rates.precision), MetricValue.of(rates.recall), MetricValue.of(rates.f1)
