"""The tables of a robustness run, from its records, with the published figures beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import cast

import msgspec

import tracepact
from tracelab.robustness.corruptions import SEVERITIES, canonical
from tracelab.robustness.records import (
    Artefact,
    CalibrationResults,
    ClassResults,
    CleanResults,
    CorruptionResults,
    Estimate,
    Manifest,
    ReadingsRecord,
)
from tracelab.robustness.results import curve_mean
from tracelab.study.comparison import share
from tracelab.study.tables import StudyTable
from tracepact.show import Cell, Column, Table, Tone, numbers, words
from tracepact.wording import parse_stored

# The published figures of LR-MFCC, as the spec holds them.


class PublishedAccuracies(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Clean figures, and accuracy and macro F1 by family and severity."""

    source: str
    model: str
    clean: Mapping[str, float]
    accuracy: Mapping[str, Mapping[int, float]]
    macro_f1: Mapping[str, Mapping[int, float]]


@cache
def published() -> PublishedAccuracies:
    """The published figures (spec/corruptions/published.json)."""
    return msgspec.json.decode(tracepact.spec_path("corruptions/published.json").read_bytes(), type=PublishedAccuracies)


OTHER_SEED = "the seed is "
_METRICS = ("accuracy", "macro_f1", "nll", "brier", "ece")
_HEADINGS = {"accuracy": "accuracy", "macro_f1": "macro F1", "nll": "NLL", "brier": "Brier", "ece": "ECE"}


@dataclass(frozen=True, slots=True)
class ShownRecords:
    """The records of a run that readers are shown."""

    clean: CleanResults
    corruptions: CorruptionResults
    calibration: CalibrationResults
    classes: ClassResults
    explanation: ReadingsRecord
    manifest: Manifest

    @classmethod
    def of(cls, records: Mapping[str, Artefact], manifest: Manifest) -> "ShownRecords":
        """From the records by the names of their files."""
        return cls(
            cast(CleanResults, records["results_clean.json"]),
            cast(CorruptionResults, records["results_corruptions.json"]),
            cast(CalibrationResults, records["calibration.json"]),
            cast(ClassResults, records["per_class.json"]),
            cast(ReadingsRecord, records["explanation.json"]),
            manifest,
        )


def robustness_tables(shown: ShownRecords) -> list[StudyTable]:
    """Every table, in reading order."""
    return [
        clean_table(shown),
        *published_tables(shown),
        *explanation_tables(shown),
        grid_table(shown),
        family_table(shown),
        calibration_table(shown),
        class_table(shown),
        corruption_table(),
        choice_table(shown),
    ]


def clean_table(shown: ShownRecords) -> StudyTable:
    """The clean test fold, before and after temperature."""
    body: list[list[Cell | str]] = []
    for model, calibrated in zip(shown.clean.models, shown.calibration.models, strict=True):
        body.append([Cell(model.name, Tone.STRONG), *(_interval(getattr(model.scores, m)) for m in _METRICS), "1"])
        after = [_interval(getattr(model.after_temperature, m)) for m in _METRICS]
        body.append([Cell("  after temperature", Tone.FAINT), *after, f"{calibrated.temperature:.2f}"])
    columns = [Column("classifier"), *numbers(*_HEADINGS.values(), "T")]
    split = shown.clean.split
    lead = (
        f"{split.test_clips} clips of fold {split.test}; temperature from {split.validation_clips} clips of fold "
        f"{split.validation}; trained on {split.training_clips} clips. 95 % intervals over clips, "
        f"{shown.clean.draws} draws."
    )
    return StudyTable("clean", Table("Clean test clips", columns, body), lead)


