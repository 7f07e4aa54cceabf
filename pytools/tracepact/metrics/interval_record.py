"""Intervals and differences of metrics as records: what JSON and CSV hold of them (rule 15.22)."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Annotated

from msgspec import Meta

from tracepact.metrics.policy import Number
from tracepact.metrics.uncertainty import Compared, MetricDifference, MetricInterval, Quantity
from tracepact.records import Count, Record, Share
from tracepact.scoring.uncertainty import Bootstrap, BootstrapUsed
from tracepact.wording import rounded

_Metric = Annotated[str, Meta(description="The metric.")]
_Quantity = Annotated[str, Meta(description="Which of its values: `f1`, `macro_f1`, `error_rate`, ….")]
_Exact = Annotated[Fraction | None, Meta(description="Exact; null where undefined, or a binary float (15.14).")]
_Decimal = Annotated[float | None, Meta(description="The same for reading; null where undefined.")]
_End = Annotated[float | None, Meta(description="An end of the interval, for reading; null where undefined.")]
_Undefined = Annotated[Count, Meta(description="In how many draws it is undefined; they are not in the interval.")]


class ValueInterval(Record, frozen=True):
    """A value of a metric with its interval over clips."""

    metric: _Metric
    quantity: _Quantity
    value: _Exact
    decimal: _Decimal
    low: _End
    high: _End
    undefined: _Undefined


class ValueDifference(Record, frozen=True):
    """A value of a metric minus that of the first system, with its interval over clips and its p."""

    metric: _Metric
    quantity: _Quantity
    value: _Exact
    decimal: _Decimal
    low: _End
    high: _End
    undefined: _Undefined
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


def intervals_record(names: Sequence[str], found: Compared, bootstrap: Bootstrap) -> MetricIntervals:
    """The record of systems of these names."""
    differences = ({}, *found.differences)
    return MetricIntervals(
        bootstrap.record,
        tuple(
            SystemIntervals(name, value_intervals(values), value_differences(some))
            for name, values, some in zip(names, found.intervals, differences, strict=True)
        ),
    )


def value_intervals(found: Mapping[Quantity, MetricInterval]) -> tuple[ValueInterval, ...]:
    """The records of some intervals."""
    return tuple(
        ValueInterval(*quantity, *_value(one.value), _read(one.low), _read(one.high), one.undefined)
        for quantity, one in found.items()
    )


def value_differences(found: Mapping[Quantity, MetricDifference]) -> tuple[ValueDifference, ...]:
    """The records of some differences."""
    return tuple(
        ValueDifference(
            *quantity, *_value(one.value), _read(one.low), _read(one.high), one.undefined, one.p, one.corrected
        )
        for quantity, one in found.items()
    )


def interval_rows(found: MetricIntervals) -> Iterator[Sequence[str | int]]:
    """A row for every value and every difference of every system."""
    for system in found.systems:
        for one in system.values:
            yield system.name, one.metric, one.quantity, "value", *_fields(one), "", ""
        for some in system.differences:
            yield (
                system.name,
                some.metric,
                some.quantity,
                "difference",
                *_fields(some),
                str(some.p),
                str(some.corrected),
            )


def _fields(one: ValueInterval | ValueDifference) -> tuple[str | int, ...]:
    numbers = ("" if number is None else repr(number) for number in (one.decimal, one.low, one.high))
    return "" if one.value is None else str(one.value), *numbers, one.undefined


def _value(value: Number | None) -> tuple[Fraction | None, float | None]:
    """Exact and for reading; a float is for reading alone."""
    if value is None or isinstance(value, float):
        return None, value
    return value, rounded(value)


def _read(end: float | None) -> float | None:
    return None if end is None else rounded(end)
