"""Rows of results as CSV: what is read back is what was written, and no spreadsheet runs a name."""

from hypothesis import given
from hypothesis import strategies as st

from tracelab.rows import rows_of, rows_text

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6)
TABLES = st.lists(NAMES, min_size=1, max_size=3, unique=True).flatmap(
    lambda names: st.lists(st.fixed_dictionaries(dict.fromkeys(names, NAMES)), min_size=1, max_size=4)
)


@given(TABLES)
def test_rows_come_back_as_they_were(rows: list[dict[str, str]]) -> None:
    assert rows_of(rows_text(rows)) == rows


def test_a_name_that_a_spreadsheet_would_run_is_written_as_text_and_a_number_as_it_is() -> None:
    rows = [{"label": "=cmd|' /C calc'!A0", "difference": "-0.012"}]
    assert rows_text(rows) == "label,difference\n'=cmd|' /C calc'!A0,-0.012\n"


def test_no_rows_are_no_text() -> None:
    assert rows_text([]) == ""
    assert rows_of("") == []
