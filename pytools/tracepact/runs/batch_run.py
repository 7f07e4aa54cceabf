"""A run as its user holds it: what every run does, and a run in batches, scored or opened again."""

import shutil
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tracepact.data.family import Mode
from tracepact.declarations import data_frame
from tracepact.diagnostics.collection import InvalidInput, known_name
from tracepact.diagnostics.findings import Diagnostic
from tracepact.evaluate.scorecard import ScoreRows
from tracepact.evaluate.scores import ByClause, ScoredValue
from tracepact.files import put_folder
from tracepact.inputs import digest_within, open_within
from tracepact.language.contract import Contract
from tracepact.records import record_from_bytes
from tracepact.runs.batches import FailedBatch
from tracepact.runs.directory import check_place
from tracepact.runs.manifest import (
    NAME,
    SOURCE,
    Data,
    RunFolder,
    batch_manifest,
    manifest_text,
    policies_of,
    written_fault,
)
from tracepact.runs.report import Report
from tracepact.runs.report_parts import PageData
from tracepact.runs.report_views import PAGE, ReportPages, fits_page, notebook_html, report_text
from tracepact.runs.rows import LARGEST_ROWS, SCORE_COLUMNS, SCORES, read_score_tables, stored_tables, typed_score_rows
from tracepact.runs.task import Head, InputFile
from tracepact.runs.timelines import Timeline, timeline_figure, vector_figure
from tracepact.show.pages import Picture
from tracepact.wording import count

# What every run does, whether it is in memory or in batches: it has a report, scores of every clip, and figures.


