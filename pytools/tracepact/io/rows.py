"""Builds events by clip from rows of text, wherever they come from; a fault is a diagnostic with its row."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.io.source import shown
from tracepact.trace import Event, EventTable
from tracepact.trace.exact_times import LONGEST_TIME
from tracepact.wording import parse_exact


class Times(dict[str, Fraction]):
    """Non-negative exact times by their text, each read once; a text that denotes none raises ValueError."""

    __slots__ = ("_fractions", "_rate")

    def __init__(self, *, fractions: bool, rate: Fraction | None = None) -> None:
        """`fractions` allows `1/3` beside decimal text (which alone is a time in a table, rule 5.2).

        `rate` says how many of the units in which the times are written are a second (rule 13.18).
        """
        super().__init__()
        self._fractions = fractions
        self._rate = rate

    def __missing__(self, text: str) -> Fraction:
        if "/" in text and not self._fractions:
            raise ValueError(text)
        value = parse_exact(text)
        if value.numerator < 0:
            raise ValueError(text)
        if self._rate is not None:
            value /= self._rate
        if value >= LONGEST_TIME:
            raise ValueError(text)
        self[text] = value
        return value


@dataclass(slots=True)
class EventRows:
    """Collects the events of one side; `regions` lets the label be empty and checks the order of the ends.

    `lengths` are of clips whose files say how long they are, `ignored` what the files say is not to be judged.
    """

    name: str
    diagnostics: Diagnostics
    times: Times
    regions: bool = False
    clips: dict[str, list[Event]] = field(default_factory=dict)
    lengths: dict[str, Fraction] = field(default_factory=dict)
    ignored: dict[str, list[Event]] = field(default_factory=dict)

    def add(
        self, row: int | None, clip: str, onset: str, offset: str, label: str, where: str = "", confidence: str = ""
    ) -> None:
        """One row of text, empty where it has nothing; `where` says in words what a row number cannot."""
        self.add_all(((row, (clip, onset, offset, label, confidence)),), where)

    def add_all(self, rows: Iterable[tuple[int | None, Sequence[str]]], where: str = "") -> None:
        """Rows of clip, onset, offset, label and confidence."""
        times, clips, regions = self.times, self.clips, self.regions
        for row, (clip, onset, offset, label, confidence) in rows:
            if clip and onset and offset and (label or regions):
                try:
                    event = Event(times[onset], times[offset], label, row)
                    if confidence:
                        event.confidence = self.confidence(confidence, row, where)
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

    def add_span(
        self, row: int | None, clip: str, onset: str, length: str, label: str, where: str = "", confidence: str = ""
    ) -> None:
        """One event that lasts so long from its onset; both times and the label are given."""
        start, lasting = self.time("onset", onset, row, where), self.time("duration", length, row, where)
        if start is not None and lasting is not None:
            known = self.confidence(confidence, row, where) if confidence else None
            self.clips.setdefault(clip, []).append(Event(start, start + lasting, label, row, known))

    def ignore(self, row: int | None, clip: str, onset: Fraction, offset: Fraction, label: str = "") -> None:
        """A region that the file says is not to be judged, for a class or for all."""
        self.clips.setdefault(clip, [])
        if offset < onset:
            self._report("offset-before-onset", "the region ends before it starts", row, "")
        else:
            self.ignored.setdefault(clip, []).append(Event(onset, offset, label, row))

    def time(self, column: str, text: str, row: int | None, where: str = "") -> Fraction | None:
        """The time a text denotes; None with what is wrong with it."""
        try:
            return self.times[text]
        except ValueError:
            report_time(self.times, column, text, self.diagnostics, RowPlace(self.name, row), where)
            return None

    def confidence(self, text: str, row: int | None, where: str = "") -> Fraction | None:
        """A confidence, any number; what is none is said, and the event has none (rule 13.29)."""
        try:
            return parse_exact(text)
        except ValueError:
            help = "write decimals with a point" if "," in text else None
            self._report("bad-confidence", f"the confidence `{shown(text)}` is not a number", row, where, help)
            return None

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


_TIME_HELP = "write a number of seconds, such as `1.25`"


def _time_fault(text: str) -> tuple[str, str | None]:
    stripped = text.strip()
    try:
        found = parse_exact(stripped)
        if found < 0:
            return "is negative", "times count from the start of the clip"
        if found >= LONGEST_TIME:
            return f"is not less than 10^{len(str(LONGEST_TIME)) - 1} seconds", "check its unit (rule 13.39)"
    except ValueError:
        pass
    if stripped.lower().lstrip("+-") in ("nan", "inf", "infinity"):
        return "is not a finite number", "write the time in seconds, or leave the row out"
    help = _TIME_HELP
    if stripped.replace(",", "", 1).isdecimal():
        help = "write decimals with a point"
    elif ":" in stripped:
        help = "write the time in seconds"
    elif "/" in stripped:
        help = "write the time as a decimal"
    return "is not a decimal number of seconds", help


def uncovered(spans: Iterable[tuple[Fraction, Fraction]], end: Fraction) -> list[tuple[Fraction, Fraction]]:
    """The times from 0 to an end that no span covers."""
    reached, found = Fraction(0), []
    for start, stop in sorted(spans):
        if start > reached:
            found.append((reached, start))
        reached = max(reached, stop)
    return found + ([(reached, end)] if reached < end else [])
