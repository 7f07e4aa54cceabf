"""A table as data, its drawing in the terminal, in Markdown and as text, and the screens it is drawn on."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from io import StringIO
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Column as RichColumn
from rich.table import Table as RichTable
from rich.text import Text

from tracepact.files import fields_of, table_text
from tracepact.wording import visible

# A table as data: built once, drawn by the terminal, Markdown and pages.
#
# A drawer draws what its medium can: a bar is blocks in a terminal, nothing in Markdown, a drawn bar on a page; a
# note is small print on a page and left out elsewhere; a choice is a button on a page and plain text elsewhere. No
# drawer knows what a table is about.


class Tone(Enum):
    """How a cell is meant; colour only repeats what its text says."""

    PLAIN = ""
    STRONG = "strong"
    FAINT = "faint"
    GOOD = "good"
    FAIR = "fair"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class ShareBar:
    """A share of one, drawn beside the text of a cell: full only if it is exactly 1.

    `free` is the part that was not earned, hatched where that can be drawn; `low` and `high` are an interval.
    """

    share: Fraction
    free: Fraction = Fraction(0)
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in one place of a table.

    `title` is said when the cell is pointed at; `choice` is what a page shows when it is chosen; `loss`, from 0 to 1,
    shades it; `code` sets it as code.
    """

    text: str
    tone: Tone = Tone.PLAIN
    note: str = ""
    title: str = ""
    bar: ShareBar | None = None
    choice: Mapping[str, Any] | None = None
    loss: float | None = None
    code: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, whether it holds numbers (set right), and whether a narrow screen leaves it out."""

    heading: str
    numbers: bool = False
    tone: Tone = Tone.PLAIN
    wide_only: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A title, columns, rows of cells or plain texts, and notes below; the last `totals` rows are set apart."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell | str]]
    notes: Sequence[str] = ()
    totals: int = 0

    def __post_init__(self) -> None:
        assert all(len(row) == len(self.columns) for row in self.rows), f"{self.title}: a row of another length"

    def texts(self) -> list[list[str]]:
        """The rows as texts alone."""
        return [[cell_of(cell).text for cell in row] for row in self.rows]


def cell_of(cell: Cell | str) -> Cell:
    """A cell; a plain text is one without anything beside it."""
    return cell if isinstance(cell, Cell) else Cell(cell)


def words(*headings: str) -> list[Column]:
    """Columns of words."""
    return [Column(heading) for heading in headings]


def numbers(*headings: str) -> list[Column]:
    """Columns of numbers."""
    return [Column(heading, numbers=True) for heading in headings]


def turned(table: Table, heading: str) -> Table:
    """A table of numbers with its rows as columns, under another heading for what were its columns.

    The first cells of the rows become headings. A table without totals is meant.
    """
    columns = [Column(heading), *numbers(*(cell_of(row[0]).text for row in table.rows))]
    rows = [[column.heading, *(row[k] for row in table.rows)] for k, column in enumerate(table.columns) if k]
    return Table(table.title, columns, rows, table.notes)


# Rows as text separated by commas, and back; spreadsheets run no field of it (17.12).


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[str | int]]) -> str:
    """The rows below their header."""
    return table_text(columns, rows, ",")


def csv_rows(text: str) -> list[dict[str, str]]:
    """The rows of a text with a header, by column."""
    lines = [fields_of(row, ",") for row in csv.reader(StringIO(text, newline="")) if row]
    return [dict(zip(lines[0], row, strict=False)) for row in lines[1:]]


# Draws tables and text in Markdown, so that a name stands for itself whatever signs it holds.

# What Markdown of any dialect gives a meaning inside a line or a table cell.
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|~#&])")


def plain(text: str) -> str:
    """Text that stands for itself in Markdown, in a table cell too."""
    return _SPECIAL.sub(r"\\\1", visible(" ".join(text.split())))


def code(text: str) -> str:
    """Text as code in a table cell."""
    shown = visible(" ".join(text.split())).replace("|", "\\|")
    # CommonMark 6.1: a code span ends at as many ticks as it began with, so it needs more than any run inside.
    fence = "`" * (max((len(ticks) for ticks in re.findall("`+", shown)), default=0) + 1)
    return f"{fence}{shown}{fence}" if fence == "`" else f"{fence} {shown} {fence}"


def table_lines(table: Table) -> Iterator[str]:
    """The rows of a table with their headings, and its notes below; its title is left to the caller."""
    yield f"| {' | '.join(plain(column.heading) for column in table.columns)} |"
    yield f"|{'|'.join('--:' if column.numbers else ':--' for column in table.columns)}|"
    for row in table.rows:
        yield f"| {' | '.join(_cell(cell_of(cell)) for cell in row)} |"
    for note in table.notes:
        yield ""
        yield plain(note)


def _cell(cell: Cell) -> str:
    if cell.code:
        return code(cell.text)
    shown = plain(cell.text)
    return f"**{shown}**" if cell.tone is Tone.STRONG and shown else shown


# Draws tables in a terminal: bars as blocks, and columns left out where the screen is narrow, which is said.

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
    """The style of a tone in a terminal."""
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
    for column in (table.columns[index] for index in kept):
        found.add_column(Text(visible(column.heading)), style=_STYLES[column.tone], overflow="fold")
        found.columns[-1].justify = "right" if column.numbers else "left"
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
    # In turns, a column at a time, so that no long column takes what a short one needs to fit whole.
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


def _text(cell: Cell) -> Text:
    text = _bar(cell.bar) if cell.bar else Text()
    shown = _on_one_line(cell.text)
    text.append(f" {shown}" if cell.bar else shown, style=_STYLES[cell.tone])
    return text


def _on_one_line(text: str) -> str:
    """The text of a cell, which is often a name, with its tabs and line breaks escaped as well."""
    return visible(text).replace("\t", "\\t").replace("\r", "\\r") if not text.isprintable() else text


def _bar(bar: ShareBar) -> Text:
    """Blocks for a share; full only when it is exactly 1."""
    # Never rounded up: a bar that looks full says that nothing failed.
    filled = _BAR if bar.share == 1 else min(int(bar.share * _BAR), _BAR - 1)
    tone = Tone.GOOD if filled == _BAR else Tone.FAIR if filled >= _BAR // 2 else Tone.BAD
    return Text("█" * filled + "░" * (_BAR - filled), style=_STYLES[tone])


# Consoles on standard output and standard error, and the width that tables need.
#
# Where nobody looks at a screen, no number and no name is cut or broken.

# The wide line of terminals since the VT100; a table that needs more gets more.
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
    return max([console.width, *(least_width(keep_whole(table), console) for table in _drawn_tables(shown))])


def keep_whole(table: RichTable) -> RichTable:
    """Have the first column of a table, of names, and those of numbers on one line each."""
    for index, column in enumerate(table.columns):
        # A name or a number that is broken over two lines reads as two.
        column.no_wrap = column.no_wrap or index == 0 or column.justify == "right"
    return table


def _drawn_tables(shown: RenderableType) -> list[RichTable]:
    if isinstance(shown, Group):
        return [table for part in shown.renderables for table in _drawn_tables(part)]
    widest = getattr(shown, "widest", shown)  # a table that adapts to the width tells its widest form
    return [widest] if isinstance(widest, RichTable) else []


def least_width(table: RichTable, console: Console) -> int:
    """The least width of a table: columns of numbers and names whole, others with their longest word."""
    return 3 * len(table.columns) + 1 + sum(_needed(column, console) for column in table.columns)


def _needed(column: RichColumn, console: Console) -> int:
    cells = [_measured(cell, console) for cell in (column.header, *column.cells)]
    widths = [cell.maximum if column.no_wrap else min(cell.minimum, _WORD) for cell in cells]
    return max([column.min_width or 0, *widths])
