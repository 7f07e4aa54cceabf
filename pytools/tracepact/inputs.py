"""Reads files, and remembers what a command has read, so that it is not written over; places never written to."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_PIECE = 1 << 22
LARGEST_FILE = 1 << 34
LARGEST_DOCUMENT = 1 << 28
"""Bytes that are read of any file, and of one that is a single document."""
_read: ContextVar[set[tuple[int, int]] | None] = ContextVar("read", default=None)
"""The files that the command has read so far, by device and number; None where no command runs."""


class UnsafePlace(OSError):  # noqa: N818  (it is what the place is)
    """A place that is not written to, because what is there would be lost: the place and why."""

    def __init__(self, why: str, place: str | os.PathLike[str]) -> None:
        super().__init__(errno.EEXIST, why, os.fspath(place))


@contextmanager
def remembering_inputs() -> Iterator[None]:
    """From now on, and until the end of the block, what has been read is not written over."""
    token = _read.set(set())
    try:
        yield
    finally:
        _read.reset(token)


def note_input(path: str | os.PathLike[str]) -> None:
    """Remember a file as one that the command reads."""
    noted = _read.get()
    if noted is not None and (found := _identity(path)) is not None:
        noted.add(found)


def read_bytes(path: str | os.PathLike[str], most: int = LARGEST_FILE, *, as_input: bool = True) -> bytes:
    """What a file holds, which is remembered as an input unless it is not; OSError if that is more than `most` bytes.

    What is no input: a file of a folder that is opened, checked and written as a whole.
    """
    with open(path, "rb") as file:
        if as_input:
            note_input(path)
        pieces, size = [], 0
        while piece := file.read(_PIECE):
            pieces.append(piece)
            size += len(piece)
            if size > most:
                raise OSError(errno.EFBIG, f"it holds more than {most:,} bytes", os.fspath(path))
    return b"".join(pieces)


def has_inputs() -> bool:
    """Whether anything has been read that is remembered."""
    return bool(_read.get())


def is_input(path: str | os.PathLike[str]) -> bool:
    """Whether a file is one that the command has read, by whatever name."""
    noted = _read.get()
    return noted is not None and _identity(path) in noted


def _identity(path: str | os.PathLike[str]) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino
