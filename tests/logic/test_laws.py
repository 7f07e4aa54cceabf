"""Laws of the language over all lengths, and what looks like one but fails, with the trace that shows it."""

from fractions import Fraction

import pytest

from tracepact.language.compilation import parse_formula
from tracepact.language.formula import Formula
from tracepact.logic.decisions import (
    Decision,
    Outcome,
    Terms,
    equivalent,
    implies,
    satisfiable,
    strictly_stronger,
    valid,
)

STEP = Fraction(1, 50)
ALL = Terms()


def formula(text: str) -> Formula:
    return parse_formula(text, STEP)


def same(a: str, b: str, terms: Terms = ALL) -> Decision:
    return equivalent(formula(a), formula(b), terms)


LAWS = [
    ("N[3f] N[4f] p", "N[7f] p"),
    ("N[40ms] N[60ms] p", "N[100ms] p"),
    ("F[3f] (p | q)", "F[3f] p | F[3f] q"),
    ("G[3f] (p & q)", "G[3f] p & G[3f] q"),
    ("F[-2f,5f] p", "!G[-2f,5f] !p"),
    ("F[6f] p", "true U[6f] p"),
    ("F[-6f,0f] p", "true S[6f] p"),
    ("N[5f] p", "F[-5f,5f] p"),
    ("F[2f] F[3f] p", "F[5f] p"),
    ("p U[2f] (p U[3f] q)", "p U[5f] q"),
    ("ref_offset", "!ref_active & F[-1f,-1f] ref_active"),
    ("ref_onset", "ref_active & !F[-1f,-1f] ref_active"),
    ("!(p U[0f] q)", "!q"),
    ("F[1f,1f] true & G[1f,1f] p", "F[1f,1f] p"),
]
"""Pairs that hold at the same frames of every trace."""

NON_LAWS = [
    ("N[30ms] N[30ms] p", "N[60ms] p", 5, {"p": 1}),  # 4 frames against 3: the witness is 4 frames away
    ("F[2f,2f] F[-2f,-2f] p", "p", 1, {"p": 1}),  # at the end of the trace there is no frame 2 ahead
    ("F[-1f,-1f] F[1f,1f] p", "p", 1, {"p": 1}),  # the same at its start
    ("!F[1f,1f] p", "F[1f,1f] !p", 1, {"p": 0}),  # next is not self-dual in the last frame
    ("G[1f,1f] p", "F[1f,1f] p", 1, {"p": 0}),
    ("F[3f] (p & q)", "F[3f] p & F[3f] q", 2, {"p": 1, "q": 1}),
    ("ref_onset | ref_offset", "N[1f] ref_onset", 2, {"ref_active": 1}),
]
"""Pairs that differ: the frames of the shortest trace that shows it, and its active frames."""


@pytest.mark.parametrize(("left", "right"), LAWS)
def test_a_law_holds_over_all_lengths(left: str, right: str) -> None:
    assert same(left, right).outcome is Outcome.YES


@pytest.mark.parametrize(("left", "right", "frames", "active"), NON_LAWS)
def test_a_non_law_is_shown_by_a_shortest_trace(left: str, right: str, frames: int, active: dict[str, int]) -> None:
    found = same(left, right)
    assert found.outcome is Outcome.NO
    assert found.model is not None
    assert found.model.minimal
    assert found.model.frames == frames
    assert {name: sum(mask) for name, mask in found.model.atoms.items()} == active


def test_a_window_that_starts_now_has_the_truth_of_now() -> None:
    assert implies(formula("G[4f] p"), formula("p")).outcome is Outcome.YES
    assert implies(formula("p"), formula("F[4f] p")).outcome is Outcome.YES
    assert implies(formula("G[1f,4f] p"), formula("F[1f,4f] p")).outcome is Outcome.NO


def test_a_larger_radius_is_implied_and_not_conversely() -> None:
    small, large = formula("N[2f] p"), formula("N[3f] p")
    assert implies(small, large).outcome is Outcome.YES
    back = implies(large, small)
    assert back.outcome is Outcome.NO
    assert back.model is not None
    (active,) = (i for i, on in enumerate(back.model.atoms["p"]) if on)
    assert (back.model.frames, abs(active - back.model.frame)) == (4, 3)
    assert strictly_stronger(small, large).outcome is Outcome.YES
    assert strictly_stronger(large, small).outcome is Outcome.NO
    assert strictly_stronger(small, small).outcome is Outcome.NO


def test_every_radius_is_implied_by_the_smaller_ones() -> None:
    for r in range(6):
        for s in range(6):
            expected = Outcome.YES if r <= s else Outcome.NO
            assert implies(formula(f"N[{r}f] p"), formula(f"N[{s}f] p")).outcome is expected


def test_an_onset_has_activity_unless_every_atom_is_free() -> None:
    impossible = formula("ref_onset & !ref_active")
    assert satisfiable(impossible).outcome is Outcome.NO
    found = satisfiable(impossible, Terms(free=True))
    assert (found.outcome, found.free) == (Outcome.YES, True)
    assert found.model is not None
    assert found.model.atoms == {"ref_active": (False,), "ref_onset": (True,)}


def test_an_obligation_makes_a_formula_valid_that_is_not() -> None:
    guard = formula("ref_active -> N[2f] pred_active")
    assert valid(guard).outcome is Outcome.NO
    assert valid(guard, Terms(obligation=formula("pred_onset"))).outcome is Outcome.YES
    assert valid(guard, Terms(obligation=formula("ref_onset"))).outcome is Outcome.NO


def test_two_events_need_a_gap() -> None:
    """Two onsets one frame apart would have no inactive frame between them."""
    assert satisfiable(formula("ref_onset & F[1f,1f] ref_onset")).outcome is Outcome.NO
    found = satisfiable(formula("ref_onset & F[2f,2f] ref_onset"))
    assert found.model is not None
    assert found.model.atoms == {"ref_active": (True, False, True)}


def test_a_law_of_long_traces_can_fail_at_one_length_alone() -> None:
    """`F[2f,2f] true | F[-2f,-2f] true` fails in the traces of one or two frames, and in the middle of three only."""
    wide = formula("F[2f,2f] true | F[-2f,-2f] true")
    outcomes = [valid(wide, Terms(length=n)).outcome for n in range(1, 7)]
    assert outcomes == [Outcome.NO, Outcome.NO, Outcome.NO, Outcome.YES, Outcome.YES, Outcome.YES]
    assert valid(wide).outcome is Outcome.NO


def test_a_trace_of_no_frames_has_no_frame_to_ask_about() -> None:
    assert satisfiable(formula("true"), Terms(length=0)).outcome is Outcome.NO
    assert satisfiable(formula("true"), Terms(length=1)).outcome is Outcome.YES
