"""Findings collected while input is read, and the exception that carries all of them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tracepact.diagnostics.codes import Severity
from tracepact.diagnostics.model import Diagnostic, Place
from tracepact.diagnostics.render import render_diagnostics


class InvalidInput(Exception):  # noqa: N818  (it is what the input is, not what went wrong in the program)
    """Input that cannot be used; it carries everything that was found, not only the first fault.

    Attributes:
        diagnostics: the findings, warnings included.

    Examples:
        >>> import tracepact
        >>> try:
        ...     tracepact.score("boundary_gate", ref=[(2, 1)], pred=[(-1, 1)], durations=3)
        ... except tracepact.InvalidInput as error:
        ...     sorted(found.code for found in error.diagnostics)
        ['bad-time', 'offset-before-onset']
    """

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        return "\n" + render_diagnostics(self.diagnostics)


@dataclass(slots=True)
class Diagnostics:
    """Collects findings; `raise_errors` ends a stage that found any error."""

    items: list[Diagnostic] = field(default_factory=list)

    def add(self, code: str, headline: str, place: Place | None = None, help: str | None = None) -> None:
        """Record a finding."""
        self.items.append(Diagnostic(code, headline, place, help))

    def extend(self, more: Iterable[Diagnostic]) -> None:
        """Record findings made elsewhere."""
        self.items.extend(more)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    @property
    def errors(self) -> list[Diagnostic]:
        """The findings that make the input unusable."""
        return [d for d in self.items if d.severity is Severity.ERROR]

    @property
    def warnings(self) -> list[Diagnostic]:
        """The findings that leave the input usable."""
        return [d for d in self.items if d.severity is Severity.WARNING]

    def raise_errors(self, *, strict: bool = False) -> None:
        """Raise InvalidInput if there is an error, or with `strict` a warning."""
        if self.errors or (strict and self.warnings):
            raise InvalidInput(self.items)
