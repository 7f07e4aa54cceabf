"""One side as a source of clips that may be larger than memory: Parquet and Arrow files, alone or many in a folder.

Files are read in pieces: a row group of a Parquet file, a whole Arrow file. The rows of each file are numbered as the
lines of a table with a header would be, and a finding names the file of its row (rule 24.2).
"""

import os
import posixpath
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.data.arrow_files import BadColumnarError, ColumnarFile, check_cells, columnar_faults
from tracepact.data.columns import report_missing
from tracepact.data.data_files import (
    chosen_files,
    field_text,
    frame_columns,
    frame_of,
    report_unreadable,
    visible_files,
)
from tracepact.data.event_rows import table_rows
from tracepact.data.events import EventTable, TableOrigin
from tracepact.data.readings import offered_map
from tracepact.data.sources import (
    EVENT_COLUMNS,
    PathLike,
    digest_of_files,
    file_system,
    is_address,
    public_name,
    report_missing_fsspec,
    shown,
    uncollected,
)
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import RowPlace

CONFIDENCE = "confidence"
_ENDINGS = {"parquet": (".parquet", ".pq"), "arrow": (".arrow", ".feather", ".ipc")}
_FIRST_ROW = 2
"""The first row of data, as a line: the header would be the first."""


@dataclass(frozen=True, slots=True)
class FilePiece:
    """A part of a file that is read at once: its rows are numbered from the first.

    `name` is what reports call the file.
    """

    file: str
    name: str
    group: int
    first_row: int
    rows: int


@dataclass(frozen=True, slots=True)
class Dataset:
    """One side in pieces; `path` finds it, `name` is what reports call it, `digest` that of its files."""

    path: str
    name: str
    format: str
    pieces: tuple[FilePiece, ...]
    confidence: bool
    digest: str

    def table(self, piece: FilePiece, columns: Sequence[str]) -> Any:
        """Some columns of a piece, as a table of Arrow; InvalidInput if the file is damaged there."""
        try:
            found = _opened(self.path, piece.file, piece.name).table([piece.group], columns)
            return found.rename_columns([name.strip() for name in found.column_names])
        except BadColumnarError as error:
            faults = Diagnostics()
            report_unreadable(piece.name, error, faults, self.name)
            raise InvalidInput(faults.items) from error

    def events(self, pieces: Sequence[int], clips: Collection[str], diagnostics: Diagnostics) -> EventTable:
        """The events of some clips, from the pieces that hold them; an empty name is a row without its clip."""
        with uncollected():
            return self._table([self.pieces[number] for number in pieces], frozenset(clips), diagnostics)

    def whole(self, diagnostics: Diagnostics) -> EventTable:
        """The events of all clips; a clip that is in two files is reported."""
        return self._table(self.pieces, None, diagnostics)

    @property
    def is_sharded(self) -> bool:
        """Whether its rows are in several files."""
        return len({piece.file for piece in self.pieces}) > 1

    def _table(
        self, pieces: Sequence[FilePiece], wanted: frozenset[str] | None, diagnostics: Diagnostics
    ) -> EventTable:
        """The events of some clips, or of all, each with its row in its file; clips in two files are reported."""
        rows = table_rows(self.name, diagnostics)
        homes: dict[str, str] = {}
        cells = 0
        for piece in pieces:
            rows.name = piece.name
            clips, numbers, found = self._rows(piece, wanted)
            cells += len(numbers) * found.num_columns
            check_cells(cells, RowPlace(self.name))
            try:
                texts = self._texts(found)
            except BadColumnarError as error:  # times that no calendar has
                report_unreadable(piece.name, error, diagnostics, self.name)
                continue
            rows.add_all(zip(numbers, texts, strict=True))
            for clip in clips if self.is_sharded else ():
                home = homes.setdefault(clip, piece.name)
                if home != piece.name:
                    report_shared_clip(clip, home, piece.name, self.name, diagnostics)
        return EventTable(self.name, rows.table().clips, self.digest, TableOrigin("table", shards=homes))

    def _rows(self, piece: FilePiece, wanted: frozenset[str] | None) -> tuple[list[str], Sequence[int], Any]:
        """The clips of a piece that are wanted, the numbers of their rows, and these."""
        found = self.table(piece, (*EVENT_COLUMNS, CONFIDENCE) if self.confidence else EVENT_COLUMNS)
        known, places = encoded_texts(found.column("filename"))
        here = [wanted is None or name in wanted for name in known]
        clips = [known[place] for place in np.unique(places).tolist() if known[place] and here[place]]
        # Sorted data has whole pieces of the wanted clips, and nothing is copied.
        if all(here):
            return clips, range(piece.first_row, piece.first_row + found.num_rows), found
        kept = np.flatnonzero(np.array(here, dtype=np.bool_)[places])
        return clips, (kept + piece.first_row).tolist(), found.take(kept)

    @staticmethod
    def _texts(table: Any) -> Iterable[tuple[str, ...]]:
        """The rows of a table of Arrow as texts."""
        frame = frame_of(table)
        assert frame is not None  # it is a table of Arrow
        return zip(*frame_columns(frame, (*EVENT_COLUMNS, CONFIDENCE)), strict=True)


