"""What is done in batches: both sides, in pieces or in memory, what goes with them, and a task for each batch."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypedDict, Unpack

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostics, one_of
from tracepact.io import (
    AudioFolder,
    Conditions,
    LabelMap,
    Reading,
    conditions_from,
    durations_from,
    events_from,
    label_map_from,
    regions_from,
)
from tracepact.io.dataset import Dataset, is_dataset, open_dataset
from tracepact.io.decoding import keep_confident
from tracepact.io.outside import Outside
from tracepact.io.preparing import lengths_of_files, name_clips
from tracepact.io.reading import report_unused_readings
from tracepact.tools.score.batches.names import names_of
from tracepact.tools.score.batches.plan import Plan, Source
from tracepact.tools.score.batches.sums import BatchSum, SideSum, Tallied
from tracepact.tools.score.batches.work import ContractText, Job, Task
from tracepact.tools.score.inputs import input_name
from tracepact.tools.score.scored import Input
from tracepact.trace import Durations, EventTable, Mode, Regions, ScoreField, some_clips

Lengths = Durations | Fraction | AudioFolder | None


class BatchOptions(TypedDict, total=False):
    """What options say of both sides, beside their places."""

    durations: Any
    ignore: Any
    label_map: Any
    ref_reading: Reading | None
    pred_reading: Reading | None
    outside: Outside | str


@dataclass(frozen=True, slots=True)
class Sides:
    """Both sides and what goes with them; `renamed` and `lengths_said` count the clips of each side."""

    reference: Source
    prediction: Source
    lengths: Lengths
    ignore: Regions | None
    conditions: Conditions | None
    labels: LabelMap | None
    outside: Outside
    renamed: tuple[int, int]
    lengths_said: tuple[int, int]

    @property
    def names(self) -> tuple[str, str]:
        """What both sides are called."""
        return self.reference.name, self.prediction.name

    @property
    def in_pieces(self) -> tuple[Dataset | None, Dataset | None]:
        """The sides that are read in pieces."""
        ref, pred = (side if isinstance(side, Dataset) else None for side in (self.reference, self.prediction))
        return ref, pred

    def inputs(self, durations: Durations | Fraction | None) -> tuple[Input, ...]:
        """The files that went in, in the order of a report."""
        named: list[tuple[str, Source | Durations | Conditions | LabelMap | None]] = [
            ("reference", self.reference),
            ("prediction", self.prediction),
            ("durations", durations if isinstance(durations, Durations) else None),
            ("ignore", self.ignore),
            ("conditions", self.conditions),
            ("label_map", self.labels),
        ]
        return tuple(Input(role, input_name(t.name), t.digest) for role, t in named if t is not None and t.digest)

    def preparation(self, total: BatchSum[Tallied]) -> dict[str, Any]:
        """What was done to both sides, as plain data of the form of `Preparation`."""
        record: dict[str, Any] = {}
        sums: tuple[SideSum, SideSum] = (total.reference, total.prediction)
        sides = zip(("reference", "prediction"), (self.reference, self.prediction), strict=True)
        for (role, side), own, renamed, said in zip(sides, sums, self.renamed, self.lengths_said, strict=True):
            origin = side.origin if isinstance(side, EventTable) else None
            record[role] = {
                "format": "table" if isinstance(side, Dataset) else origin.format if origin else "memory",
                "decoding": dict(origin.decoding) if origin and origin.decoding else None,
                "renamed_clips": renamed,
                "lengths": said,
                "dropped": own.dropped,
                "ignored": own.ignored,
            }
        record["label_map"] = self.labels.data if self.labels is not None else None
        outside = [one.found.to_dict() for one in total.outside]
        if self.outside is not Outside.ERROR and (outside or self.outside is not Outside.FALSE_ALARM):
            record["outside"] = {"policy": self.outside.value, "events": outside}
        return record


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
    reference, prediction, renamed = _called_alike(reference, prediction, lengths, diagnostics)
    lengths, said = _with_lengths_of_files(reference, prediction, lengths)
    return Sides(reference, prediction, lengths, regions, groups, labels, policy, renamed, said)


def is_in_pieces(data: Any, reading: Reading) -> bool:
    """Whether a side is one that is read in pieces (rule 24.2)."""
    plain = reading.format in (None, "table") and reading.columns is None and reading.decoding is None
    return plain and is_dataset(data)


def side_from(data: Any, reading: Reading, name: str, diagnostics: Diagnostics) -> Source | None:
    """A side in pieces where it can be read so, else in memory; None, which is reported, if it cannot be read."""
    if is_in_pieces(data, reading):
        return open_dataset(data, diagnostics)
    table = keep_confident(events_from(data, diagnostics, name=name, reading=reading), reading.decoding, diagnostics)
    report_unused_readings(((reading, table),), diagnostics)
    return table


def _called_alike(
    reference: Source, prediction: Source, lengths: Lengths, diagnostics: Diagnostics
) -> tuple[Source, Source, tuple[int, int]]:
    """Sides in memory whose clips are named by files, under the names that the other tables use (rule 13.3)."""
    listed = lengths.clips if isinstance(lengths, Durations) else {}
    renamed = [0, 0]
    if _named_by_files(reference):
        assert isinstance(reference, EventTable)  # only files give names
        reference, renamed[0] = name_clips(reference, _names_alone(prediction), listed, diagnostics)
    if _named_by_files(prediction):
        assert isinstance(prediction, EventTable)  # likewise
        prediction, renamed[1] = name_clips(prediction, _names_alone(reference), listed, diagnostics)
    return reference, prediction, (renamed[0], renamed[1])


def _named_by_files(side: Source) -> bool:
    """Whether a side is in memory and its clips are called after files."""
    return isinstance(side, EventTable) and side.origin is not None and bool(side.origin.files or side.origin.scores)


def _names_alone(side: Source) -> EventTable:
    """A side with its clips, or with the names of those that are read in pieces."""
    if isinstance(side, EventTable):
        return side
    return EventTable(side.name, dict.fromkeys(names_of(side, Diagnostics()).clips, ()))


def _with_lengths_of_files(reference: Source, prediction: Source, lengths: Lengths) -> tuple[Lengths, tuple[int, int]]:
    """The lengths that the files of sides in memory say, where nothing else does (rule 13.16), and how many of each."""
    if lengths is not None or not any(_says_lengths(side) for side in (reference, prediction)):
        return lengths, (0, 0)
    known = _names_alone(reference).clips
    own = [lengths_of_files(side, known) if isinstance(side, EventTable) else {} for side in (reference, prediction)]
    if not any(own):
        return None, (0, 0)
    name = (reference if own[0] else prediction).name
    return Durations(name, {**own[1], **own[0]}), (len(own[0]), len(own[1]))


def _says_lengths(side: Source) -> bool:
    return isinstance(side, EventTable) and side.origin is not None and bool(side.origin.lengths)


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
        held = [_some(side, clips, self._scores) if isinstance(side, EventTable) else None for side in both]
        return Task(
            batch,
            clips,
            {clip: plan.lengths[clip] for clip in clips if clip in plan.lengths},
            held[0],
            held[1],
            None if sides.ignore is None else _some(sides.ignore, clips),
            None if sides.conditions is None else {clip: sides.conditions.clips[clip] for clip in clips},
        )


def _some(table: EventTable, clips: Sequence[str], scores: bool = False) -> EventTable:
    """Some clips of a table; what its files say of clips beside their events is taken from the plan."""
    origin = table.origin
    if origin is not None:
        wanted = frozenset(clips)
        files = {clip: file for clip, file in origin.files.items() if clip in wanted}
        regions = {clip: some for clip, some in origin.regions.items() if clip in wanted}
        origin = replace(
            origin, files=files, lengths={}, regions=regions, scores=_field(origin.scores, clips) if scores else None
        )
    found = {clip: table.clips[clip] for clip in clips if clip in table.clips}
    return EventTable(table.name, found, table.digest, origin)


def _field(scores: ScoreField | None, clips: Sequence[str]) -> ScoreField | None:
    return None if scores is None else some_clips(scores, clips)
