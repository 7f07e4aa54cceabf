"""The runs of many segments in columns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tracepact.core.runs import FrameRun

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RunColumns(Mapping[int, tuple[FrameRun, ...]]):
    """The runs of many segments, by segment and time: in columns, and as a mapping for who looks at one segment."""

    segment: Indices
    start: Indices
    end: Indices

    @cached_property
    def runs(self) -> list[FrameRun]:
        """Every run, in the order of the columns."""
        return list(zip(self.start.tolist(), self.end.tolist(), strict=True))

    @cached_property
    def _by_segment(self) -> dict[int, tuple[FrameRun, ...]]:
        first = np.flatnonzero(np.diff(self.segment, prepend=-1))
        last = np.append(first[1:], len(self.segment)).tolist()
        owners = zip(self.segment[first].tolist(), first.tolist(), last, strict=False)
        return {owner: tuple(self.runs[a:b]) for owner, a, b in owners}

    def __getitem__(self, segment: int) -> tuple[FrameRun, ...]:
        return self._by_segment[segment]

    def __iter__(self) -> Iterator[int]:
        return iter(self._by_segment)

    def __len__(self) -> int:
        return len(self._by_segment)

    def overlapping(self, others: "RunColumns") -> tuple[Indices, Indices]:
        """For each run the first and one past the last of the others in its segment that share a frame with it."""
        # One number line for all segments: no run reaches into the stretch of the next one.
        stretch = 1 + max(int(self.end.max(initial=0)), int(others.end.max(initial=0)))
        mine, theirs = self.segment * stretch, others.segment * stretch
        first = np.searchsorted(theirs + others.end, mine + self.start, side="right")
        last = np.searchsorted(theirs + others.start, mine + self.end, side="left")
        return first, np.maximum(first, last)


def run_columns(runs: Mapping[int, Sequence[FrameRun]]) -> RunColumns:
    """Runs by segment, sorted and disjoint, in columns."""
    if isinstance(runs, RunColumns):
        return runs
    rows = [(segment, start, end) for segment in sorted(runs) for start, end in runs[segment]]
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return RunColumns(table[:, 0], table[:, 1], table[:, 2])
