"""One-to-one pairs out of candidates: a largest set, the best of these, and crowds matched by columns."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from tracepact.data.events import Ticks
from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import Diagnostic
from tracepact.inputs import limits

# The best matching of a crowd, a connected part with many candidates, by columns: whole numbers, bounded memory.

Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]
_NONE = -1
_ROOM = 1 << 59


class StepBudget:
    """The steps that are left to a search; InvalidInput when none is."""

    def __init__(self) -> None:
        self.left = limits().steps

    def take(self, number: int) -> None:
        """Count some steps."""
        self.left -= number
        if self.left < 0:
            headline = f"the best matching of the events is not found within {limits().steps:,} steps"
            help = "check the times and their unit, take fewer clips, or raise the limit (--limit steps=NUMBER)"
            raise InvalidInput([Diagnostic("too-many-candidates", headline, None, help)])


def crowd_pairs(ref: Indices, pred: Indices, costs: Sequence[Ticks], steps: StepBudget) -> tuple[Indices, Indices]:
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
    crowd.prefer_early()
    matched = np.flatnonzero(crowd.column_of != _NONE)
    return refs[crowd.column_of[matched]], preds[matched]


def _one_number(costs: Sequence[Ticks], pairs: int) -> Ticks:
    """The costs of each candidate in one number, each above all sums of the next; a long one as Python's integer."""
    # The sum of a later cost over all pairs stays below one unit of the cost before: sums are then ordered as tuples
    # are.
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
        # Staying alone costs more than any pairs could save, so that the cheapest set is a largest one; `beyond` is
        # farther than anything a search reaches.
        self.alone = (min(rows, columns) + 2) * (int(cost.max()) + 1)
        self.beyond = 4 * self.alone
        self.row_price: Ticks = np.zeros(rows, dtype=cost.dtype)
        self.column_price: Ticks = np.zeros(columns, dtype=cost.dtype)
        self.row_of = np.full(columns, _NONE)
        self.column_of = np.full(rows, _NONE)
        # Kept between searches and wiped only where one has been: a crowd is long, and a search stays near its row.
        self.near: Ticks = np.full(columns, self.beyond, dtype=cost.dtype)
        self.waiting = self.near.copy()
        self.came = np.full(columns, _NONE)

    def insert(self, first: int, steps: StepBudget) -> None:
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
            # A scan in place of a heap: the window of columns is short, and one NumPy call beats Python's heap on it.
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

    def prefer_early(self) -> None:
        """Free later columns for earlier ones, then leave later rows alone for earlier ones, where no cost changes."""
        _prefer_early(self.row_of, self.column_of, self._exact_rows, self.column_price == 0)
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
    tried = np.zeros(len(back), dtype=np.bool_)
    for first in np.flatnonzero(partner == _NONE).tolist():
        came: dict[int, int] = {}
        todo = [first]
        while todo:
            end = todo.pop()
            new = exact(end)
            new = new[~tried[new]]
            tried[new] = True
            came |= dict.fromkeys(new.tolist(), end)
            todo += back[new].tolist()
        reached = np.fromiter(came, np.int64, len(came))
        leaving = reached[may_leave[back[reached]]]
        if not len(leaving) or back[leaving].max() < first:
            continue
        tried[reached] = False
        taken = int(leaving[np.argmax(back[leaving])])
        partner[back[taken]] = _NONE
        while True:
            end = came[taken]
            partner[end], back[taken], taken = taken, end, int(partner[end])
            if end == first:
                break


# One-to-one pairs out of candidates: a largest set of them, and the best of these (rules 15.9 and 15.14).

Edge = tuple[int, int]
"""A reference and a prediction, by index."""


def stars(ref: Indices, pred: Indices) -> tuple[Indices, Flags]:
    """The first candidate of each star, and which candidates belong to no star.

    A star is a part of the graph with one reference or one prediction in it: one candidate of it can be a pair.
    """
    if not len(ref):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_)
    # Events of one class are seldom near several others: most parts are stars, and need no search.
    is_shared = [np.bincount(side)[side] > 1 for side in (ref, pred)]
    at_ref, at_pred = (
        np.bincount(centre, weights=shared)[centre] == 0
        for centre, shared in ((ref, is_shared[1]), (pred, is_shared[0]))
    )
    at_pred &= ~at_ref
    first = [
        np.flatnonzero(at)[np.unique(centre[at], return_index=True)[1]]
        for centre, at in ((ref, at_ref), (pred, at_pred))
    ]
    return np.concatenate(first), ~(at_ref | at_pred)


