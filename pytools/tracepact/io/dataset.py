"""One side as a source of clips that may be larger than memory: Parquet and Arrow files, alone or many in a folder.

Files are read in pieces: a row group of a Parquet file, a whole Arrow file. The rows of each file are numbered as the
lines of a table with a header would be, and a finding names the file of its row (rule 24.2).
"""

import os
import posixpath
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from tracepact.diagnostics import Diagnostics, InvalidInput, RowPlace
from tracepact.io.collection import uncollected
from tracepact.io.columnar import arrow_faults, frame_columns, frame_of, is_damage, report_unreadable
from tracepact.io.columns import offered_map
from tracepact.io.delimited import report_missing
from tracepact.io.rows import EventRows, Times
from tracepact.io.source import PathLike, shown
from tracepact.io.storage import digest_of_files, file_system, is_address, public_name, report_missing_fsspec
from tracepact.io.tables import EVENT_COLUMNS
from tracepact.trace import EventTable, Origin

CONFIDENCE = "confidence"
_ENDINGS = {"parquet": (".parquet", ".pq"), "arrow": (".arrow", ".feather", ".ipc")}
_FIRST_ROW = 2
"""The first row of data, as a line: the header would be the first."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a file that is read at once: its rows are numbered from the first, its groups None for all of it.

    `name` is what reports call the file.
    """

    file: str
    name: str
    group: int | None
    first_row: int
    rows: int


@dataclass(frozen=True, slots=True)
class Dataset:
    """One side in pieces; `path` finds it, `name` is what reports call it, `digest` that of its files."""

    path: str
    name: str
    format: str
    pieces: tuple[Piece, ...]
    confidence: bool
    digest: str

    def table(self, piece: Piece, columns: Sequence[str]) -> Any:
        """Some columns of a piece, as a table of Arrow; InvalidInput if the file is damaged there."""
        try:
            table = _fragment(self.path, self.format, piece.file, piece.group).to_table(columns=list(columns))
            table.validate(full=True)  # texts that are not UTF-8, offsets beyond their data
            return table
        except arrow_faults() as error:
            if not is_damage(error):
                raise
            found = Diagnostics()
            report_unreadable(piece.name, error, found, self.name)
            raise InvalidInput(found.items) from error

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

    def _table(self, pieces: Sequence[Piece], wanted: frozenset[str] | None, diagnostics: Diagnostics) -> EventTable:
        """The events of some clips, or of all, each with its row in its file; clips in two files are reported."""
        rows = EventRows(self.name, diagnostics, Times(fractions=False))
        homes: dict[str, str] = {}
        for piece in pieces:
            rows.name = piece.name
            clips, found = self._rows(piece, wanted)
            rows.add_all(found)
            for clip in clips if self.is_sharded else ():
                home = homes.setdefault(clip, piece.name)
                if home != piece.name:
                    report_two_files(clip, home, piece.name, self.name, diagnostics)
        return EventTable(self.name, rows.table().clips, self.digest, Origin("table", shards=homes))

    def _rows(
        self, piece: Piece, wanted: frozenset[str] | None
    ) -> tuple[list[str], Iterable[tuple[int, tuple[str, ...]]]]:
        """The clips of a piece that are wanted, and their rows by number."""
        found = self.table(piece, (*EVENT_COLUMNS, CONFIDENCE) if self.confidence else EVENT_COLUMNS)
        names = found.column("filename").combine_chunks()
        encoded = (names if hasattr(names, "indices") else names.dictionary_encode()).cast(_names_type())
        known = [("" if name is None else str(name)).strip() for name in encoded.dictionary.to_pylist()]
        here = [wanted is None or name in wanted for name in known]
        places = encoded.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)
        clips = [known[place] for place in np.unique(places).tolist() if place < len(known) and here[place]]
        if wanted is not None and (not all(here) or encoded.null_count):
            kept = np.flatnonzero(np.array([*here, "" in wanted], dtype=np.bool_)[places])
            numbers: Sequence[int] = (kept + piece.first_row).tolist()
            found = found.take(kept)
        else:
            numbers = range(piece.first_row, piece.first_row + found.num_rows)
        frame = frame_of(found)
        assert frame is not None  # it is a table of Arrow
        texts = frame_columns(frame, (*EVENT_COLUMNS, CONFIDENCE))
        return [clip for clip in clips if clip], zip(numbers, zip(*texts, strict=True), strict=True)


