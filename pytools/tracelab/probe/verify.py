"""Verifies a probe: every run from its stored predictions, every row from runs and scores, every view from the rows."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tracepact
from tracelab.probe.probe import read_probe_record
from tracelab.probe.rows import row_files
from tracelab.probe.views import probe_views
from tracelab.progress import SILENT, Progress
from tracelab.study.rows import Runs, rows_text
from tracelab.study.study import stored_rows
from tracelab.verification import Verified, stored_draws


def verify_probe(folder: Path, progress: Progress = SILENT) -> Verified:
    """Compute everything again that follows from what is stored, and compare; times are only held to their digest."""
    record = read_probe_record(folder)
    runs = Runs(folder / "runs")
    every = list(runs.every())
    progress.begin("runs", len(every))
    drifts: list[str] = []
    for group, system, path in every:
        found = tracepact.verify_run(path)
        drifts += [f"runs/{group}/{system}: {drift.where}" for drift in found.drifts]
        drifts += [f"runs/{group}/{system}: {one.headline}" for one in found.diagnostics]
        progress.advance()
    drifts += [name for name, digest in record["files"].items() if _digest(folder / name) != digest]
    if not drifts:
        drifts += [name for name, text in _texts(folder, runs, record) if (folder / name).read_text("utf-8") != text]
    return Verified(f"{len(every)} runs and {len(record['files'])} files", tuple(drifts))


def _texts(folder: Path, runs: Runs, record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Every file of rows and views as it comes out now."""
    for name, make in row_files(folder, stored_draws(record)).items():
        yield f"rows/{name}.csv", rows_text(make(runs))
    shown = {key: value for key, value in record.items() if key not in ("complete", "files")}
    yield from probe_views(stored_rows(folder), shown).items()


def _digest(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
