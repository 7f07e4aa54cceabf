"""Writes files and whole folders, so that nobody ever sees half of what belongs together; JSON and tables as text."""

import csv
import ctypes
import errno
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any, TextIO

Row = Sequence[str | int]

_EXCHANGE = 2  # RENAME_EXCHANGE of renameat2(2)
_HERE = -100  # AT_FDCWD


def json_text(data: Any) -> str:
    """Data as the JSON text that is written and printed."""
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


class BadTable(ValueError):  # noqa: N818  (it is what the table is)
    """A stored table that is not as it was written: what is wrong, and in which line."""

    def __init__(self, fault: str, line: int) -> None:
        super().__init__(fault)
        self.line = line


class _Lines:
    """Ends lines with a line feed alone; a writer that believes in both signs quotes fields that hold either."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, line: str) -> int:
        """One whole row."""
        return self._file.write(line.removesuffix("\r\n") + "\n")


def write_csv(file: TextIO, columns: Sequence[str], rows: Iterable[Row], separator: str = ",") -> None:
    """A table with its header."""
    writer = csv.writer(_Lines(file), delimiter=separator, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows(rows)


def table_text(columns: Sequence[str], rows: Iterable[Row], separator: str = "\t") -> str:
    """A table with its header, as text."""
    text = StringIO()
    write_csv(text, columns, rows, separator)
    return text.getvalue()


def table_rows(text: str, columns: Sequence[str], separator: str = "\t") -> Iterator[tuple[int, list[str]]]:
    """The rows of a table with the lines they end at; BadTable if it has not these columns."""
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        header = next(reader, None)
        if header != list(columns):
            raise BadTable(f"the columns are not {', '.join(columns)}", 1)
        for row in reader:
            if len(row) != len(columns):
                raise BadTable(f"the row has {len(row)} fields, the header {len(columns)}", reader.line_num)
            yield reader.line_num, row
    except csv.Error as error:
        raise BadTable(str(error), reader.line_num) from error


def write_whole(contents: Mapping[Path, str | bytes]) -> None:
    """Write files beside their places and move them there.

    A link stays a link and a file keeps its permissions. OSError names the place that could not be written.
    """
    staged: list[tuple[Path, Path, Path]] = []
    try:
        for given, data in contents.items():
            path = given.resolve()
            part = path.with_name(f".{path.name}.{os.getpid()}")
            staged.append((part, path, given))
            with _named(given):
                if path.is_dir():
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
                part.write_bytes(data.encode() if isinstance(data, str) else data)
                if path.exists():
                    shutil.copymode(path, part)
        for part, path, given in staged:
            with _named(given):
                os.replace(part, path)
    finally:
        for part, *_ in staged:
            part.unlink(missing_ok=True)


@contextmanager
def _named(place: Path) -> Iterator[None]:
    """Errors of the files beside a place are told as those of the place itself."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(place)) from error


def write_folder(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Make a folder of these files, in one step: it is written beside its place, flushed to the disk and moved there.

    A folder at that place is replaced, and removed afterwards. Whoever stops the program at any moment finds the
    old folder or the new one; a hidden folder beside it may remain. A folder that cannot be moved, because it is a
    mount point or somebody works in it, is filled; the last file, which says that all is there, goes first and comes
    last.
    """
    place = folder.resolve()
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_name(f".{place.name}.{os.getpid()}.part")
    if Path.cwd().is_relative_to(place) or place.is_mount():
        with _named(folder):
            _fill(place, contents)
        return
    shutil.rmtree(part, ignore_errors=True)
    try:
        with _named(folder):
            part.mkdir()
            for name, data in contents.items():
                _flushed(part / name, data)
        if place.exists():
            shutil.copymode(place, part)
            _exchange(part, place)
        else:
            os.rename(part, place)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _fill(place: Path, contents: Mapping[str, bytes]) -> None:
    """Put files into a folder in the place of all that are there: written under other names first, then moved."""
    parts = {name: place / f".{name}.{os.getpid()}" for name in contents}
    old = [path for path in place.iterdir() if path not in parts.values()]
    try:
        for name, data in contents.items():
            _flushed(parts[name], data)
        (place / list(contents)[-1]).unlink(missing_ok=True)
        for path in old:
            path.unlink(missing_ok=True)
        for name, part in parts.items():
            os.replace(part, place / name)
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)


def _flushed(path: Path, data: bytes) -> None:
    """Write a file down to the disk."""
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _exchange(part: Path, place: Path) -> None:
    """Swap two folders: at once where the system can, else by two moves."""
    swap = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None) if os.name == "posix" else None
    if swap is not None and swap(_HERE, os.fsencode(part), _HERE, os.fsencode(place), _EXCHANGE) == 0:
        return
    old = place.with_name(f".{place.name}.{os.getpid()}.old")
    os.rename(place, old)
    try:
        os.rename(part, place)
    except OSError:
        os.rename(old, place)
        raise
    os.rename(old, part)
