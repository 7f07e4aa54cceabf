"""From tables of events to a trace family on the grid, with every oddity of the data as a diagnostic."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.data.events import (
    Durations,
    Event,
    EventColumns,
    EventTable,
    Lengths,
    Regions,
    Ticks,
    columns,
    common_unit,
    listed_lengths,
    ratios,
    roomy,
    ticks,
)
from tracepact.data.family import UNION_CLASS, Family, Grid, Indices, Mode, RunColumns, Runs, Side, ceil_div
from tracepact.data.labels import by_stem, label_help, near_clip, similar_clip
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace, TextPlace, nearest
from tracepact.inputs import limits
from tracepact.language.contract import CLASS_ATOMS, Contract
from tracepact.language.formula import FrameRun, longest_window, runs_of_frames, union_runs
from tracepact.wording import seconds

FrameMask = Sequence[bool] | int
"""A mask a caller supplies for one clip: one truth value a frame, or an integer whose bit i is frame i."""


def assemble(
    contract: Contract,
    reference: EventTable,
    prediction: EventTable,
    *,
    durations: Lengths = None,
    mode: Mode = Mode.CLASS_INDEXED,
    ignore: Regions | None = None,
    masks: Mapping[str, Mapping[str, FrameMask]] | None = None,
    diagnostics: Diagnostics,
    allow_outside: bool = False,
    classes: Sequence[str] | None = None,
    limit: str = "frames",
) -> Family:
    """Put both sides on the contract's grid. Errors and warnings go to `diagnostics`; errors raise InvalidInput.

    With `allow_outside` a predicted event that starts at or after the end of its clip gives no frame (rule 13.31).
    `classes` are those of a whole of which these tables are a part; of the part nothing is said that only the whole can
    tell: which labels one side lacks, and how many clips are shorter than a window. `limit` is the name of the limit
    that the frames are held to (rule 25.1).
    """
    known = clip_lengths(reference, prediction, durations, diagnostics)
    whole = classes is None
    classes = class_set(contract, reference, prediction, mode, diagnostics) if classes is None else classes
    grid = Grid(contract.step, contract.projection)
    clips = tuple(known)
    lengths = ratios(known.values())
    # One unit for all times makes every comparison one of whole numbers, exact and in arrays.
    unit = common_unit(lengths, reference.times, prediction.times, (grid.step,))
    durations_in_ticks = ticks(lengths, unit)
    counted = ceil_div(roomy(durations_in_ticks, int(grid.step * unit)), int(grid.step * unit))
    frames = tuple(counted.tolist())
    _check_size(clips, frames, len(classes), durations, limit, diagnostics)
    index = {clip: i for i, clip in enumerate(clips)}
    segments = {label: i * len(clips) for i, label in enumerate(classes)}
    labels = {label: i for i, label in enumerate(sorted(reference.labels | prediction.labels))}
    # A label outside the class set has base -1: its events are reported above, and left out here.
    base = np.array([segments.get(UNION_CLASS if mode is Mode.UNION else label, -1) for label in labels], np.int64)
    measured = FamilyClips(clips, durations_in_ticks, counted.astype(np.int64))

    def place(table: EventTable, allowed: bool) -> Runs:
        return project(table, columns(table, index, labels, unit), grid, measured, base, diagnostics, allowed)

    runs = {Side.REF: place(reference, False), Side.PRED: place(prediction, allow_outside)}
    ignored = _ignored(ignore, grid, index, frames, segments, diagnostics) if ignore else {}
    supplied = _masks(contract, masks or {}, index, frames, segments, mode, diagnostics)
    if whole:
        check_windows(contract, counted, diagnostics)
    diagnostics.raise_errors()
    if whole:
        report_one_sided(reference, prediction, diagnostics)
    report_unpredicted(prediction, clips, diagnostics)
    return Family(contract.step, mode, clips, frames, tuple(classes), runs, ignored, supplied)


def _check_size(
    clips: Sequence[str],
    frames: Sequence[int],
    classes: int,
    durations: Lengths,
    limit: str,
    diagnostics: Diagnostics,
) -> None:
    """Refuse more frames than are scored in one run, before any of them is made; the longest clip is named."""
    # From the counts alone: the masks of such a family would not fit into memory.
    total, most = sum(frames) * classes, getattr(limits(), limit)
    if total > most:
        longest = max(range(len(frames)), key=frames.__getitem__)
        diagnostics.add(
            "too-many-frames",
            f"the clips come to {_about(total)} frames, `{clips[longest]}` alone to {_about(frames[longest])} in each "
            f"class; at most {most:,} are scored in one run",
            RowPlace(durations.name) if isinstance(durations, Durations) else None,
            "check the durations and their unit, score the clips in parts, or raise the limit "
            f"(--limit {limit}=NUMBER)",
        )
        diagnostics.raise_errors()


def _about(number: int) -> str:
    return f"{number:,}" if number < 10**15 else f"about 10^{len(str(number)) - 1}"


def clip_lengths(
    reference: EventTable,
    prediction: EventTable,
    durations: Lengths,
    diagnostics: Diagnostics,
) -> dict[str, Fraction]:
    """The clips of the family, those of the reference and of the durations, and how long each is."""
    listed = listed_lengths(durations)
    known = {**reference.clips, **listed}
    report_unknown_clips(prediction, reference, listed, diagnostics)
    if isinstance(durations, Fraction):
        return dict.fromkeys(known, durations)
    if durations is None:
        soft = any(table.origin is not None and table.origin.format == "maestro" for table in (reference, prediction))
        why = " (soft labels do not: a silent end need have no rows)" if soft else ""
        headline = f"nothing says how long the clips are{why}"
        diagnostics.add("unknown-duration", headline, RowPlace(reference.name), _LENGTHS_HELP)
        return {}
    for clip in known:
        if clip not in listed:
            diagnostics.add(
                "unknown-duration", f"nothing says how long `{clip}` is", RowPlace(durations.name), _LENGTHS_HELP
            )
    return {clip: listed[clip] for clip in known if clip in listed}


def report_unknown_clips(
    prediction: EventTable, reference: EventTable, listed: Collection[str], diagnostics: Diagnostics
) -> None:
    """Refuse predictions on clips that neither the reference nor the durations, which list these, know (rule 5.10)."""
    known = {*reference.clips, *listed}
    unknown = [clip for clip in prediction.clips if clip not in known]
    if not unknown:
        return
    stems, labels = by_stem(known), reference.labels
    for number, clip in enumerate(unknown):
        events = prediction.clips[clip]
        help = similar_clip(clip, stems)
        if clip in labels:
            help = f"`{clip}` is a label of the reference: the columns of clips and labels look exchanged"
        elif help is None:
            near = near_clip(clip, known) if number < _SOUGHT else None
            help = f"did you mean `{near}`? otherwise {_UNKNOWN_CLIP}" if near else _UNKNOWN_CLIP
        diagnostics.add(
            "unknown-clip",
            f"`{clip}` is in the predictions, but neither the reference nor the durations know it",
            prediction.place(clip, events[0].row if events else None),
            help,
        )


_LENGTHS_HELP = (
    "give durations (--durations), a table (filename, duration) or one duration for all clips, or sound files (--audio)"
)
_SOUGHT = 5
"""For how many unknown clips the nearest known one is sought, which takes a while among thousands."""
_LABELS_SOUGHT = 20
"""For how many labels of one side the nearest of the other side is sought."""
_UNKNOWN_CLIP = (
    "add the clip to the durations, or a row without an event to the reference, or choose the clips to evaluate "
    "(--clips)"
)


def class_set(
    contract: Contract,
    reference: EventTable,
    prediction: EventTable,
    mode: Mode,
    diagnostics: Diagnostics,
) -> tuple[str, ...]:
    """The class set (rule 7.6)."""
    if contract.labels is not None:
        for table in (reference, prediction):
            places = _first_places(table)
            for label in sorted(table.labels - set(contract.labels)):
                headline = f"label `{label}` is not in the contract's declared labels"
                near = nearest(label, contract.labels)
                meant = f"did you mean `{near}`? " if near else ""
                help = f"{meant}add it to the `labels` statement, or map it before scoring"
                diagnostics.add("unknown-label", headline, places[label], help)
    if mode is Mode.UNION:
        for atom in sorted(contract.atoms & set(CLASS_ATOMS)):
            headline = f"the contract uses `{atom}`, which has no meaning when all classes are one"
            diagnostics.add("needs-classes", headline, help="score it class-indexed")
        return (UNION_CLASS,)
    if contract.labels is not None:
        return contract.labels
    return tuple(sorted(reference.labels | prediction.labels)) or (UNION_CLASS,)


def _first_places(table: EventTable) -> dict[str, RowPlace]:
    """Where each label occurs for the first time."""
    first: dict[str, tuple[str, int | None]] = {}
    for clip, event in table.events:
        first.setdefault(event.label, (clip, event.row))
    return {label: table.place(*where) for label, where in first.items()}


def report_one_sided(reference: EventTable, prediction: EventTable, diagnostics: Diagnostics) -> None:
    """Warn of labels that one side lacks; only in sound tables would that be true."""
    ref, pred = reference.labels, prediction.labels
    for table, other, labels in ((reference, "predictions", ref - pred), (prediction, "reference", pred - ref)):
        places = _first_places(table) if labels else {}
        for number, label in enumerate(sorted(labels)):
            headline = f"label `{label}` does not occur in the {other}"
            help = label_help(label, pred if table is reference else ref) if number < _LABELS_SOUGHT else None
            diagnostics.add("one-sided-label", headline, places[label], help)


def report_unpredicted(prediction: EventTable, clips: Sequence[str], diagnostics: Diagnostics) -> None:
    """Warn of clips without predictions."""
    for clip in clips:
        if clip not in prediction.clips:
            headline = f"`{clip}` has no row in the predictions"
            diagnostics.add("clip-without-predictions", headline, RowPlace(prediction.name))


def _ignored(
    ignore: Regions,
    grid: Grid,
    index: Mapping[str, int],
    frames: Sequence[int],
    segments: Mapping[str, int],
    diagnostics: Diagnostics,
) -> dict[int, tuple[FrameRun, ...]]:
    """The ignored frames by segment: those whose centre lies in a region (rule 5.9)."""
    by_centre = Grid(grid.step)  # rule 5.9 says so, however the contract projects events
    regions: dict[int, list[FrameRun]] = {}
    united = list(segments) == [UNION_CLASS]
    for clip, event in ignore.events:
        bases = [base for label, base in segments.items() if united or event.label in ("", label)]
        if clip not in index or not bases:
            headline = f"the ignore region of `{clip}` at {seconds(event.onset)} is for no clip and class of the family"
            diagnostics.add("unused-ignore", headline, ignore.place(clip, event.row))
            continue
        number = index[clip]
        start, end = by_centre.project(event.onset, event.offset)
        for base in bases:
            regions.setdefault(base + number, []).append((max(start, 0), min(end, frames[number])))
    return {segment: union_runs(some) for segment, some in regions.items()}


def _masks(
    contract: Contract,
    masks: Mapping[str, Mapping[str, FrameMask]],
    index: Mapping[str, int],
    frames: Sequence[int],
    segments: Mapping[str, int],
    mode: Mode,
    diagnostics: Diagnostics,
) -> dict[str, dict[int, tuple[FrameRun, ...]]]:
    """The caller's masks by atom and segment, the same for every class."""
    for name in contract.declared_atoms:
        if name not in masks:
            help = f"on the command line with --pair; in Python masks={{'{name}': {{clip: frames}}}}"
            headline = f"the contract declares atom `{name}`, but no mask was given for it"
            diagnostics.add("missing-mask", headline, help=help)
    supplied: dict[str, dict[int, tuple[FrameRun, ...]]] = {}
    for name, by_clip in masks.items():
        if name not in contract.declared_atoms:
            headline = f"a mask was given for `{name}`, which the contract does not declare"
            diagnostics.add("wrong-mask", headline, help=f"declare it: `atom {name}`")
            continue
        placed = supplied.setdefault(name, {})
        for clip, number in index.items():
            if clip not in by_clip:
                diagnostics.add("wrong-mask", f"atom `{name}` has no mask for clip `{clip}`")
                continue
            truth = _as_frames(by_clip[clip], frames[number])
            if len(truth) != frames[number]:
                headline = f"the mask of `{name}` for `{clip}` has {len(truth)} frames, the clip has {frames[number]}"
                diagnostics.add("wrong-mask", headline)
                continue
            runs = runs_of_frames(truth)
            for base in segments.values():
                placed[base + number] = runs
    return supplied


