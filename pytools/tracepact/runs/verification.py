"""Verifies a run directory: digests of its files, scores computed again, the files it came from."""

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal, TypedDict, Unpack

from msgspec import Meta, field

from tracepact.data.arrow_files import ColumnarFile
from tracepact.data.sources import shown
from tracepact.declarations import renamed_argument
from tracepact.diagnostics.collection import InvalidInput, require_type
from tracepact.diagnostics.findings import Diagnostic, RowPlace
from tracepact.diagnostics.records import DiagnosticRecord, diagnostic_record
from tracepact.engines import Engine
from tracepact.evaluate.scorecard import ScoreRows
from tracepact.evaluate.scores import ClauseCounts
from tracepact.files import json_data
from tracepact.inputs import LARGEST_DOCUMENT, digest_within, open_within, read_within
from tracepact.language.contract import EventClause, FrameClause
from tracepact.records import Count, Record, record_from_bytes, record_of
from tracepact.runs import rows as columnar
from tracepact.runs.batch_run import NO_ROWS, BatchRun, not_kept
from tracepact.runs.batch_scoring import OnPlan, score_batches
from tracepact.runs.directory import OLD_VIOLATIONS, VIOLATIONS, row_texts
from tracepact.runs.manifest import CANONICAL, NAME, RunFolder, batch_manifest, manifest_text, versions, written_fault
from tracepact.runs.opening import RunLike, StoredRun, open_run
from tracepact.runs.originals import (
    NAME_THEM,
    UNREADABLE,
    Compared,
    Original,
    Places,
    as_recorded,
    compared_originals,
    recorded_data,
    recorded_names,
    unsaid,
    why_not_again,
)
from tracepact.runs.report import Preparation, Report, Versions
from tracepact.runs.report_parts import SILENT
from tracepact.runs.report_views import PAGE
from tracepact.runs.rows import LARGEST_ROWS
from tracepact.runs.run import Run
from tracepact.wording import count, quoted

_SAME_FLOAT = 1e-9
"""How far the soft boundary score, the one float of a report, may be from the stored one: it decides nothing."""
_LISTED = 20


DriftKind = Literal["file", "contract", "score", "rows", "report"]


class Drift(Record, frozen=True):
    """A difference."""

    kind: Annotated[
        DriftKind, Meta(description="The bytes of a file, the contract, a score, a row, or a part of the report.")
    ]
    file: Annotated[str, Meta(description="The file, for a report with the path inside it.")]
    clause: Annotated[str | None, Meta(description="The clause of a score.")]
    clip: Annotated[str | None, Meta(description="The clip of a score.")]
    label: Annotated[str | None, Meta(description="The class of a score.")] = field(name="class")
    old: Annotated[str, Meta(description="What was stored.")]
    new: Annotated[str, Meta(description="What is there now, or what comes out now.")]

    @property
    def where(self) -> str:
        """The place in words."""
        score = [part for part in (self.clause, self.clip, self.label) if part is not None]
        return f"{self.file}: {' · '.join(score)}" if score else self.file


def _drift(kind: DriftKind, file: str, old: str, new: str) -> Drift:
    """A difference that is not of one score alone."""
    return Drift(kind, file, None, None, None, old, new)


class CheckedCounts(Record, frozen=True):
    """How much was checked."""

    files: Annotated[Count, Meta(description="Files, the manifest included.")]
    scores: Annotated[Count, Meta(description="Scores that were computed again.")]


class VersionsThenAndNow(Record, frozen=True):
    """The versions then and now."""

    made_with: Versions
    checked_with: Versions


