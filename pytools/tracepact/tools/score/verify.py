"""Verifies a run directory: digests of its files, scores computed again from its tables, the files it came from."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from tracepact.diagnostics import Diagnostic, Diagnostics, InvalidInput
from tracepact.diagnostics.render import as_data
from tracepact.files import table_text
from tracepact.io.files import clip_files
from tracepact.scoring import ClauseCounts, ScoreRows
from tracepact.specs import spec_root
from tracepact.tools.score.run import Run
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
from tracepact.tools.score.store.writing import CANONICAL, OLD_VIOLATIONS, VIEWS, VIOLATIONS
from tracepact.wording import quoted

_SAME_FLOAT = 1e-9
"""How far the soft boundary score, the one float of a report, may lie from the stored one: it decides nothing."""
_LISTED = 20


@dataclass(frozen=True, slots=True)
class Drift:
    """Something that is not as it was: the file, what stood there, what is there now, and the score it speaks of."""

    kind: str
    file: str
    old: str
    new: str
    clause: str | None = None
    clip: str | None = None
    label: str | None = None

    @property
    def where(self) -> str:
        """The place in words."""
        score = [part for part in (self.clause, self.clip, self.label) if part is not None]
        return f"{self.file}: {' · '.join(score)}" if score else self.file


@dataclass(frozen=True, slots=True)
class Original:
    """A file a run was made from, as it is today: `same`, `changed` or `not found`."""

    role: str
    name: str
    state: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What was checked and what was found."""

    folder: str
    files: int
    scores: int
    drifts: tuple[Drift, ...]
    originals: tuple[Original, ...]
    unlisted: tuple[str, ...]
    made_with: Mapping[str, str]
    checked_with: Mapping[str, str]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing drifted and everything could be computed again."""
        return not self.drifts and not self.diagnostics

    @property
    def moved(self) -> tuple[Original, ...]:
        """The originals that have changed or are not found."""
        return tuple(original for original in self.originals if original.state != "same")

    def to_dict(self) -> dict[str, Any]:
        """The verification as plain data (spec/schemas/verify.schema.json)."""
        return {
            "format": "tracepact-verify/1",
            "folder": self.folder,
            "holds": self.holds,
            "checked": {"files": self.files, "scores": self.scores},
            "drifts": [
                {
                    "kind": d.kind,
                    "file": d.file,
                    "clause": d.clause,
                    "clip": d.clip,
                    "class": d.label,
                    "old": d.old,
                    "new": d.new,
                }
                for d in self.drifts
            ],
            "originals": [{"role": o.role, "name": o.name, "state": o.state} for o in self.originals],
            "unlisted": list(self.unlisted),
            "versions": {"made_with": dict(self.made_with), "checked_with": dict(self.checked_with)},
            "diagnostics": [as_data(d) for d in self.diagnostics],
        }


def verify_run(folder: str | Path) -> Verification:
    """Check a run directory (rule 17.5); InvalidInput if there is none or its manifest cannot be read at all."""
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
    listed = {NAME, *VIEWS, *(item["name"] for item in stored.manifest["files"])}
    return Verification(
        str(folder),
        len(stored.manifest["files"]) + 1,
        scores,
        tuple(drifts),
        tuple(_originals(stored)),
        tuple(sorted(entry.name for entry in stored.folder.iterdir() if entry.name not in listed)),
        stored.manifest["versions"],
        versions(),
        tuple(faults),
    )


def _manifest_drift(stored: StoredRun) -> Iterator[Drift]:
    _, fault = manifest_faults((stored.folder / NAME).read_text(encoding="utf-8"))
    if fault:
        yield Drift("file", NAME, "as it was written", fault)


def _file_drifts(stored: StoredRun) -> Iterator[Drift]:
    """Files whose bytes are not those that were written."""
    for item in stored.manifest["files"]:
        try:
            found = digest((stored.folder / item["name"]).read_bytes())
        except OSError as error:
            yield Drift("file", item["name"], item["sha256"], (error.strerror or str(error)).lower())
            continue
        if found != item["sha256"]:
            yield Drift("file", item["name"], item["sha256"], found)


def _contract_drifts(stored: StoredRun, run: Run) -> Iterator[Drift]:
    """The contract's digest and canonical text against what its source compiles to now."""
    contract, known = run.card.contract, stored.manifest["contract"]
    if contract.digest != known["digest"]:
        yield Drift("contract", NAME, known["digest"], contract.digest)
    if (old := stored.text(CANONICAL)) != contract.text:
        yield Drift("contract", CANONICAL, *_first_difference(old, contract.text))


