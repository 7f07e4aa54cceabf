"""Classifiers as `waveform → logits`: LR-MFCC in two readings, CNN-MelSmall, and those of a file or entry point."""

import hashlib
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits
from torch import nn

from tracelab.detectors.models import State, read_state, write_state
from tracelab.features import Scaler
from tracelab.files import Signal, fault, own_function
from tracelab.protocol import generator
from tracelab.robustness.corruptions import log_mel, mean_mfcc
from tracelab.robustness.datasets import RATE, LabelledClip, read_example
from tracelab.stages import StageListener

ENTRY_POINTS = "tracelab.classifiers"
_CHANNELS = (16, 32, 64)
_BATCH = 32
_LEAST_FRAMES = 2 ** len(_CHANNELS)

Logits = Callable[[Signal], Signal]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ClassifierTraining:
    """What a classifier may learn from."""

    examples: tuple[LabelledClip, ...]
    classes: int
    seed: int

    @property
    def targets(self) -> npt.NDArray[np.int64]:
        """The classes of the clips."""
        return np.array([example.target for example in self.examples])


class Classifier(Protocol):
    """Anything that can be held to the protocol: trained once, then asked for the logits of a waveform at 16 kHz."""

    @property
    def name(self) -> str:
        """What its rows are called."""

    @property
    def key(self) -> dict[str, Any]:
        """All that its logits depend on, beside the training clips and the seed."""

    def train(self, training: ClassifierTraining, checkpoint: Path, progress: StageListener) -> State:
        """What it has learnt; `checkpoint` is where it may keep what a stopped training goes on from."""

    def ready(self, state: State, training: ClassifierTraining) -> Logits:
        """The samples of a clip to one logit for each class."""


@dataclass(frozen=True, slots=True)
class LogisticMfcc:
    """Mean-pooled MFCCs and multinomial logistic regression; `standardised` and `iterations` make the reading."""

    name: str
    coefficients: int
    standardised: bool
    iterations: int
    tolerance: float = 1e-4

    @property
    def key(self) -> dict[str, Any]:
        """The recipe."""
        return {"kind": "lr_mfcc", **asdict(self)}

    def train(self, training: ClassifierTraining, checkpoint: Path, progress: StageListener) -> State:
        """Fit on the mean coefficients of the training clips."""
        progress.begin(f"training {self.name}", len(training.examples))
        heard = []
        for example in training.examples:
            heard.append(mean_mfcc(read_example(example)))
            progress.advance()
        return self.fit(np.stack(heard), training.targets)

    def ready(self, state: State, training: ClassifierTraining) -> Logits:
        """A linear map of the mean coefficients."""
        return lambda samples: self.logits(state, mean_mfcc(samples)[None])[0]

    def fit(self, heard: Signal, targets: npt.NDArray[np.int64]) -> State:
        """Weights, offset and scaler, with the iterations that were done; on one thread, so that it is repeatable."""
        chosen = heard[:, : self.coefficients]
        scaler = _scaler(chosen) if self.standardised else _unscaled(self.coefficients)
        model = LogisticRegression(solver="lbfgs", max_iter=self.iterations, tol=self.tolerance)
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # told by the number of iterations
            model.fit((chosen - scaler[0]) / scaler[1], targets)
        arrays = {"weights": model.coef_, "offset": model.intercept_, "mean": scaler[0], "spread": scaler[1]}
        done = int(np.max(model.n_iter_))
        return {name: torch.from_numpy(np.asarray(value)) for name, value in arrays.items()} | {
            "iterations": torch.tensor(done)
        }

    def logits(self, state: State, heard: Signal) -> Signal:
        """Clips × classes from clips × coefficients."""
        weights, offset, mean, spread = (state[name].numpy() for name in ("weights", "offset", "mean", "spread"))
        found: Signal = (heard[:, : self.coefficients] - mean) / spread @ weights.T + offset
        return found


