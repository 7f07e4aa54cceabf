"""A first exact pass over the names of a source: its clips and labels, and which pieces hold which clips."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.diagnostics import Diagnostics
from tracepact.io.dataset import Dataset, report_two_files
from tracepact.io.file_folder import FileFolder, row_number
from tracepact.trace import Event, EventTable, Origin

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
        names, name_of_row = _encoded(table.column("filename"))
        if "" in names:
            nameless.append(number)
        own = np.array([clips.setdefault(name, len(clips)) if name else -1 for name in names], dtype=np.int64)
        ids = own[name_of_row]
        known, start, count = np.unique(ids, return_index=True, return_counts=True)
        known, start, count = (column[known >= 0] for column in (known, start, count))
        per_piece.append(known)
        counted.append((known, count))
        firsts.append((known, start + piece.first_row))
        if many:
            named = {n: name for n, name in zip(own.tolist(), names, strict=True) if name}
            _note_homes(named, piece.name, homes, twice)
        labels, label_of_row = _encoded(table.column("event_label"))
        best = np.full(len(labels), np.iinfo(np.int64).max)
        keys = ids * _ROWS + (np.arange(len(ids)) + piece.first_row)
        np.minimum.at(best, label_of_row, np.where(ids >= 0, keys, np.iinfo(np.int64).max))
        for label, key in zip(labels, best.tolist(), strict=True):
            if label:
                places[label] = min(places.get(label, key), key)
    for clip, (here, there) in twice.items():
        report_two_files(clip, here, there, source.name, diagnostics)
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


def _encoded(column: Any) -> tuple[list[str], Indices]:
    """The texts of a column without the spaces around them, and for each row which it has; nothing is an empty text."""
    import pyarrow.compute as pc

    if not str(column.type).startswith("dictionary"):
        column = column.dictionary_encode()
    whole = column.unify_dictionaries().combine_chunks()
    chunks = whole.chunks if hasattr(whole, "chunks") else [whole]
    texts = [("" if text is None else str(text)).strip() for text in chunks[0].dictionary.to_pylist()]
    places = [pc.fill_null(chunk.indices, len(texts)).to_numpy(zero_copy_only=False) for chunk in chunks]
    return [*texts, ""], np.concatenate(places).astype(np.int64)


def names_alone(source: Dataset | FileFolder | EventTable) -> EventTable:
    """A source as a table: with its events where they are in memory, else with its clips, and what is known of them."""
    if isinstance(source, FileFolder):
        return source.table
    if isinstance(source, EventTable):
        return source
    clips = dict.fromkeys(names_of(source, Diagnostics()).clips, ())
    return EventTable(source.name, clips, source.digest, Origin("table"))


def origin_of(
    source: Dataset | FileFolder | EventTable, names: SideNames | None = None, clips: Iterable[str] = ()
) -> Origin | None:
    """How a source came to be; with its names, and the files of these clips where its rows are in several."""
    if isinstance(source, Dataset):
        return Origin("table", shards={} if names is None else names.shards(clips))
    return source.origin if isinstance(source, EventTable) else source.table.origin


def label_table(source: Dataset | FileFolder | EventTable, names: SideNames) -> EventTable:
    """A table of the first event of each label, without its times: what says which labels there are, and where."""
    by_clip = list(names.clips)
    events: dict[str, list[Event]] = {}
    for label, (clip, row) in sorted(names.labels.items(), key=lambda item: item[1]):
        events.setdefault(by_clip[clip], []).append(Event(Fraction(0), Fraction(0), label, None if row < 0 else row))
    return EventTable(
        source.name, {clip: tuple(some) for clip, some in events.items()}, None, origin_of(source, names, events)
    )
