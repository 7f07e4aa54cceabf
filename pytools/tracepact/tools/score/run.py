"""One scoring run: tables or in-memory data and a contract in, a scorecard with its diagnostics and inputs out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Unpack, overload

from tracepact.core import Contract
from tracepact.deprecation import renamed
from tracepact.diagnostics import Diagnostics, known_name, one_of
from tracepact.engines import Engine
from tracepact.frames import data_frame
from tracepact.io import (
    AudioFolder,
    ClassDecodings,
    Conditions,
    LabelMap,
    Prepared,
    Reading,
    conditions_from,
    durations_from,
    durations_of_masks,
    events_from,
    label_map_from,
    masks_from,
    prepare,
    read_document,
    regions_from,
    table_of_masks,
)
from tracepact.io.arrays import report_assumed_step, report_unequal_arrays
from tracepact.io.clips import ClipsOf, clip_choice_from
from tracepact.io.decoding import Declared, keep_confident
from tracepact.io.decoding_file import decoding_given, report_tuned_clips
from tracepact.io.field import says_its_frames
from tracepact.io.outside import Outside
from tracepact.io.reading import report_unused_readings, with_frames
from tracepact.io.score_lengths import report_table_lengths
from tracepact.metrics.compare import report_unlisted
from tracepact.progress import OnStage, silent
from tracepact.records import plain
from tracepact.scoring import score_family
from tracepact.tools.presented import Picture
from tracepact.tools.score.batches.running import USUAL_MEMORY, refuse_in_batches
from tracepact.tools.score.batches.scoring import BatchRun, score_batches
from tracepact.tools.score.figures import run_figure
from tracepact.tools.score.inputs import ScoreOptions, check_conditions, contract_from, input_name, is_incomplete
from tracepact.tools.score.margins import score_margins
from tracepact.tools.score.report.build import report_of
from tracepact.tools.score.report.notebook import notebook_html
from tracepact.tools.score.report.text import report_text
from tracepact.tools.score.report.violations import all_violations
from tracepact.tools.score.scored import Input, Scored
from tracepact.tools.score.store.rows import SCORE_COLUMNS, typed_score_rows
from tracepact.tools.score.store.writing import write_run
from tracepact.trace import Durations, EventTable, Mode, Regions, Time, assemble
from tracepact.trace.assembly import FrameMask
from tracepact.wording import decimal

STAGES = ("reading", "assembling", "scoring")


@dataclass(frozen=True, slots=True, eq=False)
class Run(Scored):
    """What `score` returns: a scorecard with its inputs, its report and its directory.

    Attributes:
        card: the scorecard, with the counts of every clip and class.
        reference: the reference events as they were scored.
        prediction: the predicted events as they were scored.
        durations: the lengths of the clips.
        diagnostics: the warnings; errors raise InvalidInput.
        inputs: the files that were read, with their digests.
        ignore: the regions without obligations.
        conditions: the condition of each clip, if they were given.
        preparation: what decoding, label map and joining did.
        margins: how far each verdict is from its opposite, in score, where a threshold alone decoded it (rule 13.36).
        settings: the policies of the standard metrics; `dataclasses.replace` gives the run others.
        violation_rows: whether a run directory holds every violated obligation (rule 17.8).

    Examples:
        >>> import tracepact
        >>> run = tracepact.score("boundary_gate", ref=[(1, 2)], pred=[(1.06, 2.4)], durations=5)
        >>> run.vector["silence_guard"]
        Fraction(48, 67)
        >>> str(run).splitlines()[0].strip()
        'boundary_gate  Starter contract for a boundary gate'
    """

    def violations(self, clause: str) -> list[dict[str, Any]]:
        """Every violated obligation of a clause as plain data: where, when, which part, how far from holding.

        Args:
            clause: the name of a clause.

        Returns:
            The violated obligations, by clip, class and time.

        Raises:
            InvalidInput: the contract has no such clause; it names those there are.

        Examples:
            >>> import tracepact
            >>> run = tracepact.score("boundary_gate", ref=[(1, 2)], pred=[(1.06, 2)], durations=3)
            >>> [(v["clip"], v["time"], v["distance"]["frames"]) for v in run.violations("onset_guard")]
            [('clip', '1', 3)]
        """
        known_name(clause, self.card.counts, "clause", "unknown-clause")
        found: list[dict[str, Any]] = plain(all_violations(self.card, clause, self.margins))
        return found

    witnesses = renamed("witnesses", "violations")

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data.

        Returns:
            What `report.json` of a run directory holds (spec/schemas/report.schema.json).
        """
        return report_of(self).to_dict()

    def to_frame(self) -> Any:
        """The score of every clip, class and clause as a data frame of pandas, or of polars where only that is there.

        Returns:
            The data frame, with the columns of `scores.csv` of a run directory. Counts are whole numbers, `decimal` is
            a float and `vacuous` a bool; `value` is the exact fraction, as text, for data frames have no fractions.

        Raises:
            ImportError: neither pandas nor polars is installed.
        """
        return data_frame(SCORE_COLUMNS, typed_score_rows(self.card))

    def plot(self, figure: str = "timeline") -> Picture:
        """A figure of the report, which notebooks show.

        Args:
            figure: `timeline` (the clip that failed worst) or `vector` (the scores).

        Returns:
            The picture as SVG.

        Raises:
            InvalidInput: there is no such figure; it names those there are.

        Examples:
            >>> import tracepact
            >>> run = tracepact.score("boundary_gate", ref=[(1, 2)], pred=[(1.06, 2)], durations=3)
            >>> run.plot("vector").svg[:4]
            '<svg'
        """
        return Picture(run_figure(self.card, figure))

    def save(self, folder: str | Path) -> list[Path]:
        """Write the run directory (chapter 17 of the tools): rows, tables, contract, report and manifest.

        Args:
            folder: where to; a run directory that is already there is replaced.

        Returns:
            The files that were written.

        Raises:
            InvalidInput: the folder holds something that is not a run directory.
        """
        return write_run(self, folder)

    def __str__(self) -> str:
        return report_text(report_of(self))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={decimal(value)}" for name, value in self.vector.items())
        return f"<Run of {self.card.contract.name}: {values}>"

    def _repr_html_(self) -> str:
        return notebook_html(report_of(self))


