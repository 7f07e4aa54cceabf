"""Reads the tables of few-shot bioacoustic detection: a mark for each class, of which UNK is an ignore region."""

from collections.abc import Sequence

from tracepact.diagnostics import RowPlace
from tracepact.io.columns import offered_map
from tracepact.io.delimited import header_of, read_rows
from tracepact.io.rows import EventRows
from tracepact.io.source import TextFile, shown

FEW_SHOT = "few-shot"
COLUMNS = ("Audiofilename", "Starttime", "Endtime")
ONE_CLASS = "Q"
_MARKS = ("POS", "NEG", "UNK")


def add_few_shot(file: TextFile, clip: str, rows: EventRows) -> None:
    """The events and ignore regions of a table (rule 13.19)."""
    names = header_of(file, COLUMNS)
    cased = {name.lower(): name for name in reversed(names)}
    required = [cased.get(column.lower(), column) for column in COLUMNS]
    others = [name for name in dict.fromkeys(names) if name and name not in required]
    found = list(read_rows(file, required, rows.diagnostics, optional=others))
    marks = [list(column) for column in zip(*(fields[3:] for _, fields in found), strict=True)]
    classes = {name: column for name, column in zip(others, marks, strict=False) if set(column) & set(_MARKS)}
    if others and found and not classes:
        headline = f"no column holds the marks {', '.join(_MARKS)}"
        rows.diagnostics.add("unnamed-label-column", headline, RowPlace(file.name, 1), offered_map(names))
        return
    for index, (number, (name, start, end, *_)) in enumerate(found):
        if not (name and start and end):
            rows.add(number, name, start, end, "")
        elif not classes:
            rows.add(number, name, start, end, ONE_CLASS)
        else:
            rows.clips.setdefault(name, [])
            _add_marks(number, (name, start, end), [(label, column[index]) for label, column in classes.items()], rows)


def _add_marks(number: int, row: Sequence[str], marks: Sequence[tuple[str, str]], rows: EventRows) -> None:
    """What the marks of one row make of its interval."""
    name, start, end = row
    for label, mark in marks:
        if mark == "POS":
            rows.add(number, name, start, end, label)
        elif mark == "UNK":
            onset, offset = rows.time("Starttime", start, number), rows.time("Endtime", end, number)
            if onset is not None and offset is not None:
                rows.ignore(number, name, onset, offset, label)
        elif mark != "NEG":
            headline = f"the mark `{shown(mark)}` of `{shown(label)}` is none of {', '.join(_MARKS)}"
            rows.diagnostics.add("bad-mark", headline, RowPlace(rows.name, number), "write one of them")
