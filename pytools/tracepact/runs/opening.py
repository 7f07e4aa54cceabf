"""Runs as every function takes them: in memory, in batches or in a run directory, opened wherever they are."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from msgspec import ValidationError

from tracepact.data.assembly import assemble
from tracepact.data.events import Durations, EventTable, Regions
from tracepact.data.family import Family, Grid, Mode
from tracepact.data.tables import Conditions
from tracepact.diagnostics.collection import Diagnostics, InvalidInput, require_type
from tracepact.diagnostics.findings import Diagnostic, RowPlace
from tracepact.evaluate.cast import is_constant
from tracepact.evaluate.scorecard import ScoreRows
from tracepact.evaluate.tolerance import ToleranceCurves
from tracepact.files import json_data
from tracepact.inputs import LARGEST_DOCUMENT, read_within
from tracepact.language.contract import Aggregation, Contract
from tracepact.records import record_of
from tracepact.runs import manifest as tables
from tracepact.runs.batch_run import NO_ROWS, BatchRun, batch_pages, not_kept, open_batches
from tracepact.runs.directory import run_files
from tracepact.runs.manifest import (
    AGAIN,
    DRIFTED,
    NAME,
    RunFolder,
    content_of,
    is_league,
    manifest_faults,
    origin_of,
    policies_of,
)
from tracepact.runs.margins import read_margins
from tracepact.runs.originals import UNREADABLE, Places, compared_originals, recorded_data, unsaid, why_not_again
from tracepact.runs.report import Preparation, Report
from tracepact.runs.rows import read_score_rows
from tracepact.runs.run import Run, score
from tracepact.runs.tally import run_content
from tracepact.runs.task import InputFile, Scored

# A run as every function takes it: in memory, in a run directory, or in batches (rule 17.17).

_T = TypeVar("_T")
Place = str | os.PathLike[str]
_REPORT = "report.json"
RunLike = Run | BatchRun | str | os.PathLike[str]
"""A run wherever it is: in memory, in batches, or the place of the run directory of either."""


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """The properties that compared runs must share: contract, mode, the content of each table, clips, classes.

    A run in batches without a directory names no clips; where the lengths are the same (`tables`), they are.
    """

    contract: str
    mode: str
    tables: Mapping[str, str]
    clips: tuple[str, ...]
    classes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PredictionSource:
    """The file that predictions came from, and the digest of the manifest of their run, as far as there are any."""

    name: str
    sha256: str | None
    run: str


class OpenRun(ABC):
    """A run that is opened: what is asked of it is the same wherever it is."""

    @property
    @abstractmethod
    def place(self) -> str:
        """Where it is, or what it is called."""

    @property
    @abstractmethod
    def contract(self) -> Contract:
        """Its contract."""

    @property
    @abstractmethod
    def report(self) -> dict[str, Any]:
        """Its report as plain data (spec/schemas/report.schema.json)."""

    @property
    @abstractmethod
    def rows(self) -> ScoreRows:
        """The score of every clip, class and clause; InvalidInput if it does not keep them."""

    @property
    @abstractmethod
    def identity(self) -> RunIdentity:
        """The identity that it is compared by; clips and classes in its own order."""

    @property
    @abstractmethod
    def constant(self) -> bool:
        """Whether its system answers the same throughout, or the same in every clip (rule 16.12)."""

    @property
    @abstractmethod
    def source(self) -> PredictionSource:
        """Where its predictions came from."""

    @property
    def has_tables(self) -> bool:
        """Whether it can be computed again."""
        return True

    @abstractmethod
    def rescore(self) -> Run:
        """The run with its tables in memory; InvalidInput if it does not keep them."""

    def curves(self, parameter: str) -> ToleranceCurves | None:
        """The curves over a parameter, from its own range of values, if they are kept."""
        return None


@dataclass(frozen=True)
class MemoryRun(OpenRun):
    """A run in memory."""

    run: Run
    place: str = "the run"

    @property
    def contract(self) -> Contract:
        """Its contract."""
        return self.run.card.contract

    @cached_property
    def report(self) -> dict[str, Any]:
        """Its report as plain data."""
        return self.run.to_dict()

    @property
    def rows(self) -> ScoreRows:
        """The score of every clip, class and clause."""
        return ScoreRows.of(self.run.card)

    @cached_property
    def identity(self) -> RunIdentity:
        """The identity that it is compared by."""
        family = self.run.card.family
        return RunIdentity(self.contract.digest, family.mode.value, run_content(self.run), family.clips, family.classes)

    @property
    def constant(self) -> bool:
        """Whether its system is constant."""
        return is_constant(self.run.card.family)

    @cached_property
    def source(self) -> PredictionSource:
        """Where its predictions came from."""
        table, data = self.run.prediction, run_files(self.run)[NAME]
        return PredictionSource(table.name, table.digest, json_data(data)["sha256"])

    def rescore(self) -> Run:
        """The run with its tables in memory."""
        return self.run


@dataclass(frozen=True)
class BatchedRun(OpenRun):
    """A run in batches; with `originals` it can be scored again in memory, from the files it was made from."""

    run: BatchRun
    place: str = "the run"
    originals: Places | None = None

    @property
    def contract(self) -> Contract:
        """Its contract."""
        return self.run.head.contract

    @cached_property
    def report(self) -> dict[str, Any]:
        """Its report as plain data."""
        return self.run.to_dict()

    @cached_property
    def rows(self) -> ScoreRows:
        """The score of every clip, class and clause."""
        if self.run.folder is None:
            raise not_kept(self._called, "no scores of single clips, which this needs", NO_ROWS)
        return self.run.rows

    @property
    def _called(self) -> str:
        return self.place if self.place == "the run" else f"the run `{self.place}`"

    @property
    def identity(self) -> RunIdentity:
        """The identity that it is compared by."""
        if not self.run.tables:
            raise not_kept(self._called, "nothing that says of what data it is: an earlier release made it", AGAIN)
        clips = () if self.run.folder is None else self.rows.clips
        return RunIdentity(
            self.contract.digest, self.run.head.mode.value, self.run.tables, clips, self.run.report.family.classes
        )

    @property
    def constant(self) -> bool:
        """Whether its system is constant."""
        return bool(self.run.constant)

    @property
    def source(self) -> PredictionSource:
        """Where its predictions came from."""
        # A side that was in memory is no input; all that is known of it is its role.
        known = next((item for item in self.run.head.inputs if item.role == "prediction"), None)
        return PredictionSource(
            known.name if known else "pred", known.digest if known else None, self.run.manifest["sha256"]
        )

    @property
    def has_tables(self) -> bool:
        """Whether it can be computed again."""
        return bool(self.originals)

    def rescore(self) -> Run:
        """The run with its tables in memory."""
        return self._again

    @cached_property
    def _again(self) -> Run:
        # Without a directory there is no manifest that says which files to read, so naming their folder would not help.
        if self.run.folder is None:
            raise not_kept(self._called, "no copy of its tables, which this needs", "score it without an engine")
        if not self.originals:
            raise not_kept(self._called, "no copy of its tables, which this needs")
        folder, data = self.run.folder, self.run.manifest
        try:
            compared = tuple(compared_originals(data["inputs"], self.originals))
            if why := why_not_again(data, tuple(one.original for one in compared)):
                raise not_kept(self._called, f"no copy of its tables, and they are not made again: {why}")
            given = recorded_data(folder, data, compared)
        except UNREADABLE as error:
            raise unsaid(folder) from error
        head = self.run.head
        again: Run = replace(
            score(**given),
            inputs=head.inputs,
            preparation=head.preparation,
            violation_rows=head.violation_rows,
        )
        check_same(folder, self.run.report, again)
        return again

    def curves(self, parameter: str) -> ToleranceCurves | None:
        """The curves over a parameter that are kept."""
        kept = () if self.run.folder is None else batch_pages(self.run).data.curves
        return next((one for one in kept if one.parameter == parameter), None)


def check_same(folder: Place, report: Report, run: Scored) -> None:
    """The counts of every clause against those of the stored report."""
    known = {clause.name for clause in run.card.contract.clauses}
    for row in report.vector:
        old = row.scores[Aggregation.POOLED]
        new = run.card.score(row.clause, Aggregation.POOLED) if row.clause in known else None
        if new is None or (old.satisfied, old.obligated) != (new.satisfied, new.obligated):
            fault = f"`{row.clause}` does not come out as it is stored"
            raise _broken(folder, _REPORT, fault, "`tracepact verify` names what drifted")


def _broken(place: Place, name: str, fault: str, help: str | None = None) -> InvalidInput:
    """The error for a file of a run that is malformed or does not fit."""
    return InvalidInput([Diagnostic("broken-run", fault, RowPlace(str(Path(place) / name)), help)])


# Opens a run directory: its manifest, report, rows and contract, and the run computed again from its tables.


@dataclass(frozen=True)
class StoredRun(RunFolder, OpenRun):
    """The run directory of a run in memory; what it holds is read when asked for."""

    @property
    def place(self) -> str:
        """Its folder."""
        return str(self.folder)

    @cached_property
    def report(self) -> dict[str, Any]:
        """Its report as plain data."""
        data = self.read(_REPORT, json_data)
        if not isinstance(data, dict):
            raise self.broken(_REPORT, "the report is not an object")
        # The first run directories call the violations `witnesses`.
        old = "witnesses" in data and "violations" not in data
        return {"violations" if old and key == "witnesses" else key: value for key, value in data.items()}

    @cached_property
    def rows(self) -> ScoreRows:
        """The score of every clip, class and clause."""
        return self.read("scores.csv", read_score_rows)

    @cached_property
    def identity(self) -> RunIdentity:
        """The identity that it is compared by."""
        listed, ignore = self._tables, self._ignore()
        content = content_of(
            self.rows.clips,
            self._events("reference").clips,
            self._durations().clips,
            None if ignore is None else ignore.clips,
            self.text(listed["masks"]["file"]) if "masks" in listed else None,
        )
        known = self.manifest["contract"]["digest"], self.manifest["settings"]["mode"]
        return RunIdentity(*known, content, self.rows.clips, self.rows.classes)

    @property
    def constant(self) -> bool:
        """Whether its system is constant."""
        return is_constant(self.family())

    @property
    def source(self) -> PredictionSource:
        """Where its predictions came from."""
        table = self._tables["prediction"]
        return PredictionSource(table["name"], table["sha256"], self.manifest["sha256"])

    @property
    def _tables(self) -> dict[str, dict[str, Any]]:
        """The manifest's entry for each stored table, by role."""
        return {item["role"]: item for item in self.manifest["tables"]}

    def _events(self, role: str) -> EventTable:
        table = self._tables[role]
        clips = self.read(table["file"], tables.read_events)
        return EventTable(table["name"], clips, table["sha256"], origin_of(table["origin"]))

    def _durations(self) -> Durations:
        table = self._tables["durations"]
        return Durations(table["name"], self.read(table["file"], tables.read_durations), table["sha256"])

    def _ignore(self) -> Regions | None:
        return self._events("ignore") if "ignore" in self._tables else None

    def family(self) -> Family:
        """The events of both sides on the grid, from the stored tables; supplied masks are left out."""
        return assemble(
            # Events are all that is asked here, so masks that the caller once supplied need not be read.
            replace(self.contract, clauses=(), declared_atoms=()),
            self._events("reference"),
            self._events("prediction"),
            durations=self._durations(),
            mode=Mode(self.manifest["settings"]["mode"]),
            ignore=self._ignore(),
            diagnostics=Diagnostics(),
        )

    def rescore(self) -> Run:
        """The run with its tables in memory."""
        by_role, contract, durations = self._tables, self.contract, self._durations()
        conditions = masks = None
        if table := by_role.get("conditions"):
            conditions = Conditions(table["name"], self.read(table["file"], tables.read_conditions), table["sha256"])
        if table := by_role.get("masks"):
            frames = {clip: Grid(contract.step).frames(length) for clip, length in durations.clips.items()}
            masks = self.read(table["file"], lambda text: tables.read_masks(text, contract.declared_atoms, frames))
        again = score(
            contract,
            self._events("reference"),
            self._events("prediction"),
            durations=durations,
            mode=self.manifest["settings"]["mode"],
            ignore=self._ignore(),
            masks=masks,
            conditions=conditions,
        )
        # The stored tables are those after preparation; what was done, by which files, and what the scores before it
        # said of the verdicts are taken as recorded.
        inputs = tuple(InputFile(item["role"], item["name"], item["sha256"]) for item in self.manifest["inputs"])
        margins = None
        if table := by_role.get("margins"):
            margins = self.read(table["file"], lambda text: read_margins(text, again.card))
        return replace(again, inputs=inputs, margins=margins, **self._chosen())

    def _chosen(self) -> dict[str, Any]:
        """The recorded preparation and policies of the metrics, and whether every violation is stored."""
        settings = self.manifest["settings"]
        prepared = self._said("preparation", lambda: record_of(settings["preparation"], Preparation))
        chosen = {"preparation": prepared.to_dict(), "violation_rows": settings.get("violations", True)}
        if "metrics" in settings:
            chosen["settings"] = self._said("metrics", lambda: policies_of(settings["metrics"]))
        return chosen

    def _said(self, what: str, read: Callable[[], _T]) -> _T:
        try:
            return read()
        except (ValueError, ValidationError) as error:
            raise self.broken(NAME, f"what it says of the {what} cannot be read: {error}") from error


