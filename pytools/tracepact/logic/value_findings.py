"""What the grid does to the values of a contract: bounds that round, thresholds between frames, names that hide."""

from collections.abc import Iterator
from dataclasses import field
from difflib import get_close_matches
from fractions import Fraction
from math import ceil, floor

from tracepact.declarations import dataclass
from tracepact.diagnostics.findings import Diagnostic, Span, TextPlace
from tracepact.language import predicate
from tracepact.language.contract import BUILTIN_ATOMS, CLASS_ATOMS, Bound, Contract, EventClause, Located
from tracepact.language.formula import Always, Atom, Eventually, atoms
from tracepact.language.predicate import attributes
from tracepact.wording import count, ms

# The text behind a core contract, so that findings can point at what was written.


@dataclass(frozen=True, slots=True)
class ContractText:
    """A contract and the text it was read from."""

    contract: Contract

    def place(self, span: Span) -> TextPlace:
        """A place in the contract's text."""
        return TextPlace(self.contract.source, span)

    def quoted(self, span: Span) -> str:
        """What is written there, on one line."""
        return " ".join(self.contract.source.text[span.start : span.end].split())


_MUCH = 2
"""From this many times the written width on a window counts as much larger than it was meant."""


@dataclass(slots=True)
class ValueFindings:
    """The findings on values and names of one contract."""

    text: ContractText
    reported: set[Span] = field(default_factory=set)

    def warnings(self) -> Iterator[Diagnostic]:
        """Names, then nested windows, then every bound and threshold."""
        yield from self._shadowed()
        contract = self.text.contract
        places = [
            part
            for clause in contract.frame_clauses
            for side in (clause.duty, clause.body)
            for part in side.everywhere()
        ]
        for part in places:
            yield from self._nested(part)
        bounds = [bound for part in places for bound in part.bounds]
        in_windows = {bound.parameter for bound in bounds}
        swept = [bound for sweep in contract.sweeps if sweep.parameter in in_windows for bound in sweep.bounds]
        for bound in (*bounds, *swept):
            yield from self._bound(bound)
        yield from self._limits()
        for event_clause in contract.event_clauses:
            yield from self._thresholds(event_clause)

    def _shadowed(self) -> Iterator[Diagnostic]:
        for parameter in self.text.contract.parameters:
            if parameter.name in predicate.ATTRIBUTES:
                yield Diagnostic(
                    "shadowed-parameter",
                    f"in predicates `{parameter.name}` means the attribute, never this parameter",
                    self.text.place(parameter.name_span),
                    f"give it another name: `{parameter.name}_limit`",
                )

    # Bounds of windows

    def _bound(self, bound: Bound) -> Iterator[Diagnostic]:
        """A bound that is not a whole number of frames, said once where its number is written."""
        span, text = self._home(bound)
        if (bound.seconds / self.text.contract.step).denominator == 1 or span in self.reported:
            return
        self.reported.add(span)
        yield self._rounded(bound, text, span)

    def _home(self, bound: Bound) -> tuple[Span, str]:
        """Where the number stands: at the parameter if the bound names one."""
        for parameter in self.text.contract.parameters:
            if parameter.name == bound.parameter:
                return parameter.value_span, f"{parameter.name} = {parameter.text}"
        return bound.span, bound.text

    def _rounded(self, bound: Bound, text: str, span: Span) -> Diagnostic:
        step, exact = self.text.contract.step, abs(bound.seconds)
        frames = abs(bound.frames)
        becomes = frames * step
        times = becomes / exact
        low, high = floor(exact / step), ceil(exact / step)
        way = (
            f"write `{ms(low * step)}` or `{ms(high * step)}`, or take a smaller step" if low else "take a smaller step"
        )
        if times >= _MUCH:
            return Diagnostic(
                "rounded-window",
                f"`{text}` becomes {count(frames, 'frame')} ({ms(becomes)}), {float(times):.3g} times what is written",
                self.text.place(span),
                f"write `{ms(high * step)}` if that is meant, or take a smaller step",
            )
        return Diagnostic(
            "off-grid-value",
            f"`{text}` lies between {low} and {high} frames of {ms(step)}; it means {frames} ({ms(becomes)})",
            self.text.place(span),
            way,
        )

    def _nested(self, part: Located) -> Iterator[Diagnostic]:
        """Two windows of one kind, one right inside the other, that reach further than their sum would."""
        match part.formula:
            case Eventually(lo, hi, Eventually(low, high, _)) | Always(lo, hi, Always(low, high, _)) if (lo, low) == (
                -hi,
                -high,
            ) or (lo, low) == (0, 0):
                pass
            case _:
                return
        inner = part.parts[0]
        if len(part.bounds) != 1 or len(inner.bounds) != 1:
            return
        (a,), (b,), step = part.bounds, inner.bounds, self.text.contract.step
        apart, together = a.frames + b.frames, ceil((a.seconds + b.seconds) / step)
        if apart > together:
            self.reported |= {self._home(a)[0], self._home(b)[0]}
            yield Diagnostic(
                "rounding-adds-up",
                f"`{a.text}` and `{b.text}` reach {apart} frames, one after the other; "
                f"{ms(a.seconds + b.seconds)} at once is {together}",
                self.text.place(part.span),
                f"write one window of `{ms(a.seconds + b.seconds)}`, or bounds that are whole frames of {ms(step)}",
            )

    # Limits of settings

    def _limits(self) -> Iterator[Diagnostic]:
        """A merge gap or a search between two grid points: gaps and distances are whole frames, so it acts as less."""
        contract = self.text.contract
        limits = (("merge_gap", "merge_gap", contract.merge_gap), ("matcher", "search", contract.matcher.search))
        for statement, name, limit in limits:
            span, step = contract.statements.get(statement), contract.step
            if span is None or name not in self.text.quoted(span) or (limit / step).denominator == 1:
                continue
            low, high = limit // step * step, ceil(limit / step) * step
            yield Diagnostic(
                "off-grid-threshold",
                f"times lie on the grid of {ms(step)}: `{name}` of {ms(limit)} acts as {ms(low)}",
                self.text.place(span),
                f"write the one that is meant: `{ms(low)}` or `{ms(high)}`",
            )

    # Thresholds in predicates

    def _thresholds(self, clause: EventClause) -> Iterator[Diagnostic]:
        """Thresholds that could as well stand on the grid; equality with a time off it is constant, and said so."""
        for part in clause.body.everywhere():
            atom = atom_of(clause, part)
            if atom is not None and atom.relation not in (predicate.Relation.EQ, predicate.Relation.NE):
                hint = off_grid(atom, self.text.contract.step)
                if hint is not None:
                    yield Diagnostic("off-grid-threshold", hint[0], self.text.place(part.span), hint[1])


