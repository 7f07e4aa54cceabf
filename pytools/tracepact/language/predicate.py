"""Event atoms and the attributes they compare: what they measure, and when they exist (chapter 4)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from functools import cache
from types import MappingProxyType

from tracepact.declarations import dataclass

# The attributes of event predicates: whose they are, what they measure, when they exist (rules 4.5 to 4.11).
#
# Each is declared here once, and everything that only needs to know of it reads this table. Its value is defined by
# name in `tracepact.evaluate.predicates`, for many obligations at once in `tracepact.evaluate.event_clauses`,
# symbolically in `tracepact.logic.arithmetic`, and independently of all these in the oracle.


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


class TermType(Enum):
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
    TermType.TIME: "seconds",
    TermType.RATIO: "share from 0 to 1",
    TermType.COUNT: "whole number",
    TermType.TRUTH: "true or false",
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
    quantity: TermType
    exists: Existence
    rule: str
    words: str
    may_be_unbounded: bool = False
    compares_classes: bool = False


def _kinds(
    owners: tuple[Owner, ...], exists: Existence, *rows: tuple[str, TermType, str, str], **more: bool
) -> Iterator[AttributeKind]:
    """The attributes of some owners that exist alike: name, what it measures, rule, words."""
    for name, quantity, rule, words in rows:
        yield AttributeKind(name, owners, quantity, exists, rule, words, **more)


_EITHER, _PAIR, _REF, _PRED = (Owner.REF, Owner.PRED), (Owner.PAIR,), (Owner.REF,), (Owner.PRED,)
_SILENCE = "silence between two consecutive predicted intervals that both overlap the reference interval, in seconds"

_KINDS = (
    *_kinds(
        _EITHER,
        Existence.WITH_ITS_INTERVAL,
        ("onset", TermType.TIME, "4.5", "the start of the interval, in seconds from the start of the clip"),
        ("offset", TermType.TIME, "4.5", "the end of the interval, in seconds from the start of the clip"),
        ("duration", TermType.TIME, "4.5", "the length of the interval, in seconds"),
    ),
    *_kinds(_PAIR, Existence.ALWAYS, ("matched", TermType.TRUTH, "4.6", "whether the interval has a partner")),
    *_kinds(
        _PAIR,
        Existence.WITH_A_PARTNER,
        ("overlap", TermType.TIME, "4.7", "the length of what the interval and its partner share, in seconds"),
        (
            "iou",
            TermType.RATIO,
            "4.7",
            "the overlap divided by the length of the union of the interval and its partner, from 0 to 1",
        ),
    ),
    *_kinds(
        _EITHER,
        Existence.OF_THE_OBLIGATED,
        (
            "covering",
            TermType.COUNT,
            "4.8",
            "the number of intervals of the other side that overlap the interval, matched or not",
        ),
        (
            "coverage",
            TermType.RATIO,
            "4.8",
            "the share of the interval that intervals of the other side cover, matched or not, from 0 to 1",
        ),
    ),
    *_kinds(
        _REF,
        Existence.OF_THE_OBLIGATED,
        ("longest_gap", TermType.TIME, "4.9", f"the longest {_SILENCE}; 0 if there is none"),
    ),
    *_kinds(
        _REF,
        Existence.OF_THE_OBLIGATED,
        ("shortest_gap", TermType.TIME, "4.9", f"the shortest {_SILENCE}; greater than every time if there is none"),
        may_be_unbounded=True,
    ),
    *_kinds(
        _PRED,
        Existence.OF_THE_OBLIGATED,
        (
            "purity",
            TermType.RATIO,
            "4.10",
            "the share of the predicted interval that references of its own class cover, from 0 to 1",
        ),
    ),
    *_kinds(
        _PRED,
        Existence.OF_THE_OBLIGATED,
        (
            "dominant",
            TermType.TRUTH,
            "4.10",
            "whether references of its own class cover more of the predicted interval than those of each other class",
        ),
        compares_classes=True,
    ),
)

ATTRIBUTES: Mapping[str, AttributeKind] = MappingProxyType({kind.name: kind for kind in _KINDS})
"""All attributes by name, in the order of their rules."""


# Event atoms: comparisons of typed terms over the attributes of an obligated interval (chapter 4).


class Relation(Enum):
    """The comparisons."""

    LE = "<="
    LT = "<"
    GE = ">="
    GT = ">"
    EQ = "=="
    NE = "!="


@dataclass(frozen=True, slots=True)
class ConstantTerm:
    """A constant: seconds if a time, else a plain number."""

    value: Fraction
    quantity: TermType


@dataclass(frozen=True, slots=True)
class Attribute:
    """A named property of the obligated interval, its partner or the pair."""

    owner: Owner
    name: str
    quantity: TermType

    @property
    def kind(self) -> AttributeKind:
        """What the language says of it."""
        return ATTRIBUTES[self.name]


@dataclass(frozen=True, slots=True)
class TermSum:
    """left + right."""

    left: "Term"
    right: "Term"


@dataclass(frozen=True, slots=True)
class TermDifference:
    """left - right."""

    left: "Term"
    right: "Term"


@dataclass(frozen=True, slots=True)
class Scaled:
    """A constant factor times a term."""

    factor: Fraction
    body: "Term"


@dataclass(frozen=True, slots=True)
class Absolute:
    """The absolute value."""

    body: "Term"


@dataclass(frozen=True, slots=True)
class Minimum:
    """The least of its arguments."""

    arguments: tuple["Term", ...]


@dataclass(frozen=True, slots=True)
class Maximum:
    """The greatest of its arguments."""

    arguments: tuple["Term", ...]


Term = ConstantTerm | Attribute | TermSum | TermDifference | Scaled | Absolute | Minimum | Maximum


@dataclass(frozen=True, slots=True)
class TermComparison:
    """A relation between two terms of one type."""

    relation: Relation
    left: Term
    right: Term
    quantity: TermType


@dataclass(frozen=True, slots=True)
class Flag:
    """A truth-valued attribute."""

    attribute: Attribute


EventAtom = TermComparison | Flag


def term_parts(term: Term) -> tuple[Term, ...]:
    """The direct parts of a term."""
    match term:
        case ConstantTerm() | Attribute():
            return ()
        case TermSum(a, b) | TermDifference(a, b):
            return (a, b)
        case Scaled(_, body) | Absolute(body):
            return (body,)
        case Minimum(arguments) | Maximum(arguments):
            return arguments


def with_parts(term: Term, parts: Sequence[Term]) -> Term:
    """The term with other parts in the place of its direct ones."""
    match term:
        case ConstantTerm() | Attribute():
            return term
        case TermSum() | TermDifference() | Absolute():
            return type(term)(*parts)
        case Scaled(factor, _):
            return Scaled(factor, *parts)
        case Minimum() | Maximum():
            return type(term)(tuple(parts))


def subterms(term: Term) -> Iterator[Term]:
    """The term and all its parts."""
    yield term
    for part in term_parts(term):
        yield from subterms(part)


def attributes(node: Term | EventAtom) -> Iterator[Attribute]:
    """The attributes a term or event atom mentions."""
    match node:
        case Flag(attribute):
            yield attribute
        case TermComparison(_, left, right, _):
            yield from attributes(left)
            yield from attributes(right)
        case _:
            yield from (part for part in subterms(node) if isinstance(part, Attribute))


_ABOVE = {Relation.GE, Relation.GT, Relation.NE}
_BELOW = {Relation.LE, Relation.LT, Relation.NE}


def unbounded_side(atom: TermComparison) -> tuple[Attribute, bool] | None:
    """The side that may be greater than every time (rule 4.9), and the truth of the comparison where it is.

    The type check allows such an attribute on one side only, and alone there.
    """
    for side, true in ((atom.left, _ABOVE), (atom.right, _BELOW)):
        if isinstance(side, Attribute) and side.kind.may_be_unbounded:
            return side, atom.relation in true
    return None


def compares_classes(atoms: Iterable[EventAtom]) -> bool:
    """Whether some event atoms depend on the references of other classes."""
    return any(attribute.kind.compares_classes for atom in atoms for attribute in attributes(atom))


@cache
def writable_attributes(each: Each) -> dict[str, Attribute]:
    """Every attribute that a predicate under this kind of obligation may mention, by how it is written (rule 4.11)."""
    by_spelling: dict[str, Attribute] = {}
    for kind in ATTRIBUTES.values():
        for owner in kind.owners:
            attribute = Attribute(owner, kind.name, kind.quantity)
            if owner is Owner.PAIR:
                by_spelling[kind.name] = attribute
            elif kind.exists is Existence.WITH_ITS_INTERVAL or owner in OBLIGATED[each]:
                by_spelling[f"{owner.value}.{kind.name}"] = attribute
                if kind.exists is not Existence.WITH_ITS_INTERVAL and len(OBLIGATED[each]) == 1:
                    by_spelling[kind.name] = attribute
    return by_spelling
