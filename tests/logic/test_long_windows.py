"""Long windows: a corpus of questions with answers worked out by hand, and each step against enumeration when short."""

import json
from fractions import Fraction
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from logic.first_models import first_model
from strategies import formulas, sized

from tracepact.evaluate.masks import evaluate_trace
from tracepact.language.compilation import parse_formula
from tracepact.language.formula import And, Eventually, Formula, Or, atoms, lookahead, lookback, size
from tracepact.logic.blocks import BlockEncoding, Blocks
from tracepact.logic.catalogue import Universe
from tracepact.logic.decisions import Budget, Outcome, Terms, Verdict, bound, equivalent, implies, satisfiable, solve
from tracepact.logic.models import over_base_atoms
from tracepact.logic.normal import composes, follows, is_contradiction, negated, normal
from tracepact.logic.refine import encode_short, search_blocks

CORPUS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "long_windows.json").read_text(encoding="utf-8"))
PATIENT = Terms(budget=Budget(seconds=60))
"""What is right does not depend on how busy the machine is."""
ASK = {"sat": satisfiable, "implies": implies, "equivalent": equivalent}
NAMES = ("p", "q", "ref_onset", "ref_offset")


@pytest.mark.slow
@pytest.mark.parametrize("row", CORPUS, ids=lambda row: " : ".join(row["formulas"]))
def test_a_question_about_long_windows_has_the_answer_worked_out_by_hand(row: dict[str, Any]) -> None:
    asked = [parse_formula(text, Fraction(1, 50)) for text in row["formulas"]]
    terms = Terms(budget=Budget(seconds=2)) if row.get("may_stay_open") else PATIENT
    decision = ASK[row["question"]](*asked, terms)
    allowed = {row["answer"], "unknown"} if row.get("may_stay_open") else {row["answer"]}
    assert decision.outcome.value in allowed, decision.reason


def small(formula: Formula, most: int = 15) -> bool:
    return len(atoms(formula)) * (bound(formula, free=True) + 1) <= most and size(formula) < 60


def base_formulas() -> st.SearchStrategy[Formula]:
    some = formulas(NAMES, farthest=3, leaves=4)
    return st.one_of(
        some, st.builds(And, some, some), st.builds(lambda a, b: And(a, negated(Or(a, b))), some, some)
    ).map(over_base_atoms)


def agree(a: Formula, b: Formula, frames: int) -> bool:
    universe = Universe(sorted(atoms(a) | atoms(b) | {"p"}), frames)
    return universe.truth(a) == universe.truth(b)


@given(base_formulas().filter(lambda f: small(f, 40)), st.integers(1, 3))
def test_the_normal_form_holds_at_the_same_frames(formula: Formula, frames: int) -> None:
    assert agree(formula, normal(formula), frames)


@given(*(st.integers(-4, 4) for _ in range(4)))
def test_windows_compose_exactly_where_it_is_said(a: int, b: int, c: int, d: int) -> None:
    if a > b or c > d or not composes(a, b, c, d):
        return
    p = parse_formula("p", Fraction(1))
    for frames in (1, 3, 6, 9):
        assert agree(Eventually(a, b, Eventually(c, d, p)), Eventually(a + c, b + d, p), frames)


@given(base_formulas().filter(small), base_formulas().filter(small))
def test_what_follows_by_form_follows(a: Formula, b: Formula) -> None:
    for one, other in ((a, b), (a, normal(Or(a, b))), (normal(And(a, b)), a), (a, normal(Eventually(-1, 2, a)))):
        both = And(one, negated(other))
        if follows(normal(one), normal(other)) and small(both):
            assert first_model(both, range(1, bound(both, free=True) + 1), free=True) is None
    if is_contradiction(normal(a)):
        assert first_model(a, range(1, bound(a, free=True) + 1), free=True) is None


@given(base_formulas().filter(small), st.data())
@settings(max_examples=sized(120))
def test_what_blocks_of_any_size_refuse_holds_in_no_trace(formula: Formula, data: st.DataObject) -> None:
    """The conditions are met by the blocks of every trace that shows the formula; so a no carries over."""
    asked = normal(formula)
    back, ahead = lookback(asked), lookahead(asked)
    cuts = data.draw(st.sets(st.integers(-back, ahead), max_size=4))
    starts = tuple(sorted({-back, 0, 1, *cuts} - {ahead + 1} if ahead == 0 else {-back, 0, 1, *cuts}))
    encoding = BlockEncoding(Blocks(starts, ahead), sorted(atoms(asked)))
    encoding.require(asked)
    length = data.draw(st.none() | st.integers(1, 5))
    if length is not None:
        encoding.of_length(length)
    lengths = range(1, bound(asked, free=True) + 1) if length is None else [length]
    shown = first_model(asked, lengths, free=True)
    if shown is not None:
        assert _has_model(encoding)


def _has_model(encoding: BlockEncoding) -> bool:
    z3 = pytest.importorskip("z3")
    solver = z3.Solver(ctx=encoding.context)
    solver.add(*encoding.conditions)
    return bool(solver.check() == z3.sat)


@given(base_formulas().filter(small), st.none() | st.integers(1, 5))
@settings(max_examples=sized(80))
def test_blocks_agree_with_enumeration(formula: Formula, length: int | None) -> None:
    asked = normal(formula)
    found = search_blocks(asked, length, monotonic() + 20, 2048)
    lengths = range(1, bound(asked, free=True) + 1) if length is None else [length]
    shown = first_model(asked, lengths, free=True)
    assert found.verdict.value in ("unsat" if shown is None else "sat", "unknown")
    if found.model is not None:
        masks = {name: sum(on << i for i, on in enumerate(row)) for name, row in found.model.atoms.items()}
        assert evaluate_trace(asked, masks, found.model.frames) >> found.model.frame & 1


def test_an_encoding_is_as_narrow_as_the_length_asked_about() -> None:
    formula = parse_formula("G[65535f] p", Fraction(1, 50))
    assert encode_short(formula, 3).valid.size() == 6


def test_a_short_trace_is_shown_at_its_own_price() -> None:
    formula = parse_formula("G[65535f] (a & b | c & d)", Fraction(1, 50))
    for terms in (Terms(), Terms(length=1)):
        answer = solve(formula, terms)
        assert answer.verdict is Verdict.SAT
        assert answer.model is not None
        assert (answer.model.frames, answer.model.active, answer.model.minimal) == (1, 2, True)


def test_a_long_trace_is_asked_about_by_its_length() -> None:
    formula = parse_formula("F[50000f,50000f] p", Fraction(1, 50))
    assert satisfiable(formula, Terms(length=50_000)).outcome is Outcome.NO
    found = satisfiable(formula, Terms(length=50_001, budget=Budget(seconds=60)))
    assert found.model is not None
    assert (found.model.frames, found.model.frame) == (50_001, 0)


def test_the_corpus_has_both_answers_to_every_question() -> None:
    answers = {(row["question"], row["answer"]) for row in CORPUS}
    assert answers == {(question, answer) for question in ASK for answer in ("yes", "no")}
    assert len(CORPUS) >= 60