def _as_frames(mask: FrameMask, frames: int) -> Sequence[bool]:
    if isinstance(mask, int):
        width = max(frames, mask.bit_length())
        return [bool(mask >> i & 1) for i in range(width)]
    return mask


def check_windows(contract: Contract, frames: NDArray[Any], diagnostics: Diagnostics) -> None:
    """Warn of a clause whose window is longer than some clip."""
    for clause in contract.frame_clauses:
        widest = max(longest_window(clause.formula), longest_window(clause.obligation))
        short = int((frames < widest).sum())
        if short:
            what = f"clause `{clause.name}` looks {widest} frames away"
            headline = f"{what}, longer than {short} of {len(frames)} clips"
            diagnostics.add("window-beyond-trace", headline, TextPlace(contract.source, clause.span))


# The events of one side on the grid: all of them at once, the odd ones reported one by one (rules 5.3 to 5.5).

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class FamilyClips:
    """The clips of a family: names, durations in ticks, numbers of frames."""

    names: Sequence[str]
    durations: Ticks
    frames: Indices


def project(
    table: EventTable,
    rows: EventColumns,
    grid: Grid,
    clips: FamilyClips,
    base: Indices,
    diagnostics: Diagnostics,
    allow_outside: bool,
) -> RunColumns:
    """The runs of one side by segment; `base` is the first segment of each label.

    Events whose clip or label has no index were reported as unknown and are passed over; so are those that start at or
    after the end of their clip, if that is allowed and no error.
    """
    if not clips.names:
        return RunColumns(*(np.zeros(0, dtype=np.int64) for _ in range(3)))
    step = int(grid.step * rows.unit)
    # Repeats are taken out before anything is judged: each fault is then said of one row.
    kept = rows.clip >= 0
    repeats = _repeats(rows) & kept
    kept &= ~repeats
    kept &= _sound(table, rows, clips, kept, repeats, diagnostics, allow_outside)
    start, end = grid.edges(rows.onset, rows.offset, step)
    last = clips.frames[rows.clip]
    start = np.minimum(np.maximum(start, 0), last).astype(np.int64)
    end = np.minimum(np.maximum(end, 0), last).astype(np.int64)
    _report_vanished(table, rows, clips, kept & (end <= start), diagnostics)
    kept &= end > start
    kept &= base[rows.label] >= 0
    chosen = np.flatnonzero(kept)
    named = rows.label[chosen] * len(clips.names) + rows.clip[chosen]
    # First by label, to say which events of one label touch; then by segment, for in union several labels share one.
    opens, _, order = _unite(named, start[chosen], end[chosen])
    _report_joins(table, clips, rows, chosen[order[~opens]], diagnostics)
    segment = base[rows.label[chosen]] + rows.clip[chosen]
    opens, reached, order = _unite(segment, start[chosen], end[chosen])
    first = np.flatnonzero(opens)
    last = np.append(first[1:], len(opens))[: len(first)] - 1
    return RunColumns(segment[order][first], start[chosen][order][first], reached[last])


