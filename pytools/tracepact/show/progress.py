"""A progress bar on standard error; where that is not a terminal, nothing is drawn and nothing is loaded to draw it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(steps: int) -> Iterator[Callable[[str], None]]:
    """A bar for work of a known number of steps.

    The function it gives is called with what comes next, at the start of each step.
    """
    with counted() as update:
        done = iter(range(steps + 1))
        yield lambda what: update(next(done, steps), steps, what)


@contextmanager
def counted() -> Iterator[Callable[[int, int, str], None]]:
    """A bar that is told how many steps are done, of how many, and what is going on."""
    if not sys.stderr.isatty():
        yield lambda done, total, what: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from tracepact.show.screen import Screen

    columns = (BarColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Screen(stderr=True), transient=True) as bar:
        task = bar.add_task("")
        yield lambda done, total, what: bar.update(task, completed=done, total=total, description=what)
