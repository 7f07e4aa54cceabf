"""One-to-one pairs out of candidates: a largest set of them, and the best of these (rules 15.9 and 15.14)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from tracepact.metrics.crowds import Steps, crowd_pairs
from tracepact.trace.exact_times import Ticks

Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]
Edge = tuple[int, int]
"""A reference and a prediction, by index."""


def stars(ref: Indices, pred: Indices) -> tuple[Indices, Flags]:
    """The first candidate of each star, and which candidates belong to no star.

    A star is a part of the graph with one reference or one prediction in it: one candidate of it can be a pair.
    """
    if not len(ref):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_)
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
    for pred, refs in graph.items():
        free = next((ref for ref in refs if ref not in partner), None)
        if free is not None:
            partner[free] = pred
    while ends := _layers(graph, partner):
        found, came_from, reached_by = ends
        for ref in found:
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
    steps = Steps()
    left = ref[others], pred[others], [cost[others] for cost in costs]
    for part in _parts(left[0], left[1]) if others.any() else ():
        refs, preds, prices = left[0][part], left[1][part], [cost[part] for cost in left[2]]
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
