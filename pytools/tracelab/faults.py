"""Faults of the lab's inputs, as the toolkit's diagnostics."""

from collections.abc import Sequence
from pathlib import Path

from tracepact import Diagnostic, InvalidInput, RowPlace


def fault(code: str, headline: str, place: Path | None = None, help: str | None = None) -> InvalidInput:
    """An error with one diagnostic, ready to be raised."""
    return InvalidInput([Diagnostic(code, headline, RowPlace(str(place)) if place else None, help)])


def told(warnings: Sequence[Diagnostic]) -> str:
    """Warnings as the toolkit writes them."""
    return str(InvalidInput(warnings)).strip()
