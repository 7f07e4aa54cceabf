"""What the curve of a clause is made of: distances to witnesses, step functions, predicates whose constants move."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import groupby

import numpy as np

from tracepact.data.family import Indices, Layout
from tracepact.diagnostics.findings import Span
from tracepact.evaluate.predicates import (
    Obligation,
    PreparedComparison,
    Unbounded,
    prepare,
    side,
    truth,
)
from tracepact.language import syntax as s
from tracepact.language.compilation import parsed_of
from tracepact.language.contract import Contract, EventClause, FrameClause
from tracepact.language.formula import Atom, Eventually, Formula, Implies
from tracepact.language.predicate import (
    ATTRIBUTES,
    Absolute,
    Attribute,
    ConstantTerm,
    EventAtom,
    Maximum,
    Minimum,
    Scaled,
    Term,
    TermComparison,
    TermDifference,
    TermSum,
    TermType,
    term_parts,
    with_parts,
)

# How far an obligation is from a witness: nearest frames of a mask (rule 10.2), and windows that grow to them.

NO_WITNESS = np.iinfo(np.int64).max
"""In place of an offset or a radius: there is no witness in the clip, or none where the window grows."""
_FAR = 2**30
"""More frames than a clip has: a bound beyond it is as far from every frame of the clip, frame for frame."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A clause `F[lo,hi] atom` or `o -> F[lo,hi] atom`: the only shapes that have distances."""

    lo: int
    hi: int
    atom: str


def distance_shape(clause: FrameClause) -> Shape | None:
    """The window and atom of a clause that has distances."""
    match clause.formula:
        case Eventually(lo, hi, Atom(name)) | Implies(_, Eventually(lo, hi, Atom(name))):
            return Shape(lo, hi, name)
        case _:
            return None


def nearest_offsets(layout: Layout, positions: Indices, targets: Indices, lo: int = 0, hi: int = 0) -> Indices:
    """For each position the offset of the target that lies least outside [lo, hi], then nearest, then earlier.

    Positions and targets are bits of the layout; a target in another clip does not count.
    """
    if not len(positions):
        return np.zeros(0, dtype=np.int64)
    lo, hi = _near(lo), _near(hi)
    # The target that lies least outside the window is the nearest one on either side of the offset of the window that
    # is nearest to 0: two neighbours in a sorted array decide.
    aim = min(max(0, lo), hi)
    segment, _ = layout.locate(positions)
    first = layout.start[segment]
    last = first + layout.frames[segment] - 1
    after = np.searchsorted(targets, np.clip(positions + aim, first, last + 1))
    padded = np.concatenate(([np.int64(-1)], targets, [np.int64(NO_WITNESS)]))
    later, earlier = padded[after + 1], padded[after]
    later_offset = np.where(later <= last, later - positions, NO_WITNESS)
    earlier_offset = np.where(earlier >= first, earlier - positions, NO_WITNESS)
    takes_earlier = _rank(earlier_offset, lo, hi) <= _rank(later_offset, lo, hi)
    return np.where(takes_earlier, earlier_offset, later_offset)


def _near(bound: int) -> int:
    """A bound, or one that is as good for every frame of a clip and that a machine word holds."""
    return min(max(bound, -_FAR), _FAR)


def _rank(offset: Indices, lo: int, hi: int) -> Indices:
    """Orders offsets: frames outside the window first, then distance (both at most 2**31)."""
    bounded = offset != NO_WITNESS
    shown = np.where(bounded, offset, 0)
    outside = np.maximum(np.maximum(lo - shown, shown - hi), 0)
    # Two keys in one word, so that one comparison of columns orders by both.
    return np.where(bounded, (outside << 31) + np.abs(shown), NO_WITNESS)


