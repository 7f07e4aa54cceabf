"""Where batches of work are done: in this process, in several, or on a Dask cluster; results are added as they come."""

import os
import platform
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib.util import find_spec
from multiprocessing import active_children, get_context, parent_process
from os import _exit
from signal import SIG_BLOCK, SIG_SETMASK, SIGINT, pthread_sigmask
from threading import Thread
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np

from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import Diagnostic
from tracepact.version import VERSION
from tracepact.wording import is_whole

# Engines by name, what they are given to do, and what they say while they do it.

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


def engine_from(engine: "Engine | str | None") -> Engine:
    """The engine that a text names: `local`, `processes`, `processes:4`, `dask`, `dask:2` or `dask:tcp://host:8786`."""
    if engine is None or isinstance(engine, Engine):
        return engine or Engine()
    name, _, rest = engine.partition(":")
    if name not in list(EngineKind) or (name == EngineKind.LOCAL and rest):
        raise InvalidInput([Diagnostic("unknown-choice", f"there is no engine `{engine}`", None, _FORMS)])
    kind = EngineKind(name)
    if name == engine:
        return Engine(kind)
    if is_whole(rest) and 0 < int(rest) <= _MOST_WORKERS:
        return Engine(kind, int(rest))
    if kind is EngineKind.DASK and _is_address(rest):
        return Engine(kind, None, rest)
    what = "the address of a scheduler" if kind is EngineKind.DASK and "://" in rest else "a number of workers"
    raise InvalidInput([Diagnostic("unknown-choice", f"`{rest}` is not {what}", None, _FORMS)])


_MOST_WORKERS = 10**6
_PROTOCOLS = ("tcp", "tls", "ucx", "ucxx", "ws", "wss")


def _is_address(text: str) -> bool:
    """Whether a text is the address of a scheduler: a protocol that Dask speaks, a host and a port."""
    protocol, _, place = text.partition("://")
    host, _, port = place.rpartition(":")
    return protocol in _PROTOCOLS and bool(host) and is_whole(port) and 0 < int(port) < 1 << 16


_FORMS = "write local, processes, processes:4, dask, dask:2, or dask:tcp://host:8786 with a scheduler's address"


class Addable(Protocol):
    """Results of batches, which can be added in any order."""

    def __add__(self, other: Self) -> Self: ...


S = TypeVar("S", bound=Addable)


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
class EngineProgress:
    """Callbacks of an engine: how many tasks are done, where a dashboard is, and other notes.

    `stage` is told by whoever gives it more tasks what these are and how many, once the first are done.
    """

    done: Callable[[int], None]
    dashboard: Callable[[str], None] = _nobody
    note: Callable[[str], None] = _nobody
    stage: Callable[[str, int], None] = _nobody


def no_progress() -> EngineProgress:
    """Tell nobody."""
    return EngineProgress(_nobody)


def attempt(work: Work[S], task: Any) -> S:
    """Do a task, again if it fails, and give it up after the third time; faults of the input are no failures."""
    for number in range(1, ATTEMPTS + 1):
        try:
            return work.do(task)
        # A fault of the input is there every time.
        except InvalidInput:
            raise
        except Exception as error:  # noqa: BLE001  (a batch that fails must not end the others; its fault is reported)
            if number == ATTEMPTS:
                return work.given_up(task, f"{type(error).__name__}: {error}")
    raise AssertionError("the last attempt returns")


# Tasks in processes of this machine: a pool that is started anew when one of its processes dies.

_AHEAD = 1
"""How many tasks wait in the pool beside those that are worked on."""


def run_in_processes(engine: Engine, work: Work[S], progress: EngineProgress) -> S | None:
    """The sum of all results; a task whose process dies is tried again, the second time by itself."""
    total: S | None = None
    # A pool does not say which task killed its process: all that were in it count as suspects, and each is then tried
    # alone, where a second death has one cause.
    waiting = deque(enumerate(work.tasks))
    deaths = [0] * len(work.tasks)
    finished = 0
    while waiting:
        alone = deaths[waiting[0][0]] > 0
        for number, outcome in _until_a_death(1 if alone else engine.number, work, waiting, deaths, alone):
            if outcome is None:
                deaths[number] += 1
                if deaths[number] < ATTEMPTS:
                    waiting.append((number, work.tasks[number]))
                    continue
                outcome = work.given_up(work.tasks[number], "the process that worked on it died")
            finished += 1
            total = outcome if total is None else total + outcome
            progress.done(finished)
    return total


