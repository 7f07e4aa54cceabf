"""Scores: counts, vectors, aggregations, witnesses and distances."""

from tracepact.scoring.aggregate import ClauseCounts, Score, aggregate
from tracepact.scoring.distance import UNBOUNDED, Shape, distance_shape, nearest_offsets
from tracepact.scoring.rows import ScoreRows
from tracepact.scoring.scorecard import Scorecard, SweepPoint, score_family, sweep
from tracepact.scoring.soft import SoftCounts, soft_counts
from tracepact.scoring.witness import FrameWitnesses, find_witnesses

__all__ = [
    "UNBOUNDED",
    "ClauseCounts",
    "FrameWitnesses",
    "Score",
    "ScoreRows",
    "Scorecard",
    "Shape",
    "SoftCounts",
    "SweepPoint",
    "aggregate",
    "distance_shape",
    "find_witnesses",
    "nearest_offsets",
    "score_family",
    "soft_counts",
    "sweep",
]
