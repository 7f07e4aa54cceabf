"""The tables of a task: events, durations, conditions, regions; by a column map; and those of challenges."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from tracepact.data.annotation_documents import UEM, spaced_format, uem_regions
from tracepact.data.columns import SEPARATORS, date_time, file_start, header_of, read_rows
from tracepact.data.data_files import ColumnarRows, clip_name, columnar_rows, open_data
from tracepact.data.documents import read_side
from tracepact.data.event_rows import MISSING, UNLABELLED, EventRows, clip_length, table_rows
from tracepact.data.events import Durations, Event, EventTable, Regions
from tracepact.data.readings import ALL_OTHERS, ROLES, SAMPLED, Columns, like_a_label, offered_map
from tracepact.data.sources import EVENT_COLUMNS, SOUND_ENDINGS, PathLike, TextFile, shown, text_lines
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace, did_you_mean
from tracepact.wording import count, is_whole, quoted

# Reads the tables of a task: events, durations, conditions and ignore regions, tab or comma separated.


@dataclass(frozen=True, slots=True)
class Conditions:
    """The condition each clip was recorded or made under."""

    name: str
    clips: Mapping[str, str]
    digest: str | None = None


def read_table(file: TextFile, diagnostics: Diagnostics) -> EventTable:
    """The events of one side, from a table (`filename onset offset event_label`, and perhaps `confidence`)."""
    rows = table_rows(file.name, diagnostics)
    clips = clips_alone(file)
    if clips is None:
        found = read_rows(file, EVENT_COLUMNS, diagnostics, optional=("confidence",), events=True, clip="filename")
        rows.add_all(found)
        return rows.table(file.digest)
    rows.report("clips-alone", f"the table names {count(len(clips), 'clip')} and no events: all of them are silent")
    rows.clips |= {clip: [] for clip in clips}
    return rows.table(file.digest)


def read_columnar_table(path: PathLike, diagnostics: Diagnostics) -> EventTable | None:
    """The events of a Parquet or Arrow file with the columns of a table; None if it is none."""
    found = columnar_rows(path, EVENT_COLUMNS, diagnostics, optional=("confidence",))
    if found is None:
        return None
    rows = table_rows(found.name, diagnostics)
    rows.add_all(found)
    return rows.table(found.digest)


def clips_alone(file: TextFile) -> list[str] | None:
    """The names a table lists if it has only the column `filename`, or only names of sound files (rule 13.26)."""
    first = next((line.strip() for _, line in text_lines(file)), "")
    if any(sign in first for sign in SEPARATORS) or not (first == "filename" or first.lower().endswith(SOUND_ENDINGS)):
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
    rows = table_rows(file.name, diagnostics, regions=True)
    found = read_rows(file, EVENT_COLUMNS[:3], diagnostics, optional=EVENT_COLUMNS[3:])
    rows.add_all((row, (*fields, "")) for row, fields in found)
    return rows.table(file.digest)


def read_durations(path: PathLike, diagnostics: Diagnostics) -> Durations:
    """How long each clip is (`filename duration`), in seconds greater than zero."""
    file = columnar_rows(path, ("filename", "duration"), diagnostics) or open_data(path, diagnostics)
    if file is None:
        return Durations(str(path), {})
    rows = table_rows(file.name, diagnostics)
    lengths: dict[str, Fraction] = {}
    first: dict[str, tuple[int, str]] = {}
    for row, clip, text in _pairs(file, "duration", diagnostics):
        place = RowPlace(file.name, row)
        duration = clip_length(rows.times, text, diagnostics, place)
        if duration is None:
            continue
        line, earlier = first.setdefault(clip, (row, text))
        if lengths.setdefault(clip, duration) != duration:
            headline = f"`{shown(clip)}` lasts `{text}` here and `{earlier}` on line {line}"
            diagnostics.add("conflicting-duration", headline, place, "keep one of the two rows")
    rows.report_assumed()
    return Durations(file.name, lengths, file.digest)


def read_conditions(path: PathLike, diagnostics: Diagnostics) -> Conditions:
    """The condition of each clip (`filename condition`)."""
    file = columnar_rows(path, ("filename", "condition"), diagnostics) or open_data(path, diagnostics)
    if file is None:
        return Conditions(str(path), {})
    conditions: dict[str, str] = {}
    for row, clip, condition in _pairs(file, "condition", diagnostics):
        if (first := conditions.setdefault(clip, condition)) != condition:
            headline = f"`{shown(clip)}` is already in condition `{shown(first)}`, not `{shown(condition)}`"
            diagnostics.add("conflicting-condition", headline, RowPlace(file.name, row), "a clip has one condition")
    return Conditions(file.name, conditions, file.digest)


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


# Reads tables by a column map: one that is given, or that of a format whose header is known (rules 13.17, 13.18).

PAM, BIRDNET, CROWSETTA, AUDIOSET, FEW_SHOT = "pam", "birdnet", "crowsetta", "audioset", "few-shot"
_ENDING = re.compile(r"\.BirdNET\.(?:results|selection\.table|selections?)(?:\.[rk])?$", re.IGNORECASE)
_NO_CALL = "nocall"
ONE_CLASS = "Q"
"""The class of the events of a few-shot table that names none."""
_MEANINGS = {"POS": "POS", "1": "POS", "TRUE": "POS", "NEG": "NEG", "0": "NEG", "FALSE": "NEG", "UNK": "UNK"}
_MARKS = ("POS", "NEG", "UNK", "1", "0")
_ONES = frozenset(("0", "1"))
_DATE = re.compile(r"\d{4}-\d\d-\d\d[T ]")
_DECIMAL = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
_TRACK = Columns("1", offset="2", label="3", confidence="4")
"""How BirdNET writes a label track for Audacity."""


@dataclass(frozen=True, slots=True)
class TableLayout:
    """A table whose header is known: its columns, the parts it may lack, and whether its clips are paths."""

    format: str
    columns: Columns
    optional: tuple[str, ...] = ()
    paths: bool = False


_HEADERS = (
    (PAM, "onset=timestamp,clip=filename,label=label", "label"),
    (PAM, "onset=start,clip=filename,offset=end,label=label", "label"),
    (BIRDNET, "onset=Start (s),clip=File,offset=End (s),label=Common name,confidence=Confidence", "clip"),
    (BIRDNET, "onset=start,clip=filepath,offset=end,label=common_name,confidence=confidence", ""),
    (BIRDNET, "onset=OFFSET,clip=IN FILE,duration=DURATION,label=common_name,confidence=confidence", "confidence"),
    (CROWSETTA, "onset=onset_s,clip=notated_path,offset=offset_s,label=label", "clip"),
    (AUDIOSET, "onset=start_time_seconds,clip=segment_id,offset=end_time_seconds,label=label", ""),
    (FEW_SHOT, "onset=Starttime,clip=Audiofilename,offset=Endtime,marks=*", ""),
)
"""The known headers: a format, its columns as an option writes a map, and the part that it may lack."""
_BY_PATHS = (BIRDNET, CROWSETTA)
"""The formats whose clips are paths of sound files."""
LAYOUTS = tuple(
    TableLayout(format, Columns(**dict(entry.split("=") for entry in text.split(","))), (lacks,), format in _BY_PATHS)  # type: ignore[arg-type]
    for format, text, lacks in _HEADERS
)


def find_layout(names: Sequence[str]) -> TableLayout | None:
    """The known header that these names are, with the columns as they are written here; None if there is none."""
    # Reversed, so that of two columns that differ in case the first is kept.
    cased = {name.lower(): name for name in reversed(names)}
    for layout in LAYOUTS:
        roles = layout.columns.roles
        written: dict[str, str | None] = {role: cased.get(column.lower()) for role, column in roles.items()}
        missing = [role for role, column in written.items() if column is None]
        if any(role not in layout.optional for role in missing):
            continue
        if "label" in missing and like_a_label(set(names) - set(written.values())):
            continue  # another column holds the labels: nobody may lose them
        return replace(layout, columns=replace(layout.columns, **written))  # type: ignore[arg-type]
    return None


def add_layout(file: TextFile, clip: str, rows: EventRows, label_column: str | None = None) -> None:
    """The events of a table whose header is known; another column of labels may be named."""
    if is_birdnet_track(file) and not file.text.strip():
        rows.clips.setdefault(_ENDING.sub("", clip), [])
        return
    if is_birdnet_track(file):
        add_mapped(file, _ENDING.sub("", clip), rows, _TRACK)
        return
    names = header_of(file, ())
    layout = find_layout(names)
    if layout is None:
        list(read_rows(file, ("filename", "start", "end", "label"), rows.diagnostics, events=True))  # says why
        return
    columns = layout.columns
    if label_column is not None and label_column not in names:
        help = did_you_mean(label_column, names)
        rows.report("wrong-columns", f"there is no column `{shown(label_column)}`", 1, help)
        return
    if label_column is not None:
        columns = replace(columns, label=label_column)
    add_mapped(file, _ENDING.sub("", clip) or clip, rows, columns, paths=layout.paths)


def fits(columns: Columns, file: TextFile) -> bool:
    """Whether a table has all columns of a map."""
    named = tuple(columns.roles.values())
    names = header_of(file, named)
    if all(map(is_whole, named)):
        return len(names) >= max(map(int, named), default=0)
    return set(named) <= set(names)


def is_birdnet_track(file: TextFile) -> bool:
    """Whether a file is a label track as BirdNET writes it for Audacity: named by it, and without a header."""
    if not (file.name.lower().endswith(".txt") and _ENDING.search(clip_name(file.name))):
        return False
    # Nothing detected is a file without lines.
    _, first = next(text_lines(file), (1, "0\t0\t\t"))
    return all(map(_DECIMAL.fullmatch, first.split("\t")[:2])) and first.count("\t") == 3


def add_mapped(file: TextFile, clip: str, rows: EventRows, columns: Columns, *, paths: bool = False) -> None:
    """The events of a table by a column map; `clip` is that of all rows where no column names it."""
    names = header_of(file, tuple(columns.roles.values())) if columns.marks == ALL_OTHERS else ()
    clip_column = columns.roles.get("clip")
    add_rows(
        names, lambda named: read_rows(file, named, rows.diagnostics, clip=clip_column), clip, rows, columns, paths
    )


def add_rows(
    names: Sequence[str],
    read: Callable[[Sequence[str]], Iterable[tuple[int, Sequence[str]]]],
    clip: str,
    rows: EventRows,
    columns: Columns,
    paths: bool = False,
) -> None:
    """The events of a table of any kind by a column map, from its columns and what reads those that are wanted."""
    roles = columns.roles
    marked = columns.marks.split("|") if columns.marks is not None else []
    if columns.marks == ALL_OTHERS:
        marked = [name for name in dict.fromkeys(names) if name and name not in roles.values()]
    named = tuple(dict.fromkeys((*roles.values(), *marked)))
    places = {role: named.index(column) for role, column in roles.items()}
    if columns.marks is None:
        texts = ((number, [fields[place] for place in places.values()]) for number, fields in read(named))
        _add_fields(texts, clip, rows, columns, paths)
        return
    table = list(read(named))
    marks = [(label, named.index(label)) for label in marked]
    if columns.marks == ALL_OTHERS and marks and table:
        # Published tables have columns of remarks beside the classes: a column of marks holds at least one.
        marks = [(label, place) for label, place in marks if any(fields[place] in _MARKS for _, fields in table)]
        if not marks:
            help = offered_map(named, [fields for _, fields in table[:SAMPLED]])
            rows.report("unnamed-label-column", f"no column holds the marks {', '.join(_MARKS[:3])}", 1, help)
            return
    _add_marked(table, places, marks, clip, rows, columns)


def _add_fields(
    fields: Iterable[tuple[int, Sequence[str]]], clip: str, rows: EventRows, columns: Columns, paths: bool = False
) -> None:
    """Events from the fields of the parts that have a column, row by row."""
    roles = tuple(columns.roles)
    base = dict.fromkeys(ROLES, "") | columns.shared
    names_clips = "clip" in roles or "clip" in columns.shared
    whole_paths: dict[str, str] = {}
    labels: set[str] = set()
    if not names_clips:
        rows.clips.setdefault(clip, [])
    for number, texts in fields:
        row = base | dict(zip(roles, texts, strict=True))
        name = row["clip"] if names_clips else clip
        if paths and names_clips:
            name = _last_name(name, number, whole_paths, rows)
        label = row["label"]
        # A row without times and without a label names a silent clip (rule 13.26).
        if {row["onset"], row["offset"], row["duration"]} <= MISSING and ("label" not in roles or label in MISSING):
            rows.add(number, name, "", "", "")
        elif paths and label.lower() == _NO_CALL:
            rows.clips.setdefault(name, [])
        else:
            if columns.label is None and not labels:  # once is enough: it is true of every row
                headline = f"the table has no column of labels; its events are of class `{UNLABELLED}`"
                help = "name the column, or one label for all rows: --columns …,label==up"
                rows.report("unlabelled-event", headline, number, help)
            labels.add(label)
            _add_row(number, name, row, UNLABELLED if columns.label is None else label, rows, columns)
    if labels and labels <= _ONES and "label" in roles and not like_a_label([columns.label or ""]):
        held = quoted(sorted(labels))
        headline = f"the column `{shown(columns.label or '')}` holds only {held}: it marks a class, and names none"
        rows.report(
            "wrong-columns", headline, 1, f"name the columns that mark a class: --columns …,marks={columns.label}"
        )


def _add_row(number: int, clip: str, row: Mapping[str, str], label: str, rows: EventRows, columns: Columns) -> None:
    """The event of one row."""
    onset, confidence = row["onset"], row["confidence"]
    end = row["offset"] if columns.offset else row["duration"] if columns.duration else onset
    if columns.start is not None or _DATE.match(onset):
        _add_dated(number, clip, row, label, rows, columns)
    elif columns.duration is not None and clip and onset and end and label:
        rows.add_span(number, clip, onset, end, label, "", confidence)
    else:
        rows.add(number, clip, onset, end, label, "", confidence)


def _add_dated(number: int, clip: str, row: Mapping[str, str], label: str, rows: EventRows, columns: Columns) -> None:
    """An event whose times are dates, counted from the start of its recording (rule 13.42)."""
    place = RowPlace(rows.name, number)
    if columns.start is None and file_start(clip, loose=True) is None:
        headline = (
            f"the times are dates, and neither a column nor the name `{shown(clip)}` says when the recording starts"
        )
        rows.report("bad-date", headline, number, "name the column that does: --columns …,start=COLUMN")
        return
    begun = (
        date_time("start", row["start"], Fraction(0), place, rows.diagnostics)
        if columns.start
        else file_start(clip, loose=True)
    )
    onset = None if begun is None else date_time("onset", row["onset"], begun, place, rows.diagnostics)
    if onset is None or begun is None:
        return
    if columns.duration is not None:
        lasting = rows.time("duration", row["duration"], number)
        offset = None if lasting is None else onset + lasting
    else:
        offset = date_time("offset", row["offset"], begun, place, rows.diagnostics) if columns.offset else onset
    if offset is not None and label:
        sure = rows.confidence(row["confidence"], number)
        rows.clips.setdefault(clip, []).append(Event(onset, offset, label, number, sure))
    elif offset is not None:
        rows.add(number, clip, "0", "0", "")  # says that the label is missing


def _add_marked(
    table: Sequence[tuple[int, Sequence[str]]],
    places: Mapping[str, int],
    marks: Sequence[tuple[str, int]],
    clip: str,
    rows: EventRows,
    columns: Columns,
) -> None:
    """The events and ignore regions of rows that have a mark for each class (rule 13.19)."""
    for number, fields in table:
        row = dict.fromkeys(ROLES, "") | columns.shared | {role: fields[place] for role, place in places.items()}
        name = row["clip"] if "clip" in places or "clip" in columns.shared else clip
        if not marks or not (name and row["onset"]):
            _add_row(number, name, row, "" if marks else ONE_CLASS, rows, columns)
            continue
        rows.clips.setdefault(name, [])
        for label, place in marks:
            match _MEANINGS.get(fields[place].upper()):
                case "POS":
                    _add_row(number, name, row, label, rows, columns)
                case "UNK":
                    end = "offset" if columns.offset is not None else "duration"
                    onset, offset = rows.time("onset", row["onset"], number), rows.time(end, row[end], number)
                    if onset is not None and offset is not None:
                        lasting = Fraction(0) if end == "offset" else onset + rows.times.shift
                        rows.ignore(number, name, onset, offset + lasting, label)
                case None:
                    headline = f"the mark `{shown(fields[place])}` of `{shown(label)}` is none of {', '.join(_MARKS)}"
                    rows.report("bad-mark", headline, number, "write one of them")


def _last_name(path: str, number: int, known: dict[str, str], rows: EventRows) -> str:
    """The last name of a path; two paths of one name are an error."""
    name = re.split(r"[\\/]", path)[-1]
    first = known.setdefault(name, path)
    if first != path:
        headline = f"`{shown(path)}` and `{shown(first)}` would be one clip, `{shown(name)}`"
        rows.report("ambiguous-clip", headline, number, "read them apart")
        known[name] = path
    return name


# Reads SELD files: a row for each frame and active source; frames that follow one another are an event (13.24).

SELD = "seld"
FRAME = Fraction(1, 10)
_WIDTHS = (4, 5, 6)
_LONGEST = 12


def add_seld(file: TextFile, clip: str, rows: EventRows, first_frame: int | None = None) -> None:
    """The events of one clip; a file without rows is a silent clip."""
    active: dict[tuple[str, str], dict[int, int]] = {}
    first = first_frame or 0
    for place, (number, line) in enumerate(text_lines(file)):
        fields = [field.strip() for field in line.split(",")]
        if place == 0 and is_seld_header(fields):
            continue
        if len(fields) not in _WIDTHS:
            headline = f"the row has {count(len(fields), 'field')}, not five or six"
            rows.report("wrong-columns", headline, number, "frame, class, source, azimuth, elevation, distance")
            continue
        source = fields[2] if len(fields) > 4 else ""
        if wrong := [text for text in (fields[0], fields[1]) if not is_index(text)]:
            headline = f"`{shown(wrong[0])}` is not a number of a frame or class"
            rows.report("wrong-columns", headline, number, "frames and classes are whole numbers from 0")
            continue
        frames = active.setdefault((str(int(fields[1])), source), {})
        if int(fields[0]) < first:
            rows.report("wrong-columns", f"frame `{fields[0]}` lies before the first, {first}", number)
            continue
        if frames.setdefault(int(fields[0]) - first, number) != number:
            headline = f"frame {fields[0]} of class {fields[1]} and source `{shown(source)}` is there twice"
            rows.report("duplicate-row", headline, number)
    events = [event for (label, _), frames in active.items() for event in _events(label, frames)]
    rows.clips.setdefault(clip, []).extend(sorted(events, key=lambda e: (e.onset, e.offset, e.row or 0)))


def is_seld_header(names: Sequence[str]) -> bool:
    """Whether a row names the columns of a SELD file."""
    words = [name.lower() for name in names]
    return len(words) in _WIDTHS and words[0].startswith("frame") and words[1].startswith("class")


def is_index(text: str) -> bool:
    """Whether a text is a whole number from 0, of a length that frames have."""
    # Python refuses to read integers of thousands of digits, and reads long ones in quadratic time.
    return text.isascii() and text.isdecimal() and len(text) <= _LONGEST


def _events(label: str, frames: dict[int, int]) -> list[Event]:
    """The runs of frames, each with the row of its first."""
    # A source that pauses is two events: frames are all that the file says of its time.
    first = [frame for frame in sorted(frames) if frame - 1 not in frames]
    after = [frame + 1 for frame in sorted(frames) if frame + 1 not in frames]
    return [Event(a * FRAME, b * FRAME, label, frames[a]) for a, b in zip(first, after, strict=True)]
