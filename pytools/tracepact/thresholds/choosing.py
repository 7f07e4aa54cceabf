"""The best cut under requirements: exact, for all classes or for one, on all clips or on some (rules 19.7 and 20.9)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tracepact.core import Aggregation
from tracepact.thresholds.quantities import Quantities, is_least_best
from tracepact.thresholds.steps import Whole
from tracepact.thresholds.values import Best, Values, best, holds


@dataclass(frozen=True, slots=True)
class Bound:
    """A requirement: a quantity in a relation to a bound; `least` if less of it is better."""

    name: str
    aggregation: Aggregation | None
    compare: Callable[[Fraction, Fraction], bool]
    bound: Fraction
    least: bool
    text: str


@dataclass(frozen=True, slots=True)
class Goal:
    """What a choice is to be best at, and what it must meet."""

    name: str
    bounds: tuple[Bound, ...] = ()
    aggregation: Aggregation | None = None

    @property
    def least(self) -> bool:
        """Whether less is better."""
        return is_least_best(self.name)

    @property
    def text(self) -> str:
        """What it is to be best at, as it is written."""
        return self.name if self.aggregation is None else f"{self.aggregation.value}.{self.name}"

    @property
    def names(self) -> list[str]:
        """All quantities it speaks of."""
        return [self.name, *(bound.name for bound in self.bounds)]


@dataclass(frozen=True, slots=True)
class Choice:
    """A best stretch of cuts, and the value there of what was chosen by.

    Attributes:
        found: the value and the stretches.
        unmet: the requirement that no cut meets, whose nearest value was taken instead of the objective's best.
    """

    found: Best
    unmet: Bound | None = None


def choose(
    quantities: Quantities,
    goal: Goal,
    cuts: tuple[int, int],
    *,
    label: int | None = None,
    clips: Whole | None = None,
) -> Choice | None:
    """The best choice among the cuts from one to another; None if the objective asks nothing at any of them."""
    low, high = cuts
    own = quantities.values(goal.name, goal.aggregation, label=label, clips=clips).within(low, high)
    bounds = [quantities.values(b.name, b.aggregation, label=label, clips=clips).within(low, high) for b in goal.bounds]
    line = np.unique(np.concatenate([values.cuts for values in (own, *bounds)]))
    objective = _over(own, line)
    if not objective.earned.any():
        return None
    allowed = objective.earned.copy()
    for bound, values in zip(goal.bounds, bounds, strict=True):
        asked = _over(values, line)
        met = allowed & holds(asked, bound.compare, bound.bound)
        if not met.any():
            nearest = best(asked, high, least=bound.least, allowed=allowed)
            return None if nearest is None else Choice(nearest, bound)
        allowed = met
    found = best(objective, high, least=goal.least, allowed=allowed)
    return None if found is None else Choice(found)


def is_better(goal: Goal, a: Choice | None, b: Choice | None) -> bool:
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
