"""Reads SELD files: a row for each frame and active source; frames that follow one another are an event (13.24)."""

from fractions import Fraction

from tracepact.diagnostics import RowPlace
from tracepact.io.rows import EventRows
from tracepact.io.source import TextFile, shown, text_lines
from tracepact.trace import Event
from tracepact.wording import count

SELD = "seld"
FRAME = Fraction(1, 10)
_WIDTHS = (4, 5, 6)
_LONGEST = 12


def add_seld(file: TextFile, clip: str, rows: EventRows) -> None:
    """The events of one clip; a file without rows is a silent clip."""
    active: dict[tuple[str, str], dict[int, int]] = {}
    for number, line in text_lines(file):
        fields = [field.strip() for field in line.split(",")]
        place = RowPlace(rows.name, number)
        if len(fields) not in _WIDTHS:
            headline = f"the row has {count(len(fields), 'field')}, not five or six"
            rows.diagnostics.add("wrong-columns", headline, place, "frame, class, source, azimuth, elevation, distance")
            continue
        source = fields[2] if len(fields) > 4 else ""
        if wrong := [text for text in (fields[0], fields[1]) if not is_index(text)]:
            headline = f"`{shown(wrong[0])}` is not a number of a frame or class"
            rows.diagnostics.add("wrong-columns", headline, place, "frames and classes are whole numbers from 0")
            continue
        frames = active.setdefault((str(int(fields[1])), source), {})
        if frames.setdefault(int(fields[0]), number) != number:
            headline = f"frame {fields[0]} of class {fields[1]} and source `{shown(source)}` is there twice"
            rows.diagnostics.add("duplicate-row", headline, place)
    found = [event for (label, _), frames in active.items() for event in _events(label, frames)]
    rows.clips.setdefault(clip, []).extend(sorted(found, key=lambda e: (e.onset, e.offset, e.row or 0)))


def is_index(text: str) -> bool:
    """Whether a text is a whole number from 0, of a length that frames have."""
    return text.isascii() and text.isdecimal() and len(text) <= _LONGEST


def _events(label: str, frames: dict[int, int]) -> list[Event]:
    """The runs of frames, each with the row of its first."""
    found: list[Event] = []
    first: int | None = None
    for frame in sorted(frames):
        if first is None:
            first = frame
        if frame + 1 not in frames:
            found.append(Event(first * FRAME, (frame + 1) * FRAME, label, frames[first]))
            first = None
    return found
