"""Findings collected while input is read, the exception that carries them, and the records they become."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from enum import Enum
from typing import TypeVar

from tracepact.declarations import dataclass
from tracepact.diagnostics.codes import Severity
from tracepact.diagnostics.findings import (
    SPELLED_OUT,
    Diagnostic,
    Group,
    Place,
    RowPlace,
    did_you_mean,
    groups_of,
    render_diagnostics,
    summarise,
)

# Findings collected while input is read, and the exception that carries all of them.

_E = TypeVar("_E", bound=Enum)
_T = TypeVar("_T")


class InvalidInput(Exception):  # noqa: N818  (it is what the input is, not what went wrong in the program)
    """Input that cannot be used; it carries everything that was found, not only the first fault.

    Attributes:
        diagnostics: the findings, warnings included; at most twenty of one kind and file, and how many more there are.
        summary: how many errors and warnings there are in all.

    Examples:
        >>> import tracepact
        >>> try:
        ...     tracepact.score("boundary_gate", ref=[(2, 1)], pred=[(-1, 1)], durations=3)
        ... except tracepact.InvalidInput as error:
        ...     sorted(found.code for found in error.diagnostics)
        ['bad-time', 'offset-before-onset']
    """

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        kept = list(diagnostics)
        self.diagnostics = tuple(_bounded(kept))
        self.summary = summarise(kept)
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        return "\n" + render_diagnostics(self.diagnostics)


def _bounded(diagnostics: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    """At most twenty findings of one code and file, then how many more there are of each."""
    # An exception is kept and printed whole, and a table of a million rows may have the same fault in each of them.
    counts: Counter[Group] = Counter()
    more: Counter[Group] = Counter()
    for one, group in zip(diagnostics, groups_of(diagnostics), strict=True):
        counts[group] += 1
        if counts[group] <= SPELLED_OUT and not one.stands_for:
            yield one
        else:
            more[group] += one.number
    for (code, file), number in more.items():
        yield not_spelled_out(code, number, RowPlace(file) if file else None)


def not_spelled_out(code: str, number: int, place: Place | None = None) -> Diagnostic:
    """A finding that says how many more of its kind there are."""
    be = "is" if number == 1 else "are"
    return Diagnostic(code, f"{number:,} more of this kind {be} not spelled out", place, stands_for=number)


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


_OFFERED = 24
"""How many names a message lists; a run may have a hundred thousand clips."""


def known_name(name: str, known: Iterable[str], kind: str, code: str) -> str:
    """A name that is one of these; InvalidInput offers the nearest one and lists the choices."""
    choices = list(known)
    if name not in choices:
        listed = ", ".join(f"`{choice}`" for choice in choices[:_OFFERED]) or "none"
        if len(choices) > _OFFERED:
            listed += f" and {len(choices) - _OFFERED:,} more"
        near = did_you_mean(str(name), choices)
        hint = f"{near} " if near and near.startswith("did") else ""
        raise InvalidInput([Diagnostic(code, f"there is no {kind} `{name}`", None, f"{hint}known here: {listed}")])
    return name


def several(texts: Sequence[_T], function: str, what: str) -> Sequence[_T]:
    """Texts that are a list; InvalidInput for a single one, which would be taken as its characters."""
    if isinstance(texts, str):
        way = f"write `[{texts!r}]`"
        raise InvalidInput([Diagnostic("type-mismatch", f"`{function}` takes a list of {what}, not a text", None, way)])
    return texts


def one_of(kind: type[_E], value: object, what: str) -> _E:
    """The member of a kind, by itself or by its value; InvalidInput offers the nearest one and lists the choices."""
    if isinstance(value, kind):
        return value
    return kind(known_name(str(value), [str(member.value) for member in kind], what, "unknown-choice"))


def require_type(value: object, kinds: type | tuple[type, ...], what: str, expected: str) -> None:
    """InvalidInput for a value that is of none of these types; `expected` says in words what it should be."""
    if not isinstance(value, kinds) or isinstance(value, bool):
        actual = type(value).__name__
        raise InvalidInput([Diagnostic("type-mismatch", f"{what} is of type `{actual}`, not {expected}")])
