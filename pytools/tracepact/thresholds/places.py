"""From cuts to thresholds: where a stretch of cuts begins and ends, and a short threshold inside it."""

from collections.abc import Sequence
from fractions import Fraction

from tracepact.trace import ScoreLevels

HALF = Fraction(1, 2)
"""The threshold of a class whose threshold makes no difference."""


def cut_range(levels: ScoreLevels) -> tuple[int, int]:
    """The least and the greatest cut that a threshold from 0 to 1 can have."""
    return levels.above(Fraction(0)), levels.above(Fraction(1))


def threshold_range(levels: ScoreLevels, first: int, last: int) -> tuple[Fraction, Fraction]:
    """The thresholds from 0 to 1 of the cuts from first to last: from the one on, up to but not including the other.

    A stretch that reaches 1 includes it.
    """
    low = levels.value(first - 1) if first else Fraction(0)
    high = levels.value(last) if last < len(levels) else Fraction(1)
    return max(low, Fraction(0)), min(high, Fraction(1))


def short_threshold(low: Fraction, high: Fraction) -> Fraction:
    """The shortest decimal from low on and below high that lies nearest to their middle; `low` if they are one.

    It is not 0, which makes every frame active, unless both are.

    >>> short_threshold(Fraction("0.4137"), Fraction("0.4491"))
    Fraction(43, 100)
    >>> short_threshold(Fraction(0), Fraction("0.6"))
    Fraction(3, 10)
    """
    middle = (low + high) / 2
    scale = 1
    while low < high:
        near = Fraction(round(middle * scale), scale)
        if near and low <= near < high:
            return near
        scale *= 10
    return low


def place(levels: ScoreLevels, stretches: Sequence[tuple[int, int]]) -> Fraction:
    """A short threshold in the longest of several stretches of cuts, the lowest of equals (rule 20.10).

    A stretch that begins at 0, where every frame may be active, is taken only if it is alone.
    """
    ranges = [threshold_range(levels, *stretch) for stretch in stretches]
    later = [ends for ends in ranges if ends[0]]
    return short_threshold(*max(later or ranges, key=lambda ends: (ends[1] - ends[0], -ends[0])))