class VerificationRecord(Record, frozen=True):
    """What `tracepact verify --format json` prints.

    Whether a run directory is as it was written and comes out the same when computed again.
    """

    format: Annotated[Literal["tracepact-verify/1"], Meta(description="The form of this document.")]
    folder: Annotated[str, Meta(description="The run directory.")]
    holds: Annotated[bool, Meta(description="Whether nothing drifted and everything could be computed again.")]
    checked: CheckedCounts
    drifts: Annotated[tuple[Drift, ...], Meta(description="What is not as it was.")]
    originals: Annotated[tuple[Original, ...], Meta(description="The files the run was made from, as they are today.")]
    unlisted: Annotated[tuple[str, ...], Meta(description="Files of the folder the manifest does not know.")]
    versions: VersionsThenAndNow
    diagnostics: Annotated[tuple[DiagnosticRecord, ...], Meta(description="Why something could not be computed again.")]


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of a verification: the checks that were made and the differences."""

    folder: str
    checked: CheckedCounts
    drifts: tuple[Drift, ...]
    originals: tuple[Original, ...]
    unlisted: tuple[str, ...]
    made_with: Versions
    checked_with: Versions
    diagnostics: tuple[Diagnostic, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing drifted and everything could be computed again."""
        return not self.drifts and not self.diagnostics

    @property
    def is_unknown(self) -> bool:
        """Whether nothing drifted, and a run in batches could not be scored again, so that no more is known."""
        return not self.drifts and bool(self.diagnostics) and all(one.code == "not-kept" for one in self.diagnostics)

    @property
    def moved(self) -> tuple[Original, ...]:
        """The originals that have changed or are not found where the user says they are."""
        return tuple(original for original in self.originals if original.state in ("changed", "not found"))

    @property
    def uncompared(self) -> tuple[Original, ...]:
        """The originals that were not compared."""
        return tuple(original for original in self.originals if original.state == "not compared")

    @property
    def record(self) -> VerificationRecord:
        """Its record, which JSON prints."""
        return VerificationRecord(
            format="tracepact-verify/1",
            folder=self.folder,
            holds=self.holds,
            checked=self.checked,
            drifts=self.drifts,
            originals=self.originals,
            unlisted=self.unlisted,
            versions=VersionsThenAndNow(self.made_with, self.checked_with),
            diagnostics=tuple(map(diagnostic_record, self.diagnostics)),
        )


@renamed_argument("folder", "run")
def verify_run(run: RunLike, *, originals: Places | None = None) -> Verification:
    """Check a run directory: its files, and its scores computed again (rules 17.5 and 24.10).

    Args:
        run: a run directory, of one kind or the other; a run that `score` returned is compared with what is computed
            from the directory that it would have; a run in batches must have a directory.
        originals: the folder, the address of a store, or several of both, that the files which the run was made from
            lie below. Only there are they looked for; without it they are not compared. What the manifest names is
            opened nowhere else (rule 17.16).

    Returns:
        What was checked and what is not as it was; `holds` says whether all is.

    Raises:
        InvalidInput: there is no run directory, its manifest cannot be read at all, or `originals` is no folder.
        OSError: a run in batches is scored again, and every batch fails.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> import tracepact
        >>> with TemporaryDirectory() as folder:
        ...     files = tracepact.score("boundary_gate", [(1, 3)], [(1, 2)], durations=5).save(f"{folder}/run")
        ...     tracepact.verify_run(f"{folder}/run").holds
        True
    """
    match run:
        case Run():
            with TemporaryDirectory(prefix="tracepact-verify-") as place:
                run.save(Path(place) / "run")
                return replace(verify_folder(Path(place) / "run", originals), folder="the run")
        case BatchRun():
            if run.folder is None:
                raise not_kept(run.name, "no run directory that could be verified", NO_ROWS)
            return verify_folder(run.folder, originals)
        case _:
            require_type(run, (str, os.PathLike), "the run", "a run, or the place of a run directory")
            return verify_folder(Path(run), originals)


class EngineChoice(TypedDict, total=False):
    """By what a run in batches is scored again, as `score_batches` takes it."""

    engine: Engine | str | None
    memory: str | int
    progress: OnPlan | None


