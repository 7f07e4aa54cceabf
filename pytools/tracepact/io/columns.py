"""Column maps: which column of a table holds the clip, the times, the label and the confidence (rule 13.18)."""

import csv
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from tracepact.diagnostics import Diagnostics, RowPlace, did_you_mean
from tracepact.files import toml_data
from tracepact.io.source import PathLike, read_text, shown
from tracepact.wording import parse_exact, quoted

ROLES = ("clip", "onset", "offset", "duration", "label", "confidence")
BESIDE = ".columns.toml"
_KEYS = (*ROLES, "rate")
_FORM = "write it like clip=Audiofilename,onset=Starttime,offset=Endtime,label=Q_1"
_MOST_OFFERED = 12
_WORDS = {
    "clip": ("file", "clip", "audio", "wav", "recording", "path", "name"),
    "onset": ("onset", "start", "begin", "tmin", "from", "time"),
    "offset": ("offset", "end", "stop", "tmax", "until"),
    "label": ("label", "class", "species", "event", "annotation", "tag", "categor", "kind", "call", "code"),
}


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
    rate: Fraction | None = None

    @property
    def roles(self) -> dict[str, str]:
        """The parts that have a column, in their order, with that column."""
        given = {role: getattr(self, role) for role in ROLES}
        return {role: column for role, column in given.items() if column is not None and not column.startswith("=")}

    @property
    def shared(self) -> dict[str, str]:
        """The parts that are the same in all rows, with their text."""
        given = {role: getattr(self, role) for role in ROLES}
        return {role: column[1:] for role, column in given.items() if column is not None and column.startswith("=")}


ColumnMap = Columns | Mapping[str, Any] | str | os.PathLike[str]
"""A map as it may be given: one that is made, a mapping, the text of an option, or a TOML file."""


def columns_from(given: ColumnMap | Sequence[ColumnMap] | None, diagnostics: Diagnostics) -> tuple[Columns, ...]:
    """The column maps that are given, one or several; those that cannot be used are reported."""
    if given is None:
        return ()
    several = [given] if isinstance(given, Columns | Mapping | str | os.PathLike) else given
    found = [_one(item, diagnostics) for item in several]
    return tuple(item for item in found if item is not None)


def columns_beside(path: PathLike, diagnostics: Diagnostics) -> tuple[Columns, ...]:
    """The map in the file that lies beside a table or folder and is called like it; using it is said."""
    place = Path(path)
    stem = place.name if os.path.isdir(path) else place.stem
    beside = os.path.join(place.parent, stem + BESIDE)
    if not os.path.isfile(beside) or os.path.basename(beside) == place.name:
        return ()
    found = _from_file(beside, diagnostics)
    if found is None:
        return ()
    headline = f"the columns are those that `{shown(os.path.basename(beside))}` names"
    diagnostics.add("columns-beside", headline, RowPlace(str(path)))
    return (found,)


def _one(given: ColumnMap, diagnostics: Diagnostics) -> Columns | None:
    match given:
        case Columns():
            return given
        case Mapping():
            return _checked(given, None, diagnostics)
        case str() if "=" in given:
            return _from_text(given, diagnostics)
        case _:
            return _from_file(given, diagnostics)


def _from_text(text: str, diagnostics: Diagnostics) -> Columns | None:
    """`onset=Starttime,…`; an entry that holds a comma is in quotes."""
    found: dict[str, str] = {}
    try:
        entries = next(csv.reader([text], skipinitialspace=True, strict=True), [])
    except csv.Error:
        entries = []
    for entry in entries:
        role, sign, column = entry.partition("=")
        if not sign or role.strip() in found:
            fault = "is there twice" if sign else "does not name a column"
            diagnostics.add("bad-columns", f"`{shown(entry)}` in the column map {fault}", help=_FORM)
            return None
        found[role.strip()] = column.strip()
    return _checked(found, None, diagnostics)


def _from_file(path: PathLike, diagnostics: Diagnostics) -> Columns | None:
    file = read_text(path, diagnostics)
    if file is None:
        return None
    try:
        return _checked(toml_data(file.text), file.name, diagnostics)
    except ValueError as error:
        line = re.search(r"at line (\d+)", str(error))
        words = re.sub(r" \(at .*\)$", "", str(error))
        place = RowPlace(file.name, int(line[1]) if line else None)
        diagnostics.add("bad-columns", f"the file is not TOML: {words[:1].lower()}{words[1:]}", place, _TOML_FORM)
        return None


_TOML_FORM = 'write lines such as onset = "Starttime"'


def _checked(data: Mapping[str, Any], name: str | None, diagnostics: Diagnostics) -> Columns | None:
    """The map that data makes, or None with everything that is wrong with it."""
    place = None if name is None else RowPlace(name)
    before = len(diagnostics)
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
        diagnostics.add(
            "bad-columns", "the column map does not name the column of the onsets", place, f"add onset=COLUMN; {_FORM}"
        )
        return None
    if "offset" in texts and "duration" in texts:
        headline = "the column map has both `offset` and `duration`"
        diagnostics.add("bad-columns", headline, place, "an event ends at the one or lasts the other; keep one")
        return None
    rate = checked_rate(texts.pop("rate", None), place, diagnostics)
    return Columns(**texts, rate=rate) if len(diagnostics) == before else None


def checked_rate(given: object, place: RowPlace | None, diagnostics: Diagnostics) -> Fraction | None:
    """How many units of time are a second, a number greater than zero; None if none is given, or with its fault."""
    if given is None:
        return None
    try:
        rate = parse_exact(str(given))
    except ValueError:
        rate = Fraction(0)
    if rate <= 0:
        headline = f"the rate `{shown(str(given))}` is not a number greater than zero"
        diagnostics.add("bad-columns", headline, place, "it says how many units of time are a second, such as 16000")
        return None
    return rate


def offered_map(names: Sequence[str]) -> str:
    """A column map to start from, by what the columns of an unknown table are called."""
    found: dict[str, str] = {}
    for role, words in _WORDS.items():
        free = [name for name in names if name and name not in found.values()]
        found[role] = next((name for word in words for name in free if word in name.lower()), "…")
    entries = ",".join(f"{role}={shown(name)}" for role, name in found.items())
    columns = quoted([shown(name) for name in names[:_MOST_OFFERED]])
    more = f" and {len(names) - _MOST_OFFERED} more" if len(names) > _MOST_OFFERED else ""
    return f"say which columns to read, such as --columns '{entries}'; there are {columns}{more}"


def like_a_label(names: Iterable[str]) -> bool:
    """Whether one of the columns could be one of labels, by what it is called."""
    return any(word in name.lower() for name in names for word in _WORDS["label"])
