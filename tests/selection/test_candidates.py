"""Families of candidates: as many as was said, each once, in order, and never beyond the bound."""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selection.builders import SMALL, STEP, calibration_of, case_of, scaled

from tracepact.diagnostics.collection import InvalidInput
from tracepact.language.compilation import load_contract, parse_contract
from tracepact.language.formula import And, Atom, Dag, Formula, Implies, Not, Or, children, cost, depth
from tracepact.selection.basis import observe_family
from tracepact.selection.calibration import (
    ATTRIBUTES,
    CONNECTIVES,
    EACH,
    MODALITIES,
    NO_FAMILY,
    SHAPES,
    CandidateFamily,
)
from tracepact.selection.candidates import Candidates, EventCandidate, FrameCandidate, describe, family_size
from tracepact.selection.family import enumerate_formulas, formula_count, formula_of, windows


def some(choices: tuple[str, ...], least: int = 0, most: int = 9) -> st.SearchStrategy[tuple[str, ...]]:
    chosen = st.lists(st.sampled_from(choices), unique=True, min_size=least, max_size=most)
    return chosen.map(tuple)


FAMILIES = st.builds(
    CandidateFamily,
    atoms=some(("ref_active", "pred_active", "pred_onset"), 0, 2),
    obligations=some(("ref_onset", "pred_active", "!ref_active", "ref_active & pred_active"), 0, 2),
    tolerances=st.lists(st.integers(1, 90).map(lambda k: Fraction(k, 1000)), min_size=1, max_size=2).map(tuple),
    shapes=some(SHAPES),
    operators=some((*MODALITIES, *CONNECTIVES), 0, 4),
    depth=st.integers(0, 1),
    from_depth=st.integers(0, 2),
    each=some(EACH),
    attributes=some(ATTRIBUTES, 0, 3),
    shares=st.just((Fraction(1, 4),)),
    joined=st.booleans(),
)


FEW = FAMILIES.filter(lambda family: family_size(family, STEP) <= 1200)


def normal(formula: Formula) -> object:
    """A formula up to commutativity, associativity, idempotence and double negation."""
    match formula:
        case Not(Not(body)):
            return normal(body)
        case And() | Or():
            kind = type(formula)
            parts: set[object] = set()
            stack: list[Formula] = [formula]
            while stack:
                part = stack.pop()
                if isinstance(part, kind):
                    stack += children(part)
                else:
                    parts.add(normal(part))
            return next(iter(parts)) if len(parts) == 1 else (kind.__name__, frozenset(parts))
        case Atom():
            return formula
    own = tuple(getattr(formula, name) for name in ("lo", "hi", "radius", "value") if hasattr(formula, name))
    return type(formula).__name__, own, tuple(normal(part) for part in children(formula))


@settings(max_examples=scaled(30))
@given(FAMILIES)
def test_a_family_has_as_many_candidates_as_was_said_beforehand(family: CandidateFamily) -> None:
    assert len(Candidates(family, STEP)) == family_size(family, STEP)


TINY = CandidateFamily(
    atoms=("ref_active", "pred_active"), obligations=("ref_onset",), tolerances=(STEP,), shapes=("near",)
)


@pytest.mark.parametrize(
    "operators", [("F", "G"), ("U",), ("S", "F"), ("or",), ("F", "and"), ("U", "or"), ("G", "or", "and")]
)
def test_every_level_is_counted(operators: tuple[str, ...]) -> None:
    for deepest in range(3 if "U" not in operators or "or" not in operators else 2):
        family = replace(TINY, operators=operators, depth=deepest)
        assert len(enumerate_formulas(family, STEP, Dag())) == formula_count(family, STEP)


@settings(max_examples=scaled(30))
@given(FEW)
def test_no_formula_is_made_twice_in_whatever_writing(family: CandidateFamily) -> None:
    dag = Dag()
    formulas = [formula_of(dag, index) for index in enumerate_formulas(family, STEP, dag)]
    assert len({normal(formula) for formula in formulas}) == len(formulas)
    assert [depth(f) for f in formulas] == sorted(depth(f) for f in formulas)


