"""Lowers written formulas to core formulas: windows become frames, sugar disappears, spans are kept beside."""

from fractions import Fraction
from math import ceil, floor

from tracepact.core import (
    Always,
    And,
    Atom,
    Bound,
    Constant,
    Each,
    Eventually,
    Formula,
    Iff,
    Implies,
    Located,
    Not,
    Or,
    Since,
    Until,
)
from tracepact.core.contract import BUILTIN_ATOMS, CLASS_ATOMS
from tracepact.diagnostics import did_you_mean
from tracepact.lang import syntax as s
from tracepact.lang.printer import print_value
from tracepact.lang.scope import Scope

CONNECTIVES: dict[s.Connective, type[And | Or | Implies | Iff]] = {
    s.Connective.AND: And,
    s.Connective.OR: Or,
    s.Connective.IMPLIES: Implies,
    s.Connective.IFF: Iff,
}
_STAND_IN = Constant(True)
"""What a faulty part is lowered to, so that the rest of the formula is still checked."""


def lower_formula(node: s.Expression, scope: Scope) -> Located:
    """The core formula of a written one; faults are reported to the scope."""
    match node:
        case s.Truth(value):
            return Located(Constant(value), node.span)
        case s.Mask(name):
            return Located(_atom(name, node, scope), node.span)
        case s.Negation(body):
            inner = lower_formula(body, scope)
            return Located(Not(inner.formula), node.span, (inner,))
        case s.Binary(connective, a, b):
            left, right = lower_formula(a, scope), lower_formula(b, scope)
            joined = CONNECTIVES[connective](left.formula, right.formula)
            return Located(joined, node.span, (left, right))
        case s.Near(radius, body):
            inner, frames = lower_formula(body, scope), _radius(radius, scope)
            bounds = (bound_of(radius, frames, scope),)
            return Located(Eventually(-frames, frames, inner.formula), node.span, (inner,), bounds)
        case s.Window(operator, lo, hi, body):
            inner = lower_formula(body, scope)
            first, last = _window(lo, hi, scope)
            window = Eventually if operator == "F" else Always
            bounds = (*(() if lo is None else (bound_of(lo, first, scope),)), bound_of(hi, last, scope))
            return Located(window(first, last, inner.formula), node.span, (inner,), bounds)
        case s.Reach(operator, radius, a, b):
            left, right = lower_formula(a, scope), lower_formula(b, scope)
            modality, frames = (Until if operator == "U" else Since), _radius(radius, scope)
            formula = modality(frames, left.formula, right.formula)
            return Located(formula, node.span, (left, right), (bound_of(radius, frames, scope),))
    raise AssertionError(f"{node!r} is not a formula")


def _atom(name: str, node: s.Mask, scope: Scope) -> Formula:
    known = {*BUILTIN_ATOMS, *CLASS_ATOMS, *scope.atoms}
    if name in known or scope.free_atoms:
        return Atom(name)
    hint = did_you_mean(name, known)
    if name in scope.parameters:
        hint = f"`{name}` is a parameter; parameters belong in windows, such as `N[{name}]`"
    elif name in {each.value for each in Each}:
        hint = f"an event clause is on each interval: `on each {name}`"
    scope.report("unknown-atom", f"unknown atom `{name}`", node.span, hint or f"declare it: `atom {name}`")
    return _STAND_IN


def _radius(value: s.Value, scope: Scope) -> int:
    seconds = scope.seconds(value)
    if seconds is None:
        return 0
    if seconds < 0:
        unit = (scope.known(value) or (seconds, ""))[1] or "s"
        scope.report(
            "negative-radius",
            f"the radius `{print_value(value)}` is negative",
            value.span,
            f"look back with a window of two offsets: `F[{print_value(value)},0{unit}]`",
        )
        return 0
    return ceil(seconds / scope.step)


def _window(lo: s.Value | None, hi: s.Value, scope: Scope) -> tuple[int, int]:
    if lo is None:
        return 0, _radius(hi, scope)
    first, last = scope.seconds(lo), scope.seconds(hi)
    if first is None or last is None or not scope.are_comparable(lo, hi):
        return 0, 0
    if first > last:
        scope.report(
            "empty-window",
            f"the window starts at `{print_value(lo)}`, after its end `{print_value(hi)}`",
            lo.span.to(hi.span),
            f"write `[{print_value(hi)},{print_value(lo)}]`",
        )
        return 0, 0
    return outward(first, last, scope.step)


def bound_of(value: s.Value, frames: int, scope: Scope) -> Bound:
    """A bound as it was written; a faulty one, whose fault is reported, has no length."""
    number, unit = scope.known(value) or (Fraction(0), "")
    parameter = value.body.text if isinstance(value.body, s.Name) else None
    return Bound(print_value(value), scope.in_seconds(number, unit), frames, unit, parameter, value.span)


def outward(first: Fraction, last: Fraction, step: Fraction) -> tuple[int, int]:
    """A window in seconds as frame offsets: the lower end rounds down, the upper end up (rule 2.6)."""
    return floor(first / step), ceil(last / step)
