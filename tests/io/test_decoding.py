"""Decoding does what rule 13.9 says: against loops that transcribe it, and against SciPy's median filter."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracepact.data.decoding import Decoding, active_frames, decode
from tracepact.data.events import ClipScores, ScoreField, frame_edges, levels_of_texts

SHARES = st.integers(0, 12).map(lambda n: Fraction(n, 12)) | st.integers(0, 10).map(lambda n: Fraction(n, 10))
SCORES = st.lists(st.integers(0, 10).map(lambda n: Decimal(n) / 10), min_size=1, max_size=14)
STEP = Fraction(2, 125)


@st.composite
def decodings(draw: st.DrawFn) -> Decoding:
    one, other = draw(SHARES), draw(SHARES)
    return Decoding(
        max(one, other), draw(st.sampled_from([None, min(one, other)])), draw(st.sampled_from([1, 3, 5, 9]))
    )


def field_of(columns: list[list[Decimal]]) -> ScoreField:
    """A field of one clip of equal frames with these scores, one list a class."""
    levels, ranks = levels_of_texts([str(score) for column in columns for score in column])
    count = len(columns[0])
    clip = ClipScores(frame_edges(count, STEP), ranks.reshape(len(columns), count).T, tuple(range(2, count + 2)))
    return ScoreField("s", tuple("abc"[: len(columns)]), levels, {"clip": clip})


def active(scores: list[Decimal], how: Decoding) -> list[bool]:
    """The active frames of one class."""
    field = field_of([scores])
    found: list[bool] = active_frames(field.levels, field.clips["clip"], how)[:, 0].tolist()
    return found


def by_the_rule(scores: list[Decimal], how: Decoding) -> list[bool]:
    """The rule, word by word: reflect, take the middle, compare, keep runs above low that reach above high."""
    count, half = len(scores), how.median // 2

    def reflected(i: int) -> Decimal:
        place = i % (2 * count)  # the scores forwards, then backwards, again and again
        return scores[place] if place < count else scores[2 * count - 1 - place]

    smooth = [sorted(reflected(j) for j in range(i - half, i + half + 1))[half] for i in range(count)]
    high = [score > how.threshold for score in smooth]
    if how.low is None:
        return high
    low = [score > how.low for score in smooth]
    active = [False] * count
    for i in range(count):
        for j in range(i, count):
            if all(low[i : j + 1]) and any(high[i : j + 1]):
                active[i : j + 1] = [True] * (j + 1 - i)
    return active


@given(SCORES, decodings())
def test_active_frames_are_those_of_the_rule(scores: list[Decimal], how: Decoding) -> None:
    assert active(scores, how) == by_the_rule(scores, how)


@given(
    st.integers(1, 3).flatmap(lambda n: st.lists(SCORES.filter(lambda s: len(s) >= 6), min_size=n, max_size=n)),
    decodings(),
)
def test_events_are_the_maximal_runs_of_each_class(columns: list[list[Decimal]], how: Decoding) -> None:
    columns = [column[:6] for column in columns]
    names = tuple("abc"[: len(columns)])
    table = decode(field_of(columns), how)
    covered = {name: [False] * 6 for name in names}
    for event in table.clips["clip"]:
        start, end = event.onset / STEP, event.offset / STEP
        assert start.denominator == end.denominator == 1
        assert not any(covered[event.label][int(start) : int(end)])
        assert int(start) == 0 or not by_the_rule(columns[names.index(event.label)], how)[int(start) - 1]
        covered[event.label][int(start) : int(end)] = [True] * int(end - start)
        assert event.row == int(start) + 2
    assert covered == {name: by_the_rule(column, how) for name, column in zip(names, columns, strict=True)}
    assert table.origin is not None
    assert table.origin.decoding == how.data


@given(SCORES, st.sampled_from([3, 5, 7]))
def test_the_median_filter_is_that_of_scipy(scores: list[Decimal], length: int) -> None:
    median_filter = pytest.importorskip("scipy.ndimage").median_filter
    tenths = np.array([int(score * 10) for score in scores])
    expected = median_filter(tenths, size=length, mode="reflect")
    for threshold in range(11):
        assert active(scores, Decoding(Fraction(threshold, 10), None, length)) == (expected > threshold).tolist()


@given(SCORES, SHARES, st.sampled_from([3, 5, 7]))
def test_filtering_scores_and_filtering_decisions_are_the_same(
    scores: list[Decimal], threshold: Fraction, length: int
) -> None:
    decisions = [Decimal(int(is_active)) for is_active in active(scores, Decoding(threshold))]
    filtered = active(scores, Decoding(threshold, None, length))
    assert filtered == active(decisions, Decoding(Fraction(1, 2), None, length))


@given(SCORES, SHARES)
def test_hysteresis_with_equal_thresholds_is_a_threshold(scores: list[Decimal], threshold: Fraction) -> None:
    assert active(scores, Decoding(threshold, threshold)) == active(scores, Decoding(threshold))


def test_a_score_at_the_threshold_is_not_active() -> None:
    third = [Decimal("0.3333333333333333"), Decimal("0.3333333333333334"), Decimal("0.5")]
    assert active(third, Decoding(Fraction(1, 3))) == [False, True, True]
    assert active(third, Decoding(Fraction(1, 2))) == [False, False, False]
