"""Selections in whole numbers: what is fast is what the definitions say, also beyond a machine's numbers."""

from fractions import Fraction
from itertools import combinations
from math import floor

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from selection.builders import PROVED, calibrations, labelled_calibrations, scaled, seen_of
from selection.test_order import margin_of, weighings

from tracepact.selection import concessions
from tracepact.selection import weights as order
from tracepact.selection.basis import Coordinate, observational_classes, observe_family
from tracepact.selection.calibration import Calibration, CalibrationCase
from tracepact.selection.concessions import climbed, least_given_up, not_ordered
from tracepact.selection.cover import bounded
from tracepact.selection.cover_problem import Clock, Problem, mask_of, members
from tracepact.selection.games import differences_of
from tracepact.selection.requirements import Naming, Pair, difference, faults, names, pair_rows, rank_pairs
from tracepact.selection.values import Seen, means
from tracepact.selection.weights import Order

Weighing = tuple[list[CalibrationCase], list[Coordinate], list[int]]
HUGE = 2**31 - 1
"""A prime: the denominators of a few such entries have no common one that a machine's number holds."""


@given(st.data())
def test_the_mean_over_classes_is_that_of_fractions_however_large_the_denominators_are(data: st.DataObject) -> None:
    classes = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    bottom = st.sampled_from([1, 2, 3, 500, HUGE - 2, HUGE - 18, HUGE])
    bottoms = [data.draw(bottom) for _ in range(sum(classes))]
    tops = [data.draw(st.integers(0, most)) for most in bottoms]
    found = means(np.array([tops]), np.array([bottoms]), np.array(classes))
    entries = iter(map(Fraction, tops, bottoms))
    expected = [sum((next(entries) for _ in range(own)), Fraction(0)) / own for own in classes]
    assert [tuple(map(int, pair)) for pair in zip(*(side[0] for side in found), strict=True)] == [
        (value.numerator, value.denominator) for value in expected
    ]


@settings(max_examples=scaled(30))
@given(st.one_of(calibrations(most=4), labelled_calibrations()))
def test_classes_are_those_of_equal_values_and_equal_wants(calibration: Calibration) -> None:
    observation = observe_family(calibration, calibration.family).observation
    passed = np.flatnonzero(observation.screening == 0).tolist()

    def key(index: int) -> object:
        seen = observation.seen([index])[0]
        return seen.values, seen.vacuous_shares, seen.counter_shares

    expected: dict[object, list[int]] = {}
    for index in passed:
        expected.setdefault(key(index), []).append(index)
    found = observational_classes(observation)
    assert [one.members for one in found] == sorted(tuple(members) for members in expected.values())
    assert all(one.seen.values == observation.values(one.members[-1]) for one in found)


@settings(max_examples=scaled(40))
@given(labelled_calibrations())
def test_differences_alone_and_within_a_corpus_are_the_definition(calibration: Calibration) -> None:
    observation = observe_family(calibration, calibration.family).observation
    kept = np.flatnonzero(observation.screening == 0).tolist()[::7]
    coordinates = [Coordinate(k, 1, observation.seen([k])[0], (k,), PROVED) for k in kept]
    pairs = rank_pairs(calibration.cases)
    classes = observation.classes.tolist()
    found = differences_of(coordinates, pairs)
    table = found.of(slice(None))
    most = max(classes)
    for k, pair in enumerate(pairs):
        for column, coordinate in enumerate(coordinates):
            assert Fraction(int(table[k, column]), found.scale) == difference(coordinate, pair)
    if len(set(classes)) > 1:
        for k, pair in enumerate(pairs):
            for column, c in enumerate(coordinates):
                shares = [Fraction(own, most) for own in classes]
                values = [1 - (1 - v) * share for v, share in zip(c.values, shares, strict=True)]
                wants = [[v * share for v, share in zip(row, shares, strict=True)] for row in (c.vacuous, c.counter)]
                gap = values[pair.better] - values[pair.worse]
                helped = max(Fraction(0), wants[0][pair.better] - wants[0][pair.worse])
                helped += max(Fraction(0), wants[1][pair.worse] - wants[1][pair.better])
                expected = max(Fraction(0), gap - helped) if gap > 0 else gap
                assert Fraction(int(table[len(pairs) + k, column]), found.scale) == expected


@given(st.lists(st.tuples(st.integers(0, HUGE), st.integers(1, HUGE)), min_size=2, max_size=4))
def test_a_value_too_fine_for_the_scale_is_rounded_so_that_no_difference_grows(values: list[tuple[int, int]]) -> None:
    exact = [Fraction(min(top, bottom), bottom) for top, bottom in values]
    coordinate = Coordinate(0, 1, seen_of(exact), (0,), PROVED)
    pairs = [Pair(i, j) for i in range(len(exact)) for j in range(len(exact)) if i != j]
    found = differences_of([coordinate], pairs)
    assert found.scale <= 10**12
    for pair, (whole,) in zip(pairs, found.of(slice(None)).tolist(), strict=True):
        gap = (exact[pair.better] - exact[pair.worse]) * found.scale
        assert floor(gap) - 1 <= whole <= gap


@given(weighings())
def test_the_rows_of_pairs_and_the_named_faults_are_the_definition(problem: Weighing) -> None:
    cases, coordinates, _ = problem
    pairs = [Pair(i, j) for i in range(len(cases)) for j in range(len(cases)) if i != j]
    for row in pair_rows(coordinates, pairs):
        met = [k for k, c in enumerate(coordinates) if difference(c, row.of) > 0]  # type: ignore[arg-type]
        assert row.coordinates == mask_of(tuple(met))
    for coordinate in coordinates:
        assert Naming.of(faults(cases)).by(coordinate) == [f for f in faults(cases) if names(coordinate, f)]


