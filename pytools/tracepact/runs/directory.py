"""Writes run directories, whole or not at all (rule 17.4): of a run in memory, and of one in batches in the making."""

import fcntl
import json
import os
import platform
import shutil
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import DecodeError, ValidationError

from tracepact.data.events import EventTable
from tracepact.data.sources import shown
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Diagnostic, RowPlace
from tracepact.engines import facts
from tracepact.evaluate.scorecard import Scorecard, ScoreRows
from tracepact.files import Row, encoded, json_data, json_text, put_folder, table_text, write_folder
from tracepact.inputs import LARGEST_DOCUMENT, digest_within, read_within
from tracepact.records import record_bytes, record_from_bytes
from tracepact.runs import manifest, rows
from tracepact.runs.batches import BatchPlan, BatchSum
from tracepact.runs.manifest import (
    BATCH_FORMAT,
    CANONICAL,
    NAME,
    SOURCE,
    Data,
    StoredTable,
    any_manifest,
    digest,
    events_text,
    listed,
    manifest_data,
    policies_data,
    run_manifest,
    sealed,
)
from tracepact.runs.margins import margins_text
from tracepact.runs.report import Report
from tracepact.runs.report_parts import report_of
from tracepact.runs.report_views import report_views
from tracepact.runs.sides import FileFolder
from tracepact.runs.tally import RunTally
from tracepact.runs.task import Head, Scored
from tracepact.runs.timelines import MOST_CLIPS
from tracepact.wording import count, quoted

# Writes a run directory, whole or not at all (rule 17.4).

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


# A run directory in the making: finished batches kept on disk with their digests, so that a run goes on (rule 24.9).
#
# A worker writes the rows of its batch first and its record last, each under another name and moved into place.
# Whoever does the batch again finds the record, checks it and its rows, and does nothing.

ENDING = ".making"
"""What the folder of a run in the making is called after its place."""
KEY = "key.json"
CLAIM = ".claim"
"""The file whose lock says that a process is making the run, and which."""
_BATCH, _RECORD = "batch-", ".record"


@dataclass(frozen=True, slots=True)
class Making:
    """Where a run is made, the digest of all it depends on, and whether rows of violations are wanted."""

    folder: str
    key: str
    violations: bool

    def finished(self, number: int) -> BatchSum[RunTally] | None:
        """The kept sum of a batch; None if the batch must be scored."""
        try:
            head, _, body = read_within(self.folder, self._record(number).name).partition(b"\n")
            said = json_data(head)
            parts = dict(said["parts"])
            sound = said["key"] == self.key and said["sha256"] == digest(body)
            if not sound or any(digest_within(self.folder, p) != d for p, d in parts.items()):
                return None
            return record_from_bytes(body, BatchSum[RunTally])
        except (OSError, ValueError, KeyError, TypeError, DecodeError, ValidationError):
            return None

    def keep(self, number: int, result: BatchSum[RunTally], card: Scorecard) -> None:
        """Keep what a batch gave: its rows, then the record that says they are there."""
        parts = {}
        for name, table in rows.row_tables(card, violations=self.violations).items():
            part = f"{_stem(number)}.{name}"
            data = rows.parquet_bytes(table)
            _put(Path(self.folder) / part, data)
            parts[part] = digest(data)
        # The record comes last: where it is, and has its digest, the rows before it are whole.
        body = record_bytes(result)
        head = json.dumps({"key": self.key, "sha256": digest(body), "parts": parts}).encode()
        _put(self._record(number), head + b"\n" + body)

    def part(self, number: int, name: str) -> Path:
        """Where the rows of a batch are."""
        return Path(self.folder) / f"{_stem(number)}.{name}"

    def _record(self, number: int) -> Path:
        return Path(self.folder) / f"{_stem(number)}{_RECORD}"


def making_folder(out: Path) -> Path:
    """Where the run directory of a place is made."""
    place = out.resolve()
    return place.with_name(place.name + ENDING)


