"""What a predicate is for every interval that is matched with itself, by bounds on its terms and without a solver.

Every attribute of such an interval is linear in its onset, at least 0, and its length, at least 1 frame. A comparison
whose sides differ by a linear term is settled where that term has a bound on the right side of zero.
"""

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
    Formula,
    Iff,
    Implies,
    Maximum,
    Minimum,
    Not,
    Number,
    Or,
    Quantity,
    Relation,
    Scaled,
    Sum,
    Term,
)
from tracepact.frozen import dataclass

_ZERO, _ONE = Fraction(0), Fraction(1)
_ABOVE = {Relation.GE, Relation.GT, Relation.NE}
_BELOW = {Relation.LE, Relation.LT, Relation.NE}


@dataclass(frozen=True, slots=True)
class _Linear:
    """`at` at the first frame and a length of one, and what each frame of onset and of further length adds."""

    at: Fraction
    onset: Fraction = _ZERO
    length: Fraction = _ZERO

    def plus(self, other: "_Linear", factor: Fraction = _ONE) -> "_Linear":
        return _Linear(
            self.at + factor * other.at, self.onset + factor * other.onset, self.length + factor * other.length
        )

    @property
    def least(self) -> Fraction | None:
        """None if it has no bound below."""
        return self.at if self.onset >= 0 and self.length >= 0 else None

    @property
    def greatest(self) -> Fraction | None:
        """None if it has no bound above."""
        return self.at if self.onset <= 0 and self.length <= 0 else None


_OF_ITSELF: Mapping[str, _Linear] = {
    "onset": _Linear(_ZERO, onset=_ONE),
    "offset": _Linear(_ONE, onset=_ONE, length=_ONE),
    "duration": _Linear(_ONE, length=_ONE),
    "overlap": _Linear(_ONE, length=_ONE),
    "covering": _Linear(_ONE),
    "longest_gap": _Linear(_ZERO),
    "iou": _Linear(_ONE),
    "coverage": _Linear(_ONE),
    "purity": _Linear(_ONE),
}
"""The attributes in frames, or as plain numbers. An attribute that is missing is left to the solver."""


def settled(formula: Formula, event_atoms: Mapping[str, EventAtom], step: Fraction) -> bool | None:
    """The truth of a predicate for every interval matched with itself; None if it differs, or bounds do not tell."""

    def of(part: Formula) -> bool | None:
        return settled(part, event_atoms, step)

    match formula:
        case Constant(value):
            return value
        case Atom(name):
            return _event_atom(event_atoms[name], step)
        case Not(body):
            return _not(of(body))
        case And(a, b):
            return _both(of(a), of(b))
        case Or(a, b):
            return _not(_both(_not(of(a)), _not(of(b))))
        case Implies(a, b):
            return _not(_both(of(a), _not(of(b))))
        case Iff(a, b):
            left, right = of(a), of(b)
            return None if left is None or right is None else left == right
    return None


def _not(value: bool | None) -> bool | None:
    return None if value is None else not value


def _both(left: bool | None, right: bool | None) -> bool | None:
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def _event_atom(atom: EventAtom, step: Fraction) -> bool | None:
    if not isinstance(atom, Comparison):
        return True if atom.attribute.name == "matched" else None
    for side, true in ((atom.left, _ABOVE), (atom.right, _BELOW)):
        if isinstance(side, Attribute) and side.kind.may_be_unbounded:
            return atom.relation in true  # one piece has no gap, and that is greater than every time (rule 4.9)
    match atom.relation:
        case Relation.LE | Relation.LT:
            return _is_less(atom.left, atom.right, step, strictly=atom.relation is Relation.LT)
        case Relation.GE | Relation.GT:
            return _is_less(atom.right, atom.left, step, strictly=atom.relation is Relation.GT)
    left, right = _term(atom.left, step), _term(atom.right, step)
    equal = None if left is None or right is None else _equal(left.plus(right, -_ONE))
    return equal if atom.relation is Relation.EQ else _not(equal)


def _is_less(low: Term, high: Term, step: Fraction, *, strictly: bool) -> bool | None:
    """Whether one term is at most another, or less; of a maximum as the greater one, one argument is enough."""
    if isinstance(high, Maximum) and any(_is_less(low, one, step, strictly=strictly) for one in high.arguments):
        return True
    if isinstance(low, Minimum) and any(_is_less(one, high, step, strictly=strictly) for one in low.arguments):
        return True
    left, right = _term(low, step), _term(high, step)
    return None if left is None or right is None else _at_most(left.plus(right, -_ONE), strictly=strictly)


def _at_most(value: _Linear, *, strictly: bool) -> bool | None:
    """Whether it is at most zero, or below it."""
    most, least = value.greatest, value.least
    if most is not None and (most < 0 or (most == 0 and not strictly)):
        return True
    if least is not None and (least > 0 or (least == 0 and strictly)):
        return False
    return None


def _equal(value: _Linear) -> bool | None:
    if value == _Linear(_ZERO):
        return True
    below, above = _at_most(value, strictly=True), _at_most(_Linear(_ZERO).plus(value, -_ONE), strictly=True)
    return False if below or above else None


def _term(term: Term, step: Fraction) -> _Linear | None:
    """A term as a linear one, times in frames; None if it is not seen to be one."""
    match term:
        case Number(value, quantity):
            return _Linear(value / step if quantity is Quantity.TIME else value)
        case Attribute(_, name):
            return _OF_ITSELF.get(name)
        case Sum(a, b) | Difference(a, b):
            left, right = _term(a, step), _term(b, step)
            if left is None or right is None:
                return None
            return left.plus(right, _ONE if isinstance(term, Sum) else -_ONE)
        case Scaled(factor, body):
            inner = _term(body, step)
            return None if inner is None else _Linear(_ZERO).plus(inner, factor)
        case Absolute(body):
            inner = _term(body, step)
            if inner is None:
                return None
            return _greatest(inner, _Linear(_ZERO).plus(inner, -_ONE))
        case Minimum(arguments) | Maximum(arguments):
            return _chosen([_term(argument, step) for argument in arguments], least=isinstance(term, Minimum))


def _chosen(values: list[_Linear | None], *, least: bool) -> _Linear | None:
    """The least or the greatest of some, where one of them is so for every interval."""
    found = values[0]
    for value in values[1:]:
        if found is None or value is None:
            return None
        greater = _greatest(found, value)
        if greater is None:
            return None
        found = (value if greater is found else found) if least else greater
    return found


def _greatest(first: _Linear, second: _Linear) -> _Linear | None:
    """The greater of two, where it is the same one for every interval."""
    below = _at_most(first.plus(second, -_ONE), strictly=False)
    if below is None:
        return first if _at_most(second.plus(first, -_ONE), strictly=False) else None
    return second if below else first