class AnyRun(ABC):
    """The methods that a run in memory and one in batches share."""

    # Both kinds have slots; a base without them would give every run a dictionary.
    __slots__ = ()

    @property
    @abstractmethod
    def rows(self) -> ScoreRows:
        """The score of every clip, class and clause; InvalidInput if the run does not keep them."""

    @abstractmethod
    def _contract(self) -> Contract: ...

    @abstractmethod
    def _report(self) -> Report: ...

    @abstractmethod
    def _scores(self) -> Mapping[str, ScoredValue]:
        """The score of every clause under the contract's aggregation."""

    @abstractmethod
    def _worst_timeline(self) -> Timeline: ...

    @property
    def vector(self) -> dict[str, Fraction]:
        """The value of every clause under the contract's aggregation; a wrong name raises InvalidInput."""
        return ByClause({name: score.value for name, score in self._scores().items()})

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data.

        Returns:
            What `score --format json` prints, and `report.json` of a run directory holds
            (spec/schemas/report.schema.json).
        """
        return self._report().to_dict()

    def to_frame(self) -> Any:
        """The score of every clip, class and clause as a data frame of pandas, or of polars where only that is there.

        Returns:
            The data frame, with the columns of `scores.csv` of a run directory. Counts are whole numbers, `decimal` is
            a float and `vacuous` a bool; `value` is the exact fraction, as text, for data frames have no fractions.

        Raises:
            InvalidInput: a run in batches was not written to a directory, or the rows there are not as they were
                written.
            ImportError: neither pandas nor polars is installed.
        """
        return data_frame(SCORE_COLUMNS, typed_score_rows(self.rows))

    def plot(self, figure: str = "timeline") -> Picture:
        """A figure of the report, which notebooks show.

        Args:
            figure: `timeline` (the clip that failed worst) or `vector` (the scores).

        Returns:
            The picture as SVG.

        Raises:
            InvalidInput: there is no such figure; it names those there are. Or no clip of a run in batches fails, of
                which alone it keeps timelines.

        Examples:
            >>> import tracepact
            >>> run = tracepact.score("boundary_gate", ref=[(1, 2)], pred=[(1.06, 2)], durations=3)
            >>> run.plot("vector").svg[:4]
            '<svg'
        """
        drawn = {"timeline": self._timeline, "vector": self._vector}
        return Picture(drawn[known_name(figure, drawn, "figure", "unknown-choice")]())

    def _timeline(self) -> str:
        worst = self._worst_timeline()
        return timeline_figure(f"{worst.clip}, class {worst.label}", worst)

    def _vector(self) -> str:
        values = {name: None if score.vacuous else score.value for name, score in self._scores().items()}
        return vector_figure(self._contract(), values)

    def __str__(self) -> str:
        return report_text(self._report())

    def _repr_html_(self) -> str:
        return notebook_html(self._report())


# What a run in batches is and keeps (rules 24.10 and 24.23).

NO_TABLES = "score it without an engine, or name the folder of its files: --originals DIR (`originals` of load_run)"
"""The way out where a run in batches would need its tables."""
NO_ROWS = "score with out=FOLDER (--out DIR), which keeps the rows, or without an engine"
"""The way out where a run in batches would need its directory."""


def not_kept(name: str, what: str, help: str = NO_TABLES) -> InvalidInput:
    """The refusal where a run in batches does not keep what a function needs."""
    headline = f"{name} was scored in batches and keeps {what}"
    return InvalidInput([Diagnostic("not-kept", headline, None, help)])


@dataclass(frozen=True, slots=True, eq=False)
class BatchRun(AnyRun):
    """What `score_batches` returns, and `load_run` of its directory: the report of all clips, and what was not scored.

    It has the methods of a Run. Scores of every clip are in its directory, if it has one; what needs the tables or
    every violated obligation in memory says so.

    Attributes:
        head: what the report says beside its counts: the contract, the classes, the inputs.
        report: the report of what was scored.
        clips: how many clips there are, those of failed batches included.
        batches: how many batches they were cut into; None for a run that was loaded.
        given_up: the batches that failed three times, each with its clips; the report is of the others alone.
        folder: the run directory, if there is one.
        tables: the digests of what the tables say that it was scored from, by role.
        constant: whether the system answers the same throughout, or the same in every clip (rule 16.12).

    Examples:
        >>> import tracepact
        >>> run = tracepact.score_batches("boundary_gate", ref={"a": [(1, 2)]}, pred={"a": [(1.06, 2.4)]}, durations=5)
        >>> run.vector["silence_guard"], run.complete
        (Fraction(48, 67), True)
    """

    head: Head
    report: Report
    clips: int
    batches: int | None = None
    given_up: tuple[FailedBatch, ...] = ()
    folder: Path | None = None
    tables: Mapping[str, str] = field(default_factory=dict)
    constant: bool | None = None

    @property
    def complete(self) -> bool:
        """Whether every batch was scored."""
        return not self.given_up

    def _contract(self) -> Contract:
        return self.head.contract

    def _report(self) -> Report:
        return self.report

    def _scores(self) -> Mapping[str, ScoredValue]:
        return {row.clause: row.scores[self.head.contract.aggregation] for row in self.report.vector}

    def _worst_timeline(self) -> Timeline:
        if not self.report.timelines:
            raise not_kept(self.name, "the timelines of clips that fail, and none does")
        return self.report.timelines[0]

    @property
    def name(self) -> str:
        """Its name in messages."""
        return "the run" if self.folder is None else f"the run `{self.folder}`"

    @property
    def rows(self) -> ScoreRows:
        """The score of every clip, class and clause; InvalidInput without a run directory, or if that has changed."""
        if self.folder is None:
            raise not_kept(self.name, "no scores of single clips", NO_ROWS)
        files = RunFolder(self.folder, self.manifest)
        try:
            if digest_within(self.folder, SCORES, LARGEST_ROWS) != files.digests.get(SCORES):
                raise files.broken(SCORES, "the file is not as it was written: its SHA-256 differs")
            return read_score_tables(stored_tables(self.folder, SCORES))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise files.broken(SCORES, f"`{SCORES}` cannot be read: {error}") from error

    @property
    def manifest(self) -> Data:
        """The manifest of its run directory."""
        data = None if self.folder is None else batch_manifest(self.folder)
        if data is None:
            raise not_kept(self.name, "no run directory", NO_ROWS)
        return data

    def violations(self, clause: str, *, clip: str | None = None) -> list[dict[str, Any]]:
        """Every violated obligation of a clause as plain data, where there are none; the report has the worst.

        Args:
            clause: the name of a clause.
            clip: a clip, as for `Run.violations`.

        Returns:
            The violated obligations, as `Run.violations` gives them.

        Raises:
            InvalidInput: the contract has no such clause, or there are violations, of which a run in batches keeps
                rows and no records.

        Examples:
            >>> import tracepact
            >>> run = tracepact.score_batches("boundary_gate", {"a": [(1, 2)]}, {"a": [(1, 2)]}, durations=3)
            >>> run.violations("onset_guard")
            []
        """
        totals = {some.clause: some for some in self.report.violations}
        failed = totals[known_name(clause, totals, "clause", "unknown-clause")]
        if failed.total:
            kept = f"the worst {len(failed.shown):,} of its {failed.total:,} violations of `{clause}` in memory"
            raise not_kept(self.name, kept)
        return []

    def save(self, folder: str | Path) -> list[Path]:
        """Copy the run directory (rule 24.10), whole or not at all.

        Args:
            folder: where to; a run directory that is already there is replaced.

        Returns:
            The files that were written.

        Raises:
            InvalidInput: the run was not written to a directory, or the folder holds something else.
        """
        place, names = Path(folder), [item["name"] for item in self.manifest["files"]] + [NAME]
        assert self.folder is not None  # it has a manifest
        # Its own place: nothing is copied, and above all nothing replaced by a copy of itself.
        if place.resolve() == self.folder.resolve():
            return [place / name for name in names]
        check_place(place)
        place.resolve().parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".tracepact-", dir=place.resolve().parent) as beside:
            part = Path(beside) / "run"
            part.mkdir()
            for name in names:
                with open_within(self.folder, name, LARGEST_ROWS) as source, open(part / name, "wb") as copy:
                    shutil.copyfileobj(source, copy)
            put_folder(part, place.resolve())
        return [place / name for name in names]

    def __repr__(self) -> str:
        missing = "" if self.complete else f", {count(len(self.given_up), 'batch', 'batches')} missing"
        return f"<BatchRun of {self.head.contract.name}: {count(self.clips, 'clip')}{missing}>"


def open_batches(folder: Path) -> BatchRun | None:
    """The run in batches that a directory holds; None if it is none, InvalidInput if it is broken."""
    data = batch_manifest(folder)
    if data is None:
        return None
    files = RunFolder(folder, data)
    if fault := written_fault(manifest_text(folder), data):
        raise files.broken(NAME, f"the manifest {fault}")
    report = files.read("report.json", lambda text: record_from_bytes(text.encode(), Report))
    try:
        contract, settings, tables = files.contract, data["settings"], dict(data.get("tables", {}))
        if contract.digest != report.contract.digest:
            raise files.broken(SOURCE, "the contract is not the one that the report names")
        head = Head(
            contract,
            Mode(settings["mode"]),
            report.family.classes,
            tuple(InputFile(item["role"], item["name"], item["sha256"]) for item in data["inputs"]),
            settings["preparation"],
            policies_of(settings["metrics"]),
            any(name.startswith("violations-") for name in files.digests),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise files.broken(NAME, f"the manifest is not of its form: {error}") from error
    return BatchRun(head, report, report.family.clips, None, (), folder, tables, data.get("constant"))


def batch_pages(run: BatchRun) -> ReportPages:
    """The pages of a run in batches, of what its directory holds of them; InvalidInput if that is broken."""
    assert run.folder is not None  # whoever asks has opened one
    files = RunFolder(run.folder, run.manifest)
    data = files.read(PAGE, lambda text: record_from_bytes(text.encode(), PageData))
    if not fits_page(data, run.head.contract, run.report.family.classes):
        raise files.broken(PAGE, f"`{PAGE}` speaks of classes or clauses that there are not")
    return ReportPages(run.head.contract, run.report, data)
