"""The vector as step functions of a parameter, and counts of some clips that can be added to those of others."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

import numpy as np
from msgspec.structs import replace

from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import TextPlace, did_you_mean
from tracepact.evaluate.curves import (
    Counts,
    CurveFinder,
    Place,
    StepFunction,
    is_time,
    mean_of,
    nonlinear_product,
    step_function,
)
from tracepact.evaluate.scorecard import Scorecard
from tracepact.evaluate.scores import ClauseCounts, MeanTally, Score, aggregate, mean_tally, vector_mean
from tracepact.evaluate.violations import SoftCounts
from tracepact.language.compilation import at_value, override
from tracepact.language.contract import Aggregation, Contract, Parameter
from tracepact.records import Record
from tracepact.wording import print_number

# Counts of some clips that can be added to those of others: every aggregation follows from the sum, exactly.

# A score of sums over clips follows from the sums; a mean over clips does not, and needs its own parts.
_BY_CLIP = tuple(aggregation for aggregation in Aggregation if not aggregation.steps.adds_clips)
_ALL = slice(None)
_MANTISSA = 53
_HALF = 27
_LEAST = 1127
"""Floats are whole multiples of two to the minus this, the least of them included."""


class ClauseTally(Record, frozen=True):
    """The counts of one clause: sums over clips by class, and the parts of every mean over clips."""

    satisfied: tuple[int, ...]
    obligated: tuple[int, ...]
    counter: tuple[bool, ...]
    means: dict[Aggregation, MeanTally]

    @classmethod
    def of(cls, counts: ClauseCounts, aggregations: Collection[Aggregation] = tuple(Aggregation)) -> "ClauseTally":
        """The tally of the counts of some clips, enough for these aggregations."""
        total = counts.added(clips=True, classes=False)
        means = {}
        for aggregation in (one for one in _BY_CLIP if one in aggregations):
            steps = aggregation.steps
            means[aggregation] = mean_tally(counts.added(clips=False, classes=steps.adds_classes), steps.leaves_out)
        satisfied, obligated, counter = (
            tuple(column[:, 0].tolist()) for column in (total.satisfied, total.obligated, total.counter)
        )
        return cls(satisfied, obligated, counter, means)

    def __add__(self, other: "ClauseTally") -> "ClauseTally":
        return ClauseTally(
            _sum_of_counts(self.satisfied, other.satisfied),
            _sum_of_counts(self.obligated, other.obligated),
            tuple(mine or theirs for mine, theirs in zip(self.counter, other.counter, strict=True)),
            {aggregation: mean + other.means[aggregation] for aggregation, mean in self.means.items()},
        )

    def score(self, aggregation: Aggregation) -> Score:
        """The score of all clips and classes (rule 7.5)."""
        mean = self.means.get(aggregation)
        return aggregate(self._counts(), aggregation) if mean is None else mean.score

    def of_class(self, label: int) -> Score:
        """The pooled score of one class."""
        return aggregate(self._counts(slice(label, label + 1)), Aggregation.POOLED)

    def _counts(self, classes: slice = _ALL) -> ClauseCounts:
        """The sums over clips, of some classes, as the counts of one clip."""
        kinds = (np.int64, np.int64, np.bool_)
        columns = (self.satisfied[classes], self.obligated[classes], self.counter[classes])
        return ClauseCounts(*(np.array(c, dtype=kind)[:, None] for c, kind in zip(columns, kinds, strict=True)))


def _sum_of_counts(mine: Sequence[int], theirs: Sequence[int]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(mine, theirs, strict=True))


class SoftTally(Record, frozen=True):
    """The sum of floats and how many there are; the sum is exact, a whole number of the least floats in hexadecimal."""

    closeness: str
    edges: int

    @classmethod
    def of(cls, counts: SoftCounts) -> "SoftTally":
        """The tally of the soft boundary scores of some clips."""
        return cls(f"{_whole_sum(counts.closeness):x}", int(counts.edges.sum()))

    def __add__(self, other: "SoftTally") -> "SoftTally":
        return SoftTally(f"{int(self.closeness, 16) + int(other.closeness, 16):x}", self.edges + other.edges)

    @property
    def mean(self) -> tuple[float, int]:
        """The mean, rounded once, and of how many edges it is; 1 for none."""
        if not self.edges:
            return 1.0, 0
        return min(1.0, float(Fraction(int(self.closeness, 16), self.edges << _LEAST))), self.edges


def _whole_sum(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> int:
    """The exact sum of floats that are not negative, in units of the least float."""
    # Floats are added as whole numbers of the least float, exactly and in any order: batches then give the same last
    # digit as one pass over all clips.
    fractions, exponents = np.frexp(values.ravel())
    whole = (fractions * (1 << _MANTISSA)).astype(np.int64)
    total = 0
    for exponent in np.unique(exponents).tolist():
        some = whole[exponents == exponent]
        # Halves of a mantissa can be added a thousand million times before an int64 is full.
        high, low = int((some >> _HALF).sum()), int((some & ((1 << _HALF) - 1)).sum())
        total += ((high << _HALF) + low) << (_LEAST + exponent - _MANTISSA)
    return total


class GroupTally(Record, frozen=True):
    """What a report says of a group of clips: how many, the counts of every clause, the soft boundary score."""

    clips: int
    clauses: dict[str, ClauseTally]
    soft: SoftTally

    @classmethod
    def of(cls, clips: int, counts: Mapping[str, ClauseCounts], soft: SoftCounts) -> "GroupTally":
        """The tally of the counts of some clips, by clause."""
        return cls(clips, {name: ClauseTally.of(some) for name, some in counts.items()}, SoftTally.of(soft))

    def __add__(self, other: "GroupTally") -> "GroupTally":
        clauses = {name: tally + other.clauses[name] for name, tally in self.clauses.items()}
        return GroupTally(self.clips + other.clips, clauses, self.soft + other.soft)

    def vector(self, aggregation: Aggregation) -> dict[str, Score]:
        """The score of every clause."""
        return {name: tally.score(aggregation) for name, tally in self.clauses.items()}

    def logic(self, aggregation: Aggregation) -> Fraction:
        """The mean of the vector (rule 7.7)."""
        return vector_mean(self.vector(aggregation).values())


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
        totals = accumulate(self.changes, lambda total, change: replace(total.plus(change), place=change.place))
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