def verify_folder(folder: Path, originals: Places | None = None, **chosen: Unpack[EngineChoice]) -> Verification:
    """Check the run directory at a place, of either kind; one of a run in batches is scored again by an engine."""
    data = batch_manifest(folder)
    files = open_run(folder, checked=False) if data is None else RunFolder(folder, data, checked=False)
    listed = files.manifest
    if not isinstance(listed.get("family"), dict) or not isinstance(listed.get("versions"), dict):
        raise unsaid(folder)
    compared = tuple(compared_originals(listed["inputs"], originals))
    drifts = [*_manifest_drift(files), *_file_drifts(files)]
    faults: list[Diagnostic] = []
    scores = 0
    if isinstance(files, StoredRun):
        scores = _compute_again(files, drifts, faults)
    elif not drifts:  # whoever changed a file of rows is not told which rows differ: nothing of it can be believed
        drifts += _disagreements(files)
        if not drifts:
            scores = _score_again(files, compared, drifts, faults, chosen)
    known = {NAME, *files.digests}
    return Verification(
        str(folder),
        CheckedCounts(len(listed["files"]) + 1, scores),
        tuple(drifts),
        tuple(one.original for one in compared),
        tuple(sorted(entry.name for entry in folder.iterdir() if entry.name not in known)),
        Versions(**listed["versions"]),
        Versions(**versions()),
        tuple(faults),
    )


def _manifest_drift(files: RunFolder) -> Iterator[Drift]:
    if fault := written_fault(manifest_text(files.folder), files.manifest):
        yield _drift("file", NAME, "as it was written", fault)


def _file_drifts(files: RunFolder) -> Iterator[Drift]:
    """Files whose bytes are not those that were written."""
    for name, digest in files.digests.items():
        try:
            today = digest_within(files.folder, name, LARGEST_ROWS)
        except OSError as error:
            yield _drift("file", name, digest, (error.strerror or str(error)).lower())
            continue
        if today != digest:
            yield _drift("file", name, digest, today)


# A run in memory: computed again from the tables of its directory.


def _compute_again(stored: StoredRun, drifts: list[Drift], faults: list[Diagnostic]) -> int:
    """Add what comes out otherwise, and why something could not be computed; how many scores were."""
    try:
        run = stored.rescore()
    except InvalidInput as error:
        faults += error.diagnostics
        return 0
    for check in (_contract_drifts, _score_drifts, _row_drifts, _report_drifts):
        try:
            drifts += check(stored, run)
        except InvalidInput as error:
            faults += error.diagnostics
    return sum(counts.obligated.size for counts in run.card.counts.values())


def _contract_drifts(stored: StoredRun, run: Run) -> Iterator[Drift]:
    """The contract's digest and canonical text against what its source compiles to now."""
    contract, known = run.card.contract, stored.manifest["contract"]
    if contract.digest != known["digest"]:
        yield _drift("contract", NAME, known["digest"], contract.digest)
    if (old := stored.text(CANONICAL)) != contract.text:
        yield _drift("contract", CANONICAL, *_first_difference(old, contract.text))


def _score_drifts(stored: StoredRun, run: Run) -> Iterator[Drift]:
    """Score rows that come out otherwise."""
    old, new = stored.rows, ScoreRows.of(run.card)
    for part in ("clips", "classes", "clauses"):
        was, now = getattr(old, part), getattr(new, part)
        if was != now:
            lost, gained = [x for x in was if x not in set(now)], [x for x in now if x not in set(was)]
            yield _drift("score", "scores.csv", f"{part} {_names(lost)}", f"{part} {_names(gained)}")
    if (old.clips, old.classes, old.clauses) != (new.clips, new.classes, new.clauses):
        return
    for clause in old.clauses:
        was, now = old.counts[clause], new.counts[clause]
        differs = (was.satisfied != now.satisfied) | (was.obligated != now.obligated) | (was.counter != now.counter)
        for label, clip in zip(*differs.nonzero(), strict=True):
            before, after = (_score_text(counts, label, clip) for counts in (was, now))
            yield Drift("score", "scores.csv", clause, old.clips[clip], old.classes[label], before, after)


def _score_text(counts: ClauseCounts, label: int, clip: int) -> str:
    """The counts of one score as they stand."""
    mark = " counter evidence" if counts.counter[label, clip] else ""
    return f"{counts.satisfied[label, clip]}/{counts.obligated[label, clip]}{mark}"


