"""Weights on clauses that floats find for contradictory pairs: by climbing, and by likelihood, a contract of each size.

Floats steer. What weights keep in the end is counted in whole numbers: it is ordered, but other weights may keep more.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.selection.cover_problem import Clock
from tracepact.selection.differences import PairDifferences, WholeWeights
from tracepact.selection.games import guessed_apart

# Weights that keep much of the weight of contradictory pairs, found by climbing: one clause after the other.
#
# A clause joins, or its weight moves, by the amount that keeps most: along one clause every pair is kept within an
# interval of amounts, so the best amount is found by sorting their ends. Floats steer; what is kept in the end is
# counted in whole numbers.

_ENTRIES = 50_000_000
"""So many differences are kept as floats; beyond that only the clauses that keep most by themselves are tried."""
_BLOCK = 256
_TRIED = 96
"""How many clauses are tried at a time."""
_PARTS = 10**5
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Climbed:
    """Weights on clauses, by their places, and the pairs that they do not order."""

    weights: WholeWeights
    given_up: tuple[int, ...]


def climbed(differences: PairDifferences, weights: Sequence[Fraction], clock: Clock) -> Climbed:
    """The best weights that climbing finds in its time; never less is kept than by what it begins with.

    It begins with the clause that keeps most by itself, and with the weights of the least total hinge loss, if a solver
    of linear programs is there: from one clause alone it ends where no single change gains anything.
    """
    heavy = _whole_weights(weights)
    alone = _alone(differences, heavy)
    begins: list[WholeWeights] = [((int(np.argmax(alone)), 1),)]
    # a linear program has no local optimum, and its surrogate of what is violated is convex: the best start there is
    left = clock.left()
    program = guessed_apart(differences, clock if left is None else clock.at_most(Fraction(left) / 3), heavy)
    begins += [program] if program else []
    # floats may see a gain that is none: what is kept is counted in whole numbers
    reached = [counted(differences, begin) for begin in begins]
    for begin in begins[::-1]:
        climb = _WeightClimb.of(differences, heavy, alone, dict(begin))
        while clock.left() != 0 and (climb.improve() or climb.swap()):
            pass
        if whole := climb.whole_weights():
            reached.append(counted(differences, whole))
    return min(reached, key=lambda one: (sum(heavy[list(one.given_up)], start=0), len(one.weights)))


def _whole_weights(weights: Sequence[Fraction]) -> NDArray[Any]:
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


def counted(differences: PairDifferences, weights: Sequence[tuple[int, int]]) -> Climbed:
    """The pairs that weights do not order, counted in whole numbers."""
    return Climbed(tuple(weights), tuple(np.flatnonzero(differences.least_by(weights) <= 0).tolist()))


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
        room = max(1, _ENTRIES // max(1, len(differences)))
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


# A contract of each size by regularised likelihood (14.27).
#
# The chance that a judge calls the better case better is the logistic function of the weighted difference (Bradley and
# Terry 1952). Clauses join one at a time, the one that raises the likelihood most, and change places as long
# as that raises it (forward stepwise regression with exchanges; Miller 2002). Unlike the least number of violated
# judgements this is not led by the few that are slips, and with the penalty it has one best answer for each set.

MOST_CLAUSES = 7
"""The largest size that is fitted."""
_PENALTY = 0.03
"""Half of this times the squared weights is added to the mean loss; it decides where all judgements are kept."""
_SCREENED = 4_000_000
"""So many differences are fitted to; of more clauses those that tell the pairs apart most clearly."""
_FEWEST_SCREENED = 200
_JOINED = 12
"""How many clauses are fitted when one joins, those whose own step promises most."""
_STEPS = 40
_GAIN = 1e-6
Table = NDArray[np.float64]


def fitted_sizes(differences: PairDifferences, weights: Sequence[Fraction], clock: Clock) -> list[WholeWeights]:
    """The fit of each size, from one clause up to the most, or as many as join before the time ends."""
    likelihood = _Likelihood.of(differences, _whole_weights(weights))
    fits = (likelihood.named(columns, shares) for columns, shares in likelihood.sizes(clock))
    return [_rational(differences, weights, named) for named in fits if named]


def moved(
    differences: PairDifferences,
    weights: Sequence[Fraction],
    chosen: WholeWeights,
    variants: Mapping[int, Sequence[int]],
) -> WholeWeights:
    """A fit whose clauses have other numbers where that is clearly likelier; `variants` are by the clause they vary.

    One clause after the other moves to its likeliest number, and all weights are fitted anew, as long as that gains
    more than a number is worth by Schwarz's criterion (1978): half the logarithm of how many judgements there are.
    """
    origin = [column for column, _ in chosen]
    likelihood = _Likelihood.of(differences, _whole_weights(weights), sorted({*origin}.union(*variants.values())))
    place = {int(column): k for k, column in enumerate(likelihood.columns)}
    columns = [place[column] for column in origin]
    shares = likelihood.fit(columns, np.ones(len(columns)))
    worth = float(np.log(max(2, len(weights)))) / (2 * len(weights))
    while True:
        fits = []
        for k, column in enumerate(origin):
            for other in variants.get(column, ()):
                if place[other] not in columns:
                    tried = [*columns[:k], place[other], *columns[k + 1 :]]
                    fits.append((tried, likelihood.fit(tried, shares)))
        best = min(fits, key=lambda fit: likelihood.loss(*fit), default=(columns, shares))
        if likelihood.loss(*best) >= likelihood.loss(columns, shares) - worth:
            return _rational(differences, weights, likelihood.named(columns, shares))
        columns, shares = best


def violated_weight(
    differences: PairDifferences, weights: Sequence[Fraction], whole: Sequence[tuple[int, int]]
) -> Fraction:
    """The weight of the pairs that whole weights on clauses do not order, counted exactly."""
    return sum((weights[k] for k in counted(differences, whole).given_up), Fraction(0))


def _rational(
    differences: PairDifferences, weights: Sequence[Fraction], shares: Sequence[tuple[int, float]]
) -> WholeWeights:
    """The shortest whole weights that violate no more than the fitted ones; each at least 1."""
    most = max(share for _, share in shares)

    def whole(parts: int) -> WholeWeights:
        return tuple((column, max(1, round(share / most * parts))) for column, share in shares)

    finest = whole(_PARTS)
    limit = violated_weight(differences, weights, finest)
    for parts in (*range(1, 101), 1000, 10_000):
        if violated_weight(differences, weights, rounded := whole(parts)) <= limit:
            return rounded
    return finest


@dataclass(frozen=True, slots=True, eq=False)
class _Likelihood:
    """The differences of the clauses that are fitted (pairs by clauses), and the shares of the pairs.

    Every clause is in units of its own root mean square, `units`: a clause that is one frame in a hundred lower counts
    as much as one that is half its events lower, if it is as sure.
    """

    columns: NDArray[np.intp]
    table: Table
    units: Table
    shares: Table

    @classmethod
    def of(cls, differences: PairDifferences, heavy: NDArray[Any], always: Sequence[int] = ()) -> "_Likelihood":
        """A pair that is judged within a corpus too counts half each time; some clauses are fitted `always`."""
        times = len(differences) // len(heavy)
        shares = np.tile(heavy.astype(np.float64), times) / (float(sum(heavy)) * times)
        clear, units = list[Table](), list[Table]()
        for start in range(0, differences.clauses, _BLOCK):
            block = differences.of(slice(None), slice(start, start + _BLOCK)) / differences.scale
            units.append(np.sqrt(shares @ (block * block)) + 1e-9)
            clear.append(shares @ block / units[-1])
        room = max(_FEWEST_SCREENED, _SCREENED // len(shares))
        best = np.argsort(-np.concatenate(clear), kind="stable")[:room]
        columns = np.union1d(best, np.array(always, dtype=np.intp)).astype(np.intp)
        chosen = np.concatenate(units)[columns]
        return cls(columns, differences.of(slice(None), columns) / differences.scale / chosen, chosen, shares)

    def named(self, columns: Sequence[int], weights: Table) -> list[tuple[int, float]]:
        """The clauses by their places among all, and their weights, those without any left out."""
        listed = zip(columns, weights / self.units[list(columns)], strict=True)
        return sorted((int(self.columns[column]), float(weight)) for column, weight in listed if weight > 0)

    def sizes(self, clock: Clock) -> Iterator[tuple[list[int], Table]]:
        """The columns and weights of each size in turn."""
        chosen, weights = list[int](), np.zeros(0)
        # one clause is always fitted: out of time there is still an answer
        while len(chosen) < min(MOST_CLAUSES, len(self.columns)) and (not chosen or clock.left() != 0):
            chosen, weights = self.joined(chosen, weights)
            while len(chosen) > 1 and clock.left() != 0 and (better := self._exchanged(chosen, weights)) is not None:
                chosen, weights = better
            yield chosen, weights

    def joined(self, chosen: list[int], weights: Table) -> tuple[list[int], Table]:
        """The best clause with those that are chosen."""
        scores = self.table[:, chosen] @ weights
        chance = self.shares / (1 + np.exp(np.clip(scores, -50, 50)))
        slope = chance @ self.table
        # in units of its root mean square each clause has the same mean square, so one number bounds its bend
        bend = float((chance * (1 - chance / self.shares)).sum()) + _PENALTY
        promise = np.where(slope > 0, slope * slope / bend, 0)
        promise[chosen] = -1
        tried = [k for k in np.argsort(-promise, kind="stable")[:_JOINED].tolist() if k not in chosen]
        fits = [([*chosen, k], self.fit([*chosen, k], np.append(weights, max(1e-3, slope[k] / bend)))) for k in tried]
        return min(fits, key=lambda fit: self.loss(*fit))

    def _exchanged(self, chosen: list[int], weights: Table) -> tuple[list[int], Table] | None:
        """The best exchange of one clause for another; None if none lessens the loss."""
        exchanged = []
        for place in range(len(chosen)):
            fewer = [*chosen[:place], *chosen[place + 1 :]]
            exchanged.append(self.joined(fewer, self.fit(fewer, np.delete(weights, place))))
        best = min(exchanged, key=lambda fit: self.loss(*fit))
        return best if self.loss(*best) < self.loss(chosen, weights) - _GAIN else None

    def loss(self, chosen: Sequence[int], weights: Table) -> float:
        """The mean loss with its penalty."""
        scores = self.table[:, chosen] @ weights
        return float(self.shares @ np.logaddexp(0, -scores) + _PENALTY / 2 * (weights @ weights))

    def fit(self, chosen: Sequence[int], weights: Table) -> Table:
        """The weights of least loss, none negative, by projected Newton steps (Bertsekas 1982)."""
        table = self.table[:, chosen]
        for _ in range(_STEPS):
            chance = self.shares / (1 + np.exp(np.clip(table @ weights, -50, 50)))
            slope = _PENALTY * weights - chance @ table
            free = np.flatnonzero((weights > 0) | (slope < 0))
            if not len(free) or np.abs(slope[free]).max() < 1e-7:
                break
            bend = (table[:, free].T * (chance * (1 - chance / self.shares))) @ table[:, free]
            step = np.zeros(len(weights))
            step[free] = np.linalg.solve(bend + _PENALTY * np.eye(len(free)), -slope[free])
            now, length = self.loss(chosen, weights), 1.0
            while length > 1e-4 and self.loss(chosen, np.maximum(0, weights + length * step)) >= now:
                length /= 2
            if length <= 1e-4:
                break
            weights = np.maximum(0, weights + length * step)
        return weights
