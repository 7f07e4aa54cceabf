"""Writes files and whole folders, so that nobody ever sees half of what belongs together; JSON and tables as text.

Whatever is written goes under a name that nobody can foresee beside its place, to the disk, and then to its place in
one step. What a command has read it does not write over, and nothing but a plain file is replaced by a file.
"""

import csv
import ctypes
import errno
import json
import os
import re
import secrets
import shutil
import stat
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import StringIO
from itertools import chain
from math import isinf
from pathlib import Path
from typing import Any, TextIO

from tracepact.inputs import UnsafePlace, has_inputs, is_input
from tracepact.wording import LONGEST_STORED, escaped_json, parse_whole

Row = Sequence[str | int]

_EXCHANGE = 2  # RENAME_EXCHANGE of renameat2(2)
_HERE = -100  # AT_FDCWD
_BEFORE_KEY = re.compile(r"[{,]")
_MOST_PARTS = 64
_LONG_NUMBER = "A number has more than 60 digits"
_TOO_LARGE = 10**60
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[+-]?[0-9]+(?:[./][0-9]+)?(?:[eE][+-]?[0-9]+)?")


def json_text(data: Any, *, one_line: bool = False) -> str:
    """Data as the JSON text that is written and printed; signs that act on a terminal, or are none, are escaped."""
    text = json.dumps(data, ensure_ascii=False, indent=None if one_line else 2)
    return escaped_json(text) + "\n"


def encoded(text: str) -> bytes:
    """Text as UTF-8; what is no sign, such as half of a name that is not UTF-8, as its escape."""
    return text.encode("utf-8", "backslashreplace")


def json_data(text: str | bytes) -> Any:
    """The data of a JSON text that is read back; ValueError says what is wrong with any other text."""
    try:
        return json.loads(text, parse_constant=_no_number, parse_int=json_whole, parse_float=json_float)
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON at line {error.lineno}: {error.msg.lower()}") from error
    except RecursionError as error:
        raise ValueError("it is not JSON that can be read: it nests too deep") from error
    except UnicodeDecodeError as error:
        raise ValueError("it is not UTF-8 text") from error


