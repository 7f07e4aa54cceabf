"""Weights on rows by a Lagrangian relaxation (Beasley 1987): a bound for dense problems in seconds, and covers.

A price on every row says which columns look worth their one: those that carry more than 1. Prices rise on rows that
these columns leave out and fall where several cover one. Whatever the prices, each divided by the most that a column
of its row carries (or by 1) is a packing: no column carries more than 1 then, and their sum is a bound (14.15). Floats
only steer; the weights that are given out are whole millionths, checked in whole numbers.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tracepact.tools.select.cover.clock import Clock
from tracepact.tools.select.cover.greedy import greedy_cover, without_needless
from tracepact.tools.select.cover.problem import Problem, mask_of, members

_ROUNDS = 600
_PATIENCE = 20
"""So many rounds without a better relaxation, then the step is halved."""
_COVERED = 40
"""A cover is made every so many rounds."""
_PARTS = 10**6
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Packed:
    """Weights of which no column carries more than 1, and the smallest cover that was met."""

    weights: dict[int, Fraction]
    cover: tuple[int, ...]


def packing(problem: Problem, cover: tuple[int, ...], clock: Clock) -> Packed:
    """The heaviest packing that some rounds find, and a cover no worse than the one given."""
    table = _Table.of(problem)
    prices = 1 / table.worst(table.degrees)
    best, relaxed, weight, stale, step = prices, 0.0, float(prices.sum()), 0, 2.0
    for number in range(_ROUNDS):
        if clock.left() == 0 or weight > len(cover) - 1 + 1e-6 or step < 1e-3:
            break
        load = table.load(prices)
        packed = prices / np.maximum(1, table.worst(load))
        if packed.sum() > weight:
            best, weight = packed, float(packed.sum())
        value = prices.sum() + np.minimum(0, 1 - load).sum()
        stale = 0 if value > relaxed + 1e-9 else stale + 1
        relaxed = max(relaxed, value)
        if stale >= _PATIENCE:
            step, stale = step / 2, 0
        if number % _COVERED == _COVERED - 1:
            cover = min(cover, table.cover(problem, load), key=problem.key)
        missed = 1 - table.covered(load > 1)
        prices = np.maximum(0, prices + step * (1.05 * len(cover) - value) / max(missed @ missed, 1) * missed)
    return Packed(_whole(table, best), cover)


def _whole(table: "_Table", prices: Floats) -> dict[int, Fraction]:
    """The weights in whole parts; rows on which a column still carries more than all of them are lessened."""
    parts = np.floor(prices * _PARTS * (1 - 1e-9)).astype(np.int64)
    load = np.zeros(len(table.degrees), dtype=np.int64)
    np.add.at(load, table.columns, parts[table.rows])
    if load.max(initial=0) > _PARTS:
        raise AssertionError("a column of a packing carries more than 1")
    return {row: Fraction(part, _PARTS) for row, part in enumerate(parts.tolist()) if part}


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """The entries of a problem by row: each with its row and its column, the used ones in order."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    starts: NDArray[np.intp]
    used: tuple[int, ...]
    degrees: Floats

    @classmethod
    def of(cls, problem: Problem) -> "_Table":
        """The entries of all rows; every row has some."""
        listed = [list(members(row)) for row in problem.rows]
        used = tuple(sorted(set().union(*listed)))
        place = {column: k for k, column in enumerate(used)}
        lengths = [len(row) for row in listed]
        columns = np.array([place[c] for row in listed for c in row], dtype=np.intp)
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.intp)
        rows = np.repeat(np.arange(len(listed), dtype=np.intp), lengths)
        return cls(rows, columns, starts, used, np.bincount(columns, minlength=len(used)).astype(np.float64))

    def load(self, prices: Floats) -> Floats:
        """What each column carries."""
        return np.asarray(np.bincount(self.columns, prices[self.rows], len(self.used)), dtype=np.float64)

    def worst(self, load: Floats) -> Floats:
        """By row the most that one of its columns carries."""
        found: Floats = np.maximum.reduceat(load[self.columns], self.starts)
        return found

    def covered(self, chosen: NDArray[np.bool_]) -> Floats:
        """How often the chosen columns cover each row."""
        found: Floats = np.add.reduceat(chosen[self.columns].astype(np.float64), self.starts)
        return found

    def cover(self, problem: Problem, load: Floats) -> tuple[int, ...]:
        """A cover by the columns that carry most: the fewest of them that cover, then greed among these."""
        order = [self.used[k] for k in np.argsort(-load, kind="stable").tolist()]
        taken = len(order) // 16 + 1
        while taken < len(order) and not problem.covers(tuple(order[:taken])):
            taken *= 2
        mask = mask_of(tuple(order[:taken]))
        some = Problem(tuple(row & mask for row in problem.rows), problem.costs)
        return without_needless(problem, greedy_cover(some))
