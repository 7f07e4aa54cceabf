"""The run directory of a run in batches: rows as Parquet, the report, the contract, a manifest (rules 24.9, 24.10)."""

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from os.path import isfile
from pathlib import Path
from typing import Any

from msgspec import ValidationError

from tracepact.diagnostics import Diagnostic, InvalidInput, RowPlace
from tracepact.engines.clusters import facts
from tracepact.files import json_data, json_text, put_folder
from tracepact.io.columnar import arrow_faults
from tracepact.io.file_folder import FileFolder
from tracepact.io.source import shown
from tracepact.records import record_of
from tracepact.tools.score.batches.making import CLAIM, KEY, Making, claimed, file_names, kept_batches, making_folder
from tracepact.tools.score.batches.plan import Plan
from tracepact.tools.score.report.build import Head
from tracepact.tools.score.report.clips import MOST_CLIPS
from tracepact.tools.score.report.record import Report
from tracepact.tools.score.report.text import report_views
from tracepact.tools.score.store import columnar, tables
from tracepact.tools.score.store.manifest import NAME, self_digest, versions
from tracepact.tools.score.store.policies import policies_data
from tracepact.tools.score.store.writing import CANONICAL, SOURCE, check_place
from tracepact.trace import EventTable
from tracepact.wording import count

FORMAT = "tracepact-batches/1"
_CHUNK = 1 << 20


@contextmanager
def place_of_run(out: Path | None) -> Iterator[None]:
    """Where a run directory can be written, claimed for this process while it is made; no place is no claim."""
    if out is None:
        yield
        return
    if not columnar.has_pyarrow():
        help = "pip install 'tracepact[parquet]'"
        raise InvalidInput([Diagnostic("missing-extra", "rows in batches are written as Parquet", None, help)])
    check_batch_place(out)
    with claimed(out):
        yield


def start_making(
    out: Path,
    plan: Plan,
    head: Head,
    sides: Sequence[Any],
    note: Callable[[str], None],
    *,
    violations: bool,
    page: bool = False,
) -> Making:
    """The folder of a run in the making, with what an interrupted run of the same data and contract has finished.

    The place is checked, and claimed. What is kept or removed of an interrupted run is noted.
    """
    key = _key(plan, head, sides, violations=violations, page=page)
    folder = making_folder(out)
    text = json_text({"format": FORMAT, "key": key})
    kept = count(kept_batches(out), "batch", "batches")
    if _text(folder / KEY) == text:
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


def _key(plan: Plan, head: Head, sides: Sequence[Any], *, violations: bool, page: bool) -> str:
    """The digest of all that the batches depend on: versions, contract, data, settings, and where batches begin."""
    lengths = "".join(f"{clip}\t{length}\n" for clip, length in plan.lengths.items())
    data = {
        "facts": facts(),
        "contract": [head.contract.digest, head.contract.source.text],
        "sides": [_side_digest(side) for side in sides],
        "inputs": [[one.role, one.digest] for one in head.inputs],
        "lengths": hashlib.sha256(lengths.encode()).hexdigest(),
        "classes": list(plan.classes),
        "mode": head.mode.value,
        "settings": policies_data(head.settings),
        "preparation": {k: v for k, v in head.preparation.items() if k in ("label_map", "policy")},
        "batches": [batch.last for batch in plan.batches],
        "violations": violations,
        "page": [MOST_CLIPS, page],
    }
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def _side_digest(side: Any) -> str | None:
    if isinstance(side, FileFolder):
        return hashlib.sha256(side.key.encode()).hexdigest()
    if isinstance(side, EventTable):
        return hashlib.sha256(tables.events_text(side).encode()).hexdigest()
    if isinstance(side, Mapping):
        return hashlib.sha256(json.dumps(dict(side), sort_keys=True).encode()).hexdigest()
    found: str | None = None if side is None else side.digest
    return found


def finish(out: Path, making: Making, plan: Plan, head: Head, report: Report, views: Mapping[str, str]) -> list[Path]:
    """Put the rows of all batches together, write report, contract and manifest, and move the whole into place.

    `views` are further files, by their names.
    """
    final = Path(making.folder) / "final"
    shutil.rmtree(final, ignore_errors=True)
    final.mkdir()
    clauses = {clause.name: clause for clause in head.contract.clauses}
    for name in file_names(clauses, violations=making.violations):
        columnar.write_parquet(final / name, _rows(making, plan, name))
    texts = {CANONICAL: head.contract.text, SOURCE: head.contract.source.text, **report_views(report), **views}
    for name, text in texts.items():
        (final / name).write_text(text, encoding="utf-8", newline="")
    files = sorted(path.name for path in final.iterdir())
    (final / NAME).write_text(json_text(_manifest(final, files, head, plan)), encoding="utf-8")
    put_folder(final, out.resolve())
    shutil.rmtree(making.folder)
    return [out / name for name in (*files, NAME)]


def _rows(making: Making, plan: Plan, name: str) -> Iterator[Any]:
    for batch in plan.batches:
        yield columnar.read_parquet(making.part(batch.number, name).read_bytes())


