"""The vector as step functions of a parameter: how the counts of each clause are found, added and scored."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate, groupby, pairwise
from operator import itemgetter

import msgspec
import numpy as np
from numpy.typing import NDArray

from tracepact.data.family import Atoms, Indices
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import TextPlace, did_you_mean
from tracepact.evaluate.curves import (
    Counts,
    GrowingWindow,
    MovingPredicate,
    Place,
    StepFunction,
    growing_window,
    mean_of,
    nonlinear_product,
    step_function,
)
from tracepact.evaluate.event_clauses import evaluate_events, matched_scenes
from tracepact.evaluate.masks import IntegerAlgebra, evaluate_masks, obligations
from tracepact.evaluate.scorecard import Scorecard
from tracepact.evaluate.scores import ClauseCounts, MeanTally, aggregate, mean_tally
from tracepact.language.compilation import at_value, override
from tracepact.language.contract import Aggregation, Contract, EventClause, FrameClause, Parameter
from tracepact.language.formula import Formula, Implies
from tracepact.records import Record
from tracepact.wording import print_number

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


# The vector and its mean as exact step functions of a parameter.


@dataclass(frozen=True, slots=True)
class ParameterMark:
    """A value of the parameter that the contract names: its own, or a point of its sweep."""

    text: str
    value: Fraction
    own: bool


@dataclass(frozen=True, slots=True)
class ToleranceCurves:
    """The curve of every clause and of their mean, over a closed range of one parameter.

    `methods` says how each curve was found: `constant`, `distances`, `obligations` or `re-evaluation`.
    """

    parameter: str
    is_time: bool
    low: Fraction
    high: Fraction
    aggregation: Aggregation
    clauses: Mapping[str, StepFunction]
    logic: StepFunction
    methods: Mapping[str, str]
    marks: tuple[ParameterMark, ...]


def swept_parameters(contract: Contract) -> list[str]:
    """The parameters that the contract sweeps, in their order."""
    return list(dict.fromkeys(sweep.parameter for sweep in contract.sweeps))


def default_range(contract: Contract, parameter: str) -> tuple[Fraction, Fraction]:
    """From zero to the largest value the contract names, at least one step."""
    named = [mark.value for mark in named_values(contract, parameter)]
    return min([Fraction(0), *named]), max([contract.step, *named])


def curves(
    card: Scorecard,
    parameter: str,
    low: Fraction | None = None,
    high: Fraction | None = None,
    *,
    aggregation: Aggregation | None = None,
    on_clause: Callable[[str], None] = lambda name: None,
) -> ToleranceCurves:
    """The curves of a parameter over a range in seconds, or in plain numbers if it has no unit.

    Scores are under the contract's aggregation, or another that is named.
    `on_clause` is told the name of each clause as its turn comes. InvalidInput if the contract has no such parameter,
    if the range is empty or has values the contract refuses, or if the vector is not a step function of the parameter
    that can be found exactly.
    """
    tally = ToleranceTally.of(card, parameter, low, high, aggregation, on_clause)
    return tally.tolerance(card.contract, low, high, aggregation)


def _ends(contract: Contract, parameter: str, low: Fraction | None, high: Fraction | None) -> tuple[Fraction, Fraction]:
    """The range that is named, or as much of the usual one as is not."""
    first, last = default_range(contract, parameter)
    return first if low is None else low, last if high is None else high


def parameter_value(contract: Contract, parameter: str, text: str) -> Fraction:
    """What a text such as `80ms` means as the value of a parameter; InvalidInput if it means none."""
    return _parameter(override(contract, {parameter: text}), parameter).value


def _parameter(contract: Contract, name: str) -> Parameter:
    known = {parameter.name: parameter for parameter in contract.parameters}
    if name not in known:
        diagnostics = Diagnostics()
        help = did_you_mean(name, known) or "it declares no parameters"
        diagnostics.add("unknown-parameter", f"the contract has no parameter `{name}`", help=help)
        diagnostics.raise_errors()
    return known[name]


def named_values(contract: Contract, name: str) -> list[ParameterMark]:
    """The contract's own value of a parameter and its sweep points, ascending."""
    parameter = _parameter(contract, name)
    swept = [sweep for sweep in contract.sweeps if sweep.parameter == name]
    written = {text: bound.seconds for sweep in swept for text, bound in zip(sweep.values, sweep.bounds, strict=True)}
    texts = {written[text]: text for text in sorted(written)}
    texts[parameter.value] = parameter.text
    return [ParameterMark(texts[value], value, value == parameter.value) for value in sorted(texts)]