def open_run(folder: str | Path, *, checked: bool = True) -> StoredRun:
    """The run directory at a place; InvalidInput if there is none.

    With `checked` off, a manifest or file that is not as it was written is used as far as it can be read.
    """
    place = Path(folder)
    try:
        text = read_within(place, NAME, LARGEST_DOCUMENT).decode()
    except UnicodeDecodeError:
        raise _broken(place, NAME, "the manifest is not UTF-8 text", AGAIN) from None
    except (OSError, ValueError):
        help = "`tracepact score … --out FOLDER` writes one; `tracelab verify` checks the folders that tracelab writes"
        raise _no_run(place, f"is not a run directory: it has no {NAME}", help) from None
    if is_league(text):
        help = "`tracepact league DIR --add RUN` checks every file it takes from it; verify the runs it was made of"
        raise _no_run(place, "is a league directory, not a run directory", help)
    manifest, fault = manifest_faults(text)
    # `verify` opens what is damaged, to name what drifted; everything else takes nothing from such a folder.
    if manifest is None or (fault and checked):
        raise _broken(place, NAME, f"the manifest {fault}", DRIFTED if manifest else AGAIN)
    return StoredRun(place, manifest, checked)


def _no_run(place: Path, what: str, help: str) -> InvalidInput:
    return InvalidInput([Diagnostic("not-a-run", f"`{place}` {what}", RowPlace(str(place)), help)])


def open_kind(folder: Place, originals: Places | None = None) -> StoredRun | BatchedRun:
    """The run of a directory, whichever of both kinds it is; `originals` are for one in batches."""
    place = Path(folder)
    # Each kind of directory has its own format in its manifest, which decides; its files are not guessed from.
    batches = open_batches(place)
    if batches is not None:
        return BatchedRun(batches, str(folder), originals)
    return open_run(place)


def opened(run: RunLike | OpenRun, name: str = "the run", originals: Places | None = None) -> OpenRun:
    """A run, opened; `name` is what one that has no place is called. InvalidInput if it cannot be."""
    match run:
        case OpenRun():
            return run
        case Run():
            return MemoryRun(run, name)
        case BatchRun():
            return BatchedRun(run, name if run.folder is None else str(run.folder), originals)
    require_type(run, (str, os.PathLike), "the run", "a run, a run in batches, or the place of a run directory")
    return open_kind(run, originals)


def scored_run(run: RunLike | OpenRun, originals: Places | None = None) -> Run:
    """A run as `score` returns it: as it is, or computed again from its tables; InvalidInput if it keeps none."""
    return opened(run, originals=originals).rescore()


def load_run(folder: str | Path, *, originals: Places | None = None) -> Run | BatchRun:
    """The run that a run directory holds: computed again from its stored tables, or in batches, as it was scored.

    Args:
        folder: a run directory, as `Run.save` or `tracepact score --out` wrote it.
        originals: where the files of a run in batches are, as `verify_run` takes it: with it, the run is scored again
            from them, in memory.

    Returns:
        The run; of a directory that a run in batches wrote a BatchRun, if `originals` does not say where its files are.

    Raises:
        InvalidInput: the folder is not a run directory, a file of it is not as it was written, or the originals are
            not there as they were.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> import tracepact
        >>> run = tracepact.score("boundary_gate", [(1, 3)], [(1, 2)], durations=5)
        >>> with TemporaryDirectory() as folder:
        ...     files = run.save(f"{folder}/run")
        ...     again = tracepact.load_run(f"{folder}/run")
        >>> again.vector == run.vector
        True
    """
    run = open_kind(folder, originals)
    return run.rescore() if run.has_tables or isinstance(run, StoredRun) else run.run


def stored_report(stored: OpenRun) -> Report:
    """The report of a run; InvalidInput if it is not of the form of one."""
    try:
        return record_of(stored.report, Report)
    except ValidationError as error:
        fault = f"the report is not of its form: {str(error)[:1].lower()}{str(error)[1:]}"
        raise _broken(stored.place, _REPORT, fault) from error
