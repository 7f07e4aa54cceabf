"""Bounds on the count from a linear program, solved in floats by HiGHS and checked in fractions.

Weights on rows, none negative, of which no column carries more than 1 in total: a cover's columns carry every row's
weight, so their number is at least the total. Whatever floats the solver gives, weights rounded to fractions and
divided by the most a column carries have this property, and their total is an exact bound.
"""

from collections.abc import Mapping
from fractions import Fraction
from importlib.util import find_spec
from math import ceil, lcm

import numpy as np

from tracepact.tools.select.cover.clock import Clock
from tracepact.tools.select.cover.problem import Problem, members

_DENOMINATOR = 10**6
_LEAST_SECONDS = 0.05


def available() -> bool:
    """Whether SciPy, which brings HiGHS, is installed."""
    return find_spec("scipy") is not None


def row_weights(problem: Problem, clock: Clock) -> dict[int, Fraction]:
    """Weights on rows that give a bound, by the dual of the linear program; none if there is no time or no solution."""
    from scipy.optimize import linprog

    left = clock.left()
    if not problem.rows or (left is not None and left < _LEAST_SECONDS):
        return {}
    matrix = _matrix(problem).T.tocsr()  # one constraint a column, one variable a row
    options = {} if left is None else {"time_limit": left}
    found = linprog(
        -np.ones(matrix.shape[1]), A_ub=matrix, b_ub=np.ones(matrix.shape[0]), method="highs", options=options
    )
    if found.x is None:
        return {}
    scaled = {r: Fraction(round(w * _DENOMINATOR), _DENOMINATOR) for r, w in enumerate(found.x.tolist())}
    return _feasible(problem, {row: weight for row, weight in scaled.items() if weight > 0})


def weights_bound(problem: Problem, weights: Mapping[int, Fraction]) -> int:
    """The bound that weights on rows give, after checking them."""
    if any(weight < 0 for weight in weights.values()) or most_carried(problem, weights) > 1:
        raise ValueError("a weight is negative, or a column carries more than 1")
    return ceil(sum(weights.values(), Fraction(0)))


def most_carried(problem: Problem, weights: Mapping[int, Fraction]) -> Fraction:
    """The most weight that one column carries, in whole parts of the common denominator."""
    common = lcm(*(weight.denominator for weight in weights.values()))
    carried = [0] * len(problem.costs)
    parts = {row: int(weight * common) for row, weight in weights.items()}
    fits = sum(map(abs, parts.values())) < 2**62
    total = np.array(carried, dtype=np.int64 if fits else object)
    for row, part in parts.items():
        total[list(members(problem.rows[row]))] += part
    return Fraction(int(total.max(initial=0)), common)


def _feasible(problem: Problem, weights: dict[int, Fraction]) -> dict[int, Fraction]:
    """The weights divided by the most that a column carries, if that is more than 1."""
    most = max(most_carried(problem, weights), Fraction(1))
    return {row: weight / most for row, weight in weights.items()}


def searched(problem: Problem, clock: Clock) -> tuple[tuple[int, ...] | None, float | None]:
    """A cover and a bound on the count by HiGHS' integer search; the bound is a float that nobody has checked."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    left = clock.left()
    if left is not None and left < _LEAST_SECONDS:
        return None, None
    matrix = _matrix(problem)
    columns = matrix.shape[1]
    found = milp(
        np.ones(columns),
        constraints=LinearConstraint(matrix, lb=1),
        integrality=np.ones(columns),
        bounds=Bounds(0, 1),
        options={} if left is None else {"time_limit": left},
    )
    bound = None if found.mip_dual_bound is None else float(found.mip_dual_bound)
    if found.x is None:
        return None, bound
    used = _used(problem)
    cover = tuple(used[place] for place, value in enumerate(found.x.tolist()) if value > 0.5)
    return (cover if problem.covers(cover) else None), bound


def _used(problem: Problem) -> list[int]:
    return sorted(set().union(*(members(row) for row in problem.rows)))


def _matrix(problem: Problem):  # type: ignore[no-untyped-def]  # SciPy has no types
    """Rows by used columns."""
    from scipy.sparse import csr_array

    place = {column: i for i, column in enumerate(_used(problem))}
    entries = [(r, place[c]) for r, row in enumerate(problem.rows) for c in members(row)]
    rows, columns = zip(*entries, strict=True)
    return csr_array((np.ones(len(entries)), (rows, columns)), shape=(len(problem.rows), len(place)))