def _row_drifts(stored: StoredRun, run: Run) -> Iterator[Drift]:
    """Rows that come out otherwise, as they are written."""
    by_clause = {clause: columnar.VIOLATIONS.format(clause.name) for clause in run.card.contract.clauses}
    by_clause = {clause: file for clause, file in by_clause.items() if file in stored.digests}
    for clause, file in by_clause.items():
        yield from _clause_drifts(stored, run, clause, file)
    for name, new in row_texts(run, violations=run.violation_rows and not by_clause).items():
        file = OLD_VIOLATIONS if name == VIOLATIONS and OLD_VIOLATIONS in stored.digests else name
        if (old := stored.text(file)) != new:
            yield _drift("rows", file, *_first_difference(old, new))


def _clause_drifts(stored: StoredRun, run: Run, clause: FrameClause | EventClause, file: str) -> Iterator[Drift]:
    """The rows of a clause that come out otherwise, where they are stored as Parquet."""
    new, first = columnar.plain_table(columnar.violation_table(run.card, clause)), 0
    same = True
    try:
        for old in columnar.stored_tables(stored.folder, file):
            same = same and old.equals(new.slice(first, old.num_rows))
            first += old.num_rows
    except (OSError, ValueError, InvalidInput) as error:
        yield _drift("rows", file, "a table", f"it cannot be read: {error}")
        return
    if first != new.num_rows or not same:
        yield _drift("rows", file, f"{first:,} rows", f"{new.num_rows:,} rows, not all the same")


def _report_drifts(stored: StoredRun, run: Run) -> Iterator[Drift]:
    """Parts of the report that come out otherwise, warnings and versions aside."""
    old, new = dict(stored.report), json.loads(json.dumps(run.to_dict()))
    if "matched" in new and "matched" not in old:  # before rule 17.10 reports listed every matched pair
        old |= {"matches": old.get("matches", [])[: len(new["matches"])], "matched": len(old.get("matches", []))}
    yield from _different_parts(old, new)


def _different_parts(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Drift]:
    """The first parts of a report that come out otherwise, and how many more do."""
    drifts = [
        _drift("report", f"report.json {path}", was, now)
        for path, was, now in differences(old, new)
        if path.split(".")[0] not in ("versions", "diagnostics")
    ]
    yield from drifts[:_LISTED]
    if len(drifts) > _LISTED:
        yield _drift("report", "report.json", f"{len(drifts) - _LISTED} more parts", "otherwise")