def largest(ref: Indices, pred: Indices) -> tuple[Indices, Indices]:
    """A largest one-to-one set of candidates, which are given by reference and then prediction.

    It is the set that sed_eval finds, which matters for what its leftovers become. Parts of the graph that do not
    touch have no influence on one another, and of a star it takes the first candidate: only the others need a search.
    """
    first, others = stars(ref, pred)
    rest = search(zip(ref[others].tolist(), pred[others].tolist(), strict=True)) if others.any() else {}
    refs, preds = (np.fromiter(side, np.int64, len(rest)) for side in (rest.keys(), rest.values()))
    return np.concatenate([ref[first], refs]), np.concatenate([pred[first], preds])


def search(edges: Iterable[Edge]) -> dict[int, int]:
    """A largest matching by shortest augmenting paths (Hopcroft and Karp 1973), from each reference to its prediction.

    Predictions are taken in the order in which the edges first name them, and start with their first free reference.
    """
    graph: dict[int, list[int]] = {}
    for ref, pred in edges:
        graph.setdefault(pred, []).append(ref)
    partner: dict[int, int] = {}
    # The greedy start decides which of several largest sets is found, and so the order is sed_eval's.
    for pred, refs in graph.items():
        free = next((ref for ref in refs if ref not in partner), None)
        if free is not None:
            partner[free] = pred
    while ends := _layers(graph, partner):
        ends_free, came_from, reached_by = ends
        for ref in ends_free:
            _augment(ref, came_from, reached_by, partner)
    return partner


_Layers = tuple[list[int], dict[int, int | None], dict[int, list[int]]]


def _layers(graph: dict[int, list[int]], partner: dict[int, int]) -> _Layers | None:
    """The nearest free references, how each prediction and each reference was reached; None if none can be."""
    taken = set(partner.values())
    came_from: dict[int, int | None] = {pred: None for pred in graph if pred not in taken}
    reached_by: dict[int, list[int]] = {}
    layer = list(came_from)
    while layer:
        reached: dict[int, list[int]] = {}
        for pred in layer:
            for ref in graph[pred]:
                if ref not in reached_by:
                    reached.setdefault(ref, []).append(pred)
        reached_by.update(reached)
        free = [ref for ref in reached if ref not in partner]
        layer = []
        for ref in reached:
            if ref in partner:
                layer.append(partner[ref])
                came_from[partner[ref]] = ref
        if free:
            return free, came_from, reached_by
    return None


def _augment(
    end: int, came_from: dict[int, int | None], reached_by: dict[int, list[int]], partner: dict[int, int]
) -> None:
    """Go back from a free reference along unused steps to a free prediction, and shift the pairs along the way."""
    # A stack in place of recursion: a chain of thousands of events is as deep as it is long.
    path: list[tuple[int, Iterator[int]]] = [(end, iter(reached_by.pop(end, ())))]
    chosen: list[int] = []
    while path:
        pred = next((p for p in path[-1][1] if p in came_from), None)
        if pred is None:
            path.pop()
            if chosen:
                chosen.pop()
            continue
        back = came_from.pop(pred)
        if back is None:
            for (ref, _), shifted in zip(path, [*chosen, pred], strict=True):
                partner[ref] = shifted
            return
        if back in reached_by:
            chosen.append(pred)
            path.append((back, iter(reached_by.pop(back))))


def best(ref: Indices, pred: Indices, costs: Sequence[Ticks]) -> tuple[Indices, Indices]:
    """The largest set with the least sum of each cost in turn, then with the least references, then predictions.

    Indices say which reference or prediction is the earlier one. Costs are whole and not negative.
    """
    others = stars(ref, pred)[1]
    pairs = [_cheapest_of_stars(ref[~others], pred[~others], [cost[~others] for cost in costs])]
    few: list[Edge] = []
    steps = StepBudget()
    left = ref[others], pred[others], [cost[others] for cost in costs]
    for part in _parts(left[0], left[1]) if others.any() else ():
        refs, preds, prices = left[0][part], left[1][part], [cost[part] for cost in left[2]]
        # Both ways give the best set. Few candidates are done four times as fast one by one, in Python's integers; for
        # many, columns keep memory and time bounded.
        if len(part) > CROWD:
            pairs.append(crowd_pairs(refs, preds, prices, steps))
        else:
            each = zip(*(column.tolist() for column in prices), strict=True)
            few += _cheapest(list(zip(refs.tolist(), preds.tolist(), each, strict=True)))
    by_hand = np.array(few, dtype=np.int64).reshape(-1, 2)
    pairs.append((by_hand[:, 0], by_hand[:, 1]))
    return np.concatenate([refs for refs, _ in pairs]), np.concatenate([preds for _, preds in pairs])


