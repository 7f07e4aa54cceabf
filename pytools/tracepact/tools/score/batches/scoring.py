"""Scores a source of clips that may be larger than memory, in batches by an engine; the result is that of the whole."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import structs

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostic, Diagnostics, InvalidInput, RowPlace, one_of
from tracepact.diagnostics.codes import CODES, Severity
from tracepact.diagnostics.record import DiagnosticRecord, RowPlaceRecord
from tracepact.engines import Engine, Progress, Work, engine_from, run_tasks
from tracepact.io import (
    AudioFolder,
    Conditions,
    LabelMap,
    Reading,
    conditions_from,
    durations_from,
    events_from,
    label_map_from,
    regions_from,
)
from tracepact.io.dataset import Dataset, is_dataset, open_dataset
from tracepact.io.decoding import keep_confident
from tracepact.io.outside import Outside
from tracepact.io.preparing import name_clips
from tracepact.io.reading import report_unused_readings
from tracepact.io.units import Ends, report_length_unit, report_unit
from tracepact.metrics import MetricSettings
from tracepact.scoring.by_clause import ByClause
from tracepact.tools.score.batches.plan import Plan, Source, make_plan
from tracepact.tools.score.batches.store import finish, start_making
from tracepact.tools.score.batches.sums import BatchSum, GivenUp, SideSum
from tracepact.tools.score.batches.work import ContractText, Job, Task, failed_batch, score_batch
from tracepact.tools.score.inputs import check_conditions, contract_from, input_name
from tracepact.tools.score.report.build import Head, report_from
from tracepact.tools.score.report.record import Report
from tracepact.tools.score.report.text import report_text
from tracepact.tools.score.scored import Input
from tracepact.tools.score.tally import FindingsTally, RunTally
from tracepact.trace import Durations, EventTable, Mode, Regions
from tracepact.wording import count

USUAL_MEMORY = "2GB"
_UNITS = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*")
_SHARE = 4
"""A batch may take this part of the memory that is left for each worker; names, reading and results take the rest."""
_LEAST = 64 * 10**6


def memory_from(given: str | int) -> int:
    """An amount of memory in bytes, from text such as `2GB`; InvalidInput if it is none."""
    found = _SIZE.fullmatch(str(given))
    unit = _UNITS.get(found[2].lower()) if found else None
    amount = int(Fraction(found[1]) * unit) if found and unit else 0
    if amount < _LEAST:
        headline = f"`{given}` is not an amount of memory of at least 64MB"
        raise InvalidInput([Diagnostic("bad-memory", headline, None, "write it as `2GB` or `500MB`")])
    return amount


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
    progress: Callable[[Plan], Progress] | None = None,
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
        progress: given the plan, what is told how many batches are done.

    Returns:
        The run: its report, and the batches that failed, if any did.

    Raises:
        InvalidInput: the contract or the data cannot be used; it carries every fault.
        EngineLost: the scheduler went away.

    Examples:
        >>> import tracepact
        >>> clips = {"a": [(1, 2)], "b": [(0, 1)]}
        >>> run = tracepact.score_batches("boundary_gate", clips, clips, durations=3, batch_clips=1)
        >>> run.batches, set(run.vector.values())
        (2, {Fraction(1, 1)})
    """
    chosen, room = engine_from(engine), memory_from(memory)
    compiled = contract_from(contract, set)
    if compiled.declared_atoms:
        headline = "the contract declares atoms, whose masks are given for all clips at once"
        raise InvalidInput([Diagnostic("not-in-batches", headline, None, "score it without an engine")])
    diagnostics = Diagnostics()
    diagnostics.extend(compiled.warnings)
    labels = label_map_from(label_map, diagnostics)
    policy = one_of(Outside, outside, "policy for events outside their clips")
    given_mode = one_of(Mode, mode, "mode")
    readings = [ref_reading or Reading(), pred_reading or Reading()]
    sides = [
        _source(data, own, name, diagnostics)
        for data, own, name in zip((ref, pred), readings, ("ref", "pred"), strict=True)
    ]
    lengths = durations if isinstance(durations, AudioFolder) else durations_from(durations, diagnostics)
    regions = regions_from(ignore, diagnostics) if ignore is not None else None
    groups = conditions_from(conditions, diagnostics) if conditions is not None else None
    diagnostics.raise_errors()
    reference, prediction = (side for side in sides if side is not None)
    reference, prediction, renamed = _called_alike(reference, prediction, lengths, diagnostics)
    plan = make_plan(
        compiled,
        reference,
        prediction,
        lengths,
        given_mode,
        labels,
        regions,
        room // (_SHARE * chosen.number),
        batch_clips,
        diagnostics,
    )
    if groups:
        check_conditions(groups, plan.clips, diagnostics)
    diagnostics.raise_errors()
    own_settings = settings or MetricSettings()
    job = Job(
        ContractText.of(compiled),
        reference if isinstance(reference, Dataset) else None,
        prediction if isinstance(prediction, Dataset) else None,
        plan.classes,
        given_mode,
        labels,
        policy,
        own_settings,
        plan.durations.name if isinstance(plan.durations, Durations) else "durations",
    )
    inputs = _inputs(reference, prediction, plan.durations, regions, groups, labels)
    head = Head(
        compiled,
        given_mode,
        plan.classes,
        inputs,
        {"label_map": labels.data if labels is not None else None, "policy": policy.value},
        own_settings,
        violations,
    )
    making = None
    if out is not None:
        sides_given = (reference, prediction, regions, groups.clips if groups else None)
        making = start_making(Path(out), plan, head, sides_given, violations=violations)
        job = replace(job, making=making)
    work = Work(partial(score_batch, job), _Tasks(plan, reference, prediction, regions, groups), failed_batch)
    total = run_tasks(chosen, work, progress(plan) if progress else None)
    tally = _finished(total, plan, (reference.name, prediction.name), diagnostics, strict)
    head = replace(head, preparation=_preparation(total, (reference, prediction), renamed, labels, policy))
    run = BatchRun(head, tally, len(plan.clips), len(plan.batches), total.given_up if total else ())
    if making is not None and run.complete:
        finish(Path(out or ""), making, plan, head, run.report)
    return run


