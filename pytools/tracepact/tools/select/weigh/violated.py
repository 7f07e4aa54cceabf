"""The least weight of pairs that have to be given up so that weights order the others (14.27).

An implicit hitting set again: of pairs that no weights order together one must be given up. A lightest choice that hits
all conflicts found so far either leaves pairs that can be ordered, and is the least, or gives new conflicts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
import z3

from tracepact.tools.select.cover.clock import Clock
from tracepact.tools.select.weigh.conflict import irreducible
from tracepact.tools.select.weigh.differences import Differences
from tracepact.tools.select.weigh.order import Order

_ROUNDS = 12
_FACTORS = (1, 3, 10)
_BLOCK = 256
"""How often, with which weights and how many at once the first choice tries one more clause."""


@dataclass(frozen=True, slots=True)
class GivenUp:
    """Places of pairs that are given up, their weight, and the least weight that any choice has."""

    places: tuple[int, ...]
    weight: Fraction
    bound: Fraction

    @property
    def proven(self) -> bool:
        """Whether no lighter choice leaves pairs that can be ordered."""
        return self.bound == self.weight


def least_given_up(differences: Differences, weights: Sequence[Fraction], clock: Clock) -> GivenUp:
    """The lightest pairs without which some weights order the rest, or the best found in the time.

    `weights` are those of the pairs; a pair is given up alone and within a corpus alike.
    """
    conflicts: list[frozenset[int]] = []
    first = first_choice(differences, weights)
    best: tuple[Fraction, tuple[int, ...]] = sum((weights[k] for k in first), Fraction(0)), first
    bound = Fraction(0)
    while bound < best[0] and clock.left() != 0:
        chosen = _lightest(conflicts, weights, clock)
        if chosen is None:
            break
        bound = max(bound, sum((weights[k] for k in chosen), Fraction(0)))
        out = set(chosen)
        while (conflict := _conflict(differences, out)) is not None:
            conflicts.append(conflict)
            out.add(min(conflict, key=lambda k: (weights[k], k)))
            if clock.left() == 0:
                return GivenUp(best[1], best[0], bound)
        kept = _minimal(differences, out, weights)
        best = min(best, (sum((weights[k] for k in kept), Fraction(0)), tuple(sorted(kept))))
    return GivenUp(best[1], best[0], min(bound, best[0]))


def first_choice(differences: Differences, weights: Sequence[Fraction]) -> tuple[int, ...]:
    """Pairs without which some weights order the rest, found by greed: one clause after the other that keeps most more.

    It is what there is when the time is over. Whole numbers throughout, so what it keeps is ordered.
    """
    number, common = len(differences.pairs), lcm(*(weight.denominator for weight in weights))
    heavy = np.array([int(weight * common) for weight in weights], dtype=object)
    heavy = heavy.astype(np.int64) if sum(heavy) < 2**62 else heavy
    tables = differences.of(slice(None)).reshape(-1, number, differences.clauses)
    summed = np.zeros(tables.shape[:2], dtype=np.int64)
    kept, most = np.zeros(number, dtype=np.bool_), 0
    for _ in range(_ROUNDS):
        found = None
        for block in range(0, differences.clauses, _BLOCK):
            some = tables[:, :, block : block + _BLOCK]
            for factor in _FACTORS:
                gains = heavy @ ((some * factor + summed[:, :, None]).min(axis=0) > 0)
                clause = int(np.argmax(gains))
                if gains[clause] > most:
                    most, found = gains[clause], (block + clause, factor)
        if found is None:
            break
        summed = summed + tables[:, :, found[0]] * found[1]
        kept = summed.min(axis=0) > 0
        if kept.all():
            break
    return tuple(np.flatnonzero(~kept).tolist())


def _places(differences: Differences, out: set[int]) -> list[int]:
    number = len(differences.pairs)
    return [place for place in range(len(differences)) if place % number not in out]


def _conflict(differences: Differences, out: set[int]) -> frozenset[int] | None:
    """Pairs that no weights order together, of those that are not given up; None if there are none."""
    places, order = _places(differences, out), Order(differences)
    if not places:
        return None
    found = order.all_clauses(places, enough=Fraction(0))
    if found.margin > 0:
        return None
    conflict = irreducible(order, [place for place, _ in found.blend.weights])
    return frozenset(place % len(differences.pairs) for place in conflict)


def _minimal(differences: Differences, out: set[int], weights: Sequence[Fraction]) -> set[int]:
    """The choice without pairs that need not be given up, the heaviest first."""
    for pair in sorted(out, key=lambda k: (-weights[k], k)):
        if _conflict(differences, out - {pair}) is None:
            out = out - {pair}
    return out


def _lightest(conflicts: Sequence[frozenset[int]], weights: Sequence[Fraction], clock: Clock) -> tuple[int, ...] | None:
    """A lightest set that has a member of every conflict; None if it is not proven in the time."""
    if not conflicts:
        return ()
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
        return None
    model = solver.model()
    return tuple(k for k in members if z3.is_true(model.eval(chosen[k])))
