"""The plan of a scoring in batches, and one batch: its events read, prepared and counted."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from tracepact.data.assembly import check_windows, class_set, clip_lengths, report_one_sided, report_unknown_clips
from tracepact.data.event_rows import Ends, Outside, ends_of, is_outside
from tracepact.data.events import Durations, Event, EventTable, Regions, ScoreField, common_unit, ratios, roomy, ticks
from tracepact.data.family import Indices, Mode, ceil_div
from tracepact.data.labels import LabelMap, apply_map, report_merged, report_unused
from tracepact.data.memory import AudioFolder, audio_durations
from tracepact.data.preparation import Prepared, SideTables, called_alike, prepare, report_table_lengths
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Diagnostic
from tracepact.language.compilation import parse_contract
from tracepact.language.contract import Contract
from tracepact.records import Record
from tracepact.runs.report import DiagnosticsRecord, OutsideEvent
from tracepact.runs.sides import (
    InPieces,
    PlacedOutside,
    SideNames,
    Sides,
    SideSum,
    Source,
    label_table,
    names_alone,
    names_of,
    origin_of,
)
from tracepact.thresholds.family import contract_of_field, report_columns
from tracepact.wording import parse_stored, seconds

# What one batch gives, or many together, as a record that can be added.


class AddableTally(Protocol):
    """Counts of some clips that can be added in any order, with the findings about the input."""

    @property
    def findings(self) -> DiagnosticsRecord:
        """What was found."""

    def __add__(self, other: Self) -> Self: ...


Tallied = TypeVar("Tallied", bound=AddableTally)
NO_FINDINGS = DiagnosticsRecord({}, ())


class FailedBatch(Record, frozen=True):
    """A batch that failed: its number, its first and last clip, how many clips it has, and why it failed."""

    batch: int
    first: str
    last: str
    clips: int
    why: str


class BatchSum(Record, Generic[Tallied], frozen=True):
    """What one batch gives, or many together; without a tally if no batch could be counted."""

    batches: int
    tally: Tallied | None
    errors: DiagnosticsRecord
    reference: SideSum
    prediction: SideSum
    outside: tuple[PlacedOutside, ...] = ()
    given_up: tuple[FailedBatch, ...] = ()

    @property
    def findings(self) -> DiagnosticsRecord:
        """What was found of the clips that were counted."""
        return NO_FINDINGS if self.tally is None else self.tally.findings

    def __add__(self, other: "BatchSum[Tallied]") -> "BatchSum[Tallied]":
        tallies = [one for one in (self.tally, other.tally) if one is not None]
        return BatchSum(
            self.batches + other.batches,
            tallies[0] + tallies[1] if len(tallies) == 2 else tallies[0] if tallies else None,
            self.errors + other.errors,
            self.reference + other.reference,
            self.prediction + other.prediction,
            # Results arrive in any order: what is listed is sorted by its place in the whole, so that sums are alike.
            tuple(sorted((*self.outside, *other.outside), key=lambda one: one.place)),
            tuple(sorted((*self.given_up, *other.given_up), key=lambda one: one.batch)),
        )


# The plan of a scoring in batches: what only the whole can tell is checked first, and clips are cut into batches.

_MASKS = 40
"""About how many masks of a clip are held at once, of both sides, clauses and their parts."""
_EVENT = 1_500
"""About how many bytes an event takes, as it is read and as it is counted."""
_CLIP = 3_000
"""About how many bytes a clip takes beside its masks and events."""
_REFUSED = 1 << 40
"""More frames than any clip may have."""
_TEXT = 30
"""About how many bytes a byte of a file takes that holds one clip, as it is read: scores are many short texts."""
_UNMEASURED = Fraction(60)
"""How long a clip is taken to be for its memory, where nothing says how long it is."""
LEAST_CLIPS, MOST_CLIPS = 16, 20_000
"""A batch is never smaller, so that work outweighs its start; never larger, so that it stays near the processor."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive clips of the whole, and the pieces of either side that hold their events."""

    number: int
    first: int
    last: int
    reference: tuple[int, ...]
    prediction: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """A scoring cut into batches: the clips in their order, the known lengths, the class set, the batches.

    `findings` is what was found by the pass over names; nothing of it is found again by a batch.
    """

    clips: tuple[str, ...]
    lengths: Mapping[str, Fraction]
    durations: Durations | Fraction | None
    classes: tuple[str, ...]
    batches: tuple[Batch, ...]
    findings: Diagnostics


