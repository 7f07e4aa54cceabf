"""Reads one side from a file or a folder, whatever its format: the one way from paths to tables of events."""

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from tracepact.diagnostics import Diagnostics, RowPlace, did_you_mean, require_type
from tracepact.io.aoef import AOEF, add_aoef
from tracepact.io.audacity import add_audacity
from tracepact.io.biodcase import read_biodcase
from tracepact.io.columnar import open_data
from tracepact.io.columns import ColumnMap, Columns, checked_rate, columns_beside, columns_from
from tracepact.io.dataset import whole_dataset
from tracepact.io.decoding import ClassDecodings, Declared, declared_decoding, decode_declared, field_events
from tracepact.io.delimited import read_rows
from tracepact.io.documents import read_side
from tracepact.io.eaf import EAF, add_eaf
from tracepact.io.few_shot import FEW_SHOT, add_few_shot
from tracepact.io.field import read_field
from tracepact.io.files import ClipFiles, clip_files
from tracepact.io.formats import (
    AUDACITY,
    BIODCASE,
    ENDINGS,
    FOLDER_FORMATS,
    FORMATS,
    JSON,
    LAYOUTS,
    LIST,
    MAESTRO,
    MAPPED,
    RAVEN,
    SCORES,
    SILENT_IF_EMPTY,
    TABLE,
    TEXTGRID,
    find_format,
    is_known_table,
)
from tracepact.io.jams import JAMS, add_jams
from tracepact.io.mapped import BIRDNET, add_layout, add_mapped, fits
from tracepact.io.raven import add_raven
from tracepact.io.rows import EventRows, Times
from tracepact.io.scores import parse_scores
from tracepact.io.seld import SELD, add_seld
from tracepact.io.soft import harden, parse_soft
from tracepact.io.source import EMPTY_HELP, PathLike, TextFile, shown
from tracepact.io.spaced import CTM, LAB, RTTM, UEM, add_ctm, add_lab, add_rttm
from tracepact.io.tables import EVENT_COLUMNS, read_columnar_table, read_table
from tracepact.io.textgrid import add_textgrid
from tracepact.trace import Event, EventTable, Origin, Time


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


def with_frames(reading: Reading | None, classes: Sequence[str] | None, step: Time | None) -> Reading:
    """A reading with these classes and this step, where it names none of its own."""
    if reading is not None:
        require_type(reading, Reading, "the reading", "a Reading")
    own = reading or Reading()
    return replace(own, classes=own.classes or classes, step=step if own.step is None else own.step)


@dataclass(frozen=True, slots=True)
class How:
    """A reading whose column maps and rate are checked."""

    given: Reading
    maps: tuple[Columns, ...]
    rate: Fraction | None


def read_events(path: PathLike, diagnostics: Diagnostics, reading: Reading | None = None) -> EventTable:
    """The events of one side: a file of any format of rule 13.1, or a folder of files, one a clip.

    In a table a row with a filename alone is a silent clip. A header without rows is a table without clips.
    """
    given = reading or Reading()
    if given.format is not None and given.format not in FORMATS:
        diagnostics.add(
            "unknown-format", f"there is no format `{shown(given.format)}`", help=did_you_mean(given.format, FORMATS)
        )
        return EventTable(str(path), {})
    how = how_to_read(path, given, diagnostics)
    if how is None:
        return EventTable(str(path), {})
    plain = given.format in (None, TABLE) and not how.maps
    if plain and (table := whole_dataset(path, diagnostics)) is not None:
        return table
    if os.path.isdir(path):
        return _read_folder(path, how, diagnostics)
    if plain and (table := read_columnar_table(path, diagnostics)) is not None:
        return replace(table, origin=Origin(TABLE))
    field = read_field(path, diagnostics, given.classes, given.step) if given.format in (None, SCORES) else None
    if field is not None:
        return field_events(field, given.decoding, diagnostics)
    file = open_data(path, diagnostics, may_be_empty=given.format in SILENT_IF_EMPTY)
    if file is None:
        return EventTable(str(path), {})
    format = given.format or found_format(file, how) or TABLE
    if format in (TABLE, JSON):
        read = read_side if format == JSON else read_table
        return replace(read(file, diagnostics), origin=Origin(format))
    if format == BIODCASE:
        return read_biodcase(file, diagnostics)
    files = clip_files(path, diagnostics)
    return EventTable(str(path), {}) if files is None else read_clips(files, format, how, diagnostics)


def how_to_read(path: PathLike, given: Reading, diagnostics: Diagnostics) -> How | None:
    """A reading with its column maps and its rate; None if one of them is faulty, which is reported."""
    before = len(diagnostics.errors)
    maps = columns_from(given.columns, diagnostics) if given.columns is not None else columns_beside(path, diagnostics)
    how = How(given, maps, checked_rate(given.rate, None, diagnostics))
    return None if len(diagnostics.errors) > before else how


