"""The best weights of a large game as HiGHS finds them in floats: a guess, which whole numbers then check.

The linear program begins with a few pairs and clauses. Pairs that its weights order least, and clauses that its blend
shows to be worth more, join it until there are none: the tables of all pairs and all clauses are never made.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tracepact.tools.select.cover.bounds import available
from tracepact.tools.select.cover.clock import Clock
from tracepact.tools.select.weigh.differences import Differences

_PARTS = 10**9
_NEAR = 1e-9
_FIRST = 40
_ROWS, _COLUMNS = 80, 40
"""How many pairs and clauses begin, and how many join at a time."""
_TURNS = 400
_SHORTEST = 0.01
_LARGEST = 1e6
"""No clause has a larger weight where pairs are ordered by 1."""
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Guess:
    """Whole weights on clauses, not all 0, and the pairs that hold the margin down, both by their places."""

    weights: tuple[tuple[int, int], ...]
    rows: tuple[int, ...]


def guessed(
    differences: Differences,
    places: Sequence[int],
    columns: Sequence[int] | None = None,
    *,
    enough: Fraction | None = None,
    clock: Clock | None = None,
) -> Guess | None:
    """Weights on some clauses (or all) whose least difference over some places is as large as floats can see.

    With `enough` a margin that is larger ends the search, and so does a blend that shows there is none. None without
    SciPy, without an answer, or if the time ends.
    """
    if not available() or not places:
        return None
    every, among = np.array(places), np.arange(differences.clauses) if columns is None else np.array(columns)
    rows = np.unique(np.linspace(0, len(every) - 1, _FIRST).astype(np.intp))
    best = differences.of(every[rows], among).argmax(axis=1)
    used = np.unique(best) if columns is None else np.arange(len(among))
    limit = None if enough is None else float(enough) / differences.scale
    for _ in range(_TURNS):
        if clock is not None and clock.left() == 0:
            return None
        table = differences.of(every[rows], among[used]) / differences.scale
        solved = _solved(table, None if clock is None else clock.left())
        if solved is None:
            return None
        weights, blend, value = solved
        chosen, hard = np.flatnonzero(weights > _NEAR), np.flatnonzero(blend > _NEAR)
        if not len(chosen) or not len(hard):
            return None
        margins = differences.weighed(among[used[chosen]], weights[chosen], every) / differences.scale
        worth = blend[hard] @ differences.of(every[rows[hard]], among) / differences.scale
        more_rows = _worst(margins, value - _NEAR, _ROWS)
        more = _worst(-worth, -value - _NEAR, _COLUMNS)
        shown = limit is not None and (margins.min() > limit + _NEAR or worth.max() < limit - _NEAR)
        if shown or not (len(more_rows) or len(more)):
            whole = np.rint(weights[chosen] * _PARTS).astype(np.int64).tolist()
            listed = zip(among[used[chosen]].tolist(), whole, strict=True)
            return Guess(tuple((c, w) for c, w in listed if w), tuple(every[rows[hard]].tolist()))
        rows, used = np.union1d(rows, more_rows), np.union1d(used, more)
    return None


def guessed_apart(differences: Differences, clock: Clock) -> tuple[tuple[int, int], ...] | None:
    """Weights on clauses that order all but a few pairs: those of a few cases that are out of place.

    Each case may be out of place by some amount, and the sum of the amounts is least. Of the weights that were met on
    the way those are taken that order most pairs. None without SciPy, without an answer, or without the time for one.
    """
    if not available():
        return None
    rows = np.unique(np.linspace(0, len(differences) - 1, _FIRST).astype(np.intp))
    used = np.unique(differences.of(rows).argmax(axis=1))
    best, most = None, 0
    for _ in range(_TURNS):
        if clock.left() == 0:
            break
        sides = np.stack([differences.worse[rows], differences.better[rows]])
        solved = _apart(differences.of(rows, used) / differences.scale, sides, differences.low.shape[1], clock.left())
        if solved is None:
            break
        weights, amounts, blend = solved
        margins = differences.weighed(used, weights, slice(None)) / differences.scale
        ordered = int((margins > 0).sum())
        if ordered > most and weights.max() > 0:
            whole = np.rint(weights / weights.max() * _PARTS).astype(np.int64).tolist()
            best, most = tuple((c, w) for c, w in zip(used.tolist(), whole, strict=True) if w), ordered
        hard = np.flatnonzero(blend > _NEAR)
        worth = blend[hard] @ differences.of(rows[hard]) / differences.scale
        more_rows = _worst(margins + amounts[differences.worse] + amounts[differences.better], 1 - 1e-6, _ROWS)
        more = _worst(-worth, -1e-6, _COLUMNS)
        if not (len(np.setdiff1d(more_rows, rows)) or len(np.setdiff1d(more, used))):
            break
        rows, used = np.union1d(rows, more_rows), np.union1d(used, more)
    return best


def _apart(
    table: Floats, sides: NDArray[np.intp], cases: int, seconds: float | None
) -> tuple[Floats, Floats, Floats] | None:
    """Weights that order every row of a table by 1 but for amounts on the two cases of it, whose sum is least."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack

    pairs, clauses = table.shape
    places = np.repeat(np.arange(pairs), 2), sides.T.reshape(-1)
    out = csr_array((np.ones(2 * pairs), places), shape=(pairs, cases))
    found = linprog(
        np.concatenate([np.zeros(clauses), np.ones(cases)]),
        A_ub=hstack([csr_array(-table), -out]).tocsr(),
        b_ub=-np.ones(pairs),
        bounds=[(0, _LARGEST)] * clauses + [(0, None)] * cases,
        method="highs",
        options={} if seconds is None else {"time_limit": max(seconds, _SHORTEST)},
    )
    if found.status != 0:
        return None
    return np.maximum(found.x[:clauses], 0), np.maximum(found.x[clauses:], 0), np.maximum(-found.ineqlin.marginals, 0)


def _worst(values: Floats, limit: float, most: int) -> NDArray[np.intp]:
    """The places of the least values below a limit, so many at most."""
    below = np.flatnonzero(values < limit)
    return below[np.argsort(values[below], kind="stable")[:most]]


def _solved(table: Floats, seconds: float | None) -> tuple[Floats, Floats, float] | None:
    """The best weights on the columns of a table, the blend of its rows that shows it, and the value."""
    from scipy.optimize import linprog

    pairs, clauses = table.shape
    found = linprog(
        np.concatenate([np.zeros(clauses), [-1.0]]),
        A_ub=np.concatenate([-table, np.ones((pairs, 1))], axis=1),
        b_ub=np.zeros(pairs),
        A_eq=np.concatenate([np.ones(clauses), [0.0]])[None],
        b_eq=[1.0],
        bounds=[(0, None)] * clauses + [(None, None)],
        method="highs",
        options={} if seconds is None else {"time_limit": max(seconds, _SHORTEST)},
    )
    if found.status != 0:
        return None
    return np.maximum(found.x[:-1], 0), np.maximum(-found.ineqlin.marginals, 0), float(found.x[-1])
