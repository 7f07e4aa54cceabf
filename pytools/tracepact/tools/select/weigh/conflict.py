"""Pairs that no weights order together: irreducible sets of them, and what is given up for them (14.19, 14.34)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from tracepact.tools.select.cover.clock import Clock, Spent
from tracepact.tools.select.separate import Pair
from tracepact.tools.select.weigh.climb import climbed
from tracepact.tools.select.weigh.differences import Differences
from tracepact.tools.select.weigh.guess import guessed_apart
from tracepact.tools.select.weigh.order import Order, Weights

_ENTRIES = 50_000_000
"""So many pairs times clauses are climbed on; of more pairs a part is, evenly spread."""
_HARD = 3000
"""Conflicts are looked for among this many pairs, those that the weights order least."""
_CLIMBING = Fraction(3, 4)
"""The share of a time budget for keeping many pairs; the rest is for conflicts that show that some must go."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Pairs that no weights order together though they order all but any one; `left_out` is not required further."""

    pairs: tuple[Pair, ...]
    left_out: Pair


@dataclass(frozen=True, slots=True, eq=False)
class Agreed:
    """Pairs that some weights order together, and what was given up for that.

    No weights order all but fewer than `bound` pairs. `known` are whole weights on clauses that order what is kept,
    where they were found on the way.
    """

    differences: Differences
    conflicts: tuple[Conflict, ...] = ()
    given_up: tuple[Pair, ...] = ()
    bound: int = 0
    known: tuple[tuple[int, int], ...] = ()


def without_conflicts(differences: Differences, clock: Clock | None = None, *, many: bool = False) -> Agreed:
    """The pairs that some weights order together, after leaving out one pair of each conflict that was found.

    If the time ends before, or if pairs in conflict are too `many` to be left out one by one, those are given up that
    the best weights found do not order.
    """
    clock = clock or Clock()
    found: list[Conflict] = []
    if many:
        return _most_kept(differences, found, clock)
    whole = differences
    try:
        while len(differences) and differences.clauses:
            order = Order(differences)
            best = order.all_clauses(enough=Fraction(0), clock=clock)
            if best.margin > 0:
                return Agreed(differences, tuple(found), _left_out(found), len(_apart(found)), _whole(best))
            weights = dict(best.blend.weights)
            places = irreducible(order, list(weights), clock)
            clock.check()
            heaviest = max(places, key=lambda place: (weights[place], place))
            pairs = tuple(dict.fromkeys(differences.pair(place) for place in sorted(places)))
            found.append(Conflict(pairs, differences.pair(heaviest)))
            differences = differences.without(heaviest)
    except Spent:
        return _most_kept(whole, found, clock)
    return Agreed(differences, tuple(found), _left_out(found), len(_apart(found)))


def _left_out(conflicts: Sequence[Conflict]) -> tuple[Pair, ...]:
    return tuple(conflict.left_out for conflict in conflicts)


def _whole(weights: Weights) -> tuple[tuple[int, int], ...]:
    """Weights on clauses, as whole numbers."""
    common = lcm(*(weight.denominator for weight in weights.weights))
    return tuple((column, int(weight * common)) for column, weight in enumerate(weights.weights) if weight)


def _most_kept(differences: Differences, conflicts: Sequence[Conflict], clock: Clock) -> Agreed:
    """What the best weights found keep, counted on all pairs, and conflicts that show that some pairs must go."""
    number, left = len(differences.pairs), clock.left()
    climbing = clock if left is None else clock.at_most(Fraction(left) * _CLIMBING)
    most = max(1, min(number, _ENTRIES // differences.clauses))
    known = guessed_apart(differences, climbing) or ()
    if not known:
        some = differences.keeping(np.linspace(0, number - 1, most).astype(np.intp).tolist())
        known = climbed(some, [Fraction(1)] * most, climbing).weights
    least = differences.ordered_by(known).reshape(-1, number).min(axis=0)
    if least.min() > 0:
        return Agreed(differences, known=known)
    hard = np.argsort(least, kind="stable")[:_HARD].tolist()
    given_up = tuple(differences.pairs[k] for k in np.flatnonzero(least <= 0).tolist())
    lost = set(given_up)
    shown = [
        Conflict(one.pairs, next(pair for pair in one.pairs if pair in lost))
        for one in (*conflicts, *_more_conflicts(differences.keeping(hard), clock))
    ]
    kept = differences.keeping(np.flatnonzero(least > 0).tolist())
    return Agreed(kept, tuple(shown), given_up, len(_apart(shown)), known)


def _more_conflicts(differences: Differences, clock: Clock) -> list[Conflict]:
    """Conflicts that have no pair in common, until the time ends or there are none."""
    found: list[Conflict] = []
    try:
        while len(differences):
            order = Order(differences)
            best = order.all_clauses(enough=Fraction(0), clock=clock)
            if best.margin > 0:
                break
            places = irreducible(order, [place for place, _ in best.blend.weights], clock)
            clock.check()
            pairs = tuple(dict.fromkeys(differences.pair(place) for place in sorted(places)))
            found.append(Conflict(pairs, pairs[0]))
            differences = differences.keeping([k for k, pair in enumerate(differences.pairs) if pair not in pairs])
    except Spent:
        pass
    return found


def _apart(conflicts: Sequence[Conflict]) -> list[Conflict]:
    """Conflicts of which no two have a pair in common, the smallest first: each costs a pair of its own."""
    taken: set[Pair] = set()
    found = []
    for conflict in sorted(conflicts, key=lambda one: len(one.pairs)):
        if taken.isdisjoint(conflict.pairs):
            taken.update(conflict.pairs)
            found.append(conflict)
    return found


def irreducible(order: Order, places: list[int], clock: Clock | None = None) -> list[int]:
    """Places that no weights order together, of which none can be left out: one after the other is tried.

    When the time is over, those that were not tried stay.
    """
    for place in sorted(places):
        if clock is not None and clock.left() == 0:
            break
        fewer = [other for other in places if other != place]
        if fewer and order.all_clauses(fewer, enough=Fraction(0)).margin <= 0:
            places = fewer
    return places
