"""Results from stored logits alone: metrics, intervals, curves over severity and classes (chapter 26)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from tracelab.protocol import generator
from tracelab.robustness import metrics
from tracelab.robustness.corruptions import SEVERITIES, CorruptionTable, GridCell
from tracelab.robustness.metrics import Array, Labels, Predictions
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
        sure = metrics.confidence(predictions, temperature)
        gap = np.eye(metrics.BINS)[metrics.bin_of(sure)] * (sure - predictions.correct)[:, None]
        found: Array = np.abs(self.counts @ gap).sum(axis=1) / self.counts.shape[1]
        return found


def estimate(value: float | Fraction, draws: Array) -> Estimate:
    """A value with the middle 95 % of its draws."""
    low, high = (float(end) for end in np.quantile(draws, (_LOW, _HIGH)))
    exact = str(value) if isinstance(value, Fraction) else None
    return Estimate(value=float(value), low=low, high=high, exact=exact)


def scores(predictions: Predictions, resampled: Resampled, temperature: float = 1.0) -> Scores:
    """The metrics of one set of clips; a temperature changes no prediction."""
    nll, brier = metrics.clip_nll(predictions, temperature), metrics.clip_brier(predictions, temperature)
    return Scores(
        accuracy=estimate(metrics.accuracy(predictions), resampled.accuracies(predictions)),
        macro_f1=estimate(metrics.macro_f1(predictions), resampled.macro_f1(predictions)),
        nll=estimate(float(nll.mean()), resampled.means(nll)),
        brier=estimate(float(brier.mean()), resampled.means(brier)),
        ece=estimate(metrics.ece(predictions, temperature), resampled.ece(predictions, temperature)),
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
    temperatures = {one.name: metrics.fit_temperature(one.validation) for one in answers}
    resampled = Resampled.of(len(answers[0].test), DRAWS, seed)
    return {
        "results_clean.json": CleanResults(
            kind=KIND,
            corpus=corpus,
            split=split,
            choices=metrics.CHOICES,
            draws=DRAWS,
            models=[_clean(one, resampled, temperatures[one.name]) for one in answers],
        ),
        "results_corruptions.json": CorruptionResults(
            kind=KIND,
            table=table.name,
            models=[_corrupted(one, table, resampled, temperatures[one.name]) for one in answers],
        ),
        "calibration.json": CalibrationResults(
            kind=KIND, choices=metrics.CHOICES, models=[_calibrated(one, temperatures[one.name]) for one in answers]
        ),
        "per_class.json": ClassResults(kind=KIND, models=[_classes(one, table, classes) for one in answers]),
    }


def severity_curve(clean: Fraction, values: Sequence[Fraction]) -> list[SeverityPiece]:
    """A step function of severity: the clean value on [0, 1), then the value of each severity on [s, s + 1).

    Its mean over [1, 6) is the mean over the severities, exactly.
    """
    return [SeverityPiece(low=s, high=s + 1, value=str(value)) for s, value in enumerate((clean, *values))]


def curve_mean(curve: Iterable[SeverityPiece], low: int = 1) -> Fraction:
    """The mean of a step function from `low` to its end."""
    pieces = [piece for piece in curve if piece.low >= low]
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
        validation_nll_before=float(metrics.clip_nll(answers.validation).mean()),
        validation_nll_after=float(metrics.clip_nll(answers.validation, temperature).mean()),
        before=_calibration(answers.test, 1.0),
        after=_calibration(answers.test, temperature),
    )


def _calibration(predictions: Predictions, temperature: float) -> CalibrationArtefact:
    return CalibrationArtefact(
        nll=float(metrics.clip_nll(predictions, temperature).mean()),
        brier=float(metrics.clip_brier(predictions, temperature).mean()),
        ece=metrics.ece(predictions, temperature),
        classwise_ece=metrics.classwise_ece(predictions, temperature),
        equal_mass_ece=metrics.equal_mass_ece(predictions, temperature),
        bins=[BinRecord(**asdict(one)) for one in metrics.reliability(predictions, temperature)],
    )


def _corrupted(
    answers: ClassifierAnswers, table: CorruptionTable, resampled: Resampled, temperature: float
) -> CorruptedModel:
    clean, clean_draws = metrics.accuracy(answers.test), resampled.accuracies(answers.test)
    found: dict[str, list[Fraction]] = {}
    draws: dict[str, Array] = {}
    cells = []
    for family in table.families:
        under = [answers.corrupted[f"{family.name}-{severity}"] for severity in SEVERITIES]
        found[family.name] = [metrics.accuracy(one) for one in under]
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
    for number, (name, (clips, predicted, both)) in enumerate(
        zip(names, metrics.class_counts(answers.test), strict=True)
    ):
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
