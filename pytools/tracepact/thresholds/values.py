"""Values over every threshold: screened in whole numbers with a known error, decided by exact fractions.

Millions of cuts are too many for fractions. So a value is first computed for all cuts in units of 2⁻⁴⁰, with a bound on
how far that is from the exact one. Where a decision hangs on less than the bound, the fractions decide.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tracepact.core import Aggregation, LeftOut
from tracepact.scoring import ClauseCounts
from tracepact.thresholds.steps import Steps, Whole

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
    found = np.array([relation(Fraction(int(near), UNIT), bound) for near in np.unique(values.near)])
    held: Flags = found[np.unique(values.near, return_inverse=True)[1].reshape(-1)]
    close = np.flatnonzero(np.abs(values.near - int(bound * UNIT)) <= values.error + 1)
    if len(close):
        exact = values.exactly(values.cuts[close])
        held[close] = [value is not None and relation(value, bound) for value in exact]
    return held & values.earned


def clause_values(steps: Steps, aggregation: Aggregation) -> Values:
    """The score of a clause under an aggregation (rule 7.5) at every cut."""
    rule = aggregation.steps
    grouped = steps.grouped(clips=rule.adds_clips, classes=rule.adds_classes)
    means = _class_means if grouped.shape[1] == 1 else _means
    cuts, near, earned = means(grouped, rule.leaves_out)
    return Values(cuts, near, earned, 4, lambda at: _exact_scores(grouped, rule.leaves_out, at))


def _class_means(grouped: Steps, leaves_out: LeftOut) -> tuple[Whole, Whole, Flags]:
    """As `_means` for the counts of all clips added: class by class, without an order over all changes."""
    size = int(grouped.cut.max(initial=0)) + 1
    changed = np.zeros(size, dtype=np.bool_)
    total, number, asking = np.zeros(size, np.int64), np.zeros(size, np.int32), np.zeros(size, np.int32)
    for label in range(grouped.shape[0]):
        cuts, counts = grouped.label(label).running()
        value, kept, telling = _entry_values(counts, leaves_out)
        changed[cuts] = True
        alone = np.zeros_like(cuts)
        total[cuts] += _changes(value * kept, alone)
        number[cuts] += _changes(kept.astype(np.int64), alone)
        asking[cuts] += _changes(telling.astype(np.int64), alone)
    cuts = np.flatnonzero(changed)
    parts: list[Whole] = [total, number, asking]
    sums, counted, tells = (np.cumsum(part)[cuts] for part in parts)
    return cuts, np.where(counted > 0, sums // np.maximum(counted, 1), UNIT), tells > 0


def _means(grouped: Steps, leaves_out: LeftOut) -> tuple[Whole, Whole, Flags]:
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
        [_changes(part, owner) for part in (value * kept, kept.astype(np.int64), telling.astype(np.int64))]
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
    asks = _changes((number > 0).astype(np.int64), clip)
    telling = np.add.reduceat(changes, first, axis=1)[2]
    parts = np.stack([_changes(mean, clip), asks, telling])
    order = np.argsort(cut, kind="stable")
    cuts, begins = np.unique(cut[order], return_index=True)
    sums, counted, tells = np.cumsum(np.add.reduceat(parts[:, order], begins, axis=1), axis=1)
    near = np.where(counted > 0, sums // np.maximum(counted, 1), UNIT)
    return cuts, near, tells > 0


def _entry_values(counts: Whole, leaves_out: LeftOut) -> tuple[Whole, Flags, Flags]:
    """The value of entries (rules 7.2 to 7.4), near; which take part in a mean; which are not vacuous."""
    satisfied, obligated = counts[0], counts[1]
    empty = obligated == 0
    counter = empty & (counts[2] > 0) if len(counts) > 2 else np.zeros_like(empty)
    share = np.rint(satisfied / np.where(empty, 1, obligated) * UNIT).astype(np.int64)
    value = np.where(empty, np.where(counter, 0, UNIT), share)
    telling = ~empty | counter
    return value, np.ones_like(empty) if leaves_out is LeftOut.NOTHING else telling, telling


def _cumulated(counts: Whole, owner: Whole) -> Whole:
    """Running sums that begin anew with each owner; owners are sorted."""
    sums = np.cumsum(counts, axis=1)
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    before = np.concatenate([np.zeros((len(counts), 1), np.int64), sums], axis=1)[:, first]
    anew: Whole = sums - np.repeat(before, np.diff(np.append(first, len(owner))), axis=1)
    return anew


def _changes(values: Whole, owner: Whole) -> Whole:
    """What each value is more than the one before it of the same owner."""
    change: Whole = np.diff(values, prepend=0)
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    change[first] = values[first]
    return change


class _Mean:
    """The exact mean over clips of the mean over classes, kept up to date entry by entry."""

    def __init__(self, counts: Whole, clips: int, leaves_out: LeftOut) -> None:
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
        return Fraction(1) if self._leaves_out is LeftOut.NOTHING else None


def _exact_scores(grouped: Steps, leaves_out: LeftOut, cuts: Whole) -> list[Fraction | None]:
    """The exact scores at ascending cuts: all counts at the first, then what changes from one to the next."""
    if not len(cuts):
        return []
    grouped = grouped.by_cut
    places = np.searchsorted(grouped.cut, cuts, side="right").tolist()
    entries = grouped.base.shape[1]
    mean = _Mean(grouped.at(int(cuts[0])).reshape(len(grouped.base), -1), grouped.shape[1], leaves_out)
    found: list[Fraction | None] = [mean.value]
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
        found.append(mean.value)
    return found


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
