"""The fast engine's algebra: soft values as ranks in whole arrays, with the windows of every other engine.

A rank is a whole number: negation changes its sign, and minimum and maximum are those of numbers. Ranks outside the
clips are the least, as bits outside are zero, so `monitor/algebra.py` moves and joins them as it does bits. That works
because minimum and maximum are idempotent and distribute over each other.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import inf, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.soft.values import BOTTOM, TOP, Margin

Ranks = NDArray[np.signedinteger[Any]]


class Levels:
    """The sizes that occur, in order; the rank of a soft value is the place of its size, from one, with its sign."""

    def __init__(self, values: Iterable[Margin]) -> None:
        sizes = {abs(value.size) for value in values if isinstance(value.size, Fraction)}
        scale = lcm(*(size.denominator for size in sizes))
        in_order = sorted(sizes, key=lambda size: size.numerator * (scale // size.denominator))
        self._sizes: list[Fraction | float] = [*in_order, inf]
        self._place = {size: place for place, size in enumerate(self._sizes, start=1)}
        self.top = len(self._sizes)
        kinds = (np.int16, np.int32, np.int64)
        self.dtype = next(np.dtype(kind) for kind in kinds if self.top < np.iinfo(kind).max)

    def rank(self, value: Margin) -> int:
        """The rank of a soft value."""
        return self._place[value.size] if value.positive else -self._place[(-value).size]

    def ranks(self, values: Sequence[Margin]) -> Ranks:
        """The ranks of soft values."""
        return np.array([self.rank(value) for value in values], dtype=self.dtype)

    def value(self, rank: int) -> Margin:
        """The soft value of a rank."""
        size = self._sizes[abs(rank) - 1]
        return Margin(size, True) if rank > 0 else -Margin(size, True)


class RankAlgebra:
    """Arrays of ranks in the place of masks; `valid` is the greatest rank inside the clips and the least outside."""

    def __init__(self, inside: NDArray[np.bool_], longest: int, levels: Levels) -> None:
        top = np.asarray(levels.rank(TOP), dtype=levels.dtype)
        self.valid: Ranks = np.where(inside, top, -top)
        self.none: Ranks = np.full(len(inside), -top)
        self.longest = longest
        self._bottom = levels.rank(BOTTOM)

    def conjunction(self, a: Ranks, b: Ranks, /) -> Ranks:
        """The lesser of both."""
        return np.minimum(a, b)

    def disjunction(self, a: Ranks, b: Ranks, /) -> Ranks:
        """The greater of both."""
        return np.maximum(a, b)

    def difference(self, a: Ranks, b: Ranks, /) -> Ranks:
        """The soft value of `not (a iff b)`; from `valid`, the complement."""
        if a is self.valid:
            return np.minimum(-b, self.valid)
        return np.maximum(np.minimum(a, self.difference(self.valid, b)), np.minimum(b, self.difference(self.valid, a)))

    def later(self, a: Ranks, k: int, /) -> Ranks:
        """Move every value k frames later; those after the last are lost, in the gap behind the last clip."""
        moved = np.empty_like(a)
        moved[k:] = a[: len(a) - k]
        moved[:k] = self._bottom
        return moved

    def earlier(self, a: Ranks, k: int, /) -> Ranks:
        """Move every value k frames earlier; those before the first are lost."""
        moved = np.empty_like(a)
        moved[: len(a) - k] = a[k:]
        moved[len(a) - k :] = self._bottom
        return moved
