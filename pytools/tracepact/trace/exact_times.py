"""Exact time: decimal text, integers, fractions and floats become rational numbers without rounding."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isfinite, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.wording import parse_exact

Ticks = NDArray[Any]
"""Whole numbers: int64 where they and a second have room to be doubled and added, else Python's own integers."""

_ROOM = 1 << 60
LONGEST_TIME = 10**10
"""Seconds: every time and duration of the data is less (rule 13.39)."""

Time = str | int | float | Fraction | Decimal


def exact(value: Time) -> Fraction:
    """A time as the rational number it denotes; a float as its shortest decimal text (rule 5.2)."""
    if isinstance(value, str):
        return parse_exact(value)
    if isinstance(value, float):
        if not isfinite(value):
            raise ValueError(f"{value} is not a finite number")
        return parse_exact(repr(float(value)))
    return Fraction(value)


@dataclass(frozen=True, slots=True)
class Ratios:
    """Many exact times: their numerators and their denominators."""

    tops: tuple[int, ...]
    bottoms: tuple[int, ...]


def ratios(times: Iterable[Fraction]) -> Ratios:
    """Times taken apart, each once."""
    parts = list(map(Fraction.as_integer_ratio, times))
    return Ratios(tuple(top for top, _ in parts), tuple(bottom for _, bottom in parts))


def common_unit(*times: Ratios | Iterable[Fraction]) -> int:
    """Ticks a second such that all these times are whole."""
    taken = (some if isinstance(some, Ratios) else ratios(some) for some in times)
    return lcm(*set().union(*(some.bottoms for some in taken)))


def ticks(times: Ratios, unit: int) -> Ticks:
    """Times in ticks of `1 / unit` seconds; the unit is a multiple of every denominator."""
    widest = max(max(times.tops, default=0), -min(times.tops, default=0))
    if widest * unit < _ROOM and unit < _ROOM:
        return np.array(times.tops, dtype=np.int64) * (unit // np.array(times.bottoms, dtype=np.int64))
    whole = [top * (unit // bottom) for top, bottom in zip(times.tops, times.bottoms, strict=True)]
    return np.array(whole, dtype=np.int64 if max([unit, *map(abs, whole)]) < _ROOM else np.object_)


def roomy(times: Ticks, *others: int) -> Ticks:
    """Times as Python's own integers if one of the numbers they are to be computed with is too large beside int64."""
    return times.astype(np.object_) if times.dtype != np.object_ and any(abs(n) >= _ROOM for n in others) else times


def multiples(length: int, number: int) -> Ticks:
    """The first so many multiples of a length, from 0 on."""
    return roomy(np.arange(number), length * max(number, 1)) * length
