"""Finds what is odd in references and predictions, without a grid, and corrects what can be corrected (rule 13.14)."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction

from tracepact.diagnostics import CODES, Diagnostics, InvalidInput
from tracepact.io.source import shown
from tracepact.lang import parse_contract
from tracepact.trace import Durations, Event, EventTable, assemble
from tracepact.trace.assembly import report_one_sided, report_unpredicted
from tracepact.trace.similar_names import similar_labels
from tracepact.wording import count, print_number, seconds

Lengths = Durations | Fraction | None
_OF_THE_GRID = ("joined-events", "vanished-event", "window-beyond-trace")


def lint(reference: EventTable, prediction: EventTable | None, durations: Lengths, diagnostics: Diagnostics) -> None:
    """Report all that is odd; without predictions what the reference alone shows, without durations no clip's end."""
    sides = [table for table in (reference, prediction) if table is not None]
    other = prediction or EventTable(reference.name, {})
    _assembled(reference, other, durations, diagnostics)
    for table in sides:
        for clip, events in table.clips.items():
            _report_lengths(clip, events, table, diagnostics)
            _report_overlaps(clip, events, table, diagnostics)
        _report_similar(table, diagnostics)
    if prediction is not None:
        report_one_sided(reference, prediction, diagnostics)
        report_unpredicted(prediction, tuple(reference.clips), diagnostics)
        for clip, events in prediction.clips.items():
            if events and reference.clips.get(clip) == ():
                predicted = count(len(events), "predicted event")
                headline = f"`{shown(clip)}` is silent in the reference and has {predicted}"
                diagnostics.add("silent-clip-predicted", headline, prediction.place(clip, events[0].row))


def _assembled(reference: EventTable, prediction: EventTable, durations: Lengths, diagnostics: Diagnostics) -> None:
    """What assembling the tables finds, on a grid of one frame a clip; what only that grid shows is left out."""
    ends = [event.offset for table in (reference, prediction) for _, event in table.events]
    starts = [event.onset for table in (reference, prediction) for _, event in table.events]
    if durations is None:
        durations = max([*ends, *starts], default=Fraction(0)) + 1
    lengths = durations.clips.values() if isinstance(durations, Durations) else [durations]
    contract = parse_contract(f"contract lint step {max(lengths, default=1)}s clause any on true : true")
    found = Diagnostics()
    with suppress(InvalidInput):  # the errors are in `found`
        assemble(contract, reference, prediction, durations=durations, diagnostics=found)
    one_sided = ("one-sided-label", "clip-without-predictions")
    diagnostics.extend(d for d in found if d.code not in (*_OF_THE_GRID, *one_sided))


def _report_similar(table: EventTable, diagnostics: Diagnostics) -> None:
    """Labels of one side that are most likely one label."""
    first: dict[str, tuple[str, Event]] = {}
    for clip, event in table.events:
        first.setdefault(event.label, (clip, event))
    for label, near in similar_labels(table.labels).items():
        clip, event = first[label]
        headline = f"`{shown(label)}` and `{shown(near)}` differ only in how they are written"
        diagnostics.add("similar-labels", headline, table.place(clip, event.row), "write them alike, or map them")


def _report_lengths(clip: str, events: Sequence[Event], table: EventTable, diagnostics: Diagnostics) -> None:
    for event in events:
        if event.onset == event.offset:
            headline = f"`{shown(event.label)}` at {seconds(event.onset)} in `{shown(clip)}` has no length"
            diagnostics.add("zero-length", headline, table.place(clip, event.row))


def _report_overlaps(clip: str, events: Sequence[Event], table: EventTable, diagnostics: Diagnostics) -> None:
    for first, later in _overlaps(events):
        headline = (
            f"`{shown(later.label)}` at {seconds(later.onset)} in `{shown(clip)}` overlaps the one at "
            f"{seconds(first.onset)}"
        )
        help = f"the other is on line {first.row}" if first.row is not None else None
        diagnostics.add("overlapping-events", headline, table.place(clip, later.row), help)


def _overlaps(events: Sequence[Event]) -> Iterator[tuple[Event, Event]]:
    """Each event that overlaps an earlier one of its label, behind the one that reaches furthest."""
    furthest: dict[str, Event] = {}
    seen: set[Event] = set()
    for event in sorted(events, key=lambda e: (e.onset, e.offset)):
        if event.offset <= event.onset or event in seen:
            continue
        seen.add(event)
        first = furthest.get(event.label)
        if first is not None and event.onset < first.offset:
            yield first, event
        if first is None or event.offset > first.offset:
            furthest[event.label] = event


