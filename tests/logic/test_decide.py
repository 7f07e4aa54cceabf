"""The solver against enumeration and the reference semantics, on random formulas with mixed windows, U and S."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from logic.first_models import first_model
from strategies import formulas, sized

from tracepact.evaluate.reference import truth
from tracepact.language.formula import (
    Always,
    And,
    Atom,
    Constant,
    Eventually,
    Formula,
    Iff,
    Not,
    Or,
    Since,
    Until,
    atoms,
)
from tracepact.logic.catalogue import Universe
from tracepact.logic.decisions import Budget, Outcome, Terms, Verdict, bound, equivalent, implies, satisfiable, solve
from tracepact.logic.models import Model, ReplayError, over_base_atoms, with_derived_atoms
from tracepact.logic.normal import contradicts_itself

NAMES = ("p", "ref_active", "ref_onset", "ref_offset")
MOST_BITS = 17
"""The largest universe a test enumerates: 2^17 traces."""


def fits(formula: Formula, more: int = 0) -> bool:
    return len(atoms(over_base_atoms(formula))) * (bound(formula) + more) <= MOST_BITS


def small_formulas() -> st.SearchStrategy[Formula]:
    """Formulas whose universe can be enumerated; half of them are asked to differ from a relative."""
    some = formulas(NAMES, farthest=3, leaves=4)
    near = st.builds(lambda a, b: And(a, Not(Or(a, b))), some, some)
    return st.one_of(some, some.map(Not), st.builds(And, some, some), near).filter(lambda f: fits(f, 3))


@given(small_formulas())
@settings(max_examples=sized(150))
def test_all_lengths_agree_with_enumeration_up_to_three_frames_beyond_the_bound(formula: Formula) -> None:
    answer = solve(formula)
    expected = first_model(formula, range(1, bound(formula) + 4))
    assert answer.verdict is (Verdict.UNSAT if expected is None else Verdict.SAT)
    if expected is not None:
        assert answer.model is not None
        assert answer.model.minimal
        assert (answer.model.frames, answer.model.active) == (expected.frames, expected.active)
        environment = with_derived_atoms(answer.model.atoms)
        assert truth(formula, environment, answer.model.frames)[answer.model.frame]


@given(small_formulas(), st.integers(1, 9), st.booleans())
@settings(max_examples=sized(150))
def test_a_fixed_length_agrees_with_enumeration(formula: Formula, length: int, free: bool) -> None:
    base = formula if free else over_base_atoms(formula)
    if len(atoms(base)) * length > MOST_BITS:
        return
    answer = solve(formula, Terms(length=length, free=free))
    expected = first_model(formula, [length], free=free)
    assert answer.verdict is (Verdict.UNSAT if expected is None else Verdict.SAT)
    if expected is not None:
        assert answer.model is not None
        assert (answer.model.frames, answer.model.active) == (length, expected.active)


@given(formulas(("p", "q"), farthest=3, leaves=4), st.integers(1, 4))
@settings(max_examples=sized(100))
def test_enumeration_agrees_with_the_reference(formula: Formula, frames: int) -> None:
    universe = Universe(("p", "q"), frames)
    masks = universe.truth(formula)
    for index in range(universe.size):
        assert [bool(mask >> index & 1) for mask in masks] == truth(formula, universe.environment(index), frames)


def test_both_verdicts_are_well_represented() -> None:
    """Questions of the kind drawn above and below; a suite of almost only sat answers would show little."""
    generator = random.Random(11)
    verdicts = [solve(Not(Iff(a, b)), Terms(minimise=False)).verdict for a, b in _pairs(generator, 300)]
    share = verdicts.count(Verdict.UNSAT) / len(verdicts)
    print(f"{len(verdicts)} questions, {share:.0%} unsat")
    assert Verdict.UNKNOWN not in verdicts
    assert 0.2 < share < 0.8


@pytest.mark.slow
def test_equivalence_agrees_with_enumeration_on_rewritten_formulas() -> None:
    generator = random.Random(12)
    outcomes = []
    for a, b in _pairs(generator, 200):
        both = Not(Iff(a, b))
        if not fits(both, 3):
            continue
        found = equivalent(a, b)
        expected = first_model(both, range(1, bound(both) + 4))
        assert found.outcome is (Outcome.YES if expected is None else Outcome.NO)
        outcomes.append(found.outcome)
    assert outcomes.count(Outcome.YES) > 30
    assert outcomes.count(Outcome.NO) > 30


def _pairs(generator: random.Random, number: int) -> list[tuple[Formula, Formula]]:
    """A formula and another way to write it, right or slightly wrong."""
    pairs: list[tuple[Formula, Formula]] = []
    while len(pairs) < number:
        p, q = (_random(generator, 2) for _ in range(2))
        lo = generator.randint(-2, 1)
        hi = lo + generator.randint(0, 2)
        r = generator.randint(0, 3)
        off = generator.choice([0, 0, 1])
        pairs.append(
            generator.choice(
                [
                    (Eventually(lo, hi, p), Not(Always(lo, hi + off, Not(p)))),
                    (Eventually(0, r, p), Until(r + off, Constant(True), p)),
                    (Eventually(-r, 0, p), Since(r + off, Constant(True), p)),
                    (Eventually(lo, hi, Or(p, q)), Or(Eventually(lo, hi, p), Eventually(lo, hi + off, q))),
                    (And(p, Or(p, q)), p if not off else q),
                    (Eventually(0, 1, Eventually(0, r, p)), Eventually(0, r + 1 + off, p)),
                ]
            )
        )
    return pairs


def _random(generator: random.Random, depth: int) -> Formula:
    if depth == 0 or generator.random() < 0.3:
        return Atom(generator.choice(NAMES))
    first, second = _random(generator, depth - 1), _random(generator, depth - 1)
    lo = generator.randint(-2, 2)
    return generator.choice(
        [
            Not(first),
            And(first, second),
            Or(first, second),
            Eventually(lo, lo + generator.randint(0, 1), first),
            Always(lo, lo + generator.randint(0, 1), first),
            Until(generator.randint(0, 2), first, second),
            Since(generator.randint(0, 2), first, second),
        ]
    )


@given(formulas(("p", "q"), farthest=3, leaves=4), st.data())
@settings(max_examples=sized(60))
def test_a_changed_bound_is_found_whenever_some_trace_shows_it(formula: Formula, data: st.DataObject) -> None:
    changed = _with_one_bound_changed(formula, data)
    both = Not(Iff(formula, changed))
    if changed == formula or not fits(both, 1):
        return
    shown = first_model(both, range(1, bound(both) + 1))
    assert equivalent(formula, changed).outcome is (Outcome.YES if shown is None else Outcome.NO)


def _with_one_bound_changed(formula: Formula, data: st.DataObject) -> Formula:
    match formula:
        case Eventually(lo, hi, body):
            return Eventually(lo - data.draw(st.integers(0, 1)), hi + 1, body)
        case Always(lo, hi, body):
            return Always(lo, hi + 1, body)
        case Until(r, a, b):
            return Until(r + 1, a, b)
        case Since(r, a, b):
            return Since(r + 1, a, b)
        case Not(body):
            return Not(_with_one_bound_changed(body, data))
        case And(a, b):
            return And(_with_one_bound_changed(a, data), b)
        case Or(a, b):
            return Or(a, _with_one_bound_changed(b, data))
        case _:
            return formula


# Budgets and replay


@pytest.mark.slow
def test_a_spent_budget_is_unknown_and_never_unsat() -> None:
    p, q = Atom("p"), Atom("q")
    law = Not(Iff(Until(900, p, q), Or(q, And(p, Eventually(1, 1, Until(899, p, q))))))
    for budget in (Budget(seconds=0.05), Budget(megabytes=16), Budget(bits=1000), Budget(seconds=0)):
        answer = solve(law, Terms(budget=budget))
        assert (answer.verdict, answer.model) == (Verdict.UNKNOWN, None)
        assert answer.reason
        assert satisfiable(law, Terms(budget=budget)).outcome is Outcome.UNKNOWN
        assert equivalent(Constant(False), law, Terms(budget=budget)).outcome is Outcome.UNKNOWN


def test_a_model_that_does_not_replay_is_an_internal_error() -> None:
    model = Model(1, {"p": (False,)}, 0)
    assert model.replayed(Not(Atom("p"))) is model
    with pytest.raises(ReplayError):
        model.replayed(Atom("p"))


def test_the_bound_counts_the_frame_that_an_onset_looks_back() -> None:
    assert bound(Atom("ref_active")) == 1
    assert bound(Atom("ref_onset")) == 2
    assert bound(Atom("ref_onset"), free=True) == 1
    assert bound(Eventually(-3, 4, Atom("ref_offset"))) == 9
    assert bound(Eventually(2, 2, Eventually(-2, -2, Atom("p")))) == 3
    assert bound(Until(3, Atom("pred_onset"), Atom("p"))) == 5


def test_a_wide_window_is_decided_at_once() -> None:
    p = Atom("p")
    assert equivalent(Eventually(-700, 700, p), Eventually(-200, 200, Eventually(-500, 500, p))).outcome is Outcome.YES


@pytest.mark.slow
def test_a_window_of_more_frames_than_a_decimal_has_digits_is_decided() -> None:
    """A mask of 20,001 bits has 6,021 decimal digits; Python reads at most 4,300."""
    near, far = Eventually(0, 19_000, Atom("p")), Eventually(0, 20_000, Atom("p"))
    for length in (None, 19_500, 30_000):
        found = equivalent(near, far, Terms(length=length, minimise=False, budget=Budget(seconds=60)))
        assert found.outcome is Outcome.NO
        assert found.model is not None


@given(small_formulas(), small_formulas())
def test_what_the_form_settles_holds_nowhere(a: Formula, b: Formula) -> None:
    for formula in (a, And(a, Not(Or(b, a))), And(a, And(b, Not(And(b, a)))), Not(Iff(a, a)), And(a, Not(b))):
        if fits(formula) and contradicts_itself(formula):
            assert first_model(formula, range(1, bound(formula) + 1)) is None


@given(formulas(NAMES, farthest=900, leaves=4), formulas(NAMES, farthest=900, leaves=4))
def test_a_formula_is_compared_with_itself_without_a_solver(a: Formula, b: Formula) -> None:
    no_time = Terms(obligation=b, budget=Budget(seconds=0))
    assert equivalent(a, a, no_time).outcome is Outcome.YES
    assert implies(a, a, no_time).outcome is Outcome.YES


def test_a_trace_that_is_too_long_to_be_built_is_no_answer() -> None:
    assert satisfiable(Atom("p"), Terms(length=10**8)).outcome is Outcome.UNKNOWN
