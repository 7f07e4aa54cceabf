"""Results on standard output: records as JSON, rows as tables."""

import sys
from collections.abc import Iterable, Sequence

import click

from tracepact.files import Row, json_text, table_text, write_csv
from tracepact.records import Record, plain
from tracepact.show.lines import give, reader_may_leave


def print_json(record: Record) -> None:
    """A record as JSON."""
    with reader_may_leave():
        click.echo(json_text(plain(record)), nl=False)


def print_rows(columns: Sequence[str] | None, rows: Iterable[Row], separator: str = ",") -> None:
    """Rows, with their header unless there are no columns, separated by commas or another sign."""
    if sys.stdout.isatty():
        give(table_text(columns, rows, separator))
        return
    with reader_may_leave():
        write_csv(sys.stdout, columns, rows, separator)
