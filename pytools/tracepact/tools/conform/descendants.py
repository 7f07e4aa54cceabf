"""The processes that a child has started: found by descent, by group and by a mark in their environment, and ended."""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

MARK = "TRACEPACT_PEER"
"""The environment variable whose value all processes of one implementation share."""

_PROCESSES = Path("/proc")
_ADOPTS = 36  # PR_SET_CHILD_SUBREAPER
_ROUNDS = 50


def adopt_orphans() -> frozenset[int]:
    """Make this process the parent of descendants that lose theirs, where the system knows that (Linux).

    Gives the children it has: those that come later and that it did not start are adopted.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_ADOPTS, 1, 0, 0, 0)
    return frozenset(pid for pid, parent in _parents().items() if parent == os.getpid())


def end_all(child: int, mark: str, own: frozenset[int] | None = None) -> None:
    """Kill a child, its group, and whatever else it has left, until nothing of it is there.

    A process that began a session of its own is not in the group, and one whose parent has ended is no descendant any
    more; it still has the mark, unless it changed its environment. Then only a process that adopts orphans and says
    which children are its `own` finds it.
    """
    left = _left(child, mark, own)
    _kill_group(child)
    for _ in range(_ROUNDS):
        for pid in left:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        left = _left(child, mark, own)  # the child too: until it is dead, what it started is not adopted
        if not left:
            break
        time.sleep(0.01)
    if own is not None:
        _reap({pid for pid, parent in _parents().items() if parent == os.getpid() and pid not in own} - {child})


def _kill_group(child: int) -> None:
    with suppress(OSError):
        if os.name == "posix":
            os.killpg(child, signal.SIGKILL)
        else:
            os.kill(child, signal.SIGTERM)


def _left(child: int, mark: str, own: frozenset[int] | None) -> set[int]:
    """The processes below a child, those with its mark, and those this process has adopted since."""
    parents = _parents()
    found = {pid for pid in parents if pid != os.getpid() and _marked(pid, mark)}
    if own is not None:
        found |= {pid for pid, parent in parents.items() if parent == os.getpid() and pid not in own}
    grown = {child} & parents.keys() | found
    while grown:
        found |= grown
        grown = {pid for pid, parent in parents.items() if parent in grown} - found
    return {pid for pid in found if not _is_dead(pid)}


def _parents() -> dict[int, int]:
    """The parent of every process that can be seen; nothing on a system without such a list."""
    return {pid: parent for pid in _pids() if (parent := _status(pid)[1]) is not None}


def _pids() -> Iterator[int]:
    with suppress(OSError):
        yield from (int(entry.name) for entry in _PROCESSES.iterdir() if entry.name.isdecimal())


def _status(pid: int) -> tuple[str, int | None]:
    """The state and the parent of a process."""
    try:
        text = (_PROCESSES / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return "", None
    state, parent, *_ = text.rpartition(")")[2].split()
    return state, int(parent)


def _is_dead(pid: int) -> bool:
    return _status(pid)[0] in ("Z", "X", "")


def _marked(pid: int, mark: str) -> bool:
    with suppress(OSError):
        return f"{MARK}={mark}".encode() in (_PROCESSES / str(pid) / "environ").read_bytes().split(b"\0")
    return False


def _reap(pids: set[int]) -> None:
    """Take note of the end of adopted processes, so that none stays as a zombie; one that lives is left alone."""
    for pid in pids:
        with suppress(OSError):
            os.waitpid(pid, os.WNOHANG)