def report_two_files(clip: str, one: str, other: str, name: str, diagnostics: Diagnostics) -> None:
    """Say that a clip is in two files of a source."""
    both = " and ".join(f"`{shown(file)}`" for file in (one, other))
    headline = f"clip `{shown(clip)}` is in two files: {both}"
    diagnostics.add("ambiguous-clip", headline, RowPlace(name), "keep its rows in one of them")


def _names_type() -> Any:
    import pyarrow

    return pyarrow.dictionary(pyarrow.int32(), pyarrow.string())


@lru_cache(maxsize=64)
def _system(path: str) -> Any:
    """The file system of a path as pyarrow takes it."""
    from pyarrow.fs import FSSpecHandler, LocalFileSystem, PyFileSystem

    if not is_address(path):
        return LocalFileSystem()
    system, _ = file_system(path)
    return PyFileSystem(FSSpecHandler(system))


def _fragment(path: str, format: str, file: str, group: int | None) -> Any:
    from pyarrow import dataset

    if format == "parquet":
        groups = None if group is None else [group]
        return dataset.ParquetFileFormat().make_fragment(file, filesystem=_system(path), row_groups=groups)
    return dataset.IpcFileFormat().make_fragment(file, filesystem=_system(path))


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
        faults = arrow_faults()
    except ImportError:
        return False  # opening it says what is missing
    try:
        names = {column.strip() for column in _groups(name, format, os.path.abspath(files[0]))[0]}
    except faults:
        return False
    return {"onset", "offset"} <= names and "event_label" not in names


def _format(name: str) -> str | None:
    low = name.lower().split("?")[0]
    return next((format for format, endings in _ENDINGS.items() if low.endswith(endings)), None)


def _walk(folder: str) -> list[str]:
    """The files below a folder, in the order of their paths; hidden ones, and those that start with `_`, left out."""
    found = []
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        found += [os.path.join(parent, name) for name in files if not name.startswith((".", "_"))]
    return sorted(found)


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
    given, name = os.fspath(path), public_name(path)
    try:
        system, root, files = _files(given)
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
    pieces: list[Piece] = []
    confidence = False
    before = len(diagnostics.errors)
    for file in files:
        try:
            schema, groups = _groups(given, format, file)
        except arrow_faults() as error:
            report_unreadable(_file_name(name, root, file), error, diagnostics, name)
            continue
        names = [column.strip() for column in schema]
        own = _file_name(name, root, file)
        if not report_missing(EVENT_COLUMNS, names, RowPlace(own), diagnostics, offered_map(names)):
            continue
        confidence |= CONFIDENCE in names
        start = _FIRST_ROW
        for group, rows in groups:
            pieces.append(Piece(file, own, group, start, rows))
            start += rows
    if len(diagnostics.errors) > before:
        return None
    return Dataset(given, name, format, tuple(pieces), confidence, digest_of_files(system, files, root))


def _file_name(source: str, root: str, file: str) -> str:
    """What reports call a file of a source: the source itself, or its place below it."""
    return source if file == root else posixpath.join(source, os.path.relpath(file, root).replace(os.sep, "/"))


def _files(given: str) -> tuple[Any, str, list[str]]:
    """The file system, the root and the files of a source, in the order of their paths."""
    if not is_address(given):
        system, root = file_system(os.path.abspath(given)) if _has_fsspec() else (_Local(), os.path.abspath(given))
        if os.path.isdir(given):
            return system, root, _walk(root)
        os.stat(given)
        return system, root, [root]
    system, root = file_system(given)
    if system.isdir(root):
        found = sorted(system.find(root))
        hidden = [f for f in found if any(p.startswith((".", "_")) for p in os.path.relpath(f, root).split("/"))]
        return system, root, [file for file in found if file not in set(hidden)]
    system.info(root)
    return system, root, [root]


def _has_fsspec() -> bool:
    try:
        import fsspec
    except ImportError:
        return False
    return bool(fsspec)


class _Local:
    """The part of a file system that is used of local files."""

    open: Callable[..., Any] = staticmethod(open)


def _groups(path: str, format: str, file: str) -> tuple[list[str], list[tuple[int | None, int]]]:
    """The columns of a file, and the parts it is read in with their numbers of rows."""
    fragment = _fragment(path, format, file, None)
    schema = [str(name) for name in fragment.physical_schema.names]
    if format == "parquet":
        return schema, [(group.id, group.num_rows) for group in fragment.row_groups]
    return schema, [(None, fragment.count_rows())]
