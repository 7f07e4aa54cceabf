"""The conformance vectors of spec/conformance: reading them, and what answers them."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any

from tracepact.specs import spec_path
from tracepact.tools.conform.answers import FRAME_ASKS, Answer, Case, clauses_of
from tracepact.tools.conform.compact import compacted, expanded, stream_expected, words_in_runs
from tracepact.tools.conform.contracts import CONTRACT_ASKS
from tracepact.tools.conform.engines import Engine
from tracepact.tools.conform.streaming import arrivals, delays_of
from tracepact.tools.conform.texts import TEXT_ASKS

ASKS: dict[str, Callable[[Case, Engine], Answer]] = {**FRAME_ASKS, **TEXT_ASKS, **CONTRACT_ASKS}
"""Every question a case can ask."""

_LONGEST_OUT = 32
"""Verdicts of a stream that a vector lists one by one."""


class Profile(Enum):
    """What an implementation may support; a vector belongs to one."""

    TEXT = "text"
    CORE = "core"
    PAST = "past"
    EVENTS = "events"
    STREAMING = "streaming"
    CHUNKS = "chunks"
    CONTRACTS = "contracts"


@dataclass(frozen=True, slots=True)
class Vector:
    """One case with its answer, the rules it shows, and where the answer comes from."""

    id: str
    topic: str
    profile: Profile
    rules: tuple[str, ...]
    input: Mapping[str, Any]
    expected: Mapping[str, Any]
    evidence: str
    derivation: str

    @property
    def is_found(self) -> bool:
        """Whether a run found it, so that no file has it."""
        return "/found-" in self.id

    @property
    def data(self) -> dict[str, Any]:
        """The vector as its file has it."""
        return {
            "id": self.id,
            "topic": self.topic,
            "profile": self.profile.value,
            "rules": list(self.rules),
            "input": compacted(dict(self.input)),
            "expected": compacted({**self.expected, **out_in_runs(self)}),
            "evidence": self.evidence,
            "derivation": self.derivation,
        }


def out_in_runs(vector: Vector, longest: int = _LONGEST_OUT) -> dict[str, Any]:
    """The verdicts of a stream as delays and words in runs, if there are more than so many."""
    out = vector.expected.get("out")
    if vector.input["ask"] != "stream" or not isinstance(out, list) or sum(map(len, out)) <= longest:
        return {}
    words: list[dict[int, str]] = [{} for _ in vector.input["clauses"]]
    for frame, clause, word in (item for said in out for item in said):
        words[clause][frame] = word
    in_order = [words_in_runs([some[i] for i in sorted(some)]) for some in words]
    return {"out": {"delays": delays_of(clauses_of(vector.input)), "words": in_order}}


def vector_of(data: Mapping[str, Any]) -> Vector:
    """A vector from its data."""
    case, expected = expanded(data["input"]), expanded(data["expected"])
    return Vector(
        data["id"],
        data["topic"],
        Profile(data["profile"]),
        tuple(data["rules"]),
        case,
        stream_expected(expected, arrivals(case)) if case["ask"] == "stream" else expected,
        data["evidence"],
        data["derivation"],
    )


@cache
def suite() -> tuple[Vector, ...]:
    """Every vector that ships, by topic and in the order of its file; the large ones last."""
    files = sorted(spec_path("conformance").glob("*.json"), key=lambda path: (path.stem == "boundaries", path.stem))
    return tuple(vector_of(v) for file in files for v in json.loads(file.read_text(encoding="utf-8"))["vectors"])


def vectors_of(profiles: Iterable[Profile]) -> tuple[Vector, ...]:
    """The vectors of some profiles."""
    chosen = frozenset(profiles)
    return tuple(vector for vector in suite() if vector.profile in chosen)


def answer(case: Case, engine: Engine) -> Answer:
    """The answer of an engine to a case; KeyError, ValueError or InvalidInput if the case is not well formed."""
    return ASKS[case["ask"]](case, engine)


def differences(expected: Mapping[str, Any], answered: Mapping[str, Any]) -> list[str]:
    """The parts of an expected answer that the given one lacks or has otherwise; more parts do no harm."""
    return [key for key, value in expected.items() if key not in answered or not _equal(value, answered[key])]


def _equal(a: Any, b: Any) -> bool:
    """Equality of JSON values: 1 is neither true nor 1.0."""
    return bool(a == b) and json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)