@contextmanager
def claimed(out: Path) -> Iterator[None]:
    """Make the run of a place alone, in a folder that is there meanwhile; InvalidInput while another process does.

    The lock is the system's, so that whoever dies has lost it. Where there are no locks nothing is claimed.
    """
    folder = making_folder(out)
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        # A lock of the system, not a file that is there or not: it ends with its process, however that ends.
        opened = os.open(folder / CLAIM, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        try:
            if not _locked(opened):
                raise _in_use(out, os.pread(opened, 200, 0))
            if _is_at(opened, folder / CLAIM):  # nobody has finished, and removed the folder, in between
                os.ftruncate(opened, 0)
                os.pwrite(opened, f"process {os.getpid()} on {platform.node()}".encode(), 0)
                try:
                    yield
                    return
                finally:
                    _leave(folder)
        finally:
            os.close(opened)


def _leave(folder: Path) -> None:
    """Take the claim away again where no batch is finished, and the folder if it held nothing else."""
    with suppress(OSError):
        if not any(folder.glob(f"{_BATCH}*{_RECORD}")):
            (folder / CLAIM).unlink()
            (folder / KEY).unlink(missing_ok=True)
            folder.rmdir()


def _locked(opened: int) -> bool:
    """Whether a file could be locked, or cannot be where it is; False if another process has it."""
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _is_at(opened: int, place: Path) -> bool:
    """Whether an opened file is the one at a place."""
    try:
        return os.path.samestat(os.fstat(opened), os.stat(place))
    except OSError:
        return False


def _in_use(out: Path, holder: bytes) -> InvalidInput:
    who = " ".join(holder.decode("utf-8", "replace").split()) or "another process"
    headline = f"a run is being made at `{out}`, by {shown(who, 120)}"
    help = "wait for it, or name another place; if it is stopped, the same command goes on with what is finished"
    return InvalidInput([Diagnostic("run-in-use", headline, RowPlace(str(out)), help)])


def kept_batches(out: Path) -> int:
    """How many finished batches are kept beside the place of a run directory."""
    return len(list(making_folder(out).glob(f"{_BATCH}*{_RECORD}")))


def _stem(number: int) -> str:
    return f"{_BATCH}{number:06d}"


def _put(place: Path, data: bytes) -> None:
    """Write a file under another name, down to the disk, and move it into place."""
    # A name of its own: a batch that was given up for lost may still be written by a worker that is slow.
    part = place.with_name(f".{place.name}.{uuid.uuid4().hex}")
    try:
        with open(part, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, place)
    finally:
        part.unlink(missing_ok=True)


# The run directory of a run in batches: rows as Parquet, the report, the contract, a manifest (rules 24.9, 24.10).


@contextmanager
def place_of_run(out: Path | None) -> Iterator[None]:
    """Where a run directory can be written, claimed for this process while it is made; no place is no claim."""
    if out is None:
        yield
        return
    rows.require_pyarrow("rows in batches are written as Parquet", "pip install 'tracepact[parquet]'")
    check_place(out)
    with claimed(out):
        yield


def start_making(
    out: Path,
    plan: BatchPlan,
    head: Head,
    sides: Sequence[Any],
    note: Callable[[str], None],
    *,
    violations: bool,
    page: bool = False,
    margins: bool = False,
) -> Making:
    """The folder of a run in the making, with what an interrupted run of the same data and contract has finished.

    The place is checked, and claimed. What is kept or removed of an interrupted run is noted.
    """
    key = _key(plan, head, sides, {"violations": violations, "page": [MOST_CLIPS, page], "margins": margins})
    folder = making_folder(out)
    text = json_text({"format": BATCH_FORMAT, "key": key})
    kept = count(kept_batches(out), "batch", "batches")
    if _key_of(folder) == text:
        note(f"a run was interrupted at {out}: {kept} that it finished are checked and kept")
    else:
        if any(not one.name.startswith((".", "batch-", KEY, "final")) for one in folder.iterdir()):
            headline = f"`{folder}` holds files that are not of a run in the making"
            raise InvalidInput([Diagnostic("not-a-run", headline, RowPlace(str(folder)), "name another place")])
        if kept_batches(out):
            why = "they are of other data, settings or batches; the same --engine and --memory give the same batches"
            note(f"a run was interrupted at {out}: {kept} that it finished are removed, for {why}")
        for one in (one for one in folder.iterdir() if one.name != CLAIM):
            shutil.rmtree(one) if one.is_dir() and not one.is_symlink() else one.unlink()
    (folder / KEY).write_text(text, encoding="utf-8")
    return Making(str(folder), key, violations)


def _key_of(folder: Path) -> str:
    """The stored key of an interrupted run; empty if there was none."""
    try:
        return read_within(folder, KEY, LARGEST_DOCUMENT).decode()
    except (OSError, UnicodeDecodeError):
        return ""


def _key(plan: BatchPlan, head: Head, sides: Sequence[Any], kept: Mapping[str, Any]) -> str:
    """The digest of all that the batches depend on: versions, contract, data, settings, and where batches begin."""
    lengths = "".join(f"{clip}\t{length}\n" for clip, length in plan.lengths.items()).encode()
    data = {
        "facts": facts(),
        "contract": [head.contract.digest, head.contract.source.text],
        "sides": [_side_digest(side) for side in sides],
        "inputs": [[one.role, one.digest] for one in head.inputs],
        "lengths": digest(lengths),
        "classes": list(plan.classes),
        "mode": head.mode.value,
        "settings": policies_data(head.settings),
        "preparation": {k: v for k, v in head.preparation.items() if k in ("label_map", "policy")},
        # What is kept is of these clips and no others: other batches share no record, whatever else is the same.
        "batches": [batch.last for batch in plan.batches],
        **kept,
    }
    return _data_digest(data)


def _data_digest(data: Any) -> str:
    return digest(json.dumps(data, sort_keys=True).encode())


def _side_digest(side: Any) -> str | None:
    match side:
        case None:
            return None
        case FileFolder():
            return digest(side.key.encode())
        case EventTable():
            return digest(events_text(side).encode())
        case Mapping():
            return _data_digest(dict(side))
    file_digest: str | None = side.digest
    return file_digest


def finish(
    out: Path,
    making: Making,
    plan: BatchPlan,
    head: Head,
    report: Report,
    views: Mapping[str, str],
    compared_by: Mapping[str, Any],
) -> list[Path]:
    """Put the rows of all batches together, write report, contract and manifest, and move the whole into place.

    `views` are further files, by their names; `compared_by` is what the manifest says in place of the tables.
    """
    # Beside its place, in the same file system, so that one move puts all of it there.
    final = Path(making.folder) / "final"
    shutil.rmtree(final, ignore_errors=True)
    final.mkdir()
    clauses = head.contract.clauses if making.violations else ()
    for name in (rows.SCORES, rows.MATCHES, *(rows.VIOLATIONS.format(clause.name) for clause in clauses)):
        rows.write_parquet(final / name, _batch_rows(making, plan, name))
    texts = {CANONICAL: head.contract.text, SOURCE: head.contract.source.text, **report_views(report), **views}
    for name, text in texts.items():
        (final / name).write_text(text, encoding="utf-8", newline="")
    # Sorted, for a folder lists its files in any order, and the manifest must have the same bytes every time.
    names = sorted(path.name for path in final.iterdir())
    settings: dict[str, Any] = {"metrics": policies_data(head.settings)}
    if isinstance(plan.durations, Fraction):
        settings["durations"] = str(plan.durations)
    # Files of rows may be larger than memory: their digests are taken piece by piece.
    files = [
        {"name": n, "bytes": (final / n).stat().st_size, "sha256": digest_within(final, n, rows.LARGEST_ROWS)}
        for n in names
    ]
    data = manifest_data(BATCH_FORMAT, head, len(plan.clips), settings, compared_by, files)
    (final / NAME).write_text(json_text(data), encoding="utf-8")
    put_folder(final, out.resolve())
    shutil.rmtree(making.folder)
    return [out / name for name in (*names, NAME)]


def _batch_rows(making: Making, plan: BatchPlan, name: str) -> Iterator[Any]:
    for batch in plan.batches:
        yield from rows.stored_tables(making.folder, making.part(batch.number, name).name)
