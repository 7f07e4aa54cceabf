"""The metrics of cells and runs: frames, transitions, boundaries, and segments in both arithmetics (chapter 15)."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Annotated

import numpy as np
from msgspec import Meta, field
from msgspec.structs import replace

from tracepact.diagnostics import Diagnostic, InvalidInput
from tracepact.events import EventEvaluation, Match
from tracepact.events.obligations import is_ignored
from tracepact.metrics.counts import Counts, Indices
from tracepact.metrics.intervals import Intervals
from tracepact.metrics.pairs import seconds
from tracepact.metrics.policy import USUAL_RULES, Arithmetic, Evaluated, Input, MetricSettings, Rules
from tracepact.metrics.result import CountMetric
from tracepact.metrics.sweep import Cells, count_cells, pieces
from tracepact.records import Count, Record
from tracepact.trace import Family, Side
from tracepact.trace.columns import Columns
from tracepact.trace.exact_times import roomy
from tracepact.trace.grid import ceil_div
from tracepact.trace.run_columns import run_columns
from tracepact.wording import seconds as seconds_text
from tracepact.wording import time_text

_EXACT = Arithmetic.EXACT
_MOST_SEGMENTS = 1 << 61
_NONE = np.zeros(0, dtype=np.int64)


class CellDifference(Record, frozen=True):
    """Consecutive segments that are active on one side under one arithmetic only."""

    clip: Annotated[str, Meta(description="The clip.")]
    label: Annotated[str, Meta(description="The class.")] = field(name="class")
    side: Side
    first: Annotated[Count, Meta(description="The first segment.")]
    count: Annotated[int, Meta(ge=1, description="How many.")]
    exact: Annotated[bool, Meta(description="What exact arithmetic says.")]
    sed_eval: Annotated[bool, Meta(description="What floats say.")]


def frame_metrics(
    family: Family, radius: Fraction, grid: str, rules: Rules = USUAL_RULES
) -> tuple[CountMetric, CountMetric]:
    """All frames of both masks, and those near an onset or offset of the reference (rules 15.4 and 15.6)."""
    clips, classes = len(family.clips), family.classes
    ref, pred = (Cells.of_runs(family.runs[side], clips) for side in (Side.REF, Side.PRED))
    ignored = Cells.of_runs(family.ignored, clips) if family.ignored else None
    shape = len(classes), clips
    frames = count_cells(ref, pred, shape, without=ignored)
    edges = count_cells(ref, pred, shape, within=_transitions(family, ref, radius), without=ignored)
    words = f"within {time_text(radius)} of a reference's onset or offset frame; {grid}{rules.words}"
    return (
        CountMetric(
            "frame",
            Input.TRACE,
            f"{grid}{rules.words}",
            "frames",
            classes,
            frames.counts,
            frames.errors,
            rules=rules,
        ),
        CountMetric("transition", Input.TRACE, words, "frames", classes, edges.counts, rules=rules),
    )


def _transitions(family: Family, ref: Cells, radius: Fraction) -> Cells:
    """The frames within the radius of an onset or offset frame."""
    reach = min(ceil(radius / family.step), max(family.frames, default=0))
    frames = np.asarray(family.frames, dtype=np.int64)[ref.clip]
    inside = ref.end < frames
    at = np.concatenate([ref.start, ref.end[inside]])
    clip, label, frames = (np.concatenate([c, c[inside]]) for c in (ref.clip, ref.label, frames))
    return Cells(clip, label, np.maximum(at - reach, 0), np.minimum(at + reach + 1, frames))


def boundary_metric(family: Family, found: EventEvaluation, grid: str, rules: Rules = USUAL_RULES) -> CountMetric:
    """Pairs of the declared matcher (rule 15.12), without what is ignored (rule 15.13)."""
    pairs = found.matched_segments
    refs, preds = (run_columns(runs).segment for runs in (found.refs, found.preds))
    gone = _ignored_runs(family, found) if family.ignored else (_NONE, _NONE, _NONE)
    sums = Counts.of(
        len(family.classes),
        len(family.clips),
        [_without(some, left_out) for some, left_out in zip((pairs, preds, refs), gone, strict=True)],
    )
    matcher = found.matcher
    words = f"{matcher.kind.value} matcher, search {time_text(matcher.search)}, reward {matcher.overlap_reward}"
    policy = f"{words}; {grid}{rules.words}"
    return CountMetric("boundary", Input.TRACE, policy, "runs", family.classes, sums.tallied, rules=rules)


def _without(segments: Indices, gone: Indices) -> tuple[Indices, Indices]:
    """Segments that count one each, and those that count one less."""
    return np.concatenate([segments, gone]), np.repeat([1, -1], [len(segments), len(gone)])


def _ignored_runs(family: Family, found: EventEvaluation) -> tuple[Indices, Indices, Indices]:
    """The segments of pairs, predictions and references that do not count, each as often as it has one."""
    matched: dict[int, list[Match]] = {}
    for match in found.matches:
        matched.setdefault(match.segment, []).append(match)
    gone: list[list[int]] = [[], [], []]
    for segment, hidden in family.ignored.items():
        pairs = matched.get(segment, [])
        ignored = sum(is_ignored(match.ref, hidden) for match in pairs)
        gone[0] += [segment] * ignored
        for number, runs, paired in (
            (1, found.preds, {match.pred for match in pairs}),
            (2, found.refs, {match.ref for match in pairs}),
        ):
            alone = (run for run in runs.get(segment, ()) if run not in paired)
            gone[number] += [segment] * (ignored + sum(is_ignored(run, hidden) for run in alone))
    pairs_gone, preds_gone, refs_gone = (np.array(segments, dtype=np.int64) for segments in gone)
    return pairs_gone, preds_gone, refs_gone


@dataclass(frozen=True, slots=True, eq=False)
class SegmentMetrics:
    """The segment metric under both arithmetics, and the cells on which they disagree."""

    exact: CountMetric
    sed_eval: CountMetric
    differences: tuple[CellDifference, ...]


def segment_metrics(
    given: Intervals, settings: MetricSettings, durations: Mapping[str, Fraction] | None = None
) -> SegmentMetrics:
    """Segments in which an event of each side and class is active (rules 15.5, 15.14 and 15.19).

    `durations` are the lengths of all clips, needed where segments end with the clip.
    """
    length = settings.segment
    _check_segments(given, length)
    sides = {Side.REF: given.ref, Side.PRED: given.pred}
    exact = {side: _exact_cells(found, int(length * given.unit)) for side, found in sides.items()}
    floats = {side: _float_cells(found, float(length)) for side, found in sides.items()}
    metrics, text = [], f"{time_text(length)} segments"
    if settings.evaluated is Evaluated.CLIP:
        text += " up to the clip's end"
        number = _cells_of_clips(given, length, durations or {})
        exact = {side: found.cut(number[0]) for side, found in exact.items()}
        floats = {side: found.cut(number[1]) for side, found in floats.items()}
    else:
        number = _cells_of_events(given, length)
    for found, cells, words, arithmetic in (
        (exact, number[0], f"{text}, active where an event shares more than a point; times as written", _EXACT),
        (floats, number[1], f"{text} from ⌊onset⌋ to ⌈offset⌉, binary floats", Arithmetic.SED_EVAL),
    ):
        counted = count_cells(found[Side.REF], found[Side.PRED], (len(given.classes), len(given.clips)))
        rules = settings.rules(arithmetic)
        head = "segment", Input.INTERVALS, f"{words}{rules.words}", "segments", given.classes
        metrics.append(CountMetric(*head, counted.counts, counted.errors, cells, rules))
    differences = [d for side in Side for d in _differences(given, side, exact[side], floats[side])]
    return SegmentMetrics(metrics[0], metrics[1], tuple(differences))


def _check_segments(given: Intervals, length: Fraction) -> None:
    """InvalidInput where the segments of all classes and clips, one after another, are too many to be counted."""
    sides = [side for side in (given.ref, given.pred) if len(side)]
    latest = max(sides, key=lambda side: int(side.offset.max()), default=None)
    last = given.time(latest.offset.max()) if latest is not None else Fraction(0)
    if latest is None or (last / length + 2) * len(given.classes) * len(given.clips) < _MOST_SEGMENTS:
        return
    clip = given.clips[int(latest.clip[int(np.argmax(latest.offset))])]
    headline = f"an event of `{clip}` ends after {seconds_text(last)}: these are more segments than can be counted"
    help = "check the times and their unit, or take longer segments"
    raise InvalidInput([Diagnostic("too-many-frames", headline, None, help)])


def _cells_of_clips(given: Intervals, length: Fraction, durations: Mapping[str, Fraction]) -> tuple[Indices, Indices]:
    """How many segments each clip has, in exact numbers and in floats."""
    times = [durations[clip] for clip in given.clips]
    exact = [ceil(time / length) for time in times]
    floats = [ceil(float(time) / float(length)) for time in times]
    return np.array(exact, dtype=np.int64), np.array(floats, dtype=np.int64)


def _cells_of_events(given: Intervals, length: Fraction) -> tuple[Indices, Indices]:
    """How many segments each clip has up to the last event of either side, in exact numbers and in floats."""
    exact, floats = (np.zeros(len(given.clips), dtype=np.int64) for _ in range(2))
    for side in (given.ref, given.pred):
        whole = int(length * given.unit)
        np.maximum.at(exact, side.clip, ceil_div(roomy(side.offset, whole), whole).astype(np.int64))
        last = np.ceil(seconds(side.offset, side.unit) / float(length))
        np.maximum.at(floats, side.clip, last.astype(np.int64))
    return exact, floats


def _exact_cells(side: Columns, length: int) -> Cells:
    lasting = (side.offset > side.onset).astype(np.bool_)
    onset, offset = roomy(side.onset, length), roomy(side.offset, length)
    start, end = (c[lasting].astype(np.int64) for c in (onset // length, ceil_div(offset, length)))
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
