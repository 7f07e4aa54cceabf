"""The best cover of a problem, with its evidence: reduce, a first cover, an exact search, bounds, a second opinion."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from operator import or_
from typing import Protocol

from tracepact.basis.cover import bounds, by_branching, by_rc2
from tracepact.basis.cover.clock import Clock, Spent
from tracepact.basis.cover.greedy import greedy_cover, independent_rows
from tracepact.basis.cover.problem import (
    Answer,
    Cover,
    Evidence,
    Found,
    Level,
    OnStep,
    Optima,
    Problem,
    Refutation,
    members,
    unwatched,
)
from tracepact.basis.cover.reduce import Keep, minimal_rows, reduced

_VISITS = 3_000_000
"""So many looks at columns of branch and bound before a solver is asked: some seconds."""
_FEW = 20
"""Beyond so many columns a cover is not searched for by branch and bound first; the tree is too deep."""
_SECOND_OPINION = Fraction(20)
_BOUND_SHARE = Fraction(1, 3)
"""The share of a time budget that is kept for a bound, should the search not end."""


def solve(
    problem: Problem,
    *,
    seconds: Fraction | None = None,
    on_step: OnStep = unwatched,
    second_opinion: Fraction = _SECOND_OPINION,
) -> Cover:
    """The best cover, or the best found in the time, said as such.

    `seconds` bounds the search; a second solver then has up to `second_opinion` seconds to refute anything better.
    """
    clock = Clock.of(seconds)
    on_step("reducing")
    small = reduced(problem, Keep.OPTIMUM)
    search_time = clock if seconds is None else clock.at_most(seconds * (1 - _BOUND_SHARE))
    best, solver = _search(small.problem, search_time, on_step)
    on_step("evidence")
    bound = _bound(problem, small.whole(best.columns), len(small.forced) + best.count_bound, best.proven, clock)
    float_bound = None
    if max(best.proven, bound.proves(small.whole(best.columns))) < Level.COUNT and bounds.available():
        on_step("a cover and a bound by HiGHS")
        better, found = bounds.searched(small.problem, clock)
        float_bound = None if found is None else len(small.forced) + found
        if better is not None and small.problem.key(better) < small.problem.key(best.columns):
            best = replace(best, columns=better)
    columns = small.whole(best.columns)
    proven = max(best.proven, bound.proves(columns))
    cost = problem.cost(columns)
    cover = Cover(
        columns=columns,
        cost=cost,
        proven=proven,
        count_bound=bound.count,
        cost_bound=cost if proven >= Level.COST else bound.cost,
        evidence=bound.evidence,
        solver=solver,
        independent_rows=bound.rows,
        row_weights=bound.weights,
        reductions=small.counts,
        float_bound=float_bound,
    )
    return replace(cover, refutation=_refutation(problem, cover, second_opinion, on_step))


def all_optima(
    problem: Problem, cover: Cover, *, limit: int, seconds: Fraction | None = None, on_step: OnStep = unwatched
) -> Optima:
    """Every cover equal in count and cost to one proven least in both; some of them if limit or time cut them short.

    Of a cover that is not proven least nothing equal to it is known to be an optimum: the answer is none, not complete.
    """
    if cover.proven < Level.COST:
        return Optima((), complete=False)
    on_step("all optima")
    small = reduced(problem, Keep.OPTIMA)
    inside = tuple(c for c in cover.columns if c not in small.forced)
    clock = Clock.of(seconds)
    try:
        found = by_branching.equals(small.problem, inside, clock, _nodes(small.problem, inside), limit)
        complete = len(found) <= limit
    except Spent:
        found, complete = _enumerated(small.problem, inside, clock, limit)
    return Optima(tuple(sorted(small.whole(columns) for columns in found[:limit])), complete)


class _Improve(Protocol):
    """A solver: the best cover from a seed on, and how much of it is proven."""

    def __call__(self, problem: Problem, seed: tuple[int, ...], clock: Clock, on_step: OnStep) -> Found: ...


def _solvers() -> dict[str, _Improve]:
    """The solvers that are installed, the one for large problems first."""
    from tracepact.basis.cover import by_z3

    found: dict[str, _Improve] = {by_rc2.NAME: by_rc2.improve} if by_rc2.available() else {}
    return {**found, by_z3.NAME: by_z3.improve}


def _nodes(problem: Problem, seed: tuple[int, ...]) -> int:
    """How large a tree of branch and bound is worth its time."""
    columns = reduce(or_, problem.rows, 0).bit_count()
    return _VISITS // max(columns, 1) if len(seed) <= _FEW else 0


def _search(problem: Problem, clock: Clock, on_step: OnStep) -> tuple[Found, str]:
    """The exact search and who proved what is proven: our own where few columns are enough, else a solver."""
    if not problem.rows:
        return Found((), Level.ORDER), "reductions alone"
    seed = greedy_cover(problem)
    ours = by_branching.improve(problem, seed, clock, on_step, nodes=_nodes(problem, seed))
    if ours.proven is Level.ORDER:
        return ours, by_branching.NAME
    name, improve = next(iter(_solvers().items()))
    theirs = improve(problem, ours.columns, clock, on_step)
    best = Found(
        min(ours.columns, theirs.columns, key=problem.key),
        max(ours.proven, theirs.proven),
        max(ours.count_bound, theirs.count_bound),
    )
    return best, name if theirs.proven > ours.proven or theirs.count_bound > ours.count_bound else by_branching.NAME


@dataclass(frozen=True, slots=True)
class _Bound:
    """What every cover of the whole problem has at least, and by what."""

    count: int
    cost: int
    evidence: Evidence
    rows: tuple[int, ...]
    weights: tuple[tuple[int, Fraction], ...]

    def proves(self, columns: tuple[int, ...]) -> Level:
        """Whether a cover has the least count because of it."""
        return Level.COUNT if len(columns) == self.count else Level.NONE


def _bound(problem: Problem, columns: tuple[int, ...], searched: int, proven: Level, clock: Clock) -> _Bound:
    """Of the highest bounds on the count the one that needs least trust; `searched` is what the search found."""
    rows = minimal_rows(problem)
    narrow, sources = Problem(tuple(rows), problem.costs), tuple(rows.values())
    independent = independent_rows(narrow, len(columns))
    weights: dict[int, Fraction] = {}
    if len(independent) < len(columns) and bounds.available():
        weights = bounds.row_weights(narrow, clock)
        independent = max(independent, independent_rows(narrow, len(columns), weights), key=len)
    weighed = bounds.weights_bound(narrow, weights)
    count = max(len(independent), weighed, len(columns) if proven >= Level.COUNT else searched)
    evidence = Evidence.WEIGHTS if weighed == count else Evidence.SOLVER
    if len(independent) == count:
        evidence = Evidence.ROWS
    shown = weights if evidence is Evidence.WEIGHTS else {}
    return _Bound(
        count,
        _cost_bound(narrow, independent, count),
        evidence,
        tuple(sorted(sources[row] for row in independent)),
        tuple(sorted((sources[row], weight) for row, weight in shown.items())),
    )


def _cost_bound(problem: Problem, independent: Iterable[int], count: int) -> int:
    """What every cover costs: the cheapest column of each independent row, or so many of the cheapest columns."""
    by_rows = sum(min(problem.costs[c] for c in members(problem.rows[row])) for row in independent)
    return max(by_rows, sum(sorted(problem.costs)[:count]))


def _refutation(problem: Problem, cover: Cover, seconds: Fraction, on_step: OnStep) -> Refutation:
    """Other solvers than the one that proved it are asked, on the whole problem, for anything better."""
    if cover.proven is Level.NONE:
        return Refutation(reason="nothing is proven that could be refuted")
    others = _solvers()
    if len(cover.columns) <= _FEW:
        others[by_branching.NAME] = by_branching.improve
    others.pop(cover.solver, None)
    whole = Problem(tuple(dict.fromkeys(problem.rows)), problem.costs)
    best: tuple[Level, str | None] = (Level.NONE, None)
    for name, improve in reversed(others.items()):
        found = improve(whole, cover.columns, Clock.of(seconds / len(others)), on_step)
        key = cover.proven.value
        assert problem.key(found.columns)[:key] >= problem.key(cover.columns)[:key], f"{name} found a better cover"
        best = max(best, (min(found.proven, cover.proven), name), key=lambda pair: pair[0])
        if best[0] is cover.proven:
            break
    level, solver = best
    if solver is None:
        return Refutation(reason="no second solver is installed, or none answered in the budget")

    def answer(asked: Level) -> Answer:
        return Answer.UNASKED if asked > cover.proven else Answer.REFUTED if asked <= level else Answer.UNKNOWN

    return Refutation(solver, answer(Level.COUNT), answer(Level.COST), answer(Level.ORDER))


def _enumerated(
    problem: Problem, best: tuple[int, ...], clock: Clock, limit: int
) -> tuple[list[tuple[int, ...]], bool]:
    """Equally good covers by Z3, one after another, and whether these are all."""
    from tracepact.basis.cover import by_z3

    found: list[tuple[int, ...]] = []
    try:
        covers = by_z3.Covers(problem, clock)
        with covers.bounded(len(best), problem.cost(best)):
            while (another := covers.ask()) is not None:
                found.append(another)
                if len(found) > limit:
                    return found, False
                covers.exclude(another)
    except Spent:
        return found, False
    return found, True
