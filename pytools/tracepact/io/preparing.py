"""Makes both sides ready to be scored: clips named alike, labels mapped, ignored labels made regions; and recorded."""

import os
import posixpath
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.io.audio import AudioFolder, audio_durations
from tracepact.io.clips import ClipChoice, choose_clips
from tracepact.io.formats import CLIP_FORMATS
from tracepact.io.labels import LabelMap, Mapped, apply_map, report_merged, report_unused
from tracepact.io.outside import Outside, settle_outside
from tracepact.io.source import shown
from tracepact.io.spaced import UEM
from tracepact.io.units import report_milliseconds
from tracepact.trace import Durations, Event, EventTable, Regions, some_clips
from tracepact.wording import count


@dataclass(frozen=True, slots=True)
class Prepared:
    """Both sides, ignore regions and durations as they are scored, and what was done to them as plain data."""

    reference: EventTable
    prediction: EventTable
    ignore: Regions | None
    durations: Durations | Fraction | None
    record: dict[str, Any]


def prepare(
    reference: EventTable,
    prediction: EventTable,
    durations: Durations | Fraction | AudioFolder | None,
    ignore: Regions | None,
    labels: LabelMap | None,
    diagnostics: Diagnostics,
    outside: Outside = Outside.ERROR,
    clips: ClipChoice | None = None,
    columns: Collection[str] = (),
    *,
    whole: bool = True,
) -> Prepared:
    """Apply rules 13.3, 13.11, 13.12, 13.16, 13.28, 13.30 and 13.37 to what was read.

    `columns` are the classes of scores that are not decoded yet, which a label map may speak of. Of a part that is not
    the `whole` nothing is said that only the whole can tell: the unit of times, the labels a map does not use, the
    ignore regions of the predictions.
    """
    lengths = durations.clips if isinstance(durations, Durations) else {}
    ref, ref_renamed = name_clips(reference, prediction, lengths, diagnostics)
    pred, pred_renamed = name_clips(prediction, ref, lengths, diagnostics)
    if _is_one_file(ref) and _is_one_file(pred) and ref.clips.keys() != pred.clips.keys():
        pred, pred_renamed = renamed_clips(pred, dict(zip(pred.clips, ref.clips, strict=True))), 1
    own = [lengths_of_files(table, ref.clips) if durations is None else {} for table in (ref, pred)]
    if isinstance(durations, AudioFolder):
        durations = audio_durations(durations, ref.clips, diagnostics)
    elif isinstance(durations, Durations):
        durations = called_alike(durations, {**ref.clips, **pred.clips})
    if any(own):
        durations = Durations((ref if own[0] else pred).name, {**own[1], **own[0]})
    chosen = choose_clips(ref, pred, durations, ignore, clips, diagnostics)
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
        side: {
            "format": item.table.origin.format if item.table.origin else "memory",
            "decoding": dict(item.table.origin.decoding) if item.table.origin and item.table.origin.decoding else None,
            "renamed_clips": renamed,
            "lengths": len(said),
            "dropped": item.dropped,
            "ignored": sum(map(len, item.ignored.values())),
        }
        for (side, item), renamed, said in zip(mapped.items(), (ref_renamed, pred_renamed), own, strict=True)
    }
    record["label_map"] = labels.data if labels is not None else None
    predicted, settled = settle_outside(mapped["prediction"].table, durations, outside, diagnostics)
    record |= {key: said for key, said in (("outside", settled), ("clips", chosen.record)) if said is not None}
    return Prepared(mapped["reference"].table, predicted, regions, durations, record)


def name_clips(
    table: EventTable, other: EventTable, lengths: Collection[str], diagnostics: Diagnostics
) -> tuple[EventTable, int]:
    """Give clips of files and of score fields the names other tables use (rule 13.3), and how many got another name."""
    if table.origin is None or not (table.origin.files or table.origin.scores):
        return table, 0
    by_files = other.origin is not None and bool(other.origin.files)
    known = [{*lengths}, {*other.clips}] if by_files else [{*lengths, *other.clips}]
    stems = [_stems(names) for names in known]
    names: dict[str, str] = {}
    taken: dict[str, str] = {}
    for clip in table.clips:
        alike: list[str] = []
        for there, by_stem in zip(known, stems, strict=True):
            if alike := [clip] if clip in there else by_stem.get(clip) or by_stem.get(posixpath.basename(clip), []):
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
    files = {names.get(clip, clip): file for clip, file in table.origin.files.items()}
    clips = {names[clip]: events for clip, events in table.clips.items()}
    lengths = {names.get(clip, clip): length for clip, length in table.origin.lengths.items()}
    regions = {names.get(clip, clip): some for clip, some in table.origin.regions.items()}
    scores = table.origin.scores
    if scores is not None:
        scores = replace(scores, clips={names.get(clip, clip): own for clip, own in scores.clips.items()})
    shards = {names.get(clip, clip): file for clip, file in table.origin.shards.items()}
    origin = replace(table.origin, files=files, lengths=lengths, regions=regions, scores=scores, shards=shards)
    return EventTable(table.name, clips, table.digest, origin)


def part_of(table: EventTable, clips: Sequence[str], *, scores: bool = False) -> EventTable:
    """Some clips of a table, with their `scores` or without; how long files say that clips are is left out."""
    origin = table.origin
    if origin is not None:
        wanted = frozenset(clips)
        files = {clip: file for clip, file in origin.files.items() if clip in wanted}
        shards = {clip: file for clip, file in origin.shards.items() if clip in wanted}
        regions = {clip: some for clip, some in origin.regions.items() if clip in wanted}
        field = some_clips(origin.scores, clips) if scores and origin.scores is not None else None
        origin = replace(origin, files=files, lengths={}, regions=regions, scores=field, shards=shards)
    found = {clip: table.clips[clip] for clip in clips if clip in table.clips}
    return EventTable(table.name, found, table.digest, origin)


def lengths_of_files(table: EventTable, clips: Collection[str]) -> dict[str, Fraction]:
    """How long the files of a side say these clips are (rule 13.16)."""
    found = table.origin.lengths if table.origin else {}
    return {clip: length for clip, length in found.items() if clip in clips}


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
    durations: Durations | Fraction | None,
    diagnostics: Diagnostics,
) -> Regions | None:
    """The regions of a UEM file called like the clips, and closed at the end of each (rule 13.20)."""
    if ignore is None or ignore.origin is None or ignore.origin.format != UEM:
        return ignore
    ignore, _ = name_clips(ignore, ref, durations.clips if isinstance(durations, Durations) else {}, diagnostics)
    assert ignore.origin is not None  # naming keeps it
    clips = {}
    for clip, regions in ignore.clips.items():
        judged = ignore.origin.lengths[clip]
        length = durations.clips.get(clip) if isinstance(durations, Durations) else durations
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
