"""The fewest clauses whose weights order all pairs, then the largest margin, and weights as written (14.18, 14.20)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from fractions import Fraction
from math import lcm

import numpy as np

from tracepact.declarations import OnStage, silent
from tracepact.selection.cover import fewest
from tracepact.selection.cover_problem import Clock, Problem, Spent, greedy_cover, mask_of, members
from tracepact.selection.games import Guess, PairDifferences, Solved, Table, guessed, solve_game

# Games that find the best weights: they begin with few pairs and clauses, and others join as they turn out to matter.

_LARGE = 2000
"""Tables with more entries than this are guessed at by floats first."""


@dataclass(frozen=True, slots=True)
class Blend:
    """Weights on places of pairs, whole numbers; what weights on clauses leave of a blend they leave of some pair."""

    weights: tuple[tuple[int, int], ...]

    @property
    def total(self) -> int:
        """The sum of the weights."""
        return sum(weight for _, weight in self.weights)


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of some clauses that make the least difference largest, in parts of the scale.

    The blend shows that no others do better.
    """

    margin: Fraction
    weights: tuple[Fraction, ...]
    blend: Blend


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """The games of one set of differences."""

    differences: PairDifferences

    def weights(self, columns: Sequence[int]) -> Weights:
        """The largest margin of some clauses over all pairs; no clauses have less than any.

        The game begins with one pair; the pair that its weights order least joins it until none is ordered less.
        """
        if not columns:
            return Weights(Fraction(-2 * self.differences.scale), (), Blend(((0, 1),)))
        differences = self.differences
        every = range(len(differences))
        # the pair that equal weights order least is likely to be in the answer
        active = [int(differences.weighed(columns, np.ones(len(columns))).argmin())]
        if len(every) * len(columns) > _LARGE and (guess := guessed(differences, every, columns)) is not None:
            active = list(guess.rows)
        while True:
            solved = solve_game(differences.of(active, columns).astype(object))
            place, least = _least(differences, every, columns, solved.columns)
            if least >= solved.value:
                return Weights(solved.value, solved.columns, _blend(active, solved))
            active.append(place)

    def excluded(self, columns: Sequence[int], margin: Fraction, *, strict: bool, begin: Sequence[int]) -> Blend | None:
        """A blend that shows that weights on some clauses have no larger margin, or none as large; None if they have.

        The game begins with some pairs and ends as soon as that is decided.
        """
        active = list(begin)
        while True:
            solved = solve_game(self.differences.of(active, columns).astype(object))
            if solved.value < margin or (strict and solved.value == margin):
                return _blend(active, solved)
            place, least = _least(self.differences, range(len(self.differences)), columns, solved.columns)
            if least > margin or (not strict and least == margin):
                return None
            active.append(place)

    def all_clauses(
        self, places: Sequence[int] | None = None, *, enough: Fraction | None = None, clock: Clock | None = None
    ) -> Weights:
        """The largest margin that any weights on all clauses have, over all pairs or some; raises `Spent`.

        A margin above `enough` will do. Clauses and pairs join the game when its answer is not one for all of them; a
        large one begins with those that floats find to be in it.
        """
        clock = clock or Clock()
        rows = list(range(len(self.differences))) if places is None else list(places)
        active, columns = [rows[0]], [int(self.differences.of(rows[:1]).argmax())]
        if len(rows) * self.differences.clauses > _LARGE:
            guess = guessed(self.differences, rows, enough=enough, clock=clock)
            if guess is not None and enough is not None and (shown := self._shown(guess, rows, enough)) is not None:
                return shown
            if guess is not None:
                active, columns = list(guess.rows), [column for column, _ in guess.weights]
        while True:
            clock.check()
            solved = solve_game(self.differences.of(active, columns).astype(object))
            place, least = _least(self.differences, rows, columns, solved.columns)
            weights = self._spread(zip(columns, solved.columns, strict=True))
            blend = _blend(active, solved)
            if enough is not None and least > enough:
                return Weights(least, weights, blend)
            lower = self.lower(blend)
            best = int(lower.argmax())
            if lower[best] > solved.value * blend.total:
                columns.append(best)
            elif least < solved.value:
                active.append(place)
            else:
                return Weights(solved.value, weights, blend)

    def _spread(self, weights: Iterable[tuple[int, Fraction]]) -> tuple[Fraction, ...]:
        """Weights on some clauses as weights on all."""
        spread = [Fraction(0)] * self.differences.clauses
        for column, weight in weights:
            spread[column] = weight
        return tuple(spread)

    def margin(self, weights: Sequence[tuple[int, int]], places: Sequence[int] | slice = slice(None)) -> Fraction:
        """The least difference under whole weights on clauses, over all pairs or some, in parts of the scale."""
        return Fraction(int(self.differences.ordered_by(weights, places).min()), sum(weight for _, weight in weights))

    def _shown(self, guess: Guess, rows: Sequence[int], enough: Fraction) -> Weights | None:
        """Weights with a margin above `enough`, or a blend that shows there are none, both guessed by floats.

        Whole numbers check the weights; the few pairs of the guessed blend are solved exactly. None if neither holds.
        """
        margin = self.margin(guess.weights, rows)
        if margin > enough:
            total = sum(weight for _, weight in guess.weights)
            spread = self._spread((column, Fraction(weight, total)) for column, weight in guess.weights)
            return Weights(margin, spread, Blend(((rows[0], 1),)))
        if len(guess.rows) >= len(rows):
            return None
        # few pairs show that all cannot be ordered; the exact game over these is small
        hard = self.all_clauses(guess.rows)
        return hard if hard.margin <= enough else None

    def lower(self, blend: Blend) -> Table:
        """By clause how much lower it is on the worse sides of a blend, times the blend's total."""
        table = self.differences.of([place for place, _ in blend.weights])
        total: Table = np.array([weight for _, weight in blend.weights], dtype=object).dot(table.astype(object))
        return total

    def mask(self, blend: Blend, margin: Fraction, *, strict: bool) -> int:
        """The clauses of which weights with a margin above (or at least) this one need one, because of a blend."""
        lower, limit = self.lower(blend) * margin.denominator, margin.numerator * blend.total
        return mask_of(tuple(np.flatnonzero(lower > limit if strict else lower >= limit).tolist()))


