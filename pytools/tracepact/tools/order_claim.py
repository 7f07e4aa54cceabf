"""The order that a selected contract claims to keep: its cases, pairs and margin, as a file (rule 14.28)."""

from fractions import Fraction
from pathlib import Path
from typing import Annotated

from msgspec import DecodeError, Meta, ValidationError, json

from tracepact.diagnostics import Diagnostics, InvalidInput, RowPlace
from tracepact.records import Count, Name, NotNegative, Record, record_of
from tracepact.trace import Event

FILE = "order.json"
"""What the file is called in the folder of a selection."""
_MOST_BYTES = 100_000_000


class ClaimedEvent(Record, frozen=True):
    """An event of a case."""

    onset: NotNegative
    offset: NotNegative
    label: str

    @classmethod
    def of(cls, event: Event) -> "ClaimedEvent":
        """The record of an event."""
        return cls(event.onset, event.offset, event.label)

    @property
    def event(self) -> Event:
        """The event."""
        return Event(self.onset, self.offset, self.label)


class ClaimedCase(Record, frozen=True):
    """A case of a calibration set with its own times."""

    name: str
    duration: NotNegative
    ref: tuple[ClaimedEvent, ...]
    pred: tuple[ClaimedEvent, ...]


class OrderClaim(Record, frozen=True):
    """What is claimed: under the contract's profile the mean is lower by the margin on the first case of every pair."""

    contract: Annotated[str, Meta(description="The text of the selected contract.")]
    profile: Name
    margin: NotNegative
    cases: Annotated[tuple[ClaimedCase, ...], Meta(min_length=2)]
    pairs: Annotated[
        tuple[tuple[Count, Count], ...],
        Meta(min_length=1, description="The places of two cases, the worse one first."),
    ]


def read_claim(path: Path) -> OrderClaim:
    """The claim of a file, or of the folder that a selection was written to.

    InvalidInput says why there is none: the file is missing, is not of this form, or is inconsistent in itself.
    """
    file = path / FILE if path.is_dir() else path
    diagnostics = Diagnostics()
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise ValueError("the file is longer than any claim")
        claim = record_of(json.decode(file.read_bytes()), OrderClaim)
    except OSError as error:
        headline = f"cannot read `{file}`: {(error.strerror or str(error)).lower()}"
        help = "`tracepact select … --out FOLDER` writes it where the order is required and some pair is ordered"
        diagnostics.add("unreadable-file", headline, RowPlace(str(file)), help)
        raise InvalidInput(diagnostics) from error
    except (DecodeError, ValidationError, ValueError, RecursionError) as error:
        diagnostics.add("wrong-form", f"this is not the claim of a selection: {error}", RowPlace(str(file)))
        raise InvalidInput(diagnostics) from error
    for fault in _faults(claim):
        diagnostics.add("wrong-form", fault, RowPlace(str(file)))
    diagnostics.raise_errors()
    return claim


def _faults(claim: OrderClaim) -> list[str]:
    """What is wrong with a claim whatever its contract says."""
    names = [case.name for case in claim.cases]
    faults = [f"two cases are called `{name}`" for name in sorted({n for n in names if names.count(n) > 1})]
    faults += [f"`{case.name}` has no duration" for case in claim.cases if case.duration == 0]
    for case in claim.cases:
        events = (*case.ref, *case.pred)
        faults += [f"an event of `{case.name}` has no length" for event in events if event.offset <= event.onset]
        faults += [f"an event of `{case.name}` ends after it" for event in events if event.offset > case.duration]
    number = len(names)
    faults += [f"there is no case {place}" for pair in claim.pairs for place in pair if place >= number]
    faults += [f"case {worse} is paired with itself" for worse, better in claim.pairs if worse == better]
    if claim.margin == Fraction(0):
        faults.append("a margin of 0 orders nothing")
    return faults
