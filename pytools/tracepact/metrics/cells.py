"""The metrics of cells and runs: frames, transitions, boundaries, and segments in both arithmetics (chapter 15)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Annotated

import numpy as np
from msgspec import Meta, field
from msgspec.structs import replace

from tracepact.events import EventEvaluation, Match
from tracepact.events.evaluate import is_ignored
from tracepact.metrics.intervals import Intervals
from tracepact.metrics.pairs import seconds
from tracepact.metrics.policy import Arithmetic, Input
from tracepact.metrics.result import CountMetric, Tally
from tracepact.metrics.sweep import Cells, count_cells, pieces
from tracepact.records import Count, Record
from tracepact.trace import Family, Side
from tracepact.trace.columns import Columns
from tracepact.trace.grid import ceil_div
from tracepact.trace.runs import run_columns
from tracepact.wording import time_text


class CellDifference(Record, frozen=True):
    """Consecutive segments that are active on one side under one arithmetic only."""

    clip: Annotated[str, Meta(description="The clip.")]
    label: Annotated[str, Meta(description="The class.")] = field(name="class")
    side: Side
    first: Annotated[Count, Meta(description="The first segment.")]
    count: Annotated[int, Meta(ge=1, description="How many.")]
    exact: Annotated[bool, Meta(description="What exact arithmetic says.")]
    sed_eval: Annotated[bool, Meta(description="What floats say.")]


def frame_metrics(family: Family, radius: Fraction, grid: str) -> tuple[CountMetric, CountMetric]:
    """All frames of both masks, and those near an onset or offset of the reference (rules 15.4 and 15.6)."""
    clips, classes = len(family.clips), family.classes
    ref, pred = (Cells.of_runs(family.runs[side], clips) for side in (Side.REF, Side.PRED))
    ignored = Cells.of_runs(family.ignored, clips) if family.ignored else None
    frames = count_cells(ref, pred, len(classes), without=ignored)
    edges = count_cells(ref, pred, len(classes), within=_transitions(family, ref, radius), without=ignored)
    words = f"within {time_text(radius)} of a reference's onset or offset frame; {grid}"
    return (
        CountMetric("frame", Input.TRACE, grid, "frames", _named(classes, frames.tallies), frames.errors),
        CountMetric("transition", Input.TRACE, words, "frames", _named(classes, edges.tallies)),
    )


def _transitions(family: Family, ref: Cells, radius: Fraction) -> Cells:
    """The frames within the radius of an onset or offset frame."""
    reach = ceil(radius / family.step)
    frames = np.asarray(family.frames, dtype=np.int64)[ref.clip]
    inside = ref.end < frames
    at = np.concatenate([ref.start, ref.end[inside]])
    clip, label, frames = (np.concatenate([c, c[inside]]) for c in (ref.clip, ref.label, frames))
    return Cells(clip, label, np.maximum(at - reach, 0), np.minimum(at + reach + 1, frames))


def boundary_metric(family: Family, found: EventEvaluation, grid: str) -> CountMetric:
    """Pairs of the declared matcher (rule 15.12), without what is ignored (rule 15.13)."""
    clips = max(len(family.clips), 1)
    tp, refs, preds = (
        np.bincount(segments // clips, minlength=len(family.classes)).tolist()
        for segments in (found.matched_segments, run_columns(found.refs).segment, run_columns(found.preds).segment)
    )
    matched: dict[int, list[Match]] = {}
    for match in found.matches if family.ignored else ():
        matched.setdefault(match.segment, []).append(match)
    for segment, hidden in family.ignored.items():
        pairs = matched.get(segment, [])
        gone = sum(is_ignored(match.ref, hidden) for match in pairs)
        label = segment // clips
        tp[label] -= gone
        for counts, runs, paired in (
            (refs, found.refs, {match.ref for match in pairs}),
            (preds, found.preds, {match.pred for match in pairs}),
        ):
            alone = (run for run in runs.get(segment, ()) if run not in paired)
            counts[label] -= gone + sum(is_ignored(run, hidden) for run in alone)
    matcher = found.matcher
    words = f"{matcher.kind.value} matcher, search {time_text(matcher.search)}, reward {matcher.overlap_reward}"
    tallies = [Tally(hit, pred - hit, ref - hit) for hit, ref, pred in zip(tp, refs, preds, strict=True)]
    return CountMetric("boundary", Input.TRACE, f"{words}; {grid}", "runs", _named(family.classes, tallies))


@dataclass(frozen=True, slots=True, eq=False)
class SegmentMetrics:
    """The segment metric under both arithmetics, and the cells on which they disagree."""

    exact: CountMetric
    sed_eval: CountMetric
    differences: tuple[CellDifference, ...]


def segment_metrics(given: Intervals, length: Fraction) -> SegmentMetrics:
    """Segments in which an event of each side and class is active (rules 15.5 and 15.14)."""
    sides = {Side.REF: given.ref, Side.PRED: given.pred}
    exact = {side: _exact_cells(found, int(length * given.unit)) for side, found in sides.items()}
    floats = {side: _float_cells(found, float(length)) for side, found in sides.items()}
    words = f"{time_text(length)} segments, active where an event shares more than a point; times as written"
    count = len(given.classes)
    metrics = []
    for cells, policy, arithmetic in (
        (exact, words, Arithmetic.EXACT),
        (floats, f"{time_text(length)} segments from ⌊onset⌋ to ⌈offset⌉, binary floats", Arithmetic.SED_EVAL),
    ):
        counted = count_cells(cells[Side.REF], cells[Side.PRED], count)
        named = _named(given.classes, counted.tallies)
        metrics.append(CountMetric("segment", Input.INTERVALS, policy, "segments", named, counted.errors, arithmetic))
    differences = [d for side in Side for d in _differences(given, side, exact[side], floats[side])]
    return SegmentMetrics(metrics[0], metrics[1], tuple(differences))


def _exact_cells(side: Columns, length: int) -> Cells:
    lasting = (side.offset > side.onset).astype(np.bool_)
    start, end = (c[lasting].astype(np.int64) for c in (side.onset // length, ceil_div(side.offset, length)))
    return Cells(side.clip[lasting], side.label[lasting], start, end)


def _float_cells(side: Columns, length: float) -> Cells:
    start = np.floor(seconds(side.onset, side.unit) / length).astype(np.int64)
    end = np.ceil(seconds(side.offset, side.unit) / length).astype(np.int64)
    return Cells(side.clip, side.label, start, end)


def _differences(given: Intervals, side: Side, exact: Cells, floats: Cells) -> list[CellDifference]:
    """Where the union of the cells of each class is not the same."""
    if all(np.array_equal(getattr(exact, part), getattr(floats, part)) for part in ("clip", "label", "start", "end")):
        return []
    clips = max(len(given.clips), 1)
    longest = 1 + max(int(some.end.max(initial=0)) for some in (exact, floats))
    bases = [(some.label * clips + some.clip) * longest for some in (exact, floats)]
    found = pieces([(base + some.start, base + some.end) for base, some in zip(bases, (exact, floats), strict=True)])
    active = found.covered > 0
    wrong = np.flatnonzero((active[0] != active[1]) & (found.length > 0)).tolist()
    differences: list[CellDifference] = []
    for number in wrong:
        segment, first = divmod(int(found.start[number]), longest)
        label, clip = divmod(segment, clips)
        is_exact = bool(active[0][number])
        count = int(found.length[number])
        last = differences[-1] if differences else None
        here = CellDifference(given.clips[clip], given.classes[label], side, first, count, is_exact, not is_exact)
        if last is not None and replace(last, first=first, count=count) == here and last.first + last.count == first:
            differences[-1] = replace(last, count=last.count + count)
        else:
            differences.append(here)
    return differences


def _named(classes: Sequence[str], tallies: Sequence[Tally]) -> dict[str, Tally]:
    return dict(zip(classes, tallies, strict=True))
