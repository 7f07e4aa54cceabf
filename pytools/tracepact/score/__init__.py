"""Scores: counts, vectors, aggregations, witnesses and distances."""

from tracepact.score.aggregate import ClauseCounts, Score, aggregate
from tracepact.score.distance import UNBOUNDED, Shape, distance_shape, nearest_offsets
from tracepact.score.scorecard import Scorecard, SweepPoint, score_family, sweep
from tracepact.score.soft import SoftCounts, soft_counts
from tracepact.score.witness import FrameWitnesses, find_witnesses

__all__ = [
    "UNBOUNDED",
    "ClauseCounts",
    "FrameWitnesses",
    "Score",
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
