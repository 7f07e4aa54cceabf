"""Intervals: matching of runs, event clauses and their violations.

Each name is loaded when it is first used: what judges a single scene needs no arrays.
"""

from typing import TYPE_CHECKING

from tracepact.lazy import loader

if TYPE_CHECKING:
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

_HOMES = {
    "EventClauseEvaluation": "evaluate",
    "EventEvaluation": "evaluate",
    "EventViolation": "evaluate",
    "FailedComparison": "evaluate",
    "Match": "evaluate",
    "Pair": "matching",
    "UNBOUNDED": "attributes",
    "Unbounded": "attributes",
    "Value": "attributes",
    "evaluate_events": "evaluate",
    "match_runs": "matching",
}

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


__getattr__ = loader(__name__, _HOMES)
