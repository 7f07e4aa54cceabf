"""Event predicates as Z3 arithmetic over what the attributes of one obligation are made of, times in frames.

A ratio is a fraction of two such numbers. A comparison with a single ratio is multiplied by its denominator, which is
positive, and stays linear (`abs`, `min` and `max` allow that); one with several ratios is not linear.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from fractions import Fraction
from functools import reduce
from typing import Any

from tracepact.core import (
    OBLIGATED,
    Absolute,
    And,
    Atom,
    Attribute,
    Comparison,
    Constant,
    Difference,
    Each,
    EventAtom,
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
    attributes,
)
from tracepact.frozen import dataclass
from tracepact.logic import solver as z3

_RELATIONS: dict[Relation, Any] = {
    Relation.LE: lambda a, b: a <= b,
    Relation.LT: lambda a, b: a < b,
    Relation.GE: lambda a, b: a >= b,
    Relation.GT: lambda a, b: a > b,
    Relation.EQ: lambda a, b: a == b,
    Relation.NE: lambda a, b: a != b,
}
_ABOVE = {Relation.GE, Relation.GT, Relation.NE}
_BELOW = {Relation.LE, Relation.LT, Relation.NE}


@dataclass(frozen=True, slots=True)
class SymbolicInterval:
    """An interval in numbers: its ends, the runs that overlap it, the frames they cover, the gaps between them."""

    onset: Any
    offset: Any
    covering: Any
    covered: Any
    longest: Any
    shortest: Any

    @property
    def duration(self) -> Any:
        """Its length."""
        return self.offset - self.onset


@dataclass(slots=True)
class SymbolicObligation:
    """One obligation in numbers; asking it a predicate may add the constraints that define a ratio."""

    name: str
    each: Each
    step: Fraction
    ref: SymbolicInterval
    pred: SymbolicInterval
    matched: Any
    dominant: Any
    context: "z3.Context"
    ratios: dict[Attribute, Any] = field(default_factory=dict)
    constraints: list[Any] = field(default_factory=list)

    @property
    def overlap(self) -> Any:
        """The frames that both intervals share, if they do."""
        return least(self.ref.offset, self.pred.offset) - greatest(self.ref.onset, self.pred.onset)

    def interval(self, owner: Owner) -> SymbolicInterval:
        """The interval of one side."""
        return self.ref if owner is Owner.REF else self.pred

    def formula(self, formula: Formula, event_atoms: Mapping[str, EventAtom]) -> Any:
        """The predicate as a Z3 Boolean."""

        def of(part: Formula) -> Any:
            return self.formula(part, event_atoms)

        match formula:
            case Atom(name):
                return self._event_atom(event_atoms[name])
            case Constant(value):
                return z3.BoolVal(value, self.context)
            case Not(body):
                return z3.Not(of(body))
            case And(a, b):
                return z3.And(of(a), of(b))
            case Or(a, b):
                return z3.Or(of(a), of(b))
            case Implies(a, b):
                return z3.Implies(of(a), of(b))
            case Iff(a, b):
                return of(a) == of(b)
        raise TypeError(f"an event predicate has no modalities, found {formula}")

    def _event_atom(self, atom: EventAtom) -> Any:
        match atom:
            case Flag(attribute):
                return _TRUTHS[attribute.name](self)
            case Comparison(relation, left, right, _):
                owners = {attribute.owner for attribute in attributes(atom)}
                truth = self._comparison(relation, left, right, atom)
                return truth if owners <= set(OBLIGATED[self.each]) else z3.And(self.matched, truth)

    def _comparison(self, relation: Relation, left: Term, right: Term, atom: Comparison) -> Any:
        """What is unbounded is greater than every time (rule 4.9)."""
        for side, unbounded in ((left, _ABOVE), (right, _BELOW)):
            match side:
                case Attribute(owner, name) if side.kind.may_be_unbounded:
                    some = self._bounded(relation, left, right, atom)
                    none = z3.BoolVal(relation in unbounded, self.context)
                    return z3.If(_IS_BOUNDED[name](self.interval(owner)), some, none)
                case _:
                    pass
        return self._bounded(relation, left, right, atom)

    def _bounded(self, relation: Relation, left: Term, right: Term, atom: Comparison) -> Any:
        ratios = {a for a in attributes(atom) if a.quantity is Quantity.RATIO}
        scale = self._fraction(next(iter(ratios)))[1] if len(ratios) == 1 else None
        return _RELATIONS[relation](self._term(left, scale), self._term(right, scale))

    def _term(self, term: Term, scale: Any) -> Any:
        """The value of a term, times in frames, multiplied by the denominator `scale` if there is one."""

        def of(part: Term) -> Any:
            return self._term(part, scale)

        match term:
            case Number(value, quantity):
                number = self._real(value / self.step if quantity is Quantity.TIME else value)
                return number if scale is None else number * z3.ToReal(scale)
            case Attribute():
                return self._attribute(term, scale)
            case Sum(a, b):
                return of(a) + of(b)
            case Difference(a, b):
                return of(a) - of(b)
            case Scaled(factor, body):
                return self._real(factor) * of(body)
            case Absolute(body):
                return absolute(of(body))
            case Minimum(arguments):
                return reduce(least, [of(argument) for argument in arguments])
            case Maximum(arguments):
                return reduce(greatest, [of(argument) for argument in arguments])

    def _attribute(self, attribute: Attribute, scale: Any) -> Any:
        if attribute.quantity is Quantity.RATIO:
            over, under = self._fraction(attribute)
            if scale is not None:
                return z3.ToReal(over)
            if attribute not in self.ratios:
                name = f"{self.name} {attribute.owner.value}.{attribute.name}"
                self.ratios[attribute] = z3.Real(name, self.context)
                self.constraints.append(self.ratios[attribute] * z3.ToReal(under) == z3.ToReal(over))
            return self.ratios[attribute]
        value = z3.ToReal(_NUMBERS[attribute.name](self, self.interval(attribute.owner)))
        return value if scale is None else value * z3.ToReal(scale)

    def _fraction(self, attribute: Attribute) -> tuple[Any, Any]:
        """Numerator and denominator of a ratio."""
        return _RATIOS[attribute.name](self, self.interval(attribute.owner))

    def _real(self, value: Fraction) -> Any:
        return z3.Q(value.numerator, value.denominator, self.context)


def absolute(a: Any) -> Any:
    """The absolute value."""
    return z3.If(a >= 0, a, -a)


def least(a: Any, b: Any) -> Any:
    """The lesser one."""
    return z3.If(a <= b, a, b)


def greatest(a: Any, b: Any) -> Any:
    """The greater one."""
    return z3.If(a >= b, a, b)


_NUMBERS: Mapping[str, Callable[[SymbolicObligation, SymbolicInterval], Any]] = {
    "onset": lambda obligation, own: own.onset,
    "offset": lambda obligation, own: own.offset,
    "duration": lambda obligation, own: own.duration,
    "overlap": lambda obligation, own: obligation.overlap,
    "covering": lambda obligation, own: own.covering,
    "longest_gap": lambda obligation, own: own.longest,
    "shortest_gap": lambda obligation, own: own.shortest,
}
"""Times in frames, and counts, of an obligation and the interval that owns the attribute."""

_RATIOS: Mapping[str, Callable[[SymbolicObligation, SymbolicInterval], tuple[Any, Any]]] = {
    "iou": lambda o, own: (o.overlap, o.ref.duration + o.pred.duration - o.overlap),
    "coverage": lambda obligation, own: (own.covered, own.duration),
    "purity": lambda obligation, own: (own.covered, own.duration),
}
"""Ratios as numerator and denominator, which is positive."""

_TRUTHS: Mapping[str, Callable[[SymbolicObligation], Any]] = {
    "matched": lambda obligation: obligation.matched,
    "dominant": lambda obligation: obligation.dominant,
}
_IS_BOUNDED: Mapping[str, Callable[[SymbolicInterval], Any]] = {"shortest_gap": lambda own: own.covering >= 2}
"""Where an attribute that may be unbounded is a number."""