def atom_of(clause: EventClause, part: Located) -> predicate.TermComparison | None:
    """The comparison that stands at a place of a predicate, if one does."""
    atom = dict(clause.event_atoms).get(part.formula.name) if isinstance(part.formula, Atom) else None
    return atom if isinstance(atom, predicate.TermComparison) else None


def off_grid(atom: predicate.TermComparison, step: Fraction) -> tuple[str, str] | None:
    """What is wrong with a time between two grid points that is compared with times on the grid, and the way out."""
    if atom.quantity is not predicate.TermType.TIME or not any(attributes(atom)):
        return None
    numbers = [*_offsets(atom.left), *_offsets(atom.right)]
    off = [number for number in numbers if number is not None and (number / step).denominator != 1]
    if None in numbers or not off:
        return None
    low, high = floor(off[0] / step) * step, ceil(off[0] / step) * step
    return (
        f"{ms(off[0])} is not a multiple of the step of {ms(step)}; it lies between {ms(low)} and {ms(high)}",
        f"write the one that is meant: `{ms(low)}` or `{ms(high)}`",
    )


def _offsets(term: predicate.Term) -> Iterator[Fraction | None]:
    """The constants of a term whose other parts are whole frames; None where something may lie off the grid."""
    match term:
        case predicate.ConstantTerm(value):
            yield value
        case predicate.Attribute():
            return
        case predicate.Scaled(factor, predicate.ConstantTerm(value)):
            yield factor * value
        case predicate.Scaled(factor, body):
            if factor.denominator != 1:
                yield None
            yield from (None if v is None else factor * v for v in _offsets(body))
        case predicate.TermSum(a, b) | predicate.TermDifference(a, b):
            yield from _offsets(a)
            yield from _offsets(b)
        case predicate.Absolute(body):
            yield from _offsets(body)
        case predicate.Minimum(arguments) | predicate.Maximum(arguments):
            for argument in arguments:
                yield from _offsets(argument)


def reading_hints(located: Located, step: Fraction) -> Iterator[str]:
    """How a formula by itself was read, where that may surprise: bare seconds, rounded bounds, near misses of atoms."""
    for part in located.everywhere():
        for bound in part.bounds:
            frames = f"{count(abs(bound.frames), 'frame')} of {ms(step)}"
            if not bound.unit and bound.seconds:
                written, number = bound.text.lstrip("-"), abs(bound.seconds)
                way = f"frames are written `{written}f`" if number.denominator == 1 else f"or write `{ms(number)}`"
                yield f"`{written}` without a unit is a number of seconds: {frames}; {way}"
            elif (bound.seconds / step).denominator != 1:
                yield f"`{bound.text}` is not a whole number of frames; it means {frames}"
    known = (*BUILTIN_ATOMS, *CLASS_ATOMS)
    for name in sorted(atoms(located.formula) - set(known)):
        if near := get_close_matches(name, known, 1, 0.8):
            yield f"`{name}` is taken as an atom of its own; the built-in one is `{near[0]}`"
