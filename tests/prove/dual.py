"""Duals of optimal matchings: a price for every run, by which the kernel sees that no matching is better (rule 8.4)."""

from collections.abc import Sequence
from dataclasses import dataclass

from tracepact.evaluate.masks import Candidate, Pair


@dataclass(frozen=True, slots=True)
class Dual:
    """What the check needs beside the matching; a candidate weighs `base` less its cost, and no cost exceeds `most`."""

    base: int
    most: int
    refs: tuple[int, ...]
    preds: tuple[int, ...]


def dual_of(found: Sequence[Candidate], pairs: Sequence[Pair], refs: int, preds: int) -> Dual:
    """A dual of an optimal matching of some candidates; ValueError if the matching is not optimal.

    Prices solve difference constraints: a reference's price less the negative of a prediction's is at least the weight
    of every candidate, and no more than that of a matched one; unmatched runs have the price 0. Longest paths from a
    node of value 0 give the least solution, and there is none exactly when a better matching exists.
    """
    costs = {(i, j): cost for cost, i, j in found}
    most = max((cost for cost, _, _ in found), default=0)
    most = max(most, 0)
    below = sum(max(-costs[pair], 0) for pair in pairs)
    base = most * len(pairs) + below + most + 1
    origin = refs + preds
    bounds = [(refs + j, i, base - cost) for cost, i, j in found]
    bounds += [(i, refs + j, costs[i, j] - base) for i, j in pairs]
    matched = {i for i, _ in pairs} | {refs + j for _, j in pairs}
    bounds += [(origin, i, 0) for i in range(refs)]
    bounds += [(refs + j, origin, 0) for j in range(preds)]
    bounds += [(i, origin, 0) for i in range(refs) if i not in matched]
    bounds += [(origin, refs + j, 0) for j in range(preds) if refs + j not in matched]
    values = _least(bounds, origin)
    return Dual(base, most, tuple(values[:refs]), tuple(-value for value in values[refs:origin]))


def _least(bounds: Sequence[tuple[int, int, int]], origin: int) -> list[int]:
    """Values with value[b] >= value[a] + w for every bound (a, b, w) and 0 at the origin."""
    floor = -sum(abs(weight) for _, _, weight in bounds) - 1
    values = [floor] * origin + [0]
    for _ in range(origin + 2):
        changed = False
        for a, b, weight in bounds:
            if values[a] + weight > values[b]:
                values[b] = values[a] + weight
                changed = True
        if not changed:
            return values
    raise ValueError("the matching is not optimal: it has no dual")
