"""One scoring run: tables or in-memory data and a contract in, a scorecard with its diagnostics and inputs out."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack, overload

from tracepact.data.assembly import assemble
from tracepact.data.decoding import report_tuned_clips
from tracepact.data.documents import read_document
from tracepact.data.event_rows import Outside
from tracepact.data.family import Mode
from tracepact.data.preparation import ClipsOf, Prepared
from tracepact.declarations import OnStage, renamed, silent
from tracepact.diagnostics.collection import Diagnostics, known_name
from tracepact.engines import Engine
from tracepact.evaluate.scorecard import ScoreRows
from tracepact.evaluate.scores import ScoredValue
from tracepact.language.compilation import contract_from
from tracepact.language.contract import Contract
from tracepact.measures.tables import report_unlisted
from tracepact.records import plain
from tracepact.runs.batch_run import AnyRun, BatchRun
from tracepact.runs.batch_scoring import score_task_in_batches
from tracepact.runs.directory import write_run
from tracepact.runs.report import Report
from tracepact.runs.report_parts import report_of
from tracepact.runs.task import (
    USUAL_MEMORY,
    DocumentOptions,
    Scored,
    Task,
    TaskOptions,
    check_conditions,
    input_files,
    prepared_tables,
    read_task,
    score_prepared,
)
from tracepact.runs.timelines import Timeline, timeline, worst_timelines
from tracepact.runs.violations import all_violations
from tracepact.wording import decimal

STAGES = ("reading", "assembling", "scoring")


class ScoreOptions(TaskOptions, total=False):
    """What `score` takes by name beside an engine."""

    set: Mapping[str, str] | None
    on_stage: OnStage


@dataclass(frozen=True, slots=True, eq=False)
class Run(Scored, AnyRun):
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
        margins: how far each verdict is from its opposite, in score, by frame clause; None where nobody asked, or
            where more than a threshold decoded the scores (rule 13.36).
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

    def violations(self, clause: str, *, clip: str | None = None) -> list[dict[str, Any]]:
        """Every violated obligation of a clause as plain data: where, when, which part, how far from holding.

        Args:
            clause: the name of a clause.
            clip: a clip, of which alone they are given; by default all.

        Returns:
            The violated obligations, by clip, class and time.

        Raises:
            InvalidInput: there is no such clause or clip; it names those there are.

        Examples:
            >>> import tracepact
            >>> run = tracepact.score("boundary_gate", ref=[(1, 2)], pred=[(1.06, 2)], durations=3)
            >>> [(v["clip"], v["time"], v["distance"]["frames"]) for v in run.violations("onset_guard")]
            [('clip', '1', 3)]
        """
        known_name(clause, self.card.counts, "clause", "unknown-clause")
        clips = self.card.family.clips
        place = None if clip is None else clips.index(known_name(clip, clips, "clip", "unknown-clip"))
        violations: list[dict[str, Any]] = plain(all_violations(self.card, clause, self.margins, place))
        return violations

    witnesses = renamed("witnesses", "violations")

    @property
    def rows(self) -> ScoreRows:
        """The score of every clip, class and clause."""
        return ScoreRows.of(self.card)

    def _contract(self) -> Contract:
        return self.card.contract

    def _report(self) -> Report:
        return report_of(self)

    def _scores(self) -> Mapping[str, ScoredValue]:
        return self.card.vector()

    def _worst_timeline(self) -> Timeline:
        return next(iter(worst_timelines(self.card, 1)), None) or timeline(self.card, 0)

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

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={decimal(value)}" for name, value in self.vector.items())
        return f"<Run of {self.card.contract.name}: {values}>"


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
    set: Mapping[str, str] | None = None,
    on_stage: OnStage = silent,
    engine: Engine | str | None = None,
    memory: str | int = USUAL_MEMORY,
    **options: Unpack[TaskOptions],
) -> Run | BatchRun:
    """Score predictions against references under a contract.

    Args:
        contract: a Contract, a path, the name of a starter contract, or contract text.
        ref: the references: a path, a list of intervals, a mapping from clips to such lists, a data frame, masks
            (one truth value per frame, or with `classes` frames × classes), or scores: a ScoreField, an array or tensor
            of frames × classes, a mapping from clips to such arrays, or a data frame (rule 13.33).
        pred: the predictions, in any of these forms.
        set: new values of the contract's parameters, as text.
        on_stage: called with the name of each stage as it begins.
        engine: score in batches instead, for data that does not fit in memory: `local`, `processes`, `dask` or a
            scheduler's address, as `score_batches` takes it.
        memory: how much memory scoring in batches may take.
        options: what goes with both sides, each by its name:

            - `durations`: a table, a mapping from clips, one time for all clips, or an AudioFolder; masks bring their
              own.
            - `mode`: whether labels are kept apart (the default) or scored as one class.
            - `ignore`: regions without obligations, in the forms of `ref`.
            - `masks`: the masks of the contract's declared atoms, by atom and clip.
            - `conditions`: a table or a mapping from clips to conditions, which group the results.
            - `label_map`: a TOML file or a mapping of its form (rule 13.11).
            - `decoding`: how predicted scores become events, for all classes or for each, a threshold alone, or the
              path of a decoding file (rule 20.12).
            - `classes`: the classes of the columns of arrays, on both sides; a reading may name others for its own.
            - `step`: the length of a frame of arrays; by default that of the contract, where it fits the durations.
            - `ref_reading`: what the content of the reference does not say; `pred_reading` the same of the predictions.
            - `outside`: what becomes of predicted events that start after the end of their clip: `false-alarm`, `cut`,
              `drop` or `error` (rule 13.31).
            - `clips`: the clips to evaluate: `reference`, `durations`, `all`, a file with a clip in each line, or a
              list of clips (rule 13.32).
            - `settings`: the policies of the standard metrics, a MetricSettings.
            - `margins`: whether to say how far each verdict is from its opposite, in score; for scores that a threshold
              alone decodes (rule 13.36).
            - `strict`: whether warnings are errors.

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
    task = Task(contract_from(contract, set), ref, pred, **options)
    if engine is not None:
        return score_task_in_batches(task, engine, memory)
    return score_task(task, on_stage)


