"""What bounds mean in written times: sentences worked out by hand, and no event beyond what they say."""

import re
from fractions import Fraction

import pytest
from cli.command import run
from hypothesis import assume, given
from hypothesis import strategies as st

from tracepact.data.family import Grid
from tracepact.language.compilation import parse_contract
from tracepact.language.contract import Projection
from tracepact.language.explanation import written_times

STEP = Fraction(1, 50)
HEAD = "contract c\nstep 20ms\n"
SENTENCES = {
    # Rounded to frames, two onsets move by less than 20 ms against each other: 20 ms becomes less than 40 ms.
    "on ref_onset : N[20ms] pred_onset": ["`20ms`: within 20 ms on frames of 20 ms: up to just under 40 ms"],
    # 30 ms are two frames (2.6).
    "on ref_onset : N[30ms] pred_onset": ["`30ms`: within 40 ms on frames of 20 ms: up to just under 60 ms"],
    "on ref_onset : F[-20ms,60ms] pred_onset": [
        "`-20ms` to `60ms`: from -20 ms to 60 ms on frames of 20 ms: from just over -40 ms to just under 80 ms"
    ],
    "on pred_onset : pred_active U[40ms] ref_active": [
        "`40ms`: from 0 ms to 40 ms on frames of 20 ms: from just over -20 ms to just under 60 ms"
    ],
    # A frame of the clip has no written time.
    "on ref_offset & F[2f,2f] true : !pred_active": [],
    "on ref_onset : pred_onset": [],
    "on each matched : abs(pred.onset - ref.onset) <= 20ms": [
        "`abs(pred.onset - ref.onset) <= 20ms`: within 20 ms on frames of 20 ms: up to just under 40 ms"
    ],
    # Less than 40 ms are 20 ms at most.
    "on each matched : abs(pred.onset - ref.onset) < 40ms": [
        "`abs(pred.onset - ref.onset) < 40ms`: within 20 ms on frames of 20 ms: up to just under 40 ms"
    ],
    "on each ref : pred.onset >= ref.onset - 40ms": [
        "`pred.onset >= ref.onset - 40ms`: at least -40 ms on frames of 20 ms: down to just over -60 ms"
    ],
    "on each ref : 40ms >= pred.onset - ref.onset": [
        "`40ms >= pred.onset - ref.onset`: at most 40 ms on frames of 20 ms: up to just under 60 ms"
    ],
    # Two lengths have four edges, each moved by at most half a frame.
    "on each matched : abs(pred.duration - ref.duration) <= 60ms": [
        "`abs(pred.duration - ref.duration) <= 60ms`: within 60 ms on frames of 20 ms: up to just under 100 ms"
    ],
    # One edge moves by half a frame at most, forwards only by less: a centre at the onset is in.
    "on each ref : ref.onset <= 1s": ["`ref.onset <= 1s`: at most 1000 ms on frames of 20 ms: up to 1010 ms"],
    "on each ref : ref.onset >= 1s": [
        "`ref.onset >= 1s`: at least 1000 ms on frames of 20 ms: down to just over 990 ms"
    ],
    # Neither a constant bound nor a sum of edges.
    "on each ref : abs(pred.onset - ref.onset) <= 0.2 * ref.duration": [],
    "on each ref : longest_gap <= 40ms": [],
    "on each ref : iou >= 0.5": [],
}


@pytest.mark.parametrize("clause", SENTENCES)
def test_each_bound_has_its_sentence(clause: str) -> None:
    contract = parse_contract(f"{HEAD}clause a {clause}\n")
    assert list(written_times(contract.clauses[0], contract)) == [
        f"{sentence} in written times" for sentence in SENTENCES[clause]
    ]


def test_a_window_under_another_projection_is_one_between_edges_of_one_kind() -> None:
    contract = parse_contract(f"{HEAD}projection touch\nclause a on ref_onset : N[20ms] pred_onset\n")
    (sentence,) = written_times(contract.clauses[0], contract)
    assert sentence.endswith("up to just under 40 ms in written times, between edges of one kind")


_TIMES = st.integers(0, 400).map(lambda number: Fraction(number, 1000))
_EVENTS = st.tuples(_TIMES, _TIMES.map(lambda length: length + Fraction(1, 1000)))
_DIFFERENCES = {
    "pred.onset - ref.onset": lambda ref, pred: pred[0] - ref[0],
    "pred.offset - ref.offset": lambda ref, pred: pred[1] - ref[1],
    "pred.offset - ref.onset": lambda ref, pred: pred[1] - ref[0],
    "pred.duration": lambda ref, pred: pred[1] - pred[0],
    "pred.duration - ref.duration": lambda ref, pred: pred[1] - pred[0] - ref[1] + ref[0],
    "pred.onset": lambda ref, pred: pred[0],
    "pred.offset": lambda ref, pred: pred[1],
}


@pytest.mark.parametrize("projection", Projection)
@pytest.mark.parametrize("difference", _DIFFERENCES)
@pytest.mark.parametrize("relation", ["<=", ">="])
@given(_EVENTS, _EVENTS)
def test_no_written_time_is_beyond_what_the_sentence_says(
    projection: Projection,
    difference: str,
    relation: str,
    ref: tuple[Fraction, Fraction],
    pred: tuple[Fraction, Fraction],
) -> None:
    """The bound is set to what the two events come to on the grid, so that every draw is one that just holds."""
    grid = Grid(STEP, projection)
    frames = [grid.project(onset, onset + length) for onset, length in (ref, pred)]
    assume(all(start < end for start, end in frames))
    value = _DIFFERENCES[difference]
    limit = value(*frames) * STEP
    text = f"{HEAD}projection {projection.value}\nclause a on each matched : {difference} {relation} {limit * 1000}ms\n"
    contract = parse_contract(text.replace("/1ms", "ms"))
    (sentence,) = written_times(contract.clauses[0], contract)
    end = re.search(r"(up|down) to (just \w+ )?(-?\d+(?:\.\d+)?) ms in written", sentence)
    assert end is not None
    written = value((ref[0], sum(ref)), (pred[0], sum(pred))) * 1000
    bound = Fraction(end[3])
    beyond = written - bound if relation == "<=" else bound - written
    assert beyond < 0 or (beyond == 0 and end[2] is None)


@pytest.mark.parametrize("projection", Projection)
def test_the_bound_of_two_onsets_is_reached_but_for_a_millisecond(projection: Projection) -> None:
    """Two onsets 39 ms apart that lie one frame apart on the grid, wherever frames begin to count an event."""
    grid = Grid(STEP, projection)
    first = {grid.project(Fraction(ms, 1000), Fraction(1))[0]: ms for ms in range(100, 200)}
    last = {grid.project(Fraction(ms, 1000), Fraction(1))[0]: ms for ms in reversed(range(100, 200))}
    assert max(first[frame + 1] - last[frame] for frame in list(first)[1:-2]) == 39


def test_explain_says_it_of_a_starter() -> None:
    shown = " ".join(run("explain", "boundary_gate", "--no-notes").out.split())
    assert "`tol`: within 40 ms on frames of 20 ms: up to just under 60 ms in written times" in shown
