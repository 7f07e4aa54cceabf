"""Rows separated by commas: what is read is what was written, and no field starts a formula (17.12)."""

import csv
from io import StringIO

from hypothesis import given
from hypothesis import strategies as st

from tracepact.show import csv_rows, csv_text

FIELDS = st.one_of(
    st.text(max_size=6), st.builds(str.__add__, st.sampled_from(["=", "+", "-", "@", "'=", "-1"]), st.text(max_size=3))
)


@given(st.lists(st.tuples(FIELDS, FIELDS), max_size=5))
def test_rows_are_read_as_they_were_written(rows: list[tuple[str, str]]) -> None:
    assert csv_rows(csv_text(["a", "=b"], rows)) == [{"a": one, "=b": other} for one, other in rows]


def test_no_field_starts_a_formula_and_numbers_stay_numbers() -> None:
    text = csv_text(["label", "amount"], [("=cmd|' /C calc'!A0", "-0.5"), ("@x", "+3")])
    fields = list(csv.reader(StringIO(text)))
    assert fields == [["label", "amount"], ["'=cmd|' /C calc'!A0", "-0.5"], ["'@x", "+3"]]
