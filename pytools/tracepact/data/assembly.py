"""From tables of events to a trace family, with every oddity of the data as a diagnostic."""

import posixpath
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.data.events import (
    Durations,
    EventTable,
    Lengths,
    Regions,
    columns,
    common_unit,
    listed_lengths,
    ratios,
    roomy,
    ticks,
)
from tracepact.data.family import Family, Mode, Runs, Side
from tracepact.data.grid import FamilyClips, Grid, ceil_div, project
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace, TextPlace, nearest
from tracepact.inputs import limits
from tracepact.language.contract import CLASS_ATOMS, Contract
from tracepact.language.formula import FrameRun, longest_window, runs_of_frames, union_runs
from tracepact.wording import seconds

# Names that differ only in how they are written: what to offer where one is not found.

_NUMBER = re.compile(r"\d+")


def by_stem(clips: Iterable[str]) -> Mapping[str, list[str]]:
    """Clips by their names without folders, the last extension, and what is easily written differently."""
    stems: dict[str, list[str]] = {}
    for clip in clips:
        stems.setdefault(_folded(_stem(clip)), []).append(clip)
    return stems


def similar_clip(clip: str, known: Mapping[str, list[str]]) -> str | None:
    """A help line that offers the one clip, of those by stem, that could be meant."""
    alike = known.get(_folded(_stem(clip)), [])
    nearest_first = [name for name in alike if _stem(name) == _stem(clip)] or alike
    if len(nearest_first) != 1:
        return None
    return f"did you mean `{nearest_first[0]}`? tables that name their clips must name them alike"


def same_clip(clip: str, known: Mapping[str, list[str]]) -> str | None:
    """The one clip, of those by stem, whose path is the same without the last extension and folders only one has."""
    # A folder may stand before a name on one side only; but two names in different folders are two clips.
    own = _path(clip)
    alike = [name for name in known.get(_folded(_stem(clip)), []) if _is_tail(*sorted((own, _path(name)), key=len))]
    return alike[0] if len(alike) == 1 else None


def _path(clip: str) -> list[str]:
    """The folders of a clip and its name without the last extension."""
    return [*posixpath.dirname(clip).split("/"), _stem(clip)] if "/" in clip else [_stem(clip)]


def _is_tail(short: list[str], long: list[str]) -> bool:
    return long[-len(short) :] == short


def similar_label(label: str, known: Iterable[str]) -> str | None:
    """The first known label that differs only in case, spaces, hyphens, underscores or leading zeros."""
    own = _folded(label)
    return next((name for name in sorted(known) if name != label and _folded(name) == own), None)


def similar_labels(labels: Iterable[str]) -> dict[str, str]:
    """The labels that differ from an earlier one, in sorted order, only in how they are written, and the first such."""
    first: dict[str, str] = {}
    pairs = ((label, first.setdefault(_folded(label), label)) for label in sorted(labels))
    return {label: other for label, other in pairs if other != label}


def near_clip(clip: str, known: Iterable[str]) -> str | None:
    """The known clip of the nearest name, unless only numbers differ: another number is another clip."""
    near = nearest(clip, known)
    # A near name with another number, such as clip_12 for clip_13, is most often a clip of its own.
    return None if near is None or _NUMBER.sub("0", near) == _NUMBER.sub("0", clip) else near


def label_help(label: str, others: Iterable[str]) -> str | None:
    """A help line that offers the label of the other side that is written a little differently, or nearly alike."""
    known = {*others} - {label}
    if alike := similar_label(label, known):
        return f"there it is written `{alike}`; name both alike, or map them (--label-map)"
    near = nearest(label, known)
    return f"did you mean `{near}`, which is there? name both alike, or map them (--label-map)" if near else None


def _stem(clip: str) -> str:
    name = posixpath.basename(clip)
    stem, extension = posixpath.splitext(name)
    return name if extension[1:].isdecimal() else stem


@lru_cache(maxsize=1 << 16)  # every label of one side is compared with those of the other
def _folded(name: str) -> str:
    """A name without case, spaces, hyphens, underscores, and zeros at the start of its numbers."""
    return re.sub(r"[ _-]|(?<!\d)0+(?=\d)", "", name.casefold())


FrameMask = Sequence[bool] | int
"""A mask a caller supplies for one clip: one truth value a frame, or an integer whose bit i is frame i."""

UNION_CLASS = "*"


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
