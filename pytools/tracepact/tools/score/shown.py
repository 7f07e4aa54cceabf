"""Shows a record: tables as text, the record as JSON, rows as CSV, a figure as SVG; and the options for that."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TypedDict, TypeVar, Unpack

import click
from rich.console import Group, RenderableType

from tracepact.core import Aggregation
from tracepact.files import json_text, table_text, write_whole
from tracepact.records import Record, plain
from tracepact.show.lines import give, reader_may_leave, say
from tracepact.show.screen import print_tables
from tracepact.show.table import Table, words
from tracepact.show.terminal import TerminalTable
from tracepact.tools.output_files import PICTURE, ROWS, OutputFile
from tracepact.tools.parameters import format_option
from tracepact.tools.score.store.writing import owner
from tracepact.wording import percent

_R = TypeVar("_R", bound=Record)
VACUITY = (
    "∅: share of the value that comes from entries without an obligation, which score 1 (rule 16.11); "
    "∅ without a share: the whole value"
)


class OutputOptions(TypedDict):
    """What `output_options` passes to a command."""

    form: str
    csv_file: Path | None
    figure_file: Path | None


def output_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options --format, --csv and --figure."""
    for option in (
        click.option(
            "--figure",
            "figure_file",
            type=OutputFile(PICTURE, owner),
            help="Also write the chart to this SVG file (.svg).",
        ),
        click.option("--csv", "csv_file", type=OutputFile(ROWS, owner), help="Also write the rows to this CSV file."),
        format_option("text", "json", "csv"),
    ):
        function = option(function)
    return function


def aggregation_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The option --aggregation; None stands for the contract's own."""
    return click.option(
        "--aggregation",
        type=click.Choice([a.value for a in Aggregation]),
        callback=lambda ctx, param, value: None if value is None else Aggregation(value),
        help="Aggregation over clips and classes (default: the contract's own).",
    )(function)


def show(
    audit: _R,
    tables: Callable[[_R], Sequence[Table]],
    rows: Callable[[_R], Table],
    figure: Callable[[_R], str],
    files: Mapping[Path, str] | None = None,
    **output: Unpack[OutputOptions],
) -> None:
    """Print a record in the chosen format, and write the files that were asked for.

    `tables`, `rows` and `figure` are called only if they are needed; `files` are further files to write, by place.
    """
    written = dict(files or {})
    if output["csv_file"] is not None:
        written[output["csv_file"]] = _csv(rows(audit))
    if output["figure_file"] is not None:
        written[output["figure_file"]] = figure(audit)
    write_whole(written)
    for path in written:
        say(f"wrote {path}")
    with reader_may_leave():
        match output["form"]:
            case "json":
                click.echo(json_text(plain(audit)), nl=False)
            case "csv":
                give(_csv(rows(audit)))
            case _:
                print_tables(Group(*_drawn(tables(audit))))


def data_table(columns: Sequence[str], rows: Iterable[Sequence[str | int]]) -> Table:
    """The rows of a record as a program reads them: exact values, plain numbers."""
    return Table("", words(*columns), [[str(cell) for cell in row] for row in rows])


def exact(value: Fraction | None) -> str:
    """An exact number in a row of data; empty for none."""
    return "" if value is None else str(value)


def vacuous_mark(share: Fraction) -> str:
    """The mark of a value that comes in part from vacuous entries, with their share; empty for a share of 0."""
    if not share:
        return ""
    return " ∅" if share == 1 else f" ∅ {percent(share)}"


def _csv(table: Table) -> str:
    return table_text([column.heading for column in table.columns], table.texts(), ",")


def _drawn(tables: Sequence[Table]) -> Iterator[RenderableType]:
    """Tables with an empty line between them; the notes of a table bring their own."""
    for index, table in enumerate(tables):
        if index and not tables[index - 1].notes:
            yield ""
        yield TerminalTable(table)
