"""The standard metrics of two sides: at once, in batches by an engine, and as Python asks for them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypedDict, Unpack

from msgspec import Meta
from msgspec.structs import asdict

from tracepact.data.assembly import report_unknown_clips
from tracepact.data.event_rows import Outside
from tracepact.data.events import Durations, Regions, Time, exact
from tracepact.data.family import UNION_CLASS, Mode
from tracepact.data.preparation import Prepared
from tracepact.data.sources import shown
from tracepact.diagnostics.collection import Diagnostics, InvalidInput, known_name, one_of
from tracepact.diagnostics.findings import Diagnostic, RowPlace
from tracepact.engines import engine_from, kept_engine
from tracepact.evaluate.draws import ClipParts
from tracepact.evaluate.uncertainty import Bootstrap
from tracepact.language.compilation import contract_from
from tracepact.language.contract import Contract
from tracepact.language.reader import read_time
from tracepact.language.scope import missing_unit
from tracepact.measures.policy import (
    Arithmetic,
    Empty,
    Evaluated,
    EventPolicy,
    MacroOver,
    MetricSettings,
    Number,
    OffsetRule,
    Unknown,
    Windows,
)
from tracepact.measures.records import AccuracyRecord, MetricsRecord, accuracy_records, metric_fields, metrics_record
from tracepact.measures.results import Measured
from tracepact.measures.tables import MetricsTally, WholeComparison, compare, compare_overlap, compare_points
from tracepact.measures.uncertainty import MetricIntervals, intervals_record
from tracepact.records import Record, record_of
from tracepact.runs.batch_scoring import OnPlan, open_sides, run_batches
from tracepact.runs.batches import (
    BatchPlan,
    BatchSum,
    BatchTask,
    FailedBatch,
    Job,
    ReadyBatch,
    counted_batch,
    job_of,
    make_plan,
)
from tracepact.runs.report import DiagnosticsRecord, Preparation
from tracepact.runs.tally import drawn_intervals, run_columns
from tracepact.runs.task import USUAL_MEMORY, Task, TaskOptions, batch_memory, prepared_tables, read_task
from tracepact.wording import count, decimal, time_text

# How two tables are measured: by all standard metrics, by points of a half-width, or by overlap alone.


class _Shared(TypedDict):
    """Arguments that every comparison takes."""

    durations: Durations | Fraction | None
    mode: Mode
    ignore: Regions | None
    diagnostics: Diagnostics
    part_of: WholeComparison | None


@dataclass(frozen=True, slots=True)
class Measuring:
    """The policies of a measuring; the contract it is given has the grid and the matcher."""

    arithmetic: Arithmetic
    settings: MetricSettings
    mode: Mode
    half_width: Fraction | None
    overlap: Fraction | None
    allow_outside: bool
    unknown: Unknown = Unknown.LEFT_OUT
    windows: Windows | None = None

    @property
    def on_grid(self) -> bool:
        """Whether the contract is asked for its grid, its matcher and its labels."""
        return self.half_width is None and self.overlap is None

    def measure(
        self, contract: Contract, ready: Prepared, diagnostics: Diagnostics, part_of: WholeComparison | None = None
    ) -> Measured:
        """The metrics of what was read, of all of it or of a part."""
        tables = ready.reference, ready.prediction
        settings = self.settings
        if self.windows is not None:
            self._report_windows(self.windows, ready, diagnostics)
            tables = self.windows.of(tables[0], ready.durations), self.windows.of(tables[1], ready.durations)
            settings = replace(settings, segment=self.windows.length)
        shared: _Shared = {
            "durations": ready.durations,
            "mode": self.mode,
            "ignore": ready.ignore,
            "diagnostics": diagnostics,
            "part_of": part_of,
        }
        if self.half_width is not None:
            return compare_points(*tables, half_width=self.half_width, rules=self.settings.rules(), **shared)
        if self.overlap is not None:
            rules = self.settings.rules()
            return compare_overlap(*tables, threshold=self.overlap, rules=rules, unknown=self.unknown, **shared)
        return compare(
            contract,
            *tables,
            settings=settings,
            arithmetic=self.arithmetic,
            allow_outside=self.allow_outside,
            **shared,
        )

    @staticmethod
    def _report_windows(windows: Windows, ready: Prepared, diagnostics: Diagnostics) -> None:
        """Say what windows cannot tell: times within them, and events that share too little with each."""
        lost, events = windows.lost(ready.reference)
        length, least = time_text(windows.length), time_text(windows.overlap)
        headline = (
            f"in windows of {length} no onset or offset is known closer than that; "
            f"{lost:,} of {count(events, 'event')} of the reference share less than {least} with every window"
        )
        help = "compare segments; events, boundaries and frames here are those of windows"
        diagnostics.add("windows", headline, RowPlace(ready.reference.name), help)


# What `tracepact metrics` returns: the metrics, what was done to the data before, and intervals where asked for.


class MetricsOutput(MetricsRecord, frozen=True):
    """What `tracepact metrics --format json` prints: the standard metrics with their policies.

    Numbers in parentheses are rules of spec/language.md and spec/tools.
    """

    accuracies: Annotated[tuple[AccuracyRecord, ...], Meta(description="Of the segment metric, where there is one.")]
    intervals: Annotated[MetricIntervals | None, Meta(description="Null unless asked for.")]
    preparation: Preparation


def metrics_output(
    record: MetricsRecord, metrics: Measured, preparation: Preparation, intervals: MetricIntervals | None
) -> MetricsOutput:
    """The record of some metrics with what is shown beside it."""
    return MetricsOutput(
        **asdict(record),
        accuracies=accuracy_records(metrics),
        intervals=intervals,
        preparation=preparation,
    )


# The standard metrics of a source that may be larger than memory, in batches by an engine (rule 24.12).

_ALL = 1 << 62
"""As many differing decisions as there are: this command lists all of them."""


class MeasuredTally(Record, frozen=True):
    """The metrics of some clips, what was odd about the input, and what draws of clips need, where they are made."""

    metrics: MetricsTally
    findings: DiagnosticsRecord
    draws: ClipParts | None = None

    def __add__(self, other: "MeasuredTally") -> "MeasuredTally":
        draws = self.draws + other.draws if self.draws and other.draws else None
        return MeasuredTally(self.metrics + other.metrics, self.findings + other.findings, draws)


@dataclass(frozen=True, slots=True)
class MeasureJob:
    """The part that all batches share: the data, how they are measured, and facts that only the whole can tell."""

    data: Job
    how: Measuring
    whole: WholeComparison
    draws: bool


@dataclass(frozen=True, slots=True, eq=False)
class BatchMeasured:
    """The metrics of all clips with what was found; of those of failed batches nothing, and they are named."""

    metrics: Measured
    output: MetricsOutput
    findings: DiagnosticsRecord
    given_up: tuple[FailedBatch, ...]


def measure_batches(
    task: Task,
    how: Measuring,
    *,
    engine: str | None = None,
    memory: str | int | None = None,
    batch_clips: int | None = None,
    bootstrap: Bootstrap | None = None,
    on_plan: OnPlan | None = None,
) -> BatchMeasured:
    """Measure in batches; the metrics are those of measuring all at once.

    With a `bootstrap` they have their intervals, drawn by the same engine.
    """
    chosen = engine_from(engine)
    room = batch_memory(USUAL_MEMORY if memory is None else memory, chosen)
    diagnostics = Diagnostics()
    contract, sides = task.contract, open_sides(task, diagnostics)
    # Metrics judge no clause: without them the plan warns of no window, and takes no memory for their masks.
    bare = replace(contract, clauses=(), declared_atoms=(), labels=contract.labels if how.on_grid else None)
    plan = make_plan(bare, sides, how.mode, room, batch_clips, diagnostics, every_length=False)
    job = MeasureJob(job_of(contract, sides, plan, how.mode), how, _whole(plan, how), bootstrap is not None)
    drawn: MetricIntervals | None = None
    told = on_plan(plan) if on_plan else None
    with kept_engine(chosen) as kept:
        total, tally, findings = run_batches(
            partial(measure_batch, job), sides, plan, kept, told, diagnostics, strict=task.strict
        )
        found = tally.metrics.measured(how.settings)
        if bootstrap is not None and tally.draws is not None and not total.given_up:
            _, compared = drawn_intervals(tally.draws, len(plan.clips), None, found, bootstrap, kept, told)
            drawn = intervals_record([sides.names[1]], compared, bootstrap)
    preparation = record_of(sides.preparation((total.reference, total.prediction), total.outside), Preparation)
    output = metrics_output(tally.metrics.record(how.settings), found, preparation, drawn)
    return BatchMeasured(found, output, findings, total.given_up)


def _whole(plan: BatchPlan, how: Measuring) -> WholeComparison:
    """The facts that only the whole can tell; metrics without a grid have the classes that occur, perhaps none."""
    none = not how.on_grid and how.mode is Mode.CLASS_INDEXED and plan.classes == (UNION_CLASS,)
    return WholeComparison(() if none else plan.classes, len(plan.clips), len(plan.clips) - len(plan.lengths))


def measure_batch(job: MeasureJob, task: BatchTask) -> BatchSum[MeasuredTally]:
    """The metrics of one batch; faults of its rows are in it, for the whole to report."""

    def measured(ready: ReadyBatch) -> MeasuredTally:
        found = job.how.measure(job.data.contract.contract, ready.tables, ready.diagnostics, job.whole)
        draws = run_columns(task.places(found.clip_names), {}, found) if job.draws else None
        tally = MetricsTally.of(found, task.batch.first, _ALL)
        return MeasuredTally(tally, DiagnosticsRecord.of(ready.diagnostics), draws)

    return counted_batch(job.data, task, measured)


def ready_sides(task: Task, diagnostics: Diagnostics) -> Prepared:
    """Both sides as they are measured; errors raise InvalidInput, a predicted clip that nothing else names is one."""
    tables = read_task(task, diagnostics)
    diagnostics.raise_errors()
    ready = prepared_tables(tables, task.contract, diagnostics)
    if tables.sides.clips is None:
        listed = ready.durations.clips if isinstance(ready.durations, Durations) else ()
        report_unknown_clips(ready.prediction, ready.reference, listed, diagnostics)
    diagnostics.raise_errors()
    return ready


# What Python asks for.


@dataclass(frozen=True, slots=True, eq=False)
class Metrics:
    """The standard metrics of two sides.

    Attributes:
        values: the value of every metric over all classes, such as `event_f1` and `segment_error_rate`, and its mean
            over classes, such as `event_macro_f1`; None where it is undefined.
        classes: the values of each class, by label.
        record: all of it with the policies and counts, as `tracepact metrics --format json` prints it.
        diagnostics: what was warned of.

    Examples:
        >>> import tracepact
        >>> measured = tracepact.metrics([(1, 2, "dog"), (3, 4, "cat")], [(1, 2, "dog")], durations=10)
        >>> measured["event_recall"], measured.classes["cat"]["event_recall"]
        (Fraction(1, 2), Fraction(0, 1))
    """

    values: Mapping[str, Number | int | None]
    classes: Mapping[str, Mapping[str, Number | int | None]]
    record: MetricsOutput
    diagnostics: tuple[Diagnostic, ...]

    def __getitem__(self, name: str) -> Number | int | None:
        """The value of that name; a name that no value has is told with the nearest."""
        return self.values[known_name(name, self.values, "value", "unknown-choice")]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} {decimal(value)}" for name, value in self.values.items() if name.endswith("_f1"))
        return f"<Metrics {self.record.policy.value}: {shown}>"

    def to_dict(self) -> dict[str, Any]:
        """The record as the data that JSON holds.

        Returns:
            A mapping that `spec/schemas/metrics.schema.json` describes.
        """
        return self.record.to_dict()


def metrics(
    ref: Any,
    pred: Any,
    *,
    policy: Arithmetic | str = Arithmetic.EXACT,
    contract: Contract | str | Path = "boundary_gate",
    collar: Time = "200ms",
    offset: OffsetRule | str = OffsetRule.MAX,
    share: Time = "0.2",
    segment: Time = "1s",
    radius: Time = "200ms",
    evaluated: Evaluated | str = Evaluated.EVENTS,
    empty: Empty | str = Empty.UNDEFINED,
    macro: MacroOver | str = MacroOver.DEFINED,
    half_width: Time | None = None,
    iou: Time | None = None,
    unknown: Unknown | str = Unknown.LEFT_OUT,
    windows: Time | None = None,
    least_overlap: Time = "500ms",
    **options: Unpack[TaskOptions],
) -> Metrics:
    """The standard metrics of predictions, as `tracepact metrics` computes them: exact, or in sed_eval's floats.

    Args:
        ref: the references, in the forms that `score` takes.
        pred: the predictions, in any of these forms.
        policy: `exact`, or `sed_eval` for the floats and the choices of sed_eval 0.2.1.
        contract: the contract whose grid, matcher and labels are used.
        collar: how far apart onsets may be.
        offset: how far apart offsets may be: `max`, `and`, `collar` or `none`.
        share: the share of the reference's length that its offset may be off.
        segment: the length of a segment.
        radius: how far apart transitions may be.
        evaluated: where a clip's segments end: `events` or `clip`.
        empty: what the precision is where nothing is predicted: `undefined` or `zero_score`.
        macro: the classes of a mean over classes: `defined`, `reference` or `all`.
        half_width: score timestamps against references buffered by this much, in place of the metrics above.
        iou: score by this intersection over union, in place of the metrics above.
        unknown: with `iou`, what ignore regions do: `left-out` or `few-shot`.
        windows: make both sides windows of this length, as classifiers of a few seconds at a time have them.
        least_overlap: by how much an event overlaps a window that it makes active.
        options: what else `score` takes: `durations`, `mode`, `decoding`, `label_map`, `ignore`, `clips` and so on.

    Returns:
        The values by name, those of each class, and the whole record.

    Raises:
        InvalidInput: the data cannot be used, or a policy does not exist; it carries every fault.

    Examples:
        >>> import tracepact
        >>> measured = tracepact.metrics([(1, 2, "dog")], [(1.1, 2.1, "dog"), (4, 5, "dog")], durations=10)
        >>> measured["event_f1"], measured["event_precision"]
        (Fraction(2, 3), Fraction(1, 2))
        >>> tracepact.metrics([(1, 2, "dog")], [(1.1, 2.1, "dog")], durations=10, policy="sed_eval")["event_f1"]
        1.0
    """
    if half_width is not None and iou is not None:
        raise InvalidInput([Diagnostic("unused-reading", "`half_width` and `iou` are two ways of scoring; give one")])
    settings = MetricSettings(
        EventPolicy(_length("collar", collar), one_of(OffsetRule, offset, "rule for offsets"), exact(share)),
        _length("segment", segment),
        _length("radius", radius),
        one_of(Evaluated, evaluated, "end of segments"),
        one_of(Empty, empty, "value of an empty precision"),
        one_of(MacroOver, macro, "choice of classes"),
    )
    task = Task(contract_from(contract, None), ref, pred, **options)
    how = Measuring(
        one_of(Arithmetic, policy, "policy"),
        settings,
        one_of(Mode, task.mode, "mode"),
        None if half_width is None else _length("half_width", half_width),
        None if iou is None else exact(iou),
        task.outside != Outside.ERROR,
        one_of(Unknown, unknown, "treatment of ignore regions"),
        None if windows is None else windows_of(_length("windows", windows), _length("least_overlap", least_overlap)),
    )
    diagnostics = Diagnostics()
    ready = ready_sides(task, diagnostics)
    measured = how.measure(task.contract, ready, diagnostics)
    diagnostics.raise_errors(strict=task.strict)
    record = metrics_output(metrics_record(measured), measured, record_of(ready.record, Preparation), None)
    values: dict[str, Number | int | None] = {}
    classes: dict[str, dict[str, Number | int | None]] = {}
    for metric in measured.metrics:
        name = metric.name.replace(" ", "_")
        for of, fields in metric_fields(metric):
            kind, _, label = of.partition(" ")
            home = classes.setdefault(label, {}) if kind == "class" else values
            home |= {
                f"{name}_macro_{field}" if kind == "macro" else f"{name}_{field}": v for field, v in fields.items()
            }
    return Metrics(values, classes, record, tuple(diagnostics))


def windows_of(length: Fraction, least: Fraction) -> Windows:
    """Windows of a length; InvalidInput if no event could overlap one by so much."""
    if least > length:
        fault = f"a window of {time_text(length)} cannot be overlapped by {time_text(least)}"
        raise InvalidInput([Diagnostic("unused-reading", fault, None, "declare a smaller overlap")])
    return Windows(length, least)


def _length(name: str, value: Time) -> Fraction:
    """A length of time as Python gives it: text with a unit, or a small number of seconds."""
    if isinstance(value, Fraction):
        return value
    text = str(value).strip()
    length, unit = read_time(text) or (Fraction(0), "")
    fault = "is not a length of time, such as 200ms" if not length else missing_unit(text, length, unit)
    if fault:
        raise InvalidInput([Diagnostic("bad-time", f"{name} `{shown(text)}` {fault}", None, "write it with its unit")])
    return length
