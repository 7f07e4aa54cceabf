"""Terms as functions of an obligation, in whole numbers where the constants allow it (rules 4.2 to 4.10)."""

from collections.abc import Callable, Iterator
from fractions import Fraction

from tracepact.core import Absolute, Attribute, Difference, Maximum, Minimum, Number, Owner, Quantity, Scaled, Sum, Term
from tracepact.events.attributes import (
    Exact,
    Obligation,
    Unbounded,
    Value,
    coverage,
    covering,
    duration,
    iou,
    longest_gap,
    overlap,
    purity,
    shortest_gap,
)
from tracepact.trace import Run


def denominators(term: Term, step: Fraction) -> Iterator[int]:
    """The denominators of the constants of a term, times in frames."""
    match term:
        case Number():
            yield constant(term, step).denominator
        case Scaled(factor, body):
            yield factor.denominator
            yield from denominators(body, step)
        case _:
            for part in _parts(term):
                yield from denominators(part, step)


def side(term: Term, step: Fraction, scale: int) -> Callable[[Obligation], Value]:
    """A side of a comparison times `scale`: a shortest gap alone, or a term (rule 4.9)."""
    match term:
        case Attribute(_, "shortest_gap"):
            return lambda o: times(scale, shortest_gap(_ref(o), o.scene.preds))
        case _:
            return _term(term, step, scale)


def _term(term: Term, step: Fraction, scale: int) -> Callable[[Obligation], Exact]:
    """The value of a term, times in frames, times `scale`, which is positive."""
    match term:
        case Number():
            number = _whole(scale * constant(term, step))
            return lambda _: number
        case Attribute():
            value = _attribute(term)
            return value if scale == 1 else lambda o: scale * value(o)
        case Sum(a, b):
            left, right = _term(a, step, scale), _term(b, step, scale)
            return lambda o: left(o) + right(o)
        case Difference(a, b):
            left, right = _term(a, step, scale), _term(b, step, scale)
            return lambda o: left(o) - right(o)
        case Scaled(factor, body):
            scaled_factor, inner = _whole(scale * factor), _term(body, step, 1)
            return lambda o: scaled_factor * inner(o)
        case Absolute(body):
            inner = _term(body, step, scale)
            return lambda o: absolute(inner(o))
        case Minimum(arguments):
            values = [_term(argument, step, scale) for argument in arguments]
            return lambda o: min(value(o) for value in values)
        case Maximum(arguments):
            values = [_term(argument, step, scale) for argument in arguments]
            return lambda o: max(value(o) for value in values)


def _parts(term: Term) -> tuple[Term, ...]:
    match term:
        case Number() | Attribute():
            return ()
        case Sum(a, b) | Difference(a, b):
            return (a, b)
        case Scaled(_, body) | Absolute(body):
            return (body,)
        case Minimum(arguments) | Maximum(arguments):
            return arguments


def constant(number: Number, step: Fraction) -> Fraction:
    """A number of a term; a time in frames."""
    return number.value / step if number.quantity is Quantity.TIME else number.value


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


def absolute(value: Exact) -> Exact:
    """The absolute value, with its type kept."""
    return -value if value < 0 else value


def _whole(value: Fraction) -> Exact:
    """The same number, as an integer where it is one: integers are compared faster."""
    return value.numerator if value.denominator == 1 else value


def times(factor: Exact, value: Value) -> Value:
    """The product; what is unbounded stays so."""
    return value if isinstance(value, Unbounded) else factor * value
