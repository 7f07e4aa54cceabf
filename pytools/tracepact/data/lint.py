"""Finds what is odd in references, predictions and submissions, and corrects what can be corrected."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from tracepact.data.assembly import assemble, report_one_sided, report_unpredicted, similar_labels
from tracepact.data.columns import read_biodcase, read_rows
from tracepact.data.event_rows import report_milliseconds
from tracepact.data.events import Durations, Event, EventTable, Lengths, length_of
from tracepact.data.sources import PathLike, TextFile, read_text, shown
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import CODES, RowPlace
from tracepact.language.compilation import parse_contract
from tracepact.wording import count, print_number, seconds

# Finds what is odd in references and predictions, without a grid, and corrects what can be corrected (rule 13.14).

_NOT_OF_ONE_FRAME = (
    *("joined-events", "vanished-event", "window-beyond-trace"),
    *("one-sided-label", "clip-without-predictions"),
)
"""What only a real grid shows, and what is asked of two sides that are there."""


def lint(
    reference: EventTable | None,
    prediction: EventTable | None,
    durations: Lengths,
    diagnostics: Diagnostics,
    labels: Sequence[str] | None = None,
) -> None:
    """Report all that is odd, of one side alone what it shows; without durations no clip's end.

    `labels` are those that a contract declares.
    """
    sides = [table for table in (reference, prediction) if table is not None]
    none = EventTable(sides[0].name, {})
    _assembled(reference or none, prediction or none, durations, labels, diagnostics)
    for table in sides:
        for clip, events in table.clips.items():
            _report_events(clip, events, table, diagnostics)
        _report_similar(table, diagnostics)
    if reference is None and prediction is not None and isinstance(durations, Durations):
        report_unpredicted(prediction, tuple(durations.clips), diagnostics)
    report_milliseconds(reference or none, prediction or none, durations, diagnostics)
    if prediction is not None and reference is not None:
        report_one_sided(reference, prediction, diagnostics)
        report_unpredicted(prediction, tuple(reference.clips), diagnostics)
        for clip, events in prediction.clips.items():
            if events and reference.clips.get(clip) == ():
                predicted = count(len(events), "predicted event")
                headline = f"`{shown(clip)}` is silent in the reference and has {predicted}"
                diagnostics.add("silent-clip-predicted", headline, prediction.place(clip, events[0].row))


def _assembled(
    reference: EventTable,
    prediction: EventTable,
    durations: Lengths,
    labels: Sequence[str] | None,
    diagnostics: Diagnostics,
) -> None:
    """What assembling the tables finds, on a grid of one frame a clip; what only that grid shows is left out."""
    # One frame longer than every clip: what is left of the checks are those that need no grid.
    ends = [event.offset for table in (reference, prediction) for _, event in table.events]
    starts = [event.onset for table in (reference, prediction) for _, event in table.events]
    if durations is None:
        durations = max([*ends, *starts], default=Fraction(0)) + 1
    lengths = durations.clips.values() if isinstance(durations, Durations) else [durations]
    contract = parse_contract(f"contract lint step {max(lengths, default=1)}s clause any on true : true")
    odd = Diagnostics()
    declared = replace(contract, labels=None if labels is None else tuple(labels))
    with suppress(InvalidInput):  # the errors are in `odd`
        assemble(declared, reference, prediction, durations=durations, diagnostics=odd)
    diagnostics.extend(finding for finding in odd if finding.code not in _NOT_OF_ONE_FRAME)


def _report_similar(table: EventTable, diagnostics: Diagnostics) -> None:
    """Labels of one side that are most likely one label."""
    first: dict[str, tuple[str, Event]] = {}
    for clip, event in table.events:
        first.setdefault(event.label, (clip, event))
    for label, near in similar_labels(table.labels).items():
        clip, event = first[label]
        headline = f"`{shown(label)}` and `{shown(near)}` differ only in how they are written"
        diagnostics.add("similar-labels", headline, table.place(clip, event.row), "write them alike, or map them")


def _report_events(clip: str, events: Sequence[Event], table: EventTable, diagnostics: Diagnostics) -> None:
    """Events of a clip without length, and those that overlap others of their label."""
    for event in events:
        if event.onset == event.offset:
            headline = f"`{shown(event.label)}` at {seconds(event.onset)} in `{shown(clip)}` has no length"
            diagnostics.add("zero-length", headline, table.place(clip, event.row))
    for first, later in _overlaps(events):
        what = f"`{shown(later.label)}` at {seconds(later.onset)} in `{shown(clip)}`"
        headline = f"{what} overlaps the one at {seconds(first.onset)}"
        help = f"the other is on line {first.row}" if first.row is not None else None
        diagnostics.add("overlapping-events", headline, table.place(clip, later.row), help)


def _overlaps(events: Sequence[Event]) -> Iterator[tuple[Event, Event]]:
    """Each event that overlaps an earlier one of its label, behind the one that reaches furthest."""
    furthest: dict[str, Event] = {}
    distinct = dict.fromkeys(
        event for event in events if event.onset < event.offset
    )  # a repeated row is said elsewhere
    for event in sorted(distinct, key=lambda e: (e.onset, e.offset)):
        first = furthest.get(event.label)
        if first is not None and event.onset < first.offset:
            yield first, event
        if first is None or event.offset > first.offset:
            furthest[event.label] = event


@dataclass(frozen=True, slots=True)
class Correction:
    """A correction: the row it was made in, the finding it answers, the event before and after (None: left out)."""

    file: str
    row: int | None
    clip: str
    finding: str
    before: Event
    after: Event | None


def fix(table: EventTable, durations: Lengths, *, keep_outside: bool = False) -> tuple[EventTable, list[Correction]]:
    """A corrected copy of a table, and every correction, row by row.

    With `keep_outside`, for predictions, an event that starts after its clip stays: it is a false alarm (rule 13.31).
    """
    changes: list[Correction] = []
    clips = {}
    for clip, events in table.clips.items():
        length = length_of(durations, clip)
        clips[clip] = _Fixer(table, clip, length, changes, keep_outside).fixed(events)
    return EventTable(table.name, clips, table.digest, table.origin), changes


class _Fixer:
    """Corrects the events of one clip, in the order of the rule."""

    def __init__(
        self, table: EventTable, clip: str, length: Fraction | None, changes: list[Correction], keep_outside: bool
    ) -> None:
        self.table, self.clip, self.length, self.changes = table, clip, length, changes
        self.keep_outside = keep_outside

    def _log(self, finding: str, before: Event, after: Event | None) -> Event | None:
        place = self.table.place(self.clip, before.row)
        self.changes.append(Correction(place.file, place.row, self.clip, finding, before, after))
        return after

    def fixed(self, events: Sequence[Event]) -> tuple[Event, ...]:
        """The events that stay, corrected; joined ones stand where the first of them stood."""
        # A row that repeats another only once it is corrected is a repeat all the same.
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
            of_label = groups.setdefault(event.label, [])
            if of_label and event.onset < reach[event.label]:
                of_label[-1].append(event)
            else:
                of_label.append([event])
            reach[event.label] = max(event.offset, reach.get(event.label, event.offset))
        stands: dict[Event, Event | None] = {event: event for event in events}
        for group in (group for of_label in groups.values() for group in of_label if len(group) > 1):
            first, *rest = group
            sure = [event.confidence for event in group if event.confidence is not None]
            whole = replace(first, offset=max(e.offset for e in group), confidence=max(sure, default=None))
            stands[first] = self._log("overlapping-events", first, whole) if whole != first else first
            for event in rest:
                stands[event] = self._log("overlapping-events", event, None)
        return tuple(event for event in (stands[e] for e in events) if event is not None)


CHANGE_COLUMNS = ("side", "file", "row", "filename", "event_label", "finding", "before", "after", "why")


def change_rows(changes: Mapping[str, Sequence[Correction]]) -> Iterator[tuple[str, ...]]:
    """The log of the corrections of both sides, as text; an event that was left out has an empty `after`."""
    for side, items in changes.items():
        for c in items:
            row = "" if c.row is None else str(c.row)
            after = _span(c.after) if c.after is not None else ""
            yield side, c.file, row, c.clip, c.before.label, c.finding, _span(c.before), after, CODES[c.finding].meaning


def _span(event: Event) -> str:
    return f"{print_number(event.onset)} to {print_number(event.offset)}"


# Checks a submission: its table of detections row by row, and its YAML metadata entry by entry (rule 15.18).

_NULL = "tag:yaml.org,2002:null"
COLUMNS = ("dataset", "filename", "annotation", "start_datetime", "end_datetime")
_TEXT, _FILLED = "a text", "anything"
_AUTHOR = {"lastname": _TEXT, "firstname": _TEXT, "email": _TEXT, "affiliation": _FILLED}
_FORM: Mapping[str, Any] = {
    "submission": {"label": _TEXT, "name": _TEXT, "abbreviation": _TEXT, "authors": [_AUTHOR]},
    "system": {"description": {}},
}
"""What must be there: a text, anything filled, a list of one form, or a mapping with at least these entries."""


def check_submission(table: PathLike, metadata: PathLike, diagnostics: Diagnostics) -> None:
    """Report every fault of both files, with file and row."""
    file = read_text(table, diagnostics)
    if file is not None:
        _check_table(file, diagnostics)
    described = read_text(metadata, diagnostics)
    if described is not None:
        _check_metadata(described, diagnostics)


def _check_table(file: TextFile, diagnostics: Diagnostics) -> None:
    before = len(diagnostics)
    header = next((line for line in file.text.splitlines() if line.strip()), "")
    if "\t" in header and "," not in header:
        help = "separate the columns of a submission by commas"
        diagnostics.add("wrong-columns", "the columns are separated by tabs", RowPlace(file.name, 1), help)
        return
    for row, fields in read_rows(file, COLUMNS, diagnostics):
        if not fields[0].strip():
            diagnostics.add("incomplete-row", "the row has no `dataset`", RowPlace(file.name, row))
    if any(d.code == "wrong-columns" for d in diagnostics.items[before:]):
        return
    found = read_biodcase(file, diagnostics)
    for clip, event in found.events:
        if event.offset < event.onset:
            headline = f"`{shown(event.label)}` in `{shown(clip)}` ends before it starts"
            diagnostics.add("offset-before-onset", headline, RowPlace(file.name, event.row))


def _check_metadata(file: TextFile, diagnostics: Diagnostics) -> None:
    try:
        import yaml
    except ImportError:
        headline, help = "metadata is YAML, and PyYAML is not installed", "pip install 'tracepact[yaml]'"
        diagnostics.add("missing-extra", headline, RowPlace(file.name), help)
        return
    try:
        # Nodes, not objects: they know their lines, and nothing of the file is constructed.
        root = yaml.compose(file.text, Loader=yaml.SafeLoader)
    except (RecursionError, ValueError, OverflowError):  # the reader of YAML does not say where
        headline = "not YAML that can be read: it nests too deep, or names no sign"
        diagnostics.add("bad-metadata", headline, RowPlace(file.name))
        return
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = RowPlace(file.name, mark.line + 1 if mark else None)
        problem = getattr(error, "problem", None) or getattr(error, "reason", "it cannot be read")
        diagnostics.add("bad-metadata", f"not YAML: {problem}", place)
        return
    _check_node(root, _FORM, "", 1, file.name, diagnostics)


def _check_node(node: Any, form: Any, at: str, line: int, name: str, diagnostics: Diagnostics) -> None:
    """Compare a node of the document, on some line, with what must be there."""
    kind = node.id if node is not None else "scalar"
    row = node.start_mark.line + 1 if node is not None else line

    def fault(what: str, path: str = at or "the document") -> None:
        diagnostics.add("bad-metadata", f"`{path}` {what}", RowPlace(name, row))

    match form:
        case str():
            if node is None or not node.value or node.tag == _NULL or (kind == "scalar" and not node.value.strip()):
                fault("is not filled")
            elif form == _TEXT and kind != "scalar":
                fault(f"is a {kind}, not a text")
        case list():
            if kind != "sequence" or not node.value:
                fault("is not a list with at least one entry")
                return
            for index, item in enumerate(node.value):
                _check_node(item, form[0], f"{at}[{index}]", row, name, diagnostics)
        case _:
            if kind != "mapping":
                fault("is not a mapping")
                return
            entries = {key.value: value for key, value in node.value if isinstance(key.value, str)}
            for key, part in form.items():
                path = f"{at}.{key}" if at else key
                if key in entries:
                    _check_node(entries[key], part, path, row, name, diagnostics)
                else:
                    fault("is missing", path)
