"""Runs that can be compared: the same contract, data, clips and classes, brought into one order (rule 16.8)."""

from collections.abc import Sequence

import numpy as np

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.scoring import ClauseCounts, ScoreRows
from tracepact.tools.score.store import tables
from tracepact.tools.score.store.opening import StoredRun

_ROLES = ("reference", "durations", "ignore", "masks")


def paired_rows(runs: Sequence[StoredRun]) -> list[ScoreRows]:
    """The score rows of runs, with clips and classes in the order of the first.

    InvalidInput gives every reason why they cannot be compared.
    """
    diagnostics = Diagnostics()
    first = runs[0]
    for other in runs[1:]:
        for fault, help in _faults(first, other):
            diagnostics.add("incomparable-runs", f"{fault} `{first.folder}`", RowPlace(str(other.folder)), help)
    diagnostics.raise_errors()
    return [_ordered(run.rows, first.rows) for run in runs]


def _faults(first: StoredRun, other: StoredRun) -> list[tuple[str, str]]:
    """What differs, and what to do about it."""
    found = []
    if first.manifest["contract"]["digest"] != other.manifest["contract"]["digest"]:
        found.append(("the contract differs from that of", "score both with one contract and the same --set"))
    if first.manifest["settings"]["mode"] != other.manifest["settings"]["mode"]:
        found.append(("the mode differs from that of", "score both class-indexed, or both as a union"))
    for role in _ROLES:
        if not _same_table(first, other, role):
            found.append((f"the {role} table differs from that of", "score both against the same data"))
    if found:
        return found
    if set(first.rows.clips) != set(other.rows.clips):
        found.append(("the clips differ from those of", "score both on the same clips"))
    if set(first.rows.classes) != set(other.rows.classes):
        found.append(("the classes differ from those of", "declare them in the contract: `labels A B C`"))
    return found


def _same_table(first: StoredRun, other: StoredRun, role: str) -> bool:
    """Whether both runs scored the same table: the same bytes, or the same content."""
    files = [next((t["file"] for t in run.manifest["tables"] if t["role"] == role), None) for run in (first, other)]
    if files[0] is None or files[1] is None:
        return files[0] == files[1]
    a, b = first.text(files[0]), other.text(files[1])
    if a == b:
        return True
    if role == "durations":
        return tables.read_durations(a) == tables.read_durations(b)
    return role != "masks" and tables.read_events(a) == tables.read_events(b)


def _ordered(rows: ScoreRows, like: ScoreRows) -> ScoreRows:
    if (rows.clips, rows.classes, rows.clauses) == (like.clips, like.classes, like.clauses):
        return rows
    clips = np.array([rows.clips.index(clip) for clip in like.clips], dtype=np.int64)
    labels = np.array([rows.classes.index(label) for label in like.classes], dtype=np.int64)

    def moved(counts: ClauseCounts) -> ClauseCounts:
        chosen = np.ix_(labels, clips)
        return ClauseCounts(counts.satisfied[chosen], counts.obligated[chosen], counts.counter[chosen])

    return ScoreRows(like.clips, like.classes, like.clauses, {name: moved(rows.counts[name]) for name in like.clauses})
