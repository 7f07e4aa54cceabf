"""Reads the tables of a task: events, durations, conditions and ignore regions, tab or comma separated."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.io.delimited import read_rows
from tracepact.io.documents import read_side
from tracepact.io.rows import EventRows, Times, report_time
from tracepact.io.source import PathLike, TextFile, read_text, shown
from tracepact.trace import Durations, EventTable, Regions

EVENT_COLUMNS = ("filename", "onset", "offset", "event_label")


@dataclass(frozen=True, slots=True)
class Conditions:
    """The condition each clip was recorded or made under."""

    name: str
    clips: Mapping[str, str]
    digest: str | None = None


def read_table(file: TextFile, diagnostics: Diagnostics) -> EventTable:
    """The events of one side, from a table (`filename onset offset event_label`)."""
    return _read_intervals(file, EVENT_COLUMNS, (), diagnostics)


def read_regions(path: PathLike, diagnostics: Diagnostics) -> Regions:
    """Ignore regions (`filename onset offset` and perhaps `event_label`); an empty label is every class."""
    file = read_text(path, diagnostics)
    if file is None:
        return Regions(str(path), {})
    if file.is_json:
        return read_side(file, diagnostics, regions=True)
    return _read_intervals(file, EVENT_COLUMNS[:3], EVENT_COLUMNS[3:], diagnostics)


def _read_intervals(
    file: TextFile, required: tuple[str, ...], optional: tuple[str, ...], diagnostics: Diagnostics
) -> EventTable:
    rows = EventRows(file.name, diagnostics, Times(fractions=False), regions="event_label" in optional)
    rows.add_all(read_rows(file, required, diagnostics, optional=optional, events=not optional))
    return rows.table(file.digest)


def read_durations(path: PathLike, diagnostics: Diagnostics) -> Durations:
    """How long each clip is (`filename duration`), in seconds greater than zero."""
    file = read_text(path, diagnostics)
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
    file = read_text(path, diagnostics)
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


def _pairs(file: TextFile, column: str, diagnostics: Diagnostics) -> list[tuple[int, str, str]]:
    """The rows of a table of a filename and one value, both given."""
    pairs: list[tuple[int, str, str]] = []
    for row, (clip, value) in read_rows(file, ("filename", column), diagnostics):
        if clip and value:
            pairs.append((row, clip, value))
        else:
            empty = " and ".join(f"`{name}`" for name, text in (("filename", clip), (column, value)) if not text)
            diagnostics.add("incomplete-row", f"the row has no {empty}", RowPlace(file.name, row))
    return pairs