def found_format(file: TextFile, how: How) -> str | None:
    """The format of a file: that of a column map if its columns are there, or if nothing else could be meant."""
    if any(fits(columns, file) for columns in how.maps):
        return MAPPED
    format = find_format(file)
    return MAPPED if how.maps and format == TABLE and not is_known_table(file) else format


def report_unused_readings(sides: Sequence[tuple[Reading, EventTable]], diagnostics: Diagnostics) -> None:
    """Warn of what was said about the sides and has no use for any of them (rule 13.15)."""
    if diagnostics.errors:
        return
    for reading, table in sides:
        if reading.decoding is not None and not (table.origin and table.origin.decoding):
            headline = f"`{shown(table.name)}` holds events, not scores; the threshold given for it has no use"
            diagnostics.add("unused-reading", headline, RowPlace(table.name), "leave it out, or give the scores")
    formats = {table.origin.format for _, table in sides if table.origin}
    for users, word, used in (
        (_LABELLED, "column of the labels", any(reading.label_column is not None for reading, _ in sides)),
        (_TIERED, "tier", any(reading.tiers for reading, _ in sides)),
        ((MAPPED,), "column map", any(reading.columns is not None for reading, _ in sides)),
        ((LAB, MAPPED), "rate", any(reading.rate is not None for reading, _ in sides)),
    ):
        if used and formats and not formats & set(users):
            named = " or ".join(f"`{format}`" for format in users)
            kind = f"was named, but nothing here is of the format {named}" if users != (MAPPED,) else _UNUSED_MAP
            headline = f"a {word} {kind}"
            diagnostics.add("unused-reading", headline, RowPlace(sides[0][1].name), "leave it out")


_LABELLED = (RAVEN, BIRDNET, AOEF)
_TIERED = (TEXTGRID, EAF, JAMS)
_UNUSED_MAP = "was given, but no table here has its columns; each was read as what it is"


def _read_folder(path: PathLike, how: How, diagnostics: Diagnostics) -> EventTable:
    """A folder of files, one a clip."""
    named = how.given.format
    files = clip_files(path, diagnostics, ENDINGS.get(named or "", ()))
    if files is None:
        return EventTable(str(path), {})
    formats = {} if named else {file.name: found_format(file, how) for file in files.clips.values()}
    format = folder_format(files.name, named, formats, diagnostics)
    return EventTable(str(path), {}) if format is None else read_clips(files, format, how, diagnostics)


def folder_format(
    name: str, named: str | None, formats: Mapping[str, str | None], diagnostics: Diagnostics
) -> str | None:
    """The format of the files of a folder: the one that is named, or that of all; None, reported, if it has none."""
    format = named or _common_format(name, formats, diagnostics)
    if format is not None and format not in (*FOLDER_FORMATS, UEM):
        diagnostics.add(
            "unreadable-file",
            f"`{shown(name)}` is a folder, and its files are of the format `{format}`",
            RowPlace(name),
            "give the table itself; a folder holds one file a clip, or parts of one table as Parquet or Arrow files, "
            "each with the columns `filename`, `onset`, `offset` and `event_label`",
        )
        return None
    return format


def _common_format(name: str, formats: Mapping[str, str | None], diagnostics: Diagnostics) -> str | None:
    """The format of all files; those without content have that of the others, and each that has another is reported."""
    found = {file: format for file, format in formats.items() if format is not None}
    if not found:
        headline = f"the files of `{shown(name)}` are all empty; nothing says what they are"
        diagnostics.add("unknown-format", headline, RowPlace(name), "name it: --ref-format or --pred-format")
        return None
    common = Counter(found.values()).most_common(1)[0][0]
    example = next(name for name, format in found.items() if format == common)
    for name, format in found.items():
        if format != common:
            diagnostics.add(
                "mixed-formats",
                f"the file is of the format `{format}`, others such as `{shown(example)}` of the format `{common}`",
                RowPlace(name),
                "keep one format a folder, or name the format",
            )
    return common if len(set(found.values())) == 1 else None


def read_clips(
    files: ClipFiles, format: str, how: How, diagnostics: Diagnostics, classes: tuple[str, ...] | None = None
) -> EventTable:
    """Files that speak of one clip each, or whose rows name their clips.

    Scores are of these `classes`, if they are part of a whole, else of those of the first file.
    """
    if format in (SCORES, MAESTRO):
        return _read_scored(files, format, how.given.decoding, diagnostics, classes)
    if format == UEM:
        headline = f"`{shown(files.name)}` says which times are judged, and holds no events"
        diagnostics.add("unknown-format", headline, RowPlace(files.name), "give it as the ignore regions: --ignore")
        return EventTable(files.name, {})
    clips: dict[str, tuple[Event, ...]] = {}
    named: dict[str, str] = {}
    regions: dict[str, tuple[Event, ...]] = {}
    lengths: dict[str, Fraction] = {}
    for clip, file in files.clips.items():
        rows = EventRows(file.name, diagnostics, Times(fractions=False, rate=_rate(format, file, how)))
        _add(format, file, clip, rows, how)
        for own, events in rows.clips.items():
            if own in clips:
                headline = f"clip `{shown(own)}` has two files"
                diagnostics.add("ambiguous-clip", headline, RowPlace(file.name), f"the other is `{named[own]}`")
                continue
            clips[own] = tuple(events)
            named[own] = file.name
        lengths |= rows.lengths
        regions |= {own: tuple(events) for own, events in rows.ignored.items()}
    if files.is_one_file and format not in _CALLED_BY_FILES:
        named = {own: name for own, name in named.items() if own in files.clips}
    return EventTable(files.name, clips, files.digest, Origin(format, named, None, lengths, regions))