def _until_a_death(
    workers: int, work: Work[S], waiting: deque[tuple[int, Any]], deaths: list[int], alone: bool
) -> Iterator[tuple[int, S | None]]:
    """Results as they come; None for the tasks that were in the pool when one of its processes died."""
    # Spawned, not forked: a fork copies threads of NumPy and pyarrow half-way. Tasks are left out, for each is sent.
    context, bare = get_context("spawn"), Work(work.do, (), work.given_up)
    with (
        ProcessPoolExecutor(workers, mp_context=context, initializer=_take, initargs=(bare,)) as pool,
        _ended_with_us(),
    ):
        running: dict[Future[S], int] = {}
        while waiting or running:
            # Few tasks wait in the pool: they hold the data of their batches, and the memory is for those at work.
            room = 1 if alone else workers + _AHEAD
            while waiting and len(running) < room and (alone or not deaths[waiting[0][0]]):
                number, task = waiting.popleft()
                try:
                    with _deaf():
                        running[pool.submit(_attempt, task)] = number
                except BrokenProcessPool:
                    waiting.appendleft((number, task))
                    break
                if alone:
                    break
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                number = running.pop(future)
                if isinstance(future.exception(), BrokenProcessPool):
                    yield number, None
                else:
                    yield number, future.result()
            if alone and not running:
                return


_taken: list[Work[Any]] = []
"""In a process of a pool: the work it was started for. What all tasks share is sent once, not with every task."""


