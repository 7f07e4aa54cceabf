"""Pairs that no weights order together, and what is given up for them: little, and a bound on it (14.19, 14.27)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from math import ceil, lcm
from typing import Any

import numpy as np
import z3
from numpy.typing import NDArray

from tracepact.selection.cover_problem import Clock, Spent
from tracepact.selection.games import PairDifferences, WholeWeights, guessed_apart
from tracepact.selection.requirements import Pair
from tracepact.selection.weights import Order, Weights

# Pairs that no weights order together: irreducible sets of them, and what is given up for them (14.19, 14.34).

_ENTRIES = 50_000_000
"""So many pairs times clauses are climbed on; of more pairs a part is, evenly spread."""
_HARD = 3000
"""Conflicts are looked for among this many pairs, those that the weights order least."""
_CLIMBING = Fraction(3, 4)
"""The share of a time budget for keeping many pairs; the rest is for conflicts that show that some must go."""
GIVING_UP = Fraction(20)
"""Seconds of the search for the fewest pairs to give up, unless a time is given."""


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

    differences: PairDifferences
    conflicts: tuple[Conflict, ...] = ()
    given_up: tuple[Pair, ...] = ()
    bound: int = 0
    known: WholeWeights = ()


def without_conflicts(differences: PairDifferences, clock: Clock | None = None, *, many: bool = False) -> Agreed:
    """The pairs that some weights order together, after giving up as few others as the search finds.

    If the time ends before, or if pairs in conflict are too `many` for the exact search, those are given up that the
    best weights found do not order.
    """
    clock = clock or Clock()
    if many:
        return _most_kept(differences, clock)
    if not len(differences) or not differences.clauses:
        return Agreed(differences)
    try:
        best, places = _irreducible_conflict(differences, None, clock)
    except Spent:
        return _most_kept(differences, clock)
    if not places:
        whole = enumerate(in_whole_parts(best.weights).tolist())
        return Agreed(differences, known=tuple((column, weight) for column, weight in whole if weight))
    # the fewest pairs are an NP-hard question even for a small set, so it never runs without an end
    clock = clock if clock.left() is not None else Clock.of(GIVING_UP)
    number = len(differences.pairs)
    conceded = least_given_up(differences, [Fraction(1)] * number, clock)
    out, conflicts = set(conceded.places), list[Conflict]()
    showing = Clock.of(GIVING_UP)
    try:
        for place in conceded.places:
            # climbing may give up more than is needed: a pair in no conflict with what is kept stays
            if (pairs := _conflict(differences, out - {place}, showing)) is None:
                out.discard(place)
            else:
                conflicts.append(Conflict(tuple(differences.pairs[k] for k in sorted(pairs)), differences.pairs[place]))
    except Spent:
        pass
    given_up = tuple(differences.pairs[k] for k in sorted(out))
    kept = differences.keeping([k for k in range(number) if k not in out])
    return Agreed(kept, tuple(conflicts), given_up, ceil(conceded.bound))


def _most_kept(differences: PairDifferences, clock: Clock) -> Agreed:
    """The pairs that the best weights found keep, counted on all, and conflicts that show that some pairs must go."""
    number, left = len(differences.pairs), clock.left()
    climbing = clock if left is None else clock.at_most(Fraction(left) * _CLIMBING)
    most = max(1, min(number, _ENTRIES // differences.clauses))
    # if few cases are out of place this gives up few pairs at once; climbing finds single pairs, but looks at
    # each clause anew
    known = guessed_apart(differences, climbing) or ()
    if not known:
        some = differences.keeping(np.linspace(0, number - 1, most).astype(np.intp).tolist())
        known = climbed(some, [Fraction(1)] * most, climbing)
    least = differences.least_by(known)
    if least.min() > 0:
        return Agreed(differences, known=known)
    # conflicts are among what the weights order least, and the exact game over all pairs would take all the time
    hard = np.argsort(least, kind="stable")[:_HARD].tolist()
    given_up = tuple(differences.pairs[k] for k in np.flatnonzero(least <= 0).tolist())
    lost = set(given_up)
    shown = [
        Conflict(one.pairs, next(pair for pair in one.pairs if pair in lost))
        for one in _more_conflicts(differences.keeping(hard), clock)
    ]
    kept = differences.keeping(np.flatnonzero(least > 0).tolist())
    # each of these conflicts costs a pair of its own, for no two have one in common
    return Agreed(kept, tuple(shown), given_up, len(shown), known)


def _more_conflicts(differences: PairDifferences, clock: Clock) -> list[Conflict]:
    """Conflicts that have no pair in common, until the time ends or there are none."""
    conflicts: list[Conflict] = []
    try:
        while len(differences):
            _, places = _irreducible_conflict(differences, None, clock)
            if not places:
                break
            clock.check()
            pairs = tuple(dict.fromkeys(differences.pair(place) for place in sorted(places)))
            conflicts.append(Conflict(pairs, pairs[0]))
            differences = differences.keeping([k for k, pair in enumerate(differences.pairs) if pair not in pairs])
    except Spent:
        pass
    return conflicts


def _irreducible_conflict(
    differences: PairDifferences, places: list[int] | None, clock: Clock | None
) -> tuple[Weights, list[int]]:
    """Weights that order some places, or all, and no conflict; or the blend that shows a conflict, and that."""
    order = Order(differences)
    best = order.all_clauses(places, enough=Fraction(0), clock=clock)
    if best.margin > 0:
        return best, []
    conflict = [place for place, _ in best.blend.weights]
    # a deletion filter (Chinneck and Dravnieks 1991): one pass over the members is enough, for what is needed in a set
    # is needed in every smaller one; when the time is over, those that were not tried stay
    for place in sorted(conflict):
        if clock is not None and clock.left() == 0:
            break
        fewer = [other for other in conflict if other != place]
        if fewer and order.all_clauses(fewer, enough=Fraction(0)).margin <= 0:
            conflict = fewer
    return best, conflict


# The least weight of pairs that have to be given up so that weights order the others (14.27).
#
# An implicit hitting set again: of pairs that no weights order together one must be given up. A lightest choice that
# hits all conflicts found so far either leaves pairs that can be ordered, and is the least, or gives new conflicts.

_BLOCK = 256


@dataclass(frozen=True, slots=True)
class ConcededPairs:
    """Places of pairs that are given up, their weight, and the least weight that any choice has.

    `by` are weights on clauses that order all other pairs, where they are known.
    """

    places: tuple[int, ...]
    weight: Fraction
    bound: Fraction
    by: WholeWeights = ()

    @property
    def proven(self) -> bool:
        """Whether no lighter choice leaves pairs that can be ordered."""
        return self.bound == self.weight


def least_given_up(
    differences: PairDifferences, weights: Sequence[Fraction], clock: Clock, known: Sequence[tuple[int, int]] = ()
) -> ConcededPairs:
    """The lightest pairs without which some weights order the rest, or the best found in the time.

    `weights` are those of the pairs; a pair is given up alone and within a corpus alike. Where weights on clauses are
    `known`, the search begins with these and does not climb.
    """
    left = clock.left()
    # to keep as much weight as can be is NP-hard and hard to approximate (Amaldi and Kann 1995, on feasible
    # subsystems), so a good choice is climbed to first and bounded from below afterwards
    climbing = clock if left is None else clock.at_most(Fraction(left) * _CLIMBING)
    by = tuple(known) or climbed(differences, weights, climbing)
    lost = not_ordered(differences, by)
    best = ConcededPairs(lost, _total(weights, lost), Fraction(0), by)
    conflicts = _evident(differences)
    bound = Fraction(0)
    try:
        # conflicts that have no pair in common first: each costs a pair of its own, so they are a bound at once
        apart = set[int]().union(*conflicts)
        while (conflict := _conflict(differences, apart, clock)) is not None:
            conflicts.append(conflict)
            apart |= conflict
            clock.check()
        while bound < best.weight:
            clock.check()
            # a lightest choice under the known conflicts is a lower bound, whatever conflicts there are besides
            chosen = _lightest(conflicts, weights, clock)
            bound = max(bound, _total(weights, chosen))
            out = set(chosen)
            while (conflict := _conflict(differences, out, clock)) is not None:
                conflicts.append(conflict)
                out.add(min(conflict, key=lambda k: (weights[k], k)))
            # given up conflict by conflict may be more than is needed; an upper bound has to be as good as can be
            for pair in sorted(out, key=lambda k: (-weights[k], k)):
                if _conflict(differences, out - {pair}, clock) is None:
                    out.discard(pair)
            conceded = ConcededPairs(tuple(sorted(out)), _total(weights, out), Fraction(0))
            best = min(best, conceded, key=lambda one: (one.weight, one.places))
    except Spent:
        pass
    bound = max(bound, _conceded_apart(conflicts, weights))
    return replace(best, bound=min(bound, best.weight))


def _total(weights: Sequence[Fraction], places: Iterable[int]) -> Fraction:
    return sum((weights[k] for k in places), Fraction(0))


def _evident(differences: PairDifferences) -> list[frozenset[int]]:
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


def _conceded_apart(conflicts: Sequence[frozenset[int]], weights: Sequence[Fraction]) -> Fraction:
    """A lower bound: the cost of conflicts that have no pair in common, the smallest and dearest taken first."""
    least = [min(weights[k] for k in conflict) for conflict in conflicts]
    taken: set[int] = set()
    total = Fraction(0)
    for place in sorted(range(len(conflicts)), key=lambda k: (len(conflicts[k]), -least[k], k)):
        if taken.isdisjoint(conflicts[place]):
            taken |= conflicts[place]
            total += least[place]
    return total


def _conflict(differences: PairDifferences, out: set[int], clock: Clock | None = None) -> frozenset[int] | None:
    """Pairs that no weights order together, of those that are not given up; None if there are none.

    When the time is over it may be a conflict that could be smaller.
    """
    number = len(differences.pairs)
    left = [place for place in range(len(differences)) if place % number not in out]
    if not left:
        return None
    _, conflict = _irreducible_conflict(differences, left, clock)
    return frozenset(place % number for place in conflict) or None


def _lightest(conflicts: Sequence[frozenset[int]], weights: Sequence[Fraction], clock: Clock) -> tuple[int, ...]:
    """A lightest set that has a member of every conflict; raises `Spent` if it is not proven in the time.

    Conflicts that have no pair in common, nor with others in between, are looked at apart.
    """
    # groups without a common pair are solved apart: the time is exponential in the largest, not in all
    chosen = (
        _lightest_of(group, weights, clock) if len(group) > 1 else [min(group[0], key=lambda k: (weights[k], k))]
        for group in _groups(conflicts)
    )
    return tuple(sorted(chain.from_iterable(chosen)))


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
        groups.append((pairs, [*(one for group in touched for one in group[1]), conflict]))
    return [group for _, group in groups]


def _lightest_of(conflicts: Sequence[frozenset[int]], weights: Sequence[Fraction], clock: Clock) -> tuple[int, ...]:
    members = sorted(frozenset().union(*conflicts))
    heavy = in_whole_parts([weights[k] for k in members]).tolist()
    # weights alone decide here, not the number of pairs, so this is not the problem that the search for covers solves
    solver = z3.Optimize()
    left = clock.left()
    if left is not None:
        solver.set("timeout", max(1, int(left * 1000)))
    chosen = {k: z3.Bool(f"p{k}") for k in members}
    for conflict in conflicts:
        solver.add(z3.Or(*(chosen[k] for k in sorted(conflict))))
    solver.minimize(z3.Sum([z3.If(chosen[k], weight, 0) for k, weight in zip(members, heavy, strict=True)]))
    if solver.check() != z3.sat:
        raise Spent
    model = solver.model()
    return tuple(k for k in members if z3.is_true(model.eval(chosen[k])))


# Weights that keep much of the weight of contradictory pairs, found by climbing: one clause after the other.
#
# A clause joins, or its weight moves, by the amount that keeps most: along one clause every pair is kept within an
# interval of amounts, so the best amount is found by sorting their ends. Floats steer; what is kept in the end is
# counted in whole numbers.

_CLIMBED_ENTRIES = 50_000_000
"""So many differences are kept as floats; beyond that only the clauses that keep most by themselves are tried."""
_TRIED = 96
"""How many clauses are tried at a time."""
_PARTS = 10**5
Floats = NDArray[np.float32]


def climbed(differences: PairDifferences, weights: Sequence[Fraction], clock: Clock) -> WholeWeights:
    """The best weights that climbing finds in its time; it never keeps less than what it begins with.

    It begins with the clause that keeps most by itself, and with the weights of the least total hinge loss, if a solver
    of linear programs is there: from one clause alone it ends where no single change gains anything.
    """
    heavy = in_whole_parts(weights)
    alone = _alone(differences, heavy)
    begins: list[WholeWeights] = [((int(np.argmax(alone)), 1),)]
    # a linear program has no local optimum, and its surrogate of what is violated is convex: the best start there is
    left = clock.left()
    program = guessed_apart(differences, clock if left is None else clock.at_most(Fraction(left) / 3), heavy)
    begins += [program] if program else []
    reached = list(begins)
    for begin in begins[::-1]:
        climb = _WeightClimb.of(differences, heavy, alone, dict(begin))
        while clock.left() != 0 and (climb.improve() or climb.swap()):
            pass
        if whole := climb.whole_weights():
            reached.append(whole)
    # floats may see a gain that is none: what is kept is counted in whole numbers
    return min(reached, key=lambda one: (sum(heavy[list(not_ordered(differences, one))], start=0), len(one)))


def in_whole_parts(weights: Sequence[Fraction]) -> NDArray[Any]:
    common = lcm(*(weight.denominator for weight in weights))
    heavy = np.array([int(weight * common) for weight in weights], dtype=object)
    return heavy.astype(np.int64) if sum(heavy) < 2**62 else heavy


def _alone(differences: PairDifferences, heavy: NDArray[Any]) -> NDArray[Any]:
    """By clause the weight of the pairs that it orders by itself."""
    kept = []
    for start in range(0, differences.clauses, _BLOCK):
        table = differences.of(slice(None), slice(start, start + _BLOCK))
        kept.append(heavy @ (table.reshape(-1, len(heavy), table.shape[1]).min(axis=0) > 0))
    return np.concatenate(kept)


def not_ordered(differences: PairDifferences, weights: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """The pairs that weights do not order, counted in whole numbers."""
    return tuple(np.flatnonzero(differences.least_by(weights) <= 0).tolist())


@dataclass(slots=True, eq=False)
class _WeightClimb:
    """The differences of the clauses that are tried (table, clause, pair), their weights, and the sums so far."""

    columns: NDArray[np.intp]
    table: Floats
    heavy: NDArray[np.float64]
    weights: NDArray[np.float64]
    summed: NDArray[np.float64]
    kept: float
    stale: int = 0
    """How many clauses were tried since something was gained."""

    @classmethod
    def of(
        cls, differences: PairDifferences, heavy: NDArray[Any], alone: NDArray[Any], begin: dict[int, int]
    ) -> "_WeightClimb":
        """Begin with some weights."""
        room = max(1, _CLIMBED_ENTRIES // max(1, len(differences)))
        columns = np.union1d(np.argsort(-alone, kind="stable")[:room], list(begin)).astype(np.intp)
        number = len(heavy)
        table = np.empty((len(differences) // number, len(columns), number), dtype=np.float32)
        for start in range(0, len(columns), _BLOCK):
            some = differences.of(slice(None), columns[start : start + _BLOCK]) / differences.scale
            table[:, start : start + _BLOCK] = some.reshape(-1, number, some.shape[1]).transpose(0, 2, 1)
        weights = np.zeros(len(columns))
        most = max(begin.values())
        for column, weight in begin.items():
            weights[np.searchsorted(columns, column)] = weight / most
        climb = cls(columns, table, heavy.astype(np.float64), weights, np.zeros(0), 0.0)
        climb.summed, climb.kept = climb._sums(weights)
        return climb

    def _sums(self, weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
        """The weighted differences of the pairs, added up anew, and the weight of the pairs that are kept by them."""
        used = np.flatnonzero(weights)
        summed = np.einsum("tcp,c->tp", self.table[:, used].astype(np.float64), weights[used])
        return summed, float(self.heavy @ (summed.min(axis=0) > 0))

    def swap(self) -> bool:
        """Leave a clause out and let another take its place, if that keeps more; False if no such change does."""
        before = self.weights, self.summed, self.kept, self.stale
        for place in np.argsort(before[0], kind="stable").tolist():
            if not before[0][place] or np.count_nonzero(before[0]) < 2:
                continue
            self.weights = before[0].copy()
            self.weights[place] = 0.0
            (self.summed, self.kept), self.stale = self._sums(self.weights), 0
            if self.improve() and self.kept > before[2]:
                return True
        self.weights, self.summed, self.kept, self.stale = before
        return False

    def improve(self) -> bool:
        """Move the weight of one clause; False if no clause gains anything any more."""
        if self.kept >= self.heavy.sum():
            return False
        tried = self._next()
        if not len(tried):
            return False
        # along one clause the best amount is found exactly, by sorting; all clauses at once are the NP-hard problem
        gained, amounts = self._amounts(tried)
        self.stale += len(tried)
        best = int(np.argmax(gained))
        if gained[best] > self.kept:
            weights = self.weights.copy()
            weights[tried[best]] = max(0.0, weights[tried[best]] + amounts[best])
            # counted from all weights anew, not from the last sums: errors of floats would grow with every step
            summed, kept = self._sums(weights)
            if kept > self.kept:
                self.weights, self.summed, self.kept, self.stale = weights, summed, kept, 0
        return True

    def _next(self) -> NDArray[np.intp]:
        """The clauses to try: those that order most of what is not kept first, then all others in turn."""
        lost = np.flatnonzero(self.summed.min(axis=0) <= 0)
        worth = (self.table[:, :, lost].min(axis=0) > 0) @ self.heavy[lost]
        worth[self.weights > 0] += 1e-3
        order = np.argsort(-worth, kind="stable")
        return order[self.stale : self.stale + _TRIED]

    def _amounts(self, tried: NDArray[np.intp]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """By clause the most weight that some change of its own weight keeps, and that change."""
        rows = self.table[:, tried].astype(np.float64)
        gained, amounts = _best(rows, self.summed, self.heavy, np.full(len(tried), np.inf))
        used = np.flatnonzero(self.weights[tried])  # only what has a weight can lose some
        if len(used):
            down, less = _best(-rows[:, used], self.summed, self.heavy, self.weights[tried[used]])
            better = down > gained[used]
            gained[used[better]], amounts[used[better]] = down[better], -less[better]
        return gained, amounts

    def whole_weights(self) -> WholeWeights:
        """The weights in whole parts."""
        parts = np.rint(self.weights / self.weights.sum() * _PARTS).astype(np.int64)
        return tuple((int(self.columns[k]), int(parts[k])) for k in np.flatnonzero(parts))


def _best(
    rows: NDArray[np.float64], summed: NDArray[np.float64], heavy: NDArray[np.float64], most: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """By clause (axis 1 of `rows`) the best amount from 0 up to the most, and the weight of the pairs kept by it.

    A pair is kept where its sum and its difference times the amount are positive together in every table: between the
    last amount at which one of them becomes positive and the first at which one stops.
    """
    sums = summed[:, None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        at = -sums / rows
    begins = np.where(sums > 0, 0.0, np.where(rows > 0, at, np.inf)).max(axis=0)
    ends = np.where(rows < 0, np.where(sums > 0, at, 0.0), np.inf).min(axis=0)
    never = begins >= np.minimum(ends, most[:, None])
    times = np.where(np.concatenate([never, never], axis=1), np.inf, np.concatenate([begins, ends], axis=1))
    changes = np.where(np.isfinite(times), np.concatenate([heavy, -heavy]), 0.0)
    order = np.argsort(times, axis=1, kind="stable")
    ordered, kept = np.take_along_axis(times, order, 1), np.cumsum(np.take_along_axis(changes, order, 1), axis=1)
    following = np.concatenate([ordered[:, 1:], np.full((len(ordered), 1), np.inf)], axis=1)
    following = np.minimum(following, most[:, None])
    kept = np.where(following > ordered, kept, -1.0)  # between two ends at one amount there is none
    place = kept.argmax(axis=1)
    row = np.arange(len(kept))
    start, stop = ordered[row, place], following[row, place]
    # amid the interval, as far from losing a pair again as can be
    amount = np.where(np.isfinite(stop), (start + stop) / 2, 2 * start + 1e-6)
    return kept[row, place], np.where(np.isfinite(amount), amount, 0.0)
