"""Weights as a person would write them: small whole numbers that keep most of the margin (14.20)."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import lcm

_LARGEST_TOTAL = 200
_KEPT = Fraction(4, 5)


def written_weights(
    weights: Sequence[Fraction], margin: Callable[[Sequence[int]], Fraction]
) -> tuple[tuple[int, ...], Fraction]:
    """Whole numbers of the least total that keep four fifths of the largest margin, and the margin they have.

    `margin` is exact, whatever the total of the weights. Weights of at least 1 everywhere are tried first.
    """
    common = lcm(*(weight.denominator for weight in weights))
    exact = tuple(int(weight * common) for weight in weights)
    largest = margin(exact)
    for least in (1, 0):
        for total in range(1, _LARGEST_TOTAL + 1):
            some = _rounded(weights, total, least)
            if any(some) and (kept := margin(some)) >= _KEPT * largest:
                return some, kept
    total = 10 * _LARGEST_TOTAL
    while total < common:  # the exact ones may have a hundred digits
        some = _rounded(weights, total, 1)
        if (kept := margin(some)) >= _KEPT * largest:
            return some, kept
        total *= 10
    return exact, largest


def _rounded(weights: Sequence[Fraction], total: int, least: int) -> tuple[int, ...]:
    """The nearest whole numbers to a multiple of the weights, none below the least."""
    return tuple(max(least, int(weight * total + Fraction(1, 2))) for weight in weights)
