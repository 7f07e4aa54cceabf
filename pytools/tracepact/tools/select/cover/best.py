"""The best cover of a problem, with its evidence (rule 14.15): reductions, a search, bounds, a second opinion."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from operator import or_
from typing import Protocol

from tracepact.progress import OnStage, silent
from tracepact.tools.select.cover import bounds, by_branching, by_rc2, by_z3
from tracepact.tools.select.cover.clock import Clock, Spent
from tracepact.tools.select.cover.greedy import greedy_cover, independent_rows
from tracepact.tools.select.cover.packing import packing
from tracepact.tools.select.cover.problem import (
    Answer,
    Cover,
    Evidence,
    FoundCover,
    Level,
    Optima,
    Problem,
    Refutation,
    members,
)
from tracepact.tools.select.cover.reduce import Keep, minimal_rows, reduced

_VISITS = 3_000_000
"""So many looks at columns of branch and bound before a solver is asked: some seconds."""
_TURN = Fraction(5)
"""Seconds of a solver's first turn."""
_FEW = 20
"""Beyond this many columns a cover is not searched for by branch and bound first; the tree is too deep."""
SECOND_OPINION = Fraction(20)
_NARROWEST = 300
"""So many rows of a large problem are looked at for a bound alone."""
_BOUND_SHARE = Fraction(1, 3)
"""The share of a time budget that is kept for a bound, should the search not end."""


def solve(
    problem: Problem,
    *,
    seconds: Fraction | None = None,
    on_stage: OnStage = silent,
    second_opinion: Fraction = SECOND_OPINION,
) -> Cover:
    """The best cover, or the best found in the time, said as such.

    `seconds` bounds the search; a second solver then has up to `second_opinion` seconds to refute anything better.
    """
    clock = Clock.of(seconds)
    on_stage("reducing")
    small = reduced(problem, Keep.OPTIMUM)
    search_time = clock if seconds is None else clock.at_most(seconds * (1 - _BOUND_SHARE))
    best, solver = _search(small.problem, search_time, on_stage)
    on_stage("evidence")
    bound = _bound(problem, small.whole(best.columns), len(small.forced) + best.count_bound, best.proven, clock)
    float_bound = None
    if max(best.proven, bound.proves(small.whole(best.columns))) < Level.COUNT and bounds.available():
        on_stage("a cover and a bound by HiGHS")
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
    return replace(cover, refutation=_refutation(problem, cover, second_opinion, on_stage))


def bounded(problem: Problem, columns: tuple[int, ...], clock: Clock) -> Cover:
    """A cover that is not proven least, with a bound from the rows that the fewest columns cover.

    Whatever covers all rows covers these, so the bound holds for all; the others are too many to look at.
    """
    places = sorted(range(len(problem.rows)), key=lambda row: (problem.rows[row].bit_count(), row))[:_NARROWEST]
    narrow = Problem(tuple(problem.rows[row] for row in places), problem.costs)
    bound = _bound(narrow, columns, 1, Level.NONE, clock)
    return Cover(
        columns=columns,
        cost=problem.cost(columns),
        proven=bound.proves(columns),
        count_bound=bound.count,
        cost_bound=bound.cost,
        evidence=bound.evidence,
        solver="found by greedy choice",
        independent_rows=tuple(sorted(places[row] for row in bound.rows)),
        row_weights=tuple(sorted((places[row], weight) for row, weight in bound.weights)),
        refutation=Refutation(reason="nothing is proven that could be refuted"),
    )


def fewest(problem: Problem, clock: Clock, on_stage: OnStage = silent) -> tuple[int, ...]:
    """The best cover without its evidence; raises `Spent` if it is not proven best in the time."""
    small = reduced(problem, Keep.OPTIMUM)
    found, _ = _search(small.problem, clock, on_stage)
    if found.proven < Level.ORDER:
        raise Spent
    return small.whole(found.columns)


def all_optima(
    problem: Problem, cover: Cover, *, limit: int, seconds: Fraction | None = None, on_stage: OnStage = silent
) -> Optima:
    """Every cover equal in count and cost to one proven least in both; some of them if limit or time cut them short.

    Of a cover that is not proven least nothing equal to it is known to be an optimum: the answer is none, not complete.
    """
    if cover.proven < Level.COST:
        return Optima((), complete=False)
    on_stage("all optima")
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

    def __call__(self, problem: Problem, seed: tuple[int, ...], clock: Clock, on_stage: OnStage) -> FoundCover: ...


def _solvers() -> dict[str, _Improve]:
    """The solvers that are installed, the one for large problems first."""
    found: dict[str, _Improve] = {by_rc2.NAME: by_rc2.improve} if by_rc2.available() else {}
    return {**found, by_z3.NAME: by_z3.improve}


def _nodes(problem: Problem, seed: tuple[int, ...]) -> int:
    """How large a tree of branch and bound is worth its time."""
    columns = reduce(or_, problem.rows, 0).bit_count()
    return _VISITS // max(columns, 1) if len(seed) <= _FEW else 0