def refuse_in_batches(**given: object) -> None:
    """Refuse what needs all clips at once."""
    found = [name for name, value in given.items() if value is not None]
    if found:
        headline = f"`{found[0]}` is for scoring all clips at once"
        raise InvalidInput([Diagnostic("not-in-batches", headline, None, "leave out the engine, or this")])


def _source(data: Any, reading: Reading, name: str, diagnostics: Diagnostics) -> Source | None:
    """A side in pieces where it can be read so, else in memory; None, which is reported, if it cannot be read."""
    plain = reading.format in (None, "table") and reading.columns is None and reading.decoding is None
    if plain and is_dataset(data):
        return open_dataset(data, diagnostics)
    table = keep_confident(events_from(data, diagnostics, name=name, reading=reading), reading.decoding, diagnostics)
    report_unused_readings(((reading, table),), diagnostics)
    return table


def _called_alike(
    reference: Source, prediction: Source, lengths: Durations | Fraction | AudioFolder | None, diagnostics: Diagnostics
) -> tuple[Source, Source, tuple[int, int]]:
    """Sides in memory whose clips are named by files, under the names that the other tables use (rule 13.3)."""
    if isinstance(reference, Dataset) or isinstance(prediction, Dataset):
        return reference, prediction, (0, 0)
    listed = lengths.clips if isinstance(lengths, Durations) else {}
    ref, ref_renamed = name_clips(reference, prediction, listed, diagnostics)
    pred, pred_renamed = name_clips(prediction, ref, listed, diagnostics)
    return ref, pred, (ref_renamed, pred_renamed)


class _Tasks(Sequence[Task]):
    """The tasks of a plan, each made when it is asked for."""

    def __init__(
        self, plan: Plan, reference: Source, prediction: Source, ignore: Regions | None, groups: Conditions | None
    ) -> None:
        self._plan, self._sides, self._ignore, self._groups = plan, (reference, prediction), ignore, groups

    def __len__(self) -> int:
        return len(self._plan.batches)

    def __getitem__(self, number: Any) -> Any:
        batch = self._plan.batches[number]
        clips = self._plan.clips[batch.first : batch.last]
        held = [_some(side, clips) if isinstance(side, EventTable) else None for side in self._sides]
        return Task(
            batch,
            {clip: self._plan.lengths[clip] for clip in clips},
            held[0],
            held[1],
            None if self._ignore is None else _some(self._ignore, clips),
            None if self._groups is None else {clip: self._groups.clips[clip] for clip in clips},
        )


