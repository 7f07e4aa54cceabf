"""Takes data that is in memory already: lists of intervals, mappings of clips, data frames, or a path."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.io.audacity import UNLABELLED
from tracepact.io.collection import uncollected
from tracepact.io.columnar import Frame, field_text, frame_of
from tracepact.io.columns import Columns, columns_from, offered_map
from tracepact.io.decoding import field_events
from tracepact.io.delimited import report_missing
from tracepact.io.field import field_from
from tracepact.io.mapped import add_fields, find_layout
from tracepact.io.reading import Reading, read_events
from tracepact.io.rows import EventRows, Times, report_time
from tracepact.io.source import shown
from tracepact.io.tables import EVENT_COLUMNS, Conditions, read_conditions, read_durations, read_regions
from tracepact.trace import Durations, EventTable, Regions

ONE_CLIP = "clip"
ONE_LABEL = UNLABELLED


def events_from(
    data: Any,
    diagnostics: Diagnostics,
    *,
    name: str,
    label: str = ONE_LABEL,
    clip: str = ONE_CLIP,
    reading: Reading | None = None,
) -> EventTable:
    """The events of one side, rows counted from zero.

    `data` is a list of (onset, offset) or (onset, offset, label) for one clip, named `clip`; a mapping from clips to
    such lists; a data frame (pandas, polars, Arrow) with the columns of a table, or those a column map names; a score
    field or mask in the forms of `field_from`; a path; or an EventTable. `label` is the label of an interval that has
    none. Times are exact: a float stands for its shortest decimal text. `reading` says of
    a path, of scores, or of a data frame what the content does not.
    """
    if isinstance(data, str | os.PathLike):
        with uncollected():
            return read_events(data, diagnostics, reading)
    given = reading or Reading()
    field = field_from(data, diagnostics, name=name, clip=clip, classes=given.classes, step=given.step)
    if field is not None:
        return field_events(field, given.decoding, diagnostics)
    maps = columns_from(reading.columns, diagnostics) if reading else ()
    return _intervals(data, diagnostics, name, label, clip, maps, regions=False)


def regions_from(data: Any, diagnostics: Diagnostics, *, name: str = "ignore", clip: str = ONE_CLIP) -> Regions:
    """Ignore regions from the same kinds of data; one without a label is for every class."""
    if isinstance(data, str | os.PathLike):
        return read_regions(data, diagnostics)
    return _intervals(data, diagnostics, name, "", clip, (), regions=True)


def durations_from(data: Any, diagnostics: Diagnostics, *, name: str = "durations") -> Durations | Fraction | None:
    """Durations from a mapping of clips to times, a data frame, a path, or one time for all clips (also as text)."""
    if data is None or isinstance(data, Durations):
        return data
    times = Times(fractions=True)
    if (frame := frame_of(data)) is not None:
        data = _pairs_of_frame(frame, "duration", name, diagnostics)
    if isinstance(data, Mapping):
        found = {}
        for clip, value in data.items():
            duration = _duration(value, times, diagnostics, RowPlace(name), f"clip `{shown(str(clip))}`: ")
            if duration is not None:
                found[str(clip)] = duration
        return Durations(name, found)
    if isinstance(data, os.PathLike) or (isinstance(data, str) and not _looks_like_time(data)):
        return read_durations(data, diagnostics)
    return _duration(data, times, diagnostics, RowPlace(name), "")


def _duration(value: Any, times: Times, diagnostics: Diagnostics, place: RowPlace, where: str) -> Fraction | None:
    text = field_text(value)
    if not _is_time(text, times):
        report_time(times, "duration", text, diagnostics, place, where)
        return None
    if not times[text]:
        diagnostics.add("bad-time", f"{where}duration `{text}` is zero", place, "a clip has some length")
        return None
    return times[text]


def conditions_from(data: Any, diagnostics: Diagnostics, *, name: str = "conditions") -> Conditions:
    """Conditions from a mapping of clips to words, a data frame or a path."""
    if isinstance(data, Conditions):
        return data
    if isinstance(data, str | os.PathLike):
        return read_conditions(data, diagnostics)
    if (frame := frame_of(data)) is not None:
        data = _pairs_of_frame(frame, "condition", name, diagnostics)
    return Conditions(name, {str(clip): str(condition) for clip, condition in data.items()})


def _pairs_of_frame(frame: Frame, column: str, name: str, diagnostics: Diagnostics) -> dict[str, str]:
    """Two columns of a data frame, the file name and another, as a mapping."""
    if not report_missing(("filename", column), frame.names, RowPlace(name), diagnostics):
        return {}
    keys, values = (frame.texts(frame.names.index(one)) for one in ("filename", column))
    return dict(zip(keys, values, strict=True))


def _looks_like_time(text: str) -> bool:
    """Whether a text is meant as a number, well formed or not; a file of that name is a file all the same."""
    return not os.path.exists(text) and bool(re.fullmatch(r"\s*|[-+]?(?:[0-9.].*|nan|inf(?:inity)?)", text, re.I))


def _is_time(text: str, times: Times) -> bool:
    try:
        times[text]
    except ValueError:
        return False
    return True


def _intervals(
    data: Any,
    diagnostics: Diagnostics,
    name: str,
    label: str,
    clip: str,
    maps: Sequence[Columns],
    *,
    regions: bool,
) -> EventTable:
    if isinstance(data, EventTable):
        return data
    rows = EventRows(name, diagnostics, Times(fractions=True), regions=regions)
    if (frame := frame_of(data)) is not None:
        columns = _map_of(frame, maps)
        if columns is not None:
            rows.times = Times(fractions=True, rate=columns.rate)
            _add_mapped(frame, rows, columns, clip)
        else:
            _add_frame(frame, rows)
    elif isinstance(data, Mapping):
        for key, items in data.items():
            _add_clip(items, rows, str(key), label, f"clip `{shown(str(key))}`: ")
    else:
        _add_clip(data, rows, clip, label, "")
    return rows.table()


def _add_clip(items: Any, rows: EventRows, clip: str, label: str, where: str) -> None:
    """The intervals of one clip; none at all is a silent clip."""
    rows.clips.setdefault(clip, [])
    if isinstance(items, str | bytes) or not isinstance(items, Iterable):
        rows.diagnostics.add(
            "wrong-columns", f"{where}{_kind(items)} is not a list of intervals", RowPlace(rows.name), _FORMS
        )
        return
    for row, item in enumerate(items):
        fields = _fields(item)
        if not 2 <= len(fields) <= 3:
            rows.diagnostics.add(
                "wrong-columns", f"{where}{_kind(item)} is not an interval", RowPlace(rows.name, row), _FORMS
            )
            continue
        own = _label(fields[2]) if len(fields) == 3 else label
        onset, offset = field_text(fields[0]), field_text(fields[1])
        if onset and offset and (own or rows.regions):
            rows.add(row, clip, onset, offset, own, where)
        else:
            named = {"onset": onset, "offset": offset, "label": own or rows.regions}
            empty = " and ".join(f"`{field}`" for field, value in named.items() if not value)
            rows.diagnostics.add(
                "incomplete-row",
                f"{where}the interval has no {empty}",
                RowPlace(rows.name, row),
                "a silent clip is an empty list",
            )


_FORMS = "give (onset, offset) or (onset, offset, label) for each interval"


def _fields(item: Any) -> Sequence[Any]:
    """The parts of an interval; nothing if it is not made of parts."""
    if isinstance(item, str | bytes | Mapping) or not isinstance(item, Iterable):
        return ()
    return tuple(item)


def _map_of(frame: Frame, maps: Sequence[Columns]) -> Columns | None:
    """The first map whose columns a frame has, or that of its known header; None for a table of events."""
    for columns in maps:
        if set(columns.roles.values()) <= set(frame.names):
            return columns
    if maps and not set(EVENT_COLUMNS) <= set(frame.names):
        return maps[0]
    layout = None if set(EVENT_COLUMNS[1:]) & set(frame.names) else find_layout(frame.names)
    return None if layout is None else layout.columns


def _add_mapped(frame: Frame, rows: EventRows, columns: Columns, clip: str) -> None:
    """The rows of a data frame by a column map."""
    named = list(columns.roles.values())
    if report_missing(named, frame.names, RowPlace(rows.name), rows.diagnostics, offered_map(frame.names)):
        texts = [frame.texts(frame.names.index(column)) for column in named]
        add_fields(enumerate(zip(*texts, strict=True)), clip, rows, columns)


def _add_frame(frame: Frame, rows: EventRows) -> None:
    """The rows of a data frame; a missing value is an empty field."""
    required = EVENT_COLUMNS[:3] if rows.regions else EVENT_COLUMNS
    place = RowPlace(rows.name)
    repeated = [column for column in EVENT_COLUMNS if frame.names.count(column) > 1]
    for column in repeated:
        rows.diagnostics.add("wrong-columns", f"column `{column}` occurs twice", place, "keep one of them")
    if not report_missing(required, frame.names, place, rows.diagnostics) or repeated:
        return
    columns = [
        frame.texts(frame.names.index(column)) if column in frame.names else [""] * frame.rows
        for column in (*EVENT_COLUMNS, "confidence")
    ]
    for row, (clip, onset, offset, label, confidence) in enumerate(zip(*columns, strict=True)):
        rows.add(row, clip, onset, offset, label, "", confidence)


def _label(value: Any) -> str:
    """A label or a clip's name as text; None is empty."""
    return "" if value is None else str(value).strip()


def _kind(value: Any) -> str:
    return f"`{shown(repr(value))}`"
