"""Terms as functions of an obligation, in whole numbers where the constants allow it (rules 4.2 to 4.10)."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import cast

from tracepact.core import Absolute, Attribute, Difference, Maximum, Minimum, Number, Quantity, Scaled, Sum, Term
from tracepact.events.attributes import Exact, Obligation, Unbounded, Value, value_of


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
    """A side of a comparison times `scale`: what may be unbounded alone, or a term (rule 4.9)."""
    match term:
        case Attribute() if term.kind.may_be_unbounded:
            value = value_of(term)
            return lambda o: times(scale, value(o))
        case _:
            return _term(term, step, scale)


def _term(term: Term, step: Fraction, scale: int) -> Callable[[Obligation], Exact]:
    """The value of a term, times in frames, times `scale`, which is positive."""
    match term:
        case Number():
            number = _whole(scale * constant(term, step))
            return lambda _: number
        case Attribute() if term.kind.may_be_unbounded:
            raise ValueError(f"`{term.name}` may be unbounded and cannot be inside a term")
        case Attribute():
            value = cast("Callable[[Obligation], Exact]", value_of(term))
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


def absolute(value: Exact) -> Exact:
    """The absolute value, with its type kept."""
    return -value if value < 0 else value


def _whole(value: Fraction) -> Exact:
    """The same number, as an integer where it is one: integers are compared faster."""
    return value.numerator if value.denominator == 1 else value


def times(factor: Exact, value: Value) -> Value:
    """The product; what is unbounded stays so."""
    return value if isinstance(value, Unbounded) else factor * value
