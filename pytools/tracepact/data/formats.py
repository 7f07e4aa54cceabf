"""The formats of data, found by content and name, and the one way from paths to tables of events."""

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import NamedTuple

from tracepact.data.annotation_documents import (
    AOEF,
    CTM,
    JAMS,
    LAB,
    LABEL_STUDIO,
    RTTM,
    UEM,
    VIA,
    add_aoef,
    add_ctm,
    add_jams,
    add_lab,
    add_label_studio,
    add_rttm,
    add_via,
    spaced_format,
)
from tracepact.data.annotations import (
    BEGIN,
    EAF,
    END,
    SELECTION,
    SUBTITLES,
    add_audacity,
    add_eaf,
    add_raven,
    add_subtitles,
    add_textgrid,
    is_cue,
)
from tracepact.data.columns import REQUIRED as BIODCASE_COLUMNS
from tracepact.data.columns import bare_columns, header_of, read_biodcase, read_rows
from tracepact.data.data_files import ClipFiles, clip_files, open_data, report_two_files
from tracepact.data.dataset import whole_dataset
from tracepact.data.decoding import ClassDecodings, Declared, declared_decoding, decode_declared, field_events
from tracepact.data.documents import read_side
from tracepact.data.event_rows import EventRows, table_rows
from tracepact.data.events import Event, EventTable, TableOrigin
from tracepact.data.fields import read_field
from tracepact.data.readings import Columns, Reading, checked_first, checked_rate, columns_beside, columns_from
from tracepact.data.score_files import EDGES, harden, parse_scores, parse_soft
from tracepact.data.sources import (
    EMPTY_HELP,
    EVENT_COLUMNS,
    PathLike,
    TextFile,
    is_archive,
    plain_name,
    shown,
    text_lines,
)
from tracepact.data.tables import (
    AUDIOSET,
    BIRDNET,
    CROWSETTA,
    FEW_SHOT,
    FRAME,
    PAM,
    SELD,
    add_layout,
    add_mapped,
    add_seld,
    find_layout,
    fits,
    is_birdnet_track,
    is_index,
    is_seld_header,
    read_columnar_table,
    read_table,
)
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace, did_you_mean
from tracepact.wording import quoted

# The known formats: how each is read, and which one a file has, by its content and its name.

TABLE, JSON, BIODCASE, AUDACITY = "table", "json", "biodcase", "audacity"
LIST, RAVEN, TEXTGRID, MAESTRO, SCORES = "list", "raven", "textgrid", "maestro", "scores"
MAPPED = "columns"
"""The format of what a column map reads; it is found by the map, never named."""

