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
from tracelab.robustness.records import ReadingsRecord as RobustnessExplanation
from tracepact.audits.audit_labels import AnnotationAudit, ReferenceAudit
from tracepact.audits.audit_matcher import MatcherAudit
from tracepact.audits.audit_profile import ProfileAudit, SelectionAudit
from tracepact.audits.audit_settings import ThresholdAudit, ToleranceAudit
from tracepact.audits.audit_stability import NeutralityAudit, UncertaintyAudit
from tracepact.audits.audit_union_gap import UnionGapAudit
from tracepact.audits.comparison import Comparison
from tracepact.audits.league_columns import League
from tracepact.author.trial_record import Trial
from tracepact.conform.outcome import ConformanceRecord
from tracepact.declarations import spec_path
from tracepact.diagnostics.records import DiagnosticRecord
from tracepact.files import json_text
from tracepact.language.explanation import Explanation
from tracepact.logic.decision_commands import DecisionRecord, SimplifiedFormula
from tracepact.prove.records import CertifyAnswer, ProveAnswer
from tracepact.records import schema_of
from tracepact.runs.metrics import MetricsOutput
from tracepact.runs.report import Report
from tracepact.runs.verification import VerificationRecord
from tracepact.runs.watch_command import WatchLine
from tracepact.selection.commands import CandidateList, MemberList, ObservationRecord
from tracepact.selection.files import OrderClaim
from tracepact.selection.record import SelectionOutput
from tracepact.stream.bank import BankState
from tracepact.stream.state import StreamState
from tracepact.tuning.records import CurvesRecord, Tuning

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
