"""The tables of a run directory: what was scored as exact text, and back without loss (rule 17.2).

A time is its decimal where it has one, else a reduced fraction such as `1/3`. Fields are separated by tabs; a field
that holds a tab, a quote or a line break is quoted. `row` is the row of the original, where it had one. A table has the
column `confidence` if one of its events has a confidence.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from tracepact.files import BadTable, Row, table_rows, table_text
from tracepact.trace import Event, EventTable, Family, FrameRun
from tracepact.trace.exact_times import LONGEST_TIME
from tracepact.wording import print_number

EVENT_COLUMNS = ("filename", "onset", "offset", "event_label", "row")
CONFIDENCE = "confidence"
DURATION_COLUMNS = ("filename", "duration")
CONDITION_COLUMNS = ("filename", "condition")
MASK_COLUMNS = ("atom", "filename", "first_frame", "end_frame")

_TIME = re.compile(r"[0-9]+(?:\.[0-9]+|/[1-9][0-9]*)?", re.ASCII)
_NUMBER = re.compile(rf"-?{_TIME.pattern}", re.ASCII)
_LONGEST_TIME = 4000
_COUNT = re.compile(r"[0-9]{1,18}", re.ASCII)

Masks = Mapping[str, Mapping[str, list[bool]]]


def events_text(table: EventTable) -> str:
    """The events of one side; a silent clip is a row of its name alone."""
    sure = any(event.confidence is not None for _, event in table.events)
    return table_text((*EVENT_COLUMNS, CONFIDENCE) if sure else EVENT_COLUMNS, _event_rows(table, sure))


def _event_rows(table: EventTable, sure: bool) -> Iterator[Row]:
    for clip, events in table.clips.items():
        if not events:
            yield clip, "", "", "", "", *([""] if sure else [])
        for event in events:
            row = "" if event.row is None else event.row
            more = ["" if event.confidence is None else print_number(event.confidence)] if sure else []
            yield clip, print_number(event.onset), print_number(event.offset), event.label, row, *more


def read_events(text: str) -> dict[str, tuple[Event, ...]]:
    """The events a text holds, by clip."""
    clips: dict[str, list[Event]] = {}
    header = text.partition("\n")[0]
    columns = (*EVENT_COLUMNS, CONFIDENCE) if header == "\t".join((*EVENT_COLUMNS, CONFIDENCE)) else EVENT_COLUMNS
    for line, (clip, onset, offset, label, row, *more) in table_rows(text, columns):
        events = clips.setdefault(clip, [])
        if onset or offset or label or row or any(more):
            number = whole(row, line) if row else None
            sure = _number(more[0], line, _NUMBER, "number") if any(more) else None
            events.append(Event(_time(onset, line), _time(offset, line), label, number, sure))
    return {clip: tuple(events) for clip, events in clips.items()}


def durations_text(clips: Mapping[str, Fraction]) -> str:
    """How long each clip is."""
    return table_text(DURATION_COLUMNS, ((clip, print_number(time)) for clip, time in clips.items()))


def read_durations(text: str) -> dict[str, Fraction]:
    """The durations a text holds."""
    return {clip: _time(time, line) for line, (clip, time) in table_rows(text, DURATION_COLUMNS)}


def conditions_text(clips: Mapping[str, str]) -> str:
    """The condition of each clip."""
    return table_text(CONDITION_COLUMNS, clips.items())


def read_conditions(text: str) -> dict[str, str]:
    """The conditions a text holds."""
    return {clip: condition for _, (clip, condition) in table_rows(text, CONDITION_COLUMNS)}


def masks_text(family: Family) -> str:
    """The runs of the caller's masks by atom and clip, in frames; a mask without frames is a row of its names alone."""
    return table_text(MASK_COLUMNS, _mask_rows(family))


def _mask_rows(family: Family) -> Iterator[Row]:
    for atom, by_segment in family.masks.items():
        for index, clip in enumerate(family.clips):  # every class has the same masks; those of the first are read
            runs: tuple[FrameRun, ...] = by_segment[index]
            if not runs:
                yield atom, clip, "", ""
            for start, end in runs:
                yield atom, clip, start, end


def read_masks(text: str, atoms: Iterable[str], frames: Mapping[str, int]) -> Masks:
    """The masks of these atoms, one truth value a frame; `frames` says how many each clip has."""
    masks: dict[str, dict[str, list[bool]]] = {atom: {} for atom in atoms}
    for line, (atom, clip, first, end) in table_rows(text, MASK_COLUMNS):
        if atom not in masks or clip not in frames:
            raise BadTable(f"the run has no atom `{atom}` or no clip `{clip}`", line)
        mask = masks[atom].setdefault(clip, [False] * frames[clip])
        if first or end:
            run = range(whole(first, line), whole(end, line))
            if run.stop > len(mask):
                raise BadTable(f"`{clip}` has only {len(mask)} frames", line)
            mask[run.start : run.stop] = [True] * len(run)
    return masks


def _time(text: str, line: int) -> Fraction:
    time = _number(text, line, _TIME, "time")
    if time >= LONGEST_TIME:
        raise BadTable(f"`{text[:40]}` is not a time of less than 10^10 seconds", line)
    return time


def _number(text: str, line: int, form: re.Pattern[str], kind: str) -> Fraction:
    """A number of the form, or BadTable: it is not of this kind."""
    if len(text) > _LONGEST_TIME or not form.fullmatch(text):
        raise BadTable(f"`{text[:40]}` is not a {kind}", line)
    return Fraction(text)


def whole(text: str, line: int) -> int:
    """A count or a row number as a table holds it."""
    if not _COUNT.fullmatch(text):
        raise BadTable(f"`{text[:40]}` is not a whole number", line)
    return int(text)
