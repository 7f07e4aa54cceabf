"""Curves of a source that may be larger than memory: batches are counted by an engine and added (rule 24.16)."""

import errno
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Unpack

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostic, Diagnostics, InvalidInput
from tracepact.engines import Engine, engine_from
from tracepact.io import LabelMap, Reading, events_from
from tracepact.io.arrays import report_unequal_arrays
from tracepact.io.dataset import open_dataset
from tracepact.io.score_lengths import report_score_lengths, report_table_lengths
from tracepact.records import Record
from tracepact.scoring.clip_columns import ClipParts
from tracepact.thresholds import METRICS, SCENARIOS, CurveSettings, CurveSums, Quantities, detections_of
from tracepact.thresholds.steps import Whole
from tracepact.tools.curves.curves import Curves, OnStep
from tracepact.tools.curves.intervals import Asked, clip_counts
from tracepact.tools.score.batches.names import names_alone, origin_of
from tracepact.tools.score.batches.plan import Plan, make_plan
from tracepact.tools.score.batches.running import USUAL_MEMORY, OnPlan, batch_memory, diagnostic_of, run_batches
from tracepact.tools.score.batches.sides import Sides, Source
from tracepact.tools.score.batches.sources import (
    BatchOptions,
    folder_from,
    is_in_pieces,
    job_of,
    side_from,
    sides_of,
)
from tracepact.tools.score.batches.sums import NO_FINDINGS, BatchSum, GivenUp
from tracepact.tools.score.batches.work import Job, ReadyBatch, Task, counted_batch
from tracepact.tools.score.field_task import (
    KEEP_SCORES,
    FieldTask,
    class_names,
    refuse_soft_labels,
    renamed_columns,
    silent_table,
)
from tracepact.tools.score.tally import FindingsTally
from tracepact.trace import EventTable, Mode, ScoreField
from tracepact.wording import count

_EVENTS, _FRAMES = 4, 64
"""How many times the memory of a scoring a clip takes: with events, and with scores of frames, of which many differ."""


@dataclass(frozen=True, slots=True)
class CurveTally:
    """What is counted of some clips at every threshold, and what was odd about the input."""

    sums: CurveSums
    findings: FindingsTally

    def __add__(self, other: "CurveTally") -> "CurveTally":
        return CurveTally(self.sums + other.sums, self.findings + other.findings)


class ClipsTally(Record, frozen=True):
    """What draws need of some clips at thresholds; what was odd about the input is said with the curves."""

    draws: ClipParts
    findings: FindingsTally = NO_FINDINGS

    def __add__(self, other: "ClipsTally") -> "ClipsTally":
        return ClipsTally(self.draws + other.draws)


@dataclass(frozen=True, slots=True)
class CurveJob:
    """What all batches share: the data, the length of a median filter, the policies of the metrics."""

    data: Job
    median: int
    settings: CurveSettings


class _InBatches:
    """Counts clips at thresholds in the batches of a plan, each read anew."""

    def __init__(self, job: CurveJob, sides: Sides, plan: Plan, engine: Engine, on_plan: OnPlan | None) -> None:
        self.engine = engine
        self.progress = on_plan(plan) if on_plan else None
        self._job, self._sides, self._plan = job, sides, plan

    def counted(self, asked: Sequence[Asked]) -> ClipParts:
        """What draws need of every clip; OSError if a batch failed three times."""
        do = partial(count_clips, self._job, tuple(asked))
        if self.progress is not None:
            self.progress.stage("batch at these thresholds", len(self._plan.batches))
        given = self._sides, self._plan, self.engine, self.progress
        total, tally, _ = run_batches(do, *given, Diagnostics(), strict=False, scores=True)
        if total.given_up:
            raise _incomplete(total.given_up)
        return tally.draws


