"""Events by clip from rows of text, with what becomes of odd units and of events outside their clip."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

import numpy as np

from tracepact.data.events import (
    LONGEST_TIME,
    Durations,
    Event,
    EventTable,
    Lengths,
    common_unit,
    length_of,
    ratios,
    ticks,
)
from tracepact.data.readings import CLOCK
from tracepact.data.sources import shown
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace, did_you_mean
from tracepact.records import Record
from tracepact.wording import count, parse_exact, print_number, seconds

# Times that look like milliseconds where seconds are read (rule 13.37).

THOUSAND = 1000
BEYOND = 10
"""An event is far beyond its clip if it ends after so many times the clip's length."""
STRAY = 20
"""Of as many events, one may end outside its clip even as milliseconds: detectors run over the ends of clips."""
FEW = 5
"""The least number of events that say something of the unit of the durations."""
_ROOM = (1 << 62) // THOUSAND


class Ends(Record, frozen=True):
    """How the ends of a side's events compare with the lengths of their clips, in counts, which add up over clips.

    `events` are on clips of a known length. Of them `far` end far beyond it and `outside` even as milliseconds; `tiny`
    end within a thousandth of a clip that lasts whole seconds.
    """

    events: int = 0
    far: int = 0
    outside: int = 0
    tiny: int = 0

    def __add__(self, other: "Ends") -> "Ends":
        return Ends(
            self.events + other.events, self.far + other.far, self.outside + other.outside, self.tiny + other.tiny
        )


def ends_of(table: EventTable, durations: Lengths) -> Ends:
    """The ends of a table's events against the lengths of their clips, as far as these are known."""
    # In counts, so that batches of a large side add up to what the whole would say.
    lengths = [length_of(durations, clip) for clip in table.clips]
    measured = ratios(Fraction(0) if length is None else length for length in lengths)
    unit = common_unit(measured, table.times)
    events = [len(some) for some in table.clips.values()]
    known = np.repeat(np.array([length is not None for length in lengths], dtype=np.bool_), events)
    length, end = np.repeat(ticks(measured, unit), events)[known], ticks(table.times, unit).reshape(2, -1)[1][known]
    # A thousand times the largest must still fit into int64.
    if max(max(length, default=0), max(end, default=0)) > _ROOM:
        length, end = length.astype(np.object_), end.astype(np.object_)
    return Ends(
        len(end),
        int((end > BEYOND * length).sum()),
        int((end > THOUSAND * length).sum()),
        int(((length % unit == 0) & (THOUSAND * end <= length)).sum()),
    )


def report_milliseconds(
    reference: EventTable, prediction: EventTable, durations: Lengths, diagnostics: Diagnostics
) -> None:
    """Warn of a side, or of durations, that fit the others only if they are in milliseconds."""
    lengths = durations.name if isinstance(durations, Durations) else None
    of_reference = ends_of(reference, durations)
    report_unit(of_reference, reference.name, diagnostics)
    report_unit(ends_of(prediction, durations), prediction.name, diagnostics)
    report_length_unit(of_reference, lengths, diagnostics)


def report_unit(ends: Ends, name: str, diagnostics: Diagnostics) -> None:
    """Warn of the times of a side that fit the durations only if they are in milliseconds."""
    # One stray event is an error of its own; most of them far outside, and hardly any as milliseconds, is a unit.
    if 2 * ends.far > ends.events and STRAY * ends.outside <= ends.events:
        headline = (
            f"the times look like milliseconds: {ends.far:,} of {count(ends.events, 'event')} end after {BEYOND} times "
            f"their clip's length, and as milliseconds {'all' if not ends.outside else 'nearly all'} would end inside"
        )
        help = "if so, read the table with --columns and --rate 1000"
        diagnostics.add("milliseconds", headline, RowPlace(name), help)


def report_length_unit(reference: Ends, name: str | None, diagnostics: Diagnostics) -> None:
    """Warn of durations that fit the reference only if they are in milliseconds."""
    # A few early events in long clips look the same by chance.
    if reference.events >= FEW and reference.tiny == reference.events:
        headline = "the durations look like milliseconds: no event of the reference ends after a thousandth of its clip"
        place = None if name is None else RowPlace(name)
        diagnostics.add("milliseconds", headline, place, "if so, give them in seconds")


# What becomes of predicted events that start at or after the end of their clip (rule 13.31).


