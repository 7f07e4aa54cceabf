"""Event predicates: the solver against every small scene, and models that are built and replayed."""

from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracepact.core import Contract, Each, Not
from tracepact.events.attributes import Obligation, Scene
from tracepact.events.matching import matching
from tracepact.events.predicate import prepare, truth
from tracepact.lang import parse_contract
from tracepact.logic import Verdict
from tracepact.logic.intervals import solve_predicate
from tracepact.trace import Run

FRAMES = 5
STEP = Fraction(1, 50)


def contract_of(each: str, predicate: str, more: str = "") -> Contract:
    return parse_contract(f"contract c\nstep 20ms\n{more}clause c on each {each} : {predicate}\n")


def masks(frames: int) -> list[tuple[Run, ...]]:
    """Every family of runs in so many frames."""
    found = set()
    for mask in product((False, True), repeat=frames):
        runs, start = [], None
        for i, on in enumerate((*mask, False)):
            if on and start is None:
                start = i
            elif not on and start is not None:
                runs.append((start, i))
                start = None
        found.add(tuple(runs))
    return sorted(found)


def small_obligations(contract: Contract, each: Each) -> list[Obligation]:
    """Every obligation of every pair of small traces, as the matcher makes them."""
    match_runs = matching(contract.matcher, contract.step)
    found: list[Obligation] = []
    for refs, preds in product(masks(FRAMES), repeat=2):
        scene = Scene(refs, preds)
        pairs = match_runs(refs, preds) if refs and preds else ()
        by_ref, by_pred = dict(pairs), {j: i for i, j in pairs}
        match each:
            case Each.REF:
                found += [
                    Obligation(ref, preds[by_ref[i]] if i in by_ref else None, scene) for i, ref in enumerate(refs)
                ]
            case Each.PRED:
                found += [
                    Obligation(refs[by_pred[j]] if j in by_pred else None, pred, scene) for j, pred in enumerate(preds)
                ]
            case Each.MATCHED:
                found += [Obligation(refs[i], preds[j], scene) for i, j in pairs]
    return found


OBLIGATIONS = {each: small_obligations(contract_of("ref", "matched"), each) for each in Each}
COMMON = ["iou >= 0.5", "iou < 0.4", "overlap >= 40ms", "ref.onset - pred.onset > 20ms", "matched"]
PARTS = {
    Each.REF: [
        *COMMON,
        "covering <= 1",
        "covering >= 2",
        "coverage >= 0.75",
        "coverage == 0",
        "longest_gap >= 20ms",
        "shortest_gap > 40ms",
        "shortest_gap <= 20ms",
        "pred.duration <= ref.duration",
        "ref.duration < 60ms",
    ],
    Each.PRED: [*COMMON, "covering == 0", "purity > 0.5", "dominant", "ref.offset <= pred.offset", "coverage < 1"],
    Each.MATCHED: [
        *COMMON,
        "ref.covering >= 2",
        "pred.covering >= 2",
        "pred.purity >= 0.5",
        "ref.coverage < 1",
        "abs(pred.duration - ref.duration) <= 0.25 * ref.duration",
        "iou >= ref.coverage",
        "pred.dominant",
    ],
}


def predicates(each: Each) -> st.SearchStrategy[str]:
    part = st.sampled_from(PARTS[each])
    literal = st.one_of(part, part.map(lambda p: f"not ({p})"))
    return st.lists(literal, min_size=1, max_size=4).map(" and ".join)


@pytest.mark.parametrize("each", Each)
@given(data=st.data())
@settings(max_examples=40)
def test_what_a_small_scene_shows_is_never_called_impossible(each: Each, data: st.DataObject) -> None:
    contract = contract_of(each.value, data.draw(predicates(each)))
    (clause,) = contract.event_clauses
    answer = solve_predicate(clause.formula, each, dict(clause.event_atoms), contract)
    prepared = {name: prepare(atom, STEP) for name, atom in clause.event_atoms}
    holds = truth(clause.formula, prepared)
    shown = any(holds(obligation) for obligation in OBLIGATIONS[each])
    if shown:
        assert answer.verdict is not Verdict.UNSAT
    if answer.verdict is Verdict.SAT:
        assert answer.example is not None
        assert holds(answer.example.obligation)
    if answer.verdict is Verdict.UNSAT:
        assert not shown


