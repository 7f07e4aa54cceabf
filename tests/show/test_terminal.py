"""Tables in a terminal: whole where they fit, folded and never cut where they do not."""

from io import StringIO

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tracepact.show.tables import Column, Table, TerminalTable

cells = st.text("0123456789.-_abc", min_size=1, max_size=30)


def lines(table: Table, width: int) -> list[str]:
    console = Console(width=width, file=StringIO(), record=True, color_system=None)
    console.print(TerminalTable(table))
    return console.export_text().splitlines()


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=4), st.integers(24, 120))
def test_no_sign_of_a_cell_is_cut_however_narrow_the_screen(columns: list[tuple[str, str]], width: int) -> None:
    """The pieces of a folded cell, one below the other, are the cell; at 24 columns every cell has room for a sign.

    Columns that do not fit side by side follow in parts, each with the first column.
    """
    table = Table(
        "", [Column(heading, numbers=k % 2 == 1) for k, (heading, _) in enumerate(columns)], [[c[1] for c in columns]]
    )
    first, *others = parts(lines(table, width))
    assert first[0] == columns[0][1]
    assert [part[0] for part in others] == [first[0]] * len(others)
    assert [*first[1:], *(cell for part in others for cell in part[1:])] == [cell for _, cell in columns[1:]]


def parts(drawn: list[str]) -> list[list[str]]:
    """The cells of the only row of each table, their pieces put together."""
    tops = [index for index, line in enumerate(drawn) if line.startswith("┏")]
    tables = [drawn[top:end] for top, end in zip(tops, [*tops[1:], len(drawn)], strict=True)]
    rows = [[line.strip("│").split("│") for line in table if line.startswith("│")] for table in tables]
    return [["".join(piece.strip() for piece in pieces) for pieces in zip(*row, strict=True)] for row in rows]


@given(
    st.lists(st.lists(st.text("ab1_", min_size=1, max_size=12), min_size=1, max_size=5), min_size=1, max_size=8),
    st.integers(60, 120),
)
def test_no_word_is_broken_where_two_columns_of_words_fit(columns: list[list[str]], width: int) -> None:
    table = Table("", [Column(" ".join(words)) for words in columns], [[" ".join(words) for words in columns]])
    drawn = lines(table, width)
    found = {word for line in drawn for word in line.replace("┃", " ").replace("│", " ").split()}
    assert {word for words in columns for word in words} <= found
    assert max(map(len, drawn)) <= width


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
