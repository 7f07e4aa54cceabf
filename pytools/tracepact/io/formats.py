"""The formats of data and how one is found: from the content of a file, then from its name (rule 13.1)."""

import re
from collections.abc import Sequence
from itertools import islice

from tracepact.io.aoef import AOEF
from tracepact.io.biodcase import REQUIRED as BIODCASE_COLUMNS
from tracepact.io.delimited import bare_columns
from tracepact.io.eaf import EAF
from tracepact.io.few_shot import COLUMNS as FEW_SHOT_COLUMNS
from tracepact.io.few_shot import FEW_SHOT
from tracepact.io.jams import JAMS
from tracepact.io.mapped import AUDIOSET, BIRDNET, CROWSETTA, PAM, find_layout
from tracepact.io.raven import BEGIN, END, SELECTION, header_names
from tracepact.io.scores import EDGES
from tracepact.io.seld import SELD, is_index
from tracepact.io.source import TextFile, text_lines
from tracepact.io.spaced import CTM, LAB, RTTM, spaced_format
from tracepact.io.tables import EVENT_COLUMNS

TABLE, JSON, BIODCASE, AUDACITY = "table", "json", "biodcase", "audacity"
LIST, RAVEN, TEXTGRID, MAESTRO, SCORES = "list", "raven", "textgrid", "maestro", "scores"
MAPPED = "columns"
"""The format of what a column map reads; it is found by the map, never named."""

LAYOUTS = (PAM, BIRDNET, CROWSETTA, AUDIOSET)
FORMATS = (
    *(TABLE, LIST, JSON, BIODCASE, AUDACITY, RAVEN, TEXTGRID, MAESTRO, SCORES),
    *(*LAYOUTS, FEW_SHOT, RTTM, CTM, LAB, EAF, JAMS, AOEF, SELD),
)
CLIP_FORMATS = frozenset({LIST, AUDACITY, RAVEN, TEXTGRID, MAESTRO, SCORES, LAB, EAF, JAMS, SELD})
"""The formats whose files may speak of one clip each."""

FOLDER_FORMATS = CLIP_FORMATS | {*LAYOUTS, FEW_SHOT, RTTM, CTM, AOEF, MAPPED}
"""The formats of which a folder of files is one table."""

SILENT_IF_EMPTY = frozenset({LIST, AUDACITY, MAESTRO, LAB, SELD, RTTM, CTM})
"""The formats of which an empty file is a silent clip (rule 13.26)."""

ENDINGS = {
    **{format: (f".{format}",) for format in (TEXTGRID, EAF, JAMS, RTTM, CTM)},
    LAB: (".lab", ".phn", ".wrd"),
}
"""How the files of a format are called, where all tools agree; lower case."""

_NUMBER = re.compile(r"[-+]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_COLUMNS = {BIODCASE: BIODCASE_COLUMNS, RAVEN: (SELECTION, BEGIN, END), TABLE: EVENT_COLUMNS}
_KEYS_OF_JAMS = (re.compile(r'"annotations"\s*:'), re.compile(r'"(?:file_metadata|namespace)"\s*:'))
_KEY_OF_AOEF = re.compile(r'"(?:collection_type|sound_events|sound_event_annotations)"\s*:')


def find_format(file: TextFile) -> str | None:
    """The format of a file; None if it is empty and its name says nothing. What looks like no other is a table."""
    tail = file.name.lower()
    if not file.text.strip():
        return next((format for format in (TEXTGRID, EAF) if tail.endswith(ENDINGS[format])), None)
    if file.is_json or tail.endswith(ENDINGS[JAMS]):
        return _of_json(file)
    if file.text.lstrip().startswith("<") or tail.endswith(ENDINGS[EAF]):
        return EAF
    if "ooTextFile" in file.text[:200] or tail.endswith(ENDINGS[TEXTGRID]):
        return TEXTGRID
    if (spaced := spaced_format(file)) is not None:
        return spaced
    _, first = next(text_lines(file))
    fields = [field.strip() for field in first.split("\t" if "\t" in first else ",")]
    if _NUMBER.fullmatch(fields[0]) or first.startswith("\\"):
        return _without_header(file, first, fields)
    return _of_header(file, header_names(file))


def is_known_table(file: TextFile) -> bool:
    """Whether a file that was taken for a table has one of its columns but the file name, or none and no header."""
    names = header_names(file)
    return len(names) == 1 or bare_columns(names) is not None or _shared(EVENT_COLUMNS[1:], names) > 0


def _of_json(file: TextFile) -> str:
    if all(key.search(file.text) for key in _KEYS_OF_JAMS) or file.name.lower().endswith(ENDINGS[JAMS]):
        return JAMS
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
    if _shared(FEW_SHOT_COLUMNS, names) == len(FEW_SHOT_COLUMNS):
        return FEW_SHOT
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
