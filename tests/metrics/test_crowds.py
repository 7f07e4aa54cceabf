"""The matching of crowds by columns against all matchings and against long numbers, and its limits (15.9, 25.1)."""

from pathlib import Path
from random import Random

import numpy as np
import pytest
from cli.command import COLUMNS, run
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from metrics.test_matching import Edges, graphs, matchings, rank
from tracepact.diagnostics.collection import InvalidInput
from tracepact.inputs import with_limits
from tracepact.measures import matching
from tracepact.measures.matching import StepBudget, crowd_pairs

LONG = 10**40
Found = tuple[NDArray[np.int64], NDArray[np.int64]]


def ranked(edges: Edges, found: Found) -> tuple[object, ...]:
    """The rank of a matching, which is one-to-one and made of candidates."""
    ref, pred = (side.tolist() for side in found)
    assert len(set(ref)) == len(set(pred)) == len(ref)
    of = {(edge[0], edge[1]): edge for edge in edges}
    return rank([of[pair] for pair in zip(ref, pred, strict=True)])


def crowd(edges: Edges) -> Found:
    ref, pred, *costs = (np.array(column) for column in zip(*edges, strict=True))
    return crowd_pairs(ref, pred, costs, StepBudget())


@given(graphs().filter(bool), st.sampled_from([1, LONG]))
def test_a_crowd_has_the_matching_that_is_the_least_of_all(edges: Edges, unit: int) -> None:
    edges = [(r, p, a * unit, b) for r, p, a, b in edges]
    assert ranked(edges, crowd(edges)) == min(rank(some) for some in matchings(edges))


@pytest.mark.parametrize("seed", range(12))
def test_a_crowd_and_long_numbers_give_one_matching(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = Random(seed)
    sizes, share, most = [draw.randrange(5, 60) for _ in "rp"], draw.choice([0.05, 0.3, 1]), draw.choice([2, 5, 100])
    edges = [
        (r, p, draw.randrange(most), draw.randrange(most))
        for r in range(sizes[0])
        for p in range(sizes[1])
        if draw.random() < share
    ]
    columns = [np.array(column) for column in zip(*edges, strict=True)]
    found = []
    for least in (10**9, 0):
        monkeypatch.setattr(matching, "CROWD", least)
        found.append(ranked(edges, matching.best(columns[0], columns[1], columns[2:])))
    assert found[0] == found[1]


@given(graphs())
def test_parts_are_what_hangs_together(edges: Edges) -> None:
    """Two candidates are in one part exactly if a way of shared ends leads from one to the other."""
    if not edges:
        return
    ref, pred = (np.array([edge[side] for edge in edges]) for side in (0, 1))
    parts = [frozenset(part.tolist()) for part in matching._parts(ref, pred)]
    linked = [{k} for k in range(len(edges))]
    for k, one in enumerate(edges):
        for other in edges[:k]:
            if one[0] == other[0] or one[1] == other[1]:
                both = linked[k] | linked[edges.index(other)]
                for place in both:
                    linked[place] = both
    assert set(parts) == {frozenset(own) for own in linked}
    assert sum(map(len, parts)) == len(edges)


def test_a_long_chain_is_one_part() -> None:
    draw = Random(3)
    names = draw.sample(range(5000), 5000)
    ref = np.array([names[k // 2] for k in range(1, 9999)])
    pred = np.array([k // 2 for k in range(9998)])
    assert len(list(matching._parts(ref, pred))) == 1


def test_a_search_that_takes_too_many_steps_is_refused() -> None:
    edges = [(r, p, (r + 1) * (p + 1), 0) for r in range(30) for p in range(30)]
    with with_limits(steps=1), pytest.raises(InvalidInput, match="steps"):
        crowd(edges)


def test_crowded_events_are_counted_before_they_are_paired(tmp_path: Path) -> None:
    for name in ("ref.tsv", "pred.tsv"):
        rows = "".join(f"a\t{1 + k / 10000:.4f}\t2\tx\n" for k in range(40))
        (tmp_path / name).write_text(COLUMNS + rows, encoding="utf-8")
    command = ("metrics", "--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "10")
    assert run(*command, folder=tmp_path).code == 0
    refused = run(*command, "--limit", "candidates=1599", folder=tmp_path)
    assert (refused.code, refused.codes) == (2, ["too-many-candidates"])
    assert "1,600 pairs" in refused.err
    assert run(*command, "--limit", "candidates=1600", folder=tmp_path).code == 0
