"""Contracts in words: negations stay at their frames, event clauses are sentences, no default is left unsaid."""

import re
from fractions import Fraction

import pytest
from hypothesis import given
from strategies import formulas

from tracepact import parse_contract, starter_contracts
from tracepact.language.compilation import load_contract, parse_formula
from tracepact.language.contract import BUILTIN_ATOMS, CLASS_ATOMS
from tracepact.language.explanation import explain_contract, words

STEP = Fraction(1, 50)
HEAD = "contract c\nstep 20ms\n"
SENTENCES = {
    "on each ref : matched and covering <= 1": (
        "each reference event has a partner and is covered by at most one predicted event"
    ),
    "on each ref : not matched": "each reference event has no partner",
    "on each ref : coverage >= 0.9": (
        "each reference event is covered by predicted events for at least 0.9 of its length"
    ),
    "on each pred : 2 > covering": "each predicted event is covered by fewer than two reference events",
    "on each pred : pred.duration >= 100ms": "each predicted event lasts at least 100 ms",
    "on each matched : iou >= 0.5": "each matched pair has an overlap over union of at least 0.5",
    "on each matched : pred.onset - ref.onset >= -40ms": (
        "for each matched pair, the onset of the prediction minus the onset of the reference is at least -0.04 s"
    ),
    "on each ref : matched or longest_gap == 0s": (
        "for each reference event, it has a partner or it has a longest gap of exactly 0 s between the predicted "
        "events on it"
    ),
}
DEFAULTS = {
    "aggregate": ("pooled", "aggregate macro_clips"),
    "matcher": ("greedy(search = 200ms, overlap_reward = 0.5)", "matcher optimal"),
    "merge_gap": ("0s", "merge_gap 40ms"),
    "projection": ("centre", "projection touch"),
    "labels": ("from the data", "labels dog cat"),
    "soft_scale": ("100ms", "soft_scale 50ms"),
}


@given(formulas((*BUILTIN_ATOMS, *CLASS_ATOMS)))
def test_no_event_is_never_said_of_every_or_some_frame(formula: object) -> None:
    said = words(formula, STEP)  # type: ignore[arg-type]  # a formula
    assert not re.search(r"\bno (reference|predicted) event (starts|has just ended) at (every|some) frame", said), said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("G[40ms] !pred_onset", "a predicted event starts at no frame from now to 2 frames (40 ms) ahead"),
        ("!F[40ms] pred_onset", "a predicted event starts at no frame from now to 2 frames (40 ms) ahead"),
        ("F[40ms] !pred_onset", "at some frame from now to 2 frames (40 ms) ahead, no predicted event starts"),
        ("G[40ms] !pred_active", "the prediction is silent at every frame from now to 2 frames (40 ms) ahead"),
    ],
)
def test_a_negation_is_said_where_it_belongs(text: str, said: str) -> None:
    assert words(parse_formula(text, STEP, free_atoms=False), STEP) == said


@pytest.mark.parametrize("clause", SENTENCES)
def test_an_event_clause_is_a_sentence(clause: str) -> None:
    (found,) = explain_contract(parse_contract(f"{HEAD}clause a {clause}\n")).clauses
    assert found.words == SENTENCES[clause]


@pytest.mark.parametrize("name", DEFAULTS)
def test_a_default_is_shown_and_said_to_be_one(name: str) -> None:
    value, written = DEFAULTS[name]
    clause = "clause a on each ref : matched\n"
    settings = {one.name: one for one in explain_contract(parse_contract(HEAD + clause)).settings}
    assert set(settings) == set(DEFAULTS)
    assert (settings[name].value, settings[name].written) == (value, False)
    changed = {one.name: one for one in explain_contract(parse_contract(f"{HEAD}{written}\n{clause}")).settings}
    assert [one.name for one in changed.values() if one.written] == [name]
    assert changed[name].value != value


@pytest.mark.parametrize("name", starter_contracts())
def test_no_event_clause_of_a_starter_is_told_in_signs(name: str) -> None:
    for found in explain_contract(load_contract(name)).clauses:
        assert not re.search(r"[<>=]=|->|ref\.|pred\.", found.words.split(" (with ")[0]), found.words
