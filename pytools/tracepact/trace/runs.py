"""Runs: maximal half-open intervals of active frames (rules 5.5 and 5.8)."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from tracepact.core.runs import FrameRun


def union_runs(intervals: Iterable[FrameRun]) -> tuple[FrameRun, ...]:
    """The maximal runs of the union of frame intervals; touching ones become one."""
    runs: list[FrameRun] = []
    for start, end in sorted(intervals):
        if end <= start:
            continue
        if runs and start <= runs[-1][1]:
            runs[-1] = (runs[-1][0], max(runs[-1][1], end))
        else:
            runs.append((start, end))
    return tuple(runs)


def join_runs(runs: Sequence[FrameRun], merge_gap: Fraction, step: Fraction) -> tuple[FrameRun, ...]:
    """Join runs whose gap of k frames has k·step <= merge_gap."""
    widest = merge_gap // step
    if widest == 0:
        return tuple(runs)
    joined: list[FrameRun] = []
    for start, end in runs:
        if joined and start - joined[-1][1] <= widest:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return tuple(joined)
