"""Optimal matchings have a dual that the kernel accepts; matchings that are not optimal have none."""

import random
from itertools import combinations

import pytest
from prove.dual import dual_of
from prove.test_differential import Statements

from tracepact.evaluate.masks import Candidate, Pair, candidates, choose
from tracepact.language.contract import MatcherKind
from tracepact.language.formula import FrameRun
from tracepact.prove.build import Build
from tracepact.prove.text import core_int, lean_list

pytestmark = pytest.mark.slow


def _runs(draw: random.Random) -> list[FrameRun]:
    """Runs of up to eight frames with short gaps, so that many overlap many."""
    found, at = [], draw.randint(0, 3)
    for _ in range(draw.randint(1, 5)):
        end = at + draw.randint(1, 8)
        found.append((at, end))
        at = end + draw.randint(1, 3)
    return found


def _listed(ref: list[FrameRun], pred: list[FrameRun], some: list[Candidate]) -> str:
    return lean_list(f"⟨{i}, {j}, {core_int(cost).text}, {ref[i][0]}, {pred[j][0]}⟩" for cost, i, j in some)


def _chosen(found: list[Candidate], pairs: tuple[Pair, ...]) -> list[Candidate]:
    return [candidate for candidate in found if candidate[1:] in pairs]


def test_the_kernel_accepts_the_dual_of_every_optimal_matching(core: Build) -> None:
    draw, stated = random.Random(3), Statements()
    for _ in range(60):
        ref, pred = _runs(draw), _runs(draw)
        found = candidates(ref, pred, draw.randint(1, 9), draw.randint(0, 3), draw.randint(1, 2))
        best = choose(MatcherKind.OPTIMAL, found)
        dual = dual_of(found, best, len(ref), len(pred))
        prices = f"⟨{dual.base}, {dual.most}, {lean_list(map(str, dual.refs))}, {lean_list(map(str, dual.preds))}⟩"
        made = _listed(ref, pred, found)
        stated.state(f"checkOptimal {prices} {made} {_listed(ref, pred, _chosen(found, best))}", ".true", (ref, pred))
        if best:
            fewer = _listed(ref, pred, _chosen(found, best[:-1]))
            stated.state(f"checkOptimal {prices} {made} {fewer}", ".false", (ref, pred, "a pair left out"))
    stated.check(core)


def test_a_matching_that_can_be_beaten_has_no_dual() -> None:
    """By brute force over all one-to-one sets of candidates."""
    draw = random.Random(8)
    beaten = 0
    for _ in range(200):
        ref, pred = _runs(draw), _runs(draw)
        found = candidates(ref, pred, 9, 1, 2)[:7]
        costs = {(i, j): cost for cost, i, j in found}
        sets = [s for n in range(len(found) + 1) for s in combinations(costs, n) if _one_to_one(s)]
        best = min((-len(s), sum(costs[p] for p in s)) for s in sets)
        tried = draw.choice(sets)
        if (-len(tried), sum(costs[p] for p in tried)) == best:
            dual_of(found, tried, len(ref), len(pred))
            continue
        beaten += 1
        with pytest.raises(ValueError, match="no dual"):
            dual_of(found, tried, len(ref), len(pred))
    assert beaten > 50


def _one_to_one(pairs: tuple[Pair, ...]) -> bool:
    return len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
