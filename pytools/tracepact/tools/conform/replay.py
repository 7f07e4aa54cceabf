"""One case again: vectors by name, cases as JSON, and the line that asks a finding's case once more."""

import json
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tracepact.core import Always, Eventually, Since, subformulas
from tracepact.tools.conform.compact import compacted, expanded
from tracepact.tools.conform.differential import case_of
from tracepact.tools.conform.findings import Finding
from tracepact.tools.conform.trees import BadCase, formula_of
from tracepact.tools.conform.vectors import ASKS, Profile, Vector, suite

_PROFILES = {
    "formula": Profile.TEXT,
    "contract": Profile.TEXT,
    "project": Profile.EVENTS,
    "runs": Profile.EVENTS,
    "match": Profile.EVENTS,
    "events": Profile.EVENTS,
    "measure": Profile.STREAMING,
    "components": Profile.STREAMING,
    "lines": Profile.STREAMING,
    "score": Profile.CONTRACTS,
    "aggregate": Profile.CONTRACTS,
}


def vector_named(name: str) -> Vector:
    """The vector of this id; KeyError if there is none."""
    return {vector.id: vector for vector in suite()}[name]


def asked(text: str) -> Vector:
    """A case as JSON, its masks as digits or in runs, with the reference's answer; BadCase if it is none."""
    try:
        case = expanded(json.loads(text))
    except ValueError as error:
        raise BadCase(f"it is not JSON: {error}") from None
    if not isinstance(case, dict) or case.get("ask") not in ASKS:
        raise BadCase("it is not an object with an `ask` of the protocol")
    try:
        return case_of(profile_of(case), "asked", case)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise BadCase(f"it is not a whole case: {error}") from None


def profile_of(case: dict[str, Any]) -> Profile:
    """The profile that a case belongs to."""
    if case["ask"] == "stream":
        return Profile.CHUNKS if "chunks" in case else Profile.STREAMING
    if case["ask"] not in ("verdicts", "clause"):
        return _PROFILES[case["ask"]]
    trees = [case[key] for key in ("formula", "obligation") if key in case]
    parts = [part for tree in trees for part in subformulas(formula_of(tree))]
    back = any(isinstance(p, Since) or (isinstance(p, Eventually | Always) and p.lo < 0) for p in parts)
    return Profile.PAST if back else Profile.CORE


def replay_line(finding: Finding, implementation: Sequence[str]) -> str | None:
    """The command that asks a finding's case again; None for a finding without a case."""
    if finding.vector is None:
        return None
    if not finding.vector.is_found:
        which = ["--id", finding.vector.id]
    else:
        which = ["--ask", json.dumps(compacted(dict(finding.vector.input)), ensure_ascii=False)]
    return shlex.join(["tracepact", "conform", *which, *portable(implementation)])


def portable(words: Sequence[str]) -> list[str]:
    """A command without the paths of this machine, where it has the same meaning: relative, or a name on the path."""
    return [_portable(word) for word in words]


def _portable(word: str) -> str:
    path = Path(word)
    if not path.is_absolute():
        return word
    if path.is_relative_to(Path.cwd()):
        inside = path.relative_to(Path.cwd())
        return str(inside) if len(inside.parts) > 1 else f"./{inside}"
    return path.name if shutil.which(path.name) == word else word
