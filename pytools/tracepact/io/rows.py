"""Builds events by clip from rows of text, wherever they come from; a fault is a diagnostic with its row."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.io.source import shown
from tracepact.trace import Event, EventTable
from tracepact.wording import parse_exact


class Times(dict[str, Fraction]):
    """Non-negative exact times by their text, each read once; a text that denotes none raises ValueError."""

    __slots__ = ("_fractions",)

    def __init__(self, *, fractions: bool) -> None:
        """`fractions` allows `1/3` beside decimal text (which alone is a time in a table, rule 5.2)."""
        super().__init__()
        self._fractions = fractions

    def __missing__(self, text: str) -> Fraction:
        if "/" in text and not self._fractions:
            raise ValueError(text)
        value = parse_exact(text)
        if value.numerator < 0:
            raise ValueError(text)
        self[text] = value
        return value


@dataclass(slots=True)
class EventRows:
    """Collects the events of one side; `regions` lets the label be empty and checks the order of the ends.

    `lengths` are of clips whose files say how long they are.
    """

    name: str
    diagnostics: Diagnostics
    times: Times
    regions: bool = False
    clips: dict[str, list[Event]] = field(default_factory=dict)
    lengths: dict[str, Fraction] = field(default_factory=dict)

    def add(self, row: int | None, clip: str, onset: str, offset: str, label: str, where: str = "") -> None:
        """One row of text, empty where it has nothing; `where` says in words what a row number cannot."""
        self.add_all(((row, (clip, onset, offset, label)),), where)

    def add_all(self, rows: Iterable[tuple[int | None, Sequence[str]]], where: str = "") -> None:
        """Rows of clip, onset, offset and label."""
        times, clips, regions = self.times, self.clips, self.regions
        for row, (clip, onset, offset, label) in rows:
            if clip and onset and offset and (label or regions):
                try:
                    event = Event(times[onset], times[offset], label, row)
                except ValueError:
                    self._report_times(row, onset, offset, where)
                    continue
                if regions and event.offset < event.onset:
                    self._report("offset-before-onset", f"offset `{offset}` lies before onset `{onset}`", row, where)
                elif clip in clips:
                    clips[clip].append(event)
                else:
                    clips[clip] = [event]
            elif clip and not (onset or offset or label):
                clips.setdefault(clip, [])
            else:
                self._report_gaps(row, clip, onset, offset, label, where)

    def table(self, digest: str | None = None) -> EventTable:
        """What was read."""
        clips: Mapping[str, tuple[Event, ...]] = {clip: tuple(events) for clip, events in self.clips.items()}
        return EventTable(self.name, clips, digest)

    def _report_times(self, row: int | None, onset: str, offset: str, where: str) -> None:
        for column, text in (("onset", onset), ("offset", offset)):
            report_time(self.times, column, text, self.diagnostics, RowPlace(self.name, row), where)

    def _report_gaps(self, row: int | None, clip: str, onset: str, offset: str, label: str, where: str) -> None:
        named = {"filename": clip, "onset": onset, "offset": offset, "event_label": label}
        if self.regions:
            del named["event_label"]
        empty = " and ".join(f"`{column}`" for column, text in named.items() if not text)
        help = (
            "every row names its clip"
            if not clip
            else "an event has onset, offset and label; a silent clip has none of them"
            if not self.regions
            else "a region has onset and offset; only its label may be empty"
        )
        self._report("incomplete-row", f"the row has no {empty}", row, where, help)

    def _report(self, code: str, headline: str, row: int | None, where: str, help: str | None = None) -> None:
        self.diagnostics.add(code, where + headline, RowPlace(self.name, row), help)


def report_time(
    times: Times, column: str, text: str, diagnostics: Diagnostics, place: RowPlace, where: str = ""
) -> None:
    """Say what is wrong with a time, if anything is."""
    try:
        times[text]
    except ValueError:
        fault, help = _time_fault(text)
        diagnostics.add("bad-time", f"{where}{column} `{shown(text)}` {fault}", place, help)


def _time_fault(text: str) -> tuple[str, str | None]:
    stripped = text.strip()
    try:
        if parse_exact(stripped) < 0:
            return "is negative", "times count from the start of the clip"
    except ValueError:
        pass
    if stripped.lower().lstrip("+-") in ("nan", "inf", "infinity"):
        return "is not a finite number", None
    help = None
    if stripped.replace(",", "", 1).isdecimal():
        help = "write decimals with a point"
    elif ":" in stripped:
        help = "write the time in seconds"
    elif "/" in stripped:
        help = "write the time as a decimal"
    return "is not a decimal number of seconds", help
