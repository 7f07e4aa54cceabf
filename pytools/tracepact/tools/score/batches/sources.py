"""What is done in batches: both sides, in pieces or in memory, what goes with them, and a task for each batch."""

from collections.abc import Sequence
from typing import Any, TypedDict, Unpack

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostics, one_of
from tracepact.io import (
    AudioFolder,
    Reading,
    conditions_from,
    durations_from,
    events_from,
    label_map_from,
    regions_from,
)
from tracepact.io.dataset import holds_scores, is_dataset, open_dataset
from tracepact.io.decoding import keep_confident
from tracepact.io.file_folder import FileFolder, is_file_folder, open_folder
from tracepact.io.outside import Outside
from tracepact.io.preparing import lengths_of_files, name_clips, part_of, report_excuses
from tracepact.io.reading import report_unused_readings
from tracepact.tools.score.batches.names import names_alone, origin_of
from tracepact.tools.score.batches.plan import Plan
from tracepact.tools.score.batches.sides import Lengths, Sides, Source
from tracepact.tools.score.batches.work import ContractText, Job, Task
from tracepact.trace import Durations, EventTable, Mode


class SidesData(TypedDict, total=False):
    """What goes with both sides, and how they are read."""

    durations: Any
    ignore: Any
    label_map: Any
    ref_reading: Reading | None
    pred_reading: Reading | None


class BatchOptions(SidesData, total=False):
    """What options say of both sides, beside their places."""

    outside: Outside | str


def open_sides(
    ref: Any,
    pred: Any,
    diagnostics: Diagnostics,
    *,
    conditions: Any = None,
    **given: Unpack[BatchOptions],
) -> Sides:
    """Both sides in pieces where they can be read so, else in memory; InvalidInput if something cannot be read."""
    readings = given.get("ref_reading"), given.get("pred_reading")
    read = [
        side_from(data, reading or Reading(), name, diagnostics)
        for data, reading, name in zip((ref, pred), readings, ("ref", "pred"), strict=True)
    ]
    return sides_of(read, diagnostics, conditions=conditions, **given)


def sides_of(
    read: Sequence[Source | None], diagnostics: Diagnostics, *, conditions: Any = None, **given: Unpack[BatchOptions]
) -> Sides:
    """Both sides as they were read, with what goes with them; InvalidInput if something could not be read."""
    labels = label_map_from(given.get("label_map"), diagnostics)
    outside = given.get("outside", Outside.FALSE_ALARM)
    policy = one_of(Outside, outside, "policy for events outside their clips")
    durations, ignore = given.get("durations"), given.get("ignore")
    lengths = durations if isinstance(durations, AudioFolder) else durations_from(durations, diagnostics)
    regions = regions_from(ignore, diagnostics) if ignore is not None else None
    groups = conditions_from(conditions, diagnostics) if conditions is not None else None
    diagnostics.raise_errors()
    reference, prediction = (side for side in read if side is not None)
    report_excuses(names_alone(prediction), diagnostics)
    reference, prediction, renamed = _called_alike(reference, prediction, lengths, diagnostics)
    lengths, said = _with_lengths_of_files(reference, prediction, lengths)
    return Sides(reference, prediction, lengths, regions, groups, labels, policy, renamed, said)


def is_in_pieces(data: Any, reading: Reading) -> bool:
    """Whether a side is one that is read in pieces (rule 24.2)."""
    plain = reading.format in (None, "table") and reading.columns is None and reading.decoding is None
    return plain and is_dataset(data) and not holds_scores(data)


def side_from(data: Any, reading: Reading, name: str, diagnostics: Diagnostics) -> Source | None:
    """A side in pieces where it can be read so, else in memory; None, which is reported, if it cannot be read."""
    if is_in_pieces(data, reading):
        return open_dataset(data, diagnostics)
    folder = folder_from(data, reading, diagnostics)
    if folder is not None:
        report_unused_readings(((reading, names_alone(folder)),), diagnostics)
        return folder
    table = keep_confident(events_from(data, diagnostics, name=name, reading=reading), reading.decoding, diagnostics)
    report_unused_readings(((reading, table),), diagnostics)
    return table


