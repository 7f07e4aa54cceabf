"""Verdicts of a scene for the page: the vector, and each clause's obligations and violations by class (rule 23.3)."""

from fractions import Fraction
from functools import lru_cache
from typing import Annotated

import numpy as np
from msgspec import Meta

from tracepact.core import Contract, Each, EventClause, FrameClause
from tracepact.diagnostics import Diagnostic, InvalidInput
from tracepact.diagnostics.record import DiagnosticRecord, diagnostic_record
from tracepact.events.obligations import is_ignored
from tracepact.lang import parsed_of
from tracepact.monitor import IntegerAlgebra, evaluate_masks
from tracepact.records import Count, Record
from tracepact.scoring import Score, Scorecard
from tracepact.scoring.tolerance import default_range
from tracepact.tools.play.scene import Scene, compiled, compiled_text, judged
from tracepact.tools.score.report.violations import EventViolationRecord, FrameViolationRecord, shown_violations
from tracepact.trace import FrameRun
from tracepact.wording import decimal, print_number

_SHOWN = 8
Runs = Annotated[tuple[tuple[Count, Count], ...], Meta(description="Half-open runs of frames.")]


class ClauseLane(Record, frozen=True):
    """Where a clause applies in one class, and where it fails."""

    label: str
    obligated: Runs
    violated: Runs


class Violation(Record, frozen=True):
    """A violated obligation: when it begins, which part failed, and how far it is from holding."""

    label: str
    at: Annotated[str, Meta(description="Seconds, exact.")]
    part: str
    words: str


class ClauseVerdict(Record, frozen=True):
    """What a clause says of the scene."""

    clause: str
    kind: Annotated[str, Meta(description="`frames`, or what an event clause is about.")]
    value: str
    satisfied: Count
    obligated: Count
    vacuous: bool
    lanes: tuple[ClauseLane, ...]
    violations: tuple[Violation, ...]


class ParameterState(Record, frozen=True):
    """A parameter, its value, and the range of its slider; times are in milliseconds."""

    name: str
    text: str
    written: Annotated[str, Meta(description="The value in the contract's text.")]
    value: float
    high: float
    step: float
    is_time: bool


class Verdicts(Record, frozen=True):
    """All that the page shows of a scene; without a contract that compiles, diagnostics alone."""

    diagnostics: tuple[DiagnosticRecord, ...]
    contract: str | None = None
    step: Annotated[str | None, Meta(description="Seconds, exact.")] = None
    frames: Count | None = None
    classes: tuple[str, ...] = ()
    labels: Annotated[tuple[str, ...] | None, Meta(description="The classes the contract declares.")] = None
    atoms: tuple[str, ...] = ()
    parameters: tuple[ParameterState, ...] = ()
    mean: str | None = None
    aggregation: str | None = None
    clauses: tuple[ClauseVerdict, ...] = ()


def verdicts(scene: Scene) -> Verdicts:
    """Judge a scene."""
    contract, found = compiled(scene)
    if contract is None:
        return Verdicts(_records(found))
    parameters = _parameters(scene.contract, contract)
    try:
        card, odd = judged(contract, scene)
    except InvalidInput as error:
        return Verdicts(
            _records((*found, *error.diagnostics)),
            contract.name,
            print_number(contract.step),
            labels=contract.labels,
            atoms=contract.declared_atoms,
            parameters=parameters,
        )
    scores, duty = card.vector(), _duties(card)
    return Verdicts(
        _records((*found, *odd)),
        contract.name,
        print_number(contract.step),
        card.family.frames[0],
        card.family.classes,
        contract.labels,
        contract.declared_atoms,
        parameters,
        decimal(sum((score.value for score in scores.values()), Fraction(0)) / len(scores)),
        contract.aggregation.words,
        tuple(_clause(card, clause, scores[clause.name], duty.get(clause.name, 0)) for clause in contract.clauses),
    )


def _records(found: tuple[Diagnostic, ...]) -> tuple[DiagnosticRecord, ...]:
    return tuple(map(diagnostic_record, found))


