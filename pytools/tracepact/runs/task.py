"""A task as its user gives it, its sides read into memory and prepared, and the result of a scoring."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, TypedDict, TypeVar

from tracepact.data.assembly import FrameMask
from tracepact.data.decoding import ClassDecodings, Declared, Decoding, decoding_given, keep_confident
from tracepact.data.event_rows import Outside
from tracepact.data.events import Durations, EventTable, Regions, Time
from tracepact.data.family import Family, Mode
from tracepact.data.fields import report_assumed_step, report_unequal_arrays, says_its_frames
from tracepact.data.formats import MAESTRO, report_unused_readings
from tracepact.data.labels import LabelMap, label_map_from
from tracepact.data.memory import (
    AudioFolder,
    conditions_from,
    durations_from,
    durations_of_masks,
    events_from,
    masks_from,
    regions_from,
    table_of_masks,
)
from tracepact.data.preparation import Prepared, SideTables, clip_choice_from, prepare, report_table_lengths
from tracepact.data.readings import Reading, with_frames
from tracepact.data.sources import is_address, shown
from tracepact.data.tables import Conditions
from tracepact.declarations import shown_path
from tracepact.diagnostics.collection import Diagnostics, InvalidInput, one_of
from tracepact.diagnostics.findings import Diagnostic, RowPlace
from tracepact.engines import Engine
from tracepact.evaluate.scorecard import Scorecard, score_family
from tracepact.language.compilation import contract_from
from tracepact.language.contract import Contract
from tracepact.measures.policy import MetricSettings
from tracepact.runs.margins import ScoreMargins, score_margins
from tracepact.wording import parse_exact

# A task: what a command's options or the arguments of a call say, before anything is read.


class SourceOptions(TypedDict, total=False):
    """Options that go with both sides wherever they are judged; `Task` documents each."""

    durations: Any
    mode: Mode | str
    ignore: Any
    label_map: Any
    classes: Sequence[str] | None
    step: Time | None
    ref_reading: Reading | None
    pred_reading: Reading | None
    clips: Any


class JudgingOptions(TypedDict, total=False):
    """How events are judged, whatever they come from."""

    mode: Mode | str
    conditions: Any
    settings: MetricSettings
    margins: bool
    strict: bool


class DocumentOptions(JudgingOptions, total=False):
    """Options that go with a document that holds both sides."""

    label_map: Any
    outside: Outside | str
    clips: Any


class TaskOptions(SourceOptions, JudgingOptions, total=False):
    """Options that go with both sides where events are scored."""

    masks: Mapping[str, Mapping[str, FrameMask]] | None
    decoding: Declared | Path | None
    outside: Outside | str


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A user's request, in the forms that `tracepact.score` takes: commands and Python make one, the rest takes it.

    Nothing of it has been read but the contract. `strict` makes warnings errors; `margins` asks how far each verdict is
    from its opposite, in score; `settings` are the policies of the standard metrics.
    """

    contract: Contract
    ref: Any
    pred: Any
    durations: Any = None
    mode: Mode | str = Mode.CLASS_INDEXED
    ignore: Any = None
    masks: Mapping[str, Mapping[str, FrameMask]] | None = None
    conditions: Any = None
    label_map: Any = None
    decoding: Declared | Path | None = None
    classes: Sequence[str] | None = None
    step: Time | None = None
    ref_reading: Reading | None = None
    pred_reading: Reading | None = None
    outside: Outside | str = Outside.FALSE_ALARM
    clips: Any = None
    strict: bool = False
    settings: MetricSettings = field(default_factory=MetricSettings)
    margins: bool = False

    def __post_init__(self) -> None:
        one_of(Mode, self.mode, "mode")
        one_of(Outside, self.outside, "policy for events outside their clips")

    @property
    def readings(self) -> tuple[Reading, Reading]:
        """How each side is read, with the classes and the step that are given for both."""
        ref, pred = (with_frames(reading, self.classes, self.step) for reading in (self.ref_reading, self.pred_reading))
        return ref, pred

    def refuse_in_batches(self, *names: str) -> None:
        """Refuse what needs all clips at once, if one of these is given."""
        for name in names:
            if getattr(self, name) is not None:
                headline = f"`{name}` is for scoring all clips at once"
                raise InvalidInput([Diagnostic("not-in-batches", headline, None, "leave out the engine, or this")])
        if self.contract.declared_atoms:
            headline = "the contract declares atoms, whose masks are given for all clips at once"
            raise InvalidInput([Diagnostic("not-in-batches", headline, None, "leave out the engine")])


def scores_task(
    contract: Contract | str | Path, ref: Any, pred: Any, set: Mapping[str, str] | None, options: SourceOptions
) -> Task:
    """The task of scores that are judged at every threshold: what makes events of them is no option."""
    for name in options.keys() - SourceOptions.__annotations__.keys():
        raise TypeError(f"`{name}` is for scoring events; scores are judged at every threshold")
    return Task(contract_from(contract, set), ref, pred, **options)


# A task read into memory: the one place where files and data become tables.

KEEP_SCORES = Decoding(Fraction(1))
"""A decoding that leaves no event: the scores are what is wanted."""


