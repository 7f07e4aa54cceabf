"""Reads Audacity label tracks: one label a line; the frequencies of a label stand in a line of their own."""

from tracepact.diagnostics import RowPlace
from tracepact.io.rows import EventRows, report_time
from tracepact.io.source import TextFile, shown, text_lines

UNLABELLED = "event"
_FORM = "a label is its start, its end and its text, separated by tabs"


def add_audacity(file: TextFile, clip: str, rows: EventRows) -> None:
    """The labels of one track (rule 13.5); a track without labels is a silent clip."""
    rows.clips.setdefault(clip, [])
    follows_label = False
    for number, line in text_lines(file):
        fields = line.split("\t")
        if line.startswith("\\"):
            _check_frequencies(fields, number, follows_label, rows)
            follows_label = False
        elif len(fields) < 2:
            rows.diagnostics.add(
                "wrong-columns", f"`{shown(line)}` is not a label", RowPlace(rows.name, number), _separator_help(line)
            )
        else:
            onset, offset, label = fields[0].strip(), fields[1].strip(), " ".join(fields[2:]).strip()
            rows.add(number, clip, onset, offset, label or unlabelled(rows, number))
            follows_label = True


def unlabelled(rows: EventRows, number: int) -> str:
    """The label of an event that has none, reported."""
    rows.diagnostics.add(
        "unlabelled-event",
        f"the event has no label; it is of class `{UNLABELLED}`",
        RowPlace(rows.name, number),
        f"give it a label, or say in a label map what becomes of `{UNLABELLED}`",
    )
    return UNLABELLED


def _check_frequencies(fields: list[str], number: int, follows_label: bool, rows: EventRows) -> None:
    """A line of frequencies holds two numbers and stands behind its label."""
    place = RowPlace(rows.name, number)
    if not follows_label:
        rows.diagnostics.add("wrong-columns", "a line of frequencies follows no label", place, _FORM)
    elif len(fields) != 3:
        rows.diagnostics.add(
            "wrong-columns", "a line of frequencies has not two of them", place, "a backslash, the lowest, the highest"
        )
    else:
        for text in (field.strip() for field in fields[1:]):
            if text not in ("-1", "-1.0", "-1.000000"):  # Audacity's sign for a frequency that is not set
                report_time(rows.times, "frequency", text, rows.diagnostics, place)


def _separator_help(line: str) -> str:
    for separator, word in ((",", "commas"), (";", "`;`"), (" ", "spaces")):
        if line.count(separator) >= 2:
            return f"the fields are separated by {word}; separate them by tabs"
    return _FORM
