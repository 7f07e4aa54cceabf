"""Every threshold of a score field at once: counts, curves, metrics and PSDS as exact step functions (chapter 19)."""

from tracepact.thresholds.family import FieldFamily, field_family
from tracepact.thresholds.intersection import Criteria, Intersections, intersections
from tracepact.thresholds.places import cut_range, short_threshold, threshold_range
from tracepact.thresholds.psds import SCENARIOS, Psds, PsdsResult, RocPoint, psds
from tracepact.thresholds.quantities import ERROR_RATE, LOGIC, METRICS, CurveSettings, Quantities, is_least_best
from tracepact.thresholds.rates import average_precision
from tracepact.thresholds.reference import scored_at
from tracepact.thresholds.runs import LevelRuns, level_runs
from tracepact.thresholds.steps import Steps, StepsBuilder
from tracepact.thresholds.values import Best, Values, best, clause_values, combined, counts_of, holds

__all__ = [
    "ERROR_RATE",
    "LOGIC",
    "METRICS",
    "SCENARIOS",
    "Best",
    "Criteria",
    "CurveSettings",
    "FieldFamily",
    "Intersections",
    "LevelRuns",
    "Psds",
    "PsdsResult",
    "Quantities",
    "RocPoint",
    "Steps",
    "StepsBuilder",
    "Values",
    "average_precision",
    "best",
    "clause_values",
    "combined",
    "counts_of",
    "cut_range",
    "field_family",
    "holds",
    "intersections",
    "is_least_best",
    "level_runs",
    "psds",
    "scored_at",
    "short_threshold",
    "threshold_range",
]