def _check(contract: Contract, parameter: Parameter, low: Fraction, high: Fraction) -> None:
    """The range is one, and the vector a step function of the parameter that can be found exactly."""
    diagnostics = Diagnostics()
    if low >= high:
        headline = f"the range from {print_number(low)} to {print_number(high)} is empty"
        diagnostics.add("out-of-range", headline, help="give a lower end below the upper one")
        diagnostics.raise_errors()
    first, last = (at_value(contract, parameter.name, end) for end in (low, high))
    name = f"parameter `{parameter.name}`"
    if len({c.step for c in (contract, first, last)}) > 1:
        diagnostics.add("no-exact-curve", f"{name} is the step: with it the grid itself changes")
    if first.matcher.overlap_reward != last.matcher.overlap_reward:
        diagnostics.add("no-exact-curve", f"{name} is the matcher's overlap_reward, which no grid divides into cells")
    if bent := nonlinear_product(contract, parameter.name):
        place = TextPlace(contract.source, bent)
        diagnostics.add("no-exact-curve", f"{name} does not enter this product as a straight line", place)
    diagnostics.raise_errors()


# Tolerance curves of some clips that can be added to those of others: what changes at which value (rule 24.21).


class StepChange(Record, frozen=True):
    """What the counts of a clause gain at a place: numbers that can be added place by place, and clips by clips.

    `counts` are the satisfied obligations of every class, the obligations, and in how many clips there is counter
    evidence; then how many clips a mean over clips is of, and `sums` are the parts of that mean by their denominator.
    Under an aggregation that takes a mean over clips the classes are one.
    """

    place: Place
    counts: tuple[int, ...]
    sums: dict[int, int]

    @classmethod
    def of(cls, place: Place, counts: ClauseCounts, aggregation: Aggregation) -> "StepChange":
        """The counts of all clips at a place, as a change from nothing."""
        steps = aggregation.steps
        if steps.adds_clips:
            columns = (counts.satisfied, counts.obligated, counts.counter)
            return cls(place, (*np.concatenate([column.sum(axis=1) for column in columns]).tolist(), 0), {})
        mean = mean_tally(counts.added(clips=False, classes=steps.adds_classes), steps.leaves_out)
        sums = {kind: part for kind, part in mean.sums.items() if part}
        return cls(place, (mean.satisfied, mean.obligated, 0, mean.clips), sums)

    def plus(self, other: "StepChange", sign: int = 1) -> "StepChange":
        """Both together, at the place of the first; with −1 the difference."""
        sums = Counter(self.sums)
        for kind, part in other.sums.items():
            sums[kind] += sign * part
        counts = tuple(mine + sign * theirs for mine, theirs in zip(self.counts, other.counts, strict=True))
        return StepChange(self.place, counts, {kind: sums[kind] for kind in sorted(sums) if sums[kind]})

    @property
    def is_none(self) -> bool:
        """Whether nothing changes."""
        return not any(self.counts) and not self.sums

    def scored(self, aggregation: Aggregation) -> tuple[Fraction, Counts]:
        """The value, with the counts behind it, where these are sums from nothing."""
        *rows, clips = self.counts
        satisfied, obligated, counter = np.array(rows, dtype=np.int64).reshape(3, -1, 1)
        if aggregation.steps.adds_clips:
            score = aggregate(ClauseCounts(satisfied, obligated, counter > 0), aggregation)
        else:
            idle, entries = False, 0  # a curve says neither how many entries there are nor which are vacuous
            total = int(satisfied.sum()), int(obligated.sum())
            score = MeanTally(self.sums, clips, *total, idle, entries, entries, entries).score
        return score.value, (score.satisfied, score.obligated)


