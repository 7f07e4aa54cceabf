"""The tables of a report and of metrics, each built once for terminal, Markdown and page."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from msgspec import UnsetType
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from tracepact.evaluate.draws import DRAWS, SEED
from tracepact.evaluate.scores import LOGIC, MEAN
from tracepact.evaluate.tolerance import ToleranceCurves
from tracepact.evaluate.uncertainty import Interval, few_clips_notes, outside_mark, outside_notes
from tracepact.language.contract import Aggregation, OmittedEntries, Projection
from tracepact.measures.policy import MACRO_OF_REFERENCE
from tracepact.measures.records import (
    AccuracyRecord,
    AccuracyValues,
    CountMetricRecord,
    DecisionDifferences,
    ErrorValues,
    MacroAccuracy,
    MeanMetricRecord,
    MetricsRecord,
)
from tracepact.measures.standard import CellDifference, PairDifference
from tracepact.measures.uncertainty import MetricIntervals, SystemIntervals, ValueDifference, ValueInterval
from tracepact.runs.report import Report
from tracepact.runs.violations import VACUOUS, EventViolationRecord, FrameViolationRecord, ScoreRecord, margin_words
from tracepact.show.tables import Cell, Column, ShareBar, Table, TerminalTable, Tone, numbers, words
from tracepact.wording import Shown, count, decimal, milliseconds, short

# Metrics as tables and lines: each value with its input, counts and policy, and where the two policies differ.

_LISTED = 5
_ABSURD = 10**9
_ERRORS = ("substitutions", "deletions", "insertions", "reference")
ShownMetric = CountMetricRecord | MeanMetricRecord


def render_metrics(record: MetricsRecord) -> RenderableType:
    """The metrics, then by class, then the decisions that differ, for a terminal."""
    return Group(*(TerminalTable(table) for table in metric_tables(record)), *_notes(record))


def render_metrics_summary(record: MetricsRecord) -> RenderableType:
    """The metrics as a report shows them, and how many decisions differ."""
    return Group(*(TerminalTable(table) for table in overall_tables(record)), *_notes(record))


def _notes(record: MetricsRecord) -> Iterator[RenderableType]:
    if record.differences is not None:
        yield Padding(Text("\n".join(difference_lines(record.differences)), style="dim"), (0, 0, 1, 1))


def metric_tables(record: MetricsRecord) -> list[Table]:
    """The metrics and their errors, and the values by class where there is more than one."""
    tables = overall_tables(record)
    shown = _shown(record)
    labels = [row.label for row in shown[0].classes]
    if len(labels) > 1:
        rows = [[_name(metric), *_class_values(metric)] for metric in shown]
        tables.append(Table("By class", [*words("metric"), *numbers(*labels)], rows))
    return tables


def overall_tables(record: MetricsRecord) -> list[Table]:
    """The metrics with their policies, and their errors if some have any; what the values leave out is below."""
    shown = _shown(record)
    columns = [*words("metric"), *numbers("micro", "macro", "precision", "recall", "tp / fp / fn")]
    columns += [Column("input", tone=Tone.FAINT), Column("policy", tone=Tone.FAINT)]
    rows = [[*metric_cells(metric), metric.input.value, metric.policy] for metric in shown]
    counted = (metric for metric in shown if isinstance(metric, CountMetricRecord))
    errors = [[metric.name, *_error_values(metric.errors)] for metric in counted if metric.errors is not None]
    notes = _remarks(record)
    tables = [Table("Standard metrics", columns, rows)]
    if errors:
        tables.append(Table("Error rates", [*words("metric"), *numbers("micro", "macro", *_ERRORS)], errors))
    return [*tables[:-1], replace(tables[-1], notes=notes)]


def accuracy_tables(accuracies: Sequence[AccuracyRecord]) -> list[Table]:
    """Specificity and accuracies, of all classes, over them, and class by class, with their policy."""
    return [_accuracy_table(some) for some in accuracies]


def _accuracy_table(accuracy: AccuracyRecord) -> Table:
    rows = [
        ["micro", *_accuracy_values(accuracy.micro), f"{accuracy.micro.tn:,}"],
        ["macro", *_accuracy_values(accuracy.macro), ""],
        *([row.label, *_accuracy_values(row.values), f"{row.values.tn:,}"] for row in accuracy.classes),
    ]
    title = f"Accuracies of {accuracy.metric}s, {accuracy.cells:,} for each class"
    columns = [*words("class"), *numbers("specificity", "balanced accuracy", "accuracy", "tn")]
    return Table(title, columns, rows, [accuracy.policy])


def _accuracy_values(values: AccuracyValues | MacroAccuracy) -> list[str]:
    return [decimal(value.shown) for value in (values.specificity, values.balanced_accuracy, values.accuracy)]


def metric_cells(metric: ShownMetric) -> tuple[str, ...]:
    """Name, micro, macro, precision, recall and counts of a metric."""
    if isinstance(metric, MeanMetricRecord):
        means = milliseconds(metric.micro.shown), milliseconds(metric.macro.shown)
        return _name(metric), *means, "", "", count(metric.pairs, "pair")
    micro, counts = metric.micro, metric.counts
    values = (micro.f1, metric.macro.f1, micro.precision, micro.recall)
    tally = f"{counts.tp:,} / {counts.fp:,} / {counts.fn:,}"
    return _name(metric), *(decimal(value.shown) for value in values), tally


def _error_values(errors: ErrorValues) -> list[str]:
    rates = [decimal(rate.shown) for rate in (errors.rate, errors.macro_rate)]
    return rates + [f"{getattr(errors, part):,}" for part in _ERRORS]


def _class_values(metric: ShownMetric) -> list[str]:
    if isinstance(metric, MeanMetricRecord):
        return [milliseconds(row.mean.shown) for row in metric.classes]
    return [decimal(row.f1.shown) for row in metric.classes]


def _shown(record: MetricsRecord) -> Sequence[ShownMetric]:
    return [metric for metric in record.metrics if isinstance(metric, CountMetricRecord | MeanMetricRecord)]


def _name(metric: ShownMetric) -> str:
    return metric.name if isinstance(metric, MeanMetricRecord) else f"{metric.name} F1"


def _remarks(record: MetricsRecord) -> list[str]:
    """Notes on classes that the means leave out, on means that say nothing, and on events that were not counted."""
    lines = []
    for metric in _shown(record):
        # A mean of distances leaves out the classes without pairs by its definition; there is nothing to caution about.
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
    if record.left_out:
        verb = "is" if record.left_out == 1 else "are"
        lines.append(f"{count(record.left_out, 'event')} in ignore regions {verb} left out of the metrics on intervals")
    if record.unlisted:
        unlisted = count(record.unlisted, "predicted event")
        lines.append(f"counted as false positives: {unlisted} on clips that nothing else names")
    return lines


def difference_lines(differences: DecisionDifferences) -> list[str]:
    """The decisions that sed_eval's arithmetic makes differently, in words: how many, and the first of them."""
    if not differences.pairs and not differences.cells:
        return ["exact and sed_eval's arithmetic decide alike on every pair and every segment"]
    lines = [
        f"decided differently by sed_eval's floats: {count(differences.pairs, 'pair')}, "
        f"{count(differences.cells, 'segment')}"
    ]
    for name, both in (("event", differences.counts.event), ("segment", differences.counts.segment)):
        if both.exact != both.sed_eval:
            exact, floats = (f"{t.tp:,} / {t.fp:,} / {t.fn:,}" for t in (both.exact, both.sed_eval))
            lines.append(f"{name} tp / fp / fn: exact {exact}, sed_eval {floats}")
    pairs, cells = differences.listed.pairs[:_LISTED], differences.listed.cells[:_LISTED]
    lines += [f"  {_pair(pair)}" for pair in pairs]
    lines += [f"  {_cells(cell)}" for cell in cells]
    rest = differences.pairs + len(differences.listed.cells) - len(pairs) - len(cells)
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


