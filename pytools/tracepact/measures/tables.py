"""Metrics of two tables without a scoring run, points and overlaps, and sums that can be added."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import attrgetter

import numpy as np
from msgspec import structs

from tracepact.data.assembly import assemble
from tracepact.data.events import Durations, Event, EventColumns, EventTable, Lengths, Regions, columns, listed_lengths
from tracepact.data.family import UNION_CLASS, Mode, Side
from tracepact.data.labels import by_stem, similar_clip
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace
from tracepact.language.contract import Contract
from tracepact.measures.matching import largest
from tracepact.measures.policy import USUAL_RULES, Arithmetic, Counts, Indices, Input, MetricSettings, Rules, Unknown
from tracepact.measures.records import ListedDifferences, MetricsRecord, metrics_record
from tracepact.measures.results import (
    CountMetric,
    Flags,
    Intervals,
    MeanMetric,
    Measured,
    Metric,
    Pairs,
    intervals,
    near,
    some_events,
)
from tracepact.measures.standard import (
    CellDifference,
    EventMetrics,
    PairDifference,
    SegmentMetrics,
    StandardMetrics,
    standard_metrics,
)
from tracepact.records import Record
from tracepact.wording import count, print_number, time_text

# Two tables without a scoring run: every clip of either side counts, and the metrics are taken (rule 15.3).


@dataclass(frozen=True, slots=True)
class WholeComparison:
    """Facts of a whole that its part does not show: the classes, the number of clips, and of those without a length."""

    classes: tuple[str, ...]
    clips: int
    unmeasured: int


def compare(
    contract: Contract,
    reference: EventTable,
    prediction: EventTable,
    *,
    durations: Lengths = None,
    mode: Mode = Mode.CLASS_INDEXED,
    ignore: Regions | None = None,
    settings: MetricSettings | None = None,
    arithmetic: Arithmetic = Arithmetic.EXACT,
    diagnostics: Diagnostics,
    allow_outside: bool = False,
    part_of: WholeComparison | None = None,
) -> StandardMetrics:
    """Put both tables on the contract's grid and measure them; its clauses are not asked.

    Findings go to `diagnostics`; errors raise InvalidInput. `allow_outside` is as in `assemble`. Metrics of a part are
    such that they add up to those of the whole.
    """
    # Without clauses no window is too long for a clip and no mask is missing.
    contract = replace(contract, clauses=(), declared_atoms=())
    lengths = _lengths(reference, prediction, durations, contract.step)
    unlisted = report_unlisted(reference, prediction, durations, mode, diagnostics)
    family = assemble(
        contract,
        reference,
        prediction,
        durations=lengths,
        mode=mode,
        ignore=ignore,
        diagnostics=diagnostics,
        allow_outside=allow_outside,
        classes=part_of.classes if part_of else None,
    )
    measured = isinstance(durations, Fraction)
    unmeasured = 0 if measured else len(lengths.clips.keys() - listed_lengths(durations).keys())
    return standard_metrics(
        reference,
        prediction,
        family,
        contract,
        settings=settings,
        arithmetic=arithmetic,
        ignore=ignore,
        durations=lengths.clips,
        unlisted=unlisted,
        unmeasured=part_of.unmeasured if part_of else unmeasured,
        clips=part_of.clips if part_of else None,
    )


def _lengths(reference: EventTable, prediction: EventTable, durations: Lengths, step: Fraction) -> Durations:
    """The length of every clip of either side."""
    found = dict(listed_lengths(durations))
    for clip in (*reference.clips, *prediction.clips):
        if isinstance(durations, Fraction):
            found[clip] = durations
        elif clip not in found:
            events = (*reference.clips.get(clip, ()), *prediction.clips.get(clip, ()))
            found[clip] = max((event.offset for event in events), default=Fraction(0)) + step
    return Durations(durations.name if isinstance(durations, Durations) else "durations", found)


def report_unlisted(
    reference: EventTable,
    prediction: EventTable,
    durations: Lengths,
    mode: Mode,
    diagnostics: Diagnostics,
) -> int:
    """Say which clips only the predictions name, and count the events on them, in union when they are joined."""
    found = 0
    listed = listed_lengths(durations)
    stems = by_stem({**reference.clips, **listed})
    for clip, events in prediction.clips.items():
        if clip in reference.clips or clip in listed:
            continue
        # In union touching predictions are one event: they are counted as the metric will count them.
        alone = EventTable(prediction.name, {clip: events})
        number = len(intervals(alone, alone, (clip,), sorted(alone.labels), (), mode=mode).pred)
        found += number
        so = "counts as a false positive" if number == 1 else "count as false positives"
        diagnostics.add(
            "unlisted-clip",
            f"neither the reference nor the durations name `{clip}`; its {count(number, 'event')} {so}",
            RowPlace(prediction.name, events[0].row if events else None),
            similar_clip(clip, stems) or "a tool that loops over the clips of the reference does not see them",
        )
    return found


# Timestamps against buffered references, and intervals against overlapping ones (rules 15.16 and 15.17).

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
    durations: Lengths = None,
    rules: Rules = USUAL_RULES,
    diagnostics: Diagnostics,
    part_of: WholeComparison | None = None,
) -> Measured:
    """References with a prediction in their buffer, and predictions in no buffer (rule 15.16)."""
    both = _both_sides(reference, prediction, mode, ignore, durations, part_of, half_width)
    reach = int(half_width * both.unit)
    groups = _groups(both)
    found = near(groups[0], both.ref.onset - reach, both.ref.onset + reach, groups[1], both.pred.onset)
    words = f"buffer of {time_text(half_width)} to both sides of the onset, ends included, never joined"
    unlisted = report_unlisted(reference, prediction, durations, mode, diagnostics)
    return _measured("point", words, both, np.unique(found.ref), found.pred, unlisted, rules)


def compare_overlap(
    reference: EventTable,
    prediction: EventTable,
    *,
    threshold: Fraction = OVERLAP,
    mode: Mode = Mode.CLASS_INDEXED,
    ignore: Regions | None = None,
    durations: Lengths = None,
    rules: Rules = USUAL_RULES,
    diagnostics: Diagnostics,
    part_of: WholeComparison | None = None,
    unknown: Unknown = Unknown.LEFT_OUT,
) -> Measured:
    """Pairs whose intersection over union is greater than the threshold, each event in one pair (rule 15.17)."""
    words = f"intersection over union > {print_number(threshold)}; a further prediction on a matched reference is false"
    unlisted = report_unlisted(reference, prediction, durations, mode, diagnostics)
    if unknown is Unknown.LEFT_OUT:
        both = _both_sides(reference, prediction, mode, ignore, durations, part_of)
        return _measured("overlap", words, both, *_overlaps(both, threshold), unlisted, rules)
    regions = ignore or EventTable("ignore", {})
    times = {time for _, region in regions.events for time in (region.onset, region.offset)}
    both = _both_sides(reference, prediction, mode, None, durations, part_of, *times)
    # Rule 15.24 names one largest matching by the order of onsets, as the DCASE few-shot scorer has it.
    both = replace(both, ref=_by_onset(both.ref), pred=_by_onset(both.pred))
    hit, right = _overlaps(both, threshold)
    rest = np.setdiff1d(np.arange(len(both.pred)), right)
    second = replace(both, ref=_by_onset(_unknown(regions, both, mode)), pred=some_events(both.pred, rest))
    excused = rest[_overlaps(second, threshold)[1]]
    both = replace(both, left_out=len(excused))
    words += "; what is left over is matched with regions (few-shot)"
    return _measured("overlap", words, both, hit, np.concatenate([right, excused]), unlisted, rules)


def _overlaps(both: Intervals, threshold: Fraction) -> tuple[Indices, Indices]:
    """A largest set of references and predictions that overlap enough."""
    found = _overlapping(both)
    hits = found.where(_above(both.ref, both.pred, found, threshold))
    return largest(hits.ref, hits.pred)


def _unknown(regions: Regions, both: Intervals, mode: Mode) -> EventColumns:
    """The regions of these clips, one for each class that they hold for."""
    labels = dict.fromkeys(regions.labels, 0) if mode is Mode.UNION else {c: k for k, c in enumerate(both.classes)}
    every = both.classes if mode is Mode.CLASS_INDEXED else ("",)
    for_each = {
        clip: tuple(replace(region, label=c) for region in some for c in ([region.label] if region.label else every))
        for clip, some in regions.clips.items()
    }
    found = columns(replace(regions, clips=for_each), {c: k for k, c in enumerate(both.clips)}, labels, both.unit)
    return some_events(found, np.flatnonzero((found.clip >= 0) & (found.label >= 0)))


def _by_onset(side: EventColumns) -> EventColumns:
    return some_events(side, np.argsort(side.onset, kind="stable"))


def _both_sides(
    reference: EventTable,
    prediction: EventTable,
    mode: Mode,
    ignore: Regions | None,
    durations: Lengths,
    part_of: WholeComparison | None,
    *times: Fraction,
) -> Intervals:
    """All clips of either side and of the durations (rule 15.3), and all classes of either side, or of the whole."""
    listed = listed_lengths(durations)
    clips = tuple({**reference.clips, **listed, **prediction.clips})
    own = (UNION_CLASS,) if mode is Mode.UNION else tuple(sorted(reference.labels | prediction.labels))
    classes = own if part_of is None else part_of.classes
    return intervals(reference, prediction, clips, classes, times, ignore, mode=mode)


def _measured(
    name: str, words: str, both: Intervals, hit: Indices, right: Indices, unlisted: int, rules: Rules
) -> Measured:
    """The metric of the references that were hit and the predictions that hit one."""
    wrong = np.ones(len(both.pred), dtype=np.bool_)
    wrong[right] = False
    clips = len(both.clips)
    segments = [side.label * clips + side.clip for side in (both.ref, both.pred)]
    missed = np.ones(len(both.ref), dtype=np.bool_)
    missed[hit] = False
    kinds = [(segments[0][~missed], None), (segments[1][wrong], None), (segments[0][missed], None)]
    counts = Counts.of(len(both.classes), clips, kinds)
    metric = CountMetric(name, Input.INTERVALS, f"{words}{rules.words}", "events", both.classes, counts, rules=rules)
    return Measured(Arithmetic.EXACT, both.clips, (metric,), both.left_out, unlisted)


def _groups(both: Intervals) -> list[Indices]:
    return [side.clip * len(both.classes) + side.label for side in (both.ref, both.pred)]


def _overlapping(both: Intervals) -> Pairs:
    """Events of one clip and class that may overlap: one starts within the other, or where it ends."""
    groups = _groups(both)
    ref, pred = both.ref, both.pred
    later = near(groups[0], ref.onset, ref.offset, groups[1], pred.onset)
    # One tick later, so that events with the same onset are not found from both sides.
    earlier = near(groups[1], pred.onset + 1, pred.offset, groups[0], ref.onset)
    refs, preds = np.concatenate([later.ref, earlier.pred]), np.concatenate([later.pred, earlier.ref])
    order = np.lexsort((preds, refs))
    return Pairs(refs[order], preds[order])


def _above(ref: EventColumns, pred: EventColumns, pairs: Pairs, threshold: Fraction) -> Flags:
    """Whether the intersection over union of each pair is greater than the threshold, in whole numbers."""
    top, bottom = threshold.as_integer_ratio()
    ends = [ref.onset[pairs.ref], ref.offset[pairs.ref], pred.onset[pairs.pred], pred.offset[pairs.pred]]
    if max((int(end.max(initial=0)) for end in ends), default=0) * 2 * bottom >= _ROOM:
        ends = [end.astype(np.object_) for end in ends]
    # Cross-multiplied, so that no quotient is rounded.
    shared = np.maximum(np.minimum(ends[1], ends[3]) - np.maximum(ends[0], ends[2]), 0)
    union = (ends[1] - ends[0]) + (ends[3] - ends[2]) - shared
    return np.asarray(shared * bottom > union * top, dtype=np.bool_)


# The standard metrics of some clips as sums that can be added to those of others; their record follows from them.


class MetricTally(Record, frozen=True):
    """The sums of a metric over clips: by class for each kind of count; errors and cells of all classes together."""

    name: str
    input: Input
    policy: str
    unit: str
    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    errors: tuple[int, ...] | None
    cells: int | None

    @classmethod
    def of(cls, metric: CountMetric) -> "MetricTally":
        """The sums of a metric."""
        errors = None if metric.clip_errors is None else tuple(metric.clip_errors.by_class[0])
        counts = tuple(map(tuple, metric.counts.by_class))
        head = metric.name, metric.input, metric.policy, metric.unit
        return cls(*head, metric.labels, counts, errors, metric.cell_count)

    def __add__(self, other: "MetricTally") -> "MetricTally":
        return structs.replace(
            self,
            counts=_added(self.counts, other.counts),
            errors=None if self.errors is None else _added((self.errors,), (other.errors or (),))[0],
            cells=None if self.cells is None else self.cells + (other.cells or 0),
        )

    def metric(self, settings: MetricSettings, arithmetic: Arithmetic) -> CountMetric:
        """The metric whose one clip has all that was counted."""
        head = self.name, self.input, self.policy, self.unit
        errors = None if self.errors is None else _counts((self.errors,))
        cells = None if self.cells is None else np.array([self.cells])
        return CountMetric(*head, self.labels, _counts(self.counts), errors, cells, settings.rules(arithmetic))


class DistanceTally(Record, frozen=True):
    """The sums of a mean of distances: by class the distances in seconds, exact, and how many they are."""

    name: str
    input: Input
    policy: str
    labels: tuple[str, ...]
    distances: tuple[Fraction, ...]
    pairs: tuple[int, ...]

    @classmethod
    def of(cls, metric: MeanMetric) -> "DistanceTally":
        """The sums of a mean of distances."""
        classes = metric.classes.values()
        sums = tuple(d.total for d in classes), tuple(d.pairs for d in classes)
        return cls(metric.name, metric.input, metric.policy, metric.labels, *sums)

    def __add__(self, other: "DistanceTally") -> "DistanceTally":
        distances = tuple(a + b for a, b in zip(self.distances, other.distances, strict=True))
        return structs.replace(self, distances=distances, pairs=_added((self.pairs,), (other.pairs,))[0])

    @property
    def metric(self) -> MeanMetric:
        """The metric whose one clip has all that was measured."""
        unit = int(np.lcm.reduce([d.denominator for d in self.distances], initial=1, dtype=np.object_))
        rows = tuple((int(d * unit), number) for d, number in zip(self.distances, self.pairs, strict=True))
        return MeanMetric(self.name, self.input, self.policy, self.labels, _counts(rows), unit)


class PlacedPair(Record, frozen=True):
    """A pair that the two arithmetics judge differently, and its place in the order of the whole: clip, number."""

    place: tuple[int, int]
    found: PairDifference


class PlacedCell(Record, frozen=True):
    """Segments that the two arithmetics judge differently, and their place: side, class, clip, number."""

    place: tuple[int, int, int, int]
    found: CellDifference


class MetricsTally(Record, frozen=True):
    """Metrics of some clips; of the decisions on which arithmetics differ, the first are kept.

    `counted` are the event and the segment metric under either arithmetic, `means` the errors of onsets and offsets;
    metrics of points or of overlap alone have neither.
    """

    arithmetic: Arithmetic
    clips: int
    left_out: int
    unlisted: int
    most: int
    shown: tuple[MetricTally | None, ...]
    counted: tuple[MetricTally, ...]
    means: tuple[DistanceTally, ...]
    pairs: int
    cells: int
    listed_pairs: tuple[PlacedPair, ...]
    listed_cells: tuple[PlacedCell, ...]

    @classmethod
    def of(cls, measured: Measured, first: int, most: int) -> "MetricsTally":
        """The tally of a batch whose clips start at this place among all clips."""
        shown = tuple(MetricTally.of(m) if isinstance(m, CountMetric) else None for m in measured.metrics)
        head = measured.arithmetic, measured.clips, measured.left_out, measured.unlisted, most, shown
        if not isinstance(measured, StandardMetrics):
            return cls(*head, (), (), 0, 0, (), ())
        index = {clip: first + number for number, clip in enumerate(measured.clip_names)}
        both = (measured.event.exact, measured.event.sed_eval, measured.segment.exact, measured.segment.sed_eval)
        labels = {label: number for number, label in enumerate(both[0].labels)}
        pairs = [PlacedPair((index[d.clip], number), d) for number, d in enumerate(measured.event.differences)]
        sides = {side: number for number, side in enumerate(Side)}
        cells = [
            PlacedCell((sides[d.side], labels[d.label], index[d.clip], number), d)
            for number, d in enumerate(measured.segment.differences)
        ]
        return cls(
            *head,
            tuple(map(MetricTally.of, both)),
            (DistanceTally.of(measured.event.onset_error), DistanceTally.of(measured.event.offset_error)),
            len(pairs),
            sum(cell.found.count for cell in cells),
            tuple(sorted(pairs, key=_place)[:most]),
            tuple(sorted(cells, key=_place)[:most]),
        )

    def __add__(self, other: "MetricsTally") -> "MetricsTally":
        return MetricsTally(
            self.arithmetic,
            self.clips + other.clips,
            self.left_out + other.left_out,
            self.unlisted + other.unlisted,
            self.most,
            tuple(a + b if a and b else None for a, b in zip(self.shown, other.shown, strict=True)),
            tuple(a + b for a, b in zip(self.counted, other.counted, strict=True)),
            tuple(a + b for a, b in zip(self.means, other.means, strict=True)),
            self.pairs + other.pairs,
            self.cells + other.cells,
            tuple(sorted((*self.listed_pairs, *other.listed_pairs), key=_place)[: self.most]),
            tuple(sorted((*self.listed_cells, *other.listed_cells), key=_place)[: self.most]),
        )

    def measured(self, settings: MetricSettings) -> Measured:
        """The metrics of all clips, as if one clip had all that was counted; without the list of differences."""
        exact, floats = Arithmetic.EXACT, Arithmetic.SED_EVAL
        means = [tally.metric for tally in self.means]
        following = iter(means)
        metrics: tuple[Metric, ...] = tuple(
            tally.metric(settings, self.arithmetic) if tally is not None else next(following) for tally in self.shown
        )
        head = self.arithmetic, ("",) * self.clips, metrics, self.left_out, self.unlisted
        if not self.counted:
            return Measured(*head)
        event, event_floats, segment, segment_floats = (
            tally.metric(settings, kind)
            for tally, kind in zip(self.counted, (exact, floats, exact, floats), strict=True)
        )
        none = np.zeros(0, dtype=np.int64)
        return StandardMetrics(
            *head,
            EventMetrics(event, event_floats, means[0], means[1], Pairs(none, none), ()),
            SegmentMetrics(segment, segment_floats, ()),
        )

    def record(self, settings: MetricSettings) -> MetricsRecord:
        """The record of all metrics of all clips."""
        record = metrics_record(self.measured(settings))
        if record.differences is None:
            return record
        listed = ListedDifferences(
            tuple(one.found for one in self.listed_pairs), tuple(one.found for one in self.listed_cells)
        )
        differences = structs.replace(record.differences, pairs=self.pairs, cells=self.cells, listed=listed)
        return structs.replace(record, differences=differences)


_place = attrgetter("place")


def _added(mine: Sequence[Sequence[int]], theirs: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(a + b for a, b in zip(*rows, strict=True)) for rows in zip(mine, theirs, strict=True))


def _counts(rows: Sequence[Sequence[int]]) -> Counts:
    """Sums by class as the counts of one clip."""
    # Sums of a whole corpus may be longer than int64 holds.
    longest = max((abs(value) for row in rows for value in row), default=0)
    values = np.array(rows, dtype=np.int64 if longest < 1 << 60 else np.object_).T
    return Counts(len(rows), 1, np.arange(len(rows), dtype=np.int64), values)