def _blend(places: Sequence[int], solved: Solved) -> Blend:
    common = lcm(*(weight.denominator for weight in solved.rows))
    listed = zip(places, solved.rows, strict=True)
    return Blend(tuple(sorted((place, int(weight * common)) for place, weight in listed if weight)))


def _least(
    differences: PairDifferences, places: Sequence[int], columns: Sequence[int], weights: Sequence[Fraction]
) -> tuple[int, Fraction]:
    """The first place of the least weighted difference, and that difference; floats find some, fractions decide."""
    common = lcm(*(weight.denominator for weight in weights))
    among = np.array(places, dtype=np.intp)
    rough = differences.weighed(columns, np.array([float(weight) for weight in weights]), among)
    # floats are wrong by less than a part of the scale here, so the least is among these, which whole numbers decide
    near = among[rough <= rough.min() + 1]
    exact = differences.weighed(columns, np.array([int(weight * common) for weight in weights], dtype=object), near)
    best = min(range(len(near)), key=lambda k: exact[k])
    return int(near[best]), Fraction(int(exact[best]), common)


# The fewest clauses whose weights order all pairs, then the largest margin, then cost and order (14.18).
#
# An implicit hitting set (Chandrasekaran, Karp, Moreno-Centeno and Vempala 2011; MaxHS of Davies and Bacchus 2011 is
# the same idea). Weights on pairs under which none of some clauses is lower by more than a margin show that
# weights on these clauses have no larger one; every set that has needs another clause, one that is lower on this
# blend. So each blend is a row of a set cover. A least cover either has the weights or gives the next blend.

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
    differences: PairDifferences,
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
    search = _WeightSearch.begun(Order(differences), tuple(rows), costs, searching, known, hurried=hurried)
    search.blends += blends
    proven = Proven.NOTHING
    try:
        on_stage("a first set of clauses whose weights keep the order")
        # each round of an exact cover costs a search; greedy ones teach most of the blends that are needed for next to
        # nothing, and what is learned on the way holds for every set
        search.reach(Fraction(0), len(search.columns) - 1, cover=greedy_cover)
        on_stage("the fewest clauses whose weights keep the order")
        search.reach(Fraction(0), len(search.columns) - 1)
        proven = Proven.COUNT
        on_stage("the largest margin")
        while search.reach(search.best.margin, len(search.columns)):
            pass
        proven = Proven.MARGIN
        on_stage("the least cost")
        search.reach(search.best.margin, len(search.columns), strict=False)
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
class _WeightSearch:
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
    ) -> "_WeightSearch":
        """A first set: clauses that order the pairs, known or those that the best weights of all use, and a cover."""
        most, chosen = Fraction(order.differences.scale), set(known)
        if not (known and hurried):
            left = clock.left()
            try:
                # the best weights on all clauses may take half of the time, or all of it where they are needed
                half = None if not known or left is None else clock.at_most(Fraction(left) / 2)
                every = order.all_clauses(clock=half)
                if every.margin <= 0:
                    raise ValueError("no weights order these pairs together; report the conflict first")
                most, chosen = every.margin, {column for column, weight in enumerate(every.weights) if weight}
            except Spent:
                pass
        mask = mask_of(tuple(chosen))
        open_rows = tuple(row for row in rows if not row & mask)
        chosen |= set(greedy_cover(Problem(open_rows, costs))) if open_rows else set()
        columns = tuple(sorted(chosen))
        return cls(order, rows, costs, clock, columns, order.weights(columns), most)

    def reach(
        self,
        margin: Fraction,
        most: int,
        *,
        strict: bool = True,
        cover: Callable[[Problem], tuple[int, ...]] | None = None,
    ) -> bool:
        """Learn blends until a cover of rows and blends has weights with a margin above this one (or at least it).

        Whether there is one of at most so many clauses; then it is the new incumbent. Raises `Spent`.
        """
        while True:
            self.clock.check()
            rows = tuple(self._rows(margin, strict=strict))
            if not all(rows):
                return False
            problem = Problem(rows, self.costs)
            columns = fewest(problem, self.clock) if cover is None else tuple(sorted(cover(problem)))
            if len(columns) > most:
                return False
            weights = self.order.weights(columns)
            if weights.margin > margin or (weights.margin == margin and not strict):
                self.columns, self.best = columns, weights
                return True
            self._learn(columns, weights, margin, strict=strict)

    def trim(self, clock: Clock) -> None:
        """Leave out clauses that the rows and the order do not need, the lightest first, while there is time."""
        weight = dict(zip(self.columns, self.best.weights, strict=True))
        # what carries least weight is likeliest not to be needed
        for column in sorted(self.columns, key=lambda c: (weight[c], -self.costs[c], -c)):
            if clock.left() == 0:
                return
            fewer = tuple(c for c in self.columns if c != column)
            mask = mask_of(fewer)
            if all(row & mask for row in self.rows) and (weights := self.order.weights(fewer)).margin > 0:
                self.columns, self.best = fewer, weights

    def _rows(self, margin: Fraction, *, strict: bool) -> list[int]:
        return [*self.rows, *(self.order.mask(blend, margin, strict=strict) for blend in self.blends)]

    def _learn(self, columns: tuple[int, ...], weights: Weights, margin: Fraction, *, strict: bool) -> None:
        """A blend that excludes some clauses, and as many others with them as a few tries find."""
        blend, chosen = weights.blend, list(columns)
        tried: set[int] = set()
        # a blend that excludes more clauses is a stronger row: each widening saves rounds of the search above
        for _ in range(_TRIES):
            self.clock.check()
            lower = self.order.lower(blend)
            outside = [c for c in members(self.order.mask(blend, margin, strict=strict)) if c not in tried]
            if not outside:
                break
            # what is least lower on the blend is the likeliest not to be enough either
            column = min(outside, key=lambda c: (lower[c], c))
            tried.add(column)
            begin = [place for place, _ in blend.weights]
            wider = self.order.excluded([*chosen, column], margin, strict=strict, begin=begin)
            if wider is not None:
                chosen.append(column)
                blend = wider
        self.blends.append(blend)


