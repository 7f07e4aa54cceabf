"""The meaning of formulas on runs instead of frames: what a trace of any length is judged by.

A mask is its runs, sorted and apart. Each operator is a closed form on them, so the cost grows with the runs and not
with the frames or the windows. `tests/conform/test_runwise.py` ties every one to the naive definition of chapter 6.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

from tracepact.core import (
    Always,
    And,
    Atom,
    Constant,
    Eventually,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Since,
    Until,
)
from tracepact.tools.conform.trees import LONGEST, BadCase
from tracepact.trace import FrameRun

Runs = list[FrameRun]


def truth_runs(formula: Formula, masks: Mapping[str, Sequence[bool]], frames: int) -> list[bool]:
    """The formula at every frame of a trace, by its runs."""
    runs = {name: runs_of(mask) for name, mask in masks.items()}
    found = [False] * frames
    for start, end in holds(formula, runs, frames):
        found[start:end] = [True] * (end - start)
    return found


def runs_of(mask: Sequence[bool]) -> Runs:
    """The runs of a mask."""
    frames = bytes(map(bool, mask)) + b"\0"
    found, end = [], 0
    while (start := frames.find(1, end)) >= 0:
        end = frames.find(0, start)
        found.append((start, end))
    return found


def holds(formula: Formula, masks: Mapping[str, Runs], frames: int) -> Runs:
    """The runs of frames where a formula holds on a trace of so many frames."""

    def of(part: Formula) -> Runs:
        found = holds(part, masks, frames)
        if len(found) > LONGEST:
            raise BadCase("a formula has more runs than can be judged")
        return found

    def other(runs: Runs) -> Runs:
        return complement(runs, frames)

    match formula:
        case Constant(value):
            return [(0, frames)] if value and frames else []
        case Atom(name):
            return masks[name]
        case Not(body):
            return other(of(body))
        case And(a, b):
            return other(union([*other(of(a)), *other(of(b))]))
        case Or(a, b):
            return union([*of(a), *of(b)])
        case Implies(a, b):
            return union([*other(of(a)), *of(b)])
        case Iff(a, b):
            left, right = of(a), of(b)
            return union([*_both(left, right, frames), *_both(other(left), other(right), frames)])
        case Eventually(lo, hi, body):
            return shifted(of(body), lo, hi, frames)
        case Always(lo, hi, body):
            return other(shifted(other(of(body)), lo, hi, frames))
        case Until(radius, a, b):
            return until(of(a), of(b), radius)
        case Since(radius, a, b):
            mirrored = until(mirror(of(a), frames), mirror(of(b), frames), radius)
            return mirror(mirrored, frames)


def union(runs: Iterable[FrameRun]) -> Runs:
    """The runs of the frames that some interval has."""
    found: Runs = []
    for start, end in sorted(run for run in runs if run[0] < run[1]):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def complement(runs: Runs, frames: int) -> Runs:
    """The runs of the frames that no run has."""
    ends = [0, *(end for _, end in runs)]
    starts = [*(start for start, _ in runs), frames]
    return [(a, b) for a, b in zip(ends, starts, strict=True) if a < b]


def mirror(runs: Runs, frames: int) -> Runs:
    """The trace read from its end."""
    return [(frames - end, frames - start) for start, end in reversed(runs)]


def _both(a: Runs, b: Runs, frames: int) -> Runs:
    return complement(union([*complement(a, frames), *complement(b, frames)]), frames)


def shifted(runs: Runs, lo: int, hi: int, frames: int) -> Runs:
    """Where some frame from `lo` to `hi` away is in a run: `[s, e)` reaches the frames from s − hi to e − 1 − lo."""
    return union((max(start - hi, 0), min(end - lo, frames)) for start, end in runs)


def until(left: Runs, right: Runs, radius: int) -> Runs:
    """Rule 6.4: where `right` holds, and before the start of each of its runs as far as `left` goes on to it.

    A frame outside of `right` has its first witness at the start of a run [s, e); so it must lie at most `radius`
    before s, in the run of `left` that has the frame s − 1.
    """
    starts = [start for start, _ in left]
    found = list(right)
    for start, _ in right:
        k = bisect_right(starts, start - 1) - 1
        if k >= 0 and left[k][0] < start <= left[k][1]:
            found.append((max(left[k][0], start - radius), start))
    return union(found)
