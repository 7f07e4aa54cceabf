"""The formats of data and how one is found: from the content of a file, then from its name (rule 13.1)."""

import re
from collections.abc import Sequence
from itertools import islice

from tracepact.io.biodcase import REQUIRED as BIODCASE_COLUMNS
from tracepact.io.delimited import is_event_row
from tracepact.io.raven import BEGIN, END, SELECTION, header_names
from tracepact.io.scores import EDGES
from tracepact.io.source import TextFile, text_lines
from tracepact.io.tables import EVENT_COLUMNS

TABLE, JSON, BIODCASE, AUDACITY = "table", "json", "biodcase", "audacity"
LIST, RAVEN, TEXTGRID, MAESTRO, SCORES = "list", "raven", "textgrid", "maestro", "scores"
FORMATS = (TABLE, LIST, JSON, BIODCASE, AUDACITY, RAVEN, TEXTGRID, MAESTRO, SCORES)
CLIP_FORMATS = frozenset({LIST, AUDACITY, RAVEN, TEXTGRID, MAESTRO, SCORES})
"""The formats whose files may speak of one clip each."""

_NUMBER = re.compile(r"[-+]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_COLUMNS = {BIODCASE: BIODCASE_COLUMNS, RAVEN: (SELECTION, BEGIN, END), TABLE: EVENT_COLUMNS}


def find_format(file: TextFile) -> str | None:
    """The format of a file; None if it is empty and its name says nothing. What looks like no other is a table."""
    if not file.text.strip():
        return TEXTGRID if file.name.lower().endswith(".textgrid") else None
    if file.is_json:
        return JSON
    if "ooTextFile" in file.text[:200] or file.name.lower().endswith(".textgrid"):
        return TEXTGRID
    _, first = next(text_lines(file))
    fields = [field.strip() for field in first.split("\t" if "\t" in first else ",")]
    if _NUMBER.fullmatch(fields[0]) or first.startswith("\\"):
        return _without_header(file, fields)
    names = header_names(file)
    if is_event_row(names):
        return TABLE
    if set(EDGES) <= {name.lower() for name in names} and (
        not _shared(("filename", "event_label"), names) or _holds_scores(file, names)
    ):
        return SCORES
    if set(names) == set(EVENT_COLUMNS[1:]):  # with any other column it is a table whose `filename` is missing
        return LIST
    found = max(_COLUMNS, key=lambda name: (_shared(_COLUMNS[name], names), name == TABLE))
    return found if _shared(_COLUMNS[found], names) else TABLE


def _without_header(file: TextFile, fields: Sequence[str]) -> str | None:
    """Audacity labels or soft labels, which have no header; a table whose header is missing names its clip first."""
    if len(fields) == 4 and _NUMBER.fullmatch(fields[3]) and not _NUMBER.fullmatch(fields[2]):
        return MAESTRO
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
