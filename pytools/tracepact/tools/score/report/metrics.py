"""Metrics as tables and lines: each value with its input, counts and policy, and where the two policies differ."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from tracepact.metrics import CountMetricRecord, MeanMetricRecord, MetricsRecord
from tracepact.metrics.cells import CellDifference
from tracepact.metrics.events import PairDifference
from tracepact.metrics.policy import MACRO_OF_REFERENCE
from tracepact.metrics.record import AccuracyRecord, AccuracyValues, Differences, MacroAccuracy
from tracepact.show.table import Column, Table, Tone, numbers, words
from tracepact.show.terminal import TerminalTable
from tracepact.wording import count, decimal, milliseconds, short

_LISTED = 5
_ABSURD = 10**9
_ERRORS = ("substitutions", "deletions", "insertions", "reference")
Shown = CountMetricRecord | MeanMetricRecord


def render_metrics(found: MetricsRecord) -> RenderableType:
    """The metrics, then by class, then the decisions that differ, for a terminal."""
    return Group(*(TerminalTable(table) for table in metric_tables(found)), *_notes(found))


def render_metrics_summary(found: MetricsRecord) -> RenderableType:
    """What the report of a run holds: the metrics and how many decisions differ."""
    return Group(*(TerminalTable(table) for table in overall_tables(found)), *_notes(found))


def _notes(found: MetricsRecord) -> Iterator[RenderableType]:
    if found.differences is not None:
        yield Padding(Text("\n".join(difference_lines(found.differences)), style="dim"), (0, 0, 1, 1))


def metric_tables(found: MetricsRecord) -> list[Table]:
    """The metrics and their errors, and the values by class where there is more than one."""
    tables = overall_tables(found)
    shown = _shown(found)
    labels = [row.label for row in shown[0].classes]
    if len(labels) > 1:
        rows = [[_name(metric), *_class_values(metric)] for metric in shown]
        tables.append(Table("By class", [*words("metric"), *numbers(*labels)], rows))
    return tables


def overall_tables(found: MetricsRecord) -> list[Table]:
    """The metrics with their policies, and their errors if some have any; what the values leave out is below."""
    shown = _shown(found)
    columns = [*words("metric"), *numbers("micro", "macro", "precision", "recall", "tp / fp / fn")]
    columns += [Column("input", tone=Tone.FAINT), Column("policy", tone=Tone.FAINT)]
    rows = [[*metric_cells(metric), metric.input.value, metric.policy] for metric in shown]
    errors = [[metric.name, *_error_values(metric)] for metric in shown if _has_errors(metric)]
    notes = _remarks(found)
    tables = [Table("Standard metrics", columns, rows)]
    if errors:
        tables.append(Table("Error rates", [*words("metric"), *numbers("micro", "macro", *_ERRORS)], errors))
    return [*tables[:-1], replace(tables[-1], notes=notes)]


def accuracy_tables(found: Sequence[AccuracyRecord]) -> list[Table]:
    """Specificity and accuracies, of all classes, over them, and class by class, with their policy."""
    return [_accuracy_table(some) for some in found]


def _accuracy_table(found: AccuracyRecord) -> Table:
    rows = [
        ["micro", *_accuracy_values(found.micro), f"{found.micro.tn:,}"],
        ["macro", *_accuracy_values(found.macro), ""],
        *([row.label, *_accuracy_values(row.values), f"{row.values.tn:,}"] for row in found.classes),
    ]
    title = f"Accuracies of {found.metric}s, {found.cells:,} for each class"
    columns = [*words("class"), *numbers("specificity", "balanced accuracy", "accuracy", "tn")]
    return Table(title, columns, rows, [found.policy])


def _accuracy_values(found: AccuracyValues | MacroAccuracy) -> list[str]:
    return [decimal(value.shown) for value in (found.specificity, found.balanced_accuracy, found.accuracy)]


def metric_cells(metric: Shown) -> tuple[str, ...]:
    """Name, micro, macro, precision, recall and counts of a metric."""
    if isinstance(metric, MeanMetricRecord):
        means = milliseconds(metric.micro.shown), milliseconds(metric.macro.shown)
        return _name(metric), *means, "", "", count(metric.pairs, "pair")
    micro, counts = metric.micro, metric.counts
    values = (micro.f1, metric.macro.f1, micro.precision, micro.recall)
    tally = f"{counts.tp:,} / {counts.fp:,} / {counts.fn:,}"
    return _name(metric), *(decimal(value.shown) for value in values), tally


def _error_values(metric: Shown) -> list[str]:
    assert isinstance(metric, CountMetricRecord)
    assert metric.errors is not None
    errors = metric.errors
    rates = [decimal(rate.shown) for rate in (errors.rate, errors.macro_rate)]
    return rates + [f"{getattr(errors, part):,}" for part in _ERRORS]


def _has_errors(metric: Shown) -> bool:
    return isinstance(metric, CountMetricRecord) and metric.errors is not None


def _class_values(metric: Shown) -> list[str]:
    if isinstance(metric, MeanMetricRecord):
        return [milliseconds(row.mean.shown) for row in metric.classes]
    return [decimal(row.f1.shown) for row in metric.classes]


def _shown(found: MetricsRecord) -> Sequence[Shown]:
    return [metric for metric in found.metrics if isinstance(metric, CountMetricRecord | MeanMetricRecord)]


def _name(metric: Shown) -> str:
    return metric.name if isinstance(metric, MeanMetricRecord) else f"{metric.name} F1"


def _remarks(found: MetricsRecord) -> list[str]:
    """What the means over classes leave out, which of them say nothing, and which events were not counted."""
    lines = []
    for metric in _shown(found):
        if isinstance(metric, MeanMetricRecord):
            continue
        classes, defined = len(metric.classes), metric.macro.classes.f1
        if defined < classes:
            why = "as its policy says" if MACRO_OF_REFERENCE in metric.policy else "it is undefined for the others"
            lines.append(f"macro {_name(metric)} is over {defined} of {classes} classes; {why}")
        macro_rate = metric.errors.macro_rate.decimal if metric.errors else None
        if macro_rate is not None and macro_rate > _ABSURD:
            lines.append(
                f"the macro error rate of {metric.name} says nothing: as in sed_eval, a class without references "
                "is divided by 2⁻⁵²"
            )
    if found.left_out:
        verb = "is" if found.left_out == 1 else "are"
        lines.append(f"{count(found.left_out, 'event')} in ignore regions {verb} left out of the metrics on intervals")
    if found.unlisted:
        unlisted = count(found.unlisted, "predicted event")
        lines.append(f"counted as false positives: {unlisted} on clips that nothing else names")
    return lines


def difference_lines(found: Differences) -> list[str]:
    """What sed_eval's arithmetic decides otherwise, in words: how many, and the first of them."""
    if not found.pairs and not found.cells:
        return ["exact and sed_eval's arithmetic decide alike on every pair and every segment"]
    lines = [f"decided differently by sed_eval's floats: {count(found.pairs, 'pair')}, {count(found.cells, 'segment')}"]
    for name, both in (("event", found.counts.event), ("segment", found.counts.segment)):
        if both.exact != both.sed_eval:
            exact, floats = (f"{t.tp:,} / {t.fp:,} / {t.fn:,}" for t in (both.exact, both.sed_eval))
            lines.append(f"{name} tp / fp / fn: exact {exact}, sed_eval {floats}")
    pairs, cells = found.listed.pairs[:_LISTED], found.listed.cells[:_LISTED]
    lines += [f"  {_pair(pair)}" for pair in pairs]
    lines += [f"  {_cells(cell)}" for cell in cells]
    rest = found.pairs + len(found.listed.cells) - len(pairs) - len(cells)
    if rest > 0:
        lines.append(f"  … and {rest:,} more (JSON lists them)")
    return lines


def _pair(pair: PairDifference) -> str:
    sides = " against ".join("–".join(short(time) for time in side) for side in (pair.ref, pair.pred))
    return f"{pair.clip} {pair.label} {sides} s: {_verdicts(pair)}"


def _cells(cell: CellDifference) -> str:
    last = cell.first + cell.count - 1
    cells = f"segment {cell.first}" if cell.count == 1 else f"segments {cell.first} to {last}"
    return f"{cell.clip} {cell.label} {cell.side.value} {cells}: {_verdicts(cell)}"


def _verdicts(item: PairDifference | CellDifference) -> str:
    return "yes exactly, no in floats" if item.exact else "no exactly, yes in floats"
