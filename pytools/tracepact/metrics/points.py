"""Timestamps against buffered references, and intervals against overlapping ones (rules 15.16 and 15.17)."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from tracepact.diagnostics import Diagnostics
from tracepact.metrics.compare import Whole, report_unlisted
from tracepact.metrics.counts import Counts
from tracepact.metrics.intervals import Intervals, intervals
from tracepact.metrics.matching import largest
from tracepact.metrics.pairs import Flags, Indices, Pairs, near
from tracepact.metrics.policy import USUAL_RULES, Arithmetic, Input, Rules
from tracepact.metrics.result import CountMetric, Measured
from tracepact.trace import Durations, Event, EventTable, Mode, Regions
from tracepact.trace.assembly import UNION_CLASS
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
    rules: Rules = USUAL_RULES,
    diagnostics: Diagnostics,
    part_of: Whole | None = None,
) -> Measured:
    """References with a prediction in their buffer, and predictions in no buffer (rule 15.16)."""
    given = _given(reference, prediction, mode, ignore, durations, part_of, half_width)
    reach = int(half_width * given.unit)
    groups = _groups(given)
    found = near(groups[0], given.ref.onset - reach, given.ref.onset + reach, groups[1], given.pred.onset)
    words = f"buffer of {time_text(half_width)} to both sides of the onset, ends included, never joined"
    unlisted = report_unlisted(reference, prediction, durations, diagnostics)
    return _measured("point", words, given, np.unique(found.ref), found.pred, unlisted, rules)


def compare_overlap(
    reference: EventTable,
    prediction: EventTable,
    *,
    threshold: Fraction = OVERLAP,
    mode: Mode = Mode.CLASS_INDEXED,
    ignore: Regions | None = None,
    durations: Durations | Fraction | None = None,
    rules: Rules = USUAL_RULES,
    diagnostics: Diagnostics,
    part_of: Whole | None = None,
) -> Measured:
    """Pairs whose intersection over union is greater than the threshold, each event in one pair (rule 15.17)."""
    given = _given(reference, prediction, mode, ignore, durations, part_of)
    found = _overlapping(given)
    hits = found.where(_above(given.ref, given.pred, found, threshold))
    words = f"intersection over union > {print_number(threshold)}; a further prediction on a matched reference is false"
    unlisted = report_unlisted(reference, prediction, durations, diagnostics)
    return _measured("overlap", words, given, *largest(hits.ref, hits.pred), unlisted, rules)


def _given(
    reference: EventTable,
    prediction: EventTable,
    mode: Mode,
    ignore: Regions | None,
    durations: Durations | Fraction | None,
    part_of: Whole | None,
    *times: Fraction,
) -> Intervals:
    """All clips of either side and of the durations (rule 15.3), and all classes of either side, or of the whole."""
    listed = durations.clips if isinstance(durations, Durations) else {}
    clips = tuple({**reference.clips, **listed, **prediction.clips})
    own = (UNION_CLASS,) if mode is Mode.UNION else tuple(sorted(reference.labels | prediction.labels))
    classes = own if part_of is None else part_of.classes
    return intervals(reference, prediction, clips, classes, times, ignore)


def _measured(
    name: str, words: str, given: Intervals, hit: Indices, right: Indices, unlisted: int, rules: Rules
) -> Measured:
    """The metric of the references that were hit and the predictions that hit one."""
    wrong = np.ones(len(given.pred), dtype=np.bool_)
    wrong[right] = False
    clips = len(given.clips)
    segments = [side.label * clips + side.clip for side in (given.ref, given.pred)]
    missed = np.ones(len(given.ref), dtype=np.bool_)
    missed[hit] = False
    kinds = [(segments[0][~missed], None), (segments[1][wrong], None), (segments[0][missed], None)]
    counts = Counts.of(len(given.classes), clips, kinds)
    metric = CountMetric(name, Input.INTERVALS, f"{words}{rules.words}", "events", given.classes, counts, rules=rules)
    return Measured(Arithmetic.EXACT, given.clips, (metric,), given.left_out, unlisted)


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