def differences(old: Any, new: Any, path: str = "") -> Iterator[tuple[str, str, str]]:
    """Where two pieces of plain data differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            inner = f"{path}.{key}" if path else key
            if key not in old or key not in new:
                yield inner, "there" if key in old else "not there", "there" if key in new else "not there"
            else:
                yield from differences(old[key], new[key], inner)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (was, now) in enumerate(zip(old, new, strict=True)):
            yield from differences(was, now, f"{path}[{index}]")
    elif isinstance(old, float) and isinstance(new, float):
        if abs(old - new) > _SAME_FLOAT:
            yield path, repr(old), repr(new)
    elif old != new:
        yield path, _short(old), _short(new)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _first_difference(old: str, new: str) -> tuple[str, str]:
    """The first line two texts do not share."""
    lines = zip_longest(old.splitlines(), new.splitlines())
    for number, (was, now) in enumerate(lines, 1):
        if was != now:
            old_line, new_line = ("nothing" if line is None else f"`{line}`" for line in (was, now))
            return f"line {number}: {old_line}", new_line
    return "the same lines", "other line ends"


def _names(names: list[str]) -> str:
    shown = quoted(names[:3]) + (", …" if len(names) > 3 else "")
    return shown or "in another order"


# A run in batches: its report against its rows; then its data is scored again, from the files it was made from.


def _disagreements(files: RunFolder) -> Iterator[Drift]:
    """Where the report of a run in batches says something else than its rows, or one of them cannot be read."""
    file = "report.json"
    try:
        report = files.read(file, lambda text: record_from_bytes(text.encode(), Report))
        file = columnar.SCORES
        totals = _pooled_counts(files.folder)
        for one in report.classes:
            for clause, score in one.vector.items():
                counts, there = (score.satisfied, score.obligated), totals.get((one.label, clause), (0, 0))
                if there != counts:
                    old, new = (f"{satisfied}/{obligated}" for satisfied, obligated in (counts, there))
                    yield Drift("score", "report.json", clause, None, one.label, old, f"{new} in its rows")
        for violations in report.violations:
            file = columnar.VIOLATIONS.format(violations.clause)
            if not (files.folder / file).is_file():
                continue
            with open_within(files.folder, file, LARGEST_ROWS) as opened:
                rows = sum(ColumnarFile(opened, file).rows)
            if rows != violations.total:
                yield _drift("rows", file, f"{violations.total:,} rows by the report", f"{rows:,} rows")
    except (OSError, ValueError, InvalidInput, KeyError, TypeError) as error:
        what = "report" if file == "report.json" else "rows"
        fault = shown(" ".join(str(error).split()), 120)
        yield _drift("file", file, f"the {what} of a run", f"it does not hold the {what} of a run: {fault}")


def _pooled_counts(folder: Path) -> dict[tuple[str, str], tuple[int, int]]:
    """The satisfied and obligated counts of every class and clause, added up from the rows of scores."""
    totals: dict[tuple[str, str], tuple[int, int]] = {}
    for table in columnar.stored_tables(folder, columnar.SCORES):
        sums = table.group_by(["event_label", "clause"]).aggregate([("satisfied", "sum"), ("obligated", "sum")])
        for row in sums.to_pylist():
            key = row["event_label"], row["clause"]
            satisfied, obligated = totals.get(key, (0, 0))
            totals[key] = satisfied + row["satisfied_sum"], obligated + row["obligated_sum"]
    return totals


def _score_again(
    files: RunFolder,
    compared: Sequence[Compared],
    drifts: list[Drift],
    faults: list[Diagnostic],
    chosen: EngineChoice,
) -> int:
    """Add what comes out otherwise where the originals are as they were, else why not; how many scores were scored."""
    folder, data = files.folder, files.manifest
    try:
        record_of(data["settings"]["preparation"], Preparation)  # what is not of its form is used for nothing
        why = why_not_again(data, tuple(one.original for one in compared))
        task: dict[str, Any] = (
            {}
            if why
            else {
                **recorded_data(folder, data, compared),
                "violations": any(name.startswith("violations-") for name in files.digests),
                "page": (lambda clips: SILENT) if json_data(read_within(folder, PAGE)).get("drawn") else None,
            }
        )
    except UNREADABLE as error:
        raise unsaid(folder) from error
    with TemporaryDirectory(prefix="tracepact-verify-") as place:
        again = Path(place) / "run"
        if why is None:
            try:
                run = score_batches(**task, **chosen, out=again)
            except InvalidInput as error:
                codes = quoted(sorted({one.code for one in error.diagnostics}))
                drifts.append(_drift("report", "report.json", "scored", f"the originals are refused now: {codes}"))
                return 0
            if run.complete:
                drifts += _compared_folders(files, again, recorded_names(compared))
                return math.prod(data["family"].values())
            why = f"{count(len(run.given_up), 'batch', 'batches')} failed three times"
    headline = f"nothing was scored again: {why}"
    faults.append(Diagnostic("not-kept", headline, RowPlace(str(folder)), NAME_THEM))
    return 0


def _compared_folders(files: RunFolder, again: Path, names: Mapping[str, str]) -> Iterator[Drift]:
    """Files of rows, the clips of a page and the parts of the report that come out otherwise."""
    for name in sorted(name for name in files.digests if name.endswith(".parquet") or name == PAGE):
        if not (again / name).is_file():
            yield _drift("rows", name, "there", "not there")
        # Equal bytes are the rule; only of other bytes are rows compared, which another pyarrow may have written.
        elif digest_within(again, name, LARGEST_ROWS) != files.digests[name] and not columnar.same_rows(
            files.folder, again, name
        ):
            yield _drift("rows", name, "these rows", "others")
    old, new = (json_data(read_within(one, "report.json", LARGEST_DOCUMENT)) for one in (files.folder, again))
    new |= {part: as_recorded(new[part], names) for part in ("inputs", "preparation")}
    yield from _different_parts(old, new)