def encoded_texts(column: Any) -> tuple[list[str], NDArray[np.int64]]:
    """The texts of a column in the order of their first rows, without the spaces around them, and for each row which.

    What is missing is an empty text.
    """
    import pyarrow
    from pyarrow import compute

    with columnar_faults():
        if not pyarrow.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        chunks = column.unify_dictionaries().chunks
        texts = [field_text(text) for text in (chunks[0].dictionary.to_pylist() if chunks else ())]
        places = [compute.fill_null(chunk.indices.cast("int64"), len(texts)) for chunk in chunks]
        rows = np.concatenate([np.zeros(0, np.int64), *(some.to_numpy(zero_copy_only=False) for some in places)])
    texts.append("")
    first = np.full(len(texts), len(rows))
    first[rows[::-1]] = np.arange(len(rows))[::-1]
    used = np.flatnonzero(first < len(rows))  # a dictionary may hold more, and in another order
    used = used[np.argsort(first[used])]
    first[used] = np.arange(len(used))
    return [texts[place] for place in used.tolist()], first[rows]


def report_shared_clip(clip: str, one: str, other: str, name: str, diagnostics: Diagnostics) -> None:
    """Say that a clip is in two files of a source."""
    both = " and ".join(f"`{shown(file)}`" for file in (one, other))
    headline = f"clip `{shown(clip)}` is in two files: {both}"
    diagnostics.add("ambiguous-clip", headline, RowPlace(name), "keep its rows in one of them")


@lru_cache(maxsize=64)
def _system(path: str) -> Any:
    """The file system of a path as pyarrow takes it."""
    from pyarrow.fs import FSSpecHandler, LocalFileSystem, PyFileSystem

    if not is_address(path):
        return LocalFileSystem()
    # One connection serves all files of a source: a piece opens its file anew.
    system, _ = file_system(path)
    return PyFileSystem(FSSpecHandler(system))


def _opened(path: str, file: str, name: str) -> ColumnarFile:
    """A file of a source, open."""
    return ColumnarFile(_system(path).open_input_file(file), name, is_address(path))


def is_dataset(path: Any) -> bool:
    """Whether a path is a source in pieces: a Parquet or Arrow file by its name, a folder of them, or an address."""
    if not isinstance(path, str | os.PathLike):
        return False
    name = os.fspath(path)
    if is_address(name) or _format(name) is not None:
        return True
    return os.path.isdir(name) and any(_format(file) for file in _walk(name))


def holds_scores(path: PathLike) -> bool:
    """Whether the first file of a source on this machine has frames and no labels: it is of scores, not of events."""
    name = os.fspath(path)
    if is_address(name):
        return False
    files = [file for file in _walk(name) if _format(file)] if os.path.isdir(name) else [name]
    format = _format(files[0]) if files else None
    if format is None:
        return False
    try:
        names = {column.strip() for column in ColumnarFile(os.path.abspath(files[0]), files[0]).names}
    except (ImportError, OSError, ValueError, InvalidInput):
        return False  # opening it says what is missing or wrong
    return {"onset", "offset"} <= names and "event_label" not in names


def _format(name: str) -> str | None:
    low = name.lower().split("?")[0]
    return next((format for format, endings in _ENDINGS.items() if low.endswith(endings)), None)


def _walk(folder: str) -> list[str]:
    """The files below a folder, in the order of their paths; Spark and Hive mark what is no data with `_`."""
    return sorted(os.path.join(folder, *path.split("/")) for path in visible_files(folder, (".", "_")))


def digested_files(folder: str) -> list[str]:
    """The files of a folder that its digest is made of, by their paths in it: those of a dataset, or one a clip."""
    pieces = _walk(folder)
    if pieces and all(_format(file) for file in pieces):
        return [os.path.relpath(file, folder).replace(os.sep, "/") for file in pieces]
    return chosen_files(Path(folder), (), Diagnostics())


