"""Writes a run directory, whole or not at all (rule 17.4)."""

import os
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.files import encoded, json_text, table_text, write_folder
from tracepact.inputs import LARGEST_DOCUMENT, read_bytes
from tracepact.tools.score.margins import margins_text
from tracepact.tools.score.report.build import report_of
from tracepact.tools.score.report.record import Report
from tracepact.tools.score.report.text import report_views
from tracepact.tools.score.scored import Scored
from tracepact.tools.score.store import columnar, tables
from tracepact.tools.score.store.manifest import (
    NAME,
    Data,
    StoredTable,
    listed,
    manifest_data,
    manifest_faults,
    self_digest,
)
from tracepact.tools.score.store.parquet import NAME as PARQUET
from tracepact.tools.score.store.parquet import parquet_rows
from tracepact.tools.score.store.rows import (
    MATCH_COLUMNS,
    SCORE_COLUMNS,
    VIOLATION_COLUMNS,
    match_rows,
    score_rows,
    violation_rows,
)
from tracepact.wording import quoted

SOURCE = "source.contract"
CANONICAL = "contract.contract"
VIOLATIONS, OLD_VIOLATIONS = "violations.csv", "witnesses.csv"
"""The rows of violations, and what the first run directories called them."""
MANY_ROWS = 1_000_000
"""How many rows of violations are written as CSV; more are written as Parquet, a file for each clause (rule 17.8)."""
VIEWS = ("report.html", "report.md")
"""Views that are put into a run directory if asked for, at once or later; the manifest lists them like all else."""


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
    found = report or report_of(run)
    rows = sum(one.total for one in found.violations) if run.violation_rows else 0
    by_clause = rows > MANY_ROWS and columnar.has_pyarrow()
    in_text = run.violation_rows and not by_clause
    contents: dict[str, str] = {
        "scores.csv": table_text(SCORE_COLUMNS, score_rows(run.card), ","),
        **({VIOLATIONS: table_text(VIOLATION_COLUMNS, violation_rows(run.card), ",")} if in_text else {}),
        "matches.csv": table_text(MATCH_COLUMNS, match_rows(run.card), ","),
    }
    stored = list(_tables(run))
    contents |= {table.file: table.text for table in stored}
    contents[CANONICAL] = run.card.contract.text
    contents[SOURCE] = run.card.contract.source.text
    contents |= report_views(found)
    contents |= {name: views[name] for name in VIEWS if name in views}
    files = {name: encoded(text) for name, text in contents.items()}
    if by_clause:
        for clause in run.card.contract.clauses:
            table = columnar.violation_table(run.card, clause.name)
            files[columnar.VIOLATIONS.format(clause.name)] = columnar.parquet_bytes(table)
    if parquet:
        files[PARQUET] = parquet_rows(run.card)
    files[NAME] = encoded(json_text(manifest_data(run, stored, files)))
    write_folder(place, files)
    return [place / name for name in files]


def add_views(folder: Path, manifest: Data, views: Mapping[str, str]) -> list[Path]:
    """Put views of a run into its directory, which is written again as a whole with a manifest that lists them."""
    check_place(folder)
    names = [item["name"] for item in manifest["files"]]
    files = {name: read_bytes(folder / name, as_input=False) for name in names}
    files |= {name: encoded(text) for name, text in views.items()}
    data = {**manifest, "files": listed(files)}
    files[NAME] = encoded(json_text({**data, "sha256": self_digest(data)}))
    write_folder(folder, files)
    return [folder / name for name in views]


def owner(path: Path) -> Path | None:
    """The run directory that has, or would have, a file at this place."""
    place = path.resolve()
    if not (place.parent / NAME).is_file():
        return None
    found, _ = manifest_faults(_text(place.parent / NAME))
    names = {NAME, *VIEWS, *(file["name"] for file in found["files"])} if found else set()
    return path.parent if place.name in names else None


class Replaced(NamedTuple):
    """The run directory that a new one takes the place of: its contract and predictions in words, and its files."""

    about: str
    files: frozenset[str]


def check_place(folder: Path) -> Replaced | None:
    """Say what run directory a new one takes the place of; None if there is none.

    A place where none can be written without loss is refused with InvalidInput.
    """
    diagnostics = Diagnostics()
    replaced = None
    if folder.is_dir():
        there = {entry.name for entry in os.scandir(folder)}
        found, _ = manifest_faults(_text(folder / NAME)) if NAME in there else (None, None)
        if found:
            tables = {table["role"]: table["name"] for table in found["tables"]}
            about = f"{found['contract']['name']} on {tables.get('prediction', 'its predictions')}"
            replaced = Replaced(about, frozenset(there))
        ours = {NAME, *(file["name"] for file in found["files"])} if found else set()
        if there - ours:
            what = "is not a run directory" if found is None else "holds files that are not part of a run"
            some = quoted(sorted(there - ours)[:3])
            diagnostics.add(
                "not-a-run",
                f"`{folder}` {what} and is not replaced: {some}{', …' if len(there - ours) > 3 else ''}",
                RowPlace(str(folder)),
                "name another folder, or remove this one",
            )
    elif folder.exists():
        diagnostics.add("not-a-run", f"`{folder}` is a file", RowPlace(str(folder)), "name a folder")
    diagnostics.raise_errors()
    return replaced


def _text(path: Path) -> str:
    try:
        return read_bytes(path, LARGEST_DOCUMENT, as_input=False).decode("utf-8", "replace")
    except OSError:
        return ""


def _tables(run: Scored) -> Iterator[StoredTable]:
    """Every table that was scored."""
    family = run.card.family
    for role, table in (("reference", run.reference), ("prediction", run.prediction), ("ignore", run.ignore)):
        if table is not None:
            yield StoredTable(role, tables.events_text(table), table.name, table.digest, table.origin)
    if isinstance(run.durations, Fraction):
        lengths = dict.fromkeys(family.clips, run.durations)
        yield StoredTable("durations", tables.durations_text(lengths), "durations")
    else:
        text = tables.durations_text(run.durations.clips)
        yield StoredTable("durations", text, run.durations.name, run.durations.digest)
    if run.conditions:
        known = next((item for item in run.inputs if item.role == "conditions"), None)
        text = tables.conditions_text(run.conditions)
        yield StoredTable("conditions", text, known.name if known else "conditions", known.digest if known else None)
    if family.masks:
        yield StoredTable("masks", tables.masks_text(family), "masks")
    if run.margins is not None:
        yield StoredTable("margins", margins_text(run.margins, family), "margins")
