"""The best matching of a crowd, a connected part with many candidates, by columns: whole numbers, bounded memory."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tracepact.diagnostics import Diagnostic, InvalidInput
from tracepact.limits import limits
from tracepact.trace.exact_times import Ticks

Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]
_NONE = -1
_ROOM = 1 << 59


class Steps:
    """How many steps of a search are left; InvalidInput when there are none."""

    def __init__(self) -> None:
        self.left = limits().steps

    def take(self, number: int) -> None:
        """Count some steps."""
        self.left -= number
        if self.left < 0:
            headline = f"the best matching of the events is not found within {limits().steps:,} steps"
            help = "check the times and their unit, take fewer clips, or raise the limit (--limit steps=NUMBER)"
            raise InvalidInput([Diagnostic("too-many-candidates", headline, None, help)])


def crowd_pairs(ref: Indices, pred: Indices, costs: Sequence[Ticks], steps: Steps) -> tuple[Indices, Indices]:
    """The best largest set of one connected part, as `matching.best` orders them.

    Shortest augmenting paths find a cheapest set, and prices that show it to be one (Jonker and Volgenant 1987). By
    these prices all the other cheapest sets are known: they take only candidates that cost what their two ends do
    together. Among them, events change places along alternating paths until no earlier reference can be had, and then
    no earlier prediction. InvalidInput when no step is left.
    """
    refs, columns = np.unique(ref, return_inverse=True)
    preds, rows = np.unique(pred, return_inverse=True)
    crowd = _Crowd(columns.reshape(-1), rows.reshape(-1), _one_number(costs, min(len(refs), len(preds))))
    for row in range(len(preds)):
        crowd.insert(row, steps)
    crowd.prefer_early_columns()
    crowd.prefer_early_rows()
    matched = np.flatnonzero(crowd.column_of != _NONE)
    return refs[crowd.column_of[matched]], preds[matched]


def _one_number(costs: Sequence[Ticks], pairs: int) -> Ticks:
    """The costs of each candidate in one number, each above all sums of the next; a long one as Python's integer."""
    total, bound = costs[0], int(costs[0].max())
    for cost in costs[1:]:
        most = int(cost.max())
        room = 1 + pairs * most
        bound = bound * room + most
        total = (total if bound < _ROOM else total.astype(np.object_)) * room + cost
    return total if (pairs + 2) * (bound + 1) < _ROOM else total.astype(np.object_)


