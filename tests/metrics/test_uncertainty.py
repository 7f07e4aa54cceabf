"""Intervals and differences of metrics against metrics measured again on clips that are really repeated."""

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from metrics.builders import Rows, measured, policy, random_sides, rows, table
from tracepact.diagnostics.collection import Diagnostics
from tracepact.evaluate.draws import draws
from tracepact.evaluate.uncertainty import Bootstrap, holm
from tracepact.measures.policy import Arithmetic, Empty, Evaluated, MacroOver, MetricCounts
from tracepact.measures.results import CountMetric, Measured
from tracepact.measures.tables import compare_overlap, compare_points
from tracepact.measures.uncertainty import compare_systems, drawn_values, metric_draws, metric_intervals, metric_values

FEW = Bootstrap(40, 3)
POLICIES: list[dict[str, Any]] = [
    {},
    {"macro": MacroOver.REFERENCE, "empty": Empty.ZERO_SCORE},
    {"macro": MacroOver.ALL, "evaluated": Evaluated.CLIP, "durations": 20},
    {"arithmetic": Arithmetic.SED_EVAL},
    {"arithmetic": Arithmetic.SED_EVAL, "empty": Empty.ZERO_SCORE, "macro": MacroOver.ALL},
]


def repeated(side: Rows, clips: list[str], times: list[int]) -> Rows:
    """The side with each clip as often as it was drawn, every copy under a name of its own."""
    return {
        f"{clip} {copy}": side.get(clip, []) for clip, often in zip(clips, times, strict=True) for copy in range(often)
    }


def labelled(side: Rows, *others: Rows) -> Rows:
    """The side with an empty clip, so that both have the same clips."""
    return {clip: side.get(clip, []) for some in (side, *others) for clip in some}


@pytest.mark.parametrize("options", POLICIES)
@pytest.mark.parametrize("seed", range(6))
def test_a_draw_has_the_values_of_its_clips_measured_again(seed: int, options: dict[str, Any]) -> None:
    ref, pred = random_sides(seed, clips=5, most=5)
    ref, pred = labelled(ref, pred), labelled(pred, ref)
    found = measured(ref, pred, **options)
    clips = list(found.clip_names)
    (weights,) = draws(len(clips), 12, seed)
    for times in weights.astype(int).tolist():
        again = measured(repeated(ref, clips, times), repeated(pred, clips, times), **options)
        lost = set(found.metrics[0].labels) - set(again.metrics[0].labels)
        for metric, other in zip(found.metrics, again.metrics, strict=True):
            drawn = drawn_values(metric, np.array([times], dtype=np.float64))
            exact = metric.drawn_once(np.array(times)).values
            assert drawn.keys() == exact.keys() == other.values.keys()
            for name, value in other.values.items():
                if not lost:  # a class that no drawn clip has is still one of the classes
                    assert same(exact[name], value), (metric.name, name)
                assert close(drawn[name][0], exact[name]), (metric.name, name)


def same(a: Any, b: Any) -> bool:
    return a == pytest.approx(b, abs=1e-12) if isinstance(a, float) and isinstance(b, float) else a == b


