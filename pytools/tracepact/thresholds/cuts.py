"""The best cut under requirements, for each class or for all classes together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.data.events import ScoreLevels
from tracepact.language.contract import Aggregation, OmittedEntries
from tracepact.thresholds.quantities import MetricRate, Quantities, is_least_best, parts_of, weights_of
from tracepact.thresholds.steps import Best, CountSteps, Values, Whole, best, holds

# From cuts to thresholds: where a stretch of cuts begins and ends, and a short threshold inside it.

HALF = Fraction(1, 2)
"""The threshold of a class whose threshold makes no difference."""


def cut_range(levels: ScoreLevels) -> tuple[int, int]:
    """The least and the greatest cut that a threshold from 0 to 1 can have."""
    return levels.above(Fraction(0)), levels.above(Fraction(1))


def threshold_range(levels: ScoreLevels, first: int, last: int) -> tuple[Fraction, Fraction]:
    """The thresholds from 0 to 1 of the cuts from first to last: from the one on, up to but not including the other.

    A stretch that reaches 1 includes it.
    """
    low = levels.value(first - 1) if first else Fraction(0)
    high = levels.value(last) if last < len(levels) else Fraction(1)
    return max(low, Fraction(0)), min(high, Fraction(1))


def short_threshold(low: Fraction, high: Fraction) -> Fraction:
    """The shortest decimal from low on and below high that lies nearest to their middle; `low` if they are one.

    It is not 0, which makes every frame active, unless both are.

    >>> short_threshold(Fraction("0.4137"), Fraction("0.4491"))
    Fraction(43, 100)
    >>> short_threshold(Fraction(0), Fraction("0.6"))
    Fraction(3, 10)
    """
    # The middle is as far as possible from both scores at which something changes; few digits, since people copy it.
    middle = (low + high) / 2
    scale = 1
    while low < high:
        near = Fraction(round(middle * scale), scale)
        if near and low <= near < high:
            return near
        scale *= 10
    return low


def place(levels: ScoreLevels, stretches: Sequence[tuple[int, int]]) -> Fraction:
    """A short threshold in the longest of several stretches of cuts, the lowest of equals (rule 20.10).

    A stretch that begins at 0, where every frame may be active, is taken only if it is alone.
    """
    ranges = [threshold_range(levels, *stretch) for stretch in stretches]
    later = [ends for ends in ranges if ends[0]]
    return short_threshold(*max(later or ranges, key=lambda ends: (ends[1] - ends[0], -ends[0])))


# The best cut under requirements: exact, for all classes or for one, on all clips or on some (rules 19.7 and 20.9).


@dataclass(frozen=True, slots=True)
class QuantityBound:
    """A requirement: a quantity in a relation to a bound; `least` if less of it is better."""

    name: str
    aggregation: Aggregation | None
    compare: Callable[[Fraction, Fraction], bool]
    bound: Fraction
    least: bool
    text: str


@dataclass(frozen=True, slots=True)
class Goal:
    """An objective, and the requirements that a choice must meet."""

    name: str
    bounds: tuple[QuantityBound, ...] = ()
    aggregation: Aggregation | None = None

    @property
    def least(self) -> bool:
        """Whether less is better."""
        return is_least_best(self.name)

    @property
    def text(self) -> str:
        """The objective as it is written."""
        return self.name if self.aggregation is None else f"{self.aggregation.value}.{self.name}"

    @property
    def names(self) -> list[str]:
        """All quantities it speaks of."""
        return [self.name, *(bound.name for bound in self.bounds)]


@dataclass(frozen=True, slots=True)
class CutChoice:
    """A best stretch of cuts, and the value there of what was chosen by.

    Attributes:
        found: the value and the stretches.
        unmet: the requirement that no cut meets, whose nearest value was taken instead of the objective's best.
    """

    found: Best
    unmet: QuantityBound | None = None


def choose(
    quantities: Quantities, goal: Goal, cuts: tuple[int, int], *, label: int | None = None, clips: Whole | None = None
) -> CutChoice | None:
    """The best choice among the cuts from one to another; None if the objective asks nothing at any of them."""
    low, high = cuts
    objective_values = quantities.values(goal.name, goal.aggregation, label=label, clips=clips).within(low, high)
    bounds = [quantities.values(b.name, b.aggregation, label=label, clips=clips).within(low, high) for b in goal.bounds]
    line = np.unique(np.concatenate([values.cuts for values in (objective_values, *bounds)]))
    objective = _over(objective_values, line)
    if not objective.earned.any():
        return None
    allowed = objective.earned.copy()
    for bound, values in zip(goal.bounds, bounds, strict=True):
        bounded = _over(values, line)
        met = allowed & holds(bounded, bound.compare, bound.bound)
        if not met.any():
            nearest = best(bounded, high, least=bound.least, allowed=allowed)
            return None if nearest is None else CutChoice(nearest, bound)
        allowed = met
    top = best(objective, high, least=goal.least, allowed=allowed)
    return None if top is None else CutChoice(top)


def is_better(goal: Goal, a: CutChoice | None, b: CutChoice | None) -> bool:
    """Whether one choice is better than another: it meets more, then its value is better."""
    if a is None or b is None:
        return a is not None
    places: Sequence[int] = [
        len(goal.bounds) if choice.unmet is None else goal.bounds.index(choice.unmet) for choice in (a, b)
    ]
    if places[0] != places[1]:
        return places[0] > places[1]
    least = goal.least if a.unmet is None else a.unmet.least
    return a.found.value < b.found.value if least else a.found.value > b.found.value


def _over(values: Values, line: Whole) -> Values:
    """The values over more cuts, each of which begins a stretch."""
    place = np.searchsorted(values.cuts, line, side="right") - 1
    return Values(line, values.near[place], values.earned[place], values.error, values.exactly)


# Thresholds of all classes at once for a quotient of sums over classes: no combination is better (rule 20.10).
#
# A pooled score and a micro rate are Σ top / Σ bottom over the classes, each summand a function of its class's cut
# alone. A mean over the classes that are not left out is one too: a class adds its value and 1, or 0 and 0.
#
# Dinkelbach's method (1967): with λ the value reached, every class takes the cut with the greatest top − λ · bottom.
# If the sum of these is positive, their quotient is greater than λ, and the step is repeated from it. If it is not,
# then every combination has Σ top ≤ λ · Σ bottom, so that none is better than λ. Each step reaches a greater
# quotient out of finitely many, so it ends. A positive sum never has Σ bottom = 0: where a bottom is 0, so is its
# top.

_EXACT = 1 << 31
"""Products of two whole numbers below this fit in 63 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class Options:
    """What a class may add to a quotient: its cuts, and the top and the bottom at each."""

    cuts: Whole
    top: NDArray[Any]
    bottom: NDArray[Any]

    def within(self, low: int, high: int) -> "Options":
        """The options that the cuts from low to high have, each at its first of them."""
        first, last = (int(np.searchsorted(self.cuts, cut, side="right")) - 1 for cut in (low, high))
        here = slice(first, last + 1)
        return Options(np.maximum(self.cuts[here], low), self.top[here], self.bottom[here])


