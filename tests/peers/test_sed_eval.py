"""The policy sed_eval against sed_eval itself: equal counts and equal floats, ties and all."""

import os
import random
import warnings
from typing import Any

import pytest
from metrics.builders import Rows, measured, policy, random_sides

from tracepact.metrics import Arithmetic, CountMetric, EventPolicy, OffsetRule
from tracepact.metrics.matching import search

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # old syntax in its dependencies
    sed_eval = pytest.importorskip("sed_eval", reason="sed_eval is not installed")

SEEDS = range(int(os.environ.get("TRACEPACT_EXAMPLES", "200")) // 4)


def listed(side: Rows, clip: str) -> list[dict[str, Any]]:
    return [
        {"filename": clip, "onset": float(onset), "offset": float(offset), "event_label": label}
        for onset, offset, label in side.get(clip, [])
    ]


def evaluated(metric: Any, ref: Rows, pred: Rows) -> Any:
    for clip in ref | pred:
        metric.evaluate(listed(ref, clip), listed(pred, clip))
    return metric


def event_metric(labels: list[str], chosen: EventPolicy) -> Any:
    return sed_eval.sound_event.EventBasedMetrics(
        event_label_list=labels,
        evaluate_offset=chosen.offset is not OffsetRule.NONE,
        t_collar=float(chosen.collar),
        percentage_of_length=float(chosen.share) if chosen.offset is OffsetRule.MAX else 0.0,
        event_matching_type="optimal",
    )


def labels_of(*sides: Rows) -> list[str]:
    return sorted({label for side in sides for events in side.values() for _, _, label in events})


def assert_same_rates(ours: CountMetric, theirs: Any) -> None:
    """Floats are equal, not close; undefined is not a number."""
    results = theirs.results()

    def same(mine: Any, other: float) -> bool:
        return other != other if mine is None else mine == other

    for mine, other in (
        (ours.micro, results["overall"]["f_measure"]),
        (ours.macro.rates, results["class_wise_average"]["f_measure"]),
        *((ours.rates(ours.classes[name]), found["f_measure"]) for name, found in results["class_wise"].items()),
    ):
        assert same(mine.precision, other["precision"])
        assert same(mine.recall, other["recall"])
        assert same(mine.f1, other["f_measure"])
    assert same(ours.error_rate, results["overall"]["error_rate"]["error_rate"])
    assert same(ours.macro_error_rate, results["class_wise_average"]["error_rate"]["error_rate"])


POLICIES = [
    policy(),
    policy(share="0.5"),
    policy(offset="collar"),
    policy(offset="none"),
    policy(collar="0.3", share="0.1"),
]


@pytest.mark.parametrize("seed", SEEDS)
def test_event_counts_and_rates_are_those_of_sed_eval(seed: int) -> None:
    ref, pred = random_sides(seed, most=12, labels=2 + seed % 3, places=10 + seed % 40)
    chosen = POLICIES[seed % len(POLICIES)]
    labels = labels_of(ref, pred)
    if not labels:
        return
    theirs = evaluated(event_metric(labels, chosen), ref, pred)
    (ours,) = (
        m for m in measured(ref, pred, event=chosen, arithmetic=Arithmetic.SED_EVAL).metrics if m.name == "event"
    )
    assert isinstance(ours, CountMetric)
    assert ours.errors is not None
    overall, total = theirs.overall, ours.total
    assert (total.tp, total.tp + total.fn, total.tp + total.fp) == tuple(overall[k] for k in ("Ntp", "Nref", "Nsys"))
    assert (ours.errors.substitutions, ours.errors.deletions, ours.errors.insertions) == tuple(
        overall[k] for k in ("Nsubs", "Nfn", "Nfp")
    )
    for label, tally in ours.classes.items():
        counts = theirs.class_wise[label]
        assert (tally.tp, tally.fp, tally.fn) == tuple(counts[k] for k in ("Ntp", "Nfp", "Nfn"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # means of nothing
        assert_same_rates(ours, theirs)


@pytest.mark.parametrize("seed", range(0, len(SEEDS), 2))
@pytest.mark.parametrize("length", ["1", "0.1", "0.3"])
def test_segment_counts_and_rates_are_those_of_sed_eval(seed: int, length: str) -> None:
    ref, pred = random_sides(seed + 1000)
    labels = labels_of(ref, pred)
    if not labels:
        return
    metric = sed_eval.sound_event.SegmentBasedMetrics(event_label_list=labels, time_resolution=float(length))
    theirs = evaluated(metric, ref, pred)
    (ours,) = (
        m
        for m in measured(ref, pred, segment=length, arithmetic=Arithmetic.SED_EVAL).metrics
        if m.name == "segment" and isinstance(m, CountMetric)
    )
    assert ours.errors is not None
    total = ours.total
    assert (total.tp, total.fp, total.fn) == tuple(theirs.overall[k] for k in ("Ntp", "Nfp", "Nfn"))
    assert (ours.errors.substitutions, ours.errors.deletions, ours.errors.insertions) == tuple(
        theirs.overall[k] for k in ("S", "D", "I")
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        assert_same_rates(ours, theirs)


def test_the_generated_data_has_what_tells_matchers_apart() -> None:
    """Ties that floats decide, substitutions, and parts of the graph that need a search all occur."""
    tied = substituted = 0
    for seed in range(30):
        ref, pred = random_sides(seed, most=12, labels=2, places=12)
        found = measured(ref, pred)
        tied += len(found.pair_differences)
        assert found.event.sed_eval.errors is not None
        substituted += found.event.sed_eval.errors.substitutions
    assert tied > 30
    assert substituted > 10


@pytest.mark.parametrize("seed", range(300))
def test_the_search_finds_the_very_matching_that_sed_eval_finds(seed: int) -> None:
    draw = random.Random(seed)
    size = 2 + seed % 12
    edges = [(r, p) for r in range(size) for p in range(size) if draw.random() < 2.5 / size]
    graph: dict[int, list[int]] = {}
    for r, p in edges:
        graph.setdefault(p, []).append(r)
    assert search(edges) == sed_eval.util.bipartite_match(graph)


@pytest.mark.parametrize("seed", range(6))
def test_crowded_clips_need_augmenting_paths_and_give_the_same_pairs(seed: int) -> None:
    """Everything within a second and few classes: the choice of the largest matching shows in the substitutions."""
    draw = random.Random(seed)
    sides: list[Rows] = []
    for _ in range(2):
        starts = [draw.randrange(8) for _ in range(24)]
        events = [(s / 10, (s + draw.randrange(1, 5)) / 10, f"label{draw.randrange(3)}") for s in starts]
        sides.append({"clip": [(f"{s:.1f}", f"{e:.1f}", label) for s, e, label in events]})
    theirs = evaluated(event_metric(labels_of(*sides), policy()), *sides).overall
    ours = measured(*sides).event.sed_eval
    assert ours.errors is not None
    assert (ours.total.tp, ours.errors.substitutions) == (theirs["Ntp"], theirs["Nsubs"])
