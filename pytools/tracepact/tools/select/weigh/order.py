"""The best weights on some clauses against all pairs, and on all clauses against some: games that grow as they must."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from tracepact.tools.select.cover.problem import mask_of
from tracepact.tools.select.weigh.differences import Differences, Whole
from tracepact.tools.select.weigh.game import Solved, Table, solve_game
from tracepact.tools.select.weigh.guess import guessed

_LARGE = 2000
"""Tables with more entries than this are guessed at by floats first, where only a sign is asked for."""


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
        table = self.differences.of(slice(None), columns)
        active = [int(table.sum(axis=1).argmin())]
        while True:
            solved = solve_game(table[active].astype(object))
            place, least = _least(table, solved.columns)
            if least >= solved.value:
                return Weights(solved.value, solved.columns, _blend(active, solved))
            active.append(place)

    def all_clauses(self, places: Sequence[int] | None = None, *, enough: Fraction | None = None) -> Weights:
        """The largest margin that any weights on all clauses have, over all pairs or some.

        A margin above `enough` will do. Clauses and pairs join the game when its answer is not one for all of them.
        """
        rows = list(range(len(self.differences))) if places is None else list(places)
        table = self.differences.of(rows)
        if enough is not None and table.size > _LARGE and (shown := self._shown(table, rows, enough)) is not None:
            return shown
        columns, active = [int(table[0].argmax())], [0]
        while True:
            solved = solve_game(table[np.ix_(active, columns)].astype(object))
            place, least = _least(table[:, columns], solved.columns)
            weights = [Fraction(0)] * table.shape[1]
            for column, weight in zip(columns, solved.columns, strict=True):
                weights[column] = weight
            if enough is not None and least > enough:
                return Weights(least, tuple(weights), _blend([rows[k] for k in active], solved))
            blend = _blend(active, solved)
            lower = _lower(table[[k for k, _ in blend.weights]], blend)
            best = int(lower.argmax())
            if lower[best] > solved.value * blend.total:
                columns.append(best)
            elif least < solved.value:
                active.append(place)
            else:
                return Weights(solved.value, tuple(weights), _blend([rows[k] for k in active], solved))

    def _shown(self, table: Whole, rows: Sequence[int], enough: Fraction) -> Weights | None:
        """Weights with a margin above `enough`, or a blend that shows there are none, both guessed by floats.

        Whole numbers check the weights; the few pairs of the guessed blend are solved exactly. None if neither holds.
        """
        guess = guessed(table)
        if guess is None:
            return None
        used = [column for column, weight in enumerate(guess.weights) if weight]
        whole = np.array([guess.weights[column] for column in used], dtype=object)
        margin = Fraction(min(table[:, used].astype(object).dot(whole)), sum(guess.weights))
        if margin > enough:
            total = sum(guess.weights)
            return Weights(margin, tuple(Fraction(weight, total) for weight in guess.weights), Blend(((rows[0], 1),)))
        if not 0 < len(guess.rows) < len(rows):
            return None
        hard = self.all_clauses([rows[k] for k in guess.rows])
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


def _least(table: Whole, weights: Sequence[Fraction]) -> tuple[int, Fraction]:
    """The place of the least weighted difference, and that difference; floats find candidates, fractions decide."""
    common = lcm(*(weight.denominator for weight in weights))
    whole = [int(weight * common) for weight in weights]
    rough = table.astype(np.float64) @ np.array([float(weight) for weight in weights])
    near = np.flatnonzero(rough <= rough.min() + 1)
    exact = [sum(int(d) * w for d, w in zip(table[place].tolist(), whole, strict=True)) for place in near.tolist()]
    best = min(range(len(exact)), key=lambda k: (exact[k], near[k]))
    return int(near[best]), Fraction(exact[best], common)
