"""The best weights on some clauses against all pairs, and on all clauses against some: games that grow as they must."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from tracepact.tools.select.cover.clock import Clock
from tracepact.tools.select.cover.problem import mask_of
from tracepact.tools.select.weigh.differences import Differences, Whole
from tracepact.tools.select.weigh.game import Solved, Table, solve_game
from tracepact.tools.select.weigh.guess import Guess, guessed

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

    differences: Differences

    def weights(self, columns: Sequence[int]) -> Weights:
        """The largest margin of some clauses over all pairs; no clauses have less than any.

        The game begins with one pair; the pair that its weights order least joins it until none is ordered less.
        """
        if not columns:
            return Weights(Fraction(-2 * self.differences.scale), (), Blend(((0, 1),)))
        differences = self.differences
        every = range(len(differences))
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
        found = [Fraction(0)] * self.differences.clauses
        for column, weight in weights:
            found[column] = weight
        return tuple(found)

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
        hard = self.all_clauses(guess.rows)
        return hard if hard.margin <= enough else None

    def lower(self, blend: Blend) -> Table:
        """By clause how much lower it is on the worse sides of a blend, times the blend's total."""
        return _lower(self.differences.of([place for place, _ in blend.weights]), blend)

    def mask(self, blend: Blend, margin: Fraction, *, strict: bool) -> int:
        """The clauses of which weights with a margin above (or at least) this one need one, because of a blend."""
        lower, limit = self.lower(blend) * margin.denominator, margin.numerator * blend.total
        return mask_of(tuple(np.flatnonzero(lower > limit if strict else lower >= limit).tolist()))


def _blend(places: Sequence[int], solved: Solved) -> Blend:
    common = lcm(*(weight.denominator for weight in solved.rows))
    listed = zip(places, solved.rows, strict=True)
    return Blend(tuple(sorted((place, int(weight * common)) for place, weight in listed if weight)))


def _lower(table: Whole, blend: Blend) -> Table:
    """By clause how much lower it is on the worse sides of a blend whose places are the rows of a table."""
    total: Table = np.array([weight for _, weight in blend.weights], dtype=object).dot(table.astype(object))
    return total


def _least(
    differences: Differences, places: Sequence[int], columns: Sequence[int], weights: Sequence[Fraction]
) -> tuple[int, Fraction]:
    """The first place of the least weighted difference, and that difference; floats find some, fractions decide."""
    common = lcm(*(weight.denominator for weight in weights))
    among = np.array(places, dtype=np.intp)
    rough = differences.weighed(columns, np.array([float(weight) for weight in weights]), among)
    near = among[rough <= rough.min() + 1]
    exact = differences.weighed(columns, np.array([int(weight * common) for weight in weights], dtype=object), near)
    best = min(range(len(near)), key=lambda k: exact[k])
    return int(near[best]), Fraction(int(exact[best]), common)
