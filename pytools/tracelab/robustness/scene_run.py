"""The grid over the scenes as a folder: detectors, cells, rows, views and record, and its verification."""

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

from joblib import Parallel, delayed
from markupsafe import Markup

from tracelab.configuration import StudyScale
from tracelab.detectors.recipes import CLASS_DETECTOR, DETECTORS
from tracelab.files import at, fault, write_whole
from tracelab.protocol import STEP
from tracelab.robustness.corruptions import GridCell, canonical, canonical_digest, cells
from tracelab.robustness.results import CLEAN
from tracelab.robustness.scene_grid import (
    cell_rows,
    clean_scenes,
    curve_rows,
    grid_cell,
    read_cell,
    scene_figures,
    scene_tables,
)
from tracelab.scenes.voices import Voice
from tracelab.stages import SILENT, StageListener, Stages, Verified, claim
from tracelab.study.rows import Row, read_rows, rows_text
from tracelab.study.study import scene_splits
from tracelab.study.systems import make_systems
from tracelab.study.tables import StudyTable
from tracelab.study.views import view_files
from tracepact.inputs import LARGEST_DOCUMENT, digest_within, read_within
from tracepact.show import Section, Table, html_page, html_table, inline, words

RECORD = "grid.json"
RECIPES = (*DETECTORS, CLASS_DETECTOR)
TITLE = "Boundary contracts under corruption"
_LIBRARIES = ("tracepact", "numpy", "scipy", "scikit-learn", "torch")


def run_grid(
    folder: Path, scale: StudyScale, voice: Voice, *, workers: int = 1, progress: StageListener = SILENT
) -> Path:
    """Run or go on with the grid over the scenes; the path of its page."""
    began = perf_counter()
    claim(folder, _settings(scale, voice), "grid over the scenes")
    stages = Stages.within(folder)
    splits = scene_splits(stages, scale.protocol, voice, scale, workers, progress)
    recipes = [("grid", scale.trained(recipe)) for recipe in RECIPES]
    progress.begin("detectors", len(recipes))
    systems = make_systems(stages, splits, recipes, workers=workers, on_model=lambda name: progress.advance())
    progress.begin("clean test clips", scale.protocol.test_clips)
    sounds = clean_scenes(stages, scale.protocol, voice, workers=workers, on_clip=progress.advance)
    grid = grid_cells()
    progress.begin("scenes under every corruption", len(grid))
    jobs = (delayed(grid_cell)(stages, scale.protocol, sounds, systems, cell) for cell in grid)
    with at(folder):
        for cell, place in zip(grid, Parallel(n_jobs=workers, return_as="generator")(jobs), strict=True):
            for name in ("masks.npz", "references.json"):
                write_whole(folder / "cells" / cell.name / name, (place / name).read_bytes())
            progress.advance()
    rows = list(_rows(folder, progress))
    write_whole(folder / "rows" / "vectors.csv", rows_text(rows))
    write_whole(folder / "rows" / "curves.csv", rows_text(curve_rows(rows)))
    return write_grid_views(folder, _record(scale, voice, perf_counter() - began))


def write_grid_views(folder: Path, record: Mapping[str, Any]) -> Path:
    """Tables, figures, page and record, from the rows; the path of the page."""
    for name, text in grid_views(folder, record).items():
        write_whole(folder / name, text)
    files = {name: _digest(folder / name) for name in _result_files(folder)}
    write_whole(folder / RECORD, json.dumps({**record, "files": files}, indent=2) + "\n")
    return folder / "grid.html"


def grid_views(folder: Path, record: Mapping[str, Any]) -> dict[str, str]:
    """Every view of the rows, by the name of its file."""
    rows = read_rows(folder / "rows" / "vectors.csv")
    tables, figures = scene_tables(rows), scene_figures(rows)
    return {**view_files(tables, figures), "grid.html": _page(record, tables, figures)}


