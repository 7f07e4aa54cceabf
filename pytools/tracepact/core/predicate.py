"""Event atoms: comparisons of typed terms over the attributes of an obligated interval (chapter 4)."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction


class Quantity(Enum):
    """The types of terms and attributes."""

    TIME = "time"
    RATIO = "ratio"
    COUNT = "count"
    TRUTH = "truth"


class Owner(Enum):
    """Whom an attribute belongs to: one of the two intervals, or the pair."""

    REF = "ref"
    PRED = "pred"
    PAIR = "pair"


class Relation(Enum):
    """The comparisons."""

    LE = "<="
    LT = "<"
    GE = ">="
    GT = ">"
    EQ = "=="
    NE = "!="


@dataclass(frozen=True, slots=True)
class Number:
    """A constant: seconds if a time, else a plain number."""

    value: Fraction
    quantity: Quantity


@dataclass(frozen=True, slots=True)
class Attribute:
    """A named property of the obligated interval, its partner or the pair."""

    owner: Owner
    name: str
    quantity: Quantity


@dataclass(frozen=True, slots=True)
class Sum:
    """left + right."""

    left: "Term"
    right: "Term"


@dataclass(frozen=True, slots=True)
class Difference:
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


Term = Number | Attribute | Sum | Difference | Scaled | Absolute | Minimum | Maximum


@dataclass(frozen=True, slots=True)
class Comparison:
    """A relation between two terms of one type."""

    relation: Relation
    left: Term
    right: Term
    quantity: Quantity


@dataclass(frozen=True, slots=True)
class Flag:
    """A truth-valued attribute."""

    attribute: Attribute


EventAtom = Comparison | Flag


def attributes(node: Term | EventAtom) -> Iterator[Attribute]:
    """The attributes a term or event atom mentions."""
    match node:
        case Number():
            return
        case Attribute():
            yield node
        case Sum(a, b) | Difference(a, b) | Comparison(_, a, b, _):
            yield from attributes(a)
            yield from attributes(b)
        case Scaled(_, body) | Absolute(body):
            yield from attributes(body)
        case Minimum(arguments) | Maximum(arguments):
            for argument in arguments:
                yield from attributes(argument)
        case Flag(attribute):
            yield attribute
