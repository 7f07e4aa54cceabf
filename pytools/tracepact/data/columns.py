"""Rows of separated text: the header, its separator and the fields that are wanted; tables of dates; submissions."""

import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from io import StringIO
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING

from tracepact.data.readings import SAMPLED, is_time, offered_map
from tracepact.data.sources import SOUND_ENDINGS, TextFile, shown
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace, did_you_mean
from tracepact.wording import count, quoted

if TYPE_CHECKING:
    import _csv

from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from functools import lru_cache
from pathlib import PurePath
from typing import Any

from tracepact.data.events import Event, EventTable, TableOrigin
from tracepact.data.sources import PathLike, read_text
from tracepact.wording import parse_exact, seconds

# Rows of tab or comma separated text: finds separator and columns, numbers rows as file lines.

SEPARATORS = {"\t": "tabs", ",": "commas", ";": "`;`", "|": "`|`"}
_HEAD = 1 << 20
"""Characters in which the header of a table ends, or it is none."""
_SCENE = "scene_label"
_HEADER_HELP = "the first line must name the columns, separated by tabs, commas or `;`"


@dataclass(frozen=True, slots=True)
class _Header:
    """The first row that is not blank, its line, and the reader that stands behind it."""

    reader: "_csv.Reader"
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
    clip: str | None = None,
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Each row's line number and its fields of the required, then the optional columns (empty where absent).

    Fields come without the spaces around them. Extra columns are ignored and blank lines skipped. `events` reads a
    table of events that has no header by the order of its columns. `clip` is the column whose field may stand alone in
    its row, if it is the first (rule 13.26). Columns that are all numbers count from 1, and there is no header.
    """
    wanted = (*required, *optional)
    header = _find_header(file, required, wanted, diagnostics)
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
    # Rule 13.26: a silent clip may be written as its name, without separators.
    lone = clip is not None and width > 1 and names[0] == clip
    reader, last = header.reader, header.reader.line_num
    while True:  # a row that csv refuses ends its loop, not the file
        try:
            for row in reader:
                first, last = last + 1, reader.line_num  # a quoted field may hold line breaks: a row starts in `first`
                if lone and len(row) == 1 and _is_name(row[0]):
                    row += [""] * (width - 1)
                elif len(row) != width and not _fits(row, first, least, header, file, diagnostics):
                    continue
                row.append("")
                yield first, tuple(map(str.strip, pick(row)))
            return
        except csv.Error as error:
            diagnostics.add("wrong-columns", _csv_fault(error), RowPlace(file.name, last + 1), _QUOTE_HELP)
            last = reader.line_num


def header_of(file: TextFile, wanted: Sequence[str]) -> tuple[str, ...]:
    """The fields of the first row that is not blank, under the separator that shows most of the wanted columns."""
    header = (
        _find_header(file, (), (), Diagnostics()) if not wanted else _find_header(file, wanted, wanted, Diagnostics())
    )
    return () if header is None else header.names


def _find_header(
    file: TextFile, required: Sequence[str], wanted: Sequence[str], diagnostics: Diagnostics
) -> _Header | None:
    """The header under the separator that shows most of the wanted columns."""
    # A comma within a label must not win over tabs: the wanted columns count first, then the number of fields.
    best: _Header | None = None
    fault: tuple[str, int] | None = None
    for separator in SEPARATORS:
        # Only the head is taken apart for each separator: a copy of a large table for each would be slow.
        try:
            header = _header(file.text[:_HEAD], separator)
        except (csv.Error, StopIteration) as error:
            fault = fault or (_csv_fault(error), 1)
            continue
        if best is None or _rank(header, wanted) > _rank(best, wanted):
            best = header
    if best is None:
        if fault:
            diagnostics.add("wrong-columns", fault[0], RowPlace(file.name, fault[1]), _QUOTE_HELP)
        return None
    # Programs differ in how they write `Onset`: a column that is wanted is found in whatever case, if in one only.
    cased = {column.lower(): column for column in wanted}
    names = [cased.get(name.lower(), name) for name in best.names]
    if len(set(names)) < len(names) or not set(required) <= set(names):
        names = list(best.names)
    return replace(_header(file.text, best.separator), names=tuple(names))


def _header(text: str, separator: str) -> _Header:
    """The first row of a text that is not blank, under a separator."""
    # Strict, or csv takes a stray quote for the start of a field that swallows the rows behind it.
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
    names = next(row for row in reader if any(field.strip() for field in row))
    return _Header(reader, separator, reader.line_num, tuple(name.strip() for name in names))


def bare_columns(fields: Sequence[str]) -> tuple[str, ...] | None:
    """The columns of a table of events without a header, by a row: a clip, perhaps a scene, two times, a label."""
    if len(fields) not in (4, 5):
        return None
    *texts, start, end, label = fields
    if all((*texts, label)) and is_time(start) and is_time(end) and not is_time(label):
        scene = (_SCENE,) if len(fields) == 5 else ()
        return ("filename", *scene, "onset", "offset", "event_label")
    return None


def _bare_header(file: TextFile, first: _Header) -> tuple[str, ...] | None:
    """The columns of a table without a header; rows before the first event may be silent clips, a name alone."""
    if len(first.names) > 1:
        return bare_columns(first.names)
    if not "".join(first.names).lower().endswith(SOUND_ENDINGS):
        return None
    rows = csv.reader(StringIO(file.text, newline=""), delimiter=_separator(file.text), strict=True)
    try:
        full = next((row for row in rows if len(row) > 1), [])
    except csv.Error:
        return None
    return bare_columns([field.strip() for field in full])


def _separator(text: str) -> str:
    """The separator of a table whose first row is a name alone."""
    return next((sign for sign in "\t;" if sign in text), ",")


def _is_name(text: str) -> bool:
    """Whether a field that stands alone is a name, and not a row whose fields are separated by other signs."""
    return bool(text.strip()) and sum(map(is_time, re.split(r"[\s,;|]+", text))) < 2


def _without_header(file: TextFile, first: _Header, names: Sequence[str], diagnostics: Diagnostics) -> _Header:
    """The header that is not there: the columns in their usual order, before the first row."""
    words = " ".join(names)
    diagnostics.add(
        "header-absent",
        f"the table has no header; its columns are taken as {words}",
        RowPlace(file.name, first.row),
        "write a header to be sure",
    )
    separator = first.separator if len(first.names) > 1 else _separator(file.text)
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
    offer = None
    if events and len(header.names) > 1 and not set(required) <= set(header.names):
        with suppress(csv.Error):  # what is wrong with a row is said when the table is read
            rows = [[field.strip() for field in row] for row in islice(header.reader, SAMPLED) if any(row)]
            offer = offered_map(header.names, rows)
    if any(map(is_time, header.names)):
        offer = f"{_HEADER_HELP}, or a map must number them: --columns clip=1,onset=2,offset=3,label=4"
    expected = quoted([shown(name) for name in required])
    # None of the columns at all is most often another separator, or another kind of table.
    if not {name.lower() for name in required} & {name.lower() for name in header.names}:
        line = header.separator.join(header.names)
        if set(required) & set(line.split()):
            fault, help = "the columns are separated by spaces", "separate them by tabs, commas or `;`"
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
    missing = [column for column in required if column not in names]
    if offer and "…" not in offer.partition(";")[0] and len(missing) > 1:
        diagnostics.add("wrong-columns", f"there are no columns {quoted(missing)}", place, offer)
        return False
    # A column that is required is there for another part, and never what was meant by a missing one.
    free = [name for name in names if name and name not in required]
    for column in missing:
        cased = next((name for name in free if name.lower() == column.lower()), None)
        help = f"did you mean `{shown(cased)}`? write `{shown(column)}`" if cased else did_you_mean(column, free)
        if offer and ("rate=" in offer or not (help or "").startswith("did you mean")):
            help, offer = offer, None  # once is enough
        if help is None and any(names):
            help = "the columns found: " + ", ".join(f"`{shown(name)}`" for name in names[:_MOST_NAMED] if name)
        diagnostics.add("wrong-columns", f"there is no column `{shown(column)}`", place, help)
    return not missing


def _fits(row: list[str], number: int, least: int, header: _Header, file: TextFile, diagnostics: Diagnostics) -> bool:
    """Whether a row of another width than the header can be read; blank lines cannot, and are no fault."""
    width, size = len(header.names), len(row)
    if not any(field.strip() for field in row) and size < least:
        return False
    # Spreadsheets drop empty fields at the end of a row, and write too many where another row is longer.
    if least <= size < width or (size > width and not any(field.strip() for field in row[width:])):
        return True
    fields = count(size, "field")
    if size > width:
        help = "quote a field that holds the separator, and write decimals with a point"
    else:
        help = f"separate the fields by {SEPARATORS[header.separator]}; a silent clip keeps its separators"
    diagnostics.add("wrong-columns", f"the row has {fields}, the header {width}", RowPlace(file.name, number), help)
    return False


_QUOTE_HELP = 'a field that starts with `"` ends with one, and a `"` inside it is doubled'


def _csv_fault(error: Exception) -> str:
    """A fault that the csv module raised, in words about the table."""
    text = str(error)
    if "end of data" in text:
        return "a quoted field is never closed"
    if "expected after" in text:
        return "text follows the closing quote of a field"
    if "field limit" in text:
        return f"a field is longer than {csv.field_size_limit()} characters"
    return text or "the file has no header"


# Reads BioDCASE tables: events by date and time, against the start in the name of their file; exact, as text.

REQUIRED = ("filename", "annotation", "start_datetime")
OPTIONAL = ("dataset", "end_datetime")
_MOMENT = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(\.\d+)?(?:(Z)|([+-])(\d\d):?(\d\d))?", re.ASCII | re.IGNORECASE
)
_RECORDER = re.compile(r"(?<!\d)(\d{4})(\d\d)(\d\d)[_T-]?(\d\d)(\d\d)(\d\d)(?:[_.](\d{3}|\d{6}))?(?!\d)", re.ASCII)
_START = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d)-(\d\d)-(\d\d)(?:[_.](\d+))?(?!\d)", re.ASCII)


def read_biodcase(file: TextFile, diagnostics: Diagnostics) -> EventTable:
    """The events of a table (rule 13.4); a row without an end is a point."""
    clips: dict[str, list[Event]] = {}
    for row, fields in read_rows(file, REQUIRED, diagnostics, optional=OPTIONAL):
        name, label, start, end, dataset = (fields[i].strip() for i in (0, 1, 2, 4, 3))
        place = RowPlace(file.name, row)
        if not (name and label and start):
            columns = zip(REQUIRED, (name, label, start), strict=True)
            empty = " and ".join(f"`{column}`" for column, text in columns if not text)
            diagnostics.add("incomplete-row", f"the row has no {empty}", place)
            continue
        begun = file_start(name)
        if begun is None:
            headline = f"the name `{shown(name)}` does not say when the file starts"
            help = "names begin like `2015-02-04T03-00-00_000`: date, time, milliseconds, in UTC"
            diagnostics.add("bad-date", headline, place, help)
            continue
        onset = date_time("start_datetime", start, begun, place, diagnostics)
        offset = date_time("end_datetime", end, begun, place, diagnostics) if end else onset
        if onset is not None and offset is not None:
            clip = f"{dataset}/{name}" if dataset else name
            clips.setdefault(clip, []).append(Event(onset, offset, label, row))
    by_clip = {clip: tuple(events) for clip, events in clips.items()}
    return EventTable(file.name, by_clip, file.digest, TableOrigin("biodcase"))


def date_time(column: str, text: str, begun: Fraction, place: RowPlace, diagnostics: Diagnostics) -> Fraction | None:
    """The seconds of a date after the start of its file."""
    try:
        after = moment(text) - begun
    except ValueError as error:
        diagnostics.add("bad-date", f"{column} `{shown(text)}` {error}", place, _DATE_FORM)
        return None
    if after < 0:
        headline = f"{column} `{shown(text)}` lies {seconds(-after)} before the start of its file"
        diagnostics.add("bad-time", headline, place, "an event belongs to the file it starts in; times are UTC")
        return None
    return after


_DATE_FORM = "write it like `2015-02-04T03:01:07.250000+00:00`"


@lru_cache(maxsize=4096)
def moment(text: str) -> Fraction:
    """The seconds of an ISO date and time, counted in UTC from the first day of the calendar; ValueError with words."""
    match = _MOMENT.fullmatch(text)
    if match is None:
        raise ValueError("is not a date and time of ISO 8601")
    # Date arithmetic in whole seconds from the first day of the calendar; the fraction of a second keeps all its
    # digits, where `datetime` has six.
    seconds = _seconds(match.groups()[:6]) + parse_exact(f"0{match[7] or ''}")
    if match[9]:
        # A time ahead of UTC was earlier there.
        away = int(match[10]) * 3600 + int(match[11]) * 60
        seconds -= away if match[9] == "+" else -away
    return seconds


@lru_cache(maxsize=4096)
def file_start(name: str, loose: bool = False) -> Fraction | None:
    """When a file starts, by its name; `loose` takes what recorders write as well, such as `S4A_20240131_053000`."""
    match = _START.match(PurePath(name).name) or (_RECORDER.search(PurePath(name).name) if loose else None)
    if match is None or len(match[7] or "000") not in (3, 6):
        return None
    try:
        return _seconds(match.groups()[:6]) + parse_exact(f"0.{match[7] or 0}")
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


# Checks a submission: its table of detections row by row, and its YAML metadata entry by entry (rule 15.18).

_NULL = "tag:yaml.org,2002:null"
COLUMNS = ("dataset", "filename", "annotation", "start_datetime", "end_datetime")
_TEXT, _FILLED = "a text", "anything"
_AUTHOR = {"lastname": _TEXT, "firstname": _TEXT, "email": _TEXT, "affiliation": _FILLED}
_FORM: Mapping[str, Any] = {
    "submission": {"label": _TEXT, "name": _TEXT, "abbreviation": _TEXT, "authors": [_AUTHOR]},
    "system": {"description": {}},
}
"""What must be there: a text, anything filled, a list of one form, or a mapping with at least these entries."""


def check_submission(table: PathLike, metadata: PathLike, diagnostics: Diagnostics) -> None:
    """Report every fault of both files, with file and row."""
    file = read_text(table, diagnostics)
    if file is not None:
        _check_table(file, diagnostics)
    described = read_text(metadata, diagnostics)
    if described is not None:
        _check_metadata(described, diagnostics)


def _check_table(file: TextFile, diagnostics: Diagnostics) -> None:
    before = len(diagnostics)
    header = next((line for line in file.text.splitlines() if line.strip()), "")
    if "\t" in header and "," not in header:
        help = "separate the columns of a submission by commas"
        diagnostics.add("wrong-columns", "the columns are separated by tabs", RowPlace(file.name, 1), help)
        return
    for row, fields in read_rows(file, COLUMNS, diagnostics):
        if not fields[0].strip():
            diagnostics.add("incomplete-row", "the row has no `dataset`", RowPlace(file.name, row))
    if any(d.code == "wrong-columns" for d in diagnostics.items[before:]):
        return
    found = read_biodcase(file, diagnostics)
    for clip, event in found.events:
        if event.offset < event.onset:
            headline = f"`{shown(event.label)}` in `{shown(clip)}` ends before it starts"
            diagnostics.add("offset-before-onset", headline, RowPlace(file.name, event.row))


def _check_metadata(file: TextFile, diagnostics: Diagnostics) -> None:
    try:
        import yaml
    except ImportError:
        headline, help = "metadata is YAML, and PyYAML is not installed", "pip install 'tracepact[yaml]'"
        diagnostics.add("missing-extra", headline, RowPlace(file.name), help)
        return
    try:
        # Nodes, not objects: they know their lines, and nothing of the file is constructed.
        root = yaml.compose(file.text, Loader=yaml.SafeLoader)
    except (RecursionError, ValueError, OverflowError):  # the reader of YAML does not say where
        headline = "not YAML that can be read: it nests too deep, or names no sign"
        diagnostics.add("bad-metadata", headline, RowPlace(file.name))
        return
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = RowPlace(file.name, mark.line + 1 if mark else None)
        problem = getattr(error, "problem", None) or getattr(error, "reason", "it cannot be read")
        diagnostics.add("bad-metadata", f"not YAML: {problem}", place)
        return
    _check_node(root, _FORM, "", 1, file.name, diagnostics)


def _check_node(node: Any, form: Any, at: str, line: int, name: str, diagnostics: Diagnostics) -> None:
    """Compare a node of the document, on some line, with what must be there."""
    kind = node.id if node is not None else "scalar"
    row = node.start_mark.line + 1 if node is not None else line

    def fault(what: str, path: str = at or "the document") -> None:
        diagnostics.add("bad-metadata", f"`{path}` {what}", RowPlace(name, row))

    match form:
        case str():
            if node is None or not node.value or node.tag == _NULL or (kind == "scalar" and not node.value.strip()):
                fault("is not filled")
            elif form == _TEXT and kind != "scalar":
                fault(f"is a {kind}, not a text")
        case list():
            if kind != "sequence" or not node.value:
                fault("is not a list with at least one entry")
                return
            for index, item in enumerate(node.value):
                _check_node(item, form[0], f"{at}[{index}]", row, name, diagnostics)
        case _:
            if kind != "mapping":
                fault("is not a mapping")
                return
            entries = {key.value: value for key, value in node.value if isinstance(key.value, str)}
            for key, part in form.items():
                path = f"{at}.{key}" if at else key
                if key in entries:
                    _check_node(entries[key], part, path, row, name, diagnostics)
                else:
                    fault("is missing", path)
