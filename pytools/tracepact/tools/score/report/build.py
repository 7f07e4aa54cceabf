"""Builds the report of a run from its tally."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from msgspec import UNSET, UnsetType

from tracepact.core import Aggregation, Contract, EventClause, FrameClause, Profile
from tracepact.metrics import MetricSettings
from tracepact.records import Exact, record_of
from tracepact.scoring import Score
from tracepact.scoring.tally import ClauseTally, GroupTally
from tracepact.tools.score.margins_tally import MarginsTally
from tracepact.tools.score.report.preparation import Preparation
from tracepact.tools.score.report.record import (
    ClassRecord,
    ClauseRecord,
    ConditionRecord,
    ConditionSoftBoundary,
    ContractRecord,
    DiagnosticsRecord,
    FamilyRecord,
    GridRecord,
    InputRecord,
    MatcherRecord,
    ParameterRecord,
    ProfileRecord,
    Report,
    SoftBoundary,
    SweepRecord,
    Versions,
)
from tracepact.tools.score.report.scores import ScoreRecord, SoftRecord, ValueRecord
from tracepact.tools.score.report.violations import ClauseViolations
from tracepact.tools.score.scored import Input, Scored
from tracepact.tools.score.store.manifest import versions
from tracepact.tools.score.tally import RunTally, tally_of
from tracepact.trace import Mode
from tracepact.wording import rounded


@dataclass(frozen=True, slots=True)
class Head:
    """What a report says beside its counts: the contract, the classes, and where all of it came from."""

    contract: Contract
    mode: Mode
    classes: tuple[str, ...]
    inputs: tuple[Input, ...]
    preparation: Mapping[str, Any]
    settings: MetricSettings = field(default_factory=MetricSettings)
    violation_rows: bool = True


def report_of(run: Scored) -> Report:
    """Everything a report says, with exact values as fractions."""
    contract, family = run.card.contract, run.card.family
    head = Head(contract, family.mode, family.classes, run.inputs, run.preparation, run.settings, run.violation_rows)
    return report_from(tally_of(run), head)


def report_from(tally: RunTally, head: Head) -> Report:
    """The report of what was tallied, of one batch or of many."""
    contract, group = head.contract, tally.group
    matcher = contract.matcher
    soft, edges = group.soft.mean
    clauses = contract.clauses
    return Report(
        format="tracepact-report/1",
        versions=Versions(**versions()),
        contract=_contract(contract),
        inputs=tuple(InputRecord(i.role, i.name, i.digest) for i in head.inputs),
        preparation=record_of(dict(head.preparation), Preparation),
        grid=GridRecord(contract.step, contract.projection),
        matcher=MatcherRecord(matcher.kind, matcher.search, matcher.overlap_reward, contract.merge_gap),
        family=FamilyRecord(head.mode, group.clips, head.classes, tally.frames),
        aggregation=contract.aggregation,
        vector=tuple(
            ClauseRecord(c.name, _kind(c), _scores(group.clauses[c.name]), _soft((tally.margins or {}).get(c.name)))
            for c in clauses
        ),
        logic={a: ValueRecord.of(group.logic(a)) for a in Aggregation},
        profiles=tuple(
            ProfileRecord(p.name, p.aggregation, value, rounded(value))
            for p, value in ((p, profile_value(group, p)) for p in contract.profiles)
        ),
        metrics=tally.metrics.record(head.settings),
        soft_boundary=SoftBoundary(soft, edges, contract.soft_scale),
        classes=tuple(
            ClassRecord(label, _vector({c.name: group.clauses[c.name].of_class(index) for c in clauses}))
            for index, label in enumerate(head.classes)
        ),
        conditions=tuple(_condition(name, found, contract) for name, found in sorted(tally.conditions.items())),
        sweeps=tuple(
            SweepRecord(p.parameter, p.value, _vector({n: f.score(contract.aggregation) for n, f in p.clauses.items()}))
            for p in tally.sweeps
        ),
        violations=tuple(
            ClauseViolations(c.name, found.total, tuple(one.found for one in found.worst))
            for c, found in ((c, tally.violations[c.name]) for c in clauses)
        ),
        timelines=tuple(one.found for one in tally.timelines),
        matches=tuple(one.found for one in tally.matches.first),
        diagnostics=DiagnosticsRecord(dict(tally.findings.counts), tally.findings.items),
        violation_rows=UNSET if head.violation_rows else False,
        matched=tally.matches.total if tally.matches.total > len(tally.matches.first) else UNSET,
    )


def _kind(clause: FrameClause | EventClause) -> Literal["frame", "event"]:
    return "event" if isinstance(clause, EventClause) else "frame"


def _scores(tally: ClauseTally) -> dict[Aggregation, ScoreRecord]:
    return {a: ScoreRecord.of(tally.score(a)) for a in Aggregation}


def _soft(margins: MarginsTally | None) -> SoftRecord | UnsetType:
    """The margins of a clause, where it has some."""
    if margins is None:
        return UNSET
    return SoftRecord({a: Exact.of(margins.value(a)) for a in Aggregation}, margins.least, margins.middle)


def _vector(scores: Mapping[str, Score]) -> dict[str, ScoreRecord]:
    return {name: ScoreRecord.of(score) for name, score in scores.items()}


def profile_value(group: GroupTally, profile: Profile) -> Fraction:
    """The weighted mean of a risk profile (rule 7.8)."""
    total = sum((weight for _, weight in profile.weights), Fraction(0))
    parts = (weight * group.clauses[name].score(profile.aggregation).value for name, weight in profile.weights)
    return sum(parts, Fraction(0)) / total


def _contract(contract: Contract) -> ContractRecord:
    parameters = tuple(ParameterRecord(p.name, p.text, p.overridden) for p in contract.parameters)
    names = contract.name, contract.title, contract.digest
    return ContractRecord(*names, contract.text, contract.source.name, parameters)


def _condition(name: str, group: GroupTally, contract: Contract) -> ConditionRecord:
    """The vectors of a condition, under every aggregation."""
    return ConditionRecord(
        name,
        group.clips,
        {clause.name: _scores(group.clauses[clause.name]) for clause in contract.clauses},
        {a: ValueRecord.of(group.logic(a)) for a in Aggregation},
        {p.name: ValueRecord.of(profile_value(group, p)) for p in contract.profiles},
        ConditionSoftBoundary(*group.soft.mean),
    )
