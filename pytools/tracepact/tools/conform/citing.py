"""The rules a finding on a whole contract speaks of: of the parts that differ, their codes, the clauses in them."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from tracepact.diagnostics.codes import CODES
from tracepact.tools.conform.findings import Finding

_PARTS = {
    "name": ("3.1",),
    "title": ("3.1", "11.6"),
    "step": ("3.2",),
    "merge_gap": ("3.4",),
    "projection": ("3.8",),
    "aggregation": ("3.6",),
    "soft_scale": ("3.8",),
    "labels": ("3.8",),
    "matcher": ("3.7",),
    "canonical": ("11.1", "11.4"),
    "digest": ("11.3",),
    "vector": ("7.2", "7.5"),
    "counts": ("7.1",),
    "vacuous": ("7.3", "7.4"),
    "aggregations": ("7.5",),
    "logic": ("7.7",),
    "profiles": ("3.11", "7.8"),
    "soft": ("7.9",),
    "sweeps": ("3.5",),
    "pairs": ("7.6", "8.1", "8.5"),
    "witnesses": ("7.6", "10.1", "10.6"),
}
"""The parts of an answer to `contract` and `score`, and the rules that say what they are."""

_WRITTEN = (
    (r"\bU\[", "6.4"),
    (r"\bS\[", "6.5"),
    (r"\b[FN]\[", "6.2"),
    (r"\bG\[", "6.3"),
    (r"_(onset|offset)\b", "5.6"),
    (r"\bother_", "5.7"),
    (r"\beach\b", "9.1"),
    (r"\.(onset|offset|duration)\b", "4.5"),
    (r"\bmatched\b(?! *:)", "4.6"),
    (r"\b(overlap|iou)\b", "4.7"),
    (r"\b(covering|coverage)\b", "4.8"),
    (r"_gap\b", "4.9"),
    (r"\b(purity|dominant)\b", "4.10"),
)
"""What is written in a clause, and the rule that gives its meaning."""


def cited(finding: Finding) -> Finding:
    """A finding on a contract with the rules of what differs; any other as it is."""
    vector = finding.vector
    if vector is None or vector.input["ask"] not in ("contract", "score") or not finding.parts:
        return finding
    answered = finding.answered or {}
    rules = set(vector.rules)
    for part in finding.parts:
        want, got = vector.expected.get(part), answered.get(part)
        rules |= set(_PARTS.get(part, ())) | _of_codes(want, got) | _of_clauses(_text(vector.input), want, got)
    return replace(finding, vector=replace(vector, rules=tuple(sorted(rules, key=_place))))


def _text(case: Mapping[str, Any]) -> str:
    return str(case["contract"] if case["ask"] == "score" else case["text"])


def _place(rule: str) -> list[int]:
    return [int(number) for number in rule.split(".")]


def _of_codes(want: Any, got: Any) -> set[str]:
    """The rules of the codes that one side has and the other lacks, or has elsewhere."""
    apart = [
        fault for ours, theirs in ((want, got), (got, want)) for fault in _faults(ours) if fault not in _faults(theirs)
    ]
    codes = [fault["code"] if isinstance(fault, Mapping) else fault for fault in apart]
    return {rule for code in codes if code in CODES for rule in CODES[code].rules}


def _faults(given: Any) -> list[Any]:
    some = given if isinstance(given, list) else []
    return [
        one for one in some if isinstance(one, str) or (isinstance(one, Mapping) and isinstance(one.get("code"), str))
    ]


def _of_clauses(text: str, want: Any, got: Any) -> set[str]:
    """The rules of what is written in the clauses that one side has otherwise."""
    bodies = {m[1]: m[0] for m in re.finditer(r"\bclause\s+(\w+)\s+on\b.*?(?=\bclause\s|\n|\Z)", text, re.ASCII)}
    written = [bodies[name] for name in _clauses(want, got) if name in bodies]
    return {rule for body in written for pattern, rule in _WRITTEN if re.search(pattern, body)}


def _clauses(want: Any, got: Any) -> Iterable[str]:
    if isinstance(want, Mapping) and isinstance(got, Mapping):
        return [name for name in want if want[name] != got.get(name)]
    if isinstance(want, list) and isinstance(got, list):
        apart = [one for ours, theirs in ((want, got), (got, want)) for one in ours if one not in theirs]
        return {one["clause"] for one in apart if isinstance(one, Mapping) and isinstance(one.get("clause"), str)}
    return ()
