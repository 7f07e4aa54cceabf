"""Core formulas as contract text again, bounds in frames or in milliseconds."""

from fractions import Fraction

from tracepact.core import Always, And, Atom, Constant, Eventually, Formula, Iff, Implies, Not, Or, Since, Until
from tracepact.lang import print_expression
from tracepact.lang import syntax as s


def formula_text(formula: Formula, step: Fraction | None = None) -> str:
    """The canonical text of a formula; reading it gives the formula back, at any step or at the one given."""
    return print_expression(_written(formula, step))


def _written(formula: Formula, step: Fraction | None) -> s.Expression:
    def of(part: Formula) -> s.Expression:
        return _written(part, step)

    def bound(frames: int) -> s.Value:
        size = Fraction(abs(frames))
        quantity = s.Quantity(size, "f") if step is None else s.Quantity(size * step * 1000, "ms")
        return s.Value(quantity, frames < 0)

    match formula:
        case Atom(name):
            return s.Mask(name)
        case Constant(value):
            return s.Truth(value)
        case Not(body):
            return s.Negation(of(body))
        case And(a, b):
            return s.Binary(s.Connective.AND, of(a), of(b))
        case Or(a, b):
            return s.Binary(s.Connective.OR, of(a), of(b))
        case Implies(a, b):
            return s.Binary(s.Connective.IMPLIES, of(a), of(b))
        case Iff(a, b):
            return s.Binary(s.Connective.IFF, of(a), of(b))
        case Eventually(lo, hi, body) if lo == -hi:
            return s.Near(bound(hi), of(body))
        case Eventually(lo, hi, body):
            return s.Window("F", bound(lo) if lo else None, bound(hi), of(body))
        case Always(lo, hi, body):
            return s.Window("G", bound(lo) if lo else None, bound(hi), of(body))
        case Until(radius, a, b):
            return s.Reach("U", bound(radius), of(a), of(b))
        case Since(radius, a, b):
            return s.Reach("S", bound(radius), of(a), of(b))