@overload
def score(
    contract: Contract | str | Path, ref: Any, pred: Any, *, engine: None = None, **options: Unpack[ScoreOptions]
) -> Run: ...


@overload
def score(
    contract: Contract | str | Path,
    ref: Any,
    pred: Any,
    *,
    engine: Engine | str,
    memory: str | int = USUAL_MEMORY,
    **options: Unpack[ScoreOptions],
) -> BatchRun: ...


def score(
    contract: Contract | str | Path,
    ref: Any,
    pred: Any,
    *,
    durations: Any = None,
    mode: Mode | str = Mode.CLASS_INDEXED,
    ignore: Any = None,
    masks: Mapping[str, Mapping[str, FrameMask]] | None = None,
    conditions: Any = None,
    label_map: Any = None,
    decoding: Declared | Path | None = None,
    classes: Sequence[str] | None = None,
    step: Time | None = None,
    ref_reading: Reading | None = None,
    pred_reading: Reading | None = None,
    outside: Outside | str = Outside.FALSE_ALARM,
    clips: Any = None,
    set: Mapping[str, str] | None = None,
    strict: bool = False,
    on_stage: OnStage = silent,
    engine: Engine | str | None = None,
    memory: str | int = USUAL_MEMORY,
) -> Run | BatchRun:
    """Score predictions against references under a contract.

    Args:
        contract: a Contract, a path, the name of a starter contract, or contract text.
        ref: the references: a path, a list of intervals, a mapping from clips to such lists, a data frame, masks
            (one truth value per frame, or with `classes` frames × classes), or scores: a ScoreField, an array or tensor
            of frames × classes, a mapping from clips to such arrays, or a data frame (rule 13.33).
        pred: the predictions, in any of these forms.
        durations: a table, a mapping from clips, one time for all clips, or an AudioFolder; masks bring their own.
        mode: whether labels are kept apart (the default) or scored as one class.
        ignore: regions without obligations, in the forms of `ref`.
        masks: the masks of the contract's declared atoms, by atom and clip.
        conditions: a table or a mapping from clips to conditions, which group the results.
        label_map: a TOML file or a mapping of its form (rule 13.11).
        decoding: how predicted scores become events, for all classes or for each, a threshold alone, or the path of a
            decoding file (rule 20.12).
        classes: the classes of the columns of arrays, on both sides; a reading may name others for its own.
        step: the length of a frame of arrays; by default that of the contract, where it fits the durations.
        ref_reading: what the content of the reference does not say.
        pred_reading: the same for the predictions.
        outside: what becomes of predicted events that start after the end of their clip: `false-alarm`, `cut`,
            `drop` or `error` (rule 13.31).
        clips: the clips to evaluate: `reference`, `durations`, `all`, a file with a clip in each line, or a list
            of clips (rule 13.32).
        set: new values of the contract's parameters, as text.
        strict: whether warnings are errors.
        on_stage: called with the name of each stage as it begins.
        engine: score in batches instead, for data that does not fit in memory: `local`, `processes`, `dask` or a
            scheduler's address, as `score_batches` takes it.
        memory: how much memory scoring in batches may take.

    Returns:
        The run: the scorecard, the tables that were scored, the warnings, the inputs. With an engine a BatchRun.

    Raises:
        InvalidInput: the contract or the data cannot be used; it carries every fault.

    Examples:
        >>> import tracepact
        >>> run = tracepact.score("boundary_gate", ref=[(1, 2)], pred=[(1.06, 2.4)], durations=5)
        >>> run.vector["onset_guard"]  # 60 ms late, and the contract allows 40 ms
        Fraction(0, 1)
        >>> wider = tracepact.score("boundary_gate", [(1, 2)], [(1.06, 2.4)], durations=5, set={"tol": "60ms"})
        >>> wider.vector["onset_guard"]
        Fraction(1, 1)
    """
    if engine is not None:
        refuse_in_batches(masks=masks, clips=clips, decoding=decoding, classes=classes, step=step)
        return score_batches(
            contract,
            ref,
            pred,
            engine=engine,
            memory=memory,
            durations=durations,
            mode=mode,
            ignore=ignore,
            conditions=conditions,
            label_map=label_map,
            ref_reading=ref_reading,
            pred_reading=pred_reading,
            outside=outside,
            set=set,
            strict=strict,
        )
    on_stage(STAGES[0])
    diagnostics = Diagnostics()
    compiled = contract_from(contract, set)
    labels = label_map_from(label_map, diagnostics)
    own_decoding = pred_reading.decoding if pred_reading else None
    readings = [with_frames(own, classes, step) for own in (ref_reading, pred_reading)]
    assumed = [
        reading.step is None and not says_its_frames(data) for reading, data in zip(readings, (ref, pred), strict=True)
    ]
    readings = [
        replace(reading, step=compiled.step) if own else reading for reading, own in zip(readings, assumed, strict=True)
    ]
    declared = decoding_given(decoding, diagnostics)
    diagnostics.raise_errors()
    readings[1] = replace(readings[1], decoding=own_decoding if decoding is None else declared)
    masked = [
        masks_from(data, diagnostics, name=name) if reading.classes is None else None
        for name, data, reading in zip(("ref", "pred"), (ref, pred), readings, strict=True)
    ]
    by_masks = durations_of_masks([m for m in masked if m is not None], compiled.step, diagnostics)
    reference, prediction = (
        events_from(data, diagnostics, name=name, reading=reading)
        if found is None
        else table_of_masks(found, compiled.step, name=name)
        for name, data, found, reading in zip(("ref", "pred"), (ref, pred), masked, readings, strict=True)
    )
    reference, prediction = (
        keep_confident(table, reading.decoding, diagnostics)
        for table, reading in zip((reference, prediction), readings, strict=True)
    )
    report_unused_readings(tuple(zip(readings, (reference, prediction), strict=True)), diagnostics)
    report_unequal_arrays(reference, prediction, diagnostics)
    given = by_masks if durations is None and by_masks else durations
    lengths = given if isinstance(given, AudioFolder) else durations_from(given, diagnostics)
    regions = regions_from(ignore, diagnostics) if ignore is not None else None
    by_class = readings[1].decoding
    return _finish(
        compiled,
        reference,
        prediction,
        lengths,
        mode,
        regions,
        masks,
        conditions,
        labels,
        one_of(Outside, outside, "policy for events outside their clips"),
        clips,
        diagnostics,
        strict,
        on_stage,
        by_class if isinstance(by_class, ClassDecodings) else None,
        assumed,
    )


