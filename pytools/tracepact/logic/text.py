"""Core formulas as contract text again, bounds in frames."""

from fractions import Fraction

from tracepact.core import (
    Always,
    And,
    Atom,
    Constant,
    Eventually,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Since,
    Until,
)
from tracepact.lang import print_expression
from tracepact.lang import syntax as s


def formula_text(formula: Formula) -> str:
    """The canonical text of a formula; reading it gives the formula back, at any step."""
    return print_expression(_written(formula))


def _written(formula: Formula) -> s.Expression:
    match formula:
        case Atom(name):
            return s.Mask(name)
        case Constant(value):
            return s.Truth(value)
        case Not(body):
            return s.Negation(_written(body))
        case And(a, b):
            return s.Binary(s.Connective.AND, _written(a), _written(b))
        case Or(a, b):
            return s.Binary(s.Connective.OR, _written(a), _written(b))
        case Implies(a, b):
            return s.Binary(s.Connective.IMPLIES, _written(a), _written(b))
        case Iff(a, b):
            return s.Binary(s.Connective.IFF, _written(a), _written(b))
        case Eventually(lo, hi, body) if lo == -hi:
            return s.Near(_frames(hi), _written(body))
        case Eventually(lo, hi, body):
            return s.Window("F", _frames(lo) if lo else None, _frames(hi), _written(body))
        case Always(lo, hi, body):
            return s.Window("G", _frames(lo) if lo else None, _frames(hi), _written(body))
        case Until(radius, a, b):
            return s.Reach("U", _frames(radius), _written(a), _written(b))
        case Since(radius, a, b):
            return s.Reach("S", _frames(radius), _written(a), _written(b))


def _frames(number: int) -> s.Value:
    return s.Value(s.Quantity(Fraction(abs(number)), "f"), number < 0)
