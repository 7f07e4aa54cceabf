"""Verifies a study: every run from its stored predictions, every row from the runs, every view from the rows."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tracepact
from tracelab.progress import SILENT, Progress
from tracelab.study.rows import Runs, row_files, rows_text
from tracelab.study.study import read_record, study_views
from tracelab.verification import Verified, stored_draws


def verify_study(folder: Path, progress: Progress = SILENT) -> Verified:
    """Compute everything again that follows from the stored predictions, and compare."""
    record = read_record(folder)
    runs = Runs(folder / "runs")
    every = list(runs.every())
    progress.begin("runs", len(every))
    drifts: list[str] = []
    for group, system, path in every:
        found = tracepact.verify_run(path)
        drifts += [f"runs/{group}/{system}: {drift.where}" for drift in found.drifts]
        drifts += [f"runs/{group}/{system}: {one.headline}" for one in found.diagnostics]
        progress.advance()
    missing = [name for name in record["files"] if not (folder / name).is_file()]
    drifts += [f"{name}: missing" for name in missing]
    files = {} if drifts else dict(_texts(folder, runs, record))  # rows of a run that drifted would say nothing new
    drifts += [name for name, text in files.items() if _stored(folder / name) != text]
    others = {name: digest for name, digest in record["files"].items() if name not in {*files, *missing}}
    drifts += [name for name, digest in others.items() if _digest(folder / name) != digest]
    return Verified(f"{len(every)} runs and {len(record['files'])} files", tuple(drifts))


def _texts(folder: Path, runs: Runs, record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Every file of rows and views as it comes out now."""
    for name, make in row_files(stored_draws(record)).items():
        yield f"rows/{name}.csv", rows_text(make(runs))
    shown = {key: value for key, value in record.items() if key not in ("complete", "files")}
    yield from study_views(folder, shown).items()


def _digest(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def _stored(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
