"""A cut for every class, chosen together for a goal as it is reported: over all classes (rules 20.9 and 20.10)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from tracepact.thresholds.choosing import Bound, Choice, Goal, choose, is_better
from tracepact.thresholds.counted import parts_of
from tracepact.thresholds.places import HALF, place
from tracepact.thresholds.quantities import Quantities
from tracepact.thresholds.ratios import Options, best_quotient, options_of
from tracepact.thresholds.steps import Steps, Whole
from tracepact.trace import ScoreLevels


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
    choice: Choice
    exact: bool


class Joint:
    """The counts of all classes at a cut of each, of which one class is moved at a time.

    Counts of a class depend on its own cut alone; `depends_on_other_classes` says of which quantities that is not so.
    """

    def __init__(self, quantities: Quantities, goal: Goal, clips: Whole | None = None) -> None:
        self.goal, self._quantities, self._clips = goal, quantities, clips
        self._clauses, self._metrics = parts_of(quantities.contract, goal.names)
        self._counts: dict[str, Whole] = {}
        self._steps: dict[tuple[Quantities, int], dict[str, Steps]] = {}

    def put(self, label: int, quantities: Quantities, cut: int) -> None:
        """Give a class the counts of a cut."""
        for name, steps in self._own(quantities, label).items():
            if name not in self._counts:
                shape = quantities.given.shape[0], steps.shape[1]
                self._counts[name] = np.zeros((len(steps.base), *shape), dtype=np.int64)
            self._counts[name][:, label] = steps.at(cut)[:, 0]

    def choose(self, label: int, quantities: Quantities, cuts: tuple[int, int]) -> Choice | None:
        """The best that moving one class's cut reaches over all classes."""
        moved = {name: self._moved(name, label, steps) for name, steps in self._own(quantities, label).items()}
        clauses = {name: moved[name] for name in self._clauses}
        return choose(
            self._quantities.replaced(clauses, {name: moved[name] for name in self._metrics}), self.goal, cuts
        )

    def _moved(self, name: str, label: int, own: Steps) -> Steps:
        counts = self._counts[name].copy()
        counts[:, label] = own.base
        shape = counts.shape[1], counts.shape[2]
        return Steps(shape, counts.reshape(len(counts), -1), own.cut, own.entry + label * shape[1], own.change)

    def _own(self, quantities: Quantities, label: int) -> dict[str, Steps]:
        key = quantities, label
        if key not in self._steps:
            steps = {name: quantities.steps(name) for name in self._clauses}
            steps |= {name: quantities.metric(name).tallies for name in self._metrics}
            alone = {name: some.label(label) for name, some in steps.items()}
            self._steps[key] = alone if self._clips is None else {n: s.select(self._clips) for n, s in alone.items()}
        return self._steps[key]


def choose_jointly(
    sources: Mapping[int, Quantities],
    goal: Goal,
    levels: ScoreLevels,
    cuts: tuple[int, int],
    clips: Whole | None = None,
) -> JointChoice | None:
    """A source and a cut for every class; None if the goal asks nothing at any.

    No combination is better where the goal is one quotient and requires nothing (see `ratios`). Else no single class's
    cut improves what is chosen, from the best common cut and from each class's own best. It is never worse than a
    common cut.
    """
    common = _best_of(goal, {key: choose(own, goal, cuts, clips=clips) for key, own in sources.items()})
    if common is None:
        return None
    climb = _Climb(sources, goal, levels, cuts, clips)
    key, choice = common
    start = [_placed(key, levels, choice.found.stretches)] * climb.classes
    quotient = None if goal.bounds else climb.quotient(start)
    starts: list[Sequence[Pick]] = [start, climb.own(start)] if quotient is None else [quotient[0]]
    starts += [first.picks for bound in goal.bounds if (first := climb.meeting(bound)) is not None]
    found: JointChoice | None = None
    for picks in starts:
        reached = climb.climbed(picks)
        if reached is not None and (found is None or is_better(goal, reached.choice, found.choice)):
            found = reached
    exact = quotient is not None and quotient[1]
    return None if found is None else replace(found, exact=exact)


