"""What one batch gives, or many together, as a record that can be added."""

from typing import Generic, Protocol, Self, TypeVar

from tracepact.io.units import Ends
from tracepact.records import Record
from tracepact.tools.score.report.preparation import OutsideEvent
from tracepact.tools.score.tally import FindingsTally


class Tally(Protocol):
    """What is counted of some clips: it can be added in any order, and says what was odd about the input."""

    @property
    def findings(self) -> FindingsTally:
        """What was found."""

    def __add__(self, other: Self) -> Self: ...


Tallied = TypeVar("Tallied", bound=Tally)
NO_FINDINGS = FindingsTally({}, ())


class SideSum(Record, frozen=True):
    """What was done to a side, and how its events end."""

    dropped: int = 0
    ignored: int = 0
    ends: tuple[int, int, int, int] = (0, 0, 0, 0)

    def __add__(self, other: "SideSum") -> "SideSum":
        ends = Ends(*self.ends) + Ends(*other.ends)
        both = (ends.events, ends.far, ends.outside, ends.tiny)
        return SideSum(self.dropped + other.dropped, self.ignored + other.ignored, both)


class PlacedOutside(Record, frozen=True):
    """A predicted event outside its clip, and its place: clip, number."""

    place: tuple[int, int]
    found: OutsideEvent


class GivenUp(Record, frozen=True):
    """A batch that failed: its number, its first and last clip, how many clips it has, and why it failed."""

    batch: int
    first: str
    last: str
    clips: int
    why: str


class BatchSum(Record, Generic[Tallied], frozen=True):
    """What one batch gives, or many together; without a tally if no batch could be counted."""

    batches: int
    tally: Tallied | None
    errors: FindingsTally
    reference: SideSum
    prediction: SideSum
    outside: tuple[PlacedOutside, ...] = ()
    given_up: tuple[GivenUp, ...] = ()

    @property
    def findings(self) -> FindingsTally:
        """What was found of the clips that were counted."""
        return NO_FINDINGS if self.tally is None else self.tally.findings

    def __add__(self, other: "BatchSum[Tallied]") -> "BatchSum[Tallied]":
        tallies = [one for one in (self.tally, other.tally) if one is not None]
        return BatchSum(
            self.batches + other.batches,
            tallies[0] + tallies[1] if len(tallies) == 2 else tallies[0] if tallies else None,
            self.errors + other.errors,
            self.reference + other.reference,
            self.prediction + other.prediction,
            tuple(sorted((*self.outside, *other.outside), key=lambda one: one.place)),
            tuple(sorted((*self.given_up, *other.given_up), key=lambda one: one.batch)),
        )
