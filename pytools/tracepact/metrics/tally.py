"""The standard metrics of some clips as sums that can be added to those of others; their record follows from them."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from msgspec import structs

from tracepact.metrics.cells import CellDifference, SegmentMetrics
from tracepact.metrics.counts import Counts
from tracepact.metrics.events import EventMetrics, PairDifference
from tracepact.metrics.pairs import Pairs
from tracepact.metrics.policy import Arithmetic, Input, MetricSettings
from tracepact.metrics.record import ListedDifferences, MetricsRecord, metrics_record
from tracepact.metrics.result import CountMetric, MeanMetric, Measured, Metric
from tracepact.metrics.standard import StandardMetrics
from tracepact.records import Record
from tracepact.trace import Side


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
        counts = _rows(metric.counts)
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


class MeanTally(Record, frozen=True):
    """The sums of a mean of distances: by class the distances in seconds, exact, and how many they are."""

    name: str
    input: Input
    policy: str
    labels: tuple[str, ...]
    distances: tuple[Fraction, ...]
    pairs: tuple[int, ...]

    @classmethod
    def of(cls, metric: MeanMetric) -> "MeanTally":
        """The sums of a mean of distances."""
        found = metric.classes.values()
        sums = tuple(d.total for d in found), tuple(d.pairs for d in found)
        return cls(metric.name, metric.input, metric.policy, metric.labels, *sums)

    def __add__(self, other: "MeanTally") -> "MeanTally":
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
    means: tuple[MeanTally, ...]
    pairs: int
    cells: int
    listed_pairs: tuple[PlacedPair, ...]
    listed_cells: tuple[PlacedCell, ...]

    @classmethod
    def of(cls, found: Measured, first: int, most: int) -> "MetricsTally":
        """The tally of a batch whose clips start at this place among all clips."""
        shown = tuple(MetricTally.of(m) if isinstance(m, CountMetric) else None for m in found.metrics)
        head = found.arithmetic, found.clips, found.left_out, found.unlisted, most, shown
        if not isinstance(found, StandardMetrics):
            return cls(*head, (), (), 0, 0, (), ())
        index = {clip: first + number for number, clip in enumerate(found.clip_names)}
        both = (found.event.exact, found.event.sed_eval, found.segment.exact, found.segment.sed_eval)
        labels = {label: number for number, label in enumerate(both[0].labels)}
        pairs = [PlacedPair((index[d.clip], number), d) for number, d in enumerate(found.pair_differences)]
        sides = {side: number for number, side in enumerate(Side)}
        cells = [
            PlacedCell((sides[d.side], labels[d.label], index[d.clip], number), d)
            for number, d in enumerate(found.cell_differences)
        ]
        return cls(
            *head,
            tuple(map(MetricTally.of, both)),
            (MeanTally.of(found.event.onset_error), MeanTally.of(found.event.offset_error)),
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


def _place(one: PlacedPair | PlacedCell) -> tuple[int, ...]:
    return one.place


def _rows(counts: Counts) -> tuple[tuple[int, ...], ...]:
    return tuple(map(tuple, counts.by_class))


def _added(mine: Sequence[Sequence[int]], theirs: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(a + b for a, b in zip(*rows, strict=True)) for rows in zip(mine, theirs, strict=True))


def _counts(rows: Sequence[Sequence[int]]) -> Counts:
    """Sums by class as the counts of one clip."""
    longest = max((abs(value) for row in rows for value in row), default=0)
    values = np.array(rows, dtype=np.int64 if longest < 1 << 60 else np.object_).T
    return Counts(len(rows), 1, np.arange(len(rows), dtype=np.int64), values)
