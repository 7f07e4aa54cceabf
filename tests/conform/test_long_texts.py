"""Long and odd texts and reports: what the default run draws of them."""

from typing import Any

import pytest

from tracepact.conform.boundary_traces import RESERVED
from tracepact.conform.differential import guided
from tracepact.conform.engines import REFERENCE
from tracepact.conform.oracle import ConformanceProfile, answer
from tracepact.language.grammar import reserved_words

SEEDS = (0, 1, 2)
Answered = list[tuple[dict[str, Any], dict[str, Any]]]


def answered(profile: ConformanceProfile, name: str, seed: int) -> Answered:
    """The cases of a default run with what the reference says of them."""
    return [(case, answer(case, REFERENCE)) for case in guided(profile, name, 100, seed)]


def test_the_reserved_words_that_are_drawn_as_labels_are_those_of_the_grammar() -> None:
    assert set(RESERVED) == reserved_words()
    assert len(RESERVED) == len(set(RESERVED))


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_titles_columns_labels_weights_and_faults_are_long(seed: int) -> None:
    found = [told for _, told in answered(ConformanceProfile.TEXT, "long and many parts", seed)]
    read = [told for told in found if "canonical" in told]
    assert max(len(told["title"] or "") for told in read) > 1 << 13
    assert max(len(line) for told in read for line in told["canonical"].splitlines() if " on true " in line) > 500
    labels = [told["labels"] for told in read if told["labels"]]
    assert max(map(len, labels)) > 300
    assert {word for some in labels for word in some} >= set(RESERVED)
    assert all(some != sorted(some) for some in labels if len(some) > 20)
    assert max(len(profile["weights"]) for told in read for profile in told["profiles"]) > 300
    many = [{fault["code"] for fault in told["errors"]} for told in found if len(told["errors"]) > 100]
    assert len(many) >= 3
    assert len(set().union(*many)) >= 3


@pytest.mark.parametrize("seed", SEEDS)
def test_quantities_are_long_and_windows_of_mixed_units_go_both_ways(seed: int) -> None:
    found = answered(ConformanceProfile.TEXT, "quantities of contracts", seed)
    weights = [
        weight for _, told in found for profile in told.get("profiles", ()) for weight in profile["weights"].values()
    ]
    assert max(map(len, weights)) > 60
    mixed = [told for case, told in found if "p" in case["text"].split() and "|" in case["text"]]
    empty = [told for told in mixed if {fault["code"] for fault in told["errors"]} == {"empty-window"}]
    assert len(empty) >= 5
    assert len(mixed) - len(empty) >= 5


@pytest.mark.parametrize("seed", SEEDS)
def test_a_slash_comment_has_a_carriage_return_and_texts_have_form_feeds_and_backspaces(seed: int) -> None:
    texts = [case["text"] for case in guided(ConformanceProfile.TEXT, "limits of texts", 100, seed)]
    assert any("\r" in text.partition("//")[2].partition("\n")[0] for text in texts)
    assert any("\x0c" in text for text in texts)
    assert any("\x08" in case["text"] for case in guided(ConformanceProfile.TEXT, "long and many parts", 100, seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_reports_have_many_violations_of_a_clause_and_many_classes(seed: int) -> None:
    found = answered(ConformanceProfile.CONTRACTS, "many violations", seed)
    assert sum(len(told["witnesses"]) > 100 for _, told in found) >= 5
    assert any(case["contract"].startswith("\ufeff") and told["witnesses"] for case, told in found)
    assert all(told["errors"] == [] for _, told in found)


@pytest.mark.parametrize("seed", SEEDS)
def test_windows_are_longer_than_no_clip_some_and_all(seed: int) -> None:
    found = answered(ConformanceProfile.CONTRACTS, "windows and clips", seed)
    warned = sum("window-beyond-trace" in told["warnings"] for _, told in found)
    assert 20 < warned < 80


@pytest.mark.parametrize("seed", SEEDS)
def test_an_unbounded_gap_fails_an_equation(seed: int) -> None:
    found = answered(ConformanceProfile.CONTRACTS, "gaps", seed)
    sides = [w["comparison"] for case, told in found for w in told["witnesses"] if "==" in case["contract"]]
    assert sum(side["amount"] == "unbounded" for side in sides) >= 5
    assert any(side["amount"] == "0" for _, told in found for w in told["witnesses"] for side in [w["comparison"]])