@dataclass(frozen=True, slots=True)
class Change:
    """A correction: the row it was made in, the finding it answers, the event before and after (None: left out)."""

    file: str
    row: int | None
    clip: str
    finding: str
    before: Event
    after: Event | None


def fix(table: EventTable, durations: Lengths, *, keep_outside: bool = False) -> tuple[EventTable, list[Change]]:
    """A corrected copy of a table, and every correction, row by row.

    With `keep_outside`, for predictions, an event that starts after its clip stays: it is a false alarm (rule 13.31).
    """
    changes: list[Change] = []
    clips = {}
    for clip, events in table.clips.items():
        length = durations.clips.get(clip) if isinstance(durations, Durations) else durations
        clips[clip] = _Fixer(table, clip, length, changes, keep_outside).fixed(events)
    return EventTable(table.name, clips, table.digest, table.origin), changes


class _Fixer:
    """Corrects the events of one clip, in the order of the rule."""

    def __init__(
        self, table: EventTable, clip: str, length: Fraction | None, changes: list[Change], keep_outside: bool
    ) -> None:
        self.table, self.clip, self.length, self.changes = table, clip, length, changes
        self.keep_outside = keep_outside

    def _log(self, finding: str, before: Event, after: Event | None) -> Event | None:
        place = self.table.place(self.clip, before.row)
        self.changes.append(Change(place.file, place.row, self.clip, finding, before, after))
        return after

    def fixed(self, events: Sequence[Event]) -> tuple[Event, ...]:
        """The events that stay, corrected; joined ones stand where the first of them stood."""
        kept: dict[Event, None] = {}
        for event in events:
            sound = self._alone(event)
            if sound is not None and sound in kept:
                self._log("duplicate-row", sound, None)
            elif sound is not None:
                kept[sound] = None
        return self._joined(list(kept))

    def _alone(self, event: Event) -> Event | None:
        """The event corrected by itself and its clip."""
        if event.offset < event.onset:
            turned = replace(event, onset=event.offset, offset=event.onset)
            self._log("offset-before-onset", event, turned)
            event = turned
        if event.offset == event.onset:
            return self._log("zero-length", event, None)
        if self.length is not None and event.onset >= self.length:
            return event if self.keep_outside else self._log("starts-outside-clip", event, None)
        if self.length is not None and event.offset > self.length:
            return self._log("offset-beyond-clip", event, replace(event, offset=self.length))
        return event

    def _joined(self, events: list[Event]) -> tuple[Event, ...]:
        """Overlapping events of a label as one, from the first onset to the last offset."""
        groups: dict[str, list[list[Event]]] = {}
        reach: dict[str, Fraction] = {}
        for event in sorted(events, key=lambda e: (e.onset, e.offset)):
            found = groups.setdefault(event.label, [])
            if found and event.onset < reach[event.label]:
                found[-1].append(event)
            else:
                found.append([event])
            reach[event.label] = max(event.offset, reach.get(event.label, event.offset))
        stands: dict[Event, Event | None] = {event: event for event in events}
        for group in (group for found in groups.values() for group in found if len(group) > 1):
            first, *rest = group
            sure = [event.confidence for event in group if event.confidence is not None]
            whole = replace(first, offset=max(e.offset for e in group), confidence=max(sure, default=None))
            stands[first] = self._log("overlapping-events", first, whole) if whole != first else first
            for event in rest:
                stands[event] = self._log("overlapping-events", event, None)
        return tuple(event for event in (stands[e] for e in events) if event is not None)


CHANGE_COLUMNS = ("side", "file", "row", "filename", "event_label", "finding", "before", "after", "why")


def change_rows(changes: Mapping[str, Sequence[Change]]) -> Iterator[tuple[str, ...]]:
    """The log of the corrections of both sides, as text; an event that was left out has an empty `after`."""
    for side, items in changes.items():
        for c in items:
            row = "" if c.row is None else str(c.row)
            after = _span(c.after) if c.after is not None else ""
            yield side, c.file, row, c.clip, c.before.label, c.finding, _span(c.before), after, CODES[c.finding].meaning


def _span(event: Event) -> str:
    return f"{print_number(event.onset)} to {print_number(event.offset)}"
