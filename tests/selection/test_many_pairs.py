"""More pairs than have rows: what is selected is the same, or the best found with a gap that holds."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from selection.builders import PROVED, case_of, scaled, seen_of
from selection.test_order import margin_of, weighings

from tracepact.selection import concessions, requirements
from tracepact.selection import requirements as separating
from tracepact.selection.basis import Coordinate
from tracepact.selection.calibration import CalibrationCase
from tracepact.selection.concessions import without_conflicts
from tracepact.selection.cover_problem import Clock
from tracepact.selection.games import differences_of, guessed_apart
from tracepact.selection.requirements import (
    ComparedCoordinates,
    Pair,
    SelectionRequirement,
    difference,
    least_cover,
    pair_places,
    rank_pairs,
    required_of,
)
from tracepact.selection.selection import order_clauses

Weighing = tuple[list[CalibrationCase], list[Coordinate], list[int]]


@pytest.fixture(scope="module", autouse=True)
def few_rows() -> object:
    """One pair has a row beside those that no coordinate meets, and pairs join one at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(requirements, "MOST_ENTRIES", 0)
        patch.setattr(requirements, "_HARDEST", 1)
        patch.setattr(requirements, "_COLUMNS", 2)
        patch.setattr(requirements, "_AT_A_TIME", 4)
        patch.setattr(separating, "_JOINING", 1)
        yield


def least_number(coordinates: list[Coordinate], pairs: list[Pair]) -> int:
    """How few pairs have to go so that weights order the others: every choice is tried."""
    return next(
        size
        for size in range(len(pairs) + 1)
        for out in combinations(pairs, size)
        if len(out) == len(pairs) or margin_of(coordinates, [p for p in pairs if p not in out]) > 0
    )


@given(weighings(), st.data())
def test_weighed_differences_are_those_of_the_table(problem: Weighing, data: st.DataObject) -> None:
    cases, coordinates, _ = problem
    found = differences_of(coordinates, rank_pairs(cases))
    weights = data.draw(st.lists(st.integers(0, 9), min_size=len(coordinates), max_size=len(coordinates)))
    expected = (found.of(slice(None)) @ np.array(weights)).tolist()
    listed = list(enumerate(weights))
    assert found.ordered_by(listed).tolist() == expected
    assert found.ordered_by([(c, w * 10**30) for c, w in listed]).tolist() == [d * 10**30 for d in expected]


@given(st.data())
def test_weighed_differences_are_those_of_the_table_where_values_are_fine_and_shares_are_parts(
    data: st.DataObject,
) -> None:
    """Denominators without a common one that a scale holds, and halves for want of obligations."""
    fine = st.sampled_from([Fraction(k, prime) for prime in (2**31 - 1, 2**31 - 19, 3) for k in (0, 1, 2, prime)])
    of_two = st.integers(0, 1)

    def coordinate(place: int) -> Coordinate:
        values, vacuous, counter = ([data.draw(some) for _ in range(3)] for some in (fine, of_two, of_two))
        seen = replace(seen_of(values), vacuous=np.array(vacuous), counter=np.array(counter), classes=np.full(3, 2))
        return Coordinate(place, 1, seen, (place,), PROVED)

    pairs = [Pair(i, j) for i in range(3) for j in range(3) if i != j]
    found = differences_of([coordinate(place) for place in range(3)], pairs)
    weights = data.draw(st.lists(st.integers(0, 9), min_size=3, max_size=3))
    assert found.ordered_by(list(enumerate(weights))).tolist() == (found.of(slice(None)) @ np.array(weights)).tolist()


@given(weighings())
def test_no_weights_give_up_fewer_pairs_than_conflicts_lie_apart(problem: Weighing) -> None:
    cases, coordinates, _ = problem
    pairs = rank_pairs(cases)
    for clock in (Clock(), Clock.of(Fraction(0))):
        found = without_conflicts(differences_of(coordinates, pairs), clock)
        assert found.bound <= least_number(coordinates, pairs) <= len(found.given_up)


@given(weighings())
def test_what_is_required_counts_every_pair_and_lists_those_that_no_coordinate_meets(problem: Weighing) -> None:
    cases, coordinates, _ = problem
    pairs = rank_pairs(cases)
    unmet = [pair for pair in pairs if all(difference(c, pair) <= 0 for c in coordinates)]
    found = required_of(cases, coordinates, (SelectionRequirement.ORDER,))
    assert (found.number, set(found.pairs)) == (len(pairs), set(pairs))
    assert {row.of for row in found.rows if not row.coordinates} == set(unmet)
    assert set(found.met_pairs) == set(pairs) - set(unmet)
    places = ComparedCoordinates.of(coordinates).unmet(*pair_places(pairs))
    assert [pairs[k] for k in sorted(places.tolist())] == unmet


