"""Which clips are evaluated: those of the reference, of the durations, of a list, or all (rule 13.32)."""

import difflib
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

from tracepact.diagnostics import Diagnostics, RowPlace, did_you_mean
from tracepact.inputs import read_bytes
from tracepact.io.source import shown
from tracepact.trace import Durations, EventTable, Regions
from tracepact.trace.similar_names import by_stem, same_clip
from tracepact.wording import count, quoted

_NAMED = 5


class ClipsOf(StrEnum):
    """The choices of clips that have a name."""

    REFERENCE = "reference"
    DURATIONS = "durations"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class ClipList:
    """Clips that are named one by one, and where."""

    name: str
    clips: tuple[str, ...]


ClipChoice = ClipsOf | ClipList


def clip_choice_from(
    given: str | os.PathLike[str] | Sequence[str] | None, diagnostics: Diagnostics
) -> ClipChoice | None:
    """A named choice, a file with a clip in each line, or the clips themselves; None is no choice."""
    if given is None:
        return None
    if isinstance(given, str) and given in list(ClipsOf):
        return ClipsOf(given)
    if not isinstance(given, str | os.PathLike):
        return ClipList("clips", tuple(dict.fromkeys(given)))
    place = RowPlace(os.fspath(given))
    try:
        lines = read_bytes(given).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        diagnostics.add("unreadable-file", "the list of clips is not UTF-8 text", place)
        return None
    except (OSError, ValueError) as error:
        headline = f"the list of clips cannot be read: {(getattr(error, 'strerror', None) or str(error)).lower()}"
        near = difflib.get_close_matches(os.fspath(given), list(ClipsOf), n=1)
        help = f"did you mean `{near[0]}`? " if near else ""
        help += f"give a file with a clip in each line, or one of {', '.join(ClipsOf)}"
        diagnostics.add("unreadable-file", headline, place, help)
        return None
    named = [line.split("\t")[0].strip() for line in lines]
    named = named[1:] if named and named[0] == "filename" else named
    found = tuple(dict.fromkeys(name for name in named if name))
    if not found:
        diagnostics.add("empty-file", "the list names no clip", place, "write a clip in each line")
    return ClipList(place.file, found)


@dataclass(frozen=True, slots=True)
class Chosen:
    """Both sides and what belongs to them on the chosen clips, and what a report says of the choice."""

    reference: EventTable
    prediction: EventTable
    durations: Durations | Fraction | None
    ignore: Regions | None
    record: dict[str, Any] | None


def choose_clips(
    reference: EventTable,
    prediction: EventTable,
    durations: Durations | Fraction | None,
    ignore: Regions | None,
    choice: ClipChoice | None,
    diagnostics: Diagnostics,
) -> Chosen:
    """The tables on the chosen clips; what is left out is counted and said, and never more than was asked."""
    if choice is None:
        return Chosen(reference, prediction, durations, ignore, None)
    before = len(diagnostics.errors)
    wanted = _wanted(reference, prediction, durations, choice, diagnostics)
    known = len(diagnostics.errors) == before
    sides = {"reference": reference, "prediction": prediction}
    left_out = {side: _left_out(table, wanted) for side, table in sides.items()}
    named = choice.value if isinstance(choice, ClipsOf) else choice.name
    for side, (clips, events) in left_out.items():
        if clips:
            headline = f"{count(clips, 'clip')} with {count(events, 'event')} of the {side} left out (--clips {named})"
            gone = [clip for clip in sides[side].clips if clip not in wanted]
            headline += f": {quoted([shown(clip) for clip in gone[:_NAMED]])}{', …' if clips > _NAMED else ''}"
            diagnostics.add("clips-left-out", headline, RowPlace(sides[side].name))
    if known and prediction.clips and left_out["prediction"][0] == len(prediction.clips):
        _report_none_left(prediction, wanted, named, diagnostics)
    record = {
        "choice": named,
        "clips": len(wanted),
        "left_out": {side: {"clips": clips, "events": events} for side, (clips, events) in left_out.items()},
    }
    return Chosen(
        replace(reference, clips=_kept(reference, wanted)),
        replace(prediction, clips=_kept(prediction, wanted)),
        replace(durations, clips={c: d for c, d in durations.clips.items() if c in wanted})
        if isinstance(durations, Durations)
        else durations,
        replace(ignore, clips=_kept(ignore, wanted)) if ignore is not None else None,
        record,
    )


def _wanted(
    reference: EventTable,
    prediction: EventTable,
    durations: Durations | Fraction | None,
    choice: ClipChoice,
    diagnostics: Diagnostics,
) -> frozenset[str]:
    listed = durations.clips if isinstance(durations, Durations) else {}
    known = {**dict.fromkeys(reference.clips), **dict.fromkeys(listed)}
    match choice:
        case ClipsOf.REFERENCE:
            return frozenset(reference.clips)
        case ClipsOf.ALL:
            return frozenset({*known, *prediction.clips})
        case ClipsOf.DURATIONS:
            if not isinstance(durations, Durations):
                headline = "the clips asked for are those of the durations, but no table of durations was given"
                diagnostics.add("unknown-duration", headline, help="give `durations` a table (filename, duration)")
            return frozenset(listed)
        case ClipList():
            stems = by_stem(known)
            named = {clip: clip if clip in known else same_clip(clip, stems) for clip in choice.clips}
            for clip in (clip for clip, name in named.items() if name is None):
                headline = f"`{shown(clip)}` is listed, but neither the reference nor the durations know it"
                diagnostics.add("unknown-clip", headline, RowPlace(choice.name), did_you_mean(clip, known))
            return frozenset(name for name in named.values() if name is not None)


def _report_none_left(prediction: EventTable, wanted: Collection[str], named: str, diagnostics: Diagnostics) -> None:
    """Say that no predicted clip is chosen: their names do not match, or nothing was predicted for the chosen ones."""
    first = next(iter(prediction.clips))
    near = did_you_mean(first, wanted) or (f"one of these is `{shown(min(wanted))}`" if wanted else "none is chosen")
    headline = f"no predicted clip, such as `{shown(first)}`, is among the clips that are evaluated (--clips {named})"
    help = f"{near}; a clip without events that is listed, a row with its name alone, counts as predicted"
    diagnostics.add("unknown-clip", headline, RowPlace(prediction.name), help)


def _left_out(table: EventTable, wanted: Collection[str]) -> tuple[int, int]:
    gone = [events for clip, events in table.clips.items() if clip not in wanted]
    return len(gone), sum(map(len, gone))


def _kept(table: EventTable, wanted: Collection[str]) -> dict[str, Any]:
    return {clip: events for clip, events in table.clips.items() if clip in wanted}
