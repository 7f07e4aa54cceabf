"""Writes the schemas of what the commands print, generated from the records they print: `make schemas`.

A record that a command prints is listed here once; its keys, types and descriptions are written in its class alone.
"""

from pathlib import Path

from tracepact.files import json_text
from tracepact.records import Record, schema_of
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

OUTPUTS: dict[str, tuple[type[Record], str]] = {
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
}
"""The name of each schema, the record it describes, and its title."""


def schema_texts() -> dict[str, str]:
    """The text of every generated schema by its file name."""
    files = {f"{name}.schema.json": output for name, output in OUTPUTS.items()}
    return {file: json_text(schema_of(record, file, title)) for file, (record, title) in files.items()}


def main() -> None:
    folder = Path(__file__).parents[1] / "spec" / "schemas"
    for file, text in schema_texts().items():
        (folder / file).write_text(text, encoding="utf-8", newline="")


if __name__ == "__main__":
    main()
