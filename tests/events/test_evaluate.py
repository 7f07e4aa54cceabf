"""Event clauses on families: obligations, counts, the empty rule, ignore regions, joining and violations."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tracepact.diagnostics.findings import Span
from tracepact.evaluate.event_clauses import EventViolation, FailedComparison, Match, evaluate_events
from tracepact.evaluate.masks import match_runs
from tracepact.evaluate.predicates import UNBOUNDED
from tracepact.language.contract import EventClause, Matcher
from tracepact.language.formula import And, Atom, Constant, FrameRun, Implies, Not
from tracepact.language.predicate import Each, Flag, Owner, TermType

from .builders import (
    GREEDY,
    MATCHED,
    OPTIMAL,
    STEP,
    attribute,
    clause,
    compare,
    contract,
    covering_at_most,
    duration_guard,
    family,
    fragmentation_guard,
    matchers,
    run_lists,
)

Runs = tuple[FrameRun, ...]


def always(each: Each) -> EventClause:
    return clause("always", each, Constant(True))


def frames(*some: FrameRun) -> set[int]:
    return {frame for run in some for frame in range(*run)}


@given(
    st.lists(st.tuples(run_lists(), run_lists(), run_lists(most=2, longest=30)), min_size=1, max_size=4),
    matchers(),
)
def test_counts_are_those_of_a_plain_count_over_each_segment(
    segments: list[tuple[Runs, Runs, Runs]], matcher: Matcher
) -> None:
    found = evaluate_events(
        contract(duration_guard(), fragmentation_guard(), always(Each.PRED), matcher=matcher),
        family(
            *((list(ref), list(pred)) for ref, pred, _ in segments),
            ignored={s: gone for s, (_, _, gone) in enumerate(segments) if gone},
        ),
    )
    duration, fragmentation, each_pred = found.clauses
    for segment, (ref, pred, gone) in enumerate(segments):
        pairs = dict(match_runs(ref, pred, matcher, STEP))
        kept = [i for i, run in enumerate(ref) if frames(run) - frames(*gone)]
        close = [
            abs(len(frames(pred[pairs[i]])) - len(frames(ref[i]))) * 4 <= len(frames(ref[i]))
            for i in kept
            if i in pairs
        ]
        whole = [i in pairs and sum(bool(frames(ref[i]) & frames(p)) for p in pred) <= 1 for i in kept]
        kept_preds = [run for run in pred if frames(run) - frames(*gone)]
        assert (duration.satisfied[segment], duration.obligated[segment]) == (sum(close), len(close))
        assert (fragmentation.satisfied[segment], fragmentation.obligated[segment]) == (
            sum(whole),
            len(whole),
        )
        assert each_pred.obligated[segment] == len(kept_preds)
        assert found.counter_evidence[segment] == bool(kept or kept_preds)
    for evaluated in found.clauses:
        assert len(evaluated.violations) == evaluated.obligated.sum() - evaluated.satisfied.sum()


def test_each_kind_ranges_over_its_own_runs() -> None:
    data = family(([(10, 30), (50, 60), (80, 90)], [(10, 30), (100, 120)]))
    found = evaluate_events(contract(always(Each.REF), always(Each.PRED), always(Each.MATCHED)), data)
    assert [int(c.obligated.sum()) for c in found.clauses] == [3, 2, 1]
    assert found.matches == (Match(0, (10, 30), (10, 30)),)


def test_counts_are_arrays_over_all_segments() -> None:
    data = family(([], []), ([(0, 5)], []), ([], [(0, 5)]), ([], []), classes=2)
    found = evaluate_events(contract(fragmentation_guard()), data)
    assert found.clauses[0].obligated.dtype == np.int64
    assert found.clauses[0].obligated.tolist() == [0, 1, 0, 0]
    assert found.clauses[0].satisfied.tolist() == [0, 0, 0, 0]
    assert found.counter_evidence.tolist() == [False, True, True, False]


def test_without_obligations_a_clause_is_worth_1_only_when_no_side_has_a_run() -> None:
    def value(ref: list[FrameRun], pred: list[FrameRun], ignored: dict[int, Runs] | None = None) -> Fraction:
        found = evaluate_events(contract(duration_guard()), family((ref, pred), ignored=ignored))
        assert found.clauses[0].obligated.sum() == 0
        return found.pooled(found.clauses[0])

    assert value([], []) == 1
    assert value([(0, 5)], []) == 0
    assert value([], [(0, 5)]) == 0
    assert value([], [(0, 5)], {0: ((0, 5),)}) == 1
    assert value([], [(0, 5)], {0: ((0, 4),)}) == 0


def test_an_ignored_interval_carries_no_obligation_but_may_match_and_cover() -> None:
    matched_pred = clause("matched_pred", Each.PRED, Atom("a"), a=MATCHED)
    uncovered = clause("uncovered", Each.PRED, Atom("a"), a=covering_at_most(Owner.PRED, 0))
    data = family(([(10, 30)], [(12, 31)]), ignored={0: ((5, 30),)})
    found = evaluate_events(contract(matched_pred, uncovered, fragmentation_guard(), duration_guard()), data)
    counts = [(int(c.satisfied.sum()), int(c.obligated.sum())) for c in found.clauses]
    assert found.matches == (Match(0, (10, 30), (12, 31)),)
    assert counts == [(1, 1), (0, 1), (0, 0), (0, 0)]


def test_a_pair_stays_obligated_when_only_its_prediction_is_ignored() -> None:
    data = family(([(10, 30)], [(12, 29)]), ignored={0: ((12, 29),)})
    found = evaluate_events(contract(always(Each.MATCHED), always(Each.PRED)), data)
    assert [int(c.obligated.sum()) for c in found.clauses] == [1, 0]


def test_runs_are_joined_at_exactly_the_merge_gap_before_matching() -> None:
    data = family(([(10, 60)], [(10, 30), (35, 60)]))
    for gap, satisfied in ((5 * STEP, 1), (5 * STEP - Fraction(1, 10**9), 0)):
        found = evaluate_events(contract(fragmentation_guard(), merge_gap=gap), data)
        assert found.clauses[0].satisfied.sum() == satisfied
    joined = evaluate_events(contract(merge_gap=5 * STEP), data)
    assert joined.matches == (Match(0, (10, 60), (10, 60)),)


def test_a_matcher_given_in_the_call_replaces_the_declared_one() -> None:
    bridge = family(([(10, 20), (25, 75)], [(15, 65), (70, 80)]))
    assert len(evaluate_events(contract(matcher=GREEDY), bridge).matches) == 1
    assert len(evaluate_events(contract(matcher=GREEDY), bridge, OPTIMAL).matches) == 2


def test_dominant_looks_at_the_joined_references_of_the_other_classes_in_the_same_clip() -> None:
    dominant = clause("dominant", Each.PRED, Atom("a"), a=Flag(attribute(Owner.PRED, "dominant")))
    data = family(
        ([(0, 6)], [(0, 10)]),  # class 0, clip 0: shares 6 frames with its own class
        ([(0, 6)], [(0, 10)]),  # class 0, clip 1
        ([(0, 2), (3, 8)], []),  # class 1, clip 0: 7 frames, 8 when joined
        ([(0, 3), (6, 8)], []),  # class 1, clip 1: 5 frames, 8 when joined over 3 silent ones
        classes=2,
    )
    assert evaluate_events(contract(dominant), data).clauses[0].satisfied.tolist() == [0, 1, 0, 0]
    found = evaluate_events(contract(dominant, merge_gap=3 * STEP), data)
    assert found.clauses[0].satisfied.tolist() == [0, 0, 0, 0]


def test_a_violation_names_the_failing_comparison_with_both_sides_in_seconds() -> None:
    # Reference [1.0, 2.0), prediction [1.06, 2.4) on 20 ms: durations 1 s and 1.34 s, 90 ms beyond a quarter.
    data = family(([(50, 100)], [(53, 120)]))
    guarded = clause("c", Each.MATCHED, And(Constant(True), Atom("a")), a=duration_guard().event_atoms[0][1])
    (violation,) = evaluate_events(contract(guarded), data).clauses[0].violations
    sides = FailedComparison(Fraction(34, 100), Fraction(1, 4), Fraction(9, 100), TermType.TIME)
    assert violation == EventViolation(0, (50, 100), (53, 120), Span(2, 3), sides)


def test_a_violation_counts_the_extra_pieces() -> None:
    data = family(([(0, 100)], [(0, 30), (40, 60), (70, 100)]))
    (violation,) = evaluate_events(contract(fragmentation_guard()), data).clauses[0].violations
    assert violation.span == Span(2, 3)
    assert violation.comparison == FailedComparison(3, 1, 2, TermType.COUNT)


def test_a_violation_without_a_partner_has_no_comparison() -> None:
    late = clause("late", Each.REF, Atom("a"), a=compare(attribute(Owner.PRED, "onset"), "<=", 0))
    data = family(([], [(0, 9)]), ([(3, 9)], []))
    (violation,) = evaluate_events(contract(late), data).clauses[0].violations
    assert violation == EventViolation(1, (3, 9), None, Span(0, 1), None)


def test_a_violation_of_each_pred_has_the_reference_as_partner() -> None:
    never = clause("never", Each.PRED, Constant(False))
    data = family(([(3, 9)], [(4, 9), (20, 30)]))
    first, second = evaluate_events(contract(never), data).clauses[0].violations
    assert (first.interval, first.partner) == ((4, 9), (3, 9))
    assert (second.interval, second.partner) == ((20, 30), None)


def test_an_unbounded_gap_fails_an_upper_bound_by_an_unbounded_amount() -> None:
    gap = compare(attribute(Owner.REF, "shortest_gap"), "<=", "0.1")
    data = family(([(3, 9)], []))
    (violation,) = evaluate_events(contract(clause("gap", Each.REF, Atom("a"), a=gap)), data).clauses[0].violations
    assert violation.comparison == FailedComparison(UNBOUNDED, Fraction(1, 10), UNBOUNDED, TermType.TIME)


def test_a_guard_on_matched_spares_the_unmatched() -> None:
    late = compare(attribute(Owner.PRED, "onset"), "<=", 0)
    guarded = clause("guarded", Each.REF, Implies(Atom("m"), Atom("a")), m=MATCHED, a=late)
    bare = clause("bare", Each.REF, Not(Not(Atom("a"))), a=late)
    found = evaluate_events(contract(guarded, bare), family(([(3, 9), (40, 60)], [(0, 9)])))
    assert [c.satisfied.tolist() for c in found.clauses] == [[2], [1]]