@dataclass(frozen=True, slots=True)
class GrowingWindow:
    """The window of `F[a,b] atom` or `o -> F[a,b] atom`, an end or both k frames away at a parameter of k frames.

    An end that is None moves, downward if it is `lo` and upward if it is `hi`; the other stays.
    """

    lo: int | None
    hi: int | None
    atom: str

    def radii(self, layout: Layout, positions: Indices, targets: Indices) -> Indices:
        """For each position the least k whose window holds a target of the same clip, or NO_WITNESS."""
        segment, _ = layout.locate(positions)
        first = layout.start[segment]
        last = first + layout.frames[segment] - 1
        padded = np.concatenate(([np.int64(-1)], targets, [np.int64(NO_WITNESS)]))
        radii = np.full(len(positions), NO_WITNESS, dtype=np.int64)
        if self.hi is None:
            after = padded[np.searchsorted(targets, np.maximum(positions + _near(self.lo or 0), first)) + 1]
            radii = np.where(after <= last, after - positions, radii)
        if self.lo is None:
            before = padded[np.searchsorted(targets, np.minimum(positions + _near(self.hi or 0), last), side="right")]
            radii = np.where(before >= first, np.minimum(radii, positions - before), radii)
        return radii


def _without_antecedent(formula: Formula) -> tuple[Formula | None, Formula]:
    """The antecedent of an implication and its consequent; any other formula has no antecedent."""
    return (formula.left, formula.right) if isinstance(formula, Implies) else (None, formula)


def growing_window(at_low: Formula, at_high: Formula) -> GrowingWindow | None:
    """The window of a formula at the two ends of a parameter's range, if it has distances and only grows.

    A bound is the parameter, its negative or a constant, and rounds outward (rule 2.6): an upper end that grows is the
    parameter, a lower end that falls is its negative.
    """
    match _without_antecedent(at_low), _without_antecedent(at_high):
        case (
            (left, Eventually(lo, hi, Atom(name))),
            (same, Eventually(low, high, Atom(other))),
        ) if left == same and name == other and low <= lo and high >= hi:
            return GrowingWindow(lo if low == lo else None, hi if high == hi else None, name)
    return None


# Step functions over an interval of rational numbers, exact at every point and between.

Place = tuple[Fraction, int]
"""Where a piece starts: `(b, 0)` at b, b included; `(b, 1)` just after b."""

Counts = tuple[int, int]
"""Satisfied and obligated."""


@dataclass(frozen=True, slots=True)
class CountedPiece:
    """A stretch on which a step function keeps its value, with the counts behind it where there are some."""

    low: Fraction
    low_included: bool
    high: Fraction
    high_included: bool
    value: Fraction
    counts: Counts | None


@dataclass(frozen=True, slots=True)
class StepFunction:
    """Values by the places from which they hold, ascending from the lowest argument up to `high`, included."""

    high: Fraction
    starts: tuple[Place, ...]
    values: tuple[Fraction, ...]
    counts: tuple[Counts, ...] | None = None

    def at(self, argument: Fraction) -> Fraction:
        """The value at an argument of the range."""
        index = bisect_right(self.starts, (argument, 0)) - 1
        if index < 0 or argument > self.high:
            raise ValueError(f"{argument} is not between {self.starts[0][0]} and {self.high}")
        return self.values[index]

    @property
    def low(self) -> Fraction:
        """The lowest argument."""
        return self.starts[0][0]

    @property
    def integral(self) -> Fraction:
        """The area under it."""
        ends = [*(start for start, _ in self.starts[1:]), self.high]
        widths = (end - start for (start, _), end in zip(self.starts, ends, strict=True))
        return sum((width * value for width, value in zip(widths, self.values, strict=True)), Fraction(0))

    @property
    def mean(self) -> Fraction:
        """The integral over the length of the range."""
        return self.integral / (self.high - self.low)

    @property
    def span(self) -> Fraction:
        """The greatest value minus the least."""
        return max(self.values) - min(self.values)

    def pieces(self) -> list[CountedPiece]:
        """The stretches, ascending and without gaps."""
        following: Sequence[Place] = [*self.starts[1:], (self.high, 1)]
        counts = self.counts or [None] * len(self.starts)
        return [
            CountedPiece(low, not after, high, bool(ended), value, count)
            for (low, after), (high, ended), value, count in zip(
                self.starts, following, self.values, counts, strict=True
            )
        ]


