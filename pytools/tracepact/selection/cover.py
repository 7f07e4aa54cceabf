"""The best cover of a problem, and the bounds that show it: independent rows, weights on rows (rule 14.15)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.util import find_spec
from math import ceil, lcm

import numpy as np
from numpy.typing import NDArray

from tracepact.declarations import OnStage, silent
from tracepact.selection.cover_problem import (
    NOT_ASKED,
    Clock,
    Cover,
    CoverEvidence,
    Keep,
    Level,
    Optima,
    Problem,
    Spent,
    greedy_cover,
    mask_of,
    members,
    minimal_rows,
    reduced,
    transposed,
    without_needless,
)
from tracepact.selection.cover_search import BRANCHING_NAME, equally_short_and_cheap, search, second_opinion

# The best cover, with the evidence that there is no better one.

SECOND_OPINION = Fraction(20)
"""Seconds that Z3 has to refute that there is a better cover: it is asked beside the answer, not for it."""
_NARROWEST = 300
"""So many rows of a large problem are looked at for a bound alone."""
_BOUND_SHARE = Fraction(1, 3)
"""The share of a time budget that is kept for a bound, should the search not end."""


def solve(
    problem: Problem, *, seconds: Fraction | None = None, on_stage: OnStage = silent, opinion: Fraction = SECOND_OPINION
) -> Cover:
    """The best cover, or the best found in the time, said as such.

    `seconds` bounds the search; Z3 then has up to `opinion` seconds to refute that there is anything better.
    """
    clock = Clock.of(seconds)
    on_stage("reducing")
    small = reduced(problem, Keep.OPTIMUM)
    best = search(small.problem, clock if seconds is None else clock.at_most(seconds * (1 - _BOUND_SHARE)), on_stage)
    columns = small.whole(best.columns)
    on_stage("evidence")
    bound = _bound(problem, columns, len(small.forced) + best.count_bound, best.proven, clock)
    columns = min(columns, bound.cover, key=problem.key)
    proven, cost = max(best.proven, bound.proves(columns)), problem.cost(columns)
    second = NOT_ASKED
    if opinion and proven > Level.NONE:
        on_stage("a second opinion by Z3")
        # on the whole problem, so that a fault in what was taken away before would show
        whole = Problem(tuple(dict.fromkeys(problem.rows)), problem.costs)
        second = second_opinion(whole, columns, proven, Clock.of(opinion))
    return Cover(
        columns=columns,
        cost=cost,
        proven=proven,
        count_bound=bound.count,
        cost_bound=cost if proven >= Level.COST else bound.cost,
        evidence=bound.evidence,
        solver=BRANCHING_NAME if small.problem.rows else "found by reductions, without a search",
        independent_rows=bound.rows,
        row_weights=bound.weights,
        second_solver=second,
    )


def bounded(problem: Problem, columns: tuple[int, ...], clock: Clock) -> Cover:
    """A cover that is not proven least, with a bound from the rows that the fewest columns cover.

    Whatever covers all rows covers these, so the bound holds for all; the others are too many to look at.
    """
    # the narrowest rows share columns least, so they bound the count best
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
    )


def fewest(problem: Problem, clock: Clock) -> tuple[int, ...]:
    """The best cover without its evidence; raises `Spent` if it is not proven best in the time."""
    small = reduced(problem, Keep.OPTIMUM)
    best = search(small.problem, clock)
    if best.proven < Level.ORDER:
        raise Spent
    return small.whole(best.columns)


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
    try:
        equals = equally_short_and_cheap(small.problem, inside, Clock.of(seconds), limit)
    except (Spent, RecursionError):
        return Optima((cover.columns,)[:limit], complete=False)
    return Optima(tuple(sorted(small.whole(columns) for columns in equals[:limit])), len(equals) <= limit)


@dataclass(frozen=True, slots=True)
class _Bound:
    """The least count and cost that any cover can have, with the evidence; `cover` is the best met on the way."""

    cover: tuple[int, ...]
    count: int
    cost: int
    evidence: CoverEvidence
    rows: tuple[int, ...]
    weights: tuple[tuple[int, Fraction], ...]

    def proves(self, columns: tuple[int, ...]) -> Level:
        """Whether a cover has the least count because of it."""
        return Level.COUNT if len(columns) == self.count else Level.NONE


def _bound(problem: Problem, columns: tuple[int, ...], searched: int, proven: Level, clock: Clock) -> _Bound:
    """Of the highest bounds on the count the one that needs least trust; `searched` is what the search found."""
    # a row that contains another is covered with it: the bound loses nothing, and there is far less to look at
    rows = minimal_rows(problem)
    narrow, sources = Problem(tuple(rows), problem.costs), tuple(rows.values())
    # independent rows come first: a reader checks them at a glance; weights need a sum for each column, and the
    # word of the search needs trust
    independent = independent_rows(narrow, len(columns))
    weights: dict[int, Fraction] = {}
    if len(independent) < len(columns) and proven < Level.COUNT:
        weights, columns = packing(narrow, columns, clock)
    if max(len(independent), weights_bound(narrow, weights)) < len(columns) and available():
        exact = row_weights(narrow, clock)
        weights = max(weights, exact, key=lambda some: sum(some.values(), Fraction(0)))
        independent = max(independent, independent_rows(narrow, len(columns), weights), key=len)
    weighed = weights_bound(narrow, weights)
    count = max(len(independent), weighed, len(columns) if proven >= Level.COUNT else searched)
    evidence = CoverEvidence.WEIGHTS if weighed == count else CoverEvidence.SOLVER
    if len(independent) == count:
        evidence = CoverEvidence.ROWS
    shown = weights if evidence is CoverEvidence.WEIGHTS else {}
    # each independent row costs at least its cheapest column
    cost_by_rows = sum(min(problem.costs[c] for c in members(narrow.rows[row])) for row in independent)
    return _Bound(
        columns,
        count,
        max(cost_by_rows, sum(sorted(problem.costs)[:count])),
        evidence,
        tuple(sorted(sources[row] for row in independent)),
        tuple(sorted((sources[row], weight) for row, weight in shown.items())),
    )


# Rows no two of which share a column, by taking what looks best.

_VISITS = 200_000
"""So many looks at rows for independent ones: less than a second."""


def independent_rows(problem: Problem, enough: int, weights: Mapping[int, Fraction] | None = None) -> tuple[int, ...]:
    """Rows no two of which share a column, as many as greed finds; it stops at enough of them.

    A cover needs another column for each, so their number is a bound. The first try takes the heaviest first, and
    among these the row that shares columns with the fewest others; further tries each begin with another row.
    """
    columns = transposed(problem.rows)
    sharing: list[int] = []
    for row in problem.rows:
        rows = 0
        for column in members(row):
            rows |= columns[column]
        sharing.append(rows)
    best = _independent(sharing, weights or {})
    tries = _VISITS // max(1, len(sharing))
    for first in range(min(len(sharing), tries)):
        if len(best) >= enough:
            break
        # greed from every other row: the largest independent set is as hard as the cover itself
        best = max(best, _independent(sharing, {first: Fraction(1)}), key=len)
    return best


def _independent(sharing: Sequence[int], weights: Mapping[int, Fraction]) -> tuple[int, ...]:
    """Independent rows, the heaviest first; `sharing` are for each row those it shares a column with, and itself."""
    taken = 0
    chosen: list[int] = []
    for row in sorted(range(len(sharing)), key=lambda r: (-weights.get(r, 0), sharing[r].bit_count(), r)):
        if not taken >> row & 1:
            taken |= sharing[row]
            chosen.append(row)
    return tuple(sorted(chosen))


# Weights on rows by a Lagrangian relaxation (Beasley 1987): a bound for dense problems in seconds, and covers.
#
# A price on every row says which columns look worth their one: those that carry more than 1. Prices rise on rows that
# these columns leave out and fall where several cover one. Whatever the prices, each divided by the most that a
# column of its row carries (or by 1) is a packing: no column carries more than 1 then, and their sum is a bound
# (14.15). Floats only steer; the weights that are given out are whole millionths, checked in whole numbers.

_ROUNDS = 600
_PATIENCE = 20
"""So many rounds without a better relaxation, then the step is halved."""
_COVERED = 40
"""A cover is made every so many rounds."""
_PARTS = 10**6
Floats = NDArray[np.float64]


def packing(problem: Problem, cover: tuple[int, ...], clock: Clock) -> tuple[dict[int, Fraction], tuple[int, ...]]:
    """Weights of which no column carries more than 1, the heaviest that some rounds find, and a cover no worse."""
    table = _Table.of(problem)
    # one over the largest degree of a row's columns is a packing already, so there is a bound from the first round on
    prices = 1 / table.worst(table.degrees)
    best, relaxed, weight, stale, step = prices, 0.0, float(prices.sum()), 0, 2.0
    for number in range(_ROUNDS):
        # beyond one less than the cover, rounding up proves the cover least, and nothing is left to gain
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
        # the subgradient step of Held, Wolfe and Crowder (1974), aimed a twentieth above the best cover as
        # Beasley has it, so that it does not vanish where the relaxation is tight
        prices = np.maximum(0, prices + step * (1.05 * len(cover) - value) / max(missed @ missed, 1) * missed)
    # rounded down, and a little less than that, so that sums of floats that came out a little large stay within 1
    parts = np.floor(best * _PARTS * (1 - 1e-9)).astype(np.int64)
    return {row: Fraction(part, _PARTS) for row, part in enumerate(parts.tolist()) if part}, cover


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
        """The sum of the prices of the rows that each column covers."""
        return np.asarray(np.bincount(self.columns, prices[self.rows], len(self.used)), dtype=np.float64)

    def worst(self, load: Floats) -> Floats:
        """By row the most that one of its columns carries."""
        most: Floats = np.maximum.reduceat(load[self.columns], self.starts)
        return most

    def covered(self, chosen: NDArray[np.bool_]) -> Floats:
        """How often the chosen columns cover each row."""
        times: Floats = np.add.reduceat(chosen[self.columns].astype(np.float64), self.starts)
        return times

    def cover(self, problem: Problem, load: Floats) -> tuple[int, ...]:
        """A cover by the columns that carry most: the fewest of them that cover, then greed among these."""
        order = [self.used[k] for k in np.argsort(-load, kind="stable").tolist()]
        taken = len(order) // 16 + 1
        while taken < len(order) and not problem.covers(tuple(order[:taken])):
            taken *= 2
        mask = mask_of(tuple(order[:taken]))
        some = Problem(tuple(row & mask for row in problem.rows), problem.costs)
        return without_needless(problem, greedy_cover(some))


# Bounds on the count from a linear program, solved in floats by HiGHS and checked in fractions.
#
# Weights on rows, none negative, of which no column carries more than 1 in total: a cover's columns carry every row's
# weight, so their number is at least the total. Whatever floats the solver gives, weights rounded to fractions and
# divided by the most a column carries have this property, and their total is an exact bound.

_DENOMINATOR = 10**6
_LEAST_SECONDS = 0.05


def available() -> bool:
    """Whether SciPy, which brings HiGHS, is installed."""
    return find_spec("scipy") is not None


def row_weights(problem: Problem, clock: Clock) -> dict[int, Fraction]:
    """Weights on rows that give a bound, by the dual of the linear program; none if there is no time or no solution."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    left = clock.left()
    if not problem.rows or (left is not None and left < _LEAST_SECONDS):
        return {}
    # the dual is solved, for its variables are the evidence; the primal would only give a number
    table = _Table.of(problem)
    entries = np.ones(len(table.rows)), (table.columns, table.rows)
    matrix = csr_array(entries, shape=(len(table.used), len(problem.rows)))  # a constraint by column, a variable by row
    options = {} if left is None else {"time_limit": left}
    solution = linprog(
        -np.ones(matrix.shape[1]), A_ub=matrix, b_ub=np.ones(matrix.shape[0]), method="highs", options=options
    )
    if solution.x is None:
        return {}
    scaled = {r: Fraction(round(w * _DENOMINATOR), _DENOMINATOR) for r, w in enumerate(solution.x.tolist())}
    weights = {row: weight for row, weight in scaled.items() if weight > 0}
    most = max(most_carried(problem, weights), Fraction(1))
    return {row: weight / most for row, weight in weights.items()}


def weights_bound(problem: Problem, weights: Mapping[int, Fraction]) -> int:
    """The bound that weights on rows give, after checking them."""
    if any(weight < 0 for weight in weights.values()) or most_carried(problem, weights) > 1:
        raise ValueError("a weight is negative, or a column carries more than 1")
    return ceil(sum(weights.values(), Fraction(0)))


def most_carried(problem: Problem, weights: Mapping[int, Fraction]) -> Fraction:
    """The most weight that one column carries, in whole parts of the common denominator."""
    common = lcm(*(weight.denominator for weight in weights.values()))
    parts = {row: int(weight * common) for row, weight in weights.items()}
    # the sums decide what is proved: the machine's whole numbers are used only where they cannot overflow
    fits = sum(map(abs, parts.values())) < 2**62
    total = np.zeros(len(problem.costs), dtype=np.int64 if fits else object)
    for row, part in parts.items():
        total[list(members(problem.rows[row]))] += part
    return Fraction(int(total.max(initial=0)), common)
