"""Runs: maximal half-open ranges of active frames (rule 5.5)."""

from collections.abc import Sequence

FrameRun = tuple[int, int]


def runs_of_frames(frames: Sequence[bool]) -> tuple[FrameRun, ...]:
    """The runs of a mask given frame by frame."""
    runs: list[FrameRun] = []
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
