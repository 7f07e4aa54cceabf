"""The event matching against mir_eval: as many pairs, by onsets alone and by onsets and offsets."""

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from metrics.builders import Rows, measured, policy, random_sides

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    util = pytest.importorskip("mir_eval.util", reason="mir_eval is not installed")
    transcription = pytest.importorskip("mir_eval.transcription")

SEEDS = range(60)


def eighths(side: Rows) -> Rows:
    """The same tenths as eighths of a second: times, differences and shares that floats hold exactly."""

    def time(text: str) -> str:
        return str(float(Fraction(text) * 10 / 8))

    return {clip: [(time(a), time(b), label) for a, b, label in events] for clip, events in side.items()}


def by_class(ref: Rows, pred: Rows) -> list[tuple[Any, Any]]:
    """Intervals of both sides for each clip and class, as arrays."""
    labels = sorted({label for side in (ref, pred) for events in side.values() for _, _, label in events})
    return [
        tuple(  # type: ignore[misc]
            np.array([(float(a), float(b)) for a, b, name in side.get(clip, []) if name == label]).reshape(-1, 2)
            for side in (ref, pred)
        )
        for clip in ref | pred
        for label in labels
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_onsets_alone_give_as_many_pairs_as_match_events(seed: int) -> None:
    ref, pred = (eighths(side) for side in random_sides(seed, most=14, labels=2, places=12))
    expected = sum(len(util.match_events(a[:, 0], b[:, 0], 0.25)) for a, b in by_class(ref, pred) if len(a) and len(b))
    found = measured(ref, pred, event=policy(collar="0.25", offset="none"))
    assert found.event.exact.total.tp == found.event.sed_eval.total.tp == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_onsets_and_offsets_give_as_many_pairs_as_match_notes(seed: int) -> None:
    # A note of length zero is no note to mir_eval.
    ref, pred = (
        {clip: [event for event in events if event[0] != event[1]] for clip, events in eighths(side).items()}
        for side in random_sides(seed, most=14, labels=2, places=12)
    )
    expected = 0
    for a, b in by_class(ref, pred):
        if len(a) and len(b):
            pitches = np.full(len(a), 440.0), np.full(len(b), 440.0)
            expected += len(
                transcription.match_notes(
                    a,
                    pitches[0],
                    b,
                    pitches[1],
                    onset_tolerance=0.25,
                    offset_ratio=0.25,
                    offset_min_tolerance=0.25,
                )
            )
    found = measured(ref, pred, event=policy(collar="0.25", share="0.25"))
    assert found.event.exact.total.tp == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_rounded_to_four_decimals_mir_eval_decides_ties_of_onsets_as_exact_arithmetic_does(seed: int) -> None:
    """Tenths of a second are no binary numbers; its rounding puts them back."""
    ref, pred = random_sides(seed, most=14, labels=2, places=12)
    expected = sum(
        len(transcription.match_note_onsets(a, b, onset_tolerance=0.2))
        for a, b in by_class(ref, pred)
        if len(a) and len(b)
    )
    assert measured(ref, pred, event=policy(offset="none")).event.exact.total.tp == expected