def best_quotient(classes: Sequence[Options], start: Fraction, *, least: bool = False) -> list[int] | None:
    """The place of each class's option in a combination whose quotient none exceeds; None if none exceeds `start`.

    With `least`, none is below it; the bottoms must then not depend on the choice.
    """
    sign = -1 if least else 1
    reached, chosen = start, None
    while True:
        places = [int(np.argmax(sign * _excess(own, reached))) for own in classes]
        tops, bottoms = (
            sum(part[place] for part, place in zip(parts, places, strict=True))
            for parts in ([own.top for own in classes], [own.bottom for own in classes])
        )
        top, bottom = Fraction(tops), Fraction(bottoms)
        if sign * (top - reached * bottom) <= 0:
            return chosen
        reached, chosen = top / bottom, places


def _excess(options: Options, reached: Fraction) -> NDArray[Any]:
    """The top less the quotient reached times the bottom, in whole parts or in fractions; exact."""
    p, q = reached.numerator, reached.denominator
    largest = max(p, q, *(int(part.max(initial=0)) for part in (options.top, options.bottom)))
    if largest >= _EXACT:
        return np.asarray(options.top.astype(object) * q - options.bottom.astype(object) * p)
    return np.asarray(options.top * q - options.bottom * p)


def options_of(
    quantities: Quantities, goal: Goal, label: int, cuts: tuple[int, int], clips: Whole | None
) -> Options | None:
    """What a class adds to a goal at each cut; None if the goal is not one quotient of sums over classes.

    Substitutions belong to two classes and are left out.
    """
    name, aggregation = goal.name, goal.aggregation
    parts = weights_of(quantities.contract, name)
    if parts is None:
        metric_rate = MetricRate.of(name)
        if metric_rate.macro:
            return _mean_options(quantities.values(name, label=label, clips=clips).within(*cuts), cuts[1])
        tallies = quantities.metric(metric_rate.metric).tallies
        return _options_at(tallies, metric_rate.top, metric_rate.bottom, label, clips).within(*cuts)
    rule = quantities.aggregation(name, aggregation).steps
    if rule.adds_classes:
        if len(parts) > 1:
            return None
        steps = quantities.steps(parts[0][0])
        first, second = (tuple(int(k == place) for k in range(len(steps.base))) for place in (0, 1))
        return _options_at(steps, first, second, label, clips).within(*cuts)
    values = quantities.values(name, aggregation, label=label, clips=clips).within(*cuts)
    if rule.leaves_out is OmittedEntries.NOTHING:
        top_value = best(values, cuts[1], allowed=None, marked=True)
        return None if top_value is None else _listed([(top_value.stretches[0][0], top_value.value, 1)])
    return _mean_options(values, cuts[1]) if rule.adds_clips and len(parts) == 1 else None