_CUE_WITHIN = 8
"""How many lines may stand before the first times of a file of subtitles."""
_NUMBER = re.compile(r"[-+]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_COLUMNS = {BIODCASE: BIODCASE_COLUMNS, RAVEN: (SELECTION, BEGIN, END), TABLE: EVENT_COLUMNS}
_KEYS_OF_JAMS = (re.compile(r'"annotations"\s*:'), re.compile(r'"(?:file_metadata|namespace)"\s*:'))
_OF_LABEL_STUDIO = re.compile(r'\s*\[.*"(?:annotations|label|labels)"\s*:', re.DOTALL)
_KEYS_OF_VIA = (re.compile(r'"metadata"\s*:'), re.compile(r'"fid_list"\s*:'))
_KEY_OF_AOEF = re.compile(r'"(?:collection_type|sound_events|sound_event_annotations)"\s*:')


def _add_list(file: TextFile, clip: str, rows: EventRows) -> None:
    rows.clips.setdefault(clip, [])
    table = read_rows(file, EVENT_COLUMNS[1:], rows.diagnostics, optional=("confidence",))
    rows.add_all((row, (clip, *fields)) for row, fields in table)


class KnownFormat(NamedTuple):
    """How the files of a format are read, and what they are like.

    Attributes:
        add: what adds the events of a file; formats without it have a way of their own.
        option: the part of the reading that the format takes.
        is_clip: whether its files may speak of one clip each.
        is_folder: whether a folder of its files is one table; so is one of files of one clip each.
        silent_if_empty: whether an empty file is a silent clip (rule 13.26).
        endings: how its files are called, where all tools agree; lower case.
    """

    add: Callable[..., None] | None = None
    option: str = ""
    is_clip: bool = False
    is_folder: bool = True
    silent_if_empty: bool = False
    endings: tuple[str, ...] = ()


KNOWN = {
    TABLE: KnownFormat(is_folder=False),
    LIST: KnownFormat(_add_list, is_clip=True, silent_if_empty=True),
    JSON: KnownFormat(is_folder=False),
    BIODCASE: KnownFormat(is_folder=False),
    AUDACITY: KnownFormat(add_audacity, is_clip=True, silent_if_empty=True),
    RAVEN: KnownFormat(add_raven, "label_column", is_clip=True),
    TEXTGRID: KnownFormat(add_textgrid, "tiers", is_clip=True, endings=(".textgrid",)),
    MAESTRO: KnownFormat(is_clip=True, silent_if_empty=True),
    SCORES: KnownFormat(is_clip=True),
    **dict.fromkeys((PAM, BIRDNET, CROWSETTA, AUDIOSET, FEW_SHOT), KnownFormat(add_layout, "label_column")),
    RTTM: KnownFormat(add_rttm, silent_if_empty=True, endings=(".rttm",)),
    CTM: KnownFormat(add_ctm, silent_if_empty=True, endings=(".ctm",)),
    LAB: KnownFormat(is_clip=True, silent_if_empty=True, endings=(".lab", ".phn", ".wrd")),
    EAF: KnownFormat(add_eaf, "tiers", is_clip=True, endings=(".eaf",)),
    JAMS: KnownFormat(add_jams, "tiers", is_clip=True, endings=(".jams",)),
    AOEF: KnownFormat(add_aoef, "label_column"),
    SELD: KnownFormat(add_seld, "first_frame", is_clip=True, silent_if_empty=True),
    SUBTITLES: KnownFormat(add_subtitles, is_clip=True, endings=(".srt", ".vtt")),
    LABEL_STUDIO: KnownFormat(add_label_studio),
    VIA: KnownFormat(add_via),
    MAPPED: KnownFormat(),
}
FORMATS = tuple(format for format in KNOWN if format != MAPPED)
ENDINGS = {format: known.endings for format, known in KNOWN.items() if known.endings}
CLIP_FORMATS = frozenset(format for format, known in KNOWN.items() if known.is_clip)


def taking(option: str) -> tuple[str, ...]:
    """The formats that take a part of a reading."""
    return tuple(format for format, known in KNOWN.items() if known.option == option)


def find_format(file: TextFile) -> str | None:
    """The format of a file; None if it is empty and its name says nothing. What looks like no other is a table."""
    # From what can hardly be mistaken to what is open: braces, tags and marks come before rows, and a table is the
    # rest.
    tail = plain_name(file.name).lower()
    if not file.text.strip():
        return next((format for format in (TEXTGRID, EAF) if tail.endswith(ENDINGS[format])), None)
    if file.is_json or tail.endswith(ENDINGS[JAMS]):
        return _of_json(file)
    if file.text.lstrip().startswith("<") or tail.endswith(ENDINGS[EAF]):
        return EAF
    if "ooTextFile" in file.text[:200] or tail.endswith(ENDINGS[TEXTGRID]):
        return TEXTGRID
    if tail.endswith(ENDINGS[SUBTITLES]) or any(is_cue(line) for _, line in islice(text_lines(file), _CUE_WITHIN)):
        return SUBTITLES
    if is_birdnet_track(file):
        return BIRDNET
    # Before tables: a row of RTTM has neither tabs nor commas, and would be a header of one column.
    if (spaced := spaced_format(file)) is not None:
        return spaced
    _, first = next(text_lines(file))
    fields = header_of(file, EVENT_COLUMNS)
    if fields and (_NUMBER.fullmatch(fields[0]) or first.startswith("\\")):
        return _without_header(file, first, fields)
    return SELD if is_seld_header(fields) and "," in first else _of_header(file, fields)


def is_known_table(file: TextFile) -> bool:
    """Whether a file that was taken for a table has one of its columns but the file name, or none and no header."""
    names = header_of(file, EVENT_COLUMNS)
    return len(names) == 1 or bare_columns(names) is not None or _shared(EVENT_COLUMNS[1:], names) > 0


def _of_json(file: TextFile) -> str:
    if all(key.search(file.text) for key in _KEYS_OF_JAMS) or file.name.lower().endswith(ENDINGS[JAMS]):
        return JAMS
    if _OF_LABEL_STUDIO.match(file.text):
        return LABEL_STUDIO
    if all(key.search(file.text) for key in _KEYS_OF_VIA):
        return VIA
    return AOEF if _KEY_OF_AOEF.search(file.text) else JSON


def _of_header(file: TextFile, names: Sequence[str]) -> str:
    """The format that the columns of a table show."""
    if bare_columns(names):
        return TABLE
    if set(EDGES) <= {name.lower() for name in names} and (
        not _shared(("filename", "event_label"), names) or _holds_scores(file, names)
    ):
        return SCORES
    if set(names) == set(EVENT_COLUMNS[1:]):  # with any other column it is a table whose `filename` is missing
        return LIST
    found = max(_COLUMNS, key=lambda name: (_shared(_COLUMNS[name], names), name == TABLE))
    if _shared(_COLUMNS[found], names) < len(_COLUMNS[found]) and (layout := find_layout(names)) is not None:
        return layout.format
    return found if _shared(_COLUMNS[found], names) else TABLE


def _without_header(file: TextFile, first: str, fields: Sequence[str]) -> str | None:
    """Audacity labels or soft labels, which have no header; a table whose header is missing names its clip first."""
    if len(fields) == 4 and _NUMBER.fullmatch(fields[3]) and not _NUMBER.fullmatch(fields[2]):
        return MAESTRO
    if len(fields) in (5, 6) and "\t" not in first and all(map(is_index, fields[:2])):
        return SELD if all(map(_NUMBER.fullmatch, fields)) else TABLE
    return AUDACITY if len(fields) < 4 or any(line.startswith("\\") for _, line in text_lines(file)) else TABLE


def _holds_scores(file: TextFile, names: Sequence[str]) -> bool:
    """Whether a table with a clip a row has numbers in all further columns: scores of many clips, not events."""
    _, first = next(islice(text_lines(file), 1, None), (0, ""))
    fields = [field.strip() for field in first.split("\t" if "\t" in first else ",")]
    others = [field for name, field in zip(names, fields, strict=False) if name.lower() not in ("filename", *EDGES)]
    return "event_label" not in names and len(fields) == len(names) > 3 and all(map(_NUMBER.fullmatch, others))


def _shared(columns: Sequence[str], names: Sequence[str]) -> int:
    """How many of the columns the names hold, in whatever case."""
    return len({column.lower() for column in columns} & {name.lower() for name in names})


# Reads one side from a file or a folder, whatever its format: the one way from paths to tables of events.


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
