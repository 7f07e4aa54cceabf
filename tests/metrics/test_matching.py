"""The best largest matching against all matchings, and what it must not depend on (rules 15.8 to 15.11)."""

import random
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.builders import measured, policy, random_sides
from tracepact.measures.matching import best, largest

Edges = list[tuple[int, int, int, int]]
"""Reference, prediction, and two costs."""


def matchings(
    edges: Edges, used: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())
) -> Iterator[Edges]:
    """Every one-to-one set of edges."""
    if not edges:
        yield []
        return
    first, rest = edges[0], edges[1:]
    yield from matchings(rest, used)
    if first[0] not in used[0] and first[1] not in used[1]:
        for more in matchings(rest, (used[0] | {first[0]}, used[1] | {first[1]})):
            yield [first, *more]


def rank(chosen: Edges) -> tuple[object, ...]:
    """How rule 15.9 orders matchings; the least is the best. An earlier event weighs more than all later ones."""
    return (
        -len(chosen),
        sum(e[2] for e in chosen),
        sum(e[3] for e in chosen),
        -sum(Fraction(1, 2 ** e[0]) for e in chosen),
        -sum(Fraction(1, 2 ** e[1]) for e in chosen),
    )


@st.composite
def graphs(draw: st.DrawFn) -> Edges:
    ends = draw(st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=10))
    cost = st.integers(0, 3)
    return [(r, p, draw(cost), draw(cost)) for r, p in sorted(ends)]


@given(graphs())
def test_the_best_matching_is_the_least_of_all(edges: Edges) -> None:
    columns = np.array(edges, dtype=np.int64).reshape(-1, 4).T
    ref, pred = best(columns[0], columns[1], [columns[2], columns[3]])
    costs = {(r, p): (a, b) for r, p, a, b in edges}
    found = [(r, p, *costs[r, p]) for r, p in zip(ref.tolist(), pred.tolist(), strict=True)]
    assert rank(found) == min(rank(some) for some in matchings(edges))


@given(graphs())
def test_a_largest_matching_is_as_large_as_any(edges: Edges) -> None:
    columns = np.array(edges, dtype=np.int64).reshape(-1, 4).T
    ref, pred = largest(columns[0], columns[1])
    assert len(set(ref.tolist())) == len(set(pred.tolist())) == len(ref)
    assert set(zip(ref.tolist(), pred.tolist(), strict=True)) <= {(r, p) for r, p, _, _ in edges}
    assert len(ref) == max(len(some) for some in matchings(edges))


def test_a_long_chain_is_shifted_by_one() -> None:
    """Reference k fits predictions k and k + 1; the last prediction is wanted by the last reference alone."""
    size = 3000
    ref = np.repeat(np.arange(size), 2)
    pred = ref + np.tile([0, 1], size)
    kept = pred < size
    refs, preds = largest(ref[kept][::-1].copy(), pred[kept][::-1].copy())
    assert sorted(refs.tolist()) == sorted(preds.tolist()) == list(range(size))


@pytest.mark.parametrize("seed", range(40))
def test_the_order_of_rows_has_no_influence(seed: int) -> None:
    ref, pred = random_sides(seed, most=12, labels=2, places=12)
    draw = random.Random(seed)
    turned = [{clip: draw.sample(events, len(events)) for clip, events in side.items()} for side in (ref, pred)]
    first, second = measured(ref, pred), measured(*turned)
    for mine, other in zip(first.metrics, second.metrics, strict=True):
        assert mine.classes == other.classes
        assert getattr(mine, "errors", None) == getattr(other, "errors", None)


@pytest.mark.parametrize("seed", range(20))
def test_exact_counts_are_those_of_exact_candidates_counted_by_hand(seed: int) -> None:
    """Per clip and class: the size of the largest matching of all pairs judged one by one with fractions."""
    ref, pred = random_sides(seed, most=6, labels=2, places=12)
    for chosen in (policy(), policy(offset="and"), policy(offset="collar"), policy(offset="none")):
        found = measured(ref, pred, event=chosen).event.exact
        for label, tally in found.classes.items():
            pairs = 0
            for clip in ref.keys() & pred.keys():
                sides = [
                    [(Fraction(a), Fraction(b)) for a, b, name in side[clip] if name == label] for side in (ref, pred)
                ]
                edges = [
                    (i, j, 0, 0)
                    for i, (a, b) in enumerate(sides[0])
                    for j, (c, d) in enumerate(sides[1])
                    if abs(a - c) <= chosen.collar and abs(b - d) <= allowed(chosen.offset.value, b - a)
                ]
                pairs += max(len(some) for some in matchings(edges))
            assert tally.tp == pairs


def allowed(rule: str, length: Fraction) -> Fraction:
    collar, share = Fraction(1, 5), length / 5
    return {"max": max(collar, share), "and": min(collar, share), "collar": collar, "none": Fraction(10**9)}[rule]