def _options_at(
    steps: CountSteps, top: Sequence[int], bottom: Sequence[int], label: int, clips: Whole | None
) -> Options:
    own = steps.label(label)
    cuts, counts = (own if clips is None else own.select(clips)).running()
    return Options(cuts, np.asarray(top) @ counts, np.asarray(bottom) @ counts)


def _mean_options(values: Values, last: int) -> Options:
    """The best value with 1, and where the class can be left out, 0 with 0: no other option is ever greater."""
    top = best(values, last)
    rows: list[tuple[int, Fraction, int]] = [] if top is None else [(top.stretches[0][0], top.value, 1)]
    out = np.flatnonzero(~values.earned)
    if len(out):
        rows.append((int(values.cuts[out[0]]), Fraction(0), 0))
    return _listed(rows)


def _listed(rows: Sequence[tuple[int, Fraction, int]]) -> Options:
    cuts, tops, bottoms = zip(*rows, strict=True)
    return Options(np.array(cuts), np.array(tops, dtype=object), np.array(bottoms, dtype=object))


# A cut for every class, chosen together for a goal as it is reported: over all classes (rules 20.9 and 20.10).


@dataclass(frozen=True, slots=True)
class Pick:
    """The source that a class is decoded from, its cut there, and whether the cut makes a difference to the goal.

    `threshold` is one of that cut; None before it is placed.
    """

    source: int
    cut: int
    threshold: Fraction | None = None
    asked: bool = True


@dataclass(frozen=True, slots=True)
class JointChoice:
    """A pick for each class with its threshold, what it reaches over all classes, and whether no other reaches more."""

    picks: tuple[Pick, ...]
    choice: CutChoice
    exact: bool


