"""Small cover problems, and their answers by trying every set of columns."""

from itertools import combinations

from hypothesis import strategies as st

from tracepact.selection.cover_problem import Problem

Columns = tuple[int, ...]


@st.composite
def problems(draw: st.DrawFn, columns: int = 7, rows: int = 9) -> Problem:
    """Few costs, so that ties are common; sometimes costs beyond 64 bits; rows repeat and contain each other."""
    width = draw(st.integers(1, columns))
    unit = draw(st.sampled_from([1, 1, 1, 10**20]))
    costs = draw(st.lists(st.integers(0, 2), min_size=width, max_size=width))
    masks = draw(st.lists(st.integers(1, 2**width - 1), max_size=rows))
    return Problem(tuple(masks), tuple(cost * unit for cost in costs))


def every_cover(problem: Problem) -> list[Columns]:
    """All covers."""
    places = range(len(problem.costs))
    return [chosen for k in range(len(places) + 1) for chosen in combinations(places, k) if covers(problem, chosen)]


def covers(problem: Problem, chosen: Columns) -> bool:
    """Whether every row has a chosen column."""
    return all(any(row >> column & 1 for column in chosen) for row in problem.rows)


def best_cover(problem: Problem) -> Columns:
    """Fewest columns, then least cost, then first in source order."""
    return min(every_cover(problem), key=lambda c: (len(c), sum(problem.costs[i] for i in c), c))


def optima(problem: Problem) -> list[Columns]:
    """All covers of least count and cost, sorted."""
    best = best_cover(problem)
    cost = sum(problem.costs[i] for i in best)
    return sorted(c for c in every_cover(problem) if len(c) == len(best) and sum(problem.costs[i] for i in c) == cost)
