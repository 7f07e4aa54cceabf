"""What went wrong, as data: codes, severities, places and ways out; and the renderers that draw it."""

from tracepact.diagnostics.codes import CODES, Code, Severity
from tracepact.diagnostics.collecting import (
    Diagnostics,
    InvalidInput,
    known_name,
    not_spelled_out,
    one_of,
    require_type,
    several,
)
from tracepact.diagnostics.model import (
    Diagnostic,
    Place,
    RowPlace,
    Source,
    Span,
    TextPlace,
    did_you_mean,
    nearest,
)
from tracepact.diagnostics.render import DIAGNOSTIC_FORMATS, render_diagnostics, summarise

__all__ = [
    "CODES",
    "DIAGNOSTIC_FORMATS",
    "Code",
    "Diagnostic",
    "Diagnostics",
    "InvalidInput",
    "Place",
    "RowPlace",
    "Severity",
    "Source",
    "Span",
    "TextPlace",
    "did_you_mean",
    "known_name",
    "nearest",
    "not_spelled_out",
    "one_of",
    "render_diagnostics",
    "require_type",
    "several",
    "summarise",
]