def curves_in_batches(
    contract: Contract,
    ref: Any,
    pred: Any,
    *,
    median: int = 1,
    mode: Mode = Mode.CLASS_INDEXED,
    settings: CurveSettings | None = None,
    engine: Engine | str | None = None,
    memory: str | int | None = None,
    batch_clips: int | None = None,
    on_plan: OnPlan | None = None,
    on_step: OnStep = lambda done, of, what: None,
    **options: Unpack[BatchOptions],
) -> Curves:
    """The curves of all clips, counted in batches; `options` are those of `open_sides`."""
    chosen = engine_from(engine)
    room = batch_memory(USUAL_MEMORY if memory is None else memory, chosen)
    if contract.declared_atoms:
        headline = "the contract declares atoms, whose masks are given for all clips at once"
        raise InvalidInput([Diagnostic("not-in-batches", headline, None, "leave out the engine")])
    diagnostics = Diagnostics()
    diagnostics.extend(contract.warnings)
    sides = _open(ref, pred, diagnostics, options)
    field = _field_of(sides.prediction)
    columns = None if field is None else _renamed(field, sides.labels, diagnostics).classes
    share = room // (_EVENTS if field is None else _FRAMES)
    plan = make_plan(contract, sides, mode, share, batch_clips, diagnostics, columns=columns)
    if median > 1 and field is None:
        headline = f"`{sides.prediction.name}` holds events, and a median filter is for scores of frames"
        raise InvalidInput([Diagnostic("bad-decoding", headline, help="take a threshold alone")])
    report_table_lengths(names_alone(sides.reference), plan.durations, diagnostics)
    if field is not None:
        report_score_lengths(field, plan.durations, diagnostics)
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


def _open(ref: Any, pred: Any, diagnostics: Diagnostics, options: BatchOptions) -> Sides:
    """Both sides; scores of frames are a table without events that has them beside it."""
    readings = options.get("ref_reading") or Reading(), options.get("pred_reading") or Reading()
    reference = side_from(ref, readings[0], "ref", diagnostics)
    prediction: Source | None
    if is_in_pieces(pred, readings[1]):
        prediction = open_dataset(pred, diagnostics)
    else:
        keeping = replace(readings[1], decoding=KEEP_SCORES)
        prediction = folder_from(pred, keeping, diagnostics, by_confidence=False)
        if prediction is not None:
            return sides_of((reference, prediction), diagnostics, **options)
        prediction = events_from(pred, diagnostics, name="pred", reading=keeping)
        refuse_soft_labels(prediction, diagnostics)
        if isinstance(reference, EventTable):
            report_unequal_arrays(reference, prediction, diagnostics)
        if prediction.origin is not None and prediction.origin.scores is not None:
            prediction = silent_table(prediction.origin.scores)
    return sides_of((reference, prediction), diagnostics, **options)


def _field_of(side: Source) -> ScoreField | None:
    origin = origin_of(side)
    return origin.scores if origin is not None else None


def _renamed(field: ScoreField, labels: LabelMap | None, diagnostics: Diagnostics) -> ScoreField:
    """A field whose classes are called by a label map; columns that it joins or does not name are reported."""
    if labels is None:
        return field
    return renamed_columns(field, labels, class_names(labels, field.classes), diagnostics)


def count_batch(job: CurveJob, task: Task) -> BatchSum[CurveTally]:
    """The counts of one batch at every threshold; faults of its rows are in it, for the whole to report."""

    def counted(ready: ReadyBatch) -> CurveTally:
        quantities, places = _quantities(job, task, ready)
        sums = quantities.sums(places, METRICS, [how.criteria for how in SCENARIOS.values()])
        return CurveTally(sums, FindingsTally.of(ready.diagnostics))

    return counted_batch(job.data, task, counted)


def count_clips(job: CurveJob, asked: Sequence[Asked], task: Task) -> BatchSum[ClipsTally]:
    """The counts of each clip of one batch at thresholds, for draws of clips."""

    def counted(ready: ReadyBatch) -> ClipsTally:
        quantities, places = _quantities(job, task, ready)
        return ClipsTally(clip_counts(quantities, asked, places))

    return counted_batch(job.data, task, counted)


def _quantities(job: CurveJob, task: Task, ready: ReadyBatch) -> tuple[Quantities, Whole]:
    """What is counted of a batch, and the numbers of its clips in the whole."""
    family = _task(job, ready).filtered(job.median).family()
    return Quantities(job.data.contract.contract, family, job.settings), task.places(family.family.clips)


def _task(job: CurveJob, ready: ReadyBatch) -> FieldTask:
    data, tables, diagnostics = job.data, ready.tables, ready.diagnostics
    field = ready.scores
    return FieldTask(
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


def _incomplete(given_up: Sequence[GivenUp]) -> OSError:
    first = given_up[0]
    clips = f"{count(first.clips, 'clip')}, `{first.first}` to `{first.last}`"
    more = f" and {len(given_up) - 1:,} more" if len(given_up) > 1 else ""
    what = f"batch {first.batch} failed three times ({clips}: {first.why}){more}; curves of a part are not given"
    return OSError(errno.EIO, what)
