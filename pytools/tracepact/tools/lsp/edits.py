"""Changes of a text: what replaces which span, and the text with all of them made."""

from collections.abc import Sequence
from dataclasses import dataclass

from tracepact.diagnostics import Span


@dataclass(frozen=True, slots=True)
class Edit:
    """A span and the text that replaces it."""

    span: Span
    text: str


def edited(text: str, edits: Sequence[Edit]) -> str:
    """The text with the edits made; their spans do not overlap."""
    for edit in sorted(edits, key=lambda e: e.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text
