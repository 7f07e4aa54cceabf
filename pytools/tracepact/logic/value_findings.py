"""What the grid does to the values of a contract: bounds that round, thresholds between frames, names that hide."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor

from tracepact.core import (
    Absolute,
    Attribute,
    Comparison,
    Difference,
    EventClause,
    Located,
    Maximum,
    Minimum,
    Number,
    Quantity,
    Relation,
    Scaled,
    Sum,
    Term,
    attributes,
)
from tracepact.diagnostics import Diagnostic, Span
from tracepact.lang import syntax as s
from tracepact.lang.predicates import ATTRIBUTES
from tracepact.lang.printer import print_number, print_value
from tracepact.logic.written import Written, nodes

_MUCH = 2
"""A window that comes out so many times as wide as written is much larger."""


@dataclass(slots=True)
class ValueFindings:
    """The findings on values and names of one contract."""

    written: Written
    reported: set[Span] = field(default_factory=set)

    def warnings(self) -> Iterator[Diagnostic]:
        """Names, then nested windows, then every bound and threshold."""
        yield from self._shadowed()
        for formula in self.written.formulas():
            for node in nodes(formula):
                yield from self._nested(node)
        for formula in self.written.formulas():
            for node in nodes(formula):
                for value, up in _bounds(node):
                    yield from self._bound(value, up)
        yield from self._sweeps()
        for clause in self.written.contract.event_clauses:
            yield from self._thresholds(clause, clause.body)

    def _shadowed(self) -> Iterator[Diagnostic]:
        for declaration in self.written.document.statements:
            if isinstance(declaration, s.ParamDecl) and declaration.name.text in ATTRIBUTES:
                name = declaration.name.text
                yield Diagnostic(
                    "shadowed-parameter",
                    f"in predicates `{name}` means the attribute, never this parameter",
                    self.written.place(declaration.name.span),
                    f"give it another name: `{name}_limit`",
                )

    # Bounds of windows

    def _bound(self, value: s.Value, up: bool) -> Iterator[Diagnostic]:
        """A bound that is no whole number of frames, said once where its number is written."""
        step = self.written.contract.step
        exact = self.written.scope.seconds(value)
        if exact is None or (exact / step).denominator == 1:
            return
        frames = ceil(exact / step) if up else floor(exact / step)
        span, text = self._home(value)
        if span in self.reported:
            return
        self.reported.add(span)
        yield self._rounded(exact, frames, text, span)

    def _home(self, value: s.Value) -> tuple[Span, str]:
        """Where the number stands: at the parameter if the bound names one."""
        if isinstance(value.body, s.Name):
            for declaration in self.written.document.statements:
                if isinstance(declaration, s.ParamDecl) and declaration.name.text == value.body.text:
                    return declaration.value.span, f"{declaration.name.text} = {print_value(declaration.value)}"
        return value.span, print_value(value)

    def _rounded(self, exact: Fraction, frames: int, text: str, span: Span) -> Diagnostic:
        step = self.written.contract.step
        becomes, unit = abs(frames * step), "frame" if abs(frames) == 1 else "frames"
        times = becomes / abs(exact)
        low, high = floor(abs(exact) / step), ceil(abs(exact) / step)
        way = (
            f"write `{_ms(low * step)}` or `{_ms(high * step)}`, or take a smaller step"
            if low
            else "take a smaller step"
        )
        if times >= _MUCH:
            return Diagnostic(
                "rounded-window",
                f"`{text}` becomes {abs(frames)} {unit} ({_ms(becomes)}), {float(times):.3g} times what is written",
                self.written.place(span),
                f"write `{_ms(high * step)}` if that is meant, or take a smaller step",
            )
        return Diagnostic(
            "off-grid-value",
            f"`{text}` lies between {low} and {high} frames of {_ms(step)}; it means {abs(frames)} ({_ms(becomes)})",
            self.written.place(span),
            way,
        )

    def _nested(self, node: s.Expression) -> Iterator[Diagnostic]:
        """Two windows of one kind, one right inside the other, both off the grid."""
        match node:
            case s.Near(outer, s.Near(inner, _)):
                pass
            case s.Window(operator, None, outer, s.Window(same, None, inner, _)) if operator == same:
                pass
            case _:
                return
        a, b, step = self.written.scope.seconds(outer), self.written.scope.seconds(inner), self.written.contract.step
        if a is None or b is None:
            return
        apart, together = ceil(a / step) + ceil(b / step), ceil((a + b) / step)
        if apart > together:
            self.reported |= {self._home(outer)[0], self._home(inner)[0]}
            yield Diagnostic(
                "rounding-adds-up",
                f"`{print_value(outer)}` and `{print_value(inner)}` reach {apart} frames, one after the other; "
                f"{_ms(a + b)} at once is {together}",
                self.written.place(node.span),
                f"write one window of `{_ms(a + b)}`, or bounds that are whole frames of {_ms(step)}",
            )

    def _sweeps(self) -> Iterator[Diagnostic]:
        """Swept values of parameters that stand in windows."""
        in_windows = {
            value.body.text
            for formula in self.written.formulas()
            for node in nodes(formula)
            for value, _ in _bounds(node)
            if isinstance(value.body, s.Name)
        }
        for declaration in self.written.document.statements:
            if isinstance(declaration, s.SweepDecl) and declaration.name.text in in_windows:
                for value in declaration.values:
                    yield from self._bound(value, up=True)

    # Thresholds in predicates

    def _thresholds(self, clause: EventClause, part: Located) -> Iterator[Diagnostic]:
        for inner in part.parts:
            yield from self._thresholds(clause, inner)
        atom = dict(clause.event_atoms).get(getattr(part.formula, "name", ""))
        if not isinstance(atom, Comparison) or atom.quantity is not Quantity.TIME:
            return
        if atom.relation in (Relation.EQ, Relation.NE) or not any(attributes(atom)):
            return
        numbers = [*_offsets(atom.left), *_offsets(atom.right)]
        step = self.written.contract.step
        off = [number for number in numbers if number is not None and (number / step).denominator != 1]
        if None in numbers or not off:
            return
        low, high = floor(off[0] / step) * step, ceil(off[0] / step) * step
        yield Diagnostic(
            "off-grid-threshold",
            f"times lie on the grid of {_ms(step)}, and {_ms(off[0])} between {_ms(low)} and {_ms(high)}",
            self.written.place(part.span),
            f"write the one that is meant: `{_ms(low)}` or `{_ms(high)}`",
        )


def _offsets(term: Term) -> Iterator[Fraction | None]:
    """The constants of a term whose other parts are whole frames; None where something may lie off the grid."""
    match term:
        case Number(value):
            yield value
        case Attribute():
            return
        case Scaled(factor, Number(value)):
            yield factor * value
        case Scaled(factor, body):
            if factor.denominator != 1:
                yield None
            yield from (None if v is None else factor * v for v in _offsets(body))
        case Sum(a, b) | Difference(a, b):
            yield from _offsets(a)
            yield from _offsets(b)
        case Absolute(body):
            yield from _offsets(body)
        case Minimum(arguments) | Maximum(arguments):
            for argument in arguments:
                yield from _offsets(argument)


def _bounds(node: s.Expression) -> Iterator[tuple[s.Value, bool]]:
    """The bounds of a window, and whether each rounds up."""
    match node:
        case s.Near(radius, _) | s.Reach(_, radius, _, _):
            yield radius, True
        case s.Window(_, lo, hi, _):
            if lo is not None:
                yield lo, False
            yield hi, True
        case _:
            return


def _ms(seconds: Fraction) -> str:
    """A time as an author would write it."""
    return f"{print_number(seconds * 1000)}ms"
