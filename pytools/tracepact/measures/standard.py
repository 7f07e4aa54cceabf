"""The standard metrics: cells and runs, events exact and as sed_eval has them, and all of one pair of tables."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Annotated

import numpy as np
from msgspec import Meta, field
from msgspec.structs import replace

from tracepact.data.events import EventColumns, EventTable, Regions, Ticks, roomy
from tracepact.data.family import Family, Side, ceil_div, run_columns
from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import Diagnostic
from tracepact.evaluate.event_clauses import EventEvaluation, Match, evaluate_events
from tracepact.evaluate.masks import is_ignored
from tracepact.language.contract import Contract
from tracepact.measures.matching import best, largest
from tracepact.measures.policy import (
    USUAL_RULES,
    Arithmetic,
    Cells,
    Counts,
    Evaluated,
    EventPolicy,
    Indices,
    Input,
    MetricSettings,
    Rules,
    count_cells,
    pieces,
)
from tracepact.measures.results import (
    CountMetric,
    Intervals,
    MeanMetric,
    Measured,
    Metric,
    Pairs,
    candidates,
    exact_hits,
    float_hits,
    intervals,
    seconds,
    some_events,
)
from tracepact.records import Count, NotNegative, Record
from tracepact.wording import seconds as seconds_text
from tracepact.wording import time_text

# The metrics of cells and runs: frames, transitions, boundaries, and segments in both arithmetics (chapter 15).

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
    every = f"{grid}{rules.words}"
    return (
        CountMetric("frame", Input.TRACE, every, "frames", classes, frames.counts, frames.errors, rules=rules),
        CountMetric("transition", Input.TRACE, words, "frames", classes, edges.counts, rules=rules),
    )


def _transitions(family: Family, ref: Cells, radius: Fraction) -> Cells:
    """The frames within the radius of an onset or offset frame."""
    # No further than the longest clip, so that a huge radius does not overflow.
    reach = min(ceil(radius / family.step), max(family.frames, default=0))
    frames = np.asarray(family.frames, dtype=np.int64)[ref.clip]
    inside = ref.end < frames
    at = np.concatenate([ref.start, ref.end[inside]])
    clip, label, frames = (np.concatenate([c, c[inside]]) for c in (ref.clip, ref.label, frames))
    return Cells(clip, label, np.maximum(at - reach, 0), np.minimum(at + reach + 1, frames))


def boundary_metric(family: Family, evaluated: EventEvaluation, grid: str, rules: Rules = USUAL_RULES) -> CountMetric:
    """Pairs of the declared matcher (rule 15.12), without what is ignored (rule 15.13)."""
    pairs = evaluated.matched_segments
    refs, preds = (run_columns(runs).segment for runs in (evaluated.refs, evaluated.preds))
    gone = _ignored_runs(family, evaluated) if family.ignored else (_NONE, _NONE, _NONE)
    sums = Counts.of(
        len(family.classes),
        len(family.clips),
        [_without(some, left_out) for some, left_out in zip((pairs, preds, refs), gone, strict=True)],
    )
    matcher = evaluated.matcher
    words = f"{matcher.kind.value} matcher, search {time_text(matcher.search)}, reward {matcher.overlap_reward}"
    policy = f"{words}; {grid}{rules.words}"
    return CountMetric("boundary", Input.TRACE, policy, "runs", family.classes, sums.tallied, rules=rules)


def _without(segments: Indices, gone: Indices) -> tuple[Indices, Indices]:
    """Segments that count one each, and those that count one less."""
    return np.concatenate([segments, gone]), np.repeat([1, -1], [len(segments), len(gone)])


def _ignored_runs(family: Family, evaluated: EventEvaluation) -> tuple[Indices, Indices, Indices]:
    """The segments of pairs, predictions and references that do not count, each as often as it has one."""
    matched: dict[int, list[Match]] = {}
    for match in evaluated.matches:
        matched.setdefault(match.segment, []).append(match)
    # What is ignored is taken away from the counts, for it is little beside what counts.
    gone: list[list[int]] = [[], [], []]
    for segment, hidden in family.ignored.items():
        pairs = matched.get(segment, [])
        ignored = sum(is_ignored(match.ref, hidden) for match in pairs)
        gone[0] += [segment] * ignored
        for number, runs, paired in (
            (1, evaluated.preds, {match.pred for match in pairs}),
            (2, evaluated.refs, {match.ref for match in pairs}),
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
    both: Intervals, settings: MetricSettings, durations: Mapping[str, Fraction] | None = None
) -> SegmentMetrics:
    """Segments in which an event of each side and class is active (rules 15.5, 15.14 and 15.19).

    `durations` are the lengths of all clips, needed where segments end with the clip.
    """
    length = settings.segment
    _check_segments(both, length)
    sides = {Side.REF: both.ref, Side.PRED: both.pred}
    exact = {side: _exact_cells(found, int(length * both.unit)) for side, found in sides.items()}
    floats = {side: _float_cells(found, float(length)) for side, found in sides.items()}
    metrics, text = [], f"{time_text(length)} segments"
    if settings.evaluated is Evaluated.CLIP:
        text += " up to the clip's end"
        number = _cells_of_clips(both, length, durations or {})
        exact = {side: found.cut(number[0]) for side, found in exact.items()}
        floats = {side: found.cut(number[1]) for side, found in floats.items()}
    else:
        number = _cells_of_events(both, length)
    for found, cells, words, arithmetic in (
        (exact, number[0], f"{text}, active where an event shares more than a point; times as written", _EXACT),
        (floats, number[1], f"{text} from ⌊onset⌋ to ⌈offset⌉, binary floats", Arithmetic.SED_EVAL),
    ):
        counted = count_cells(found[Side.REF], found[Side.PRED], (len(both.classes), len(both.clips)))
        rules = settings.rules(arithmetic)
        head = "segment", Input.INTERVALS, f"{words}{rules.words}", "segments", both.classes
        metrics.append(CountMetric(*head, counted.counts, counted.errors, cells, rules))
    differences = [d for side in Side for d in _differences(both, side, exact[side], floats[side])]
    return SegmentMetrics(metrics[0], metrics[1], tuple(differences))


def _check_segments(both: Intervals, length: Fraction) -> None:
    """InvalidInput where the segments of all classes and clips, one after another, are too many to be counted."""
    sides = [side for side in (both.ref, both.pred) if len(side)]
    latest = max(sides, key=lambda side: int(side.offset.max()), default=None)
    last = both.time(latest.offset.max()) if latest is not None else Fraction(0)
    if latest is None or (last / length + 2) * len(both.classes) * len(both.clips) < _MOST_SEGMENTS:
        return
    clip = both.clips[int(latest.clip[int(np.argmax(latest.offset))])]
    headline = f"an event of `{clip}` ends after {seconds_text(last)}: these are more segments than can be counted"
    help = "check the times and their unit, or take longer segments"
    raise InvalidInput([Diagnostic("too-many-frames", headline, None, help)])


def _cells_of_clips(both: Intervals, length: Fraction, durations: Mapping[str, Fraction]) -> tuple[Indices, Indices]:
    """The number of segments of each clip, by exact arithmetic and in floats."""
    times = [durations[clip] for clip in both.clips]
    exact = [ceil(time / length) for time in times]
    floats = [ceil(float(time) / float(length)) for time in times]
    return np.array(exact, dtype=np.int64), np.array(floats, dtype=np.int64)


def _cells_of_events(both: Intervals, length: Fraction) -> tuple[Indices, Indices]:
    """The number of segments of each clip up to the last event of either side, by exact arithmetic and in floats."""
    exact, floats = (np.zeros(len(both.clips), dtype=np.int64) for _ in range(2))
    for side in (both.ref, both.pred):
        whole = int(length * both.unit)
        np.maximum.at(exact, side.clip, ceil_div(roomy(side.offset, whole), whole).astype(np.int64))
        last = np.ceil(seconds(side.offset, side.unit) / float(length))
        np.maximum.at(floats, side.clip, last.astype(np.int64))
    return exact, floats


def _exact_cells(side: EventColumns, length: int) -> Cells:
    lasting = (side.offset > side.onset).astype(np.bool_)
    onset, offset = roomy(side.onset, length), roomy(side.offset, length)
    start, end = (c[lasting].astype(np.int64) for c in (onset // length, ceil_div(offset, length)))
    return Cells(side.clip[lasting], side.label[lasting], start, end)


def _float_cells(side: EventColumns, length: float) -> Cells:
    start = np.floor(seconds(side.onset, side.unit) / length).astype(np.int64)
    end = np.ceil(seconds(side.offset, side.unit) / length).astype(np.int64)
    return Cells(side.clip, side.label, start, end)


def _differences(both: Intervals, side: Side, exact: Cells, floats: Cells) -> list[CellDifference]:
    """Where the union of the cells of each class is not the same."""
    # Nearly always there is no difference, and nothing to sweep.
    if all(np.array_equal(getattr(exact, part), getattr(floats, part)) for part in ("clip", "label", "start", "end")):
        return []
    clips = max(len(both.clips), 1)
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
        here = CellDifference(both.clips[clip], both.classes[label], side, first, count, is_exact, not is_exact)
        # One entry for a stretch: a long event that floats shift by a hair differs in one place, not in hundreds of
        # rows.
        if last is not None and replace(last, first=first, count=count) == here and last.first + last.count == first:
            differences[-1] = replace(last, count=last.count + count)
        else:
            differences.append(here)
    return differences


# The event metric, exact and as sed_eval has it, with the pairs on which the two disagree (rules 15.8 to 15.15).


class PairDifference(Record, frozen=True):
    """A reference and a prediction that are a candidate under one arithmetic only; times in seconds."""

    clip: Annotated[str, Meta(description="The clip.")]
    label: Annotated[str, Meta(description="The class.")] = field(name="class")
    ref: Annotated[tuple[NotNegative, NotNegative], Meta(description="Onset and offset in seconds, exact.")]
    pred: Annotated[tuple[NotNegative, NotNegative], Meta(description="Onset and offset in seconds, exact.")]
    exact: Annotated[bool, Meta(description="What exact arithmetic says.")]
    sed_eval: Annotated[bool, Meta(description="What floats say.")]


@dataclass(frozen=True, slots=True, eq=False)
class EventMetrics:
    """All that is said of pairs of events."""

    exact: CountMetric
    sed_eval: CountMetric
    onset_error: MeanMetric
    offset_error: MeanMetric
    pairs: Pairs
    differences: tuple[PairDifference, ...]


def event_metrics(both: Intervals, settings: MetricSettings) -> EventMetrics:
    """Match the events of both sides under both arithmetics."""
    policy = settings.event
    # The candidates of either arithmetic are found once; each then judges them.
    near = candidates(both.ref, both.pred, policy)
    exact = exact_hits(both.ref, both.pred, near, policy)
    floats = float_hits(both.ref, both.pred, near, policy)
    matched = matched_pairs(both, near.where(exact))
    in_reach = near.where(floats)
    found = Pairs(*largest(in_reach.ref, in_reach.pred))
    differences = tuple(_difference(both, near, k, bool(exact[k])) for k in np.flatnonzero(exact != floats).tolist())
    words = f"{policy.words}; largest matching; times as written"
    in_floats = f"{words}; binary floats, substitutions in row order"
    onset, offset = (
        MeanMetric(name, Input.INTERVALS, f"pairs: {words}", both.classes, counts, both.unit)
        for name, counts in zip(("onset error", "offset error"), _deviations(both, matched), strict=True)
    )
    return EventMetrics(
        _counted(both, words, matched, substituted_clips(both, matched, policy), settings.rules()),
        _counted(both, in_floats, found, _first_fits(both, found, policy), settings.rules(Arithmetic.SED_EVAL)),
        onset,
        offset,
        matched,
        differences,
    )


def matched_pairs(both: Intervals, hits: Pairs) -> Pairs:
    """The matching of rule 15.9, given the candidates of rule 15.8."""
    order, place = zip(*(_by_time(side) for side in (both.ref, both.pred)), strict=True)
    costs = [np.abs(a[hits.ref] - b[hits.pred]) for a, b in _ends(both)]
    ref, pred = best(place[0][hits.ref], place[1][hits.pred], costs)
    return Pairs(order[0][ref], order[1][pred])


def _ends(both: Intervals) -> list[tuple[Ticks, Ticks]]:
    return [(both.ref.onset, both.pred.onset), (both.ref.offset, both.pred.offset)]


def _by_time(side: EventColumns) -> tuple[Indices, Indices]:
    """The events by onset and offset, and the place of each in that order."""
    onset, offset = (np.unique(times, return_inverse=True)[1].reshape(-1) for times in (side.onset, side.offset))
    order = np.lexsort((offset, onset))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return order, place


def _leftovers(both: Intervals, matched: Pairs, policy: EventPolicy) -> tuple[EventColumns, EventColumns, Pairs]:
    """The events without a partner, and those of a clip that are near, whatever their class."""
    sides = []
    for side, taken in ((both.ref, matched.ref), (both.pred, matched.pred)):
        free = np.ones(len(side), dtype=np.bool_)
        free[taken] = False
        sides.append(some_events(side, free))
    return sides[0], sides[1], candidates(sides[0], sides[1], policy, by_class=False)


def substituted_clips(both: Intervals, matched: Pairs, policy: EventPolicy) -> Indices:
    """The clip of each of the most disjoint pairs of leftovers (rule 15.10)."""
    ref, pred, near = _leftovers(both, matched, policy)
    hits = near.where(exact_hits(ref, pred, near, policy))
    return ref.clip[largest(hits.ref, hits.pred)[0]]


def _first_fits(both: Intervals, matched: Pairs, policy: EventPolicy) -> Indices:
    """The clips where a leftover reference takes the first leftover prediction that fits, in the order of the rows."""
    ref, pred, near = _leftovers(both, matched, policy)
    hits = near.where(float_hits(ref, pred, near, policy))
    # sed_eval counts substitutions greedily in the order of the rows, not by a largest matching.
    done: set[int] = set()
    counted: set[int] = set()
    for r, p in zip(hits.ref.tolist(), hits.pred.tolist(), strict=True):
        if r not in done and p not in counted:
            done.add(r)
            counted.add(p)
    return ref.clip[np.array(sorted(done), dtype=np.int64)]


def _counted(both: Intervals, words: str, matched: Pairs, substituted: Indices, rules: Rules) -> CountMetric:
    """The metric of some pairs and of the clips of the substitutions among the rest."""
    classes, clips = len(both.classes), len(both.clips)
    pairs, preds, refs = (
        label * clips + clip
        for label, clip in (
            (both.ref.label[matched.ref], both.ref.clip[matched.ref]),
            (both.pred.label, both.pred.clip),
            (both.ref.label, both.ref.clip),
        )
    )
    counts = Counts.of(classes, clips, [(pairs, None), (preds, None), (refs, None)]).tallied
    _, fp, fn = counts.values
    clip = counts.segment % max(clips, 1)
    less = np.concatenate([clip, substituted]), -np.ones(len(substituted), dtype=np.int64)
    deletions, insertions = ((less[0], np.concatenate([some, less[1]])) for some in (fn, fp))
    errors = Counts.of(1, clips, [(substituted, None), deletions, insertions, (both.ref.clip, None)])
    head = "event", Input.INTERVALS, f"{words}{rules.words}", "events", both.classes
    return CountMetric(*head, counts, errors, rules=rules)


def _deviations(both: Intervals, matched: Pairs) -> list[Counts]:
    """The distances of onsets and of offsets in ticks, with the pairs (rule 15.11).

    They are Python's integers, for sums may be longer than their parts.
    """
    clips = len(both.clips)
    segment = both.ref.label[matched.ref] * clips + both.ref.clip[matched.ref]
    return [
        Counts.of(
            len(both.classes),
            clips,
            [(segment, np.abs(a[matched.ref] - b[matched.pred]).astype(np.object_)), (segment, None)],
        )
        for a, b in _ends(both)
    ]


def _difference(both: Intervals, near: Pairs, number: int, exact: bool) -> PairDifference:
    r, p = int(near.ref[number]), int(near.pred[number])
    return PairDifference(
        both.clips[int(both.ref.clip[r])],
        both.classes[int(both.ref.label[r])],
        (both.time(both.ref.onset[r]), both.time(both.ref.offset[r])),
        (both.time(both.pred.onset[p]), both.time(both.pred.offset[p])),
        exact,
        not exact,
    )


# All standard metrics of one pair of tables, under one arithmetic, with what the other would have decided.


@dataclass(frozen=True, slots=True, eq=False)
class StandardMetrics(Measured):
    """The metrics; those of events and of segments have the decisions on which exact and float arithmetic differ."""

    event: EventMetrics
    segment: SegmentMetrics


def standard_metrics(
    reference: EventTable,
    prediction: EventTable,
    family: Family,
    contract: Contract,
    *,
    settings: MetricSettings | None = None,
    arithmetic: Arithmetic = Arithmetic.EXACT,
    events: EventEvaluation | None = None,
    ignore: Regions | None = None,
    durations: Mapping[str, Fraction] | None = None,
    unlisted: int = 0,
    unmeasured: int = 0,
    clips: int | None = None,
) -> StandardMetrics:
    """Measure two tables and the family they make; the contract declares grid and matcher.

    `durations` are the lengths of all clips, needed where segments end with the clip; `events` is the evaluation of
    that matcher on the family, where there is one already; `unlisted` is the number of predictions on clips that were
    not listed, `unmeasured` that of clips taken to end with their last event. If the family is a part of a whole,
    `clips` is the number of clips of the whole.
    """
    settings = settings or MetricSettings()
    times = (settings.event.collar, settings.segment)
    both = intervals(reference, prediction, family.clips, family.classes, times, ignore, mode=family.mode)
    event = event_metrics(both, settings)
    segment = segment_metrics(both, settings, durations)
    if arithmetic is Arithmetic.SED_EVAL:
        metrics: tuple[Metric, ...] = (segment.sed_eval, event.sed_eval)
    else:
        grid = f"frames of {time_text(family.step)}, {contract.projection.value}"
        if unmeasured:
            of_all = len(family.clips) if clips is None else clips
            grid += f"; {unmeasured:,} of {of_all:,} clips without a duration, taken to end with the last event"
        runs = f"runs joined over {time_text(contract.merge_gap)}; {grid}" if contract.merge_gap else grid
        # The vector's evaluation is taken where there is one; its clauses play no part in the matcher.
        matched = events or evaluate_events(dataclasses.replace(contract, clauses=()), family)
        frames, transitions = frame_metrics(family, settings.transition, grid, settings.rules())
        metrics = (
            frames,
            segment.exact,
            event.exact,
            boundary_metric(family, matched, runs, settings.rules()),
            transitions,
            event.onset_error,
            event.offset_error,
        )
    return StandardMetrics(arithmetic, family.clips, metrics, both.left_out, unlisted, event, segment)
