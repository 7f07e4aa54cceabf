"""The standard metrics of a source that may be larger than memory, in batches by an engine (rule 24.12)."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Unpack

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostics
from tracepact.engines import engine_from, kept_engine
from tracepact.io.score_lengths import report_table_lengths
from tracepact.metrics import Measured, MetricIntervals, intervals_record
from tracepact.metrics.compare import Whole
from tracepact.metrics.tally import MetricsTally
from tracepact.records import Record, record_of
from tracepact.scoring.clip_columns import ClipParts
from tracepact.scoring.uncertainty import Bootstrap
from tracepact.tools.metrics.measuring import Measuring
from tracepact.tools.metrics.record import MetricsOutput, metrics_output
from tracepact.tools.score.batches.names import names_alone
from tracepact.tools.score.batches.plan import Plan, make_plan
from tracepact.tools.score.batches.running import USUAL_MEMORY, OnPlan, batch_memory, run_batches
from tracepact.tools.score.batches.sources import BatchOptions, job_of, open_sides
from tracepact.tools.score.batches.sums import BatchSum, GivenUp
from tracepact.tools.score.batches.work import Job, ReadyBatch, Task, counted_batch
from tracepact.tools.score.drawn import drawn_intervals, run_columns
from tracepact.tools.score.report.preparation import Preparation
from tracepact.tools.score.tally import FindingsTally
from tracepact.trace import Mode
from tracepact.trace.assembly import UNION_CLASS

_ALL = 1 << 62
"""As many differing decisions as there are: this command lists all of them."""


class MeasuredTally(Record, frozen=True):
    """The metrics of some clips, what was odd about the input, and what draws of clips need, where they are made."""

    metrics: MetricsTally
    findings: FindingsTally
    draws: ClipParts | None = None

    def __add__(self, other: "MeasuredTally") -> "MeasuredTally":
        draws = self.draws + other.draws if self.draws and other.draws else None
        return MeasuredTally(self.metrics + other.metrics, self.findings + other.findings, draws)


@dataclass(frozen=True, slots=True)
class MeasureJob:
    """What all batches share: the data, how they are measured, and what only the whole can tell."""

    data: Job
    how: Measuring
    whole: Whole
    draws: bool


@dataclass(frozen=True, slots=True, eq=False)
class BatchMeasured:
    """The metrics of all clips with what was found; of those of failed batches nothing, and they are named."""

    metrics: Measured
    output: MetricsOutput
    findings: FindingsTally
    given_up: tuple[GivenUp, ...]


def measure_batches(
    contract: Contract,
    ref: Any,
    pred: Any,
    how: Measuring,
    *,
    engine: str | None = None,
    memory: str | int | None = None,
    batch_clips: int | None = None,
    strict: bool = False,
    bootstrap: Bootstrap | None = None,
    on_plan: OnPlan | None = None,
    **options: Unpack[BatchOptions],
) -> BatchMeasured:
    """Measure in batches; `options` are those of `open_sides`. The metrics are those of measuring all at once.

    With a `bootstrap` they have their intervals, drawn by the same engine.
    """
    chosen = engine_from(engine)
    room = batch_memory(USUAL_MEMORY if memory is None else memory, chosen)
    diagnostics = Diagnostics()
    sides = open_sides(ref, pred, diagnostics, **options)
    bare = replace(contract, clauses=(), declared_atoms=(), labels=contract.labels if how.on_grid else None)
    plan = make_plan(bare, sides, how.mode, room, batch_clips, diagnostics, every_length=False)
    for side in (sides.reference, sides.prediction):
        report_table_lengths(names_alone(side), plan.durations, diagnostics)
    job = MeasureJob(job_of(contract, sides, plan, how.mode), how, _whole(plan, how), bootstrap is not None)
    drawn: MetricIntervals | None = None
    told = on_plan(plan) if on_plan else None
    with kept_engine(chosen) as kept:
        total, tally, findings = run_batches(
            partial(measure_batch, job), sides, plan, kept, told, diagnostics, strict=strict
        )
        found = tally.metrics.measured(how.settings)
        if bootstrap is not None and tally.draws is not None and not total.given_up:
            _, compared = drawn_intervals(tally.draws, len(plan.clips), None, found, bootstrap, kept, told)
            drawn = intervals_record([sides.names[1]], compared, bootstrap)
    preparation = record_of(sides.preparation(total), Preparation)
    output = metrics_output(tally.metrics.record(how.settings), found, preparation, drawn)
    return BatchMeasured(found, output, findings, total.given_up)


def _whole(plan: Plan, how: Measuring) -> Whole:
    """What only the whole can tell; metrics without a grid have the classes that occur, and none if none does."""
    none = not how.on_grid and how.mode is Mode.CLASS_INDEXED and plan.classes == (UNION_CLASS,)
    return Whole(() if none else plan.classes, len(plan.clips), len(plan.clips) - len(plan.lengths))


def measure_batch(job: MeasureJob, task: Task) -> BatchSum[MeasuredTally]:
    """The metrics of one batch; faults of its rows are in it, for the whole to report."""

    def measured(ready: ReadyBatch) -> MeasuredTally:
        found = job.how.measure(job.data.contract.contract, ready.tables, ready.diagnostics, job.whole)
        draws = run_columns(task.places(found.clip_names), {}, found) if job.draws else None
        tally = MetricsTally.of(found, task.batch.first, _ALL)
        return MeasuredTally(tally, FindingsTally.of(ready.diagnostics), draws)

    return counted_batch(job.data, task, measured)
