"""Pairs that no weights order together: irreducible sets of them (14.19)."""

from dataclasses import dataclass
from fractions import Fraction

from tracepact.tools.select.cover.clock import Clock
from tracepact.tools.select.separate import Pair
from tracepact.tools.select.weigh.differences import Differences
from tracepact.tools.select.weigh.order import Order


@dataclass(frozen=True, slots=True)
class Conflict:
    """Pairs that no weights order together though they order all but any one; `left_out` is not required further."""

    pairs: tuple[Pair, ...]
    left_out: Pair


def without_conflicts(differences: Differences) -> tuple[Differences, tuple[Conflict, ...]]:
    """The pairs that some weights order together, after leaving out one pair of each conflict that was found."""
    found: list[Conflict] = []
    while len(differences) and differences.clauses:
        order = Order(differences)
        best = order.all_clauses(enough=Fraction(0))
        if best.margin > 0:
            break
        weights = dict(best.blend.weights)
        places = irreducible(order, list(weights))
        heaviest = max(places, key=lambda place: (weights[place], place))
        pairs = tuple(dict.fromkeys(differences.pair(place) for place in sorted(places)))
        found.append(Conflict(pairs, differences.pair(heaviest)))
        differences = differences.without(heaviest)
    return differences, tuple(found)


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
