"""Both sides made ready to be scored: clips named alike, labels mapped, ignored regions, clips chosen, lengths."""

import difflib
import os
import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

from tracepact.data.annotation_documents import UEM
from tracepact.data.event_rows import Outside, report_milliseconds, settle_outside
from tracepact.data.events import (
    Durations,
    Event,
    EventTable,
    Lengths,
    Regions,
    ScoreField,
    TableOrigin,
    length_of,
    listed_lengths,
    some_clips,
)
from tracepact.data.formats import CLIP_FORMATS, MAESTRO
from tracepact.data.labels import LabelMap, Mapped, apply_map, by_stem, report_merged, report_unused, same_clip
from tracepact.data.memory import AudioFolder, audio_durations
from tracepact.data.sources import shown
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace, did_you_mean
from tracepact.inputs import read_bytes
from tracepact.wording import count, quoted, seconds

# Which clips are evaluated: those of the reference, of the durations, of a list, or all (rule 13.32).

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
    choice: str | os.PathLike[str] | Sequence[str] | None, diagnostics: Diagnostics
) -> ClipChoice | None:
    """A named choice, a file with a clip in each line, or the clips themselves; None is no choice."""
    if choice is None:
        return None
    if isinstance(choice, str) and choice in list(ClipsOf):
        return ClipsOf(choice)
    if not isinstance(choice, str | os.PathLike):
        return ClipList("clips", tuple(dict.fromkeys(choice)))
    place = RowPlace(os.fspath(choice))
    try:
        lines = read_bytes(choice).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        diagnostics.add("unreadable-file", "the list of clips is not UTF-8 text", place)
        return None
    except (OSError, ValueError) as error:
        headline = f"the list of clips cannot be read: {(getattr(error, 'strerror', None) or str(error)).lower()}"
        near = difflib.get_close_matches(os.fspath(choice), list(ClipsOf), n=1)
        help = f"did you mean `{near[0]}`? " if near else ""
        help += f"give a file with a clip in each line, or one of {', '.join(ClipsOf)}"
        diagnostics.add("unreadable-file", headline, place, help)
        return None
    # The first column of a table of clips serves as a list of them.
    named = [line.split("\t")[0].strip() for line in lines]
    named = named[1:] if named and named[0] == "filename" else named
    clips = tuple(dict.fromkeys(name for name in named if name))
    if not clips:
        diagnostics.add("empty-file", "the list names no clip", place, "write a clip in each line")
    return ClipList(place.file, clips)


@dataclass(frozen=True, slots=True)
class Prepared:
    """Both sides, ignore regions and durations as they are scored, and what was done to them as plain data."""

    reference: EventTable
    prediction: EventTable
    ignore: Regions | None
    durations: Lengths
    record: dict[str, Any]


def _on_chosen_clips(tables: Prepared, choice: ClipChoice, diagnostics: Diagnostics) -> Prepared:
    """The tables on the chosen clips alone; what is left out is counted, said, and recorded."""
    reference, prediction, durations = tables.reference, tables.prediction, tables.durations
    before = len(diagnostics.errors)
    wanted = _wanted(reference, prediction, durations, choice, diagnostics)
    known = len(diagnostics.errors) == before
    sides = {"reference": reference, "prediction": prediction}
    gone = {side: {c: e for c, e in table.clips.items() if c not in wanted} for side, table in sides.items()}
    left_out = {side: (len(clips), sum(map(len, clips.values()))) for side, clips in gone.items()}
    named = choice.value if isinstance(choice, ClipsOf) else choice.name
    for side, (clips, events) in left_out.items():
        if clips:
            headline = f"{count(clips, 'clip')} with {count(events, 'event')} of the {side} left out (--clips {named})"
            headline += f": {quoted([shown(clip) for clip in [*gone[side]][:_NAMED]])}{', …' if clips > _NAMED else ''}"
            diagnostics.add("clips-left-out", headline, RowPlace(sides[side].name))
    if known and prediction.clips and left_out["prediction"][0] == len(prediction.clips):
        _report_none_left(prediction, wanted, named, diagnostics)
    record = {
        "choice": named,
        "clips": len(wanted),
        "left_out": {side: {"clips": clips, "events": events} for side, (clips, events) in left_out.items()},
    }
    if isinstance(durations, Durations):
        durations = replace(durations, clips={c: d for c, d in durations.clips.items() if c in wanted})
    ignore = _kept(tables.ignore, wanted) if tables.ignore is not None else None
    return Prepared(_kept(reference, wanted), _kept(prediction, wanted), ignore, durations, {"clips": record})


