"""Formulas with fewer parts and the same meaning: sympy under the modalities, every rewrite confirmed by Z3."""

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from itertools import combinations, product
from typing import Any

from tracepact.core import Always, And, Atom, Constant, Eventually, Formula, Iff, Implies, Not, Or, Since, Until, size
from tracepact.frozen import dataclass
from tracepact.logic.decide import Outcome, Terms, equivalent
from tracepact.logic.normal import side_by_side
from tracepact.logic.samples import holds_on_a_sample

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
        return self._fewer_operands(formula)

    def _fewer_operands(self, formula: Formula) -> Formula:
        """Windows side by side joined and operands that the others settle left out, for as long as there are any."""
        while isinstance(formula, And | Or):
            shorter = self._first_better(formula, _with_fewer_operands(formula))
            if shorter is formula:
                break
            formula = shorter
        return formula

    def _first_better(self, formula: Formula, candidates: Iterator[Formula], under: Formula | None = None) -> Formula:
        for candidate in candidates:
            better = self._better(formula, candidate, under)
            if better is not formula:
                return better
        return formula

    def _under_obligation(self, formula: Formula, obligation: Formula) -> Formula:
        """Where the obligation holds anyway, the formula or parts of it above the modalities may be constant."""
        for value in (True, False):
            if not holds_on_a_sample(And(obligation, Not(formula) if value else formula)):
                formula = self._better(formula, Constant(value), obligation)
        while True:
            shorter = self._first_better(formula, _with_a_constant_part(formula), obligation)
            if shorter is formula:
                return formula
            formula = shorter

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
    if not holds_on_a_sample(Not(formula)):
        yield Constant(True)
    elif not holds_on_a_sample(formula):
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


def _with_fewer_operands(formula: And | Or) -> Iterator[Formula]:
    """The conjunction or disjunction with two of its windows joined, or without one of its operands."""
    kind = type(formula)
    parts = _operands(formula, kind)
    for i, j in combinations(range(len(parts)), 2):
        joined = _joined(parts[i], parts[j], kind)
        if joined is not None:
            yield reduce(kind, [joined if k == i else part for k, part in enumerate(parts) if k != j])
    for i in range(len(parts)):
        rest = parts[:i] + parts[i + 1 :]
        if len(parts) > 2 and not holds_on_a_sample(Not(Iff(formula, reduce(kind, rest)))):
            yield reduce(kind, rest)


def _operands(formula: Formula, kind: type[And | Or]) -> list[Formula]:
    if isinstance(formula, kind):
        return [*_operands(formula.left, kind), *_operands(formula.right, kind)]
    return [formula]


def _joined(one: Formula, other: Formula, kind: type[And | Or]) -> Formula | None:
    """Two windows as one: `F` in a disjunction and `G` in a conjunction, of one body or of one width."""
    match one, other:
        case (Eventually(a, b, p), Eventually(c, d, q)) if kind is Or:
            window: type[Eventually | Always] = Eventually
        case (Always(a, b, p), Always(c, d, q)) if kind is And:
            window = Always
        case _:
            return None
    if p == q and side_by_side(a, b, c, d):
        return window(min(a, c), max(b, d), p)
    return window(a, b, kind(p, q)) if (a, b) == (c, d) else None


def _with_a_constant_part(formula: Formula) -> Iterator[Formula]:
    """The formula with one part above the modalities true, or false, and what follows from that for the connectives."""
    for place, value in product(range(_places(formula)), (True, False)):
        if place:
            yield _replaced(formula, place, value)[0]


def _places(formula: Formula) -> int:
    match formula:
        case Not(body):
            return 1 + _places(body)
        case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b):
            return 1 + _places(a) + _places(b)
    return 1


def _replaced(formula: Formula, place: int, value: bool) -> tuple[Formula, int]:
    """The part at a place, counted from the formula itself on, replaced by a constant; and the places that are left."""
    if place == 0:
        return Constant(value), -1
    place -= 1
    match formula:
        case Not(body):
            inner, place = _replaced(body, place, value) if place >= 0 else (body, place)
            return _folded(Not(inner)), place
        case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b):
            left, place = _replaced(a, place, value) if place >= 0 else (a, place)
            right, place = _replaced(b, place, value) if place >= 0 else (b, place)
            return _folded(type(formula)(left, right)), place
    return formula, place


def _folded(formula: Formula) -> Formula:
    """A connective with a constant part, without it."""
    match formula:
        case Not(Constant(value)):
            return Constant(not value)
        case And(Constant(value), other) | And(other, Constant(value)):
            return other if value else Constant(False)
        case Or(Constant(value), other) | Or(other, Constant(value)):
            return Constant(True) if value else other
        case Implies(Constant(value), other):
            return other if value else Constant(True)
        case Implies(other, Constant(value)):
            return Constant(True) if value else Not(other)
        case Iff(Constant(value), other) | Iff(other, Constant(value)):
            return other if value else Not(other)
    return formula


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
