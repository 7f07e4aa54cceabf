"""Times that look like milliseconds where seconds are read (rule 13.37)."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.trace import Durations, EventTable
from tracepact.trace.exact_times import common_unit, ratios, ticks
from tracepact.wording import count

THOUSAND = 1000
BEYOND = 10
"""An event is far beyond its clip if it ends after so many times the clip's length."""
FEW = 5
"""The least number of events that say something of the unit of the durations."""
_ROOM = (1 << 62) // THOUSAND


@dataclass(frozen=True, slots=True)
class Ends:
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


def ends_of(table: EventTable, durations: Durations | Fraction | None) -> Ends:
    """The ends of a table's events against the lengths of their clips, as far as these are known."""
    lengths = [durations.clips.get(clip) if isinstance(durations, Durations) else durations for clip in table.clips]
    measured = ratios(Fraction(0) if length is None else length for length in lengths)
    unit = common_unit(measured, table.times)
    events = [len(some) for some in table.clips.values()]
    known = np.repeat(np.array([length is not None for length in lengths], dtype=np.bool_), events)
    length, end = np.repeat(ticks(measured, unit), events)[known], ticks(table.times, unit).reshape(2, -1)[1][known]
    if max(max(length, default=0), max(end, default=0)) > _ROOM:
        length, end = length.astype(np.object_), end.astype(np.object_)
    return Ends(
        len(end),
        int((end > BEYOND * length).sum()),
        int((end > THOUSAND * length).sum()),
        int(((length % unit == 0) & (THOUSAND * end <= length)).sum()),
    )


def report_milliseconds(
    reference: EventTable, prediction: EventTable, durations: Durations | Fraction | None, diagnostics: Diagnostics
) -> None:
    """Warn of a side, or of durations, that fit the others only if they are in milliseconds."""
    lengths = durations.name if isinstance(durations, Durations) else None
    of_reference = ends_of(reference, durations)
    report_unit(of_reference, reference.name, diagnostics)
    report_unit(ends_of(prediction, durations), prediction.name, diagnostics)
    report_length_unit(of_reference, lengths, diagnostics)


def report_unit(ends: Ends, name: str, diagnostics: Diagnostics) -> None:
    """Warn of the times of a side that fit the durations only if they are in milliseconds."""
    if 2 * ends.far > ends.events and not ends.outside:
        headline = (
            f"the times look like milliseconds: {ends.far:,} of {count(ends.events, 'event')} end after {BEYOND} times "
            f"their clip's length, and as milliseconds all would end inside"
        )
        help = "if so, read the table with --columns and --rate 1000"
        diagnostics.add("milliseconds", headline, RowPlace(name), help)


def report_length_unit(reference: Ends, name: str | None, diagnostics: Diagnostics) -> None:
    """Warn of durations that fit the reference only if they are in milliseconds."""
    if reference.events >= FEW and reference.tiny == reference.events:
        headline = "the durations look like milliseconds: no event of the reference ends after a thousandth of its clip"
        place = None if name is None else RowPlace(name)
        diagnostics.add("milliseconds", headline, place, "if so, give them in seconds")