class Joint:
    """The counts of all classes at a cut of each, of which one class is moved at a time.

    Counts of a class depend on its own cut alone; `depends_on_other_classes` says of which quantities that is not so.
    """

    def __init__(self, quantities: Quantities, goal: Goal, clips: Whole | None = None) -> None:
        self.goal, self._quantities, self._clips = goal, quantities, clips
        self._clauses, self._metrics = parts_of(quantities.contract, goal.names)
        self._counts: dict[str, Whole] = {}
        self._steps: dict[tuple[Quantities, int], dict[str, CountSteps]] = {}

    def put(self, label: int, quantities: Quantities, cut: int) -> None:
        """Give a class the counts of a cut."""
        for name, steps in self._own(quantities, label).items():
            if name not in self._counts:
                shape = quantities.given.shape[0], steps.shape[1]
                self._counts[name] = np.zeros((len(steps.base), *shape), dtype=np.int64)
            self._counts[name][:, label] = steps.at(cut)[:, 0]

    def choose(self, label: int, quantities: Quantities, cuts: tuple[int, int]) -> CutChoice | None:
        """The best that moving one class's cut reaches over all classes."""
        moved = {name: self._moved(name, label, steps) for name, steps in self._own(quantities, label).items()}
        clauses = {name: moved[name] for name in self._clauses}
        return choose(
            self._quantities.replaced(clauses, {name: moved[name] for name in self._metrics}), self.goal, cuts
        )

    def _moved(self, name: str, label: int, alone: CountSteps) -> CountSteps:
        counts = self._counts[name].copy()
        counts[:, label] = alone.base
        shape = counts.shape[1], counts.shape[2]
        entry = alone.entry + label * shape[1]
        return CountSteps(shape, counts.reshape(len(counts), -1), alone.cut, entry, alone.change)

    def _own(self, quantities: Quantities, label: int) -> dict[str, CountSteps]:
        # Class by class the steps are sliced once: a climb asks for them hundreds of times.
        key = quantities, label
        if key not in self._steps:
            steps = {name: quantities.steps(name) for name in self._clauses}
            steps |= {name: quantities.metric(name).tallies for name in self._metrics}
            alone = {name: some.label(label) for name, some in steps.items()}
            self._steps[key] = alone if self._clips is None else {n: s.select(self._clips) for n, s in alone.items()}
        return self._steps[key]


def choose_jointly(sources: Mapping[int, Quantities], goal: Goal, clips: Whole | None = None) -> JointChoice | None:
    """A source and a cut for every class; None if the goal asks nothing at any.

    No combination is better where the goal is one quotient and requires nothing (see `best_quotient`). Else no single
    class's cut improves what is chosen, from the best common cut and from each class's own best. It is never worse than
    a common cut.
    """
    climb = _CutClimb(sources, goal, clips)
    common = _best_of(goal, {key: choose(own, goal, climb.cuts, clips=clips) for key, own in sources.items()})
    if common is None:
        return None
    key, choice = common
    start = [_placed(key, climb.levels, choice.found.stretches)] * climb.classes
    # Requirements tie classes together beyond any quotient, and choosing under them is a knapsack problem in general:
    # then a climb from several starts is what is affordable, and the record says so.
    quotient = None if goal.bounds else climb.quotient(start)
    starts: list[Sequence[Pick]] = [start, climb.own(start)] if quotient is None else [quotient[0]]
    starts += [first.picks for bound in goal.bounds if (first := climb.meeting(bound)) is not None]
    best_joint: JointChoice | None = None
    for picks in starts:
        reached = climb.climbed(picks)
        if reached is not None and (best_joint is None or is_better(goal, reached.choice, best_joint.choice)):
            best_joint = reached
    exact = quotient is not None and quotient[1]
    return None if best_joint is None else replace(best_joint, exact=exact)


