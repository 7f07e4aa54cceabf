"""Runs tasks by an engine and adds their results."""

from contextlib import AbstractContextManager, nullcontext

from tracepact.engines.clusters import run_on_cluster, started
from tracepact.engines.model import Engine, EngineKind, Progress, S, Work, attempt, no_progress
from tracepact.engines.processes import run_in_processes


def run_tasks(engine: Engine, work: Work[S], progress: Progress | None = None) -> S | None:
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


def _run_here(work: Work[S], progress: Progress) -> S | None:
    total: S | None = None
    for number, task in enumerate(work.tasks, 1):
        found = attempt(work, task)
        total = found if total is None else total + found
        progress.done(number)
    return total
