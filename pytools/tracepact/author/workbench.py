"""A scene as the page of the workbench holds it: contract, parameters, clips, imported files, findings."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from math import ceil
from threading import Lock
from time import monotonic
from typing import Annotated, Literal

from msgspec import Meta, field

from tracepact.data.assembly import assemble
from tracepact.data.documents import FamilyDocument, parse_document, read_side
from tracepact.data.event_rows import EventRows, TimeTexts
from tracepact.data.events import Durations, Event, EventTable
from tracepact.data.family import Family, Grid, Mode, Runs, Side, unpack
from tracepact.data.preparation import SideTables, prepare
from tracepact.data.sources import TextFile
from tracepact.data.tables import read_table
from tracepact.declarations import CONTRACT_ENDING
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Diagnostic, Source, Span, TextPlace
from tracepact.diagnostics.records import DiagnosticRecord, diagnostic_record
from tracepact.evaluate.cast import scenes
from tracepact.evaluate.scorecard import Scorecard, score_family
from tracepact.language.compilation import compile_source, override
from tracepact.language.contract import Contract
from tracepact.language.formula import FrameRun, runs_of_frames
from tracepact.logic.arithmetic import read_words
from tracepact.logic.contract_findings import check_contract
from tracepact.logic.decisions import QUESTION_SECONDS, Budget
from tracepact.logic.models import read_picture
from tracepact.records import Record
from tracepact.runs.run import Run
from tracepact.wording import count, parse_exact, print_number

# A scene as the page holds it: a contract, parameters and one clip; and the scorecard it comes to (rule 23.2).

MOST_FRAMES = 200_000
"""The most frames that a scene has, over all of its classes."""
MOST_EVENTS = 5_000
CONTRACT_NAME = "contract"

_Time = Annotated[str, Meta(max_length=60)]
_Label = Annotated[str, Meta(min_length=1, max_length=200)]
Number = int | Fraction
EventText = tuple[_Time, _Time, _Label]
"""Onset and offset in seconds, exact, and the label."""
Events = Annotated[tuple[EventText, ...], Meta(max_length=MOST_EVENTS)]


class SceneClip(Record, frozen=True):
    """One clip: its length and the events of both sides; times are exact text, in seconds."""

    name: Annotated[str, Meta(min_length=1, max_length=400)]
    duration: _Time
    ref: Events = ()
    pred: Events = ()
    ignore: Annotated[tuple[tuple[_Time, _Time, str], ...], Meta(max_length=MOST_EVENTS)] = ()
    masks: Annotated[
        dict[str, tuple[tuple[_Time, _Time], ...]], Meta(max_length=64, description="Intervals by declared atom.")
    ] = field(default_factory=dict)


class PlayScene(Record, frozen=True):
    """What the page sends: all that a verdict depends on."""

    contract: Annotated[str, Meta(max_length=200_000)]
    clip: SceneClip
    set: Annotated[dict[str, str], Meta(max_length=200, description="New values of parameters.")] = field(
        default_factory=dict
    )
    union: bool = False


def compiled(scene: PlayScene) -> tuple[Contract | None, tuple[Diagnostic, ...]]:
    """The contract of a scene, if its text and parameters have no errors, and what was found in them."""
    contract, diagnostics = compiled_text(scene.contract)
    if contract is None or not scene.set:
        return contract, diagnostics
    try:
        changed = override(contract, scene.set)
    except InvalidInput as error:
        return None, tuple(error.diagnostics)
    return changed, tuple(changed.warnings)


@lru_cache(maxsize=32)
def compiled_text(text: str) -> tuple[Contract | None, tuple[Diagnostic, ...]]:
    """The contract of a text, if it has no errors, and what was found in it."""
    diagnostics = Diagnostics()
    contract = compile_source(Source(CONTRACT_NAME, text), diagnostics)
    return contract, tuple(diagnostics)


def judged(contract: Contract, scene: PlayScene) -> tuple[Scorecard, tuple[Diagnostic, ...]]:
    """The scorecard of a scene, and what is odd about its data; InvalidInput if it cannot be scored."""
    diagnostics = Diagnostics()
    family = family_of(contract, scene, diagnostics)
    diagnostics.raise_errors()
    return score_family(contract, family), tuple(diagnostics)


def family_of(contract: Contract, scene: PlayScene, diagnostics: Diagnostics) -> Family:
    """The clip of a scene on the grid of its contract, as scoring puts it there."""
    clip = scene.clip
    # The page computes with fractions, so that an edge on a third of a second stays on it.
    times = TimeTexts(fractions=True)
    reference, prediction, ignored = (
        _table(name, clip.name, events, times, diagnostics)
        for name, events in (("ref", clip.ref), ("pred", clip.pred), ("ignore", clip.ignore))
    )
    duration = _duration(clip, contract, reference, prediction, times, diagnostics)
    lengths = Durations("duration", {clip.name: duration})
    regions = ignored if clip.ignore else None
    # The same preparation as for scoring, so that a scene and its saved files have the same verdicts.
    ready = prepare(SideTables(reference, prediction, lengths, regions), diagnostics)
    frames = Grid(contract.step).frames(duration)
    return assemble(
        contract,
        ready.reference,
        ready.prediction,
        durations=ready.durations,
        mode=Mode.UNION if scene.union else Mode.CLASS_INDEXED,
        ignore=ready.ignore,
        masks=_masks(contract, clip, frames, times, diagnostics),
        diagnostics=diagnostics,
        allow_outside=True,
    )


def _table(
    name: str, clip: str, events: Sequence[tuple[str, str, str]], times: TimeTexts, diagnostics: Diagnostics
) -> EventTable:
    rows = EventRows(name, diagnostics, times, regions=name == "ignore")
    rows.clips[clip] = []
    for onset, offset, label in events:
        rows.add(None, clip, onset, offset, label)
    return rows.table()


def _duration(
    clip: SceneClip,
    contract: Contract,
    reference: EventTable,
    prediction: EventTable,
    times: TimeTexts,
    diagnostics: Diagnostics,
) -> Fraction:
    """The length of the clip; InvalidInput where there is none, or more frames than are judged at once."""
    try:
        duration = times[clip.duration]
    except ValueError:
        duration = Fraction(0)
    if not duration:
        diagnostics.add("bad-time", f"the duration `{clip.duration}` is not a length in seconds")
        diagnostics.raise_errors()
    classes = len(contract.labels or reference.labels | prediction.labels) or 1
    if duration / contract.step * classes > MOST_FRAMES:
        diagnostics.add(
            "too-many-frames",
            f"the scene has more than {MOST_FRAMES:,} frames over its classes",
            help="shorten the clip, or score it with `tracepact score`",
        )
        diagnostics.raise_errors()
    return duration


def _masks(
    contract: Contract, clip: SceneClip, frames: int, times: TimeTexts, diagnostics: Diagnostics
) -> Mapping[str, Mapping[str, list[bool]]]:
    """The masks of the declared atoms: the frames whose centre lies in an interval. An atom without intervals is off.

    Intervals of an atom that the contract does not declare are kept in the scene, and judge nothing.
    """
    masks: dict[str, dict[str, list[bool]]] = {}
    grid = Grid(contract.step)
    for atom in contract.declared_atoms:
        mask = [False] * frames
        for onset, offset in clip.masks.get(atom, ()):
            try:
                start, end = grid.project(times[onset], times[offset])
            except ValueError:
                diagnostics.add("bad-time", f"atom `{atom}`: `{onset}` to `{offset}` is not an interval in seconds")
                continue
            for frame in range(max(start, 0), min(end, frames)):
                mask[frame] = True
        masks[atom] = {clip.name: mask}
    return masks


def run_events(runs: Sequence[tuple[Number, Number]], step: Fraction, label: str) -> tuple[EventText, ...]:
    """Runs of frames as events."""
    return tuple((onset, offset, label) for onset, offset in run_times(runs, step))


def run_times(runs: Sequence[tuple[Number, Number]], step: Fraction) -> tuple[tuple[str, str], ...]:
    """Runs of frames in seconds, as exact text."""
    return tuple((print_number(start * step), print_number(end * step)) for start, end in runs)


# The clips a workbench begins with: scenes made for the contract, or the clips of given references and predictions.

MOST_CLIPS = 200


def clips_of_contract(contract: Contract) -> tuple[SceneClip, ...]:
    """The scenes of rule 22.2, with a perfect prediction."""
    family = scenes(contract)
    return tuple(_clip_of(family, number) for number in range(len(family.clips)))


def _clip_of(family: Family, number: int) -> SceneClip:
    refs = events_of(family, family.runs[Side.REF], number)
    length = print_number(family.frames[number] * family.step)
    first = family.segment(0, number)  # a mask is the same for every class
    masks = {atom: run_times(runs.get(first, ()), family.step) for atom, runs in family.masks.items()}
    return SceneClip(family.clips[number], length, refs, refs, (), masks)


def events_of(family: Family, runs: Runs, number: int) -> tuple[EventText, ...]:
    """The runs of one clip as events of its classes."""
    events: list[EventText] = []
    for label, name in enumerate(family.classes):
        events += run_events(runs.get(family.segment(label, number), ()), family.step, name)
    return tuple(events)


def clips_of_run(run: Run) -> tuple[SceneClip, ...]:
    """The clips of a scoring run, as its data were prepared; of many clips the first `MOST_CLIPS`."""
    family, lengths = run.card.family, run.durations
    return tuple(
        _of_tables(
            name,
            lengths if isinstance(lengths, Fraction) else lengths.clips[name],
            (run.reference, run.prediction, run.ignore),
            _clip_of(family, number).masks,
        )
        for number, name in enumerate(family.clips[:MOST_CLIPS])
    )


def clips_of_document(document: FamilyDocument, step: Fraction) -> tuple[SceneClip, ...]:
    """The clips of a JSON document; its masks are in frames of a step."""
    tables, masks = (document.reference, document.prediction, document.ignore), document.masks or {}

    def runs(mask: int) -> tuple[FrameRun, ...]:
        return runs_of_frames(unpack(mask, mask.bit_length()).tolist())  # bit i is frame i

    return tuple(
        _of_tables(
            name,
            duration,
            tables,
            {atom: run_times(runs(by_clip.get(name, 0)), step) for atom, by_clip in masks.items()},
        )
        for name, duration in document.durations.clips.items()
    )


def _of_tables(
    name: str,
    duration: Fraction,
    tables: tuple[EventTable, EventTable, EventTable | None],
    masks: dict[str, tuple[tuple[str, str], ...]],
) -> SceneClip:
    """A clip of three tables: references, predictions, ignore regions."""
    ref, pred, ignore = (() if table is None else _events(table, name) for table in tables)
    return SceneClip(name, print_number(duration), ref, pred, ignore, masks)


def _events(table: EventTable, clip: str) -> tuple[EventText, ...]:
    return tuple(map(event_text, table.clips.get(clip, ())))


def event_text(event: Event) -> EventText:
    """An event as text, exact."""
    return print_number(event.onset), print_number(event.offset), event.label


# Files that the user hands to the page: a contract, a JSON document, or a table of one side (rule 23.6).


class GivenFile(Record, frozen=True):
    """A file as the browser read it, the scene it comes into, and the side a table is for."""

    name: Annotated[str, Meta(max_length=400)]
    text: str
    side: Literal["ref", "pred"]
    scene: PlayScene


class Imported(Record, frozen=True):
    """What a file holds: a contract's text or clips; or what is wrong with it."""

    diagnostics: tuple[DiagnosticRecord, ...]
    contract: str | None = None
    clips: tuple[SceneClip, ...] = ()
    notice: str = ""


