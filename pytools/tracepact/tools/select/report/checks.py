"""Records of what was checked of a selection beside its cases: disturbed copies, cases not seen, judgements."""

from fractions import Fraction
from typing import Annotated

from msgspec import Meta

from tracepact.records import Count, Record


class RobustnessRecord(Record, frozen=True):
    """What the selected contract does on a disturbed copy of the cases (14.22)."""

    disturbance: str
    changed: Annotated[int, Meta(ge=0, description="How many cases the disturbance changes.")]
    pairs: Count
    separated: Count
    ordered: Count | None
    faults: Count
    named: Count


class OwnReferencesRecord(Record, frozen=True):
    """The user's references: on which clips the cases were made anew, which change no case, how many are not used."""

    used: tuple[str, ...]
    same: Annotated[tuple[str, ...], Meta(description="Clips that were left out because no case changes on them.")]
    unused: Annotated[int, Meta(ge=0, description="How many other clips with events there are.")]


class StabilityRecord(Record, frozen=True):
    """A case, and the selected clauses that are not selected without it (14.23)."""

    case: str
    gone: tuple[str, ...]


class ShareRecord(Record, frozen=True):
    """So many of so many, with an interval at 95 % as if all were independent."""

    count: Count
    of: Count
    interval: tuple[float, float]


class HoldoutRecord(Record, frozen=True):
    """Pairs with a case that the selection had not seen: how many it separates and orders (14.24)."""

    folds: Annotated[int, Meta(ge=2)]
    separated: ShareRecord
    ordered: Annotated[ShareRecord | None, Meta(description="Null where no order, and so no weights, were asked for.")]


class CasePair(Record, frozen=True):
    """Two cases, the worse one first."""

    worse: str
    better: str


class ViolatedPreference(CasePair, frozen=True):
    """A preference that the contract does not keep, with its weight and who said it."""

    weight: Fraction
    judges: tuple[str, ...]


class ContradictionRecord(CasePair, frozen=True):
    """Two cases that were judged both ways, and the weight of each side, the heavier first."""

    weight: Fraction
    against: Fraction


class PreferencesRecord(Record, frozen=True):
    """The judgements a selection was made from, what it violates of them, and what is proved of that (14.26, 14.27)."""

    file: str
    judgements: Count
    same: Count
    judges: tuple[str, ...]
    weight: Fraction
    violated: tuple[ViolatedPreference, ...]
    violated_weight: Fraction
    bound: Annotated[Fraction, Meta(description="No contract of these candidates violates less.")]
    contradictions: tuple[ContradictionRecord, ...]
    pairs: Annotated[int, Meta(ge=0, description="How many different pairs were judged.")]
    undecided: Annotated[int, Meta(ge=0, description="Of these, on how many both sides have the same weight.")]
    folds: Count | None
    agreement: ShareRecord | None
