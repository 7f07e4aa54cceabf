"""The one way from paths to tables of events: how a side is to be read, and each format read."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from tracepact.data.annotation_documents import CTM, LAB, RTTM, UEM, add_lab
from tracepact.data.column_maps import ColumnMap, Columns, checked_first, checked_rate, columns_beside, columns_from
from tracepact.data.columns import read_biodcase
from tracepact.data.data_files import ClipFiles, clip_files, open_data, report_two_files
from tracepact.data.dataset import whole_dataset
from tracepact.data.decoding import ClassDecodings, Declared, declared_decoding, decode_declared, field_events
from tracepact.data.documents import read_side
from tracepact.data.event_rows import EventRows, table_rows
from tracepact.data.events import Event, EventTable, TableOrigin, Time
from tracepact.data.fields import read_field
from tracepact.data.known_formats import (
    BIODCASE,
    ENDINGS,
    FORMATS,
    JSON,
    KNOWN,
    MAESTRO,
    MAPPED,
    RAVEN,
    SCORES,
    TABLE,
    find_format,
    is_known_table,
    taking,
)
from tracepact.data.score_files import harden, parse_scores, parse_soft
from tracepact.data.sources import (
    EMPTY_HELP,
    PathLike,
    TextFile,
    is_archive,
    shown,
)
from tracepact.data.tables import FRAME, SELD, add_mapped, fits, is_birdnet_track, read_columnar_table, read_table
from tracepact.diagnostics.collection import Diagnostics, require_type
from tracepact.diagnostics.findings import RowPlace, did_you_mean
from tracepact.wording import quoted

# Reads one side from a file or a folder, whatever its format: the one way from paths to tables of events.


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


@dataclass(frozen=True, slots=True)
class How:
    """A reading whose column maps and rate are checked."""

    reading: Reading
    maps: tuple[Columns, ...]
    rate: Fraction | None
    first: Fraction | None = None


def read_events(path: PathLike, diagnostics: Diagnostics, reading: Reading | None = None) -> EventTable:
    """The events of one side: a file of any format of rule 13.1, or a folder of files, one a clip.

    In a table a row with a filename alone is a silent clip. A header without rows is a table without clips.
    """
    reading = reading or Reading()
    if reading.format is not None and reading.format not in FORMATS:
        headline, help = f"there is no format `{shown(reading.format)}`", did_you_mean(reading.format, FORMATS)
        diagnostics.add("unknown-format", headline, help=help)
        return EventTable(str(path), {})
    how = how_to_read(path, reading, diagnostics)
    if how is None:
        return EventTable(str(path), {})
    # A folder of Parquet files is one table; folders of all other files hold one clip a file.
    plain = reading.format in (None, TABLE) and not how.maps
    if plain and (table := whole_dataset(path, diagnostics)) is not None:
        return table
    if os.path.isdir(path) or is_archive(path):
        return _read_folder(path, how, diagnostics)
    if plain and (table := read_columnar_table(path, diagnostics)) is not None:
        return replace(table, origin=TableOrigin(TABLE))
    field = read_field(path, diagnostics, reading.classes, reading.step) if reading.format in (None, SCORES) else None
    if field is not None:
        return field_events(field, reading.decoding, diagnostics)
    file = open_data(
        path, diagnostics, may_be_empty=reading.format is not None and KNOWN[reading.format].silent_if_empty
    )
    if file is None:
        return EventTable(str(path), {})
    format = reading.format or found_format(file, how) or TABLE
    if format in (TABLE, JSON):
        read = read_side if format == JSON else read_table
        return replace(read(file, diagnostics), origin=TableOrigin(format))
    if format == BIODCASE:
        return read_biodcase(file, diagnostics)
    files = clip_files(path, diagnostics)
    return EventTable(str(path), {}) if files is None else read_clips(files, format, how, diagnostics)


def how_to_read(path: PathLike, reading: Reading, diagnostics: Diagnostics) -> How | None:
    """A reading with its column maps and its rate; None if one of them is faulty, which is reported."""
    before = len(diagnostics.errors)
    # What the user says goes before what lies beside the file.
    maps = (
        columns_from(reading.columns, diagnostics) if reading.columns is not None else columns_beside(path, diagnostics)
    )
    rate = checked_rate(reading.rate, None, diagnostics)
    how = How(reading, maps, rate, checked_first(reading.first_frame, None, diagnostics))
    return None if len(diagnostics.errors) > before else how


def found_format(file: TextFile, how: How) -> str | None:
    """The format of a file: that of a column map if its columns are there, or if nothing else could be meant."""
    if any(fits(columns, file) for columns in how.maps):
        return MAPPED
    format = find_format(file)
    return MAPPED if how.maps and format == TABLE and not is_known_table(file) else format


def report_unused_readings(sides: Sequence[tuple[Reading, EventTable]], diagnostics: Diagnostics) -> None:
    """Warn of what was said about the sides and has no use for any of them (rule 13.15)."""
    # With errors a side may have been read as something else than it is.
    if diagnostics.errors:
        return
    for reading, table in sides:
        if reading.decoding is not None and not (table.origin and table.origin.decoding):
            headline = f"`{shown(table.name)}` holds events, not scores; the threshold given for it has no use"
            diagnostics.add("unused-reading", headline, RowPlace(table.name), "leave it out, or give the scores")
    formats = {table.origin.format for _, table in sides if table.origin}
    for users, word, used in (
        (
            taking("label_column"),
            "column of the labels",
            any(reading.label_column is not None for reading, _ in sides),
        ),
        (taking("tiers"), "tier", any(reading.tiers for reading, _ in sides)),
        ((MAPPED,), "column map", any(reading.columns is not None for reading, _ in sides)),
        ((LAB, MAPPED), "rate", any(reading.rate is not None for reading, _ in sides)),
    ):
        if used and formats and not formats & set(users):
            named = " or ".join(f"`{format}`" for format in users)
            kind = f"was named, but nothing here is of the format {named}" if users != (MAPPED,) else _UNUSED_MAP
            headline = f"a {word} {kind}"
            diagnostics.add("unused-reading", headline, RowPlace(sides[0][1].name), "leave it out")


_UNUSED_MAP = "was given, but no table here has its columns; each was read as what it is"


def _read_folder(path: PathLike, how: How, diagnostics: Diagnostics) -> EventTable:
    """A folder of files, one a clip."""
    named = how.reading.format
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
    if format not in (None, UEM) and not KNOWN[format or TABLE].is_folder:
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
    known = {file: format for file, format in formats.items() if format is not None}
    if not known:
        headline = f"the files of `{shown(name)}` are all empty; nothing says what they are"
        diagnostics.add("unknown-format", headline, RowPlace(name), "name it: --ref-format or --pred-format")
        return None
    common = Counter(known.values()).most_common(1)[0][0]
    example = next(file for file, format in known.items() if format == common)
    for file, format in known.items():
        if format != common:
            others = f"others such as `{shown(example)}` of the format `{common}`"
            headline = f"the file is of the format `{format}`, {others}"
            diagnostics.add("mixed-formats", headline, RowPlace(file), "keep one format a folder, or name the format")
    return common if len(set(known.values())) == 1 else None


def read_clips(
    files: ClipFiles, format: str, how: How, diagnostics: Diagnostics, classes: tuple[str, ...] | None = None
) -> EventTable:
    """Files that speak of one clip each, or whose rows name their clips.

    Scores are of these `classes`, if they are part of a whole, else of those of the first file.
    """
    if format in (SCORES, MAESTRO):
        return _read_scored(files, format, how.reading.decoding, diagnostics, classes)
    if format == UEM:
        headline = f"`{shown(files.name)}` says which times are judged, and holds no events"
        diagnostics.add("unknown-format", headline, RowPlace(files.name), "give it as the ignore regions: --ignore")
        return EventTable(files.name, {})
    clips: dict[str, tuple[Event, ...]] = {}
    homes: dict[str, str] = {}
    regions: dict[str, tuple[Event, ...]] = {}
    lengths: dict[str, Fraction] = {}
    tiers: Counter[str] = Counter()
    for clip, file in files.clips.items():
        columns = _map_of(file, how) if format == MAPPED else None
        rate = (columns.rate if columns else None) or (how.rate if format in (LAB, MAPPED) else None)
        first = (columns.first or how.first or Fraction(0)) if columns is not None else Fraction(0)
        rows = table_rows(file.name, diagnostics, rate=rate, first=first)
        _add_file(format, file, clip, rows, how)
        rows.report_assumed()
        tiers.update(rows.tiers)
        for name, events in rows.clips.items():
            if name in clips:
                report_two_files(name, file.name, f"the other is `{homes[name]}`", diagnostics)
                continue
            clips[name], homes[name] = tuple(events), file.name
        lengths |= rows.lengths
        regions |= {name: tuple(events) for name, events in rows.ignored.items()}
    _report_tiers(tiers, files.name, how, diagnostics)
    starts = {event.onset for events in clips.values() for event in events} if format == SELD else {Fraction(0)}
    if 0 not in starts and FRAME in starts and how.first is None:
        headline = "no event is in frame 0 and one is in frame 1; frames are taken as counted from 0"
        diagnostics.add("assumed-form", headline, RowPlace(files.name), "if they are counted from 1: --first-frame 1")
    if files.is_one_file and format not in _CALLED_BY_FILES:
        homes = {name: home for name, home in homes.items() if name in files.clips}
    return EventTable(files.name, clips, files.digest, TableOrigin(format, homes, None, lengths, regions))


_CALLED_BY_FILES = (RAVEN, RTTM, CTM)
"""Formats whose rows name their clips as files are called, so that rule 13.3 holds for these names."""


def _report_tiers(tiers: Counter[str], name: str, how: How, diagnostics: Diagnostics) -> None:
    """Warn of several tiers that gave events where none was named: one of them may hold remarks."""
    # Where every event is called like its tier, each tier is a class.
    if len(tiers) > 1 and any(tiers.values()) and not how.reading.tiers:
        listed = quoted([shown(tier) for tier in sorted(tiers)[:_MOST_TIERS]])
        more = f" and {len(tiers) - _MOST_TIERS} more" if len(tiers) > _MOST_TIERS else ""
        headline = f"the annotations of {len(tiers)} tiers or namespaces are all read as events: {listed}{more}"
        diagnostics.add("several-tiers", headline, RowPlace(name), "name those that hold events: --tier calls")


_MOST_TIERS = 5


def _map_of(file: TextFile, how: How) -> Columns:
    """The first map whose columns a table has; the first of all where none has them, which is then reported."""
    return next((columns for columns in how.maps if fits(columns, file)), how.maps[0])


def _read_scored(
    files: ClipFiles,
    format: str,
    declared: Declared | None,
    diagnostics: Diagnostics,
    classes: tuple[str, ...] | None = None,
) -> EventTable:
    """Scores or soft labels, made events by the declared decoding."""
    what = "scores" if format == SCORES else "soft labels"
    decoding = declared_decoding(declared, files.name, what, diagnostics)
    if decoding is None:
        return EventTable(files.name, _silent(files))
    if format == SCORES:
        scores = parse_scores(files.name, files.clips, files.digest, diagnostics, classes)
        return decode_declared(scores, decoding, diagnostics)
    if isinstance(decoding, ClassDecodings) or decoding.low is not None or decoding.median != 1:
        headline = "soft labels take a threshold alone; hysteresis and median filters are for scores by frame"
        diagnostics.add("bad-decoding", headline, RowPlace(files.name))
        return EventTable(files.name, _silent(files))
    return harden(parse_soft(files, diagnostics), decoding.threshold)


def _silent(files: ClipFiles) -> Mapping[str, tuple[Event, ...]]:
    """The clips of files that cannot be turned into events, so that no other fault follows from that."""
    return dict.fromkeys(files.clips, ())


def _add_file(format: str, file: TextFile, clip: str, rows: EventRows, how: How) -> None:
    """The events of one file."""
    known = KNOWN[format]
    if not file.text.strip() and not is_birdnet_track(file):
        rows.clips.setdefault(clip, [])
        if not known.silent_if_empty:
            rows.diagnostics.add("empty-file", "the file is empty", RowPlace(file.name), EMPTY_HELP)
    elif known.add is not None:
        known.add(file, clip, rows, *((getattr(how.reading, known.option),) if known.option else ()))
    elif format == MAPPED:
        add_mapped(file, clip, rows, _map_of(file, how))
    elif format == LAB:
        add_lab(file, clip, rows, declared=how.rate is not None)