def score_document(
    contract: Contract | str | Path,
    document: str | Path,
    *,
    mode: Mode | str = Mode.CLASS_INDEXED,
    conditions: Any = None,
    label_map: Any = None,
    outside: Outside | str = Outside.FALSE_ALARM,
    clips: Any = None,
    set: Mapping[str, str] | None = None,
    strict: bool = False,
    on_stage: OnStage = silent,
) -> Run:
    """Score one JSON document that holds both sides, durations, ignore regions and masks.

    Args:
        contract: a Contract, a path, the name of a starter contract, or contract text.
        document: a file of the form of `spec/schemas/document.schema.json`.
        mode: whether labels are kept apart (the default) or scored as one class.
        conditions: a table or a mapping from clips to conditions, which group the results.
        label_map: a TOML file or a mapping of its form (rule 13.11).
        outside: as for `score`.
        clips: as for `score`.
        set: new values of the contract's parameters, as text.
        strict: whether warnings are errors.
        on_stage: called with the name of each stage as it begins.

    Returns:
        The run, as `score` gives it.

    Raises:
        InvalidInput: the contract or the document cannot be used; it carries every fault.

    Examples:
        >>> import json, tempfile
        >>> from pathlib import Path
        >>> import tracepact
        >>> clip = {"name": "a", "duration": 3, "ref": [[1, 2, "dog"]], "pred": [[1, 2, "dog"]]}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "pair.json"
        ...     written = path.write_text(json.dumps({"clips": [clip]}))
        ...     run = tracepact.score_document("boundary_gate", path)
        >>> set(run.vector.values())
        {Fraction(1, 1)}
    """
    on_stage(STAGES[0])
    diagnostics = Diagnostics()
    compiled = contract_from(contract, set)
    doc = read_document(document, diagnostics)
    return _finish(
        compiled,
        doc.reference,
        doc.prediction,
        doc.durations,
        mode,
        doc.ignore,
        doc.masks,
        conditions,
        label_map_from(label_map, diagnostics),
        one_of(Outside, outside, "policy for events outside their clips"),
        clips,
        diagnostics,
        strict,
        on_stage,
    )


