"""What becomes of predicted events that start at or after the end of their clip (rule 13.31)."""

from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

from tracepact.diagnostics import Diagnostics
from tracepact.io.source import shown
from tracepact.trace import Durations, Event, EventTable
from tracepact.wording import seconds


class Outside(StrEnum):
    """The policies for a predicted event outside its clip."""

    ERROR = "error"
    FALSE_ALARM = "false-alarm"
    CUT = "cut"
    DROP = "drop"


_WHAT = {
    Outside.FALSE_ALARM: "it gives no frame, and metrics on intervals count it with the times that are written",
    Outside.CUT: "both its ends are moved there; it gives no frame, and metrics on intervals count it",
    Outside.DROP: "it is left out",
}


def settle_outside(
    prediction: EventTable, durations: Durations | Fraction | None, policy: Outside, diagnostics: Diagnostics
) -> tuple[EventTable, dict[str, Any] | None]:
    """The predictions under a policy, and what a report says of it: nothing if the default had nothing to do.

    Under `error` the events stay as they are, for assembling refuses them.
    """
    found: list[tuple[str, Event]] = []
    clips = {}
    for clip, events in prediction.clips.items():
        length = durations.clips.get(clip) if isinstance(durations, Durations) else durations
        outside = [event for event in events if length is not None and is_outside(event, length)]
        found += [(clip, event) for event in outside]
        assert length is not None or not outside
        clips[clip] = tuple(_settled(events, length, policy)) if length is not None and outside else events
    if policy is Outside.ERROR:
        return prediction, None
    for clip, event in found:
        diagnostics.add(
            "predicted-outside-clip",
            f"`{shown(event.label)}` is predicted at {seconds(event.onset)}, after the end of `{shown(clip)}`; "
            f"{_WHAT[policy]}",
            prediction.place(clip, event.row),
        )
    if not found and policy is Outside.FALSE_ALARM:
        return prediction, None
    listed = [
        {"clip": clip, "class": e.label, "onset": str(e.onset), "offset": str(e.offset), "row": e.row}
        for clip, e in found
    ]
    return replace(prediction, clips=clips), {"policy": policy.value, "events": listed}


def is_outside(event: Event, length: Fraction) -> bool:
    """Whether an event with sound times starts at or after the end of its clip."""
    return length <= event.onset <= event.offset


def _settled(events: tuple[Event, ...], length: Fraction, policy: Outside) -> Iterator[Event]:
    for event in events:
        match policy:
            case Outside.CUT if is_outside(event, length):
                yield Event(length, length, event.label, event.row, event.confidence)
            case Outside.DROP if is_outside(event, length):
                continue
            case _:
                yield event
