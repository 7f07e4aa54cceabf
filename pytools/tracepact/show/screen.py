"""Consoles on standard output and standard error, and the width that tables need.

Where nobody looks at a screen, no number and no name is cut or broken.
"""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Column, Table

from tracepact.wording import visible

_NARROWEST = 132
_WORD = 40
LONGEST_LINE = 10_000


class Screen(Console):
    """A console on which a text stands for itself: the signs in it that would act on a terminal are escaped."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """What is drawn, piece by piece; only the console's own pieces move the cursor."""
        for piece in super().render(renderable, options):
            yield piece if piece.control or piece.text.isprintable() else piece._replace(text=visible(piece.text))


def output() -> Console:
    """Standard output; wide enough for tables when it is not a terminal."""
    console = Screen(highlight=False, emoji=False)
    if console.is_terminal:
        return console
    return Screen(highlight=False, emoji=False, width=max(console.width, _NARROWEST))


def print_tables(shown: RenderableType) -> None:
    """Tables on standard output: as wide as a terminal is, else so wide that no number and no name is cut."""
    console = output()
    if not console.is_terminal:
        console.width = needed_width(shown, console)
    console.print(shown)


def messages() -> Console:
    """Standard error."""
    return Screen(stderr=True, highlight=False, emoji=False)


def needed_width(shown: RenderableType, console: Console) -> int:
    """The width of a console or of the widest table; from now on its tables keep numbers and names on one line."""
    return max([console.width, *(least_width(keep_whole(table), console) for table in _tables(shown))])


def keep_whole(table: Table) -> Table:
    """Have the first column of a table, of names, and those of numbers on one line each."""
    for index, column in enumerate(table.columns):
        column.no_wrap = column.no_wrap or index == 0 or column.justify == "right"
    return table


def _tables(shown: RenderableType) -> list[Table]:
    if isinstance(shown, Group):
        return [table for part in shown.renderables for table in _tables(part)]
    found = getattr(shown, "widest", shown)  # a table that adapts to the width tells its widest form
    return [found] if isinstance(found, Table) else []


def least_width(table: Table, console: Console) -> int:
    """The least width of a table: columns of numbers and names whole, others with their longest word."""
    return 3 * len(table.columns) + 1 + sum(_column(column, console) for column in table.columns)


def _column(column: Column, console: Console) -> int:
    options = console.options.update(width=LONGEST_LINE)
    cells = [Measurement.get(console, options, cell) for cell in (column.header, *column.cells)]
    widths = [cell.maximum if column.no_wrap else min(cell.minimum, _WORD) for cell in cells]
    return max([column.min_width or 0, *widths])
