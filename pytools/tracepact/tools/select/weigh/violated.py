"""The least weight of pairs that have to be given up so that weights order the others (14.27).

An implicit hitting set again: of pairs that no weights order together one must be given up. A lightest choice that hits
all conflicts found so far either leaves pairs that can be ordered, and is the least, or gives new conflicts.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm

import numpy as np
import z3

from tracepact.tools.select.cover.clock import Clock, Spent
from tracepact.tools.select.separate import Pair
from tracepact.tools.select.weigh.climb import climbed
from tracepact.tools.select.weigh.conflict import irreducible
from tracepact.tools.select.weigh.differences import Differences
from tracepact.tools.select.weigh.order import Order

_BLOCK = 256
_CLIMBING = Fraction(3, 4)
"""The share of a time budget for a first choice; the rest is for a better one and for a bound."""


@dataclass(frozen=True, slots=True)
class GivenUp:
    """Places of pairs that are given up, their weight, and the least weight that any choice has.

    `by` are weights on clauses that order all other pairs, where they are known.
    """

    places: tuple[int, ...]
    weight: Fraction
    bound: Fraction
    by: tuple[tuple[int, int], ...] = ()

    @property
    def proven(self) -> bool:
        """Whether no lighter choice leaves pairs that can be ordered."""
        return self.bound == self.weight


def least_given_up(differences: Differences, weights: Sequence[Fraction], clock: Clock) -> GivenUp:
    """The lightest pairs without which some weights order the rest, or the best found in the time.

    `weights` are those of the pairs; a pair is given up alone and within a corpus alike.
    """
    left = clock.left()
    first = climbed(differences, weights, clock if left is None else clock.at_most(Fraction(left) * _CLIMBING))
    best = GivenUp(first.given_up, _total(weights, first.given_up), Fraction(0), first.weights)
    conflicts = _evident(differences)
    bound = Fraction(0)
    try:
        while bound < best.weight:
            clock.check()
            chosen = _lightest(conflicts, weights, clock)
            bound = max(bound, _total(weights, chosen))
            out = set(chosen)
            while (conflict := _conflict(differences, out, clock)) is not None:
                conflicts.append(conflict)
                out.add(min(conflict, key=lambda k: (weights[k], k)))
            kept = _minimal(differences, out, weights, clock)
            found = GivenUp(tuple(sorted(kept)), _total(weights, kept), Fraction(0))
            best = min(best, found, key=lambda one: (one.weight, one.places))
    except Spent:
        pass
    bound = max(bound, _apart(conflicts, weights))
    return replace(best, bound=min(bound, best.weight))


def _total(weights: Sequence[Fraction], places: Iterable[int]) -> Fraction:
    return sum((weights[k] for k in places), Fraction(0))


def _evident(differences: Differences) -> list[frozenset[int]]:
    """Conflicts without a search: a pair that no clause orders, and a pair that was judged both ways.

    On what was judged both ways the two differences of a clause are never positive together (14.17).
    """
    pairs = differences.pairs
    ordered = np.zeros(len(pairs), dtype=np.bool_)
    for start in range(0, differences.clauses, _BLOCK):
        table = differences.of(slice(None), slice(start, start + _BLOCK))
        ordered |= (table > 0).any(axis=1).reshape(-1, len(pairs)).all(axis=0)
    places = {pair: k for k, pair in enumerate(pairs)}
    both = [(k, places.get(Pair(pair.better, pair.worse))) for k, pair in enumerate(pairs)]
    alone = [frozenset({k}) for k in np.flatnonzero(~ordered).tolist()]
    return alone + [frozenset({k, other}) for k, other in both if other is not None and k < other]


def _apart(conflicts: Sequence[frozenset[int]], weights: Sequence[Fraction]) -> Fraction:
    """What conflicts without a common pair cost together, those that cost most for their size first."""
    least = [min(weights[k] for k in conflict) for conflict in conflicts]
    taken: set[int] = set()
    total = Fraction(0)
    for place in sorted(range(len(conflicts)), key=lambda k: (len(conflicts[k]), -least[k], k)):
        if taken.isdisjoint(conflicts[place]):
            taken |= conflicts[place]
            total += least[place]
    return total


def _places(differences: Differences, out: set[int]) -> list[int]:
    number = len(differences.pairs)
    return [place for place in range(len(differences)) if place % number not in out]


def _conflict(differences: Differences, out: set[int], clock: Clock | None = None) -> frozenset[int] | None:
    """Pairs that no weights order together, of those that are not given up; None if there are none.

    When the time is over it may be a conflict that could be smaller.
    """
    places, order = _places(differences, out), Order(differences)
    if not places:
        return None
    found = order.all_clauses(places, enough=Fraction(0), clock=clock)
    if found.margin > 0:
        return None
    conflict = irreducible(order, [place for place, _ in found.blend.weights], clock)
    return frozenset(place % len(differences.pairs) for place in conflict)


def _minimal(differences: Differences, out: set[int], weights: Sequence[Fraction], clock: Clock) -> set[int]:
    """The choice without pairs that need not be given up, the heaviest first."""
    for pair in sorted(out, key=lambda k: (-weights[k], k)):
        if _conflict(differences, out - {pair}, clock) is None:
            out = out - {pair}
    return out


def _lightest(conflicts: Sequence[frozenset[int]], weights: Sequence[Fraction], clock: Clock) -> tuple[int, ...]:
    """A lightest set that has a member of every conflict; raises `Spent` if it is not proven in the time.

    Conflicts that have no pair in common, nor with others in between, are looked at apart.
    """
    found: list[int] = []
    for group in _groups(conflicts):
        if len(group) == 1:
            found.append(min(group[0], key=lambda k: (weights[k], k)))
            continue
        found += _lightest_of(group, weights, clock)
    return tuple(sorted(found))


def _groups(conflicts: Sequence[frozenset[int]]) -> list[list[frozenset[int]]]:
    """Conflicts that hang together by their pairs, the least ones of each alone: what hits them hits the others."""
    least = [
        c for k, c in enumerate(conflicts) if not any(o < c or (o == c and i < k) for i, o in enumerate(conflicts))
    ]
    groups: list[tuple[set[int], list[frozenset[int]]]] = []
    for conflict in least:
        touched = [group for group in groups if not group[0].isdisjoint(conflict)]
        groups = [group for group in groups if group[0].isdisjoint(conflict)]
        pairs = set(conflict).union(*(group[0] for group in touched))
        groups.append((pairs, [*(own for group in touched for own in group[1]), conflict]))
    return [own for _, own in groups]


def _lightest_of(conflicts: Sequence[frozenset[int]], weights: Sequence[Fraction], clock: Clock) -> tuple[int, ...]:
    members = sorted(frozenset().union(*conflicts))
    common = lcm(*(weights[k].denominator for k in members))
    solver = z3.Optimize()
    left = clock.left()
    if left is not None:
        solver.set("timeout", max(1, int(left * 1000)))
    chosen = {k: z3.Bool(f"p{k}") for k in members}
    for conflict in conflicts:
        solver.add(z3.Or(*(chosen[k] for k in sorted(conflict))))
    solver.minimize(z3.Sum([z3.If(chosen[k], int(weights[k] * common), 0) for k in members]))
    if solver.check() != z3.sat:
        raise Spent
    model = solver.model()
    return tuple(k for k in members if z3.is_true(model.eval(chosen[k])))