class StepTally(Record, frozen=True):
    """The curve of one clause: how it was found, and its changes, ascending; the first is from nothing."""

    method: str
    changes: tuple[StepChange, ...]

    @classmethod
    def of(
        cls, method: str, counted: Iterable[tuple[Place, ClauseCounts]], high: Fraction, aggregation: Aggregation
    ) -> "StepTally":
        """The tally of counts and the places from which they hold, ascending; the last at a place counts."""
        totals = {p: StepChange.of(p, counts, aggregation) for p, counts in counted if p <= (high, 0)}
        first, *_ = totals.values()
        changes = (now.plus(before, -1) for before, now in pairwise(totals.values()))
        return cls(method, (first, *(change for change in changes if not change.is_none)))

    def __add__(self, other: "StepTally") -> "StepTally":
        added: dict[Place, StepChange] = {}
        for change in (*self.changes, *other.changes):
            added[change.place] = added[change.place].plus(change) if change.place in added else change
        first, *later = (added[place] for place in sorted(added))
        return StepTally(self.method, (first, *(change for change in later if not change.is_none)))

    def function(self, high: Fraction, aggregation: Aggregation) -> StepFunction:
        """The curve."""
        totals = accumulate(
            self.changes, lambda total, change: msgspec.structs.replace(total.plus(change), place=change.place)
        )
        return step_function(high, ((total.place, *total.scored(aggregation)) for total in totals))


class ToleranceTally(Record, frozen=True):
    """The curves of every clause over the values of a parameter, of some clips."""

    parameter: str
    clauses: dict[str, StepTally]

    @classmethod
    def of(
        cls,
        card: Scorecard,
        parameter: str,
        low: Fraction | None = None,
        high: Fraction | None = None,
        aggregation: Aggregation | None = None,
        on_clause: Callable[[str], None] = lambda name: None,
    ) -> "ToleranceTally":
        """The curves of a scorecard over a range; InvalidInput as of `curves`."""
        contract = card.contract
        known = _parameter(contract, parameter)
        low, high = _ends(contract, parameter, low, high)
        _check(contract, known, low, high)
        finder = CurveFinder(card, known, low, high)
        clauses = {}
        for index, clause in enumerate(contract.clauses):
            on_clause(clause.name)
            clauses[clause.name] = StepTally.of(*finder.running(index), high, aggregation or contract.aggregation)
        return cls(parameter, clauses)

    def __add__(self, other: "ToleranceTally") -> "ToleranceTally":
        clauses = {name: steps + other.clauses[name] for name, steps in self.clauses.items()}
        return ToleranceTally(self.parameter, clauses)

    def tolerance(
        self,
        contract: Contract,
        low: Fraction | None = None,
        high: Fraction | None = None,
        aggregation: Aggregation | None = None,
    ) -> ToleranceCurves:
        """The curves of all that was added, over the range and under the aggregation that it was counted with."""
        low, high = _ends(contract, self.parameter, low, high)
        chosen = aggregation or contract.aggregation
        clauses = {name: steps.function(high, chosen) for name, steps in self.clauses.items()}
        return ToleranceCurves(
            self.parameter,
            is_time(_parameter(contract, self.parameter)),
            low,
            high,
            chosen,
            clauses,
            mean_of(list(clauses.values())),
            {name: steps.method for name, steps in self.clauses.items()},
            tuple(mark for mark in named_values(contract, self.parameter) if low <= mark.value <= high),
        )