def _wanted(
    reference: EventTable,
    prediction: EventTable,
    durations: Lengths,
    choice: ClipChoice,
    diagnostics: Diagnostics,
) -> frozenset[str]:
    listed = listed_lengths(durations)
    known = {**reference.clips, **listed}
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


def _kept(table: EventTable, wanted: Collection[str]) -> EventTable:
    return replace(table, clips={clip: events for clip, events in table.clips.items() if clip in wanted})


# Makes both sides ready to be scored: clips named alike, labels mapped, ignored labels made regions; and recorded.


@dataclass(frozen=True, slots=True)
class SideTables:
    """Both sides in memory as they were read, and what goes with them."""

    reference: EventTable
    prediction: EventTable
    durations: Durations | Fraction | AudioFolder | None = None
    ignore: Regions | None = None
    labels: LabelMap | None = None
    outside: Outside = Outside.FALSE_ALARM
    clips: ClipChoice | None = None


def prepare(
    tables: SideTables, diagnostics: Diagnostics, columns: Collection[str] = (), *, whole: bool = True
) -> Prepared:
    """Apply rules 13.3, 13.11, 13.12, 13.16, 13.28, 13.30 and 13.37 to what was read.

    `columns` are the classes of scores that are not decoded yet, which a label map may speak of. Of a part that is not
    the `whole` nothing is said that only the whole can tell: the unit of times, the labels a map does not use, the
    ignore regions of the predictions.
    """
    durations, labels = tables.durations, tables.labels
    lengths = durations.clips if isinstance(durations, Durations) else {}
    # The reference is named first, and the predictions after the names that it has got. Lengths, chosen clips and maps
    # follow, for they go by these names.
    ref, ref_renamed = name_clips(tables.reference, tables.prediction, lengths, diagnostics)
    pred, pred_renamed = name_clips(tables.prediction, ref, lengths, diagnostics)
    # One file against one file cannot mean different clips, whatever they are called.
    if _is_one_file(ref) and _is_one_file(pred) and ref.clips.keys() != pred.clips.keys():
        pred, pred_renamed = renamed_clips(pred, dict(zip(pred.clips, ref.clips, strict=True))), 1
    own = [lengths_of_files(table, ref.clips) if durations is None else {} for table in (ref, pred)]
    if isinstance(durations, AudioFolder):
        durations = audio_durations(durations, ref.clips, diagnostics)
    elif isinstance(durations, Durations):
        durations = called_alike(durations, {**ref.clips, **pred.clips})
    if any(own):
        durations = Durations((ref if own[0] else pred).name, {**own[1], **own[0]})
    chosen = Prepared(ref, pred, tables.ignore, durations, {})
    if tables.clips is not None:
        chosen = _on_chosen_clips(chosen, tables.clips, diagnostics)
    ref, pred, durations, ignore = chosen.reference, chosen.prediction, chosen.durations, chosen.ignore
    if whole:
        report_milliseconds(ref, pred, durations, diagnostics)
    mapped = {"reference": Mapped(ref, {}, 0), "prediction": Mapped(pred, {}, 0)}
    if labels is not None:
        known = ref.labels | pred.labels | {*columns}
        if whole:
            report_unused(labels, known, diagnostics)
            report_merged(labels, known, diagnostics)
        mapped = {side: apply_map(labels, item.table, diagnostics) for side, item in mapped.items()}
    if whole:
        report_excuses(mapped["prediction"].table, diagnostics)
    regions = _with_regions(_closed(ignore, ref, pred, durations, diagnostics), mapped["reference"])
    record: dict[str, Any] = {
        side: side_record(item.table.origin, renamed, len(said), item.dropped, sum(map(len, item.ignored.values())))
        for (side, item), renamed, said in zip(mapped.items(), (ref_renamed, pred_renamed), own, strict=True)
    }
    record["label_map"] = labels.data if labels is not None else None
    predicted, settled = settle_outside(mapped["prediction"].table, durations, tables.outside, diagnostics)
    record |= ({} if settled is None else {"outside": settled}) | chosen.record
    return Prepared(mapped["reference"].table, predicted, regions, durations, record)


def side_record(origin: TableOrigin | None, renamed: int, lengths: int, dropped: int, ignored: int) -> dict[str, Any]:
    """The preparation of one side as plain data, as reports show it."""
    return {
        "format": origin.format if origin else "memory",
        "decoding": dict(origin.decoding) if origin and origin.decoding else None,
        "renamed_clips": renamed,
        "lengths": lengths,
        "dropped": dropped,
        "ignored": ignored,
    }


