"""Reads one side from a file or a folder, whatever its format: the one way from paths to tables of events."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from tracepact.diagnostics import Diagnostics, RowPlace, did_you_mean
from tracepact.io.audacity import add_audacity
from tracepact.io.biodcase import read_biodcase
from tracepact.io.decoding import Decoding, checked_decoding, decode
from tracepact.io.delimited import read_rows
from tracepact.io.documents import read_side
from tracepact.io.files import ClipFiles, clip_files
from tracepact.io.formats import (
    AUDACITY,
    BIODCASE,
    CLIP_FORMATS,
    FORMATS,
    JSON,
    LIST,
    MAESTRO,
    RAVEN,
    SCORES,
    TABLE,
    TEXTGRID,
    find_format,
)
from tracepact.io.raven import add_raven
from tracepact.io.rows import EventRows, Times
from tracepact.io.scores import parse_scores
from tracepact.io.soft import harden, parse_soft
from tracepact.io.source import PathLike, TextFile, read_text, shown
from tracepact.io.tables import EVENT_COLUMNS, read_table
from tracepact.io.textgrid import add_textgrid
from tracepact.trace import Event, EventTable, Origin, Time


@dataclass(frozen=True, slots=True)
class Reading:
    """What the content of a file does not say: its format, where its labels are, how its scores become events.

    Attributes:
        format: one of the formats of rule 13.1; None finds it from the content and the name.
        label_column: the column of a Raven table that holds the labels.
        tiers: the tiers of a TextGrid that are read; all of them if there are none here.
        decoding: how scores become events, or a threshold alone.

    Examples:
        >>> import tracepact
        >>> tracepact.Reading(format="textgrid", tiers=("words",)).tiers
        ('words',)
    """

    format: str | None = None
    label_column: str | None = None
    tiers: tuple[str, ...] = ()
    decoding: Decoding | Time | None = None


def read_events(path: PathLike, diagnostics: Diagnostics, reading: Reading | None = None) -> EventTable:
    """The events of one side: a file of any format of rule 13.1, or a folder of files, one a clip.

    In a table a row with a filename alone is a silent clip. A header without rows is a table without clips.
    """
    how = reading or Reading()
    if how.format is not None and how.format not in FORMATS:
        diagnostics.add(
            "unknown-format", f"there is no format `{shown(how.format)}`", help=did_you_mean(how.format, FORMATS)
        )
        return EventTable(str(path), {})
    if os.path.isdir(path):
        return _read_folder(path, how, diagnostics)
    file = read_text(path, diagnostics, may_be_empty=how.format in (AUDACITY, MAESTRO))
    if file is None:
        return EventTable(str(path), {})
    format = how.format or find_format(file) or TABLE
    if format in (TABLE, JSON):
        read = read_side if format == JSON else read_table
        return replace(read(file, diagnostics), origin=Origin(format))
    if format == BIODCASE:
        return read_biodcase(file, diagnostics)
    files = clip_files(path, diagnostics)
    return EventTable(str(path), {}) if files is None else _read_clips(files, format, how, diagnostics)


def report_unused_readings(sides: Sequence[tuple[Reading, EventTable]], diagnostics: Diagnostics) -> None:
    """Warn of what was said about the sides and has no use for any of them (rule 13.15)."""
    if diagnostics.errors:
        return
    for reading, table in sides:
        if reading.decoding is not None and not (table.origin and table.origin.decoding):
            headline = f"`{shown(table.name)}` holds events, not scores; the threshold given for it has no use"
            diagnostics.add("unused-reading", headline, RowPlace(table.name), "leave it out, or give the scores")
    formats = {table.origin.format for _, table in sides if table.origin}
    for format, word, used in (
        (RAVEN, "column of the labels", any(reading.label_column is not None for reading, _ in sides)),
        (TEXTGRID, "tier", any(reading.tiers for reading, _ in sides)),
    ):
        if used and formats and format not in formats:
            headline = f"a {word} was named, but nothing here is of the format `{format}`"
            diagnostics.add("unused-reading", headline, RowPlace(sides[0][1].name), "leave it out")


def read_score_texts(
    name: str, texts: Mapping[str, str], decoding: Decoding | Time | None, diagnostics: Diagnostics
) -> EventTable:
    """Scores that are in memory, by clip, as the texts of their files; they have no digest."""
    files = {clip: TextFile(f"{name}[{clip}]", text, "") for clip, text in texts.items()}
    table = _read_scored(ClipFiles(name, files, ""), SCORES, decoding, diagnostics)
    return replace(table, digest=None, origin=table.origin and replace(table.origin, files={}))


def _read_folder(path: PathLike, how: Reading, diagnostics: Diagnostics) -> EventTable:
    """A folder of files, one a clip."""
    files = clip_files(path, diagnostics)
    if files is None:
        return EventTable(str(path), {})
    format = how.format or _common_format(files, diagnostics)
    if format is not None and format not in CLIP_FORMATS:
        diagnostics.add(
            "unreadable-file",
            f"`{shown(str(path))}` is a directory, and its files are of the format `{format}`",
            RowPlace(str(path)),
            "give the table itself; a folder holds one file a clip",
        )
        format = None
    return EventTable(str(path), {}) if format is None else _read_clips(files, format, how, diagnostics)


def _common_format(files: ClipFiles, diagnostics: Diagnostics) -> str | None:
    """The format of all files; those without content have that of the others, and each that has another is reported."""
    found = {file.name: format for file in files.clips.values() if (format := find_format(file)) is not None}
    if not found:
        headline = f"the files of `{shown(files.name)}` are all empty; nothing says what they are"
        diagnostics.add("unknown-format", headline, RowPlace(files.name), "name it: --ref-format or --pred-format")
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


def _read_clips(files: ClipFiles, format: str, how: Reading, diagnostics: Diagnostics) -> EventTable:
    """Files that speak of one clip each."""
    if format in (SCORES, MAESTRO):
        return _read_scored(files, format, how.decoding, diagnostics)
    clips: dict[str, tuple[Event, ...]] = {}
    named: dict[str, str] = {}
    lengths: dict[str, Fraction] = {}
    for clip, file in files.clips.items():
        rows = EventRows(file.name, diagnostics, Times(fractions=False))
        _add(format, file, clip, rows, how)
        for own, events in rows.clips.items():
            if own in clips:
                headline = f"clip `{shown(own)}` has two files"
                diagnostics.add("ambiguous-clip", headline, RowPlace(file.name), f"the other is `{named[own]}`")
                continue
            clips[own] = tuple(events)
            named[own] = file.name
        lengths |= rows.lengths
    return EventTable(files.name, clips, files.digest, Origin(format, named, None, lengths))


def _add(format: str, file: TextFile, clip: str, rows: EventRows, how: Reading) -> None:
    if format == AUDACITY:
        add_audacity(file, clip, rows)
    elif not file.text.strip():
        rows.clips.setdefault(clip, [])
        rows.diagnostics.add("empty-file", "the file is empty", RowPlace(file.name), "not even a header is there")
    elif format == LIST:
        rows.clips.setdefault(clip, [])
        rows.add_all((row, (clip, *fields)) for row, fields in read_rows(file, EVENT_COLUMNS[1:], rows.diagnostics))
    elif format == RAVEN:
        add_raven(file, clip, rows, how.label_column)
    else:
        add_textgrid(file, clip, rows, how.tiers)


def _read_scored(files: ClipFiles, format: str, given: Decoding | Time | None, diagnostics: Diagnostics) -> EventTable:
    """Scores or soft labels, made events by the declared decoding."""
    if given is None:
        diagnostics.add(
            "undeclared-threshold",
            f"`{shown(files.name)}` holds {'scores' if format == SCORES else 'soft labels'}, and nothing says how they "
            "become events",
            RowPlace(files.name),
            "declare a threshold: --threshold for predictions, --ref-threshold for references; in Python a Decoding",
        )
        return EventTable(files.name, _silent(files))
    decoding = checked_decoding(given, diagnostics)
    if decoding is None:
        return EventTable(files.name, _silent(files))
    if format == SCORES:
        return decode(parse_scores(files.name, files.clips, files.digest, diagnostics), decoding)
    if decoding.low is not None or decoding.median != 1:
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