@settings(max_examples=scaled(60), deadline=None)
@given(weighings(), st.sampled_from([None, Fraction(0)]))
def test_the_least_separating_set_is_found_by_few_rows(problem: Weighing, seconds: Fraction | None) -> None:
    cases, coordinates, _ = problem
    required = required_of(cases, coordinates, (SelectionRequirement.SEPARATE,))
    pairs = required.met_pairs

    def meets(chosen: tuple[int, ...]) -> bool:
        return all(any(difference(coordinates[k], pair) > 0 for k in chosen) for pair in pairs)

    every = [
        (size, sum(coordinates[k].cost for k in chosen), chosen)
        for size in range(len(coordinates) + 1)
        for chosen in combinations(range(len(coordinates)), size)
        if meets(chosen)
    ]
    _, cover = least_cover(coordinates, required, seconds=seconds, opinion=Fraction(0))
    assert meets(cover.columns)
    assert cover.count_bound <= min(every)[0]
    if seconds is None:
        assert (len(cover.columns), cover.cost, cover.columns) == min(every)


@settings(max_examples=scaled(60), deadline=None)
@given(weighings(), st.sampled_from([None, Fraction(0), Fraction(5)]))
def test_many_pairs_are_ordered_but_for_those_given_up_and_the_bounds_hold(
    problem: Weighing, seconds: Fraction | None
) -> None:
    cases, coordinates, _ = problem
    required = required_of(cases, coordinates, (SelectionRequirement.ORDER,))
    pairs = list(required.met_pairs)
    assume(pairs)
    rows = [row for row in required.rows if row.coordinates]
    found = order_clauses(coordinates, rows, pairs, seconds=seconds, many=True)
    assert found is not None
    ordering, cover = found
    terms = list(zip(cover.columns, ordering.weights, strict=True))
    kept = set(ordering.differences.pairs)
    assert kept | set(ordering.given_up) == set(pairs)
    assert kept.isdisjoint(ordering.given_up)
    for pair in kept:
        assert sum(difference(coordinates[k], pair) * w for k, w in terms) >= ordering.margin * sum(w for _, w in terms)
    assert ordering.margin > 0 or not kept
    assert ordering.bound <= least_number(coordinates, pairs) <= len(ordering.given_up)
    for one in ordering.conflicts:
        assert margin_of(coordinates, one.pairs) <= 0
        assert one.left_out in ordering.given_up
    if not ordering.given_up:
        sizes = (n for n in range(1, 7) for c in combinations(coordinates, n) if margin_of(c, pairs) > 0)
        assert cover.count_bound <= next(sizes) <= len(cover.columns)


@settings(max_examples=scaled(40), deadline=None)
@given(weighings())
def test_without_the_solver_of_floats_what_is_given_up_is_what_its_weights_do_not_order(problem: Weighing) -> None:
    cases, coordinates, _ = problem
    pairs = [p for p in rank_pairs(cases) if any(difference(c, p) > 0 for c in coordinates)]
    assume(pairs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(concessions, "guessed_apart", lambda *_: None)
        found = without_conflicts(differences_of(coordinates, pairs), Clock(), many=True)
    for pair in pairs:
        assert (sum(difference(coordinates[c], pair) * w for c, w in found.known) > 0) == (pair not in found.given_up)


def test_one_case_out_of_place_costs_its_pairs_alone() -> None:
    """Thirteen cases in three ranks under one clause; the best of all has the rank of the worst, and 8 pairs go."""
    pytest.importorskip("scipy")
    ranks = [3] * 5 + [2] * 4 + [1] * 4
    values = [Fraction(k + 1, 20) for k in range(13)]
    values[0] = Fraction(19, 20)
    cases = [case_of(f"c{k}", rank, [True], [False]) for k, rank in enumerate(ranks)]
    coordinates = [Coordinate(0, 1, seen_of(values), (0,), PROVED)]
    differences = differences_of(coordinates, rank_pairs(cases))
    assert guessed_apart(differences, Clock()) == ((0, 10**9),)
    least = differences.ordered_by(((0, 1),))
    assert [differences.pairs[k] for k in np.flatnonzero(least <= 0)] == [Pair(0, k) for k in range(5, 13)]


def test_conflicts_that_share_a_pair_cost_one_together() -> None:
    """By hand: giving up the pair that two conflicts share, and the one that is a conflict alone, costs two."""
    conflicts = [frozenset({0, 1}), frozenset({1, 2}), frozenset({3})]
    assert concessions._conceded_apart(conflicts, [Fraction(1)] * 4) == 2
