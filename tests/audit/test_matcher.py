"""The matcher audit: three known cases, the stress track, and bridges derived from references."""

from fractions import Fraction
from itertools import pairwise

import pytest
from events.builders import STEP, contract, duration_guard, family, fragmentation_guard

from tracepact.audits.audit_matcher import (
    KNOWN_CASES,
    BoundaryF1,
    MatcherComparison,
    audit_matcher,
    boundary_f1,
    bridge_family,
    match,
    stress_track,
)
from tracepact.data.family import Side

CONTRACT = contract(duration_guard(), fragmentation_guard())


@pytest.mark.parametrize(
    ("name", "greedy", "optimal", "shift"),
    [("separated", 2, 2, Fraction(0)), ("bridge", 1, 2, Fraction(1, 2)), ("split", 1, 1, Fraction(0))],
)
def test_the_known_cases_have_their_known_pairs_and_shift(
    name: str, greedy: int, optimal: int, shift: Fraction
) -> None:
    found = audit_matcher(CONTRACT).comparisons()[f"case: {name}"]
    assert (found.pairs.greedy, found.pairs.optimal) == (greedy, optimal)
    assert found.boundary_f1.optimal - found.boundary_f1.greedy == shift
    assert found.changed == (greedy != optimal)


def test_the_known_bridge_changes_fragmentation() -> None:
    # The first reference is matched and covered once only under optimal; the second is covered twice.
    audit = audit_matcher(CONTRACT)
    assert audit.case_bridge.changed_values["fragmentation_guard"] == (Fraction(0), Fraction(1, 2))
    assert "fragmentation_guard" not in {*audit.case_separated.changed_values, *audit.case_split.changed_values}


def test_stress_families_change_exactly_where_a_prediction_bridges() -> None:
    found_on = audit_matcher(CONTRACT).comparisons()
    stress = {name.removeprefix("stress: "): found for name, found in found_on.items() if name.startswith("stress: ")}
    assert list(stress) == ["separated", "left_bridge", "right_bridge", "split", "nominal"]
    for name, found in stress.items():
        assert (found.changed > 0) is name.endswith("bridge")
        assert found.pairs.optimal >= found.pairs.greedy
        assert found.changed_share == Fraction(found.changed, found.cases)
    assert stress["separated"].pairs.optimal == 2 * stress["separated"].cases
    assert stress["split"].pairs.optimal == stress["split"].cases
    assert stress["nominal"].pairs.optimal == stress["nominal"].cases


def test_every_built_in_case_has_sorted_separate_runs_inside_its_clip_and_a_name_of_its_own() -> None:
    cases = [*KNOWN_CASES, *(case for some in stress_track().values() for case in some)]
    assert len({case.name for case in cases}) == len(cases)
    for case in cases:
        for runs in (case.refs, case.preds):
            edges = [0, *(edge for run in runs for edge in run), case.frames]
            assert edges[0] <= edges[1]
            assert all(a < b for a, b in pairwise(edges[1:]))


def test_bridges_are_made_from_each_two_consecutive_references() -> None:
    data = family(([(10, 20), (25, 75), (100, 102)], []), ([(0, 9)], [(0, 9)]))
    made = bridge_family(CONTRACT, data)
    # A piece is a quarter of its reference, with its hole at most 200 ms: 9 frames, 2, and none.
    assert [made.runs[Side.PRED][i] for i in range(made.segments)] == [
        ((10, 65), (66, 75)),
        ((10, 12), (13, 75)),
        ((25, 34), (35, 102)),
    ]
    assert [made.runs[Side.REF][i] for i in range(made.segments)] == [
        ((10, 20), (25, 75)),
        ((10, 20), (25, 75)),
        ((25, 75), (100, 102)),
    ]


def test_the_pieces_of_a_bridge_stay_apart_under_the_merge_gap() -> None:
    merging = contract(fragmentation_guard(), merge_gap=3 * STEP)
    made = bridge_family(merging, family(([(10, 20), (25, 75)], [])))
    assert match(merging, made).comparison().preds == 4


def test_given_data_is_compared_as_it_is() -> None:
    bridge = KNOWN_CASES[1]
    data = family((list(bridge.refs), list(bridge.preds)), ([(0, 9)], [(0, 9)]), ([], []))
    found = audit_matcher(CONTRACT, data)
    assert isinstance(found.given, MatcherComparison)
    assert isinstance(found.bridges, MatcherComparison)
    assert (found.given.cases, found.given.changed, found.given.refs, found.given.preds) == (2, 1, 3, 3)
    assert found.given.boundary_f1 == BoundaryF1(Fraction(2, 3), Fraction(1))
    assert found.bridges.cases == 2
    built_in = audit_matcher(CONTRACT).comparisons()
    assert found.comparisons().keys() - built_in.keys() == {"given data", "bridges of its references"}
    assert all(found.comparisons()[name] == comparison for name, comparison in built_in.items())


def test_boundary_f1_of_nothing_is_1() -> None:
    assert boundary_f1(0, 0, 0) == 1
    assert boundary_f1(1, 2, 2) == Fraction(1, 2)
