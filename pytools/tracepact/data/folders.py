"""A folder of files, one a clip, in pieces; and scores that do not last as long as their clips."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.data.annotation_documents import UEM
from tracepact.data.data_files import ClipFiles, FileOnDisk, FilesOnDisk, report_two_files, walk_clips
from tracepact.data.dataset import holds_scores, is_dataset
from tracepact.data.decoding import ClassDecodings, keep_confident
from tracepact.data.events import ClipScores, Event, EventTable, ScoreField, ScoreLevels, TableOrigin
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
from tracepact.data.preparation import part_of, renamed_clips
from tracepact.data.readings import Reading
from tracepact.data.sources import PathLike, TextFile
from tracepact.diagnostics.collection import Diagnostics

# A folder of files, one a clip, in pieces: each is read once for names, and again for the batch that needs it.

Indices = NDArray[np.int64]
_CHUNK = 1 << 22
"""About how many bytes of files are read together when their names are taken."""
_OF_THE_WHOLE = ("unused-reading",)
"""What is found of all files alike, and said once."""


@dataclass(frozen=True, slots=True)
class FolderNames:
    """What is known of the clips of a folder without their times, in the order of its files.

    `rows` counts the events of each clip, `first` is its first row, `sizes` the bytes of its file; `pieces` are the
    clips of each file, `labels` the labels with the clip and row where each occurs first.
    """

    rows: Indices
    first: Indices
    sizes: Indices
    pieces: tuple[Indices, ...]
    labels: Mapping[str, tuple[int, int]]


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
    names: FolderNames
    calls: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What reports call it."""
        return self.table.name

    @property
    def digest(self) -> str | None:
        """One digest for all files."""
        return self.table.digest

    @property
    def key(self) -> str:
        """What its events depend on: the files, and how they are read."""
        return f"{self.digest} {self.format} {self.how.reading!r}"

    def called(self, table: EventTable) -> "FileFolder":
        """The folder whose clips have the names of this table, in the same order."""
        calls = {old: new for old, new in zip(self.table.clips, table.clips, strict=True) if old != new}
        return replace(self, table=table, calls=calls)

    def events(self, pieces: Sequence[int], clips: Collection[str], diagnostics: Diagnostics) -> EventTable:
        """The events of some clips, from the files that hold them, with the scores they were decoded from."""
        found = Diagnostics()
        table = _read(self, [self.files[number] for number in pieces], found, self.classes)
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
    names = FolderNames(none, none, none, (), {})
    bare = FileFolder(empty, format, tuple(files.items()), how, None, False if asked else None, names)
    return _Names(bare).taken(diagnostics)


def _read(
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
            table = _read(self._folder, files, found, self._classes)
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
        names = FolderNames(rows, first, sizes, tuple(self._pieces), self._labels)
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
