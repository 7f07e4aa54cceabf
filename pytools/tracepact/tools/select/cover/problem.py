"""A weighted lexicographic set cover, and what is known of a cover."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, IntEnum
from fractions import Fraction
from functools import reduce
from operator import or_

import numpy as np


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
        """What the best cover has least."""
        return len(columns), self.cost(columns), tuple(sorted(columns))


def mask_of(columns: tuple[int, ...]) -> int:
    """Columns as a bit mask."""
    return reduce(or_, (1 << column for column in columns), 0)


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


@dataclass(frozen=True, slots=True)
class FoundCover:
    """What one solver found: a cover, how much of it is proven, and the least count it cannot exclude."""

    columns: tuple[int, ...]
    proven: Level
    count_bound: int = 0


class Evidence(Enum):
    """What shows that no cover has fewer columns than `Cover.count_bound`."""

    ROWS = "rows no two of which share a column"
    WEIGHTS = "weights on rows, at most 1 in total on every column"
    SOLVER = "the solver's word"


class Answer(Enum):
    """What a second solver said when asked for a better cover."""

    REFUTED = "refuted"
    UNKNOWN = "not refuted in the budget"
    UNASKED = "not asked"


@dataclass(frozen=True, slots=True)
class Refutation:
    """A second, independent solver asked for fewer columns, for less cost, for an earlier tuple."""

    solver: str | None = None
    count: Answer = Answer.UNASKED
    cost: Answer = Answer.UNASKED
    order: Answer = Answer.UNASKED
    reason: str = ""

    @property
    def complete(self) -> bool:
        """Whether everything better was refuted."""
        return all(answer is Answer.REFUTED for answer in (self.count, self.cost, self.order))


@dataclass(frozen=True, slots=True)
class Reductions:
    """What was left to search, and what was taken away before."""

    rows: int = 0
    columns: int = 0
    forced: int = 0
    dropped_rows: int = 0
    dropped_columns: int = 0


@dataclass(frozen=True, slots=True)
class Cover:
    """A cover, what is proven of it, and by what.

    No cover has fewer than `count_bound` columns; no cover of least count costs less than `cost_bound`. `float_bound`
    is a bound on the count that a floating-point solver gave and nobody checked; it decides nothing.
    """

    columns: tuple[int, ...]
    cost: int
    proven: Level
    count_bound: int
    cost_bound: int
    evidence: Evidence
    solver: str
    independent_rows: tuple[int, ...] = ()
    row_weights: tuple[tuple[int, Fraction], ...] = ()
    refutation: Refutation = Refutation()
    reductions: Reductions = Reductions()
    float_bound: float | None = None

    @property
    def optimal(self) -> bool:
        """Whether count, cost and order are proven least."""
        return self.proven is Level.ORDER

    @property
    def gap(self) -> int:
        """How many columns fewer a better cover could at most have."""
        return len(self.columns) - self.count_bound


@dataclass(frozen=True, slots=True)
class Optima:
    """Covers equal in count and cost, in lexicographic order; `complete` says whether these are all."""

    covers: tuple[tuple[int, ...], ...]
    complete: bool

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return iter(self.covers)

    def __len__(self) -> int:
        return len(self.covers)

    def __getitem__(self, index: int) -> tuple[int, ...]:
        return self.covers[index]
