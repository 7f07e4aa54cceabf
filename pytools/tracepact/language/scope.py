"""Names, units and formulas of a contract while it is lowered: steps, parameters, atoms, windows in frames."""

from dataclasses import field
from fractions import Fraction
from itertools import repeat
from math import ceil, floor

from tracepact.declarations import dataclass
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import Source, Span, TextPlace, did_you_mean
from tracepact.language import formula as f
from tracepact.language import syntax as s
from tracepact.language.contract import BUILTIN_ATOMS, CLASS_ATOMS, Bound, Located
from tracepact.language.formula import Formula
from tracepact.language.predicate import Each
from tracepact.language.printer import print_value

# What names mean while a contract is lowered: the step, the parameters, the atoms; and values as exact numbers.

SUSPICIOUS = 10
"""A bare number this large was most likely meant in milliseconds."""


def missing_unit(text: str, number: Fraction, unit: str) -> str | None:
    """What to write in place of a time without its unit that was most likely meant in milliseconds; None for others."""
    if unit or abs(number) < SUSPICIOUS:
        return None
    return f"write {text}ms, or {text}s if you mean seconds"


@dataclass(slots=True)
class Scope:
    """Where a contract's names are looked up; collects which parameters were used.

    Without a step in the contract, `step` stands in for it and `step_known` is false.
    """

    source: Source
    diagnostics: Diagnostics
    step: Fraction
    parameters: dict[str, s.Value]
    atoms: frozenset[str]
    free_atoms: bool = False
    unreadable: frozenset[str] = frozenset()
    used: set[str] = field(default_factory=set)
    step_known: bool = True

    def report(self, code: str, headline: str, span: Span, help: str | None = None) -> None:
        """Record a finding at a place of the source."""
        self.diagnostics.add(code, headline, TextPlace(self.source, span), help)

    def known(self, value: s.Value) -> tuple[Fraction, str] | None:
        """The signed number and unit a value stands for, parameters looked up; None for an unknown parameter."""
        match value.body:
            case s.Quantity(number, unit):
                pass
            case s.Name(name):
                inner = self.known(self.parameters[name]) if name in self.parameters else None
                if inner is None:
                    return None
                number, unit = inner
        return -number if value.negative else number, unit

    def literal(self, value: s.Value) -> tuple[Fraction, str] | None:
        """What a value stands for; a parameter counts as used, and one that nobody declared is reported."""
        match value.body:
            case s.Name(name, span):
                self.used.add(name)
                if name not in self.parameters and name not in self.unreadable:
                    self.report(
                        "unknown-parameter",
                        f"`{name}` is not a parameter",
                        span,
                        did_you_mean(name, self.parameters) or self._without_parameters(name),
                    )
        return self.known(value)

    def _without_parameters(self, name: str) -> str:
        """The way out where no parameter has a similar name; a formula by itself cannot declare one."""
        return "write the value out, such as `40ms`" if self.free_atoms else f"declare it: `param {name} = 40ms`"

    def seconds(self, value: s.Value) -> Fraction | None:
        """A value as a time; without a unit it is a number of seconds (rule 2.4)."""
        literal = self.literal(value)
        if literal is None:
            return None
        if not literal[1] and abs(literal[0]) >= SUSPICIOUS:
            shown = print_value(value)
            way = f"write `{shown}ms`, or `{shown}s` if you mean it"
            if isinstance(value.body, s.Name):
                bare = print_value(self.parameters[shown.removeprefix("-")])
                way = f"write `param {shown.removeprefix('-')} = {bare}ms`, or `{bare}s` if you mean it"
            self.report("bare-seconds", f"`{shown}` without a unit is a number of seconds", value.span, way)
        return self.in_seconds(*literal)

    def in_seconds(self, number: Fraction, unit: str) -> Fraction:
        """A number with a unit as seconds."""
        return number * self.step if unit == "f" else number * s.SECONDS[unit]

    def are_comparable(self, a: s.Value, b: s.Value) -> bool:
        """Whether two known values can be compared: frames and times only where the step is known."""
        (_, one), (_, other) = self.known(a) or (0, ""), self.known(b) or (0, "")
        return self.step_known or (one == "f") == (other == "f")

    def number(self, value: s.Value, what: str) -> Fraction | None:
        """A value as a plain number; a unit is an error."""
        literal = self.literal(value)
        if literal is None:
            return None
        if literal[1]:
            self.report(
                "unit-mismatch",
                f"{what} is a plain number, but `{print_value(value)}` is a time",
                value.span,
                "leave the unit out",
            )
            return None
        return literal[0]


# Lowers written formulas to core formulas: windows become frames, sugar disappears, spans are kept beside.

CONNECTIVES: dict[s.Connective, type[f.And | f.Or | f.Implies | f.Iff]] = {
    s.Connective.AND: f.And,
    s.Connective.OR: f.Or,
    s.Connective.IMPLIES: f.Implies,
    s.Connective.IFF: f.Iff,
}
_STAND_IN = f.Constant(True)
"""What a faulty part is lowered to, so that the rest of the formula is still checked."""


def connected(node: s.Truth | s.Negation | s.Binary, parts: tuple[Located, ...]) -> Located:
    """A truth value or a connective over its lowered parts, alike in formulas and in predicates."""
    match node:
        case s.Truth(value):
            formula: Formula = f.Constant(value)
        case s.Negation():
            formula = f.Not(parts[0].formula)
        case s.Binary(connective):
            formula = CONNECTIVES[connective](parts[0].formula, parts[1].formula)
    return Located(formula, node.span, parts)


def lower_formula(node: s.Expression, scope: Scope) -> Located:
    """The core formula of a written one; faults are reported to the scope."""
    match node:
        case s.Truth() | s.Negation() | s.Binary():
            # `map` rather than a comprehension, whose frames would count towards Python's limit of depth
            return connected(node, tuple(map(lower_formula, s.parts(node), repeat(scope))))
        case s.Mask(name):
            return Located(_atom(name, node, scope), node.span)
        case s.Near(radius, body):
            inner, frames = lower_formula(body, scope), _radius(radius, scope)
            bounds = (bound_of(radius, frames, scope),)
            return Located(f.Eventually(-frames, frames, inner.formula), node.span, (inner,), bounds)
        case s.WindowOperator(operator, lo, hi, body):
            # The body is lowered before the window is read although it stands behind it: findings are sorted by place
            # in the end.
            inner = lower_formula(body, scope)
            first, last = _window(lo, hi, scope)
            window = f.Eventually if operator == "F" else f.Always
            bounds = (*(() if lo is None else (bound_of(lo, first, scope),)), bound_of(hi, last, scope))
            return Located(window(first, last, inner.formula), node.span, (inner,), bounds)
        case s.Reach(operator, radius, a, b):
            left, right = lower_formula(a, scope), lower_formula(b, scope)
            modality, frames = (f.Until if operator == "U" else f.Since), _radius(radius, scope)
            formula = modality(frames, left.formula, right.formula)
            return Located(formula, node.span, (left, right), (bound_of(radius, frames, scope),))
    raise AssertionError(f"{node!r} is not a formula")


def _atom(name: str, node: s.Mask, scope: Scope) -> Formula:
    known = {*BUILTIN_ATOMS, *CLASS_ATOMS, *scope.atoms}
    if name in known or scope.free_atoms:
        return f.Atom(name)
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
    # Outward at both ends: the window in frames covers the one in seconds, never less (rule 2.6).
    return floor(first / step), ceil(last / step)