@dataclass(frozen=True, slots=True)
class CnnMelSmall:
    """Decibels of 64 mel bands, three convolutions, means and maxima over time and frequency, one linear layer."""

    name: str = "cnn_mel_small"
    epochs: int = 30
    rate: float = 2e-3

    @property
    def key(self) -> dict[str, Any]:
        """The recipe."""
        return {"kind": "cnn_mel_small", **asdict(self), "channels": list(_CHANNELS), "batch": _BATCH}

    def train(self, training: ClassifierTraining, checkpoint: Path, progress: StageListener) -> State:
        """Train on one thread, with a checkpoint after each epoch."""
        progress.begin(f"hearing for {self.name}", len(training.examples))
        heard = []
        for example in training.examples:
            heard.append(log_mel(read_example(example)))
            progress.advance()
        scaler = Scaler.of(np.concatenate(heard, axis=1).T)
        longest = max(_LEAST_FRAMES, *(one.shape[1] for one in heard))
        inputs = torch.from_numpy(np.stack([_repeated(scaler(one.T).T, longest) for one in heard])).unsqueeze(1)
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            learnt = self._fit(inputs, training, checkpoint, progress)
        finally:
            torch.set_num_threads(threads)
        return learnt | {"mean": torch.from_numpy(scaler.mean), "spread": torch.from_numpy(scaler.spread)}

    def _fit(
        self, inputs: torch.Tensor, training: ClassifierTraining, checkpoint: Path, progress: StageListener
    ) -> State:
        torch.manual_seed(training.seed)
        body = _network(training.classes)
        optimiser = torch.optim.AdamW(body.parameters(), lr=self.rate, weight_decay=1e-2)
        targets, done = torch.from_numpy(training.targets), 0
        if checkpoint.exists():
            kept = read_state(checkpoint)
            body.load_state_dict(kept["model"])
            optimiser.load_state_dict(kept["optimiser"])
            done = kept["epoch"]
        progress.begin(f"training {self.name}", self.epochs - done)
        for epoch in range(done, self.epochs):
            torch.manual_seed(training.seed + epoch)  # what dropout draws depends on the epoch, not on a stop before it
            order = torch.from_numpy(generator(training.seed, "order", self.name, epoch).permutation(len(inputs)))
            _epoch(body, optimiser, inputs, targets, order)
            kept = {"model": body.state_dict(), "optimiser": optimiser.state_dict(), "epoch": epoch + 1}
            write_state(checkpoint, kept)
            progress.advance()
        return {name: value.clone() for name, value in body.state_dict().items()}

    def ready(self, state: State, training: ClassifierTraining) -> Logits:
        """The network, in its evaluating state."""
        learnt = dict(state)
        scaler = Scaler(learnt.pop("mean").numpy(), learnt.pop("spread").numpy())
        body = _network(training.classes)
        body.load_state_dict(learnt)
        body.eval()

        def logits(samples: Signal) -> Signal:
            heard = scaler(log_mel(samples).T).T
            heard = _repeated(heard, max(_LEAST_FRAMES, heard.shape[1]))
            with torch.inference_mode():
                found: Signal = body(torch.from_numpy(heard)[None, None]).numpy()[0]
            return found

        return logits


@dataclass(frozen=True, slots=True)
class Foreign:
    """A classifier of somebody else: a function of samples and rate, or an object with `fit` that returns one."""

    name: str
    source: str
    digest: str

    @property
    def key(self) -> dict[str, Any]:
        """The file's or the distribution's digest."""
        return {"kind": "foreign", "source": self.source, "digest": self.digest}

    def train(self, training: ClassifierTraining, checkpoint: Path, progress: StageListener) -> State:
        """Nothing is kept of it: it is loaded, and trained if it can be, whenever it is asked."""
        return {}

    def ready(self, state: State, training: ClassifierTraining) -> Logits:
        """Load it, and let it train if it can; what it answers is checked."""
        found = _loaded(self.source)
        if hasattr(found, "fit"):
            clips = ((read_example(example), example.target) for example in training.examples)
            found = self._said(lambda: found.fit(clips, classes=training.classes, rate=RATE, seed=training.seed))
        classes = training.classes

        def logits(samples: Signal) -> Signal:
            answer = self._said(lambda: np.asarray(found(samples, RATE), dtype=np.float64))
            if answer.shape != (classes,) or not np.isfinite(answer).all():
                said = f"it answered an array of shape {answer.shape}, or numbers that are not finite"
                raise fault("bad-classifier", said, Path(self.source), f"answer {classes} finite logits for a clip")
            return answer

        return logits

    def _said(self, question: Callable[[], T]) -> T:
        """What it answers; whatever it raises is told as a fault of it."""
        try:
            return question()
        except Exception as error:
            raise fault("bad-classifier", f"it failed: {error!r}", Path(self.source)) from error