def _search(problem: Problem, clock: Clock, on_stage: OnStage) -> tuple[FoundCover, str]:
    """The exact search, and who proved what is proven.

    Where few columns are enough our own search and a solver take turns, each turn four times as long as the last:
    neither is the faster one on all problems. Otherwise the solver has all the time.
    """
    if not problem.rows:
        return FoundCover((), Level.ORDER), "found by reductions, without a search"
    best, by = FoundCover(tuple(sorted(greedy_cover(problem))), Level.NONE), "greedy choice"
    few = len(best.columns) <= _FEW
    name, improve = next(iter(_solvers().items()))
    turn, nodes = _TURN, _nodes(problem, best.columns)
    while best.proven < Level.ORDER and clock.left() != 0:
        if few:
            ours = by_branching.improve(problem, best.columns, clock, on_stage, nodes=nodes, proven=best.proven)
            best, by = _better(problem, best, by, ours, by_branching.NAME)
        if best.proven < Level.ORDER:
            theirs = improve(problem, best.columns, clock.at_most(turn) if few else clock, on_stage)
            best, by = _better(problem, best, by, theirs, name)
        turn, nodes = 4 * turn, 4 * nodes
    return best, by


def _better(problem: Problem, one: FoundCover, by: str, other: FoundCover, name: str) -> tuple[FoundCover, str]:
    """The better cover of two, what either proves, and who proved most of it."""
    best = FoundCover(
        min(one.columns, other.columns, key=problem.key),
        max(one.proven, other.proven),
        max(one.count_bound, other.count_bound),
    )
    more = (other.proven, other.count_bound) > (one.proven, one.count_bound)
    return best, name if more else by


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
    if len(independent) < len(columns) and proven < Level.COUNT:
        weights = packing(narrow, columns, clock).weights
    if max(len(independent), bounds.weights_bound(narrow, weights)) < len(columns) and bounds.available():
        exact = bounds.row_weights(narrow, clock)
        weights = max(weights, exact, key=lambda some: sum(some.values(), Fraction(0)))
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
    """What every cover costs: the cheapest column of each independent row, or that number of the cheapest columns."""
    by_rows = sum(min(problem.costs[c] for c in members(problem.rows[row])) for row in independent)
    return max(by_rows, sum(sorted(problem.costs)[:count]))


def _refutation(problem: Problem, cover: Cover, seconds: Fraction, on_stage: OnStage) -> Refutation:
    """Other solvers than the one that proved it are asked, on the whole problem, for anything better."""
    if cover.proven is Level.NONE:
        return Refutation(reason="nothing is proven that could be refuted")
    if not seconds:
        return Refutation(reason="no second solver was asked")
    others = _solvers()
    if len(cover.columns) <= _FEW:
        others[by_branching.NAME] = by_branching.improve
    others.pop(cover.solver, None)
    if not others:
        return Refutation(reason="no second solver is installed")
    whole = Problem(tuple(dict.fromkeys(problem.rows)), problem.costs)
    level, solver = Level.NONE, ""
    for name, improve in reversed(others.items()):
        found = improve(whole, cover.columns, Clock.of(seconds / len(others)), on_stage)
        key = cover.proven.value
        if problem.key(found.columns)[:key] < problem.key(cover.columns)[:key]:
            raise RuntimeError(f"{name} found a better cover than the one {cover.solver} proved least")
        if not solver or found.proven > level:
            level, solver = found.proven, name
        if level >= cover.proven:
            break

    def answer(asked: Level) -> Answer:
        return Answer.UNASKED if asked > cover.proven else Answer.REFUTED if asked <= level else Answer.UNKNOWN

    return Refutation(solver, answer(Level.COUNT), answer(Level.COST), answer(Level.ORDER))


def _enumerated(
    problem: Problem, best: tuple[int, ...], clock: Clock, limit: int
) -> tuple[list[tuple[int, ...]], bool]:
    """Equally good covers by a solver, and whether these are all."""
    try:
        if by_rc2.available():
            with by_rc2.BestCovers(problem, clock) as optima:
                optima.first()
                return _one_by_one(optima, limit)
        covers = by_z3.Covers(problem, clock)
        with covers.bounded(len(best), problem.cost(best)):
            return _one_by_one(covers, limit)
    except Spent:
        return [], False


class _Covers(Protocol):
    """Covers that are equally good, of which some are excluded."""

    def ask(self) -> tuple[int, ...] | None: ...

    def exclude(self, columns: tuple[int, ...]) -> None: ...


def _one_by_one(covers: _Covers, limit: int) -> tuple[list[tuple[int, ...]], bool]:
    """One more than the limit at most, and whether these are all."""
    found: list[tuple[int, ...]] = []
    try:
        while len(found) <= limit and (another := covers.ask()) is not None:
            found.append(another)
            covers.exclude(another)
    except Spent:
        return found, False
    return found, len(found) <= limit