def _repeats(rows: EventColumns) -> Flags:
    """Which events repeat an earlier one of the table."""
    # Ticks may be Python's integers, which np.unique cannot sort by row.
    keys = list(zip(*(c.tolist() for c in (rows.clip, rows.label, rows.onset, rows.offset)), strict=True))
    repeats = np.zeros(len(keys), dtype=np.bool_)
    if len(set(keys)) < len(keys):
        earlier = set()
        for number, key in enumerate(keys):
            repeats[number] = key in earlier
            earlier.add(key)
    return repeats


_REPEATED = "no clause changes by it, but metrics on intervals such as event F1 count it once more; leave it out"


def _sound(
    table: EventTable,
    rows: EventColumns,
    clips: FamilyClips,
    kept: Flags,
    repeats: Flags,
    diagnostics: Diagnostics,
    allow_outside: bool,
) -> Flags:
    """Which events can be placed; what is odd about any of them is reported in the table's order."""
    end = clips.durations[rows.clip]
    inside = (rows.onset >= 0) & (rows.onset <= rows.offset) & (rows.onset < end) & (rows.offset <= end)
    sound = inside.astype(np.bool_)
    odd = np.flatnonzero((kept & ~sound) | repeats)
    for number, clip, event in _events(table, clips, rows, odd):
        if repeats[number]:
            headline = f"`{event.label}` at {seconds(event.onset)} in `{clip}` repeats an earlier row"
            diagnostics.add("duplicate-row", headline, table.place(clip, event.row), _REPEATED)
        else:
            duration = Fraction(int(clips.durations[rows.clip[number]]), rows.unit)
            sound[number] = _place_odd(event, clip, duration, table, diagnostics, allow_outside)
    return sound