def make_plan(
    contract: Contract,
    sides: Sides,
    mode: Mode,
    memory: int,
    most_clips: int | None,
    diagnostics: Diagnostics,
    *,
    every_length: bool = True,
    columns: Sequence[str] | None = None,
) -> BatchPlan:
    """Check the whole by its names and cut it into batches of at most `memory` bytes each; errors raise InvalidInput.

    `every_length` asks that every clip has a length that is known, as in a scoring (rule 5.1). `columns` are the
    classes of predicted scores of frames, which have no labels of their own, as a label map calls them (rule 19.3).
    """
    # Everything that needs both sides at once is decided here, from names alone: batches know only their own clips.
    reference, prediction, durations, labels = sides.reference, sides.prediction, sides.lengths, sides.labels
    names = [names_of(side, diagnostics) for side in (reference, prediction)]
    diagnostics.raise_errors()
    ref, pred = names
    known = ref.clips if isinstance(durations, AudioFolder) else {**ref.clips, **pred.clips}
    if isinstance(durations, AudioFolder):
        durations = audio_durations(durations, known, diagnostics)
    elif isinstance(durations, Durations):
        durations = called_alike(durations, known)
    listed = [label_table(side, own) for side, own in zip((reference, prediction), names, strict=True)]
    named = EventTable(reference.name, {**dict.fromkeys(ref.clips, ()), **listed[0].clips})
    unknown = _unknown(prediction, pred, ref, durations)
    if every_length:
        lengths = clip_lengths(named, unknown, durations, diagnostics)
        clips = tuple(lengths)
    else:
        clips, lengths = _known_lengths(named, unknown, durations, diagnostics)
    if labels is not None:
        used = listed[0].labels | listed[1].labels
        report_unused(labels, used, diagnostics)
        report_merged(labels, used, diagnostics)
        listed = [apply_map(labels, table, diagnostics).table for table in listed]
    if columns is not None and mode is Mode.CLASS_INDEXED:
        report_columns(contract, listed[0], columns, prediction.name, diagnostics)
        contract = contract_of_field(contract, listed[0], columns)
    if sides.outside is Outside.DROP and columns is None:
        listed[1] = _without_dropped(listed[1], _tables(prediction, pred), lengths, labels)
    classes = class_set(contract, listed[0], listed[1], mode, diagnostics)
    diagnostics.raise_errors()
    # A window that is longer than some clips is told with their number, which only the whole has.
    frames = _frames(contract, [lengths.get(clip, _UNMEASURED) for clip in clips])
    check_windows(contract, frames, diagnostics)
    if columns is None:
        report_one_sided(listed[0], listed[1], diagnostics)
    if sides.ignore is not None:
        _report_unused_regions(sides.ignore, frozenset(clips), diagnostics)
    for side in (reference, prediction):
        report_table_lengths(names_alone(side), durations, diagnostics)
    size = _sizes(clips, names, frames, len(classes), contract.reach)
    bounds = _bounds(size, memory, most_clips or MOST_CLIPS)
    return BatchPlan(clips, lengths, durations, tuple(classes), tuple(_batches(clips, bounds, names)), diagnostics)


