"""The margins of a field's scores at its thresholds: one for each score and threshold, exact when asked for."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import overload

import numpy as np
from numpy.typing import NDArray

from tracepact.soft.values import BOTTOM, Margin, margin_of
from tracepact.trace import ScoreLevels

Sizes = NDArray[np.float64]
Signs = NDArray[np.bool_]


class Margins(Sequence[Margin]):
    """The margin of every score, threshold by threshold; the last is that of a frame without a score (rule 18.11)."""

    def __init__(self, levels: ScoreLevels, thresholds: Iterable[Fraction]) -> None:
        self.levels = levels
        self.thresholds = tuple(dict.fromkeys(thresholds))

    def __len__(self) -> int:
        return len(self.thresholds) * len(self.levels) + 1

    @overload
    def __getitem__(self, index: int) -> Margin: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Margin]: ...

    def __getitem__(self, index: int | slice) -> Margin | Sequence[Margin]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        place = range(len(self))[index]
        if place == len(self) - 1:
            return BOTTOM
        which, rank = divmod(place, len(self.levels))
        return margin_of(self.levels.value(rank) - self.thresholds[which])

    def first(self, threshold: Fraction) -> int:
        """The place of the margin of the least score at a threshold."""
        return self.thresholds.index(threshold) * len(self.levels)

    @cached_property
    def estimates(self) -> tuple[Sizes, Signs]:
        """Every size as a float, and whether it is positive; the signs are exact."""
        sizes = [self.levels.floats - float(threshold) for threshold in self.thresholds]
        ranks = np.arange(len(self.levels))
        signs = [ranks >= self.levels.above(threshold) for threshold in self.thresholds]
        return np.concatenate([*sizes, [-np.inf]]), np.concatenate([*signs, [False]])

    @cached_property
    def whole(self) -> tuple[list[int], int]:
        """Every margin that is a number as a whole number of parts, and how many parts are 1."""
        scores, own = self.levels.whole
        parts = lcm(own, *(threshold.denominator for threshold in self.thresholds))
        more = parts // own
        shifts = [threshold.numerator * (parts // threshold.denominator) for threshold in self.thresholds]
        return [score * more - shift for shift in shifts for score in scores], parts


def whole_sizes(values: Sequence[Margin]) -> tuple[list[int], int]:
    """The sizes of soft values as whole numbers of parts, and how many parts are 1; infinite ones are 0."""
    if isinstance(values, Margins):
        found, parts = values.whole
        return [*found, 0], parts
    sizes = [value.size if isinstance(value.size, Fraction) else Fraction(0) for value in values]
    parts = lcm(*(size.denominator for size in sizes))
    return [int(size * parts) for size in sizes], parts


def estimates(values: Sequence[Margin]) -> tuple[Sizes, Signs]:
    """The sizes of soft values as floats, and whether each is positive; the signs are exact."""
    if isinstance(values, Margins):
        return values.estimates
    sizes = np.array([float(value.size) for value in values], dtype=np.float64)
    return sizes, np.array([value.positive for value in values], dtype=np.bool_)
