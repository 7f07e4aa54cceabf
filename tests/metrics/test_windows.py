"""Windows of classifiers: what a window is active for, against a loop over all windows, and what is said of them."""

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from cli.command import events, run
from hypothesis import given
from hypothesis import strategies as st

import tracepact
from tracepact.data.events import Event, EventTable
from tracepact.measures.policy import Windows

times = st.fractions(0, 30, max_denominator=8) | st.integers(0, 10**12).map(lambda n: Fraction(n, 10**11))
lengths = st.fractions(Fraction(1, 8), 5, max_denominator=8)


@given(onset=times, lasting=st.fractions(0, 12, max_denominator=8), length=lengths, share=st.fractions(0, 1))
def test_a_window_is_active_for_what_shares_enough_with_it(
    onset: Fraction, lasting: Fraction, length: Fraction, share: Fraction
) -> None:
    overlap = share * length or length
    windows, event = Windows(length, overlap), Event(onset, onset + lasting, "x")
    last = int((onset + lasting) / length) + 2
    shared = [min(event.offset, (k + 1) * length) - max(onset, k * length) for k in range(last)]
    assert list(windows.numbers(event)) == [k for k in range(last) if shared[k] >= overlap]


@given(
    spans=st.lists(st.tuples(times, st.fractions(0, 9, max_denominator=4), st.sampled_from("xy")), max_size=6),
    length=lengths,
)
def test_windows_that_follow_one_another_are_one_event(
    spans: list[tuple[Fraction, Fraction, str]], length: Fraction
) -> None:
    windows = Windows(length, length / 4)
    table = EventTable("t", {"a": tuple(Event(onset, onset + lasting, label) for onset, lasting, label in spans)})
    made = windows.of(table, None).clips["a"]
    for label in "xy":
        active = {k for event in table.clips["a"] if event.label == label for k in windows.numbers(event)}
        own = [event for event in made if event.label == label]
        assert active == {k for event in own for k in range(int(event.onset / length), int(event.offset / length))}
        assert all(one.offset < other.onset for one, other in pairwise(own))


def test_a_detection_of_three_seconds_meets_the_call_in_it() -> None:
    # The call lies in window 0 by 1.5 s and in window 1 by 0.25 s; the detector fired in window 0 alone.
    sides = [(1.5, 3.25, "wren")], [(0, 3, "wren")]
    found = tracepact.metrics(*sides, durations=9, windows="3s")
    assert (found["segment_tp"], found["segment_fp"], found["segment_fn"]) == (1, 0, 0)
    closer = tracepact.metrics(*sides, durations=9, windows="3s", least_overlap="0.25s")
    assert (closer["segment_tp"], closer["segment_fn"], closer["segment_recall"]) == (1, 1, Fraction(1, 2))
    said = [d.headline for d in closer.diagnostics if d.code == "windows"]
    assert ["3 s" in text and "0 of 1 event" in text for text in said] == [True]


def test_what_no_window_holds_is_counted() -> None:
    found = tracepact.metrics([(1, 1.25, "wren"), (2.75, 3.25, "wren")], [(0, 3, "wren")], durations=9, windows="3s")
    assert ["2 of 2 events" in d.headline for d in found.diagnostics if d.code == "windows"] == [True]
    assert (found["segment_tp"], found["segment_fp"]) == (0, 1)


def test_the_last_window_ends_with_its_clip() -> None:
    table = Windows(Fraction(3), Fraction(1, 2)).of(EventTable("t", {"a": (Event(Fraction(3), Fraction(4), "x"),)}), 4)
    assert [(event.onset, event.offset) for event in table.clips["a"]] == [(3, 4)]


def test_one_table_of_annotations_goes_with_a_folder_of_detections(tmp_path: Path) -> None:
    (tmp_path / "pred").mkdir()
    for clip, rows in (("a", "0.0\t3.0\tWren\t0.9\n6.0\t9.0\tWren\t0.2\n"), ("b", "3.0\t6.0\tTit\t0.8\n"), ("c", "")):
        (tmp_path / "pred" / f"{clip}.BirdNET.results.txt").write_text(rows)
    (tmp_path / "ref.tsv").write_text(events("a.wav 1 2.5 Wren", "b.wav 0.5 1 Tit", "b.wav 4 5 Tit", "c.wav   "))
    words = ("--ref", "ref.tsv", "--pred", "pred", "--durations", "9", "--windows", "3s", "--threshold", "0.5")
    done = run("metrics", *words, "--format", "csv", folder=tmp_path)
    assert done.code == 0, done.err
    row = next(line.split(",") for line in done.out.splitlines() if line.startswith("segment") and ",micro," in line)
    assert "2,0,1" in ",".join(row)  # window 0 of a, window 1 of b; window 0 of b is missed


@pytest.mark.parametrize("options", [{"windows": "3s", "least_overlap": "4s"}, {"windows": 0}])
def test_windows_that_nothing_can_fill_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(tracepact.InvalidInput):
        tracepact.metrics([(0, 1)], [(0, 1)], durations=9, **options)  # type: ignore[arg-type]