# Intervals of metrics as tables: the values with their intervals, and differences between systems with their p.

_MEAN, _MACRO_MEAN = "mean", "macro_mean"
_COLUMNS = (("f1", _MEAN), ("macro_f1", _MACRO_MEAN), ("error_rate",), ("macro_error_rate",), ("balanced_accuracy",))
_HEADINGS = ("micro", "macro", "error rate", "macro error rate", "balanced accuracy")


def interval_tables(intervals: MetricIntervals, clips: int) -> list[Table]:
    """The intervals of every system, and for every system but the first its differences from the first."""
    first, *others = intervals.systems
    how = intervals.bootstrap.words(clips)
    tables = [_interval_table(system, how, intervals.bootstrap.draws, alone=not others) for system in intervals.systems]
    return tables + [_difference_table(system, first) for system in others]


def _interval_table(system: SystemIntervals, how: str, draws: int, *, alone: bool) -> Table:
    by_metric: dict[str, dict[str, ValueInterval]] = {}
    for one in system.values:
        by_metric.setdefault(one.metric, {})[one.quantity] = one
    rows = [
        [_metric_name(metric, values), *map(_interval_text, _in_columns(values))]
        for metric, values in by_metric.items()
    ]
    undefined = max((one.undefined for one in system.values if one.value is not None or one.decimal), default=0)
    notes = (
        [f"some values are undefined in up to {undefined:,} of {draws:,} draws, which they leave out"]
        if undefined
        else []
    )
    notes += outside_notes(text for row in rows for text in row[1:])
    title = f"Metrics, {how}" if alone else f"{system.name}, {how}"
    return Table(title, [*words("metric"), *numbers(*_HEADINGS)], rows, notes)


