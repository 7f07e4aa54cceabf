"""Every run that some threshold gives, once, with the thresholds at which it is there.

A run of frames is there at the cuts above the greater of the two scores beside it and up to the least score in it. So
each frame is the least one of one run, and a clip and class has at most as many runs as frames, over all thresholds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import lcm

import numpy as np

from tracepact.metrics.intervals import inside_regions
from tracepact.thresholds.detections import Detections
from tracepact.thresholds.family import FieldFamily
from tracepact.thresholds.steps import Steps, StepsBuilder, Whole
from tracepact.trace import NOWHERE, EventTable, Mode
from tracepact.trace.columns import Columns, columns
from tracepact.trace.exact_times import Ticks, common_unit, ratios, ticks

_CELLS = 2**20
"""About how many frames are looked at at once."""
_WALL = NOWHERE - 1


@dataclass(frozen=True, slots=True, eq=False)
class LevelRuns:
    """The runs of a field on its own frames, by segment; each is there at the cuts c with low < c <= high.

    Attributes:
        unit: ticks a second.
        edges: the edges of the frames of every clip, in ticks.
        segment: whose run it is.
        first: its first frame.
        last: the frame after its last.
        onset: its start in ticks.
        offset: its end in ticks.
        low: the greatest rank at which it is not yet there.
        high: the greatest rank at which it is.
    """

    unit: int
    edges: tuple[Ticks, ...]
    segment: Whole
    first: Whole
    last: Whole
    onset: Ticks
    offset: Ticks
    low: Whole
    high: Whole

    def __len__(self) -> int:
        return len(self.segment)

    def some(self, which: Whole) -> "LevelRuns":
        """Some of the runs."""
        names = ("segment", "first", "last", "onset", "offset", "low", "high")
        return replace(self, **{name: getattr(self, name)[which] for name in names})

    def number(self, shape: tuple[int, int]) -> Steps:
        """How many runs each class and clip has."""
        builder = StepsBuilder(shape, 1)
        add_lives(builder, self.segment, self.low, self.high, np.ones((1, len(self)), dtype=np.int64))
        return builder.build()


def add_lives(builder: StepsBuilder, entry: Whole, low: Whole, high: Whole, amount: Whole) -> None:
    """Add amounts, counts × lives, at the cuts from low + 1 up to high."""
    builder.add(low + 1, entry, amount)
    builder.add(high + 1, entry, -amount)


def level_runs(given: FieldFamily, times: Sequence[Fraction] = ()) -> LevelRuns:
    """The runs of a field, or its detections; `times` and all times of the reference are whole in their unit."""
    if given.detections is not None:
        return _detected(given, given.detections, times)
    clips = [given.field.clips.get(clip) for clip in given.family.clips]
    lines = {id(scores.edges): ratios(scores.edges) for scores in clips if scores is not None}
    unit = lcm(reference_unit(given, times), common_unit(*lines.values()))
    known = {key: ticks(line, unit) for key, line in lines.items()}
    none = np.zeros(1, dtype=np.int64)
    edges = tuple(none if scores is None else known[id(scores.edges)] for scores in clips)
    union = given.family.mode is Mode.UNION
    parts = list(_portions([None if scores is None else scores.ranks for scores in clips], 0 if union else len(clips)))
    none_found = tuple([np.zeros(0, dtype=np.int64)] for _ in range(5))
    found = list(zip(*parts, strict=True)) or none_found
    segment, first, last, low, high = (np.concatenate(part) for part in found)
    begins = np.cumsum([0, *(len(line) for line in edges)])[:-1]
    flat = np.concatenate([np.zeros(0, dtype=np.int64), *edges])
    at = begins[segment % max(len(clips), 1)] if len(clips) else segment
    return LevelRuns(unit, edges, segment, first, last, flat[at + first], flat[at + last], low, high)


def _detected(given: FieldFamily, detections: Detections, times: Sequence[Fraction]) -> LevelRuns:
    """Every detection as a run that is there at all cuts up to its own; its frames end where detections do."""
    unit = lcm(reference_unit(given, times), common_unit(detections.table.times))
    found = _columns(detections.table, given, unit)
    clips = given.shape[1]
    order = np.argsort(found.clip, kind="stable")
    begins = np.searchsorted(found.clip[order], np.arange(clips + 1)).tolist()
    first, last = np.zeros_like(found.clip), np.zeros_like(found.clip)
    edges = []
    for begin, end in pairwise(begins):
        own = order[begin:end]
        line = np.unique(np.concatenate([np.zeros(1, dtype=np.int64), found.onset[own], found.offset[own]]))
        first[own], last[own] = np.searchsorted(line, found.onset[own]), np.searchsorted(line, found.offset[own])
        edges.append(line)
    segment = found.label * clips + found.clip
    low = np.full_like(detections.ranks, NOWHERE)
    return LevelRuns(unit, tuple(edges), segment, first, last, found.onset, found.offset, low, detections.ranks)


def apart(runs: LevelRuns, clips: int) -> LevelRuns:
    """The cells that runs are made of, each at the cuts of the runs around it: no two of one segment overlap."""
    order = np.argsort(runs.segment, kind="stable")
    opens = np.flatnonzero(np.diff(runs.segment[order], prepend=-1))
    size = np.concatenate([[0], np.cumsum((runs.last - runs.first)[order])])
    portion = size[opens] // _CELLS  # all runs of a segment are in one portion
    borders = opens[np.flatnonzero(np.diff(portion, prepend=-1))]
    parts = [_cells(runs.some(own)) for own in np.split(order, borders[1:])]
    segment, cell, low, high = (np.concatenate(part) for part in zip(*parts, strict=True))
    begins = np.cumsum([0, *(len(line) for line in runs.edges)])[:-1]
    at = begins[segment % max(clips, 1)] + cell
    flat = np.concatenate([np.zeros(1, dtype=np.int64), *runs.edges])[1:]
    return LevelRuns(runs.unit, runs.edges, segment, cell, cell + 1, flat[at], flat[at + 1], low, high)


def _cells(runs: LevelRuns) -> tuple[Whole, Whole, Whole, Whole]:
    """The cells of runs with the cuts at which some run around each is there: segment, cell, low, high."""
    length = runs.last - runs.first
    run = np.repeat(np.arange(len(runs)), length)
    cell = runs.first[run] + np.arange(len(run)) - np.repeat(np.cumsum(length) - length, length)
    order = np.lexsort((runs.low[run], cell, runs.segment[run]))
    run, cell = run[order], cell[order]
    segment, low, high = runs.segment[run], runs.low[run], runs.high[run]
    place = np.cumsum((np.diff(segment, prepend=-1) != 0) | (np.diff(cell, prepend=-1) != 0))
    span = int(high.max(initial=0)) + 2
    reached = np.maximum.accumulate(place * span + high)  # the greatest cut so far of the runs around the same cell
    opens = np.flatnonzero(place * span + low > np.concatenate([[-1], reached[:-1]])[: len(place)])
    ends = np.append(opens[1:], len(place))[: len(opens)] - 1
    return segment[opens], cell[opens], low[opens], reached[ends] - place[ends] * span


def reference_unit(given: FieldFamily, times: Sequence[Fraction] = ()) -> int:
    """Ticks a second such that these times, and all of the reference and of the ignore regions, are whole."""
    return common_unit(times, given.reference.times, *([] if given.ignore is None else [given.ignore.times]))


def reference_columns(given: FieldFamily, unit: int) -> Columns:
    """The references as they are read, without those that lie wholly in an ignore region for their class."""
    found = _columns(given.reference, given, unit)
    if given.ignore is None:
        return found
    kept = ~inside_regions(found, given.ignore, _columns(given.ignore, given, unit))
    parts = (column[kept] for column in (found.clip, found.label, found.onset, found.offset))
    return Columns(unit, *parts)


def _columns(table: EventTable, given: FieldFamily, unit: int) -> Columns:
    """The events of a table under the family's numbering; one label for all in union."""
    family = given.family
    clips = {clip: k for k, clip in enumerate(family.clips)}
    labels = {label: k for k, label in enumerate(family.classes)}
    if family.mode is Mode.UNION:
        labels = dict.fromkeys(table.labels, 0)
    return columns(table, clips, labels, unit)


