"""The attributes of event predicates: whose they are, what they measure, when they exist (rules 4.5 to 4.11).

Each is declared here once, and everything that only needs to know of it reads this table. Its value is defined by name
in `tracepact.events.attributes`, for many obligations at once in `tracepact.events.columns`, symbolically in
`tracepact.logic.arithmetic`, and independently of all these in the oracle.
"""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

from tracepact.frozen import dataclass


class Each(Enum):
    """What an event clause ranges over (rule 9.1)."""

    REF = "ref"
    PRED = "pred"
    MATCHED = "matched"


class Owner(Enum):
    """Whom an attribute belongs to: one of the two intervals, or the pair."""

    REF = "ref"
    PRED = "pred"
    PAIR = "pair"


OBLIGATED: Mapping[Each, tuple[Owner, ...]] = MappingProxyType(
    {Each.REF: (Owner.REF,), Each.PRED: (Owner.PRED,), Each.MATCHED: (Owner.REF, Owner.PRED)}
)
"""Whose interval an obligation always has."""


class Quantity(Enum):
    """The types of terms and attributes (rule 4.3)."""

    TIME = "time"
    RATIO = "ratio"
    COUNT = "count"
    TRUTH = "truth"

    @property
    def unit(self) -> str:
        """What its values are given in."""
        return _UNITS[self]


_UNITS = {
    Quantity.TIME: "seconds",
    Quantity.RATIO: "share from 0 to 1",
    Quantity.COUNT: "whole number",
    Quantity.TRUTH: "true or false",
}


class Existence(Enum):
    """When an attribute exists (rules 4.11 and 4.12)."""

    ALWAYS = "always"
    WITH_A_PARTNER = "if the obligated interval has a partner"
    WITH_ITS_INTERVAL = "of the obligated interval always, of its partner if there is one"
    OF_THE_OBLIGATED = "of the obligated interval only"


@dataclass(frozen=True, slots=True)
class AttributeKind:
    """An attribute of the language, with the rule that defines it and what it is in words.

    `may_be_unbounded` says that it can be greater than every time (rule 4.9), `compares_classes` that it depends on
    the references of other classes.
    """

    name: str
    owners: tuple[Owner, ...]
    quantity: Quantity
    exists: Existence
    rule: str
    words: str
    may_be_unbounded: bool = False
    compares_classes: bool = False


_PAIR = (Owner.PAIR,)
_EITHER = (Owner.REF, Owner.PRED)

_KINDS = (
    AttributeKind(
        "onset",
        _EITHER,
        Quantity.TIME,
        Existence.WITH_ITS_INTERVAL,
        "4.5",
        "the start of the interval, in seconds from the start of the clip",
    ),
    AttributeKind(
        "offset",
        _EITHER,
        Quantity.TIME,
        Existence.WITH_ITS_INTERVAL,
        "4.5",
        "the end of the interval, in seconds from the start of the clip",
    ),
    AttributeKind(
        "duration",
        _EITHER,
        Quantity.TIME,
        Existence.WITH_ITS_INTERVAL,
        "4.5",
        "the length of the interval, in seconds",
    ),
    AttributeKind(
        "matched",
        _PAIR,
        Quantity.TRUTH,
        Existence.ALWAYS,
        "4.6",
        "whether the interval has a partner",
    ),
    AttributeKind(
        "overlap",
        _PAIR,
        Quantity.TIME,
        Existence.WITH_A_PARTNER,
        "4.7",
        "the length of what the interval and its partner share, in seconds",
    ),
    AttributeKind(
        "iou",
        _PAIR,
        Quantity.RATIO,
        Existence.WITH_A_PARTNER,
        "4.7",
        "the overlap divided by the length of the union of the interval and its partner, from 0 to 1",
    ),
    AttributeKind(
        "covering",
        _EITHER,
        Quantity.COUNT,
        Existence.OF_THE_OBLIGATED,
        "4.8",
        "the number of intervals of the other side that overlap the interval, matched or not",
    ),
    AttributeKind(
        "coverage",
        _EITHER,
        Quantity.RATIO,
        Existence.OF_THE_OBLIGATED,
        "4.8",
        "the share of the interval that intervals of the other side cover, matched or not, from 0 to 1",
    ),
    AttributeKind(
        "longest_gap",
        (Owner.REF,),
        Quantity.TIME,
        Existence.OF_THE_OBLIGATED,
        "4.9",
        "the longest silence between two consecutive predicted intervals that both overlap the reference interval, "
        "in seconds; 0 if there is none",
    ),
    AttributeKind(
        "shortest_gap",
        (Owner.REF,),
        Quantity.TIME,
        Existence.OF_THE_OBLIGATED,
        "4.9",
        "the shortest silence between two consecutive predicted intervals that both overlap the reference interval, "
        "in seconds; greater than every time if there is none",
        may_be_unbounded=True,
    ),
    AttributeKind(
        "purity",
        (Owner.PRED,),
        Quantity.RATIO,
        Existence.OF_THE_OBLIGATED,
        "4.10",
        "the share of the predicted interval that references of its own class cover, from 0 to 1",
    ),
    AttributeKind(
        "dominant",
        (Owner.PRED,),
        Quantity.TRUTH,
        Existence.OF_THE_OBLIGATED,
        "4.10",
        "whether references of its own class cover more of the predicted interval than those of each other class",
        compares_classes=True,
    ),
)

ATTRIBUTES: Mapping[str, AttributeKind] = MappingProxyType({kind.name: kind for kind in _KINDS})
"""All attributes by name, in the order of their rules."""
