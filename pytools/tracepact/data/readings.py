"""How a file is to be read, where its content does not say it: readings, and maps of the columns of tables."""

import csv
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

from tracepact.data.decoding import Declared
from tracepact.data.events import Time
from tracepact.data.sources import PathLike, read_toml_file, shown
from tracepact.diagnostics.collection import Diagnostics, require_type
from tracepact.diagnostics.findings import RowPlace, did_you_mean
from tracepact.wording import LONGEST_WRITTEN, parse_exact, quoted

# Column maps: which column of a table holds the clip, the times, the label and the confidence (rule 13.18).

ROLES = ("clip", "onset", "offset", "duration", "label", "confidence", "start")
BESIDE = ".columns.toml"
ALL_OTHERS = "*"
"""What a map writes for its marks if every other column that holds marks is a class."""
_KEYS = (*ROLES, "marks", "first", "rate")
_FORM = "write it like clip=Audiofilename,onset=Starttime,offset=Endtime,label=Q_1"
_PARTS = "clip=…,onset=…,offset=…,label=…"
_MOST_OFFERED = 12
_WORDS = {
    "clip": ("file", "clip", "audio", "wav", "recording", "path", "name"),
    "onset": ("onset", "start", "begin", "tmin", "from", "time"),
    "offset": ("offset", "end", "stop", "tmax", "until"),
    "duration": ("duration", "length", "lasting"),
    "label": (
        "label",
        "class",
        "species",
        "event",
        "annotation",
        "tag",
        "categor",
        "kind",
        "call",
        "code",
        "match",
        "id",
    ),
    "start": ("start", "begin"),
}
SAMPLED = 50
"""How many rows of a table a proposed map must read."""
_BINARY = frozenset(("0", "1"))
_MILLISECONDS = re.compile(r"[_ (\[]ms[)\]]?$|milli", re.IGNORECASE)
CLOCK = re.compile(r"(?:(\d{1,4}):)?([0-5]?\d):([0-5]?\d(?:[.,]\d+)?)", re.ASCII)
"""A time as clocks show it: perhaps hours, minutes, seconds."""
_DIGITS = re.compile(r"\d+(?:[.,]\d*)?|[.,]\d+", re.ASCII)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d")


@dataclass(frozen=True, slots=True)
class Columns:
    """A column map: where a table holds each part of an event (rule 13.18).

    A part that has no column is None. `=text` in place of a column is a text that all rows share. Columns may be
    numbers, counted from 1, of a table without a header.

    Attributes:
        onset: the column of the onsets.
        clip: the column of the clips; without it the file describes one clip.
        offset: the column of the offsets; without it and `duration` every event is a point.
        duration: the column of the lengths, in place of `offset`.
        label: the column of the labels; without it the events are of class `event`.
        confidence: the column of the confidences.
        start: the column of the date and time at which each recording starts, where the onsets are dates.
        marks: in place of `label`, the columns that mark a class with 1 or 0, separated by `|`; `*` for all others.
        first: the number of the first frame, where frames are counted from 1; it is taken from every time.
        rate: how many of the table's units of time are a second; None for seconds.

    Examples:
        >>> import tracepact
        >>> columns = tracepact.Columns("Starttime", clip="Audiofilename", offset="Endtime", label="Q_1")
        >>> reading = tracepact.Reading(columns=columns)
        >>> tracepact.Columns("timestamp", clip="filename", label="=up").shared  # every event is an `up`
        {'label': 'up'}
    """

    onset: str
    clip: str | None = None
    offset: str | None = None
    duration: str | None = None
    label: str | None = None
    confidence: str | None = None
    start: str | None = None
    marks: str | None = None
    first: Fraction = Fraction(0)
    rate: Fraction | None = None

    @property
    def roles(self) -> dict[str, str]:
        """The parts that have a column, in their order, with that column."""
        return {role: text for role, text in self._texts if not text.startswith("=")}

    @property
    def shared(self) -> dict[str, str]:
        """The parts that are the same in all rows, with their text."""
        return {role: text[1:] for role, text in self._texts if text.startswith("=")}

    @property
    def _texts(self) -> Iterator[tuple[str, str]]:
        return ((role, text) for role in ROLES if (text := getattr(self, role)) is not None)


ColumnMap = Columns | Mapping[str, Any] | str | os.PathLike[str]
"""A map as it may be given: one that is made, a mapping, the text of an option, or a TOML file."""


def columns_from(maps: ColumnMap | Sequence[ColumnMap] | None, diagnostics: Diagnostics) -> tuple[Columns, ...]:
    """One column map or several as a user writes them; those that cannot be used are reported."""
    if maps is None:
        return ()
    several = [maps] if isinstance(maps, Columns | Mapping | str | os.PathLike) else maps
    return tuple(columns for some in several if (columns := _one(some, diagnostics)) is not None)


