"""Why the figures of LR-MFCC differ: the same clips under other numbers of coefficients, scalings and iterations."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from tracelab.progress import SILENT, Progress
from tracelab.robustness import metrics
from tracelab.robustness.classifiers import LogisticMfcc
from tracelab.robustness.datasets import Example, read_example
from tracelab.robustness.evaluation import HEARING, Task
from tracelab.robustness.mel import mean_mfcc
from tracelab.robustness.metrics import Labels, Predictions
from tracelab.robustness.records import Explanation, Trial
from tracelab.robustness.results import KIND
from tracelab.sound import Signal
from tracelab.stages import Stages, code_digest

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


def explained(stages: Stages, task: Task, progress: Progress = SILENT) -> dict[str, npt.NDArray[np.float32]]:
    """The logits of every reading on the clean validation and test clips, and the iterations that were done."""
    key = {"corpus": task.corpus.digest, "rotation": str(task.rotation), "code": code_digest(*HEARING)}
    heard = stages.kept("mfcc", key, lambda folder: _hear(task, folder, progress))
    tried = [reading.key for reading in readings()]
    place = stages.kept("explanation", {"heard": heard.name, "tried": tried}, lambda f: _try_all(heard, f, progress))
    with np.load(place / "logits.npz") as found:
        return dict(found)


def explanation(logits: Mapping[str, npt.NDArray[np.float32]], validation: Labels, test: Labels) -> Explanation:
    """The readings with their figures, from stored logits."""
    trials = []
    for number, reading in enumerate(readings()):
        checked = Predictions(logits[f"{number}-validation"], validation)
        tested = Predictions(logits[f"{number}-test"], test)
        temperature = metrics.fit_temperature(checked)
        done = int(logits["iterations"][number])
        trials.append(
            Trial(
                coefficients=reading.coefficients,
                standardised=reading.standardised,
                iterations=reading.iterations,
                done=done,
                converged=done < reading.iterations,
                accuracy=float(metrics.accuracy(tested)),
                macro_f1=float(metrics.macro_f1(tested)),
                temperature=temperature,
                before=_figures(tested, 1.0),
                after=_figures(tested, temperature),
            )
        )
    return Explanation(kind=KIND, trials=trials)


def _figures(predictions: Predictions, temperature: float) -> list[float]:
    return [
        float(metrics.clip_nll(predictions, temperature).mean()),
        float(metrics.clip_brier(predictions, temperature).mean()),
        metrics.ece(predictions, temperature),
    ]


def _hear(task: Task, folder: Path, progress: Progress) -> None:
    parts: dict[str, Sequence[Example]] = {
        "training": task.training.examples,
        "validation": task.examples("validation"),
        "test": task.examples("test"),
    }
    progress.begin("coefficients of the clean clips", sum(map(len, parts.values())))
    with threadpool_limits(1):
        arrays = {name: np.stack(list(_coefficients(examples, progress))) for name, examples in parts.items()}
    targets = np.array([example.target for example in parts["training"]])
    np.savez(folder / "mfcc.npz", allow_pickle=False, targets=targets, **arrays)


def _coefficients(examples: Sequence[Example], progress: Progress) -> Iterator[Signal]:
    for example in examples:
        yield mean_mfcc(read_example(example))
        progress.advance()


def _try_all(heard: Path, folder: Path, progress: Progress) -> None:
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
