"""The JSON artefacts of a robustness run as typed records; their schemas are generated from them."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

NonNegative = Annotated[int, Meta(ge=0)]
Severity = Annotated[int, Meta(ge=1, le=5)]
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class Artefact(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The base of the artefacts: every field named, none unknown."""


class Estimate(Artefact, frozen=True, kw_only=True):
    """A value with its 95 % interval over clips; `exact` is the fraction where there is one."""

    value: float
    low: float
    high: float
    exact: str | None = None


class Scores(Artefact, frozen=True, kw_only=True):
    """The metrics of a classifier on one set of clips."""

    accuracy: Estimate
    macro_f1: Estimate
    nll: Estimate
    brier: Estimate
    ece: Estimate


class CleanModel(Artefact, frozen=True, kw_only=True):
    """A classifier on the clean test clips, before and after its temperature."""

    name: str
    correct: NonNegative
    scores: Scores
    after_temperature: Scores


class Split(Artefact, frozen=True, kw_only=True):
    """Which folds test, validate and train, and the number of clips of each part."""

    test: int
    validation: int
    training: list[int]
    test_clips: NonNegative
    validation_clips: NonNegative
    training_clips: NonNegative


class CleanResults(Artefact, frozen=True, kw_only=True):
    """What `results_clean.json` holds."""

    kind: str
    corpus: str
    split: Split
    choices: dict[str, str]
    draws: NonNegative
    models: list[CleanModel]


class BinRecord(Artefact, frozen=True, kw_only=True):
    """One bin of a reliability diagram; an empty one has no confidence and no accuracy."""

    low: float
    high: float
    clips: NonNegative
    confidence: float | None
    accuracy: float | None


class CalibrationArtefact(Artefact, frozen=True, kw_only=True):
    """Calibration of the clean test clips at one temperature."""

    nll: float
    brier: float
    ece: float
    classwise_ece: float
    equal_mass_ece: float
    bins: list[BinRecord]


class CalibratedModel(Artefact, frozen=True, kw_only=True):
    """A classifier's temperature, and its calibration before and after."""

    name: str
    temperature: float
    validation_nll_before: float
    validation_nll_after: float
    before: CalibrationArtefact
    after: CalibrationArtefact


class CalibrationResults(Artefact, frozen=True, kw_only=True):
    """What `calibration.json` holds."""

    kind: str
    choices: dict[str, str]
    models: list[CalibratedModel]


class CellResult(Artefact, frozen=True, kw_only=True):
    """A classifier under one family at one severity."""

    family: str
    severity: Severity
    amount: str
    correct: NonNegative
    scores: Scores
    after_temperature: Scores


class SeverityPiece(Artefact, frozen=True, kw_only=True):
    """A piece of a step function of severity: from `low` up to but not including `high`; the value is a fraction."""

    low: int
    high: int
    value: str


class FamilyResult(Artefact, frozen=True, kw_only=True):
    """A classifier under a family: the mean accuracy over severities, what is lost of the clean one, the curve."""

    family: str
    mean_accuracy: Estimate
    relative_degradation: Estimate
    curve: list[SeverityPiece]


class CorruptedModel(Artefact, frozen=True, kw_only=True):
    """A classifier over the whole grid."""

    name: str
    mean_corruption_accuracy: Estimate
    relative_degradation: Estimate
    families: list[FamilyResult]
    cells: list[CellResult]


class CorruptionResults(Artefact, frozen=True, kw_only=True):
    """What `results_corruptions.json` holds."""

    kind: str
    table: str
    models: list[CorruptedModel]


class ClassResult(Artefact, frozen=True, kw_only=True):
    """A class: its clips, how often it was predicted, both, its scores as fractions; correct by family and severity."""

    name: str
    clips: NonNegative
    predicted: NonNegative
    correct: NonNegative
    precision: str | None
    recall: str | None
    f1: str
    corrupted: dict[str, list[NonNegative]]


class ClassModel(Artefact, frozen=True, kw_only=True):
    """A classifier by class."""

    name: str
    classes: list[ClassResult]


class ClassResults(Artefact, frozen=True, kw_only=True):
    """What `per_class.json` holds."""

    kind: str
    models: list[ClassModel]


class ReadingTrial(Artefact, frozen=True, kw_only=True):
    """One reading of LR-MFCC: what was chosen, and what came out on the clean test clips."""

    coefficients: int
    standardised: bool
    iterations: int
    done: int
    converged: bool
    accuracy: float
    macro_f1: float
    temperature: float
    before: list[float]
    after: list[float]


class ReadingsRecord(Artefact, frozen=True, kw_only=True):
    """What `explanation.json` holds: every reading that was tried; `before` and `after` are NLL, Brier and ECE."""

    kind: str
    trials: list[ReadingTrial]


class Manifest(Artefact, frozen=True, kw_only=True):
    """What `manifest.json` holds: all that the run depends on, and the SHA-256 of every file."""

    kind: str
    canonical: bool
    not_canonical: list[str]
    corpus: str
    corpus_sha256: Digest
    table_sha256: Digest
    seed: int
    draws: NonNegative
    split: Split
    classes: list[str]
    classifiers: dict[str, dict[str, Any]]
    samples_sha256: dict[str, Digest]
    versions: dict[str, str]
    machine: str
    seconds: float
    files: dict[str, Digest]


class Check(Artefact, frozen=True, kw_only=True):
    """One thing that was checked, and what was wrong."""

    name: str
    holds: bool
    faults: list[str]


class VerificationReport(Artefact, frozen=True, kw_only=True):
    """What `verification_report.json` holds."""

    kind: str
    verified: bool
    canonical: bool
    line: str
    checks: list[Check]


ARTEFACTS: dict[str, type[Artefact]] = {
    "results_clean.json": CleanResults,
    "results_corruptions.json": CorruptionResults,
    "calibration.json": CalibrationResults,
    "per_class.json": ClassResults,
    "explanation.json": ReadingsRecord,
    "manifest.json": Manifest,
    "verification_report.json": VerificationReport,
}


def record_text(record: Artefact) -> str:
    """A record as the JSON text that is written."""
    return msgspec.json.format(msgspec.json.encode(record), indent=2).decode() + "\n"
