"""Intervals: matching of runs, event clauses and their witnesses, and the comparison of the two matchers."""

from tracepact.events.attributes import UNBOUNDED, Unbounded, Value
from tracepact.events.audit import (
    MatcherAudit,
    MatcherComparison,
    MatcherOutcome,
    audit_matcher,
    compare_matchers,
)
from tracepact.events.cases import KNOWN_CASES, STRESS_STEP, Case, stress_track
from tracepact.events.evaluate import (
    EventClauseEvaluation,
    EventEvaluation,
    EventWitness,
    FailedComparison,
    Match,
    evaluate_events,
)
from tracepact.events.matching import Pair, match_runs

__all__ = [
    "KNOWN_CASES",
    "STRESS_STEP",
    "UNBOUNDED",
    "Case",
    "EventClauseEvaluation",
    "EventEvaluation",
    "EventWitness",
    "FailedComparison",
    "Match",
    "MatcherAudit",
    "MatcherComparison",
    "MatcherOutcome",
    "Pair",
    "Unbounded",
    "Value",
    "audit_matcher",
    "compare_matchers",
    "evaluate_events",
    "match_runs",
    "stress_track",
]
