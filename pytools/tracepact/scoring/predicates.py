"""Event predicates as functions of a parameter: where the verdict on an obligation can change, and what it is there.

Every constant of a predicate is a straight line over the parameter, known from the predicate at two values. A term is
then made of finitely many lines (`abs`, `min` and `max` choose among them), and a comparison can only change where a
line of its left side meets one of its right side: both sides are continuous.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from tracepact.core import (
    ATTRIBUTES,
    Absolute,
    Attribute,
    Comparison,
    Contract,
    Difference,
    EventAtom,
    EventClause,
    Maximum,
    Minimum,
    Number,
    Quantity,
    Scaled,
    Sum,
    Term,
)
from tracepact.diagnostics import Span
from tracepact.events.attributes import Obligation, Unbounded
from tracepact.events.predicate import PreparedComparison, prepare, truth
from tracepact.events.terms import side
from tracepact.lang import parsed_of
from tracepact.lang import syntax as s

Line = tuple[Fraction, Fraction]
"""Value at 0 and slope."""


@dataclass(frozen=True, slots=True)
class MovingPredicate:
    """An event clause at two values of a parameter, and by that at every value between."""

    low: Fraction
    high: Fraction
    at_low: EventClause
    at_high: EventClause
    step: Fraction

    def judge(self) -> Callable[[Fraction, Obligation], bool]:
        """Whether the predicate is true of an obligation at a value of the parameter; remembers what it prepared."""

        @cache
        def prepared(value: Fraction) -> Callable[[Obligation], bool]:
            atoms = {name: prepare(self._atom_at(value, a, b), self.step) for name, a, b in self._atoms()}
            return truth(self.at_low.formula, atoms)

        return lambda value, obligation: prepared(value)(obligation)

    def turning_points(self) -> Callable[[Obligation], set[Fraction]]:
        """The values strictly between the two at which the verdict on an obligation may change."""
        moving = [
            (prepare(a, self.step), a, b)
            for _, a, b in self._atoms()
            if a != b and isinstance(a, Comparison) and isinstance(b, Comparison)
        ]

        def found(obligation: Obligation) -> set[Fraction]:
            roots: set[Fraction] = set()
            for ready, a, b in moving:
                if isinstance(ready, PreparedComparison) and not ready.is_missing(obligation):
                    roots.update(self._meetings(a, b, obligation))
            return {root for root in roots if self.low < root < self.high}

        return found

    def _atoms(self) -> Iterator[tuple[str, EventAtom, EventAtom]]:
        for (name, a), (_, b) in zip(self.at_low.event_atoms, self.at_high.event_atoms, strict=True):
            yield name, a, b

    def _meetings(self, a: Comparison, b: Comparison, obligation: Obligation) -> Iterator[Fraction]:
        left, right = self._lines(a.left, b.left, obligation), self._lines(a.right, b.right, obligation)
        for value, slope in left:
            for other, other_slope in right:
                if slope != other_slope:
                    yield (other - value) / (slope - other_slope)

    def _lines(self, a: Term, b: Term, obligation: Obligation) -> set[Line]:
        """The lines a term is made of, times in frames; none for a shortest gap that is unbounded."""

        def lines(x: Term, y: Term) -> set[Line]:
            return self._lines(x, y, obligation)

        match a, b:
            case Number(x, quantity), Number(y, _):
                unit = self.step if quantity is Quantity.TIME else 1
                return {self._line(x / unit, y / unit)}
            case Attribute(), Attribute():
                value = side(a, self.step, 1)(obligation)
                return set() if isinstance(value, Unbounded) else {(Fraction(value), Fraction(0))}
            case Sum(a1, a2), Sum(b1, b2):
                return {(v + w, p + q) for v, p in lines(a1, b1) for w, q in lines(a2, b2)}
            case Difference(a1, a2), Difference(b1, b2):
                return {(v - w, p - q) for v, p in lines(a1, b1) for w, q in lines(a2, b2)}
            case Scaled(x, a1), Scaled(y, b1):
                return {_product(self._line(x, y), line) for line in lines(a1, b1)}
            case Absolute(a1), Absolute(b1):
                return {(sign * v, sign * p) for v, p in lines(a1, b1) for sign in (1, -1)}
            case (Minimum(some), Minimum(others)) | (Maximum(some), Maximum(others)):
                return {line for x, y in zip(some, others, strict=True) for line in lines(x, y)}
        raise TypeError(f"{a} and {b} are not one term at two values of a parameter")

    def _line(self, at_low: Fraction, at_high: Fraction) -> Line:
        slope = (at_high - at_low) / (self.high - self.low)
        return at_low - slope * self.low, slope

    def _atom_at(self, value: Fraction, a: EventAtom, b: EventAtom) -> EventAtom:
        """A comparison with the constants it has at a value of the parameter."""
        match a, b:
            case Comparison(relation, left, right, quantity), Comparison(_, other_left, other_right, _):
                at_left, at_right = self._term_at(value, left, other_left), self._term_at(value, right, other_right)
                return Comparison(relation, at_left, at_right, quantity)
        return a

    def _term_at(self, value: Fraction, a: Term, b: Term) -> Term:
        """A term with the constants it has at a value of the parameter."""

        def mixed(x: Fraction, y: Fraction) -> Fraction:
            start, slope = self._line(x, y)
            return start + slope * value

        def at(x: Term, y: Term) -> Term:
            return self._term_at(value, x, y)

        def each(some: tuple[Term, ...], others: tuple[Term, ...]) -> tuple[Term, ...]:
            return tuple(at(x, y) for x, y in zip(some, others, strict=True))

        match a, b:
            case Number(x, quantity), Number(y, _):
                return Number(mixed(x, y), quantity)
            case Attribute(), Attribute():
                return a
            case Sum(a1, a2), Sum(b1, b2):
                return Sum(at(a1, b1), at(a2, b2))
            case Difference(a1, a2), Difference(b1, b2):
                return Difference(at(a1, b1), at(a2, b2))
            case Scaled(x, a1), Scaled(y, b1):
                return Scaled(mixed(x, y), at(a1, b1))
            case Absolute(a1), Absolute(b1):
                return Absolute(at(a1, b1))
            case Minimum(some), Minimum(others):
                return Minimum(each(some, others))
            case Maximum(some), Maximum(others):
                return Maximum(each(some, others))
        raise TypeError(f"{a} and {b} are not one term at two values of a parameter")


def _product(factor: Line, line: Line) -> Line:
    (value, slope), (other, other_slope) = factor, line
    assert not slope or not other_slope, "`nonlinear_product` finds such products first"
    return value * other, value * other_slope + slope * other


def nonlinear_product(contract: Contract, parameter: str) -> Span | None:
    """A product in some event predicate that is not a straight line over the parameter, if there is one.

    It multiplies the parameter with itself, or its constant factor has the parameter inside `abs`, `min` or `max`.
    """
    for clause in parsed_of(contract).document.statements:
        if isinstance(clause, s.EventClauseDecl):
            for node in _everywhere(clause.predicate):
                if isinstance(node, s.Arithmetic) and node.operator == "*" and _is_bent(node, parameter):
                    return node.span
    return None


def _is_bent(product: s.Arithmetic, parameter: str) -> bool:
    sides = [list(_everywhere(part)) for part in (product.left, product.right)]
    mentions = [any(_names(node, parameter) for node in side) for side in sides]
    chosen = [
        any(isinstance(node, s.Call) and any(_names(part, parameter) for part in _everywhere(node)) for node in side)
        and not any(isinstance(node, s.Reference) and (node.owner or node.name in ATTRIBUTES) for node in side)
        for side in sides
    ]
    return all(mentions) or any(chosen)


def _names(node: s.Expression, parameter: str) -> bool:
    return isinstance(node, s.Reference) and node.owner is None and node.name == parameter


def _everywhere(node: s.Expression) -> Iterator[s.Expression]:
    yield node
    for part in s.parts(node):
        yield from _everywhere(part)
