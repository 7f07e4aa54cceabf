"""Draws tables in a terminal: bars as blocks, and columns left out where the screen is narrow, which is said."""

from collections.abc import Iterator, Sequence

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Column as RichColumn
from rich.table import Table as RichTable
from rich.text import Text

from tracepact.show.screen import LONGEST_LINE, keep_whole
from tracepact.show.table import Bar, Cell, Column, Table, Tone, cell_of
from tracepact.wording import visible

_BAR = 10
_WIDE = 118
_STYLES = {
    Tone.PLAIN: "",
    Tone.STRONG: "bold",
    Tone.FAINT: "dim",
    Tone.GOOD: "green",
    Tone.FAIR: "yellow",
    Tone.BAD: "red",
}


def style_of(tone: Tone) -> str:
    """How a tone looks in a terminal."""
    return _STYLES[tone]


class TerminalTable:
    """A table that rich draws, numbers, names and words whole where there is room for them.

    A narrow screen leaves out the columns for wide ones, and a note says so. Columns that still do not fit side by side
    follow below, in parts that repeat the first column.
    """

    def __init__(self, table: Table) -> None:
        self.table = table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        left_out = [c.heading for c in self.table.columns if c.wide_only] if options.max_width < _WIDE else []
        whole = keep_whole(drawn(self.table, _kept(self.table, wide=not left_out)))
        if sum(_most(column, console) for column in whole.columns) + _frame(whole.columns) <= options.max_width:
            yield whole
        else:
            yield from _parts(self.table, _kept(self.table, wide=not left_out), console, options.max_width)
        notes = [*self.table.notes]
        if left_out:
            notes.append(f"left out on a screen of {options.max_width} columns: {', '.join(left_out)}")
        if notes:
            yield Padding(Text("\n".join(notes), style="dim"), (0, 0, 1, 1))

    @property
    def widest(self) -> RichTable:
        """The table with all its columns, numbers and names whole."""
        return keep_whole(drawn(self.table))


def _kept(table: Table, *, wide: bool) -> list[int]:
    """The columns that are shown."""
    return [index for index, column in enumerate(table.columns) if wide or not column.wide_only]


def drawn(table: Table, columns: Sequence[int] | None = None) -> RichTable:
    """The table itself, or some of its columns, without its notes."""
    kept = range(len(table.columns)) if columns is None else columns
    found = RichTable(
        title=Text(visible(table.title)) if table.title else None,
        title_justify="left",
        title_style="bold",
        pad_edge=False,
    )
    found.header_style = "dim"
    for index in kept:
        _add_column(found, table.columns[index])
    for number, row in enumerate(table.rows):
        if table.totals and number == len(table.rows) - table.totals:
            found.add_section()
        found.add_row(*(_text(cell_of(row[index])) for index in kept))
    return found


# Tables that are too wide


def _parts(table: Table, kept: list[int], console: Console, width: int) -> Iterator[RichTable]:
    """The columns in as many tables as they need, each with the first column and widths that break no word."""
    whole = drawn(table, kept)
    least = [_least(column, console, index, width) for index, column in enumerate(whole.columns)]
    chunks = [[0]]
    for index in range(1, len(kept)):
        wider = [*chunks[-1], index]
        if len(wider) > 2 and sum(least[i] for i in wider) + _frame(wider) > width:
            chunks.append([0, index])
        else:
            chunks[-1] = wider
    for number, chunk in enumerate(chunks):
        part = drawn(table, [kept[i] for i in chunk])
        part.title = part.title if not number else None
        _share(part, [least[i] for i in chunk], console, width)
        yield part


def _share(part: RichTable, least: list[int], console: Console, width: int) -> None:
    """Give each column the least it needs and, in turns, what is left; where even that is too wide, rich folds."""
    left = width - _frame(part.columns) - sum(least)
    if left < 0:
        return
    most = [_most(column, console) for column in part.columns]
    while left and any(now < full for now, full in zip(least, most, strict=True)):
        for index, full in enumerate(most):
            if left and least[index] < full:
                least[index] += 1
                left -= 1
    for column, own in zip(part.columns, least, strict=True):
        column.width = own


def _frame(columns: Sequence[object]) -> int:
    """The signs of a row that are lines and spaces between columns."""
    return 3 * len(columns) - 1


def _most(column: RichColumn, console: Console) -> int:
    """The width of a column that is wrapped nowhere."""
    return max(_measured(cell, console).maximum for cell in (column.header, *column.cells))


def _least(column: RichColumn, console: Console, index: int, width: int) -> int:
    """The least width of a column: numbers whole, and names where they take at most half of the screen, else words."""
    cells = [_measured(cell, console) for cell in column.cells]
    longest = max((cell.maximum for cell in cells), default=0)
    whole = column.justify == "right" or (index == 0 and longest <= width // 2)
    needed = longest if whole else max((cell.minimum for cell in cells), default=0)
    return max(needed, _measured(column.header, console).minimum)


def _measured(cell: RenderableType, console: Console) -> Measurement:
    return Measurement.get(console, console.options.update(width=LONGEST_LINE), cell)


def _add_column(found: RichTable, column: Column) -> None:
    style = _STYLES[column.tone]
    found.add_column(
        Text(visible(column.heading)), justify="right" if column.numbers else "left", style=style, overflow="fold"
    )


def _text(cell: Cell) -> Text:
    text = _bar(cell.bar) if cell.bar else Text()
    shown = _on_one_line(cell.text)
    text.append(f" {shown}" if cell.bar else shown, style=_STYLES[cell.tone])
    return text


def _on_one_line(text: str) -> str:
    """The text of a cell, which is often a name, with its tabs and line breaks escaped as well."""
    return visible(text).replace("\t", "\\t").replace("\r", "\\r") if not text.isprintable() else text


def _bar(bar: Bar) -> Text:
    """Blocks for a share; full only when it is exactly 1."""
    filled = _BAR if bar.share == 1 else min(int(bar.share * _BAR), _BAR - 1)
    tone = Tone.GOOD if filled == _BAR else Tone.FAIR if filled >= _BAR // 2 else Tone.BAD
    return Text("█" * filled + "░" * (_BAR - filled), style=_STYLES[tone])
