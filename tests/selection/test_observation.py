"""Observed values are those of scoring, and candidates that punish a perfect prediction are found and dropped."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selection.builders import SMALL, STEP, calibration_of, calibrations, case_of, labelled_calibrations, scaled
from strategies import ATOMS, environments, formulas, to_mask

from tracepact.data.assembly import assemble
from tracepact.data.events import Durations, Event, EventTable
from tracepact.diagnostics.collection import Diagnostics
from tracepact.evaluate.reference import truth
from tracepact.evaluate.scorecard import score_family
from tracepact.language.compilation import load_contract, parse_contract
from tracepact.language.contract import Aggregation, Contract, Matcher, MatcherKind
from tracepact.language.formula import Always, And, Atom, Dag, Eventually, Formula, Implies, Not, Since, Until
from tracepact.logic.decisions import Outcome, satisfiable
from tracepact.logic.models import with_derived_atoms
from tracepact.logic.predictions import perfected
from tracepact.selection.basis import observe_family
from tracepact.selection.calibration import Calibration, CalibrationCase, CandidateFamily
from tracepact.selection.calibration_reader import load_calibration
from tracepact.selection.candidates import FrameCandidate, describe
from tracepact.selection.selection import retain_basis
from tracepact.selection.trials import SHORT, Prover, WordAlgebra, evaluate_rows, facts, follows, grid_contract
from tracepact.selection.values import Screening

SIDES = ("ref_active", "pred_active", "ref_onset", "pred_offset")
FULL = CandidateFamily(operators=("F", "G", "U", "S", "or"), atoms=("ref_active", "pred_active"), tolerances=(STEP,))


# Words


@settings(max_examples=scaled(80))
@given(st.lists(formulas(), min_size=1, max_size=5), st.lists(environments(longest=70), min_size=1, max_size=3))
def test_rows_of_words_are_the_masks_of_the_reference(
    some: list[Formula], clips: list[tuple[int, dict[str, list[bool]]]]
) -> None:
    """Clips side by side with a gap; frames on word borders, batches of one shape, roots that are parts of others."""
    gap, at, valid, places = 6, 0, 0, []
    atoms = dict.fromkeys(ATOMS, 0)
    for frames, environment in clips:
        places.append(at)
        valid |= ((1 << frames) - 1) << at
        atoms = {name: atoms[name] | to_mask(environment[name]) << at for name in ATOMS}
        at += frames + gap
    words = -(-at // 64)

    def row(mask: int) -> np.ndarray:  # type: ignore[type-arg]
        return np.frombuffer(mask.to_bytes(words * 8, "little"), dtype=np.uint64)

    dag, roots = Dag.of([*some, some[0], *([some[0].body] if hasattr(some[0], "body") else [])])
    algebra = WordAlgebra(row(valid), max(frames for frames, _ in clips))
    found = {}
    for which, rows in evaluate_rows(dag, roots, {name: row(mask) for name, mask in atoms.items()}, algebra):
        for place, mask in zip(which.tolist(), rows, strict=True):
            found[place] = int.from_bytes(mask.tobytes(), "little")
    assert set(found) == set(range(len(roots)))
    for place, formula in enumerate(some):
        expected = sum(
            to_mask(truth(formula, environment, frames)) << start
            for start, (frames, environment) in zip(places, clips, strict=True)
        )
        assert found[place] == expected
    assert found[len(some)] == found[0]


# Values


def scored(calibration: Calibration, text: str, matcher: Matcher) -> list[Fraction]:
    """The score of one clause on each case, as scoring gives it for that case alone."""
    contract = grid_contract(calibration, matcher, f"clause c {text}")
    return [scored_alone(contract, case, "c") for case in calibration.cases]


def scored_alone(contract: Contract, case: CalibrationCase, clause: str) -> Fraction:
    """A run of scoring whose tables hold one case and nothing else."""
    tables = (EventTable(name, {"clip": events}) for name, events in (("ref", case.ref), ("pred", case.pred)))
    durations = Durations("durations", {"clip": case.duration})
    family = assemble(contract, *tables, durations=durations, diagnostics=Diagnostics())
    return score_family(contract, family).score(clause, Aggregation.MACRO_CLIPS).value


@settings(max_examples=scaled(12))
@given(calibrations(most=3), st.data())
def test_values_are_the_scores_of_each_clause_alone(calibration: Calibration, data: st.DataObject) -> None:
    matcher = Matcher(data.draw(st.sampled_from(MatcherKind)), search=Fraction(3, 50))
    observed = observe_family(calibration, FULL, matcher=matcher, dropped=True)
    size = len(observed.candidates)
    for index in data.draw(st.lists(st.integers(0, size - 1), min_size=4, max_size=8)):
        text = describe(observed.candidates, index)
        assert list(observed.observation.values(index)) == scored(calibration, text, matcher), text


CLASSES = CandidateFamily(
    atoms=("ref_active", "pred_active", "other_ref_active", "other_pred_active"),
    obligations=("ref_active", "!ref_active", "other_ref_active", "!other_pred_active", "pred_onset"),
    tolerances=(STEP,),
    shapes=("near",),
)


@settings(max_examples=scaled(25))
@given(labelled_calibrations(), st.data())
def test_values_are_those_of_each_case_alone_whatever_labels_the_others_have(
    calibration: Calibration, data: st.DataObject
) -> None:
    """Cases with one label, several, none in common and no event; class atoms and event clauses as well as frames."""
    matcher = Matcher(data.draw(st.sampled_from(MatcherKind)), search=Fraction(3, 50))
    observed = observe_family(calibration, CLASSES, matcher=matcher, dropped=True)
    size, events = len(observed.candidates), observed.candidates.first_event
    chosen = data.draw(st.lists(st.integers(0, events - 1), min_size=4, max_size=8))
    chosen += data.draw(st.lists(st.integers(events, size - 1), min_size=2, max_size=4))
    for index in chosen:
        text = describe(observed.candidates, index)
        assert list(observed.observation.values(index)) == scored(calibration, text, matcher), text


@settings(max_examples=scaled(8))
@given(labelled_calibrations())
def test_a_case_left_out_changes_no_value_of_another(calibration: Calibration) -> None:
    fewer = replace(calibration, cases=calibration.cases[1:], references=calibration.references[1:])
    made = [observe_family(c, CLASSES, dropped=True).observation for c in (calibration, fewer)]
    all_of_them, rest = (one.seen(range(len(one))) for one in made)
    others = range(1, len(calibration.cases))
    assert [one.key for one in all_of_them.on(others)] == [one.key for one in rest]


def test_values_of_an_author_are_the_scores_of_the_contract() -> None:
    calibration, author = load_calibration("boundary_gate"), load_contract("boundary_gate")
    observed = observe_family(calibration, SMALL, author, dropped=True)
    for index, clause in enumerate(author.clauses):
        expected = [scored_alone(author, case, clause.name) for case in calibration.cases]
        assert list(observed.observation.values(index)) == expected


def test_labels_of_a_case_are_scored_apart_and_count_alike() -> None:
    """Two classes that swap places: each frame is wrong for both, though activity as such is right."""
    base = case_of("swap", 2, [True, True, False], [True, True, False])
    dog, cat = Event(Fraction(0), 2 * STEP, "dog"), Event(Fraction(0), 2 * STEP, "cat")
    swapped = replace(base, ref=(dog,), pred=(cat,))
    observed = observe_family(calibration_of([swapped, case_of("fine", 1, [True], [True])]), SMALL, dropped=True)
    texts = {describe(observed.candidates, i): i for i in range(len(observed.candidates))}
    values = observed.observation.values(texts["on ref_active : ref_active -> pred_active"])
    # All of dog is lost; of cat nothing was asked, which is 1 (7.3): each class is half of the clip (macro_clips).
    assert values == (Fraction(1, 2), Fraction(1))


def test_a_vacuous_value_is_one_and_marked() -> None:
    """Nothing is predicted, so no predicted onset can be wrong (7.3); the matched pairs are counter evidence (7.4)."""
    cases = [case_of("lost", 2, [True, True], [False, False]), case_of("fine", 1, [True, True], [True, True])]
    observed = observe_family(calibration_of(cases), SMALL)
    texts = {describe(observed.candidates, i): i for i in range(len(observed.candidates))}
    onset = texts["on pred_onset : pred_onset -> ref_active"]
    assert observed.observation.values(onset) == (1, 1)
    assert observed.observation.seen([onset])[0].vacuous_shares == (1, 0)
    pair = texts["on each matched : abs(pred.onset - ref.onset) <= 20ms"]
    assert observed.observation.values(pair) == (0, 1)
    assert observed.observation.seen([pair])[0].vacuous_shares == (0, 0)
    assert observed.observation.seen([pair])[0].counter_shares == (1, 0)


# Perfection


def violated_by_perfection(obligation: Formula, formula: Formula, frames: int) -> bool:
    """Whether some trace of so many frames, its own prediction, violates a clause; loops over all of them."""
    for trace in product((False, True), repeat=frames):
        environment = with_derived_atoms({"ref_active": trace, "pred_active": trace})
        asked, holds = (truth(f, environment, frames) for f in (obligation, formula))
        if any(a and not h for a, h in zip(asked, holds, strict=True)):
            return True
    return False


@settings(max_examples=scaled(40))
@given(formulas(SIDES, farthest=2, leaves=3), formulas(SIDES, farthest=2, leaves=4))
def test_the_prover_agrees_with_all_traces_of_a_few_frames(obligation: Formula, formula: Formula) -> None:
    shown = any(violated_by_perfection(obligation, formula, frames) for frames in range(1, SHORT + 1))
    if shown:
        decided = satisfiable(And(perfected(obligation), Not(perfected(formula)))).outcome
        assert decided is Outcome.YES
        assert not follows(perfected(formula), facts(perfected(obligation)))
    else:
        proof = Prover(STEP).decide(FrameCandidate(obligation, formula))
        longer = any(violated_by_perfection(obligation, formula, frames) for frames in range(SHORT + 1, 10))
        assert proof.outcome is not Outcome.UNKNOWN
        if longer:
            assert proof.outcome is Outcome.NO
        if proof.outcome is Outcome.NO:
            assert proof.by == "solver"


def test_what_follows_by_rule_is_never_violated_by_perfection() -> None:
    """Every window over every literal, until and since, under each kind of obligation."""
    names = ("ref_active", "ref_onset", "ref_offset")
    literals: list[Formula] = [f for name in names for f in (Atom(name), Not(Atom(name)))]
    bodies: list[Formula] = list(literals)
    bodies += [
        kind(lo, hi, p)
        for kind in (Eventually, Always)
        for lo in (-2, 0, 1)
        for hi in (-1, 0, 2)
        for p in literals
        if lo <= hi
    ]
    bodies += [kind(r, p, q) for kind in (Until, Since) for r in (0, 1) for p in literals for q in literals]
    found = 0
    for obligation in literals:
        for body in bodies:
            if follows(Implies(obligation, body), facts(obligation)):
                found += 1
                assert not any(violated_by_perfection(obligation, body, frames) for frames in (1, 2, 5)), (
                    obligation,
                    body,
                )
    assert found > len(literals)
    assert not follows(Eventually(1, 2, Atom("ref_onset")), facts(Atom("ref_onset")))


@settings(max_examples=scaled(5))
@given(calibrations(most=2))
def test_what_the_tests_drop_is_what_a_perfect_prediction_violates(calibration: Calibration) -> None:
    observed = observe_family(calibration, SMALL)
    candidates = observed.candidates
    for index in range(candidates.first_frame, candidates.first_event, 5):
        candidate = candidates[index]
        assert isinstance(candidate, FrameCandidate)
        shown = any(violated_by_perfection(candidate.obligation, candidate.formula, n) for n in range(1, SHORT + 1))
        screening = Screening(int(observed.observation.screening[index]))
        assert shown == (screening is not Screening.PASSED) or screening is Screening.FAILED_ON_REFERENCE


EVENT_TRUTHS = {
    "each ref : matched": True,
    "each ref : covering <= 1": True,
    "each ref : covering <= 0": False,
    "each pred : purity >= 0.9": True,
    "each ref : shortest_gap > 40ms": True,
    "each ref : longest_gap <= 0ms": True,
    "each ref : longest_gap > 0ms": False,
    "each matched : abs(pred.duration - ref.duration) <= 0.25 * ref.duration": True,
    "each ref : pred.onset - ref.onset >= 20ms": False,
    "each ref : ref.duration >= 40ms": False,
    "each ref : ref.onset >= 0ms": True,
    "each matched : overlap >= 0.9 * ref.duration": True,
    "each matched : overlap >= 1.1 * ref.duration": False,
    "each pred : dominant": False,
    "each pred : dominant or purity >= 0.9": True,
    "each ref : not (iou < 1)": True,
    "each ref : max(ref.duration, pred.duration) <= min(ref.duration, pred.duration)": True,
    "each ref : ref.duration <= 20ms or ref.duration >= 40ms": True,
}


@pytest.mark.parametrize("text", EVENT_TRUTHS)
def test_event_predicates_of_a_perfect_prediction_are_decided(text: str) -> None:
    """By hand: every interval is matched with itself, wherever it lies and however long it is."""
    author = parse_contract(f"contract c step 20ms clause c on {text}")
    cases = [case_of("a", 1, [True, False, True], [True, False, True]), case_of("b", 2, [True, True], [False, True])]
    observed = observe_family(calibration_of(cases), SMALL, author)
    kept = observed.observation.screening[0] == Screening.PASSED
    proof = observed.prover.decide(observed.candidates[0])
    assert (proof.outcome is Outcome.YES) == EVENT_TRUTHS[text]
    if EVENT_TRUTHS[text]:
        assert kept


def test_a_candidate_that_no_short_trace_refutes_is_refuted_by_the_solver() -> None:
    """Activity now and seven frames on: only a trace of eight frames has it, one more than those that are tried."""
    author = parse_contract("contract c step 20ms clause c on ref_active & F[140ms,140ms] ref_active : !pred_active")
    cases = [case_of("a", 1, [True] * 4, [True] * 4), case_of("b", 2, [True] * 4, [False] * 4)]
    observed = observe_family(calibration_of(cases), SMALL, author)
    assert observed.observation.screening[0] == Screening.PASSED
    proof = observed.prover.decide(observed.candidates[0])
    assert (proof.outcome, proof.by) == (Outcome.NO, "solver")


def test_every_representative_is_perfect() -> None:
    """Asked of all traces of up to ten frames, not of the prover."""
    retained = retain_basis(observe_family(load_calibration("boundary_gate"), SMALL))
    for coordinate in retained.basis.coordinates:
        candidate = retained.observed.candidates[coordinate.candidate]
        if isinstance(candidate, FrameCandidate):
            assert not any(violated_by_perfection(candidate.obligation, candidate.formula, n) for n in (1, 5, 9))