class _CutClimb:
    """Starts, and the best that is reached from one by moving single classes."""

    def __init__(self, sources: Mapping[int, Quantities], goal: Goal, clips: Whole | None) -> None:
        self._sources, self._goal, self._clips = sources, goal, clips
        self._any = next(iter(sources.values()))
        self.levels = self._any.given.levels
        self.cuts = cut_range(self.levels)
        self._joint = Joint(self._any, goal, clips)
        self.classes = self._any.given.shape[0]

    def meeting(self, bound: QuantityBound) -> JointChoice | None:
        """The best of what a requirement speaks of, which meets it if any choice does that is found here."""
        goal = Goal(bound.name, (), bound.aggregation)
        if goal.least is not bound.least:
            return None
        return choose_jointly(self._sources, goal, self._clips)

    def own(self, start: Sequence[Pick]) -> list[Pick]:
        """Each class at the best cut of its own counts; where they ask nothing, at that of a start."""
        picks = []
        for label, other in enumerate(start):
            choices = {
                key: choose(own, self._goal, self.cuts, label=label, clips=self._clips)
                for key, own in self._sources.items()
            }
            top = _best_of(self._goal, choices)
            picks.append(other if top is None else Pick(top[0], top[1].found.stretches[0][0]))
        return picks

    def quotient(self, start: Sequence[Pick]) -> tuple[Sequence[Pick], bool] | None:
        """The best combination of a goal that is one quotient, and whether none is better; None if it is not one."""
        options = [row for label in range(self.classes) if (row := self._options(label)) is not None]
        now = self._reached(start) if len(options) == self.classes else None
        if now is None:
            return None
        places = best_quotient([own for own, _ in options], now.found.value, least=self._goal.least)
        if places is None:
            return start, True
        picks = [Pick(keys[at], int(own.cuts[at])) for (own, keys), at in zip(options, places, strict=True)]
        if self._reached(picks) is not None:
            return picks, True
        return self._asking(picks)

    def _asking(self, picks: Sequence[Pick]) -> tuple[Sequence[Pick], bool] | None:
        """Where every class is vacuous in a mean that counts it: the best with one class that is asked something.

        Others are best as they are, so for one clause no combination that is asked anything is better.
        """
        best_picks: tuple[CutChoice, Sequence[Pick]] | None = None
        for label, own in enumerate(self.own(picks)):
            changed = [own if k == label else pick for k, pick in enumerate(picks)]
            choice = self._reached(changed)
            if choice is not None and (best_picks is None or is_better(self._goal, choice, best_picks[0])):
                best_picks = choice, changed
        single = len(weights_of(self._any.contract, self._goal.name) or [1]) == 1
        return (best_picks[1], True) if best_picks is not None and single else None

    def _options(self, label: int) -> tuple[Options, list[int]] | None:
        """What a class adds under every source, and the source of each."""
        parts, keys = [], []
        for key, own in self._sources.items():
            options = options_of(own, self._goal, label, self.cuts, self._clips)
            if options is None:
                return None
            parts.append(options)
            keys += [key] * len(options.cuts)
        joined = (np.concatenate(column) for column in zip(*((o.cuts, o.top, o.bottom) for o in parts), strict=True))
        return Options(*joined), keys

    def climbed(self, start: Sequence[Pick]) -> JointChoice | None:
        """What is reached from a start when no single class improves it; equal cuts are placed by rule 20.10."""
        picks = list(start)
        now = self._improve(picks, self._reached(picks))
        for label in range(self.classes):
            if (found := self._moved(label)) is not None and (now is None or not is_better(self._goal, now, found[1])):
                now = found[1]
                self._take(picks, label, *found)
        now = self._improve(picks, now)
        if now is None:
            return None
        placed = [p if p.threshold is not None else _placed(p.source, self.levels, [(p.cut, p.cut)]) for p in picks]
        return JointChoice(tuple(placed), now, exact=False)

    def _improve(self, picks: list[Pick], now: CutChoice | None) -> CutChoice | None:
        # Coordinate ascent over exact values: each step is better than the one before it, and there are finitely many
        # choices, so it ends.
        gained = True
        while gained:
            gained = False
            for label in range(self.classes):
                found = self._moved(label)
                if found is not None and is_better(self._goal, found[1], now):
                    gained, now = True, found[1]
                    self._take(picks, label, *found)
        return now

    def _moved(self, label: int) -> tuple[int, CutChoice] | None:
        choices = {key: self._joint.choose(label, own, self.cuts) for key, own in self._sources.items()}
        return _best_of(self._goal, choices)

    def _take(self, picks: list[Pick], label: int, key: int, choice: CutChoice) -> None:
        asked = choice.found.stretches != (self.cuts,)
        if asked:
            picks[label] = _placed(key, self.levels, choice.found.stretches)
        else:
            picks[label] = Pick(key, self.levels.above(HALF), HALF, asked=False)
        self._joint.put(label, self._sources[key], picks[label].cut)

    def _reached(self, picks: Sequence[Pick]) -> CutChoice | None:
        """What a pick for each class reaches; None if nothing is asked."""
        for label, pick in enumerate(picks):
            self._joint.put(label, self._sources[pick.source], pick.cut)
        first = picks[0]
        return self._joint.choose(0, self._sources[first.source], (first.cut, first.cut))


def _placed(key: int, levels: ScoreLevels, stretches: Sequence[tuple[int, int]]) -> Pick:
    threshold = place(levels, stretches)
    return Pick(key, levels.above(threshold), threshold)


def _best_of(goal: Goal, choices: Mapping[int, CutChoice | None]) -> tuple[int, CutChoice] | None:
    """The best choice and its source; the first of equals."""
    top: tuple[int, CutChoice] | None = None
    for key, choice in choices.items():
        if choice is not None and (top is None or is_better(goal, choice, top[1])):
            top = key, choice
    return top