def _in_columns(values: dict[str, ValueInterval]) -> Iterator[ValueInterval | None]:
    for names in _COLUMNS:
        yield next((values[name] for name in names if name in values), None)


def _metric_name(metric: str, values: dict[str, ValueInterval]) -> str:
    return metric if _MEAN in values else f"{metric} F1"


def _interval_text(one: ValueInterval | None) -> str:
    return "" if one is None else interval_words(one)


def interval_words(one: ValueInterval | ValueDifference) -> str:
    """A value and its interval; distances in milliseconds."""
    shown: Callable[[Shown | None], str] = milliseconds if one.quantity in (_MEAN, _MACRO_MEAN) else decimal
    value = shown(one.decimal if one.value is None else one.value)
    mark = outside_mark(one.decimal, one.low, one.high)
    return value if one.low is None else f"{value} ({shown(one.low)} to {shown(one.high)}){mark}"


def _difference_table(system: SystemIntervals, first: SystemIntervals) -> Table:
    headings = {name: heading for names, heading in zip(_COLUMNS, _HEADINGS, strict=True) for name in names}
    rows = [
        [one.metric, headings[one.quantity], interval_words(one), decimal(one.p, 4), decimal(one.corrected, 4)]
        for one in system.differences
        if one.quantity in headings
    ]
    columns = [*words("metric", "value"), *numbers("difference", "p", "p (Holm over systems)")]
    notes = ["precision, recall and the rest are in the JSON and CSV", *outside_notes(row[2] for row in rows)]
    return Table(f"Difference {system.name} − {first.name}", columns, rows, notes)


# The tables of a report, each built once; terminal, Markdown and page draw them.

COUNTER = "⊥"
HEADLINE = f"mean without {VACUOUS} clauses"
INTERVAL = f"95 % interval over clips (bootstrap, {DRAWS:,} draws, seed {SEED})"


def vector_table(
    report: Report,
    first: Aggregation | None = None,
    others: Sequence[Aggregation] = (),
    *,
    ranges: Mapping[str, Interval] | None = None,
    texts: Mapping[str, str] | None = None,
) -> Table:
    """Every clause under one aggregation, by default the contract's own, and beside it under others.

    `ranges` are the intervals of the first, `texts` say each clause in words.
    """
    own = first or report.aggregation
    ranges, texts = ranges or {}, texts or {}
    columns = [Column("clause"), Column(own.words, tone=Tone.STRONG)]
    columns += numbers("95 % interval") if ranges else []
    columns += [*numbers("satisfied / obligated"), Column(f"{VACUOUS} +{COUNTER}", numbers=True, tone=Tone.FAINT)]
    columns += [Column(a.words, True, Tone.FAINT, wide_only=a is not Aggregation.POOLED) for a in others]
    rows: list[Sequence[Cell | str]] = []
    for index, row in enumerate(report.vector):
        score, found = row.scores[own], ranges.get(row.clause)
        rows.append(
            [
                Cell(row.clause, note=texts.get(row.clause, ""), title=_CHOOSE, choice={"clause": index}),
                Cell(score.text, Tone.STRONG, bar=_bar(score.value, score.free, found)),
                *([_interval(found)] if ranges else []),
                row.scores[Aggregation.POOLED].counts,
                score.empty,
                *(row.scores[a].text for a in others),
            ]
        )
    rows.append(_headline_row(report, own, others, ranges))
    notes = [*_entry_notes(report, own), *_headline_notes(report, own), *_range_notes(report, ranges)]
    notes += _margin_notes(report)
    return Table("The vector", columns, rows, notes, totals=1)