def name_clips(
    table: EventTable, other: EventTable, lengths: Collection[str], diagnostics: Diagnostics
) -> tuple[EventTable, int]:
    """Give clips of files and of score fields the names other tables use (rule 13.3), and how many got another name."""
    if table.origin is None or not (table.origin.files or table.origin.scores):
        return table, 0
    # Where both sides are named by files, the names of the durations go before those of the other side.
    by_files = other.origin is not None and bool(other.origin.files)
    known = [{*lengths}, {*other.clips}] if by_files else [{*lengths, *other.clips}]
    stems = [_stems(names) for names in known]
    names: dict[str, str] = {}
    taken: dict[str, str] = {}
    for clip in table.clips:
        alike: list[str] = []
        for there, stemmed in zip(known, stems, strict=True):
            if alike := [clip] if clip in there else stemmed.get(clip) or stemmed.get(posixpath.basename(clip), []):
                break
        if len(alike) > 1:
            listed = " and ".join(f"`{shown(name)}`" for name in sorted(alike)[:3])
            diagnostics.add(
                "ambiguous-clip",
                f"what is called `{shown(clip)}` could be of {listed}",
                table.place(clip, None),
                "name it like its clip, extension included",
            )
        name = names[clip] = alike[0] if len(alike) == 1 else clip
        if taken.setdefault(name, clip) != clip:
            diagnostics.add(
                "ambiguous-clip",
                f"what is called `{shown(taken[name])}` and `{shown(clip)}` is both of `{shown(name)}`",
                table.place(clip, None),
                "keep one of them",
            )
    changed = sum(old != new for old, new in names.items())
    return (renamed_clips(table, names), changed) if changed else (table, 0)


def _stems(names: Collection[str]) -> dict[str, list[str]]:
    """Names by what they are without their last extension."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(os.path.splitext(name)[0], []).append(name)
    return found


def renamed_clips(table: EventTable, names: Mapping[str, str]) -> EventTable:
    """A table whose clips are named by files, under other names."""
    assert table.origin is not None  # only clips named by files are named anew

    def renamed(by_clip: Mapping[str, Any]) -> dict[str, Any]:
        return {names.get(clip, clip): value for clip, value in by_clip.items()}

    scores = table.origin.scores
    if scores is not None:
        scores = replace(scores, clips=renamed(scores.clips))
    parts: dict[str, Any] = {part: renamed(getattr(table.origin, part)) for part in _BY_CLIP}
    return EventTable(table.name, renamed(table.clips), table.digest, replace(table.origin, scores=scores, **parts))


_BY_CLIP = ("files", "lengths", "regions", "shards")
"""What an origin knows of each clip, beside its scores."""


def part_of(table: EventTable, clips: Sequence[str], *, scores: bool = False) -> EventTable:
    """Some clips of a table, with their `scores` or without; how long files say that clips are is left out."""
    origin = table.origin
    if origin is not None:
        wanted = frozenset(clips)
        parts: dict[str, Any] = {
            part: {c: v for c, v in getattr(origin, part).items() if c in wanted} for part in _BY_CLIP
        }
        field = some_clips(origin.scores, clips) if scores and origin.scores is not None else None
        origin = replace(origin, scores=field, **parts | {"lengths": {}})
    chosen = {clip: table.clips[clip] for clip in clips if clip in table.clips}
    return EventTable(table.name, chosen, table.digest, origin)


def lengths_of_files(table: EventTable, clips: Collection[str]) -> dict[str, Fraction]:
    """How long the files of a side say these clips are (rule 13.16)."""
    lengths = table.origin.lengths if table.origin else {}
    return {clip: length for clip, length in lengths.items() if clip in clips}


def _is_one_file(table: EventTable) -> bool:
    """Whether a table is one file of a form that speaks of one clip."""
    origin = table.origin
    return (
        origin is not None
        and origin.format in CLIP_FORMATS
        and list(origin.files.values()) == [table.name]
        and len(table.clips) == 1
    )


def called_alike(durations: Durations, clips: Collection[str]) -> Durations:
    """Durations under the names of the clips that are called the same without their last extension (rule 13.30)."""
    stems = _stems([clip for clip in clips if clip not in durations.clips])
    names = {name: found[0] for name in durations.clips if name not in clips and len(found := stems.get(name, [])) == 1}
    if not names:
        return durations
    return replace(durations, clips={names.get(name, name): time for name, time in durations.clips.items()})


def report_excuses(prediction: EventTable, diagnostics: Diagnostics) -> None:
    """Say that ignore regions of a prediction are left out."""
    regions = prediction.origin.regions if prediction.origin else {}
    held = sum(map(len, regions.values()))
    if held:
        headline = f"{count(held, 'ignore region')} of the predictions left out: no system can excuse itself"
        diagnostics.add("regions-left-out", headline, RowPlace(prediction.name))


def _closed(
    ignore: Regions | None,
    ref: EventTable,
    pred: EventTable,
    durations: Lengths,
    diagnostics: Diagnostics,
) -> Regions | None:
    """The regions of a UEM file called like the clips, and closed at the end of each (rule 13.20)."""
    if ignore is None or ignore.origin is None or ignore.origin.format != UEM:
        return ignore
    ignore, _ = name_clips(ignore, ref, listed_lengths(durations), diagnostics)
    assert ignore.origin is not None  # naming keeps it
    clips = {}
    for clip, regions in ignore.clips.items():
        judged = ignore.origin.lengths[clip]
        length = length_of(durations, clip)
        events = (*ref.clips.get(clip, ()), *pred.clips.get(clip, ()))
        end = max([length or judged, *(event.offset for event in events)])
        clips[clip] = (*regions, Event(judged, end, "")) if end > judged else regions
    return replace(ignore, clips=clips)


def _with_regions(ignore: Regions | None, reference: Mapped) -> Regions | None:
    """The declared ignore regions, those of ignored labels, for every class (13.12), and those of its files (13.28)."""
    table = reference.table
    held = table.origin.regions if table.origin else {}
    if not reference.ignored and not any(held.values()):
        return ignore
    own = {
        clip: (
            *(Event(e.onset, e.offset, "", e.row if ignore is None else None) for e in reference.ignored.get(clip, ())),
            *(Event(e.onset, e.offset, e.label, e.row if ignore is None else None) for e in held.get(clip, ())),
        )
        for clip in {**reference.ignored, **held}
    }
    if ignore is None:
        return Regions(table.name, own, None, table.origin)
    clips = {clip: (*ignore.clips.get(clip, ()), *own.get(clip, ())) for clip in {**ignore.clips, **own}}
    return replace(ignore, clips=clips)


# Scores that do not last as long as their clips (rule 13.38).

SHARE = Fraction(1, 20)
"""By how much of its clip's length a field may be longer or shorter without a word."""
_LENGTHS_NAMED = 3
"""How many clips are named."""