def _finish(
    contract: Contract,
    reference: EventTable,
    prediction: EventTable,
    lengths: Durations | Fraction | AudioFolder | None,
    mode: Mode | str,
    ignore: Regions | None,
    masks: Mapping[str, Mapping[str, FrameMask]] | None,
    conditions: Any,
    labels: LabelMap | None,
    outside: Outside,
    clips: Any,
    diagnostics: Diagnostics,
    strict: bool,
    on_stage: OnStage,
    decoded_by: ClassDecodings | None = None,
    assumed: Sequence[bool] = (False, False),
) -> Run:
    diagnostics.extend(contract.warnings)
    groups = conditions_from(conditions, diagnostics) if conditions is not None else None
    choice = clip_choice_from(clips, diagnostics)
    of_scores = any(table.origin and table.origin.scores for table in (reference, prediction))
    if of_scores or is_incomplete(diagnostics, lengths):  # a clip whose scores have a fault is absent
        diagnostics.raise_errors()
    ready = prepare(reference, prediction, lengths, ignore, labels, diagnostics, outside, choice)
    durations = ready.durations
    for table, is_assumed in zip((ready.reference, ready.prediction), assumed, strict=True):
        if is_assumed and report_assumed_step(table, ready.reference, durations, contract.step, diagnostics):
            diagnostics.raise_errors()
        report_table_lengths(table, durations, diagnostics)
    if choice is ClipsOf.ALL:
        ready = _with_silent_clips(ready, diagnostics)
    on_stage(STAGES[1])
    family = assemble(
        contract,
        ready.reference,
        ready.prediction,
        durations=durations,
        mode=one_of(Mode, mode, "mode"),
        ignore=ready.ignore,
        masks=masks,
        diagnostics=diagnostics,
        allow_outside=outside is not Outside.ERROR,
    )
    if groups:
        check_conditions(groups, family.clips, diagnostics)
    if decoded_by is not None:
        report_tuned_clips(decoded_by, family.clips, diagnostics)
    diagnostics.raise_errors(strict=strict)
    tables: list[tuple[str, EventTable | Durations | Conditions | LabelMap | ClassDecodings | None]] = [
        ("reference", reference),
        ("prediction", prediction),
        ("durations", durations if isinstance(durations, Durations) else None),
        ("ignore", ignore),
        ("conditions", groups),
        ("label_map", labels),
        ("decoding", decoded_by),
    ]
    on_stage(STAGES[2])
    inputs = tuple(Input(role, input_name(t.name), t.digest) for role, t in tables if t is not None and t.digest)
    assert durations is not None  # assembling refuses clips without a length
    if outside_events := ready.record.get("outside"):
        place = {clip: number for number, clip in enumerate(family.clips)}
        outside_events["events"].sort(key=lambda event: place[event["clip"]])
    return Run(
        score_family(contract, family),
        ready.reference,
        ready.prediction,
        durations,
        tuple(diagnostics),
        inputs,
        ready.ignore,
        groups.clips if groups else None,
        ready.record,
        score_margins(contract, family, ready.reference, ready.prediction, labels),
    )


def _with_silent_clips(ready: Prepared, diagnostics: Diagnostics) -> Prepared:
    """The clips that only the predictions name as silent clips of the reference (rule 13.32)."""
    report_unlisted(ready.reference, ready.prediction, ready.durations, diagnostics)
    silent = {clip: () for clip in ready.prediction.clips if clip not in ready.reference.clips}
    return replace(ready, reference=replace(ready.reference, clips={**ready.reference.clips, **silent}))
