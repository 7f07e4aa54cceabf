"""The best weights on some clauses against all pairs, and on all clauses against some: games that grow as they must."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

import numpy as np

from tracepact.tools.select.cover.problem import mask_of
from tracepact.tools.select.weigh.differences import Differences, Whole
from tracepact.tools.select.weigh.game import Solved, Table, solve_game

_ALL = 60
"""Up to this many pairs a game begins with all of them."""


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


@dataclass(slots=True)
class Order:
    """The games of one set of differences; `active` are the places that some game needed."""

    differences: Differences
    active: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.active = list(range(min(len(self.differences), _ALL)))

    def weights(self, columns: Sequence[int]) -> Weights:
        """The largest margin of some clauses over all pairs; no clauses have less than any."""
        if not columns:
            return Weights(Fraction(-2 * self.differences.scale), (), Blend(((0, 1),)))
        table = self.differences.of(slice(None), columns)
        while True:
            solved = solve_game(table[self.active].astype(object))
            place, least = _least(table, solved.columns)
            if least >= solved.value:
                return Weights(solved.value, solved.columns, self._blend(solved))
            self.active.append(place)

    def all_clauses(self) -> Weights:
        """The largest margin that any weights on all clauses have."""
        while True:
            solved = solve_game(self.differences.game(self.active))
            used = [column for column, weight in enumerate(solved.columns) if weight]
            place, least = _least(self.differences.of(slice(None), used), [solved.columns[column] for column in used])
            if least >= solved.value:
                return Weights(solved.value, solved.columns, self._blend(solved))
            self.active.append(place)

    def _blend(self, solved: Solved) -> Blend:
        common = lcm(*(weight.denominator for weight in solved.rows))
        listed = zip(self.active, solved.rows, strict=True)
        return Blend(tuple(sorted((place, int(weight * common)) for place, weight in listed if weight)))

    def lower(self, blend: Blend) -> Table:
        """By clause how much lower it is on the worse sides of a blend, times the blend's total."""
        parts = self.differences.game([place for place, _ in blend.weights])
        total: Table = np.array([weight for _, weight in blend.weights], dtype=object).dot(parts)
        return total

    def mask(self, blend: Blend, margin: Fraction, *, strict: bool) -> int:
        """The clauses of which weights with a margin above (or at least) this one need one, because of a blend."""
        lower, limit = self.lower(blend) * margin.denominator, margin.numerator * blend.total
        return mask_of(tuple(np.flatnonzero(lower > limit if strict else lower >= limit).tolist()))


def _least(table: Whole, weights: Sequence[Fraction]) -> tuple[int, Fraction]:
    """The place of the least weighted difference, and that difference; floats find candidates, fractions decide."""
    common = lcm(*(weight.denominator for weight in weights))
    whole = [int(weight * common) for weight in weights]
    rough = table.astype(np.float64) @ np.array([float(weight) for weight in weights])
    near = np.flatnonzero(rough <= rough.min() + 1)
    exact = [sum(int(d) * w for d, w in zip(table[place].tolist(), whole, strict=True)) for place in near.tolist()]
    best = min(range(len(exact)), key=lambda k: (exact[k], near[k]))
    return int(near[best]), Fraction(exact[best], common)
