"""One batch: its events are read and prepared, and what is counted of them is left as a sum that can be added."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostic, Diagnostics, InvalidInput
from tracepact.io import LabelMap, Prepared, prepare
from tracepact.io.outside import Outside
from tracepact.io.units import Ends, ends_of
from tracepact.lang import parse_contract
from tracepact.tools.score.batches.plan import Batch
from tracepact.tools.score.batches.sides import InPieces
from tracepact.tools.score.batches.sums import NO_FINDINGS, BatchSum, GivenUp, PlacedOutside, SideSum, Tallied
from tracepact.tools.score.report.preparation import OutsideEvent
from tracepact.tools.score.tally import FindingsTally
from tracepact.trace import Durations, Event, EventTable, Mode, Regions, ScoreField
from tracepact.trace.layout import Indices


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
    """What all batches share; `durations` is what the table of lengths is called, None where nothing says any."""

    contract: ContractText
    reference: InPieces | None
    prediction: InPieces | None
    classes: tuple[str, ...]
    mode: Mode
    labels: LabelMap | None
    outside: Outside
    durations: str | None


@dataclass(frozen=True, slots=True)
class Task:
    """What one batch needs: its clips, the lengths that are known, and what of its sides and tables is in memory."""

    batch: Batch
    clips: tuple[str, ...]
    lengths: Mapping[str, Fraction]
    reference: EventTable | None = None
    prediction: EventTable | None = None
    ignore: Regions | None = None
    conditions: Mapping[str, str] | None = None

    def places(self, clips: Sequence[str]) -> Indices:
        """The numbers in the whole of clips of the batch."""
        number = {clip: self.batch.first + place for place, clip in enumerate(self.clips)}
        return np.array([number[clip] for clip in clips], dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class ReadyBatch:
    """One batch as it was read and prepared, what was found, and how its events end; `scores` are those of frames."""

    tables: Prepared
    durations: Durations | None
    diagnostics: Diagnostics
    ends: tuple[Ends, Ends]
    scores: ScoreField | None


def ready_batch(job: Job, task: Task) -> ReadyBatch:
    """Read and prepare one batch; what makes it useless raises InvalidInput."""
    diagnostics = Diagnostics()
    clips: Collection[str] = {*task.clips, *([""] if task.batch.number == 0 else [])}
    reference, prediction = (
        _read(source, pieces, clips, diagnostics) if held is None else held
        for held, source, pieces in (
            (task.reference, job.reference, task.batch.reference),
            (task.prediction, job.prediction, task.batch.prediction),
        )
    )
    reference = replace(reference, clips=_in_order(reference, task.clips))
    durations = None if job.durations is None else Durations(job.durations, task.lengths)
    ready = prepare(reference, prediction, durations, task.ignore, job.labels, diagnostics, job.outside, whole=False)
    ends = ends_of(reference, durations), ends_of(prediction, durations)
    return ReadyBatch(ready, durations, diagnostics, ends, prediction.origin.scores if prediction.origin else None)


def batch_sum(task: Task, ready: ReadyBatch, tally: Tallied) -> BatchSum[Tallied]:
    """What a batch gives, with what was counted of it."""
    record = ready.tables.record
    sides = [
        SideSum(record[side]["dropped"], record[side]["ignored"], (own.events, own.far, own.outside, own.tiny))
        for side, own in zip(("reference", "prediction"), ready.ends, strict=True)
    ]
    index = {clip: task.batch.first + number for number, clip in enumerate(task.clips)}
    outside = (
        PlacedOutside(
            (index[one["clip"]], number),
            OutsideEvent(one["clip"], one["class"], Fraction(one["onset"]), Fraction(one["offset"]), one["row"]),
        )
        for number, one in enumerate(record.get("outside", {}).get("events", ()))
    )
    return BatchSum(1, tally, NO_FINDINGS, sides[0], sides[1], tuple(sorted(outside, key=lambda one: one.place)))


def counted_batch(job: Job, task: Task, count: Callable[[ReadyBatch], Tallied]) -> BatchSum[Tallied]:
    """What a batch gives, given what is counted of it; faults of its rows are in it, for the whole to report."""
    try:
        ready = ready_batch(job, task)
        tally = count(ready)
        ready.diagnostics.raise_errors()
    except InvalidInput as error:
        return faulty_batch(error)
    return batch_sum(task, ready, tally)


def faulty_batch(error: InvalidInput) -> BatchSum[Tallied]:
    """What a batch gives whose rows have faults: the faults, for the whole to report; another contract is raised."""
    if any(found.code == "other-contract" for found in error.diagnostics):
        raise error
    return BatchSum(1, None, FindingsTally.of(error.diagnostics), SideSum(), SideSum())


def failed_batch(task: Task, why: str) -> BatchSum[Tallied]:
    """What a batch that was given up counts as: nothing, and it is named."""
    gone = GivenUp(task.batch.number, task.clips[0], task.clips[-1], len(task.clips), why)
    return BatchSum(1, None, NO_FINDINGS, SideSum(), SideSum(), (), (gone,))


def _read(
    source: InPieces | None, pieces: tuple[int, ...], clips: Collection[str], diagnostics: Diagnostics
) -> EventTable:
    assert source is not None  # a side is in memory or in pieces
    return source.events(pieces, clips, diagnostics)


def _in_order(table: EventTable, clips: Collection[str]) -> dict[str, tuple[Event, ...]]:
    """The clips of a table in the order of the whole."""
    return {clip: table.clips[clip] for clip in clips if clip in table.clips}
