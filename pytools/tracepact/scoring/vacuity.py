"""How much of a value counts without an obligation behind it (rules 7.3, 16.11)."""

from collections.abc import Iterable
from fractions import Fraction

from tracepact.scoring import Score


def vacuous_share(vacuous: bool, vacuous_entries: int, entries: int) -> Fraction:
    """The share of the averaged entries that are vacuous and count 1; all of a value that is vacuous itself."""
    return Fraction(1) if vacuous else Fraction(vacuous_entries, entries)


def score_share(score: Score) -> Fraction:
    """The vacuous share of a score."""
    return vacuous_share(score.vacuous, score.vacuous_entries, score.entries)


def weighted_mean(parts: Iterable[tuple[Fraction, Fraction]]) -> Fraction:
    """The mean of values, each behind its weight."""
    found = list(parts)
    return sum((w * v for w, v in found), Fraction(0)) / sum((w for w, _ in found), Fraction(0))
