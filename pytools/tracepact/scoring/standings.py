"""Ranks of several systems by one value, and the interval of each rank over the draws (rules 16.12, 16.16, 16.17)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tracepact.scoring.bootstrap import Values, interval
from tracepact.scoring.uncertainty import NEAR

Number = Fraction | float


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a system stands: its rank, None if it has none, and the interval of its rank."""

    rank: int | None
    low: int | None = None
    high: int | None = None


def ranks(
    values: Sequence[Number | None], earned: Sequence[bool], *, higher_is_better: bool = True
) -> list[int | None]:
    """1 + the number of better values; equal ones share a rank, and what is not earned or has no value has none."""
    ranked = [value if is_earned else None for value, is_earned in zip(values, earned, strict=True)]
    known = [value for value in ranked if value is not None]

    def rank(value: Number) -> int:
        return 1 + sum(other > value if higher_is_better else other < value for other in known)

    return [None if value is None else rank(value) for value in ranked]


def standings(
    values: Sequence[Number | None],
    earned: Sequence[bool],
    drawn: Sequence[Values | None],
    level: Fraction,
    *,
    higher_is_better: bool = True,
) -> list[Standing]:
    """The rank of every system, with its interval where all that are ranked have draws.

    In a draw what has no value is behind all that have one.
    """
    found = ranks(values, earned, higher_is_better=higher_is_better)
    ranked = [index for index, rank in enumerate(found) if rank is not None]
    draws = [some for index in ranked if (some := drawn[index]) is not None]
    if len(draws) < len(ranked) or not draws:
        return [Standing(rank) for rank in found]
    table = np.stack(draws) if higher_is_better else -np.stack(draws)
    table[np.isnan(table)] = -np.inf
    ends = {
        index: interval(1.0 + (table > own + NEAR).sum(axis=0), level) for index, own in zip(ranked, table, strict=True)
    }
    return [
        Standing(rank, *(int(end) for end in ends[index])) if index in ends else Standing(rank)
        for index, rank in enumerate(found)
    ]