def _unknown(prediction: Source, pred: SideNames, ref: SideNames, durations: Durations | Fraction | None) -> EventTable:
    """The predicted clips that nothing else names, each with its first row."""
    listed = durations.clips if isinstance(durations, Durations) else {}
    unknown = {clip: number for clip, number in pred.clips.items() if clip not in ref.clips and clip not in listed}
    none = Fraction(0)
    rows = {clip: int(pred.first[number]) for clip, number in unknown.items()}
    clips = {clip: (Event(none, none, "", None if row < 0 else row),) for clip, row in rows.items()}
    return EventTable(prediction.name, clips, None, origin_of(prediction, pred, clips))


def _tables(prediction: Source, names: SideNames) -> Iterator[EventTable]:
    """The predictions piece by piece; what is wrong with them is told by their batches."""
    if isinstance(prediction, EventTable):
        yield prediction
        return
    for piece in range(len(names.pieces)):
        yield prediction.events((piece,), names.clips, Diagnostics())


def _without_dropped(
    listed: EventTable, tables: Iterable[EventTable], lengths: Mapping[str, Fraction], labels: LabelMap | None
) -> EventTable:
    """The labels that predictions have once those outside their clips are left out (13.31)."""
    # The one policy under which names do not tell the classes: a label may have no event that stays.
    staying: set[str] = set()
    for table in tables:
        mapped = table if labels is None else apply_map(labels, table, Diagnostics()).table
        staying |= {e.label for clip, e in mapped.events if clip not in lengths or not is_outside(e, lengths[clip])}
    clips = {clip: tuple(e for e in events if e.label in staying) for clip, events in listed.clips.items()}
    return replace(listed, clips=clips)


def _known_lengths(
    reference: EventTable, unknown: EventTable, durations: Durations | Fraction | None, diagnostics: Diagnostics
) -> tuple[tuple[str, ...], dict[str, Fraction]]:
    """The clips of the reference and of the durations, in that order, and the lengths that are said."""
    listed = durations.clips if isinstance(durations, Durations) else {}
    report_unknown_clips(unknown, reference, listed, diagnostics)
    clips = tuple({**reference.clips, **listed})
    if isinstance(durations, Fraction):
        return clips, dict.fromkeys(clips, durations)
    return clips, {clip: listed[clip] for clip in clips if clip in listed}


def _report_unused_regions(ignore: Regions, clips: Collection[str], diagnostics: Diagnostics) -> None:
    for clip, event in ignore.events:
        if clip not in clips:
            headline = f"the ignore region of `{clip}` at {seconds(event.onset)} is for no clip and class of the family"
            diagnostics.add("unused-ignore", headline, ignore.place(clip, event.row))


def _frames(contract: Contract, lengths: Sequence[Fraction]) -> NDArray[np.int64]:
    """How many frames clips of these lengths have; so many that no limit allows them are refused with their batch."""
    taken = ratios(lengths)
    unit = common_unit(taken, (contract.step,))
    step = int(contract.step * unit)
    counted: NDArray[np.int64] = np.minimum(ceil_div(roomy(ticks(taken, unit), step), step), _REFUSED).astype(np.int64)
    return counted


