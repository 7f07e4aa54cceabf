"""One batch: its events are read, prepared, put on the grid and scored; what is left is a tally."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostic, Diagnostics, InvalidInput
from tracepact.io import LabelMap, prepare
from tracepact.io.dataset import Dataset
from tracepact.io.outside import Outside
from tracepact.io.units import Ends, ends_of
from tracepact.lang import parse_contract
from tracepact.metrics import MetricSettings
from tracepact.scoring import score_family
from tracepact.tools.score.batches.making import Making
from tracepact.tools.score.batches.plan import Batch
from tracepact.tools.score.batches.sums import BatchSum, GivenUp, PlacedOutside, SideSum
from tracepact.tools.score.report.preparation import OutsideEvent
from tracepact.tools.score.scored import Scored
from tracepact.tools.score.tally import FindingsTally, tally_of
from tracepact.trace import Durations, Event, EventTable, Mode, Regions, assemble


@dataclass(frozen=True, slots=True)
class ContractText:
    """A contract as it is sent to workers: its source and what was set, its canonical text and its digest."""

    source: str
    name: str
    overrides: tuple[tuple[str, str], ...]
    canonical: str
    digest: str

    @classmethod
    def of(cls, contract: Contract) -> "ContractText":
        """What is sent of a contract."""
        overrides = tuple((p.name, p.text) for p in contract.parameters if p.overridden)
        return cls(contract.source.text, contract.source.name, overrides, contract.text, contract.digest)

    @property
    def contract(self) -> Contract:
        """The contract, compiled here; InvalidInput if it is not the one that was sent."""
        return _compiled(self)


@lru_cache(maxsize=4)
def _compiled(sent: ContractText) -> Contract:
    found = parse_contract(sent.source, dict(sent.overrides), name=sent.name)
    if (found.digest, found.text) != (sent.digest, sent.canonical):
        headline = f"a worker makes another contract of the text of `{found.name}`: its digest is {found.digest}"
        raise InvalidInput([Diagnostic("other-contract", headline, None, "install the same versions everywhere")])
    return found


@dataclass(frozen=True, slots=True)
class Job:
    """What all batches share."""

    contract: ContractText
    reference: Dataset | None
    prediction: Dataset | None
    classes: tuple[str, ...]
    mode: Mode
    labels: LabelMap | None
    outside: Outside
    settings: MetricSettings
    durations: str
    making: Making | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """What one batch needs: its clips with their lengths, and what of its sides and tables is in memory."""

    batch: Batch
    lengths: Mapping[str, Fraction]
    reference: EventTable | None = None
    prediction: EventTable | None = None
    ignore: Regions | None = None
    conditions: Mapping[str, str] | None = None


_NO_FINDINGS = FindingsTally({}, ())


def failed_batch(task: Task, why: str) -> BatchSum:
    """What a batch that was given up counts as: nothing, and it is named."""
    clips = list(task.lengths)
    gone = GivenUp(task.batch.number, clips[0], clips[-1], len(clips), why)
    return BatchSum(1, None, _NO_FINDINGS, SideSum(), SideSum(), (), (gone,))


def score_batch(job: Job, task: Task) -> BatchSum:
    """The tally of one batch; faults of its rows are in it, for the whole to report.

    In a run directory in the making a batch that is finished is not done again.
    """
    making = job.making
    if making is not None and (kept := making.finished(task.batch.number)) is not None:
        return kept
    try:
        scored, prepared, ends = _scored(job, task)
    except InvalidInput as error:
        if any(found.code == "other-contract" for found in error.diagnostics):
            raise
        return BatchSum(1, None, FindingsTally.of(error.diagnostics), SideSum(), SideSum())
    tally = tally_of(scored, task.batch.first)
    sides = [
        SideSum(prepared[side]["dropped"], prepared[side]["ignored"], (own.events, own.far, own.outside, own.tiny))
        for side, own in zip(("reference", "prediction"), ends, strict=True)
    ]
    index = {clip: task.batch.first + number for number, clip in enumerate(task.lengths)}
    listed = prepared.get("outside", {}).get("events", ())
    outside = tuple(
        PlacedOutside(
            (index[one["clip"]], number),
            OutsideEvent(one["clip"], one["class"], Fraction(one["onset"]), Fraction(one["offset"]), one["row"]),
        )
        for number, one in enumerate(listed)
    )
    ordered = tuple(sorted(outside, key=lambda one: one.place))
    found = BatchSum(1, tally, _NO_FINDINGS, sides[0], sides[1], ordered)
    if making is not None:
        making.keep(task.batch.number, found, scored.card)
    return found


def _scored(job: Job, task: Task) -> tuple[Scored, dict[str, Any], tuple[Ends, Ends]]:
    contract = job.contract.contract
    diagnostics = Diagnostics()
    clips: Collection[str] = {*task.lengths, *([""] if task.batch.number == 0 else [])}
    reference, prediction = (
        _read(source, pieces, clips, diagnostics) if held is None else held
        for held, source, pieces in (
            (task.reference, job.reference, task.batch.reference),
            (task.prediction, job.prediction, task.batch.prediction),
        )
    )
    reference = replace(reference, clips=_in_order(reference, task.lengths))
    durations = Durations(job.durations, task.lengths)
    ready = prepare(reference, prediction, durations, task.ignore, job.labels, diagnostics, job.outside, whole=False)
    family = assemble(
        contract,
        ready.reference,
        ready.prediction,
        durations=ready.durations,
        mode=job.mode,
        ignore=ready.ignore,
        diagnostics=diagnostics,
        allow_outside=job.outside is not Outside.ERROR,
        classes=job.classes,
    )
    scored = Scored(
        score_family(contract, family),
        ready.reference,
        ready.prediction,
        durations,
        tuple(diagnostics),
        (),
        ready.ignore,
        task.conditions,
        ready.record,
        None,
        job.settings,
    )
    return scored, ready.record, (ends_of(reference, durations), ends_of(prediction, durations))


def _read(
    source: Dataset | None, pieces: tuple[int, ...], clips: Collection[str], diagnostics: Diagnostics
) -> EventTable:
    assert source is not None  # a side is in memory or in pieces
    return source.events(pieces, clips, diagnostics)


def _in_order(table: EventTable, lengths: Mapping[str, Fraction]) -> dict[str, tuple[Event, ...]]:
    """The clips of a table in the order of the whole."""
    return {clip: table.clips[clip] for clip in lengths if clip in table.clips}
