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
        solved = _solved(table)
        if solved is None:
            return None
        weights, blend, value = solved
        chosen, hard = np.flatnonzero(weights > _NEAR), np.flatnonzero(blend > _NEAR)
        if not len(chosen) or not len(hard):
            return None
        margins = differences.of(every, among[used[chosen]]) @ weights[chosen] / differences.scale
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


def _worst(values: Floats, limit: float, most: int) -> NDArray[np.intp]:
    """The places of the least values below a limit, so many at most."""
    below = np.flatnonzero(values < limit)
    return below[np.argsort(values[below], kind="stable")[:most]]


def _solved(table: Floats) -> tuple[Floats, Floats, float] | None:
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
    )
    if found.x is None:
        return None
    return np.maximum(found.x[:-1], 0), np.maximum(-found.ineqlin.marginals, 0), float(found.x[-1])
