"""Event predicates as Lean text: terms, comparisons and truth-valued attributes (chapter 4)."""

from collections.abc import Mapping
from fractions import Fraction

from tracepact.core import (
    Absolute,
    And,
    Atom,
    Attribute,
    Comparison,
    Constant,
    Difference,
    EventAtom,
    EventClause,
    Flag,
    Formula,
    Iff,
    Implies,
    Maximum,
    Minimum,
    Not,
    Number,
    Or,
    Owner,
    Quantity,
    Relation,
    Scaled,
    Sum,
    Term,
)
from tracepact.tools.prove.text import lean_bool

_RELATIONS = {
    Relation.LE: ".le",
    Relation.LT: ".lt",
    Relation.GE: ".ge",
    Relation.GT: ".gt",
    Relation.EQ: ".eq",
    Relation.NE: ".ne",
}
_SIDED = ("onset", "offset", "duration", "covering", "coverage")
_UNSIDED = {
    "longest_gap": ".longestGap",
    "shortest_gap": ".shortestGap",
    "purity": ".purity",
    "overlap": ".overlap",
    "iou": ".iou",
}


def lean_number(value: Fraction) -> str:
    """A signed fraction."""
    top = abs(value.numerator)
    parts = (top, 0) if value >= 0 else (0, top)
    return f"⟨{parts[0]}, {parts[1]}, {value.denominator}⟩"


def lean_predicate(clause: EventClause, unit: int) -> str:
    """The predicate of an event clause; times in units of `1 / unit` seconds."""
    atoms = dict(clause.event_atoms)
    return _predicate(clause.formula, atoms, unit)


def _predicate(formula: Formula, atoms: Mapping[str, EventAtom], unit: int) -> str:
    def of(part: Formula) -> str:
        return _predicate(part, atoms, unit)

    match formula:
        case Atom(name):
            return _atom(atoms[name], unit)
        case Constant(value):
            return f"(.constant {lean_bool(value)})"
        case Not(body):
            return f"(.not {of(body)})"
        case And(a, b):
            return f"(.and {of(a)} {of(b)})"
        case Or(a, b):
            return f"(.or {of(a)} {of(b)})"
        case Implies(a, b):
            return f"(.implies {of(a)} {of(b)})"
        case Iff(a, b):
            return f"(.iff {of(a)} {of(b)})"
    raise TypeError(f"an event predicate has no modalities, found {formula}")


def _atom(atom: EventAtom, unit: int) -> str:
    match atom:
        case Flag(attribute):
            return f".{attribute.name}"
        case Comparison(relation, left, right, _):
            return f"(.compare {_RELATIONS[relation]} {_term(left, unit)} {_term(right, unit)})"


def _term(term: Term, unit: int) -> str:
    match term:
        case Number(value, quantity):
            return f"(.number {lean_number(value * unit if quantity is Quantity.TIME else value)})"
        case Attribute():
            return f"(.attribute {_attribute(term)})"
        case Sum(a, b):
            return f"(.sum {_term(a, unit)} {_term(b, unit)})"
        case Difference(a, b):
            return f"(.difference {_term(a, unit)} {_term(b, unit)})"
        case Scaled(factor, body):
            return f"(.scaled {lean_number(factor)} {_term(body, unit)})"
        case Absolute(body):
            return f"(.absolute {_term(body, unit)})"
        case Minimum(arguments):
            return _nested(".minimum", arguments, unit)
        case Maximum(arguments):
            return _nested(".maximum", arguments, unit)


def _nested(name: str, arguments: tuple[Term, ...], unit: int) -> str:
    """The least or greatest of several, two at a time."""
    *rest, text = (_term(argument, unit) for argument in arguments)
    for other in reversed(rest):
        text = f"({name} {other} {text})"
    return text


def _attribute(attribute: Attribute) -> str:
    if attribute.name in _SIDED:
        return f"(.{attribute.name} .{'ref' if attribute.owner is Owner.REF else 'pred'})"
    return _UNSIDED[attribute.name]
