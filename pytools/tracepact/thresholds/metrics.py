"""The frame, segment and event metrics at every threshold, from every run that some threshold gives."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import lcm

import numpy as np
from numpy.typing import NDArray

from tracepact.data.events import (
    NOWHERE,
    EventColumns,
    Ticks,
    common_unit,
    joined,
    ratios,
    roomy,
    ticks,
)
from tracepact.data.family import Mode, Side, ceil_div
from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import Diagnostic
from tracepact.evaluate.soft_family import active_frames
from tracepact.inputs import limits
from tracepact.measures.matching import largest
from tracepact.measures.policy import EventPolicy
from tracepact.measures.results import Intervals, Pairs, candidates, exact_hits, inside_regions
from tracepact.measures.standard import matched_pairs, substituted_clips
from tracepact.thresholds.family import Detections, FieldFamily, columns_in, touching
from tracepact.thresholds.steps import CountSteps, MetricSteps, StepsBuilder, Whole, increments, ranges

# Every run that some threshold gives, once, with the thresholds at which it is there.
#
# A run of frames is there at the cuts above the greater of the two scores beside it and up to the least score in
# it. So each frame is the least one of one run, and a clip and class has at most as many runs as frames, over all
# thresholds.

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

    def number(self, shape: tuple[int, int]) -> CountSteps:
        """How many runs each class and clip has."""
        builder = StepsBuilder(shape, 1)
        add_lives(builder, self.segment, self.low, self.high, np.ones((1, len(self)), dtype=np.int64))
        return builder.build()


def add_lives(builder: StepsBuilder, entry: Whole, low: Whole, high: Whole, amount: Whole) -> None:
    """Add amounts, counts × lives, at the cuts from low + 1 up to high."""
    builder.add(low + 1, entry, amount)
    builder.add(high + 1, entry, -amount)


def level_runs(ranked: FieldFamily, times: Sequence[Fraction] = ()) -> LevelRuns:
    """The runs of a field, or its detections; `times` and all times of the reference are whole in their unit."""
    union = ranked.family.mode is Mode.UNION
    if ranked.detections is not None and not union:
        return _detected(ranked, ranked.detections, times)
    clips = [ranked.field.clips.get(clip) for clip in ranked.family.clips]
    lines = {id(scores.edges): ratios(scores.edges) for scores in clips if scores is not None}
    unit = lcm(reference_unit(ranked, times), common_unit(*lines.values()))
    known = {key: ticks(line, unit) for key, line in lines.items()}
    none = np.zeros(1, dtype=np.int64)
    edges = tuple(none if scores is None else known[id(scores.edges)] for scores in clips)
    ranks = [None if scores is None else scores.ranks for scores in clips]
    alone = None if ranked.detections is None else _alone(ranked, ranked.detections, unit, edges)
    return frame_runs(ranks, edges, unit, alone)


def frame_runs(
    clips: Sequence[Whole | None],
    edges: tuple[Ticks, ...],
    unit: int,
    alone: tuple[Whole, Whole, Whole, Whole, Whole] | None = None,
) -> LevelRuns:
    """The runs of ranks, frames × classes of each clip, given the edges of the frames in ticks."""
    parts = [*_runs_portions(clips), *([] if alone is None else [alone])]
    none_found = tuple([np.zeros(0, dtype=np.int64)] for _ in range(5))
    columns_of_runs = list(zip(*parts, strict=True)) or none_found
    segment, first, last, low, high = (np.concatenate(part) for part in columns_of_runs)
    begins = np.cumsum([0, *(len(line) for line in edges)])[:-1]
    flat = np.concatenate([np.zeros(0, dtype=np.int64), *edges])
    at = begins[segment % max(len(clips), 1)] if len(clips) else segment
    return LevelRuns(unit, edges, segment, first, last, flat[at + first], flat[at + last], low, high)


def _alone(
    ranked: FieldFamily, detections: Detections, unit: int, edges: tuple[Ticks, ...]
) -> tuple[Whole, Whole, Whole, Whole, Whole]:
    """The detections of a union that have no length, as runs of no cells, where no run that is there touches them.

    Of those at one time the surest is there whenever another is.
    """
    events = columns_in(ranked.family, detections.table, unit)
    points: dict[tuple[int, int], int] = {}
    for k in np.flatnonzero(events.onset == events.offset).tolist():
        clip = int(events.clip[k])
        at = clip, int(np.searchsorted(edges[clip], events.onset[k]))
        points[at] = max(points.get(at, NOWHERE), int(detections.ranks[k]))
    rows = []
    for (clip, cell), high in points.items():
        scores = ranked.field.clips.get(ranked.family.clips[clip])
        beside = NOWHERE if scores is None else int(scores.ranks[max(cell - 1, 0) : cell + 1].max(initial=NOWHERE))
        if beside < high:
            rows.append((clip, cell, cell, beside, high))
    segment, first, last, low, top = np.array(rows, dtype=np.int64).reshape(-1, 5).T
    return segment, first, last, low, top


def _detected(ranked: FieldFamily, detections: Detections, times: Sequence[Fraction]) -> LevelRuns:
    """Every detection as a run that is there at all cuts up to its own; its frames end where detections do."""
    unit = lcm(reference_unit(ranked, times), common_unit(detections.table.times))
    events = columns_in(ranked.family, detections.table, unit)
    clips = ranked.shape[1]
    order = np.argsort(events.clip, kind="stable")
    begins = np.searchsorted(events.clip[order], np.arange(clips + 1)).tolist()
    first, last = np.zeros_like(events.clip), np.zeros_like(events.clip)
    edges = []
    for begin, end in pairwise(begins):
        here = order[begin:end]
        onset, offset = events.onset[here], events.offset[here]
        line = np.unique(np.concatenate([np.zeros(1, dtype=np.int64), onset, offset]))
        first[here], last[here] = np.searchsorted(line, onset), np.searchsorted(line, offset)
        edges.append(line)
    segment = events.label * clips + events.clip
    low = np.full_like(detections.ranks, NOWHERE)
    return LevelRuns(unit, tuple(edges), segment, first, last, events.onset, events.offset, low, detections.ranks)


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
    # Detections of a class may overlap, and what two of them cover counts once (rule 20.13). Cell by cell, intervals of
    # cuts are joined where they touch, as intervals of time are.
    run = np.repeat(np.arange(len(runs)), length)
    cell = ranges(runs.first, length)
    order = np.lexsort((runs.low[run], cell, runs.segment[run]))
    run, cell = run[order], cell[order]
    segment, low, high = runs.segment[run], runs.low[run], runs.high[run]
    place = np.cumsum((np.diff(segment, prepend=-1) != 0) | (np.diff(cell, prepend=-1) != 0))
    span = int(high.max(initial=0)) + 2
    reached = np.maximum.accumulate(place * span + high)  # the greatest cut so far of the runs around the same cell
    opens = np.flatnonzero(place * span + low > np.concatenate([[-1], reached[:-1]])[: len(place)])
    ends = np.append(opens[1:], len(place))[: len(opens)] - 1
    return segment[opens], cell[opens], low[opens], reached[ends] - place[ends] * span


def reference_unit(ranked: FieldFamily, times: Sequence[Fraction] = ()) -> int:
    """Ticks a second such that these times, and all of the reference and of the ignore regions, are whole."""
    return common_unit(times, ranked.reference.times, *([] if ranked.ignore is None else [ranked.ignore.times]))


def reference_columns(ranked: FieldFamily, unit: int) -> EventColumns:
    """The references as they are read, without those that lie wholly in an ignore region for their class."""
    refs = columns_in(ranked.family, ranked.reference, unit)
    if ranked.family.mode is Mode.UNION:
        refs = joined(refs)
    if ranked.ignore is None:
        return refs
    kept = ~inside_regions(refs, ranked.ignore, columns_in(ranked.family, ranked.ignore, unit))
    return EventColumns(unit, *(column[kept] for column in (refs.clip, refs.label, refs.onset, refs.offset)))


def _runs_portions(clips: Sequence[Whole | None]) -> Iterator[tuple[Whole, Whole, Whole, Whole, Whole]]:
    """The runs of some clips at a time, all of one length: segment, first, last, low, high."""
    # Clips of one length are rows of one array; no frame is wasted on padding.
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
            labels = np.tile(np.arange(classes), len(chosen)) * len(clips)
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
    # A sparse table of least ranks (Bender and Farach-Colton 2000): n log n for all frames of all rows at once, where a
    # stack would walk frame by frame in Python.
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


# The frame and the segment metric at every threshold: a cell is active while its greatest score is.

Flags = NDArray[np.bool_]


def frame_counts(ranked: FieldFamily) -> MetricSteps:
    """The counts of the frame metric (rule 15.4); ignored frames are no cells."""
    family = ranked.family
    cells = []
    for clip, ranks in enumerate(ranked.ranks):
        reference, ignored = (active_frames(family, runs, clip) for runs in (family.runs[Side.REF], family.ignored))
        cells.append((reference & ~ignored, np.where(ignored, NOWHERE, ranks)))
    return _counted(ranked.shape, cells)


def segment_counts(ranked: FieldFamily, length: Fraction) -> MetricSteps:
    """The counts of the segment metric (rule 15.5)."""
    unit = reference_unit(ranked, [length])
    refs = reference_columns(ranked, unit)
    lasting = (refs.offset > refs.onset).astype(np.bool_)
    whole = int(length * unit)
    onset, offset = roomy(refs.onset, whole), roomy(refs.offset, whole)
    starts, ends = (onset // whole).astype(np.int64), ceil_div(offset, whole).astype(np.int64)
    cells = []
    for number, clip in enumerate(ranked.family.clips):
        here = np.flatnonzero(lasting & (refs.clip == number))
        scores = ranked.field.clips.get(clip)
        last = 0 if scores is None else -(-scores.edges[-1] // length)
        number = max(last, int(ends[here].max(initial=0)))
        _check_size(clip, number, len(ranked.family.classes))
        ref = np.zeros((number, len(ranked.family.classes)), dtype=np.bool_)
        for k in here.tolist():
            ref[starts[k] : ends[k], refs.label[k]] = True
        ranks = np.full(ref.shape, -1) if scores is None else touching(scores, length, len(ref))
        cells.append((ref, ranks))
    return _counted(ranked.shape, cells)


def _check_size(clip: str, number: int, classes: int) -> None:
    """Refuse more segments than are counted at every threshold, before any of them is made."""
    if number * classes > (most := limits().scores):
        headline = (
            f"`{clip}` has {number:,} segments in each of {classes:,} classes; at most {most:,} are counted in all"
        )
        help = "check the times and their unit, or raise the limit (--limit scores=NUMBER)"
        raise InvalidInput([Diagnostic("too-many-frames", headline, None, help)])


def _counted(shape: tuple[int, int], cells: Sequence[tuple[Flags, Whole]]) -> MetricSteps:
    """Counts of cells, given of every clip the active ones of the reference and the greatest rank of each."""
    tallies, substitutions = StepsBuilder(shape, 3), StepsBuilder((1, shape[1]), 1)
    for clip, every in enumerate(cells):
        ref, ranks, times = _stretches(*every)
        cell, label = np.nonzero(ref)
        tallies.add_base(label * shape[1] + clip, np.array([[0], [0], [1]]) * times[cell])
        for where, amount in ((ref, (1, 0, -1)), (~ref, (0, 1, 0))):
            cell, label = np.nonzero(where & (ranks >= 0))
            entry, gone = label * shape[1] + clip, ranks[cell, label] + 1
            change = np.array(amount)[:, None] * times[cell]
            tallies.add(np.zeros_like(entry), entry, change)
            tallies.add(gone, entry, -change)
        # Substitutions of a cell are the lesser of misses and false alarms. As many of its greatest ranks as it has
        # references count what is predicted up to that number, and the hits are taken off.
        greatest = -np.sort(-ranks, axis=1)  # of a cell, as many as the reference has classes in it
        common = (np.arange(ranks.shape[1]) < ref.sum(axis=1, keepdims=True)) & (greatest >= 0)
        for found, where, sign in ((greatest, common, 1), (ranks, ref & (ranks >= 0), -1)):
            lasting, amounts = found[where], sign * times[np.nonzero(where)[0]][None, :]
            substitutions.add(np.zeros_like(lasting), np.full_like(lasting, clip), amounts)
            substitutions.add(lasting + 1, np.full_like(lasting, clip), -amounts)
    return MetricSteps(tallies.build(), substitutions.build())


def _stretches(ref: Flags, ranks: Whole) -> tuple[Flags, Whole, Whole]:
    """Cells one after another that are alike as one, and how many each stands for."""
    alike = (ranks[1:] == ranks[:-1]).all(axis=1) & (ref[1:] == ref[:-1]).all(axis=1)
    first = np.flatnonzero(np.concatenate([np.ones(min(len(ref), 1), dtype=np.bool_), ~alike]))
    return ref[first], ranks[first], np.diff(np.append(first, len(ref)))


# The event metric at every threshold: runs near a reference, matched wherever one of them comes or goes.

_EVENTS = 2**19
"""About how many events are matched at once."""


def collar_counts(
    ranked: FieldFamily, policy: EventPolicy, runs: LevelRuns | None = None, *, swaps: bool = True
) -> MetricSteps:
    """The counts of the event metric (rules 15.8 to 15.10) as step functions of the threshold.

    Without `swaps` substitutions are not counted, which spares most of the work.
    """
    level = level_runs(ranked, (policy.collar,)) if runs is None else runs
    refs = reference_columns(ranked, level.unit)
    clips = ranked.shape[1]
    tallies, substitutions = StepsBuilder(ranked.shape, 3), StepsBuilder((1, clips), 1)
    entry = refs.label * clips + refs.clip
    tallies.add_base(entry, np.array([[0], [0], [1]]) * np.ones_like(entry))
    one = np.array([[0], [1], [0]]) * np.ones_like(level.segment)
    add_lives(tallies, level.segment, level.low, level.high, one)
    label, clip = np.divmod(level.segment, clips)
    events = EventColumns(level.unit, clip, label, level.onset, level.offset)
    near = candidates(refs, events, policy, by_class=not swaps)
    # Matching is not monotone in the threshold: a run that appears can take another one's reference. So each clip is
    # matched anew, but only at cuts where a run near some reference comes or goes.
    hits = np.unique(near.pred[exact_hits(refs, events, near, policy)])
    for rows in _collar_portions(hits, level, refs, clips):
        _add(rows, policy, ranked.shape, tallies, substitutions if swaps else None)
    return MetricSteps(tallies.build(), substitutions.build() if swaps else None)


@dataclass(frozen=True, slots=True, eq=False)
class _ClipCuts:
    """Clips at cuts, ascending, and the events of both sides at each; the clip of an event is its row."""

    clip: Whole
    cut: Whole
    ref: EventColumns
    pred: EventColumns


def _collar_portions(hits: Whole, runs: LevelRuns, refs: EventColumns, clips: int) -> Iterator[_ClipCuts]:
    """Some clips at a time, each at all cuts at which a run that some reference could take comes or goes."""
    owner = runs.segment[hits] % clips
    order = np.argsort(owner, kind="stable")
    hits, owner = hits[order], owner[order]
    by_clip = np.argsort(refs.clip, kind="stable")
    gathered: list[tuple[Whole, Whole, Whole, Whole, Whole, Whole]] = []
    size = rows = 0
    for clip in np.unique(owner).tolist():
        own = hits[slice(*np.searchsorted(owner, [clip, clip + 1]))]
        cuts = np.unique(np.concatenate([[0], runs.low[own] + 1, runs.high[own] + 1]))
        first, last = (np.searchsorted(cuts, runs_at[own] + 1) for runs_at in (runs.low, runs.high))
        there = by_clip[slice(*np.searchsorted(refs.clip[by_clip], [clip, clip + 1]))]
        times = last - first
        row = ranges(first, times)
        ref_rows = np.repeat(np.arange(len(cuts)), len(there))
        gathered.append(
            (
                np.full(len(cuts), clip),
                cuts,
                ref_rows + rows,
                np.tile(there, len(cuts)),
                row + rows,
                np.repeat(own, times),
            )
        )
        rows += len(cuts)
        size += len(row) + len(ref_rows)
        if size >= _EVENTS:
            yield _joined(gathered, runs, refs, clips)
            gathered, size, rows = [], 0, 0
    if gathered:
        yield _joined(gathered, runs, refs, clips)


def _joined(
    parts: list[tuple[Whole, Whole, Whole, Whole, Whole, Whole]], runs: LevelRuns, refs: EventColumns, clips: int
) -> _ClipCuts:
    clip, cut, ref_row, ref, pred_row, pred = (np.concatenate(column) for column in zip(*parts, strict=True))
    return _ClipCuts(
        clip,
        cut,
        EventColumns(refs.unit, ref_row, refs.label[ref], refs.onset[ref], refs.offset[ref]),
        EventColumns(refs.unit, pred_row, runs.segment[pred] // clips, runs.onset[pred], runs.offset[pred]),
    )


def _add(
    rows: _ClipCuts,
    policy: EventPolicy,
    shape: tuple[int, int],
    tallies: StepsBuilder,
    substitutions: StepsBuilder | None,
) -> None:
    """Match every row, and add what each has more than the one before it."""
    classes, clips = shape
    number = len(rows.clip)
    both = Intervals(tuple(map(str, range(number))), tuple(map(str, range(classes))), rows.ref, rows.pred)
    near = candidates(rows.ref, rows.pred, policy)
    hit = near.where(exact_hits(rows.ref, rows.pred, near, policy))
    # How many pairs there are does not hang on which of the largest sets is taken; who is left over does.
    matched = Pairs(*largest(hit.ref, hit.pred)) if substitutions is None else matched_pairs(both, hit)
    where = rows.ref.clip[matched.ref] * classes + rows.ref.label[matched.ref]
    hits = np.bincount(where, minlength=number * classes).reshape(number, classes)
    change = increments(hits.T, rows.clip)
    label, row = np.nonzero(change)
    more = change[label, row]
    tallies.add(rows.cut[row], label * clips + rows.clip[row], np.stack([more, -more, -more]))
    if substitutions is not None:
        swapped = np.bincount(substituted_clips(both, matched, policy), minlength=number)
        substitutions.add(rows.cut, rows.clip, increments(swapped, rows.clip)[None, :])