def published_tables(shown: ShownRecords) -> list[StudyTable]:
    """Ours beside the published figures of LR-MFCC."""
    theirs = published()
    model = next((one for one in shown.clean.models if one.name == theirs.model), None)
    # Another seed is not the canonical run, but it measures the same thing.
    others = [reason for reason in shown.manifest.not_canonical if not reason.startswith(OTHER_SEED)]
    if model is None or others:
        return []
    temperature = next(one.temperature for one in shown.calibration.models if one.name == theirs.model)
    body = []
    for metric in (*_METRICS, "temperature"):
        known = theirs.clean[metric]
        if metric == "temperature":
            before = after = temperature
        else:
            before, after = (getattr(s, metric).value for s in (model.scores, model.after_temperature))
        gaps = [f"{before - known:+.3f}", f"{after - known:+.3f}"]
        body.append([_HEADINGS.get(metric, metric), f"{known:.3f}", f"{before:.3f}", f"{after:.3f}", *gaps])
    columns = [
        Column("metric"),
        *numbers("published", "here", "here, after temperature", "difference", "difference, after"),
    ]
    lead = f"Published: {theirs.source}. Their code and settings could not be had; no equality is claimed."
    cells = {
        (cell.family, cell.severity): cell.scores
        for one in shown.corruptions.models
        if one.name == theirs.model
        for cell in one.cells
    }
    corrupted = []
    for metric in ("accuracy", "macro_f1"):
        for family, values in getattr(theirs, metric).items():
            for severity, known in values.items():
                ours = getattr(cells[family, severity], metric)
                inside = "yes" if ours.low <= known <= ours.high else "no"
                figures = [f"{known:.3f}", _interval(ours), f"{ours.value - known:+.3f}", inside]
                corrupted.append([_HEADINGS[metric], family, str(severity), *figures])
    columns_of = [Column("metric"), Column("family"), *numbers("severity", "published", "here", "difference")]
    headings = [*columns_of, Column("in our interval")]
    return [
        StudyTable("published", Table("LR-MFCC beside the published figures, clean", columns, body), lead),
        StudyTable(
            "published-corruptions",
            Table("LR-MFCC beside the published accuracy and macro F1, corrupted", headings, corrupted),
            "The published amounts of each severity are not known; ours are in the table of corruptions.",
        ),
    ]


def explanation_tables(shown: ShownRecords) -> list[StudyTable]:
    """LR-MFCC under other readings, and what is fragile in the first."""
    columns = [
        Column("coefficients"),
        Column("standardised"),
        *numbers("iterations", "done"),
        Column("converged"),
        *numbers("accuracy", "macro F1", "T", "NLL", "Brier", "ECE", "NLL after", "Brier after", "ECE after"),
    ]
    body = [
        [
            str(trial.coefficients),
            "yes" if trial.standardised else "no",
            str(trial.iterations),
            str(trial.done),
            Cell("yes", Tone.GOOD) if trial.converged else Cell("no", Tone.BAD),
            f"{trial.accuracy:.3f}",
            f"{trial.macro_f1:.3f}",
            f"{trial.temperature:.2f}",
            *(f"{value:.3f}" for value in (*trial.before, *trial.after)),
        ]
        for trial in shown.explanation.trials
    ]
    spread = [
        _spread_row(shown, coefficients, standardised) for standardised in (False, True) for coefficients in (20, 40)
    ]
    spread_columns = [
        Column("reading"),
        Column("converged at the most iterations"),
        *numbers("accuracy", "NLL", "T"),
    ]
    return [
        StudyTable(
            "fragility",
            Table("What the number of iterations decides", spread_columns, spread),
            "The least and the greatest figure over every number of iterations from 300 that was tried. Figures that "
            "depend on where the optimiser is stopped measure the stopping; those of a reading that converges do not.",
        ),
        StudyTable("explanation", Table("LR-MFCC under other readings", columns, body), "Clean test clips."),
    ]


def _spread_row(shown: ShownRecords, coefficients: int, standardised: bool) -> list[Cell | str]:
    trials = [
        trial
        for trial in shown.explanation.trials
        if (trial.coefficients, trial.standardised) == (coefficients, standardised) and trial.iterations >= 300
    ]
    name = f"{coefficients} coefficients, {'standardised' if standardised else 'unstandardised'}"
    settled = trials[-1].converged
    return [
        name,
        Cell("yes", Tone.GOOD) if settled else Cell("no", Tone.BAD),
        _span([trial.accuracy for trial in trials]),
        _span([trial.before[0] for trial in trials]),
        _span([trial.temperature for trial in trials]),
    ]