# Weights as a person would write them: small whole numbers that keep most of the margin (14.20).

_LARGEST_TOTAL = 200
_KEPT = Fraction(4, 5)


def written_weights(
    weights: Sequence[Fraction], margin: Callable[[Sequence[int]], Fraction]
) -> tuple[tuple[int, ...], Fraction]:
    """Whole numbers of the least total that keep four fifths of the largest margin, and the margin they have.

    `margin` is exact, whatever the total of the weights. Weights of at least 1 everywhere are tried first.
    """
    common = lcm(*(weight.denominator for weight in weights))
    exact = tuple(int(weight * common) for weight in weights)
    largest = margin(exact)
    # a clause of weight 0 would be selected and count for nothing, so that is the second choice
    for least in (1, 0):
        for total in range(1, _LARGEST_TOTAL + 1):
            some = _rounded(weights, total, least)
            if any(some) and (kept := margin(some)) >= _KEPT * largest:
                return some, kept
    total = 10 * _LARGEST_TOTAL
    while total < common:  # the exact ones may have a hundred digits
        some = _rounded(weights, total, 1)
        if (kept := margin(some)) >= _KEPT * largest:
            return some, kept
        total *= 10
    return exact, largest


def _rounded(weights: Sequence[Fraction], total: int, least: int) -> tuple[int, ...]:
    """The nearest whole numbers to a multiple of the weights, none below the least."""
    return tuple(max(least, int(weight * total + Fraction(1, 2))) for weight in weights)
