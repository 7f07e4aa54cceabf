"""The whole study: scenes, detectors, rows, views and record, each stage done once."""

import hashlib
import json
import os
import platform
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

from tracelab.detectors.recipes import ABLATION, CLASS_DETECTOR, DETECTORS, LEARNING, REGIME, SEEDED, Recipe
from tracelab.faults import fault
from tracelab.files import copy_folder, replaced, write_whole
from tracelab.progress import SILENT, Progress
from tracelab.protocol import Protocol
from tracelab.scenes.voices import Voice
from tracelab.stages import Stages, claim
from tracelab.study.rows import Runs, declared_rows, read_rows, row_files, rows_text
from tracelab.study.scales import SCALES, Scale
from tracelab.study.splits import heard_split, plain, read_heard
from tracelab.study.systems import Splits, System, make_systems
from tracelab.study.tables import Rows
from tracelab.study.views import every_table, study_figures, study_page, view_files

RECORD = "study.json"
_LIBRARIES = ("tracepact", "numpy", "scipy", "scikit-learn", "torch", "soundfile", "joblib")
_NOT_FETCHED = ("Mini LibriSpeech dev-clean-2 (the published source of speech)",)


def run_study(folder: Path, scale: Scale, voice: Voice, *, workers: int = 1, progress: Progress = SILENT) -> Path:
    """Run or go on with a study; the path of its page."""
    began = perf_counter()
    claim(folder, _settings(scale, voice), "study")
    stages = Stages.within(folder)
    systems, splits = [], []
    for group, protocol, recipes in _groups(scale):
        split = scene_splits(stages, protocol, voice, scale, workers, progress)
        wanted = [(name, scale.trained(recipe)) for name, recipe in recipes]
        progress.begin(f"detectors, {group}", len({stages.place("x", r.__repr__()) for _, r in wanted}))
        systems += make_systems(stages, split, wanted, workers=workers, on_model=lambda name: progress.advance())
        splits.append(split)
    _gather_runs(folder, systems)
    runs = Runs(folder / "runs")
    makers = {**declared_rows(scale.protocol), **row_files(scale.draws)}
    progress.begin("rows", len(makers))
    for name, make in makers.items():
        write_whole(folder / "rows" / f"{name}.csv", rows_text(make(runs)))
        progress.advance()
    record = _record(scale, voice, splits, perf_counter() - began)
    return write_views(folder, record)


def write_views(folder: Path, record: dict[str, Any]) -> Path:
    """The tables, figures, page and record of a study, from its rows; the path of the page."""
    for name, text in study_views(folder, record).items():
        write_whole(folder / name, text)
    digests = {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for part in ("rows", "tables", "figures", "study.html")
        for path in sorted([folder / part] if (folder / part).is_file() else (folder / part).rglob("*.*"))
    }
    write_whole(folder / RECORD, json.dumps({**record, "complete": True, "files": digests}, indent=2) + "\n")
    return folder / "study.html"


def study_views(folder: Path, record: dict[str, Any]) -> dict[str, str]:
    """Every view of a study's rows, by the name of its file."""
    rows = stored_rows(folder)
    tables, figures = every_table(rows), study_figures(rows)
    title = "Boundary contracts on controlled scenes"
    return {**view_files(tables, figures), "study.html": study_page(title, record, tables, figures)}


def stored_rows(folder: Path) -> Rows:
    """The rows of a study."""
    return {path.stem: read_rows(path) for path in sorted((folder / "rows").glob("*.csv"))}


def read_record(folder: Path) -> dict[str, Any]:
    """The record of a study."""
    try:
        found: dict[str, Any] = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        SCALES[found["scale"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        help = "`tracelab study --out FOLDER` writes one"
        raise fault("not-a-study", f"not the folder of a study: it has no readable `{RECORD}`", folder, help) from error
    return found


def _groups(scale: Scale) -> list[tuple[str, Protocol, list[tuple[str, Recipe]]]]:
    """Every group of systems with its scenes."""
    main = [("detectors", recipe) for recipe in DETECTORS]
    main += [("classes", CLASS_DETECTOR)]
    main += [("ablation", recipe) for recipe in ABLATION]
    main += [("regime", recipe) for recipe in REGIME]
    main += [("learning", recipe) for recipe in LEARNING]
    others = [(f"seed-{p.seed}", p, [(f"seed-{p.seed}", recipe) for recipe in SEEDED]) for p in scale.seeds]
    return [("main", scale.protocol, main), *others]


def scene_splits(
    stages: Stages, protocol: Protocol, voice: Voice, scale: Scale, workers: int, progress: Progress
) -> Splits:
    """The splits of one set of scenes, rendered and heard."""
    sizes = {"clean": protocol.train_clips, "views": scale.views * protocol.train_clips, "test": protocol.test_clips}
    found = {}
    for split, clips in sizes.items():
        progress.begin(f"scenes, {split}", clips)
        views = scale.views if split == "views" else 0
        found[split] = heard_split(
            stages, protocol, voice, split, views=views, workers=workers, on_clip=progress.advance
        )
    return Splits(protocol, **found)


def _gather_runs(folder: Path, systems: list[System]) -> None:
    """A run directory for every system, under its group and name."""
    with replaced(folder / "runs") as part:
        for system in systems:
            copy_folder(system.run / "run", part / system.group / system.name)


def _settings(scale: Scale, voice: Voice) -> dict[str, Any]:
    """What a folder of a study belongs to."""
    return {
        "scale": scale.name,
        "protocol": plain(scale.protocol),
        "speech": voice.name,
        "speech_sha256": voice.digest,
    }


def _record(scale: Scale, voice: Voice, splits: list[Splits], seconds: float) -> dict[str, Any]:
    digests = hashlib.sha256()
    for split in splits:
        digests.update(" ".join(read_heard(split.test).digests).encode())
    return {
        "scale": scale.name,
        "seed": scale.protocol.seed,
        "training clips": scale.protocol.train_clips,
        "test clips": scale.protocol.test_clips,
        "draws": scale.draws,
        "speech": voice.name,
        "speech_sha256": voice.digest,
        "test clips sha256": digests.hexdigest(),
        "seconds of the last run": round(seconds, 1),
        "processors": os.cpu_count(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in _LIBRARIES},
        "not present": list(_NOT_FETCHED),
    }
