"""Writes the schemas of what commands print, from the records that they return (`make schemas`)."""

from pathlib import Path
from typing import Any

from tracepact.files import json_text
from tracepact.metrics import MetricsRecord
from tracepact.records import schema_of
from tracepact.specs import spec_path
from tracepact.tools.audit.annotation import AnnotationAudit
from tracepact.tools.audit.compare import Comparison
from tracepact.tools.audit.matcher import MatcherAudit
from tracepact.tools.audit.neutrality import NeutralityAudit
from tracepact.tools.audit.profile import ProfileAudit
from tracepact.tools.audit.selection import SelectionAudit
from tracepact.tools.audit.threshold import ThresholdAudit
from tracepact.tools.audit.tolerance import ToleranceAudit
from tracepact.tools.audit.uncertainty import UncertaintyAudit
from tracepact.tools.audit.union_gap import UnionGapAudit
from tracepact.tools.score.report.record import Report

OUTPUTS: dict[str, tuple[Any, str]] = {
    "audit-annotation": (AnnotationAudit, "tracepact annotation audit"),
    "audit-matcher": (MatcherAudit, "tracepact matcher audit"),
    "audit-neutrality": (NeutralityAudit, "tracepact neutrality audit"),
    "audit-profile": (ProfileAudit, "tracepact profile audit"),
    "audit-selection": (SelectionAudit, "tracepact selection audit"),
    "audit-threshold": (ThresholdAudit, "tracepact threshold audit"),
    "audit-tolerance": (ToleranceAudit, "tracepact tolerance audit"),
    "audit-uncertainty": (UncertaintyAudit, "tracepact uncertainty audit"),
    "audit-union-gap": (UnionGapAudit, "tracepact union-gap audit"),
    "compare": (Comparison, "tracepact comparison"),
    "metrics": (MetricsRecord, "tracepact metrics"),
    "report": (Report, "tracepact report"),
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
