"""Judging all obligations at once gives what asking about each of them gives, whatever the predicate."""

from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracepact.evaluate.event_clauses import evaluate_events, matched_scenes
from tracepact.evaluate.masks import obligations
from tracepact.evaluate.predicates import prepare, truth
from tracepact.language.contract import EventClause, Matcher
from tracepact.language.formula import Constant, FrameRun
from tracepact.language.predicate import (
    Absolute,
    ConstantTerm,
    Each,
    EventAtom,
    Flag,
    Maximum,
    Minimum,
    Owner,
    Relation,
    Scaled,
    Term,
    TermComparison,
    TermDifference,
    TermSum,
    TermType,
)

from .builders import STEP, attribute, clause, contract, family, matchers, predicates, run_lists

Runs = tuple[FrameRun, ...]

OWNERS = {Owner.REF: TermType.TIME, Owner.PRED: TermType.TIME}
TIMES = [
    *(attribute(owner, name) for owner in OWNERS for name in ("onset", "offset", "duration")),
    attribute(Owner.PAIR, "overlap"),
    attribute(Owner.REF, "longest_gap"),
]
FACTORS = [Fraction(1, 4), Fraction(3), Fraction(-1), Fraction(-2, 3), Fraction(10**30), Fraction(1, 10**30)]


def numbers(quantity: TermType) -> st.SearchStrategy[ConstantTerm]:
    values = st.fractions(-2, 2, max_denominator=60) | st.integers(-12, 12).map(lambda frames: frames * STEP)
    return values.map(lambda value: ConstantTerm(value, quantity))


def terms() -> st.SearchStrategy[Term]:
    """Times built of every kind of node."""
    return st.recursive(
        st.sampled_from(TIMES) | numbers(TermType.TIME),
        lambda parts: st.one_of(
            st.builds(TermSum, parts, parts),
            st.builds(TermDifference, parts, parts),
            st.builds(Scaled, st.sampled_from(FACTORS), parts),
            parts.map(Absolute),
            st.tuples(parts, parts).map(Minimum),
            st.tuples(parts, parts).map(Maximum),
        ),
        max_leaves=4,
    )


def event_atoms() -> st.SearchStrategy[EventAtom]:
    relations = st.sampled_from(Relation)
    counts = st.sampled_from([attribute(owner, "covering") for owner in OWNERS])
    shares = st.sampled_from([attribute(Owner.PAIR, "iou"), attribute(Owner.REF, "coverage")])
    return st.one_of(
        st.builds(lambda r, a, b: TermComparison(r, a, b, TermType.TIME), relations, terms(), terms()),
        st.builds(
            lambda r, a, n: TermComparison(r, a, ConstantTerm(Fraction(n), TermType.COUNT), TermType.COUNT),
            relations,
            counts,
            st.integers(0, 3),
        ),
        st.builds(lambda r, a, n: TermComparison(r, a, n, TermType.RATIO), relations, shares, numbers(TermType.RATIO)),
        st.just(Flag(attribute(Owner.PAIR, "matched"))),
    )


@st.composite
def clauses(draw: st.DrawFn) -> EventClause:
    atoms = {name: draw(event_atoms()) for name in ("a", "b")}
    return clause("any", draw(st.sampled_from(Each)), draw(predicates(list(atoms))), **atoms)


@pytest.mark.slow
@given(
    clauses(),
    st.lists(st.tuples(run_lists(), run_lists(), run_lists(most=2, longest=30)), min_size=1, max_size=4),
    matchers(),
    st.sampled_from([Fraction(0), STEP, 2 * STEP]),
)
def test_all_at_once_is_one_by_one(
    asked: EventClause, segments: Sequence[tuple[Runs, Runs, Runs]], matcher: Matcher, merge_gap: Fraction
) -> None:
    made = contract(asked, matcher=matcher, merge_gap=merge_gap)
    given_family = family(
        *((list(ref), list(pred)) for ref, pred, _ in segments),
        ignored={s: gone for s, (_, _, gone) in enumerate(segments) if gone},
    )
    (found,) = evaluate_events(made, given_family).clauses
    holds = truth(asked.formula, {name: prepare(atom, STEP) for name, atom in asked.event_atoms})
    obliged = [
        (found.segment, obligation)
        for found in matched_scenes(made, given_family)
        for obligation in obligations(asked.each, found.scene, found.pairs, found.ignored)
    ]
    assert [entry for entry in obliged if not holds(entry[1])] == list(found.violated)
    for segment in range(len(segments)):
        assert found.obligated[segment] == sum(s == segment for s, _ in obliged)
        assert found.satisfied[segment] == sum(s == segment and holds(o) for s, o in obliged)


@given(st.lists(st.tuples(run_lists(), run_lists()), min_size=1, max_size=5), matchers())
def test_pairs_of_all_segments_are_the_pairs_of_each(segments: Sequence[tuple[Runs, Runs]], matcher: Matcher) -> None:
    made = contract(clause("any", Each.MATCHED, Constant(True)), matcher=matcher)
    given_family = family(*((list(ref), list(pred)) for ref, pred in segments))
    expected = [
        (found.segment, found.scene.refs[i], found.scene.preds[j])
        for found in matched_scenes(made, given_family)
        for i, j in found.pairs
    ]
    assert list(evaluate_events(made, given_family).matches) == expected
