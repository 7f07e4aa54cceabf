"""Both sides read for batches, batches done by an engine and added, and scoring in batches: `score_batches`."""

import errno
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from msgspec import structs

from tracepact.data.assembly import assemble
from tracepact.data.dataset import Dataset, holds_scores, is_dataset, open_dataset
from tracepact.data.decoding import keep_confident
from tracepact.data.event_rows import Outside, report_length_unit, report_unit
from tracepact.data.events import Durations, EventTable
from tracepact.data.family import Mode
from tracepact.data.fields import report_unequal_arrays
from tracepact.data.formats import report_unused_readings
from tracepact.data.labels import label_map_from
from tracepact.data.memory import conditions_from, events_from, regions_from
from tracepact.data.preparation import lengths_of_files, name_clips, part_of, report_excuses
from tracepact.data.readings import Reading
from tracepact.diagnostics.collection import Diagnostics, InvalidInput, not_spelled_out
from tracepact.diagnostics.findings import CODES, Diagnostic, RowPlace, Severity
from tracepact.diagnostics.records import DiagnosticRecord, RowPlaceRecord
from tracepact.engines import Engine, EngineProgress, Work, engine_from, kept_engine, no_progress, run_tasks
from tracepact.evaluate.scorecard import Scorecard
from tracepact.language.compilation import contract_from
from tracepact.language.contract import Contract
from tracepact.measures.policy import MetricSettings
from tracepact.outputs import refuse_address
from tracepact.records import record_bytes
from tracepact.runs.batch_run import BatchRun
from tracepact.runs.batches import (
    BatchPlan,
    BatchSum,
    BatchTask,
    Job,
    ReadyBatch,
    Tallied,
    counted_batch,
    failed_batch,
    job_of,
    make_plan,
)
from tracepact.runs.directory import Making, finish, place_of_run, start_making
from tracepact.runs.report import DiagnosticsRecord
from tracepact.runs.report_parts import PageData, Sounds, page_data, report_from
from tracepact.runs.report_views import PAGE, WITH_RUN, ReportPages
from tracepact.runs.sides import (
    FileFolder,
    Lengths,
    Sides,
    Source,
    is_file_folder,
    names_alone,
    open_folder,
    origin_of,
    silent_table,
)
from tracepact.runs.tally import RunTally, tally_of
from tracepact.runs.task import (
    KEEP_SCORES,
    USUAL_MEMORY,
    Head,
    Scored,
    Task,
    TaskOptions,
    batch_memory,
    check_conditions,
    lengths_from,
    refuse_soft_labels,
    score_prepared,
)
from tracepact.wording import count

# What is done in batches: both sides, in pieces or in memory, what goes with them, and a task for each batch.


def open_sides(task: Task, diagnostics: Diagnostics, *, keeps_scores: bool = False) -> Sides:
    """Both sides in pieces where they can be read so, else in memory, with what goes with them.

    With `keeps_scores` predicted scores are not decoded: they stand beside a table of their clips without events.
    InvalidInput if something cannot be read.
    """
    readings = task.readings
    read = (
        side_from(task.ref, readings[0], "ref", diagnostics),
        side_from(task.pred, readings[1], "pred", diagnostics, keeps_scores=keeps_scores),
    )
    tables = [_unread_table(side) for side in read if side is not None]
    if len(tables) == 2 and not keeps_scores:
        # Both at once, as in memory: what one side has no use for, the other may have.
        report_unused_readings(list(zip(readings, tables, strict=True)), diagnostics)
    elif len(tables) == 2:
        report_unequal_arrays(tables[0], tables[1], diagnostics)
    labels = label_map_from(task.label_map, diagnostics)
    lengths = lengths_from(task.durations, diagnostics)
    regions = regions_from(task.ignore, diagnostics) if task.ignore is not None else None
    groups = conditions_from(task.conditions, diagnostics) if task.conditions is not None else None
    diagnostics.raise_errors()
    reference, prediction = (side for side in read if side is not None)
    report_excuses(names_alone(prediction), diagnostics)
    reference, prediction, renamed = _called_alike(reference, prediction, lengths, diagnostics)
    lengths, said = _with_lengths_of_files(reference, prediction, lengths)
    return Sides(reference, prediction, lengths, regions, groups, labels, Outside(task.outside), renamed, said)