def _duties(card: Scorecard) -> dict[str, int]:
    """The mask of the frames where each frame clause applies."""
    clauses = card.contract.frame_clauses
    algebra = IntegerAlgebra(card.layout.valid, card.layout.longest)
    masks = evaluate_masks([clause.obligation for clause in clauses], card.atoms, algebra)
    judged_frames = card.layout.valid ^ card.atoms.ignored
    return {clause.name: mask & judged_frames for clause, mask in zip(clauses, masks, strict=True)}


def _clause(card: Scorecard, clause: FrameClause | EventClause, score: Score, duty: int) -> ClauseVerdict:
    counts = card.counts[clause.name]
    if isinstance(clause, EventClause):
        kind, lanes = f"each {clause.each.value}", _event_lanes(card, clause)
    else:
        kind, lanes = "frames", _frame_lanes(card, clause.name, duty)
    shown = shown_violations(card, clause, _SHOWN).shown
    return ClauseVerdict(
        clause.name,
        kind,
        decimal(score.value),
        int(counts.satisfied.sum()),
        int(counts.obligated.sum()),
        score.vacuous,
        lanes,
        tuple(_violation(one) for one in shown if isinstance(one, FrameViolationRecord | EventViolationRecord)),
    )


def _violation(found: FrameViolationRecord | EventViolationRecord) -> Violation:
    return Violation(found.label, print_number(found.start), found.part.line, found.how_far)


def _frame_lanes(card: Scorecard, clause: str, duty: int) -> tuple[ClauseLane, ...]:
    failed = card.violated[clause]
    return tuple(
        ClauseLane(label, _runs(card, duty, segment), _runs(card, failed, segment))
        for segment, label in enumerate(card.family.classes)
    )


def _runs(card: Scorecard, mask: int, segment: int) -> tuple[FrameRun, ...]:
    """The runs of a mask in the segment of a class; a scene has one clip."""
    if not mask:
        return ()
    padded = np.zeros(card.family.frames[0] + 2, dtype=np.bool_)
    padded[1:-1] = card.layout.frames_of(mask, segment)
    edges = np.flatnonzero(padded[1:] != padded[:-1]).tolist()
    return tuple(zip(edges[::2], edges[1::2], strict=True))


def _event_lanes(card: Scorecard, clause: EventClause) -> tuple[ClauseLane, ...]:
    violated: dict[int, list[FrameRun]] = {}
    for found in card.event_clause(clause.name).violations:
        violated.setdefault(found.segment, []).append(found.interval)
    return tuple(
        ClauseLane(label, _obligated(card, clause.each, segment), tuple(violated.get(segment, ())))
        for segment, label in enumerate(card.family.classes)
    )


def _obligated(card: Scorecard, each: Each, segment: int) -> tuple[FrameRun, ...]:
    """The intervals that an event clause is about in one class (rule 9.1)."""
    ignored = card.family.ignored.get(segment, ())
    match each:
        case Each.REF:
            found = card.events.refs.get(segment, ())
        case Each.PRED:
            found = card.events.preds.get(segment, ())
        case Each.MATCHED:
            found = tuple(match.ref for match in card.events.matches if match.segment == segment)
    return tuple(run for run in found if not is_ignored(run, ignored))


@lru_cache(maxsize=32)
def _parameters(text: str, contract: Contract) -> tuple[ParameterState, ...]:
    """The parameters of a contract, and those of its text as it is written."""
    source, _ = compiled_text(text)
    assert source is not None  # the text compiles, else there were no contract
    written = {parameter.name: parameter.text for parameter in source.parameters}
    made = []
    for parameter in contract.parameters:
        is_time = _is_time(contract, parameter.name)
        unit = 1000 if is_time else 1
        end = slider_end(source, parameter.name)
        made.append(
            ParameterState(
                parameter.name,
                parameter.text,
                written[parameter.name],
                float(parameter.value * unit),
                float(max(end, parameter.value) * unit),
                float(contract.step * unit) if is_time else 0.01,
                is_time,
            )
        )
    return tuple(made)


def slider_end(contract: Contract, parameter: str) -> Fraction:
    """How far a parameter can be moved: to twice the largest value the contract names, at least ten frames or 1."""
    _, high = default_range(contract, parameter)
    return max(2 * high, 10 * contract.step if _is_time(contract, parameter) else Fraction(1))


def _is_time(contract: Contract, parameter: str) -> bool:
    return bool(parsed_of(contract).unit(parameter))
