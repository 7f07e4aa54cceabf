"""Matching is what chapter 8 says: candidates, greedy order, and the exact optimum."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import sized

from tracepact.evaluate.masks import match_runs
from tracepact.language.contract import Matcher, MatcherKind
from tracepact.language.formula import FrameRun

from .builders import GREEDY, OPTIMAL, STEP, matchers, run_lists

Runs = tuple[FrameRun, ...]


def naive_cost(ref: FrameRun, pred: FrameRun, matcher: Matcher) -> Fraction | None:
    """The cost in seconds by rules 8.1 and 8.2; None if the two are no candidate."""
    shared = len(set(range(*ref)) & set(range(*pred)))
    onset, offset = abs(ref[0] - pred[0]) * STEP, abs(ref[1] - pred[1]) * STEP
    if not shared or (onset > matcher.search and offset > matcher.search):
        return None
    return onset + offset - matcher.overlap_reward * shared * STEP


def naive_candidates(ref: Runs, pred: Runs, matcher: Matcher) -> dict[tuple[int, int], Fraction]:
    costs = {(i, j): naive_cost(r, p, matcher) for i, r in enumerate(ref) for j, p in enumerate(pred)}
    return {pair: cost for pair, cost in costs.items() if cost is not None}


def naive_greedy(found: dict[tuple[int, int], Fraction]) -> tuple[tuple[int, int], ...]:
    free = dict(found)
    pairs = []
    while free:
        pair = min(free, key=lambda p: (free[p], p))
        pairs.append(pair)
        free = {p: c for p, c in free.items() if p[0] != pair[0] and p[1] != pair[1]}
    return tuple(sorted(pairs))


def brute_force(found: dict[tuple[int, int], Fraction]) -> tuple[tuple[int, int], ...]:
    """Of all one-to-one sets: most pairs, least cost, least list."""
    best: tuple[int, Fraction, tuple[tuple[int, int], ...]] = (0, Fraction(0), ())
    for size in range(1, len(found) + 1):
        for pairs in combinations(sorted(found), size):
            if len({i for i, _ in pairs}) == len({j for _, j in pairs}) == size:
                best = min(best, (-size, sum((found[p] for p in pairs), Fraction(0)), pairs))
    return best[2]


def as_kind(matcher: Matcher, kind: MatcherKind) -> Matcher:
    return Matcher(kind, matcher.search, matcher.overlap_reward)


@given(run_lists(), run_lists(), matchers())
def test_greedy_takes_the_cheapest_free_candidate_again_and_again(ref: Runs, pred: Runs, m: Matcher) -> None:
    pairs = match_runs(ref, pred, as_kind(m, MatcherKind.GREEDY), STEP)
    assert pairs == naive_greedy(naive_candidates(ref, pred, m))


@given(run_lists(), run_lists(), matchers())
def test_matches_are_one_to_one_and_leave_no_candidate_with_both_ends_free(ref: Runs, pred: Runs, m: Matcher) -> None:
    pairs = match_runs(ref, pred, m, STEP)
    refs, preds = [i for i, _ in pairs], [j for _, j in pairs]
    assert len(set(refs)) == len(refs)
    assert len(set(preds)) == len(preds)
    found = naive_candidates(ref, pred, m)
    assert set(pairs) <= set(found)
    assert all(i in refs or j in preds for i, j in found)


@given(run_lists(), run_lists(), matchers())
def test_optimal_is_never_smaller_than_greedy(ref: Runs, pred: Runs, m: Matcher) -> None:
    greedy = match_runs(ref, pred, as_kind(m, MatcherKind.GREEDY), STEP)
    assert len(match_runs(ref, pred, as_kind(m, MatcherKind.OPTIMAL), STEP)) >= len(greedy)


@settings(max_examples=sized(300))
@given(run_lists(most=5), run_lists(most=5), matchers())
def test_optimal_is_the_least_list_among_the_best_of_all_subsets(ref: Runs, pred: Runs, m: Matcher) -> None:
    found = naive_candidates(ref, pred, m)
    assert match_runs(ref, pred, as_kind(m, MatcherKind.OPTIMAL), STEP) == brute_force(found)


@pytest.fixture(scope="module")
def solver() -> Any:
    """SciPy's assignment solver. Asked for here, its absence is one skip and no failing example to shrink."""
    return pytest.importorskip("scipy.optimize").linear_sum_assignment


@settings(max_examples=sized(40), deadline=None)
@given(run_lists(most=40), run_lists(most=40), matchers())
def test_optimal_has_the_size_and_cost_of_the_assignment_solver(solver: Any, ref: Runs, pred: Runs, m: Matcher) -> None:
    found = naive_candidates(ref, pred, m)
    pairs = match_runs(ref, pred, as_kind(m, MatcherKind.OPTIMAL), STEP)
    scale = 6 * STEP.denominator  # makes every cost whole, far below what a double holds exactly
    far = 10**9
    table = np.full((len(ref), len(pred)), float(far))
    for (i, j), cost in found.items():
        assert (cost * scale).denominator == 1
        table[i, j] = int(cost * scale) - far // 1000
    chosen = [(i, j) for i, j in zip(*solver(table), strict=True) if (i, j) in found]
    assert len(pairs) == len(chosen)
    assert sum(found[p] for p in pairs) == sum(found[p] for p in chosen)


@pytest.mark.parametrize("frames", range(1, 40))
def test_a_pair_at_exactly_the_search_distance_is_a_candidate(frames: int) -> None:
    ref, pred = ((100, 200),), ((100 + frames, 201 + frames),)
    at = Matcher(search=frames * STEP)
    below = Matcher(search=frames * STEP - Fraction(1, 10**9))
    assert match_runs(ref, pred, at, STEP) == ((0, 0),)
    assert match_runs(ref, pred, below, STEP) == ()


def test_one_close_end_is_enough_but_sharing_no_frame_is_not() -> None:
    assert match_runs([(10, 20)], [(10, 100)], GREEDY, STEP) == ((0, 0),)
    assert match_runs([(10, 20)], [(15, 20)], Matcher(search=Fraction(0)), STEP) == ((0, 0),)
    assert match_runs([(10, 20)], [(20, 25)], GREEDY, STEP) == ()


def test_equal_costs_go_to_the_earlier_reference_and_then_the_earlier_prediction() -> None:
    # The two of one side lie mirrored about the centre of the one of the other side.
    assert match_runs([(10, 30)], [(10, 15), (25, 30)], GREEDY, STEP) == ((0, 0),)
    assert match_runs([(10, 30)], [(10, 15), (25, 30)], OPTIMAL, STEP) == ((0, 0),)
    assert match_runs([(10, 15), (25, 30)], [(10, 30)], GREEDY, STEP) == ((0, 0),)
    assert match_runs([(10, 15), (25, 30)], [(10, 30)], OPTIMAL, STEP) == ((0, 0),)


def test_the_reward_weighs_overlap_against_close_ends() -> None:
    # In frames the costs are 0 + 14 - 6w and 7 + 20 - 13w: equal at w = 13/7.
    ref, pred = [(20, 40)], [(20, 26), (27, 60)]
    for reward, chosen in (("1", 0), ("13/7", 0), ("2", 1)):
        assert match_runs(ref, pred, Matcher(overlap_reward=Fraction(reward)), STEP) == ((0, chosen),)
