"""Small comparisons: both sides as text, and seeded random ones with touching and overlapping events."""

import random
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tracepact import load_contract
from tracepact.data.events import EventTable
from tracepact.data.memory import durations_from, events_from
from tracepact.diagnostics.collection import Diagnostics
from tracepact.language.contract import Contract
from tracepact.measures.policy import Empty, Evaluated, EventPolicy, MacroOver, MetricSettings, OffsetRule
from tracepact.measures.standard import StandardMetrics
from tracepact.measures.tables import compare

Rows = dict[str, list[tuple[str, str, str]]]
"""Onset, offset and label by clip, as decimal text."""

CONTRACT: Contract = load_contract("boundary_gate")


def rows(text: str) -> list[tuple[str, str, str]]:
    """The events of one clip, written `a 1 2, b 0.5 3`: label, onset, offset."""
    found = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        label, onset, offset = part.split()
        found.append((onset, offset, label))
    return found


def table(events: Mapping[str, Any], name: str = "table") -> EventTable:
    """An exact table of events by clip."""
    diagnostics = Diagnostics()
    found = events_from(dict(events), diagnostics, name=name)
    diagnostics.raise_errors()
    return found


def policy(collar: str = "0.2", offset: str = "max", share: str = "0.2") -> EventPolicy:
    """An event policy by its parts."""
    return EventPolicy(Fraction(collar), OffsetRule(offset), Fraction(share))


def measured(
    ref: Mapping[str, Any] | str,
    pred: Mapping[str, Any] | str,
    *,
    event: EventPolicy | None = None,
    segment: str = "1",
    transition: str = "0.2",
    evaluated: Evaluated = Evaluated.EVENTS,
    empty: Empty = Empty.UNDEFINED,
    macro: MacroOver = MacroOver.DEFINED,
    durations: Any = None,
    contract: Contract = CONTRACT,
    diagnostics: Diagnostics | None = None,
    **options: Any,
) -> StandardMetrics:
    """The metrics of two sides; one clip's may be written as text."""
    sides = [table({"clip": rows(side)} if isinstance(side, str) else side) for side in (ref, pred)]
    found = diagnostics if diagnostics is not None else Diagnostics()
    settings = MetricSettings(event or EventPolicy(), Fraction(segment), Fraction(transition), evaluated, empty, macro)
    lengths = durations_from(durations, found)
    return compare(contract, *sides, durations=lengths, settings=settings, diagnostics=found, **options)


def random_sides(seed: int, *, clips: int = 3, most: int = 9, labels: int = 3, places: int = 40) -> tuple[Rows, Rows]:
    """Two sides whose events touch, overlap, repeat and lie exactly at collars; decimals of one place.

    Most predictions are a reference moved by up to 0.3 s; some clips are on one side only.
    """
    draw = random.Random(seed)

    def time(tenths: int) -> str:
        return f"{max(tenths, 0) / 10:.1f}"

    ref: Rows = {}
    pred: Rows = {}
    for clip in range(clips):
        name = f"clip{clip}"
        starts = [draw.randrange(places) for _ in range(draw.randrange(most))]
        events = [(s, s + draw.randrange(1, 14), f"label{draw.randrange(labels)}") for s in starts]
        moved = []
        for start, end, label in events:
            for _ in range(draw.choice((0, 1, 1, 1, 2))):
                onset = max(start + draw.randrange(-3, 4), 0)
                offset = max(end + draw.randrange(-4, 5), onset)
                moved.append((onset, offset, label if draw.random() < 0.8 else f"label{draw.randrange(labels)}"))
        draw.shuffle(moved)
        if draw.random() < 0.9:
            ref[name] = [(time(s), time(e), label) for s, e, label in events]
        if draw.random() < 0.9 or name not in ref:
            pred[name] = [(time(s), time(e), label) for s, e, label in moved]
    return ref, pred
