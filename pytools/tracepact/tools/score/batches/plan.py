"""The plan of a scoring in batches: what only the whole can tell is checked first, and clips are cut into batches."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostics
from tracepact.io import AudioFolder
from tracepact.io.audio import audio_durations
from tracepact.io.labels import apply_map, report_merged, report_unused
from tracepact.io.preparing import called_alike
from tracepact.thresholds.family import contract_of_field, report_columns
from tracepact.tools.score.batches.names import SideNames, label_table, names_of, origin_of
from tracepact.tools.score.batches.sides import Sides, Source
from tracepact.trace import Durations, Event, EventTable, Mode, Regions
from tracepact.trace.assembly import check_windows, class_set, clip_lengths, report_one_sided, report_unknown_clips
from tracepact.trace.exact_times import common_unit, ratios, roomy, ticks
from tracepact.trace.grid import ceil_div
from tracepact.wording import seconds

_MASKS = 40
"""About how many masks of a clip are held at once, of both sides, clauses and their parts."""
_EVENT = 1_500
"""About how many bytes an event takes, as it is read and as it is counted."""
_CLIP = 3_000
"""About how many bytes a clip takes beside its masks and events."""
_REFUSED = 1 << 40
"""More frames than any clip may have."""
_TEXT = 30
"""About how many bytes a byte of a file takes that holds one clip, as it is read: scores are many short texts."""
_UNMEASURED = Fraction(60)
"""How long a clip is taken to be for its memory, where nothing says how long it is."""
LEAST_CLIPS, MOST_CLIPS = 16, 20_000
"""A batch is never smaller, so that work outweighs its start; never larger, so that it stays near the processor."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive clips of the whole, and the pieces of either side that hold their events."""

    number: int
    first: int
    last: int
    reference: tuple[int, ...]
    prediction: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is counted in batches: the clips in their order, the lengths that are known, the class set, the batches.

    `findings` is what was found by the pass over names; nothing of it is found again by a batch.
    """

    clips: tuple[str, ...]
    lengths: Mapping[str, Fraction]
    durations: Durations | Fraction | None
    classes: tuple[str, ...]
    batches: tuple[Batch, ...]
    findings: Diagnostics


def make_plan(
    contract: Contract,
    sides: Sides,
    mode: Mode,
    memory: int,
    most_clips: int | None,
    diagnostics: Diagnostics,
    *,
    every_length: bool = True,
    columns: Sequence[str] | None = None,
) -> Plan:
    """Check the whole by its names and cut it into batches of at most so many bytes each; errors raise InvalidInput.

    `every_length` asks that every clip has a length that is known, as in a scoring (rule 5.1). `columns` are the
    classes of predicted scores of frames, which have no labels of their own, as a label map calls them (rule 19.3).
    """
    reference, prediction, durations, labels = sides.reference, sides.prediction, sides.lengths, sides.labels
    names = [names_of(side, diagnostics) for side in (reference, prediction)]
    diagnostics.raise_errors()
    ref, pred = names
    known = ref.clips if isinstance(durations, AudioFolder) else {**ref.clips, **pred.clips}
    if isinstance(durations, AudioFolder):
        durations = audio_durations(durations, known, diagnostics)
    elif isinstance(durations, Durations):
        durations = called_alike(durations, known)
    listed = [label_table(side, own) for side, own in zip((reference, prediction), names, strict=True)]
    named = EventTable(reference.name, {**dict.fromkeys(ref.clips, ()), **listed[0].clips})
    unknown = _unknown(prediction, pred, ref, durations)
    if every_length:
        lengths = clip_lengths(named, unknown, durations, diagnostics)
        clips = tuple(lengths)
    else:
        clips, lengths = _known_lengths(named, unknown, durations, diagnostics)
    if labels is not None:
        used = listed[0].labels | listed[1].labels
        report_unused(labels, used, diagnostics)
        report_merged(labels, used, diagnostics)
        listed = [apply_map(labels, table, diagnostics).table for table in listed]
    if columns is not None and mode is Mode.CLASS_INDEXED:
        report_columns(contract, listed[0], columns, prediction.name, diagnostics)
        contract = contract_of_field(contract, listed[0], columns)
    classes = class_set(contract, listed[0], listed[1], mode, diagnostics)
    diagnostics.raise_errors()
    frames = _frames(contract, [lengths.get(clip, _UNMEASURED) for clip in clips])
    check_windows(contract, frames, diagnostics)
    if columns is None:
        report_one_sided(listed[0], listed[1], diagnostics)
    if sides.ignore is not None:
        _report_unused_regions(sides.ignore, frozenset(clips), diagnostics)
    size = _sizes(clips, names, frames, len(classes), contract.reach)
    bounds = _bounds(size, memory, most_clips or MOST_CLIPS)
    return Plan(clips, lengths, durations, tuple(classes), tuple(_batches(clips, bounds, names)), diagnostics)


def _unknown(prediction: Source, pred: SideNames, ref: SideNames, durations: Durations | Fraction | None) -> EventTable:
    """The predicted clips that nothing else names, each with its first row."""
    listed = durations.clips if isinstance(durations, Durations) else {}
    unknown = {clip: number for clip, number in pred.clips.items() if clip not in ref.clips and clip not in listed}
    none = Fraction(0)
    clips = {clip: (Event(none, none, "", _row(int(pred.first[number]))),) for clip, number in unknown.items()}
    return EventTable(prediction.name, clips, None, origin_of(prediction, pred, clips))


def _row(number: int) -> int | None:
    return None if number < 0 else number


def _known_lengths(
    reference: EventTable, unknown: EventTable, durations: Durations | Fraction | None, diagnostics: Diagnostics
) -> tuple[tuple[str, ...], dict[str, Fraction]]:
    """The clips of the reference and of the durations, in that order, and the lengths that are said."""
    listed = durations.clips if isinstance(durations, Durations) else {}
    report_unknown_clips(unknown, reference, listed, diagnostics)
    clips = tuple({**reference.clips, **listed})
    if isinstance(durations, Fraction):
        return clips, dict.fromkeys(clips, durations)
    return clips, {clip: listed[clip] for clip in clips if clip in listed}


def _report_unused_regions(ignore: Regions, clips: Collection[str], diagnostics: Diagnostics) -> None:
    for clip, event in ignore.events:
        if clip not in clips:
            headline = f"the ignore region of `{clip}` at {seconds(event.onset)} is for no clip and class of the family"
            diagnostics.add("unused-ignore", headline, ignore.place(clip, event.row))


def _frames(contract: Contract, lengths: Sequence[Fraction]) -> NDArray[np.int64]:
    """How many frames clips of these lengths have; so many that no limit allows them are refused with their batch."""
    taken = ratios(lengths)
    unit = common_unit(taken, (contract.step,))
    step = int(contract.step * unit)
    counted: NDArray[np.int64] = np.minimum(ceil_div(roomy(ticks(taken, unit), step), step), _REFUSED).astype(np.int64)
    return counted


def _sizes(
    clips: Sequence[str], names: Sequence[SideNames], frames: NDArray[np.int64], classes: int, reach: int
) -> NDArray[np.int64]:
    """About how many bytes each clip takes while it is scored."""
    events, texts = np.zeros((2, len(clips)), dtype=np.int64)
    for side in names:
        rows = np.array([side.clips.get(clip, -1) for clip in clips], dtype=np.int64)
        events += np.append(side.rows, 0)[rows]
        if side.sizes is not None:
            texts += np.append(side.sizes, 0)[rows]
    words = -(-(frames + np.minimum(reach, frames) + 1) // 64) * 8 * classes
    return _CLIP + events * _EVENT + words * _MASKS + texts * _TEXT


def _bounds(size: NDArray[np.int64], memory: int, most: int) -> list[int]:
    """Where batches begin and the last ends: as many clips as have room, at least a few, at most so many."""
    bounds = [0]
    sums = np.append(0, np.cumsum(size))
    while bounds[-1] < len(size):
        first = bounds[-1]
        last = int(np.searchsorted(sums, sums[first] + memory, side="right")) - 1
        bounds.append(min(max(last, first + min(LEAST_CLIPS, most)), first + most, len(size)))
    return bounds


def _batches(clips: Sequence[str], bounds: Sequence[int], names: Sequence[SideNames]) -> list[Batch]:
    place = {clip: number for number, clip in enumerate(clips)}
    held = []
    for side in names:
        where = np.array([place.get(clip, 0) for clip in side.clips], dtype=np.int64)
        batch_of = np.searchsorted(np.array(bounds[1:]), where, side="right")
        pieces: list[list[int]] = [[] for _ in bounds[1:]]
        for number, own in enumerate(side.pieces):
            for batch in np.unique(batch_of[own]).tolist():
                pieces[batch].append(number)
        for number in side.nameless:  # the first batch says what is wrong with rows that name no clip
            pieces[0].append(number)
        held.append([tuple(sorted(set(some))) for some in pieces])
    cut = zip(bounds[:-1], bounds[1:], *held, strict=True)
    return [Batch(number, first, last, ref, pred) for number, (first, last, ref, pred) in enumerate(cut)]
