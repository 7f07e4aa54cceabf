"""Verifies a run directory: digests of its files, scores computed again from its tables, the files it came from."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, field

from tracepact.diagnostics import Diagnostic, Diagnostics, InvalidInput
from tracepact.diagnostics.record import DiagnosticRecord, diagnostic_record
from tracepact.files import table_text
from tracepact.inputs import read_bytes
from tracepact.io.dataset import is_dataset, open_dataset
from tracepact.io.files import walk_clips
from tracepact.records import Count, Record
from tracepact.scoring import ClauseCounts, ScoreRows
from tracepact.specs import spec_root
from tracepact.tools.score.report.record import Versions
from tracepact.tools.score.run import Run
from tracepact.tools.score.store import columnar
from tracepact.tools.score.store.manifest import NAME, digest, manifest_faults, versions
from tracepact.tools.score.store.opening import StoredRun, open_run
from tracepact.tools.score.store.rows import (
    MATCH_COLUMNS,
    SCORE_COLUMNS,
    VIOLATION_COLUMNS,
    match_rows,
    score_rows,
    violation_rows,
)
from tracepact.tools.score.store.writing import CANONICAL, OLD_VIOLATIONS, VIOLATIONS
from tracepact.wording import quoted

_SAME_FLOAT = 1e-9
"""How far the soft boundary score, the one float of a report, may be from the stored one: it decides nothing."""
_LISTED = 20


class Drift(Record, frozen=True):
    """A difference."""

    kind: Annotated[
        Literal["file", "contract", "score", "rows", "report"],
        Meta(description="The bytes of a file, the contract, a score, a row, or a part of the report."),
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


def _drift(kind: Literal["file", "contract", "rows", "report", "score"], file: str, old: str, new: str) -> Drift:
    """A difference that is not of one score alone."""
    return Drift(kind, file, None, None, None, old, new)


State = Literal["same", "changed", "not found"]


class Original(Record, frozen=True):
    """A file the run was made from, as it is today."""

    role: Annotated[str, Meta(description="What it was.")]
    name: Annotated[str, Meta(description="Its name as it was given.")]
    state: Annotated[State, Meta(description="Whether it still has its digest.")]


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
    """What was checked and what was found."""

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
    def moved(self) -> tuple[Original, ...]:
        """The originals that have changed or are not found."""
        return tuple(original for original in self.originals if original.state != "same")

    @property
    def record(self) -> VerificationRecord:
        """What is printed of it as JSON."""
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


def verify_run(folder: str | Path) -> Verification:
    """Check a run directory: its files, and its scores computed again (rule 17.5).

    Args:
        folder: a run directory.

    Returns:
        What was checked and what is not as it was; `holds` says whether all is.

    Raises:
        InvalidInput: there is no run directory, or its manifest cannot be read at all.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> import tracepact
        >>> with TemporaryDirectory() as folder:
        ...     files = tracepact.score("boundary_gate", [(1, 3)], [(1, 2)], durations=5).save(f"{folder}/run")
        ...     tracepact.verify_run(f"{folder}/run").holds
        True
    """
    stored = open_run(folder, Diagnostics(), checked=False)
    drifts = [*_manifest_drift(stored), *_file_drifts(stored)]
    faults: list[Diagnostic] = []
    scores = 0
    try:
        run = stored.rescore()
    except InvalidInput as error:
        faults += error.diagnostics
    else:
        scores = sum(counts.obligated.size for counts in run.card.counts.values())
        for check in (_contract_drifts, _score_drifts, _row_drifts, _report_drifts):
            try:
                drifts += check(stored, run)
            except InvalidInput as error:
                faults += error.diagnostics
    listed = {NAME, *(item["name"] for item in stored.manifest["files"])}
    return Verification(
        str(folder),
        CheckedCounts(len(stored.manifest["files"]) + 1, scores),
        tuple(drifts),
        tuple(_originals(stored)),
        tuple(sorted(entry.name for entry in stored.folder.iterdir() if entry.name not in listed)),
        Versions(**stored.manifest["versions"]),
        Versions(**versions()),
        tuple(faults),
    )


def _manifest_drift(stored: StoredRun) -> Iterator[Drift]:
    _, fault = manifest_faults(read_bytes(stored.folder / NAME, as_input=False).decode())
    if fault:
        yield _drift("file", NAME, "as it was written", fault)


def _file_drifts(stored: StoredRun) -> Iterator[Drift]:
    """Files whose bytes are not those that were written."""
    for item in stored.manifest["files"]:
        try:
            found = digest(read_bytes(stored.folder / item["name"], as_input=False))
        except OSError as error:
            yield _drift("file", item["name"], item["sha256"], (error.strerror or str(error)).lower())
            continue
        if found != item["sha256"]:
            yield _drift("file", item["name"], item["sha256"], found)


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
    card = run.card
    names = {item["name"] for item in stored.manifest["files"]}
    violations = OLD_VIOLATIONS if OLD_VIOLATIONS in names else VIOLATIONS
    stored_rows = [("scores.csv", SCORE_COLUMNS, score_rows(card)), ("matches.csv", MATCH_COLUMNS, match_rows(card))]
    by_clause = {
        clause.name: columnar.VIOLATIONS.format(clause.name)
        for clause in card.contract.clauses
        if columnar.VIOLATIONS.format(clause.name) in names
    }
    for clause, file in by_clause.items():
        yield from _clause_drifts(stored, run, clause, file)
    if run.violation_rows and not by_clause:
        stored_rows.insert(1, (violations, VIOLATION_COLUMNS, violation_rows(card)))
    for file, columns, rows in stored_rows:
        old = stored.text(file)
        new = table_text(columns, rows, ",")
        if old != new:
            yield _drift("rows", file, *_first_difference(old, new))


def _clause_drifts(stored: StoredRun, run: Run, clause: str, file: str) -> Iterator[Drift]:
    """The rows of a clause that come out otherwise, where they are stored as Parquet."""
    try:
        old = columnar.read_parquet((stored.folder / file).read_bytes())
    except (OSError, ValueError) as error:  # every fault of pyarrow is one of the two
        yield _drift("rows", file, "a table", f"it cannot be read: {error}")
        return
    new = columnar.plain_table(columnar.violation_table(run.card, clause))
    if not old.equals(new):
        yield _drift("rows", file, f"{old.num_rows:,} rows", f"{new.num_rows:,} rows, not all the same")


def _report_drifts(stored: StoredRun, run: Run) -> Iterator[Drift]:
    """Parts of the report that come out otherwise, warnings and versions aside."""
    old, new = dict(stored.report), json.loads(json.dumps(run.to_dict()))
    if "matched" in new and "matched" not in old:  # before rule 17.10 reports listed every matched pair
        old |= {"matches": old.get("matches", [])[: len(new["matches"])], "matched": len(old.get("matches", []))}
    found = [
        _drift("report", f"report.json {path}", was, now)
        for path, was, now in differences(old, new)
        if path.split(".")[0] not in ("versions", "diagnostics")
    ]
    yield from found[:_LISTED]
    if len(found) > _LISTED:
        yield _drift("report", "report.json", f"{len(found) - _LISTED} more parts", "otherwise")


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
            return f"line {number}: {_line(was)}", _line(now)
    return "the same lines", "other line ends"


def _line(text: str | None) -> str:
    return "nothing" if text is None else f"`{text}`"


def _names(names: list[str]) -> str:
    shown = quoted(names[:3]) + (", …" if len(names) > 3 else "")
    return shown or "in another order"


def _originals(stored: StoredRun) -> Iterator[Original]:
    """The files a run was made from, where they are found by their names."""
    yield from originals_of(stored.manifest["inputs"])


def originals_of(inputs: Sequence[Mapping[str, str]]) -> Iterator[Original]:
    """The files that a manifest names as its inputs, as they are today."""
    for item in inputs:
        found = digest_of(original_place(item["name"]))
        state: State = "not found" if found is None else "same" if found == item["sha256"] else "changed"
        yield Original(item["role"], item["name"], state)


def original_place(name: str) -> str:
    """Where a file that a report names is looked for: at its name, or among the files of the package."""
    return str(spec_root() / name.removeprefix("spec/")) if name.startswith("spec/") else name


def digest_of(place: str) -> str | None:
    """The digest of a file, or of a folder with a file for each clip, as it was read; None if it cannot be."""
    if is_dataset(place) and (source := open_dataset(place, Diagnostics())) is not None:
        return source.digest
    path = Path(place)
    try:
        if not path.is_dir():
            return digest(read_bytes(path, as_input=False))
    except (OSError, ValueError):
        return None
    return walk_clips(str(path), Diagnostics(), (), lambda clip, file: None)