def _portions(clips: Sequence[Whole | None], between: int) -> Iterator[tuple[Whole, Whole, Whole, Whole, Whole]]:
    """The runs of some clips at a time, all of one length: segment, first, last, low, high.

    The segments of two columns are so many numbers apart: none, where all columns are one class.
    """
    by_length: dict[int, list[int]] = {}
    for clip, ranks in enumerate(clips):
        if ranks is not None and len(ranks):
            by_length.setdefault(len(ranks), []).append(clip)
    for length, members in by_length.items():
        classes = next(ranks.shape[1] for ranks in clips if ranks is not None)
        some = max(1, _CELLS // (length * classes))
        for begin in range(0, len(members), some):
            chosen = members[begin : begin + some]
            rows = np.concatenate([ranks.T for clip in chosen if (ranks := clips[clip]) is not None]).astype(np.int32)
            labels = np.tile(np.arange(classes), len(chosen)) * between
            yield _runs(rows, labels + np.repeat(np.array(chosen, dtype=np.int64), classes))


def _runs(rows: Whole, segment: Whole) -> tuple[Whole, Whole, Whole, Whole, Whole]:
    """The runs of rows of ranks: of each frame the longest run in which it is the first of the least ranks.

    A frame with as low a rank before it in the run has that rank beside its own run, which is there at no cut.
    """
    first, last = _reach(rows)
    wide = np.pad(rows, ((0, 0), (1, 1)), constant_values=NOWHERE)
    low = np.maximum(np.take_along_axis(wide, first, axis=1), np.take_along_axis(wide, last + 1, axis=1))
    kept = (low < rows).reshape(-1)
    row = np.flatnonzero(kept) // rows.shape[1]
    a, b, c, d = (part.reshape(-1)[kept] for part in (first, last, low, rows))
    return segment[row], a, b, c, d


def _reach(rows: Whole) -> tuple[Whole, Whole]:
    """Of every frame the longest run around it without a lesser rank, or an equal one before it: first, one past last.

    By halving steps over the least ranks of blocks of 1, 2, 4, … frames.
    """
    length = rows.shape[1]
    tables = [rows]
    while 2 << (len(tables) - 1) <= length:
        half, before = 1 << (len(tables) - 1), tables[-1]
        joined = np.full_like(before, _WALL)
        joined[:, : length - half] = np.minimum(before[:, : length - half], before[:, half:])
        joined[:, max(length - 2 * half + 1, 0) :] = _WALL
        tables.append(joined)
    first = np.broadcast_to(np.arange(length), rows.shape).copy()
    last = first + 1
    for power in range(len(tables) - 1, -1, -1):
        size, table = 1 << power, tables[power]
        at = np.maximum(first - size, 0)
        first = np.where((first >= size) & (np.take_along_axis(table, at, axis=1) > rows), first - size, first)
        at = np.minimum(last, length - 1)
        fits = (last < length) & (np.take_along_axis(table, at, axis=1) >= rows)
        last = np.where(fits, last + size, last)
    return first, last
