"""From cuts to thresholds: where a stretch of cuts begins and ends, and a short threshold inside it."""

from fractions import Fraction

from tracepact.trace import ScoreLevels


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

    >>> short_threshold(Fraction("0.4137"), Fraction("0.4491"))
    Fraction(43, 100)
    """
    middle = (low + high) / 2
    scale = 1
    while low < high:
        near = Fraction(round(middle * scale), scale)
        if low <= near < high:
            return near
        scale *= 10
    return low
