"""Exact time: decimal text, integers, fractions and floats become rational numbers without rounding."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import isfinite

Time = str | int | float | Fraction | Decimal

_DECIMAL = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?", re.ASCII)
_LONGEST = 60


@lru_cache(maxsize=65536)
def parse_exact(text: str) -> Fraction:
    """The rational number a decimal text or a fraction `a/b` denotes; ValueError if it denotes none."""
    text = text.strip()
    if len(text) > _LONGEST:
        raise ValueError(f"a number of more than {_LONGEST} characters")
    whole, _, part = text.partition(".")
    if whole.isdecimal() and part.isdecimal() and text.isascii():  # nearly every time of every table
        return Fraction(int(whole + part), 10 ** len(part))
    top, slash, bottom = text.partition("/")
    if slash:
        if not (top.isdecimal() and bottom.isdecimal() and top.isascii() and bottom.isascii()) or not int(bottom):
            raise ValueError(f"{text!r} is not a fraction")
        return Fraction(int(top), int(bottom))
    match = _DECIMAL.fullmatch(text)
    if not match or not (match[2] or match[3]):
        raise ValueError(f"{text!r} is not a decimal number")
    sign, whole, part, exponent = match[1], match[2] or "", match[3] or "", int(match[4] or 0)
    digits, scale = int(whole + part), exponent - len(part)
    value = Fraction(digits * 10**scale) if scale >= 0 else Fraction(digits, 10**-scale)
    return -value if sign == "-" else value


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
