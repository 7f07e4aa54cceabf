"""Writes a run directory, whole or not at all (rule 17.4), and shows records with the options for that."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypedDict, TypeVar, Unpack

import click
from msgspec import MsgspecError
from rich.console import Group, RenderableType

from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Diagnostic, RowPlace
from tracepact.evaluate.scorecard import ScoreRows
from tracepact.files import BadTable, Row, encoded, json_text, table_text, write_folder, write_whole
from tracepact.inputs import read_within
from tracepact.language.compilation import parse_contract
from tracepact.language.contract import Aggregation, Contract
from tracepact.options import format_option
from tracepact.outputs import PICTURE, ROWS, OutputFile
from tracepact.records import Record, plain
from tracepact.runs import manifest, rows
from tracepact.runs.manifest import NAME, Data, StoredTable, any_manifest, listed, run_manifest, sealed
from tracepact.runs.margins import margins_text
from tracepact.runs.report import Report
from tracepact.runs.report_parts import report_of
from tracepact.runs.report_views import report_views
from tracepact.runs.task import Scored
from tracepact.show.lines import give, reader_may_leave, say
from tracepact.show.tables import Table, TerminalTable, print_tables, words
from tracepact.wording import percent, quoted

# Writes a run directory, whole or not at all (rule 17.4).

SOURCE = "source.contract"
CANONICAL = "contract.contract"
VIOLATIONS, OLD_VIOLATIONS = "violations.csv", "witnesses.csv"
"""The rows of violations, and what the first run directories called them."""
MANY_ROWS = 1_000_000
"""How many rows of violations are written as CSV; more are written as Parquet, a file for each clause (rule 17.8)."""
VIEWS = ("report.html", "report.md")
"""Views that are put into a run directory if asked for, at once or later; the manifest lists them like all else."""


AGAIN = "score again to make a new run"
DRIFTED = f"`tracepact verify` says all that has changed; {AGAIN}"
_T = TypeVar("_T")


@dataclass(frozen=True)
class RunFolder:
    """A run directory that is opened: a file is read when it is asked for, and refused if it is not as written.

    With `checked` off, files are read whatever their digest.
    """

    folder: Path
    manifest: Data
    checked: bool = True

    @cached_property
    def digests(self) -> dict[str, str]:
        """The digest of every file that the manifest lists."""
        return {item["name"]: item["sha256"] for item in self.manifest["files"]}

    @cached_property
    def contract(self) -> Contract:
        """The contract, compiled from its source; names and digests of what is stored are for others to compare."""
        overrides, name = self.manifest["settings"]["overrides"], self.manifest["contract"]["source"]
        return self.read(SOURCE, lambda text: parse_contract(text, overrides, name=name))

    def text(self, name: str) -> str:
        """The text of a stored file; InvalidInput if it is gone or has changed."""
        try:
            data = read_within(self.folder, name)
        except OSError as error:
            raise self.broken(name, f"the file cannot be read: {(error.strerror or str(error)).lower()}") from error
        if self.checked and manifest.digest(data) != self.digests.get(name):
            raise self.broken(name, "the file is not as it was written: its SHA-256 differs")
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise self.broken(name, "the file is not UTF-8 text") from error

    def read(self, name: str, parse: Callable[[str], _T]) -> _T:
        """What a stored file holds; InvalidInput if it is gone, has changed or is not of its form."""
        try:
            return parse(self.text(name))
        except BadTable as error:
            raise self.broken(name, str(error), error.line) from error
        except (ValueError, RecursionError, MsgspecError) as error:
            raise self.broken(name, f"the file cannot be read: {error}") from error

    def broken(self, name: str, fault: str, line: int | None = None) -> InvalidInput:
        """That a file is not as it must be."""
        help = DRIFTED if self.checked else AGAIN
        return InvalidInput([Diagnostic("broken-run", fault, RowPlace(str(self.folder / name), line), help)])


def write_run(
    run: Scored,
    folder: str | Path,
    *,
    report: Report | None = None,
    views: Mapping[str, str] = MappingProxyType({}),
    parquet: bool = False,
) -> list[Path]:
    """Write a run directory and return its files: rows, tables, contract, views of the report, manifest.

    `report` is the run's report if it is at hand; `views` are the texts of further VIEWS; `parquet` adds the
    score rows in that form. A run directory at that place is replaced in one step; any other folder, or one that
    holds other files as well, is refused with InvalidInput.
    """
    place = Path(folder)
    check_place(place)
    files = run_files(run, report=report, views=views, parquet=parquet)
    write_folder(place, files)
    return [place / name for name in files]


def run_files(
    run: Scored,
    *,
    report: Report | None = None,
    views: Mapping[str, str] = MappingProxyType({}),
    parquet: bool = False,
) -> dict[str, bytes]:
    """The files of the run directory of a run, as `write_run` writes them."""
    card, report = run.card, report or report_of(run)
    violations = sum(one.total for one in report.violations) if run.violation_rows else 0
    # A CSV of more rows is opened by few programs; a file for each clause lets a reader take the one that failed.
    by_clause = violations > MANY_ROWS and rows.has_pyarrow()
    contents = row_texts(run, violations=run.violation_rows and not by_clause)
    stored = list(_tables(run))
    contents |= {table.file: table.text for table in stored}
    contents |= {CANONICAL: card.contract.text, SOURCE: card.contract.source.text, **report_views(report)}
    contents |= {name: views[name] for name in VIEWS if name in views}
    files = {name: encoded(text) for name, text in contents.items()}
    if by_clause:
        for clause in card.contract.clauses:
            table = rows.violation_table(card, clause)
            files[rows.VIOLATIONS.format(clause.name)] = rows.parquet_bytes(table)
    if parquet:
        help = "pip install 'tracepact[parquet]', or leave the rows as CSV"
        rows.require_pyarrow("Parquet needs the package `pyarrow`, which is not installed", help)
        files[rows.SCORES] = rows.parquet_bytes(rows.score_table(card))
    # The manifest is last: it has the digests of all the others, and a folder without it is no run directory (17.4).
    files[NAME] = encoded(json_text(run_manifest(run, stored, files)))
    return files


def row_texts(run: Scored, *, violations: bool) -> dict[str, str]:
    """The rows of a run as CSV, by the names of their files; those of violations only if they are wanted."""
    tables: dict[str, tuple[Sequence[str], Iterator[Row]]]
    tables = {"scores.csv": (rows.SCORE_COLUMNS, rows.score_rows(ScoreRows.of(run.card)))}
    if violations:
        tables[VIOLATIONS] = rows.VIOLATION_COLUMNS, rows.violation_rows(run.card)
    tables["matches.csv"] = rows.MATCH_COLUMNS, rows.match_rows(run.card)
    return {name: table_text(columns, some, ",") for name, (columns, some) in tables.items()}


def add_views(folder: Path, manifest: Data, views: Mapping[str, str]) -> list[Path]:
    """Put views of a run into its directory, which is written again as a whole with a manifest that lists them."""
    check_place(folder)
    names = [item["name"] for item in manifest["files"]]
    files = {name: read_within(folder, name) for name in names}
    files |= {name: encoded(text) for name, text in views.items()}
    files[NAME] = encoded(json_text(sealed({**manifest, "files": listed(files)})))
    write_folder(folder, files)
    return [folder / name for name in views]


def owner(path: Path) -> Path | None:
    """The run directory that has, or would have, a file at this place."""
    place = path.resolve()
    # The views count even where the manifest does not list them yet: `report` puts them there later.
    data = any_manifest(place.parent)
    names = {NAME, *VIEWS, *(file["name"] for file in data["files"])} if data else set()
    return path.parent if place.name in names else None


class Replaced(NamedTuple):
    """The run directory that a new one takes the place of: its contract and predictions in words, and its files."""

    about: str
    files: frozenset[str]


def check_place(folder: Path) -> Replaced | None:
    """Say what run directory, of either kind, a new one takes the place of; None if there is none.

    A place where none can be written without loss is refused with InvalidInput.
    """
    diagnostics = Diagnostics()
    replaced = None
    if folder.is_dir():
        there = {entry.name for entry in os.scandir(folder)}
        data = any_manifest(folder) if NAME in there else None
        if data:
            # The manifest of a run in batches names no tables, only the files that went in.
            stored = data["tables"] if data["format"] == manifest.FORMAT else data["inputs"]
            names = {item["role"]: item["name"] for item in stored}
            about = f"{data['contract']['name']} on {names.get('prediction', 'its predictions')}"
            replaced = Replaced(about, frozenset(there))
        others = sorted(there - ({NAME, *(file["name"] for file in data["files"])} if data else set()))
        if others:
            what = "is not a run directory" if data is None else "holds files that are not part of a run"
            diagnostics.add(
                "not-a-run",
                f"`{folder}` {what} and is not replaced: {quoted(others[:3])}{', …' if len(others) > 3 else ''}",
                RowPlace(str(folder)),
                "name another folder, or remove this one",
            )
    elif folder.exists():
        diagnostics.add("not-a-run", f"`{folder}` is a file", RowPlace(str(folder)), "name a folder")
    diagnostics.raise_errors()
    return replaced


def _tables(run: Scored) -> Iterator[StoredTable]:
    """Every table that was scored."""
    family = run.card.family
    for role, table in (("reference", run.reference), ("prediction", run.prediction), ("ignore", run.ignore)):
        if table is not None:
            yield StoredTable(role, manifest.events_text(table), table.name, table.digest, table.origin)
    if isinstance(run.durations, Fraction):
        lengths = dict.fromkeys(family.clips, run.durations)
        yield StoredTable("durations", manifest.durations_text(lengths), "durations")
    else:
        text = manifest.durations_text(run.durations.clips)
        yield StoredTable("durations", text, run.durations.name, run.durations.digest)
    if run.conditions:
        known = next((item for item in run.inputs if item.role == "conditions"), None)
        text = manifest.conditions_text(run.conditions)
        yield StoredTable("conditions", text, known.name if known else "conditions", known.digest if known else None)
    if family.masks:
        yield StoredTable("masks", manifest.masks_text(family), "masks")
    if run.margins is not None:
        yield StoredTable("margins", margins_text(run.margins, run.card), "margins")


# Shows a record: tables as text, the record as JSON, rows as CSV, a figure as SVG; and the options for that.

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
    # Decorators are applied from the last to the first, so that help lists them the other way round.
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