class Outside(StrEnum):
    """The policies for a predicted event outside its clip."""

    ERROR = "error"
    FALSE_ALARM = "false-alarm"
    CUT = "cut"
    DROP = "drop"


_WHAT = {
    Outside.FALSE_ALARM: "it gives no frame, and metrics on intervals count it with the times that are written",
    Outside.CUT: "both its ends are moved there; it gives no frame, and metrics on intervals count it",
    Outside.DROP: "it is left out",
}


def settle_outside(
    prediction: EventTable, durations: Lengths, policy: Outside, diagnostics: Diagnostics
) -> tuple[EventTable, dict[str, Any] | None]:
    """The predictions under a policy, and what a report says of it: nothing if the default had nothing to do.

    Under `error` the events stay as they are, for assembling refuses them.
    """
    outside_events: list[tuple[str, Event]] = []
    clips = {}
    for clip, events in prediction.clips.items():
        length = length_of(durations, clip)
        outside = [event for event in events if length is not None and is_outside(event, length)]
        outside_events += [(clip, event) for event in outside]
        assert length is not None or not outside
        clips[clip] = tuple(_settled(events, length, policy)) if length is not None and outside else events
    if policy is Outside.ERROR:
        return prediction, None
    for clip, event in outside_events:
        diagnostics.add(
            "predicted-outside-clip",
            f"`{shown(event.label)}` is predicted at {seconds(event.onset)}, after the end of `{shown(clip)}`; "
            f"{_WHAT[policy]}",
            prediction.place(clip, event.row),
        )
    if not outside_events and policy is Outside.FALSE_ALARM:
        return prediction, None
    listed = [
        {"clip": clip, "class": e.label, "onset": str(e.onset), "offset": str(e.offset), "row": e.row}
        for clip, e in outside_events
    ]
    return replace(prediction, clips=clips), {"policy": policy.value, "events": listed}


def is_outside(event: Event, length: Fraction) -> bool:
    """Whether an event with sound times starts at or after the end of its clip."""
    return length <= event.onset <= event.offset


def _settled(events: tuple[Event, ...], length: Fraction, policy: Outside) -> Iterator[Event]:
    for event in events:
        match policy:
            case Outside.CUT if is_outside(event, length):
                yield Event(length, length, event.label, event.row, event.confidence)
            case Outside.DROP if is_outside(event, length):
                continue
            case _:
                yield event


# Builds events by clip from rows of text, wherever they come from; a fault is a diagnostic with its row.


UNLABELLED = "event"
"""The class of an event whose file names none."""


MISSING = frozenset(("", "NaN", "nan", "NA", "N/A", "<NA>", "None", "null"))
"""What programs write into a cell that has no number."""
COMMAS, CLOCKS = "a decimal comma", "hours, minutes and seconds"


class MixedSignsError(ValueError):
    """A time has a point where others have a comma, or the other way round."""


class TimeTexts(dict[str, Fraction]):
    """Non-negative exact times by their text, each read once; a text that denotes none raises ValueError."""

    __slots__ = ("_fractions", "_rate", "_sign", "assumed", "shift")

    def __init__(
        self, *, fractions: bool, rate: Fraction | None = None, first: Fraction = Fraction(0), guesses: bool = False
    ) -> None:
        """`fractions` allows `1/3` beside decimal text (which alone is a time in a table, rule 5.2).

        `rate` says how many of the units in which the times are written are a second, `first` which of them is the
        first (rule 13.18). `guesses` allows decimal commas and clock times, each of which is kept in `assumed`.
        """
        super().__init__()
        self._fractions, self._rate = fractions, rate
        self._sign = ""
        self.shift = first / (rate or 1)
        self.assumed: dict[str, str] | None = {} if guesses else None

    def __missing__(self, text: str) -> Fraction:
        # Rule 5.2: a table is written in decimals; JSON and data in memory may hold fractions.
        if "/" in text and not self._fractions:
            raise ValueError(text)
        # Nearly every time has a point and nothing to guess: it is looked at no closer.
        if self.assumed is None or (self._sign == "." and "," not in text and ":" not in text):
            value = parse_exact(text)
        else:
            value = self._guessed(text, self.assumed)
        if self._rate is not None:
            value /= self._rate
        if self.shift:  # hardly a table has one, and a difference of fractions takes longer than all else here
            value -= self.shift
        if value.numerator < 0:
            raise ValueError(text)
        if value >= LONGEST_TIME:
            raise ValueError(text)
        self[text] = value
        return value

    def _guessed(self, text: str, assumed: dict[str, str]) -> Fraction:
        """A time in which a comma or a clock is taken for what it most likely is (rule 13.41)."""
        if ":" in text and (match := CLOCK.fullmatch(text.strip())):
            if self._rate is not None:
                raise ValueError(text)
            assumed.setdefault(CLOCKS, text)
            hours, minutes, rest = match.groups()
            return int(hours or 0) * 3600 + int(minutes) * 60 + parse_exact(rest.replace(",", "."))
        sign = "," if "," in text else "." if "." in text else ""
        # Where both signs occur, the comma may as well group thousands: nobody can tell.
        if sign and self._sign[:1] not in ("", sign):
            assumed.pop(COMMAS, None)
            raise MixedSignsError(text)
        value = parse_exact(text.replace(",", ".", 1) if sign == "," else text)
        self._sign = self._sign or sign
        if sign == ",":
            assumed.setdefault(COMMAS, text)
        return value