def columns_beside(path: PathLike, diagnostics: Diagnostics) -> tuple[Columns, ...]:
    """The map in the file that lies beside a table or folder and is called like it; using it is said."""
    place = Path(path)
    stem = place.name if os.path.isdir(path) else place.stem
    beside = os.path.join(place.parent, stem + BESIDE)
    if not os.path.isfile(beside) or os.path.basename(beside) == place.name:
        return ()
    columns = _from_file(beside, diagnostics)
    if columns is None:
        return ()
    headline = f"the columns are those that `{shown(os.path.basename(beside))}` names"
    diagnostics.add("columns-beside", headline, RowPlace(str(path)))
    return (columns,)


def _one(source: ColumnMap, diagnostics: Diagnostics) -> Columns | None:
    match source:
        case Columns():
            return source
        case Mapping():
            return _checked(source, None, diagnostics)
        case str() if "=" in source:
            return _from_text(source, diagnostics)
        case _:
            return _from_file(source, diagnostics)


def _from_text(text: str, diagnostics: Diagnostics) -> Columns | None:
    """`onset=Starttime,…`; an entry that holds a comma is in quotes."""
    columns: dict[str, str] = {}
    try:
        entries = next(csv.reader([text], skipinitialspace=True, strict=True), [])
    except csv.Error:
        entries = []
    for entry in entries:
        role, sign, column = entry.partition("=")
        if not sign or role.strip() in columns:
            fault = "is there twice" if sign else "does not name a column"
            diagnostics.add("bad-columns", f"`{shown(entry)}` in the column map {fault}", help=_FORM)
            return None
        columns[role.strip()] = column.strip()
    return _checked(columns, None, diagnostics)


def _from_file(path: PathLike, diagnostics: Diagnostics) -> Columns | None:
    parsed = read_toml_file(path, "bad-columns", 'write lines such as onset = "Starttime"', diagnostics)
    return None if parsed is None else _checked(parsed[1], parsed[0].name, diagnostics)


def _checked(data: Mapping[str, Any], name: str | None, diagnostics: Diagnostics) -> Columns | None:
    """The map that data makes, or None with everything that is wrong with it."""
    place = None if name is None else RowPlace(name)
    before = len(diagnostics)
    # Every entry is looked at before the first fault ends the reading.
    for key, value in data.items():
        if key not in _KEYS:
            headline = f"`{shown(str(key))}` is not a part of an event"
            turned = f"write the part first: {value}={key}" if value in _KEYS else did_you_mean(str(key), _KEYS)
            diagnostics.add("bad-columns", headline, place, turned)
        elif isinstance(value, bool) or not isinstance(value, str | int | Fraction) or not str(value).strip():
            diagnostics.add("bad-columns", f"`{key}` of the column map does not name a column", place, _FORM)
    if len(diagnostics) > before:
        return None
    texts = {str(key): str(value).strip() for key, value in data.items()}
    if "onset" not in texts:
        headline = "the column map does not name the column of the onsets"
        diagnostics.add("bad-columns", headline, place, f"add onset=COLUMN; {_FORM}")
        return None
    if "offset" in texts and "duration" in texts:
        headline = "the column map has both `offset` and `duration`"
        diagnostics.add("bad-columns", headline, place, "an event ends at the one or lasts the other; keep one")
        return None
    if "label" in texts and "marks" in texts:
        headline = "the column map has both `label` and `marks`"
        diagnostics.add("bad-columns", headline, place, "a row has one label, or a mark for each class; keep one")
        return None
    rate = checked_rate(texts.pop("rate", None), place, diagnostics)
    first = checked_first(texts.pop("first", "0"), place, diagnostics)
    return Columns(**texts, first=first or Fraction(0), rate=rate) if len(diagnostics) == before else None


def checked_first(number: object, place: RowPlace | None, diagnostics: Diagnostics) -> Fraction | None:
    """From which number frames are counted; None where none is said, or with what is wrong."""
    if number is None or str(number) in ("0", "1"):
        return None if number is None else Fraction(str(number) == "1")
    headline = f"frames are counted from 0 or from 1, not from `{shown(str(number))}`"
    diagnostics.add("bad-columns", headline, place, "write first=1 in a map, --first-frame 1 on the command line")
    return None


def checked_rate(number: object, place: RowPlace | None, diagnostics: Diagnostics) -> Fraction | None:
    """How many units of time are a second, greater than zero; None where none is said, or with what is wrong."""
    if number is None:
        return None
    try:
        rate = parse_exact(str(number))
    except ValueError:
        rate = Fraction(0)
    if rate <= 0:
        headline = f"the rate `{shown(str(number))}` is not a number greater than zero"
        diagnostics.add("bad-columns", headline, place, "it says how many units of time are a second, such as 16000")
        return None
    return rate


