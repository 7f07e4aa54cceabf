"""The differences of clauses on pairs of cases, and matrix games over them in whole numbers (14.16, 14.17)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from math import ceil, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.selection.basis import Coordinate
from tracepact.selection.cover_problem import Clock, available
from tracepact.selection.requirements import Pair, pair_places
from tracepact.selection.values import Counts, Seen, lowest, products_fit

# The difference of a clause on a pair: its value on the better case minus that on the worse one, in whole parts of a
# score (14.16, 14.17).

_FINEST = 10**12
"""Values are counted in parts of their common denominator, or of this number if that is larger."""
_HALF = 10**6
"""Its root: a division by a machine's numbers is made in two steps."""
_FITS = 2**62
_AT_A_TIME = 20_000
"""So many pairs are looked at one by one at a time."""
Whole = NDArray[np.int64]
WholeWeights = tuple[tuple[int, int], ...]
"""Whole weights on clauses, by their places."""
Places = Sequence[int] | NDArray[np.intp] | slice


@dataclass(frozen=True, slots=True, eq=False)
class PairDifferences:
    """The required pairs, each alone and, where cases differ in their number of classes, within a corpus as well.

    `low` are the values of clauses (rows) on cases (columns) in parts of 1 / `scale`, rounded down, and `over` says
    where that took something off; it does not unless the common denominator is too large, and then a difference is
    rounded down. `vacuous` and `counter` are the shares for want of obligations, which many clauses have in common:
    `want` is the row of a clause there. `worse` and `better` are columns.
    """

    pairs: tuple[Pair, ...]
    worse: NDArray[np.intp]
    better: NDArray[np.intp]
    low: Whole
    over: NDArray[np.bool_]
    want: NDArray[np.intp]
    vacuous: Whole
    counter: Whole
    scale: int

    def __len__(self) -> int:
        return len(self.worse)

    @property
    def clauses(self) -> int:
        """How many clauses there are."""
        return len(self.low)

    def pair(self, place: int) -> Pair:
        """The pair that a place is about."""
        return self.pairs[place % len(self.pairs)]

    def of(self, places: Places, columns: Places = slice(None)) -> Whole:
        """The differences of some places (rows) under some clauses (columns), rounded down (14.17)."""
        worse, better = self.worse[_index(places)], self.better[_index(places)]
        low, over = self.low[_index(columns)], self.over[_index(columns)]
        gap: Whole = low[:, better] - low[:, worse]
        if over.any():
            gap -= over[:, worse]
        if (helped := self._helped(slice(None), worse, better)).any():
            gap = np.where(gap > 0, np.maximum(0, gap - helped[self.want[_index(columns)]]), gap)
        return gap.T

    def weighed(
        self, columns: Sequence[int] | NDArray[np.intp], weights: Counts, places: Places = slice(None)
    ) -> Counts:
        """By place the differences of some clauses times their weights, added up: what `of` gives, without its table.

        But for what is taken off for want of obligations it is a number of the better case minus one of the worse. The
        weights are whole numbers, Python's own where sums may be large, or floats where a guess will do.
        """
        worse, better = self.worse[_index(places)], self.better[_index(places)]
        chosen = np.array(columns, dtype=np.intp)
        low = self.low[chosen]
        high = low + self.over[chosen]
        sums: Counts = (weights @ low)[better] - (weights @ high)[worse]
        # what is taken off depends on both cases, so it is worked out pair by pair, but only where there is some
        for want in np.unique(self.want[chosen]).tolist():
            helped = self._helped(want, worse, better)
            alike = np.flatnonzero(self.want[chosen] == want)
            touched = np.flatnonzero(helped)
            for start in range(0, len(touched), _AT_A_TIME):
                some = touched[start : start + _AT_A_TIME]
                gap = low[np.ix_(alike, better[some])] - high[np.ix_(alike, worse[some])]
                sums[some] -= weights[alike] @ np.minimum(np.maximum(gap, 0), helped[some])
        return sums

    def ordered_by(self, weights: Sequence[tuple[int, int]], places: Places = slice(None)) -> Counts:
        """By place what whole weights on clauses, not all 0, make of it, exactly; positive where a pair is ordered."""
        columns, whole = [column for column, _ in weights], [weight for _, weight in weights]
        fits = sum(whole) * 2 * self.scale < _FITS
        return self.weighed(columns, np.array(whole, dtype=np.int64 if fits else object), places)

    def least_by(self, weights: Sequence[tuple[int, int]]) -> Counts:
        """By pair the least that whole weights make of it, alone or within a corpus; an ordered pair is above 0."""
        least: Counts = self.ordered_by(weights).reshape(-1, len(self.pairs)).min(axis=0)
        return least

    def _helped(self, want: int | slice, worse: NDArray[np.intp], better: NDArray[np.intp]) -> Whole:
        """The most that is taken off a positive difference on some pairs, by row of shares or for one row."""
        vacuous, counter = self.vacuous[want], self.counter[want]
        helped: Whole = np.maximum(0, vacuous[..., better] - vacuous[..., worse])
        helped += np.maximum(0, counter[..., worse] - counter[..., better])
        return helped

    def keeping(self, kept: Sequence[int]) -> "PairDifferences":
        """The differences of some of the pairs, by their places among them, alone and within a corpus."""
        number = len(self.pairs)
        places = [k for first in range(0, len(self), number) for k in (first + place for place in kept)]
        pairs = tuple(self.pairs[k] for k in kept)
        return replace(self, pairs=pairs, worse=self.worse[places], better=self.better[places])


