"""The differences of clauses on pairs of cases, in whole parts of a score (14.16, 14.17)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from math import ceil, lcm

import numpy as np
from numpy.typing import NDArray

from tracepact.selection.basis import Coordinate
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
        # what is taken off depends on both cases, so it is worked out pair by pair, but only where there is
        # some
        for want in np.unique(self.want[chosen]).tolist():
            helped = self._helped(want, worse, better)
            own = np.flatnonzero(self.want[chosen] == want)
            touched = np.flatnonzero(helped)
            for start in range(0, len(touched), _AT_A_TIME):
                some = touched[start : start + _AT_A_TIME]
                gap = low[np.ix_(own, better[some])] - high[np.ix_(own, worse[some])]
                sums[some] -= weights[own] @ np.minimum(np.maximum(gap, 0), helped[some])
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
        places = [k for first in range(0, len(self), number) for k in (first + own for own in kept)]
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


def _beside(seen: Seen, most: int) -> tuple[Counts, Counts]:
    """The values of cases as means over the classes of the most, of which those that a case lacks are 1."""
    tops, bottoms = seen.tops, seen.bottoms
    if not products_fit(bottoms, most, 2):
        tops, bottoms = tops.astype(object), bottoms.astype(object)
    return lowest((most - seen.classes) * bottoms + seen.classes * tops, most * bottoms)


def _wants(
    seen: Seen, classes: Sequence[Sequence[int]]
) -> tuple[NDArray[np.intp], list[tuple[tuple[Fraction, ...], ...]]]:
    """The row of shares of each clause, and the different rows: what is vacuous, what counts against a value.

    A share is a count over the `classes` of its case, alone and, if there are two tables, beside others.
    """
    rows: dict[bytes, int] = {}
    rows_of_shares: list[tuple[tuple[Fraction, ...], ...]] = []
    want = []
    every = list(chain.from_iterable(classes))
    for vacuous, counter in zip(seen.vacuous, seen.counter, strict=True):
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
    # long division with two digits of a million: the product with all of 10^12 would not fit the machine's
    # numbers
    first, left = np.divmod(tops * _HALF, bottoms)
    second, left = np.divmod(left * _HALF, bottoms)
    return first * _HALF + second, left > 0
