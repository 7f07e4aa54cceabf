"""From tables of events to a trace family, with every oddity of the data as a diagnostic."""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.core import Contract, longest_window
from tracepact.core.contract import CLASS_ATOMS
from tracepact.core.runs import FrameRun, runs_of_frames
from tracepact.diagnostics import Diagnostics, RowPlace, TextPlace
from tracepact.limits import limits
from tracepact.trace.columns import columns
from tracepact.trace.event import Durations, EventTable, Regions
from tracepact.trace.exact_times import common_unit, ratios, roomy, ticks
from tracepact.trace.family import Family, Mode, Runs, Side
from tracepact.trace.grid import Grid, ceil_div
from tracepact.trace.project import Clips, project
from tracepact.trace.runs import union_runs
from tracepact.trace.similar_names import by_stem, label_help, near_clip, similar_clip
from tracepact.wording import seconds

FrameMask = Sequence[bool] | int
"""A mask a caller supplies for one clip: one truth value a frame, or an integer whose bit i is frame i."""

UNION_CLASS = "*"


def assemble(
    contract: Contract,
    reference: EventTable,
    prediction: EventTable,
    *,
    durations: Durations | Fraction | None = None,
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
    unit = common_unit(lengths, reference.times, prediction.times, (grid.step,))
    durations_in_ticks = ticks(lengths, unit)
    counted = ceil_div(roomy(durations_in_ticks, int(grid.step * unit)), int(grid.step * unit))
    frames = tuple(counted.tolist())
    _check_size(clips, frames, len(classes), durations, limit, diagnostics)
    index = {clip: i for i, clip in enumerate(clips)}
    segments = {label: i * len(clips) for i, label in enumerate(classes)}
    labels = {label: i for i, label in enumerate(sorted(reference.labels | prediction.labels))}
    base = np.array([segments.get(UNION_CLASS if mode is Mode.UNION else label, -1) for label in labels], np.int64)
    measured = Clips(clips, durations_in_ticks, counted.astype(np.int64))

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
    durations: Durations | Fraction | None,
    limit: str,
    diagnostics: Diagnostics,
) -> None:
    """Refuse more frames than are scored in one run, before any of them is made; the longest clip is named."""
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
    durations: Durations | Fraction | None,
    diagnostics: Diagnostics,
) -> dict[str, Fraction]:
    """The clips of the family, those of the reference and of the durations, and how long each is."""
    listed = durations.clips if isinstance(durations, Durations) else {}
    known = {**dict.fromkeys(reference.clips), **dict.fromkeys(listed)}
    report_unknown_clips(prediction, reference, listed, diagnostics)
    if isinstance(durations, Fraction):
        return dict.fromkeys(known, durations)
    hint = (
        "give durations (--durations), a table (filename, duration) or one duration for all clips, "
        "or sound files (--audio)"
    )
    if durations is None:
        soft = any(table.origin is not None and table.origin.format == "maestro" for table in (reference, prediction))
        why = " (soft labels do not: a silent end need have no rows)" if soft else ""
        headline = f"nothing says how long the clips are{why}"
        diagnostics.add("unknown-duration", headline, RowPlace(reference.name), hint)
        return {}
    for clip in known:
        if clip not in listed:
            diagnostics.add("unknown-duration", f"nothing says how long `{clip}` is", RowPlace(durations.name), hint)
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
                diagnostics.add(
                    "unknown-label",
                    f"label `{label}` is not in the contract's declared labels",
                    places[label],
                    "add it to the `labels` statement, or map it before scoring",
                )
    if mode is Mode.UNION:
        for atom in sorted(contract.atoms & set(CLASS_ATOMS)):
            diagnostics.add(
                "needs-classes",
                f"the contract uses `{atom}`, which has no meaning when all classes are one",
                help="score it class-indexed",
            )
        return (UNION_CLASS,)
    if contract.labels is not None:
        return contract.labels
    return tuple(sorted(reference.labels | prediction.labels)) or (UNION_CLASS,)


def _first_places(table: EventTable) -> dict[str, RowPlace]:
    """Where each label occurs for the first time."""
    found: dict[str, tuple[str, int | None]] = {}
    for clip, event in table.events:
        found.setdefault(event.label, (clip, event.row))
    return {label: table.place(*where) for label, where in found.items()}


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
    by_centre = Grid(grid.step)
    found: dict[int, list[FrameRun]] = {}
    united = list(segments) == [UNION_CLASS]
    for clip, event in ignore.events:
        bases = [base for label, base in segments.items() if united or event.label in ("", label)]
        if clip not in index or not bases:
            diagnostics.add(
                "unused-ignore",
                f"the ignore region of `{clip}` at {seconds(event.onset)} is for no clip and class of the family",
                ignore.place(clip, event.row),
            )
            continue
        number = index[clip]
        start, end = by_centre.project(event.onset, event.offset)
        for base in bases:
            found.setdefault(base + number, []).append((max(start, 0), min(end, frames[number])))
    return {segment: union_runs(some) for segment, some in found.items()}


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
            diagnostics.add(
                "missing-mask",
                f"the contract declares atom `{name}`, but no mask was given for it",
                help=f"on the command line with --pair; in Python masks={{'{name}': {{clip: frames}}}}",
            )
    supplied: dict[str, dict[int, tuple[FrameRun, ...]]] = {}
    for name, by_clip in masks.items():
        if name not in contract.declared_atoms:
            diagnostics.add(
                "wrong-mask",
                f"a mask was given for `{name}`, which the contract does not declare",
                help=f"declare it: `atom {name}`",
            )
            continue
        placed = supplied.setdefault(name, {})
        for clip, number in index.items():
            if clip not in by_clip:
                diagnostics.add("wrong-mask", f"atom `{name}` has no mask for clip `{clip}`")
                continue
            truth = _as_frames(by_clip[clip], frames[number])
            if len(truth) != frames[number]:
                diagnostics.add(
                    "wrong-mask",
                    f"the mask of `{name}` for `{clip}` has {len(truth)} frames, the clip has {frames[number]}",
                )
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
            diagnostics.add(
                "window-beyond-trace",
                f"clause `{clause.name}` looks {widest} frames away, longer than {short} of {len(frames)} clips",
                TextPlace(contract.source, clause.span),
            )
