"""Exact time: decimal text, integers, fractions and floats become rational numbers without rounding."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isfinite

from tracepact.wording import parse_exact

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
