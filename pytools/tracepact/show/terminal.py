"""Draws tables in a terminal: bars as blocks, and columns left out where the screen is narrow, which is said."""

from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from tracepact.show.screen import keep_whole, least_width
from tracepact.show.table import Bar, Cell, Column, Table, Tone, cell_of

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
    """A table that rich draws, numbers and names whole where there is room for them.

    A narrow screen leaves out the columns for wide ones, and a note says so.
    """

    def __init__(self, table: Table) -> None:
        self.table = table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        left_out = [c.heading for c in self.table.columns if c.wide_only] if options.max_width < _WIDE else []
        whole = keep_whole(drawn(self.table, wide=not left_out))
        fits = least_width(whole, console) <= options.max_width
        yield whole if fits else drawn(self.table, wide=not left_out)
        notes = [*self.table.notes]
        if left_out:
            notes.append(f"left out on a screen of {options.max_width} columns: {', '.join(left_out)}")
        if notes:
            yield Padding(Text("\n".join(notes), style="dim"), (0, 0, 1, 1))

    @property
    def widest(self) -> RichTable:
        """The table with all its columns, numbers and names whole."""
        return keep_whole(drawn(self.table))


def drawn(table: Table, *, wide: bool = True) -> RichTable:
    """The table itself, without its notes."""
    kept = [index for index, column in enumerate(table.columns) if wide or not column.wide_only]
    found = RichTable(title=table.title or None, title_justify="left", title_style="bold", pad_edge=False)
    found.header_style = "dim"
    for index in kept:
        _add_column(found, table.columns[index])
    for number, row in enumerate(table.rows):
        if table.totals and number == len(table.rows) - table.totals:
            found.add_section()
        found.add_row(*(_text(cell_of(row[index])) for index in kept))
    return found


def _add_column(found: RichTable, column: Column) -> None:
    style = _STYLES[column.tone]
    found.add_column(Text(column.heading), justify="right" if column.numbers else "left", style=style, overflow="fold")


def _text(cell: Cell) -> Text:
    text = _bar(cell.bar) if cell.bar else Text()
    text.append(f" {cell.text}" if cell.bar else cell.text, style=_STYLES[cell.tone])
    return text


def _bar(bar: Bar) -> Text:
    """Blocks for a share; full only when it is exactly 1."""
    filled = _BAR if bar.share == 1 else min(int(bar.share * _BAR), _BAR - 1)
    tone = Tone.GOOD if filled == _BAR else Tone.FAIR if filled >= _BAR // 2 else Tone.BAD
    return Text("█" * filled + "░" * (_BAR - filled), style=_STYLES[tone])