_CALLED_BY_FILES = (RAVEN, RTTM, CTM)
"""Formats whose rows name their clips as files are called, so that rule 13.3 holds for these names."""


def _rate(format: str, file: TextFile, how: How) -> Fraction | None:
    """How many units of time are a second in a file."""
    own = _map_of(file, how).rate if format == MAPPED else None
    return own or (how.rate if format in (LAB, MAPPED) else None)


def _map_of(file: TextFile, how: How) -> Columns:
    """The first map whose columns a table has; the first of all where none has them, which is then reported."""
    return next((columns for columns in how.maps if fits(columns, file)), how.maps[0])


_Add = Callable[[TextFile, str, EventRows, How], None]


def _add_list(file: TextFile, clip: str, rows: EventRows, how: How) -> None:
    rows.clips.setdefault(clip, [])
    found = read_rows(file, EVENT_COLUMNS[1:], rows.diagnostics, optional=("confidence",))
    rows.add_all((row, (clip, *fields)) for row, fields in found)


_READERS: Mapping[str, _Add] = {
    LIST: _add_list,
    AUDACITY: lambda file, clip, rows, _: add_audacity(file, clip, rows),
    RAVEN: lambda file, clip, rows, how: add_raven(file, clip, rows, how.given.label_column),
    TEXTGRID: lambda file, clip, rows, how: add_textgrid(file, clip, rows, how.given.tiers),
    **dict.fromkeys(LAYOUTS, lambda file, clip, rows, how: add_layout(file, clip, rows, how.given.label_column)),
    MAPPED: lambda file, clip, rows, how: add_mapped(file, clip, rows, _map_of(file, how)),
    FEW_SHOT: lambda file, clip, rows, _: add_few_shot(file, clip, rows),
    RTTM: lambda file, clip, rows, _: add_rttm(file, clip, rows),
    CTM: lambda file, clip, rows, _: add_ctm(file, clip, rows),
    LAB: lambda file, clip, rows, how: add_lab(file, clip, rows, declared=how.rate is not None),
    EAF: lambda file, clip, rows, how: add_eaf(file, clip, rows, how.given.tiers),
    JAMS: lambda file, clip, rows, how: add_jams(file, clip, rows, how.given.tiers),
    AOEF: lambda file, clip, rows, how: add_aoef(file, clip, rows, how.given.label_column),
    SELD: lambda file, clip, rows, _: add_seld(file, clip, rows),
}


def _add(format: str, file: TextFile, clip: str, rows: EventRows, how: How) -> None:
    """The events of one file."""
    if file.text.strip():
        _READERS[format](file, clip, rows, how)
        return
    rows.clips.setdefault(clip, [])
    if format not in SILENT_IF_EMPTY:
        rows.diagnostics.add("empty-file", "the file is empty", RowPlace(file.name), EMPTY_HELP)


def _read_scored(
    files: ClipFiles,
    format: str,
    given: Declared | None,
    diagnostics: Diagnostics,
    classes: tuple[str, ...] | None = None,
) -> EventTable:
    """Scores or soft labels, made events by the declared decoding."""
    what = "scores" if format == SCORES else "soft labels"
    decoding = declared_decoding(given, files.name, what, diagnostics)
    if decoding is None:
        return EventTable(files.name, _silent(files))
    if format == SCORES:
        scores = parse_scores(files.name, files.clips, files.digest, diagnostics, classes)
        return decode_declared(scores, decoding, diagnostics)
    if isinstance(decoding, ClassDecodings) or decoding.low is not None or decoding.median != 1:
        diagnostics.add(
            "bad-decoding",
            "soft labels take a threshold alone; hysteresis and median filters are for scores by frame",
            RowPlace(files.name),
        )
        return EventTable(files.name, _silent(files))
    return harden(parse_soft(files.name, files.clips, files.digest, diagnostics), decoding.threshold)


def _silent(files: ClipFiles) -> Mapping[str, tuple[Event, ...]]:
    """The clips of files that cannot be turned into events, so that no other fault follows from that."""
    return dict.fromkeys(files.clips, ())
