"""The grid: frames of one exact step, runs of frames, and the projection of events onto them (chapter 5)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tracepact.data.events import Event, EventColumns, EventTable, Ticks, common_unit, roomy
from tracepact.diagnostics.collection import Diagnostics
from tracepact.language.contract import Projection
from tracepact.language.formula import FrameRun
from tracepact.wording import seconds

# The runs of many segments in columns.

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RunColumns(Mapping[int, tuple[FrameRun, ...]]):
    """The runs of many segments, by segment and time: in columns, and as a mapping for who looks at one segment."""

    segment: Indices
    start: Indices
    end: Indices

    @cached_property
    def runs(self) -> list[FrameRun]:
        """Every run, in the order of the columns."""
        return list(zip(self.start.tolist(), self.end.tolist(), strict=True))

    @cached_property
    def _by_segment(self) -> dict[int, tuple[FrameRun, ...]]:
        # The columns are sorted by segment, so a segment is a slice.
        first = np.flatnonzero(np.diff(self.segment, prepend=-1))
        last = np.append(first[1:], len(self.segment)).tolist()
        owners = zip(self.segment[first].tolist(), first.tolist(), last, strict=False)
        return {owner: tuple(self.runs[a:b]) for owner, a, b in owners}

    def __getitem__(self, segment: int) -> tuple[FrameRun, ...]:
        return self._by_segment[segment]

    def __iter__(self) -> Iterator[int]:
        return iter(self._by_segment)

    def __len__(self) -> int:
        return len(self._by_segment)

    def overlapping(self, others: "RunColumns") -> tuple[Indices, Indices]:
        """For each run the first and one past the last of the others in its segment that share a frame with it."""
        # One number line for all segments: no run reaches into the stretch of the next one.
        stretch = 1 + max(int(self.end.max(initial=0)), int(others.end.max(initial=0)))
        mine, theirs = self.segment * stretch, others.segment * stretch
        first = np.searchsorted(theirs + others.end, mine + self.start, side="right")
        last = np.searchsorted(theirs + others.start, mine + self.end, side="left")
        return first, np.maximum(first, last)


def run_columns(runs: Mapping[int, Sequence[FrameRun]]) -> RunColumns:
    """Runs by segment, sorted and disjoint, in columns."""
    if isinstance(runs, RunColumns):
        return runs
    rows = [(segment, start, end) for segment in sorted(runs) for start, end in runs[segment]]
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return RunColumns(table[:, 0], table[:, 1], table[:, 2])


# The grid: frames of one exact step, and the projection of intervals onto them (rules 5.1 to 5.3).

AnyTicks = TypeVar("AnyTicks", int, Ticks)
"""One time or an array of them, in ticks."""


def ceil_div(numerator: AnyTicks, denominator: int) -> AnyTicks:
    """The least integer not less than the quotient; the denominator is positive."""
    return -(-numerator // denominator)


@dataclass(frozen=True, slots=True)
class Grid:
    """Frames of length `step` seconds."""

    step: Fraction
    projection: Projection = Projection.CENTRE

    def frames(self, duration: Fraction) -> int:
        """The number of frames of a clip (rule 5.1)."""
        quotient = duration / self.step
        return ceil_div(quotient.numerator, quotient.denominator)

    def project(self, onset: Fraction, offset: Fraction) -> tuple[int, int]:
        """The frames `[start, end)` an event activates, not cut to any clip; empty when end <= start."""
        unit = common_unit((onset, offset, self.step))
        return self.edges(int(onset * unit), int(offset * unit), int(self.step * unit))

    def edges(self, onset: AnyTicks, offset: AnyTicks, step: int) -> tuple[AnyTicks, AnyTicks]:
        """The frames `[start, end)` of one event or of many at once, all times in the same ticks."""
        if not isinstance(onset, int) and not isinstance(offset, int):
            onset, offset = roomy(onset, step), roomy(offset, step)
        start, end = self._edge(onset, step, True), self._edge(offset, step, False)
        # An event without length activates nothing, even where a projection rounds its two ends apart.
        return start, start + (end - start) * (offset > onset)

    def _edge(self, time: AnyTicks, step: int, is_start: bool) -> AnyTicks:
        """The first frame in (start) or the first frame out of an interval with an end at this time."""
        match self.projection:
            # A frame is in if its centre is: the ends are rounded alike, and so touching events share no frame.
            case Projection.CENTRE:  # ceil(time/step - 1/2)
                return ceil_div(2 * time - step, 2 * step)
            case Projection.TOUCH:
                return time // step if is_start else ceil_div(time, step)
            case Projection.INSIDE:
                return ceil_div(time, step) if is_start else time // step


# The events of one side on the grid: all of them at once, the odd ones reported one by one (rules 5.3 to 5.5).

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class FamilyClips:
    """The clips of a family: names, durations in ticks, numbers of frames."""

    names: Sequence[str]
    durations: Ticks
    frames: Indices


def project(
    table: EventTable,
    rows: EventColumns,
    grid: Grid,
    clips: FamilyClips,
    base: Indices,
    diagnostics: Diagnostics,
    allow_outside: bool,
) -> RunColumns:
    """The runs of one side by segment; `base` is the first segment of each label.

    Events whose clip or label has no index were reported as unknown and are passed over; so are those that start at or
    after the end of their clip, if that is allowed and no error.
    """
    if not clips.names:
        return RunColumns(*(np.zeros(0, dtype=np.int64) for _ in range(3)))
    step = int(grid.step * rows.unit)
    # Repeats are taken out before anything is judged: each fault is then said of one row.
    kept = rows.clip >= 0
    repeats = _repeats(rows) & kept
    kept &= ~repeats
    kept &= _sound(table, rows, clips, kept, repeats, diagnostics, allow_outside)
    start, end = grid.edges(rows.onset, rows.offset, step)
    last = clips.frames[rows.clip]
    start = np.minimum(np.maximum(start, 0), last).astype(np.int64)
    end = np.minimum(np.maximum(end, 0), last).astype(np.int64)
    _report_vanished(table, rows, clips, kept & (end <= start), diagnostics)
    kept &= end > start
    kept &= base[rows.label] >= 0
    chosen = np.flatnonzero(kept)
    named = rows.label[chosen] * len(clips.names) + rows.clip[chosen]
    # First by label, to say which events of one label touch; then by segment, for in union several labels share one.
    opens, _, order = _unite(named, start[chosen], end[chosen])
    _report_joins(table, clips, rows, chosen[order[~opens]], diagnostics)
    segment = base[rows.label[chosen]] + rows.clip[chosen]
    opens, reached, order = _unite(segment, start[chosen], end[chosen])
    first = np.flatnonzero(opens)
    last = np.append(first[1:], len(opens))[: len(first)] - 1
    return RunColumns(segment[order][first], start[chosen][order][first], reached[last])


def _repeats(rows: EventColumns) -> Flags:
    """Which events repeat an earlier one of the table."""
    # Ticks may be Python's integers, which np.unique cannot sort by row.
    keys = list(zip(*(c.tolist() for c in (rows.clip, rows.label, rows.onset, rows.offset)), strict=True))
    repeats = np.zeros(len(keys), dtype=np.bool_)
    if len(set(keys)) < len(keys):
        earlier = set()
        for number, key in enumerate(keys):
            repeats[number] = key in earlier
            earlier.add(key)
    return repeats


_REPEATED = "no clause changes by it, but metrics on intervals such as event F1 count it once more; leave it out"


def _sound(
    table: EventTable,
    rows: EventColumns,
    clips: FamilyClips,
    kept: Flags,
    repeats: Flags,
    diagnostics: Diagnostics,
    allow_outside: bool,
) -> Flags:
    """Which events can be placed; what is odd about any of them is reported in the table's order."""
    end = clips.durations[rows.clip]
    inside = (rows.onset >= 0) & (rows.onset <= rows.offset) & (rows.onset < end) & (rows.offset <= end)
    sound = inside.astype(np.bool_)
    odd = np.flatnonzero((kept & ~sound) | repeats)
    for number, clip, event in _events(table, clips, rows, odd):
        if repeats[number]:
            headline = f"`{event.label}` at {seconds(event.onset)} in `{clip}` repeats an earlier row"
            diagnostics.add("duplicate-row", headline, table.place(clip, event.row), _REPEATED)
        else:
            duration = Fraction(int(clips.durations[rows.clip[number]]), rows.unit)
            sound[number] = _place_odd(event, clip, duration, table, diagnostics, allow_outside)
    return sound


