"""Logits of every classifier on every cell of the corruption grid, as stages that a stopped run goes on from."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from tracelab.detectors.models import read_state, write_state
from tracelab.files import Signal, fault
from tracelab.robustness.classifiers import Classifier, ClassifierTraining, Logits
from tracelab.robustness.corruptions import CorruptionTable, GridCell, corrupt
from tracelab.robustness.datasets import LabelledClip, LabelledCorpus, Rotation, read_example
from tracelab.robustness.results import CLEAN
from tracelab.stages import SILENT, StageListener, Stages, code_digest, whole

HEARING = (
    "protocol.py",
    "files.py",
    "robustness/datasets.py",
    "robustness/corruptions.py",
    "robustness/classifiers.py",
)
_LEAST_CLASSES = 3  # of two, logistic regression gives one logit and not two
_CORRUPTING = ("robustness/corruptions.py",)


@dataclass(frozen=True, slots=True)
class CorpusTask:
    """What is asked of classifiers: the corpus with its rotation, the corruptions, and the seed."""

    corpus: LabelledCorpus
    rotation: Rotation
    table: CorruptionTable
    seed: int

    @property
    def training(self) -> ClassifierTraining:
        """The clips that classifiers may learn from."""
        return ClassifierTraining(tuple(self.corpus.of(*self.rotation.training)), len(self.corpus.classes), self.seed)

    def examples(self, split: str) -> list[LabelledClip]:
        """The clips of the `test` or the `validation` fold."""
        return self.corpus.of(self.rotation.test if split == "test" else self.rotation.validation)

    def check(self) -> None:
        """Refuse a rotation with an empty part, a class that nobody can learn, and fewer than three classes."""
        if len(self.corpus.classes) < _LEAST_CLASSES:
            raise fault("unreadable-corpus", f"the corpus has fewer than {_LEAST_CLASSES} classes")
        for split in ("test", "validation"):
            if not self.examples(split):
                raise fault("bad-rotation", f"the {split} fold has no clips")
        learnt = {example.target for example in self.training.examples}
        missing = [name for number, name in enumerate(self.corpus.classes) if number not in learnt]
        if missing:
            raise fault("bad-rotation", f"the class `{missing[0]}` has no training clip")


@dataclass(frozen=True, slots=True)
class CellQuestion:
    """One question: a split under a cell; `clean` is the cell of severity 0."""

    split: str
    cell: GridCell = CLEAN

    @property
    def name(self) -> str:
        """Its name in files."""
        return self.split if self.cell == CLEAN else self.cell.name


def questions(cells: Sequence[GridCell]) -> list[CellQuestion]:
    """The clean validation and test clips, and the test clips under every cell."""
    return [CellQuestion("validation"), CellQuestion("test"), *(CellQuestion("test", cell) for cell in cells)]


def train_all(
    stages: Stages, task: CorpusTask, classifiers: Sequence[Classifier], progress: StageListener = SILENT
) -> None:
    """Train what is not trained yet."""
    for classifier in classifiers:
        _trained(stages, task, classifier, progress)


def ask_all(
    stages: Stages,
    task: CorpusTask,
    classifiers: Sequence[Classifier],
    every: Sequence[CellQuestion],
    *,
    workers: int = 1,
    progress: StageListener = SILENT,
) -> None:
    """Ask every classifier what it was not asked yet; a clip is corrupted once for all of them."""
    progress.begin("clips under every corruption", len(every))
    jobs = (delayed(_ask)(stages, task, tuple(classifiers), one) for one in every)
    for _ in Parallel(n_jobs=workers, return_as="generator_unordered")(jobs):
        progress.advance()


def answers(stages: Stages, task: CorpusTask, classifier: Classifier, question: CellQuestion) -> tuple[Signal, str]:
    """The logits of a question, clips × classes, and the digest of the samples that were heard."""
    place = stages.place("logits", _answer_key(stages, task, classifier, question))
    digest = json.loads((place / "heard.json").read_text(encoding="utf-8"))["sha256"]
    found: Signal = np.load(place / "logits.npy")
    return found, digest


def _ask(stages: Stages, task: CorpusTask, classifiers: tuple[Classifier, ...], question: CellQuestion) -> None:
    keys = {classifier.name: _answer_key(stages, task, classifier, question) for classifier in classifiers}
    missing = [one for one in classifiers if not whole(stages.place("logits", keys[one.name]))]
    if not missing:
        return
    ready = {one.name: _ready(stages, task, one) for one in missing}
    found: dict[str, list[Signal]] = {one.name: [] for one in missing}
    heard = hashlib.sha256()
    with threadpool_limits(1):  # cells run beside each other, not the threads of one
        for samples in _sounds(task, question):
            heard.update(samples.astype("<f4").tobytes())
            for one in missing:
                found[one.name].append(ready[one.name](samples))
    for one in missing:
        logits = np.stack(found[one.name]).astype(np.float32)

        def make(folder: Path, logits: Signal = logits) -> None:
            np.save(folder / "logits.npy", logits)
            (folder / "heard.json").write_text(json.dumps({"sha256": heard.hexdigest()}) + "\n", encoding="utf-8")

        stages.kept("logits", keys[one.name], make)


def _sounds(task: CorpusTask, question: CellQuestion) -> Iterator[Signal]:
    for example in task.examples(question.split):
        clean = _sound(example)
        if question.cell == CLEAN:
            yield clean
        else:
            yield corrupt(clean, question.cell, seed=task.seed, index=example.index, table=task.table)


@lru_cache(maxsize=2048)
def _sound(example: LabelledClip) -> Signal:
    """A clip, read once by a worker for all its cells."""
    return read_example(example)


def _trained(stages: Stages, task: CorpusTask, classifier: Classifier, progress: StageListener = SILENT) -> Path:
    key = _classifier_key(task, classifier)

    def make(folder: Path) -> None:
        checkpoint = stages.folder / f"{stages.place('checkpoint', key).name}.pt"
        with threadpool_limits(1):  # the order of additions, and so the weights, must not depend on the machine's load
            learnt = classifier.train(task.training, checkpoint, progress)
        write_state(folder / "weights.pt", learnt)
        checkpoint.unlink(missing_ok=True)

    return stages.kept("classifier", key, make)


_READY: dict[Path, Logits] = {}


def _ready(stages: Stages, task: CorpusTask, classifier: Classifier) -> Logits:
    """A classifier that can be asked, made once by a worker for all its cells."""
    place = _trained(stages, task, classifier)
    if place not in _READY:
        _READY[place] = classifier.ready(read_state(place / "weights.pt"), task.training)
    return _READY[place]


def _classifier_key(task: CorpusTask, classifier: Classifier) -> dict[str, Any]:
    return {
        "classifier": classifier.key,
        "corpus": task.corpus.digest,
        "training": list(task.rotation.training),
        "seed": task.seed,
        "code": code_digest(*HEARING),
    }


def _answer_key(stages: Stages, task: CorpusTask, classifier: Classifier, question: CellQuestion) -> dict[str, Any]:
    fold = task.rotation.test if question.split == "test" else task.rotation.validation
    key = {"classifier": _classifier_key(task, classifier), "fold": fold, "cell": question.cell.name}
    if question.cell != CLEAN:
        amount = str(task.table.family(question.cell.family).at(question.cell.severity))
        key |= {"amount": amount, "code": code_digest(*_CORRUPTING)}
    return key
