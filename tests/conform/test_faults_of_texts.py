"""The faults of one text, as the protocol tells them: all of them, in order of place (P20)."""

from typing import Any

import pytest

from tracepact.conform.differential import guided
from tracepact.conform.engines import REFERENCE
from tracepact.conform.oracle import ConformanceProfile, answer


def faults(case: dict[str, Any]) -> list[dict[str, Any]]:
    return list(answer(case, REFERENCE)["errors"])


def places(found: list[dict[str, Any]]) -> list[tuple[bool, list[int]]]:
    """Where faults are, so that those without a place come last."""
    return [(fault["span"] is None, fault["span"] or []) for fault in found]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("F[2f,1f] p & N[-1f] q", ["empty-window", "negative-radius"]),
        ("N[-1f] q & F[2f,1f] p", ["negative-radius", "empty-window"]),
        (
            "p U[-2f] (G[3f,2f] F[9f,8f] q) | N[-1f] r",
            ["negative-radius", "empty-window", "empty-window", "negative-radius"],
        ),
        ("G[3f,2f] N[-1f] (p S[-1f] q)", ["empty-window", "negative-radius", "negative-radius"]),
    ],
)
def test_the_faults_of_a_formula_come_in_order_of_place(text: str, codes: list[str]) -> None:
    found = faults({"ask": "formula", "text": text, "step": "1"})
    assert [fault["code"] for fault in found] == codes
    assert places(found) == sorted(places(found))


def test_the_faults_of_a_contract_come_in_order_of_place_and_those_of_no_place_last() -> None:
    several = 0
    for case in guided(ConformanceProfile.TEXT, "contract texts", 150, seed=2):
        text = case["text"].replace("on true", "on unknown").replace("20ms", "0ms")
        found = faults({**case, "text": f"{text}\nclause z on q1 : F[2f,1f] q2 & N[-1f] q3", "set": {"nothing": "1s"}})
        assert places(found) == sorted(places(found)), text
        several += len({fault["code"] for fault in found}) > 2
    assert several > 20