def side_from(
    data: Any, reading: Reading, name: str, diagnostics: Diagnostics, *, keeps_scores: bool = False
) -> Source | None:
    """A side in pieces where it can be read so (rule 24.2), else in memory; None, which is reported, if it cannot."""
    # Only a table whose columns have their own names is read in pieces; maps and decodings need the reader of files.
    plain = reading.format in (None, "table") and reading.columns is None and reading.decoding is None
    if plain and is_dataset(data) and not holds_scores(data):
        return open_dataset(data, diagnostics)
    if keeps_scores:
        reading = replace(reading, decoding=KEEP_SCORES)
    folder = _folder_from(data, reading, diagnostics, by_confidence=not keeps_scores)
    if folder is not None:
        return folder
    table = events_from(data, diagnostics, name=name, reading=reading)
    if not keeps_scores:
        return keep_confident(table, reading.decoding, diagnostics)
    refuse_soft_labels(table, diagnostics)
    return silent_table(table.origin.scores) if table.origin is not None and table.origin.scores is not None else table


def _unread_table(side: Source) -> EventTable:
    """A side as a table that says how it came to be; of one in pieces no row is read for that."""
    return EventTable(side.name, {}, side.digest, origin_of(side)) if isinstance(side, Dataset) else names_alone(side)


def _folder_from(
    data: Any, reading: Reading, diagnostics: Diagnostics, *, by_confidence: bool
) -> FileFolder | EventTable | None:
    """A folder of files, one a clip, in pieces; an empty table if it is faulty, which is reported; None if it is none.

    `by_confidence` says that a declared threshold keeps the events whose confidence is greater.
    """
    if not is_file_folder(data, reading):
        return None
    # What it finds is reported only if the folder is one after all: else the reader of files says what is wrong.
    faults = Diagnostics()
    folder = open_folder(data, reading, faults, by_confidence=by_confidence)
    if folder is None and not faults.errors:
        return None
    diagnostics.extend(faults)
    return folder or EventTable(str(data), {})


def _called_alike(
    reference: Source, prediction: Source, lengths: Lengths, diagnostics: Diagnostics
) -> tuple[Source, Source, tuple[int, int]]:
    """Sides in memory whose clips are named by files, under the names that the other tables use (rule 13.3)."""
    listed = lengths.clips if isinstance(lengths, Durations) else {}
    renamed = [0, 0]
    if _named_by_files(reference):
        table, renamed[0] = name_clips(names_alone(reference), names_alone(prediction), listed, diagnostics)
        reference = reference.called(table) if isinstance(reference, FileFolder) else table
    if _named_by_files(prediction):
        table, renamed[1] = name_clips(names_alone(prediction), names_alone(reference), listed, diagnostics)
        prediction = prediction.called(table) if isinstance(prediction, FileFolder) else table
    return reference, prediction, (renamed[0], renamed[1])


def _named_by_files(side: Source) -> bool:
    """Whether the clips of a side are called after files."""
    origin = origin_of(side)
    return origin is not None and bool(origin.files or origin.scores)


def _with_lengths_of_files(reference: Source, prediction: Source, lengths: Lengths) -> tuple[Lengths, tuple[int, int]]:
    """The lengths that the files of sides in memory say, where nothing else does (rule 13.16), and how many of each."""
    if lengths is not None or not any(_says_lengths(side) for side in (reference, prediction)):
        return lengths, (0, 0)
    known = names_alone(reference).clips
    # Lengths of files count only where nothing else says any, as in memory (13.16); the reference comes first.
    own = [
        lengths_of_files(names_alone(side), known) if _says_lengths(side) else {} for side in (reference, prediction)
    ]
    if not any(own):
        return None, (0, 0)
    name = (reference if own[0] else prediction).name
    return Durations(name, {**own[1], **own[0]}), (len(own[0]), len(own[1]))


def _says_lengths(side: Source) -> bool:
    origin = origin_of(side)
    return origin is not None and bool(origin.lengths)


class Tasks(Sequence[BatchTask]):
    """The tasks of a plan, each made when it is asked for; with the `scores` of frames that sides have, or without."""

    def __init__(self, plan: BatchPlan, sides: Sides, *, scores: bool = False) -> None:
        self._plan, self._sides, self._scores = plan, sides, scores

    def __len__(self) -> int:
        return len(self._plan.batches)

    def __getitem__(self, number: Any) -> Any:
        plan, sides = self._plan, self._sides
        batch = plan.batches[number]
        clips = plan.clips[batch.first : batch.last]
        both = (sides.reference, sides.prediction)
        held = [part_of(side, clips, scores=self._scores) if isinstance(side, EventTable) else None for side in both]
        return BatchTask(
            batch,
            clips,
            {clip: plan.lengths[clip] for clip in clips if clip in plan.lengths},
            held[0],
            held[1],
            None if sides.ignore is None else part_of(sides.ignore, clips),
            None if sides.conditions is None else {clip: sides.conditions.clips[clip] for clip in clips},
        )


# Does the batches of a plan by an engine and adds what they give; what is missing or wrong is said of the whole.

OnPlan = Callable[[BatchPlan], EngineProgress]


