"""The best cover of a problem, with its evidence."""

from fractions import Fraction

from tracepact.basis.cover.clock import Clock
from tracepact.basis.cover.problem import Cover, Evidence, Level, OnStep, Optima, Problem, unwatched


def solve(problem: Problem, *, seconds: Fraction | None = None, on_step: OnStep = unwatched) -> Cover:
    """The best cover, or the best found in the time, said as such."""
    from tracepact.basis.cover import by_z3

    columns, level = by_z3.improve(problem, tuple(range(len(problem.costs))), 0, Clock.of(seconds), on_step)
    return Cover(
        columns=columns,
        cost=problem.cost(columns),
        proven=level,
        count_bound=len(columns) if level >= Level.COUNT else 0,
        cost_bound=problem.cost(columns) if level >= Level.COST else 0,
        evidence=Evidence.SOLVER,
        solver=by_z3.NAME,
    )


def all_optima(problem: Problem, cover: Cover, *, limit: int, seconds: Fraction | None = None) -> Optima:
    """Every cover equal in count and cost to a cover whose cost is proven least, up to a limit."""
    from tracepact.basis.cover import by_z3

    if cover.proven < Level.COST:
        raise ValueError("the cover is not proven least, so covers equal to it need not be optima")
    if not problem.rows:
        return Optima(((),), complete=True)
    covers = by_z3.Covers(problem, Clock.of(seconds))
    found: list[tuple[int, ...]] = []
    with covers.bounded(len(cover.columns), cover.cost):
        while (another := covers.ask()) is not None:
            if len(found) == limit:
                return Optima(tuple(sorted(found)), complete=False)
            found.append(another)
            covers.exclude(another)
    return Optima(tuple(sorted(found)), complete=True)
