"""A weighted lexicographic set cover: the problem, reductions, a first cover, and bounds on their number (14.15)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum
from fractions import Fraction
from functools import reduce
from importlib.util import find_spec
from math import ceil, lcm
from operator import or_
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from tracepact.records import Record

# A time budget.


class Spent(Exception):  # noqa: N818  (it is what the budget is)
    """The budget ran out before there was an answer."""


@dataclass(frozen=True, slots=True)
class Clock:
    """When to stop; None is never."""

    deadline: float | None = None

    @classmethod
    def of(cls, seconds: Fraction | None) -> "Clock":
        """A clock that runs for so long from now."""
        return cls(None if seconds is None else monotonic() + float(seconds))

    def left(self) -> float | None:
        """Seconds left, never negative."""
        return None if self.deadline is None else max(0.0, self.deadline - monotonic())

    def at_most(self, seconds: Fraction) -> "Clock":
        """The earlier of this clock's end and a number of seconds from now."""
        end = monotonic() + float(seconds)
        return Clock(end if self.deadline is None else min(end, self.deadline))

    def check(self) -> None:
        """Raise `Spent` if nothing is left."""
        if self.left() == 0:
            raise Spent


# A weighted lexicographic set cover, and what is known of a cover.


@dataclass(frozen=True, slots=True)
class Problem:
    """Rows to cover by columns; a column's index is its place in the source.

    A row is the bit mask of the columns that cover it. The best cover has the fewest columns, then the least total
    cost, then the lexicographically least sorted tuple of indices.
    """

    rows: tuple[int, ...]
    costs: tuple[int, ...]

    def __post_init__(self) -> None:
        if any(row <= 0 for row in self.rows):
            raise ValueError("a row that no column covers has no cover; report it before asking for one")
        if any(row >> len(self.costs) for row in self.rows):
            raise ValueError("a row names a column that has no cost")
        if any(cost < 0 for cost in self.costs):
            raise ValueError("a cost is negative")

    def covers(self, columns: tuple[int, ...]) -> bool:
        """Whether every row is covered."""
        chosen = mask_of(columns)
        return all(row & chosen for row in self.rows)

    def cost(self, columns: tuple[int, ...]) -> int:
        """The total cost of some columns."""
        return sum(self.costs[column] for column in columns)

    def key(self, columns: tuple[int, ...]) -> tuple[int, int, tuple[int, ...]]:
        """The measure of a cover: of two the one with the smaller key is better."""
        return len(columns), self.cost(columns), tuple(sorted(columns))


def mask_of(columns: tuple[int, ...]) -> int:
    """Columns as a bit mask."""
    return reduce(or_, (1 << column for column in columns), 0)


# Beyond this many bits NumPy finds the set bits faster than Python takes them off one at a time.
_WIDE = 512


