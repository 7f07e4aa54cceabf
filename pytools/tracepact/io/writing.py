"""Writes events: a table, Audacity label tracks or TextGrids, so that reading gives the same events (rule 13.13)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path, PurePosixPath

from tracepact.diagnostics import Diagnostics
from tracepact.files import table_text
from tracepact.io.formats import AUDACITY, TABLE, TEXTGRID
from tracepact.io.source import shown
from tracepact.io.tables import EVENT_COLUMNS
from tracepact.trace import Durations, Event, EventTable, Regions
from tracepact.wording import print_number

_ENDINGS = {AUDACITY: ".txt", TEXTGRID: ".TextGrid"}
WRITABLE = (TABLE, *_ENDINGS)
"""The formats that can be written; all but the table are folders of one file a clip."""

_Lengths = Durations | Fraction | None


def is_folder(format: str) -> bool:
    """Whether a format is a folder of one file a clip."""
    return format in _ENDINGS


def written_format(table: EventTable) -> str:
    """The format to write a table in: its own where that can be written, else a table."""
    own = table.origin.format if table.origin else TABLE
    return own if own in WRITABLE else TABLE


def written(table: EventTable, format: str, durations: _Lengths, diagnostics: Diagnostics) -> dict[str, str]:
    """The text of each file by its path in the folder; a table has the one path that is empty."""
    if is_folder(format):
        return clip_texts(table, format, durations, diagnostics)
    return {"": events_text(table, diagnostics)}


def events_text(table: EventTable, diagnostics: Diagnostics) -> str:
    """The events as a table, tab separated; a silent clip is a row with its name alone.

    A column of confidences follows if an event has one.
    """
    _check(table, diagnostics)
    if any(event.confidence is not None for _, event in table.events):
        rows = ((*row, _sure(event)) for row, event in _rows(table))
        return table_text((*EVENT_COLUMNS, "confidence"), rows)
    return table_text(EVENT_COLUMNS, (row for row, _ in _rows(table)))


def _rows(table: EventTable) -> Iterator[tuple[tuple[str, ...], Event | None]]:
    for clip, events in table.clips.items():
        for event in events:
            yield (clip, print_number(event.onset), print_number(event.offset), event.label), event
        if not events:
            yield (clip, "", "", ""), None


def _sure(event: Event | None) -> str:
    return "" if event is None or event.confidence is None else print_number(event.confidence)


def regions_text(table: EventTable, diagnostics: Diagnostics) -> str | None:
    """The ignore regions that the files of a table hold, as a table that gives them again; None if there are none."""
    regions = table.origin.regions if table.origin else {}
    if not any(regions.values()):
        return None
    _check(Regions(table.name, regions), diagnostics, labels=False)
    return table_text(
        EVENT_COLUMNS,
        (
            (clip, print_number(e.onset), print_number(e.offset), e.label)
            for clip, some in regions.items()
            for e in some
        ),
    )


def clip_texts(table: EventTable, format: str, durations: _Lengths, diagnostics: Diagnostics) -> dict[str, str]:
    """The text of each clip's file by its path in the folder.

    A TextGrid ends with its clip, or without a duration with its last event; a silent one then lasts one second.
    """
    _check(table, diagnostics, signs="\t\n\r" if format == AUDACITY else "")
    found = {}
    for clip, events in table.clips.items():
        parts = PurePosixPath(clip).parts
        if "/".join(parts) != clip or any(part == ".." or part.startswith((".", "/")) for part in parts):
            headline = f"`{shown(clip)}` is not a name for a file"
            diagnostics.add("unwritable-value", headline, table.place(clip, None), "write a table instead")
            continue
        length = durations if isinstance(durations, Fraction) else durations.clips.get(clip) if durations else None
        found[clip + _ENDINGS[format]] = _WRITERS[format](clip, events, length, table, diagnostics)
    return found


def check_place(out: Path, inputs: Sequence[Path], diagnostics: Diagnostics, *, folder: bool) -> None:
    """Refuse to write onto an input, or into a folder that holds something."""
    place = out.resolve()
    for given in inputs:
        found = given.resolve()
        if place == found or (folder and found.is_relative_to(place)):
            headline = f"`{shown(str(out))}` holds the input `{shown(str(given))}`, which is never written over"
            diagnostics.add("unsafe-place", headline, help="name another place")
            return
        if place.is_relative_to(found) and found.is_dir():
            headline = f"`{shown(str(out))}` lies in the input `{shown(str(given))}`, which is never changed"
            diagnostics.add("unsafe-place", headline, help="name another place")
            return
    if folder and (place.is_file() or (place.is_dir() and any(place.iterdir()))):
        diagnostics.add("unsafe-place", f"`{shown(str(out))}` is there and not empty", help="name a new folder")
    elif not folder and place.is_dir():
        diagnostics.add("unsafe-place", f"`{shown(str(out))}` is a folder", help="name a file")


def _audacity(
    clip: str, events: Sequence[Event], length: Fraction | None, table: EventTable, diagnostics: Diagnostics
) -> str:
    return "".join(f"{print_number(e.onset)}\t{print_number(e.offset)}\t{e.label}\n" for e in events)


def _textgrid(
    clip: str, events: Sequence[Event], length: Fraction | None, table: EventTable, diagnostics: Diagnostics
) -> str:
    """The long text of a TextGrid: a tier for each label, points apart; overlapping events of a label in more tiers."""
    for event in events:
        if event.offset < event.onset:
            headline = f"the event at {print_number(event.onset)} s in `{shown(clip)}` ends before it starts"
            diagnostics.add("unwritable-value", headline, table.place(clip, event.row))
    sound = [event for event in events if event.offset >= event.onset]
    end = max([event.offset for event in sound] + ([length] if length else []), default=Fraction(1)) or Fraction(1)
    tiers = list(_tiers(sound)) or [("events", [])]
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "xmin = 0", f"xmax = {print_number(end)}"]
    lines += ["tiers? <exists>", f"size = {len(tiers)}", "item []:"]
    for number, (name, entries) in enumerate(tiers, start=1):
        points = bool(entries) and entries[0].onset == entries[0].offset
        lines += [f"    item [{number}]:", f'        class = "{"TextTier" if points else "IntervalTier"}"']
        lines += [f"        name = {_quoted(name)}", "        xmin = 0", f"        xmax = {print_number(end)}"]
        lines += _points(entries) if points else _intervals(entries, end)
    return "\n".join(lines) + "\n"


def _tiers(events: Sequence[Event]) -> Iterator[tuple[str, list[Event]]]:
    """The events of each tier in order, under a name of its own."""
    layers: dict[tuple[str, bool], list[list[Event]]] = {}
    for event in sorted(events, key=lambda e: (e.onset, e.offset)):
        point = event.onset == event.offset
        found = layers.setdefault((event.label, point), [])
        for layer in found:
            last = layer[-1].offset
            if last < event.onset or (last == event.onset and not point):
                layer.append(event)
                break
        else:
            found.append([event])
    used: set[str] = set()
    for (label, point), found in layers.items():
        for layer in found:
            name = base = f"{label} points" if point else label
            number = 2
            while name in used:
                name, number = f"{base} {number}", number + 1
            used.add(name)
            yield name, layer


def _intervals(entries: Sequence[Event], end: Fraction) -> list[str]:
    """The intervals of a tier, those without text between them included."""
    spans: list[tuple[Fraction, Fraction, str]] = []
    reached = Fraction(0)
    for event in entries:
        if reached < event.onset:
            spans.append((reached, event.onset, ""))
        spans.append((event.onset, event.offset, event.label))
        reached = event.offset
    if reached < end:
        spans.append((reached, end, ""))
    lines = [f"        intervals: size = {len(spans)}"]
    for number, (start, stop, text) in enumerate(spans, start=1):
        lines += [f"        intervals [{number}]:", f"            xmin = {print_number(start)}"]
        lines += [f"            xmax = {print_number(stop)}", f"            text = {_quoted(text)}"]
    return lines


def _points(entries: Sequence[Event]) -> list[str]:
    lines = [f"        points: size = {len(entries)}"]
    for number, event in enumerate(entries, start=1):
        lines += [f"        points [{number}]:", f"            number = {print_number(event.onset)}"]
        lines.append(f"            mark = {_quoted(event.label)}")
    return lines


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


_WRITERS: Mapping[str, Callable[[str, Sequence[Event], Fraction | None, EventTable, Diagnostics], str]] = {
    AUDACITY: _audacity,
    TEXTGRID: _textgrid,
}


def _check(table: EventTable, diagnostics: Diagnostics, *, signs: str = "", labels: bool = True) -> None:
    """Report every name, label and time that would not be read again as it is; `signs` may not stand in labels.

    Without `labels` a label may be empty.
    """
    for clip, events in table.clips.items():
        if fault := _fault(clip, ""):
            headline = f"the clip's name `{shown(clip)}` {fault}"
            diagnostics.add("unwritable-value", headline, table.place(clip, None), "rename the clip")
        for event in events:
            place = table.place(clip, event.row)
            if (labels or event.label) and (fault := _fault(event.label, signs)):
                headline = f"the label `{shown(event.label)}` {fault}"
                diagnostics.add("unwritable-value", headline, place, "rename it with a label map")
            for time in (event.onset, event.offset):
                if "/" in print_number(time):
                    headline = f"the time {time} s in `{shown(clip)}` has no finite decimal"
                    diagnostics.add("unwritable-value", headline, place, "only a JSON document can hold it")


def _fault(text: str, signs: str) -> str | None:
    if not text or text != text.strip():
        return "is empty, or starts or ends with white space"
    if any(sign in text for sign in signs):
        return "holds a tab or a line break"
    if "\0" in text or any("\ud800" <= sign <= "\udfff" for sign in text):
        return "holds signs that no text file can hold"
    return None
