"""Event predicates: the solver against every small scene, and models that scoring confirms and none is smaller."""

from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import family_of, sized

from tracepact.evaluate.event_clauses import evaluate_events
from tracepact.evaluate.masks import matching, obligations
from tracepact.evaluate.predicates import ClipScene, Obligation, prepare, truth
from tracepact.language.compilation import parse_contract
from tracepact.language.contract import Contract, EventClause
from tracepact.language.formula import Formula, FrameRun, Not, join_runs, runs_of_frames
from tracepact.language.predicate import Each
from tracepact.logic.arithmetic import EventQuestion
from tracepact.logic.event_questions import EventAnswer, solve_predicate
from tracepact.logic.models import Verdict

FRAMES = 5
STEP = Fraction(1, 50)
MATCHERS = (
    "matcher greedy(search = 200ms)\n",
    "matcher greedy(search = 20ms, overlap_reward = 0)\n",
    "matcher optimal(search = 20ms)\n",
    "matcher optimal(search = 0ms, overlap_reward = 3)\nmerge_gap 20ms\n",
)


def contract_of(each: str, predicate: str, more: str = "") -> Contract:
    return parse_contract(f"contract c\nstep 20ms\n{more}clause c on each {each} : {predicate}\n")


def ask(contract: Contract, formula: Formula | None = None, *, minimise: bool = True) -> EventAnswer:
    """The answer about the contract's one clause, or about another predicate of its atoms."""
    (clause,) = contract.event_clauses
    asked = clause.formula if formula is None else formula
    return solve_predicate(EventQuestion(asked, clause.each, dict(clause.event_atoms), contract), minimise=minimise)


def holds_of(clause: EventClause, formula: Formula):  # type: ignore[no-untyped-def]  # what `truth` gives
    return truth(formula, {name: prepare(atom, STEP) for name, atom in clause.event_atoms})


def small_obligations(more: str) -> dict[Each, list[Obligation]]:
    """Every obligation of every pair of small traces, as the matcher makes them."""
    contract = contract_of("ref", "matched", more)
    match_runs = matching(contract.matcher, contract.step)
    found: dict[Each, list[Obligation]] = {each: [] for each in Each}
    masks = [runs_of_frames(mask) for mask in product((False, True), repeat=FRAMES)]
    for refs, preds in product(masks, repeat=2):
        scene = ClipScene(*(join_runs(runs, contract.merge_gap, STEP) for runs in (refs, preds)))
        pairs = match_runs(scene.refs, scene.preds) if scene.refs and scene.preds else ()
        for each in Each:
            found[each] += obligations(each, scene, pairs)
    return found


SMALL = {more: small_obligations(more) for more in MATCHERS}


def size(scene: ClipScene) -> tuple[object, ...]:
    """What makes a scene smaller than another: fewer runs, a shorter clip, fewer active frames, earlier ends."""
    runs: list[FrameRun] = [*scene.refs, *scene.preds]
    frames, active = max(end for _, end in runs), sum(end - start for start, end in runs)
    return len(runs), len(scene.refs), frames, active, tuple(end for run in runs for end in run)


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


@pytest.mark.slow
@pytest.mark.parametrize("each", Each)
@given(data=st.data(), more=st.sampled_from(MATCHERS))
@settings(max_examples=sized(25))
def test_an_answer_is_that_of_all_small_scenes_and_its_scene_is_the_smallest(
    each: Each, data: st.DataObject, more: str
) -> None:
    contract = contract_of(each.value, data.draw(predicates(each)), more)
    (clause,) = contract.event_clauses
    answer = ask(contract)
    holds = holds_of(clause, clause.formula)
    shown = [size(o.scene) for o in SMALL[more][each] if holds(o)]
    if answer.verdict is Verdict.SAT:
        assert answer.example is not None
        assert is_scored(contract, answer.example.obligation, violated=False)
        found = answer.example.obligation.scene
        if answer.example.minimal and shown:
            assert size(found) <= min(shown)
        if answer.example.minimal and not found.refs_of_other_classes and answer.example.frames <= FRAMES:
            assert size(found) == min(shown)
    if answer.verdict is Verdict.UNSAT:
        assert not shown


