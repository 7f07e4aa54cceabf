"""Takes data that is in memory already: lists of intervals, mappings of clips, data frames, or a path."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.io.audacity import UNLABELLED
from tracepact.io.delimited import report_missing
from tracepact.io.reading import Reading, read_events, read_score_texts
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
    such lists; a data frame with the columns of a table; a mapping from clips to data frames of scores (onset, offset,
    one column a class); a path; or an EventTable. `label` is the label of an interval that has none. Times are exact: a
    float stands for its shortest decimal text. `reading` says of a path, or of scores, what the content does not.
    """
    if isinstance(data, str | os.PathLike):
        return read_events(data, diagnostics, reading)
    if isinstance(data, Mapping) and data and all(_is_frame(item) for item in data.values()):
        texts = {str(key): _frame_text(frame) for key, frame in data.items()}
        return read_score_texts(name, texts, reading.decoding if reading else None, diagnostics)
    return _intervals(data, diagnostics, name, label, clip, regions=False)


def regions_from(data: Any, diagnostics: Diagnostics, *, name: str = "ignore", clip: str = ONE_CLIP) -> Regions:
    """Ignore regions from the same kinds of data; one without a label is for every class."""
    if isinstance(data, str | os.PathLike):
        return read_regions(data, diagnostics)
    return _intervals(data, diagnostics, name, "", clip, regions=True)


def durations_from(data: Any, diagnostics: Diagnostics, *, name: str = "durations") -> Durations | Fraction | None:
    """Durations from a mapping of clips to times, a data frame, a path, or one time for all clips (also as text)."""
    if data is None or isinstance(data, Durations):
        return data
    times = Times(fractions=True)
    if _is_frame(data):
        data = _pairs_of_frame(data, "duration", _text, name, diagnostics)
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
    text = _text(value)
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
    if _is_frame(data):
        data = _pairs_of_frame(data, "condition", _label, name, diagnostics)
    return Conditions(name, {str(clip): str(condition) for clip, condition in data.items()})


def _pairs_of_frame(frame: Any, column: str, text: Any, name: str, diagnostics: Diagnostics) -> dict[str, str]:
    """Two columns of a data frame, the file name and another, as a mapping."""
    names = [str(name) for name in frame.columns]
    if not report_missing(("filename", column), names, RowPlace(name), diagnostics):
        return {}
    return dict(zip(_column(frame["filename"], _label), _column(frame[column], text), strict=True))


def _looks_like_time(text: str) -> bool:
    """Whether a text is meant as a number, well formed or not; a file of that name is a file all the same."""
    return not os.path.exists(text) and bool(re.fullmatch(r"\s*|[-+]?(?:[0-9.].*|nan|inf(?:inity)?)", text, re.I))


def _is_time(text: str, times: Times) -> bool:
    try:
        times[text]
    except ValueError:
        return False
    return True


def _intervals(data: Any, diagnostics: Diagnostics, name: str, label: str, clip: str, *, regions: bool) -> EventTable:
    if isinstance(data, EventTable):
        return data
    rows = EventRows(name, diagnostics, Times(fractions=True), regions=regions)
    if _is_frame(data):
        _add_frame(data, rows)
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
        onset, offset = _text(fields[0]), _text(fields[1])
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


def _is_frame(data: Any) -> bool:
    return all(hasattr(data, part) for part in ("columns", "iloc", "isna"))


def _frame_text(frame: Any) -> str:
    """A data frame as the text of a table, tab separated; a float as its shortest decimal."""
    names = [str(name) for name in frame.columns]
    columns = [_column(frame.iloc[:, place], _text) for place in range(len(names))]
    return "".join("\t".join(fields) + "\n" for fields in [names, *zip(*columns, strict=True)])


def _add_frame(frame: Any, rows: EventRows) -> None:
    """The rows of a data frame; a missing value is an empty field."""
    names = [str(name) for name in frame.columns]
    required = EVENT_COLUMNS[:3] if rows.regions else EVENT_COLUMNS
    place = RowPlace(rows.name)
    repeated = [column for column in EVENT_COLUMNS if names.count(column) > 1]
    for column in repeated:
        rows.diagnostics.add("wrong-columns", f"column `{column}` occurs twice", place, "keep one of them")
    if not report_missing(required, names, place, rows.diagnostics) or repeated:
        return
    count = len(frame)
    clips, onsets, offsets, labels = (
        _column(frame[column], _text if column in ("onset", "offset") else _label) if column in names else [""] * count
        for column in EVENT_COLUMNS
    )
    for row, fields in enumerate(zip(clips, onsets, offsets, labels, strict=True)):
        rows.add(row, *fields)


def _column(series: Any, text: Any) -> list[str]:
    """The text of each field of a column, empty where the value is missing."""
    # `tolist` widens a short float to a double, which is another decimal; iterating the array does not.
    values = series.to_numpy() if str(series.dtype) in ("float16", "float32") else series.tolist()
    return ["" if missing else text(value) for value, missing in zip(values, series.isna().tolist(), strict=True)]


def _label(value: Any) -> str:
    """A label or a clip's name as text; None is empty."""
    return "" if value is None else str(value).strip()


def _text(value: Any) -> str:
    """The text of a time in memory, the shortest decimal for a float (rule 5.2); no other value is hidden."""
    if value is None:
        return ""
    try:
        return str(value).strip()
    except ValueError:  # an integer of thousands of digits
        return f"a huge {type(value).__name__}"


def _kind(value: Any) -> str:
    return f"`{shown(repr(value))}`"
