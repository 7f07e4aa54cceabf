"""Attributes are what chapter 4 says, counted frame by frame."""

from fractions import Fraction
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tracepact.evaluate import predicates as at
from tracepact.evaluate.predicates import UNBOUNDED
from tracepact.language.formula import FrameRun

from .builders import run_lists

Runs = tuple[FrameRun, ...]

runs = st.tuples(st.integers(0, 40), st.integers(1, 25)).map(lambda pair: (pair[0], pair[0] + pair[1]))


def frames(*some: FrameRun) -> set[int]:
    return {frame for run in some for frame in range(*run)}


def meeting(run: FrameRun, others: Runs) -> list[FrameRun]:
    return [other for other in others if frames(run) & frames(other)]


@given(runs, runs)
def test_overlap_and_iou_count_shared_frames(a: FrameRun, b: FrameRun) -> None:
    assert at.overlap(a, b) == len(frames(a) & frames(b))
    assert at.iou(a, b) == Fraction(len(frames(a) & frames(b)), len(frames(a) | frames(b)))


@given(runs, run_lists())
def test_covering_counts_the_runs_that_share_a_frame_and_coverage_their_frames(run: FrameRun, others: Runs) -> None:
    assert list(at.overlapping(run, others)) == meeting(run, others)
    assert at.covering(run, others) == len(meeting(run, others))
    share = Fraction(len(frames(run) & frames(*others)), len(frames(run)))
    assert at.coverage(run, others) == share
    assert at.purity(run, others) == share


@given(runs, run_lists(longest=4))
def test_gaps_are_the_silences_between_consecutive_predictions_that_both_overlap(ref: FrameRun, preds: Runs) -> None:
    inside = meeting(ref, preds)
    silences = [len(set(range(a[1], b[0])) - frames(*preds)) for a, b in pairwise(inside)]
    assert at.longest_gap(ref, preds) == max([0, *silences])
    assert at.shortest_gap(ref, preds) == (min(silences) if silences else UNBOUNDED)


@given(runs, run_lists(), st.lists(run_lists(), max_size=3))
def test_dominant_is_strict_against_each_other_class_and_false_without_overlap(
    pred: FrameRun, own: Runs, others: list[Runs]
) -> None:
    shared = len(frames(pred) & frames(*own))
    expected = shared > 0 and all(shared > len(frames(pred) & frames(*other)) for other in others)
    assert at.dominant(pred, own, others) is expected


def test_silence_at_the_edges_of_a_reference_is_no_gap() -> None:
    assert at.gaps((0, 100), [(20, 30), (45, 60), (63, 70)]) == [15, 3]
    assert at.gaps((0, 45), [(20, 30), (45, 60)]) == []


def test_dominance_compares_classes_one_by_one_and_not_their_sum() -> None:
    assert at.dominant((0, 10), [(0, 4)], [[(4, 7)], [(7, 10)]])
    assert not at.dominant((0, 10), [(0, 4)], [[(4, 8)]])


def test_unbounded_is_greater_than_every_time_and_equal_to_itself() -> None:
    for time in (0, 10**30, Fraction(1, 3)):
        assert time < UNBOUNDED
        assert time <= UNBOUNDED
        assert time != UNBOUNDED
        assert time < UNBOUNDED
        assert time <= UNBOUNDED
        assert not time >= UNBOUNDED
        assert not time > UNBOUNDED
    assert UNBOUNDED >= UNBOUNDED
    assert UNBOUNDED <= UNBOUNDED
    assert not UNBOUNDED > UNBOUNDED