def toml_data(text: str, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """The data of a TOML text; ValueError, mostly TOMLDecodeError, says what is wrong with any other text."""
    # Each part of a key is a table within a table: a line of dots would nest as deep as it is long.
    for number, line in enumerate(text.splitlines(), start=1):
        keys = [_BEFORE_KEY.split(piece)[-1] for piece in line.split("=")[:-1]]
        keys += [line] if line.lstrip().startswith("[") else []
        if any(key.count(".") >= _MOST_PARTS for key in keys):
            raise tomllib.TOMLDecodeError(f"A key has more than {_MOST_PARTS} parts (at line {number}, column 1)")
    try:
        data = tomllib.loads(text, parse_float=parse_float)
    except RecursionError as error:
        raise tomllib.TOMLDecodeError("It nests too deep") from error
    except tomllib.TOMLDecodeError:
        raise
    # Thousands of digits, or an exponent too large for a decimal, for which `Decimal` raises an ArithmeticError.
    except (ValueError, ArithmeticError) as error:
        raise tomllib.TOMLDecodeError(_LONG_NUMBER) from error
    # A stack of its own, not recursion: nesting is a stranger's to choose.
    waiting: list[Any] = [data]
    while waiting:
        match waiting.pop():
            case dict(table):
                waiting += table.values()
            case list(items):
                waiting += items
            case int(number) if abs(number) >= _TOO_LARGE:
                raise tomllib.TOMLDecodeError(_LONG_NUMBER)
    return data


def json_whole(text: str) -> int:
    """A whole number of a JSON text; ValueError if it has thousands of digits."""
    return parse_whole(text, LONGEST_STORED)


def json_float(text: str) -> float:
    """Another number of a JSON text; ValueError if no float is near it."""
    # JSON has no infinity: a number that becomes one was not written by this program.
    if isinf(value := float(text)):
        raise ValueError(f"{text[:40]} is not a number that can be read")
    return value


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is not a number")


class BadTable(ValueError):  # noqa: N818  (it is what the table is)
    """A stored table that is not as it was written: what is wrong, and in which line."""

    def __init__(self, fault: str, line: int) -> None:
        super().__init__(fault)
        self.line = line


class _LineEnds:
    """Ends lines with a line feed alone; a writer that believes in both signs quotes fields that hold either."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, line: str) -> int:
        """One whole row."""
        return self._file.write(line.removesuffix("\r\n") + "\n")


def write_csv(file: TextIO, columns: Sequence[str] | None, rows: Iterable[Row], separator: str = ",") -> None:
    """A table, with its header unless there are no columns; the one way out for fields separated by commas."""
    writer = csv.writer(_LineEnds(file), delimiter=separator, lineterminator="\r\n")
    every = rows if columns is None else chain([columns], rows)
    writer.writerows(every if separator != "," else ([_kept_from_sheets(field) for field in row] for row in every))


def _kept_from_sheets(field: str | int) -> str | int:
    """A field of a CSV file; one that a spreadsheet would run as a formula has an apostrophe before it (17.12)."""
    return f"'{field}" if isinstance(field, str) and _is_formula(field) else field


def _is_formula(text: str) -> bool:
    """Whether a text, after any apostrophes, starts like a formula and is no number."""
    bare = text.lstrip("'")
    return bare.startswith(_FORMULA) and not _NUMBER.fullmatch(bare)


def table_text(columns: Sequence[str] | None, rows: Iterable[Row], separator: str = "\t") -> str:
    """A table, with its header unless there are no columns, as text."""
    text = StringIO()
    write_csv(text, columns, rows, separator)
    return text.getvalue()


def table_rows(text: str, columns: Sequence[str], separator: str = "\t") -> Iterator[tuple[int, list[str]]]:
    """The rows of a table with the lines they end at; BadTable if it has not these columns."""
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        header = next(reader, None)
        if header is None or fields_of(header, separator) != list(columns):
            raise BadTable(f"the columns are not {', '.join(columns)}", 1)
        for row in reader:
            if len(row) != len(columns):
                raise BadTable(f"the row has {len(row)} fields, the header {len(columns)}", reader.line_num)
            yield reader.line_num, fields_of(row, separator)
    except csv.Error as error:
        raise BadTable(str(error), reader.line_num) from error


def fields_of(row: list[str], separator: str) -> list[str]:
    """The fields of a row that was read, without the apostrophes that keep them from spreadsheets (17.12)."""
    return row if separator != "," else [f[1:] if f[:1] == "'" and _is_formula(f) else f for f in row]


def write_whole(contents: Mapping[Path, str | bytes], *, in_place: bool = False) -> None:
    """Write files beside their places and move them there, each in one step; none if one of them cannot be written.

    A link stays a link and a file keeps its permissions and its owner. With `in_place` the files that were read may be
    written. UnsafePlace for a file that was read, or for what is no plain file; other OSErrors name the place as well.
    """
    staged: list[tuple[Path, Path, Path]] = []
    try:
        for place, data in contents.items():
            with _named(place):
                path = place.resolve()
                there = _replaceable(path, in_place)
                # Beside its place, for a move is one step only within a file system.
                part = path.with_name(_hidden_name())
                staged.append((part, path, place))
                _flushed(part, encoded(data) if isinstance(data, str) else data)
                if there is not None:
                    _take_over(part, there)
        # Only when every file is on the disk is the first one moved: what cannot be written costs none of the others.
        for part, path, place in staged:
            with _named(place):
                os.replace(part, path)
        for folder in {path.parent for _, path, _ in staged}:
            _flush_folder(folder)
    finally:
        for part, *_ in staged:
            part.unlink(missing_ok=True)


def _replaceable(path: Path, in_place: bool) -> os.stat_result | None:
    """The status of the plain file that a new one replaces; None if there is none."""
    try:
        there = os.lstat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(there.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(there.st_mode):
        raise UnsafePlace("it is a device, a pipe or a socket, which no file replaces", path)
    if not in_place and is_input(path):
        raise UnsafePlace("it is an input of this command, which is never written over", path)
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return there


def _take_over(part: Path, there: os.stat_result) -> None:
    """Give a new file the permissions, and where that is allowed the owner, of the one that it replaces."""
    with suppress(OSError):
        os.chown(part, there.st_uid, there.st_gid)
    os.chmod(part, stat.S_IMODE(there.st_mode))


def _hidden_name() -> str:
    """A name for what is not finished yet; nobody can put anything there before."""
    return f".tracepact-{secrets.token_hex(8)}.{os.getpid()}.part"


@contextmanager
def _named(place: Path) -> Iterator[None]:
    """Errors of the files beside a place are told as those of the place itself."""
    try:
        yield
    except UnsafePlace as error:
        raise UnsafePlace(error.strerror or "", place) from error
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(place)) from error


def write_folder(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Make a folder of these files, in one step: it is written beside its place, flushed to the disk and moved there.

    A folder at that place is replaced, and removed afterwards. Whoever stops the program at any moment finds the
    old folder or the new one; a hidden folder beside it may remain. A folder that cannot be moved, because it is a
    mount point or somebody works in it, is filled; the last file, which says that all is there, goes first and comes
    last. UnsafePlace if an input lies in the folder, or if somebody else has put a folder there meanwhile.
    """
    with _named(folder):
        place = folder.resolve()
        place.parent.mkdir(parents=True, exist_ok=True)
        before = _folder_there(place)
        part = place.with_name(_hidden_name())
        # Neither can be renamed away: the one is held by a shell, the other by the system.
        if before and (Path.cwd().is_relative_to(place) or place.is_mount()):
            _fill(place, contents)
            return
        try:
            part.mkdir()
            for name, data in contents.items():
                (part / name).parent.mkdir(parents=True, exist_ok=True)
                _flushed(part / name, data)
            _flush_folder(part)
            if before:
                shutil.copymode(place, part)
                _exchange(part, place)
            else:
                _move(part, place)
            _flush_folder(place.parent)
        finally:
            shutil.rmtree(part, ignore_errors=True)


def _folder_there(place: Path) -> bool:
    """Whether a folder is to be replaced; one that holds an input is not."""
    if not place.is_dir():
        return False
    for parent, _, names in os.walk(place) if has_inputs() else ():
        for name in names:
            if is_input(Path(parent, name)):
                raise UnsafePlace(f"it holds the input {name}, which is never written over", place)
    return True


def _move(part: Path, place: Path) -> None:
    """Put a folder where none was a moment ago."""
    try:
        os.rename(part, place)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise UnsafePlace("somebody else has written there meanwhile", place) from error
        raise


def put_folder(part: Path, place: Path) -> None:
    """Move a folder that is whole to its place, in one step; one that is there is replaced, and removed afterwards.

    UnsafePlace if an input lies in the folder, or if somebody else has put a folder there meanwhile.
    """
    with _named(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        if _folder_there(place):
            shutil.copymode(place, part)
            _exchange(part, place)
            shutil.rmtree(part, ignore_errors=True)
        else:
            _move(part, place)
        _flush_folder(place.parent)


_PART = re.compile(r"\.tracepact-[0-9a-f]{16}\.(?P<process>[0-9]{1,9})\.part")


def remove_dead_parts(folder: Path) -> list[Path]:
    """Remove what processes that died left beside a folder while they wrote something there, and name it."""
    place = folder.resolve()
    if not place.parent.is_dir():
        return []
    removed = []
    for path in sorted(place.parent.iterdir()):
        part = _PART.fullmatch(path.name)
        # The number of a process may have been given anew: what belongs to a living one stays, and is removed later.
        if part is None or path.is_symlink() or _is_alive(int(part["process"])):
            continue
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
        removed.append(path)
    return removed


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is there, and somebody else's
        return True
    return True


def _fill(place: Path, contents: Mapping[str, bytes]) -> None:
    """Put files into a folder in the place of all that are there: written under other names first, then moved."""
    parts = {name: place / _hidden_name() for name in contents}
    old = list(place.iterdir())
    try:
        for name, data in contents.items():
            _flushed(parts[name], data)
        # The manifest goes first and comes last: in between, the folder is none that anybody takes for whole.
        (place / list(contents)[-1]).unlink(missing_ok=True)
        for path in old:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
        for name, part in parts.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            os.replace(part, place / name)
        _flush_folder(place)
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)


def _flushed(path: Path, data: bytes) -> None:
    """Write a new file down to the disk; never through a link, nor onto anything that is there."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    """Have the names in a folder on the disk too, where the system lets folders be flushed."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def _exchange(part: Path, place: Path) -> None:
    """Swap two folders: at once where the system can, else by two moves."""
    # Python has no call that swaps two names; where the system has none either, there is a moment without the folder.
    swap = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None) if os.name == "posix" else None
    if swap is not None and swap(_HERE, os.fsencode(part), _HERE, os.fsencode(place), _EXCHANGE) == 0:
        return
    old = place.with_name(_hidden_name())
    os.rename(place, old)
    try:
        os.rename(part, place)
    except OSError:
        os.rename(old, place)
        raise
    os.rename(old, part)