def _some(table: EventTable, clips: Sequence[str]) -> EventTable:
    """Some clips of a table; what its files say of clips beside their events is taken from the plan."""
    origin = table.origin
    if origin is not None:
        wanted = frozenset(clips)
        files = {clip: file for clip, file in origin.files.items() if clip in wanted}
        regions = {clip: some for clip, some in origin.regions.items() if clip in wanted}
        origin = replace(origin, files=files, lengths={}, regions=regions, scores=None)
    found = {clip: table.clips[clip] for clip in clips if clip in table.clips}
    return EventTable(table.name, found, table.digest, origin)


def _inputs(
    reference: Source,
    prediction: Source,
    durations: Durations | Fraction,
    ignore: Regions | None,
    groups: Conditions | None,
    labels: LabelMap | None,
) -> tuple[Input, ...]:
    """The files that went into a run, in the order of a report."""
    named: list[tuple[str, Source | Durations | Conditions | LabelMap | None]] = [
        ("reference", reference),
        ("prediction", prediction),
        ("durations", durations if isinstance(durations, Durations) else None),
        ("ignore", ignore),
        ("conditions", groups),
        ("label_map", labels),
    ]
    return tuple(
        Input(role, input_name(table.name), table.digest) for role, table in named if table is not None and table.digest
    )


def _finished(
    total: BatchSum | None, plan: Plan, names: tuple[str, str], diagnostics: Diagnostics, strict: bool
) -> RunTally:
    """The tally of all batches with what was found of the whole; InvalidInput if a batch found an error."""
    sides = (total.reference, total.prediction) if total else (SideSum(), SideSum())
    ends = [Ends(*side.ends) for side in sides]
    for own, name in zip(ends, names, strict=True):
        report_unit(own, name, diagnostics)
    report_length_unit(ends[0], plan.durations.name if isinstance(plan.durations, Durations) else None, diagnostics)
    if total is None:
        raise InvalidInput([Diagnostic("unknown-duration", "there are no clips to score", RowPlace(names[0]))])
    found = total.errors if total.tally is None else total.errors + total.tally.findings
    warned = strict and any(CODES[code].severity is Severity.WARNING for code in found.counts)
    if total.errors.counts or warned:
        raise InvalidInput([*diagnostics, *map(diagnostic_of, found.items)])
    diagnostics.raise_errors(strict=strict)
    _report_given_up(total, diagnostics)
    if total.tally is None:
        raise InvalidInput(diagnostics)
    return structs.replace(total.tally, findings=FindingsTally.of(diagnostics) + total.tally.findings)


def _report_given_up(total: BatchSum, diagnostics: Diagnostics) -> None:
    for gone in total.given_up:
        clips = f"`{gone.first}`" if gone.clips == 1 else f"`{gone.first}` to `{gone.last}`"
        headline = f"batch {gone.batch} failed three times and is missing: {count(gone.clips, 'clip')}, {clips}"
        diagnostics.add("failed-batch", headline, None, f"the last fault was {gone.why}")


def diagnostic_of(found: DiagnosticRecord) -> Diagnostic:
    """A finding of a batch, as it was found."""
    place = RowPlace(found.place.file, found.place.line) if isinstance(found.place, RowPlaceRecord) else None
    return Diagnostic(found.code, found.headline, place, found.help)


def _preparation(
    total: BatchSum | None,
    sides: tuple[Source, Source],
    renamed: tuple[int, int],
    labels: LabelMap | None,
    policy: Outside,
) -> dict[str, Any]:
    """What was done to both sides, as plain data of the form of `Preparation`."""
    sums = (total.reference, total.prediction) if total else (SideSum(), SideSum())
    record: dict[str, Any] = {}
    for role, side, own, changed in zip(("reference", "prediction"), sides, sums, renamed, strict=True):
        origin = side.origin if isinstance(side, EventTable) else None
        format = "table" if isinstance(side, Dataset) else origin.format if origin else "memory"
        record[role] = {
            "format": format,
            "decoding": dict(origin.decoding) if origin and origin.decoding else None,
            "renamed_clips": changed,
            "lengths": 0,
            "dropped": own.dropped,
            "ignored": own.ignored,
        }
    record["label_map"] = labels.data if labels is not None else None
    outside = [one.found.to_dict() for one in total.outside] if total else []
    if policy is not Outside.ERROR and (outside or policy is not Outside.FALSE_ALARM):
        record["outside"] = {"policy": policy.value, "events": outside}
    return record
