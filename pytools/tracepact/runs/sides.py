"""The sides of a task in pieces or in memory, for batches: how they are read, and what their names alone tell."""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.data.annotation_documents import UEM
from tracepact.data.data_files import ClipFiles, FileOnDisk, FilesOnDisk, report_two_files, walk_clips
from tracepact.data.dataset import Dataset, encoded_texts, holds_scores, is_dataset, report_shared_clip
from tracepact.data.decoding import ClassDecodings, keep_confident
from tracepact.data.event_rows import Ends, Outside
from tracepact.data.events import (
    ClipScores,
    Durations,
    Event,
    EventTable,
    Regions,
    ScoreField,
    ScoreLevels,
    TableOrigin,
)
from tracepact.data.formats import (
    ENDINGS,
    FORMATS,
    MAESTRO,
    SCORES,
    How,
    folder_format,
    found_format,
    how_to_read,
    read_clips,
)
from tracepact.data.labels import LabelMap
from tracepact.data.memory import AudioFolder
from tracepact.data.preparation import part_of, renamed_clips, side_record
from tracepact.data.readings import Reading
from tracepact.data.sources import PathLike, TextFile
from tracepact.data.tables import Conditions
from tracepact.diagnostics.collection import Diagnostics
from tracepact.records import Record
from tracepact.runs.report import OutsideEvent
from tracepact.runs.task import InputFile, input_files

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


# A folder of files, one a clip, in pieces: each is read once for names, and again for the batch that needs it.

_CHUNK = 1 << 22
"""About how many bytes of files are read together when their names are taken."""
_OF_THE_WHOLE = ("unused-reading",)
"""What is found of all files alike, and said once."""


