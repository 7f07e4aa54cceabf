"""Weighted lexicographic set cover, exact and with evidence."""

from tracepact.tools.select.cover.best import all_optima, solve
from tracepact.tools.select.cover.problem import Answer, Cover, Evidence, Level, Optima, Problem, Reductions, Refutation

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
