"""A calibration set: trace pairs with names, risks in words and ranks, on one grid (chapter 14)."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from tracepact.calibration.edits import Edit
from tracepact.calibration.family import CandidateFamily
from tracepact.core import Projection
from tracepact.diagnostics import Diagnostic, Source, TextPlace
from tracepact.trace import Event

Masks = tuple[tuple[str, tuple[tuple[Fraction, Fraction], ...]], ...]
"""By declared atom the times where it holds in a clip (14.33)."""


def declared_atoms(masks: Iterable[Masks]) -> tuple[str, ...]:
    """The atoms that some masks are of, each once, in order."""
    return tuple(dict.fromkeys(name for some in masks for name, _ in some))


@dataclass(frozen=True, slots=True)
class Reference:
    """Named events of one clip, and where declared atoms hold in it."""

    name: str
    duration: Fraction
    events: tuple[Event, ...]
    masks: Masks = ()


@dataclass(frozen=True, slots=True)
class Case:
    """A prediction against a reference, how bad it is, and why; `how` says how the prediction was given.

    Only cases of one `group` are compared: a disturbed copy of a set is a group of its own (14.22).
    """

    name: str
    risk: str
    rank: Fraction
    fault: str
    how: str
    duration: Fraction
    ref: tuple[Event, ...]
    pred: tuple[Event, ...]
    place: TextPlace | None = field(default=None, compare=False, repr=False)
    edit: Edit | None = field(default=None, compare=False, repr=False)
    group: str = ""
    masks: Masks = ()

    @property
    def perfect(self) -> bool:
        """Whether the prediction is the reference: a case without a fault."""
        return self.ref == self.pred

    def rounded(self, step: Fraction) -> bool:
        """Whether some time is not a multiple of the step, so that the grid moves it."""
        return any((time / step).denominator != 1 for e in (*self.ref, *self.pred) for time in (e.onset, e.offset))


@dataclass(frozen=True, slots=True)
class OwnReferences:
    """References of the user's that are used, the clips that change no case, and how many clips have events (14.22)."""

    used: tuple[Reference, ...]
    same: tuple[str, ...]
    clips: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """Cases on one grid, the references they came from, and the family of candidates declared beside them."""

    name: str
    title: str | None
    step: Fraction
    projection: Projection
    merge_gap: Fraction
    cases: tuple[Case, ...]
    references: tuple[Reference, ...]
    family: CandidateFamily
    source: Source = field(compare=False, repr=False)
    digest: str = field(default="", compare=False)
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)
    own: OwnReferences | None = None
    """References of the user's, on each of which a disturbed copy of the cases is made (14.22)."""

    @property
    def atoms(self) -> tuple[str, ...]:
        """The declared atoms that references and cases have masks of, in order."""
        return declared_atoms([*(r.masks for r in self.references), *(case.masks for case in self.cases)])

    @property
    def ranks(self) -> tuple[Fraction, ...]:
        """The ranks that occur, ascending."""
        return tuple(sorted({case.rank for case in self.cases}))