def _index(places: Places) -> slice | NDArray[np.intp]:
    return places if isinstance(places, slice) else np.array(places, dtype=np.intp)


def differences_of(coordinates: Sequence[Coordinate], pairs: Sequence[Pair]) -> PairDifferences:
    """The differences of pairs of cases, under one coordinate or more."""
    seen = Seen.stacked([coordinate.seen for coordinate in coordinates])
    classes = seen.classes.tolist()
    most = max(classes)
    values, counts_of = [(seen.tops, seen.bottoms)], [classes]
    if len(set(classes)) > 1:  # beside others a case is a mean over all classes, and those it has not are 1
        # a weighted order has to hold in a corpus too (14.16), so every pair is there twice
        values.append(_beside(seen, most))
        counts_of.append([most] * len(classes))
    want, wants = _wants(seen, counts_of)
    bottoms = [np.unique(bottom).tolist() for _, bottom in values]
    scale = _common((*chain.from_iterable(bottoms), *(s.denominator for row in wants for both in row for s in both)))
    counted = [_differences_counted(tops, bottom, scale) for tops, bottom in values]
    worse, better = pair_places(pairs)
    tables = [k * len(classes) for k in range(len(values))]

    def shares(side: int) -> Whole:
        return np.array([[ceil(share * scale) for share in row[side]] for row in wants], dtype=np.int64)

    return PairDifferences(
        tuple(pairs),
        np.concatenate([worse + first for first in tables]),
        np.concatenate([better + first for first in tables]),
        np.concatenate([low for low, _ in counted], axis=1),
        np.concatenate([over for _, over in counted], axis=1),
        want,
        shares(0),
        shares(1),
        scale,
    )


def _beside(scores: Seen, most: int) -> tuple[Counts, Counts]:
    """The values of cases as means over the classes of the most, of which those that a case lacks are 1."""
    tops, bottoms = scores.tops, scores.bottoms
    if not products_fit(bottoms, most, 2):
        tops, bottoms = tops.astype(object), bottoms.astype(object)
    return lowest((most - scores.classes) * bottoms + scores.classes * tops, most * bottoms)


def _wants(
    scores: Seen, classes: Sequence[Sequence[int]]
) -> tuple[NDArray[np.intp], list[tuple[tuple[Fraction, ...], ...]]]:
    """The row of shares of each clause, and the different rows: what is vacuous, what counts against a value.

    A share is a count over the `classes` of its case, alone and, if there are two tables, beside others.
    """
    rows: dict[bytes, int] = {}
    rows_of_shares: list[tuple[tuple[Fraction, ...], ...]] = []
    want = []
    every = list(chain.from_iterable(classes))
    for vacuous, counter in zip(scores.vacuous, scores.counter, strict=True):
        key = vacuous.tobytes() + counter.tobytes()
        if key not in rows:
            rows[key] = len(rows_of_shares)
            both = (counts.tolist() * len(classes) for counts in (vacuous, counter))
            rows_of_shares.append(tuple(tuple(map(Fraction, counts, every)) for counts in both))
        want.append(rows[key])
    return np.array(want, dtype=np.intp), rows_of_shares


def _common(denominators: Iterable[int]) -> int:
    """The least common denominator, or the finest there is if that is larger."""
    common = 1
    for denominator in denominators:
        common = lcm(common, denominator)
        if common >= _FINEST:
            return _FINEST
    return common


