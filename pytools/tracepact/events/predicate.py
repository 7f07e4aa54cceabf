"""Predicates as functions of an obligation: event atoms, missing partners, the failing part (chapter 4)."""

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import lcm
from typing import Any

from tracepact.core import (
    And,
    Atom,
    Comparison,
    Constant,
    EventAtom,
    Flag,
    Formula,
    Iff,
    Implies,
    Located,
    Not,
    Or,
    Owner,
    Quantity,
    Relation,
    attributes,
)
from tracepact.events.attributes import UNBOUNDED, Obligation, Unbounded, Value, truth_of
from tracepact.events.terms import absolute, denominators, side, times
from tracepact.frozen import dataclass

_RELATIONS: dict[Relation, Callable[[Any, Any], bool]] = {
    Relation.LE: operator.le,
    Relation.LT: operator.lt,
    Relation.GE: operator.ge,
    Relation.GT: operator.gt,
    Relation.EQ: operator.eq,
    Relation.NE: operator.ne,
}


@dataclass(frozen=True, slots=True)
class PreparedComparison:
    """A comparison whose sides, times in frames, are multiplied by the common denominator of its constants.

    A side times `unit` is its value in seconds or plain numbers; it exists when nothing is missing.
    """

    comparison: Comparison
    scale: int
    unit: Fraction
    needs_ref: bool
    needs_pred: bool
    holds: Callable[[Any, Any], bool]
    left: Callable[[Obligation], Value]
    right: Callable[[Obligation], Value]

    def is_missing(self, obligation: Obligation) -> bool:
        """Whether it mentions an attribute of a partner that is not there (rule 4.12)."""
        return (self.needs_ref and obligation.ref is None) or (self.needs_pred and obligation.pred is None)

    def truth(self, obligation: Obligation) -> bool:
        """Whether the relation holds; false when a mentioned partner is missing."""
        ref, pred, _ = obligation
        if (ref is None and self.needs_ref) or (pred is None and self.needs_pred):
            return False
        return self.holds(self.left(obligation), self.right(obligation))

    def sides(self, obligation: Obligation) -> tuple[Value, Value]:
        """Both sides in seconds if they are times, else as plain numbers."""
        return times(self.unit, self.left(obligation)), times(self.unit, self.right(obligation))


@dataclass(frozen=True, slots=True)
class PreparedFlag:
    """A truth-valued attribute; false when its owner is missing."""

    name: str
    truth: Callable[[Obligation], bool]


PreparedAtom = PreparedComparison | PreparedFlag


def prepare(atom: EventAtom, step: Fraction) -> PreparedAtom:
    """An event atom ready to be asked about obligations on a grid of this step."""
    match atom:
        case Flag(attribute):
            return PreparedFlag(attribute.name, truth_of(attribute))
        case Comparison(relation, left, right, quantity):
            owners = {attribute.owner for attribute in attributes(atom)}
            scale = lcm(*denominators(left, step), *denominators(right, step))
            return PreparedComparison(
                atom,
                scale,
                (step if quantity is Quantity.TIME else Fraction(1)) / scale,
                needs_ref=not owners.isdisjoint({Owner.REF, Owner.PAIR}),
                needs_pred=not owners.isdisjoint({Owner.PRED, Owner.PAIR}),
                holds=_RELATIONS[relation],
                left=side(left, step, scale),
                right=side(right, step, scale),
            )


def truth(formula: Formula, event_atoms: Mapping[str, PreparedAtom]) -> Callable[[Obligation], bool]:
    """A predicate as a function of an obligation (rules 4.1 and 9.2)."""
    match formula:
        case Atom(name):
            return event_atoms[name].truth
        case Constant(value):
            return lambda _: value
        case Not(body):
            inner = truth(body, event_atoms)
            return lambda o: not inner(o)
        case And(a, b):
            left, right = truth(a, event_atoms), truth(b, event_atoms)
            return lambda o: left(o) and right(o)
        case Or(a, b):
            left, right = truth(a, event_atoms), truth(b, event_atoms)
            return lambda o: left(o) or right(o)
        case Implies(a, b):
            left, right = truth(a, event_atoms), truth(b, event_atoms)
            return lambda o: not left(o) or right(o)
        case Iff(a, b):
            left, right = truth(a, event_atoms), truth(b, event_atoms)
            return lambda o: left(o) == right(o)
    raise TypeError(f"an event predicate has no modalities, found {formula}")


def failing_part(body: Located, event_atoms: Mapping[str, PreparedAtom], obligation: Obligation) -> Located:
    """The part to blame for a false predicate: of `and` the first false, of `implies` the right (10.1)."""
    match body.formula, body.parts:
        case And(), (left, right):
            blamed = right if truth(left.formula, event_atoms)(obligation) else left
            return failing_part(blamed, event_atoms, obligation)
        case Implies(), (_, right):
            return failing_part(right, event_atoms, obligation)
    return body


def shortfall(relation: Relation, left: Value, right: Value) -> Value:
    """How far a comparison that fails is from holding (rule 10.4); 0 where only a tie is in the way."""
    if left == right:
        return 0
    if isinstance(left, Unbounded) or isinstance(right, Unbounded):
        return UNBOUNDED
    match relation:
        case Relation.LE | Relation.LT:
            return left - right
        case Relation.GE | Relation.GT:
            return right - left
        case Relation.EQ | Relation.NE:
            return absolute(left - right)