@dataclass(frozen=True, slots=True)
class TaskTables:
    """The tables that a task names; `assumed` says on which sides the frames were taken to be the contract's."""

    sides: SideTables
    conditions: Conditions | None
    decoding: ClassDecodings | None
    assumed: tuple[bool, bool]


def read_task(task: Task, diagnostics: Diagnostics, *, keeps_scores: bool = False) -> TaskTables:
    """Read both sides and what goes with them.

    What makes a whole file useless raises InvalidInput, faults of rows are in `diagnostics`. With `keeps_scores`,
    predicted scores are left beside a table without events.
    """
    # The small files first: a fault in one of them is said before large tables are read.
    labels = label_map_from(task.label_map, diagnostics)
    declared = decoding_given(task.decoding, diagnostics)
    diagnostics.raise_errors()
    ref, pred = task.readings
    if declared is not None or keeps_scores:
        pred = replace(pred, decoding=KEEP_SCORES if keeps_scores else declared)
    # Arrays do not say how long a frame is. The contract's step is taken, and checked against the durations later.
    ref, ref_assumed = _with_step(ref, task.ref, task.contract, keeps_scores=keeps_scores)
    pred, pred_assumed = _with_step(pred, task.pred, task.contract, keeps_scores=keeps_scores)
    given = (("ref", task.ref, ref), ("pred", task.pred, pred))
    # Masks are tried first: an array of truth values would else be read as scores, and a mask says its own length.
    masked = [
        masks_from(data, diagnostics, name=name) if reading.classes is None and not keeps_scores else None
        for name, data, reading in given
    ]
    reference, prediction = (
        events_from(data, diagnostics, name=name, reading=reading)
        if masks is None
        else table_of_masks(masks, task.contract.step, name=name)
        for (name, data, reading), masks in zip(given, masked, strict=True)
    )
    if keeps_scores:
        refuse_soft_labels(prediction, diagnostics)
    else:
        reference = keep_confident(reference, ref.decoding, diagnostics)
        prediction = keep_confident(prediction, pred.decoding, diagnostics)
        report_unused_readings(((ref, reference), (pred, prediction)), diagnostics)
    report_unequal_arrays(reference, prediction, diagnostics)
    # What the caller says of durations comes first; only without it masks are as long as they are.
    by_masks = durations_of_masks([m for m in masked if m is not None], task.contract.step, diagnostics)
    lengths = lengths_from(by_masks if task.durations is None and by_masks else task.durations, diagnostics)
    ignore = None if task.ignore is None else regions_from(task.ignore, diagnostics)
    conditions = None if task.conditions is None else conditions_from(task.conditions, diagnostics)
    clips = clip_choice_from(task.clips, diagnostics)
    # A clip whose scores have a fault is absent: what is said of the rest would not be so.
    if any(table.origin and table.origin.scores for table in (reference, prediction)) or _is_incomplete(
        diagnostics, lengths
    ):
        diagnostics.raise_errors()
    sides = SideTables(reference, prediction, lengths, ignore, labels, Outside(task.outside), clips)
    by_class = pred.decoding if isinstance(pred.decoding, ClassDecodings) else None
    return TaskTables(sides, conditions, by_class, (ref_assumed, pred_assumed))


def _with_step(reading: Reading, data: Any, contract: Contract, *, keeps_scores: bool) -> tuple[Reading, bool]:
    """A reading whose frames are the contract's where nothing says how long they are, and whether they are."""
    if keeps_scores or reading.step is not None or says_its_frames(data):
        return reading, False
    return replace(reading, step=contract.step), True


def refuse_soft_labels(table: EventTable, diagnostics: Diagnostics) -> None:
    """Report predictions that are soft labels of annotators."""
    if table.origin is not None and table.origin.format == MAESTRO:
        headline = f"`{shown(table.name)}` holds soft labels, which are references"
        help = "give scores of frames, or events with confidences"
        diagnostics.add("bad-field", headline, RowPlace(table.name), help)


def lengths_from(durations: Any, diagnostics: Diagnostics) -> Durations | Fraction | AudioFolder | None:
    """How long clips are, as an argument or an option says."""
    return durations if isinstance(durations, AudioFolder) else durations_from(durations, diagnostics)


def _is_incomplete(diagnostics: Diagnostics, durations: Durations | Fraction | AudioFolder | None) -> bool:
    """Whether a whole file or some durations are missing, so that going on would report faults that are none."""
    lengths = durations.name if isinstance(durations, Durations) else None
    return any(
        d.code == "bad-label-map" or not isinstance(d.place, RowPlace) or d.place.row is None or d.place.file == lengths
        for d in diagnostics.errors
    )


def prepared_tables(tables: TaskTables, contract: Contract, diagnostics: Diagnostics) -> Prepared:
    """The tables of a task made ready to be scored, with what is said about their lengths."""
    ready = prepare(tables.sides, diagnostics)
    for table, assumed in zip((ready.reference, ready.prediction), tables.assumed, strict=True):
        if assumed and report_assumed_step(table, ready.reference, ready.durations, contract.step, diagnostics):
            diagnostics.raise_errors()
        report_table_lengths(table, ready.durations, diagnostics)
    return ready


