"""Metrics of a classifier from its logits, each with its choices declared, and the temperature (rules 26.6 to 26.8)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import log_softmax

BINS = 15
CHOICES = {
    "prediction": "the class with the greatest logit, the first of equal ones",
    "macro F1": "the mean over all classes; a class that is neither present nor predicted counts 0",
    "NLL": "natural logarithm, mean over clips",
    "Brier": "the squared distance to the one-hot vector, summed over classes, mean over clips (0 to 2)",
    "ECE": f"{BINS} bins of equal width over (0, 1], closed on the right; confidence of the predicted class; "
    "the share of clips in a bin times |accuracy less mean confidence|, summed",
    "classwise ECE": "the same bins for the probability of each class against its presence; mean over classes",
    "equal-mass ECE": f"{BINS} bins of equal numbers of clips in order of confidence, earlier bins the larger",
    "temperature": "the T > 0 that minimises the NLL of logits / T on the validation fold",
}
_LEAST, _MOST = 1e-4, 1e4

Array = npt.NDArray[np.floating[Any]]
Labels = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """The logits of clips (clips × classes) and their true classes."""

    logits: Array
    labels: Labels

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def predicted(self) -> Labels:
        """The predicted classes."""
        found: Labels = self.logits.argmax(axis=1)
        return found

    @property
    def correct(self) -> npt.NDArray[np.bool_]:
        """Which clips are right."""
        found: npt.NDArray[np.bool_] = self.predicted == self.labels
        return found

    def log_probabilities(self, temperature: float = 1.0) -> Array:
        """Logarithms of the class probabilities."""
        found: Array = log_softmax(self.logits.astype(np.float64) / temperature, axis=1)
        return found


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """One bin of a reliability diagram; None where no clip falls into it."""

    low: float
    high: float
    clips: int
    confidence: float | None
    accuracy: float | None


def accuracy(predictions: Predictions) -> Fraction:
    """The share of clips that are right."""
    return Fraction(int(predictions.correct.sum()), len(predictions))


def class_counts(predictions: Predictions) -> list[tuple[int, int, int]]:
    """Of every class: clips, predictions, and both at once."""
    classes = predictions.logits.shape[1]
    of = (predictions.labels, predictions.predicted, predictions.labels[predictions.correct])
    present, predicted, both = (np.bincount(found, minlength=classes) for found in of)
    return [(int(a), int(b), int(c)) for a, b, c in zip(present, predicted, both, strict=True)]


def macro_f1(predictions: Predictions) -> Fraction:
    """The mean of the F1 scores of all classes."""
    scores = [Fraction(2 * both, a + b) if a + b else Fraction(0) for a, b, both in class_counts(predictions)]
    return sum(scores, Fraction(0)) / len(scores)


def clip_nll(predictions: Predictions, temperature: float = 1.0) -> Array:
    """Of every clip, the negative logarithm of the probability of its class."""
    found: Array = -predictions.log_probabilities(temperature)[np.arange(len(predictions)), predictions.labels]
    return found


def clip_brier(predictions: Predictions, temperature: float = 1.0) -> Array:
    """Of every clip, the squared distance of its probabilities to the truth."""
    probabilities = np.exp(predictions.log_probabilities(temperature))
    truth = np.eye(probabilities.shape[1])[predictions.labels]
    found: Array = ((probabilities - truth) ** 2).sum(axis=1)
    return found


def confidence(predictions: Predictions, temperature: float = 1.0) -> Array:
    """Of every clip, the probability of its predicted class."""
    logs = predictions.log_probabilities(temperature)
    found: Array = np.exp(logs[np.arange(len(predictions)), predictions.predicted])
    return found


def bin_of(values: Array) -> npt.NDArray[np.intp]:
    """The bin of each value: bin k holds what is greater than k/15 and at most (k + 1)/15; 0 lies in the first."""
    found: npt.NDArray[np.intp] = np.clip(np.ceil(values * BINS).astype(np.intp) - 1, 0, BINS - 1)
    return found


def reliability(predictions: Predictions, temperature: float = 1.0) -> list[ReliabilityBin]:
    """The bins of a reliability diagram."""
    sure = confidence(predictions, temperature)
    places = bin_of(sure)
    bins = []
    for k in range(BINS):
        here = places == k
        clips = int(here.sum())
        mean, right = (float(sure[here].mean()), float(predictions.correct[here].mean())) if clips else (None, None)
        bins.append(ReliabilityBin(k / BINS, (k + 1) / BINS, clips, mean, right))
    return bins


def ece(predictions: Predictions, temperature: float = 1.0) -> float:
    """The expected calibration error of the predicted class."""
    return _gap(confidence(predictions, temperature), predictions.correct)


def classwise_ece(predictions: Predictions, temperature: float = 1.0) -> float:
    """The mean over classes of the calibration error of a class's probability."""
    probabilities = np.exp(predictions.log_probabilities(temperature))
    gaps = [_gap(probabilities[:, k], predictions.labels == k) for k in range(probabilities.shape[1])]
    return float(np.mean(gaps))


def equal_mass_ece(predictions: Predictions, temperature: float = 1.0) -> float:
    """The calibration error over bins of equal numbers of clips."""
    sure = confidence(predictions, temperature)
    order = np.argsort(sure, kind="stable")
    parts = [part for part in np.array_split(order, BINS) if len(part)]
    gaps = [len(part) * abs(sure[part].mean() - predictions.correct[part].mean()) for part in parts]
    return float(sum(gaps) / len(predictions))


def _gap(sure: Array, right: npt.NDArray[np.bool_]) -> float:
    """Over bins of equal width: |what was promised less what was kept|, as a share of all clips."""
    promised = np.bincount(bin_of(sure), weights=sure, minlength=BINS)
    kept = np.bincount(bin_of(sure), weights=right.astype(np.float64), minlength=BINS)
    return float(np.abs(promised - kept).sum() / len(sure))


def fit_temperature(validation: Predictions) -> float:
    """The temperature with the least NLL on validation clips.

    The NLL is convex in 1/T, so its slope has one sign change; where it has none between 1/10,000 and 10,000, the
    temperature is the end with the smaller NLL.
    """
    logits = validation.logits.astype(np.float64)
    own = logits[np.arange(len(validation)), validation.labels]

    def slope(inverse: float) -> float:
        probabilities = np.exp(log_softmax(inverse * logits, axis=1))
        return float(np.mean((probabilities * logits).sum(axis=1) - own))

    low, high = 1 / _MOST, 1 / _LEAST
    if slope(low) >= 0:
        return _MOST
    if slope(high) <= 0:
        return _LEAST
    return float(1 / brentq(slope, low, high, xtol=1e-14, rtol=1e-13))