def _cheapest_of_stars(ref: Indices, pred: Indices, costs: Sequence[Ticks]) -> tuple[Indices, Indices]:
    """The cheapest candidate of each star."""
    ranks = [np.unique(cost, return_inverse=True)[1].reshape(-1) for cost in costs]
    order = np.lexsort((pred, ref, *reversed(ranks)))
    first = order[stars(ref[order], pred[order])[0]]
    return ref[first], pred[first]


Priced = tuple[int, int, tuple[int, ...]]
CROWD = 1000
"""So many candidates of a connected part are put into long numbers one by one; more are matched by columns."""


def _parts(ref: Indices, pred: Indices) -> Iterator[Indices]:
    """The candidates of each connected part, by their places.

    Every reference points to an earlier one of its part, or to itself; the pointers are shortened and moved to the
    least that is known until each points to the first reference of its part.
    """
    refs, ref = (column.reshape(-1) for column in np.unique(ref, return_inverse=True))
    preds, pred = (column.reshape(-1) for column in np.unique(pred, return_inverse=True))
    above = np.arange(len(refs))
    while True:
        before = above.copy()
        least = np.full(len(preds), len(refs))
        np.minimum.at(least, pred, above[ref])
        # Shiloach and Vishkin 1982: hooking to the least neighbour, then halving the way up, takes few rounds even for
        # long chains.
        np.minimum.at(above, above[ref], least[pred])
        np.minimum.at(above, ref, least[pred])
        above = above[above]
        if np.array_equal(above, before):
            break
    part = above[ref]
    order = np.argsort(part, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(part[order])) + 1)


def _cheapest(edges: Sequence[Priced]) -> list[Edge]:
    """The best largest set of one connected part, in whole numbers.

    All that is compared is put into one number a pair: the costs, each above all sums of the next, then a bit for the
    reference and one for the prediction, the earlier the higher, to be had rather than not.
    """
    refs, preds = sorted({e[0] for e in edges}), sorted({e[1] for e in edges})
    ref_at, pred_at = {r: k for k, r in enumerate(refs)}, {p: k for k, p in enumerate(preds)}
    prices: list[dict[int, int]] = [{} for _ in preds]
    room = [1 + sum(e[2][k] for e in edges) for k in range(len(edges[0][2]))]
    # One comparison of long integers then decides all that rule 15.9 orders by.
    bits = len(refs) + len(preds)
    for ref, pred, costs in edges:
        cost = 1
        for value, above in zip(costs, room, strict=True):
            cost = cost * above + value
        r, p = ref_at[ref], pred_at[pred]
        prices[p][r] = (cost << bits) - (1 << (bits - 1 - r)) - (1 << (len(preds) - 1 - p))
    return [(refs[r], preds[p]) for r, p in assign(prices)]


def assign(prices: Sequence[Mapping[int, int]]) -> list[Edge]:
    """The cheapest of the largest one-to-one sets: what each prediction costs with each reference is not negative.

    Shortest augmenting paths, one prediction after another (Jonker and Volgenant 1987). A prediction may also stay
    alone, at a price above all sums: that is the reference -1 - p, which only it has.
    """
    alone = (len(prices) + 1) * (1 + max(price for row in prices for price in row.values()))
    partner: dict[int, int] = {}
    held: dict[int, int] = {}
    rise = [0] * len(prices)
    fall: defaultdict[int, int] = defaultdict(int)
    for first in range(len(prices)):
        reached: dict[int, tuple[int, int]] = {}
        settled: dict[int, int] = {}
        todo: list[tuple[int, int]] = []
        pred, far = first, 0
        while True:
            for ref, price in (*prices[pred].items(), (-1 - pred, alone)):
                total = far + price - rise[pred] - fall[ref]
                if ref not in reached or total < reached[ref][0]:
                    reached[ref] = total, pred
                    heappush(todo, (total, ref))
            far, ref = heappop(todo)
            while ref in settled:
                far, ref = heappop(todo)
            if ref not in partner:
                break
            settled[ref] = far
            pred = partner[ref]
        rise[first] += far
        for passed, at in settled.items():
            rise[partner[passed]] += far - at
            fall[passed] -= far - at
        end: int | None = ref
        while end is not None:
            pred = reached[end][1]
            partner[end], held[pred], end = pred, end, held.get(pred)
    return [(ref, pred) for ref, pred in partner.items() if ref >= 0]
