"""The curve of one clause over a parameter, as an exact step function."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import groupby
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from tracepact.data.family import Atoms, Indices
from tracepact.diagnostics.findings import Span
from tracepact.evaluate.event_clauses import evaluate_events, matched_scenes
from tracepact.evaluate.masks import IntegerAlgebra, evaluate_masks, obligations
from tracepact.evaluate.predicates import (
    Obligation,
    PreparedComparison,
    Unbounded,
    prepare,
    side,
    term_parts,
    truth,
    with_parts,
)
from tracepact.evaluate.scorecard import Scorecard
from tracepact.evaluate.scores import ClauseCounts
from tracepact.evaluate.violations import GrowingWindow, growing_window
from tracepact.language import syntax as s
from tracepact.language.compilation import at_value, parsed_of
from tracepact.language.contract import Contract, EventClause, FrameClause, Parameter
from tracepact.language.formula import Formula, Implies
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
)

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


# The curve of one clause over a parameter: by distances, by obligations, or by evaluating it again in every cell.

RunningCounts = Iterator[tuple[Place, ClauseCounts]]
"""The counts of a clause and the places from which they hold, ascending."""

_PART = 1 << 20
"""The obligations whose witnesses are looked for together."""
Change = tuple[Place, int, int]
"""From where on a segment has how many more satisfied obligations."""


def is_time(parameter: Parameter) -> bool:
    """Whether a parameter is written with a unit."""
    return parameter.text[-1].isalpha()


class CurveFinder:
    """Finds the counts of each clause of a scorecard over the values of one parameter between two ends."""

    def __init__(self, card: Scorecard, parameter: Parameter, low: Fraction, high: Fraction) -> None:
        self.card, self.contract, self.family = card, card.contract, card.family
        self.parameter, self.low, self.high = parameter, low, high
        self._masks: dict[Formula, int] = {}
        self.first, self.last = self.at(low), self.at(high)
        self.layout = self.family.layout(max(self.first.reach, self.last.reach))
        self.atoms = Atoms(self.family, self.layout)

    def at(self, value: Fraction) -> Contract:
        """The contract at a value of the parameter."""
        return at_value(self.contract, self.parameter.name, value)

    def running(self, index: int) -> tuple[str, Iterable[tuple[Place, ClauseCounts]]]:
        """How the counts of a clause are found, and the counts; each must be taken before the next is asked for."""
        start = (self.low, 0)
        match self.contract.clauses[index], self.first.clauses[index], self.last.clauses[index]:
            case FrameClause() as own, FrameClause() as a, FrameClause() as b:
                if own == a == b:
                    return "constant", [(start, self.card.counts[own.name])]
                if (a.obligation, a.formula) == (b.obligation, b.formula):
                    return "constant", [(start, self._frame_counts(a))]
                window = growing_window(a.formula, b.formula) if a.obligation == b.obligation else None
                if window is not None:
                    return "distances", self._by_distances(a, window)
                return "re-evaluation", self._by_cells(index)
            case EventClause() as own, EventClause() as a, EventClause() as b:
                rematched = _matching(self.first) != _matching(self.last)
                if own == a == b and not rematched and _matching(self.contract) == _matching(self.first):
                    return "constant", [(start, self.card.counts[own.name])]
                regions = self._floors() if rematched else [start]
                if a.event_atoms != b.event_atoms:
                    return "obligations", self._by_obligations(a, b, regions)
                counted = ((place, self._event_counts(place[0], index)) for place in regions)
                return "re-evaluation" if rematched else "constant", counted
        raise TypeError("a clause keeps its kind whatever a parameter is")

    def _floors(self) -> list[Place]:
        """The start of the range, and the multiples of the step after it.

        What looks farther than the longest clip sees nothing new, so multiples beyond its length are left out.
        """
        step, farthest = self.contract.step, self.layout.longest + 1
        multiples = range(max(self.low // step + 1, -farthest), min(self.high // step, farthest) + 1)
        return [(self.low, 0), *((k * step, 0) for k in multiples)]

    # Frame clauses

    def _by_distances(self, clause: FrameClause, window: GrowingWindow) -> RunningCounts:
        """An obligation holds from the cell on in which a witness comes into the window.

        ⌈p/step⌉ is at least k exactly when p > (k−1)·step.
        """
        obliged = self._mask(clause.obligation) & ~self.atoms.ignored
        asked = obliged & self._mask(clause.formula.left) if isinstance(clause.formula, Implies) else obliged
        positions = self.layout.positions(asked)
        # The window only grows with the parameter, so an obligation turns from violated to satisfied at most once: one
        # search for its nearest witness gives the whole curve, and nothing is evaluated again.
        step, start, segments = self.contract.step, (self.low, 0), self.layout.segments
        targets = self.layout.positions(self.atoms[window.atom])
        # What is reached only beyond the range changes nothing. Radius and segment are below 2**31, so one number says
        # both; and a day of frames is taken in parts, each of which takes several columns.
        farthest = min(self.high // step + 1, self.layout.longest)
        times: Counter[int] = Counter()
        for first in range(0, len(positions), _PART):
            part = positions[first : first + _PART]
            radii = window.radii(self.layout, part, targets)
            reached = radii <= farthest
            keys, some = np.unique(radii[reached] * segments + self.layout.locate(part[reached])[0], return_counts=True)
            times.update(dict(zip(keys.tolist(), some.tolist(), strict=True)))
        changes = ((max(((k // segments - 1) * step, 1), start), k % segments, times[k]) for k in sorted(times))
        total = self.layout.counts(obliged)
        return self._running(start, total - self.layout.counts(asked), total, None, changes)

    def _by_cells(self, index: int) -> RunningCounts:
        """Evaluated at each multiple of the step, and between each two: bounds are rounded to frames."""
        # Bounds round to frames outward (rule 2.6): what holds at a multiple of the step itself, and what holds between
        # two of them, are the only verdicts there are.
        floors = self._floors()
        for (value, _), (following, _) in zip(floors, [*floors[1:], (self.high, 0)], strict=True):
            for place, inside in (((value, 0), value), ((value, 1), (value + following) / 2)):
                if place <= (self.high, 0):
                    clause = self.at(inside).clauses[index]
                    assert isinstance(clause, FrameClause)
                    yield place, self._frame_counts(clause)

    def _frame_counts(self, clause: FrameClause) -> ClauseCounts:
        obliged = self._mask(clause.obligation) & ~self.atoms.ignored
        held = self.layout.counts(obliged & self._mask(clause.formula))
        return self._shaped(held, self.layout.counts(obliged), None)

    def _mask(self, formula: Formula) -> int:
        if formula not in self._masks:
            algebra = IntegerAlgebra(self.layout.valid, self.layout.longest)
            (self._masks[formula],) = evaluate_masks([formula], self.atoms, algebra)
        return self._masks[formula]

    # Event clauses

    def _event_counts(self, value: Fraction, index: int) -> ClauseCounts:
        contract = self.at(value)
        evaluated = evaluate_events(replace(contract, clauses=(contract.clauses[index],)), self.family)
        (judged,) = evaluated.clauses
        return self._shaped(judged.satisfied, judged.obligated, evaluated.counter_evidence)

    def _by_obligations(self, a: EventClause, b: EventClause, regions: Sequence[Place]) -> RunningCounts:
        """In each region of one matching: the verdict on every obligation, at its turning points and between."""
        # A verdict can change only where two lines meet, so the points are exact, and a point between each two of them
        # shows what holds there.
        moving = MovingPredicate(self.low, self.high, a, b, self.contract.step)
        judge, turning_points = moving.judge(), moving.turning_points()
        for region, end in zip(regions, [*regions[1:], (self.high, 1)], strict=True):
            contract = replace(self.at(region[0]), clauses=(a,))
            duties = [
                (matched.segment, duty, turning_points(duty))
                for matched in matched_scenes(contract, self.family)
                for duty in obligations(a.each, matched.scene, matched.pairs, matched.ignored)
            ]
            cuts = {region[0], end[0]}.union(*(points for _, _, points in duties))
            following = dict(zip(sorted(cuts), sorted(cuts)[1:], strict=False))
            satisfied = np.zeros(self.family.segments, dtype=np.int64)
            obligated = np.zeros_like(satisfied)
            changes: list[Change] = []
            for segment, duty, points in duties:
                held = judge(region[0], duty)
                obligated[segment] += 1
                satisfied[segment] += held
                places = ((point, after) for point in sorted({region[0], end[0], *points}) for after in (0, 1))
                for place in places:
                    if region < place < end:
                        value, after = place
                        now = judge((value + following[value]) / 2 if after else value, duty)
                        if now != held:
                            changes.append((place, segment, 1 if now else -1))
                        held = now
            changes.sort(key=itemgetter(0))
            evidence = evaluate_events(replace(contract, clauses=()), self.family).counter_evidence
            yield from self._running(region, satisfied, obligated, evidence, changes)

    # Both

    def _running(
        self,
        start: Place,
        satisfied: Indices,
        obligated: Indices,
        evidence: NDArray[np.bool_] | None,
        changes: Iterable[Change],
    ) -> RunningCounts:
        """The counts from the start on, and from each place with changes."""
        satisfied = satisfied.copy()
        yield start, self._shaped(satisfied, obligated, evidence)
        for place, some in groupby(changes, key=itemgetter(0)):
            if place > (self.high, 0):
                return
            for _, segment, change in some:
                satisfied[segment] += change
            yield place, self._shaped(satisfied, obligated, evidence)

    def _shaped(self, satisfied: Indices, obligated: Indices, evidence: NDArray[np.bool_] | None) -> ClauseCounts:
        """Counts by class and clip; where nothing is obliged, events are counter evidence of an event clause."""
        shape = len(self.family.classes), len(self.family.clips)
        counter = np.zeros_like(obligated, dtype=np.bool_) if evidence is None else evidence & (obligated == 0)
        return ClauseCounts(satisfied.reshape(shape), obligated.reshape(shape), counter.reshape(shape))


def _matching(contract: Contract) -> tuple[int, int]:
    """What of the joining and matching of runs is counted in frames."""
    return contract.merge_gap // contract.step, contract.matcher.search // contract.step
