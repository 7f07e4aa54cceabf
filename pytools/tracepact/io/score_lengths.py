"""Scores that do not last as long as their clips (rule 13.38)."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.io.formats import MAESTRO
from tracepact.io.source import shown
from tracepact.trace import Durations, EventTable, ScoreField
from tracepact.wording import count, quoted, seconds

SHARE = Fraction(1, 20)
"""By how much of its clip's length a field may be longer or shorter without a word."""
_NAMED = 3
"""How many clips are named."""

_Lasting = tuple[str, Fraction, Fraction]
"""A clip, how long its scores last, and how long it is."""


def report_table_lengths(table: EventTable, durations: Durations | Fraction | None, diagnostics: Diagnostics) -> None:
    """Warn of the scores that a table was decoded from; soft labels need not reach the end of their clip."""
    origin = table.origin
    if origin is not None and origin.scores is not None and origin.format != MAESTRO:
        kept = {clip: scores for clip, scores in origin.scores.clips.items() if clip in table.clips}
        report_score_lengths(replace(origin.scores, clips=kept), durations, diagnostics)


def report_score_lengths(field: ScoreField, durations: Durations | Fraction | None, diagnostics: Diagnostics) -> None:
    """Warn once of a field that differs from the lengths of its clips by more than a frame and a twentieth."""
    found = list(_unlike(field, durations))
    if not found:
        return
    clip, lasting, length = found[0]
    what = "truth values" if field.is_mask else "scores"
    headline = f"the {what} of `{shown(clip)}` last {seconds(lasting)}, the clip {seconds(length)}"
    if len(found) > 1:
        others = [shown(other) for other, _, _ in found[1:_NAMED]]
        more = f" and {len(found) - _NAMED:,} more" if len(found) > _NAMED else ""
        headline += f"; {count(len(found), 'clip')} of {len(field.clips):,} differ so, also {quoted(others)}{more}"
    diagnostics.add("scores-length", headline, RowPlace(field.name), "is the step right?")


def _unlike(field: ScoreField, durations: Durations | Fraction | None) -> Iterator[_Lasting]:
    """The clips whose scores last longer or shorter than they do."""
    for clip, scores in field.clips.items():
        length = durations.clips.get(clip) if isinstance(durations, Durations) else durations
        lasting, step = scores.edges[-1], scores.edges[1] - scores.edges[0]
        if length is not None and abs(lasting - length) > max(step, SHARE * length):
            yield clip, lasting, length
