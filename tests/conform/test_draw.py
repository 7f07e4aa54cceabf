"""What is drawn: already the first tens of random cases have operators, several frames, and answers of both kinds."""

from collections.abc import Sequence
from typing import Any

import hypothesis
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tracepact.conform.draw import EXPERIMENTS
from tracepact.conform.engines import REFERENCE
from tracepact.conform.oracle import ConformanceProfile, answer
from tracepact.conform.protocol import formula_of
from tracepact.language.formula import subformulas

pytestmark = pytest.mark.slow

Case = dict[str, Any]
FIRST = 60
FRAMES = [
    (p, name)
    for p in (ConformanceProfile.CORE, ConformanceProfile.PAST, ConformanceProfile.STREAMING, ConformanceProfile.CHUNKS)
    for name in EXPERIMENTS[p]
]


def first(profile: ConformanceProfile, name: str) -> list[Case]:
    """The first cases of an experiment."""
    found: list[Case] = []

    @hypothesis.seed(0)
    @settings(max_examples=FIRST, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(EXPERIMENTS[profile][name])
    def collect(case: Case) -> None:
        found.append(case)

    collect()
    return found


def share(some: Sequence[bool]) -> float:
    return sum(some) / len(some)


def formulas(case: Case) -> list[Any]:
    return [case["formula"]] if "formula" in case else [clause["formula"] for clause in case["clauses"]]


def longest(case: Case) -> int:
    return max(clip["frames"] for clip in case.get("clips", [case.get("trace")]))


def verdicts(case: Case) -> str:
    """What is said where there is an obligation: 1 satisfied, 0 violated."""
    found = answer(case, REFERENCE)
    match case["ask"]:
        case "verdicts":
            return "".join(found["verdicts"])
        case "clause":
            return "1" * found["satisfied"] + "0" * (found["obligated"] - found["satisfied"])
    words = {"satisfied": "1", "violated": "0", "free": ""}
    return "".join(words[word] for out in found["out"] for _, _, word in out)


@pytest.mark.parametrize(("profile", "name"), FRAMES, ids=[name for _, name in FRAMES])
def test_formulas_are_no_constants_traces_are_long_enough_and_verdicts_are_of_both_kinds(
    profile: ConformanceProfile, name: str
) -> None:
    cases = first(profile, name)
    said = [verdicts(case) for case in cases]
    together = "".join(said)
    assert share([any(len(list(subformulas(formula_of(t)))) > 1 for t in formulas(case)) for case in cases]) > 0.6
    assert share([longest(case) > 2 for case in cases]) > 0.6
    assert share(["0" in text and "1" in text for text in said]) > 0.35
    assert 0.2 < together.count("1") / len(together) < 0.8


@pytest.mark.parametrize("name", ["greedy matching", "optimal matching"])
def test_matches_have_something_to_decide(name: str) -> None:
    found = [answer(case, REFERENCE) for case in first(ConformanceProfile.EVENTS, name)]
    assert share([len(one["candidates"]) > len(one["pairs"]) for one in found]) > 0.25


def test_event_clauses_have_obligations_of_both_kinds() -> None:
    found = [answer(case, REFERENCE) for case in first(ConformanceProfile.EVENTS, "event clauses")]
    assert share([one["obligated"] > 0 for one in found]) > 0.6
    assert share([bool(one["violated"]) for one in found]) > 0.1
    assert share([one["satisfied"] > 0 for one in found]) > 0.1


def test_whole_contracts_have_matches() -> None:
    found = [answer(case, REFERENCE) for case in first(ConformanceProfile.CONTRACTS, "scores")]
    assert share([bool(one["pairs"]) for one in found]) > 0.6
