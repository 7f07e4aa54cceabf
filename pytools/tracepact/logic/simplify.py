"""Formulas with fewer parts and the same meaning: sympy under the modalities, every rewrite confirmed by Z3."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from tracepact.core import Always, And, Atom, Constant, Eventually, Formula, Iff, Implies, Not, Or, Since, Until, size
from tracepact.logic.decide import Outcome, Terms, equivalent
from tracepact.logic.questions import sampled

_MOST_LETTERS = 8
"""sympy's minimal forms take exponential time in the letters."""

_CONNECTIVES = And | Or | Implies | Iff


@dataclass(frozen=True, slots=True)
class Simplified:
    """The shorter formula, and how many rewrites Z3 confirmed, refused and could not decide in time."""

    formula: Formula
    confirmed: int
    refused: int
    undecided: int


def simplify(formula: Formula, terms: Terms = Terms()) -> Simplified:  # noqa: B008  (frozen)
    """Rewrite inside out; a rewrite stays only if it is smaller and holds at the same frames of every trace."""
    return _Simplifier(terms).run(formula)


class _Simplifier:
    def __init__(self, terms: Terms) -> None:
        self.terms = replace(terms, minimise=False, obligation=None)
        self.outer = terms
        self.confirmed = self.refused = self.undecided = 0

    def run(self, formula: Formula) -> Simplified:
        found = self._inside(formula)
        if self.outer.obligation is not None:
            found = self._under_obligation(found, self.outer.obligation)
        return Simplified(found, self.confirmed, self.refused, self.undecided)

    def _inside(self, formula: Formula) -> Formula:
        """Simplify the parts, then this level."""
        match formula:
            case Atom() | Constant():
                return formula
            case Not(body) | Eventually(body=body) | Always(body=body):
                formula = replace(formula, body=self._inside(body))
            case _:
                formula = replace(formula, left=self._inside(formula.left), right=self._inside(formula.right))
        for candidate in (*_constants(formula), *_modal(formula), *_propositional(formula), *_one_side(formula)):
            formula = self._better(formula, candidate)
        return formula

    def _under_obligation(self, formula: Formula, obligation: Formula) -> Formula:
        """Where the obligation holds anyway, the formula may be constant, and an implication from it its consequent."""
        for value in (True, False):
            if not sampled(And(obligation, Not(formula) if value else formula)):
                formula = self._better(formula, Constant(value), obligation)
        while isinstance(formula, Implies):
            shorter = self._better(formula, formula.right, obligation)
            if shorter is formula:
                break
            formula = shorter
        return formula

    def _better(self, formula: Formula, candidate: Formula, obligation: Formula | None = None) -> Formula:
        simpler = isinstance(candidate, Constant) and not isinstance(formula, Constant)
        if size(candidate) >= size(formula) and not simpler:
            return formula
        terms = replace(self.terms, obligation=obligation)
        outcome = equivalent(formula, candidate, terms).outcome
        self.confirmed += outcome is Outcome.YES
        self.refused += outcome is Outcome.NO
        self.undecided += outcome is Outcome.UNKNOWN
        return candidate if outcome is Outcome.YES else formula


def _constants(formula: Formula) -> Iterator[Formula]:
    """Truth or falsehood, unless a few traces show that it is not."""
    if not sampled(Not(formula)):
        yield Constant(True)
    elif not sampled(formula):
        yield Constant(False)


def _modal(formula: Formula) -> Iterator[Formula]:
    """Candidates for one modality: windows of one frame, of constants, and inside each other."""
    match formula:
        case Eventually(_, _, Constant() as body) | Always(_, _, Constant() as body):
            yield body
        case Eventually(0, 0, body) | Always(0, 0, body):
            yield body
        case Eventually(lo, hi, Eventually(low, high, body)):
            yield Eventually(lo + low, hi + high, body)
        case Always(lo, hi, Always(low, high, body)):
            yield Always(lo + low, hi + high, body)
        case Not(Eventually(lo, hi, Not(body))):
            yield Always(lo, hi, body)
        case Not(Always(lo, hi, Not(body))):
            yield Eventually(lo, hi, body)
        case Until(0, _, right) | Since(0, _, right) | Until(_, Constant(value=False), right):
            yield right
        case (
            Since(_, Constant(value=False), right) | Until(_, _, Constant() as right) | Since(_, _, Constant() as right)
        ):
            yield right
        case Until(radius, Constant(value=True), right):
            yield Eventually(0, radius, right)
        case Since(radius, Constant(value=True), right):
            yield Eventually(-radius, 0, right)
        case _:
            return


def _one_side(formula: Formula) -> Iterator[Formula]:
    """One part alone, for parts that the other implies by their meaning: an onset is active."""
    if isinstance(formula, And | Or):
        yield formula.left
        yield formula.right


def _propositional(formula: Formula) -> Iterator[Formula]:
    """The minimal form of the connectives above the modalities, which are letters here."""
    if not isinstance(formula, Not | _CONNECTIVES):
        return
    import sympy
    from sympy.logic.boolalg import simplify_logic

    letters: dict[Formula, Any] = {}

    def expression(part: Formula) -> Any:
        match part:
            case Constant(value):
                return sympy.true if value else sympy.false
            case Not(body):
                return sympy.Not(expression(body))
            case And(a, b):
                return sympy.And(expression(a), expression(b))
            case Or(a, b):
                return sympy.Or(expression(a), expression(b))
            case Implies(a, b):
                return sympy.Implies(expression(a), expression(b))
            case Iff(a, b):
                return sympy.Equivalent(expression(a), expression(b))
            case _:
                return letters.setdefault(part, sympy.Symbol(f"x{len(letters)}"))

    written = expression(formula)
    if len(letters) > _MOST_LETTERS:
        return
    names = {symbol: part for part, symbol in letters.items()}
    for form in ("dnf", "cnf"):
        yield _core(simplify_logic(written, form=form), names)


def _core(expression: Any, names: dict[Any, Formula]) -> Formula:
    """A sympy expression over letters as a core formula; its arguments in a fixed order."""
    import sympy

    if expression in (sympy.true, sympy.false):
        return Constant(bool(expression))
    if expression.is_Symbol:
        return names[expression]
    parts = [_core(part, names) for part in sorted(expression.args, key=sympy.default_sort_key)]
    if isinstance(expression, sympy.Not):
        return Not(parts[0])
    join = And if isinstance(expression, sympy.And) else Or
    found = parts[0]
    for part in parts[1:]:
        found = join(found, part)
    return found
