"""The policy sed_eval against sed_eval itself: equal counts and equal floats, ties and all."""

import os
import random
import warnings
from typing import Any

import numpy as np
import pytest
from metrics.builders import Rows, measured, policy, random_sides

from tracepact.measures.matching import search
from tracepact.measures.policy import Arithmetic, Empty, Evaluated, EventPolicy, MacroOver, OffsetRule
from tracepact.measures.results import ACCURACIES, CountMetric

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # old syntax in its dependencies
    import sed_eval

SEEDS = range(int(os.environ["TRACEPACT_EXAMPLES"]) // 4)


def listed(side: Rows, clip: str) -> list[dict[str, Any]]:
    return [
        {"filename": clip, "onset": float(onset), "offset": float(offset), "event_label": label}
        for onset, offset, label in side.get(clip, [])
    ]


def evaluated(metric: Any, ref: Rows, pred: Rows, **options: Any) -> Any:
    for clip in ref | pred:
        metric.evaluate(listed(ref, clip), listed(pred, clip), **options)
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


def same(mine: Any, other: float) -> bool:
    return other != other if mine is None else mine == other


def assert_same_rates(ours: CountMetric, theirs: Any) -> None:
    """Floats are equal, not close; undefined is not a number."""
    results = theirs.results()
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


def segment_metric(ref: Rows, pred: Rows, **options: Any) -> CountMetric:
    found = measured(ref, pred, arithmetic=Arithmetic.SED_EVAL, **options)
    (metric,) = (m for m in found.metrics if m.name == "segment" and isinstance(m, CountMetric))
    return metric


@pytest.mark.parametrize("seed", range(0, len(SEEDS), 2))
@pytest.mark.parametrize("length", ["1", "0.3"])
@pytest.mark.parametrize("clip", [None, "2.5", "4", "9"])
def test_specificity_and_accuracies_are_those_of_sed_eval_with_and_without_an_evaluated_length(
    seed: int, length: str, clip: str | None
) -> None:
    sides = [side if clip is None else within(side, clip) for side in random_sides(seed + 3000)]
    labels = labels_of(*sides)
    if not labels:
        return
    metric = sed_eval.sound_event.SegmentBasedMetrics(event_label_list=labels, time_resolution=float(length))
    if clip is None:
        theirs = evaluated(metric, *sides)
        ours = segment_metric(*sides, segment=length)
    else:
        theirs = evaluated(metric, *sides, evaluated_length_seconds=float(clip))
        ours = segment_metric(*sides, segment=length, evaluated=Evaluated.CLIP, durations=clip)
        assert "up to the clip's end" in ours.policy
    overall, total = theirs.overall, ours.total
    assert ours.true_negatives(total, len(labels)) == overall["Ntn"]
    assert (total.tp, total.fp, total.fn) == tuple(overall[k] for k in ("Ntp", "Nfp", "Nfn"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        results = theirs.results()
        assert_same_rates(ours, theirs)
    for mine, other in (
        (ours.accuracy(ours.total, len(ours.labels)), results["overall"]),
        (ours.macro_accuracy, results["class_wise_average"]),
        *((ours.accuracy(ours.classes[name]), found) for name, found in results["class_wise"].items()),
    ):
        for name in ACCURACIES:
            assert getattr(mine, name) == other["accuracy"][name], name


def within(side: Rows, clip: str) -> Rows:
    """What starts before the end of its clip; what starts later is an error of its own."""
    return {name: [event for event in events if float(event[0]) < float(clip)] for name, events in side.items()}


@pytest.mark.parametrize("seed", SEEDS)
def test_zero_score_is_that_of_sed_eval(seed: int) -> None:
    ref, pred = random_sides(seed, most=3, labels=4)
    pred = {} if seed % 5 == 0 else pred
    labels = labels_of(ref, pred)
    if not labels:
        return
    events = sed_eval.sound_event.EventBasedMetrics(
        event_label_list=labels, percentage_of_length=0.2, empty_system_output_handling="zero_score"
    )
    segments = sed_eval.sound_event.SegmentBasedMetrics(event_label_list=labels)
    segments.empty_system_output_handling = "zero_score"  # its constructor does not take it
    found = measured(ref, pred, arithmetic=Arithmetic.SED_EVAL, empty=Empty.ZERO_SCORE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for theirs, name in ((events, "event"), (segments, "segment")):
            (ours,) = (m for m in found.metrics if m.name == name and isinstance(m, CountMetric))
            assert_same_rates(ours, evaluated(theirs, ref, pred))
            assert "zero_score" in ours.policy


@pytest.mark.parametrize("seed", SEEDS)
def test_a_mean_over_the_classes_of_the_reference_is_that_of_sed_evals_results_for_them(seed: int) -> None:
    ref, pred = random_sides(seed, most=3, labels=5)
    labels, in_reference = labels_of(ref, pred), labels_of(ref)
    if not in_reference:
        return
    theirs = evaluated(event_metric(labels, policy()), ref, pred)
    found = measured(ref, pred, arithmetic=Arithmetic.SED_EVAL, macro=MacroOver.REFERENCE)
    (ours,) = (m for m in found.metrics if m.name == "event" and isinstance(m, CountMetric))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        rows = theirs.results_class_wise_metrics()
        for mine, key in (("precision", "precision"), ("recall", "recall"), ("f1", "f_measure")):
            mean = float(np.nanmean([rows[label]["f_measure"][key] for label in in_reference]))
            assert same(getattr(ours.macro.rates, mine), mean)
        rates = [rows[label]["error_rate"]["error_rate"] for label in in_reference]
        assert ours.macro_error_rate == float(np.nanmean(rates))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_mean_over_all_classes_is_the_macro_average_with_zero_division_0_of_scikit_learn(seed: int) -> None:
    scores = pytest.importorskip("sklearn.metrics")
    ref, pred = random_sides(seed, most=4, labels=5)
    labels = labels_of(ref, pred)
    if len(labels) < 2:
        return
    found = measured(ref, pred, macro=MacroOver.ALL)
    (ours,) = (m for m in found.metrics if m.name == "segment" and isinstance(m, CountMetric))
    rolls = [np.concatenate([roll(side.get(clip, []), labels) for clip in ref | pred]) for side in (ref, pred)]
    for name, function in (("precision", "precision_score"), ("recall", "recall_score"), ("f1", "f1_score")):
        expected = getattr(scores, function)(*rolls, average="macro", zero_division=0)
        assert float(getattr(ours.macro.rates, name)) == pytest.approx(expected, abs=1e-12)


def roll(events: list[tuple[str, str, str]], labels: list[str]) -> Any:
    """Seconds by classes; a second is active where an event shares more than a point with it."""
    found = np.zeros((8, len(labels)), dtype=int)
    for onset, offset, label in events:
        for second in range(8):
            found[second, labels.index(label)] |= max(float(onset), second) < min(float(offset), second + 1)
    return found


def test_the_generated_data_has_what_tells_matchers_apart() -> None:
    """Ties that floats decide, substitutions, and parts of the graph that need a search all occur."""
    tied = substituted = 0
    for seed in range(30):
        ref, pred = random_sides(seed, most=12, labels=2, places=12)
        found = measured(ref, pred)
        tied += len(found.event.differences)
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