def headline_name(report: Report, aggregation: Aggregation) -> str:
    """The name of the headline mean: the mean of the vector, unless it leaves out vacuous clauses."""
    return HEADLINE if report.vacuous_clauses(aggregation) else MEAN


def headline_text(report: Report, aggregation: Aggregation) -> str:
    """The headline mean (rule 16.13), or the mark of vacuity where nothing was asked at all."""
    value = report.headline(aggregation)
    return VACUOUS if value is None else decimal(value)


def margin_table(report: Report) -> Table | None:
    """The soft score and the least margin of every frame clause; None where no margins are known (rule 13.36)."""
    own = report.aggregation
    rows = []
    for row in report.vector:
        if not isinstance(row.soft, UnsetType):
            least = VACUOUS if row.soft.least is None else margin_words(row.soft.least)
            middle = "" if row.soft.violated is None else margin_words(row.soft.violated)
            rows.append([row.clause, row.scores[own].text, decimal(row.soft.scores[own].value), least, middle])
    if not rows:
        return None
    notes = [
        "a margin is how far a verdict is from its opposite, in score; that of a violated obligation is negative",
        "soft score: the mean margin, each cut to ±1; it is aggregated like the score (rule 18.10)",
    ]
    columns = [*words("clause"), *numbers(own.words, "soft score", "least margin", "median violated")]
    return Table("Margins in score", columns, rows, notes)


def _margin_notes(report: Report) -> Iterator[str]:
    """Why scores that were decoded have no margins."""
    if report.preparation.is_filtered:
        yield "no margins: they are defined after a threshold alone, without median filter or hysteresis (13.36)"
    elif report.preparation.is_decoded and report.grid.projection is not Projection.CENTRE:
        yield "no margins: they are defined under the projection `centre` (13.36)"


def _headline_row(
    report: Report, aggregation: Aggregation, others: Sequence[Aggregation], ranges: Mapping[str, Interval]
) -> list[Cell | str]:
    """The headline means; the interval is that of `logic`, so it is shown only where the two are one."""
    value, asked = (
        report.headline(aggregation),
        [row.scores[aggregation] for row in report.vector if not row.scores[aggregation].vacuous],
    )
    # Draws give the interval of the mean over all clauses; beside a mean that leaves some out it would be wrong.
    found = ranges.get(LOGIC) if len(asked) == len(report.vector) else None
    bar = None
    if value is not None:
        bar = _bar(value, sum((score.free for score in asked), Fraction(0)) / len(asked), found)
    name = Cell(headline_name(report, aggregation), Tone.STRONG)
    cell = Cell(headline_text(report, aggregation), Tone.STRONG, bar=bar)
    middle = [_interval(found)] if ranges else []
    return [name, cell, *middle, "", "", *(headline_text(report, a) for a in others)]


def _headline_notes(report: Report, aggregation: Aggregation) -> Iterator[str]:
    """Which clauses the headline leaves out, and what the mean is with them."""
    if left_out := report.vacuous_clauses(aggregation):
        all_counted = f"counted as 1, the mean of the vector is {report.logic[aggregation].text} (rule 16.13)"
        yield f"nothing was asked by {', '.join(left_out)}; {all_counted}"


_CHOOSE = "Show the clips that fail this clause"


def _bar(value: Fraction, free: Fraction, interval: Interval | None) -> ShareBar:
    return ShareBar(value, min(free, value), interval.low if interval else None, interval.high if interval else None)


def _interval(interval: Interval | None) -> str:
    if interval is None:
        return ""
    low, high = interval.low, interval.high
    return f"{decimal(low)} to {decimal(high)}{outside_mark(interval.value, low, high)}"


def _entry_notes(report: Report, aggregation: Aggregation) -> Iterator[str]:
    """Notes that explain the marks for entries without an obligation, if there are some."""
    scores = [row.scores[aggregation] for row in report.vector]
    entries = max(score.entries for score in scores)
    what = aggregation.steps.entries
    counted = "each scores 1 (“no ∅” leaves them out)"
    if aggregation.steps.leaves_out is OmittedEntries.VACUOUS:
        counted = "the mean leaves them out"
    if any(score.vacuous_entries for score in scores):
        yield f"{VACUOUS}: {what} (of {entries:,}) without an obligation; {counted}"
    if any(score.counter_entries for score in scores):
        yield f"{COUNTER}: {what} with events, but none that the clause judges; each scores 0 (rule 7.4)"


