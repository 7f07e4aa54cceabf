"""Events in columns: clips and labels by index, times in whole ticks; exact, and many at once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.trace.event import EventTable

Ticks = NDArray[Any]
"""Whole numbers: int64 where they have room to be doubled and added, else Python's own integers."""

_ROOM = 1 << 60


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The events of one side in the table's order, times in ticks of `1 / unit` seconds.

    A clip or label that has no index is -1.
    """

    unit: int
    clip: NDArray[np.int64]
    label: NDArray[np.int64]
    onset: Ticks
    offset: Ticks

    def __len__(self) -> int:
        return len(self.clip)


def common_unit(*times: Iterable[Fraction]) -> int:
    """Ticks a second such that all these times are whole."""
    return lcm(*{time.denominator for some in times for time in some})


def ticks(times: Sequence[Fraction], unit: int) -> Ticks:
    """Times in ticks of `1 / unit` seconds; the unit is a multiple of every denominator."""
    whole = [top * (unit // bottom) for top, bottom in map(Fraction.as_integer_ratio, times)]
    fits = max(whole, default=0) < _ROOM and min(whole, default=0) > -_ROOM
    return np.array(whole, dtype=np.int64 if fits else np.object_)


def table_times(table: EventTable) -> Iterable[Fraction]:
    """Every onset and offset of a table."""
    return (time for events in table.clips.values() for event in events for time in (event.onset, event.offset))


def columns(table: EventTable, clips: Mapping[str, int], labels: Mapping[str, int], unit: int) -> Columns:
    """The events of a table under given numberings of clips and labels."""
    events = [event for some in table.clips.values() for event in some]
    numbers = np.array([clips.get(clip, -1) for clip in table.clips], dtype=np.int64)
    return Columns(
        unit,
        np.repeat(numbers, [len(some) for some in table.clips.values()]),
        np.array([labels.get(event.label, -1) for event in events], dtype=np.int64),
        ticks([event.onset for event in events], unit),
        ticks([event.offset for event in events], unit),
    )