def _place_odd(
    event: Event, clip: str, duration: Fraction, table: EventTable, diagnostics: Diagnostics, allow_outside: bool
) -> bool:
    """Report an event that is not inside its clip; whether it can be placed all the same."""
    place = table.place(clip, event.row)
    if event.onset < 0:
        diagnostics.add("bad-time", f"onset {seconds(event.onset)} in `{clip}` is negative", place)
    elif event.offset < event.onset:
        diagnostics.add(
            "offset-before-onset",
            f"offset {seconds(event.offset)} lies before onset {seconds(event.onset)} in `{clip}`",
            place,
            "if the two are swapped, swap them; if the column is a length, read it as one (--columns duration=NAME)",
        )
    elif event.onset >= duration:
        if allow_outside:
            return False
        diagnostics.add(
            "starts-outside-clip",
            f"`{event.label}` starts at {seconds(event.onset)}, but `{clip}` ends at {seconds(duration)}",
            place,
        )
    else:
        diagnostics.add(
            "offset-beyond-clip",
            f"`{event.label}` ends at {seconds(event.offset)}, after the end of `{clip}` at {seconds(duration)}",
            place,
            "on the grid it is cut there; metrics on intervals keep the time that is written",
        )
        return True
    return False


def _report_vanished(
    table: EventTable, rows: EventColumns, clips: FamilyClips, gone: Flags, diagnostics: Diagnostics
) -> None:
    for _, clip, event in _events(table, clips, rows, np.flatnonzero(gone)):
        length = event.offset - event.onset
        diagnostics.add(
            "vanished-event",
            f"`{event.label}` of {seconds(length)} in `{clip}` gives no frame on the grid",
            table.place(clip, event.row),
            None if length else "points have no frame; give them one with `tracepact convert --as-points 10ms`",
        )


