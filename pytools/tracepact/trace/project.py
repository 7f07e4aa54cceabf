"""The events of one side on the grid: all of them at once, the odd ones reported one by one (rules 5.3 to 5.5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tracepact.diagnostics import Diagnostics
from tracepact.trace.columns import Columns
from tracepact.trace.event import Event, EventTable
from tracepact.trace.exact_times import Ticks
from tracepact.trace.grid import Grid
from tracepact.trace.run_columns import RunColumns
from tracepact.wording import seconds

Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Clips:
    """The clips of a family: names, durations in ticks, numbers of frames."""

    names: Sequence[str]
    durations: Ticks
    frames: Indices


def project(
    table: EventTable,
    given: Columns,
    grid: Grid,
    clips: Clips,
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
    step = int(grid.step * given.unit)
    kept = given.clip >= 0
    repeats = _repeats(given) & kept
    kept &= ~repeats
    kept &= _sound(table, given, clips, kept, repeats, diagnostics, allow_outside)
    start, end = grid.edges(given.onset, given.offset, step)
    last = clips.frames[given.clip]
    start = np.minimum(np.maximum(start, 0), last).astype(np.int64)
    end = np.minimum(np.maximum(end, 0), last).astype(np.int64)
    _report_vanished(table, given, clips, kept & (end <= start), diagnostics)
    kept &= end > start
    kept &= base[given.label] >= 0
    chosen = np.flatnonzero(kept)
    named = given.label[chosen] * len(clips.names) + given.clip[chosen]
    opens, _, order = _unite(named, start[chosen], end[chosen])
    _report_joins(table, clips, given, chosen[order[~opens]], diagnostics)
    segment = base[given.label[chosen]] + given.clip[chosen]
    opens, reached, order = _unite(segment, start[chosen], end[chosen])
    first = np.flatnonzero(opens)
    last = np.append(first[1:], len(opens))[: len(first)] - 1
    return RunColumns(segment[order][first], start[chosen][order][first], reached[last])


def _repeats(given: Columns) -> Flags:
    """Which events repeat an earlier one of the table."""
    keys = list(zip(*(c.tolist() for c in (given.clip, given.label, given.onset, given.offset)), strict=True))
    repeats = np.zeros(len(keys), dtype=np.bool_)
    if len(set(keys)) < len(keys):
        seen = set()
        for number, key in enumerate(keys):
            repeats[number] = key in seen
            seen.add(key)
    return repeats


def _sound(
    table: EventTable,
    given: Columns,
    clips: Clips,
    kept: Flags,
    repeats: Flags,
    diagnostics: Diagnostics,
    allow_outside: bool,
) -> Flags:
    """Which events can be placed; what is odd about any of them is reported in the table's order."""
    end = clips.durations[given.clip]
    inside = (given.onset >= 0) & (given.onset <= given.offset) & (given.onset < end) & (given.offset <= end)
    sound = inside.astype(np.bool_)
    odd = np.flatnonzero((kept & ~sound) | repeats)
    for number, clip, event in _events(table, clips, given, odd):
        if repeats[number]:
            headline = f"`{event.label}` at {seconds(event.onset)} in `{clip}` repeats an earlier row"
            diagnostics.add("duplicate-row", headline, table.place(clip, event.row))
        else:
            duration = Fraction(int(clips.durations[given.clip[number]]), given.unit)
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


def _report_vanished(table: EventTable, given: Columns, clips: Clips, gone: Flags, diagnostics: Diagnostics) -> None:
    for _, clip, event in _events(table, clips, given, np.flatnonzero(gone)):
        diagnostics.add(
            "vanished-event",
            f"`{event.label}` of {seconds(event.offset - event.onset)} in `{clip}` gives no frame on the grid",
            table.place(clip, event.row),
        )


def _report_joins(table: EventTable, clips: Clips, given: Columns, joined: Indices, diagnostics: Diagnostics) -> None:
    """Warn of each event of one class that touches or overlaps an earlier one of the same label."""
    for _, clip, event in _events(table, clips, given, np.sort(joined)):
        diagnostics.add(
            "joined-events",
            f"`{event.label}` at {seconds(event.onset)} in `{clip}` touches or overlaps the one before it",
            table.place(clip, event.row),
        )


def _events(table: EventTable, clips: Clips, given: Columns, numbers: Indices) -> list[tuple[int, str, Event]]:
    """Some events by their place in the columns, with their clips."""
    if not len(numbers):
        return []
    events = [event for some in table.clips.values() for event in some]
    return [(number, clips.names[given.clip[number]], events[number]) for number in numbers.tolist()]


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
