"""Rows of results as CSV and back, through the toolkit's one way out for it (rule 17.12)."""

import csv
import io
from collections.abc import Iterable, Mapping

from tracepact.files import fields_of, table_text

Row = Mapping[str, str]


def rows_text(rows: Iterable[Row]) -> str:
    """Rows as CSV; the columns are those of the first row."""
    listed = list(rows)
    if not listed:
        return ""
    columns = list(listed[0])
    return table_text(columns, ([row[name] for name in columns] for row in listed), ",")


def rows_of(text: str) -> list[dict[str, str]]:
    """The rows of a text as they were written."""
    lines = (fields_of(fields, ",") for fields in csv.reader(io.StringIO(text, newline="")))
    columns = next(lines, [])
    return [dict(zip(columns, fields, strict=False)) for fields in lines if fields]
