"""A weighted lexicographic set cover: the problem, what is known of a cover, a first one, and reductions."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, IntEnum
from fractions import Fraction
from functools import reduce
from operator import or_
from time import monotonic

import numpy as np

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
