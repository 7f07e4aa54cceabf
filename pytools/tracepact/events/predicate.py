"""Event atoms as functions of an obligation: terms in frames, comparisons, and the missing partner (chapter 4)."""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tracepact.core import (
    Absolute,
    Attribute,
    Comparison,
    Difference,
    EventAtom,
    Flag,
    Maximum,
    Minimum,
    Number,
    Owner,
    Quantity,
    Relation,
    Scaled,
    Sum,
    Term,
    attributes,
)
from tracepact.events.attributes import (
    Exact,
    Obligation,
    Unbounded,
    Value,
    coverage,
    covering,
    dominant,
    duration,
    iou,
    longest_gap,
    overlap,
    purity,
    shortest_gap,
)
from tracepact.trace import Run

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
    """A comparison whose constants are in frames; its sides may only be asked for when nothing is missing."""

    comparison: Comparison
    step: Fraction
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
        if self.is_missing(obligation):
            return False
        return self.holds(self.left(obligation), self.right(obligation))

    def sides(self, obligation: Obligation) -> tuple[Value, Value]:
        """Both sides in the unit of their quantity: seconds, or plain numbers."""
        left, right = self.left(obligation), self.right(obligation)
        if self.comparison.quantity is Quantity.TIME:
            return _seconds(left, self.step), _seconds(right, self.step)
        return left, right


@dataclass(frozen=True, slots=True)
class PreparedFlag:
    """A truth-valued attribute; false when its owner is missing."""

    truth: Callable[[Obligation], bool]


PreparedAtom = PreparedComparison | PreparedFlag


def prepare(atom: EventAtom, step: Fraction) -> PreparedAtom:
    """An event atom ready to be asked about obligations on a grid of this step."""
    match atom:
        case Flag(attribute):
            return PreparedFlag(_flag(attribute))
        case Comparison(relation, left, right, _):
            owners = {attribute.owner for attribute in attributes(atom)}
            return PreparedComparison(
                atom,
                step,
                needs_ref=not owners.isdisjoint({Owner.REF, Owner.PAIR}),
                needs_pred=not owners.isdisjoint({Owner.PRED, Owner.PAIR}),
                holds=_RELATIONS[relation],
                left=_side(left, step),
                right=_side(right, step),
            )


def shortfall(relation: Relation, left: Value, right: Value) -> Value:
    """How far a comparison that fails is from holding (rule 10.4); 0 where only a tie is in the way."""
    if left == right:
        return 0
    if isinstance(left, Unbounded) or isinstance(right, Unbounded):
        return Unbounded()
    match relation:
        case Relation.LE | Relation.LT:
            return left - right
        case Relation.GE | Relation.GT:
            return right - left
        case Relation.EQ | Relation.NE:
            return abs(left - right)


def _seconds(frames: Value, step: Fraction) -> Value:
    return frames if isinstance(frames, Unbounded) else frames * step


def _flag(attribute: Attribute) -> Callable[[Obligation], bool]:
    match attribute.name:
        case "matched":
            return lambda o: o.ref is not None and o.pred is not None
        case "dominant":
            return lambda o: (
                o.pred is not None and dominant(o.pred, o.scene.refs, o.scene.refs_of_other_classes)
            )
    raise ValueError(f"`{attribute.name}` is not a truth-valued attribute")


def _side(term: Term, step: Fraction) -> Callable[[Obligation], Value]:
    """A side of a comparison: a shortest gap alone, or a term (rule 4.9)."""
    match term:
        case Attribute(_, "shortest_gap"):
            return lambda o: shortest_gap(_ref(o), o.scene.preds)
        case _:
            return _term(term, step)


def _term(term: Term, step: Fraction) -> Callable[[Obligation], Exact]:
    """The value of a term, times in frames."""
    match term:
        case Number(value, quantity):
            constant = _whole(value / step if quantity is Quantity.TIME else value)
            return lambda _: constant
        case Attribute():
            return _attribute(term)
        case Sum(a, b):
            left, right = _term(a, step), _term(b, step)
            return lambda o: left(o) + right(o)
        case Difference(a, b):
            left, right = _term(a, step), _term(b, step)
            return lambda o: left(o) - right(o)
        case Scaled(factor, body):
            times, inner = _whole(factor), _term(body, step)
            return lambda o: times * inner(o)
        case Absolute(body):
            inner = _term(body, step)
            return lambda o: abs(inner(o))
        case Minimum(arguments):
            values = [_term(argument, step) for argument in arguments]
            return lambda o: min(value(o) for value in values)
        case Maximum(arguments):
            values = [_term(argument, step) for argument in arguments]
            return lambda o: max(value(o) for value in values)


def _attribute(attribute: Attribute) -> Callable[[Obligation], Exact]:
    """The value of an attribute; its owner is there."""
    match attribute.owner, attribute.name:
        case Owner.PAIR, "overlap":
            return lambda o: overlap(_ref(o), _pred(o))
        case Owner.PAIR, "iou":
            return lambda o: iou(_ref(o), _pred(o))
        case Owner.REF, "onset":
            return lambda o: _ref(o)[0]
        case Owner.REF, "offset":
            return lambda o: _ref(o)[1]
        case Owner.REF, "duration":
            return lambda o: duration(_ref(o))
        case Owner.REF, "covering":
            return lambda o: covering(_ref(o), o.scene.preds)
        case Owner.REF, "coverage":
            return lambda o: coverage(_ref(o), o.scene.preds)
        case Owner.REF, "longest_gap":
            return lambda o: longest_gap(_ref(o), o.scene.preds)
        case Owner.PRED, "onset":
            return lambda o: _pred(o)[0]
        case Owner.PRED, "offset":
            return lambda o: _pred(o)[1]
        case Owner.PRED, "duration":
            return lambda o: duration(_pred(o))
        case Owner.PRED, "covering":
            return lambda o: covering(_pred(o), o.scene.refs)
        case Owner.PRED, "coverage":
            return lambda o: coverage(_pred(o), o.scene.refs)
        case Owner.PRED, "purity":
            return lambda o: purity(_pred(o), o.scene.refs)
    raise ValueError(f"`{attribute.name}` of `{attribute.owner.value}` does not stand inside a term")


def _ref(obligation: Obligation) -> Run:
    assert obligation.ref is not None
    return obligation.ref


def _pred(obligation: Obligation) -> Run:
    assert obligation.pred is not None
    return obligation.pred


def _whole(value: Fraction) -> Exact:
    """The same number, as an integer where it is one: integers are compared faster."""
    return value.numerator if value.denominator == 1 else value
