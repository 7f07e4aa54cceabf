"""Rows as text separated by commas, and back; spreadsheets run no field of it (17.12)."""

import csv
from collections.abc import Iterable, Sequence
from io import StringIO

from tracepact.files import fields_of, table_text


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[str | int]]) -> str:
    """The rows below their header."""
    return table_text(columns, rows, ",")


def csv_rows(text: str) -> list[dict[str, str]]:
    """The rows of a text with a header, by column."""
    lines = [fields_of(row, ",") for row in csv.reader(StringIO(text, newline="")) if row]
    return [dict(zip(lines[0], row, strict=False)) for row in lines[1:]]
