"""Weighted lexicographic set cover, exact and with evidence."""

from tracepact.basis.cover.problem import (
    Answer,
    Cover,
    Evidence,
    Level,
    Optima,
    Problem,
    Reductions,
    Refutation,
)
from tracepact.basis.cover.solve import all_optima, solve

__all__ = [
    "Answer",
    "Cover",
    "Evidence",
    "Level",
    "Optima",
    "Problem",
    "Reductions",
    "Refutation",
    "all_optima",
    "solve",
]
