"""What changes with a policy, computed from stored runs."""

from tracepact.audit.annotation import Annotation, audit_annotation
from tracepact.audit.comparison import Comparison, compare
from tracepact.audit.threshold import ThresholdAudit, audit_thresholds
from tracepact.audit.tolerance import Tolerance, curves
from tracepact.audit.uncertainty import Bootstrap, Uncertainty, audit_uncertainty, intervals
from tracepact.audit.union_gap import UnionGap, audit_union_gap

__all__ = [
    "Annotation",
    "Bootstrap",
    "Comparison",
    "ThresholdAudit",
    "Tolerance",
    "Uncertainty",
    "UnionGap",
    "audit_annotation",
    "audit_thresholds",
    "audit_uncertainty",
    "audit_union_gap",
    "compare",
    "curves",
    "intervals",
]
