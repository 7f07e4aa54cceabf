"""Scores a source of clips that may be larger than memory, in batches by an engine; the result is that of the whole."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import structs

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostic, Diagnostics, InvalidInput, one_of
from tracepact.engines import Engine, engine_from, kept_engine, no_progress
from tracepact.io import Reading
from tracepact.io.outside import Outside
from tracepact.io.score_lengths import report_table_lengths
from tracepact.metrics import MetricSettings
from tracepact.records import record_bytes
from tracepact.scoring import score_family
from tracepact.scoring.by_clause import ByClause
from tracepact.tools.folders import refuse_address
from tracepact.tools.score.batches.making import Making
from tracepact.tools.score.batches.names import names_alone
from tracepact.tools.score.batches.pages import PAGE, BatchPages, PageData, page_data
from tracepact.tools.score.batches.plan import make_plan
from tracepact.tools.score.batches.running import USUAL_MEMORY, OnPlan, batch_memory, run_batches
from tracepact.tools.score.batches.sources import job_of, open_sides
from tracepact.tools.score.batches.store import finish, place_of_run, start_making
from tracepact.tools.score.batches.sums import BatchSum, GivenUp
from tracepact.tools.score.batches.work import (
    Job,
    ReadyBatch,
    Task,
    batch_sum,
    faulty_batch,
    ready_batch,
)
from tracepact.tools.score.inputs import check_conditions, contract_from
from tracepact.tools.score.margins import score_margins
from tracepact.tools.score.report.build import Head, report_from
from tracepact.tools.score.report.record import Report
from tracepact.tools.score.report.sounds import Sounds
from tracepact.tools.score.report.text import FILES, report_text
from tracepact.tools.score.scored import Scored
from tracepact.tools.score.tally import RunTally, tally_of
from tracepact.trace import Mode, assemble
from tracepact.wording import count


@dataclass(frozen=True, slots=True, eq=False)
class BatchRun:
    """What `score_batches` returns: the report of all clips, and what was not scored, if anything.

    Attributes:
        head: what the report says beside its counts: the contract, the classes, the inputs.
        tally: the exact sums that the report is made from.
        clips: how many clips there are, those of failed batches included.
        batches: how many batches they were cut into.
        given_up: the batches that failed three times, each with its clips; the report is of the others alone.

    Examples:
        >>> import tracepact
        >>> run = tracepact.score_batches("boundary_gate", ref={"a": [(1, 2)]}, pred={"a": [(1.06, 2.4)]}, durations=5)
        >>> run.vector["silence_guard"], run.complete
        (Fraction(48, 67), True)
    """

    head: Head
    tally: RunTally
    clips: int
    batches: int
    given_up: tuple[GivenUp, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every batch was scored."""
        return not self.given_up

    @property
    def report(self) -> Report:
        """The report of what was scored."""
        return report_from(self.tally, self.head)

    @property
    def vector(self) -> dict[str, Fraction]:
        """The value of every clause under the contract's aggregation; a wrong name raises InvalidInput."""
        own = self.head.contract.aggregation
        return ByClause({name: score.value for name, score in self.tally.group.vector(own).items()})

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data.

        Returns:
            What `score --format json` prints (spec/schemas/report.schema.json).
        """
        return self.report.to_dict()

    def __str__(self) -> str:
        return report_text(self.report)

    def __repr__(self) -> str:
        missing = "" if self.complete else f", {count(len(self.given_up), 'batch', 'batches')} missing"
        return f"<BatchRun of {self.head.contract.name}: {count(self.clips, 'clip')}{missing}>"


def score_batches(
    contract: Contract | str | Path,
    ref: Any,
    pred: Any,
    *,
    engine: Engine | str | None = None,
    memory: str | int = USUAL_MEMORY,
    batch_clips: int | None = None,
    durations: Any = None,
    mode: Mode | str = Mode.CLASS_INDEXED,
    ignore: Any = None,
    conditions: Any = None,
    label_map: Any = None,
    ref_reading: Reading | None = None,
    pred_reading: Reading | None = None,
    outside: Outside | str = Outside.FALSE_ALARM,
    settings: MetricSettings | None = None,
    set: Mapping[str, str] | None = None,
    strict: bool = False,
    out: str | Path | None = None,
    violations: bool = True,
    page: Callable[[Sequence[str]], Sounds] | None = None,
    progress: OnPlan | None = None,
) -> BatchRun:
    """Score a source of clips that may be larger than memory, in batches; the report is that of scoring all at once.

    Args:
        contract: a Contract, a path, the name of a starter contract, or contract text.
        ref: the references: a Parquet or Arrow file, a folder of them or an address that fsspec knows, read in pieces;
            anything else that `score` takes is read into memory first.
        pred: the predictions, in any of these forms.
        engine: `local` (the default), `processes`, `processes:4`, `dask`, or `dask:tcp://…` with the address of a
            scheduler.
        memory: how much memory the work may take, over all workers of this machine.
        batch_clips: the most clips of a batch, if memory alone is not to decide.
        durations: as for `score`.
        mode: as for `score`.
        ignore: as for `score`.
        conditions: as for `score`.
        label_map: as for `score`.
        ref_reading: as for `score`.
        pred_reading: as for `score`.
        outside: as for `score`.
        settings: the policies of the standard metrics.
        set: new values of the contract's parameters, as text.
        strict: whether warnings are errors.
        out: where to write the run directory; the same call goes on with what an interrupted one has finished.
        violations: whether the run directory holds every violated obligation.
        page: given the clips that a page holds, the sounds it plays; without it the run directory has no page.
        progress: given the plan, what is told how many batches are done.

    Returns:
        The run: its report, and the batches that failed, if any did.

    Raises:
        InvalidInput: the contract or the data cannot be used; it carries every fault.
        EngineLost: the scheduler went away.
        OSError: every batch failed.

    Examples:
        >>> import tracepact
        >>> clips = {"a": [(1, 2)], "b": [(0, 1)]}
        >>> run = tracepact.score_batches("boundary_gate", clips, clips, durations=3, batch_clips=1)
        >>> run.batches, set(run.vector.values())
        (2, {Fraction(1, 1)})
    """
    if out is not None:
        refuse_address(out)
    chosen = engine_from(engine)
    room = batch_memory(memory, chosen)
    compiled = contract_from(contract, set)
    if compiled.declared_atoms:
        headline = "the contract declares atoms, whose masks are given for all clips at once"
        raise InvalidInput([Diagnostic("not-in-batches", headline, None, "score it without an engine")])
    diagnostics = Diagnostics()
    diagnostics.extend(compiled.warnings)
    given_mode = one_of(Mode, mode, "mode")
    sides = open_sides(
        ref,
        pred,
        diagnostics,
        durations=durations,
        ignore=ignore,
        conditions=conditions,
        label_map=label_map,
        ref_reading=ref_reading,
        pred_reading=pred_reading,
        outside=outside,
    )
    plan = make_plan(compiled, sides, given_mode, room, batch_clips, diagnostics)
    for side in (sides.reference, sides.prediction):
        report_table_lengths(names_alone(side), plan.durations, diagnostics)
    if sides.conditions:
        check_conditions(sides.conditions, plan.clips, diagnostics)
    diagnostics.raise_errors()
    own_settings = settings or MetricSettings()
    labels = sides.labels.data if sides.labels is not None else None
    chosen_so = {"label_map": labels, "policy": sides.outside.value}
    inputs = sides.inputs(plan.durations)
    head = Head(compiled, given_mode, plan.classes, inputs, chosen_so, own_settings, violations)
    told = progress(plan) if progress else no_progress()
    place = None if out is None else Path(out)
    with place_of_run(place), kept_engine(chosen) as kept:
        making = None
        if place is not None:
            groups = sides.conditions.clips if sides.conditions else None
            held = (sides.reference, sides.prediction, sides.ignore, groups)
            making = start_making(place, plan, head, held, told.note, violations=violations, page=page is not None)
        job = ScoreJob(job_of(compiled, sides, plan, given_mode), own_settings, making, page is not None)
        total, tally, findings = run_batches(
            partial(score_batch, job), sides, plan, kept, told, diagnostics, strict=strict, scores=True
        )
        head = replace(head, preparation=sides.preparation(total))
        tally = structs.replace(tally, findings=findings)
        bare = structs.replace(tally, draws=None, tolerances=())
        run = BatchRun(head, bare, len(plan.clips), len(plan.batches), total.given_up)
        if place is not None and making is not None and run.complete:
            shown = page_data(tally, head, sides.names[1], kept, told, drawn=page is not None)
            finish(place, making, plan, head, run.report, _views(run, shown, page))
    return run


def _views(run: BatchRun, shown: PageData, page: Callable[[Sequence[str]], Sounds] | None) -> dict[str, str]:
    """What pages are made of, and the page and the Markdown themselves where they are asked for."""
    pages = BatchPages(run.head.contract, run.report, shown)
    found = {PAGE: record_bytes(pages.data).decode()}
    if page is not None:
        made = pages.forms(("html", "markdown"), page(pages.clips))
        found |= {FILES[form]: text for form, text in made.items()}
    return found


@dataclass(frozen=True, slots=True)
class ScoreJob:
    """What all batches of a scoring share: the data, the policies of the metrics, where finished batches are kept.

    `page` says that what intervals and curves need of every clip is wanted too.
    """

    data: Job
    settings: MetricSettings
    making: Making | None = None
    page: bool = False


def score_batch(job: ScoreJob, task: Task) -> BatchSum[RunTally]:
    """The tally of one batch; faults of its rows are in it, for the whole to report.

    In a run directory in the making a batch that is finished is not done again.
    """
    making = job.making
    if making is not None and (kept := making.finished(task.batch.number)) is not None:
        return kept
    try:
        ready = ready_batch(job.data, task)
        scored = _scored(job, task, ready)
    except InvalidInput as error:
        return faulty_batch(error)
    kept_too = making is not None
    tally = tally_of(scored, task.batch.first, clips=kept_too, page=kept_too and job.page)
    found = batch_sum(task, ready, tally)
    if making is not None:
        making.keep(task.batch.number, found, scored.card)
    return found


def _scored(job: ScoreJob, task: Task, ready: ReadyBatch) -> Scored:
    data, tables = job.data, ready.tables
    contract = data.contract.contract
    assert ready.durations is not None  # in a scoring every clip has a length
    family = assemble(
        contract,
        tables.reference,
        tables.prediction,
        durations=ready.durations,
        mode=data.mode,
        ignore=tables.ignore,
        diagnostics=ready.diagnostics,
        allow_outside=data.outside is not Outside.ERROR,
        classes=data.classes,
    )
    return Scored(
        score_family(contract, family),
        tables.reference,
        tables.prediction,
        ready.durations,
        tuple(ready.diagnostics),
        (),
        tables.ignore,
        task.conditions,
        tables.record,
        score_margins(contract, family, tables.reference, tables.prediction, data.labels),
        job.settings,
    )
