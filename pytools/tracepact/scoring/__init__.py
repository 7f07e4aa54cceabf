"""Scores: counts, vectors, aggregations, violations and distances."""

from tracepact.scoring.aggregate import LOGIC, MEAN, ClauseCounts, Score, aggregate, shown_name
from tracepact.scoring.distance import NO_WITNESS, Shape, distance_shape, nearest_offsets
from tracepact.scoring.scorecard import Scorecard, ScoreRows, SweepPoint, score_family, sweep
from tracepact.scoring.soft import SoftCounts, soft_counts
from tracepact.scoring.violation import FrameViolations, find_violations

__all__ = [
    "LOGIC",
    "MEAN",
    "NO_WITNESS",
    "ClauseCounts",
    "FrameViolations",
    "Score",
    "ScoreRows",
    "Scorecard",
    "Shape",
    "SoftCounts",
    "SweepPoint",
    "aggregate",
    "distance_shape",
    "find_violations",
    "nearest_offsets",
    "score_family",
    "shown_name",
    "soft_counts",
    "sweep",
]
