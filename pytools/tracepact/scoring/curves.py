"""The curve of one clause over a parameter: by distances, by obligations, or by evaluating it again in every cell."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from tracepact.core import Aggregation, Contract, EventClause, Formula, FrameClause, Implies, Parameter
from tracepact.events import evaluate_events
from tracepact.events.evaluate import matched_scenes
from tracepact.events.obligations import obligations
from tracepact.lang import at_value
from tracepact.monitor import IntegerAlgebra, evaluate_masks
from tracepact.scoring.aggregate import ClauseCounts, aggregate
from tracepact.scoring.distance import NO_WITNESS, GrowingWindow, growing_window
from tracepact.scoring.predicates import MovingPredicate
from tracepact.scoring.scorecard import Scorecard
from tracepact.scoring.steps import Place, StepFunction, step_function
from tracepact.trace.family import Atoms
from tracepact.trace.layout import Indices

RunningCounts = Iterator[tuple[Place, ClauseCounts]]
"""The counts of a clause and the places from which they hold, ascending."""

Change = tuple[Place, int, int]
"""From where on a segment has how many more satisfied obligations."""


def is_time(parameter: Parameter) -> bool:
    """Whether a parameter is written with a unit."""
    return parameter.text[-1].isalpha()


class CurveFinder:
    """Finds the curve of each clause of a scorecard over the values of one parameter between two ends."""

    def __init__(
        self, card: Scorecard, parameter: Parameter, low: Fraction, high: Fraction, aggregation: Aggregation
    ) -> None:
        self.card, self.contract, self.family = card, card.contract, card.family
        self.parameter, self.low, self.high, self.aggregation = parameter, low, high, aggregation
        self._masks: dict[Formula, int] = {}
        self.first, self.last = self.at(low), self.at(high)
        self.layout = self.family.layout(max(self.first.reach, self.last.reach))
        self.atoms = Atoms(self.family, self.layout)

    def at(self, value: Fraction) -> Contract:
        """The contract at a value of the parameter."""
        return at_value(self.contract, self.parameter.name, value)

    def curve(self, index: int) -> tuple[str, StepFunction]:
        """How the curve of a clause was found, and the curve."""
        method, found = self.running(index)
        scores = ((place, aggregate(counts, self.aggregation)) for place, counts in found)
        return method, step_function(self.high, ((place, s.value, (s.satisfied, s.obligated)) for place, s in scores))

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
                found = ((place, self._event_counts(place[0], index)) for place in regions)
                return "re-evaluation" if rematched else "constant", found
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
        radii = window.radii(self.layout, positions, self.layout.positions(self.atoms[window.atom]))
        segments, _ = self.layout.locate(positions)
        found = radii != NO_WITNESS
        pairs, times = np.unique(np.stack([radii[found], segments[found]]), axis=1, return_counts=True)
        step, start = self.contract.step, (self.low, 0)
        places = {k: max(((k - 1) * step, 1), start) for k in np.unique(pairs[0]).tolist()}
        changes = ((places[k], segment, some) for k, segment, some in zip(*pairs.tolist(), times.tolist(), strict=True))
        total = self.layout.counts(obliged)
        return self._running(start, total - self.layout.counts(asked), total, None, changes)

    def _by_cells(self, index: int) -> RunningCounts:
        """Evaluated at each multiple of the step, and between each two: bounds are rounded to frames."""
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
        (found,) = evaluated.clauses
        return self._shaped(found.satisfied, found.obligated, evaluated.counter_evidence)

    def _by_obligations(self, a: EventClause, b: EventClause, regions: Sequence[Place]) -> RunningCounts:
        """In each region of one matching: the verdict on every obligation, at its turning points and between."""
        moving = MovingPredicate(self.low, self.high, a, b, self.contract.step)
        judge, turning_points = moving.judge(), moving.turning_points()
        for region, end in zip(regions, [*regions[1:], (self.high, 1)], strict=True):
            contract = replace(self.at(region[0]), clauses=(a,))
            duties = [
                (found.segment, duty, turning_points(duty))
                for found in matched_scenes(contract, self.family)
                for duty in obligations(a.each, found.scene, found.pairs, found.ignored)
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