def imported(upload: GivenFile) -> Imported:
    """Read a file; a table replaces one side of the clips it names."""
    if upload.name.endswith(CONTRACT_ENDING):
        return Imported((), upload.text)
    diagnostics = Diagnostics()
    file = TextFile(upload.name, upload.text, sha256(upload.text.encode()).hexdigest())
    try:
        clips = _clips(file, upload, diagnostics)
        diagnostics.raise_errors()
    except InvalidInput as error:
        return Imported(tuple(map(diagnostic_record, error.diagnostics)))
    notice = f"only the first {count(MOST_CLIPS, 'clip')} are taken" if len(clips) > MOST_CLIPS else ""
    return Imported(tuple(map(diagnostic_record, diagnostics)), None, tuple(clips[:MOST_CLIPS]), notice)


def _clips(file: TextFile, upload: GivenFile, diagnostics: Diagnostics) -> tuple[SceneClip, ...]:
    # A document of both sides names them; any other JSON is a format of one side.
    if file.is_json and '"ref"' not in file.text and '"pred"' not in file.text:
        return _of_side(read_side(file, diagnostics), upload)
    if not file.is_json:
        return _of_side(read_table(file, diagnostics), upload)
    contract, _ = compiled(upload.scene)
    document = parse_document(file, diagnostics)
    if document.masks and contract is None:
        diagnostics.add("missing-mask", "the masks of a document are in frames, and the contract has no step yet")
    for clip in {*document.reference.clips, *document.prediction.clips} - document.durations.clips.keys():
        diagnostics.add("unknown-duration", f"nothing says how long `{clip}` is", help="give the clip a `duration`")
    return clips_of_document(document, contract.step if contract else Fraction(1))


