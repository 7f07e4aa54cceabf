"""Reads the tables of a task: events, durations, conditions and ignore regions, tab or comma separated."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.io.audio import SOUND_ENDINGS
from tracepact.io.columnar import ColumnarRows, columnar_rows, open_data
from tracepact.io.delimited import read_rows
from tracepact.io.documents import read_side
from tracepact.io.rows import EventRows, Times, report_time
from tracepact.io.source import PathLike, TextFile, shown, text_lines
from tracepact.io.spaced import UEM, spaced_format, uem_regions
from tracepact.trace import Durations, EventTable, Regions
from tracepact.wording import count

EVENT_COLUMNS = ("filename", "onset", "offset", "event_label")


@dataclass(frozen=True, slots=True)
class Conditions:
    """The condition each clip was recorded or made under."""

    name: str
    clips: Mapping[str, str]
    digest: str | None = None


def read_table(file: TextFile, diagnostics: Diagnostics) -> EventTable:
    """The events of one side, from a table (`filename onset offset event_label`, and perhaps `confidence`)."""
    rows = EventRows(file.name, diagnostics, Times(fractions=False))
    clips = clips_alone(file)
    if clips is None:
        found = read_rows(file, EVENT_COLUMNS, diagnostics, optional=("confidence",), events=True, clip="filename")
        rows.add_all(found)
        return rows.table(file.digest)
    headline = f"the table names {count(len(clips), 'clip')} and no events: all of them are silent"
    diagnostics.add("clips-alone", headline, RowPlace(file.name))
    rows.clips |= {clip: [] for clip in clips}
    return rows.table(file.digest)


def read_columnar_table(path: PathLike, diagnostics: Diagnostics) -> EventTable | None:
    """The events of a Parquet or Arrow file with the columns of a table; None if it is none."""
    found = columnar_rows(path, EVENT_COLUMNS, diagnostics, optional=("confidence",))
    if found is None:
        return None
    rows = EventRows(found.name, diagnostics, Times(fractions=False))
    rows.add_all(found)
    return rows.table(found.digest)


def clips_alone(file: TextFile) -> list[str] | None:
    """The names a table lists if it has only the column `filename`, or only names of sound files (rule 13.26)."""
    first = next((line.strip() for _, line in text_lines(file)), "")
    if "\t" in first or "," in first or not (first == "filename" or first.lower().endswith(SOUND_ENDINGS)):
        return None
    names = [line.strip() for _, line in text_lines(file)]
    if first == "filename":
        return names[1:]
    return names if all(name.lower().endswith(SOUND_ENDINGS) and "\t" not in name for name in names) else None


def read_regions(path: PathLike, diagnostics: Diagnostics) -> Regions:
    """Ignore regions (`filename onset offset` and perhaps `event_label`); an empty label is every class.

    A UEM file, which says what is judged, stands for all that is not (rule 13.20).
    """
    file = open_data(path, diagnostics)
    if file is None:
        return Regions(str(path), {})
    if file.is_json:
        return read_side(file, diagnostics, regions=True)
    if spaced_format(file) == UEM:
        return uem_regions(file, diagnostics)
    rows = EventRows(file.name, diagnostics, Times(fractions=False), regions=True)
    found = read_rows(file, EVENT_COLUMNS[:3], diagnostics, optional=EVENT_COLUMNS[3:])
    rows.add_all((row, (*fields, "")) for row, fields in found)
    return rows.table(file.digest)


def read_durations(path: PathLike, diagnostics: Diagnostics) -> Durations:
    """How long each clip is (`filename duration`), in seconds greater than zero."""
    file = columnar_rows(path, ("filename", "duration"), diagnostics) or open_data(path, diagnostics)
    if file is None:
        return Durations(str(path), {})
    times = Times(fractions=False)
    found: dict[str, Fraction] = {}
    first: dict[str, tuple[int, str]] = {}
    for row, clip, text in _pairs(file, "duration", diagnostics):
        place = RowPlace(file.name, row)
        try:
            duration = times[text]
        except ValueError:
            report_time(times, "duration", text, diagnostics, place)
            continue
        if not duration:
            diagnostics.add("bad-time", f"duration `{shown(text)}` is zero", place, "a clip has some length")
        elif found.setdefault(clip, duration) != duration:
            line, earlier = first[clip]
            diagnostics.add(
                "conflicting-duration",
                f"`{shown(clip)}` lasts `{text}` here and `{earlier}` on line {line}",
                place,
                "keep one of the two rows",
            )
        else:
            first.setdefault(clip, (row, text))
    return Durations(file.name, found, file.digest)


def read_conditions(path: PathLike, diagnostics: Diagnostics) -> Conditions:
    """The condition of each clip (`filename condition`)."""
    file = columnar_rows(path, ("filename", "condition"), diagnostics) or open_data(path, diagnostics)
    if file is None:
        return Conditions(str(path), {})
    found: dict[str, str] = {}
    for row, clip, condition in _pairs(file, "condition", diagnostics):
        if found.setdefault(clip, condition) != condition:
            diagnostics.add(
                "conflicting-condition",
                f"`{shown(clip)}` is already in condition `{shown(found[clip])}`, not `{shown(condition)}`",
                RowPlace(file.name, row),
                "a clip has one condition",
            )
    return Conditions(file.name, found, file.digest)


def _pairs(file: TextFile | ColumnarRows, column: str, diagnostics: Diagnostics) -> list[tuple[int, str, str]]:
    """The rows of a table of a filename and one value, both given."""
    pairs: list[tuple[int, str, str]] = []
    rows = file if isinstance(file, ColumnarRows) else read_rows(file, ("filename", column), diagnostics)
    for row, (clip, value) in rows:
        if clip and value:
            pairs.append((row, clip, value))
        else:
            empty = " and ".join(f"`{name}`" for name, text in (("filename", clip), (column, value)) if not text)
            diagnostics.add("incomplete-row", f"the row has no {empty}", RowPlace(file.name, row))
    return pairs
