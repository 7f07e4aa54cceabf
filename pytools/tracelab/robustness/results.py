"""Results from stored logits alone: metrics, intervals, curves over severity and classes (chapter 26)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import log_softmax

from tracelab.protocol import generator
from tracelab.robustness.corruptions import SEVERITIES, CorruptionTable, GridCell
from tracelab.robustness.records import (
    Artefact,
    BinRecord,
    CalibratedModel,
    CalibrationArtefact,
    CalibrationResults,
    CellResult,
    ClassModel,
    ClassResult,
    ClassResults,
    CleanModel,
    CleanResults,
    CorruptedModel,
    CorruptionResults,
    Estimate,
    FamilyResult,
    Scores,
    SeverityPiece,
    Split,
)
from tracepact.wording import parse_stored

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


KIND = "tracelab robustness 1"
CLEAN = GridCell("clean", 0)
DRAWS = 1000
_LOW, _HIGH = 0.025, 0.975


@dataclass(frozen=True, slots=True, eq=False)
class ClassifierAnswers:
    """Everything that one classifier answered: validation, clean test, and the test clips under every cell."""

    name: str
    validation: Predictions
    test: Predictions
    corrupted: Mapping[str, Predictions]


@dataclass(frozen=True, slots=True, eq=False)
class Resampled:
    """How often each clip is drawn in every draw (draws × clips); the same for all that is compared."""

    counts: npt.NDArray[np.float64]

    @classmethod
    def of(cls, clips: int, draws: int, seed: int) -> "Resampled":
        """Draws of clips with replacement."""
        counts = generator(seed, "bootstrap", clips, draws).multinomial(clips, np.full(clips, 1 / clips), size=draws)
        return cls(counts.astype(np.float64))

    def means(self, values: Array) -> Array:
        """The mean over clips in every draw."""
        found: Array = self.counts @ values / self.counts.shape[1]
        return found

    def accuracies(self, predictions: Predictions) -> Array:
        """The accuracy in every draw."""
        return self.means(predictions.correct.astype(np.float64))

    def macro_f1(self, predictions: Predictions) -> Array:
        """The macro F1 in every draw."""
        one_hot = np.eye(predictions.logits.shape[1])
        present, predicted = (self.counts @ one_hot[of] for of in (predictions.labels, predictions.predicted))
        both = self.counts @ (one_hot[predictions.labels] * predictions.correct[:, None])
        found: Array = (2 * both / np.maximum(present + predicted, 1)).mean(axis=1)
        return found

    def ece(self, predictions: Predictions, temperature: float) -> Array:
        """The calibration error in every draw."""
        sure = confidence(predictions, temperature)
        gap = np.eye(BINS)[bin_of(sure)] * (sure - predictions.correct)[:, None]
        found: Array = np.abs(self.counts @ gap).sum(axis=1) / self.counts.shape[1]
        return found


def estimate(value: float | Fraction, draws: Array) -> Estimate:
    """A value with the middle 95 % of its draws."""
    low, high = (float(end) for end in np.quantile(draws, (_LOW, _HIGH)))
    exact = str(value) if isinstance(value, Fraction) else None
    return Estimate(value=float(value), low=low, high=high, exact=exact)


def scores(predictions: Predictions, resampled: Resampled, temperature: float = 1.0) -> Scores:
    """The metrics of one set of clips; a temperature changes no prediction."""
    nll, brier = clip_nll(predictions, temperature), clip_brier(predictions, temperature)
    return Scores(
        accuracy=estimate(accuracy(predictions), resampled.accuracies(predictions)),
        macro_f1=estimate(macro_f1(predictions), resampled.macro_f1(predictions)),
        nll=estimate(float(nll.mean()), resampled.means(nll)),
        brier=estimate(float(brier.mean()), resampled.means(brier)),
        ece=estimate(ece(predictions, temperature), resampled.ece(predictions, temperature)),
    )


def every_result(
    answers: Sequence[ClassifierAnswers],
    table: CorruptionTable,
    corpus: str,
    split: Split,
    classes: Sequence[str],
    *,
    seed: int,
) -> dict[str, Artefact]:
    """The artefacts that follow from the logits, by the name of their file."""
    temperatures = {one.name: fit_temperature(one.validation) for one in answers}
    resampled = Resampled.of(len(answers[0].test), DRAWS, seed)
    return {
        "results_clean.json": CleanResults(
            kind=KIND,
            corpus=corpus,
            split=split,
            choices=CHOICES,
            draws=DRAWS,
            models=[_clean(one, resampled, temperatures[one.name]) for one in answers],
        ),
        "results_corruptions.json": CorruptionResults(
            kind=KIND,
            table=table.name,
            models=[_corrupted(one, table, resampled, temperatures[one.name]) for one in answers],
        ),
        "calibration.json": CalibrationResults(
            kind=KIND, choices=CHOICES, models=[_calibrated(one, temperatures[one.name]) for one in answers]
        ),
        "per_class.json": ClassResults(kind=KIND, models=[_classes(one, table, classes) for one in answers]),
    }


def severity_curve(clean: Fraction, values: Sequence[Fraction]) -> list[SeverityPiece]:
    """A step function of severity: the clean value on [0, 1), then the value of each severity on [s, s + 1).

    Its mean over [1, 6) is the mean over the severities, exactly.
    """
    return [SeverityPiece(low=s, high=s + 1, value=str(value)) for s, value in enumerate((clean, *values))]


def curve_mean(curve: Iterable[SeverityPiece]) -> Fraction:
    """The mean of a step function over the severities, from 1 to its end."""
    pieces = [piece for piece in curve if piece.low >= 1]
    area = sum(((piece.high - piece.low) * parse_stored(piece.value) for piece in pieces), Fraction(0))
    return area / (pieces[-1].high - pieces[0].low)


def _clean(answers: ClassifierAnswers, resampled: Resampled, temperature: float) -> CleanModel:
    return CleanModel(
        name=answers.name,
        correct=int(answers.test.correct.sum()),
        scores=scores(answers.test, resampled),
        after_temperature=scores(answers.test, resampled, temperature),
    )


def _calibrated(answers: ClassifierAnswers, temperature: float) -> CalibratedModel:
    return CalibratedModel(
        name=answers.name,
        temperature=temperature,
        validation_nll_before=float(clip_nll(answers.validation).mean()),
        validation_nll_after=float(clip_nll(answers.validation, temperature).mean()),
        before=_calibration(answers.test, 1.0),
        after=_calibration(answers.test, temperature),
    )


def _calibration(predictions: Predictions, temperature: float) -> CalibrationArtefact:
    return CalibrationArtefact(
        nll=float(clip_nll(predictions, temperature).mean()),
        brier=float(clip_brier(predictions, temperature).mean()),
        ece=ece(predictions, temperature),
        classwise_ece=classwise_ece(predictions, temperature),
        equal_mass_ece=equal_mass_ece(predictions, temperature),
        bins=[BinRecord(**asdict(one)) for one in reliability(predictions, temperature)],
    )


def _corrupted(
    answers: ClassifierAnswers, table: CorruptionTable, resampled: Resampled, temperature: float
) -> CorruptedModel:
    clean, clean_draws = accuracy(answers.test), resampled.accuracies(answers.test)
    found: dict[str, list[Fraction]] = {}
    draws: dict[str, Array] = {}
    cells = []
    for family in table.families:
        under = [answers.corrupted[f"{family.name}-{severity}"] for severity in SEVERITIES]
        found[family.name] = [accuracy(one) for one in under]
        draws[family.name] = np.mean([resampled.accuracies(one) for one in under], axis=0)
        for severity, one in zip(SEVERITIES, under, strict=True):
            cells.append(
                CellResult(
                    family=family.name,
                    severity=severity,
                    amount=family.severities[severity - 1],
                    correct=int(one.correct.sum()),
                    scores=scores(one, resampled),
                    after_temperature=scores(one, resampled, temperature),
                )
            )
    means = {name: sum(values, Fraction(0)) / len(values) for name, values in found.items()}
    whole, whole_draws = sum(means.values(), Fraction(0)) / len(means), np.mean(list(draws.values()), axis=0)
    return CorruptedModel(
        name=answers.name,
        mean_corruption_accuracy=estimate(whole, whole_draws),
        relative_degradation=_degradation(clean, clean_draws, whole, whole_draws),
        families=[
            FamilyResult(
                family=name,
                mean_accuracy=estimate(means[name], draws[name]),
                relative_degradation=_degradation(clean, clean_draws, means[name], draws[name]),
                curve=severity_curve(clean, found[name]),
            )
            for name in found
        ],
        cells=cells,
    )


def _degradation(clean: Fraction, clean_draws: Array, corrupted: Fraction, draws: Array) -> Estimate:
    """The share of the clean accuracy that is lost; 0 where there was none to lose."""
    lost = np.where(clean_draws > 0, (clean_draws - draws) / np.where(clean_draws > 0, clean_draws, 1), 0.0)
    return estimate((clean - corrupted) / clean if clean else Fraction(0), lost)


def _classes(answers: ClassifierAnswers, table: CorruptionTable, names: Sequence[str]) -> ClassModel:
    found = []
    for number, (name, (clips, predicted, both)) in enumerate(zip(names, class_counts(answers.test), strict=True)):
        found.append(
            ClassResult(
                name=name,
                clips=clips,
                predicted=predicted,
                correct=both,
                precision=str(Fraction(both, predicted)) if predicted else None,
                recall=str(Fraction(both, clips)) if clips else None,
                f1=str(Fraction(2 * both, clips + predicted) if clips + predicted else Fraction(0)),
                corrupted={
                    family.name: [
                        _correct_of(answers.corrupted[f"{family.name}-{severity}"], number) for severity in SEVERITIES
                    ]
                    for family in table.families
                },
            )
        )
    return ClassModel(name=answers.name, classes=found)


def _correct_of(predictions: Predictions, number: int) -> int:
    of: Labels = predictions.labels[predictions.correct]
    return int((of == number).sum())
