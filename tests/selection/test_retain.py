"""The retained basis, separation, naming and the least set, against brute force."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from selection.builders import PROVED, calibration_of, calibrations, case_of, observation_of, scaled, value_tables

from tracepact.logic.decisions import Outcome
from tracepact.selection.basis import Basis, Coordinate, retain
from tracepact.selection.calibration import Calibration, CalibrationCase
from tracepact.selection.cover import all_optima, solve
from tracepact.selection.cover_problem import Problem
from tracepact.selection.requirements import (
    FaultCases,
    Pair,
    SelectionRequirement,
    faults,
    names,
    rank_pairs,
    required_of,
)
from tracepact.selection.trials import Proof
from tracepact.selection.values import Screening

Values = list[list[Fraction]]


def basis_of(values: Values, costs: Sequence[int]) -> Basis:
    return retain(observation_of(values), costs, lambda index: PROVED)


@st.composite
def tables(draw: st.DrawFn) -> tuple[Values, list[int]]:
    values = draw(value_tables())
    return values, draw(st.lists(st.integers(0, 3), min_size=len(values), max_size=len(values)))


# The basis


@given(tables())
def test_the_representative_is_the_cheapest_then_the_first_of_each_class(table: tuple[Values, list[int]]) -> None:
    values, costs = table
    basis = basis_of(values, costs)
    expected = set()
    for row in values:
        members = [i for i, other in enumerate(values) if other == row]
        if len(set(row)) > 1:
            expected.add((min(members, key=lambda i: (costs[i], i)), tuple(members)))
    assert {(c.candidate, c.members) for c in basis.coordinates} == expected
    assert [c.candidate for c in basis.coordinates] == sorted(c.candidate for c in basis.coordinates)


@given(tables())
def test_every_candidate_maps_to_a_coordinate_with_its_values_or_to_its_constant(
    table: tuple[Values, list[int]],
) -> None:
    values, costs = table
    basis = basis_of(values, costs)
    for index, row in enumerate(values):
        place = next((i for i, c in enumerate(basis.coordinates) if index in c.members), None)
        if place is None:
            assert index in basis.constants[row[0]]
            assert len(set(row)) == 1
        else:
            assert list(basis.coordinates[place].values) == row
    assert basis.only_tested + len(basis.coordinates) == len(values)


@given(tables(), st.data())
def test_what_the_tests_and_the_proofs_drop_is_out_and_counted(
    table: tuple[Values, list[int]], data: st.DataObject
) -> None:
    values, costs = table
    observation = observation_of(values)
    observation.screening[:] = data.draw(
        st.lists(st.sampled_from(Screening), min_size=len(values), max_size=len(values))
    )
    outcomes = data.draw(st.lists(st.sampled_from(Outcome), min_size=len(values), max_size=len(values)))
    basis = retain(observation, costs, lambda index: Proof(outcomes[index], "solver"))
    kept = [i for i in range(len(values)) if observation.screening[i] == Screening.PASSED]
    assert basis.by_reference == int(np.sum(observation.screening == Screening.FAILED_ON_REFERENCE))
    assert basis.by_short_trace == int(np.sum(observation.screening == Screening.FAILED_ON_SHORT_TRACE))
    for coordinate in basis.coordinates:
        perfect = [i for i in kept if values[i] == list(coordinate.values) and outcomes[i] is Outcome.YES]
        assert coordinate.candidate == min(perfect, key=lambda i: (costs[i], i))
    classes = {tuple(values[i]) for i in kept if len(set(values[i])) > 1 and outcomes[i] is Outcome.YES}
    assert {c.values for c in basis.coordinates} == classes
    assert all(outcomes[i] is Outcome.NO for i in basis.refuted)
    assert all(outcomes[i] is Outcome.UNKNOWN for i in basis.undecided)
    everywhere = [i for c in basis.coordinates for i in c.members]
    everywhere += [i for members in basis.constants.values() for i in members]
    assert sorted([*everywhere, *basis.refuted, *basis.undecided]) == kept


@given(tables(), st.data())
def test_a_duplicate_changes_nothing_but_the_class_list(table: tuple[Values, list[int]], data: st.DataObject) -> None:
    values, costs = table
    index = data.draw(st.integers(0, len(values) - 1))
    before = basis_of(values, costs)
    after = basis_of([*values, values[index]], [*costs, costs[index]])
    assert [(c.candidate, c.values, c.cost) for c in after.coordinates] == [
        (c.candidate, c.values, c.cost) for c in before.coordinates
    ]
    assert sum(len(c.members) for c in after.coordinates) - sum(len(c.members) for c in before.coordinates) == (
        len(set(values[index])) > 1
    )


@given(tables())
def test_the_collapse_keeps_every_separation(table: tuple[Values, list[int]]) -> None:
    """`separation_kept` of the Lean core, and its order: a strictly smaller value stays one."""
    values, costs = table
    basis = basis_of(values, costs)
    for i, j in ((i, j) for i in range(len(values[0])) for j in range(len(values[0])) if i != j):
        assert any(row[i] < row[j] for row in values) == any(c.values[i] < c.values[j] for c in basis.coordinates)


# Requirements


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[CalibrationCase], list[Coordinate]]:
    """Cases with ranks and faults, and a basis of their values."""
    number = draw(st.integers(2, 4))
    cases = [
        case_of(f"c{i}", draw(st.integers(1, 3)), [True], [draw(st.integers(0, 4)) == 0], draw(st.sampled_from("xyz")))
        for i in range(number)
    ]
    values = draw(value_tables(number, most=7))
    costs = draw(st.lists(st.integers(0, 3), min_size=len(values), max_size=len(values)))
    return cases, list(basis_of(values, costs).coordinates)


def meets(chosen: Sequence[Coordinate], what: Pair | FaultCases, cases: Sequence[CalibrationCase]) -> bool:
    """Rules 14.12 and 14.13, written out."""
    if isinstance(what, Pair):
        assert cases[what.worse].rank > cases[what.better].rank
        return any(c.values[what.worse] < c.values[what.better] for c in chosen)
    own = [i for i in range(len(cases)) if cases[i].fault == what.name and cases[i].ref != cases[i].pred]
    others = [i for i in range(len(cases)) if i not in own]
    return any(all(c.values[i] < c.values[j] for i in own for j in others) for c in chosen)


@given(problems())
def test_rows_say_which_coordinate_meets_what(problem: tuple[list[CalibrationCase], list[Coordinate]]) -> None:
    cases, coordinates = problem
    rows = required_of(cases, coordinates, (SelectionRequirement.SEPARATE, SelectionRequirement.NAME)).rows
    different = [(i, j) for i in range(len(cases)) for j in range(len(cases)) if cases[i].rank > cases[j].rank]
    assert [(row.of.worse, row.of.better) for row in rows if isinstance(row.of, Pair)] == different
    assert {row.of.name for row in rows if isinstance(row.of, FaultCases)} == {
        case.fault for case in cases if case.ref != case.pred
    }
    for row in rows:
        for place, coordinate in enumerate(coordinates):
            assert bool(row.coordinates >> place & 1) == meets([coordinate], row.of, cases)


@given(problems())
def test_no_coordinate_names_two_faults(problem: tuple[list[CalibrationCase], list[Coordinate]]) -> None:
    cases, coordinates = problem
    found = faults(cases)
    for coordinate in coordinates:
        assert sum(names(coordinate, fault) for fault in found) <= 1 or len(found) == 1


@settings(max_examples=scaled(120))
@given(
    problems(),
    st.sampled_from([(SelectionRequirement.SEPARATE,), (SelectionRequirement.NAME,), tuple(SelectionRequirement)]),
)
def test_the_selected_set_is_the_least_by_count_cost_and_order(
    problem: tuple[list[CalibrationCase], list[Coordinate]], required: tuple[SelectionRequirement, ...]
) -> None:
    cases, coordinates = problem
    rows = [row for row in required_of(cases, coordinates, required).rows if row.coordinates]
    asked = Problem(tuple(row.coordinates for row in rows), tuple(c.cost for c in coordinates))
    every = [
        chosen
        for size in range(len(coordinates) + 1)
        for chosen in combinations(range(len(coordinates)), size)
        if all(meets([coordinates[k] for k in chosen], row.of, cases) for row in rows)
    ]
    least = min((len(chosen), sum(coordinates[k].cost for k in chosen), chosen) for chosen in every)
    cover = solve(asked)
    assert (len(cover.columns), cover.cost, cover.columns) == least
    assert cover.optimal
    optima = [c for c in every if (len(c), sum(coordinates[k].cost for k in c)) == least[:2]]
    assert list(all_optima(asked, cover, limit=1000)) == sorted(optima)


@given(problems(), st.data())
def test_a_set_that_separates_more_cases_separates_fewer(
    problem: tuple[list[CalibrationCase], list[Coordinate]], data: st.DataObject
) -> None:
    """Adding a case never makes a separating set of the larger problem fail the smaller one."""
    cases, coordinates = problem
    chosen = data.draw(st.lists(st.sampled_from(coordinates), max_size=4)) if coordinates else []
    left = data.draw(st.integers(0, len(cases) - 1))
    larger = [pair for pair in rank_pairs(cases) if meets(chosen, pair, cases)]
    if len(larger) == len(rank_pairs(cases)):
        smaller = [case for k, case in enumerate(cases) if k != left]
        cut = [
            Coordinate(c.candidate, c.cost, c.seen.on([k for k in range(len(cases)) if k != left]), c.members, c.proof)
            for c in chosen
        ]
        assert all(meets(cut, pair, smaller) for pair in rank_pairs(smaller))


def test_the_least_selection_of_several_matchers_is_taken() -> None:
    """A bridge: greedy matching takes the middle and leaves both ends alone, optimal matching pairs both ends."""
    from dataclasses import replace

    from tracepact.language.compilation import parse_contract
    from tracepact.language.contract import Matcher, MatcherKind
    from tracepact.selection.calibration import NO_FAMILY
    from tracepact.selection.selection import select_contract

    ref = [10 <= i < 20 or 25 <= i < 75 for i in range(90)]
    bridge = [15 <= i < 65 or 70 <= i < 80 for i in range(90)]
    whole = [12 <= i < 20 or 25 <= i < 75 for i in range(90)]
    cases = [case_of("bridge", 1, ref, bridge), case_of("whole", 2, ref, whole)]
    author = parse_contract("contract c step 20ms clause c on each ref : matched clause d on ref_active : pred_active")
    greedy, optimal = (Matcher(kind) for kind in MatcherKind)
    for matchers, chosen in (((greedy, optimal), greedy), ((optimal, greedy), optimal), ((optimal,), optimal)):
        family = replace(NO_FAMILY, matchers=matchers)
        found = select_contract(calibration_of(cases), family, author, requirements=(SelectionRequirement.SEPARATE,))
        assert [m for m, _, _ in found.by_matcher] == list(matchers)
        assert found.matcher == chosen
    # Ranked the other way round, losing an event is worse than a late onset: only greedy matching loses one.
    swapped = [replace(case, rank=3 - case.rank) for case in cases]
    only = parse_contract("contract c step 20ms clause c on each ref : matched")
    family = replace(NO_FAMILY, matchers=(optimal, greedy))
    found = select_contract(calibration_of(swapped), family, only, requirements=(SelectionRequirement.SEPARATE,))
    assert (found.matcher, len(found.coordinates), found.retained.unmet) == (greedy, 1, ())


@settings(max_examples=scaled(8))
@given(calibrations(most=4), st.randoms(use_true_random=False))
def test_renaming_and_reordering_cases_changes_nothing(calibration: Calibration, random: object) -> None:
    from dataclasses import replace

    from tracepact.selection.candidates import describe
    from tracepact.selection.selection import select_contract

    order = list(range(len(calibration.cases)))
    random.shuffle(order)  # type: ignore[attr-defined]
    cases = tuple(replace(calibration.cases[k], name=f"new {k}") for k in order)
    before, after = select_contract(calibration), select_contract(replace(calibration, cases=cases))
    assert [describe(before.retained.observed.candidates, c.candidate) for c in before.coordinates] == [
        describe(after.retained.observed.candidates, c.candidate) for c in after.coordinates
    ]
    assert [c.candidate for c in before.retained.basis.coordinates] == [
        c.candidate for c in after.retained.basis.coordinates
    ]
    for old, new in zip(before.coordinates, after.coordinates, strict=True):
        assert [old.values[k] for k in order] == list(new.values)
    assert len(before.retained.unmet) == len(after.retained.unmet)
