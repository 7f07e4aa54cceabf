"""Times that look like milliseconds where seconds are read (rule 13.37)."""

from collections.abc import Iterator
from fractions import Fraction

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.trace import Durations, EventTable
from tracepact.wording import count

THOUSAND = 1000
BEYOND = 10
"""An event is far beyond its clip if it ends after so many times the clip's length."""
FEW = 5
"""The least number of events that say something of the unit of the durations."""


def report_milliseconds(
    reference: EventTable, prediction: EventTable, durations: Durations | Fraction | None, diagnostics: Diagnostics
) -> None:
    """Warn of a side, or of durations, that fit the others only if they are in milliseconds."""
    for table in (reference, prediction):
        ends = list(_ends(table, durations))
        far = sum(end > BEYOND * length for end, length in ends)
        if 2 * far > len(ends) and all(end <= THOUSAND * length for end, length in ends):
            headline = (
                f"the times look like milliseconds: {far:,} of {count(len(ends), 'event')} end after {BEYOND} times "
                f"their clip's length, and as milliseconds all would end inside"
            )
            help = "if so, read the table with --columns and --rate 1000"
            diagnostics.add("milliseconds", headline, RowPlace(table.name), help)
    ends = list(_ends(reference, durations))
    if len(ends) >= FEW and all(length.denominator == 1 and THOUSAND * end <= length for end, length in ends):
        headline = "the durations look like milliseconds: no event of the reference ends after a thousandth of its clip"
        place = RowPlace(durations.name) if isinstance(durations, Durations) else None
        diagnostics.add("milliseconds", headline, place, "if so, give them in seconds")


def _ends(table: EventTable, durations: Durations | Fraction | None) -> Iterator[tuple[Fraction, Fraction]]:
    """Where events end, and how long their clips are, as far as that is known."""
    for clip, events in table.clips.items():
        length = durations.clips.get(clip) if isinstance(durations, Durations) else durations
        if length is not None:
            yield from ((event.offset, length) for event in events)
