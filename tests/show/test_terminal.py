"""Tables in a terminal: whole where they fit, folded and never cut where they do not."""

from io import StringIO

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tracepact.show.table import Column, Table
from tracepact.show.terminal import TerminalTable

cells = st.text("0123456789.-_abc", min_size=1, max_size=30)


def lines(table: Table, width: int) -> list[str]:
    console = Console(width=width, file=StringIO(), record=True, color_system=None)
    console.print(TerminalTable(table))
    return console.export_text().splitlines()


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=4), st.integers(24, 120))
def test_no_sign_of_a_cell_is_cut_however_narrow_the_screen(columns: list[tuple[str, str]], width: int) -> None:
    """The pieces of a folded cell, one below the other, are the cell; at 24 columns every cell has room for a sign."""
    table = Table(
        "", [Column(heading, numbers=k % 2 == 1) for k, (heading, _) in enumerate(columns)], [[c[1] for c in columns]]
    )
    drawn = [[piece.strip() for piece in line.split("│")[1:-1]] for line in lines(table, width) if line.startswith("│")]
    assert ["".join(pieces) for pieces in zip(*drawn, strict=True)] == [cell for _, cell in columns]


def test_a_table_that_fits_has_one_line_for_each_row() -> None:
    table = Table("", [Column("name"), Column("value", numbers=True)], [["a_long_name", "0.250 (0.000 to 1.000)"]] * 3)
    assert sum(line.startswith("│") for line in lines(table, 60)) == 3


def test_columns_for_wide_screens_are_left_out_of_narrow_ones_and_named() -> None:
    table = Table("", [Column("name"), Column("more", wide_only=True)], [["a", "b"]])
    narrow, wide = "\n".join(lines(table, 60)), "\n".join(lines(table, 140))
    assert "left out" in narrow
    assert "more" in narrow.splitlines()[-2]
    assert "│b" not in narrow.replace(" ", "")
    assert "left out" not in wide
