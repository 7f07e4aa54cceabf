"""Rows of tab or comma separated text: finds separator and columns, numbers rows as file lines."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from operator import itemgetter
from typing import Protocol

from tracepact.diagnostics import Diagnostics, RowPlace, did_you_mean
from tracepact.io.audio import SOUND_ENDINGS
from tracepact.io.columns import offered_map
from tracepact.io.source import TextFile, shown
from tracepact.wording import count, quoted

SEPARATORS = {"\t": "tabs", ",": "commas"}
ALL_SEPARATORS = {**SEPARATORS, ";": "`;`", "|": "`|`"}
_FOREIGN = {";": "`;`", "|": "`|`", " ": "spaces"}
_SCENE = "scene_label"
_HEADER_HELP = "the first line must name the columns, separated by tabs or by commas"


class _Reader(Protocol):
    """The part of a csv reader used here."""

    @property
    def line_num(self) -> int: ...

    def __iter__(self) -> Iterator[list[str]]: ...


@dataclass(frozen=True, slots=True)
class _Header:
    """The first row that is not blank, its line, and the reader that stands behind it."""

    reader: _Reader
    separator: str
    row: int
    names: tuple[str, ...]


def read_rows(
    file: TextFile,
    required: Sequence[str],
    diagnostics: Diagnostics,
    *,
    optional: Sequence[str] = (),
    events: bool = False,
    separators: Mapping[str, str] = SEPARATORS,
    clip: str | None = None,
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Each row's line number and its fields of the required, then the optional columns (empty where absent).

    Fields come without the spaces around them. Extra columns are ignored and blank lines skipped. `events` reads a
    table of events that has no header by the order of its columns. `clip` is the column whose field may stand alone in
    its row, if it is the first (rule 13.26). Columns that are all numbers count from 1, and there is no header.
    """
    wanted = (*required, *optional)
    header = _find_header(file, wanted, diagnostics, separators)
    if header is not None and events and (bare := _bare_header(file, header)):
        header = _without_header(file, header, bare, diagnostics)
    elif header is not None and all(map(str.isdecimal, wanted)):
        header = _rewound(file, header, [str(number) for number in range(1, len(header.names) + 1)])
    if header is None or not _check_header(file, header, required, optional, diagnostics, events=events):
        return
    names = header.names
    # Every row is padded with one empty field, which stands for the optional columns that are absent.
    places = [names.index(name) if name in names else -1 for name in (*required, *optional)]
    pick = itemgetter(*places) if len(places) > 1 else lambda row: (row[places[0]],)
    width = len(names)
    least = max(places) + 1
    lone = clip is not None and width > 1 and names[0] == clip
    reader, last = header.reader, header.reader.line_num
    while True:
        try:
            for row in reader:
                first, last = last + 1, reader.line_num
                found = len(row)
                if lone and found == 1 and _is_name(row[0]):
                    row += [""] * (width - 1)
                elif found != width and not _fits(row, first, least, header, file, diagnostics):
                    continue
                row.append("")
                yield first, tuple(map(str.strip, pick(row)))
            return
        except csv.Error as error:
            diagnostics.add("wrong-columns", _csv_fault(error), RowPlace(file.name, last + 1), _QUOTE_HELP)
            last = reader.line_num


def header_of(file: TextFile, wanted: Sequence[str]) -> tuple[str, ...]:
    """The fields of the first row that is not blank, under the separator that shows most of the wanted columns."""
    header = _find_header(file, wanted, Diagnostics(), ALL_SEPARATORS)
    return () if header is None else header.names


def _find_header(
    file: TextFile, wanted: Sequence[str], diagnostics: Diagnostics, separators: Mapping[str, str]
) -> _Header | None:
    """The header under the separator that shows most of the wanted columns."""
    best: _Header | None = None
    fault: tuple[str, int] | None = None
    for separator in separators:
        reader = csv.reader(StringIO(file.text, newline=""), delimiter=separator, strict=True)
        try:
            names = next(row for row in reader if any(field.strip() for field in row))
        except (csv.Error, StopIteration) as error:
            fault = fault or (_csv_fault(error), reader.line_num)
            continue
        header = _Header(reader, separator, reader.line_num, tuple(name.strip() for name in names))
        if best is None or _rank(header, wanted) > _rank(best, wanted):
            best = header
    if best is None and fault:
        diagnostics.add("wrong-columns", fault[0], RowPlace(file.name, fault[1]), _QUOTE_HELP)
    return best


def bare_columns(fields: Sequence[str]) -> tuple[str, ...] | None:
    """The columns of a table of events without a header, by a row: a clip, perhaps a scene, two times, a label."""
    if len(fields) not in (4, 5):
        return None
    *texts, start, end, label = fields
    if all((*texts, label)) and _is_time(start) and _is_time(end) and not _is_time(label):
        scene = (_SCENE,) if len(fields) == 5 else ()
        return ("filename", *scene, "onset", "offset", "event_label")
    return None


