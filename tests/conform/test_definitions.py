"""The two engines of the oracle are two programs: the definitions and the package agree on random cases."""

from typing import Any

import pytest
from hypothesis import given, settings

from tracepact.conform import event_definitions
from tracepact.conform.draw import EXPERIMENTS
from tracepact.conform.engines import FAST, REFERENCE
from tracepact.conform.oracle import ConformanceProfile, answer

pytestmark = pytest.mark.slow

EVERY = [(p, name) for p, drawn in EXPERIMENTS.items() for name in drawn if p is not ConformanceProfile.TEXT]
"""All but the texts: there is one reader, and what it must read are the vectors."""

SHARE = {"event clauses": 1.0, "scores": 0.1}


@pytest.mark.parametrize(("profile", "name"), EVERY, ids=[name for _, name in EVERY])
def test_the_definitions_and_the_package_answer_alike(profile: ConformanceProfile, name: str) -> None:
    assert _disagreement(profile, name, int(settings().max_examples * SHARE.get(name, 0.25))) is None


def test_a_mistake_in_the_definition_of_event_clauses_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_definitions, "_is_ignored", lambda run, scene: False)
    assert _disagreement(ConformanceProfile.EVENTS, "event clauses", 200) is not None


def _disagreement(profile: ConformanceProfile, name: str, examples: int) -> dict[str, Any] | None:
    """A case on which the two differ."""
    found: list[dict[str, Any]] = []

    @given(EXPERIMENTS[profile][name])
    @settings(max_examples=examples, database=None)
    def compare(case: dict[str, Any]) -> None:
        if answer(case, REFERENCE) != answer(case, FAST):
            found.append(case)

    compare()
    return found[0] if found else None