def _differences_counted(tops: Counts, bottoms: Counts, scale: int) -> tuple[Whole, NDArray[np.bool_]]:
    """Values up to 1 in parts of the scale, rounded down, and where that took something off."""
    if bottoms.dtype == object or not products_fit(bottoms, _HALF):
        low = tops.astype(object) * scale // bottoms
        return low.astype(np.int64), (low * bottoms != tops.astype(object) * scale).astype(np.bool_)
    # the denominators divide the scale then, so nothing is rounded
    if scale < _FINEST:
        return tops * (scale // bottoms), np.zeros(tops.shape, dtype=np.bool_)
    # long division with two digits of a million: the product with all of 10^12 would not fit the machine's numbers
    first, left = np.divmod(tops * _HALF, bottoms)
    second, left = np.divmod(left * _HALF, bottoms)
    return first * _HALF + second, left > 0


# Matrix games in whole numbers: the best weights on clauses against the hardest blend of pairs, exact.
#
# A row is a pair of cases, a column a clause, an entry by how much the clause is lower on the worse case. Weights
# on the columns that make the least blended row as large as can be, and weights on the rows that make the best
# column as small as can be, have one value (von Neumann). It is found by the simplex method on a condensed tableau
# whose entries stay whole numbers (the pivots of Edmonds and Bareiss), so nothing is rounded. By Gordan's theorem
# (1873) either some weights on clauses order all pairs or some blend of pairs shows that none do: the value says which,
# and the weights of both sides are the proof.

Table = NDArray[Any]
"""Python's whole numbers, of any size."""


@dataclass(frozen=True, slots=True)
class Solved:
    """The value of a game, the weights on its columns and the weights on its rows; each sums to 1."""

    value: Fraction
    columns: tuple[Fraction, ...]
    rows: tuple[Fraction, ...]


def solve_game(matrix: Table) -> Solved:
    """The value and best weights of a game with at least one row and one column."""
    # the tableau has a row for each column of the game, so the game is turned to have few
    if matrix.shape[1] > matrix.shape[0]:
        turned = _by_columns(-matrix.T)
        return Solved(-turned.value, turned.rows, turned.columns)
    return _by_columns(matrix)


def _by_columns(matrix: Table) -> Solved:
    """Maximise Σ y with Σ_p (m_pc + shift) y_p ≤ 1 for every column c: its value is 1 / (value + shift)."""
    pairs, clauses = matrix.shape
    # with every entry positive the value is too, and the linear program has a bounded optimum that begins feasible
    shift = 1 - min(matrix.flat)
    table = np.empty((clauses + 1, pairs + 1), dtype=object)
    table[:clauses, :pairs] = matrix.T + shift
    table[:clauses, pairs] = 1
    table[clauses, :pairs] = -1
    table[clauses, pairs] = 0
    # A place below `pairs` is a y; one from there on is the slack of a clause.
    outside, basic = list(range(pairs)), list(range(pairs, pairs + clauses))
    divisor = _pivoted(table, outside, basic)
    total = Fraction(int(table[clauses, pairs]), divisor)
    rows, columns = [Fraction(0)] * pairs, [Fraction(0)] * clauses
    for place, name in enumerate(basic):
        if name < pairs:
            rows[name] = Fraction(table[place, pairs], divisor) / total
    for place, name in enumerate(outside):
        if name >= pairs:
            columns[name - pairs] = Fraction(table[clauses, place], divisor) / total
    return Solved(1 / total - shift, tuple(columns), tuple(rows))


def _pivoted(table: Table, outside: list[int], basic: list[int]) -> int:
    """Pivot to the optimum in place; the common divisor of the entries.

    The steepest column enters until the value stands still for as long as there are places; from then on the first
    one does (Bland), which cannot cycle.
    """
    divisor, still, value = 1, 0, Fraction(-1)
    while True:
        last = table[-1, :-1]
        falling = [place for place in range(len(last)) if last[place] < 0]
        if not falling:
            return divisor
        # Dantzig's rule is fast and may cycle; Bland's (1977) is slow and cannot
        cautious = still > len(outside) + len(basic)
        _, _, enters = min((0 if cautious else last[place], outside[place], place) for place in falling)
        leaves = _leaving(table, enters, basic)
        divisor = _pivot(table, leaves, enters, divisor)
        outside[enters], basic[leaves] = basic[leaves], outside[enters]
        now = Fraction(table[-1, -1], divisor)
        still, value = (still + 1, value) if now == value else (0, now)


def _leaving(table: Table, enters: int, basic: Sequence[int]) -> int:
    """The row of the least ratio, of those the first by name; the entries are positive somewhere, for it is bounded."""
    rising = [row for row in range(len(basic)) if table[row, enters] > 0]
    return min(rising, key=lambda row: (Fraction(table[row, -1], table[row, enters]), basic[row]))


def _pivot(table: Table, row: int, column: int, divisor: int) -> int:
    """Exchange a basic place with one outside; every division is exact."""
    pivot = table[row, column]
    own_row, own_column = table[row].copy(), table[:, column].copy()
    table *= pivot
    table -= np.multiply.outer(own_column, own_row)
    table //= divisor
    table[row] = own_row
    table[:, column] = -own_column
    table[row, column] = divisor
    return int(pivot)


# The best weights of a large game as HiGHS finds them in floats: a guess, which whole numbers then check.
#
# The linear program begins with a few pairs and clauses. Pairs that its weights order least, and clauses that its blend
# shows to be worth more, join it until there are none: the tables of all pairs and all clauses are never made.

_PARTS = 10**9
_NEAR = 1e-9
_FIRST = 40
_ROWS, _COLUMNS = 80, 40
"""How many pairs and clauses begin, and how many join at a time."""
_TURNS = 400
_SHORTEST = 0.01
_LARGEST = 1e6
"""No clause has a larger weight where pairs are ordered by 1."""
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Guess:
    """Whole weights on clauses, not all 0, and the pairs that hold the margin down, both by their places."""

    weights: WholeWeights
    rows: tuple[int, ...]


def guessed(
    differences: PairDifferences,
    places: Sequence[int],
    columns: Sequence[int] | None = None,
    *,
    enough: Fraction | None = None,
    clock: Clock | None = None,
) -> Guess | None:
    """Weights on some clauses (or all) whose least difference over some places is as large as floats can see.

    With `enough` a margin that is larger ends the search, and so does a blend that shows there is none. None without
    SciPy, without an answer, or if the time ends.
    """
    if not available() or not places:
        return None
    every, among = np.array(places), np.arange(differences.clauses) if columns is None else np.array(columns)
    # spread evenly: pairs beside each other are of the same cases and say much the same
    rows = np.unique(np.linspace(0, len(every) - 1, _FIRST).astype(np.intp))
    best = differences.of(every[rows], among).argmax(axis=1)
    used = np.unique(best) if columns is None else np.arange(len(among))
    limit = None if enough is None else float(enough) / differences.scale
    for _ in range(_TURNS):
        if clock is not None and clock.left() == 0:
            return None
        table = differences.of(every[rows], among[used]) / differences.scale
        solved = _solved(table, None if clock is None else clock.left())
        if solved is None:
            return None
        weights, blend, value = solved
        chosen, hard = np.flatnonzero(weights > _NEAR), np.flatnonzero(blend > _NEAR)
        if not len(chosen) or not len(hard):
            return None
        # rows and columns are generated as they are needed (Kelley 1960; Dantzig and Wolfe 1960): of millions
        # of pairs a few dozen decide
        margins = differences.weighed(among[used[chosen]], weights[chosen], every) / differences.scale
        worth = blend[hard] @ differences.of(every[rows[hard]], among) / differences.scale
        more_rows = _worst(margins, value - _NEAR, _ROWS)
        more = _worst(-worth, -value - _NEAR, _COLUMNS)
        shown = limit is not None and (margins.min() > limit + _NEAR or worth.max() < limit - _NEAR)
        if shown or not (len(more_rows) or len(more)):
            return Guess(_in_parts(among[used[chosen]], weights[chosen]), tuple(every[rows[hard]].tolist()))
        rows, used = np.union1d(rows, more_rows), np.union1d(used, more)
    return None


def guessed_apart(differences: PairDifferences, clock: Clock, heavy: NDArray[Any] | None = None) -> WholeWeights | None:
    """Weights on clauses that order all but a few pairs: those of a few cases that are out of place, or few at all.

    Each case may be out of place by some amount, or, where pairs have weights (`heavy`), each pair by an amount that
    costs its weight: the hinge loss. The sum is least. Of the weights that were met on the way those are taken that
    order most. None without SciPy, without an answer, or without the time for one.
    """
    if not available():
        return None
    number = len(differences.pairs)
    sides = np.stack([differences.worse, differences.better])
    prices = np.ones(differences.low.shape[1])
    if heavy is not None:
        sides = np.tile(np.arange(number), len(differences) // number)[None]
        prices = heavy.astype(np.float64) / float(max(heavy))
    rows = np.unique(np.linspace(0, len(differences) - 1, _FIRST).astype(np.intp))
    used = np.unique(differences.of(rows).argmax(axis=1))
    best, most = None, 0.0
    for _ in range(_TURNS):
        if clock.left() == 0:
            break
        solved = _apart(differences.of(rows, used) / differences.scale, sides[:, rows], prices, clock.left())
        if solved is None:
            break
        weights, amounts, blend = solved
        margins = differences.weighed(used, weights, slice(None)) / differences.scale
        kept = margins.reshape(-1, number).min(axis=0) > 0
        ordered = float(kept.sum() if heavy is None else prices @ kept)
        if ordered > most and weights.max() > 0:
            best, most = _in_parts(used, weights / weights.max()), ordered
        hard = np.flatnonzero(blend > _NEAR)
        worth = blend[hard] @ differences.of(rows[hard]) / differences.scale
        # an elastic program: amounts on cases, not on pairs, so that one case out of place is paid for once
        more_rows = _worst(margins + amounts[sides].sum(axis=0), 1 - 1e-6, _ROWS)
        more = _worst(-worth, -1e-6, _COLUMNS)
        if not (len(np.setdiff1d(more_rows, rows)) or len(np.setdiff1d(more, used))):
            break
        rows, used = np.union1d(rows, more_rows), np.union1d(used, more)
    return best


def _apart(
    table: Floats, sides: NDArray[np.intp], prices: Floats, seconds: float | None
) -> tuple[Floats, Floats, Floats] | None:
    """Weights that order every row of a table by 1 but for amounts on what it is of, whose total price is least."""
    from scipy.sparse import csr_array, hstack

    pairs, clauses = table.shape
    places = np.repeat(np.arange(pairs), len(sides)), sides.T.reshape(-1)
    out = csr_array((np.ones(sides.size), places), shape=(pairs, len(prices)))
    solution = _optimum(
        np.concatenate([np.zeros(clauses), prices]),
        seconds,
        A_ub=hstack([csr_array(-table), -out]).tocsr(),
        b_ub=-np.ones(pairs),
        bounds=[(0, _LARGEST)] * clauses + [(0, None)] * len(prices),
    )
    if solution is None:
        return None
    values, blend = solution
    return np.maximum(values[:clauses], 0), np.maximum(values[clauses:], 0), blend


def _in_parts(columns: NDArray[np.intp], weights: Floats) -> WholeWeights:
    """Weights of floats in whole parts, those without any left out."""
    whole = np.rint(weights * _PARTS).astype(np.int64).tolist()
    return tuple((column, weight) for column, weight in zip(columns.tolist(), whole, strict=True) if weight)


def _worst(values: Floats, limit: float, most: int) -> NDArray[np.intp]:
    """The places of the least values below a limit, so many at most."""
    below = np.flatnonzero(values < limit)
    return below[np.argsort(values[below], kind="stable")[:most]]


def _solved(table: Floats, seconds: float | None) -> tuple[Floats, Floats, float] | None:
    """The best weights on the columns of a table, the blend of its rows that shows it, and the value."""
    pairs, clauses = table.shape
    solution = _optimum(
        np.concatenate([np.zeros(clauses), [-1.0]]),
        seconds,
        A_ub=np.concatenate([-table, np.ones((pairs, 1))], axis=1),
        b_ub=np.zeros(pairs),
        A_eq=np.concatenate([np.ones(clauses), [0.0]])[None],
        b_eq=[1.0],
        bounds=[(0, None)] * clauses + [(None, None)],
    )
    if solution is None:
        return None
    values, blend = solution
    return np.maximum(values[:-1], 0), blend, float(values[-1])


def _optimum(costs: Floats, seconds: float | None, **constraints: Any) -> tuple[Floats, Floats] | None:
    """The solution of a linear program and the weights on its rows that show it; None without one in the time."""
    from scipy.optimize import linprog

    options = {} if seconds is None else {"time_limit": max(seconds, _SHORTEST)}
    solution = linprog(costs, method="highs", options=options, **constraints)
    return None if solution.status != 0 else (solution.x, np.maximum(-solution.ineqlin.marginals, 0))
