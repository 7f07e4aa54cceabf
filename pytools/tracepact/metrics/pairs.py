"""Candidates: events of both sides that are near in time, found by sorting, and judged exactly or by floats."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.diagnostics import Diagnostic, InvalidInput
from tracepact.limits import limits
from tracepact.metrics.policy import EventPolicy, OffsetRule
from tracepact.trace.columns import Columns
from tracepact.trace.exact_times import Ticks

Indices = NDArray[np.int64]
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
    keys = other * size + points
    order = np.argsort(keys, kind="stable")
    first = np.searchsorted(keys[order], group * size + lows, side="left")
    last = np.searchsorted(keys[order], group * size + highs, side="right")
    count = np.maximum(last - first, 0)
    _check_number(int(count.sum()))
    place = np.arange(int(count.sum()))
    place += np.repeat(first - (np.cumsum(count) - count), count)
    both = order[place]
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


def candidates(ref: Columns, pred: Columns, policy: EventPolicy, *, by_class: bool = True) -> Pairs:
    """Every pair of one clip, and one class if asked, that either arithmetic could accept by its onsets."""
    labels = 1 + max(int(side.label.max(initial=0)) for side in (ref, pred))
    groups = [side.clip * labels + side.label if by_class else side.clip for side in (ref, pred)]
    longest = max(_largest(side.onset) for side in (ref, pred))
    # A float difference is off by less than this; a window beyond all times is as good as one that just holds them.
    reach = min(int(policy.collar * ref.unit) + 1 + (longest >> 50), longest + 1)
    return near(groups[0], ref.onset - reach, ref.onset + reach, groups[1], pred.onset)


def exact_hits(ref: Columns, pred: Columns, pairs: Pairs, policy: EventPolicy) -> Flags:
    """Which pairs meet the conditions on onset and offset, in whole ticks (rule 15.8)."""
    apart = np.abs(ref.onset[pairs.ref] - pred.onset[pairs.pred])
    collar = int(policy.collar * ref.unit)  # floor: differences are whole
    if apart.dtype == np.int64:
        collar = min(collar, _FAR)
    hits = apart <= collar
    if policy.offset is not OffsetRule.NONE:
        length = (ref.offset - ref.onset)[pairs.ref]
        top, bottom = policy.share.as_integer_ratio()
        if bottom > _SMALL:
            length = length.astype(np.object_)
        shared = length // bottom * top + length % bottom * top // bottom
        allowed = _allowed(policy.offset, collar, shared)
        hits &= np.abs(ref.offset[pairs.ref] - pred.offset[pairs.pred]) <= allowed
    return np.asarray(hits, dtype=np.bool_)


def float_hits(ref: Columns, pred: Columns, pairs: Pairs, policy: EventPolicy) -> Flags:
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
    if ticks.dtype == np.int64 and unit < _WHOLE_FLOATS and _largest(ticks) < _WHOLE_FLOATS:
        return np.asarray(ticks / unit, dtype=np.float64)
    return np.array([tick / unit for tick in ticks.tolist()], dtype=np.float64)


def _allowed(rule: OffsetRule, collar: float, shared: NDArray[Any]) -> NDArray[Any]:
    """How far apart the offsets of each pair may be."""
    match rule:
        case OffsetRule.MAX:
            return np.asarray(np.maximum(collar, shared))
        case OffsetRule.AND:
            return np.asarray(np.minimum(collar, shared))
        case _:
            return np.full_like(shared, collar)


def _largest(ticks: Ticks) -> int:
    return max(abs(int(ticks.max())), abs(int(ticks.min()))) if len(ticks) else 0
