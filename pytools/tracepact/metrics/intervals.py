"""Both sides of a comparison in columns: the events of the tables with their own times (rules 15.1, 15.3 and 15.13)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tracepact.metrics.pairs import Flags, near
from tracepact.trace import EventTable, Regions
from tracepact.trace.assembly import UNION_CLASS
from tracepact.trace.columns import Columns, columns
from tracepact.trace.exact_times import common_unit


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """The events of both sides under one numbering of clips and classes, in ticks of one unit."""

    clips: tuple[str, ...]
    classes: tuple[str, ...]
    ref: Columns
    pred: Columns
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
) -> Intervals:
    """Both tables in columns; every one of `times` is whole in their unit. All clips and labels are known."""
    number = {clip: k for k, clip in enumerate(clips)}
    union = tuple(classes) == (UNION_CLASS,)
    tables = [reference, prediction, *([ignore] if ignore else [])]
    names = frozenset[str]().union(*(table.labels for table in tables))
    labels = dict.fromkeys(names, 0) if union else {label: k for k, label in enumerate(classes)}
    unit = common_unit(times, *(table.times for table in tables))
    ref, pred = (columns(table, number, labels, unit) for table in (reference, prediction))
    if ignore is None:
        return Intervals(tuple(clips), tuple(classes), ref, pred)
    regions = columns(ignore, number, labels, unit)
    kept = [~inside_regions(side, ignore, regions) for side in (ref, pred)]
    gone = sum(int((~some).sum()) for some in kept)
    return Intervals(tuple(clips), tuple(classes), _some(ref, kept[0]), _some(pred, kept[1]), gone)


def inside_regions(side: Columns, ignore: Regions, regions: Columns) -> Flags:
    """Which events lie wholly in one region for their class (rule 15.13), given the regions in columns too."""
    for_all = np.array([not event.label for _, event in ignore.events], dtype=np.bool_)
    found = near(regions.clip, regions.onset, regions.offset, side.clip, side.onset)
    fits = (side.offset[found.pred] <= regions.offset[found.ref]).astype(np.bool_)
    fits &= for_all[found.ref] | (regions.label[found.ref] == side.label[found.pred])
    inside = np.zeros(len(side), dtype=np.bool_)
    inside[found.pred[fits]] = True
    return inside


def _some(side: Columns, kept: Flags) -> Columns:
    return Columns(side.unit, side.clip[kept], side.label[kept], side.onset[kept], side.offset[kept])
