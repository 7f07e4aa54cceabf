"""How much of a value counts without an obligation behind it (rules 7.3, 16.11 to 16.13)."""

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction

from tracepact.scoring.aggregate import Score


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


def headline_mean(scores: Iterable[tuple[Fraction, bool]]) -> Fraction | None:
    """The mean of the scores that are not vacuous, each given with whether it is; None where all are (rule 16.13)."""
    asked = [value for value, vacuous in scores if not vacuous]
    return sum(asked, Fraction(0)) / len(asked) if asked else None


def earned(clauses: Collection[str], vacuous: Sequence[Collection[str]], constant: Sequence[bool]) -> list[bool]:
    """Whether each of several values over the clauses is earned (rule 16.12).

    Given are, for each, the vacuous clauses, and whether the system is constant.
    """
    telling = set(clauses) - set(clauses).intersection(*vacuous)
    return [
        bool(telling) and telling.isdisjoint(some) and not is_constant
        for some, is_constant in zip(vacuous, constant, strict=True)
    ]
