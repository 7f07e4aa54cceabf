"""Step functions of the threshold: counts kept as their changes, values screened in whole numbers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.evaluate.scores import ClauseCounts
from tracepact.language.contract import Aggregation, OmittedEntries

# Counts by class and clip as step functions of the threshold, kept as their changes.
#
# A threshold matters only through its *cut*: how many of the distinct scores are not greater than it. At cut c the
# scores of rank c and above are active. Cut 0 lies below all scores.

Whole = NDArray[np.signedinteger[Any]]
"""Whole numbers, short ones where many are kept."""


@dataclass(frozen=True, eq=False)
class CountSteps:
    """Several counts of every class and clip: their values at cut 0, and every change from one cut to the next.

    Attributes:
        shape: the numbers of classes and of clips; entry `class · clips + clip` is one class of one clip.
        base: the counts at cut 0, counts × entries.
        cut: the cuts at which something changes, in any order.
        entry: whose counts change there.
        change: by how much, counts × changes.
    """

    shape: tuple[int, int]
    base: Whole
    cut: Whole
    entry: Whole
    change: Whole

    @cached_property
    def by_cut(self) -> "CountSteps":
        """The same, with the changes ascending by cut."""
        order = np.argsort(self.cut, kind="stable")
        return CountSteps(self.shape, self.base, self.cut[order], self.entry[order], self.change[:, order])

    def at(self, cut: int) -> Whole:
        """The counts at a cut, counts × classes × clips."""
        here = self.cut <= cut
        counts = self.base.copy()
        for row, change in zip(counts, self.change[:, here], strict=True):
            row += np.bincount(self.entry[here], change, len(row)).astype(np.int64)
        return counts.reshape(-1, *self.shape)

    def select(self, clips: Sequence[int] | Whole) -> "CountSteps":
        """The counts of some clips alone; those of a clip that is named twice count twice."""
        chosen = np.asarray(clips, dtype=np.int64)
        classes, number = self.shape
        times = np.bincount(chosen, minlength=number)
        place = np.cumsum(times > 0) - 1
        kept = np.flatnonzero(times)
        label, clip = np.divmod(self.entry, number)
        here = times[clip] > 0
        base = self.base.reshape(-1, classes, number)[:, :, kept] * times[kept]
        return CountSteps(
            (classes, len(kept)),
            base.reshape(len(self.base), -1),
            self.cut[here],
            label[here] * len(kept) + place[clip[here]],
            self.change[:, here] * times[clip[here]],
        )

    def label(self, label: int) -> "CountSteps":
        """The counts of one class alone."""
        clips = self.shape[1]
        order, ends = self._by_label
        here = order[ends[label] : ends[label + 1]]
        base = self.base[:, label * clips : (label + 1) * clips]
        return CountSteps((1, clips), base, self.cut[here], self.entry[here] - label * clips, self.change[:, here])

    @cached_property
    def _by_label(self) -> tuple[Whole, Whole]:
        """The changes in the order of their classes, and where each class begins; classes are asked for one by one."""
        label = (self.entry // max(self.shape[1], 1)).astype(np.min_scalar_type(max(self.shape[0] - 1, 0)))
        return np.argsort(label, kind="stable"), np.append(0, np.cumsum(np.bincount(label, minlength=self.shape[0])))

    def grouped(self, *, clips: bool, classes: bool) -> "CountSteps":
        """The counts of all clips, or of all classes, or of both, added."""
        rows, columns = self.shape
        label, clip = np.divmod(self.entry, columns)
        shape = (1 if classes else rows, 1 if clips else columns)
        entry = np.where(classes, 0, label) * shape[1] + np.where(clips, 0, clip)
        axes = tuple(axis for axis, asked in ((1, classes), (2, clips)) if asked)
        base = self.base.reshape(-1, rows, columns).sum(axis=axes, keepdims=True)
        return CountSteps(shape, base.reshape(len(base), -1), self.cut, entry, self.change)

    def netted(self, *, cancelled: bool = False) -> "CountSteps":
        """One change for each entry and cut, ascending; those that add up to nothing stay only if asked for.

        Changes are long numbers then: sums over many clips.
        """
        key = self.cut.astype(np.int64) * self.base.shape[1] + self.entry
        order = np.argsort(key, kind="stable")
        first = np.flatnonzero(np.diff(key[order], prepend=-1))
        change = np.add.reduceat(self.change[:, order], first, axis=1, dtype=np.int64) if len(first) else self.change
        if not cancelled:
            kept = (change != 0).any(axis=0)
            first, change = first[kept], change[:, kept]
        return CountSteps(self.shape, self.base, self.cut[order[first]], self.entry[order[first]], change)

    def running(self) -> tuple[Whole, Whole]:
        """The cuts from 0 on at which something changes, and the counts of all entries added, from each cut on."""
        # Few cuts per change: counted. Many: sorted. Both give the same.
        size = int(self.cut.max(initial=0)) + 1
        if size <= _DENSE * len(self.cut):
            changed = np.bincount(self.cut, minlength=size) > 0
            changed[0] = True
            cuts = np.flatnonzero(changed)
            totals = np.stack([np.bincount(self.cut, row, size)[cuts] for row in self.change])
        else:
            cuts, place = np.unique(np.append(self.cut, 0), return_inverse=True)
            totals = np.stack([np.bincount(place[:-1], row, len(cuts)) for row in self.change])
        start = self.base.sum(axis=1, keepdims=True)
        return cuts, start + np.cumsum(totals.astype(np.int64), axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class MetricSteps:
    """The counts of a metric: true positives, false positives and false negatives by class and clip.

    `substitutions` are those of each clip (rules 15.7 and 15.10); None where the metric knows none.
    """

    tallies: CountSteps
    substitutions: CountSteps | None


_DENSE = 8
"""Up to this many cuts per change, a sum over cuts is faster by counting than by sorting."""


class StepsBuilder:
    """Collects changes, in any order, and makes steps of them."""

    def __init__(self, shape: tuple[int, int], counts: int) -> None:
        self.shape = shape
        self.base: Whole = np.zeros((counts, shape[0] * shape[1]), dtype=np.int64)
        none = np.zeros(0, np.int32)
        self._parts: list[tuple[Whole, Whole, Whole]] = [(none, none, np.zeros((counts, 0), np.int32))]

    def add_base(self, entry: Whole, counts: Whole) -> None:
        """Add counts, counts × entries, to the values at cut 0."""
        for row, count in zip(self.base, counts, strict=True):
            row += np.bincount(entry, count, len(row)).astype(np.int64)

    def add(self, cut: Whole, entry: Whole, change: Whole) -> None:
        """Add changes, counts × changes, from these cuts on; a change at cut 0 is one of the base."""
        here = np.logical_or.reduce([row != 0 for row in change])
        first = here & (cut <= 0)
        if first.any():
            self.add_base(entry[first], change[:, first])
            here &= ~first
        if here.any():
            some = (cut, entry, change) if here.all() else (cut[here], entry[here], change[:, here])
            self._parts.append(tuple(part.astype(np.int32) for part in some))  # type: ignore[arg-type]

    def build(self) -> CountSteps:
        """The steps."""
        cut, entry, change = (np.concatenate(column, axis=-1) for column in zip(*self._parts, strict=True))
        entries = self.base.shape[1]
        places = (int(cut.max(initial=0)) + 1) * entries
        if len(cut) <= 2 * places:
            return CountSteps(self.shape, self.base, cut, entry, change)
        key = cut.astype(np.int64) * entries + entry  # many changes at few places: long stretches of one score
        there = np.flatnonzero(np.bincount(key, minlength=places))
        added = np.stack([np.bincount(key, row, places)[there] for row in change]).astype(np.int64)
        return CountSteps(self.shape, self.base, there // entries, there % entries, added)


def increments(values: Whole, owner: Whole) -> Whole:
    """The increase of each value over the one before it of the same owner, along the last axis; owners are sorted."""
    change: Whole = np.diff(values, prepend=0)
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    change[..., first] = values[..., first]
    return change


def ranges(first: Whole, number: Whole) -> Whole:
    """So many whole numbers from each of the first ones on, one range after another."""
    return np.repeat(first - (np.cumsum(number) - number), number) + np.arange(int(number.sum()))


# Values over every threshold: screened in whole numbers with a known error, decided by exact fractions.
#
# Millions of cuts are too many for fractions. So a value is first computed for all cuts in units of 2⁻⁴⁰, with a
# bound on how far that is from the exact one. Where a decision hangs on less than the bound, the fractions decide.

Flags = NDArray[np.bool_]
UNIT = 1 << 40
"""The screened values are in units of one part of this."""
ExactValues = Callable[[Whole], list[Fraction | None]]


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """A value as a step function of the cut.

    Attributes:
        cuts: where a stretch of one value begins, ascending from 0.
        near: the value of each stretch in units of 2⁻⁴⁰, at most `error` units from the exact one.
        earned: where the value is defined and rests on something that was asked (rules 7.3 and 15.2).
        error: the bound.
        exactly: the exact values at cuts, ascending.
    """

    cuts: Whole
    near: Whole
    earned: Flags
    error: int
    exactly: ExactValues

    def index(self, cut: int) -> int:
        """The stretch that a cut lies in."""
        return int(np.searchsorted(self.cuts, cut, side="right")) - 1

    def at(self, cut: int) -> Fraction | None:
        """The exact value at a cut; None where it is undefined."""
        return self.exactly(np.array([cut]))[0]

    def floats(self) -> NDArray[np.float64]:
        """The values of all stretches for drawing; NaN where nothing was asked."""
        return np.where(self.earned, self.near / UNIT, np.nan)

    def within(self, low: int, high: int) -> "Values":
        """The stretches that meet the cuts from low to high, both included."""
        first, last = self.index(low), self.index(high) + 1
        cuts = np.maximum(self.cuts[first:last], low)
        return Values(cuts, self.near[first:last], self.earned[first:last], self.error, self.exactly)


@dataclass(frozen=True, slots=True)
class Best:
    """The best value and where it is taken: stretches of cuts, each from its first cut to its last, ascending."""

    value: Fraction
    stretches: tuple[tuple[int, int], ...]


def best(
    values: Values, last: int, *, least: bool = False, allowed: Flags | None = None, marked: bool = False
) -> Best | None:
    """The greatest earned value, or the least, over the cuts up to `last`; None if none is earned.

    `allowed` leaves only some stretches to choose from. With `marked`, vacuous scores count as they stand in a mean.
    """
    sign = -1 if least else 1
    earned = values.earned | marked
    open_to = earned if allowed is None else earned & allowed
    if not open_to.any():
        return None
    # Whatever is best exactly is within two errors of the nearest best: its own error and that of the other.
    near = np.where(open_to, sign * values.near, np.iinfo(np.int64).min)
    chosen = np.flatnonzero(near >= near.max() - 2 * values.error)
    exact = [sign * value for value in values.exactly(values.cuts[chosen]) if value is not None]
    top = max(exact)
    kept = chosen[np.array([value == top for value in exact])]
    ends = np.append(values.cuts[1:] - 1, last)
    breaks = np.flatnonzero(np.diff(kept, prepend=-2) > 1)
    firsts, lasts = kept[breaks], kept[np.append(breaks[1:], len(kept)) - 1]
    spans = zip(values.cuts[firsts].tolist(), ends[lasts].tolist(), strict=True)
    return Best(sign * top, tuple(spans))


def holds(values: Values, relation: Callable[[Fraction, Fraction], bool], bound: Fraction) -> Flags:
    """On which stretches a value is earned and in a relation to a bound; exact."""
    verdicts = np.array([relation(Fraction(int(near), UNIT), bound) for near in np.unique(values.near)])
    held: Flags = verdicts[np.unique(values.near, return_inverse=True)[1].reshape(-1)]
    close = np.flatnonzero(np.abs(values.near - int(bound * UNIT)) <= values.error + 1)
    if len(close):
        exact = values.exactly(values.cuts[close])
        held[close] = [value is not None and relation(value, bound) for value in exact]
    return held & values.earned


def clause_values(steps: CountSteps, aggregation: Aggregation) -> Values:
    """The score of a clause under an aggregation (rule 7.5) at every cut."""
    rule = aggregation.steps
    grouped = steps.grouped(clips=rule.adds_clips, classes=rule.adds_classes)
    means = _class_means if grouped.shape[1] == 1 else _means
    cuts, near, earned = means(grouped, rule.leaves_out)
    return Values(cuts, near, earned, 4, lambda at: _exact_scores(grouped, rule.leaves_out, at))


def _class_means(grouped: CountSteps, leaves_out: OmittedEntries) -> tuple[Whole, Whole, Flags]:
    """As `_means` for the counts of all clips added: class by class, without an order over all changes."""
    size = int(grouped.cut.max(initial=0)) + 1
    changed = np.zeros(size, dtype=np.bool_)
    total, number, asking = np.zeros(size, np.int64), np.zeros(size, np.int32), np.zeros(size, np.int32)
    for label in range(grouped.shape[0]):
        cuts, counts = grouped.label(label).running()
        value, kept, telling = _entry_values(counts, leaves_out)
        changed[cuts] = True
        alone = np.zeros_like(cuts)
        total[cuts] += increments(value * kept, alone)
        number[cuts] += increments(kept.astype(np.int64), alone)
        asking[cuts] += increments(telling.astype(np.int64), alone)
    cuts = np.flatnonzero(changed)
    parts: list[Whole] = [total, number, asking]
    sums, counted, tells = (np.cumsum(part)[cuts] for part in parts)
    return cuts, np.where(counted > 0, sums // np.maximum(counted, 1), UNIT), tells > 0


def _means(grouped: CountSteps, leaves_out: OmittedEntries) -> tuple[Whole, Whole, Flags]:
    """The mean over clips of the mean over classes of the entries that are not left out, near; and where one asks."""
    entries, clips = grouped.shape[0] * grouped.shape[1], grouped.shape[1]
    order = np.lexsort((grouped.cut, grouped.entry))
    entry, cut = grouped.entry[order], grouped.cut[order]
    owners = np.concatenate([np.arange(entries), entry])
    counts = np.concatenate([grouped.base, grouped.change[:, order]], axis=1)
    sorting = np.argsort(owners, kind="stable")
    running = _cumulated(counts[:, sorting], owners[sorting])
    value, kept, telling = _entry_values(running, leaves_out)
    cut = np.concatenate([np.zeros(entries, np.int64), cut])[sorting]
    owner = owners[sorting]
    changes = np.stack(
        [increments(part, owner) for part in (value * kept, kept.astype(np.int64), telling.astype(np.int64))]
    )
    return _over_clips(owner % clips, cut, changes, clips)


def _over_clips(clip: Whole, cut: Whole, changes: Whole, clips: int) -> tuple[Whole, Whole, Flags]:
    """The mean over clips of sum / number, given the changes of the sum, of the number, and of how many entries ask."""
    order = np.lexsort((cut, clip))
    clip, cut, changes = clip[order], cut[order], changes[:, order]
    key = clip * (int(cut.max(initial=0)) + 1) + cut
    first = np.flatnonzero(np.diff(key, prepend=-1))
    clip, cut = clip[first], cut[first]
    total, number, _ = _cumulated(np.add.reduceat(changes, first, axis=1), clip)
    mean = np.where(number > 0, total // np.maximum(number, 1), 0)
    asks = increments((number > 0).astype(np.int64), clip)
    telling = np.add.reduceat(changes, first, axis=1)[2]
    parts = np.stack([increments(mean, clip), asks, telling])
    order = np.argsort(cut, kind="stable")
    cuts, begins = np.unique(cut[order], return_index=True)
    sums, counted, tells = np.cumsum(np.add.reduceat(parts[:, order], begins, axis=1), axis=1)
    near = np.where(counted > 0, sums // np.maximum(counted, 1), UNIT)
    return cuts, near, tells > 0


def _entry_values(counts: Whole, leaves_out: OmittedEntries) -> tuple[Whole, Flags, Flags]:
    """The value of entries (rules 7.2 to 7.4), near; which take part in a mean; which are not vacuous."""
    satisfied, obligated = counts[0], counts[1]
    empty = obligated == 0
    counter = empty & (counts[2] > 0) if len(counts) > 2 else np.zeros_like(empty)
    share = np.rint(satisfied / np.where(empty, 1, obligated) * UNIT).astype(np.int64)
    value = np.where(empty, np.where(counter, 0, UNIT), share)
    telling = ~empty | counter
    return value, np.ones_like(empty) if leaves_out is OmittedEntries.NOTHING else telling, telling


def _cumulated(counts: Whole, owner: Whole) -> Whole:
    """Running sums that begin anew with each owner; owners are sorted."""
    sums = np.cumsum(counts, axis=1)
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    before = np.concatenate([np.zeros((len(counts), 1), np.int64), sums], axis=1)[:, first]
    anew: Whole = sums - np.repeat(before, np.diff(np.append(first, len(owner))), axis=1)
    return anew


class _Mean:
    """The exact mean over clips of the mean over classes, kept up to date entry by entry."""

    def __init__(self, counts: Whole, clips: int, leaves_out: OmittedEntries) -> None:
        self._clips, self._leaves_out = clips, leaves_out
        self._counts: list[list[int]] = counts.T.tolist()
        self._values: list[Fraction | None] = [None] * len(self._counts)
        self._sums, self._numbers = [Fraction(0)] * clips, [0] * clips
        self._total, self._number = Fraction(0), 0
        for entry in range(len(self._counts)):
            self._put(entry)

    @property
    def value(self) -> Fraction:
        """The mean; 1 without entries."""
        return self._total / self._number if self._number else Fraction(1)

    def change(self, entry: int, change: Sequence[int]) -> None:
        """Change the counts of an entry."""
        self._counts[entry] = [a + b for a, b in zip(self._counts[entry], change, strict=True)]
        self._put(entry)

    def _put(self, entry: int) -> None:
        new, old = self._value(self._counts[entry]), self._values[entry]
        if new == old:
            return
        clip = entry % self._clips
        self._take(clip, -1)
        self._values[entry] = new
        self._sums[clip] += (new or 0) - (old or 0)
        self._numbers[clip] += (new is not None) - (old is not None)
        self._take(clip, 1)

    def _take(self, clip: int, times: int) -> None:
        if self._numbers[clip]:
            self._total += times * self._sums[clip] / self._numbers[clip]
            self._number += times

    def _value(self, counts: Sequence[int]) -> Fraction | None:
        """Rules 7.2 to 7.4; None for an entry that is left out."""
        if counts[1]:
            return Fraction(counts[0], counts[1])
        if len(counts) > 2 and counts[2]:
            return Fraction(0)
        return Fraction(1) if self._leaves_out is OmittedEntries.NOTHING else None


def _exact_scores(grouped: CountSteps, leaves_out: OmittedEntries, cuts: Whole) -> list[Fraction | None]:
    """The exact scores at ascending cuts: all counts at the first, then what changes from one to the next."""
    if not len(cuts):
        return []
    # From one cut to the next few entries change. Keeping the mean up to date costs as many fractions, where counting
    # anew at every cut would cost all entries each time.
    grouped = grouped.by_cut
    places = np.searchsorted(grouped.cut, cuts, side="right").tolist()
    entries = grouped.base.shape[1]
    mean = _Mean(grouped.at(int(cuts[0])).reshape(len(grouped.base), -1), grouped.shape[1], leaves_out)
    scores: list[Fraction | None] = [mean.value]
    for done, place in pairwise(places):
        entry = grouped.entry[done:place]
        if place - done <= entries:
            owners, where = np.unique(entry, return_inverse=True)
        else:
            owners, where = np.arange(entries), entry
        rows = [np.bincount(where, row, len(owners)) for row in grouped.change[:, done:place]]
        for owner, change in zip(owners.tolist(), np.stack(rows, axis=1).astype(np.int64).tolist(), strict=True):
            if any(change):
                mean.change(owner, change)
        scores.append(mean.value)
    return scores


def counts_of(counts: Whole) -> ClauseCounts:
    """The counts of a clause at one cut, counts × classes × clips."""
    satisfied, obligated = counts[0], counts[1]
    empty = obligated == 0
    counter = empty & (counts[2] > 0) if len(counts) > 2 else np.zeros_like(empty)
    return ClauseCounts(satisfied, obligated, counter)


def combined(parts: Sequence[tuple[Fraction, Values]]) -> Values:
    """The mean of values, each with its weight; earned where all parts are, but for those that never are."""
    telling = [(weight, values) for weight, values in parts if values.earned.any()]
    cuts = np.unique(np.concatenate([values.cuts for _, values in parts]))
    places = [np.searchsorted(values.cuts, cuts, side="right") - 1 for _, values in parts]
    # Shares are rounded down to 2⁻⁴⁰, and so are the values: hence two more units of error for each part.
    total = sum((weight for weight, _ in parts), Fraction(0))
    shares = [int(weight / total * UNIT) / UNIT for weight, _ in parts]
    rows = zip(shares, parts, places, strict=True)
    near = np.rint(sum((share * values.near[place] for share, (_, values), place in rows), np.zeros(len(cuts))))
    earned = np.full(len(cuts), bool(telling))
    for (_, values), place in zip(parts, places, strict=True):
        if values.earned.any():
            earned &= values.earned[place]

    def exactly(at: Whole) -> list[Fraction | None]:
        columns = [values.exactly(at) for _, values in parts]
        found: list[Fraction | None] = []
        for row in zip(*columns, strict=True):
            known = [weight * value for (weight, _), value in zip(parts, row, strict=True) if value is not None]
            found.append(sum(known, Fraction(0)) / total if len(known) == len(row) else None)
        return found

    error = max(values.error for _, values in parts) + 2 * len(parts)
    return Values(cuts, near.astype(np.int64), earned, error, exactly)
