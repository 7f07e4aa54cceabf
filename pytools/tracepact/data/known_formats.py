"""The formats of data: how each is read, and which one a file has, by its content and its name."""

import re
from collections.abc import Callable, Sequence
from itertools import islice
from typing import NamedTuple

from tracepact.data.annotation_documents import (
    AOEF,
    CTM,
    JAMS,
    LAB,
    LABEL_STUDIO,
    RTTM,
    VIA,
    add_aoef,
    add_ctm,
    add_jams,
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
from tracepact.data.columns import bare_columns, header_of, read_rows
from tracepact.data.event_rows import EventRows
from tracepact.data.score_files import EDGES
from tracepact.data.sources import EVENT_COLUMNS, TextFile, plain_name, text_lines
from tracepact.data.tables import (
    AUDIOSET,
    BIRDNET,
    CROWSETTA,
    FEW_SHOT,
    PAM,
    SELD,
    add_layout,
    add_seld,
    find_layout,
    is_birdnet_track,
    is_index,
    is_seld_header,
)

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
