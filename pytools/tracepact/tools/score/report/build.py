"""Builds the report of a run."""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

from msgspec import UNSET, UnsetType

from tracepact.core import Aggregation, Contract, EventClause, FrameClause
from tracepact.diagnostics.record import diagnostic_record
from tracepact.metrics import metrics_record
from tracepact.records import Exact, record_of
from tracepact.scoring import Score, Scorecard, sweep
from tracepact.tools.score.report.measured import measured
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
    MatchRecord,
    ParameterRecord,
    ProfileRecord,
    Report,
    SoftBoundary,
    SweepRecord,
    Versions,
)
from tracepact.tools.score.report.scores import ScoreRecord, SoftRecord, ValueRecord
from tracepact.tools.score.report.timeline import worst_timelines
from tracepact.tools.score.report.violations import shown_violations
from tracepact.tools.score.scored import Scored
from tracepact.tools.score.store.manifest import versions
from tracepact.trace import FrameRun
from tracepact.trace.layout import Indices
from tracepact.wording import rounded

_LISTED_DIFFERENCES = 20


def report_of(run: Scored) -> Report:
    """Everything a report says, with exact values as fractions."""
    card = run.card
    contract, family = card.contract, card.family
    matcher = contract.matcher
    soft, edges = card.soft.mean()
    clauses = contract.clauses
    return Report(
        format="tracepact-report/1",
        versions=Versions(**versions()),
        contract=_contract(contract),
        inputs=tuple(InputRecord(i.role, i.name, i.digest) for i in run.inputs),
        preparation=record_of(dict(run.preparation), Preparation),
        grid=GridRecord(contract.step, contract.projection),
        matcher=MatcherRecord(matcher.kind, matcher.search, matcher.overlap_reward, contract.merge_gap),
        family=FamilyRecord(family.mode, len(family.clips), family.classes, sum(family.frames) * len(family.classes)),
        aggregation=contract.aggregation,
        vector=tuple(ClauseRecord(c.name, _kind(c), _scores(card, c.name), _soft(run, c)) for c in clauses),
        logic={a: ValueRecord.of(card.logic(a)) for a in Aggregation},
        profiles=_profiles(card),
        metrics=metrics_record(measured(run), most=_LISTED_DIFFERENCES),
        soft_boundary=SoftBoundary(soft, edges, contract.soft_scale),
        classes=tuple(
            ClassRecord(label, _vector(card.vector(Aggregation.POOLED, label=index)))
            for index, label in enumerate(family.classes)
        ),
        conditions=_conditions(card, run.conditions) if run.conditions else (),
        sweeps=tuple(SweepRecord(p.parameter, p.value, _vector(p.vector)) for p in sweep(card)),
        violations=tuple(shown_violations(card, clause, margins=run.margins) for clause in clauses),
        timelines=tuple(worst_timelines(card)),
        matches=_matches(card),
        diagnostics=DiagnosticsRecord(
            dict(Counter(d.code for d in run.diagnostics)), tuple(map(diagnostic_record, run.diagnostics))
        ),
        violation_rows=UNSET if run.violation_rows else False,
    )


def _kind(clause: FrameClause | EventClause) -> Literal["frame", "event"]:
    return "event" if isinstance(clause, EventClause) else "frame"


def _scores(card: Scorecard, clause: str, clips: Indices | None = None) -> dict[Aggregation, ScoreRecord]:
    return {a: ScoreRecord.of(card.score(clause, a, clips=clips)) for a in Aggregation}


def _soft(run: Scored, clause: FrameClause | EventClause) -> SoftRecord | UnsetType:
    if run.margins is None or isinstance(clause, EventClause):
        return UNSET
    found = {a: run.margins.score(run.card, clause.name, a) for a in Aggregation}
    least, middle = found[Aggregation.POOLED].least, run.margins.middle(clause.name)
    texts = (None if margin is None else str(margin) for margin in (least, middle))
    return SoftRecord({a: Exact.of(score.value) for a, score in found.items()}, *texts)


def _vector(scores: Mapping[str, Score]) -> dict[str, ScoreRecord]:
    return {name: ScoreRecord.of(score) for name, score in scores.items()}


def _profiles(card: Scorecard) -> tuple[ProfileRecord, ...]:
    values = ((profile, card.profile(profile)) for profile in card.contract.profiles)
    return tuple(ProfileRecord(p.name, p.aggregation, value, rounded(value)) for p, value in values)


def _contract(contract: Contract) -> ContractRecord:
    parameters = tuple(ParameterRecord(p.name, p.text, p.overridden) for p in contract.parameters)
    names = contract.name, contract.title, contract.digest
    return ContractRecord(*names, contract.text, contract.source.name, parameters)


def _conditions(card: Scorecard, conditions: Mapping[str, str]) -> tuple[ConditionRecord, ...]:
    """The vectors of every condition, under every aggregation."""
    groups: dict[str, list[str]] = {}
    for clip in card.family.clips:
        groups.setdefault(conditions[clip], []).append(clip)
    found = []
    for name in sorted(groups):
        clips = card.clip_indices(groups[name])
        found.append(
            ConditionRecord(
                name,
                len(clips),
                {clause.name: _scores(card, clause.name, clips) for clause in card.contract.clauses},
                {a: ValueRecord.of(card.logic(a, clips=clips)) for a in Aggregation},
                {p.name: ValueRecord.of(card.profile(p, clips=clips)) for p in card.contract.profiles},
                ConditionSoftBoundary(*card.soft.mean(clips)),
            )
        )
    return tuple(found)


def _matches(card: Scorecard) -> tuple[MatchRecord, ...]:
    """Every matched pair, in seconds."""
    step = card.family.step

    def seconds(run: FrameRun) -> tuple[Fraction, Fraction]:
        return run[0] * step, run[1] * step

    places = ((card.family.place(match.segment), match) for match in card.events.matches)
    return tuple(MatchRecord(*place, seconds(match.ref), seconds(match.pred)) for place, match in places)
