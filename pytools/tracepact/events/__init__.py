"""Intervals: matching of runs, event clauses and their violations."""

from tracepact.events.attributes import UNBOUNDED, Unbounded, Value
from tracepact.events.evaluate import (
    EventClauseEvaluation,
    EventEvaluation,
    EventViolation,
    FailedComparison,
    Match,
    evaluate_events,
)
from tracepact.events.matching import Pair, match_runs

__all__ = [
    "UNBOUNDED",
    "EventClauseEvaluation",
    "EventEvaluation",
    "EventViolation",
    "FailedComparison",
    "Match",
    "Pair",
    "Unbounded",
    "Value",
    "evaluate_events",
    "match_runs",
]