@dataclass(slots=True)
class EventRows:
    """Collects the events of one side; `regions` lets the label be empty and checks the order of the ends.

    `lengths` are of clips whose files say how long they are, `ignored` what the files say is not to be judged, `tiers`
    how many events of each tier of a document are not called like it.
    """

    name: str
    diagnostics: Diagnostics
    times: TimeTexts
    regions: bool = False
    clips: dict[str, list[Event]] = field(default_factory=dict)
    lengths: dict[str, Fraction] = field(default_factory=dict)
    ignored: dict[str, list[Event]] = field(default_factory=dict)
    tiers: Counter[str] = field(default_factory=Counter)

    def add(
        self, row: int | None, clip: str, onset: str, offset: str, label: str, where: str = "", confidence: str = ""
    ) -> None:
        """One row of text, empty where it has nothing; `where` says in words what a row number cannot."""
        self.add_all(((row, (clip, onset, offset, label, confidence)),), where)

    def add_all(self, rows: Iterable[tuple[int | None, Sequence[str]]], where: str = "") -> None:
        """Rows of clip, onset, offset, label and confidence."""
        # Local names and one loop for all rows: it is here that reading a table spends its time.
        times, clips, regions = self.times, self.clips, self.regions
        for row, (clip, onset, offset, label, confidence) in rows:
            if clip and onset and offset and (label or regions):
                try:
                    # Times of a table come again and again; `times` reads each text once.
                    event = Event(times[onset], times[offset], label, row)
                    if confidence:
                        event.confidence = self.confidence(confidence, row, where)
                except ValueError:
                    self._odd(row, (clip, onset, offset, label, confidence), where)
                    continue
                if regions and event.offset < event.onset:
                    self.report("offset-before-onset", f"{where}offset `{offset}` lies before onset `{onset}`", row)
                elif clip in clips:
                    clips[clip].append(event)
                else:
                    clips[clip] = [event]
            elif clip and not (onset or offset or label):
                clips.setdefault(clip, [])
            else:
                self._odd(row, (clip, onset, offset, label, confidence), where)

    def _odd(self, row: int | None, fields: Sequence[str], where: str) -> None:
        """A row with gaps or faulty times: what programs write where there is no number counts as empty."""
        clip, onset, offset, label, _ = fields
        if clip and {onset, offset, label} <= MISSING:
            self.clips.setdefault(clip, [])
        elif clip and onset and offset and (label or self.regions):
            for column, text in (("onset", onset), ("offset", offset)):
                report_time(self.times, column, text, self.diagnostics, RowPlace(self.name, row), where)
        else:
            self._report_gaps(row, clip, onset, offset, label, where)

    def add_span(
        self, row: int | None, clip: str, onset: str, length: str, label: str, where: str = "", confidence: str = ""
    ) -> None:
        """One event that lasts so long from its onset; both times and the label are given."""
        start, lasting = self.time("onset", onset, row, where), self.time("duration", length, row, where)
        if start is not None and lasting is not None:
            known = self.confidence(confidence, row, where) if confidence else None
            # Only what counts from the first frame is shifted, and a length does not.
            end = start + lasting + self.times.shift
            self.clips.setdefault(clip, []).append(Event(start, end, label, row, known))

    def ignore(self, row: int | None, clip: str, onset: Fraction, offset: Fraction, label: str = "") -> None:
        """A region that the file says is not to be judged, for a class or for all."""
        self.clips.setdefault(clip, [])
        if offset < onset:
            self.report("offset-before-onset", "the region ends before it starts", row)
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
        if text in MISSING:
            return None
        try:
            return parse_exact(text.replace(",", ".", 1) if COMMAS in (self.times.assumed or ()) else text)
        except ValueError:
            help = "write decimals with a point" if "," in text else None
            self.report("bad-confidence", f"{where}the confidence `{shown(text)}` is not a number", row, help)
            return None

    def report_assumed(self) -> None:
        """Say what was assumed of how the times are written."""
        assumed = self.times.assumed or {}
        for form, text in assumed.items():
            headline = f"times such as `{shown(text)}` are read with {form}: {print_number(self.times[text])} s"
            self.report("assumed-form", headline, help="write seconds, such as 1.25, to be sure")
        assumed.clear()

    def table(self, digest: str | None = None) -> EventTable:
        """The events that were collected."""
        self.report_assumed()
        clips: Mapping[str, tuple[Event, ...]] = {clip: tuple(events) for clip, events in self.clips.items()}
        return EventTable(self.name, clips, digest)

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
        self.report("incomplete-row", f"{where}the row has no {empty}", row, help)

    def report(self, code: str, headline: str, row: int | None = None, help: str | None = None) -> None:
        """Say what is wrong with a row, or with the whole file."""
        self.diagnostics.add(code, headline, RowPlace(self.name, row), help)

    def report_unknown(self, names: Iterable[str], known: Collection[str], what: str) -> None:
        """Say which of the parts that are to be read are not in the file."""
        for name in names:
            if name not in known:
                self.report("unknown-tier", f"there is no {what} `{shown(name)}`", help=did_you_mean(name, known))

    def unlabelled(self, row: int | None) -> str:
        """The label of an event that has none, which is said."""
        help = f"give it a label, or say in a label map what becomes of `{UNLABELLED}`"
        self.report("unlabelled-event", f"the event has no label; it is of class `{UNLABELLED}`", row, help)
        return UNLABELLED


