"""Draws tables and text in Markdown, so that a name stands for itself whatever signs it holds."""

import re
from collections.abc import Iterator

from tracepact.show.table import Cell, Table, Tone, cell_of
from tracepact.wording import visible

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|~#&])")


def plain(text: str) -> str:
    """Text that stands for itself in Markdown, in a table cell too."""
    return _SPECIAL.sub(r"\\\1", visible(" ".join(text.split())))


def code(text: str) -> str:
    """Text as code in a table cell."""
    shown = visible(" ".join(text.split())).replace("|", "\\|")
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