def whole_dataset(path: PathLike, diagnostics: Diagnostics) -> EventTable | None:
    """All events of a folder of Parquet or Arrow tables, or of an address; None if a folder is something else."""
    if not is_dataset(path) or not (is_address(path) or os.path.isdir(path)):
        return None
    faults = Diagnostics()
    found = open_dataset(path, faults)
    if found is not None:
        return found.whole(diagnostics)
    if not is_address(path) and not any(fault.code == "mixed-formats" for fault in faults):
        return None  # the readers of other folders say what it is
    diagnostics.extend(faults)
    return EventTable(public_name(path), {})


def open_dataset(path: PathLike, diagnostics: Diagnostics) -> Dataset | None:
    """A source in pieces; None, which is reported, if a file of it cannot be read or has not the columns."""
    place, name = os.fspath(path), public_name(path)
    try:
        system, root, files = _files(place)
    except ImportError:
        report_missing_fsspec(path, diagnostics)
        return None
    except (OSError, ValueError) as error:
        headline = f"`{shown(name)}` cannot be read: {shown(' '.join(str(error).split()), 120)}"
        diagnostics.add("unreadable-file", headline, RowPlace(name))
        return None
    formats = {format for file in files if (format := _format(file)) is not None}
    if len(formats) != 1:
        what = "holds both Parquet and Arrow files" if formats else "holds no Parquet or Arrow files"
        diagnostics.add("unreadable-file", f"`{shown(name)}` {what}", RowPlace(name), "give files of one format")
        return None
    format = formats.pop()
    if others := [file for file in files if _format(file) is None]:
        first = os.path.relpath(others[0], root)
        more = f" and {len(others) - 1} more files are" if len(others) > 1 else " is"
        headline = f"`{shown(first)}`{more} not of the format of the others, {format.capitalize()}"
        help = "write them in one format, or move them away; names that start with `_` or `.` are left out"
        diagnostics.add("mixed-formats", headline, RowPlace(name), help)
        return None
    pieces: list[FilePiece] = []
    confidence = False
    # The heads of all files are read first: a fault in the last one is known before hours of work.
    before = len(diagnostics.errors)
    for file in files:
        public = _file_name(name, root, file)
        try:
            opened = _opened(place, file, public)
            names = [column.strip() for column in opened.names]
            groups = opened.rows
        except InvalidInput as refused:
            diagnostics.extend(refused.diagnostics)
            continue
        except (OSError, ValueError) as error:
            report_unreadable(public, error, diagnostics, name)
            continue
        if not report_missing(EVENT_COLUMNS, names, RowPlace(public), diagnostics, offered_map(names, ())):
            continue
        for column in (*EVENT_COLUMNS, CONFIDENCE):
            if names.count(column) > 1:
                headline = f"column `{column}` occurs twice"
                diagnostics.add("wrong-columns", headline, RowPlace(public), "keep one of them")
        confidence |= CONFIDENCE in names
        start = _FIRST_ROW
        for group, rows in enumerate(groups):
            pieces.append(FilePiece(file, public, group, start, rows))
            start += rows
    if len(diagnostics.errors) > before:
        return None
    return Dataset(place, name, format, tuple(pieces), confidence, digest_of_files(system, files, root))


def _file_name(source: str, root: str, file: str) -> str:
    """The name of a file of a source in reports: the source itself, or its place below it."""
    return source if file == root else posixpath.join(source, os.path.relpath(file, root).replace(os.sep, "/"))


def _files(place: str) -> tuple[Any, str, list[str]]:
    """The file system, the root and the files of a source, in the order of their paths."""
    if not is_address(place):
        root = os.path.abspath(place)
        if os.path.isdir(place):
            return _Local(), root, _walk(root)
        os.stat(place)  # OSError says why it cannot be read
        return _Local(), root, [root]
    system, root = file_system(place)
    if system.isdir(root):
        files = sorted(system.find(root))
        parts = (os.path.relpath(file, root).split("/") for file in files)
        hidden = [any(part.startswith((".", "_")) for part in path) for path in parts]
        return system, root, [file for file, is_hidden in zip(files, hidden, strict=True) if not is_hidden]
    system.info(root)
    return system, root, [root]


class _Local:
    """The part of a file system that is used of local files."""

    open: Callable[..., Any] = staticmethod(open)