def _score_drifts(stored: StoredRun, run: Run) -> Iterator[Drift]:
    """Score rows that come out otherwise."""
    old, new = stored.rows, ScoreRows.of(run.card)
    for part in ("clips", "classes", "clauses"):
        was, now = getattr(old, part), getattr(new, part)
        if was != now:
            lost, gained = [x for x in was if x not in set(now)], [x for x in now if x not in set(was)]
            yield Drift("score", "scores.csv", f"{part} {_names(lost)}", f"{part} {_names(gained)}")
    if (old.clips, old.classes, old.clauses) != (new.clips, new.classes, new.clauses):
        return
    for clause in old.clauses:
        was, now = old.counts[clause], new.counts[clause]
        differs = (was.satisfied != now.satisfied) | (was.obligated != now.obligated) | (was.counter != now.counter)
        for label, clip in zip(*differs.nonzero(), strict=True):
            before, after = (_score_text(counts, label, clip) for counts in (was, now))
            yield Drift("score", "scores.csv", before, after, clause, old.clips[clip], old.classes[label])


def _score_text(counts: ClauseCounts, label: int, clip: int) -> str:
    """The counts of one score as they stand."""
    mark = " counter evidence" if counts.counter[label, clip] else ""
    return f"{counts.satisfied[label, clip]}/{counts.obligated[label, clip]}{mark}"


def _row_drifts(stored: StoredRun, run: Run) -> Iterator[Drift]:
    """Rows that come out otherwise, as they are written."""
    card = run.card
    names = {item["name"] for item in stored.manifest["files"]}
    violations = OLD_VIOLATIONS if OLD_VIOLATIONS in names else VIOLATIONS
    for file, columns, rows in (
        ("scores.csv", SCORE_COLUMNS, score_rows(card)),
        (violations, VIOLATION_COLUMNS, violation_rows(card)),
        ("matches.csv", MATCH_COLUMNS, match_rows(card)),
    ):
        old = stored.text(file)
        new = table_text(columns, rows, ",")
        if old != new:
            yield Drift("rows", file, *_first_difference(old, new))


def _report_drifts(stored: StoredRun, run: Run) -> Iterator[Drift]:
    """Parts of the report that come out otherwise, warnings and versions aside."""
    old, new = stored.report, json.loads(json.dumps(run.to_dict()))
    found = [
        Drift("report", f"report.json {path}", was, now)
        for path, was, now in _differences(old, new)
        if path.split(".")[0] not in ("versions", "diagnostics")
    ]
    yield from found[:_LISTED]
    if len(found) > _LISTED:
        yield Drift("report", "report.json", f"{len(found) - _LISTED} more parts", "otherwise")


def _differences(old: Any, new: Any, path: str = "") -> Iterator[tuple[str, str, str]]:
    """Where two pieces of plain data differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            inner = f"{path}.{key}" if path else key
            if key not in old or key not in new:
                yield inner, "there" if key in old else "not there", "there" if key in new else "not there"
            else:
                yield from _differences(old[key], new[key], inner)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (was, now) in enumerate(zip(old, new, strict=True)):
            yield from _differences(was, now, f"{path}[{index}]")
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
    for item in stored.manifest["inputs"]:
        name = item["name"]
        path = spec_root() / name.removeprefix("spec/") if name.startswith("spec/") else Path(name)
        found = _digest_of(path)
        state = "not found" if found is None else "same" if found == item["sha256"] else "changed"
        yield Original(item["role"], name, state)


def _digest_of(path: Path) -> str | None:
    """The digest of a file, or of a folder with a file for each clip, as it was read; None if it cannot be."""
    try:
        if not path.is_dir():
            return digest(path.read_bytes())
    except (OSError, ValueError):
        return None
    files = clip_files(path, Diagnostics())
    return files.digest if files else None
