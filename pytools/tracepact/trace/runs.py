"""Runs: maximal half-open intervals of active frames (rules 5.5 and 5.8)."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

Run = tuple[int, int]


def union_runs(intervals: Iterable[Run]) -> tuple[Run, ...]:
    """The maximal runs of the union of frame intervals; touching ones become one."""
    runs: list[Run] = []
    for start, end in sorted(intervals):
        if end <= start:
            continue
        if runs and start <= runs[-1][1]:
            runs[-1] = (runs[-1][0], max(runs[-1][1], end))
        else:
            runs.append((start, end))
    return tuple(runs)


def join_runs(runs: Sequence[Run], merge_gap: Fraction, step: Fraction) -> tuple[Run, ...]:
    """Join runs whose gap of k frames has k·step <= merge_gap."""
    widest = merge_gap // step
    if widest == 0:
        return tuple(runs)
    joined: list[Run] = []
    for start, end in runs:
        if joined and start - joined[-1][1] <= widest:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return tuple(joined)


def runs_of_frames(frames: Sequence[bool]) -> tuple[Run, ...]:
    """The runs of a mask given frame by frame."""
    runs: list[Run] = []
    start: int | None = None
    for index, active in enumerate(frames):
        if active and start is None:
            start = index
        elif not active and start is not None:
            runs.append((start, index))
            start = None
    if start is not None:
        runs.append((start, len(frames)))
    return tuple(runs)