@dataclass(frozen=True, slots=True, eq=False)
class FileFolder:
    """One side as a folder of files. `table` has its clips, and what its files say of them, but none of its events.

    `calls` are the clips that have other names than those of their files; `classes` are those of scores; `confident`
    says whether some event has a confidence, by which a threshold keeps it; None where that is not asked.
    """

    table: EventTable
    format: str
    files: tuple[tuple[str, FileOnDisk], ...]
    how: How
    classes: tuple[str, ...] | None
    confident: bool | None
    names: SideNames
    calls: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its name in reports."""
        return self.table.name

    @property
    def digest(self) -> str | None:
        """One digest for all files."""
        return self.table.digest

    @property
    def key(self) -> str:
        """A key of everything its events depend on: the files, and how they are read."""
        return f"{self.digest} {self.format} {self.how.reading!r}"

    def called(self, table: EventTable) -> "FileFolder":
        """The folder whose clips have the names of this table, in the same order."""
        calls = {old: new for old, new in zip(self.table.clips, table.clips, strict=True) if old != new}
        return replace(self, table=table, calls=calls)

    def events(self, pieces: Sequence[int], clips: Collection[str], diagnostics: Diagnostics) -> EventTable:
        """The events of some clips, from the files that hold them, with the scores they were decoded from."""
        found = Diagnostics()
        table = _read_files(self, [self.files[number] for number in pieces], found, self.classes)
        if self.confident:
            table = keep_confident(table, self.how.reading.decoding, found, some=True)
        diagnostics.extend(one for one in found if one.code not in _OF_THE_WHOLE)
        if self.calls:
            table = renamed_clips(table, {clip: self.calls.get(clip, clip) for clip in table.clips})
        return part_of(table, [clip for clip in table.clips if clip in clips], scores=True)


def is_file_folder(path: Any, reading: Reading) -> bool:
    """Whether a path is a folder of files that may be read in pieces; those of some formats are not (rule 24.22)."""
    if not isinstance(path, str | os.PathLike) or not os.path.isdir(path):
        return False
    plain = reading.format in (None, "table") and reading.columns is None
    return reading.format in (None, *FORMATS) and not (plain and is_dataset(path) and not holds_scores(path))


def open_folder(
    path: PathLike, reading: Reading, diagnostics: Diagnostics, *, by_confidence: bool = True
) -> FileFolder | None:
    """A folder whose files are read in pieces; None if it is of a kind that is not, or faulty, which is reported."""
    name = os.fspath(path)
    how = how_to_read(path, reading, diagnostics)
    if how is None:
        return None
    files: dict[str, FileOnDisk] = {}
    formats: dict[str, str | None] = {}

    def keep(clip: str, file: TextFile) -> None:
        files[clip] = FileOnDisk(file.name, file.digest, len(file.text))
        if reading.format is None:
            formats[file.name] = found_format(file, how)

    digest = walk_clips(name, diagnostics, ENDINGS.get(reading.format or "", ()), keep)
    format = None if digest is None else folder_format(name, reading.format, formats, diagnostics)
    if format is None or format in (MAESTRO, UEM):
        return None
    # A decoding for each class needs the labels of all files before the first event can be dropped.
    asked = by_confidence and format != SCORES and reading.decoding is not None
    if asked and isinstance(reading.decoding, ClassDecodings):
        return None
    empty = EventTable(name, {}, digest, TableOrigin(format))
    none = np.zeros(0, dtype=np.int64)
    names = SideNames({}, none, none, (), {}, ())
    bare = FileFolder(empty, format, tuple(files.items()), how, None, False if asked else None, names)
    return _Names(bare).taken(diagnostics)


def _read_files(
    folder: FileFolder,
    files: Sequence[tuple[str, FileOnDisk]],
    diagnostics: Diagnostics,
    classes: tuple[str, ...] | None,
) -> EventTable:
    """The events of some files."""
    some = ClipFiles(folder.name, FilesOnDisk(dict(files)), folder.digest or "")
    return read_clips(some, folder.format, folder.how, diagnostics, classes)


class _Names:
    """Takes the names out of all files of a folder, some at a time."""

    def __init__(self, folder: FileFolder) -> None:
        self._folder = folder
        self._number: dict[str, int] = {}
        self._counts: list[tuple[int, int, int]] = []
        self._pieces: list[Indices] = []
        self._labels: dict[str, tuple[int, int]] = {}
        self._homes: dict[str, str] = {}
        self._files: dict[str, str] = {}
        self._lengths: dict[str, Fraction] = {}
        self._regions: dict[str, tuple[Event, ...]] = {}
        self._scores: dict[str, ClipScores] = {}
        self._known: dict[tuple[Fraction, ...], ClipScores] = {}
        self._classes: tuple[str, ...] | None = None
        self._decoding: Mapping[str, Any] | None = None
        self._confident = False

    def taken(self, diagnostics: Diagnostics) -> FileFolder | None:
        """The folder with its names; None if a file is faulty, which is reported."""
        faults = Diagnostics()
        for number, files in enumerate(_chunks(self._folder.files)):
            found = Diagnostics()
            table = _read_files(self._folder, files, found, self._classes)
            if self._folder.confident is not None:
                self._confident |= any(event.confidence is not None for _, event in table.events)
                table = keep_confident(table, self._folder.how.reading.decoding, found)
            self._take(table, files, faults)
            faults.extend(one for one in found if number == 0 or one.code not in _OF_THE_WHOLE)
            if not faults.errors:
                diagnostics.extend(one for one in faults if one.code in _OF_THE_WHOLE)
                faults = Diagnostics()  # the batches find the warnings again
        if faults.errors:
            diagnostics.extend(faults)
            return None
        return self._named()

    def _take(self, table: EventTable, files: Sequence[tuple[str, FileOnDisk]], faults: Diagnostics) -> None:
        origin = table.origin or TableOrigin(self._folder.format)
        clip_of = {file.name: [] for _, file in files}  # type: dict[str, list[int]]
        size = {file.name: file.size for _, file in files}
        own_file = {clip: file.name for clip, file in files}
        for clip, events in table.clips.items():
            home = origin.files.get(clip) or own_file.get(clip) or files[0][1].name
            if clip in self._number:
                report_two_files(clip, home, f"the other is `{self._homes[clip]}`", faults)
                continue
            number = self._number[clip] = len(self._number)
            self._homes[clip] = home
            self._counts.append((len(events), row_number(events[0]) if events else 0, size[home]))
            clip_of[home].append(number)
            for event in events:
                self._labels.setdefault(event.label, (number, row_number(event)))
        self._pieces += [np.array(clip_of[file.name], dtype=np.int64) for _, file in files]
        self._files |= origin.files
        self._lengths |= origin.lengths
        self._regions |= origin.regions
        self._decoding = origin.decoding or self._decoding
        if origin.scores is not None:
            self._classes = self._classes or origin.scores.classes or None
            for clip, scores in origin.scores.clips.items():
                self._scores[clip] = self._ends(scores)

    def _ends(self, scores: ClipScores) -> ClipScores:
        """The ends of the first frame and of the last; clips that are alike share them."""
        # All that is asked of a clip before its batch: how long a frame is, and where the scores end.
        edges = (*scores.edges[:2], scores.edges[-1])
        return self._known.setdefault(edges, ClipScores(edges, np.zeros((len(edges) - 1, 0), dtype=np.int64)))

    def _named(self) -> FileFolder:
        folder = self._folder
        rows, first, sizes = np.array(self._counts, dtype=np.int64).reshape(-1, 3).T
        names = SideNames({}, rows, first, tuple(self._pieces), self._labels, (), sizes)
        scores = None
        if folder.format == SCORES:
            none = ScoreLevels(np.zeros(0))
            scores = ScoreField(folder.name, self._classes or (), none, self._scores, folder.digest, self._files)
        origin = TableOrigin(folder.format, self._files, self._decoding, self._lengths, self._regions, scores)
        table = EventTable(folder.name, dict.fromkeys(self._number, ()), folder.digest, origin)
        confident = None if folder.confident is None else self._confident
        return replace(folder, table=table, classes=self._classes, confident=confident, names=names)


def row_number(event: Event) -> int:
    """The row of an event; -1 if it has none, for rows in memory are numbered from 0."""
    return -1 if event.row is None else event.row


def _chunks(files: Sequence[tuple[str, FileOnDisk]]) -> Iterator[list[tuple[str, FileOnDisk]]]:
    """The files, some at a time."""
    some: list[tuple[str, FileOnDisk]] = []
    size = 0
    for clip, file in files:
        some.append((clip, file))
        size += file.size
        if size >= _CHUNK:
            yield some
            some, size = [], 0
    if some:
        yield some


def names_of(source: Dataset | FileFolder | EventTable, diagnostics: Diagnostics) -> SideNames:
    """The names of a source; a clip that is in two files is reported."""
    match source:
        case EventTable():
            return _of_table(source)
        case FileFolder(names=names):
            # Clips are numbered here, for they may be called otherwise than their files.
            return replace(names, clips={clip: number for number, clip in enumerate(source.table.clips)})
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


def silent_table(field: ScoreField) -> EventTable:
    """A table of the clips of a field without events, with the lengths of their scores and the field itself."""
    own = {clip: scores.edges[-1] for clip, scores in field.clips.items()}
    origin = TableOrigin("scores", field.files, None, own, scores=field)
    return EventTable(field.name, dict.fromkeys(field.clips, ()), field.digest, origin)


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


# What was done to a side, as sums over batches.


class SideSum(Record, frozen=True):
    """What was done to a side, and how its events end."""

    dropped: int = 0
    ignored: int = 0
    ends: Ends = Ends()

    def __add__(self, other: "SideSum") -> "SideSum":
        return SideSum(self.dropped + other.dropped, self.ignored + other.ignored, self.ends + other.ends)


class PlacedOutside(Record, frozen=True):
    """A predicted event outside its clip, and its place: clip, number."""

    place: tuple[int, int]
    found: OutsideEvent


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
        """The names of both sides."""
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

    def preparation(self, sums: tuple[SideSum, SideSum], placed: Iterable[PlacedOutside]) -> dict[str, Any]:
        """The preparation of both sides, as plain data of the form of `Preparation`."""
        record: dict[str, Any] = {}
        sides = zip(("reference", "prediction"), (self.reference, self.prediction), strict=True)
        for (role, side), own, renamed, said in zip(sides, sums, self.renamed, self.lengths_said, strict=True):
            record[role] = side_record(origin_of(side), renamed, said, own.dropped, own.ignored)
        record["label_map"] = self.labels.data if self.labels is not None else None
        outside = [one.found.to_dict() for one in placed]
        if self.outside is not Outside.ERROR and (outside or self.outside is not Outside.FALSE_ALARM):
            record["outside"] = {"policy": self.outside.value, "events": outside}
        return record
