"""The distinct scores of a field in order: floats that stand for their shortest decimals, or decimals as written.

A float is as near to its decimal as floats come, so decimals in order have floats in order. Only decimals that share a
float are compared themselves.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ranks = NDArray[np.int64]
_SHORT = 16
"""A decimal from 0 to 1 of this many characters has at most 15 digits, and is the shortest one of its float."""


@dataclass(frozen=True, eq=False)
class ScoreLevels:
    """Distinct scores, ascending. Each is the shortest decimal of its float, unless `texts` holds another by rank."""

    floats: Floats
    texts: Mapping[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.floats)

    def text(self, rank: int) -> str:
        """The decimal of a rank."""
        return self.texts.get(rank) or repr(float(self.floats[rank]))

    def value(self, rank: int) -> Fraction:
        """The score of a rank."""
        return Fraction(self.text(rank))

    @cached_property
    def whole(self) -> tuple[tuple[int, ...], int]:
        """Every score as a whole number of parts, and how many parts are 1."""
        decimals = [Decimal(text) for text in map(repr, self.floats.tolist())]
        for rank, text in self.texts.items():
            decimals[rank] = Decimal(text)
        ratios = [decimal.as_integer_ratio() for decimal in decimals]
        parts = lcm(*{bottom for _, bottom in ratios})
        return tuple(top * (parts // bottom) for top, bottom in ratios), parts

    def above(self, threshold: Fraction) -> int:
        """The rank of the first score greater than a threshold; exact."""
        return bisect_left(range(len(self)), True, key=lambda rank: self.value(rank) > threshold)


def levels_of_floats(values: NDArray[np.floating]) -> tuple[ScoreLevels, Ranks]:
    """The levels of an array of floats and the rank of each; a short float is its shortest decimal in its precision."""
    distinct, ranks = np.unique(values, return_inverse=True)
    ranks = ranks.reshape(values.shape).astype(np.int64, copy=False)
    if distinct.dtype.itemsize > np.dtype(np.float64).itemsize:
        levels, places = levels_of_texts([str(value) for value in distinct])
        return levels, places[ranks]
    wide = distinct if distinct.dtype == np.float64 else np.array(list(map(str, distinct)), dtype=np.float64)
    return ScoreLevels(np.abs(wide) if len(wide) and wide[0] == 0 else wide), ranks


def levels_of_texts(texts: Sequence[str]) -> tuple[ScoreLevels, Ranks]:
    """The levels of decimals that are all numbers, and the rank of each."""
    known = dict.fromkeys(texts)
    distinct = list(known)
    floats = np.array(list(map(float, distinct)), dtype=np.float64)
    levels, ranks = _ordered(floats, dict(enumerate(distinct)))
    place = dict(zip(distinct, ranks.tolist(), strict=True))
    return levels, np.fromiter(map(place.__getitem__, texts), dtype=np.int64, count=len(texts))


def join_levels(parts: Sequence[ScoreLevels]) -> tuple[ScoreLevels, list[Ranks]]:
    """All scores of several levels as one, and of each part the new rank of every old one."""
    ends = np.cumsum([len(part) for part in parts])[:-1]
    floats = np.concatenate([np.zeros(0), *(part.floats for part in parts)])
    starts = [0, *ends.tolist()]
    texts = {
        start + rank: text for start, part in zip(starts, parts, strict=False) for rank, text in part.texts.items()
    }
    levels, ranks = _ordered(floats, texts)
    return levels, np.split(ranks, ends) if parts else []


def _ordered(floats: Floats, texts: Mapping[int, str]) -> tuple[ScoreLevels, Ranks]:
    """Levels of floats, some of which stand for another decimal than their shortest one; and the rank of each."""
    own = {place: text for place, text in texts.items() if not _is_shortest(text, floats[place])}
    distinct, groups = np.unique(floats, return_inverse=True)
    if not own:
        return ScoreLevels(np.abs(distinct) if len(distinct) and distinct[0] == 0 else distinct), groups
    crowded: dict[int, dict[Fraction, str]] = {}
    for place, text in own.items():
        crowded.setdefault(int(groups[place]), {})[Fraction(text)] = text
    plain = np.ones(len(floats), dtype=np.bool_)
    plain[list(own)] = False
    for group in np.unique(groups[plain & np.isin(groups, list(crowded))]).tolist():
        crowded[group].setdefault(Fraction(repr(float(distinct[group]))), "")
    sizes = np.ones(len(distinct), dtype=np.int64)
    sizes[list(crowded)] = [len(found) for found in crowded.values()]
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    ranks = first[groups]
    written: dict[int, str] = {}
    order: dict[int, dict[Fraction, int]] = {}
    for group, found in crowded.items():
        order[group] = {value: int(first[group]) + i for i, value in enumerate(sorted(found))}
        written |= {rank: found[value] for value, rank in order[group].items() if found[value]}
    for place in np.flatnonzero(np.isin(groups, list(crowded))).tolist():
        group = int(groups[place])
        ranks[place] = order[group][Fraction(own.get(place) or repr(float(distinct[group])))]
    return ScoreLevels(np.repeat(distinct, sizes), written), ranks


def _is_shortest(text: str, value: float) -> bool:
    """Whether a number from 0 to 1 is the shortest decimal of its float; a fraction such as 1/3 is none."""
    if "/" in text:
        return False
    if len(text) <= _SHORT and "e" not in text and "E" not in text:
        return True
    shortest = repr(float(value))
    return shortest == text or Decimal(shortest) == Decimal(text)