def score_document(
    contract: Contract | str | Path,
    document: str | Path,
    *,
    set: Mapping[str, str] | None = None,
    on_stage: OnStage = silent,
    **options: Unpack[DocumentOptions],
) -> Run:
    """Score one JSON document that holds both sides, durations, ignore regions and masks.

    Args:
        contract: a Contract, a path, the name of a starter contract, or contract text.
        document: a file of the form of `spec/schemas/document.schema.json`.
        set: new values of the contract's parameters, as text.
        on_stage: called with the name of each stage as it begins.
        options: as for `score`: mode, conditions, label_map, outside, clips, settings, strict.

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
    compiled, held = contract_from(contract, set), read_document(document, diagnostics)
    task = Task(
        compiled,
        held.reference,
        held.prediction,
        durations=held.durations,
        ignore=held.ignore,
        masks=held.masks,
        **options,
    )
    return score_task(task, on_stage, diagnostics)


def score_task(task: Task, on_stage: OnStage = silent, diagnostics: Diagnostics | None = None) -> Run:
    """Score a task in memory; `diagnostics` has what was found where its data came from."""
    on_stage(STAGES[0])
    diagnostics = Diagnostics() if diagnostics is None else diagnostics
    contract = task.contract
    tables = read_task(task, diagnostics)
    diagnostics.extend(contract.warnings)
    ready = prepared_tables(tables, contract, diagnostics)
    # After the preparation, which names clips alike: before it a clip could seem to be one that only predictions name.
    if tables.sides.clips is ClipsOf.ALL:
        ready = _with_silent_clips(ready, Mode(task.mode), diagnostics)
    on_stage(STAGES[1])
    family = assemble(
        contract,
        ready.reference,
        ready.prediction,
        durations=ready.durations,
        mode=Mode(task.mode),
        ignore=ready.ignore,
        masks=task.masks,
        diagnostics=diagnostics,
        allow_outside=tables.sides.outside is not Outside.ERROR,
    )
    groups = tables.conditions
    if groups is not None:
        check_conditions(groups, family.clips, diagnostics)
    if tables.decoding is not None:
        report_tuned_clips(tables.decoding, family.clips, diagnostics)
    # All faults of the input are collected by now, so that one message names every one of them.
    diagnostics.raise_errors(strict=task.strict)
    on_stage(STAGES[2])
    if outside_events := ready.record.get("outside"):
        place = {clip: number for number, clip in enumerate(family.clips)}
        # In the order of the family, in which batches list them too.
        outside_events["events"].sort(key=lambda event: place[event["clip"]])
    read = tables.sides
    inputs = input_files(
        reference=read.reference,
        prediction=read.prediction,
        durations=ready.durations,
        ignore=read.ignore,
        conditions=groups,
        label_map=read.labels,
        decoding=tables.decoding,
    )
    return score_prepared(
        Run,
        contract,
        family,
        ready,
        diagnostics,
        read.labels,
        inputs=inputs,
        conditions=groups.clips if groups else None,
        settings=task.settings,
        margins=task.margins,
    )


def _with_silent_clips(ready: Prepared, mode: Mode, diagnostics: Diagnostics) -> Prepared:
    """The clips that only the predictions name as silent clips of the reference (rule 13.32)."""
    report_unlisted(ready.reference, ready.prediction, ready.durations, mode, diagnostics)
    silent = {clip: () for clip in ready.prediction.clips if clip not in ready.reference.clips}
    return replace(ready, reference=replace(ready.reference, clips={**ready.reference.clips, **silent}))
