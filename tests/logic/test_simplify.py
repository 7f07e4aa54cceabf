"""Simplified formulas mean the same, with and without an obligation, and have fewer parts where a law is known."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from logic.first_models import first_model
from strategies import formulas, sized

from tracepact.language.compilation import parse_formula
from tracepact.language.formula import And, Formula, Iff, Not, Or, atoms, size
from tracepact.logic.decisions import Budget, Terms, bound, formula_text
from tracepact.logic.simplify import simplify

SOME = formulas(("p", "q"), farthest=3, leaves=4)


def simplified(text: str, obligation: str | None = None) -> str:
    step = Fraction(1, 50)
    under = None if obligation is None else parse_formula(obligation, step)
    return formula_text(simplify(parse_formula(text, step), Terms(under, budget=Budget(seconds=60))).formula)


@pytest.mark.parametrize(
    ("text", "obligation", "expected"),
    [
        ("F[0f,5f] a | F[2f,8f] a", None, "F[8f] a"),
        ("F[5f] a | b | F[6f,8f] a", None, "F[8f] a | b"),
        ("F[5f] a | F[7f,8f] a", None, "F[5f] a | F[7f,8f] a"),
        ("G[3f] a & G[2f,9f] a", None, "G[9f] a"),
        ("N[2f] a | b | N[4f] a", None, "N[4f] a | b"),
        ("F[3f] a | F[3f] b", None, "F[3f] (a | b)"),
        ("ref_active & pred_active", "ref_active", "pred_active"),
        ("ref_active & pred_active -> a", "ref_active", "pred_active -> a"),
        ("ref_onset -> N[2f] pred_onset | !ref_active", "ref_onset", "N[2f] pred_onset"),
        ("ref_active | pred_active", "!ref_active", "pred_active"),
        ("!(ref_active & pred_active)", "ref_active", "!pred_active"),
    ],
)
def test_a_formula_is_written_with_fewer_parts(text: str, obligation: str | None, expected: str) -> None:
    assert simplified(text, obligation) == expected


@given(SOME, st.none() | SOME, st.sampled_from([And, Or]), SOME)
@settings(max_examples=sized(60))
def test_a_simplified_formula_holds_at_the_same_obliged_frames(
    one: Formula, obligation: Formula | None, join: type[And | Or], other: Formula
) -> None:
    formula = join(one, other)
    found = simplify(formula, Terms(obligation)).formula
    differ = Not(Iff(formula, found)) if obligation is None else And(obligation, Not(Iff(formula, found)))
    assert size(found) <= size(formula)
    if len(atoms(differ)) * bound(differ) <= 16:
        assert first_model(differ, range(1, bound(differ) + 1)) is None
