"""Intervals of metrics as tables: the values with their intervals, and differences between systems with their p."""

from collections.abc import Callable, Iterator

from tracepact.metrics import MetricIntervals, ValueDifference, ValueInterval
from tracepact.metrics.interval_record import SystemIntervals
from tracepact.scoring.uncertainty import outside_mark, outside_notes
from tracepact.show.table import Table, numbers, words
from tracepact.wording import Shown, decimal, milliseconds

_MEAN, _MACRO_MEAN = "mean", "macro_mean"
_COLUMNS = (("f1", _MEAN), ("macro_f1", _MACRO_MEAN), ("error_rate",), ("macro_error_rate",), ("balanced_accuracy",))
_HEADINGS = ("micro", "macro", "error rate", "macro error rate", "balanced accuracy")


def interval_tables(found: MetricIntervals, clips: int) -> list[Table]:
    """The intervals of every system, and for every system but the first its differences from the first."""
    first, *others = found.systems
    how = found.bootstrap.words(clips)
    tables = [_values(system, how, found.bootstrap.draws, alone=not others) for system in found.systems]
    return tables + [_differences(system, first) for system in others]


def _values(system: SystemIntervals, how: str, draws: int, *, alone: bool) -> Table:
    by_metric: dict[str, dict[str, ValueInterval]] = {}
    for one in system.values:
        by_metric.setdefault(one.metric, {})[one.quantity] = one
    rows = [[_name(metric, values), *map(_interval_text, _chosen(values))] for metric, values in by_metric.items()]
    undefined = max((one.undefined for one in system.values if one.value is not None or one.decimal), default=0)
    notes = (
        [f"some values are undefined in up to {undefined:,} of {draws:,} draws, which they leave out"]
        if undefined
        else []
    )
    notes += outside_notes(text for row in rows for text in row[1:])
    title = f"Metrics, {how}" if alone else f"{system.name}, {how}"
    return Table(title, [*words("metric"), *numbers(*_HEADINGS)], rows, notes)


def _chosen(values: dict[str, ValueInterval]) -> Iterator[ValueInterval | None]:
    for names in _COLUMNS:
        yield next((values[name] for name in names if name in values), None)


def _name(metric: str, values: dict[str, ValueInterval]) -> str:
    return metric if _MEAN in values else f"{metric} F1"


def _interval_text(one: ValueInterval | None) -> str:
    return "" if one is None else interval_words(one)


def interval_words(one: ValueInterval | ValueDifference) -> str:
    """A value and its interval; distances in milliseconds."""
    shown: Callable[[Shown | None], str] = milliseconds if one.quantity in (_MEAN, _MACRO_MEAN) else decimal
    value = shown(one.decimal if one.value is None else one.value)
    mark = outside_mark(one.decimal, one.low, one.high)
    return value if one.low is None else f"{value} ({shown(one.low)} to {shown(one.high)}){mark}"


def _differences(system: SystemIntervals, first: SystemIntervals) -> Table:
    headings = {name: heading for names, heading in zip(_COLUMNS, _HEADINGS, strict=True) for name in names}
    rows = [
        [one.metric, headings[one.quantity], interval_words(one), decimal(one.p, 4), decimal(one.corrected, 4)]
        for one in system.differences
        if one.quantity in headings
    ]
    columns = [*words("metric", "value"), *numbers("difference", "p", "p (Holm over systems)")]
    notes = ["precision, recall and the rest are in the JSON and CSV", *outside_notes(row[2] for row in rows)]
    return Table(f"Difference {system.name} − {first.name}", columns, rows, notes)
