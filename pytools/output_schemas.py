"""Writes the schemas of what commands print, from the records that they return (`make schemas`)."""

from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from tracelab.robustness.corruptions import CorruptionTable
from tracelab.robustness.records import (
    CalibrationResults,
    ClassResults,
    CleanResults,
    CorruptionResults,
    Manifest,
    VerificationReport,
)
from tracelab.robustness.records import (
    Explanation as RobustnessExplanation,
)
from tracepact.diagnostics.record import DiagnosticRecord
from tracepact.files import json_text
from tracepact.lang.explain import Explanation
from tracepact.records import schema_of
from tracepact.specs import spec_path
from tracepact.stream.bank_state import BankState
from tracepact.stream.saved import StreamState
from tracepact.tools.audit.annotation import AnnotationAudit
from tracepact.tools.audit.compare import Comparison
from tracepact.tools.audit.matcher import MatcherAudit
from tracepact.tools.audit.neutrality import NeutralityAudit
from tracepact.tools.audit.profile import ProfileAudit
from tracepact.tools.audit.reference import ReferenceAudit
from tracepact.tools.audit.selection import SelectionAudit
from tracepact.tools.audit.threshold import ThresholdAudit
from tracepact.tools.audit.tolerance import ToleranceAudit
from tracepact.tools.audit.uncertainty import UncertaintyAudit
from tracepact.tools.audit.union_gap import UnionGapAudit
from tracepact.tools.cast.record import Trial
from tracepact.tools.check.decision import DecisionRecord
from tracepact.tools.check.simplify import SimplifiedFormula
from tracepact.tools.conform.outcome import ConformanceRecord
from tracepact.tools.curves.record import CurvesRecord
from tracepact.tools.league.record import League
from tracepact.tools.metrics.record import MetricsOutput
from tracepact.tools.order_claim import OrderClaim
from tracepact.tools.prove.records import CertifyAnswer, ProveAnswer
from tracepact.tools.score.report.record import Report
from tracepact.tools.score.verify import VerificationRecord
from tracepact.tools.select.basis_command import CandidateList, MemberList, ObservationRecord
from tracepact.tools.select.report.record import SelectionOutput
from tracepact.tools.tune.record import Tuning
from tracepact.tools.watch.record import WatchLine

OUTPUTS: dict[str, tuple[Any, str]] = {
    "audit-annotation": (AnnotationAudit, "tracepact annotation audit"),
    "audit-matcher": (MatcherAudit, "tracepact matcher audit"),
    "audit-neutrality": (NeutralityAudit, "tracepact neutrality audit"),
    "audit-profile": (ProfileAudit, "tracepact profile audit"),
    "audit-reference": (ReferenceAudit, "tracepact reference audit"),
    "audit-selection": (SelectionAudit, "tracepact selection audit"),
    "audit-threshold": (ThresholdAudit, "tracepact threshold audit"),
    "audit-tolerance": (ToleranceAudit, "tracepact tolerance audit"),
    "audit-uncertainty": (UncertaintyAudit, "tracepact uncertainty audit"),
    "audit-union-gap": (UnionGapAudit, "tracepact union-gap audit"),
    "bank-state": (BankState, "tracepact bank state"),
    "basis-candidates": (CandidateList, "tracepact basis candidates"),
    "basis-members": (MemberList, "tracepact basis members"),
    "basis-observation": (ObservationRecord, "tracepact basis observation"),
    "certify": (CertifyAnswer, "tracepact certify"),
    "compare": (Comparison, "tracepact comparison"),
    "conformance": (ConformanceRecord, "tracepact conformance"),
    "corruptions": (CorruptionTable, "A table of corruptions"),
    "curves": (CurvesRecord, "tracepact curves"),
    "decision": (DecisionRecord, "tracepact decision"),
    "diagnostics": (
        Annotated[
            list[DiagnosticRecord],
            Meta(description="What `tracepact check --format json` prints: every finding on the given contracts."),
        ],
        "tracepact diagnostics",
    ),
    "explain": (Explanation, "tracepact explanation"),
    "league": (League, "tracepact league"),
    "metrics": (MetricsOutput, "tracepact metrics"),
    "order": (OrderClaim, "The order that a selected contract claims to keep"),
    "prove": (ProveAnswer, "tracepact prove"),
    "report": (Report, "tracepact report"),
    "robustness-calibration": (CalibrationResults, "tracelab robustness, calibration"),
    "robustness-clean": (CleanResults, "tracelab robustness, clean clips"),
    "robustness-corruptions": (CorruptionResults, "tracelab robustness, corrupted clips"),
    "robustness-explanation": (RobustnessExplanation, "tracelab robustness, readings of LR-MFCC"),
    "robustness-manifest": (Manifest, "tracelab robustness, manifest"),
    "robustness-per-class": (ClassResults, "tracelab robustness, classes"),
    "robustness-verification": (VerificationReport, "tracelab robustness, verification"),
    "selection": (SelectionOutput, "A selection"),
    "simplify": (SimplifiedFormula, "tracepact simplified formula"),
    "stream-state": (StreamState, "tracepact stream state"),
    "try": (Trial, "tracepact trial"),
    "tuning": (Tuning, "tracepact tuning"),
    "verify": (VerificationRecord, "tracepact verification"),
    "watch": (WatchLine, "tracepact watch, a line of output"),
}
"""The kind of what is printed, and the title of its schema, by the schema's name."""


def schemas() -> dict[Path, str]:
    """The text of every generated schema by its place."""
    folder = spec_path("schemas")
    files = {f"{name}.schema.json": entry for name, entry in OUTPUTS.items()}
    return {folder / file: json_text(schema_of(kind, file, title)) for file, (kind, title) in files.items()}


if __name__ == "__main__":
    for path, text in schemas().items():
        path.write_text(text, encoding="utf-8")