def table_rows(
    name: str,
    diagnostics: Diagnostics,
    *,
    regions: bool = False,
    rate: Fraction | None = None,
    first: Fraction = Fraction(0),
) -> EventRows:
    """Where the rows of a table written as text are collected."""
    times = TimeTexts(fractions=False, rate=rate, first=first, guesses=True)
    return EventRows(name, diagnostics, times, regions)


def report_time(
    times: TimeTexts, column: str, text: str, diagnostics: Diagnostics, place: RowPlace, where: str = ""
) -> None:
    """Say what is wrong with a time, if anything is."""
    try:
        times[text]
    except MixedSignsError:
        headline = (
            f"{where}{column} `{shown(text)}` and others differ in whether a comma or a point is the decimal sign"
        )
        diagnostics.add("bad-time", headline, place, "write decimals with a point")
    except ValueError:
        fault, help = _time_fault(text)
        diagnostics.add("bad-time", f"{where}{column} `{shown(text)}` {fault}", place, help)


def clip_length(
    times: TimeTexts, text: str, diagnostics: Diagnostics, place: RowPlace, where: str = ""
) -> Fraction | None:
    """The length of a clip that a text denotes; None with what is wrong with it."""
    try:
        length = times[text]
    except ValueError:
        report_time(times, "duration", text, diagnostics, place, where)
        return None
    if length:
        return length
    diagnostics.add("bad-time", f"{where}duration `{shown(text)}` is zero", place, "a clip has some length")
    return None


_TIME_HELP = "write a number of seconds, such as `1.25`"


def _time_fault(text: str) -> tuple[str, str | None]:
    stripped = text.strip()
    try:
        seconds_read = parse_exact(stripped)
        if seconds_read < 0:
            return "is negative", "times count from the start of the clip"
        if seconds_read >= LONGEST_TIME:
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
    reached, gaps = Fraction(0), []
    for start, stop in sorted(spans):
        if start > reached:
            gaps.append((reached, start))
        reached = max(reached, stop)
    return gaps + ([(reached, end)] if reached < end else [])
