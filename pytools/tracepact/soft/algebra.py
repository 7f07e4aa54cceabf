"""The fast engine's algebra: soft values as ranks in whole arrays, with the windows of every other engine.

A rank is a whole number: negation changes its sign, and minimum and maximum are those of numbers. Ranks outside the
clips are the least, as bits outside are zero, so `monitor/algebra.py` moves and joins them as it does bits. That works
because minimum and maximum are idempotent and distribute over each other.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.soft.margins import estimates, whole_sizes
from tracepact.soft.values import BOTTOM, TOP, Margin

Ranks = NDArray[np.signedinteger[Any]]


_NEAR = 2.0**-49
"""Two sizes whose floats differ by more than this, relative to the greater one above 1, are in the order of these."""


class Levels:
    """The sizes that occur, in order; the rank of a soft value is the place of its size, from one, with its sign.

    Floats order the sizes; those whose floats are too near to tell are compared exactly.
    """

    def __init__(self, sources: Iterable[Sequence[Margin]]) -> None:
        self._sources = tuple({id(source): source for source in sources}.values())
        self._starts = np.cumsum([0, *map(len, self._sources)])
        sizes = [np.abs(estimates(source)[0]) for source in self._sources]
        every = np.concatenate([np.zeros(0), *sizes])
        self._places, self._shown = self._in_order(every)
        self.top = len(self._shown) + 1
        kinds = (np.int16, np.int32, np.int64)
        self.dtype = next(np.dtype(kind) for kind in kinds if self.top < np.iinfo(kind).max)

    def _in_order(self, sizes: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The place of every size, and for every place one that has it; an infinite one has the place after all."""
        finite = np.flatnonzero(np.isfinite(sizes))
        order = finite[np.argsort(sizes[finite], kind="stable")]
        sorted_sizes = sizes[order]
        opens = np.ones(len(order), dtype=np.bool_)
        opens[1:] = np.diff(sorted_sizes) > _NEAR * np.maximum(1, sorted_sizes[1:])
        new = opens.copy()
        for start, end in _crowds(opens):
            exact = [abs(Fraction(self._value(index).size)) for index in order[start:end].tolist()]
            ranked = sorted(range(end - start), key=exact.__getitem__)
            order[start:end] = order[start:end][ranked]
            in_turn = [exact[i] for i in ranked]
            new[start + 1 : end] = [a != b for a, b in pairwise(in_turn)]
        places = np.full(len(sizes), int(new.sum()) + 1, dtype=np.int64)
        places[order] = np.cumsum(new)
        return places, order[new]

    def _value(self, index: int) -> Margin:
        """A soft value by its place among all."""
        source = int(np.searchsorted(self._starts, index, side="right")) - 1
        return self._sources[source][index - int(self._starts[source])]

    def below(self, amount: Fraction) -> int:
        """How many of the sizes are less than an amount; these have the ranks up to that, in size."""
        return bisect_left(range(1, self.top), True, key=lambda rank: self.value(rank).distance >= amount)

    def ranks(self, values: Sequence[Margin]) -> Ranks:
        """The ranks of one of the sources."""
        start = next(int(s) for s, own in zip(self._starts, self._sources, strict=False) if own is values)
        _, positive = estimates(values)
        places = self._places[start : start + len(values)]
        return np.where(positive, places, -places).astype(self.dtype)

    def value(self, rank: int) -> Margin:
        """The soft value of a rank."""
        if abs(rank) == self.top:
            return TOP if rank > 0 else BOTTOM
        found = self._value(int(self._shown[abs(rank) - 1]))
        return found if found.positive == (rank > 0) else -found

    @cached_property
    def _cut(self) -> tuple[NDArray[np.object_], int]:
        """The cut size (rule 18.10) of every place as a whole number of parts, and how many parts are 1."""
        found = [whole_sizes(source) for source in self._sources]
        parts = lcm(*(own for _, own in found))
        every = [min(parts, abs(size) * (parts // own)) for sizes, own in found for size in sizes]
        cut = np.empty(self.top, dtype=np.object_)
        cut[:-1] = np.array(every, dtype=np.object_)[self._shown]
        cut[-1] = parts
        return cut, parts

    def total(self, ranks: Ranks) -> Fraction:
        """The sum of soft values, each cut to [−1, 1]; exact."""
        cut, parts = self._cut
        places = np.abs(ranks) - 1
        return Fraction(int(cut[places[ranks > 0]].sum()) - int(cut[places[ranks < 0]].sum()), parts)


def _crowds(opens: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """The groups of more than one: where each starts and ends."""
    starts = np.flatnonzero(opens)
    ends = np.append(starts[1:], len(opens))[: len(starts)]
    several = ends - starts > 1
    yield from zip(starts[several].tolist(), ends[several].tolist(), strict=True)


class RankAlgebra:
    """Arrays of ranks in the place of masks; `valid` is the greatest rank inside the clips and the least outside."""

    def __init__(self, inside: NDArray[np.bool_], longest: int, levels: Levels) -> None:
        top = np.asarray(levels.top, dtype=levels.dtype)
        self.valid: Ranks = np.where(inside, top, -top)
        self.none: Ranks = np.full(len(inside), -top)
        self.longest = longest
        self._bottom = -levels.top

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
