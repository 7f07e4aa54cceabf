"""The whole study, each stage done once, and its verification."""

import hashlib
import os
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

from tracelab.configuration import SCALES, StudyScale, configuration_text
from tracelab.detections import OwnDetector, ask
from tracelab.detectors.models import MANIFEST
from tracelab.detectors.recipes import ABLATION, CLASS_DETECTOR, DETECTORS, LEARNING, REGIME, SEEDED, Recipe, same_model
from tracelab.files import copy_folder, replaced, write_whole
from tracelab.protocol import Protocol
from tracelab.scenes.voices import Voice
from tracelab.stages import (
    SILENT,
    StageListener,
    Stages,
    Verified,
    claim,
    code_digest,
    read_record,
    stored_digest,
    stored_draws,
    write_record,
)
from tracelab.study.boundaries import attribution_rows, boundary_rows, interval_rows
from tracelab.study.cases import calibration_rows, stress_rows
from tracelab.study.comparison import Rows
from tracelab.study.rows import (
    Row,
    Runs,
    condition_rows,
    declared_rows,
    difference_rows,
    matcher_rows,
    metric_rows,
    model_rows,
    ranking_rows,
    read_rows,
    rows_text,
    score_rows,
    tolerance_rows,
    union_rows,
)
from tracelab.study.systems import Splits, TrainedSystem, heard_split, make_systems, read_heard, tasks_of
from tracelab.study.views import every_table, study_figures, study_page, view_files
from tracepact.inputs import read_within

# The whole study: scenes, detectors, rows, views and record, each stage done once.

RECORD = "study.json"
CONFIGURATION = "protocol.toml"
_LIBRARIES = ("tracepact", "numpy", "scipy", "scikit-learn", "torch", "soundfile", "joblib")
_NOT_FETCHED = ("Mini LibriSpeech dev-clean-2 (the published source of speech)",)


def run_study(
    folder: Path,
    scale: StudyScale,
    voice: Voice,
    *,
    workers: int = 1,
    progress: StageListener = SILENT,
    detectors: Sequence[OwnDetector] = (),
    device: str = "cpu",
) -> Path:
    """Run or go on with a study, with detectors of one's own beside its own; the path of its page."""
    began = perf_counter()
    claim(folder, _settings(scale, voice), "study")
    write_whole(folder / CONFIGURATION, configuration_text(scale))
    stages = Stages.within(folder)
    systems, splits = [], []
    for group, protocol, recipes in _groups(scale):
        split = scene_splits(stages, protocol, voice, scale, workers, progress)
        wanted = [(name, scale.trained(recipe)) for name, recipe in recipes]
        progress.begin(f"detectors, {group}", len({same_model(recipe) for _, recipe in wanted}))
        systems += make_systems(
            stages, split, wanted, workers=workers, on_model=lambda name: progress.advance(), device=device
        )
        splits.append(split)
    answers = [_ask_own(stages, one, scale.protocol, voice, splits[0], progress) for one in detectors]
    _gather_runs(folder, systems, {one.name: place for one, place in zip(detectors, answers, strict=True)})
    runs = Runs(folder / "runs")
    makers = {**declared_rows(scale.protocol), **row_files(scale.draws)}
    progress.begin("rows", len(makers))
    for name, make in makers.items():
        write_whole(folder / "rows" / f"{name}.csv", rows_text(make(runs)))
        progress.advance()
    record = _record(scale, voice, splits, perf_counter() - began)
    return write_views(folder, record)


def row_files(draws: int) -> dict[str, Callable[[Runs], Iterable[Row]]]:
    """Every file of rows, and what makes it."""
    return {
        "scores": score_rows,
        "metrics": metric_rows,
        "conditions": condition_rows,
        "boundaries": boundary_rows,
        "intervals": lambda runs: interval_rows(runs, draws),
        "attribution": lambda runs: attribution_rows(runs, draws),
        "tolerance": tolerance_rows,
        "matcher": matcher_rows,
        "stress": stress_rows,
        "calibration": calibration_rows,
        "differences": lambda runs: difference_rows(runs, draws),
        "rankings": ranking_rows,
        "union": union_rows,
        "models": model_rows,
    }


def write_views(folder: Path, record: dict[str, Any]) -> Path:
    """The tables, figures, page and record of a study, from its rows; the path of the page."""
    for name, text in study_views(folder, record).items():
        write_whole(folder / name, text)
    write_record(folder / RECORD, record, ("rows", "tables", "figures", "study.html"))
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


