"""Files that are read and remembered, kept within what was named, and how much is taken in one go."""

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from io import BufferedReader
from pathlib import Path, PurePath
from typing import BinaryIO, NamedTuple

__all__ = [
    "LARGEST_DOCUMENT",
    "digest_within",
    "open_within",
    "plain_within",
    "read_bytes",
    "read_within",
]  # of which others may make use

# How much is taken in one go: numbers that are declared, checked before anything is allocated, and can be raised.
#
# Limits that cannot be raised are those of a contract (1.1, 1.6), of a time (13.39) and of the text of a number
# (13.40).


class Limits(NamedTuple):
    """The limits of chapter 25 of the tools.

    Attributes:
        frames: frames of all clips of one scoring run, counted once for each class.
        scores: the same where every frame has a score of its own: curves over all thresholds, and their choice.
        candidates: pairs of events that are near enough to be looked at when events are matched.
        steps: steps of the search for the best matching of events (15.9).
        cells: rows times columns of a Parquet or Arrow file that are read in one go.
    """

    frames: int = 10**9
    scores: int = 10**8
    candidates: int = 2 * 10**7
    steps: int = 10**6
    cells: int = 2 * 10**7


NAMES = tuple(name.replace("_", "-") for name in Limits._fields)
"""What the limits are called on the command line."""

_USUAL = Limits()
_chosen: ContextVar[Limits] = ContextVar("limits", default=_USUAL)


def limits() -> Limits:
    """The limits that hold here."""
    return _chosen.get()


def raise_limit(name: str, number: int) -> None:
    """Have another limit of a name hold from now on, for the rest of the command or thread."""
    _chosen.set(_chosen.get()._replace(**{name.replace("-", "_"): number}))


@contextmanager
def with_limits(**numbers: int) -> Iterator[None]:
    """Other limits inside the block.

    Args:
        numbers: limits by name: `frames`, `scores`, `candidates`, `steps`, `cells`.

    Returns:
        A context manager.

    Raises:
        ValueError: no limit has this name.

    Examples:
        >>> from tracepact.inputs import limits
        >>> with with_limits(frames=10**11):
        ...     limits().frames
        100000000000
    """
    token = _chosen.set(_chosen.get()._replace(**numbers))
    try:
        yield
    finally:
        _chosen.reset(token)


# Reads files, and remembers what a command has read, so that it is not written over; places never written to.
#
# A file whose name comes out of another file, and every file of a folder that somebody else may have made, is
# opened by `open_within` alone: below the folder, a plain file, of a bounded size (rule 17.16).

Place = str | os.PathLike[str]

_PIECE = 1 << 22
LARGEST_FILE = 1 << 34
LARGEST_DOCUMENT = 1 << 28
"""Bytes that are read of any file, and of one that is a single document."""
_NO_FILE = "it is a pipe or a device"
_PLAINLY = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_read: ContextVar[set[tuple[int, int]] | None] = ContextVar("read", default=None)
"""The files that the command has read so far, by device and number; None where no command runs."""


class UnsafePlace(OSError):  # noqa: N818  (it is what the place is)
    """A place that is not written to, because what is there would be lost: the place and why."""

    def __init__(self, why: str, place: Place) -> None:
        super().__init__(errno.EEXIST, why, os.fspath(place))


@contextmanager
def remembering_inputs() -> Iterator[None]:
    """From now on, and until the end of the block, what has been read is not written over."""
    token = _read.set(set())
    try:
        yield
    finally:
        _read.reset(token)


def note_input(path: Place) -> None:
    """Remember a file as one that the command reads."""
    noted = _read.get()
    if noted is not None and (identity := _identity(path)) is not None:
        noted.add(identity)


def read_bytes(path: Place, most: int = LARGEST_FILE, *, as_input: bool = True) -> bytes:
    """The bytes of a file, remembered as an input by default; OSError if there are more than `most`.

    What is no input: a file of a folder that is opened, checked and written as a whole.
    """
    with open(path, "rb") as file:
        if as_input:
            note_input(path)
        return _all(file, most, path)