def check_conditions(conditions: Conditions, clips: Collection[str], diagnostics: Diagnostics) -> None:
    """Every clip has a condition; what the table says of other clips is ignored and said."""
    for clip in clips:
        if clip not in conditions.clips:
            diagnostics.add("missing-condition", f"clip `{clip}` has no condition", RowPlace(conditions.name))
    known = set(clips)
    for clip in conditions.clips:
        if clip not in known:
            headline = f"`{clip}` has a condition but is not a clip of the family"
            diagnostics.add("unused-condition", headline, RowPlace(conditions.name))


def input_name(name: str) -> str:
    """How a report names a file that went into a run; an address stays as it is."""
    return name if is_address(name) else shown_path(Path(name))


# How much memory batches may take together, as users write it.

USUAL_MEMORY = "2GB"
_UNITS = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*")
_SHARE = 4
"""A batch may take this part of the memory that is left for each worker; names, reading and results take the rest."""
_LEAST, _MOST = 64 * 10**6, 10**18


def memory_from(memory: str | int) -> int:
    """An amount of memory in bytes, from text such as `2GB`; InvalidInput if it is none."""
    found = _SIZE.fullmatch(str(memory)) if isinstance(memory, str) or abs(memory) < _MOST else None
    unit = _UNITS.get(found[2].lower()) if found else None
    try:
        number = parse_exact(found[1]) if found else Fraction(0)
    except ValueError:
        number = Fraction(0)
    amount = int(number * (unit or 0))
    if not _LEAST <= amount < _MOST:
        shown = str(memory)[:60] if isinstance(memory, str) or found else "a number of that size"
        headline, help = f"`{shown}` is not an amount of memory of at least 64MB", "write it as `2GB` or `500MB`"
        if amount >= _MOST:
            headline = f"`{shown}` is more memory than any machine has"
        elif found and not found[2] and number * 10**9 >= _LEAST:
            headline, help = f"`{shown}` has no unit of memory and would be bytes", f"write `{found[1]}GB`"
        raise InvalidInput([Diagnostic("bad-memory", headline, None, help)])
    return amount


def batch_memory(memory: str | int, engine: Engine) -> int:
    """How many bytes one batch may take, out of the memory of all workers."""
    # Workers of one machine share its memory; those of a cluster elsewhere have their own, which is not known here.
    return memory_from(memory) // (_SHARE * engine.number)


# What one scoring gives: the scorecard with its inputs, before anything is shown or stored.


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file that went into a run: what it was, its name, and the SHA-256 of its bytes."""

    role: str
    name: str
    digest: str


def input_files(**tables: Any) -> tuple[InputFile, ...]:
    """The files that went into a run, in the order of a report; what was in memory has no digest and is none."""
    return tuple(
        InputFile(role, input_name(table.name), table.digest)
        for role, table in tables.items()
        if table is not None and not isinstance(table, Fraction) and table.digest
    )


@dataclass(frozen=True, slots=True)
class Head:
    """The part of a report beside its counts: the contract, the classes, and where all of it came from."""

    contract: Contract
    mode: Mode
    classes: tuple[str, ...]
    inputs: tuple[InputFile, ...]
    preparation: Mapping[str, Any]
    settings: MetricSettings = field(default_factory=MetricSettings)
    violation_rows: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """A scorecard with everything needed to say where it came from; what reports and run directories are made of."""

    card: Scorecard
    reference: EventTable
    prediction: EventTable
    durations: Durations | Fraction
    diagnostics: tuple[Diagnostic, ...]
    inputs: tuple[InputFile, ...]
    ignore: Regions | None = None
    conditions: Mapping[str, str] | None = None
    preparation: Mapping[str, Any] = field(default_factory=dict)
    margins: ScoreMargins | None = None
    settings: MetricSettings = field(default_factory=MetricSettings)
    violation_rows: bool = True

    @property
    def head(self) -> Head:
        """The part of its report beside its counts."""
        family = self.card.family
        sources = self.inputs, self.preparation
        return Head(self.card.contract, family.mode, family.classes, *sources, self.settings, self.violation_rows)


_S = TypeVar("_S", bound=Scored)


def score_prepared(
    kind: type[_S],
    contract: Contract,
    family: Family,
    ready: Prepared,
    diagnostics: Diagnostics,
    labels: LabelMap | None,
    *,
    inputs: tuple[InputFile, ...] = (),
    conditions: Mapping[str, str] | None = None,
    settings: MetricSettings,
    margins: bool,
) -> _S:
    """Score a family that was assembled of tables that are ready: all the clips of a run, or those of a batch."""
    assert ready.durations is not None  # assembling refuses clips without a length
    return kind(
        score_family(contract, family),
        ready.reference,
        ready.prediction,
        ready.durations,
        tuple(diagnostics),
        inputs,
        ready.ignore,
        conditions,
        ready.record,
        score_margins(contract, family, ready.reference, ready.prediction, labels) if margins else None,
        settings,
    )
