"""Soft values and soft scores of Python against those of Lean, and the vectors of chapter 18 as theorems."""

import copy
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import strategies as st
from prove.soft_vectors import SOFT_VECTORS, SOFT_WORDS, Clip, lean_clip, lean_soft, soft_certificate, tallies, unit_of
from prove.test_differential import EXAMPLES, Statements, drawn
from soft.test_soft_vectors import defined, family_of, fast
from strategies import formulas
from stream.builders import contract_of

from tracepact.declarations import spec_path
from tracepact.evaluate.reference import soft_offsets, soft_onsets
from tracepact.evaluate.soft_family import soft_scores
from tracepact.language.contract import BUILTIN_ATOMS
from tracepact.prove.build import Build
from tracepact.prove.core import check_stated
from tracepact.prove.text import core_formula, lean_list
from tracepact.prove.theory import CERTIFICATES

pytestmark = pytest.mark.slow

FILE = spec_path(f"conformance/{CERTIFICATES[1]}")
READ = (*BUILTIN_ATOMS, "other_ref_active", "other_pred_active", "p", "q")
scores = st.integers(0, 10).map(lambda tenths: f"0.{tenths}" if tenths < 10 else "1")
"""At thresholds of 0.3, 1/2 and 2/3, with ties at the first two."""


def rows(frames: int) -> st.SearchStrategy[list[str]]:
    return st.lists(scores, min_size=frames, max_size=frames)


def atoms(frames: int, *, alone: bool) -> st.SearchStrategy[dict[str, Any]]:
    """A field with up to two other classes, or a mask with or without a margin."""
    field: dict[str, st.SearchStrategy[Any]] = {
        "scores": rows(frames),
        "threshold": st.sampled_from(["0.3", "1/2", "2/3"]),
    }
    if not alone:
        field["others"] = st.lists(rows(frames), max_size=2)
    active = st.text("01", min_size=frames, max_size=frames)
    masks = [{"active": active}, {"active": active, "margin": st.sampled_from(["0", "1/4"])}]
    return st.one_of(*(st.fixed_dictionaries(form) for form in (field, *masks)))


def clips(longest: int) -> st.SearchStrategy[Clip]:
    """Clips in the form of the vectors."""

    def of(frames: int) -> st.SearchStrategy[Clip]:
        sides = {f"{side}_active": atoms(frames, alone=False) for side in ("ref", "pred")}
        named = st.fixed_dictionaries({**sides, **{name: atoms(frames, alone=True) for name in ("p", "q")}})
        return st.fixed_dictionaries({"frames": st.just(frames), "atoms": named})

    return st.integers(1, longest).flatmap(of)


def softly() -> Statements:
    stated = Statements()
    stated.open(SOFT_WORDS)
    return stated


def test_soft_values_are_those_of_lean(core: Build) -> None:
    """The definition and the fast engine of Python, on fields and masks, edges, ties and other classes among them."""
    stated = softly()
    for formula, clip in drawn(st.tuples(formulas(READ, farthest=3, leaves=4), clips(5)), EXAMPLES // 2):
        unit, values = unit_of([clip]), defined(formula, clip)
        assert fast(formula, clip) == values
        text, numbers = lean_clip(clip, unit)
        found = f"softValues (ScoreClip.value {text} {core_formula(formula, numbers).text}) 0 {clip['frames']}"
        stated.state(found, lean_list(lean_soft(str(value), unit) for value in values), (formula, clip))
    stated.check(core)


def test_soft_edges_of_a_formula_are_those_of_its_formulas_in_lean(core: Build) -> None:
    stated = softly()
    for formula, clip in drawn(st.tuples(formulas(READ, farthest=2, leaves=2), clips(4)), EXAMPLES // 4):
        unit, values = unit_of([clip]), defined(formula, clip)
        text, numbers = lean_clip(clip, unit)
        for name, edges in (("onsetOf", soft_onsets(values)), ("offsetOf", soft_offsets(values))):
            edge = f"({name} {core_formula(formula, numbers).text})"
            found = f"softValues (ScoreClip.value {text} {edge}) 0 {clip['frames']}"
            stated.state(found, lean_list(lean_soft(str(value), unit) for value in edges), (name, formula, clip))
    stated.check(core)


def test_soft_scores_are_those_of_lean(core: Build) -> None:
    """Sums of cut values, counts and least margins."""
    stated = softly()
    pair = formulas(READ, farthest=2, leaves=2)
    for obligation, formula, clip in drawn(st.tuples(pair, pair, clips(4)), EXAMPLES // 4):
        unit = unit_of([clip])
        entry = soft_scores(contract_of([(obligation, formula)]), family_of(clip)).entry("c0", 0, 0)
        tally = tallies([clip], obligation, formula, unit)
        about = (obligation, formula, clip)
        stated.state(f"({tally}).satisfied", str(entry.satisfied), about)
        stated.state(f"({tally}).obligated", str(entry.obligated), about)
        stated.state(f"({tally}).least", lean_soft(str(entry.least or "unbounded"), unit), about)
        total = entry.total * unit
        assert total.denominator == 1
        more, less = max(total.numerator, 0), max(-total.numerator, 0)
        stated.state(f"Nat.add ({tally}).above {less}", f"(Nat.add ({tally}).below {more})", about)
    stated.check(core)


def test_the_certificate_states_what_the_soft_vectors_expect() -> None:
    assert FILE.read_text(encoding="utf-8") == soft_certificate(SOFT_VECTORS)


def test_the_kernel_accepts_every_soft_vector_without_an_axiom(core: Build) -> None:
    sound, fault = check_stated(core, FILE.read_text("utf-8"))
    assert fault is None
    assert sound > len(SOFT_VECTORS)


def changed(vector: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The vector with an answer that is wrong in one place."""
    other = copy.deepcopy(dict(vector))
    expected = other["expected"]
    match key:
        case "values":
            first = expected["values"][0]
            first[0] = first[0][1:] if first[0].startswith("-") else f"-{first[0]}"
        case "verdicts":
            expected["verdicts"][0] = "10"[int(expected["verdicts"][0][0])] + expected["verdicts"][0][1:]
        case "score":
            expected["score"] = str(Fraction(expected["score"]) + Fraction(1, 100))
        case "least":
            expected["least"] = "unbounded"
        case "satisfied" | "obligated":
            expected[key] += 1
    return other


@pytest.mark.parametrize("key", ["values", "verdicts", "score", "least", "satisfied", "obligated"])
def test_the_kernel_refuses_an_answer_that_is_wrong(core: Build, key: str) -> None:
    vector = next(v for v in SOFT_VECTORS if key in v["expected"] and not v["expected"].get("vacuous"))
    assert check_stated(core, soft_certificate([changed(vector, key)]))[1] is not None
    assert check_stated(core, soft_certificate([vector]))[1] is None
