"""Runs that can be compared: the same contract, data, clips and classes, brought into one order (rule 16.8)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.files import table_text
from tracepact.scoring import ClauseCounts, ScoreRows
from tracepact.tools.score.store import tables
from tracepact.tools.score.store.manifest import digest
from tracepact.tools.score.store.opening import StoredRun
from tracepact.wording import quoted

_CLASSES = (
    'score all runs with one --label-map that drops the label (`drop = ["LABEL"]`, `other = "keep"`), or with a copy '
    "of the contract (RUN/source.contract is one) that declares all classes: `labels A B C`"
)
_ROLES = ("reference", "durations", "ignore", "masks")


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """What runs that are compared have in common: contract, mode, the content of each table, clips, classes."""

    contract: str
    mode: str
    tables: Mapping[str, str]
    clips: tuple[str, ...]
    classes: tuple[str, ...]


def identity(run: StoredRun) -> RunIdentity:
    """What a run is compared by; clips and classes in its own order."""
    listed = {table["role"]: table["file"] for table in run.manifest["tables"]}
    return RunIdentity(
        run.manifest["contract"]["digest"],
        run.manifest["settings"]["mode"],
        {role: run.read(listed[role], partial(_content_digest, role)) for role in _ROLES if role in listed},
        run.rows.clips,
        run.rows.classes,
    )


def paired_rows(runs: Sequence[StoredRun]) -> list[ScoreRows]:
    """The score rows of runs, with clips and classes in the order of the first.

    InvalidInput gives every reason why they cannot be compared.
    """
    diagnostics = Diagnostics()
    first = runs[0]
    base = identity(first)
    for other in runs[1:]:
        report_faults(base, first.folder, identity(other), other.folder, diagnostics)
    diagnostics.raise_errors()
    return [ordered(run.rows, first.rows.clips, first.rows.classes) for run in runs]


def report_faults(
    base: RunIdentity, where: Path | str, other: RunIdentity, folder: Path, diagnostics: Diagnostics
) -> None:
    """Say why a run cannot be compared with another, if it cannot."""
    for fault, help in _faults(base, other):
        diagnostics.add("incomparable-runs", f"{fault} `{where}`", RowPlace(str(folder)), help)


def ordered(rows: ScoreRows, clips: tuple[str, ...], classes: tuple[str, ...]) -> ScoreRows:
    """The rows with their clips and classes in this order."""
    if (rows.clips, rows.classes) == (clips, classes):
        return rows
    places = {clip: index for index, clip in enumerate(rows.clips)}
    columns = np.array([places[clip] for clip in clips], dtype=np.int64)
    labels = np.array([rows.classes.index(label) for label in classes], dtype=np.int64)

    def moved(counts: ClauseCounts) -> ClauseCounts:
        chosen = np.ix_(labels, columns)
        return ClauseCounts(counts.satisfied[chosen], counts.obligated[chosen], counts.counter[chosen])

    return ScoreRows(clips, classes, rows.clauses, {name: moved(rows.counts[name]) for name in rows.clauses})


def _faults(base: RunIdentity, other: RunIdentity) -> Iterator[tuple[str, str]]:
    """What differs, and what to do about it."""
    same_data = True
    if base.contract != other.contract:
        same_data = False
        yield "the contract differs from that of", "score both with one contract and the same --set"
    if base.mode != other.mode:
        same_data = False
        yield "the mode differs from that of", "score both class-indexed, or both as a union"
    for role in _ROLES:
        if base.tables.get(role) != other.tables.get(role):
            same_data = False
            yield f"the {role} table differs from that of", "score both against the same data"
    if not same_data:
        return
    if set(base.clips) != set(other.clips):
        yield "the clips differ from those of", "score both on the same clips"
    if set(base.classes) != set(other.classes):
        only = [
            (set(one.classes) - set(two.classes), has)
            for one, two, has in ((other, base, "has"), (base, other, "lacks"))
        ]
        said = " and ".join(f"it {has} {quoted(sorted(names))}" for names, has in only if names)
        yield f"{said}: the classes differ from those of", _CLASSES


def _content_digest(role: str, text: str) -> str:
    """The digest of what a table says, whatever the order of its clips and the rows its events came from."""
    if role == "masks":
        return digest(text.encode())
    if role == "durations":
        lengths = tables.read_durations(text)
        return digest(tables.durations_text(dict(sorted(lengths.items()))).encode())
    events = tables.read_events(text)
    rows = ((clip, str(e.onset), str(e.offset), e.label) for clip in sorted(events) for e in events[clip])
    silent = ((clip, "", "", "") for clip in sorted(events) if not events[clip])
    return digest(table_text(tables.EVENT_COLUMNS[:-1], (*rows, *silent)).encode())