def _range_notes(report: Report, ranges: Mapping[str, Interval]) -> Iterator[str]:
    """How the intervals were made, and when not to rely on them."""
    if not ranges:
        return
    yield INTERVAL
    yield from few_clips_notes(report.family.clips)
    # At 0 and 1 an interval without width is what one expects; between them it is the mark of too little data.
    if any(found.low == found.high and 0 < found.value < 1 for found in ranges.values()):
        yield "an interval without width means that every draw gave the same value, not that the value is certain"
    yield from outside_notes(map(_interval, ranges.values()))


def sweep_table(report: Report) -> Table:
    """The vector at every point of every sweep."""
    rows = [(f"{p.parameter} = {p.value}", p.vector, None) for p in report.sweeps]
    return _vectors(f"Sweep ({report.aggregation.words})", "", report, rows)


def class_table(report: Report, most: int | None = None) -> Table:
    """The pooled vector of every class, or of the first `most` and how many more there are."""
    rows = [(row.label, row.vector, {"class": index}) for index, row in enumerate(report.classes[:most])]
    # A terminal shows the first classes; data has all, and nothing is left out unsaid.
    left = len(report.classes) - len(rows)
    notes = [f"… and {count(left, 'more class', 'more classes')}, which --format json lists"] if left else []
    return _vectors("By class (pooled)", "class", report, rows, notes)


def condition_table(report: Report) -> Table:
    """The vector of every condition, under the contract's aggregation."""
    rows = [
        (
            f"{row.condition} ({count(row.clips, 'clip')})",
            {clause: scores[report.aggregation] for clause, scores in row.vector.items()},
            {"condition": index},
        )
        for index, row in enumerate(report.conditions)
    ]
    return _vectors(f"By condition ({report.aggregation.words})", "condition", report, rows)


def _vectors(
    title: str,
    first: str,
    report: Report,
    rows: Sequence[tuple[str, Mapping[str, ScoreRecord], Mapping[str, int] | None]],
    notes: Sequence[str] = (),
) -> Table:
    """A row for each named vector; a score leads to the clips behind it, and is the darker the more it loses."""
    clauses = [row.clause for row in report.vector]
    cells: list[list[Cell | str]] = [
        [name, *(_score(vector[clause], choice, index) for index, clause in enumerate(clauses))]
        for name, vector, choice in rows
    ]
    return Table(title, [*words(first), *numbers(*clauses)], cells, notes)


def _score(score: ScoreRecord, choice: Mapping[str, int] | None, clause: int) -> Cell:
    title = f"{score.satisfied:,} of {score.obligated:,} obligations satisfied"
    tone = Tone.FAINT if score.vacuous else Tone.PLAIN
    wanted = None if choice is None else {**choice, "clause": clause}
    return Cell(score.text, tone, title=title, choice=wanted, loss=1 - score.decimal)


def violation_table(report: Report, most: int = 3) -> Table:
    """The violations farthest from holding, up to a limit for each clause."""
    columns = [*words("clause"), *numbers("violations"), *words("clip", "class"), *numbers("at")]
    rows: list[list[Cell | str]] = []
    for found in report.violations:
        for index, item in enumerate(found.shown[:most]):
            assert isinstance(item, FrameViolationRecord | EventViolationRecord)
            head = [found.clause, f"{found.total:,}"] if index == 0 else ["", ""]
            place = [item.clip, item.label, f"{short(item.start)} s"]
            rows.append([*head, *place, Cell(item.part.line, code=True), item.how_far])
    return Table("Where it failed, farthest first", [*columns, *words("failing part", "how far")], rows)


def tolerance_table(tolerance: ToleranceCurves) -> Table:
    """The curves of a parameter in numbers: at both ends, and on average."""
    ends = [f"at {_argument(tolerance, end)}" for end in (tolerance.low, tolerance.high)]
    rows = [
        [name, decimal(curve.at(tolerance.low)), decimal(curve.at(tolerance.high)), decimal(curve.mean)]
        for name, curve in {**tolerance.clauses, MEAN: tolerance.logic}.items()
    ]
    return Table("", [*words("clause"), *numbers(*ends, "mean over the range")], rows, totals=1)


def _argument(tolerance: ToleranceCurves, value: Fraction) -> str:
    return f"{short(value * 1000)} ms" if tolerance.is_time else short(value)
