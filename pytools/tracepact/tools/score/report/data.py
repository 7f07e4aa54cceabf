"""Scores and values as plain data."""

from fractions import Fraction
from typing import Any

from tracepact.scoring import Score
from tracepact.tools.score.report.scores import ScoreRecord, ValueRecord


def value_data(value: Fraction) -> dict[str, Any]:
    """An exact value and its decimal for reading."""
    return ValueRecord.of(value).to_dict()


def score_data(score: Score) -> dict[str, Any]:
    """A score with its counts."""
    return ScoreRecord.of(score).to_dict()