def _of_side(table: EventTable, upload: GivenFile) -> tuple[SceneClip, ...]:
    """The clips of a table, with the other side of the clip in the scene where the names agree, or there is one."""
    shown = upload.scene.clip
    clips = []
    for name, events in table.clips.items():
        # A table of one clip is for the scene whatever its file is called.
        same = name == shown.name or len(table.clips) == 1
        kept = shown if same else SceneClip(name, "1")
        sides = {"ref": kept.ref, "pred": kept.pred, upload.side: tuple(map(event_text, events))}
        length = print_number(_length(kept, events))
        clips.append(SceneClip(name, length, sides["ref"], sides["pred"], kept.ignore, kept.masks))
    return tuple(clips)


def _length(clip: SceneClip, events: tuple[Event, ...]) -> Fraction:
    """The length of a clip: its own, or whole seconds if an event ends later."""
    last = max((event.offset for event in events), default=Fraction(0))
    try:
        length = parse_exact(clip.duration)
    except ValueError:
        length = Fraction(1)
    return length if last <= length else Fraction(ceil(last))


# Findings of `check` while somebody types: one check at a time, within a budget, stopped by the next (rule 23.5).

SECONDS = 30.0
"""What a check of the page may take in all."""
MOST_AS_LONG = 20
"""How many questions that use up their time the check of one state of a text in an editor may take."""
_PERFECT = "perfect-prediction-fails"
_QUESTION = Budget(seconds=1.0, minimising=0.5)


