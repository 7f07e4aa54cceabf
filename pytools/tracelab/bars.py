"""Progress on standard error, a bar for every stage."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from tracelab.progress import Progress as Told


@contextmanager
def stage_bars() -> Iterator[Told]:
    """Progress on standard error, a bar for every stage."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=False) as bars:
        current: list[TaskID] = []

        def end() -> None:
            """What is over is done, also where parts of it were kept from before."""
            for task in current:
                bars.update(task, completed=bars.tasks[task].total)

        def begin(name: str, parts: int) -> None:
            end()
            current[:] = [bars.add_task(name, total=parts)]

        yield Told(begin, lambda: bars.advance(current[0]))
        end()
