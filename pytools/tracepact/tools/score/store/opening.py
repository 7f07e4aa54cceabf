"""Opens a run directory: its manifest, report, rows and contract, and the run computed again from its tables."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from msgspec import ValidationError

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostics, InvalidInput, RowPlace
from tracepact.files import BadTable, json_data
from tracepact.inputs import LARGEST_DOCUMENT, read_bytes
from tracepact.io import Conditions
from tracepact.lang import parse_contract
from tracepact.records import record_of
from tracepact.scoring import ScoreRows
from tracepact.tools.score.margins import read_margins
from tracepact.tools.score.report.preparation import Preparation
from tracepact.tools.score.run import Run, score
from tracepact.tools.score.scored import Input
from tracepact.tools.score.store import tables
from tracepact.tools.score.store.manifest import NAME, digest, is_league, manifest_faults, origin_of
from tracepact.tools.score.store.policies import policies_of
from tracepact.tools.score.store.rows import read_score_rows
from tracepact.tools.score.store.writing import SOURCE
from tracepact.trace import Durations, EventTable, Family, Grid, Mode, Regions, assemble

_AGAIN = "score again to make a new run"
_HELP = f"`tracepact verify` says all that has changed; {_AGAIN}"
_T = TypeVar("_T")


@dataclass(frozen=True)
class StoredRun:
    """A run directory. What it holds is read when asked for; a file that is not as written raises InvalidInput.

    With `checked` off, files are read whatever their digest.
    """

    folder: Path
    manifest: dict[str, Any]
    checked: bool = True

    @cached_property
    def report(self) -> dict[str, Any]:
        """The report as plain data (spec/schemas/report.schema.json)."""
        data = self.read("report.json", json_data)
        if not isinstance(data, dict):
            raise self._broken("report.json", "the report is not an object")
        # The first run directories call the violations `witnesses`.
        old = "witnesses" in data and "violations" not in data
        return {"violations" if old and key == "witnesses" else key: value for key, value in data.items()}

    @cached_property
    def rows(self) -> ScoreRows:
        """The score of every clip, class and clause."""
        return self.read("scores.csv", read_score_rows)

    @cached_property
    def contract(self) -> Contract:
        """The contract as it was written, with the parameters that were set."""
        overrides, name = self.manifest["settings"]["overrides"], self.manifest["contract"]["source"]
        return self.read(SOURCE, lambda text: parse_contract(text, overrides, name=name))

    @property
    def _tables(self) -> dict[str, dict[str, Any]]:
        """What the manifest says of each stored table, by role."""
        return {item["role"]: item for item in self.manifest["tables"]}

    def _events(self, role: str) -> EventTable:
        found = self._tables[role]
        clips = self.read(found["file"], tables.read_events)
        return EventTable(found["name"], clips, found["sha256"], origin_of(found["origin"]))

    def _durations(self) -> Durations:
        found = self._tables["durations"]
        return Durations(found["name"], self.read(found["file"], tables.read_durations), found["sha256"])

    def _ignore(self) -> Regions | None:
        return self._events("ignore") if "ignore" in self._tables else None

    def family(self) -> Family:
        """The events of both sides on the grid, from the stored tables; supplied masks are left out."""
        return assemble(
            replace(self.contract, clauses=(), declared_atoms=()),
            self._events("reference"),
            self._events("prediction"),
            durations=self._durations(),
            mode=Mode(self.manifest["settings"]["mode"]),
            ignore=self._ignore(),
            diagnostics=Diagnostics(),
        )

    def rescore(self) -> Run:
        """The run computed again, from the stored tables alone."""
        table, contract, durations = self._tables, self.contract, self._durations()
        conditions = masks = None
        if found := table.get("conditions"):
            conditions = Conditions(found["name"], self.read(found["file"], tables.read_conditions), found["sha256"])
        if found := table.get("masks"):
            frames = {clip: Grid(contract.step).frames(length) for clip, length in durations.clips.items()}
            masks = self.read(found["file"], lambda text: tables.read_masks(text, contract.declared_atoms, frames))
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
        inputs = tuple(Input(item["role"], item["name"], item["sha256"]) for item in self.manifest["inputs"])
        margins = None
        if found := table.get("margins"):
            margins = self.read(found["file"], lambda text: read_margins(text, contract, again.card.family))
        return replace(
            again, preparation=self._preparation().to_dict(), inputs=inputs, margins=margins, **self._chosen()
        )

    def _chosen(self) -> dict[str, Any]:
        """The policies of the metrics and whether every violation is stored, where these are not the usual ones."""
        settings = self.manifest["settings"]
        found: dict[str, Any] = {"violation_rows": settings.get("violations", True)}
        if "metrics" in settings:
            try:
                found["settings"] = policies_of(settings["metrics"])
            except ValueError as error:
                raise self._broken(NAME, f"what it says of the metrics cannot be read: {error}") from error
        return found

    def _preparation(self) -> Preparation:
        try:
            return record_of(self.manifest["settings"]["preparation"], Preparation)
        except ValidationError as error:
            raise self._broken(NAME, f"what it says of the preparation cannot be read: {error}") from error

    def text(self, name: str) -> str:
        """The text of a stored file; InvalidInput if it is gone or has changed."""
        listed = {item["name"]: item["sha256"] for item in self.manifest["files"]}
        try:
            data = read_bytes(self.folder / name, as_input=False)
        except OSError as error:
            raise self._broken(name, f"the file cannot be read: {(error.strerror or str(error)).lower()}") from error
        if self.checked and digest(data) != listed.get(name):
            raise self._broken(name, "the file is not as it was written: its SHA-256 differs")
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise self._broken(name, "the file is not UTF-8 text") from error

    def read(self, name: str, parse: Callable[[str], _T]) -> _T:
        """What a stored file holds; InvalidInput if it is gone, has changed or is not of its form."""
        try:
            return parse(self.text(name))
        except BadTable as error:
            raise self._broken(name, str(error), error.line) from error
        except (ValueError, RecursionError) as error:
            raise self._broken(name, f"the file cannot be read: {error}") from error

    def _broken(self, name: str, fault: str, line: int | None = None) -> InvalidInput:
        diagnostics = Diagnostics()
        diagnostics.add("broken-run", fault, RowPlace(str(self.folder / name), line), _HELP if self.checked else _AGAIN)
        return InvalidInput(diagnostics)


def open_run(folder: str | Path, diagnostics: Diagnostics, *, checked: bool = True) -> StoredRun:
    """The run directory at a place; InvalidInput, with all `diagnostics`, if there is none.

    With `checked` off, a manifest or file that is not as it was written is used as far as it can be read.
    """
    place = Path(folder)
    path = RowPlace(str(place / NAME))
    help = "`tracepact score … --out FOLDER` writes one; `tracelab verify` checks the folders that tracelab writes"
    try:
        text = read_bytes(place / NAME, LARGEST_DOCUMENT, as_input=False).decode()
    except UnicodeDecodeError:
        diagnostics.add("broken-run", "the manifest is not UTF-8 text", path, _AGAIN)
        raise InvalidInput(diagnostics) from None
    except (OSError, ValueError):
        diagnostics.add("not-a-run", f"`{place}` is not a run directory: it has no {NAME}", RowPlace(str(place)), help)
        raise InvalidInput(diagnostics) from None
    if is_league(text):
        headline = f"`{place}` is a league directory, not a run directory"
        help = "`tracepact league DIR --add RUN` checks every file it takes from it; verify the runs it was made of"
        diagnostics.add("not-a-run", headline, RowPlace(str(place)), help)
        raise InvalidInput(diagnostics)
    manifest, fault = manifest_faults(text)
    if manifest is None or (fault and checked):
        diagnostics.add("broken-run", f"the manifest {fault}", path, _HELP if manifest else _AGAIN)
        raise InvalidInput(diagnostics)
    return StoredRun(place, manifest, checked)


def load_run(folder: str | Path) -> Run:
    """The run that a run directory holds, computed again from its stored tables.

    Args:
        folder: a run directory, as `Run.save` or `tracepact score --out` wrote it.

    Returns:
        The run.

    Raises:
        InvalidInput: the folder is not a run directory, or a file of it is not as it was written.

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
    return open_run(folder, Diagnostics()).rescore()