def close(drawn: float, exact: Any) -> bool:
    return bool(np.isnan(drawn)) if exact is None else drawn == pytest.approx(float(exact), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_points_and_overlaps_have_intervals_too(seed: int) -> None:
    ref, pred = random_sides(seed, clips=4)
    tables = table(labelled(ref, pred)), table(labelled(pred, ref))
    for compare in (compare_points, compare_overlap):
        found = compare(*tables, diagnostics=Diagnostics())
        intervals = metric_intervals(found, FEW)
        assert {name for _, name in intervals} == {*found.metrics[0].values}
        for (_, name), one in intervals.items():
            assert one.value == found.metrics[0].values[name]


@pytest.mark.parametrize("seed", range(5))
def test_an_interval_leaves_as_many_draws_on_either_side_as_its_level_says(seed: int) -> None:
    ref, pred = random_sides(seed, clips=8)
    found = measured(ref, pred)
    bootstrap = Bootstrap(200, seed, Fraction(9, 10))
    drawn = metric_draws(found, bootstrap)
    for quantity, one in metric_intervals(found, bootstrap).items():
        defined = np.sort(drawn[quantity][~np.isnan(drawn[quantity])])
        assert one.undefined == 200 - len(defined)
        outside = len(defined) // 20
        assert one.value == metric_values(found)[quantity]
        if len(defined):
            assert (one.low, one.high) == (defined[outside], defined[len(defined) - 1 - outside])
        else:
            assert (one.value, one.low, one.high) == (None, None, None)


def naive_differences(base: Measured, other: Measured, bootstrap: Bootstrap) -> dict[Any, tuple[int, int]]:
    """How many draws have a difference of at most 0, and of at least 0; one that is undefined has both."""
    found: dict[Any, tuple[int, int]] = {}
    for weights in draws(base.clips, bootstrap.number, bootstrap.seed):
        for times in weights.astype(np.int64):
            for a, b in zip(other.metrics, base.metrics, strict=True):
                ours, theirs = a.drawn_once(times).values, b.drawn_once(times).values
                for name in ours:
                    x, y = ours[name], theirs[name]
                    less, more = found.get((a.name, name), (0, 0))
                    undefined = x is None or y is None
                    found[a.name, name] = less + (undefined or x <= y), more + (undefined or x >= y)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_the_p_of_a_difference_counts_the_draws_on_either_side_of_zero_exactly(seed: int) -> None:
    ref, pred = random_sides(seed, clips=5, labels=2)
    _, other = random_sides(seed + 50, clips=5, labels=2)
    ref, pred, other = labelled(ref, pred, other), labelled(pred, ref, other), labelled(other, ref, pred)
    if seed % 2:
        other = {**pred, "clip0": []}  # nearly the same system: many draws are ties
    systems = [measured(ref, pred), measured(ref, other)]
    (differences,) = compare_systems(systems, FEW).differences
    for quantity, (less, more) in naive_differences(*systems, FEW).items():
        assert differences[quantity].p == min(Fraction(1), Fraction(2 * (1 + min(less, more)), 1 + FEW.number))
        before, after = (metric_values(system)[quantity] for system in systems)
        expected = None if before is None or after is None else after - before
        assert differences[quantity].value == expected


def test_a_system_compared_with_itself_differs_nowhere() -> None:
    ref, pred = random_sides(3, clips=6)
    found = measured(ref, pred)
    (differences,) = compare_systems([found, found], FEW).differences
    for one in differences.values():
        assert (one.value in (0, None), one.p, one.corrected) == (True, 1, 1)
        assert one.low is None or (one.low, one.high) == (0, 0)


def test_p_is_corrected_over_the_systems_for_each_value_by_itself() -> None:
    ref, pred = random_sides(1, clips=6)
    draw = random.Random(4)
    others = [
        {clip: [event for event in events if draw.random() < keep] for clip, events in pred.items()}
        for keep in (0.9, 0.6, 0.2)
    ]
    found = compare_systems([measured(ref, side) for side in (pred, *others)], FEW)
    for quantity in found.differences[0]:
        rows = [some[quantity] for some in found.differences]
        assert [row.corrected for row in rows] == holm([row.p for row in rows])


def test_systems_are_paired_by_the_names_of_their_clips() -> None:
    ref = {"x": rows("a 0 1"), "y": rows("a 2 3")}
    whole = measured(ref, {"x": rows("a 0 1"), "y": rows("a 2 3")})
    turned = measured({"y": ref["y"], "x": ref["x"]}, {"y": rows("a 2 3"), "x": rows("a 0 1")})
    more = measured({**ref, "z": []}, {"x": rows("a 0 1"), "y": rows("a 2 3"), "z": rows("a 0 1")})
    found = compare_systems([whole, turned, more], FEW)
    assert all(one.value in (0, None) and one.p == 1 for one in found.differences[0].values())
    # A false positive on a clip that the first does not have: a precision of 2/3.
    assert found.differences[1]["event", "precision"].value == Fraction(-1, 3)
    assert found.intervals[0]["event", "precision"].value == 1


def test_counts_by_clip_add_up_to_the_counts() -> None:
    ref, pred = random_sides(11, clips=4)
    for arithmetic in Arithmetic:
        found = measured(ref, pred, arithmetic=arithmetic, event=policy())
        alone = [
            measured({clip: ref.get(clip, [])}, {clip: pred.get(clip, [])}, arithmetic=arithmetic, event=policy())
            for clip in found.clip_names
        ]
        for index, metric in enumerate(found.metrics):
            if isinstance(metric, CountMetric):
                parts = [some.metrics[index] for some in alone if len(some.metrics) > index]
                totals = [part.total for part in parts if isinstance(part, CountMetric)]
                assert metric.total == sum(totals, MetricCounts(0, 0, 0))
