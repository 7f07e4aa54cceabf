"""PSDS of the systems of a league whose scores were given (rule 16.20)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from msgspec import Meta

from tracepact.diagnostics import Diagnostic, Diagnostics, did_you_mean
from tracepact.metrics import MetricValue
from tracepact.records import Digest, Record
from tracepact.thresholds import SCENARIOS, Detections, Psds, level_runs, psds
from tracepact.tools.league.base import Base
from tracepact.tools.league.measures import Measure
from tracepact.tools.score.field_task import FieldTask, field_task
from tracepact.tools.score.scored import Scored
from tracepact.wording import print_number


class ScoresRecord(Record, frozen=True):
    """The scores that PSDS was taken of."""

    name: Annotated[str, Meta(description="The file or folder of the scores, as it was given.")]
    sha256: Annotated[Digest | None, Meta(description="The SHA-256 of that file or folder.")]


@dataclass(frozen=True, slots=True)
class GivenScores:
    """The scores of a system: where they are from, its PSDS in every scenario, and what was odd."""

    record: ScoresRecord
    measures: tuple[Measure, ...]
    warnings: tuple[Diagnostic, ...]


def report_scores(scores: Mapping[str, Any], systems: Sequence[str], label_map: str, diagnostics: Diagnostics) -> None:
    """Refuse scores of a system that is not read, and scores beside a label map, which says nothing of columns."""
    for name in scores:
        if name not in systems:
            headline = f"there are scores of `{name}`, which is none of the systems that are read"
            diagnostics.add("unknown-system", headline, help=did_you_mean(name, systems))
    if scores and label_map:
        headline = f"the runs were made with a label map ({label_map}), and scores are not mapped"
        help = "name the columns of the scores as the classes are, and score without a label map"
        diagnostics.add("incomparable-runs", headline, help=help)


def given_scores(scores: Any, scored: Scored, base: Base) -> GivenScores:
    """The PSDS of scores against the reference of a run, on its clips; InvalidInput if they cannot be used."""
    whole = scored.card.contract
    contract = replace(whole, clauses=(), profiles=(), declared_atoms=())
    task = field_task(
        contract,
        scored.reference,
        scores,
        durations=scored.durations,
        ignore=scored.ignore,
        mode=scored.card.family.mode,
        clips=base.clips,
    )
    family = task.family()
    runs = level_runs(family)
    varied = len(runs) > 0 if isinstance(task.field, Detections) else len(task.field.levels) > 1
    measures = []
    for name, how in SCENARIOS.items():
        value = psds(family, how, runs).value
        measures.append(
            Measure(name, _words(how), MetricValue.of(value), varied and value is not None, True, True, True)
        )
    return GivenScores(ScoresRecord(task.field.name, _digest(task)), tuple(measures), tuple(task.diagnostics))


def _digest(task: FieldTask) -> str | None:
    return task.field.table.digest if isinstance(task.field, Detections) else task.field.digest


def _words(how: Psds) -> str:
    """What a PSDS is taken with, in one line."""
    parts = {
        "dtc": how.criteria.dtc,
        "gtc": how.criteria.gtc,
        "cttc": how.criteria.cttc,
        "α_ct": how.alpha_ct,
        "α_st": how.alpha_st,
        "e_max": how.e_max,
    }
    said = ", ".join(f"{name} {print_number(value)}" for name, value in parts.items() if value is not None)
    return f"{said} an hour; over all thresholds of the scores that were given; without intervals"
