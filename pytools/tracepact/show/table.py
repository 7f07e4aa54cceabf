"""A table as data: built once, drawn by the terminal, Markdown and pages.

A drawer draws what its medium can: a bar is blocks in a terminal, nothing in Markdown, a drawn bar on a page; a note is
small print on a page and left out elsewhere; a choice is a button on a page and plain text elsewhere. No drawer knows
what a table is about.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any


class Tone(Enum):
    """How a cell is meant; colour only repeats what its text says."""

    PLAIN = ""
    STRONG = "strong"
    FAINT = "faint"
    GOOD = "good"
    FAIR = "fair"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Bar:
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
    bar: Bar | None = None
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


def cell_of(given: Cell | str) -> Cell:
    """A cell; a plain text is one without anything beside it."""
    return given if isinstance(given, Cell) else Cell(given)


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
