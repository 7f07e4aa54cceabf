"""The streaming vectors of the conformance suite, played frame by frame or in their chunks into the monitor."""

import json
import re
from typing import Any

import pytest

from stream.builders import contract_of, saved_and_restored
from tracepact.conform.engines import pushes
from tracepact.conform.oracle import Vector, vector_of
from tracepact.conform.protocol import formula_of
from tracepact.declarations import spec_path
from tracepact.language.formula import atoms
from tracepact.stream import Arrival, StreamMonitor

VECTORS = [
    vector_of(data)
    for data in json.loads(spec_path("conformance/streaming.json").read_text(encoding="utf-8"))["vectors"]
    if data["input"]["ask"] == "stream"
]


def out(arrival: Arrival) -> list[list[Any]]:
    """What an arrival brought, in the words of the protocol: frame, clause, verdict."""
    found = []
    for verdicts in arrival.verdicts:
        clause = int(verdicts.clause.name.removeprefix("c"))
        for i in range(verdicts.frames):
            if verdicts.known[i, 0]:
                word = "satisfied" if verdicts.holds[i, 0] else "violated"
                found.append([verdicts.start + i, clause, word if verdicts.obligated[i, 0] else "free"])
    return sorted(found)


@pytest.mark.parametrize("vector", VECTORS, ids=[vector.id for vector in VECTORS])
def test_the_monitor_says_what_the_vector_says_when_it_says(vector: Vector) -> None:
    # Vectors give every mask outright, also those a monitor derives by itself: such names are free atoms here.
    case = json.loads(re.sub(r'"((?:ref|pred)_\w+)"', r'"free_\1"', json.dumps(vector.input)))
    clauses = [(formula_of(c["obligation"]), formula_of(c["formula"])) for c in case["clauses"]]
    named = frozenset().union(*(atoms(formula) for pair in clauses for formula in pair))
    declared = "".join(f"atom {name}\n" for name in sorted(named))
    monitor = StreamMonitor(contract_of(clauses, f"contract v\nstep 20ms\n{declared}clause c on true : true\n"))
    said = []
    for number, (frames, masks) in enumerate(pushes(case)):
        if number in case.get("interrupt", []):
            monitor = saved_and_restored(monitor)
        chunk = {name: [digit == "1" for digit in mask] for name, mask in masks.items()}
        silent = [False] * frames
        said.append(out(monitor.push({"ref_active": silent, "pred_active": silent, **chunk})))
    said.append(out(monitor.close()))
    assert said == vector.expected["out"]
