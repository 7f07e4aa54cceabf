"""The conformance vectors whose evidence is Lean: their certificate is theirs, and the kernel accepts all of it."""

import dataclasses
from collections import Counter
from typing import Any

import pytest
from prove.vectors import theorem_of, vector_certificate

from tracepact.conform.oracle import Vector, suite
from tracepact.declarations import spec_path
from tracepact.prove.build import Build
from tracepact.prove.core import check_stated
from tracepact.prove.theory import CERTIFICATES

pytestmark = pytest.mark.slow

CERTIFIED = [vector for vector in suite() if vector.evidence == "lean"]
FILE = spec_path("conformance") / CERTIFICATES[0]


def test_the_certificate_states_what_the_vectors_expect() -> None:
    assert FILE.read_text(encoding="utf-8") == vector_certificate(CERTIFIED)
    asks = Counter(vector.input["ask"] for vector in CERTIFIED)
    assert asks.keys() == {"verdicts", "clause", "stream", "measure", "runs", "match"}
    assert min(asks.values()) >= 10


def test_a_derivation_names_its_theorem_and_the_theorem_is_there() -> None:
    text = FILE.read_text(encoding="utf-8")
    for vector in CERTIFIED:
        name = theorem_of(vector).rpartition(".")[2]
        assert vector.derivation.startswith(f"{CERTIFICATES[0]}, `{name}`")
        assert f"\ntheorem {name} : " in text


def test_the_kernel_accepts_every_theorem_without_an_axiom(core: Build) -> None:
    sound, fault = check_stated(core, FILE.read_text("utf-8"))
    assert fault is None
    assert sound > 300


def changed(vector: Vector) -> Vector:
    """The vector with an answer that is wrong in one place."""
    expected: dict[str, Any] = dict(vector.expected)
    match vector.input["ask"]:
        case "verdicts":
            first, *rest = expected["verdicts"]
            expected["verdicts"] = ["10"[int(first[0])] + first[1:], *rest]
        case "clause":
            expected["satisfied"] += 1
        case "measure":
            expected["lookback"] += 1
        case "runs":
            expected["onsets"] = "10"[int(expected["onsets"][0])] + expected["onsets"][1:]
        case "match":
            expected["pairs"] = expected["pairs"][1:]
        case "stream":  # every verdict is right, and the first comes a moment late
            at = next(i for i, out in enumerate(expected["out"]) if out)
            out = [list(some) for some in expected["out"]]
            out[at + 1] = [out[at].pop(0), *out[at + 1]]
            expected["out"] = out
    return dataclasses.replace(vector, expected=expected)


@pytest.mark.parametrize("ask", ["verdicts", "clause", "stream", "measure", "runs", "match"])
def test_the_kernel_refuses_an_answer_that_is_wrong(core: Build, ask: str) -> None:
    asked = [vector for vector in CERTIFIED if vector.input["ask"] == ask]
    vector = next(v for v in asked if ask != "stream" or any(v.expected["out"][:-1]))
    assert check_stated(core, vector_certificate([changed(vector)]))[1] is not None
    assert check_stated(core, vector_certificate([vector]))[1] is None


def test_what_the_core_has_no_definition_for_is_not_certified() -> None:
    for vector in suite():
        if vector.input["ask"] in ("events", "score", "contract"):
            with pytest.raises(ValueError, match="no definition"):
                vector_certificate([vector])
