"""A whole robustness run: classifiers trained, asked under every corruption, results, and why figures differ."""

import hashlib
import json
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace
from threadpoolctl import threadpool_limits

from tracelab.files import Signal, write_whole
from tracelab.robustness import results
from tracelab.robustness.classifiers import BUILT_IN, Classifier, LogisticMfcc
from tracelab.robustness.command import CANONICAL_SEED
from tracelab.robustness.corruptions import canonical, canonical_digest, cells, mean_mfcc, table_bytes
from tracelab.robustness.datasets import LabelledClip, read_example
from tracelab.robustness.evaluation import HEARING, CorpusTask, answers, ask_all, questions, train_all
from tracelab.robustness.records import Artefact, Manifest, ReadingsRecord, ReadingTrial, Split, record_text
from tracelab.robustness.results import DRAWS, KIND, ClassifierAnswers, Labels, Predictions, every_result
from tracelab.robustness.tables import OTHER_SEED, ShownRecords
from tracelab.robustness.views import report_pdf, robustness_views
from tracelab.stages import SILENT, StageListener, Stages, claim, code_digest, written_digest
from tracepact.inputs import open_within

# The guide for automated users, which every run carries with it.


def skill_text() -> str:
    """Steps, artefacts and failure modes."""
    return (files("tracelab.robustness") / "SKILL.md").read_text(encoding="utf-8")


# Why the figures of LR-MFCC differ: the same clips under other numbers of coefficients, scalings and iterations.

COEFFICIENTS = (13, 20, 40)
ITERATIONS = (100, 300, 1000, 3000)
STOPS = (100, 200, 300, 400, 600, 800, 900, 1000, 1500, 2000, 3000)
_PARTS = ("training", "validation", "test")


def readings() -> list[LogisticMfcc]:
    """Every reading that is tried; the canonical one is stopped at more places."""
    return [
        LogisticMfcc("", coefficients, standardised, iterations)
        for standardised in (False, True)
        for coefficients in COEFFICIENTS
        for iterations in (STOPS if (coefficients, standardised) == (40, False) else ITERATIONS)
    ]


def explained(stages: Stages, task: CorpusTask, progress: StageListener = SILENT) -> dict[str, npt.NDArray[np.float32]]:
    """The logits of every reading on the clean validation and test clips, and the iterations that were done."""
    key = {"corpus": task.corpus.digest, "rotation": str(task.rotation), "code": code_digest(*HEARING)}
    heard = stages.kept("mfcc", key, lambda folder: _hear(task, folder, progress))
    tried = [reading.key for reading in readings()]
    place = stages.kept("explanation", {"heard": heard.name, "tried": tried}, lambda f: _try_all(heard, f, progress))
    with np.load(place / "logits.npz") as found:
        return dict(found)


def explanation(logits: Mapping[str, npt.NDArray[np.float32]], validation: Labels, test: Labels) -> ReadingsRecord:
    """The readings with their figures, from stored logits."""
    trials = []
    for number, reading in enumerate(readings()):
        checked = Predictions(logits[f"{number}-validation"], validation)
        tested = Predictions(logits[f"{number}-test"], test)
        temperature = results.fit_temperature(checked)
        done = int(logits["iterations"][number])
        trials.append(
            ReadingTrial(
                coefficients=reading.coefficients,
                standardised=reading.standardised,
                iterations=reading.iterations,
                done=done,
                converged=done < reading.iterations,
                accuracy=float(results.accuracy(tested)),
                macro_f1=float(results.macro_f1(tested)),
                temperature=temperature,
                before=_figures(tested, 1.0),
                after=_figures(tested, temperature),
            )
        )
    return ReadingsRecord(kind=KIND, trials=trials)


def _figures(predictions: Predictions, temperature: float) -> list[float]:
    return [
        float(results.clip_nll(predictions, temperature).mean()),
        float(results.clip_brier(predictions, temperature).mean()),
        results.ece(predictions, temperature),
    ]


def _hear(task: CorpusTask, folder: Path, progress: StageListener) -> None:
    parts: dict[str, Sequence[LabelledClip]] = {
        "training": task.training.examples,
        "validation": task.examples("validation"),
        "test": task.examples("test"),
    }
    progress.begin("coefficients of the clean clips", sum(map(len, parts.values())))
    with threadpool_limits(1):
        arrays = {name: np.stack(list(_coefficients(examples, progress))) for name, examples in parts.items()}
    targets = np.array([example.target for example in parts["training"]])
    np.savez(folder / "mfcc.npz", allow_pickle=False, targets=targets, **arrays)


def _coefficients(examples: Sequence[LabelledClip], progress: StageListener) -> Iterator[Signal]:
    for example in examples:
        yield mean_mfcc(read_example(example))
        progress.advance()


