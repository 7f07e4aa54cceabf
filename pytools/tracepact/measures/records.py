"""Metrics as records and rows: what JSON and CSV hold and every drawing reads."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Annotated, Literal

from msgspec import Meta

from tracepact.measures.policy import Accuracy, Arithmetic, Input, MetricCounts, Number, Rates
from tracepact.measures.results import (
    ACCURACIES,
    NAMED_ACCURACIES,
    RATES,
    CountMetric,
    MeanMetric,
    Measured,
    Metric,
)
from tracepact.measures.standard import CellDifference, PairDifference, StandardMetrics
from tracepact.records import Count, NotNegative, OneOf, Record
from tracepact.wording import rounded

# Metrics as a record: what JSON holds and every drawing reads (spec/schemas/metrics.schema.json).

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


class MacroValues(RateValues, frozen=True):
    """The means over the classes that have the value."""

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
    counts: MetricCounts
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
    counts: MetricCounts
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

    exact: MetricCounts
    sed_eval: MetricCounts


class ChangedCounts(Record, frozen=True):
    """What the differences change."""

    event: BothTallies
    segment: BothTallies


class DecisionDifferences(Record, frozen=True):
    """The decisions on which exact arithmetic and sed_eval's floats differ (15.15)."""

    pairs: Annotated[Count, Meta(description="Pairs of events that one takes for a candidate and the other does not.")]
    cells: Annotated[Count, Meta(description="Segments that are active under one of them only.")]
    listed: ListedDifferences
    counts: ChangedCounts


class MetricsRecord(Record, frozen=True):
    """What `tracepact metrics --format json` prints, and what a report holds: the standard metrics with their policies.

    Numbers in parentheses are rules of spec/language.md and spec/tools.
    """

    format: Annotated[Literal["tracepact-metrics/1"], Meta(description="The form of this document.")]
    policy: Annotated[Arithmetic, Meta(description="The arithmetic of the values.")]
    clips: Annotated[Count, Meta(description="The clips of either side.")]
    left_out: Annotated[
        Count, Meta(description="Events in ignore regions, left out of the metrics on intervals (15.13, 15.24).")
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
        DecisionDifferences | None, Meta(description="Null for points and overlaps, which sed_eval does not have.")
    ]


def metrics_record(measured: Measured) -> MetricsRecord:
    """All metrics with their policies, and the decisions that differ."""
    head = measured.arithmetic, measured.clips, measured.left_out, measured.unlisted
    metrics = (_mean(metric) if isinstance(metric, MeanMetric) else _counts(metric) for metric in measured.metrics)
    differences = _differences(measured) if isinstance(measured, StandardMetrics) else None
    return MetricsRecord("tracepact-metrics/1", *head, tuple(metrics), differences)


def _differences(measured: StandardMetrics) -> DecisionDifferences:
    pairs, cells = measured.event.differences, measured.segment.differences
    both = measured.event, measured.segment
    event, segment = (BothTallies(metrics.exact.total, metrics.sed_eval.total) for metrics in both)
    return DecisionDifferences(
        len(pairs),
        sum(cell.count for cell in cells),
        ListedDifferences(pairs, cells),
        ChangedCounts(event, segment),
    )


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


def accuracy_records(measured: Measured) -> tuple[AccuracyRecord, ...]:
    """The accuracies of the metrics that have some."""
    counted = (metric for metric in measured.metrics if isinstance(metric, CountMetric))
    return tuple(_accuracies(metric) for metric in counted if metric.cells is not None)


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


def _accuracy(metric: CountMetric, tally: MetricCounts, classes: int = 1) -> AccuracyValues:
    accuracy = metric.accuracy(tally, classes)
    values = (MetricValue.of(getattr(accuracy, name)) for name in ACCURACIES)
    return AccuracyValues(metric.true_negatives(tally, classes), *values)


def _errors(metric: CountMetric) -> ErrorValues | None:
    errors = metric.errors
    if errors is None:
        return None
    rates = MetricValue.of(metric.error_rate), MetricValue.of(metric.macro_error_rate)
    return ErrorValues(errors.substitutions, errors.deletions, errors.insertions, errors.reference, *rates)


def _rates(rates: Rates) -> tuple[MetricValue, MetricValue, MetricValue]:
    return MetricValue.of(rates.precision), MetricValue.of(rates.recall), MetricValue.of(rates.f1)


# Metrics as rows: what CSV holds.

METRIC_COLUMNS = (
    *("metric", "input", "policy", "of", "tp", "fp", "fn", "precision", "recall", "f1"),
    *("substitutions", "deletions", "insertions", "error_rate", "pairs", "mean"),
    *("tn", "specificity", "balanced_accuracy", "accuracy"),
)
_Fields = dict[str, int | Number | None]


def metric_rows(metrics: Iterable[Metric]) -> Iterator[Sequence[str | int]]:
    """A row for the micro value, the macro value and each class of every metric; decimals as floats print them."""
    for metric in metrics:
        head = {"metric": metric.name, "input": metric.input.value, "policy": metric.policy}
        for of, values in metric_fields(metric):
            written = {name: value if isinstance(value, int) else _decimal(value) for name, value in values.items()}
            row: dict[str, str | int] = {**head, "of": of, **written}
            yield [row.get(column, "") for column in METRIC_COLUMNS]


def metric_fields(metric: Metric) -> Iterator[tuple[str, _Fields]]:
    """The values of a metric by name: `micro`, `macro`, and `class` with each label."""
    if isinstance(metric, MeanMetric):
        yield "micro", {"pairs": metric.total.pairs, "mean": metric.total.mean}
        yield "macro", {"pairs": metric.total.pairs, "mean": metric.macro}
        for label, some in metric.classes.items():
            yield f"class {label}", {"pairs": some.pairs, "mean": some.mean}
        return
    errors: _Fields = {"error_rate": metric.error_rate}
    if metric.errors is not None:
        errors |= {name: getattr(metric.errors, name) for name in ("substitutions", "deletions", "insertions")}
    yield "micro", _tally_fields(metric, metric.total, len(metric.labels)) | errors
    means = _parts(metric.macro.rates, RATES) | _parts(metric.macro_accuracy, NAMED_ACCURACIES)
    yield "macro", means | {"error_rate": metric.macro_error_rate}
    for label, tally in metric.classes.items():
        yield f"class {label}", _tally_fields(metric, tally, 1)


def _tally_fields(metric: CountMetric, tally: MetricCounts, classes: int) -> _Fields:
    """The counts of a number of classes, and what follows from them."""
    fields: _Fields = {"tp": tally.tp, "fp": tally.fp, "fn": tally.fn} | _parts(metric.rates(tally), RATES)
    if metric.cells is not None:
        fields["tn"] = metric.true_negatives(tally, classes)
    return fields | _parts(metric.accuracy(tally, classes), NAMED_ACCURACIES)


def _parts(values: Rates | Accuracy | None, names: Sequence[str]) -> _Fields:
    return {} if values is None else {name: getattr(values, name) for name in names}


def _decimal(value: Number | None) -> str:
    return "" if value is None else repr(float(value))