def _report_joins(
    table: EventTable, clips: FamilyClips, rows: EventColumns, joined: Indices, diagnostics: Diagnostics
) -> None:
    """Warn of each event of one class that touches or overlaps an earlier one of the same label."""
    for _, clip, event in _events(table, clips, rows, np.sort(joined)):
        diagnostics.add(
            "joined-events",
            f"`{event.label}` at {seconds(event.onset)} in `{clip}` touches or overlaps the one before it",
            table.place(clip, event.row),
        )


def _events(
    table: EventTable, clips: FamilyClips, rows: EventColumns, numbers: Indices
) -> list[tuple[int, str, Event]]:
    """Some events by their place in the columns, with their clips."""
    # The events are gathered only where something is to be said of them, which is seldom.
    if not len(numbers):
        return []
    events = [event for some in table.clips.values() for event in some]
    return [(number, clips.names[rows.clip[number]], events[number]) for number in numbers.tolist()]


def _unite(group: Indices, start: Indices, end: Indices) -> tuple[Flags, Indices, Indices]:
    """The union of the intervals of each group: which open a run, how far each run has reached by then, the order.

    Intervals are taken by group, start and end; the first two answers follow that order. Touching ones become one.
    """
    order = np.lexsort((end, start, group))
    # One number line for all groups: a group's frames lie beyond everything any earlier group reaches.
    apart = group[order] * (int(end.max(initial=0)) + 1)
    reached = np.maximum.accumulate(apart + end[order])
    opens = np.ones(len(order), dtype=np.bool_)
    opens[1:] = (apart + start[order])[1:] > reached[:-1]
    return opens, reached - apart, order