class _Climb:
    """Starts, and the best that is reached from one by moving single classes."""

    def __init__(
        self,
        sources: Mapping[int, Quantities],
        goal: Goal,
        levels: ScoreLevels,
        cuts: tuple[int, int],
        clips: Whole | None,
    ) -> None:
        self._sources, self._goal, self._levels, self._cuts, self._clips = sources, goal, levels, cuts, clips
        self._any = next(iter(sources.values()))
        self._joint = Joint(self._any, goal, clips)
        self.classes = self._any.given.shape[0]

    def meeting(self, bound: Bound) -> JointChoice | None:
        """The best of what a requirement speaks of, which meets it if any choice does that is found here."""
        goal = Goal(bound.name, (), bound.aggregation)
        if goal.least is not bound.least:
            return None
        return choose_jointly(self._sources, goal, self._levels, self._cuts, self._clips)

    def own(self, start: Sequence[Pick]) -> list[Pick]:
        """Each class at the best cut of its own counts; where they ask nothing, at that of a start."""
        picks = []
        for label, other in enumerate(start):
            choices = {
                key: choose(own, self._goal, self._cuts, label=label, clips=self._clips)
                for key, own in self._sources.items()
            }
            found = _best_of(self._goal, choices)
            picks.append(other if found is None else Pick(found[0], found[1].found.stretches[0][0]))
        return picks

    def quotient(self, start: Sequence[Pick]) -> tuple[Sequence[Pick], bool] | None:
        """The best combination of a goal that is one quotient, and whether none is better; None if it is not one."""
        rows = [self._options(label) for label in range(self.classes)]
        if any(row is None for row in rows):
            return None
        options = [row for row in rows if row is not None]
        self._put(start)
        now = self._value(start)
        if now is None:
            return None
        places = best_quotient([own for own, _ in options], now.found.value, least=self._goal.least)
        if places is None:
            return start, True
        picks = [Pick(keys[at], int(own.cuts[at])) for (own, keys), at in zip(options, places, strict=True)]
        self._put(picks)
        if self._value(picks) is not None:
            return picks, True
        return self._asking(picks)

    def _asking(self, picks: Sequence[Pick]) -> tuple[Sequence[Pick], bool] | None:
        """Where every class is vacuous in a mean that counts it: the best with one class that is asked something.

        Others are best as they are, so for one clause no combination that is asked anything is better.
        """
        found: tuple[Choice, Sequence[Pick]] | None = None
        for label, own in enumerate(self.own(picks)):
            changed = [own if k == label else pick for k, pick in enumerate(picks)]
            self._put(changed)
            choice = self._value(changed)
            if choice is not None and (found is None or is_better(self._goal, choice, found[0])):
                found = choice, changed
        single = len(self._any.weights(self._goal.name) or [1]) == 1
        return (found[1], True) if found is not None and single else None

    def _options(self, label: int) -> tuple[Options, list[int]] | None:
        """What a class adds under every source, and the source of each."""
        goal, parts, keys = self._goal, [], []
        for key, own in self._sources.items():
            options = options_of(own, goal.name, goal.aggregation, label, self._cuts, self._clips)
            if options is None:
                return None
            parts.append(options)
            keys += [key] * len(options.cuts)
        joined = (np.concatenate(column) for column in zip(*((o.cuts, o.top, o.bottom) for o in parts), strict=True))
        return Options(*joined), keys

    def climbed(self, start: Sequence[Pick]) -> JointChoice | None:
        """What is reached from a start when no single class improves it; equal cuts are placed by rule 20.10."""
        picks = list(start)
        self._put(picks)
        now = self._value(picks)
        now = self._improve(picks, now)
        for label in range(self.classes):
            if (found := self._moved(label)) is not None and (now is None or not is_better(self._goal, now, found[1])):
                now = found[1]
                self._take(picks, label, *found)
        now = self._improve(picks, now)
        if now is None:
            return None
        placed = [p if p.threshold is not None else _placed(p.source, self._levels, [(p.cut, p.cut)]) for p in picks]
        return JointChoice(tuple(placed), now, exact=False)

    def _improve(self, picks: list[Pick], now: Choice | None) -> Choice | None:
        gained = True
        while gained:
            gained = False
            for label in range(self.classes):
                found = self._moved(label)
                if found is not None and is_better(self._goal, found[1], now):
                    gained, now = True, found[1]
                    self._take(picks, label, *found)
        return now

    def _moved(self, label: int) -> tuple[int, Choice] | None:
        choices = {key: self._joint.choose(label, own, self._cuts) for key, own in self._sources.items()}
        return _best_of(self._goal, choices)

    def _take(self, picks: list[Pick], label: int, key: int, choice: Choice) -> None:
        asked = choice.found.stretches != (self._cuts,)
        if asked:
            picks[label] = _placed(key, self._levels, choice.found.stretches)
        else:
            picks[label] = Pick(key, self._levels.above(HALF), HALF, asked=False)
        self._joint.put(label, self._sources[key], picks[label].cut)

    def _put(self, picks: Sequence[Pick]) -> None:
        for label, pick in enumerate(picks):
            self._joint.put(label, self._sources[pick.source], pick.cut)

    def _value(self, picks: Sequence[Pick]) -> Choice | None:
        """What is reached now; None if nothing is asked."""
        first = picks[0]
        return self._joint.choose(0, self._sources[first.source], (first.cut, first.cut))


def _placed(key: int, levels: ScoreLevels, stretches: Sequence[tuple[int, int]]) -> Pick:
    threshold = place(levels, stretches)
    return Pick(key, levels.above(threshold), threshold)


def _best_of(goal: Goal, choices: Mapping[int, Choice | None]) -> tuple[int, Choice] | None:
    """The best choice and its source; the first of equals."""
    found: tuple[int, Choice] | None = None
    for key, choice in choices.items():
        if choice is not None and (found is None or is_better(goal, choice, found[1])):
            found = key, choice
    return found
