"""Diagnostics as data: a code, a headline, a place and help. Nothing here formats."""

import difflib
from collections.abc import Iterable

from tracepact.diagnostics.codes import CODES, Code, Severity
from tracepact.frozen import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of characters."""

    start: int
    end: int

    def to(self, other: "Span") -> "Span":
        """The span from the start of this one to the end of the other."""
        return Span(self.start, other.end)


@dataclass(frozen=True, slots=True)
class Source:
    """A text and the name people know it by."""

    name: str
    text: str

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a character, both from one."""
        line_start = self.text.rfind("\n", 0, offset) + 1
        return self.text.count("\n", 0, offset) + 1, offset - line_start + 1

    def line(self, number: int) -> str:
        """The text of a line, without its end."""
        lines = self.text.split("\n")
        return lines[number - 1].rstrip("\r") if number <= len(lines) else ""


@dataclass(frozen=True, slots=True)
class TextPlace:
    """A span of a contract or formula text."""

    source: Source
    span: Span


@dataclass(frozen=True, slots=True)
class RowPlace:
    """A row of a file, or the whole file.

    Attributes:
        file: the file's name.
        row: the row, counted as lines of the file from one; None speaks of the whole file.

    Examples:
        >>> import tracepact
        >>> tracepact.RowPlace("reference.tsv", 2)
        RowPlace(file='reference.tsv', row=2)
    """

    file: str
    row: int | None = None


Place = TextPlace | RowPlace


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about an input.

    Attributes:
        code: the name of the fault, such as `unknown-atom`.
        headline: what is wrong, in one line.
        place: where it is, in a text or in a row of a file.
        help: a way out, if there is one.
        trace: a small picture of a trace that shows it, if there is one.
        stands_for: how many findings that are not spelled out it stands for; 0 if it is one itself.

    Examples:
        >>> import tracepact
        >>> try:
        ...     tracepact.load_contract("boundary_gat")
        ... except tracepact.InvalidInput as error:
        ...     found = error.diagnostics[0]
        >>> found.code, found.severity.value, found.help
        ('unreadable-file', 'error', 'did you mean `boundary_gate`?')
    """

    code: str
    headline: str
    place: Place | None = None
    help: str | None = None
    trace: str | None = None
    stands_for: int = 0

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise KeyError(f"diagnostic code {self.code!r} is not in the registry")

    @property
    def kind(self) -> Code:
        """The registry's entry for the code."""
        return CODES[self.code]

    @property
    def number(self) -> int:
        """How many findings it counts for."""
        return self.stands_for or 1

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return self.kind.severity


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is nearest to one, if some are near."""
    return next(iter(difflib.get_close_matches(word, sorted(set(known)), n=1, cutoff=0.6)), None)


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """A help line that offers the nearest known words, or lists the few there are."""
    choices = sorted(set(known))
    if near := nearest(word, choices):
        return f"did you mean `{near}`?"
    if 0 < len(choices) <= 12:
        return "known here: " + ", ".join(f"`{c}`" for c in choices)
    return None
