"""Every threshold of a score field at once: counts, curves, metrics and PSDS as exact step functions (chapter 19)."""

from tracepact.thresholds.choosing import Bound, Choice, Goal, choose, is_better
from tracepact.thresholds.counted import Counted, by_folds, counted_at, parts_of
from tracepact.thresholds.detected import detection_family
from tracepact.thresholds.detections import Detections, detections_of
from tracepact.thresholds.family import FieldFamily, field_family
from tracepact.thresholds.hysteresis import active_at, columns_of, with_high, with_low
from tracepact.thresholds.intersection import Criteria, Intersections, intersections
from tracepact.thresholds.joint import Joint, JointChoice, Pick, choose_jointly
from tracepact.thresholds.places import HALF, cut_range, place, short_threshold, threshold_range
from tracepact.thresholds.psds import SCENARIOS, Psds, PsdsResult, RocPoint, psds, psds_of
from tracepact.thresholds.quantities import (
    ERROR_RATE,
    MEAN,
    METRICS,
    CurveSettings,
    Quantities,
    depends_on_other_classes,
    is_least_best,
    quantity_names,
    weights_of,
)
from tracepact.thresholds.rates import average_precision
from tracepact.thresholds.reference import scored_at
from tracepact.thresholds.runs import LevelRuns, level_runs
from tracepact.thresholds.steps import Steps, StepsBuilder
from tracepact.thresholds.sums import CurveSums
from tracepact.thresholds.values import Best, Values, best, clause_values, combined, counts_of, holds

__all__ = [
    "ERROR_RATE",
    "HALF",
    "MEAN",
    "METRICS",
    "SCENARIOS",
    "Best",
    "Bound",
    "Choice",
    "Counted",
    "Criteria",
    "CurveSettings",
    "CurveSums",
    "Detections",
    "FieldFamily",
    "Goal",
    "Intersections",
    "Joint",
    "JointChoice",
    "LevelRuns",
    "Pick",
    "Psds",
    "PsdsResult",
    "Quantities",
    "RocPoint",
    "Steps",
    "StepsBuilder",
    "Values",
    "active_at",
    "average_precision",
    "best",
    "by_folds",
    "choose",
    "choose_jointly",
    "clause_values",
    "columns_of",
    "combined",
    "counted_at",
    "counts_of",
    "cut_range",
    "depends_on_other_classes",
    "detection_family",
    "detections_of",
    "field_family",
    "holds",
    "intersections",
    "is_better",
    "is_least_best",
    "level_runs",
    "parts_of",
    "place",
    "psds",
    "psds_of",
    "quantity_names",
    "scored_at",
    "short_threshold",
    "threshold_range",
    "weights_of",
    "with_high",
    "with_low",
]