class ShownFinding(Record, frozen=True):
    """A finding, and the trace that shows it as a clip, where it has one that is drawn whole."""

    diagnostic: DiagnosticRecord
    clip: SceneClip | None


class ShownFindings(Record, frozen=True):
    """What a check found; or that it was stopped, and why."""

    findings: tuple[ShownFinding, ...]
    stopped: Annotated[str, Meta(description="Empty if every question was asked.")] = ""


class Superseded(Exception):  # noqa: N818  (it says what became of the text)
    """The text was changed while it was checked."""


class BudgetSpent(Exception):  # noqa: N818  (as above)
    """The time for all questions is over."""


def _checked(
    contract: Contract, is_current: Callable[[], bool], seconds: float, budget: Budget, *, notes: bool = False
) -> list[Diagnostic]:
    """What `check` finds; Superseded or BudgetSpent before the next question once it is stale or too late."""
    end = monotonic() + seconds

    def before_question(_: str) -> None:
        if not is_current():
            raise Superseded
        if monotonic() >= end:
            raise BudgetSpent

    # A text that is stale before its first question is asked is not worth encoding for the solver.
    before_question("")
    return check_contract(contract, notes=notes, budget=budget, watch=before_question)


def check_while(
    contract: Contract, is_current: Callable[[], bool], *, question: float = QUESTION_SECONDS
) -> list[Diagnostic]:
    """What `check` finds in a text of an editor; Superseded once the text is no longer current."""
    seconds = question * MOST_AS_LONG
    try:
        # Half of a question's time may go to making its trace small; the answer itself is worth more.
        return _checked(contract, is_current, seconds, Budget(question, question / 2))
    except BudgetSpent:
        headline = f"the contract was not checked to the end within {seconds:g} s"
        place = TextPlace(contract.source, contract.statements.get("contract", Span(0, 0)))
        return [Diagnostic("undecided", headline, place, "run `tracepact check` on the file")]