def test_both_verdicts_occur_and_few_questions_stay_open() -> None:
    verdicts = []
    for each in Each:
        for pair in combinations(PARTS[each], 2):
            contract = contract_of(each.value, " and ".join(pair))
            (clause,) = contract.event_clauses
            for formula in (clause.formula, Not(clause.formula)):
                verdicts.append(solve_predicate(formula, each, dict(clause.event_atoms), contract).verdict)
    share = {v.value: verdicts.count(v) for v in Verdict}
    print(share)
    assert share["unsat"] > 10
    assert share["sat"] > 100
    assert share["unknown"] <= len(verdicts) // 20


@pytest.mark.parametrize(
    ("each", "predicate", "verdict"),
    [
        ("ref", "iou > 1", Verdict.UNSAT),
        ("ref", "not (iou <= 1)", Verdict.SAT),  # without a partner the comparison is false (4.12)
        ("matched", "not (iou <= 1)", Verdict.UNSAT),
        ("ref", "covering >= 3 and ref.duration <= 80ms", Verdict.UNSAT),  # 3 runs and 2 gaps need 5 frames
        ("ref", "covering >= 3 and ref.duration <= 100ms", Verdict.SAT),
        ("ref", "covering >= 2 and coverage >= 1", Verdict.UNSAT),
        ("ref", "shortest_gap <= 1s and covering <= 1", Verdict.UNSAT),
        ("ref", "shortest_gap > 100s", Verdict.SAT),  # no gap is longer than every time
        ("pred", "dominant and purity == 0", Verdict.UNSAT),
        ("pred", "not dominant and purity == 1", Verdict.SAT),
        ("matched", "overlap == 0s", Verdict.UNSAT),
        ("matched", "ref.duration == 50ms", Verdict.UNSAT),
        ("matched", "abs(pred.onset - ref.onset) > 200ms and abs(pred.offset - ref.offset) > 200ms", Verdict.UNSAT),
        ("matched", "abs(pred.onset - ref.onset) > 200ms and abs(pred.offset - ref.offset) <= 20ms", Verdict.SAT),
        ("ref", "covering >= 12 and coverage <= 0.5", Verdict.SAT),
        ("ref", "shortest_gap > 1s and covering <= 1", Verdict.SAT),
        ("ref", "1s < shortest_gap and covering <= 1", Verdict.SAT),
        # The one run that overlaps the reference is its partner, so it covers what both share.
        (
            "matched",
            "ref.covering == 1 and overlap <= 20ms and ref.coverage >= 1 and ref.duration > 20ms",
            Verdict.UNSAT,
        ),
        # The partner reaches the end, so both other runs lie before it.
        (
            "matched",
            "ref.covering == 3 and pred.onset > ref.onset and pred.offset >= ref.offset and ref.shortest_gap >= 40ms",
            Verdict.SAT,
        ),
        ("matched", "ref.covering == 3 and pred.onset <= ref.onset and pred.offset < ref.offset", Verdict.SAT),
    ],
)
def test_a_predicate_is_decided_as_its_rules_say(each: str, predicate: str, verdict: Verdict) -> None:
    contract = contract_of(each, predicate)
    (clause,) = contract.event_clauses
    assert solve_predicate(clause.formula, clause.each, dict(clause.event_atoms), contract).verdict is verdict


def test_joined_gaps_are_longer_than_the_merge_gap() -> None:
    for gap, verdict in (("40ms", Verdict.UNSAT), ("60ms", Verdict.SAT)):
        contract = contract_of("ref", f"longest_gap > 0s and longest_gap <= {gap}", "merge_gap 40ms\n")
        (clause,) = contract.event_clauses
        assert solve_predicate(clause.formula, clause.each, dict(clause.event_atoms), contract).verdict is verdict
