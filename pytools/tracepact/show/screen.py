"""What commands share: consoles, diagnostics on standard error, progress, contracts named by file or by name."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, RenderableType

from tracepact.show.width import needed_width

_NARROWEST = 132


def output() -> Console:
    """Standard output; wide enough for tables when it is not a terminal."""
    console = Console(highlight=False, emoji=False)
    if console.is_terminal:
        return console
    return Console(highlight=False, emoji=False, width=max(console.width, _NARROWEST))


def print_tables(shown: RenderableType) -> None:
    """Tables on standard output: as wide as a terminal is, else so wide that no number and no name is cut."""
    console = output()
    if not console.is_terminal:
        console.width = needed_width(shown, console)
    console.print(shown)


def messages() -> Console:
    """Standard error."""
    return Console(stderr=True, highlight=False, emoji=False)


@contextmanager
def progress(steps: int) -> Iterator[Callable[[str], None]]:
    """A bar on standard error for work of so many steps, quiet when nobody watches.

    The function it gives is called with what comes next, at the start of each step.
    """
    with counted() as update:
        done = iter(range(steps + 1))
        yield lambda what: update(next(done, steps), steps, what)


@contextmanager
def counted() -> Iterator[Callable[[int, int, str], None]]:
    """A bar on standard error that is told how many steps are done, of how many, and what is going on."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = messages()
    if not console.is_terminal:
        yield lambda done, total, what: None
        return
    columns = (BarColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("")
        yield lambda done, total, what: bar.update(task, completed=done, total=total, description=what)