def grid_table(shown: ShownRecords) -> StudyTable:
    """The accuracy of every classifier under every family and severity."""
    body: list[list[Cell | str]] = []
    for model in shown.corruptions.models:
        for family in model.families:
            values = [parse_stored(piece.value) for piece in family.curve]
            body.append([model.name, family.family, *(f"{float(value):.3f}" for value in values)])
    columns = [Column("classifier"), Column("family"), *numbers("clean", *map(str, SEVERITIES))]
    return StudyTable("accuracy", Table("Accuracy by family and severity", columns, body))


def family_table(shown: ShownRecords) -> StudyTable:
    """Means over severities, and what is lost of the clean accuracy."""
    body: list[list[Cell | str]] = []
    for model in shown.corruptions.models:
        whole = [_interval(model.mean_corruption_accuracy), _interval(model.relative_degradation)]
        body.append([Cell(model.name, Tone.STRONG), Cell("all families", Tone.STRONG), *whole, ""])
        for family in model.families:
            assert curve_mean(family.curve) == Fraction(family.mean_accuracy.exact or 0)
            worst = min(family.curve[1:], key=lambda piece: parse_stored(piece.value))
            body.append(
                [
                    model.name,
                    family.family,
                    _interval(family.mean_accuracy),
                    _interval(family.relative_degradation),
                    f"{float(parse_stored(worst.value)):.3f} at {worst.low}",
                ]
            )
    columns = [
        Column("classifier"),
        Column("family"),
        *numbers("mean accuracy", "lost of the clean accuracy", "worst severity"),
    ]
    return StudyTable("families", Table("Means over severities", columns, body))


def calibration_table(shown: ShownRecords) -> StudyTable:
    """Calibration before and after temperature, in every reading of ECE."""
    body: list[list[Cell | str]] = []
    for model in shown.calibration.models:
        for name, found in (("before", model.before), ("after", model.after)):
            values = (found.nll, found.brier, found.ece, found.classwise_ece, found.equal_mass_ece)
            shown_t = "1" if name == "before" else f"{model.temperature:.3f}"
            body.append([model.name, name, shown_t, *(f"{value:.4f}" for value in values)])
    columns = [
        Column("classifier"),
        Column("temperature"),
        *numbers("T", "NLL", "Brier", "ECE", "classwise ECE", "equal-mass ECE"),
    ]
    return StudyTable("calibration", Table("Calibration on the clean test clips", columns, body))


def class_table(shown: ShownRecords) -> StudyTable:
    """Every class: its recall clean, and its mean over the grid."""
    names = [model.name for model in shown.classes.models]
    body = []
    for rows in zip(*(model.classes for model in shown.classes.models), strict=True):
        values = []
        for row in rows:
            tried = row.clips * sum(len(counts) for counts in row.corrupted.values())
            mean = Fraction(sum(map(sum, row.corrupted.values())), tried) if tried else None
            values += [share(parse_stored(row.recall) if row.recall else None), share(mean)]
        body.append([rows[0].name, str(rows[0].clips), *values])
    headings = [heading for name in names for heading in (f"{name}, clean", f"{name}, corrupted")]
    columns = [Column("class"), *numbers("clips", *headings)]
    return StudyTable("classes", Table("Recall by class", columns, body))


def corruption_table() -> StudyTable:
    """The table of corruptions."""
    body = [[f.name, f.does, f.parameter, *f.severities] for f in canonical().families]
    columns = [Column("family"), Column("does"), Column("parameter"), *numbers(*map(str, SEVERITIES))]
    return StudyTable("corruptions", Table("Corruptions", columns, body))


def choice_table(shown: ShownRecords) -> StudyTable:
    """What every metric means here."""
    body = [[name, choice] for name, choice in shown.clean.choices.items()]
    return StudyTable("choices", Table("What the metrics mean here", words("metric", "choice"), body))


def _interval(estimate: Estimate) -> str:
    return f"{estimate.value:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"


def _span(values: Sequence[float]) -> str:
    return f"{min(values):.3f} to {max(values):.3f}"