def _groups(scale: StudyScale) -> list[tuple[str, Protocol, list[tuple[str, Recipe]]]]:
    """Every group of systems with its scenes."""
    main = [("detectors", recipe) for recipe in DETECTORS]
    main += [("classes", CLASS_DETECTOR)]
    main += [("ablation", recipe) for recipe in ABLATION]
    main += [("regime", recipe) for recipe in REGIME]
    main += [("learning", recipe) for recipe in LEARNING]
    others = [(f"seed-{p.seed}", p, [(f"seed-{p.seed}", recipe) for recipe in SEEDED]) for p in scale.seeds]
    return [("main", scale.protocol, main), *others]


def scene_splits(
    stages: Stages, protocol: Protocol, voice: Voice, scale: StudyScale, workers: int, progress: StageListener
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


def _ask_own(
    stages: Stages, detector: OwnDetector, protocol: Protocol, voice: Voice, splits: Splits, progress: StageListener
) -> Path:
    """The run of a detector of one's own, asked again when its file or the clips change."""
    tasks = tasks_of(protocol, "test")
    progress.begin(f"detector {detector.name}", len(tasks))
    key = {"detector": detector.name, "file": detector.digest, "test": splits.test.name}

    def make(place: Path) -> None:
        ask(detector, protocol, voice, tasks, place / "run", progress.advance)

    return stages.kept("own", key, make)


def _gather_runs(folder: Path, systems: list[TrainedSystem], others: Mapping[str, Path]) -> None:
    """A run directory for every system, under its group and name."""
    with replaced(folder / "runs") as part, replaced(folder / "models") as models:
        for system in systems:
            # Beside detectors of the union stands the union of what a class-indexed one predicts.
            kind = "union" if system.recipe.typed and system.group != "classes" else "run"
            copy_folder(system.run / kind, part / system.group / system.name)
            if system.group == "classes":
                copy_folder(system.run / "union", part / "classes-union" / system.name)
            write_whole(models / system.group / f"{system.name}.json", (system.model / MANIFEST).read_bytes())
        for name, place in others.items():
            copy_folder(place / "run", part / "detectors" / name)


def _settings(scale: StudyScale, voice: Voice) -> dict[str, Any]:
    """What a folder of a study belongs to."""
    return {
        "scale": scale.name,
        "configuration_sha256": scale.digest,
        "speech": voice.name,
        "speech_sha256": voice.digest,
    }


def _record(scale: StudyScale, voice: Voice, splits: list[Splits], seconds: float) -> dict[str, Any]:
    digests = hashlib.sha256()
    for split in splits:
        digests.update(" ".join(read_heard(split.test).digests).encode())
    return {
        "scale": scale.name,
        "protocol": scale.protocol.name,
        "configuration_sha256": scale.digest,
        "seed": scale.protocol.seed,
        "training clips": scale.protocol.train_clips,
        "test clips": scale.protocol.test_clips,
        "draws": scale.draws,
        "speech": voice.name,
        "speech_sha256": voice.digest,
        "source_sha256": code_digest(""),
        "test clips sha256": digests.hexdigest(),
        "seconds of the last run": round(seconds, 1),
        "processors": os.cpu_count(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in _LIBRARIES},
        "not present": list(_NOT_FETCHED),
    }


# Verifies a study: every run from its stored predictions, every row from the runs, every view from the rows.


def verify_study(folder: Path, progress: StageListener = SILENT) -> Verified:
    """Compute everything again that follows from the stored predictions, and compare."""
    record, runs = read_record(folder / RECORD, SCALES, "study"), Runs(folder / "runs")
    drifts = runs.drifts(progress)
    missing = [name for name in record["files"] if stored_digest(folder, name) is None]
    drifts += [f"{name}: missing" for name in missing]
    files = {} if drifts else dict(_texts(folder, runs, record))  # rows of a run that drifted would say nothing new
    drifts += [name for name, text in files.items() if _stored(folder, name) != text]
    others = {name: digest for name, digest in record["files"].items() if name not in {*files, *missing}}
    drifts += [name for name, digest in others.items() if stored_digest(folder, name) != digest]
    return Verified(f"{len(list(runs.every()))} runs and {len(record['files'])} files", tuple(drifts))


def _texts(folder: Path, runs: Runs, record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Every file of rows and views as it comes out now."""
    for name, make in row_files(stored_draws(record)).items():
        yield f"rows/{name}.csv", rows_text(make(runs))
    shown = {key: value for key, value in record.items() if key not in ("complete", "files")}
    yield from study_views(folder, shown).items()


def _stored(folder: Path, name: str) -> str | None:
    try:
        return read_within(folder, name).decode()
    except (OSError, UnicodeDecodeError):
        return None
