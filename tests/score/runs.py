"""Runs to store: drawn tables with odd names and times, and one fixed small run."""

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

import tracepact
from tracepact.data.events import Durations, Event, EventTable
from tracepact.data.tables import Conditions
from tracepact.runs.run import Run

CONTRACT = """contract stored "What is stored"
step 1/3s
param tol = 1f
sweep tol = 1f 2f
atom zone "where it counts"
clause onset on ref_onset : ref_onset -> N[tol] pred_onset
clause  plain on ref_active & zone :   G[1f] ref_active   -> pred_active  # spaces and remarks are kept
clause whole on each ref : matched and covering <= 1
clause length on each matched : abs(pred.duration - ref.duration) <= 0.25 * ref.duration
profile recall : onset = 1
"""
NAMES = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=6).map(str.strip).filter(bool)
TIMES = st.fractions(0, 5, max_denominator=60)


def small_run(**changes: Any) -> Run:
    """A run of two clips and two classes, with every kind of table."""
    given: dict[str, Any] = {
        "ref": {"a.wav": [(0.5, 3.25, "x"), (4, 9, "y")], "b.wav": []},
        "pred": {"a.wav": [(0, 1, "x"), (2, 3, "x"), (5, 9.1, "y")], "b.wav": [(1, 2, "x")]},
        "durations": {"a.wav": 12, "b.wav": "4.5"},
        "ignore": {"a.wav": [(8, 9)]},
        "conditions": {"a.wav": "loud", "b.wav": "soft"},
        "masks": {"zone": {"a.wav": [True] * 20 + [False] * 16, "b.wav": [False] * 14}},
        **changes,
    }
    return tracepact.score(CONTRACT, given.pop("ref"), given.pop("pred"), **given)


@st.composite
def runs(draw: st.DrawFn) -> Run:
    """Runs over clips and labels of any name, with times that need not be decimals."""
    clips = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    labels = draw(st.lists(NAMES, min_size=1, max_size=2, unique=True))

    def table(name: str, names: list[str]) -> EventTable:
        events = st.builds(_event, TIMES, TIMES, st.sampled_from(names), st.none() | st.integers(0, 99))
        found = {clip: tuple(draw(st.lists(events, max_size=4))) for clip in clips}
        return EventTable(name, found, draw(st.none() | st.just("0" * 64)))

    lengths = {clip: draw(st.fractions(6, 9, max_denominator=60)) for clip in clips}
    frames = {clip: -(-length // Fraction(1, 3)) for clip, length in lengths.items()}
    masks = {clip: draw(st.lists(st.booleans(), min_size=n, max_size=n)) for clip, n in frames.items()}
    condition = Conditions("c", {clip: draw(NAMES) for clip in clips})
    return tracepact.score(
        CONTRACT,
        table("r", labels),
        table("p", labels),
        durations=draw(st.sampled_from([Durations("d", lengths, "1" * 64), Durations("d", lengths)])),
        mode=draw(st.sampled_from(["class_indexed", "union"])),
        ignore=draw(st.sampled_from([None, table("i", [*labels, ""])])),
        masks={"zone": masks},
        conditions=draw(st.sampled_from([None, condition])),
        set=draw(st.sampled_from([None, {"tol": "2f"}])),
    )


def _event(a: Fraction, b: Fraction, label: str, row: int | None) -> Event:
    return Event(min(a, b), max(a, b), label, row)