def is_scored(contract: Contract, obligation: Obligation, *, violated: bool) -> bool:
    """Whether scoring a clip with the runs of the scene finds this obligation, with this verdict."""
    scene, (clause,) = obligation.scene, contract.event_clauses
    frames = max(end for _, end in (*scene.refs, *scene.preds, *(r for o in scene.refs_of_other_classes for r in o)))

    def mask(runs: tuple[FrameRun, ...]) -> list[bool]:
        return [any(start <= i < end for start, end in runs) for i in range(frames)]

    others = scene.refs_of_other_classes
    clips = [(mask(scene.refs), mask(scene.preds)), *((mask(runs), [False] * frames) for runs in others)]
    evaluation = evaluate_events(contract, family_of(clips, classes=len(clips)))
    (found,) = evaluation.clauses
    wrong = any((o.ref, o.pred) == (obligation.ref, obligation.pred) for s, o in found.violated if s == 0)
    pairs = {(match.ref, match.pred) for match in evaluation.matches if match.segment == 0}
    own = obligation.pred if clause.each is Each.PRED else obligation.ref
    partners = [pair for pair in pairs if own in pair]
    matched = (obligation.ref, obligation.pred) in pairs if obligation.ref and obligation.pred else not partners
    return matched and wrong is violated


def test_both_verdicts_occur_and_few_questions_stay_open() -> None:
    verdicts = []
    for each in Each:
        for pair in combinations(PARTS[each], 2):
            contract = contract_of(each.value, " and ".join(pair))
            (clause,) = contract.event_clauses
            for formula in (clause.formula, Not(clause.formula)):
                verdicts.append(ask(contract, formula, minimise=False).verdict)
    share = {v.value: verdicts.count(v) for v in Verdict}
    print(share)
    assert share["unsat"] > 10
    assert share["sat"] > 100
    assert share["unknown"] <= len(verdicts) // 50


def test_what_is_shown_does_not_depend_on_what_was_asked_before() -> None:
    asked = contract_of("matched", "ref.covering >= 2 and iou < 0.4")
    first = ask(asked).example
    for each, predicate in (("ref", "covering >= 3"), ("pred", "not dominant and purity == 1"), ("ref", "iou < 0.1")):
        ask(contract_of(each, predicate))
    assert ask(asked).example == first


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
    assert ask(contract_of(each, predicate)).verdict is verdict


@pytest.mark.parametrize("kind", ["greedy", "optimal"])
def test_a_partner_that_no_matching_gives_shows_nothing(kind: str) -> None:
    """Of three predictions inside a reference of 200 ms the second is a candidate and free, so there is a partner."""
    more = f"matcher {kind}(search = 200ms)\n"
    assert ask(contract_of("ref", "covering >= 3 and not matched and ref.duration <= 200ms", more)).verdict is (
        Verdict.UNSAT
    )
    far = ask(contract_of("ref", "covering >= 3 and not matched", more)).example
    assert far is not None
    # Three predictions of a frame, all more than 10 frames from both ends.
    assert far.obligation == Obligation((0, 27), None, ClipScene(((0, 27),), ((11, 12), (13, 14), (15, 16))))


@pytest.mark.parametrize(("each", "own"), [("ref", "ref"), ("pred", "pred")])
@pytest.mark.parametrize("kind", ["greedy", "optimal"])
def test_how_long_an_interval_without_a_partner_is_at_least(each: str, own: str, kind: str) -> None:
    """The middle one of three runs is 11 frames from both ends: 11 + 1 + 11 frames of 20 ms are 460 ms."""
    for duration, verdict in (("460ms", Verdict.SAT), ("440ms", Verdict.UNSAT)):
        predicate = f"covering == 3 and not matched and {own}.duration == {duration}"
        assert ask(contract_of(each, predicate, f"matcher {kind}(search = 200ms)\n")).verdict is verdict


def test_the_rival_of_a_partner_costs_more_in_the_scene_that_is_shown() -> None:
    """A partner of 1 frame costs 9 - 0.5. The rival starts 2 late, ends 11 late and shares 8: 2 + 11 - 4."""
    twice = "matched and covering == 2 and ref.duration == 200ms and coverage == 0.9 and overlap == 20ms"
    for kind in ("greedy", "optimal"):
        found = ask(contract_of("ref", twice, f"matcher {kind}(search = 400ms)\n")).example
        assert found is not None
        assert found.obligation == Obligation((0, 10), (0, 1), ClipScene(((0, 10),), ((0, 1), (2, 21))))


def test_joined_gaps_are_longer_than_the_merge_gap() -> None:
    for gap, verdict in (("40ms", Verdict.UNSAT), ("60ms", Verdict.SAT)):
        contract = contract_of("ref", f"longest_gap > 0s and longest_gap <= {gap}", "merge_gap 40ms\n")
        assert ask(contract).verdict is verdict
