"""Lengths of where intervals of several tracks meet, found by one sweep over all their ends."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracepact.metrics.counts import Counts
from tracepact.trace.family import Runs
from tracepact.trace.run_columns import run_columns

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Intervals `[start, end)` of whole cells in columns: frames or segments of clip and class; they may overlap."""

    clip: Indices
    label: Indices
    start: Indices
    end: Indices

    @classmethod
    def of_runs(cls, runs: Runs, clips: int) -> "Cells":
        """The runs of one side of a family, given its number of clips."""
        columns = run_columns(runs)
        label, clip = np.divmod(columns.segment, max(clips, 1))
        return cls(clip, label, columns.start, columns.end)

    def cut(self, cells: Indices) -> "Cells":
        """What lies within the first cells of each clip, given their number."""
        end = np.minimum(self.end, cells[self.clip])
        kept = self.start < end
        return Cells(self.clip[kept], self.label[kept], self.start[kept], end[kept])

    def __len__(self) -> int:
        return len(self.clip)


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """A line cut at every end of an interval: start and length of each piece, how many of each track cover it."""

    start: Indices
    length: Indices
    covered: NDArray[np.int64]


def pieces(tracks: Sequence[tuple[Indices, Indices]]) -> Pieces:
    """Sweep over tracks of intervals `[start, end)` on one line."""
    ends = np.concatenate([end for track in tracks for end in track])
    turns = np.zeros((len(tracks), len(ends)), dtype=np.int64)
    place = 0
    for number, (start, end) in enumerate(tracks):
        turns[number, place : place + len(start)] = 1
        turns[number, place + len(start) : place + len(start) + len(end)] = -1
        place += len(start) + len(end)
    order = np.argsort(ends, kind="stable")
    line = ends[order]
    return Pieces(line[:-1], np.diff(line), np.cumsum(turns[:, order], axis=1)[:, :-1])


@dataclass(frozen=True, slots=True, eq=False)
class CountedCells:
    """The counts of cells, and the active pieces of both sides, all classes laid over one another."""

    counts: Counts
    longest: int
    ref: tuple[Indices, Indices]
    pred: tuple[Indices, Indices]

    @property
    def errors(self) -> Counts:
        """Substitutions, deletions, insertions and references of every clip (rule 15.7)."""
        found = pieces([self.ref, self.pred])
        in_ref, in_pred = found.covered * found.length
        common = np.minimum(in_ref, in_pred)
        clip = found.start // self.longest
        correct = self.counts.segment % max(self.counts.clips, 1), -self.counts.values[0]
        substituted = np.concatenate([clip, correct[0]]), np.concatenate([common, correct[1]])
        kinds = [substituted, (clip, in_ref - common), (clip, in_pred - common), (clip, in_ref)]
        return Counts.of(1, self.counts.clips, kinds)


def count_cells(
    ref: Cells, pred: Cells, shape: tuple[int, int], *, within: Cells | None = None, without: Cells | None = None
) -> CountedCells:
    """Count the cells of both sides (rule 15.4), given the numbers of classes and clips.

    Only those `within` some intervals count, if given, and none `without`.
    """
    given = [ref, pred, *(some for some in (within, without) if some is not None)]
    longest = 1 + max(int(some.end.max(initial=0)) for some in given)
    classes, clips = shape
    found = pieces([_on_line(some, longest, clips) for some in given])
    active = found.covered > 0
    counted = found.length > 0
    if within is not None:
        counted &= active[2]
    if without is not None:
        counted &= ~active[-1]
    start, length = found.start[counted], found.length[counted]
    in_ref, in_pred = active[0][counted], active[1][counted]
    segment = start // longest
    parts = (in_ref & in_pred, in_pred & ~in_ref, in_ref & ~in_pred)
    counts = Counts.of(classes, clips, [(segment[where], length[where]) for where in parts])
    place = start % (longest * max(clips, 1))
    ref_pieces, pred_pieces = ((place[where], (place + length)[where]) for where in (in_ref, in_pred))
    return CountedCells(counts, longest, ref_pieces, pred_pieces)


def _on_line(cells: Cells, longest: int, clips: int) -> tuple[Indices, Indices]:
    """All clips of all classes one after another."""
    base = (cells.label * clips + cells.clip) * longest
    return base + cells.start, base + cells.end