_Lasting = tuple[str, Fraction, Fraction]
"""A clip, how long its scores last, and how long it is."""


def report_table_lengths(table: EventTable, durations: Lengths, diagnostics: Diagnostics) -> None:
    """Warn of the scores that a table was decoded from; soft labels need not reach the end of their clip."""
    origin = table.origin
    if origin is not None and origin.scores is not None and origin.format != MAESTRO:
        kept = {clip: scores for clip, scores in origin.scores.clips.items() if clip in table.clips}
        report_score_lengths(replace(origin.scores, clips=kept), durations, diagnostics)


def report_score_lengths(field: ScoreField, durations: Lengths, diagnostics: Diagnostics) -> None:
    """Warn once of a field that differs from the lengths of its clips by more than a frame and a twentieth."""
    found = list(_unlike(field, durations))
    if not found:
        return
    clip, lasting, length = found[0]
    what = "truth values" if field.is_mask else "scores"
    headline = f"the {what} of `{shown(clip)}` last {seconds(lasting)}, the clip {seconds(length)}"
    if len(found) > 1:
        others = [shown(other) for other, _, _ in found[1:_LENGTHS_NAMED]]
        more = f" and {len(found) - _LENGTHS_NAMED:,} more" if len(found) > _LENGTHS_NAMED else ""
        headline += f"; {count(len(found), 'clip')} of {len(field.clips):,} differ so, also {quoted(others)}{more}"
    diagnostics.add("scores-length", headline, RowPlace(field.name), "is the step right?")


def _unlike(field: ScoreField, durations: Lengths) -> Iterator[_Lasting]:
    """The clips whose scores last longer or shorter than they do."""
    for clip, scores in field.clips.items():
        length = length_of(durations, clip)
        lasting, step = scores.edges[-1], scores.edges[1] - scores.edges[0]
        if length is not None and abs(lasting - length) > max(step, SHARE * length):
            yield clip, lasting, length