def _place_odd(
    event: Event, clip: str, duration: Fraction, table: EventTable, diagnostics: Diagnostics, allow_outside: bool
) -> bool:
    """Report an event that is not inside its clip; whether it can be placed all the same."""
    place = table.place(clip, event.row)
    if event.onset < 0:
        diagnostics.add("bad-time", f"onset {seconds(event.onset)} in `{clip}` is negative", place)
    elif event.offset < event.onset:
        diagnostics.add(
            "offset-before-onset",
            f"offset {seconds(event.offset)} lies before onset {seconds(event.onset)} in `{clip}`",
            place,
            "if the two are swapped, swap them; if the column is a length, read it as one (--columns duration=NAME)",
        )
    elif event.onset >= duration:
        if allow_outside:
            return False
        diagnostics.add(
            "starts-outside-clip",
            f"`{event.label}` starts at {seconds(event.onset)}, but `{clip}` ends at {seconds(duration)}",
            place,
        )
    else:
        diagnostics.add(
            "offset-beyond-clip",
            f"`{event.label}` ends at {seconds(event.offset)}, after the end of `{clip}` at {seconds(duration)}",
            place,
            "on the grid it is cut there; metrics on intervals keep the time that is written",
        )
        return True
    return False


def _report_vanished(
    table: EventTable, rows: EventColumns, clips: FamilyClips, gone: Flags, diagnostics: Diagnostics
) -> None:
    for _, clip, event in _events(table, clips, rows, np.flatnonzero(gone)):
        length = event.offset - event.onset
        diagnostics.add(
            "vanished-event",
            f"`{event.label}` of {seconds(length)} in `{clip}` gives no frame on the grid",
            table.place(clip, event.row),
            None if length else "points have no frame; give them one with `tracepact convert --as-points 10ms`",
        )


