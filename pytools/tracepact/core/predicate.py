"""Event atoms: comparisons of typed terms over the attributes of an obligated interval (chapter 4)."""

from collections.abc import Iterable, Iterator
from enum import Enum
from fractions import Fraction
from functools import cache

from tracepact.core.attributes import ATTRIBUTES, OBLIGATED, AttributeKind, Each, Existence, Owner, Quantity
from tracepact.frozen import dataclass


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

    @property
    def kind(self) -> AttributeKind:
        """What the language says of it."""
        return ATTRIBUTES[self.name]


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


def compares_classes(atoms: Iterable[EventAtom]) -> bool:
    """Whether some event atoms depend on the references of other classes."""
    return any(attribute.kind.compares_classes for atom in atoms for attribute in attributes(atom))


@cache
def writable_attributes(each: Each) -> dict[str, Attribute]:
    """Every attribute that a predicate under this kind of obligation may mention, by how it is written (rule 4.11)."""
    found: dict[str, Attribute] = {}
    for kind in ATTRIBUTES.values():
        for owner in kind.owners:
            attribute = Attribute(owner, kind.name, kind.quantity)
            if owner is Owner.PAIR:
                found[kind.name] = attribute
            elif kind.exists is Existence.WITH_ITS_INTERVAL or owner in OBLIGATED[each]:
                found[f"{owner.value}.{kind.name}"] = attribute
                if kind.exists is not Existence.WITH_ITS_INTERVAL and len(OBLIGATED[each]) == 1:
                    found[kind.name] = attribute
    return found