def _all(file: BinaryIO, most: int, path: Place) -> bytes:
    pieces, size = [], 0
    # Piece by piece, for the size of a pipe, and of a file that still grows, is not known before.
    while piece := file.read(_PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > most:
            raise _too_large(most, path)
    return b"".join(pieces)


def _too_large(most: int, path: Place) -> OSError:
    return OSError(errno.EFBIG, f"it holds more than {most:,} bytes", os.fspath(path))


def place_within(folder: Place, name: Place) -> Path:
    """Where a name of a folder leads, links followed; OSError if that is not in the folder, or no file has such names.

    Nothing is opened for it: what a name out of a stranger's file says is only looked at.
    """
    shown = os.path.join(folder, name)
    try:
        if os.path.isabs(name) or ".." in PurePath(name).parts:
            raise OSError(errno.EPERM, "its name leads out of the folder", shown)
        # Links are followed first and compared after: a name may lead out by a link anywhere on its way.
        root = os.path.realpath(folder)
        place = os.path.realpath(os.path.join(root, name))
        if os.path.commonpath((root, place)) != root:
            raise OSError(errno.EPERM, "a link leads out of the folder", shown)
    except ValueError:  # a NUL sign, or half of a surrogate pair
        raise OSError(errno.EINVAL, "no file has such a name", repr(shown)) from None
    return Path(place)


def plain_within(folder: Place, name: Place) -> Path:
    """The place of a plain file below a folder, or of a folder of such files; OSError says why there is none.

    For what a reader takes that is handed a path: nothing at this place is a pipe, a device or a link that leads out.
    """
    place = place_within(folder, name)
    mode = os.stat(place).st_mode
    if stat.S_ISDIR(mode):
        for parent, folders, names in os.walk(place):
            for inner in folders:
                place_within(place, os.path.relpath(os.path.join(parent, inner), place))
            for inner in names:
                plain_within(place, os.path.relpath(os.path.join(parent, inner), place))
    elif not stat.S_ISREG(mode):
        raise OSError(errno.EPERM, _NO_FILE, os.path.join(folder, name))
    return place


def open_within(folder: Place, name: Place, most: int = LARGEST_FILE) -> BufferedReader:
    """Open a file of a folder that may have come from a stranger; OSError says why it is not opened.

    It is a plain file below the folder, of at most `most` bytes. No link and no `..` leads out of the folder, and no
    pipe or device is waited for.
    """
    # Without waiting and without following a link: between the look and the opening, a file may be exchanged.
    opened = os.open(place_within(folder, name), _PLAINLY)
    try:
        # Asked of what is open, not of the name, which may mean something else by now.
        there = os.fstat(opened)
        if not stat.S_ISREG(there.st_mode):
            what = (errno.EISDIR, "it is a folder") if stat.S_ISDIR(there.st_mode) else (errno.EPERM, _NO_FILE)
            raise OSError(*what, os.path.join(folder, name))
        if there.st_size > most:
            raise _too_large(most, os.path.join(folder, name))
        return os.fdopen(opened, "rb")
    except BaseException:
        os.close(opened)
        raise


def read_within(folder: Place, name: Place, most: int = LARGEST_FILE) -> bytes:
    """The bytes of a file of a folder that may have come from a stranger; OSError as for `open_within`.

    It is not remembered as an input: such a folder is opened, checked and written as a whole.
    """
    with open_within(folder, name, most) as file:
        return _all(file, most, os.path.join(folder, name))


def digest_within(folder: Place, name: Place, most: int = LARGEST_FILE) -> str:
    """The SHA-256 of a file of a folder that may have come from a stranger, read piece by piece."""
    with open_within(folder, name, most) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def has_inputs() -> bool:
    """Whether anything has been read that is remembered."""
    return bool(_read.get())


def is_input(path: Place) -> bool:
    """Whether a file is one that the command has read, by whatever name."""
    noted = _read.get()
    return noted is not None and _identity(path) in noted


def _identity(path: Place) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    # By device and number: one file has many names, by links and by relative paths.
    return status.st_dev, status.st_ino
