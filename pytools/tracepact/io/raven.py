"""Reads Raven selection tables: a row for each view of a selection, which is one event all the same."""

import csv
import re
from dataclasses import dataclass
from fractions import Fraction

from tracepact.diagnostics import Diagnostics, RowPlace, did_you_mean
from tracepact.io.audacity import unlabelled
from tracepact.io.delimited import read_rows
from tracepact.io.rows import EventRows, report_time
from tracepact.io.source import TextFile, shown, text_lines
from tracepact.trace import Event

SELECTION, BEGIN, END = "Selection", "Begin Time (s)", "End Time (s)"
BEGIN_FILE, BEGIN_PATH, FILE_OFFSET = "Begin File", "Begin Path", "File Offset (s)"
_CONFIDENCE, _NO_CALL = "Confidence", "nocall"
_ENDING = re.compile(r"(?:\.BirdNET)?(?:\.Table\.\d+)?\.selections?(?:\.table)?$", re.IGNORECASE)
_WORDS_OF_RAVEN = frozenset({"Selection", "View", "Channel", "Begin Path", "End Path", "Begin File", "End File"})
_LABELS_BY_CUSTOM = ("Annotation", "Species", "Label", "Call Type", "Tags", "Common Name")


@dataclass(frozen=True, slots=True)
class _View:
    """What one row says of its selection."""

    clip: str
    onset: Fraction
    offset: Fraction
    label: str


def add_raven(file: TextFile, clip: str, rows: EventRows, label_column: str | None = None) -> None:
    """The selections of a table (rule 13.6); a table without rows is a silent clip.

    With the columns `Begin File` and `File Offset (s)` each row names its own clip, else `clip` is that of all.
    `Begin Path`, as BirdNET writes it, does what `Begin File` does; its last name is the clip (rule 13.17).
    """
    clip = _ENDING.sub("", clip) or clip
    names = header_names(file)
    if not {SELECTION, BEGIN, END} & set(names):
        rows.clips.setdefault(clip, [])
        list(read_rows(file, (SELECTION, BEGIN, END), rows.diagnostics))  # says what is wrong with the header
        return
    label = _label_column(names, label_column, RowPlace(file.name, 1), rows.diagnostics)
    begin = next((name for name in (BEGIN_FILE, BEGIN_PATH) if name in names and FILE_OFFSET in names), None)
    if begin is None:
        rows.clips.setdefault(clip, [])
    if label is None:
        return
    columns = (SELECTION, BEGIN, END, label, *((begin, FILE_OFFSET) if begin else ()))
    seen: dict[str, tuple[int, _View]] = {}
    for number, fields in read_rows(file, columns, rows.diagnostics, optional=(_CONFIDENCE,)):
        selection, start, end, text, *place, sure = (field.strip() for field in fields)
        if begin == BEGIN_PATH:
            place[0] = re.split(r"[\\/]", place[0])[-1]
        view = _view(start, end, text, place or [clip, start], number, rows)
        if view is None:
            continue
        if text == _NO_CALL and begin == BEGIN_PATH:  # BirdNET's row for a file without detections
            rows.clips.setdefault(view.clip, [])
            continue
        if not selection:
            rows.diagnostics.add("incomplete-row", f"the row has no `{SELECTION}`", RowPlace(file.name, number))
            continue
        line, first = seen.setdefault(selection, (number, view))
        if line == number:
            event = Event(view.onset, view.offset, view.label or unlabelled(rows, number), number)
            event.confidence = rows.confidence(sure, number) if sure else None
            rows.clips.setdefault(view.clip, []).append(event)
        elif view != first:
            rows.diagnostics.add(
                "conflicting-selection",
                f"selection {shown(selection)} has other times or another label than on line {line}",
                RowPlace(file.name, number),
                "the views of a selection agree; give different selections different numbers",
            )


def header_names(file: TextFile) -> list[str]:
    """The fields of the first line that is not blank, separated by tabs, or by commas where there is no tab."""
    _, line = next(text_lines(file), (1, ""))
    return [name.strip() for name in next(csv.reader([line], delimiter="\t" if "\t" in line else ","), [])]


def _view(begin: str, end: str, label: str, place: list[str], number: int, rows: EventRows) -> _View | None:
    """One row, or None with what is wrong with its times."""
    clip, first = place
    before = len(rows.diagnostics)
    for column, text in ((BEGIN, begin), (END, end), (FILE_OFFSET, first)):
        if column != FILE_OFFSET or text != begin:
            report_time(rows.times, column, text, rows.diagnostics, RowPlace(rows.name, number))
    if not clip:
        rows.diagnostics.add("incomplete-row", f"the row has no `{BEGIN_FILE}`", RowPlace(rows.name, number))
    if len(rows.diagnostics) > before:
        return None
    onset = rows.times[first]
    return _View(clip, onset, onset + rows.times[end] - rows.times[begin], label)


def _label_column(names: list[str], asked: str | None, place: RowPlace, diagnostics: Diagnostics) -> str | None:
    """The column of the labels: the one that is named, or the one that is neither a measure nor a word of Raven's."""
    if asked is not None:
        if asked in names:
            return asked
        others = [name for name in names if name not in _WORDS_OF_RAVEN and "(" not in name]
        help = did_you_mean(asked, others)
        diagnostics.add("wrong-columns", f"there is no column `{shown(asked)}`", place, help)
        return None
    free = [name for name in names if name and name not in _WORDS_OF_RAVEN and "(" not in name]
    free = [name for name in free if name != _CONFIDENCE] or free
    chosen = free if len(free) == 1 else [name for name in free if name.title() in _LABELS_BY_CUSTOM]
    if len(chosen) == 1:
        return chosen[0]
    if not free:
        diagnostics.add(
            "unnamed-label-column",
            "the table has no column that could hold labels: all are Raven's own",
            place,
            f"add an annotation column in Raven, such as `{_LABELS_BY_CUSTOM[0]}`, and save the table again",
        )
        return None
    diagnostics.add(
        "unnamed-label-column",
        f"nothing says which column holds the labels; there are {', '.join(f'`{name}`' for name in free)}",
        place,
        "name it: --label-column on the command line, Reading(label_column=…) in Python",
    )
    return None
