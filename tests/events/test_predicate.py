"""Predicates: terms in exact numbers, missing partners, the failing part and how far it fails."""

import operator
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracepact.evaluate.predicates import (
    UNBOUNDED,
    ClipScene,
    Obligation,
    PreparedComparison,
    failing_part,
    prepare,
    shortfall,
    truth,
)
from tracepact.language.formula import And, Atom, Constant, Formula, Iff, Implies, Not, Or
from tracepact.language.predicate import (
    Absolute,
    ConstantTerm,
    Each,
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

from .builders import DURATION, MATCHED, STEP, attribute, clause, compare, covering_at_most, predicates

REF, PRED = (10, 30), (12, 40)
SCENE = ClipScene((REF,), (PRED, (50, 60)))
PAIR = Obligation(REF, PRED, SCENE)
LONE_REF = Obligation(REF, None, SCENE)
LONE_PRED = Obligation(None, PRED, SCENE)

SECONDS = {
    (Owner.REF, "onset"): 10 * STEP,
    (Owner.REF, "offset"): 30 * STEP,
    (Owner.REF, "duration"): 20 * STEP,
    (Owner.PRED, "onset"): 12 * STEP,
    (Owner.PRED, "offset"): 40 * STEP,
    (Owner.PRED, "duration"): 28 * STEP,
    (Owner.PAIR, "overlap"): 18 * STEP,
    (Owner.REF, "longest_gap"): Fraction(0),
}
PLAIN = {
    (Owner.PAIR, "iou"): (Fraction(18, 30), TermType.RATIO),
    (Owner.REF, "covering"): (Fraction(1), TermType.COUNT),
    (Owner.PRED, "covering"): (Fraction(1), TermType.COUNT),
    (Owner.REF, "coverage"): (Fraction(18, 20), TermType.RATIO),
    (Owner.PRED, "coverage"): (Fraction(18, 28), TermType.RATIO),
    (Owner.PRED, "purity"): (Fraction(18, 28), TermType.RATIO),
}

rationals = st.fractions(-3, 3, max_denominator=60)
terms = st.recursive(
    rationals.map(lambda value: ConstantTerm(value, TermType.TIME))
    | st.sampled_from(sorted(SECONDS, key=str)).map(lambda key: attribute(*key)),
    lambda parts: st.one_of(
        st.builds(TermSum, parts, parts),
        st.builds(TermDifference, parts, parts),
        st.builds(Scaled, rationals, parts),
        st.builds(Absolute, parts),
        st.builds(Minimum, st.lists(parts, min_size=1, max_size=3).map(tuple)),
        st.builds(Maximum, st.lists(parts, min_size=1, max_size=3).map(tuple)),
    ),
    max_leaves=6,
)


def seconds(term: Any) -> Fraction:
    """The value of a term in seconds, straight from rule 4.2."""
    match term:
        case ConstantTerm(value, _):
            return Fraction(value)
        case TermSum(a, b):
            return seconds(a) + seconds(b)
        case TermDifference(a, b):
            return seconds(a) - seconds(b)
        case Scaled(factor, body):
            return Fraction(factor) * seconds(body)
        case Absolute(body):
            return abs(seconds(body))
        case Minimum(arguments):
            return min(map(seconds, arguments))
        case Maximum(arguments):
            return max(map(seconds, arguments))
    return SECONDS[term.owner, term.name]


RELATIONS = {"<=": operator.le, "<": operator.lt, ">=": operator.ge, ">": operator.gt, "==": operator.eq}


@given(terms, terms, st.sampled_from(list(Relation)))
def test_a_comparison_of_times_has_the_value_it_has_in_seconds(a: Term, b: Term, relation: Relation) -> None:
    prepared = prepare(TermComparison(relation, a, b, TermType.TIME), STEP)
    assert isinstance(prepared, PreparedComparison)
    left, right = seconds(a), seconds(b)
    assert prepared.sides(PAIR) == (left, right)
    expected = left != right if relation is Relation.NE else RELATIONS[relation.value](left, right)
    assert prepared.truth(PAIR) is expected


@given(st.sampled_from(sorted(SECONDS, key=str)), st.sampled_from([-1, 0, 1]))
def test_every_time_attribute_ties_exactly(key: tuple[Owner, str], nudge: int) -> None:
    bound = SECONDS[key] + nudge * Fraction(1, 10**12)
    assert prepare(compare(attribute(*key), "<=", bound), STEP).truth(PAIR) is (nudge >= 0)


@pytest.mark.parametrize("key", PLAIN, ids=str)
def test_ratios_and_counts_are_plain_numbers(key: tuple[Owner, str]) -> None:
    value, quantity = PLAIN[key]
    assert prepare(compare(attribute(*key), "==", value, quantity), STEP).truth(PAIR)
    assert not prepare(compare(attribute(*key), "==", value + Fraction(1, 10**9), quantity), STEP).truth(PAIR)


@pytest.mark.parametrize(("frames", "satisfied"), [(75, True), (125, True), (74, False), (126, False)])
def test_a_duration_margin_of_exactly_a_quarter_is_allowed(frames: int, satisfied: bool) -> None:
    obligation = Obligation((0, 100), (0, frames), SCENE)
    assert prepare(DURATION, STEP).truth(obligation) is satisfied


@pytest.mark.parametrize("relation", list(Relation))
def test_a_comparison_that_mentions_a_missing_partner_is_false_whatever_the_relation(
    relation: Relation,
) -> None:
    about_pred = TermComparison(
        relation, attribute(Owner.PRED, "onset"), ConstantTerm(Fraction(0), TermType.TIME), TermType.TIME
    )
    about_ref = TermComparison(
        relation, attribute(Owner.REF, "onset"), ConstantTerm(Fraction(0), TermType.TIME), TermType.TIME
    )
    about_pair = TermComparison(
        relation, attribute(Owner.PAIR, "iou"), ConstantTerm(Fraction(0), TermType.RATIO), TermType.RATIO
    )
    assert not prepare(about_pred, STEP).truth(LONE_REF)
    assert not prepare(about_ref, STEP).truth(LONE_PRED)
    assert not prepare(about_pair, STEP).truth(LONE_REF)
    assert not prepare(about_pair, STEP).truth(LONE_PRED)


def test_not_of_a_comparison_differs_from_the_opposite_comparison_without_a_partner() -> None:
    late = prepare(compare(attribute(Owner.PRED, "onset"), "<=", 0), STEP)
    opposite = prepare(compare(attribute(Owner.PRED, "onset"), ">", 0), STEP)
    negated = truth(Not(Atom("a")), {"a": late})
    assert negated(LONE_REF)
    assert not opposite.truth(LONE_REF)
    assert negated(PAIR) is opposite.truth(PAIR) is True


def test_a_comparison_about_the_interval_itself_needs_no_partner() -> None:
    assert prepare(compare(attribute(Owner.REF, "duration"), "==", 20 * STEP), STEP).truth(LONE_REF)
    assert prepare(covering_at_most(Owner.REF, 1), STEP).truth(LONE_REF)
    assert prepare(compare(attribute(Owner.PRED, "purity"), ">", 0, TermType.RATIO), STEP).truth(LONE_PRED)


def test_flags_are_false_without_their_owner() -> None:
    dominant = prepare(Flag(attribute(Owner.PRED, "dominant")), STEP)
    matched = prepare(MATCHED, STEP)
    assert [dominant.truth(o) for o in (PAIR, LONE_REF, LONE_PRED)] == [True, False, True]
    assert [matched.truth(o) for o in (PAIR, LONE_REF, LONE_PRED)] == [True, False, False]


def test_an_unbounded_shortest_gap_exceeds_every_bound() -> None:
    gap = attribute(Owner.REF, "shortest_gap")
    assert prepare(compare(gap, ">=", 10**9), STEP).truth(PAIR)
    assert not prepare(compare(gap, "<=", 10**9), STEP).truth(PAIR)
    assert prepare(compare("1/3", "<", gap), STEP).truth(PAIR)
    split = Obligation((0, 100), (0, 10), ClipScene(((0, 100),), ((0, 10), (13, 50))))
    assert prepare(compare(gap, "==", 3 * STEP), STEP).truth(split)
    assert prepare(compare(gap, "<", "0.061"), STEP).truth(split)
    assert prepare(compare(gap, ">", "0.059"), STEP).truth(split)
    assert not prepare(compare(gap, "<", "0.06"), STEP).truth(split)


def test_a_shortest_gap_inside_a_term_is_refused() -> None:
    with pytest.raises(ValueError, match="shortest_gap"):
        prepare(compare(Scaled(Fraction(2), attribute(Owner.REF, "shortest_gap")), ">", 0), STEP)


ATOMS = {
    "t": compare(attribute(Owner.REF, "duration"), ">", 0),
    "f": compare(attribute(Owner.REF, "duration"), "<", 0),
}


def classical(formula: Formula) -> bool:
    match formula:
        case Atom(name):
            return name == "t"
        case Constant(value):
            return value
        case Not(body):
            return not classical(body)
        case And(a, b):
            return min(classical(a), classical(b))
        case Or(a, b):
            return max(classical(a), classical(b))
        case Implies(a, b):
            return classical(a) <= classical(b)
        case Iff(a, b):
            return classical(a) is classical(b)
    raise AssertionError


@given(predicates(["t", "f"]))
def test_connectives_have_their_truth_tables_and_the_failing_part_is_false(formula: Formula) -> None:
    prepared = {name: prepare(atom, STEP) for name, atom in ATOMS.items()}
    assert truth(formula, prepared)(PAIR) is classical(formula)
    if not classical(formula):
        part = failing_part(clause("c", Each.REF, formula, **ATOMS).body, prepared, PAIR).formula
        assert not classical(part)
        assert not isinstance(part, And | Implies)


@pytest.mark.parametrize(
    ("formula", "number"),
    [
        (And(Atom("t"), And(Atom("t"), Atom("f"))), 4),
        (And(And(Atom("f"), Atom("t")), Atom("f")), 2),
        (Implies(Atom("t"), Atom("f")), 2),
        (And(Atom("t"), Implies(Atom("t"), And(Atom("f"), Atom("f")))), 5),
        (Or(Atom("f"), Atom("f")), 0),
        (And(Atom("t"), Not(Atom("t"))), 2),
        (Iff(Atom("t"), Atom("f")), 0),
    ],
)
def test_the_failing_part_is_the_first_false_conjunct_or_the_consequent_or_the_whole(
    formula: Formula, number: int
) -> None:
    prepared = {name: prepare(atom, STEP) for name, atom in ATOMS.items()}
    part = failing_part(clause("c", Each.REF, formula, **ATOMS).body, prepared, PAIR)
    assert part.span.start == number


def test_shortfall_is_the_distance_to_holding() -> None:
    assert shortfall(Relation.LE, 3, 1) == 2
    assert shortfall(Relation.LT, 1, 1) == 0
    assert shortfall(Relation.GE, Fraction(1, 2), 2) == Fraction(3, 2)
    assert shortfall(Relation.EQ, 1, 4) == 3
    assert shortfall(Relation.NE, 4, 4) == 0
    assert shortfall(Relation.LE, UNBOUNDED, 4) == UNBOUNDED
    assert shortfall(Relation.GT, UNBOUNDED, UNBOUNDED) == 0