class _Crowd:
    """Rows (predictions) and columns (references), what candidates cost, and a cheapest matching of the rows so far.

    A row may also stay alone, which costs more than all pairs. `row_price` and `column_price` prove the matching: no
    candidate costs less than its two ends do together, what is matched costs exactly that, and a column without a row
    costs nothing.
    """

    def __init__(self, column: Indices, row: Indices, cost: Ticks) -> None:
        order = np.lexsort((column, row))
        self.column, self.row, self.cost = column[order], row[order], cost[order]
        rows, columns = int(row.max()) + 1, int(column.max()) + 1
        self.start = np.searchsorted(self.row, np.arange(rows + 1))
        self.by_column = np.argsort(self.column, kind="stable")
        self.column_start = np.searchsorted(self.column[self.by_column], np.arange(columns + 1))
        self.alone = (min(rows, columns) + 2) * (int(cost.max()) + 1)
        self.beyond = 4 * self.alone
        self.row_price: Ticks = np.zeros(rows, dtype=cost.dtype)
        self.column_price: Ticks = np.zeros(columns, dtype=cost.dtype)
        self.row_of = np.full(columns, _NONE)
        self.column_of = np.full(rows, _NONE)
        self.near: Ticks = np.full(columns, self.beyond, dtype=cost.dtype)
        self.waiting = self.near.copy()
        self.came = np.full(columns, _NONE)

    def insert(self, first: int, steps: Steps) -> None:
        """Let one more row in, by the cheapest way over rows that move to a free column or a row left alone."""
        passed: list[int] = []
        distances: list[int] = []
        row, far = first, 0
        least, lonely = self.beyond, first
        low, high = len(self.near), 0
        while True:
            own = slice(self.start[row], self.start[row + 1])
            columns = self.column[own]
            low, high = min(low, int(columns[0])), max(high, int(columns[-1]) + 1)
            total = self.cost[own] - self.column_price[columns] + (far - int(self.row_price[row]))
            better = total < self.near[columns]
            reached = columns[better]
            self.near[reached] = self.waiting[reached] = total[better]
            self.came[reached] = row
            if (left := far + self.alone - int(self.row_price[row])) <= least:
                least, lonely = left, row
            column = self._nearest(low, high)
            far = int(self.waiting[column])
            if far >= least or self.row_of[column] == _NONE:
                break
            steps.take(1)
            passed.append(column)
            distances.append(far)
            self.waiting[column] = self.beyond
            row = int(self.row_of[column])
        self._pay(first, passed, distances, min(far, least))
        if far < least:
            self._move(first, column)
        elif lonely == first:
            self.column_of[first] = _NONE
        else:
            column = int(self.column_of[lonely])
            self.column_of[lonely] = _NONE
            self._move(first, column)
        self.near[low:high] = self.waiting[low:high] = self.beyond

    def _nearest(self, low: int, high: int) -> int:
        """The nearest of some columns that wait, a free one if there is one as near."""
        waiting, taken = self.waiting[low:high], self.row_of[low:high] != _NONE
        column = int(np.argmin(waiting))
        if taken[column]:
            ties = np.flatnonzero((waiting == waiting[column]) & ~taken)
            column = int(ties[0]) if len(ties) else column
        return low + column

    def _pay(self, first: int, passed: list[int], distances: list[int], far: int) -> None:
        """Change the prices so that every step of the way is exact."""
        self.row_price[first] += far
        if passed:
            columns = np.array(passed)
            gained = far - np.array(distances, dtype=self.cost.dtype)
            self.row_price[self.row_of[columns]] += gained
            self.column_price[columns] -= gained

    def _move(self, first: int, column: int) -> None:
        """Give a column, and what each row before it on the way leaves, to the row that it was reached from."""
        while True:
            row = int(self.came[column])
            before = int(self.column_of[row])
            self.row_of[column], self.column_of[row] = row, column
            if row == first:
                return
            column = before

    def prefer_early_columns(self) -> None:
        """Free later columns for earlier ones, as far as no cost changes."""
        _prefer_early(self.row_of, self.column_of, self._exact_rows, self.column_price == 0)

    def prefer_early_rows(self) -> None:
        """Leave later rows alone for earlier ones, with the same columns, as far as no cost changes."""
        _prefer_early(self.column_of, self.row_of, self._exact_columns, self.row_price == self.alone)

    def _exact_rows(self, column: int) -> Indices:
        """The rows that a column could have at its price."""
        own = self.by_column[self.column_start[column] : self.column_start[column + 1]]
        rows = self.row[own]
        exact: Flags = self.cost[own] == self.row_price[rows] + self.column_price[column]
        return rows[exact]

    def _exact_columns(self, row: int) -> Indices:
        """The columns that a row could have at its price."""
        own = slice(self.start[row], self.start[row + 1])
        columns = self.column[own]
        exact: Flags = self.cost[own] == self.column_price[columns] + self.row_price[row]
        return columns[exact]


def _prefer_early(
    partner: Indices, back: Indices, exact: Callable[[int], Indices], may_leave: NDArray[np.bool_]
) -> None:
    """Give the partners of later ends to earlier ends without one, along steps that cost nothing.

    The sets of ends that cheapest matchings take are the bases of a matroid. An end without a partner closes a circuit
    with all those whose partner it could have in the end; the latest of a circuit is in no earliest set. Where that is
    the end itself, it is so for every later one that comes by the same partners, which stay seen.
    """
    seen = np.zeros(len(back), dtype=np.bool_)
    for first in np.flatnonzero(partner == _NONE).tolist():
        came: dict[int, int] = {}
        todo = [first]
        while todo:
            end = todo.pop()
            new = exact(end)
            new = new[~seen[new]]
            seen[new] = True
            came |= dict.fromkeys(new.tolist(), end)
            todo += back[new].tolist()
        reached = np.fromiter(came, np.int64, len(came))
        leaving = reached[may_leave[back[reached]]]
        if not len(leaving) or back[leaving].max() < first:
            continue
        seen[reached] = False
        taken = int(leaving[np.argmax(back[leaving])])
        partner[back[taken]] = _NONE
        while True:
            end = came[taken]
            partner[end], back[taken], taken = taken, end, int(partner[end])
            if end == first:
                break