@settings(max_examples=scaled(15))
@given(FEW)
def test_no_candidate_is_made_twice_and_each_is_a_clause(family: CandidateFamily) -> None:
    made = Candidates(family, STEP)
    texts = [describe(made, index) for index in range(len(made))]
    assert len(set(texts)) == len(texts)
    sample = texts[:: max(1, len(texts) // 20)]
    if sample:
        lines = [f"clause c{k} {text}" for k, text in enumerate(sample)]
        contract = parse_contract("\n".join(["contract c step 20ms", *lines]))
        for k, text in enumerate(sample):
            clause, candidate = contract.clauses[k], made[texts.index(text)]
            if isinstance(candidate, FrameCandidate):
                assert (candidate.obligation, candidate.formula) == (clause.obligation, clause.formula)  # type: ignore[union-attr]
            else:
                assert (candidate.clause.each, candidate.clause.formula) == (clause.each, clause.formula)  # type: ignore[union-attr]


def test_formulas_below_the_first_depth_are_parts_only() -> None:
    every, deep = (Candidates(CandidateFamily(from_depth=first, each=()), STEP) for first in (0, 1))
    texts = [[describe(made, index) for index in range(len(made))] for made in (every, deep)]
    assert texts[1] == [text for text in texts[0] if "[" in text]


def test_tolerances_of_the_same_frames_are_one() -> None:
    family = CandidateFamily(tolerances=(Fraction(1, 100), Fraction(1, 50), Fraction(3, 100)), shapes=("near", "back"))
    assert windows(family, STEP) == ((-1, 1), (-1, 0), (-2, 2), (-2, 0))


def test_the_order_of_the_lists_is_the_order_of_the_candidates() -> None:
    for atoms in permutations(("ref_active", "pred_active")):
        made = Candidates(CandidateFamily(atoms=atoms, obligations=("ref_onset", "pred_onset"), depth=0, each=()), STEP)
        first, second = atoms
        assert [describe(made, i) for i in range(len(made))] == [
            f"on {o} : {o} -> {f}"
            for f in (first, f"!{first}", second, f"!{second}")
            for o in ("ref_onset", "pred_onset")
        ]


def test_an_authors_clauses_come_first_and_keep_their_names() -> None:
    author = load_contract("boundary_gate")
    made = Candidates(SMALL, STEP, author)
    names = [made[i].name for i in range(len(made))]
    assert names[:7] == [clause.name for clause in author.clauses]
    assert set(names[7:]) == {None}


def test_the_cost_of_a_frame_candidate_is_that_of_its_obligation_and_its_formula() -> None:
    made = Candidates(CandidateFamily(operators=("F", "G", "U", "or"), atoms=("ref_active", "pred_active")), STEP)
    for index in range(made.first_frame, made.first_event, 97):
        candidate = made[index]
        assert isinstance(candidate, FrameCandidate)
        assert isinstance(candidate.formula, Implies)
        assert made.costs[index] == cost(candidate.obligation) + cost(candidate.formula)


def test_the_cost_of_an_event_candidate_by_hand() -> None:
    # 16, then: `matched` 1; `covering <= 1` comparison and attribute; `and` between them one more.
    # abs(pred.onset - ref.onset) <= 20ms: comparison, abs, difference, two attributes.
    made = Candidates(SMALL, STEP)
    costs = {describe(made, i): made.costs[i] for i in range(made.first_event, len(made))}
    assert costs["on each ref : matched"] == 17
    assert costs["on each ref : covering <= 1"] == 18
    assert costs["on each ref : matched and covering <= 1"] == 20
    assert costs["on each ref : abs(pred.onset - ref.onset) <= 20ms"] == 21


# The bound


CASES = [case_of("a", 1, [True, False], [True, True]), case_of("b", 2, [True, False], [False, False])]


def test_a_family_beyond_its_bound_says_how_large_it_is_and_what_to_lower() -> None:
    family = CandidateFamily(depth=2, operators=("F", "G", "or"), most=1000)
    size = family_size(family, STEP)
    with pytest.raises(InvalidInput) as refused:
        observe_family(calibration_of(CASES), family)
    (found,) = refused.value.diagnostics
    assert found.code == "family-too-large"
    assert f"{size:,}" in found.headline
    assert found.help is not None
    assert "`most`" in found.help
    sizes = [int(number.replace(",", "")) for number in re.findall(r"\(([\d,]+)\)", found.help)]
    assert sizes
    assert all(0 < number <= family.most for number in sizes), found.help


def test_a_family_just_within_its_bound_is_made() -> None:
    size = family_size(SMALL, STEP)
    family = CandidateFamily(
        SMALL.atoms, SMALL.obligations, SMALL.tolerances, each=SMALL.each, attributes=SMALL.attributes, most=size
    )
    assert len(observe_family(calibration_of(CASES), family).candidates) == size


def test_an_empty_family_is_refused() -> None:
    with pytest.raises(InvalidInput) as refused:
        observe_family(calibration_of(CASES), NO_FAMILY)
    assert [d.code for d in refused.value.diagnostics] == ["empty-family"]


def test_clauses_on_another_grid_or_with_atoms_of_their_own_are_refused() -> None:
    author = parse_contract(
        "contract c step 10ms merge_gap 40ms atom zone clause a on zone : ref_active -> pred_active"
    )
    with pytest.raises(InvalidInput) as refused:
        observe_family(calibration_of(CASES), SMALL, author)
    assert [d.code for d in refused.value.diagnostics] == ["other-grid", "other-grid", "missing-mask"]


def test_event_candidates_are_of_every_kind() -> None:
    made = Candidates(CandidateFamily(), STEP)
    kinds = {
        c.clause.each.value for i in range(made.first_event, len(made)) if isinstance(c := made[i], EventCandidate)
    }
    assert kinds == set(EACH)
