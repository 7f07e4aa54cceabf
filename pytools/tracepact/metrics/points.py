"""Timestamps against buffered references, and intervals against overlapping ones (rules 15.16 and 15.17)."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from tracepact.diagnostics import Diagnostics
from tracepact.metrics.compare import report_unlisted
from tracepact.metrics.intervals import Intervals, intervals
from tracepact.metrics.matching import largest
from tracepact.metrics.pairs import Flags, Indices, Pairs, near
from tracepact.metrics.policy import Arithmetic, Input
from tracepact.metrics.result import CountMetric, Measured, Tally
from tracepact.trace import Durations, Event, EventTable, Mode, Regions
from tracepact.trace.assemble import UNION_CLASS
from tracepact.trace.columns import Columns
from tracepact.wording import print_number, time_text

HALF_WIDTH = Fraction(3, 2)
OVERLAP = Fraction(3, 10)
_ROOM = 1 << 62


def point_frames(table: EventTable, step: Fraction) -> EventTable:
    """The table as a point mask: each event is the one frame that holds its onset."""

    def framed(event: Event) -> Event:
        start = event.onset // step * step
        return replace(event, onset=start, offset=start + step)

    return replace(table, clips={clip: tuple(map(framed, events)) for clip, events in table.clips.items()})


def compare_points(
    reference: EventTable,
    prediction: EventTable,
    *,
    half_width: Fraction = HALF_WIDTH,
    mode: Mode = Mode.CLASS_INDEXED,
    ignore: Regions | None = None,
    durations: Durations | Fraction | None = None,
    diagnostics: Diagnostics,
) -> Measured:
    """References with a prediction in their buffer, and predictions in no buffer (rule 15.16)."""
    given = _given(reference, prediction, mode, ignore, half_width)
    reach = int(half_width * given.unit)
    groups = _groups(given)
    found = near(groups[0], given.ref.onset - reach, given.ref.onset + reach, groups[1], given.pred.onset)
    words = f"buffer of {time_text(half_width)} to both sides of the onset, ends included, never joined"
    unlisted = report_unlisted(reference, prediction, durations, diagnostics)
    return _measured("point", words, given, np.unique(found.ref), found.pred, unlisted)


def compare_overlap(
    reference: EventTable,
    prediction: EventTable,
    *,
    threshold: Fraction = OVERLAP,
    mode: Mode = Mode.CLASS_INDEXED,
    ignore: Regions | None = None,
    durations: Durations | Fraction | None = None,
    diagnostics: Diagnostics,
) -> Measured:
    """Pairs whose intersection over union is greater than the threshold, each event in one pair (rule 15.17)."""
    given = _given(reference, prediction, mode, ignore)
    found = _overlapping(given)
    hits = found.where(_above(given.ref, given.pred, found, threshold))
    words = f"intersection over union > {print_number(threshold)}; a further prediction on a matched reference is false"
    unlisted = report_unlisted(reference, prediction, durations, diagnostics)
    return _measured("overlap", words, given, *largest(hits.ref, hits.pred), unlisted)


def _given(
    reference: EventTable, prediction: EventTable, mode: Mode, ignore: Regions | None, *times: Fraction
) -> Intervals:
    """All clips and classes of either side."""
    classes = (UNION_CLASS,) if mode is Mode.UNION else tuple(sorted(reference.labels | prediction.labels))
    return intervals(reference, prediction, tuple({**reference.clips, **prediction.clips}), classes, times, ignore)


def _measured(name: str, words: str, given: Intervals, hit: Indices, right: Indices, unlisted: int) -> Measured:
    """The metric of the references that were hit and the predictions that hit one."""
    wrong = np.ones(len(given.pred), dtype=np.bool_)
    wrong[right] = False
    tp, refs, fp = (
        np.bincount(labels, minlength=len(given.classes)).tolist()
        for labels in (given.ref.label[hit], given.ref.label, given.pred.label[wrong])
    )
    counted = zip(given.classes, tp, refs, fp, strict=True)
    tallies = {label: Tally(hits, false, all_refs - hits) for label, hits, all_refs, false in counted}
    metric = CountMetric(name, Input.INTERVALS, words, "events", tallies)
    return Measured(Arithmetic.EXACT, len(given.clips), (metric,), given.left_out, unlisted)


def _groups(given: Intervals) -> list[Indices]:
    return [side.clip * len(given.classes) + side.label for side in (given.ref, given.pred)]


def _overlapping(given: Intervals) -> Pairs:
    """Events of one clip and class that may overlap: one starts within the other, or where it ends."""
    groups = _groups(given)
    ref, pred = given.ref, given.pred
    later = near(groups[0], ref.onset, ref.offset, groups[1], pred.onset)
    earlier = near(groups[1], pred.onset + 1, pred.offset, groups[0], ref.onset)
    refs, preds = np.concatenate([later.ref, earlier.pred]), np.concatenate([later.pred, earlier.ref])
    order = np.lexsort((preds, refs))
    return Pairs(refs[order], preds[order])


def _above(ref: Columns, pred: Columns, pairs: Pairs, threshold: Fraction) -> Flags:
    """Whether the intersection over union of each pair is greater than the threshold, in whole numbers."""
    top, bottom = threshold.as_integer_ratio()
    ends = [ref.onset[pairs.ref], ref.offset[pairs.ref], pred.onset[pairs.pred], pred.offset[pairs.pred]]
    if max((int(end.max(initial=0)) for end in ends), default=0) * 2 * bottom >= _ROOM:
        ends = [end.astype(np.object_) for end in ends]
    shared = np.maximum(np.minimum(ends[1], ends[3]) - np.maximum(ends[0], ends[2]), 0)
    union = (ends[1] - ends[0]) + (ends[3] - ends[2]) - shared
    return np.asarray(shared * bottom > union * top, dtype=np.bool_)
