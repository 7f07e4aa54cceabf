"""The event matching against mir_eval: as many pairs, by onsets alone and by onsets and offsets."""

import json
import random
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli.command import run
from metrics.builders import Rows, measured, policy, random_sides

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    util = pytest.importorskip("mir_eval.util")
    transcription = pytest.importorskip("mir_eval.transcription")

SEEDS = range(60)
Span = tuple[int, int]


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


def few_shot_counts(pos: list[Span], unknown: list[Span], preds: list[Span]) -> tuple[int, int, int]:
    """True and false positives and false negatives as the scorer of the DCASE few-shot task counts them, in two rounds.

    Its matching is mir_eval's, on the pairs above 0.3, reference by reference, all taken by their starts.
    """

    def taken(refs: list[Span], others: list[Span]) -> set[int]:
        graph: dict[int, list[int]] = {}
        for k, (onset, offset) in enumerate(refs):
            for j, (start, end) in enumerate(others):
                shared = min(offset, end) - max(onset, start)
                if shared > 0 and 10 * shared > 3 * (max(offset, end) - min(onset, start)):
                    graph.setdefault(j, []).append(k)
        return set(util._bipartite_match(graph).values())

    preds = sorted(preds)
    first = taken(sorted(pos), preds)
    second = taken(sorted(unknown), [pred for j, pred in enumerate(preds) if j not in first])
    return len(first), len(preds) - len(first) - len(second), len(pos) - len(first)


def test_unknown_events_of_few_shot_tables_count_as_in_the_scorer_of_that_task(tmp_path: Path) -> None:
    """Of 120 random tables, in which the other way of counting would differ for many (rule 15.24)."""
    differing = 0
    for seed in range(120):
        draw = random.Random(seed)

        def spans(most: int, draw: random.Random = draw) -> list[Span]:
            starts = draw.sample(range(80), draw.randrange(most))
            return [(start, start + draw.randrange(2, 16)) for start in starts]

        pos, unknown, preds = spans(12), spans(8), spans(16)
        rows = [(*span, mark) for some, mark in ((pos, "POS"), (unknown, "UNK")) for span in some]
        draw.shuffle(rows)
        written = "".join(f"a.wav,{a / 8},{b / 8},{mark}\n" for a, b, mark in rows)
        (tmp_path / "ref.csv").write_text(f"Audiofilename,Starttime,Endtime,Q\n{written}")
        written = "".join(f"a.wav,{a / 8},{b / 8}\n" for a, b in preds)
        (tmp_path / "pred.csv").write_text(f"Audiofilename,Starttime,Endtime\n{written}")
        counts = []
        for way in ("few-shot", "left-out"):
            sides = "--ref", "ref.csv", "--pred", "pred.csv", "--format", "json"
            found = run("metrics", *sides, "--overlap", "--unknown", way, "--clips", "all", folder=tmp_path)
            assert found.code == 0, found.err
            total = json.loads(found.out)["metrics"][0]["counts"]
            counts.append((total["tp"], total["fp"], total["fn"]))
        assert counts[0] == few_shot_counts(pos, unknown, preds), seed
        differing += counts[0] != counts[1]
    assert differing > 30
