"""Covers against brute force: the optimum with its ties, all optima, evidence that holds by itself."""

from fractions import Fraction
from itertools import combinations
from math import ceil
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selection.cover.problems import best_cover, every_cover, optima, problems

from tracepact.selection import cover
from tracepact.selection.cover import Z3_NAME, all_optima, search, second_opinion, solve
from tracepact.selection.cover_problem import (
    NOT_ASKED,
    Clock,
    Cover,
    CoverAnswer,
    CoverEvidence,
    Keep,
    Level,
    Problem,
    SecondSolver,
    greedy_cover,
    independent_rows,
    packing,
    reduced,
    weights_bound,
)

FEWER = settings(max_examples=max(25, settings().max_examples // 4))
"""Each example asks a second solver."""
REFUTED = SecondSolver(Z3_NAME, CoverAnswer.REFUTED, CoverAnswer.REFUTED, CoverAnswer.REFUTED)


def cost(problem: Problem, columns: tuple[int, ...]) -> int:
    return sum(problem.costs[c] for c in columns)


def hard_problem(rows: int = 60, columns: int = 90) -> Problem:
    """A dense problem without structure, from a fixed linear congruence."""
    state, masks = 7, []
    for _ in range(rows):
        mask = 0
        for column in range(columns):
            state = (state * 1103515245 + 12345) % 2**31
            mask |= (state >> 16) % 6 // 5 << column
        masks.append(mask or 1)
    return Problem(tuple(masks), tuple(1 + c % 5 for c in range(columns)))


# The optimum


@FEWER
@given(problems())
def test_the_cover_is_the_lexicographic_optimum_and_says_so(problem: Problem) -> None:
    found = solve(problem)
    assert found.columns == best_cover(problem)
    assert found.cost == found.cost_bound == cost(problem, found.columns)
    assert found.optimal
    assert found.count_bound == len(found.columns)
    assert found.second_solver == REFUTED


@pytest.mark.parametrize("few", [0, 2, 12])
@FEWER
@given(problem=problems(columns=9, rows=12))
def test_the_search_finds_it_alone_divided_or_not(few: int, problem: Problem) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tracepact.selection.cover._FEW", few)
        found = search(problem, Clock())
    assert (found.columns, found.proven) == (best_cover(problem), Level.ORDER)
    assert found.count_bound == len(found.columns)


@FEWER
@given(problems(), st.data())
def test_the_second_solver_refutes_the_best_cover_alone(problem: Problem, data: st.DataObject) -> None:
    best, other = best_cover(problem), data.draw(st.sampled_from(every_cover(problem)))
    assert second_opinion(problem, best, Level.ORDER, Clock()) == REFUTED
    if other != best:
        with pytest.raises(RuntimeError, match="better cover"):
            second_opinion(problem, other, Level.ORDER, Clock())


def test_fewer_columns_come_before_cost() -> None:
    assert solve(Problem((0b011, 0b101), (100, 0, 0))).columns == (0,)


def test_cost_comes_before_source_order() -> None:
    assert solve(Problem((0b11,), (2, 1))).columns == (1,)


def test_source_order_decides_at_last() -> None:
    assert solve(Problem((0b110,), (0, 5, 5))).columns == (1,)


def test_a_column_that_covers_less_but_costs_less_is_not_dropped() -> None:
    # Column 1 covers rows 0 and 1, column 0 row 0 alone. Column 2 is forced and covers row 1.
    problem = Problem((0b011, 0b110, 0b100), (1, 9, 1))
    assert solve(problem).columns == (0, 2)


def test_nothing_to_cover_needs_nothing() -> None:
    found = solve(Problem((), (3, 4)))
    assert (found.columns, found.cost, found.optimal) == ((), 0, True)
    assert all_optima(Problem((), (3, 4)), found, limit=5).covers == ((),)


@pytest.mark.parametrize(
    ("rows", "costs", "fault"),
    [((0b1, 0), (1,), "no column covers"), ((0b10,), (1,), "has no cost"), ((1,), (-1,), "negative")],
)
def test_a_problem_that_is_none_is_refused(rows: tuple[int, ...], costs: tuple[int, ...], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        Problem(rows, costs)


# All optima


@FEWER
@given(problems())
def test_all_optima_are_all_optima(problem: Problem) -> None:
    found = all_optima(problem, solve(problem), limit=10_000)
    assert found.complete
    assert list(found) == optima(problem)


@FEWER
@given(problems(), st.integers(0, 3))
def test_a_limit_that_cuts_optima_is_said(problem: Problem, limit: int) -> None:
    expected = optima(problem)
    found = all_optima(problem, solve(problem), limit=limit)
    assert found.complete == (len(expected) <= limit)
    assert len(found) == min(limit, len(expected))
    assert set(found) <= set(expected)


@pytest.mark.parametrize("few", [0, 2])
@FEWER
@given(problem=problems(columns=9, rows=12))
def test_all_optima_are_found_in_parts_too(few: int, problem: Problem) -> None:
    best = solve(problem, opinion=Fraction(0))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tracepact.selection.cover._FEW", few)
        found = all_optima(problem, best, limit=10_000)
    assert (list(found), found.complete) == (optima(problem), True)


def test_optima_of_parts_are_combined_up_to_the_limit() -> None:
    problem = Problem(tuple(0b11 << 2 * pair for pair in range(5)), (1, 1, 1, 1, 2, 1, 1, 1, 1, 1))
    best, expected = solve(problem), optima(problem)
    assert len(expected) == 2**4
    some = all_optima(problem, best, limit=5)
    assert (len(some), some.complete) == (5, False)
    assert set(some) <= set(expected)
    late = all_optima(problem, best, limit=100, seconds=Fraction(0))
    assert (list(late), late.complete) == ([best.columns], False)


# What changes nothing


@FEWER
@given(problems(), st.randoms(use_true_random=False), st.data())
def test_order_and_repetition_of_rows_and_rows_that_contain_others_change_nothing(
    problem: Problem, random: Random, data: st.DataObject
) -> None:
    rows = list(problem.rows) * 2
    if rows:
        inner = data.draw(st.sampled_from(rows))
        rows.append(inner | data.draw(st.integers(0, 2 ** len(problem.costs) - 1)))
    random.shuffle(rows)
    before, after = solve(problem), solve(Problem(tuple(rows), problem.costs))
    assert (before.columns, before.cost) == (after.columns, after.cost)


@given(problems())
def test_reductions_keep_the_best_cover_and_where_asked_every_optimum(problem: Problem) -> None:
    small = reduced(problem, Keep.OPTIMUM)
    assert small.whole(best_cover(small.problem)) == best_cover(problem)
    large = reduced(problem, Keep.OPTIMA)
    assert sorted(map(large.whole, optima(large.problem))) == optima(problem)


# Evidence


@given(problems())
def test_a_greedy_cover_covers_and_needs_each_of_its_columns(problem: Problem) -> None:
    columns = greedy_cover(problem)
    assert problem.covers(columns)
    assert not any(problem.covers(columns[:i] + columns[i + 1 :]) for i in range(len(columns)))


@given(problems(), st.data())
def test_independent_rows_share_no_column_and_bound_every_cover(problem: Problem, data: st.DataObject) -> None:
    chosen = independent_rows(problem, 9, data.draw(st.dictionaries(st.integers(0, 8), st.fractions(0, 1))))
    assert not any(problem.rows[a] & problem.rows[b] for a, b in combinations(chosen, 2))
    assert len(chosen) <= min(map(len, every_cover(problem)))


def check_evidence(problem: Problem, found: Cover) -> None:
    """What a sceptic can check without a solver."""
    if found.evidence is CoverEvidence.ROWS:
        assert len(found.independent_rows) == found.count_bound
        assert not any(problem.rows[a] & problem.rows[b] for a, b in combinations(found.independent_rows, 2))
    elif found.evidence is CoverEvidence.WEIGHTS:
        carried = [Fraction(0)] * len(problem.costs)
        for row, weight in found.row_weights:
            assert weight > 0
            for column in range(len(problem.costs)):
                carried[column] += weight * (problem.rows[row] >> column & 1)
        assert max(carried) <= 1
        assert ceil(sum(weight for _, weight in found.row_weights)) == found.count_bound


@FEWER
@given(problems(columns=8, rows=14))
def test_the_evidence_of_a_bound_can_be_checked_by_hand(problem: Problem) -> None:
    check_evidence(problem, solve(problem))


def test_a_triangle_of_rows_needs_weights_or_a_solver() -> None:
    # Any two of the three rows share a column, so one independent row; half of each weighs 3/2, so two columns.
    pytest.importorskip("scipy")
    problem = Problem((0b011, 0b110, 0b101), (1, 1, 1))
    found = solve(problem)
    assert found.columns == (0, 1)
    assert len(found.independent_rows) == 1
    assert found.evidence is CoverEvidence.WEIGHTS
    check_evidence(problem, found)


def test_rows_that_greed_misses_are_found_by_their_weights_or_in_another_try() -> None:
    # Row 0 shares a column with each other row; the others are independent.
    problem = Problem((0b0111, 0b1001, 0b0010, 0b0100), (1, 1, 1, 1))
    assert independent_rows(problem, 1, {0: Fraction(1)}) == (0,)
    assert independent_rows(problem, 3, {0: Fraction(1)}) == (1, 2, 3)
    assert independent_rows(problem, 1, {1: Fraction(1), 2: Fraction(1), 3: Fraction(1)}) == (1, 2, 3)


def test_weights_that_prove_nothing_are_refused() -> None:
    problem = Problem((0b011, 0b110), (1, 1, 1))
    with pytest.raises(ValueError, match="more than 1"):
        weights_bound(problem, {0: Fraction(1), 1: Fraction(1, 10**9)})


def test_without_the_extra_the_answer_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cover, "available", lambda: False)
    found = solve(Problem((0b011, 0b110, 0b101), (1, 1, 1)))
    assert (found.columns, found.optimal) == ((0, 1), True)
    assert found.second_solver == REFUTED


# Time


def test_a_spent_budget_gives_a_cover_with_its_gap_and_claims_nothing() -> None:
    problem = hard_problem()
    found = solve(problem, seconds=Fraction(0), opinion=Fraction(0))
    assert problem.covers(found.columns)
    assert found.cost == cost(problem, found.columns)
    assert not found.optimal
    assert found.count_bound < len(found.columns)
    assert found.cost_bound <= found.cost
    assert found.second_solver == NOT_ASKED
    assert len(all_optima(problem, found, limit=3)) == 0
    check_evidence(problem, found)


@pytest.mark.parametrize("few", [0, 12])
def test_a_search_that_is_stopped_claims_nothing_false(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = hard_problem()
    known = solve(problem, seconds=Fraction(3), opinion=Fraction(0))
    monkeypatch.setattr("tracepact.selection.cover._FEW", few)
    found = search(problem, Clock.of(Fraction(1, 20)))
    assert problem.covers(found.columns)
    assert found.proven < Level.ORDER
    assert found.count_bound <= len(known.columns)
    assert len(found.columns) >= known.count_bound
    if found.proven >= Level.COUNT:
        assert len(found.columns) <= len(known.columns)


def test_a_second_opinion_that_runs_out_is_not_a_refutation() -> None:
    # Twelve triangles: each needs two columns; nothing is forced or dominated once costs differ.
    rows = [mask << 3 * i for i in range(12) for mask in (0b011, 0b110, 0b101)]
    problem = Problem(tuple(rows), (1, 2, 3) * 12)
    found = solve(problem, opinion=Fraction(1, 10**6))
    assert found.optimal
    unknown = (CoverAnswer.UNKNOWN,) * 3
    assert found.second_solver == SecondSolver(Z3_NAME, *unknown)
    unasked = solve(problem, opinion=Fraction(0))
    assert (unasked.columns, unasked.optimal) == (found.columns, True)
    assert unasked.second_solver == NOT_ASKED


@FEWER
@given(problems())
def test_a_packing_is_a_bound_and_its_cover_a_cover(problem: Problem) -> None:
    """No column carries more than 1, by a count of its own; so no cover has fewer columns than the weights sum to."""
    if not problem.rows:
        return
    first = greedy_cover(problem)
    weights, smaller = packing(problem, first, Clock())
    for column in range(len(problem.costs)):
        assert sum(weight for row, weight in weights.items() if problem.rows[row] >> column & 1) <= 1
    assert all(weight > 0 for weight in weights.values())
    assert sum(weights.values()) <= len(best_cover(problem))
    assert problem.covers(smaller)
    assert len(smaller) <= len(first)


def test_a_packing_of_a_dense_problem_is_near_the_linear_program() -> None:
    """Every row has 20 of 200 columns in turn: by symmetry the linear program is 10, where no two rows are apart."""
    rows = tuple(sum(1 << (start + k) % 200 for k in range(20)) for start in range(200))
    problem = Problem(rows, (1,) * 200)
    weights, smaller = packing(problem, greedy_cover(problem), Clock())
    assert sum(weights.values()) > Fraction(99, 10)
    assert weights_bound(problem, weights) == len(smaller) == 10