def members(mask: int) -> Iterator[int]:
    """The indices of the set bits, from the least."""
    if mask.bit_length() > _WIDE:
        raw = np.frombuffer(mask.to_bytes(-(-mask.bit_length() // 8), "little"), dtype=np.uint8)
        yield from np.flatnonzero(np.unpackbits(raw, bitorder="little")).tolist()
        return
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def transposed(rows: Iterable[int]) -> dict[int, int]:
    """For every column that covers something the bit mask of the rows it covers."""
    listed = list(rows)
    width = max((row.bit_length() for row in listed), default=0)
    size = -(-width // 8)
    # turned as one table of bits: thousands of rows by a hundred thousand columns take too long one bit at a time
    packed = np.frombuffer(b"".join(row.to_bytes(size, "little") for row in listed), dtype=np.uint8)
    bits = np.unpackbits(packed.reshape(len(listed), size), axis=1, bitorder="little")
    turned = np.packbits(bits[:, :width].T, axis=1, bitorder="little")
    masks = (int.from_bytes(column.tobytes(), "little") for column in turned)
    return {column: mask for column, mask in enumerate(masks) if mask}


class Level(IntEnum):
    """How much of the lexicographic objective is proven least."""

    NONE = 0
    COUNT = 1
    COST = 2
    ORDER = 3


class CoverEvidence(Enum):
    """The evidence that no cover has fewer columns than `Cover.count_bound`, in the words of a selection."""

    ROWS = "no clause meets two of these requirements"
    WEIGHTS = "with these weights, the requirements that one clause meets weigh at most 1"
    SOLVER = "the solver found that fewer do not suffice"


class CoverAnswer(Enum):
    """What a second solver said when asked for a better cover."""

    REFUTED = "refuted"
    UNKNOWN = "not refuted in the budget"
    UNASKED = "not asked"


class SecondSolver(Record, frozen=True):
    """What another solver answered when it was asked for a better set."""

    name: str | None
    fewer: CoverAnswer
    cheaper: CoverAnswer
    earlier: CoverAnswer


NOT_ASKED = SecondSolver(None, CoverAnswer.UNASKED, CoverAnswer.UNASKED, CoverAnswer.UNASKED)
"""There was nothing to refute, no time for it, or no second solver."""


@dataclass(frozen=True, slots=True)
class Cover:
    """A cover, what is proven of it, and by what.

    No cover has fewer than `count_bound` columns; no cover of least count costs less than `cost_bound`.
    """

    columns: tuple[int, ...]
    cost: int
    proven: Level
    count_bound: int
    cost_bound: int
    evidence: CoverEvidence
    solver: str
    independent_rows: tuple[int, ...] = ()
    row_weights: tuple[tuple[int, Fraction], ...] = ()
    second_solver: SecondSolver = NOT_ASKED

    @property
    def optimal(self) -> bool:
        """Whether count, cost and order are proven least."""
        return self.proven is Level.ORDER


@dataclass(frozen=True, slots=True)
class Optima:
    """Covers equal in count and cost, in lexicographic order; `complete` says whether these are all."""

    covers: tuple[tuple[int, ...], ...]
    complete: bool

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return iter(self.covers)

    def __len__(self) -> int:
        return len(self.covers)


# A first cover, by taking what looks best.


def greedy_cover(problem: Problem) -> tuple[int, ...]:
    """A cover: again and again the column that covers most, then the cheaper, then the earlier; none without need."""
    columns = transposed(problem.rows)
    uncovered = (1 << len(problem.rows)) - 1
    chosen: list[int] = []
    while uncovered:
        # at most 1 + ln(rows) times as many columns as needed (Johnson 1974, Lovász 1975); far fewer in practice
        best = min(columns, key=lambda c: (-(columns[c] & uncovered).bit_count(), problem.costs[c], c))
        uncovered &= ~columns[best]
        chosen.append(best)
    return without_needless(problem, tuple(chosen))


def without_needless(problem: Problem, columns: tuple[int, ...]) -> tuple[int, ...]:
    """The cover without columns it covers everything without, the dearest and latest tried first."""
    kept = mask_of(columns)
    for column in sorted(columns, key=lambda c: (-problem.costs[c], -c)):
        without = kept & ~(1 << column)
        if all(row & without for row in problem.rows):
            kept = without
    return tuple(members(kept))


# What can be taken away from a cover problem before it is searched, without changing its answer.
#
# A row with all the columns of another row is covered with it; dropping it keeps every cover. A row with one column
# forces that column. A column that covers no more than another one *stands behind* it, and can be dropped only if the
# other is better by what decides between covers that are otherwise alike: replacing the one by the other keeps the
# count, so the cost decides, then the source order. A cheaper or equally cheap earlier column therefore stays, even
# if another one covers more. For all optima only the cost may decide: columns of equal cost both stay.


class Keep(Enum):
    """What a reduction leaves as it is."""

    OPTIMUM = "the best cover"
    OPTIMA = "every cover of least count and cost"


@dataclass(frozen=True, slots=True)
class Reduced:
    """A smaller problem over the same column indices, and the columns that every cover needs."""

    problem: Problem
    forced: tuple[int, ...]

    def whole(self, columns: Iterable[int]) -> tuple[int, ...]:
        """A cover of the smaller problem as a cover of the whole one."""
        return tuple(sorted((*self.forced, *columns)))


def reduced(problem: Problem, keep: Keep) -> Reduced:
    """The problem without what cannot matter."""
    rows = dict.fromkeys(problem.rows, 0)
    forced: list[int] = []
    alive = (1 << len(problem.costs)) - 1
    while True:
        before = len(rows), alive
        if singles := {row for row in rows if row & (row - 1) == 0}:
            chosen = sum(singles)
            forced += members(chosen)
            rows = {row: source for row, source in rows.items() if not row & chosen}
        # each makes room for the other: fewer rows put more columns behind others, fewer columns make rows alike
        rows = _without_wider_rows(rows)
        alive = _without_columns_behind(list(rows), problem.costs, keep)
        rows = dict.fromkeys((row & alive for row in rows), 0)
        if (len(rows), alive) == before:
            return Reduced(Problem(tuple(rows), problem.costs), tuple(sorted(forced)))


def minimal_rows(problem: Problem) -> dict[int, int]:
    """The rows that contain no other row, each with the first place it comes from; they have the same covers."""
    first: dict[int, int] = {}
    for place, row in enumerate(problem.rows):
        first.setdefault(row, place)
    return _without_wider_rows(first)


def _all_containing(part: int, containing: dict[int, int] | list[int], start: int) -> int:
    """The rows or columns that contain every member of `part`; the search ends when `start` alone is left."""
    common = -1
    for member in members(part):
        common &= containing[member]
        if common == start:
            break
    return common


def _without_wider_rows(rows: dict[int, int]) -> dict[int, int]:
    """Rows that contain no other row; the rows given are all different."""
    order = list(rows)
    columns = transposed(order)
    wider = 0
    for place, row in enumerate(order):
        wider |= _all_containing(row, columns, 1 << place) & ~(1 << place)
    return {row: rows[row] for place, row in enumerate(order) if not wider >> place & 1}


def _without_columns_behind(rows: list[int], costs: tuple[int, ...], keep: Keep) -> int:
    """The columns that cover something and stand behind no better column."""

    def rank(column: int) -> tuple[int, int]:
        return costs[column], column if keep is Keep.OPTIMUM else 0

    columns = transposed(rows)
    kept = 0
    for column, covered in columns.items():
        fronts = _all_containing(covered, rows, 1 << column)
        if not any(rank(front) < rank(column) for front in members(fronts)):
            kept |= 1 << column
    return kept


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
    scaled = {r: Fraction(round(w * _PARTS), _PARTS) for r, w in enumerate(solution.x.tolist())}
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
