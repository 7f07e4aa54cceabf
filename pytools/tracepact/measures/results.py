"""What a metric found of both sides in columns: candidates, counts by class and clip."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.data.events import EventColumns, EventTable, Regions, Ticks, columns, common_unit, joined
from tracepact.data.family import Mode
from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import Diagnostic
from tracepact.inputs import limits
from tracepact.measures.policy import (
    USUAL_RULES,
    Accuracy,
    Arithmetic,
    Counts,
    Errors,
    EventPolicy,
    Indices,
    Input,
    MacroOver,
    MetricCounts,
    Number,
    OffsetRule,
    Rates,
    Rules,
    accuracy,
    macro_values,
    mean,
    rates,
)

# What a metric found: counts by class and clip, and its values for all classes and over them (chapter 15).

RATES = tuple(field.name for field in fields(Rates))
ACCURACIES = tuple(field.name for field in fields(Accuracy))
NAMED_ACCURACIES = ACCURACIES[1:]
"""Those that are no rate as well: the sensitivity is the recall."""


@dataclass(frozen=True, slots=True)
class Macro:
    """The mean of each rate over classes, and of how many classes it is."""

    rates: Rates
    classes: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class CountMetric:
    """A metric of true and false positives and false negatives, by class and clip, with its errors where it has any.

    `counts` are of these three kinds; `clip_errors` are substitutions, deletions, insertions and references of one
    class that stands for all; `cells` says how many cells each clip has, where those that nothing covers count.
    """

    name: str
    input: Input
    policy: str
    unit: str
    labels: tuple[str, ...]
    counts: Counts
    clip_errors: Counts | None = None
    cells: Indices | None = None
    rules: Rules = USUAL_RULES

    @cached_property
    def classes(self) -> Mapping[str, MetricCounts]:
        """The counts of each class."""
        return dict(zip(self.labels, (MetricCounts(*row) for row in self.counts.by_class), strict=True))

    @cached_property
    def errors(self) -> Errors | None:
        """The errors of all classes together."""
        return Errors(*self.clip_errors.by_class[0]) if self.clip_errors else None

    @property
    def total(self) -> MetricCounts:
        """The counts of all classes."""
        return sum(self.classes.values(), MetricCounts(0, 0, 0))

    @property
    def micro(self) -> Rates:
        """The rates of the counts of all classes."""
        return self.rates(self.total)

    def rates(self, tally: MetricCounts) -> Rates:
        """The rates of some counts, by this metric's rules."""
        return rates(tally, self.rules)

    @property
    def macro(self) -> Macro:
        """The means over classes (rule 15.21)."""
        found = [self.rates(tally) for tally in self.classes.values()]
        chosen = {name: self._over([getattr(some, name) for some in found]) for name in RATES}
        means = Rates(**{name: mean(values) for name, values in chosen.items()})
        return Macro(means, {name: sum(v is not None for v in values) for name, values in chosen.items()})

    @cached_property
    def cell_count(self) -> int | None:
        """How many cells a class has, where those that nothing covers count."""
        return None if self.cells is None else int(self.cells.sum())

    def accuracy(self, tally: MetricCounts, classes: int = 1) -> Accuracy | None:
        """The accuracies of the counts of a number of classes, where the metric has any (rule 15.19)."""
        if self.cell_count is None:
            return None
        return accuracy(tally, self.true_negatives(tally, classes), self.rules)

    def true_negatives(self, tally: MetricCounts, classes: int = 1) -> int:
        """The cells of a number of classes that neither side covers."""
        assert self.cell_count is not None
        return self.cell_count * classes - tally.tp - tally.fp - tally.fn

    @property
    def macro_accuracy(self) -> Accuracy | None:
        """The means over classes of the accuracies."""
        found = [some for tally in self.classes.values() if (some := self.accuracy(tally)) is not None]
        if self.cells is None:
            return None
        return Accuracy(**{name: mean(self._over([getattr(some, name) for some in found])) for name in ACCURACIES})

    @property
    def error_rate(self) -> Number | None:
        """The error rate, if this metric has one and it is defined."""
        return self.errors.rate(self.rules.arithmetic) if self.errors else None

    @property
    def macro_error_rate(self) -> Number | None:
        """The mean of the classes' own error rates: within a class there are deletions and insertions only."""
        if not self.errors:
            return None
        alone = (Errors(0, tally.fn, tally.fp, tally.tp + tally.fn) for tally in self.classes.values())
        over = self.rules.macro if self.rules.macro is MacroOver.REFERENCE else MacroOver.DEFINED
        return mean(self._over([errors.rate(self.rules.arithmetic) for errors in alone], over))

    def _over(self, values: Sequence[Number | None], over: MacroOver | None = None) -> list[Number | None]:
        in_reference = [tally.tp + tally.fn > 0 for tally in self.classes.values()]
        return macro_values(values, in_reference, over or self.rules.macro)

    @property
    def values(self) -> dict[str, Number | None]:
        """Every value that has a name of its own: for all classes, and as a mean over them."""
        macro = self.macro.rates
        found = {name: getattr(self.micro, name) for name in RATES}
        found |= {f"macro_{name}": getattr(macro, name) for name in RATES}
        if self.cells is not None:
            micro = self.accuracy(self.total, len(self.labels))
            both = (("", micro), ("macro_", self.macro_accuracy))
            found |= {f"{kind}{name}": getattr(some, name) for kind, some in both for name in NAMED_ACCURACIES}
        if self.clip_errors is not None:
            found |= {"error_rate": self.error_rate, "macro_error_rate": self.macro_error_rate}
        return found

    def drawn_once(self, times: Indices) -> "CountMetric":
        """The metric of one draw, given how often it has each clip."""
        return replace(
            self,
            counts=self.counts.drawn_once(times),
            clip_errors=self.clip_errors.drawn_once(times) if self.clip_errors else None,
            cells=None if self.cells is None else np.array([int(self.cells @ times)]),
        )

    def renumbered(self, clips: Sequence[int], number: int) -> "CountMetric":
        """The metric with the clips renumbered among a larger number of clips; the others are empty."""
        cells = None
        if self.cells is not None:
            cells = np.zeros(number, dtype=np.int64)
            cells[np.asarray(clips, dtype=np.int64)] = self.cells
        errors = self.clip_errors.renumbered(clips, number) if self.clip_errors else None
        return replace(self, counts=self.counts.renumbered(clips, number), clip_errors=errors, cells=cells)


