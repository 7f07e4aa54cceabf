"""By how much a clause is lower on the worse case of a pair, as whole parts of a score (14.16, 14.17)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, lcm

import numpy as np
from numpy.typing import NDArray

from tracepact.tools.select.retain import Coordinate
from tracepact.tools.select.separate import Pair

_FINEST = 10**12
"""Values are counted in parts of their common denominator, or of this number if that is larger."""
Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Differences:
    """The required pairs, each alone and, where cases differ in their number of classes, within a corpus as well.

    `low` and `high` bound the values of clauses (rows) on cases (columns) in parts of 1 / `scale`; they are equal
    unless the common denominator is too large, and then a difference is rounded down. `vacuous` and `counter` are the
    shares for want of obligations. `worse` and `better` are columns.
    """

    pairs: tuple[Pair, ...]
    worse: NDArray[np.intp]
    better: NDArray[np.intp]
    low: Whole
    high: Whole
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

    def of(self, places: Sequence[int] | slice, columns: Sequence[int] | slice = slice(None)) -> Whole:
        """The differences of some places (rows) under some clauses (columns), rounded down (14.17)."""
        worse, better = self.worse[_index(places)], self.better[_index(places)]
        low, high, vacuous, counter = (t[_index(columns)] for t in (self.low, self.high, self.vacuous, self.counter))
        gap = (low[:, better] - high[:, worse]).T
        helped = np.maximum(0, vacuous[:, better] - vacuous[:, worse])
        helped += np.maximum(0, counter[:, worse] - counter[:, better])
        judged: Whole = np.where(gap > 0, np.maximum(0, gap - helped.T), gap)
        return judged

    def without(self, place: int) -> "Differences":
        """The differences without the pair of a place, alone and within a corpus."""
        left = place % len(self.pairs)
        kept = [k for k in range(len(self)) if k % len(self.pairs) != left]
        pairs = tuple(pair for k, pair in enumerate(self.pairs) if k != left)
        return Differences(
            pairs, self.worse[kept], self.better[kept], self.low, self.high, self.vacuous, self.counter, self.scale
        )


def _index(places: Sequence[int] | slice) -> slice | NDArray[np.intp]:
    return places if isinstance(places, slice) else np.array(places, dtype=np.intp)


def differences_of(coordinates: Sequence[Coordinate], pairs: Sequence[Pair], classes: Sequence[int]) -> Differences:
    """The differences of pairs of cases that have these numbers of classes."""
    most = max(classes)
    tables = [[Fraction(1)] * len(classes)]
    if len(set(classes)) > 1:  # beside others a case is a mean over all classes, and those it has not are 1
        tables.append([Fraction(own, most) for own in classes])

    def spread(shares: Sequence[Fraction]) -> list[Fraction]:
        return [share * part for table in tables for share, part in zip(shares, table, strict=True)]

    values = [[1 - lost for lost in spread([1 - value for value in c.values])] for c in coordinates]
    wants = [[spread(c.vacuous), spread(c.counter)] for c in coordinates]
    exact = lcm(*{v.denominator for row in values for v in row}, *{v.denominator for w in wants for s in w for v in s})
    scale = min(exact, _FINEST)
    shape = len(coordinates), len(tables) * len(classes)

    def counted(rows: Sequence[Sequence[Fraction]], rounded: Callable[[Fraction], int]) -> Whole:
        return np.array([[rounded(v * scale) for v in row] for row in rows], dtype=np.int64).reshape(shape)

    places = [(p.worse + k * len(classes), p.better + k * len(classes)) for k in range(len(tables)) for p in pairs]
    return Differences(
        tuple(pairs),
        np.array([worse for worse, _ in places], dtype=np.intp),
        np.array([better for _, better in places], dtype=np.intp),
        counted(values, floor),
        counted(values, ceil),
        counted([vacuous for vacuous, _ in wants], ceil),
        counted([counter for _, counter in wants], ceil),
        scale,
    )