class Checker:
    """Checks the contracts of one page, one after the other; a later one stops those before it."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        # One lock for the number that makes older checks stale, held for moments; one for the solver, held as long as a
        # check takes.
        self._guard, self._turn = Lock(), Lock()
        self._asked: tuple[str, Mapping[str, str]] | None = None
        self._number = 0

    def changed(self, scene: PlayScene) -> None:
        """Stop a check of another contract than that of the scene."""
        with self._guard:
            if self._asked is not None and self._asked != (scene.contract, scene.set):
                self._asked = None
                self._number += 1

    def check(self, scene: PlayScene) -> ShownFindings:
        """What `check` finds in the contract of a scene."""
        with self._guard:
            self._number += 1
            # A later check has a greater number, by which the one that runs learns that it is stale.
            mine, self._asked = self._number, (scene.contract, scene.set)
        contract, _ = compiled(scene)
        if contract is None:
            return ShownFindings((), "the contract has errors")
        with self._turn:
            try:
                findings = _checked(contract, lambda: self._number == mine, self._seconds, _QUESTION, notes=True)
            except Superseded:
                return ShownFindings((), "the contract has changed")
            except BudgetSpent:
                return ShownFindings((), f"not every question was asked within {self._seconds:g} s")
        return ShownFindings(tuple(_finding(contract, one) for one in findings))


def _finding(contract: Contract, finding: Diagnostic) -> ShownFinding:
    clip = None if finding.trace is None else shown_clip(contract, finding.code, finding.trace)
    return ShownFinding(diagnostic_record(finding), clip)


def shown_clip(contract: Contract, name: str, trace: str) -> SceneClip | None:
    """The clip, with the name of its code, of a trace or scene that shows a finding; None where not all is drawn."""
    # A trace speaks of one class and others: any two labels do.
    labels = contract.labels or ()
    label, other = (*labels, "a", "b")[0], (*labels[1:], "b")[0]
    step = contract.step
    if (masks := read_picture(trace)) is not None:
        runs = {atom: runs_of_frames(row) for atom, row in masks.items()}
        frames = max(map(len, masks.values()), default=0)
        ref, pred = (_both(runs, side, step, label, other) for side in ("ref_active", "pred_active"))
        if name == _PERFECT:
            pred = ref  # the picture has the reference alone: the prediction is the same
        lit = {atom: run_times(runs.get(atom, ()), step) for atom in contract.declared_atoms}
        return SceneClip(name, print_number(max(frames, 1) * step), ref, pred, (), lit)
    if (scene := read_words(trace)) is not None:
        refs, preds, others = scene
        last = max((end for _, end in (*refs, *preds, *others)), default=Fraction(0))
        second = Fraction(1)  # what the words of a scene count in
        ref = (*run_events(refs, second, label), *run_events(others, second, other))
        return SceneClip(name, print_number(last + step), ref, run_events(preds, second, label))
    return None


def _both(
    runs: Mapping[str, tuple[FrameRun, ...]], side: str, step: Fraction, label: str, other: str
) -> tuple[EventText, ...]:
    mine = run_events(runs.get(side, ()), step, label)
    return (*mine, *run_events(runs.get(f"other_{side}", ()), step, other))