def _take(work: Work[Any]) -> None:
    _taken[:] = [work]
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process when the one that started it is gone, however it ended: nobody waits for what it works on."""
    parent = parent_process()
    assert parent is not None  # it is a process of a pool
    parent.join()
    # At once: the usual end would wait for what the process works on, which nobody takes any more.
    _exit(1)


def _attempt(task: Any) -> Any:
    return attempt(_taken[0], task)


@contextmanager
def _deaf() -> Iterator[None]:
    """Processes that are started here do not hear Ctrl-C: it is for us, and we end them."""
    before = pthread_sigmask(SIG_BLOCK, {SIGINT})
    try:
        yield
    finally:
        pthread_sigmask(SIG_SETMASK, before)


@contextmanager
def _ended_with_us() -> Iterator[None]:
    """The processes that were started here end at once if we are stopped; a pool would wait for what they work on."""
    others = set(active_children())
    try:
        yield
    except BaseException:
        for process in set(active_children()) - others:
            process.kill()
        raise


# Tasks on a Dask cluster: one task a batch, a tree of tasks that adds their results, and a check of the workers.

_PATIENCE = 15
"""How many seconds a scheduler has to answer, at first and after a connection broke."""
_SILENT = "the scheduler no longer answers"


def run_on_cluster(engine: Engine, work: Work[S], progress: EngineProgress) -> S | None:
    """The sum of all results, added on the workers; a worker that dies costs its tasks a new try."""
    if not work.tasks:
        return None
    with _client(engine, progress) as client:
        check_workers(client)
        ours = engine.address is None or engine.is_ours
        if not ours or find_spec("bokeh"):  # without it a cluster that is started here serves none
            progress.dashboard(str(client.dashboard_link or ""))
        with _lost_is_said(client):
            return _sum(client, work, progress)


def _sum(client: Any, work: Work[S], progress: EngineProgress) -> S:
    import distributed

    as_completed: Any = distributed.as_completed
    shared = client.scatter(Work(work.do, (), work.given_up), broadcast=True, hash=False)
    with warnings.catch_warnings():  # names and lengths of clips are what tasks are made of; there is no smaller graph
        warnings.filterwarnings("ignore", "Sending large graph")
        # Not pure: Dask would take a batch that is asked for again for the one it has, or has lost.
        results = client.map(_attempted, work.tasks, job=shared, pure=False, key="tracepact-batch")
    died: list[Any] = []
    for finished, future in enumerate(as_completed(results, loop=client.loop), 1):
        if future.status in ("cancelled", "lost"):
            raise EngineLost(_what_is_lost(client))
        if future.status == "error":
            died.append(future)
        progress.done(finished)
    level = [future for future in results if future not in set(died)]
    given_up = [
        work.given_up(task, "every worker that took it died")
        for task, future in zip(work.tasks, results, strict=True)
        if future in set(died)
    ]
    # A tree, so that no worker holds more than a few results at once, and the client only the sum.
    while len(level) > 1:
        level = [
            client.submit(_added, level[first : first + FAN_IN], pure=False, key=None)
            for first in range(0, len(level), FAN_IN)
        ]
    sums = [level[0].result()] if level else []
    total: S = _added([*sums, *given_up])
    return total


def _attempted(task: Any, job: Work[S]) -> S:
    return attempt(job, task)


def _added(results: Sequence[S]) -> S:
    total = results[0]
    for result in results[1:]:
        total = total + result
    return total


def tree_levels(tasks: int) -> list[int]:
    """How many tasks each level of the tree of sums has, the batches first."""
    levels = [tasks]
    while levels[-1] > 1:
        levels.append(-(-levels[-1] // FAN_IN))
    return levels


@contextmanager
def _client(engine: Engine, progress: EngineProgress) -> Iterator[Any]:
    """A client of the scheduler at an address, or of a cluster that is started here and stopped again."""
    start_client, _ = _distributed()
    if engine.address is None:
        with started(engine) as ours, _client(ours, progress) as client:
            yield client
        return
    if not engine.is_ours:
        progress.note(f"asking the scheduler at {engine.address}, which has {_PATIENCE} s to answer")
    try:
        client = start_client(engine.address, timeout=_PATIENCE, set_as_default=False)
    except OSError as error:
        headline = f"no scheduler answers at `{engine.address}`"
        help = "start one with `dask scheduler`, or leave out the address to start a cluster here"
        raise InvalidInput([Diagnostic("no-scheduler", headline, None, help)]) from error
    with client:
        yield client


@contextmanager
def started(engine: Engine) -> Iterator[Engine]:
    """The engine with a cluster that is started here and stopped again, if it names no scheduler's address."""
    if engine.address is not None:
        yield engine
        return
    _, start_cluster = _distributed()
    # One thread each: the work holds Python's lock. The dashboard is for this machine alone, at any free port.
    options = {"n_workers": engine.number, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with start_cluster(**options) as cluster:
        yield replace(engine, address=cluster.scheduler_address, is_ours=True)


def _distributed() -> tuple[Any, Any]:
    """The classes that make a client and start a cluster here; InvalidInput if the package is not installed."""
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        headline, help = "the engine `dask` needs a package that is not there", "pip install 'tracepact[cluster]'"
        raise InvalidInput([Diagnostic("missing-extra", headline, None, help)]) from error
    return Client, LocalCluster


def facts() -> dict[str, str]:
    """The versions that must be the same on every worker for results to be the same."""
    try:
        import pyarrow

        columns = str(pyarrow.__version__)
    except ImportError:
        columns = "not installed"
    return {
        "tracepact": VERSION,
        "python": ".".join(platform.python_version_tuple()[:2]),
        "numpy": np.__version__,
        "pyarrow": columns,
    }


def check_workers(client: Any) -> None:
    """Refuse workers that run with other versions than this process, and a cluster without any."""
    here = facts()
    faults: list[Diagnostic] = []
    answers = client.run(facts)
    if not answers:
        faults.append(
            Diagnostic("no-workers", "the cluster has no workers", None, "start some: `dask worker tcp://host:8786`")
        )
    # Other versions may count, or write, otherwise: results would then depend on which worker took a batch.
    for worker, theirs in sorted(answers.items()):
        for name in here:
            if theirs.get(name) != here[name]:
                headline = f"worker `{worker}` has {name} {theirs.get(name)}, this process has {here[name]}"
                faults.append(Diagnostic("other-versions", headline, None, "install the same versions everywhere"))
    if faults:
        raise InvalidInput(faults)


def _what_is_lost(client: Any) -> str:
    """A message about the loss: the workers are gone if the scheduler still answers that it has none."""
    try:
        workers = client.run_on_scheduler(_workers)
    except Exception:  # noqa: BLE001  (whatever keeps it from answering, it does not)
        return _SILENT
    return _SILENT if workers else "all workers of the cluster are gone"


def _workers(dask_scheduler: Any) -> int:
    """How many workers a scheduler has."""
    return len(dask_scheduler.workers)


@contextmanager
def _lost_is_said(client: Any) -> Iterator[None]:
    """EngineLost if the scheduler, or the last worker, goes away meanwhile."""
    from distributed import CancelledError
    from distributed.client import FutureCancelledError
    from distributed.comm.core import CommClosedError

    try:
        yield
    except (CommClosedError, CancelledError, FutureCancelledError, TimeoutError) as error:
        raise EngineLost(_what_is_lost(client)) from error


# Runs tasks by an engine and adds their results.


def run_tasks(engine: Engine, work: Work[S], progress: EngineProgress | None = None) -> S | None:
    """The sum of the results of all tasks, whatever their order; None for no tasks."""
    told = progress or no_progress()
    match engine.kind:
        case EngineKind.LOCAL:
            return _run_here(work, told)
        case EngineKind.PROCESSES:
            return run_in_processes(engine, work, told)
        case EngineKind.DASK:
            return run_on_cluster(engine, work, told)


def kept_engine(engine: Engine) -> AbstractContextManager[Engine]:
    """The engine for several runs of tasks: a cluster that has to be started here is started once."""
    return started(engine) if engine.kind is EngineKind.DASK else nullcontext(engine)


def _run_here(work: Work[S], progress: EngineProgress) -> S | None:
    total: S | None = None
    for number, task in enumerate(work.tasks, 1):
        outcome = attempt(work, task)
        total = outcome if total is None else total + outcome
        progress.done(number)
    return total
