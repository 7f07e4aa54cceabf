"""Events in columns: clips and labels by index, times in whole ticks; exact, and many at once."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.trace.event import EventTable, Ratios, ratios

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


def common_unit(*times: Ratios | Iterable[Fraction]) -> int:
    """Ticks a second such that all these times are whole."""
    taken = (some if isinstance(some, Ratios) else ratios(some) for some in times)
    return lcm(*set().union(*(some.bottoms for some in taken)))


def ticks(times: Ratios, unit: int) -> Ticks:
    """Times in ticks of `1 / unit` seconds; the unit is a multiple of every denominator."""
    widest = max(max(times.tops, default=0), -min(times.tops, default=0))
    if widest * unit < _ROOM:
        return np.array(times.tops, dtype=np.int64) * (unit // np.array(times.bottoms, dtype=np.int64))
    whole = [top * (unit // bottom) for top, bottom in zip(times.tops, times.bottoms, strict=True)]
    return np.array(whole, dtype=np.int64 if max(map(abs, whole)) < _ROOM else np.object_)


def columns(table: EventTable, clips: Mapping[str, int], labels: Mapping[str, int], unit: int) -> Columns:
    """The events of a table under given numberings of clips and labels."""
    numbers = np.array([clips.get(clip, -1) for clip in table.clips], dtype=np.int64)
    onset, offset = ticks(table.times, unit).reshape(2, -1)
    return Columns(
        unit,
        np.repeat(numbers, [len(events) for events in table.clips.values()]),
        np.array([labels.get(e.label, -1) for events in table.clips.values() for e in events], dtype=np.int64),
        onset,
        offset,
    )
