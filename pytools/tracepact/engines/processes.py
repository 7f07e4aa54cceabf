"""Tasks in processes of this machine: a pool that is started anew when one of its processes dies."""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process
from os import _exit
from signal import SIG_BLOCK, SIG_SETMASK, SIGINT, pthread_sigmask
from threading import Thread
from typing import Any

from tracepact.engines.model import ATTEMPTS, Engine, Progress, S, Work, attempt

_AHEAD = 1
"""How many tasks wait in the pool beside those that are worked on."""


def run_in_processes(engine: Engine, work: Work[S], progress: Progress) -> S | None:
    """The sum of all results; a task whose process dies is tried again, the second time by itself."""
    total: S | None = None
    waiting = deque(enumerate(work.tasks))
    deaths = [0] * len(work.tasks)
    finished = 0
    while waiting:
        alone = deaths[waiting[0][0]] > 0
        for number, found in _until_a_death(1 if alone else engine.number, work, waiting, deaths, alone):
            if found is None:
                deaths[number] += 1
                if deaths[number] < ATTEMPTS:
                    waiting.append((number, work.tasks[number]))
                    continue
                found = work.given_up(work.tasks[number], "the process that worked on it died")
            finished += 1
            total = found if total is None else total + found
            progress.done(finished)
    return total


def _until_a_death(
    workers: int, work: Work[S], waiting: deque[tuple[int, Any]], deaths: list[int], alone: bool
) -> Iterator[tuple[int, S | None]]:
    """Results as they come; None for the tasks that were in the pool when one of its processes died."""
    context, bare = get_context("spawn"), Work(work.do, (), work.given_up)
    with (
        ProcessPoolExecutor(workers, mp_context=context, initializer=_take, initargs=(bare,)) as pool,
        _ended_with_us(),
    ):
        running: dict[Future[S], int] = {}
        while waiting or running:
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