@dataclass(frozen=True, slots=True)
class Deviation:
    """The sum of some distances in seconds, and how many there are."""

    total: Fraction = Fraction(0)
    pairs: int = 0

    @property
    def mean(self) -> Fraction | None:
        """Their mean; None without any."""
        return self.total / self.pairs if self.pairs else None


@dataclass(frozen=True, eq=False)
class MeanMetric:
    """A mean of distances over matched pairs; `counts` are of two kinds, distances in ticks and pairs."""

    name: str
    input: Input
    policy: str
    labels: tuple[str, ...]
    counts: Counts
    unit: int

    @cached_property
    def classes(self) -> Mapping[str, Deviation]:
        """The distances of each class."""
        rows = (Deviation(Fraction(ticks, self.unit), pairs) for ticks, pairs in self.counts.by_class)
        return dict(zip(self.labels, rows, strict=True))

    @property
    def total(self) -> Deviation:
        """All distances of all classes."""
        found = self.classes.values()
        return Deviation(sum((d.total for d in found), Fraction(0)), sum(d.pairs for d in found))

    @property
    def macro(self) -> Number | None:
        """The mean over the classes with a pair."""
        return mean([found.mean for found in self.classes.values()])

    @property
    def values(self) -> dict[str, Number | None]:
        """The mean of all pairs, and the mean over classes."""
        return {"mean": self.total.mean, "macro_mean": self.macro}

    def drawn_once(self, times: Indices) -> "MeanMetric":
        """The metric of one draw, given how often it has each clip."""
        return replace(self, counts=self.counts.drawn_once(times))

    def renumbered(self, clips: Sequence[int], number: int) -> "MeanMetric":
        """The metric with the clips renumbered among a larger number of clips; the others are empty."""
        return replace(self, counts=self.counts.renumbered(clips, number))


