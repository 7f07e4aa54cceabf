"""Weights that keep much of the weight of contradictory pairs, found by climbing: one clause after the other.

A clause joins, or its weight moves, by the amount that keeps most: along one clause every pair is kept within an
interval of amounts, so the best amount is found by sorting their ends. Floats steer; what is kept in the end is counted
in whole numbers, so it is ordered, but another choice may keep more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.tools.select.cover.clock import Clock
from tracepact.tools.select.weigh.differences import Differences

_ENTRIES = 50_000_000
"""So many differences are kept as floats; beyond that only the clauses that keep most by themselves are tried."""
_BLOCK = 256
_TRIED = 96
"""How many clauses are tried at a time."""
_PARTS = 10**5
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Climbed:
    """Weights on clauses, by their places, and the pairs that they do not order."""

    weights: tuple[tuple[int, int], ...]
    given_up: tuple[int, ...]


def climbed(differences: Differences, weights: Sequence[Fraction], clock: Clock) -> Climbed:
    """The best weights that climbing finds in its time; never less than the best clause keeps by itself."""
    heavy = _whole_weights(weights)
    alone = _alone(differences, heavy)
    best = int(np.argmax(alone))
    found = _counted(differences, ((best, 1),))
    climb = _Climb.of(differences, heavy, alone)
    while clock.left() != 0 and climb.improve():
        pass
    other = _counted(differences, climb.whole_weights())
    return min(found, other, key=lambda one: (sum(heavy[list(one.given_up)], start=0), len(one.weights)))


def _whole_weights(weights: Sequence[Fraction]) -> NDArray[Any]:
    common = lcm(*(weight.denominator for weight in weights))
    heavy = np.array([int(weight * common) for weight in weights], dtype=object)
    return heavy.astype(np.int64) if sum(heavy) < 2**62 else heavy


def _alone(differences: Differences, heavy: NDArray[Any]) -> NDArray[Any]:
    """By clause the weight of the pairs that it orders by itself."""
    found = []
    for start in range(0, differences.clauses, _BLOCK):
        table = differences.of(slice(None), slice(start, start + _BLOCK))
        found.append(heavy @ (table.reshape(-1, len(heavy), table.shape[1]).min(axis=0) > 0))
    return np.concatenate(found)


def _counted(differences: Differences, weights: tuple[tuple[int, int], ...]) -> Climbed:
    """What weights give up, in whole numbers."""
    least = differences.ordered_by(weights).reshape(-1, len(differences.pairs)).min(axis=0)
    return Climbed(weights, tuple(np.flatnonzero(least <= 0).tolist()))


@dataclass(slots=True, eq=False)
class _Climb:
    """The differences of the clauses that are tried (table, clause, pair), their weights, and the sums so far."""

    columns: NDArray[np.intp]
    table: Floats
    heavy: NDArray[np.float64]
    weights: NDArray[np.float64]
    summed: NDArray[np.float64]
    kept: float
    stale: int = 0
    """How many clauses were tried since something was gained."""

    @classmethod
    def of(cls, differences: Differences, heavy: NDArray[Any], alone: NDArray[Any]) -> "_Climb":
        """Begin with the clause that keeps most by itself."""
        room = max(1, _ENTRIES // max(1, len(differences)))
        columns = np.sort(np.argsort(-alone, kind="stable")[:room]).astype(np.intp)
        number = len(heavy)
        table = np.empty((len(differences) // number, len(columns), number), dtype=np.float32)
        for start in range(0, len(columns), _BLOCK):
            some = differences.of(slice(None), columns[start : start + _BLOCK]) / differences.scale
            table[:, start : start + _BLOCK] = some.reshape(-1, number, some.shape[1]).transpose(0, 2, 1)
        weights = np.zeros(len(columns))
        first = int(np.argmax(alone[columns]))
        weights[first] = 1.0
        light = heavy.astype(np.float64)
        summed = table[:, first].astype(np.float64)
        return cls(columns, table, light, weights, summed, float(light @ (summed.min(axis=0) > 0)))

    def improve(self) -> bool:
        """Move the weight of one clause; False if no clause gains anything any more."""
        if self.kept >= self.heavy.sum():
            return False
        tried = self._next()
        if not len(tried):
            return False
        gained, amounts = self._amounts(tried)
        self.stale += len(tried)
        best = int(np.argmax(gained))
        if gained[best] > self.kept:
            self._take(int(tried[best]), amounts[best])
        return True

    def _take(self, place: int, amount: float) -> None:
        """Change a weight if that keeps more, counted from all weights anew."""
        weights = self.weights.copy()
        weights[place] = max(0.0, weights[place] + amount)
        used = np.flatnonzero(weights)
        summed = np.einsum("tcp,c->tp", self.table[:, used].astype(np.float64), weights[used])
        kept = float(self.heavy @ (summed.min(axis=0) > 0))
        if kept > self.kept:
            self.weights, self.summed, self.kept, self.stale = weights, summed, kept, 0

    def _next(self) -> NDArray[np.intp]:
        """The clauses to try: those that order most of what is not kept first, then all others in turn."""
        lost = np.flatnonzero(self.summed.min(axis=0) <= 0)
        worth = (self.table[:, :, lost].min(axis=0) > 0) @ self.heavy[lost]
        worth[self.weights > 0] += 1e-3
        order = np.argsort(-worth, kind="stable")
        return order[self.stale : self.stale + _TRIED]

    def _amounts(self, tried: NDArray[np.intp]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """By clause the most weight that some change of its own weight keeps, and that change."""
        rows = self.table[:, tried].astype(np.float64)
        gained, amounts = _best(rows, self.summed, self.heavy, np.full(len(tried), np.inf))
        used = np.flatnonzero(self.weights[tried])  # only what has a weight can lose some
        if len(used):
            down, less = _best(-rows[:, used], self.summed, self.heavy, self.weights[tried[used]])
            better = down > gained[used]
            gained[used[better]], amounts[used[better]] = down[better], -less[better]
        return gained, amounts

    def whole_weights(self) -> tuple[tuple[int, int], ...]:
        """The weights in whole parts."""
        parts = np.rint(self.weights / self.weights.sum() * _PARTS).astype(np.int64)
        return tuple((int(self.columns[k]), int(parts[k])) for k in np.flatnonzero(parts))


def _best(
    rows: NDArray[np.float64], summed: NDArray[np.float64], heavy: NDArray[np.float64], most: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """By clause (axis 1 of `rows`) the best amount from 0 up to the most, and the weight of the pairs kept by it.

    A pair is kept where its sum and its difference times the amount are positive together in every table: between the
    last amount at which one of them becomes positive and the first at which one stops.
    """
    sums = summed[:, None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        at = -sums / rows
    begins = np.where(sums > 0, 0.0, np.where(rows > 0, at, np.inf)).max(axis=0)
    ends = np.where(rows < 0, np.where(sums > 0, at, 0.0), np.inf).min(axis=0)
    never = begins >= np.minimum(ends, most[:, None])
    times = np.where(np.concatenate([never, never], axis=1), np.inf, np.concatenate([begins, ends], axis=1))
    changes = np.where(np.isfinite(times), np.concatenate([heavy, -heavy]), 0.0)
    order = np.argsort(times, axis=1, kind="stable")
    ordered, kept = np.take_along_axis(times, order, 1), np.cumsum(np.take_along_axis(changes, order, 1), axis=1)
    following = np.concatenate([ordered[:, 1:], np.full((len(ordered), 1), np.inf)], axis=1)
    following = np.minimum(following, most[:, None])
    kept = np.where(following > ordered, kept, -1.0)  # between two ends at one amount there is none
    place = kept.argmax(axis=1)
    row = np.arange(len(kept))
    start, stop = ordered[row, place], following[row, place]
    amount = np.where(np.isfinite(stop), (start + stop) / 2, 2 * start + 1e-6)
    return kept[row, place], np.where(np.isfinite(amount), amount, 0.0)
