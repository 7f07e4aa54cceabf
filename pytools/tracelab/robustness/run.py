"""A whole robustness run: classifiers trained, asked under every corruption, results, views, manifest, verification."""

import hashlib
import json
import platform
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from tracelab.files import write_whole
from tracelab.progress import SILENT, Progress
from tracelab.robustness.classifiers import BUILT_IN, Classifier
from tracelab.robustness.corruptions import canonical, canonical_digest, cells, table_bytes
from tracelab.robustness.evaluation import Task, answers, ask_all, questions, train_all
from tracelab.robustness.explanation import explained, explanation
from tracelab.robustness.metrics import Labels, Predictions
from tracelab.robustness.pdf import report_pdf
from tracelab.robustness.records import Manifest, Record, Split, record_text
from tracelab.robustness.results import DRAWS, KIND, Answers, every_result
from tracelab.robustness.skill import skill_text
from tracelab.robustness.tables import Shown
from tracelab.robustness.views import robustness_views
from tracelab.stages import Stages, claim

MANIFEST = "manifest.json"
TABLE = "corruptions.json"
EXPLAINED = "logits/explanation.npz"
_LAYOUT, _TEST, _VALIDATION = "esc50", 1, 2
_SIZE = (50, 400, 400, 1200)
_LIBRARIES = ("tracepact", "numpy", "scipy", "scikit-learn", "librosa", "torch", "soundfile", "reportlab")


def run_all(
    folder: Path, task: Task, classifiers: Sequence[Classifier], *, workers: int = 1, progress: Progress = SILENT
) -> Path:
    """Run or go on with a run; the path of its page."""
    began = perf_counter()
    task.check()
    claim(folder, _settings(task, classifiers), "robustness run")
    stages = Stages.within(folder)
    train_all(stages, task, classifiers, progress)
    asked = questions(cells(task.table))
    ask_all(stages, task, classifiers, asked, workers=workers, progress=progress)
    tried = explained(stages, task, progress)
    labels = {f"labels_{split}": _labels(task, split) for split in ("validation", "test")}
    for classifier in classifiers:
        found = {one.name: answers(stages, task, classifier, one)[0] for one in asked}
        _save(folder / "logits" / f"{classifier.name}.npz", {**labels, **found})
    _save(folder / EXPLAINED, {**labels, **tried})
    digests = {one.name: answers(stages, task, classifiers[0], one)[1] for one in asked}
    manifest = _manifest(task, classifiers, digests, perf_counter() - began)
    return write_results(folder, manifest, progress)


def write_results(folder: Path, manifest: Manifest, progress: Progress = SILENT) -> Path:
    """Everything that follows from the stored logits, and the manifest that vouches for it; the path of the page."""
    progress.begin("tables, page and PDF", 3)
    write_whole(folder / TABLE, table_bytes())
    records = results_of(folder, manifest)
    for name, record in records.items():
        write_whole(folder / name, record_text(record))
    progress.advance()
    shown = Shown.of(records, manifest)
    for name, text in robustness_views(shown).items():
        write_whole(folder / name, text)
    progress.advance()
    write_whole(folder / "report.pdf", report_pdf(shown))
    write_whole(folder / "SKILL.md", skill_text())
    files = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in sorted(result_files(folder))}
    write_whole(folder / MANIFEST, record_text(replace(manifest, files=files)))
    progress.advance()
    return folder / "report.html"


def results_of(folder: Path, manifest: Manifest) -> dict[str, Record]:
    """The records that follow from the logits of a folder."""
    found = [stored_answers(folder, name) for name in manifest.classifiers]
    results = every_result(found, canonical(), manifest.corpus, manifest.split, manifest.classes, seed=manifest.seed)
    with np.load(folder / EXPLAINED) as stored:
        tried = dict(stored)
    results["explanation.json"] = explanation(tried, tried["labels_validation"], tried["labels_test"])
    return results


def result_files(folder: Path) -> list[str]:
    """The files of a run that its manifest vouches for."""
    own = (MANIFEST, "verification_report.json", "settings.json")
    names = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    return [name for name in names if name not in own and not name.startswith("stages/")]


def not_canonical(manifest: Manifest) -> list[str]:
    """Why a run is not of the canonical protocol; nothing if it is."""
    split = manifest.split
    size = (len(manifest.classes), split.test_clips, split.validation_clips, split.training_clips)
    wrong = {
        f"the corpus is {manifest.corpus}": manifest.corpus == _LAYOUT,
        "it has not the classes and clips of ESC-50": size == _SIZE,
        f"the test fold is {split.test}": split.test == _TEST,
        f"the validation fold is {split.validation}": split.validation == _VALIDATION,
        "LR-MFCC is not among the classifiers": manifest.classifiers.get("lr_mfcc") == BUILT_IN["lr_mfcc"].key,
        "the corruptions are not the canonical table": manifest.table_sha256 == canonical_digest(),
    }
    return [reason for reason, right in wrong.items() if not right]


def _settings(task: Task, classifiers: Sequence[Classifier]) -> dict[str, object]:
    return {
        "corpus": task.corpus.layout,
        "corpus_sha256": task.corpus.digest,
        "rotation": json.loads(json.dumps(asdict(task.rotation))),
        "table": task.table.name,
        "seed": task.seed,
        "classifiers": {one.name: one.key for one in classifiers},
    }


def _manifest(task: Task, classifiers: Sequence[Classifier], digests: dict[str, str], seconds: float) -> Manifest:
    rotation = task.rotation
    manifest = Manifest(
        kind=KIND,
        canonical=True,
        not_canonical=[],
        corpus=task.corpus.layout,
        corpus_sha256=task.corpus.digest,
        table_sha256=hashlib.sha256(table_bytes()).hexdigest(),
        seed=task.seed,
        draws=DRAWS,
        split=Split(
            test=rotation.test,
            validation=rotation.validation,
            training=list(rotation.training),
            test_clips=len(task.examples("test")),
            validation_clips=len(task.examples("validation")),
            training_clips=len(task.training.examples),
        ),
        classes=list(task.corpus.classes),
        classifiers={one.name: one.key for one in classifiers},
        samples_sha256=digests,
        versions={"python": platform.python_version(), **{name: version(name) for name in _LIBRARIES}},
        machine=platform.machine(),
        seconds=round(seconds, 1),
        files={},
    )
    reasons = not_canonical(manifest)
    return replace(manifest, canonical=not reasons, not_canonical=reasons)


def stored_answers(folder: Path, name: str) -> Answers:
    """What a classifier answered, as it is stored."""
    with np.load(folder / "logits" / f"{name}.npz") as stored:
        found = dict(stored)
    validation, test = found.pop("labels_validation"), found.pop("labels_test")
    checked, clean = Predictions(found.pop("validation"), validation), Predictions(found.pop("test"), test)
    return Answers(name, checked, clean, {cell: Predictions(logits, test) for cell, logits in found.items()})


def _labels(task: Task, split: str) -> Labels:
    return np.array([example.target for example in task.examples(split)], dtype=np.int32)


def _save(place: Path, arrays: dict[str, npt.NDArray[Any]]) -> None:
    stored = BytesIO()
    np.savez_compressed(stored, allow_pickle=False, **arrays)
    write_whole(place, stored.getvalue())
