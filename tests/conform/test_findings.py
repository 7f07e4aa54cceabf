"""Findings: smaller cases are cases, shrinking ends, and a found case names its rules."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracepact.tools.conform.differential import case_of, rules_of
from tracepact.tools.conform.draw import EXPERIMENTS
from tracepact.tools.conform.reduce import smaller
from tracepact.tools.conform.vectors import Profile

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("profile", Profile, ids=lambda profile: profile.value)
def test_smaller_cases_are_cases_and_shrinking_ends(profile: Profile) -> None:
    @given(
        st.sampled_from(sorted(EXPERIMENTS[profile])).flatmap(lambda n: st.tuples(st.just(n), EXPERIMENTS[profile][n]))
    )
    @settings(max_examples=12)
    def shrink(drawn: tuple[str, dict[str, Any]]) -> None:
        _shrink_to_the_end(profile, *drawn)

    shrink()


def _shrink_to_the_end(profile: Profile, name: str, case: dict[str, Any]) -> None:
    for _ in range(400):
        step = next(iter(smaller(case)), None)
        if step is None:
            return
        case_of(profile, name, step)
        case = step
    pytest.fail("it goes on and on")


@pytest.mark.parametrize(
    ("formula", "clips", "rules"),
    [
        ("p", 1, ["6.1"]),
        (["and", "p", "q"], 1, ["6.1"]),
        (["F", 0, 1, "p"], 1, ["6.2"]),
        (["F", -1, 1, "p"], 1, ["2.7", "6.2"]),
        (["G", 0, 1, ["not", "p"]], 1, ["6.1", "6.3"]),
        (["U", 1, "p", ["S", 1, "p", "q"]], 1, ["6.4", "6.5"]),
        (["G", 0, 1, "p"], 2, ["6.3", "6.6"]),
    ],
    ids=str,
)
def test_a_found_vector_names_the_rules_of_its_operators(formula: Any, clips: int, rules: list[str]) -> None:
    clip = {"frames": 1, "masks": {"p": "1", "q": "1"}}
    assert list(rules_of({"ask": "verdicts", "formula": formula, "clips": [clip] * clips})) == rules
    stream = {"ask": "stream", "clauses": [{"obligation": True, "formula": formula}], "trace": clip}
    assert list(rules_of(stream)) == ["12.2", *(rule for rule in rules if rule != "6.6")]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("p", ["2.1"]),
        ("p & q", ["2.2"]),
        ("p and q or r", ["2.2", "2.3"]),
        ("F[1f,2f] p", ["1.4", "2.4"]),
        ("N[0.04] p", ["1.4", "2.4", "2.6", "2.7"]),
        ("G[40ms] p", ["1.4", "2.4", "2.6", "2.7"]),
        ("p U[1f] q -> r", ["1.4", "2.2", "2.3", "2.4"]),
    ],
)
def test_a_found_text_names_the_rules_it_is_read_by(text: str, rules: list[str]) -> None:
    assert list(rules_of({"ask": "formula", "text": text, "step": "0.02"})) == rules
