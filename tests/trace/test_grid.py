"""Exact time and projection to frames, against the definitions written out frame by frame."""

import itertools
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracepact.data.events import exact
from tracepact.data.family import Grid
from tracepact.language.contract import Projection
from tracepact.language.formula import join_runs, runs_of_frames, union_runs

steps = st.sampled_from([Fraction(1, 50), Fraction(1, 100), Fraction("0.0232"), Fraction(1, 3)])
times = st.fractions(min_value=0, max_value=5, max_denominator=1000)


def frames_by_definition(onset: Fraction, offset: Fraction, step: Fraction, policy: Projection) -> set[int]:
    """Rule 5.3, one frame at a time."""
    active = set()
    for i in range(int(offset / step) + 3):
        start, end = i * step, (i + 1) * step
        match policy:
            case Projection.CENTRE:
                inside = onset <= (start + end) / 2 < offset
            case Projection.TOUCH:
                inside = max(start, onset) < min(end, offset)
            case Projection.INSIDE:
                inside = onset <= start and end <= offset and onset < offset
        if inside:
            active.add(i)
    return active


@given(times, times, steps, st.sampled_from(Projection))
def test_projection_is_the_definition(a: Fraction, b: Fraction, step: Fraction, policy: Projection) -> None:
    onset, offset = min(a, b), max(a, b)
    start, end = Grid(step, policy).project(onset, offset)
    assert set(range(start, end)) == frames_by_definition(onset, offset, step, policy)


@pytest.mark.parametrize("step", ["0.02", "0.01", "0.0232", "1/3"])
def test_ties_of_projection_are_exact(step: str) -> None:
    """An event from k·step to (k+1)·step is frame k alone, at every k, under every policy."""
    exact_step = Fraction(step)
    for k in range(10_001):
        for policy in Projection:
            assert Grid(exact_step, policy).project(k * exact_step, (k + 1) * exact_step) == (k, k + 1)


def test_a_centre_at_the_onset_is_in_and_at_the_offset_is_out() -> None:
    grid = Grid(Fraction(1, 50))
    assert grid.project(Fraction("0.01"), Fraction("0.03")) == (0, 1)
    assert grid.project(Fraction("0.0101"), Fraction("0.0301")) == (1, 2)


@given(st.fractions(min_value=Fraction(1, 1000), max_value=20, max_denominator=1000), steps)
def test_a_clip_has_enough_frames_and_not_one_more(duration: Fraction, step: Fraction) -> None:
    frames = Grid(step).frames(duration)
    assert (frames - 1) * step < duration <= frames * step


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1.06", Fraction(53, 50)),
        (1.06, Fraction(53, 50)),
        (0.1 + 0.2, Fraction("0.30000000000000004")),
        (Decimal("0.1"), Fraction(1, 10)),
        (3, Fraction(3)),
        ("1/3", Fraction(1, 3)),
        (" 2.50 ", Fraction(5, 2)),
        ("1e-3", Fraction(1, 1000)),
        ("-.5", Fraction(-1, 2)),
    ],
)
def test_times_are_read_as_the_number_they_denote(value: str | int | float | Decimal, expected: Fraction) -> None:
    assert exact(value) == expected


@pytest.mark.parametrize(
    "value", ["", "abc", "1.2.3", "nan", "inf", "1/0", "--1", "1" * 61, "١", float("nan"), float("inf")]
)
def test_what_is_no_number_is_refused(value: str | float) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        exact(value)


@given(st.lists(st.booleans(), max_size=40))
def test_runs_are_maximal_ordered_and_paint_the_mask_back(frames: list[bool]) -> None:
    runs = runs_of_frames(frames)
    painted = [any(start <= i < end for start, end in runs) for i in range(len(frames))]
    assert painted == frames
    assert all(start < end for start, end in runs)
    assert all(end < start for (_, end), (start, _) in itertools.pairwise(runs))


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=8))
def test_the_union_of_intervals_is_the_runs_of_their_frames(intervals: list[tuple[int, int]]) -> None:
    frames = [any(start <= i < end for start, end in intervals) for i in range(21)]
    assert union_runs(intervals) == runs_of_frames(frames)


@given(st.lists(st.booleans(), max_size=30), st.integers(0, 130), steps)
def test_a_gap_is_joined_exactly_when_it_is_not_longer_than_the_merge_gap(
    frames: list[bool], percent: int, step: Fraction
) -> None:
    merge_gap = step * percent / 40
    runs = runs_of_frames(frames)
    filled = list(frames)
    for (_, end), (start, _) in itertools.pairwise(runs):
        if (start - end) * step <= merge_gap:
            filled[end:start] = [True] * (start - end)
    assert join_runs(runs, merge_gap, step) == runs_of_frames(filled)