Metric = CountMetric | MeanMetric


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Some metrics of two tables, of these clips.

    `left_out` events lay in ignore regions (rule 15.13), `unlisted` predictions on clips nobody else names (rule 15.3).
    """

    arithmetic: Arithmetic
    clip_names: tuple[str, ...]
    metrics: tuple[Metric, ...]
    left_out: int
    unlisted: int

    @property
    def clips(self) -> int:
        """The number of clips."""
        return len(self.clip_names)

    def on_clips(self, names: tuple[str, ...]) -> "Measured":
        """The same with the clips in this order, and others that have nothing."""
        if self.clip_names == names:
            return self
        number = {clip: k for k, clip in enumerate(names)}
        places = [number[clip] for clip in self.clip_names]
        metrics = tuple(metric.renumbered(places, len(names)) for metric in self.metrics)
        return Measured(self.arithmetic, names, metrics, self.left_out, self.unlisted)


# Candidates: events of both sides that are near in time, found by sorting, and judged exactly or by floats.

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
_WHOLE_FLOATS = 1 << 53
_FAR = 1 << 61  # farther than any two times in int64 ticks
_SMALL = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """References and predictions by index, sorted by both."""

    ref: Indices
    pred: Indices

    def __len__(self) -> int:
        return len(self.ref)

    def where(self, kept: Flags) -> "Pairs":
        """Some of the pairs."""
        return Pairs(self.ref[kept], self.pred[kept])


def near(group: Indices, low: Ticks, high: Ticks, other: Indices, at: Ticks) -> Pairs:
    """All pairs of a window `[low, high]` and a point `at` in it, both ends included, of one group.

    Times are replaced by their ranks, so that group and time fit into one number whatever the unit.
    """
    line, rank = np.unique(np.concatenate([low, high, at]), return_inverse=True)
    size = len(line) + 1
    lows, highs, points = np.split(rank.reshape(-1), [len(low), len(low) + len(high)])
    # Sorted once, every window is a slice that two binary searches find.
    keys = other * size + points
    order = np.argsort(keys, kind="stable")
    first = np.searchsorted(keys[order], group * size + lows, side="left")
    last = np.searchsorted(keys[order], group * size + highs, side="right")
    count = np.maximum(last - first, 0)
    # Pairs are counted by the searches; only then is memory taken for them.
    _check_number(int(count.sum()))
    place = np.arange(int(count.sum()))
    place += np.repeat(first - (np.cumsum(count) - count), count)
    both = order[place]
    # Up to the limit of pairs each of these arrays is a tenth of a gigabyte and more.
    del place
    both += np.repeat(np.arange(len(group)) * len(other), count)  # reference and prediction in one number
    both.sort()
    return Pairs(*np.divmod(both, max(len(other), 1)))


def _check_number(pairs: int) -> None:
    """Refuse more pairs than are looked at in one go, before any of them is made."""
    if pairs > (most := limits().candidates):
        headline = f"{pairs:,} pairs of events are near each other; at most {most:,} are looked at in one go"
        help = "check the times and their unit, take fewer clips, or raise the limit (--limit candidates=NUMBER)"
        raise InvalidInput([Diagnostic("too-many-candidates", headline, None, help)])


def candidates(ref: EventColumns, pred: EventColumns, policy: EventPolicy, *, by_class: bool = True) -> Pairs:
    """Every pair of one clip, and one class if asked, that either arithmetic could accept by its onsets."""
    labels = 1 + max(int(side.label.max(initial=0)) for side in (ref, pred))
    groups = [side.clip * labels + side.label if by_class else side.clip for side in (ref, pred)]
    longest = max(_largest(side.onset) for side in (ref, pred))
    # A float difference is off by less than this; a window beyond all times is as good as one that just holds them.
    reach = min(int((policy.collar + policy.slack) * ref.unit) + 1 + (longest >> 50), longest + 1)
    return near(groups[0], ref.onset - reach, ref.onset + reach, groups[1], pred.onset)


def exact_hits(ref: EventColumns, pred: EventColumns, pairs: Pairs, policy: EventPolicy) -> Flags:
    """Which pairs meet the conditions on onset and offset, in whole ticks (rule 15.8)."""
    apart = np.abs(ref.onset[pairs.ref] - pred.onset[pairs.pred])
    collar, slack = int(policy.collar * ref.unit), int(policy.slack * ref.unit)  # floor: differences are whole
    if apart.dtype == np.int64:
        collar, slack = min(collar, _FAR), min(slack, _FAR)
    hits = apart <= collar + slack
    if policy.offset is not OffsetRule.NONE:
        length = (ref.offset - ref.onset)[pairs.ref]
        top, bottom = policy.share.as_integer_ratio()
        # Below this bound of the share's denominator the products below fit into int64.
        if bottom > _SMALL:
            length = length.astype(np.object_)
        # Quotient and rest apart, for length times share could be too long for int64.
        shared = length // bottom * top + length % bottom * top // bottom
        allowed = _allowed(policy.offset, collar, shared) + slack
        hits &= np.abs(ref.offset[pairs.ref] - pred.offset[pairs.pred]) <= allowed
    return np.asarray(hits, dtype=np.bool_)


def float_hits(ref: EventColumns, pred: EventColumns, pairs: Pairs, policy: EventPolicy) -> Flags:
    """Which pairs meet the conditions when times are binary floats (rule 15.14)."""
    collar = float(policy.collar)
    ref_onset, pred_onset = seconds(ref.onset, ref.unit), seconds(pred.onset, pred.unit)
    hits: Flags = np.abs(ref_onset[pairs.ref] - pred_onset[pairs.pred]) <= collar
    if policy.offset is not OffsetRule.NONE:
        ref_offset, pred_offset = seconds(ref.offset, ref.unit), seconds(pred.offset, pred.unit)
        shared = float(policy.share) * (ref_offset - ref_onset)[pairs.ref]
        hits &= np.abs(ref_offset[pairs.ref] - pred_offset[pairs.pred]) <= _allowed(policy.offset, collar, shared)
    return hits


def seconds(ticks: Ticks, unit: int) -> Floats:
    """Times as the nearest binary floats, those that reading their decimal text gives."""
    # A quotient of two floats that are whole numbers is rounded once, as reading the decimal is.
    if ticks.dtype == np.int64 and unit < _WHOLE_FLOATS and _largest(ticks) < _WHOLE_FLOATS:
        return np.asarray(ticks / unit, dtype=np.float64)
    return np.array([tick / unit for tick in ticks.tolist()], dtype=np.float64)


def _allowed(rule: OffsetRule, collar: float, shared: NDArray[Any]) -> NDArray[Any]:
    """The greatest distance of the offsets of each pair."""
    match rule:
        case OffsetRule.MAX:
            return np.asarray(np.maximum(collar, shared))
        case OffsetRule.AND:
            return np.asarray(np.minimum(collar, shared))
        case _:
            return np.full_like(shared, collar)


def _largest(ticks: Ticks) -> int:
    return max(abs(int(ticks.max())), abs(int(ticks.min()))) if len(ticks) else 0


# Both sides of a comparison in columns: the events of the tables with their own times (rules 15.1, 15.3 and 15.13).


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """The events of both sides under one numbering of clips and classes, in ticks of one unit."""

    clips: tuple[str, ...]
    classes: tuple[str, ...]
    ref: EventColumns
    pred: EventColumns
    left_out: int = 0

    @property
    def unit(self) -> int:
        """Ticks a second."""
        return self.ref.unit

    def time(self, ticks: int) -> Fraction:
        """A number of ticks in seconds."""
        return Fraction(int(ticks), self.unit)


def intervals(
    reference: EventTable,
    prediction: EventTable,
    clips: Sequence[str],
    classes: Sequence[str],
    times: Iterable[Fraction],
    ignore: Regions | None = None,
    *,
    mode: Mode,
) -> Intervals:
    """Both tables in columns; every one of `times` is whole in their unit. All clips and labels are known.

    In union the events of each side are joined (rule 15.23).
    """
    number = {clip: k for k, clip in enumerate(clips)}
    union = mode is Mode.UNION
    tables = [reference, prediction, *([ignore] if ignore else [])]
    names = frozenset[str]().union(*(table.labels for table in tables))
    labels = dict.fromkeys(names, 0) if union else {label: k for k, label in enumerate(classes)}
    unit = common_unit(times, *(table.times for table in tables))
    ref, pred = (columns(table, number, labels, unit) for table in (reference, prediction))
    if union:
        ref, pred = joined(ref), joined(pred)
    if ignore is None:
        return Intervals(tuple(clips), tuple(classes), ref, pred)
    regions = columns(ignore, number, labels, unit)
    kept = [~inside_regions(side, ignore, regions) for side in (ref, pred)]
    gone = sum(int((~some).sum()) for some in kept)
    return Intervals(tuple(clips), tuple(classes), some_events(ref, kept[0]), some_events(pred, kept[1]), gone)


def inside_regions(side: EventColumns, ignore: Regions, regions: EventColumns) -> Flags:
    """Which events lie wholly in one region for their class (rule 15.13), given the regions in columns too."""
    for_all = np.array([not event.label for _, event in ignore.events], dtype=np.bool_)
    found = near(regions.clip, regions.onset, regions.offset, side.clip, side.onset)
    fits = (side.offset[found.pred] <= regions.offset[found.ref]).astype(np.bool_)
    fits &= for_all[found.ref] | (regions.label[found.ref] == side.label[found.pred])
    inside = np.zeros(len(side), dtype=np.bool_)
    inside[found.pred[fits]] = True
    return inside


def some_events(side: EventColumns, kept: Flags | Indices) -> EventColumns:
    """Some of the events, by flags or in this order."""
    return EventColumns(side.unit, side.clip[kept], side.label[kept], side.onset[kept], side.offset[kept])
