"""The best weights of a large game as HiGHS finds them in floats: a guess, which whole numbers then check."""

from dataclasses import dataclass

import numpy as np

from tracepact.tools.select.cover.bounds import available
from tracepact.tools.select.weigh.differences import Whole

_PARTS = 10**9
_LEAST = 1e-9


@dataclass(frozen=True, slots=True)
class Guess:
    """Whole weights on the columns, not all 0, and the rows that hold the margin down."""

    weights: tuple[int, ...]
    rows: tuple[int, ...]


def guessed(table: Whole) -> Guess | None:
    """Weights that make the least blended row as large as floats can; None without SciPy or without an answer."""
    if not available():
        return None
    from scipy.optimize import linprog

    pairs, clauses = table.shape
    scale = max(float(np.abs(table).max(initial=0)), 1.0)
    above = np.concatenate([-table / scale, np.ones((pairs, 1))], axis=1)
    found = linprog(
        np.concatenate([np.zeros(clauses), [-1.0]]),
        A_ub=above,
        b_ub=np.zeros(pairs),
        A_eq=np.concatenate([np.ones(clauses), [0.0]])[None],
        b_eq=[1.0],
        bounds=[(0, None)] * clauses + [(None, None)],
        method="highs",
    )
    if found.x is None:
        return None
    weights = tuple(int(weight) for weight in np.rint(np.maximum(found.x[:-1], 0) * _PARTS).tolist())
    rows = tuple(np.flatnonzero(np.abs(found.ineqlin.marginals) > _LEAST).tolist())
    return Guess(weights, rows) if any(weights) else None
