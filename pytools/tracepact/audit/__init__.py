"""What changes with a policy, computed from stored runs."""

from tracepact.audit.annotation import Annotation, audit_annotation
from tracepact.audit.comparison import Comparison, compare
from tracepact.audit.profiles import risk_profiles
from tracepact.audit.systems import (
    NeutralityAudit,
    ProfileAudit,
    SelectionAudit,
    Systems,
    audit_neutrality,
    audit_profiles,
    audit_selection,
    read_systems,
)
from tracepact.audit.threshold import ThresholdAudit, audit_thresholds
from tracepact.audit.tolerance import Tolerance, curves
from tracepact.audit.uncertainty import Bootstrap, Uncertainty, audit_uncertainty, intervals
from tracepact.audit.union_gap import UnionGap, audit_union_gap

__all__ = [
    "Annotation",
    "Bootstrap",
    "Comparison",
    "NeutralityAudit",
    "ProfileAudit",
    "SelectionAudit",
    "Systems",
    "ThresholdAudit",
    "Tolerance",
    "Uncertainty",
    "UnionGap",
    "audit_annotation",
    "audit_neutrality",
    "audit_profiles",
    "audit_selection",
    "audit_thresholds",
    "audit_uncertainty",
    "audit_union_gap",
    "compare",
    "curves",
    "intervals",
    "read_systems",
    "risk_profiles",
]
