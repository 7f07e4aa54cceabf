"""Events in columns: clips and labels by index, times in whole ticks; exact, and many at once."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracepact.trace.event import EventTable
from tracepact.trace.exact_times import Ticks, ticks


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