def grid_cells() -> list[GridCell]:
    """The clean clips, and every family at every severity."""
    return [CLEAN, *cells(canonical())]


def verify_grid(folder: Path, progress: StageListener = SILENT) -> Verified:
    """The vectors from the stored masks, the curves and views from the vectors, and every digest."""
    try:
        record = json.loads(read_within(folder, RECORD, LARGEST_DOCUMENT))
        files = dict(record["files"])
    except (ValueError, KeyError, TypeError) as error:
        raise fault("not-a-study", f"the record cannot be read: {error}", folder / RECORD) from error
    there = set(_result_files(folder))
    drifts = [f"{name}: missing" for name in files if name not in there]
    drifts += [name for name, digest in files.items() if name in there and digest_within(folder, name) != digest]
    drifts += [f"{name}: not in the record" for name in sorted(there) if name not in files]
    if record["table_sha256"] != canonical_digest():
        drifts.append("the table of corruptions is another one in this version")
    if not drifts:
        rows = list(_rows(folder, progress))
        computed = {"rows/vectors.csv": rows_text(rows), "rows/curves.csv": rows_text(curve_rows(rows))}
        shown = {name: value for name, value in record.items() if name != "files"}
        computed |= grid_views(folder, shown)
        drifts += [name for name, text in computed.items() if read_within(folder, name) != text.encode()]
    return Verified(f"{len(grid_cells())} cells and {len(files)} files", tuple(drifts))


def _rows(folder: Path, progress: StageListener) -> list[Row]:
    grid = grid_cells()
    progress.begin("vectors", len(grid))
    found: list[Row] = []
    for cell in grid:
        found += cell_rows(read_cell(folder / "cells" / cell.name, STEP), STEP, cell)
        progress.advance()
    return found


def _result_files(folder: Path) -> list[str]:
    names = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file()]
    return [name for name in names if name not in (RECORD, "settings.json") and not name.startswith("stages/")]


def _page(record: Mapping[str, Any], tables: Sequence[StudyTable], figures: Mapping[str, str]) -> str:
    sections = []
    for one in tables:
        prefix = {"breaks": "guards-", "losses": "severity-"}.get(one.name)
        charts = Markup("").join(
            Markup("<figure>{}</figure>").format(inline(chart))
            for name, chart in figures.items()
            if prefix and name.startswith(prefix)
        )
        body = html_table(replace(one.table, title="")) + charts
        sections.append(Section(one.name, one.table.title, body, one.lead))
    listed = Table("", words("what", "value"), [[name, str(value)] for name, value in record.items()])
    sections.append(Section("record", "Record", html_table(listed)))
    head = Markup(
        "<h1>{}</h1><p>The contract <code>boundary_gate</code> on controlled scenes under eight families of "
        "corruptions at five severities; speech from {}. Clips and classes are added. Only <code>speed</code> moves "
        "the reference, with the time that it changes. <code>tracelab verify</code> computes every vector again.</p>"
    ).format(TITLE, record["speech"])
    return html_page(TITLE, head, sections)


def _settings(scale: StudyScale, voice: Voice) -> dict[str, Any]:
    return {
        "grid": canonical().name,
        "scale": scale.name,
        "configuration_sha256": scale.digest,
        "speech": voice.name,
        "speech_sha256": voice.digest,
    }


def _record(scale: StudyScale, voice: Voice, seconds: float) -> dict[str, Any]:
    return {
        "scale": scale.name,
        "protocol": scale.protocol.name,
        "configuration_sha256": scale.digest,
        "seed": scale.protocol.seed,
        "test clips": scale.protocol.test_clips,
        "speech": voice.name,
        "speech_sha256": voice.digest,
        "table": canonical().name,
        "table_sha256": canonical_digest(),
        "seconds of the last run": round(seconds, 1),
        "machine": platform.machine(),
        "versions": {name: version(name) for name in _LIBRARIES},
    }


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
