"""The scores of a task beside its reference, and the curves of all clips at once or in batches: `tracepact.curves`."""

import errno
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from tracepact.data.decoding import filtered
from tracepact.data.events import Durations, EventTable, Regions, ScoreField, TableOrigin
from tracepact.data.family import Mode
from tracepact.data.labels import LabelMap
from tracepact.data.preparation import name_clips, prepare, report_score_lengths, report_table_lengths
from tracepact.data.sources import shown
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Diagnostic, RowPlace
from tracepact.engines import Engine, engine_from
from tracepact.evaluate.draws import ClipParts
from tracepact.language.contract import Contract
from tracepact.records import Record
from tracepact.runs.batch_scoring import OnPlan, diagnostic_of, open_sides, run_batches
from tracepact.runs.batches import (
    NO_FINDINGS,
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
from tracepact.runs.report import DiagnosticsRecord
from tracepact.runs.sides import Sides, Source, origin_of, silent_table
from tracepact.runs.task import USUAL_MEMORY, SourceOptions, Task, batch_memory, read_task, scores_task
from tracepact.thresholds.family import Detections, FieldFamily, detections_of, field_family
from tracepact.thresholds.psds import SCENARIOS
from tracepact.thresholds.quantities import METRICS, CurveSettings, CurveSums, Quantities
from tracepact.thresholds.steps import Whole
from tracepact.tuning.curves import Curves
from tracepact.tuning.records import OnStep, QuantityPoint, clip_counts
from tracepact.wording import count, quoted

# A reference and scores to be judged at every threshold, all clips at once or those of a batch.


@dataclass(frozen=True, slots=True, eq=False)
class FieldSides:
    """A contract, a reference and scores, ready to be put on the grid; what was read is in `diagnostics`.

    The scores are those of frames, or the confidences of events. `names` are the classes that a label map makes of the
    labels of the predictions; empty without one. `classes` are those of a whole of which this is a part.
    """

    contract: Contract
    reference: EventTable
    field: ScoreField | Detections
    durations: Durations | Fraction | None
    ignore: Regions | None
    mode: Mode
    diagnostics: Diagnostics
    names: Mapping[str, str]
    classes: tuple[str, ...] | None = None

    def family(self, field: ScoreField | Detections | None = None) -> FieldFamily:
        """The reference beside the scores, or beside others made of them, on the contract's grid."""
        chosen = self.field if field is None else field
        diagnostics = self.diagnostics if field is None else Diagnostics()
        return field_family(
            self.contract,
            self.reference,
            chosen,
            durations=self.durations,
            mode=self.mode,
            ignore=self.ignore,
            diagnostics=diagnostics,
            classes=self.classes,
        )

    def filtered(self, median: int) -> "FieldSides":
        """The task with a median filter before every threshold; InvalidInput if there are no frames to filter."""
        return self if median == 1 else replace(self, field=filtered(self.frames("a median filter"), median))

    def frames(self, what: str) -> ScoreField:
        """The scores of frames, which something needs; InvalidInput if there are none."""
        if isinstance(self.field, Detections):
            headline = f"`{shown(self.field.name)}` holds events, and {what} is for scores of frames"
            raise InvalidInput([Diagnostic("bad-decoding", headline, help="take a threshold alone")])
        return self.field


def field_sides(task: Task) -> FieldSides:
    """The reference and the scores or detections of a task; errors raise InvalidInput."""
    diagnostics = Diagnostics()
    diagnostics.extend(task.contract.warnings)
    sides = read_task(task, diagnostics, keeps_scores=True).sides
    diagnostics.raise_errors()
    found, labels = sides.prediction, sides.labels
    scores = found.origin.scores if found.origin else None
    table, columns = found, () if scores is None else scores.classes
    # Scores that are not decoded have no events: a table of their clips alone goes through the preparation that tables
    # go through, so that clips are named, chosen and measured by the same rules.
    if scores is not None:
        lengths = sides.durations if isinstance(sides.durations, Durations) else None
        table = _silent(scores, sides.reference, lengths, diagnostics)
    ready = prepare(replace(sides, prediction=table), diagnostics, columns)
    names = {} if labels is None else class_names(labels, columns or found.labels)
    if scores is not None and labels is not None:
        scores = renamed_columns(scores, labels, names, diagnostics)
    diagnostics.raise_errors()
    field = detections_of(ready.prediction, diagnostics) if scores is None else _chosen(scores, table, ready.prediction)
    report_table_lengths(ready.reference, ready.durations, diagnostics)
    if isinstance(field, ScoreField):
        report_score_lengths(field, ready.durations, diagnostics)
    mode = Mode(task.mode)
    return FieldSides(task.contract, ready.reference, field, ready.durations, ready.ignore, mode, diagnostics, names)


def class_names(labels: LabelMap, known: Collection[str]) -> dict[str, str]:
    """The names under a label map of the labels that stay."""
    return {label: labels.renamed.get(label, label) for label in known if labels.treatment(label) == "keep"}


def renamed_columns(
    field: ScoreField, labels: LabelMap, names: Mapping[str, str], diagnostics: Diagnostics
) -> ScoreField:
    """The columns that stay, by the names of their classes; two that become one, and unmapped ones, are reported."""
    place = RowPlace(field.name)
    for label in (label for label in field.classes if labels.treatment(label) == "error"):
        headline = f"the label map says nothing about the column `{shown(label)}`"
        diagnostics.add("unmapped-label", headline, place, "add it to the map, or say what becomes of all others")
    for name in sorted({name for name in names.values() if list(names.values()).count(name) > 1}):
        joined = quoted([label for label, own in names.items() if own == name])
        headline = f"the label map makes one class `{shown(name)}` of the columns {joined}, which have thresholds each"
        diagnostics.add("bad-field", headline, place, "join the scores first, for instance their greatest")
    # Columns are never joined here: the greatest, the mean and the sum of two scores are different detectors.
    kept = [k for k, label in enumerate(field.classes) if label in names]
    clips = {clip: replace(scores, ranks=scores.ranks[:, kept]) for clip, scores in field.clips.items()}
    return replace(field, classes=tuple(names[field.classes[k]] for k in kept), clips=clips)


def _silent(
    field: ScoreField, reference: EventTable, lengths: Durations | None, diagnostics: Diagnostics
) -> EventTable:
    """A table of the clips of a field, named as the others are (rule 13.3), with the lengths of their scores."""
    table = silent_table(field)
    own = {clip: scores.edges[-1] for clip, scores in field.clips.items()}
    known = {} if lengths is None else lengths.clips
    named, _ = name_clips(table, reference, known, diagnostics)
    return replace(named, origin=TableOrigin("scores", {}, None, dict(zip(named.clips, own.values(), strict=True))))


def _chosen(field: ScoreField, named: EventTable, chosen: EventTable) -> ScoreField:
    """The field of the clips that were chosen, under the names they were given."""
    renamed = dict(zip(named.clips, field.clips.values(), strict=True))
    return replace(field, clips={clip: renamed[clip] for clip in chosen.clips if clip in renamed})


# Curves of a source that may be larger than memory: batches are counted by an engine and added (rule 24.16).

_EVENTS, _FRAMES = 4, 64
"""How many times the memory of a scoring a clip takes: with events, and with scores of frames, of which many differ."""


@dataclass(frozen=True, slots=True)
class CurveTally:
    """The counts of some clips at every threshold, and the findings about the input."""

    sums: CurveSums
    findings: DiagnosticsRecord

    def __add__(self, other: "CurveTally") -> "CurveTally":
        return CurveTally(self.sums + other.sums, self.findings + other.findings)


class CurveDrawsTally(Record, frozen=True):
    """The columns that draws need of some clips at thresholds; the findings were told with the curves."""

    draws: ClipParts
    findings: DiagnosticsRecord = NO_FINDINGS

    def __add__(self, other: "CurveDrawsTally") -> "CurveDrawsTally":
        return CurveDrawsTally(self.draws + other.draws)


@dataclass(frozen=True, slots=True)
class CurveJob:
    """The part that all batches share: the data, the length of a median filter, the policies of the metrics."""

    data: Job
    median: int
    settings: CurveSettings


class _InBatches:
    """Counts clips at thresholds in the batches of a plan, each read anew."""

    def __init__(self, job: CurveJob, sides: Sides, plan: BatchPlan, engine: Engine, on_plan: OnPlan | None) -> None:
        self.engine = engine
        self.progress = on_plan(plan) if on_plan else None
        self._job, self._sides, self._plan = job, sides, plan

    def counted(self, points: Sequence[QuantityPoint]) -> ClipParts:
        """The columns that draws need of every clip; OSError if a batch failed three times."""
        do = partial(count_clips, self._job, tuple(points))
        if self.progress is not None:
            self.progress.stage("batch at these thresholds", len(self._plan.batches))
        given = self._sides, self._plan, self.engine, self.progress
        total, tally, _ = run_batches(do, *given, Diagnostics(), strict=False, scores=True)
        if total.given_up:
            raise _incomplete(total.given_up)
        return tally.draws


def curves_in_batches(
    task: Task,
    *,
    median: int = 1,
    settings: CurveSettings | None = None,
    engine: Engine | str | None = None,
    memory: str | int | None = None,
    batch_clips: int | None = None,
    on_plan: OnPlan | None = None,
    on_step: OnStep = lambda done, of, what: None,
) -> Curves:
    """The curves of all clips, counted in batches."""
    chosen = engine_from(engine)
    room = batch_memory(USUAL_MEMORY if memory is None else memory, chosen)
    task.refuse_in_batches("clips")
    contract, mode = task.contract, Mode(task.mode)
    diagnostics = Diagnostics()
    diagnostics.extend(contract.warnings)
    sides = open_sides(task, diagnostics, keeps_scores=True)
    field = _field_of(sides.prediction)
    columns = None if field is None else _renamed(field, sides.labels, diagnostics).classes
    # Steps of counts grow with the distinct scores of a batch, which no plan knows beforehand: a share of the memory
    # that is enough if nearly all scores differ.
    share = room // (_EVENTS if field is None else _FRAMES)
    plan = make_plan(contract, sides, mode, share, batch_clips, diagnostics, columns=columns)
    if median > 1 and field is None:
        headline = f"`{sides.prediction.name}` holds events, and a median filter is for scores of frames"
        raise InvalidInput([Diagnostic("bad-decoding", headline, help="take a threshold alone")])
    own = settings or CurveSettings()
    job = CurveJob(job_of(contract, sides, plan, mode), median, own)
    counting = _InBatches(job, sides, plan, chosen, on_plan)
    total, tally, findings = run_batches(
        partial(count_batch, job), sides, plan, chosen, counting.progress, diagnostics, strict=False, scores=True
    )
    if total.given_up:
        raise _incomplete(total.given_up)
    quantities = Quantities(contract, tally.sums, own, on_step)
    return Curves(quantities, median, tuple(map(diagnostic_of, findings.items)), on_step, counting)


def _field_of(side: Source) -> ScoreField | None:
    origin = origin_of(side)
    return origin.scores if origin is not None else None


def _renamed(field: ScoreField, labels: LabelMap | None, diagnostics: Diagnostics) -> ScoreField:
    """A field whose classes are called by a label map; columns that it joins or does not name are reported."""
    if labels is None:
        return field
    return renamed_columns(field, labels, class_names(labels, field.classes), diagnostics)


def count_batch(job: CurveJob, task: BatchTask) -> BatchSum[CurveTally]:
    """The counts of one batch at every threshold; faults of its rows are in it, for the whole to report."""

    def counted(ready: ReadyBatch) -> CurveTally:
        quantities, places = _quantities(job, task, ready)
        sums = quantities.sums(places, METRICS, [how.criteria for how in SCENARIOS.values()])
        return CurveTally(sums, DiagnosticsRecord.of(ready.diagnostics))

    return counted_batch(job.data, task, counted)


def count_clips(job: CurveJob, points: Sequence[QuantityPoint], task: BatchTask) -> BatchSum[CurveDrawsTally]:
    """The counts of each clip of one batch at thresholds, for draws of clips."""

    def counted(ready: ReadyBatch) -> CurveDrawsTally:
        quantities, places = _quantities(job, task, ready)
        return CurveDrawsTally(clip_counts(quantities, points, places))

    return counted_batch(job.data, task, counted)


def _quantities(job: CurveJob, task: BatchTask, ready: ReadyBatch) -> tuple[Quantities, Whole]:
    """The quantities of a batch, and the numbers of its clips in the whole."""
    family = _sides(job, ready).filtered(job.median).family()
    return Quantities(job.data.contract.contract, family, job.settings), task.places(family.family.clips)


def _sides(job: CurveJob, ready: ReadyBatch) -> FieldSides:
    data, tables, diagnostics = job.data, ready.tables, ready.diagnostics
    field = ready.scores
    return FieldSides(
        data.contract.contract,
        tables.reference,
        detections_of(tables.prediction, diagnostics) if field is None else _renamed(field, data.labels, diagnostics),
        ready.durations,
        tables.ignore,
        data.mode,
        diagnostics,
        {},
        data.classes,
    )


def _incomplete(given_up: Sequence[FailedBatch]) -> OSError:
    first = given_up[0]
    clips = f"{count(first.clips, 'clip')}, `{first.first}` to `{first.last}`"
    more = f" and {len(given_up) - 1:,} more" if len(given_up) > 1 else ""
    what = f"batch {first.batch} failed three times ({clips}: {first.why}){more}; curves of a part are not given"
    return OSError(errno.EIO, what)


# `tracepact.curves`: every curve of a contract on scores, all clips at once or in batches.


def curves(
    contract: Contract | str | Path,
    ref: Any,
    pred: Any,
    *,
    median: int = 1,
    set: Mapping[str, str] | None = None,
    settings: CurveSettings | None = None,
    on_step: OnStep = lambda done, of, what: None,
    engine: Engine | str | None = None,
    memory: str | int | None = None,
    batch_clips: int | None = None,
    **options: Unpack[SourceOptions],
) -> Curves:
    """Every threshold of a score field at once: all curves of a contract and of the standard metrics, exact.

    Args:
        contract: a Contract, a path, the name of a starter contract, or contract text.
        ref: the references, in the forms of `score`.
        pred: the predicted scores: a score field (see `score_field`), arrays with `classes` and `step`, data frames
            of scores, or a path; or events with confidences, of which a threshold keeps those with a greater one.
        median: the length of a median filter before every threshold, an odd number of frames.
        set: new values of the contract's parameters, as text.
        settings: the policies of the metrics.
        on_step: told how much of a long computation is done, of how much, and what it is.
        engine: as for `score_batches`: clips are counted in batches, and their counts added.
        memory: how much memory batches may take, as for `score_batches`; without an engine they are done here.
        batch_clips: the most clips of a batch.
        options: as for `score`: durations, mode, ignore, label_map, classes, step, ref_reading, pred_reading, clips.
            By default a clip is as long as its scores of frames; of these no two columns may become one class.

    Returns:
        The curves; each is found when it is first asked for. In batches all counts are found first, and those of
        each clip that intervals need in a second pass when they are asked for; PSDS with settings of one's own is for
        all clips at once.

    Raises:
        InvalidInput: the contract or the data cannot be used; it carries every fault.
        OSError: a batch failed three times: curves of a part are not given.

    Examples:
        >>> import numpy as np
        >>> import tracepact
        >>> scores = np.array([[0.1], [0.9], [0.8], [0.3]])
        >>> field = tracepact.score_field({"a": scores}, classes=["dog"], step="0.5")
        >>> found = tracepact.curves("boundary_gate", {"a": [(0.5, 1.5, "dog")]}, field)
        >>> found.best("event_f1").threshold  # from 0.3 on one event, up to 0.8 of the right length
        Fraction(3, 5)
        >>> found.psds("psds1").value
        1.0
    """
    if median < 1 or median % 2 == 0:
        headline = f"the median filter's length {median} is not an odd number of frames"
        raise InvalidInput([Diagnostic("bad-decoding", headline)])
    task = scores_task(contract, ref, pred, set, options)
    if (engine, memory, batch_clips) == (None, None, None):
        return curves_of_sides(field_sides(task), median, settings, on_step)
    return curves_in_batches(
        task,
        median=median,
        settings=settings,
        engine=engine,
        memory=memory,
        batch_clips=batch_clips,
        on_step=on_step,
    )


def curves_of_sides(sides: FieldSides, median: int, settings: CurveSettings | None, advance: OnStep) -> Curves:
    """The curves of what was read, all clips at once."""
    quantities = Quantities(sides.contract, sides.filtered(median).family(), settings, advance)
    return Curves(quantities, median, tuple(sides.diagnostics), advance)