def _manifest(folder: Path, files: Iterable[str], head: Head, plan: Plan) -> dict[str, Any]:
    contract = head.contract
    one_length = {"durations": str(plan.durations)} if isinstance(plan.durations, Fraction) else {}
    data: dict[str, Any] = {
        "format": FORMAT,
        "versions": versions(),
        "contract": {"name": contract.name, "digest": contract.digest, "source": contract.source.name},
        "settings": {
            "mode": head.mode.value,
            "overrides": {p.name: p.text for p in contract.parameters if p.overridden},
            "preparation": dict(head.preparation),
            "metrics": policies_data(head.settings),
            **one_length,
        },
        "family": {"clips": len(plan.clips), "classes": len(head.classes), "clauses": len(contract.clauses)},
        "inputs": [{"role": i.role, "name": i.name, "sha256": i.digest} for i in head.inputs],
        "files": [
            {"name": name, "bytes": (folder / name).stat().st_size, "sha256": file_digest(folder / name)}
            for name in files
        ],
    }
    return {**data, "sha256": self_digest(data)}


def file_digest(path: Path) -> str:
    """The SHA-256 of a file, read piece by piece."""
    found = hashlib.sha256()
    with open(path, "rb") as file:
        while data := file.read(_CHUNK):
            found.update(data)
    return found.hexdigest()


def batch_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of the run directory of a run in batches; None if a folder is none."""
    try:
        data = json.loads(_text(folder / NAME))
    except (ValueError, RecursionError):
        return None
    sound = isinstance(data, dict) and data.get("format") == FORMAT and isinstance(data.get("files"), list)
    return data if sound and all(_lists(item) for item in data["files"]) else None


def _lists(item: object) -> bool:
    """Whether an item of a manifest names a file, beside others, and its digest."""
    return isinstance(item, dict) and all(isinstance(item.get(key), str) for key in ("name", "sha256"))


def check_batch_place(folder: Path) -> None:
    """Refuse a place where no run directory can be written without loss (rule 17.4)."""
    found = batch_manifest(folder) if folder.is_dir() else None
    if found is None:
        check_place(folder)
        return
    listed = {NAME, *(one["name"] for one in found["files"])}
    others = sorted({one.name for one in folder.iterdir()} - listed)
    if others:
        headline = f"`{folder}` holds files that are not part of a run and is not replaced: `{others[0]}`"
        raise InvalidInput([Diagnostic("not-a-run", headline, RowPlace(str(folder)), "name another folder")])


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def pooled_counts(folder: Path) -> dict[tuple[str, str], tuple[int, int]]:
    """The satisfied and obligated counts of every class and clause, added up from the rows of scores."""
    import pyarrow.parquet as pq

    totals: dict[tuple[str, str], tuple[int, int]] = {}
    file = pq.ParquetFile(folder / columnar.SCORES)
    for number in range(file.num_row_groups):
        table = (
            file.read_row_group(number)
            .group_by(["event_label", "clause"])
            .aggregate([("satisfied", "sum"), ("obligated", "sum")])
        )
        for row in table.to_pylist():
            held, asked = totals.get((row["event_label"], row["clause"]), (0, 0))
            key = row["event_label"], row["clause"]
            totals[key] = held + row["satisfied_sum"], asked + row["obligated_sum"]
    return totals


def drifts(folder: Path) -> list[str]:
    """What of the run directory of a run in batches is not as it was written, or does not agree with its report."""
    manifest = batch_manifest(folder)
    if manifest is None:
        return [f"{NAME} is not of the form {FORMAT}"]
    found = []
    if manifest.get("sha256") != self_digest(manifest):
        found.append(f"{NAME} is not as it was written: its own digest differs")
    for item in manifest["files"]:
        name = item["name"]
        if Path(name).name != name or not isfile(folder / name):  # false too for a name that no file can have
            found.append(f"{name} is not there")
        elif file_digest(folder / name) != item["sha256"]:
            found.append(f"{name} is not as it was written: its digest differs")
    if found:
        return found
    return list(_disagreements(folder))


def _disagreements(folder: Path) -> Iterator[str]:
    """Where the report of a run says something else than its rows, or one of them cannot be read."""
    import pyarrow.parquet as pq

    try:
        report = record_of(json_data(_text(folder / "report.json")), Report)
    except (ValueError, RecursionError, ValidationError):
        yield "report.json does not hold the report of a run"
        return
    file = columnar.SCORES
    faults: tuple[type[Exception], ...] = (*arrow_faults(), KeyError, TypeError)
    try:
        totals = pooled_counts(folder)
        for one in report.classes:
            for clause, score in one.vector.items():
                counts, there = (score.satisfied, score.obligated), totals.get((one.label, clause))
                if there != counts:
                    yield f"report.json: {clause} of {one.label} has the counts {counts}, its rows {there}"
        for violations in report.violations:
            file = columnar.VIOLATIONS.format(violations.clause)
            if (folder / file).is_file() and (
                rows := pq.ParquetFile(folder / file).metadata.num_rows
            ) != violations.total:
                yield f"report.json: {violations.clause} has {violations.total} violations, its rows are {rows}"
    except faults as error:
        yield f"{file} does not hold the rows of a run: {shown(' '.join(str(error).split()), 120)}"