def _try_all(heard: Path, folder: Path, progress: StageListener) -> None:
    with np.load(heard / "mfcc.npz") as arrays:
        training, validation, test = (arrays[name] for name in _PARTS)
        targets = arrays["targets"]
    tried = readings()
    progress.begin("readings of LR-MFCC", len(tried))
    found: dict[str, npt.NDArray[np.float32]] = {}
    done = []
    for number, reading in enumerate(tried):
        state = reading.fit(training, targets)
        for name, clips in (("validation", validation), ("test", test)):
            found[f"{number}-{name}"] = reading.logits(state, clips).astype(np.float32)
        done.append(int(state["iterations"]))
        progress.advance()
    np.savez(folder / "logits.npz", allow_pickle=False, iterations=np.array(done, dtype=np.float32), **found)


# A whole robustness run: classifiers trained, asked under every corruption, results, views, manifest, verification.

MANIFEST = "manifest.json"
TABLE = "corruptions.json"
EXPLAINED = "logits/explanation.npz"
_LAYOUT, _TEST, _VALIDATION = "esc50", 1, 2
_SIZE = (50, 400, 400, 1200)
_LIBRARIES = ("tracepact", "numpy", "scipy", "scikit-learn", "librosa", "torch", "soundfile", "reportlab")


def run_all(
    folder: Path,
    task: CorpusTask,
    classifiers: Sequence[Classifier],
    *,
    workers: int = 1,
    progress: StageListener = SILENT,
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


def write_results(folder: Path, manifest: Manifest, progress: StageListener = SILENT) -> Path:
    """Everything that follows from the stored logits, and the manifest that vouches for it; the path of the page."""
    progress.begin("tables, page and PDF", 3)
    write_whole(folder / TABLE, table_bytes())
    records = results_of(folder, manifest)
    for name, record in records.items():
        write_whole(folder / name, record_text(record))
    progress.advance()
    shown = ShownRecords.of(records, manifest)
    for name, text in robustness_views(shown).items():
        write_whole(folder / name, text)
    progress.advance()
    write_whole(folder / "report.pdf", report_pdf(shown))
    write_whole(folder / "SKILL.md", skill_text())
    files = {name: written_digest(folder / name) for name in sorted(result_files(folder))}
    write_whole(folder / MANIFEST, record_text(replace(manifest, files=files)))
    progress.advance()
    return folder / "report.html"


def results_of(folder: Path, manifest: Manifest) -> dict[str, Artefact]:
    """The records that follow from the logits of a folder."""
    found = [stored_answers(folder, name) for name in manifest.classifiers]
    records = every_result(found, canonical(), manifest.corpus, manifest.split, manifest.classes, seed=manifest.seed)
    with open_within(folder, EXPLAINED) as opened, np.load(opened) as stored:
        tried = dict(stored)
    records["explanation.json"] = explanation(tried, tried["labels_validation"], tried["labels_test"])
    return records


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
        f"{OTHER_SEED}{manifest.seed} and not {CANONICAL_SEED}": manifest.seed == CANONICAL_SEED,
        "the corruptions are not the canonical table": manifest.table_sha256 == canonical_digest(),
    }
    return [reason for reason, right in wrong.items() if not right]


def _settings(task: CorpusTask, classifiers: Sequence[Classifier]) -> dict[str, object]:
    return {
        "corpus": task.corpus.layout,
        "corpus_sha256": task.corpus.digest,
        "rotation": json.loads(json.dumps(asdict(task.rotation))),
        "table": task.table.name,
        "seed": task.seed,
        "classifiers": {one.name: one.key for one in classifiers},
    }


def _manifest(task: CorpusTask, classifiers: Sequence[Classifier], digests: dict[str, str], seconds: float) -> Manifest:
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


def stored_answers(folder: Path, name: str) -> ClassifierAnswers:
    """What a classifier answered, as it is stored."""
    with open_within(folder, f"logits/{name}.npz") as opened, np.load(opened) as stored:
        found = dict(stored)
    validation, test = found.pop("labels_validation"), found.pop("labels_test")
    checked, clean = Predictions(found.pop("validation"), validation), Predictions(found.pop("test"), test)
    return ClassifierAnswers(name, checked, clean, {cell: Predictions(logits, test) for cell, logits in found.items()})


def _labels(task: CorpusTask, split: str) -> Labels:
    return np.array([example.target for example in task.examples(split)], dtype=np.int32)


def _save(place: Path, arrays: dict[str, npt.NDArray[Any]]) -> None:
    stored = BytesIO()
    np.savez_compressed(stored, allow_pickle=False, **arrays)
    write_whole(place, stored.getvalue())
