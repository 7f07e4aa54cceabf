"""Makes spec/conformance/boundaries.json: cases at the boundaries of sizes, their answers by the naive definitions.

    python pytools/boundary_vectors.py

The cases are the first that the guided experiments draw, the large ones where runs keep them short. The answers are
those of the oracle's definitions, which no engine of the package uses; `tests/conform/test_long_definitions.py` ties
the ones for long traces to the naive loops of chapter 6.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tracepact.specs import spec_path
from tracepact.tools.conform.answers import clauses_of
from tracepact.tools.conform.compact import words_in_runs
from tracepact.tools.conform.differential import case_of
from tracepact.tools.conform.guided import GUIDED, drawn
from tracepact.tools.conform.reduce import tidy
from tracepact.tools.conform.replay import profile_of
from tracepact.tools.conform.streaming import delays_of
from tracepact.tools.conform.vectors import Profile, Vector

_DRAWN = 90
_SEED = 17
_LONGEST = 900
"""Characters of a vector's data: what does not get short in runs is not kept."""

_READ = ("texts", "contract texts", "large scores")
"""What rests on the reader of texts: there is one, so its answers are no evidence; those vectors are made by hand."""

_DEEPEST = 5
"""Levels of a formula: a validator of the schema takes many times as long for each more."""

_KEPT = 16
_MORE = {
    "long traces, ahead": 40,
    "long traces": 30,
    "large chunks": 26,
    "long streams": 26,
    "lines": 8,
    "measures": 10,
}


def vectors() -> list[dict[str, Any]]:
    """Every vector of the file."""
    return [d for profile in Profile for name in GUIDED[profile] if name not in _READ for d in _of(profile, name)]


def _of(profile: Profile, name: str) -> Iterator[dict[str, Any]]:
    """The vectors of one experiment."""
    kept = 0
    for number, case in enumerate(drawn(profile, name, _DRAWN, _SEED)):
        whole = tidy(case) if case["ask"] in ("verdicts", "clause") else case
        vector = case_of(profile_of(whole), name, whole)
        data = {**vector.data, **_words(vector, name, number)}
        if vector.input["ask"] == "stream":
            data["expected"] = _in_runs(vector)
        if _depth(vector.input) > _DEEPEST:
            continue
        if len(json.dumps(data, ensure_ascii=False)) <= _LONGEST and kept < _MORE.get(name, _KEPT):
            kept += 1
            yield data


def _depth(data: Any) -> int:
    """How deep lists stand in one another."""
    if isinstance(data, dict):
        return max(map(_depth, data.values()), default=0)
    return 1 + max(map(_depth, data), default=0) if isinstance(data, list) else 0


def _words(vector: Vector, name: str, number: int) -> dict[str, Any]:
    return {
        "id": f"boundaries/{name.replace(',', '').replace(' ', '-')}-{number}",
        "topic": "boundaries",
        "evidence": "definition",
        "derivation": "the oracle's definitions, which no engine uses, give it",
    }


def _in_runs(vector: Vector) -> dict[str, Any]:
    """The verdicts of a stream as delays and words in runs."""
    out = vector.expected["out"]
    words: list[dict[int, str]] = [{} for _ in vector.input["clauses"]]
    for said in out:
        for frame, clause, word in said:
            words[clause][frame] = word
    in_order = [words_in_runs([some[i] for i in sorted(some)]) for some in words]
    return {"out": {"delays": delays_of(clauses_of(vector.input)), "words": in_order}}


def text() -> str:
    """The file."""
    head = {"$schema": "../schemas/vector.schema.json", "topic": "boundaries", "words": "sizes that programs get wrong"}
    lines = ",\n".join(f"    {json.dumps(data, ensure_ascii=False)}" for data in vectors())
    start = json.dumps(head, indent=2, ensure_ascii=False).removesuffix("\n}")
    return f'{start},\n  "vectors": [\n{lines}\n  ]\n}}\n'


def main() -> None:
    """Write the file."""
    Path(spec_path("conformance/boundaries.json")).write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