BUILT_IN: dict[str, Classifier] = {
    "lr_mfcc": LogisticMfcc("lr_mfcc", 40, standardised=False, iterations=1000),
    "lr_mfcc_sound": LogisticMfcc("lr_mfcc_sound", 20, standardised=True, iterations=20000, tolerance=1e-6),
    "cnn_mel_small": CnnMelSmall(),
}


def open_classifier(source: str) -> Classifier:
    """A classifier by its name, by `FILE.py` or `FILE.py:NAME`, or by an entry point of the group."""
    if source in BUILT_IN:
        return BUILT_IN[source]
    file, _, attribute = source.partition(":")
    if file.endswith(".py"):
        path = Path(file)
        if not path.is_file():
            raise fault("bad-classifier", "the file does not exist", path)
        _loaded(source)
        return Foreign(attribute or path.stem, source, hashlib.sha256(path.read_bytes()).hexdigest())
    for point in entry_points(group=ENTRY_POINTS, name=source):
        version = f"{point.dist.name} {point.dist.version}" if point.dist else ""
        return Foreign(source, source, hashlib.sha256(f"{point.value} {version}".encode()).hexdigest())
    known = ", ".join(sorted({*BUILT_IN, *(point.name for point in entry_points(group=ENTRY_POINTS))}))
    raise fault("bad-classifier", f"there is no classifier `{source}`", help=f"{known}, or a file FILE.py:NAME")


def _loaded(source: str) -> Any:
    """The object that a file or an entry point names; `logits` unless another name is given."""
    file, _, attribute = source.partition(":")
    if not file.endswith(".py"):
        return next(iter(entry_points(group=ENTRY_POINTS, name=source))).load()
    path = Path(file)
    try:
        return own_function(path, attribute or "logits")
    except Exception as error:
        raise fault("bad-classifier", f"it cannot be loaded: {error!r}", path) from error


def _network(classes: int) -> nn.Module:
    layers: list[nn.Module] = []
    before = 1
    for channels in _CHANNELS:
        layers += [
            nn.Conv2d(before, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.MaxPool2d(2),
        ]
        before = channels
    return nn.Sequential(*layers, _Pooled(), nn.Dropout(0.3), nn.Linear(2 * before, classes))


class _Pooled(nn.Module):
    """Means and maxima over time and frequency."""

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        """Clips × twice the channels."""
        return torch.cat([hidden.mean(dim=(2, 3)), hidden.amax(dim=(2, 3))], dim=1)


def _epoch(
    body: nn.Module, optimiser: torch.optim.Optimizer, inputs: torch.Tensor, targets: torch.Tensor, order: torch.Tensor
) -> None:
    body.train()
    for batch in torch.split(order, _BATCH):
        optimiser.zero_grad()
        loss = nn.functional.cross_entropy(body(inputs[batch]), targets[batch])
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()


def _repeated(heard: Signal, frames: int) -> Signal:
    """The clip again and again until it has that many frames."""
    return heard[:, np.arange(frames) % heard.shape[1]]


def _scaler(heard: Signal) -> tuple[Signal, Signal]:
    return heard.mean(axis=0), np.maximum(heard.std(axis=0), 1e-9)


def _unscaled(width: int) -> tuple[Signal, Signal]:
    return np.zeros(width), np.ones(width)
