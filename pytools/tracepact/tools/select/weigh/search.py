"""The fewest clauses whose weights order all pairs, then the largest margin, then cost and order (14.18).

An implicit hitting set. Weights on pairs under which none of some clauses is lower by more than a margin show that
weights on these clauses have no larger one; every set that has needs another clause, one that is lower on this blend.
So each blend is a row of a set cover. A least cover either has the weights or gives the next blend.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from fractions import Fraction

from tracepact.progress import OnStage, silent
from tracepact.tools.select.cover.best import fewest
from tracepact.tools.select.cover.clock import Clock, Spent
from tracepact.tools.select.cover.greedy import greedy_cover
from tracepact.tools.select.cover.problem import Problem, mask_of, members
from tracepact.tools.select.weigh.differences import Differences
from tracepact.tools.select.weigh.order import Blend, Order, Weights

_TRIES = 25
"""So many clauses are tried to join those that a blend shows not to be enough."""


_TRIMMING = Fraction(1, 4)
"""The share of a time budget for making a set smaller that was not proven smallest in the rest; at least a second."""


class Proven(IntEnum):
    """How much of count, margin, cost and order is proven best."""

    NOTHING = 0
    COUNT = 1
    MARGIN = 2
    ORDER = 3


@dataclass(frozen=True, slots=True)
class Weighed:
    """Clauses with weights that order all pairs, what is proven of them, and the blends that show it.

    The margins are in scores; none is larger than `margin_bound` with as few clauses.
    """

    columns: tuple[int, ...]
    weights: tuple[Fraction, ...]
    margin: Fraction
    margin_bound: Fraction
    proven: Proven
    blends: tuple[Blend, ...]


def weigh(
    differences: Differences,
    rows: Sequence[int],
    costs: tuple[int, ...],
    *,
    clock: Clock | None = None,
    known: Sequence[int] = (),
    hurried: bool = False,
    blends: Sequence[Blend] = (),
    on_stage: OnStage = silent,
) -> Weighed:
    """The best clauses that cover the rows and order all pairs; some weights on all clauses must order them.

    `known` are clauses that have such weights, if some are known; `hurried` begins with them, without a bound on the
    margin. `blends` are some to begin with.
    """
    clock = clock or Clock()
    left = clock.left()
    searching = clock if left is None else clock.at_most(Fraction(left) * (1 - _TRIMMING))
    search = _Search.begun(Order(differences), tuple(rows), costs, searching, known, hurried=hurried)
    search.blends += blends
    proven = Proven.NOTHING
    try:
        on_stage("a first set of clauses whose weights keep the order")
        search.first()
        on_stage("the fewest clauses whose weights keep the order")
        search.fewest()
        proven = Proven.COUNT
        on_stage("the largest margin")
        search.largest()
        proven = Proven.MARGIN
        on_stage("the least cost")
        search.cheapest()
        proven = Proven.ORDER
    except Spent:
        if proven is Proven.NOTHING:
            search.trim(Clock.of(Fraction(max(clock.left() or 0, 1))))
    scale = differences.scale
    bound = search.best.margin if proven >= Proven.MARGIN else search.most
    return Weighed(
        search.columns, search.best.weights, search.best.margin / scale, bound / scale, proven, tuple(search.blends)
    )


@dataclass(slots=True)
class _Search:
    """The incumbent and the blends found so far."""

    order: Order
    rows: tuple[int, ...]
    costs: tuple[int, ...]
    clock: Clock
    columns: tuple[int, ...]
    best: Weights
    most: Fraction
    """No weights have a larger margin."""
    blends: list[Blend] = field(default_factory=list)

    @classmethod
    def begun(
        cls,
        order: Order,
        rows: tuple[int, ...],
        costs: tuple[int, ...],
        clock: Clock,
        known: Sequence[int],
        *,
        hurried: bool,
    ) -> "_Search":
        """A first set: clauses that order the pairs, known or those that the best weights of all use, and a cover."""
        most, chosen = Fraction(order.differences.scale), set(known)
        everything = None
        if not (known and hurried):
            everything = _of_all(order, clock, needed=not known)
        if everything is not None:
            if everything.margin <= 0:
                raise ValueError("no weights order these pairs together; report the conflict before asking for some")
            most = everything.margin
            chosen = {column for column, weight in enumerate(everything.weights) if weight}
        mask = mask_of(tuple(chosen))
        open_rows = tuple(row for row in rows if not row & mask)
        chosen |= set(greedy_cover(Problem(open_rows, costs))) if open_rows else set()
        columns = tuple(sorted(chosen))
        return cls(order, rows, costs, clock, columns, order.weights(columns), most)

    def first(self) -> None:
        """Until a cover that greed finds orders the pairs: rarely the least, but found in a moment, and never a proof.

        What is learned on the way holds for every set.
        """
        while True:
            self.clock.check()
            found = greedy_cover(Problem(tuple(self._rows(Fraction(0), strict=True)), self.costs))
            if len(found) >= len(self.columns):
                return
            weights = self.order.weights(found)
            if weights.margin > 0:
                self._take(tuple(sorted(found)), self.order.weights(sorted(found)))
                return
            self._learn(found, weights, Fraction(0), strict=True)

    def fewest(self) -> None:
        """Until a least cover of rows and blends orders the pairs."""
        while True:
            found = self._cover(Fraction(0), strict=True)
            if len(found) == len(self.columns):
                return
            weights = self.order.weights(found)
            if weights.margin > 0:
                self._take(found, weights)
                return
            self._learn(found, weights, Fraction(0), strict=True)

    def largest(self) -> None:
        """Until no cover as small has a larger margin."""
        while True:
            rows = self._rows(self.best.margin, strict=True)
            if not all(rows):
                return
            found = self._cover(self.best.margin, strict=True)
            if len(found) > len(self.columns):
                return
            weights = self.order.weights(found)
            if weights.margin > self.best.margin:
                self._take(found, weights)
            else:
                self._learn(found, weights, self.best.margin, strict=True)

    def cheapest(self) -> None:
        """Until the first of the cheapest covers as small has the largest margin."""
        margin = self.best.margin
        while True:
            found = self._cover(margin, strict=False)
            weights = self.order.weights(found)
            if weights.margin >= margin:
                self._take(found, weights)
                return
            self._learn(found, weights, margin, strict=False)

    def trim(self, clock: Clock) -> None:
        """Leave out clauses that the rows and the order do not need, the lightest first, while there is time."""
        weight = dict(zip(self.columns, self.best.weights, strict=True))
        for column in sorted(self.columns, key=lambda c: (weight[c], -self.costs[c], -c)):
            if clock.left() == 0:
                return
            fewer = tuple(c for c in self.columns if c != column)
            mask = mask_of(fewer)
            if all(row & mask for row in self.rows) and (weights := self.order.weights(fewer)).margin > 0:
                self._take(fewer, weights)

    def _take(self, columns: tuple[int, ...], weights: Weights | None = None) -> None:
        self.columns, self.best = columns, weights or self.order.weights(columns)

    def _rows(self, margin: Fraction, *, strict: bool) -> list[int]:
        return [*self.rows, *(self.order.mask(blend, margin, strict=strict) for blend in self.blends)]

    def _cover(self, margin: Fraction, *, strict: bool) -> tuple[int, ...]:
        """The best cover of the rows and of what the blends ask for, proven; raises `Spent`."""
        return fewest(Problem(tuple(self._rows(margin, strict=strict)), self.costs), self.clock)

    def _learn(self, columns: tuple[int, ...], weights: Weights, margin: Fraction, *, strict: bool) -> None:
        """A blend that excludes some clauses, and as many others with them as a few tries find."""
        blend, chosen = weights.blend, list(columns)
        tried: set[int] = set()
        for _ in range(_TRIES):
            self.clock.check()
            lower = self.order.lower(blend)
            outside = [c for c in members(self.order.mask(blend, margin, strict=strict)) if c not in tried]
            if not outside:
                break
            column = min(outside, key=lambda c: (lower[c], c))
            tried.add(column)
            begin = [place for place, _ in blend.weights]
            wider = self.order.excluded([*chosen, column], margin, strict=strict, begin=begin)
            if wider is not None:
                chosen.append(column)
                blend = wider
        self.blends.append(blend)


def _of_all(order: Order, clock: Clock, *, needed: bool) -> Weights | None:
    """The best weights on all clauses; None if they are not found in half of the time and are not needed."""
    left = clock.left()
    try:
        return order.all_clauses(clock=None if needed or left is None else clock.at_most(Fraction(left) / 2))
    except Spent:
        return None
