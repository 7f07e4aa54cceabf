"""What can be taken away from a cover problem before it is searched, without changing its answer.

A row with all the columns of another row is covered with it; dropping it keeps every cover. A row with one column
forces that column. A column that covers no more than another one *stands behind* it, and can be dropped only if the
other is better by what decides between covers that are otherwise alike: replacing the one by the other keeps the
count, so the cost decides, then the source order. A cheaper or equally cheap earlier column therefore stays, even if
another one covers more. For all optima only the cost may decide: columns of equal cost both stay.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

from tracepact.tools.select.cover.problem import Problem, Reductions, members, transposed

Rank = Callable[[int], tuple[int, ...]]
"""What decides between a column and one that covers no more; less is better."""


class Keep(Enum):
    """What a reduction leaves as it is."""

    OPTIMUM = "the best cover"
    OPTIMA = "every cover of least count and cost"


@dataclass(frozen=True, slots=True)
class Reduced:
    """A smaller problem over the same column indices; `sources` are the rows of the problem it came from."""

    problem: Problem
    sources: tuple[int, ...]
    forced: tuple[int, ...]
    counts: Reductions

    def whole(self, columns: Iterable[int]) -> tuple[int, ...]:
        """A cover of the smaller problem as a cover of the whole one."""
        return tuple(sorted((*self.forced, *columns)))


def reduced(problem: Problem, keep: Keep) -> Reduced:
    """The problem without what cannot matter."""
    rank = _rank(problem, keep)
    rows = _first_sources(enumerate(problem.rows))
    forced: list[int] = []
    alive = (1 << len(problem.costs)) - 1
    while True:
        before = len(rows), alive
        if singles := {row for row in rows if row & (row - 1) == 0}:
            chosen = sum(singles)
            forced += members(chosen)
            rows = {row: source for row, source in rows.items() if not row & chosen}
        rows = _without_wider_rows(rows)
        alive = _without_columns_behind(list(rows), rank)
        rows = _first_sources((source, row & alive) for row, source in rows.items())
        if (len(rows), alive) == before:
            break
    return Reduced(
        Problem(tuple(rows), problem.costs),
        tuple(rows.values()),
        tuple(sorted(forced)),
        Reductions(
            rows=len(rows),
            columns=alive.bit_count(),
            forced=len(forced),
            dropped_rows=len(problem.rows) - len(rows),
            dropped_columns=len(problem.costs) - alive.bit_count() - len(forced),
        ),
    )


def minimal_rows(problem: Problem) -> dict[int, int]:
    """The rows that contain no other row, each with the first place it comes from; they have the same covers."""
    return _without_wider_rows(_first_sources(enumerate(problem.rows)))


def _rank(problem: Problem, keep: Keep) -> Rank:
    """By what a column is better than one that covers no more."""
    costs = problem.costs
    match keep:
        case Keep.OPTIMUM:
            return lambda column: (costs[column], column)
        case Keep.OPTIMA:
            return lambda column: (costs[column],)


def _first_sources(rows: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Each different row with the first place it comes from."""
    first: dict[int, int] = {}
    for source, row in rows:
        first.setdefault(row, source)
    return first


def _all_containing(part: int, containing: dict[int, int] | list[int], start: int) -> int:
    """What contains every member of `part`; `start` alone ends the search."""
    found = -1
    for member in members(part):
        found &= containing[member]
        if found == start:
            break
    return found


def _without_wider_rows(rows: dict[int, int]) -> dict[int, int]:
    """Rows that contain no other row; the rows given are all different."""
    order = list(rows)
    columns = transposed(order)
    wider = 0
    for place, row in enumerate(order):
        wider |= _all_containing(row, columns, 1 << place) & ~(1 << place)
    return {row: rows[row] for place, row in enumerate(order) if not wider >> place & 1}


def _without_columns_behind(rows: list[int], rank: Rank) -> int:
    """The columns that cover something and stand behind no better column."""
    columns = transposed(rows)
    kept = 0
    for column, covered in columns.items():
        fronts = _all_containing(covered, rows, 1 << column)
        if not any(rank(front) < rank(column) for front in members(fronts)):
            kept |= 1 << column
    return kept