def run_batches(
    do: Callable[[BatchTask], BatchSum[Tallied]],
    sides: Sides,
    plan: BatchPlan,
    engine: Engine,
    progress: EngineProgress | None,
    diagnostics: Diagnostics,
    *,
    strict: bool,
    scores: bool = False,
) -> tuple[BatchSum[Tallied], Tallied, DiagnosticsRecord]:
    """The sum of all batches, its tally, and what was found of all; InvalidInput if a batch found an error.

    OSError if every batch failed.

    `do` is sent to other processes: a function named at the top of a module, or a `partial` of one. With `scores`,
    tasks hold the scores of frames that sides in memory have.
    """
    # Tasks are made one by one as the engine takes them: all of them at once would hold both sides a second time.
    work: Work[BatchSum[Tallied]] = Work(do, Tasks(plan, sides, scores=scores), failed_batch)
    total = run_tasks(engine, work, progress)
    if total is None:
        raise InvalidInput([Diagnostic("unknown-duration", "there are no clips to score", RowPlace(sides.names[0]))])
    # Whether times look like milliseconds depends on all events of a side, so it is said of the sum.
    ends = [side.ends for side in (total.reference, total.prediction)]
    for own, name in zip(ends, sides.names, strict=True):
        report_unit(own, name, diagnostics)
    report_length_unit(ends[0], plan.durations.name if isinstance(plan.durations, Durations) else None, diagnostics)
    found = total.errors + total.findings
    # A batch cannot know whether warnings are errors to the user: it only counts them, and the whole decides.
    warned = strict and any(CODES[code].severity is Severity.WARNING for code in found.counts)
    if total.errors.counts or warned:
        raise InvalidInput([*diagnostics, *map(diagnostic_of, found.items), *_not_kept(found)])
    diagnostics.raise_errors(strict=strict)
    for gone in total.given_up:
        clips = f"`{gone.first}`" if gone.clips == 1 else f"`{gone.first}` to `{gone.last}`"
        headline = f"batch {gone.batch} failed three times and is missing: {count(gone.clips, 'clip')}, {clips}"
        diagnostics.add("failed-batch", headline, None, f"the last fault was {gone.why}")
    # A report of nothing would look like one of clips without events.
    if total.tally is None:
        why = total.given_up[-1].why if total.given_up else "nothing is known"
        raise OSError(errno.EIO, f"every batch failed three times; the last fault was {why}")
    return total, total.tally, DiagnosticsRecord.of(diagnostics) + total.findings


def _not_kept(findings: DiagnosticsRecord) -> Iterator[Diagnostic]:
    """How many findings of each code were counted and not kept."""
    held = Counter(one.code for one in findings.items)
    return (not_spelled_out(code, more) for code, times in findings.counts.items() if (more := times - held[code]))


def diagnostic_of(record: DiagnosticRecord) -> Diagnostic:
    """A finding of a batch, as it was found."""
    place = RowPlace(record.place.file, record.place.line) if isinstance(record.place, RowPlaceRecord) else None
    return Diagnostic(record.code, record.headline, place, record.help)


# Scores a source of clips that may be larger than memory, in batches by an engine; the result is that of the whole.