def test_rows_of_pairs_are_exact_where_products_leave_the_machine() -> None:
    """Two values that differ by one part in 2^62, of which a machine's product would know nothing."""
    low, high = Fraction(HUGE - 2, HUGE - 1), Fraction(HUGE - 1, HUGE)
    wide = Seen(
        *(
            np.array(row, dtype=object)
            for row in ([low.numerator, high.numerator], [low.denominator, high.denominator])
        ),
        *(np.zeros(2, dtype=np.int64) for _ in "ab"),
        np.ones(2, dtype=np.int64),
    )
    for seen in (seen_of((low, high)), wide):
        (row, turned) = pair_rows([Coordinate(0, 1, seen, (0,), PROVED)], [Pair(0, 1), Pair(1, 0)])
        assert (row.coordinates, turned.coordinates) == (1, 0)


# Weights


@settings(max_examples=scaled(60), deadline=None)
@given(weighings())
def test_games_that_begin_with_a_guess_have_the_same_value(problem: Weighing) -> None:
    cases, coordinates, _ = problem
    game = Order(differences_of(coordinates, rank_pairs(cases)))
    columns = list(range(0, len(coordinates), 2))
    exact = game.all_clauses().margin, game.weights(columns).margin
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(order, "_LARGE", 0)
        assert (game.all_clauses().margin, game.weights(columns).margin) == exact


@settings(max_examples=scaled(60), deadline=None)
@given(weighings(), st.data())
def test_what_climbing_keeps_is_ordered_by_its_weights_and_is_no_less_than_one_clause_keeps(
    problem: Weighing, data: st.DataObject
) -> None:
    cases, coordinates, _ = problem
    every = [Pair(i, j) for i in range(len(cases)) for j in range(len(cases)) if i != j]
    pairs = data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=8, unique=True))
    weights = [Fraction(data.draw(st.integers(1, 9)), 4) for _ in pairs]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(concessions, "_CLIMBED_ENTRIES", data.draw(st.sampled_from([1, 10, 10**6])))
        differences = differences_of(coordinates, pairs)
        whole = climbed(differences, weights, Clock())
        given_up = not_ordered(differences, whole)
    for k, pair in enumerate(pairs):
        summed = sum(difference(coordinates[c], pair) * w for c, w in whole)
        assert (summed > 0) == (k not in given_up)
    kept = sum(w for k, w in enumerate(weights) if k not in given_up)
    assert kept >= max(sum(w for w, p in zip(weights, pairs, strict=True) if difference(c, p) > 0) for c in coordinates)


@settings(max_examples=scaled(40), deadline=None)
@given(weighings(), st.data())
def test_the_least_violated_weight_is_the_same_by_guesses_and_its_bound_holds_at_any_time(
    problem: Weighing, data: st.DataObject
) -> None:
    """Every set of pairs is tried; with no time at all the bound is below the least."""
    cases, coordinates, _ = problem
    every = [Pair(i, j) for i in range(len(cases)) for j in range(len(cases)) if i != j]
    pairs = data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=6, unique=True))
    weights = [Fraction(data.draw(st.integers(1, 4)), 2) for _ in pairs]
    choices = [out for size in range(len(pairs) + 1) for out in combinations(range(len(pairs)), size)]

    def ordered(out: tuple[int, ...]) -> bool:
        kept = [pair for k, pair in enumerate(pairs) if k not in out]
        return not kept or margin_of(coordinates, kept) > 0

    least = min(sum((weights[k] for k in out), Fraction(0)) for out in choices if ordered(out))
    differences = differences_of(coordinates, pairs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(order, "_LARGE", 0)
        found = least_given_up(differences, weights, Clock())
    assert (found.weight, found.proven, ordered(found.places)) == (least, True, True)
    hurried = least_given_up(differences, weights, Clock.of(Fraction(0)))
    assert hurried.bound <= least <= hurried.weight
    both = [k for k, pair in enumerate(pairs) if Pair(pair.better, pair.worse) in pairs[:k]]
    assume(both)
    assert hurried.bound > 0, "what was judged both ways costs its lighter side"


# Covers


@given(st.integers(0, 2**3000))
def test_the_members_of_a_wide_mask_are_its_bits(mask: int) -> None:
    assert list(members(mask)) == [place for place in range(mask.bit_length()) if mask >> place & 1]


@settings(max_examples=scaled(60), deadline=None)
@given(st.integers(1, 6), st.data())
def test_a_bound_from_the_narrowest_rows_is_not_above_the_least_cover(width: int, data: st.DataObject) -> None:
    rows = tuple(data.draw(st.lists(st.integers(1, 2**width - 1), min_size=1, max_size=8)))
    problem = Problem(rows, (1,) * width)
    sizes = [n for n in range(1, width + 1) if any(problem.covers(c) for c in combinations(range(width), n))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tracepact.selection.cover._NARROWEST", data.draw(st.integers(1, 8)))
        found = bounded(problem, tuple(range(width)), Clock())
    assert 1 <= found.count_bound <= sizes[0]
    shown = [rows[k] for k in found.independent_rows]
    assert all(not a & b for a, b in combinations(shown, 2))
    assert all(sum(w for k, w in found.row_weights if rows[k] >> c & 1) <= 1 for c in range(width))
