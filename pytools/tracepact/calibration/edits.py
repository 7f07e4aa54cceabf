"""Predictions made from a reference by one edit (rules 14.4 and 14.5)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from tracepact.trace import Event
from tracepact.wording import ms, print_number


class NotApplicable(Exception):  # noqa: N818  (it is what the edit is)
    """An edit that does not apply, and why, in words; `key` is the argument to blame."""

    def __init__(self, why: str, key: str = "edit") -> None:
        self.key = key
        super().__init__(why)


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit by its kind and arguments; `events` are numbers from one, None for all."""

    kind: str
    by: Fraction = Fraction(0)
    factor: Fraction = Fraction(1)
    pieces: int = 1
    gap: Fraction = Fraction(0)
    at: Fraction = Fraction(0)
    length: Fraction = Fraction(0)
    events: tuple[int, ...] | None = None

    def words(self) -> str:
        """The edit in words."""
        of = "every event" if self.events is None else f"event {', '.join(map(str, self.events))}"
        name = self.kind.replace("_", " ")
        match self.kind:
            case "extra":
                return f"extra event at {ms(self.at)} for {ms(self.length)}"
            case "split":
                return f"{of} split into {self.pieces} pieces {ms(self.gap)} apart"
            case "length":
                return f"{of} {print_number(self.factor)} times as long"
            case "missing":
                return f"{of} missing"
            case "none":
                return "a perfect prediction"
        return f"{name} by {ms(self.by)} of {of}"


ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "late_onset": ("by",),
    "early_onset": ("by",),
    "late_release": ("by",),
    "early_release": ("by",),
    "missing": (),
    "bleed": ("by",),
    "length": ("factor",),
    "split": ("pieces", "gap"),
    "extra": ("at", "for"),
    "none": (),
}
"""What each kind of edit needs."""


def apply(edit: Edit, events: Sequence[Event], duration: Fraction) -> tuple[Event, ...]:
    """The events after the edit; raises NotApplicable."""
    if edit.kind == "none":
        return tuple(events)
    if edit.kind == "extra":
        added = Event(edit.at, edit.at + edit.length, _label(events))
        return _checked([*((i, event) for i, event in enumerate(events)), (len(events), added)], duration)
    chosen = _chosen(edit, events)
    change = _CHANGES[edit.kind]
    made = [(i, new) for i, event in enumerate(events) for new in (change(event, edit) if i in chosen else (event,))]
    return _checked(made, duration)


def _label(events: Sequence[Event]) -> str:
    return events[0].label if events else "event"


def _chosen(edit: Edit, events: Sequence[Event]) -> set[int]:
    if not events:
        raise NotApplicable("the reference has no event", "edit")
    if edit.events is None:
        return set(range(len(events)))
    for number in edit.events:
        if not 1 <= number <= len(events):
            raise NotApplicable(f"there is no event {number}: the reference has {len(events)}", "event")
    return {number - 1 for number in edit.events}


def _moved(event: Event, onset: Fraction, offset: Fraction) -> tuple[Event, ...]:
    if offset <= onset:
        raise NotApplicable(f"nothing would be left of the event at {ms(event.onset)}", "by")
    return (replace(event, onset=onset, offset=offset),)


def _scaled(event: Event, edit: Edit) -> tuple[Event, ...]:
    middle, half = (event.onset + event.offset) / 2, (event.offset - event.onset) * edit.factor / 2
    return _moved(event, middle - half, middle + half)


def _split(event: Event, edit: Edit) -> tuple[Event, ...]:
    piece = (event.offset - event.onset - (edit.pieces - 1) * edit.gap) / edit.pieces
    if piece <= 0:
        raise NotApplicable(
            f"the event at {ms(event.onset)} is too short for {edit.pieces} pieces {ms(edit.gap)} apart",
            "gap",
        )
    starts = [event.onset + k * (piece + edit.gap) for k in range(edit.pieces)]
    return tuple(replace(event, onset=start, offset=start + piece) for start in starts)


_CHANGES: Mapping[str, Callable[[Event, Edit], tuple[Event, ...]]] = {
    "late_onset": lambda event, edit: _moved(event, event.onset + edit.by, event.offset),
    "early_onset": lambda event, edit: _moved(event, event.onset - edit.by, event.offset),
    "late_release": lambda event, edit: _moved(event, event.onset, event.offset + edit.by),
    "early_release": lambda event, edit: _moved(event, event.onset, event.offset - edit.by),
    "missing": lambda event, edit: (),
    "bleed": lambda event, edit: _moved(event, event.onset - edit.by, event.offset + edit.by),
    "length": _scaled,
    "split": _split,
}


def _checked(made: Sequence[tuple[int, Event]], duration: Fraction) -> tuple[Event, ...]:
    """The events in order; each comes with the event it was made of, and only pieces of one may touch."""
    ordered = sorted(made, key=lambda item: (item[1].onset, item[1].offset))
    for _, event in ordered:
        if event.onset < 0 or event.offset > duration:
            raise NotApplicable(
                f"the event would go from {ms(event.onset)} to {ms(event.offset)}, outside the clip of {ms(duration)}"
            )
    for (origin, event), (after, later) in pairwise(ordered):
        if origin != after and later.onset <= event.offset and later.label == event.label:
            raise NotApplicable(f"the event up to {ms(event.offset)} would touch the one from {ms(later.onset)} on")
    return tuple(event for _, event in ordered)
