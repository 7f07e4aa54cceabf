"""Areas under a ROC against a naive loop over exact rates."""

import itertools
from fractions import Fraction

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from tracepact.thresholds.psds import roc_area

cells = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=20)
shares = st.fractions(min_value=Fraction(1, 50), max_value=1, max_denominator=50)


def naive(rows: list[tuple[int, bool]], most: Fraction) -> Fraction | None:
    """The mean over many thin strips would be near; the strips between all rates that occur are exact."""
    positives, negatives = sum(flag for _, flag in rows), sum(not flag for _, flag in rows)
    if not positives or not negatives:
        return None
    points = [
        (
            Fraction(sum(not flag and score >= cut for score, flag in rows), negatives),
            Fraction(sum(flag and score >= cut for score, flag in rows), positives),
        )
        for cut in range(8)
    ]
    ends = sorted({most, *(rate for rate, _ in points if rate < most)})
    area = Fraction(0)
    for low, high in itertools.pairwise(ends):
        area += (high - low) * max(share for rate, share in points if rate <= low)
    return area / most


def counted(rows: list[tuple[int, bool]]) -> tuple[list[int], list[int]]:
    cuts = range(8)
    return (
        [sum(flag and score >= cut for score, flag in rows) for cut in cuts],
        [sum(not flag and score >= cut for score, flag in rows) for cut in cuts],
    )


@given(cells, shares)
@example([(1, True), (1, False), (0, False)], Fraction(1))
@example([(2, True), (1, False), (0, True)], Fraction(1, 10))
def test_the_area_is_that_of_the_greatest_share_at_every_rate(rows: list[tuple[int, bool]], most: Fraction) -> None:
    hits, alarms = (np.array(column) for column in counted(rows))
    assert roc_area(hits, alarms, int(hits.max()), int(alarms.max()), most) == naive(rows, most)


def test_counts_beyond_machine_words_stay_exact() -> None:
    """Half of the hits before the first false alarm, all of them with it."""
    wide = np.array([0, 1 << 40, 1 << 41])
    alarms = np.array([0, 0, 1 << 42])
    assert roc_area(wide, alarms, 1 << 41, 1 << 42, Fraction(1, 3)) == Fraction(1, 2)
