"""The sides of a task that are not just tables: in pieces for batches, with the sums these give; scores as they are."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from tracepact.data.dataset import Dataset, encoded_texts, report_shared_clip
from tracepact.data.decoding import filtered
from tracepact.data.event_rows import Ends, Outside
from tracepact.data.events import Durations, Event, EventTable, Regions, ScoreField, TableOrigin
from tracepact.data.family import Mode
from tracepact.data.folders import FileFolder, report_score_lengths, report_table_lengths, row_number
from tracepact.data.labels import LabelMap
from tracepact.data.memory import AudioFolder
from tracepact.data.preparation import name_clips, prepare
from tracepact.data.sources import shown
from tracepact.data.tables import Conditions
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Diagnostic, RowPlace
from tracepact.language.contract import Contract
from tracepact.records import Record
from tracepact.runs.report import OutsideEvent
from tracepact.runs.tally import FindingsTally
from tracepact.runs.task import InputFile, Task, input_files, read_task
from tracepact.thresholds.family import Detections, FieldFamily, detections_of, field_family
from tracepact.wording import quoted

# What one batch gives, or many together, as a record that can be added.


class AddableTally(Protocol):
    """What is counted of some clips: it can be added in any order, and says what was odd about the input."""

    @property
    def findings(self) -> FindingsTally:
        """What was found."""

    def __add__(self, other: Self) -> Self: ...


Tallied = TypeVar("Tallied", bound=AddableTally)
NO_FINDINGS = FindingsTally({}, ())


class SideSum(Record, frozen=True):
    """What was done to a side, and how its events end."""

    dropped: int = 0
    ignored: int = 0
    ends: tuple[int, int, int, int] = (0, 0, 0, 0)

    def __add__(self, other: "SideSum") -> "SideSum":
        ends = Ends(*self.ends) + Ends(*other.ends)
        both = (ends.events, ends.far, ends.outside, ends.tiny)
        return SideSum(self.dropped + other.dropped, self.ignored + other.ignored, both)


class PlacedOutside(Record, frozen=True):
    """A predicted event outside its clip, and its place: clip, number."""

    place: tuple[int, int]
    found: OutsideEvent


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
    errors: FindingsTally
    reference: SideSum
    prediction: SideSum
    outside: tuple[PlacedOutside, ...] = ()
    given_up: tuple[FailedBatch, ...] = ()

    @property
    def findings(self) -> FindingsTally:
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


# A first exact pass over the names of a source: its clips and labels, and which pieces hold which clips.

Indices = NDArray[np.int64]
_ROWS = 1 << 40
"""More than the rows of any source: a clip and a row are one number."""


@dataclass(frozen=True, slots=True)
class SideNames:
    """The clips of one side in the order of their first rows, and what is known of each without its times.

    `rows` counts the rows of each clip, `first` is its first row, -1 where rows have no number; `pieces` are the clips
    of each piece; `labels` are the labels with the clip and row where each occurs first; `nameless` are the pieces with
    a row that names no clip; `sizes` are the bytes of the file of each clip, where files have few; `files` and `homes`
    are the names of the files and which of them each clip is in, where the rows are in several.
    """

    clips: Mapping[str, int]
    rows: Indices
    first: Indices
    pieces: tuple[Indices, ...]
    labels: Mapping[str, tuple[int, int]]
    nameless: tuple[int, ...]
    sizes: Indices | None = None
    files: tuple[str, ...] = ()
    homes: Indices | None = None

    def shards(self, clips: Iterable[str]) -> dict[str, str]:
        """The file of each of these clips, where the rows of the side are in several files."""
        return {} if self.homes is None else {clip: self.files[self.homes[self.clips[clip]]] for clip in clips}


def names_of(source: Dataset | FileFolder | EventTable, diagnostics: Diagnostics) -> SideNames:
    """The names of a source; a clip that is in two files is reported."""
    match source:
        case EventTable():
            return _of_table(source)
        case FileFolder(names=names):
            clips = {clip: number for number, clip in enumerate(source.table.clips)}
            return SideNames(clips, names.rows, names.first, names.pieces, names.labels, (), names.sizes)
        case _:
            return _of_dataset(source, diagnostics)


def _of_table(table: EventTable) -> SideNames:
    index = {clip: number for number, clip in enumerate(table.clips)}
    labels: dict[str, tuple[int, int]] = {}
    for number, events in enumerate(table.clips.values()):
        for event in events:
            labels.setdefault(event.label, (number, row_number(event)))
    rows = np.array([len(events) for events in table.clips.values()], dtype=np.int64)
    first = np.array([row_number(events[0]) if events else 0 for events in table.clips.values()], dtype=np.int64)
    return SideNames(index, rows, first, (), labels, ())


def _of_dataset(source: Dataset, diagnostics: Diagnostics) -> SideNames:
    clips: dict[str, int] = {}
    places: dict[str, int] = {}
    nameless: list[int] = []
    homes: dict[int, str] = {}
    # A clip in two files of one side is most likely there twice, and no piece alone could tell.
    many = source.is_sharded
    twice: dict[str, tuple[str, str]] = {}
    per_piece: list[Indices] = []
    counted: list[tuple[Indices, Indices]] = []
    firsts: list[tuple[Indices, Indices]] = []
    for number, piece in enumerate(source.pieces):
        table = source.table(piece, ("filename", "event_label"))
        if not table.num_rows:
            per_piece.append(np.zeros(0, dtype=np.int64))
            continue
        names, name_of_row = encoded_texts(table.column("filename"))
        if "" in names:
            nameless.append(number)
        own = np.array([clips.setdefault(name, len(clips)) if name else -1 for name in names], dtype=np.int64)
        ids = own[name_of_row]
        known, start, count = np.unique(ids, return_index=True, return_counts=True)
        known, start, count = (column[known >= 0] for column in (known, start, count))
        per_piece.append(known)
        # The number of clips is only known at the end, so the sums of pieces are kept and added then.
        counted.append((known, count))
        firsts.append((known, start + piece.first_row))
        if many:
            named = {n: name for n, name in zip(own.tolist(), names, strict=True) if name}
            _note_homes(named, piece.name, homes, twice)
        labels, label_of_row = encoded_texts(table.column("event_label"))
        # The first row of each label, by clip and row: both in one number, so that one pass of `minimum.at` finds it.
        best = np.full(len(labels), np.iinfo(np.int64).max)
        keys = ids * _ROWS + (np.arange(len(ids)) + piece.first_row)
        np.minimum.at(best, label_of_row, np.where(ids >= 0, keys, np.iinfo(np.int64).max))
        for label, key in zip(labels, best.tolist(), strict=True):
            if label and key < np.iinfo(np.int64).max:  # else no row of it names its clip
                places[label] = min(places.get(label, key), key)
    for clip, (here, there) in twice.items():
        report_shared_clip(clip, here, there, source.name, diagnostics)
    rows = np.zeros(len(clips), dtype=np.int64)
    first = np.full(len(clips), np.iinfo(np.int64).max)
    for known, count in counted:
        rows[known] += count
    for known, start in firsts:
        first[known] = np.minimum(first[known], start)
    labels_at = {label: divmod(key, _ROWS) for label, key in places.items()}
    files = {name: number for number, name in enumerate(dict.fromkeys(piece.name for piece in source.pieces))}
    at = np.array([files[homes[number]] for number in range(len(clips))], dtype=np.int64) if many else None
    return SideNames(
        clips, rows, first, tuple(per_piece), labels_at, tuple(nameless), files=tuple(files) if many else (), homes=at
    )


def _note_homes(known: dict[int, str], file: str, homes: dict[int, str], twice: dict[str, tuple[str, str]]) -> None:
    """Note the file of each of these clips, and which have two."""
    for number, name in known.items():
        home = homes.setdefault(number, file)
        if home != file:
            twice.setdefault(name, (home, file))


def names_alone(source: Dataset | FileFolder | EventTable) -> EventTable:
    """A source as a table: with its events where they are in memory, else with its clips, and what is known of them."""
    if isinstance(source, FileFolder):
        return source.table
    if isinstance(source, EventTable):
        return source
    clips = dict.fromkeys(names_of(source, Diagnostics()).clips, ())
    return EventTable(source.name, clips, source.digest, TableOrigin("table"))


def origin_of(
    source: Dataset | FileFolder | EventTable, names: SideNames | None = None, clips: Iterable[str] = ()
) -> TableOrigin | None:
    """How a source came to be; with its names, and the files of these clips where its rows are in several."""
    if isinstance(source, Dataset):
        return TableOrigin("table", shards={} if names is None else names.shards(clips))
    return source.origin if isinstance(source, EventTable) else source.table.origin


def label_table(source: Dataset | FileFolder | EventTable, names: SideNames) -> EventTable:
    """A table of the first event of each label, without its times: what says which labels there are, and where."""
    by_clip = list(names.clips)
    events: dict[str, list[Event]] = {}
    # One event for each label is enough to say which labels there are, and where a wrong one stands first.
    for label, (clip, row) in sorted(names.labels.items(), key=lambda item: item[1]):
        events.setdefault(by_clip[clip], []).append(Event(Fraction(0), Fraction(0), label, None if row < 0 else row))
    return EventTable(
        source.name, {clip: tuple(some) for clip, some in events.items()}, None, origin_of(source, names, events)
    )


# Both sides of what is done in batches, in pieces or in memory, with what goes with them.

InPieces = Dataset | FileFolder
Source = InPieces | EventTable
Lengths = Durations | Fraction | AudioFolder | None


@dataclass(frozen=True, slots=True)
class Sides:
    """Both sides and what goes with them; `renamed` and `lengths_said` count the clips of each side."""

    reference: Source
    prediction: Source
    lengths: Lengths
    ignore: Regions | None
    conditions: Conditions | None
    labels: LabelMap | None
    outside: Outside
    renamed: tuple[int, int]
    lengths_said: tuple[int, int]

    @property
    def names(self) -> tuple[str, str]:
        """What both sides are called."""
        return self.reference.name, self.prediction.name

    @property
    def in_pieces(self) -> tuple[InPieces | None, InPieces | None]:
        """The sides that are read in pieces."""
        ref, pred = (None if isinstance(side, EventTable) else side for side in (self.reference, self.prediction))
        return ref, pred

    def inputs(self, durations: Durations | Fraction | None) -> tuple[InputFile, ...]:
        """The files that went in, in the order of a report."""
        return input_files(
            reference=self.reference,
            prediction=self.prediction,
            durations=durations,
            ignore=self.ignore,
            conditions=self.conditions,
            label_map=self.labels,
        )

    def preparation(self, total: BatchSum[Tallied]) -> dict[str, Any]:
        """What was done to both sides, as plain data of the form of `Preparation`."""
        record: dict[str, Any] = {}
        sums: tuple[SideSum, SideSum] = (total.reference, total.prediction)
        sides = zip(("reference", "prediction"), (self.reference, self.prediction), strict=True)
        for (role, side), own, renamed, said in zip(sides, sums, self.renamed, self.lengths_said, strict=True):
            origin = origin_of(side)
            record[role] = {
                "format": origin.format if origin else "memory",
                "decoding": dict(origin.decoding) if origin and origin.decoding else None,
                "renamed_clips": renamed,
                "lengths": said,
                "dropped": own.dropped,
                "ignored": own.ignored,
            }
        record["label_map"] = self.labels.data if self.labels is not None else None
        outside = [one.found.to_dict() for one in total.outside]
        if self.outside is not Outside.ERROR and (outside or self.outside is not Outside.FALSE_ALARM):
            record["outside"] = {"policy": self.outside.value, "events": outside}
        return record


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
    """What labels that stay are called under a label map."""
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


def silent_table(field: ScoreField) -> EventTable:
    """A table of the clips of a field without events, with the lengths of their scores and the field itself."""
    own = {clip: scores.edges[-1] for clip, scores in field.clips.items()}
    origin = TableOrigin("scores", field.files, None, own, scores=field)
    return EventTable(field.name, dict.fromkeys(field.clips, ()), field.digest, origin)


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
