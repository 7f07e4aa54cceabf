"""What every audit shows: plain data for JSON, tables for the terminal, rows for CSV, a chart."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rich.console import RenderableType
from rich.table import Table

from tracepact.wording import percent

Cell = str | int


@dataclass(frozen=True, slots=True)
class View:
    """An audit as it is shown and written."""

    data: dict[str, Any]
    text: RenderableType
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    figure: str


def table(title: str, left: Sequence[str], right: Sequence[str]) -> Table:
    """An empty table with a title, columns of words on the left and of numbers on the right."""
    made = Table(title=title, title_justify="left", title_style="bold", pad_edge=False)
    for heading in left:
        made.add_column(heading, overflow="fold")
    for heading in right:
        made.add_column(heading, justify="right", overflow="fold")
    return made


def exact(value: Fraction | None) -> str | None:
    """A fraction as JSON holds it."""
    return None if value is None else str(value)


VACUITY = "∅ so much of a value counts 1 without an obligation behind it (rule 16.11)"


def empty_part(share: Fraction) -> str:
    """The mark of a value that rests on vacuous entries, with their share; nothing if there are none."""
    if not share:
        return ""
    if share == 1:
        return " ∅"
    return f" ∅ {percent(share)}"
