"""Soft values: exact numbers with two zeros and two infinities, so that each is positive or negative (rule 18.2)."""

from fractions import Fraction
from math import inf
from typing import NamedTuple


class Margin(NamedTuple):
    """A soft value; the order is that of the tuples, so that −0 comes before +0."""

    size: Fraction | float
    """A number, or an infinity."""
    positive: bool

    def __neg__(self) -> "Margin":
        return Margin(-self.size, not self.positive)

    @property
    def distance(self) -> Fraction | float:
        """How far it is from its opposite: its size without a sign."""
        return self.size if self.positive else -self.size

    @property
    def cut(self) -> Fraction:
        """The value cut to [−1, 1], a zero counting 0 (rule 18.10)."""
        return Fraction(max(-1, min(1, self.size)))

    def __str__(self) -> str:
        if self.size in (inf, -inf):
            return "unbounded" if self.positive else "-unbounded"
        return "-0" if not self.size and not self.positive else str(self.size)


TOP = Margin(inf, True)
BOTTOM = Margin(-inf, False)


def margin_of(number: Fraction) -> Margin:
    """The margin of a score above its threshold by a number: a score at its threshold is not above it."""
    return Margin(number, number > 0)


def mask_margin(active: bool, margin: Fraction | None = None) -> Margin:
    """The soft value of a mask: unbounded, or its declared margin (rule 18.3)."""
    value = TOP if margin is None else Margin(margin, True)
    return value if active else -value


def parse_margin(text: str) -> Margin:
    """The soft value that a text of `str` denotes; ValueError if it denotes none."""
    if text.removeprefix("-") == "unbounded":
        return BOTTOM if text.startswith("-") else TOP
    size = Fraction(text)
    return Margin(size, size >= 0 and not text.startswith("-"))