def _bare_header(file: TextFile, first: _Header) -> tuple[str, ...] | None:
    """The columns of a table without a header; rows before the first event may be silent clips, a name alone."""
    if len(first.names) > 1:
        return bare_columns(first.names)
    if not "".join(first.names).lower().endswith(SOUND_ENDINGS):
        return None
    rows = csv.reader(StringIO(file.text, newline=""), delimiter="\t" if "\t" in file.text else ",", strict=True)
    try:
        full = next((row for row in rows if len(row) > 1), [])
    except csv.Error:
        return None
    return bare_columns([field.strip() for field in full])


def _is_name(text: str) -> bool:
    """Whether a field that stands alone is a name, and not a row whose fields are separated by other signs."""
    return bool(text.strip()) and sum(map(_is_time, re.split(r"[\s,;|]+", text))) < 2


def _is_time(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal() and text.isascii()


def _without_header(file: TextFile, first: _Header, names: Sequence[str], diagnostics: Diagnostics) -> _Header:
    """The header that is not there: the columns in their usual order, before the first row."""
    words = " ".join(names)
    diagnostics.add(
        "header-absent",
        f"the table has no header; its columns are taken as {words}",
        RowPlace(file.name, first.row),
        "write a header to be sure",
    )
    separator = first.separator if len(first.names) > 1 else "\t" if "\t" in file.text else ","
    return _rewound(file, replace(first, separator=separator), names)


def _rewound(file: TextFile, first: _Header, names: Sequence[str]) -> _Header:
    """A header that is not in the file, before its first row."""
    reader = csv.reader(StringIO(file.text, newline=""), delimiter=first.separator, strict=True)
    return _Header(reader, first.separator, 0, tuple(names))


def _rank(header: _Header, wanted: Sequence[str]) -> tuple[int, int]:
    return len(set(wanted) & set(header.names)), len(header.names)


def _check_header(
    file: TextFile,
    header: _Header,
    required: Sequence[str],
    optional: Sequence[str],
    diagnostics: Diagnostics,
    *,
    events: bool,
) -> bool:
    """Whether every required column is there and none that is read occurs twice; a table of events offers a map."""
    place = RowPlace(file.name, header.row or None)
    offer = offered_map(header.names) if events and len(header.names) > 1 else None
    if any(map(_is_time, header.names)):
        offer = f"{_HEADER_HELP}, or a map must number them: --columns clip=1,onset=2,offset=3,label=4"
    expected = quoted([shown(name) for name in required])
    if not {name.lower() for name in required} & {name.lower() for name in header.names}:
        line = header.separator.join(header.names)
        foreign = next((word for sign, word in _FOREIGN.items() if set(required) & set(line.split(sign))), None)
        if foreign:
            fault, help = f"the columns are separated by {foreign}", "separate them by tabs or by commas"
        else:
            fault = f"the header `{shown(line)}` has none of the columns {expected}"
            help = offer or _HEADER_HELP
        diagnostics.add("wrong-columns", fault, place, help)
        return False
    sound = True
    for name in (*required, *optional):
        if header.names.count(name) > 1:
            diagnostics.add("wrong-columns", f"column `{shown(name)}` occurs twice", place, "keep one of them")
            sound = False
    return report_missing(required, header.names, place, diagnostics, offer) and sound


_MOST_NAMED = 12
"""How many columns that were found are named where one is missing."""


def report_missing(
    required: Sequence[str], names: Sequence[str], place: RowPlace, diagnostics: Diagnostics, offer: str | None = None
) -> bool:
    """Whether every required column is among the names; each one that is not is reported.

    `offer` is the help where no column is called nearly so.
    """
    complete = True
    free = [name for name in names if name and name not in required]
    for column in required:
        if column in names:
            continue
        complete = False
        cased = next((name for name in free if name.lower() == column.lower()), None)
        help = f"did you mean `{shown(cased)}`? write `{shown(column)}`" if cased else did_you_mean(column, free)
        if offer and not (help or "").startswith("did you mean"):
            help, offer = offer, None  # once is enough
        if help is None and any(names):
            help = "the columns found: " + ", ".join(f"`{shown(name)}`" for name in names[:_MOST_NAMED] if name)
        diagnostics.add("wrong-columns", f"there is no column `{shown(column)}`", place, help)
    return complete


def _fits(row: list[str], number: int, least: int, header: _Header, file: TextFile, diagnostics: Diagnostics) -> bool:
    """Whether a row of another width than the header can be read; blank lines cannot, and are no fault."""
    width, found = len(header.names), len(row)
    if not any(field.strip() for field in row) and found < least:
        return False
    if least <= found < width or (found > width and not any(field.strip() for field in row[width:])):
        return True
    fields = count(found, "field")
    if found > width:
        help = "quote a field that holds the separator, and write decimals with a point"
    else:
        help = f"separate the fields by {ALL_SEPARATORS[header.separator]}; a silent clip keeps its separators"
    diagnostics.add("wrong-columns", f"the row has {fields}, the header {width}", RowPlace(file.name, number), help)
    return False


_QUOTE_HELP = 'a field that starts with `"` ends with one, and a `"` inside it is doubled'


def _csv_fault(error: Exception) -> str:
    """What the csv module found, in words of the table."""
    text = str(error)
    if "end of data" in text:
        return "a quoted field is never closed"
    if "expected after" in text:
        return "text follows the closing quote of a field"
    if "field limit" in text:
        return f"a field is longer than {csv.field_size_limit()} characters"
    return text or "the file has no header"