def _report_joins(
    table: EventTable, clips: FamilyClips, rows: EventColumns, joined: Indices, diagnostics: Diagnostics
) -> None:
    """Warn of each event of one class that touches or overlaps an earlier one of the same label."""
    for _, clip, event in _events(table, clips, rows, np.sort(joined)):
        diagnostics.add(
            "joined-events",
            f"`{event.label}` at {seconds(event.onset)} in `{clip}` touches or overlaps the one before it",
            table.place(clip, event.row),
        )


def _events(
    table: EventTable, clips: FamilyClips, rows: EventColumns, numbers: Indices
) -> list[tuple[int, str, Event]]:
    """Some events by their place in the columns, with their clips."""
    # The events are gathered only where something is to be said of them, which is seldom.
    if not len(numbers):
        return []
    events = [event for some in table.clips.values() for event in some]
    return [(number, clips.names[rows.clip[number]], events[number]) for number in numbers.tolist()]


def _unite(group: Indices, start: Indices, end: Indices) -> tuple[Flags, Indices, Indices]:
    """The union of the intervals of each group: which open a run, how far each run has reached by then, the order.

    Intervals are taken by group, start and end; the first two answers follow that order. Touching ones become one.
    """
    order = np.lexsort((end, start, group))
    # One number line for all groups: a group's frames lie beyond everything any earlier group reaches.
    apart = group[order] * (int(end.max(initial=0)) + 1)
    reached = np.maximum.accumulate(apart + end[order])
    opens = np.ones(len(order), dtype=np.bool_)
    opens[1:] = (apart + start[order])[1:] > reached[:-1]
    return opens, reached - apart, order
