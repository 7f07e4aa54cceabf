"""Times of any size: if all times of a contract and of its data are scaled alike, nothing else changes."""

from bisect import bisect_right
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import tracepact
from tracepact.data.events import NOWHERE, ClipScores
from tracepact.thresholds.family import touching

SCALES = [Decimal(text) for text in ("1e-25", "1e-19", "125e-18", "1e-12", "3e-7", "1", "25e6")]
CONTRACT = """contract gate
step {step}s
merge_gap {step}s
matcher greedy(search = {search}s, overlap_reward = 0.5)
clause onset on ref_onset : ref_onset -> N[2f] pred_onset
clause length on each matched : abs(pred.duration - ref.duration) <= 0.25 * ref.duration
clause whole on each ref : matched and covering <= 1
"""
quarters = st.tuples(st.integers(0, 80), st.integers(1, 30)).map(lambda of: (of[0], min(sum(of), 100)))
sides = st.lists(quarters, max_size=5)
edges = st.lists(st.integers(1, 9), min_size=1, max_size=8).map(lambda steps: np.cumsum([0, *steps]).tolist())


def vector_of(ref: list[tuple[int, int]], pred: list[tuple[int, int]], scale: Decimal, *, batches: bool) -> object:
    """The vector of a clip of 25 times the scale, events in quarters of it, frames of a half."""
    quarter = Fraction(scale) / 4
    text = CONTRACT.format(step=f"{scale / 2:f}", search=f"{scale * 3:f}")
    events = [{"a": [(onset * quarter, offset * quarter, "x") for onset, offset in side]} for side in (ref, pred)]
    how = {"engine": "local"} if batches else {}
    return tracepact.score(tracepact.parse_contract(text), *events, durations={"a": 100 * quarter}, **how).vector


@given(sides, sides, st.sampled_from(SCALES), st.booleans())
def test_scores_of_scaled_times_are_the_same(
    ref: list[tuple[int, int]], pred: list[tuple[int, int]], scale: Decimal, batches: bool
) -> None:
    assert vector_of(ref, pred, scale, batches=batches) == vector_of(ref, pred, Decimal(1), batches=False)


@given(edges, st.integers(1, 7), st.integers(0, 40), st.sampled_from(SCALES), st.sampled_from(SCALES))
def test_frames_of_scores_are_found_on_any_grid(
    line: list[int], wide: int, frames: int, scale: Decimal, step: Decimal
) -> None:
    """By the definition: the own frame that holds a centre, and the greatest rank of the own frames that overlap."""
    own = [edge * Fraction(scale) for edge in line]
    length = wide * Fraction(step) / 3
    scores = ClipScores(tuple(own), np.arange(len(own) - 1, dtype=np.int64)[:, None])
    centres = [(2 * frame + 1) * length / 2 for frame in range(frames)]
    held = [bisect_right(own, centre) - 1 if centre < own[-1] else NOWHERE for centre in centres]
    assert scores.covering(length, frames).tolist() == held
    grid = [(frame * length, (frame + 1) * length) for frame in range(frames)]
    met = [
        max((k for k, (begin, end) in enumerate(pairwise(own)) if begin < until and at < end), default=NOWHERE)
        for at, until in grid
    ]
    assert touching(scores, length, frames)[:, 0].tolist() == met
