"""Engines by name, what they are given to do, and what they say while they do it."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, Protocol, Self, TypeVar

from tracepact.diagnostics import Diagnostic, InvalidInput

ATTEMPTS = 3
"""How often a batch is tried before it is given up."""
FAN_IN = 8
"""How many results are added at a time, where a tree adds them."""


class EngineKind(StrEnum):
    """Where batches are done."""

    LOCAL = "local"
    PROCESSES = "processes"
    DASK = "dask"


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine: its kind, how many workers it starts, and the address of a scheduler that is already there.

    `is_ours` says that the scheduler was started here and is stopped again by whoever did.
    """

    kind: EngineKind = EngineKind.LOCAL
    workers: int | None = None
    address: str | None = None
    is_ours: bool = False

    @property
    def number(self) -> int:
        """How many workers it starts, one a processor if nothing is said."""
        if self.kind is EngineKind.LOCAL:
            return 1
        return self.workers or max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2)


def engine_from(given: "Engine | str | None") -> Engine:
    """The engine that a text names: `local`, `processes`, `processes:4`, `dask`, `dask:2` or `dask:tcp://host:8786`."""
    if given is None or isinstance(given, Engine):
        return given or Engine()
    name, _, rest = given.partition(":")
    if name not in list(EngineKind) or (name == EngineKind.LOCAL and rest):
        raise InvalidInput([Diagnostic("unknown-choice", f"there is no engine `{given}`", None, _FORMS)])
    kind = EngineKind(name)
    if name == given:
        return Engine(kind)
    if rest.isdecimal() and int(rest):
        return Engine(kind, int(rest))
    if kind is EngineKind.DASK and _is_address(rest):
        return Engine(kind, None, rest)
    what = "the address of a scheduler" if kind is EngineKind.DASK and "://" in rest else "a number of workers"
    raise InvalidInput([Diagnostic("unknown-choice", f"`{rest}` is not {what}", None, _FORMS)])


_PROTOCOLS = ("tcp", "tls", "ucx", "ucxx", "ws", "wss")


def _is_address(text: str) -> bool:
    """Whether a text is the address of a scheduler: a protocol that Dask speaks, a host and a port."""
    protocol, _, place = text.partition("://")
    host, _, port = place.rpartition(":")
    return protocol in _PROTOCOLS and bool(host) and port.isdecimal() and 0 < int(port) < 1 << 16


_FORMS = "write local, processes, processes:4, dask, dask:2, or dask:tcp://host:8786 with a scheduler's address"


class Sum(Protocol):
    """What batches give: results that can be added in any order."""

    def __add__(self, other: Self) -> Self: ...


S = TypeVar("S", bound=Sum)


@dataclass(frozen=True, slots=True)
class Work(Generic[S]):
    """A job in tasks: what to do with each, what a task that was given up counts as, and what to check of a worker.

    Functions and tasks are sent to other processes, so the functions are named at the top of a module.
    """

    do: Callable[[Any], S]
    tasks: Sequence[Any]
    given_up: Callable[[Any, str], S]


class EngineLost(Exception):  # noqa: N818  (it is what happened)
    """A scheduler, or all workers, went away; nothing that is kept on disk is lost."""


def _nobody(*said: object) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What an engine says: how many tasks are done, where a dashboard is, and what else there is to know.

    `stage` is told by whoever gives it more tasks what these are and how many, once the first are done.
    """

    done: Callable[[int], None]
    dashboard: Callable[[str], None] = _nobody
    note: Callable[[str], None] = _nobody
    stage: Callable[[str, int], None] = _nobody


def no_progress() -> Progress:
    """Tell nobody."""
    return Progress(_nobody)


def attempt(work: Work[S], task: Any) -> S:
    """Do a task, again if it fails, and give it up after the third time; faults of the input are no failures."""
    for number in range(1, ATTEMPTS + 1):
        try:
            return work.do(task)
        except InvalidInput:
            raise
        except Exception as error:  # noqa: BLE001  (a batch that fails must not end the others; its fault is reported)
            if number == ATTEMPTS:
                return work.given_up(task, f"{type(error).__name__}: {error}")
    raise AssertionError("the last attempt returns")