def _sizes(
    clips: Sequence[str], names: Sequence[SideNames], frames: NDArray[np.int64], classes: int, reach: int
) -> NDArray[np.int64]:
    """About how many bytes each clip takes while it is scored."""
    events, texts = np.zeros((2, len(clips)), dtype=np.int64)
    for side in names:
        rows = np.array([side.clips.get(clip, -1) for clip in clips], dtype=np.int64)
        events += np.append(side.rows, 0)[rows]
        if side.sizes is not None:
            texts += np.append(side.sizes, 0)[rows]
    # A clip is followed by as many frames as a window reaches, so that no window sees its neighbour (`Layout`).
    words = -(-(frames + np.minimum(reach, frames) + 1) // 64) * 8 * classes
    return _CLIP + events * _EVENT + words * _MASKS + texts * _TEXT


def _bounds(size: NDArray[np.int64], memory: int, most: int) -> list[int]:
    """Where batches begin and the last ends: as many clips as have room, at least a few, at most `most`."""
    bounds = [0]
    # Sums from the first clip on let a bound be found by bisection: a plan of a million clips takes no loop over them.
    sums = np.append(0, np.cumsum(size))
    while bounds[-1] < len(size):
        first = bounds[-1]
        last = int(np.searchsorted(sums, sums[first] + memory, side="right")) - 1
        # At least some clips, whatever they take: one clip that is larger than the memory must be tried all the same.
        bounds.append(min(max(last, first + min(LEAST_CLIPS, most)), first + most, len(size)))
    return bounds


def _batches(clips: Sequence[str], bounds: Sequence[int], names: Sequence[SideNames]) -> list[Batch]:
    place = {clip: number for number, clip in enumerate(clips)}
    held = []
    for side in names:
        where = np.array([place.get(clip, 0) for clip in side.clips], dtype=np.int64)
        batch_of = np.searchsorted(np.array(bounds[1:]), where, side="right")
        # Which pieces a batch must read follows from the clips of each piece, by their places in the whole.
        pieces: list[list[int]] = [[] for _ in bounds[1:]]
        for number, own in enumerate(side.pieces):
            for batch in np.unique(batch_of[own]).tolist():
                pieces[batch].append(number)
        for number in side.nameless:  # the first batch says what is wrong with rows that name no clip
            pieces[0].append(number)
        held.append([tuple(sorted(set(some))) for some in pieces])
    cut = zip(bounds[:-1], bounds[1:], *held, strict=True)
    return [Batch(number, first, last, ref, pred) for number, (first, last, ref, pred) in enumerate(cut)]


# One batch: its events are read and prepared, and what is counted of them is left as a sum that can be added.


@dataclass(frozen=True, slots=True)
class SentContract:
    """A contract as it is sent to workers: its source and what was set, its canonical text and its digest."""

    source: str
    name: str
    overrides: tuple[tuple[str, str], ...]
    canonical: str
    digest: str

    @classmethod
    def of(cls, contract: Contract) -> "SentContract":
        """A contract in the form that is sent."""
        overrides = tuple((p.name, p.text) for p in contract.parameters if p.overridden)
        return cls(contract.source.text, contract.source.name, overrides, contract.text, contract.digest)

    @property
    def contract(self) -> Contract:
        """The contract, compiled here; InvalidInput if it is not the one that was sent."""
        return _compiled(self)


# A worker does many batches of one scoring: the contract is compiled once in each, not once a batch.
@lru_cache(maxsize=4)
def _compiled(sent: SentContract) -> Contract:
    # Contracts are sent as text: pickled nodes would be taken for the same by a worker with another version.
    found = parse_contract(sent.source, dict(sent.overrides), name=sent.name)
    if (found.digest, found.text) != (sent.digest, sent.canonical):
        headline = f"a worker makes another contract of the text of `{found.name}`: its digest is {found.digest}"
        raise InvalidInput([Diagnostic("other-contract", headline, None, "install the same versions everywhere")])
    return found


@dataclass(frozen=True, slots=True)
class Job:
    """The part of the work that all batches share; `durations` names the table of lengths, None if there are none."""

    contract: SentContract
    reference: InPieces | None
    prediction: InPieces | None
    classes: tuple[str, ...]
    mode: Mode
    labels: LabelMap | None
    outside: Outside
    durations: str | None


def job_of(contract: Contract, sides: Sides, plan: BatchPlan, mode: Mode) -> Job:
    """The job of a plan, which all its batches share."""
    name = plan.durations.name if isinstance(plan.durations, Durations) else "durations"
    return Job(
        SentContract.of(contract),
        *sides.in_pieces,
        plan.classes,
        mode,
        sides.labels,
        sides.outside,
        None if plan.durations is None else name,
    )


@dataclass(frozen=True, slots=True)
class BatchTask:
    """The input of one batch: its clips, their known lengths, and the parts of its tables that are in memory."""

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


def ready_batch(job: Job, task: BatchTask) -> ReadyBatch:
    """Read and prepare one batch; what makes it useless raises InvalidInput."""
    diagnostics = Diagnostics()
    # Rows that name no clip belong to no batch; the first reads them, so that they are reported, and only once.
    clips: Collection[str] = {*task.clips, *([""] if task.batch.number == 0 else [])}
    reference, prediction = (
        _read(source, pieces, clips, diagnostics) if held is None else held
        for held, source, pieces in (
            (task.reference, job.reference, task.batch.reference),
            (task.prediction, job.prediction, task.batch.prediction),
        )
    )
    # Files are read piece by piece, in which clips stand in another order than in the whole.
    reference = replace(reference, clips=_in_order(reference, task.clips))
    # A batch has a table of its own lengths even where one length holds for all: what is said of a clip without one
    # then names the same table in every batch.
    durations = None if job.durations is None else Durations(job.durations, task.lengths)
    tables = SideTables(reference, prediction, durations, task.ignore, job.labels, job.outside)
    # What only the whole can tell was reported when the plan was made; a batch would repeat it, or get it wrong.
    ready = prepare(tables, diagnostics, whole=False)
    ends = ends_of(reference, durations), ends_of(prediction, durations)
    return ReadyBatch(ready, durations, diagnostics, ends, prediction.origin.scores if prediction.origin else None)


def batch_sum(task: BatchTask, ready: ReadyBatch, tally: Tallied) -> BatchSum[Tallied]:
    """The sum of one batch, with the tally of its clips."""
    record = ready.tables.record
    sides = [
        SideSum(record[side]["dropped"], record[side]["ignored"], own)
        for side, own in zip(("reference", "prediction"), ready.ends, strict=True)
    ]
    index = {clip: task.batch.first + number for number, clip in enumerate(task.clips)}
    outside = (
        PlacedOutside(
            (index[one["clip"]], number),
            OutsideEvent(
                one["clip"], one["class"], parse_stored(one["onset"]), parse_stored(one["offset"]), one["row"]
            ),
        )
        for number, one in enumerate(record.get("outside", {}).get("events", ()))
    )
    return BatchSum(1, tally, NO_FINDINGS, sides[0], sides[1], tuple(sorted(outside, key=lambda one: one.place)))


def counted_batch(job: Job, task: BatchTask, count: Callable[[ReadyBatch], Tallied]) -> BatchSum[Tallied]:
    """The sum of one batch; `count` tallies its clips. Faults of its rows are in the sum, for the whole to report."""
    try:
        ready = ready_batch(job, task)
        tally = count(ready)
        ready.diagnostics.raise_errors()
    except InvalidInput as error:
        # Other faults are of rows, and collected over all batches; this one makes every result of the worker worthless.
        if any(one.code == "other-contract" for one in error.diagnostics):
            raise
        return BatchSum(1, None, DiagnosticsRecord.of(error.diagnostics), SideSum(), SideSum())
    return batch_sum(task, ready, tally)


def failed_batch(task: BatchTask, why: str) -> BatchSum[Tallied]:
    """The sum of a batch that was given up: it counts nothing, and the batch is named."""
    gone = FailedBatch(task.batch.number, task.clips[0], task.clips[-1], len(task.clips), why)
    return BatchSum(1, None, NO_FINDINGS, SideSum(), SideSum(), (), (gone,))


def _read(
    source: InPieces | None, pieces: tuple[int, ...], clips: Collection[str], diagnostics: Diagnostics
) -> EventTable:
    assert source is not None  # a side is in memory or in pieces
    return source.events(pieces, clips, diagnostics)


def _in_order(table: EventTable, clips: Collection[str]) -> dict[str, tuple[Event, ...]]:
    """The clips of a table in the order of the whole."""
    return {clip: table.clips[clip] for clip in clips if clip in table.clips}