def score_batches(
    contract: Contract | str | Path,
    ref: Any,
    pred: Any,
    *,
    engine: Engine | str | None = None,
    memory: str | int = USUAL_MEMORY,
    batch_clips: int | None = None,
    set: Mapping[str, str] | None = None,
    out: str | Path | None = None,
    violations: bool = True,
    page: Callable[[Sequence[str]], Sounds] | None = None,
    progress: OnPlan | None = None,
    **options: Unpack[TaskOptions],
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
        set: new values of the contract's parameters, as text.
        out: where to write the run directory; the same call goes on with what an interrupted one has finished.
        violations: whether the run directory holds every violated obligation.
        page: given the clips that a page holds, the sounds it plays; without it the run directory has no page.
        progress: given the plan, what is told how many batches are done.
        options: as for `score`: durations, mode, ignore, conditions, label_map, ref_reading, pred_reading, outside,
            settings, margins, strict.

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
    task = Task(contract_from(contract, set), ref, pred, **options)
    how = BatchOutput(out, violations, page)
    return score_task_in_batches(task, engine, memory, how, batch_clips=batch_clips, progress=progress)


@dataclass(frozen=True, slots=True)
class BatchOutput:
    """Where a scoring in batches writes, and which parts."""

    out: str | Path | None = None
    violations: bool = True
    page: Callable[[Sequence[str]], Sounds] | None = None


def score_task_in_batches(
    task: Task,
    engine: Engine | str | None,
    memory: str | int,
    output: BatchOutput | None = None,
    *,
    batch_clips: int | None = None,
    progress: OnPlan | None = None,
) -> BatchRun:
    """Score a task in batches."""
    output = output or BatchOutput()
    if output.out is not None:
        refuse_address(output.out)
    chosen = engine_from(engine)
    room = batch_memory(memory, chosen)
    # Each of these needs all clips at once, or arrays, which are in memory anyway.
    task.refuse_in_batches("masks", "clips", "decoding", "classes", "step")
    contract, mode, page = task.contract, Mode(task.mode), output.page
    diagnostics = Diagnostics()
    diagnostics.extend(contract.warnings)
    sides = open_sides(task, diagnostics)
    plan = make_plan(contract, sides, mode, room, batch_clips, diagnostics)
    if sides.conditions:
        check_conditions(sides.conditions, plan.clips, diagnostics)
    diagnostics.raise_errors()
    labels = sides.labels.data if sides.labels is not None else None
    chosen_so = {"label_map": labels, "policy": sides.outside.value}
    inputs = sides.inputs(plan.durations)
    head = Head(contract, mode, plan.classes, inputs, chosen_so, task.settings, output.violations)
    told = progress(plan) if progress else no_progress()
    # A page shows margins; they are computed where somebody will see them.
    margins = task.margins or page is not None
    place = None if output.out is None else Path(output.out)
    # The place is claimed before the engine starts: whoever comes second learns it at once.
    with place_of_run(place), kept_engine(chosen) as kept:
        making = None
        if place is not None:
            groups = sides.conditions.clips if sides.conditions else None
            held = (sides.reference, sides.prediction, sides.ignore, groups)
            making = start_making(
                place, plan, head, held, told.note, violations=output.violations, page=page is not None, margins=margins
            )
        job = ScoreJob(job_of(contract, sides, plan, mode), task.settings, making, page is not None, margins)
        total, tally, findings = run_batches(
            partial(score_batch, job), sides, plan, kept, told, diagnostics, strict=task.strict, scores=True
        )
        head = replace(head, preparation=sides.preparation((total.reference, total.prediction), total.outside))
        tally = structs.replace(tally, findings=findings)
        run = BatchRun(
            head,
            report_from(tally, head),
            len(plan.clips),
            len(plan.batches),
            total.given_up,
            None,
            tally.content,
            None if tally.answers is None else tally.answers.constant,
        )
        # A run directory is whole or not there: while batches are missing, what is finished stays beside its place.
        if place is not None and making is not None and run.complete:
            compared_by = {"tables": run.tables, "constant": run.constant}
            shown = page_data(tally, head, sides.names[1], kept, told, drawn=page is not None)
            finish(place, making, plan, head, run.report, _views(run, shown, page), compared_by)
            run = replace(run, folder=place)
    return run


def _views(run: BatchRun, data: PageData, page: Callable[[Sequence[str]], Sounds] | None) -> dict[str, str]:
    """The data that pages are made of; with `page`, the HTML page and the Markdown as well."""
    pages = ReportPages(run.head.contract, run.report, data)
    views = {} if page is None else pages.files(WITH_RUN, page(pages.clips))
    return {PAGE: record_bytes(data).decode(), **views}


@dataclass(frozen=True, slots=True)
class ScoreJob:
    """What all batches of a scoring share: the data, the policies of the metrics, where finished batches are kept.

    `page` says that what intervals and curves need of every clip is wanted too, `margins` that those of verdicts are.
    """

    data: Job
    settings: MetricSettings
    making: Making | None = None
    page: bool = False
    margins: bool = False


def score_batch(job: ScoreJob, task: BatchTask) -> BatchSum[RunTally]:
    """The tally of one batch; faults of its rows are in it, for the whole to report.

    In a run directory in the making a batch that is finished is not done again.
    """
    making = job.making
    # Asked by the worker, not by whoever plans: on a cluster the records are read where the work is.
    if making is not None and (kept := making.finished(task.batch.number)) is not None:
        return kept
    cards: list[Scorecard] = []

    def counted(ready: ReadyBatch) -> RunTally:
        scored = _scored(job, task, ready)
        cards.append(scored.card)
        kept_too = making is not None
        return tally_of(scored, task.batch.first, clips=kept_too, page=kept_too and job.page, batch=True)

    total = counted_batch(job.data, task, counted)
    if making is not None and total.tally is not None:
        making.keep(task.batch.number, total, cards[0])
    return total


def _scored(job: ScoreJob, task: BatchTask, ready: ReadyBatch) -> Scored:
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
    return score_prepared(
        Scored,
        contract,
        family,
        replace(tables, durations=ready.durations),
        ready.diagnostics,
        data.labels,
        conditions=task.conditions,
        settings=job.settings,
        margins=job.margins,
    )
