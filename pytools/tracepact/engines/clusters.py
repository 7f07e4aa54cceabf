"""Tasks on a Dask cluster: one task a batch, a tree of tasks that adds their results, and a check of the workers."""

import platform
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from tracepact.diagnostics import Diagnostic, InvalidInput
from tracepact.engines.model import FAN_IN, Engine, EngineLost, Progress, S, Work, attempt
from tracepact.version import VERSION

_PATIENCE = 15
"""How many seconds a scheduler has to answer, at first and after a connection broke."""
_SILENT = "the scheduler no longer answers"


def run_on_cluster(engine: Engine, work: Work[S], progress: Progress) -> S | None:
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


def _sum(client: Any, work: Work[S], progress: Progress) -> S:
    import distributed

    as_completed: Any = distributed.as_completed
    shared = client.scatter(Work(work.do, (), work.given_up), broadcast=True, hash=False)
    with warnings.catch_warnings():  # names and lengths of clips are what tasks are made of; there is no smaller graph
        warnings.filterwarnings("ignore", "Sending large graph")
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
    while len(level) > 1:
        level = [
            client.submit(_added, level[first : first + FAN_IN], pure=False, key=None)
            for first in range(0, len(level), FAN_IN)
        ]
    found = [level[0].result()] if level else []
    total: S = _added([*found, *given_up])
    return total


def _attempted(task: Any, job: Work[S]) -> S:
    return attempt(job, task)


def _added(results: Sequence[S]) -> S:
    total = results[0]
    for result in results[1:]:
        total = total + result
    return total


def tree_levels(tasks: int) -> list[int]:
    """How many tasks each level of the tree has, the batches first: what the graph of so many batches looks like."""
    levels = [tasks]
    while levels[-1] > 1:
        levels.append(-(-levels[-1] // FAN_IN))
    return levels


@contextmanager
def _client(engine: Engine, progress: Progress) -> Iterator[Any]:
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
    options = {"n_workers": engine.number, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with start_cluster(**options) as cluster:
        yield replace(engine, address=cluster.scheduler_address, is_ours=True)


def _distributed() -> tuple[Any, Any]:
    """What makes a client, and what starts a cluster here; InvalidInput if the package is not there."""
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        headline, help = "the engine `dask` needs a package that is not there", "pip install 'tracepact[cluster]'"
        raise InvalidInput([Diagnostic("missing-extra", headline, None, help)]) from error
    return Client, LocalCluster


def facts() -> dict[str, str]:
    """What a process runs with: what must be the same on every worker for results to be the same."""
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
    own = facts()
    found: list[Diagnostic] = []
    answers = client.run(facts)
    if not answers:
        found.append(
            Diagnostic("no-workers", "the cluster has no workers", None, "start some: `dask worker tcp://host:8786`")
        )
    for worker, theirs in sorted(answers.items()):
        for name in own:
            if theirs.get(name) != own[name]:
                headline = f"worker `{worker}` has {name} {theirs.get(name)}, this process has {own[name]}"
                found.append(Diagnostic("other-versions", headline, None, "install the same versions everywhere"))
    if found:
        raise InvalidInput(found)


def _what_is_lost(client: Any) -> str:
    """What went away: the workers, if the scheduler still answers that it has none."""
    try:
        found = client.run_on_scheduler(_workers)
    except Exception:  # noqa: BLE001  (whatever keeps it from answering, it does not)
        return _SILENT
    return _SILENT if found else "all workers of the cluster are gone"


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
