"""Reads BioDCASE tables: events by date and time, against the start in the name of their file; exact, as text."""

import re
from datetime import date
from fractions import Fraction
from functools import lru_cache
from pathlib import PurePath

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.io.delimited import read_rows
from tracepact.io.source import TextFile, shown
from tracepact.trace import Event, EventTable, Origin
from tracepact.wording import seconds

REQUIRED = ("filename", "annotation", "start_datetime")
OPTIONAL = ("dataset", "end_datetime")
_MOMENT = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(\.\d+)?(?:(Z)|([+-])(\d\d):?(\d\d))?", re.ASCII | re.IGNORECASE
)
_START = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d)-(\d\d)-(\d\d)(?:[_.](\d+))?(?!\d)", re.ASCII)


def read_biodcase(file: TextFile, diagnostics: Diagnostics) -> EventTable:
    """The events of a table (rule 13.4); a row without an end is a point."""
    clips: dict[str, list[Event]] = {}
    for row, fields in read_rows(file, REQUIRED, diagnostics, optional=OPTIONAL):
        name, label, start, end, dataset = (fields[i].strip() for i in (0, 1, 2, 4, 3))
        place = RowPlace(file.name, row)
        if not (name and label and start):
            given = dict(zip(REQUIRED, (name, label, start), strict=True))
            empty = " and ".join(f"`{column}`" for column, text in given.items() if not text)
            diagnostics.add("incomplete-row", f"the row has no {empty}", place)
            continue
        begun = file_start(name)
        if begun is None:
            diagnostics.add(
                "bad-date",
                f"the name `{shown(name)}` does not say when the file starts",
                place,
                "names begin like `2015-02-04T03-00-00_000`: date, time, milliseconds, in UTC",
            )
            continue
        onset = _time("start_datetime", start, begun, place, diagnostics)
        offset = _time("end_datetime", end, begun, place, diagnostics) if end else onset
        if onset is not None and offset is not None:
            clip = f"{dataset}/{name}" if dataset else name
            clips.setdefault(clip, []).append(Event(onset, offset, label, row))
    found = {clip: tuple(events) for clip, events in clips.items()}
    return EventTable(file.name, found, file.digest, Origin("biodcase"))


def _time(column: str, text: str, begun: Fraction, place: RowPlace, diagnostics: Diagnostics) -> Fraction | None:
    """The seconds of a date after the start of its file."""
    try:
        after = moment(text) - begun
    except ValueError as error:
        diagnostics.add("bad-date", f"{column} `{shown(text)}` {error}", place, _FORM)
        return None
    if after < 0:
        headline = f"{column} `{shown(text)}` lies {seconds(-after)} before the start of its file"
        diagnostics.add("bad-time", headline, place, "an event belongs to the file it starts in; times are UTC")
        return None
    return after


_FORM = "write it like `2015-02-04T03:01:07.250000+00:00`"


@lru_cache(maxsize=4096)
def moment(text: str) -> Fraction:
    """The seconds of an ISO date and time, counted in UTC from the first day of the calendar; ValueError with words."""
    match = _MOMENT.fullmatch(text)
    if match is None:
        raise ValueError("is not a date and time of ISO 8601")
    seconds = _seconds(match.groups()[:6]) + Fraction(f"0{match[7] or ''}")
    if match[9]:
        away = int(match[10]) * 3600 + int(match[11]) * 60
        seconds -= away if match[9] == "+" else -away
    return seconds


@lru_cache(maxsize=4096)
def file_start(name: str) -> Fraction | None:
    """When a file starts, by its name."""
    match = _START.match(PurePath(name).name)
    if match is None or len(match[7] or "000") not in (3, 6):
        return None
    try:
        return _seconds(match.groups()[:6]) + Fraction(f"0.{match[7]}" if match[7] else 0)
    except ValueError:
        return None


def _seconds(parts: tuple[str, ...]) -> Fraction:
    year, month, day, hour, minute, second = map(int, parts)
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError("has no such time of day")
    try:
        days = date(year, month, day).toordinal()
    except ValueError:
        raise ValueError("is not a day of the calendar") from None
    return Fraction(((days * 24 + hour) * 60 + minute) * 60 + second)