def offered_map(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A column map to start from, by what the columns of an unknown table are called and what its first rows hold."""
    columns = quoted([shown(name) for name in names[:_MOST_OFFERED]])
    more = f" and {len(names) - _MOST_OFFERED} more" if len(names) > _MOST_OFFERED else ""
    entries = ",".join(f"{role}={shown(text)}" for role, text in _guessed(names, rows).items()) if rows else _PARTS
    return f"say which columns to read, such as --columns '{entries}'; there are {columns}{more}"


def _guessed(names: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[str, str]:
    """The parts of a map, `…` where no column could be the part."""
    # Names alone mislead: Kaleidoscope calls its onsets OFFSET. So the cells must be what the part is.
    cells = {name: [row[place] for row in rows if place < len(row)] for place, name in enumerate(names) if name}
    timed = {name for name, texts in cells.items() if all(map(is_time, texts)) or all(map(_MOMENT.match, texts))}
    binary = [name for name, texts in cells.items() if set(texts) <= _BINARY]
    taken: dict[str, str] = {}

    def take(role: str, columns: Collection[str]) -> None:
        free = [name for name in cells if name in columns and name not in taken.values()]
        named = (name for word in _WORDS[role] for name in free if word in name.lower())
        taken.update((role, name) for name in islice(named, 1))

    take("clip", cells.keys() - timed)
    take("onset", timed)
    take("offset", timed)
    if "onset" not in taken and "offset" in taken:
        # A column of times before every end is that of the starts, in whatever language. A start called OFFSET has a
        # length beside it.
        lengths = {name for name in timed if any(word in name.lower() for word in _WORDS["duration"])}
        before = [name for name in timed - lengths - {taken["offset"]} if _is_all_before(cells, name, taken["offset"])]
        taken["onset"] = before[0] if len(before) == 1 and not lengths else taken.pop("offset")
    ends = [cells[taken[role]] for role in ("onset", "offset") if role in taken]
    if len(ends) == 2 and any(_is_before(end, start) for start, end in zip(*ends, strict=False)):
        del taken["offset"]
    if "offset" not in taken:
        take("duration", timed)
    if any(map(_MOMENT.match, cells.get(taken.get("onset", ""), ()))):
        take("start", timed)
    take("label", cells.keys() - set(binary))
    if "label" not in taken:
        marks = "|".join(name for name in binary if name not in taken.values())
        taken["marks" if marks else "label"] = marks or "…"
    if any(_MILLISECONDS.search(taken.get(role, "")) for role in ("onset", "offset", "duration")):
        taken["rate"] = "1000"
    first = ("clip", "onset") if "duration" in taken else ("clip", "onset", "offset")
    return {role: taken.pop(role, "…") for role in first} | taken


def _is_all_before(cells: Mapping[str, Sequence[str]], column: str, other: str) -> bool:
    """Whether every time of a column lies before that of another."""
    return all(_is_before(start, end) for start, end in zip(cells[column], cells[other], strict=False))


def _is_before(text: str, other: str) -> bool:
    """Whether a time lies before another, as far as both are plain decimals or dates."""
    plain = [part.replace(",", ".") for part in (text, other)]
    if all(part.replace(".", "", 1).isdecimal() for part in plain):
        return parse_exact(plain[0]) < parse_exact(plain[1])
    return bool(_MOMENT.match(text) and _MOMENT.match(other)) and text < other


def like_a_label(names: Iterable[str]) -> bool:
    """Whether one of the columns could be one of labels, by what it is called."""
    return any(word in name.lower() for name in names for word in _WORDS["label"])


def is_time(text: str) -> bool:
    """Whether a cell holds a time as numbers or as a clock, and one that can be read (rule 13.40)."""
    if not text.isascii() or len(text) > LONGEST_WRITTEN:
        return False
    return _DIGITS.fullmatch(text) is not None or CLOCK.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Reading:
    """What the content of a file does not say: its format, where its labels are, how its scores become events.

    Attributes:
        format: one of the formats of rule 13.1; None finds it from the content and the name.
        label_column: the column of a Raven or BirdNET table that holds the labels.
        tiers: the tiers of a TextGrid or ELAN document, or the namespaces of a JAMS file, that are read; all of them
            if there are none here.
        decoding: how scores become events, for all classes or for each, or a threshold alone.
        columns: a column map (rule 13.18): a Columns, a mapping, text such as `onset=Start,label=Class`, or a TOML
            file; of several maps the first that fits the table is used.
        rate: how many units of time are a second, in label files and under a column map.
        classes: the classes of the columns of arrays, in order (rule 13.33).
        step: the length of a frame of arrays in seconds; `score` takes that of the contract if there is none
            and it fits the durations.
        first_frame: 1 where frames are counted from 1, in SELD files and tables read by a column map.

    Examples:
        >>> import tracepact
        >>> tracepact.Reading(format="textgrid", tiers=("words",)).tiers
        ('words',)
        >>> reading = tracepact.Reading(columns={"clip": "File", "onset": "Begin", "offset": "End", "label": "Species"})
    """

    format: str | None = None
    label_column: str | None = None
    tiers: tuple[str, ...] = ()
    decoding: Declared | None = None
    columns: ColumnMap | Sequence[ColumnMap] | None = None
    rate: Time | None = None
    classes: Sequence[str] | None = None
    step: Time | None = None
    first_frame: int | None = None


def with_frames(reading: Reading | None, classes: Sequence[str] | None, step: Time | None) -> Reading:
    """A reading with these classes and this step, where it names none of its own."""
    if reading is not None:
        require_type(reading, Reading, "the reading", "a Reading")
    own = reading or Reading()
    return replace(own, classes=own.classes or classes, step=step if own.step is None else own.step)