def step_function(high: Fraction, pieces: Iterable[tuple[Place, Fraction, Counts]]) -> StepFunction:
    """A step function from places with values and counts, ascending; the last at a place counts.

    Neighbours that are alike become one piece.
    """
    last = {place: (place, value, counts) for place, value, counts in pieces if place <= (high, 0)}
    inside = [next(group) for _, group in groupby(last.values(), key=lambda item: item[1:])]
    return StepFunction(
        high,
        tuple(place for place, _, _ in inside),
        tuple(value for _, value, _ in inside),
        tuple(counts for _, _, counts in inside),
    )


def mean_of(functions: Sequence[StepFunction]) -> StepFunction:
    """The mean of step functions over one range."""
    starts = sorted({start for function in functions for start in function.starts})
    sums = [Fraction(0)] * len(starts)
    for function in functions:
        for index, start in enumerate(starts):
            sums[index] += function.values[bisect_right(function.starts, start) - 1]
    pieces = [(start, total / len(functions), (0, 0)) for start, total in zip(starts, sums, strict=True)]
    joined = step_function(functions[0].high, pieces)
    return StepFunction(joined.high, joined.starts, joined.values)


# Event predicates as functions of a parameter: where the verdict on an obligation can change, and what it is there.
#
# Every constant of a predicate is a straight line over the parameter, known from the predicate at two values. A
# term is then made of finitely many lines (`abs`, `min` and `max` choose among them), and a comparison can only
# change where a line of its left side meets one of its right side: both sides are continuous.

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
            if a != b and isinstance(a, TermComparison) and isinstance(b, TermComparison)
        ]

        def turning(obligation: Obligation) -> set[Fraction]:
            roots: set[Fraction] = set()
            for ready, a, b in moving:
                if isinstance(ready, PreparedComparison) and not ready.is_missing(obligation):
                    roots.update(self._meetings(a, b, obligation))
            return {root for root in roots if self.low < root < self.high}

        return turning

    def _atoms(self) -> Iterator[tuple[str, EventAtom, EventAtom]]:
        for (name, a), (_, b) in zip(self.at_low.event_atoms, self.at_high.event_atoms, strict=True):
            yield name, a, b

    def _meetings(self, a: TermComparison, b: TermComparison, obligation: Obligation) -> Iterator[Fraction]:
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
            case ConstantTerm(x, quantity), ConstantTerm(y, _):
                unit = self.step if quantity is TermType.TIME else 1
                return {self._line(x / unit, y / unit)}
            case Attribute(), Attribute():
                value = side(a, self.step, 1)(obligation)
                return set() if isinstance(value, Unbounded) else {(Fraction(value), Fraction(0))}
            case TermSum(a1, a2), TermSum(b1, b2):
                return {(v + w, p + q) for v, p in lines(a1, b1) for w, q in lines(a2, b2)}
            case TermDifference(a1, a2), TermDifference(b1, b2):
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
            case TermComparison(relation, left, right, quantity), TermComparison(_, other_left, other_right, _):
                at_left, at_right = self._term_at(value, left, other_left), self._term_at(value, right, other_right)
                return TermComparison(relation, at_left, at_right, quantity)
        return a

    def _term_at(self, value: Fraction, a: Term, b: Term) -> Term:
        """A term with the constants it has at a value of the parameter."""

        def mixed(x: Fraction, y: Fraction) -> Fraction:
            start, slope = self._line(x, y)
            return start + slope * value

        pairs = zip(term_parts(a), term_parts(b), strict=True)
        parts = [self._term_at(value, x, y) for x, y in pairs]
        match a, b:
            case ConstantTerm(x, quantity), ConstantTerm(y, _):
                return ConstantTerm(mixed(x, y), quantity)
            case Scaled(x, _), Scaled(y, _):
                return Scaled(mixed(x, y), *parts)
        return with_parts(a, parts)


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
                if isinstance(node, s.ArithmeticTerm) and node.operator == "*" and _is_bent(node, parameter):
                    return node.span
    return None


def _is_bent(product: s.ArithmeticTerm, parameter: str) -> bool:
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