def folder_from(
    data: Any, reading: Reading, diagnostics: Diagnostics, *, by_confidence: bool = True
) -> FileFolder | EventTable | None:
    """A folder of files, one a clip, in pieces; an empty table if it is faulty, which is reported; None if it is none.

    `by_confidence` says that a declared threshold keeps the events whose confidence is greater.
    """
    if not is_file_folder(data, reading):
        return None
    found = Diagnostics()
    folder = open_folder(data, reading, found, by_confidence=by_confidence)
    if folder is None and not found.errors:
        return None
    diagnostics.extend(found)
    return folder or EventTable(str(data), {})


def _called_alike(
    reference: Source, prediction: Source, lengths: Lengths, diagnostics: Diagnostics
) -> tuple[Source, Source, tuple[int, int]]:
    """Sides in memory whose clips are named by files, under the names that the other tables use (rule 13.3)."""
    listed = lengths.clips if isinstance(lengths, Durations) else {}
    renamed = [0, 0]
    if _named_by_files(reference):
        table, renamed[0] = name_clips(names_alone(reference), names_alone(prediction), listed, diagnostics)
        reference = reference.called(table) if isinstance(reference, FileFolder) else table
    if _named_by_files(prediction):
        table, renamed[1] = name_clips(names_alone(prediction), names_alone(reference), listed, diagnostics)
        prediction = prediction.called(table) if isinstance(prediction, FileFolder) else table
    return reference, prediction, (renamed[0], renamed[1])


def _named_by_files(side: Source) -> bool:
    """Whether the clips of a side are called after files."""
    origin = origin_of(side)
    return origin is not None and bool(origin.files or origin.scores)


def _with_lengths_of_files(reference: Source, prediction: Source, lengths: Lengths) -> tuple[Lengths, tuple[int, int]]:
    """The lengths that the files of sides in memory say, where nothing else does (rule 13.16), and how many of each."""
    if lengths is not None or not any(_says_lengths(side) for side in (reference, prediction)):
        return lengths, (0, 0)
    known = names_alone(reference).clips
    own = [
        lengths_of_files(names_alone(side), known) if _says_lengths(side) else {} for side in (reference, prediction)
    ]
    if not any(own):
        return None, (0, 0)
    name = (reference if own[0] else prediction).name
    return Durations(name, {**own[1], **own[0]}), (len(own[0]), len(own[1]))


def _says_lengths(side: Source) -> bool:
    origin = origin_of(side)
    return origin is not None and bool(origin.lengths)


def job_of(contract: Contract, sides: Sides, plan: Plan, mode: Mode) -> Job:
    """What all batches of a plan share."""
    name = plan.durations.name if isinstance(plan.durations, Durations) else "durations"
    return Job(
        ContractText.of(contract),
        *sides.in_pieces,
        plan.classes,
        mode,
        sides.labels,
        sides.outside,
        None if plan.durations is None else name,
    )


class Tasks(Sequence[Task]):
    """The tasks of a plan, each made when it is asked for; with the `scores` of frames that sides have, or without."""

    def __init__(self, plan: Plan, sides: Sides, *, scores: bool = False) -> None:
        self._plan, self._sides, self._scores = plan, sides, scores

    def __len__(self) -> int:
        return len(self._plan.batches)

    def __getitem__(self, number: Any) -> Any:
        plan, sides = self._plan, self._sides
        batch = plan.batches[number]
        clips = plan.clips[batch.first : batch.last]
        both = (sides.reference, sides.prediction)
        held = [part_of(side, clips, scores=self._scores) if isinstance(side, EventTable) else None for side in both]
        return Task(
            batch,
            clips,
            {clip: plan.lengths[clip] for clip in clips if clip in plan.lengths},
            held[0],
            held[1],
            None if sides.ignore is None else part_of(sides.ignore, clips),
            None if sides.conditions is None else {clip: sides.conditions.clips[clip] for clip in clips},
        )
