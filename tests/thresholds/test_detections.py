"""Every point of every curve of events with confidences is what filtering them there and scoring the others gives."""

from dataclasses import replace
from fractions import Fraction
from math import isclose, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import sized

from thresholds.builders import DetectedScene, detected_scenes
from thresholds.test_every_threshold import CONTRACTS, contracts
from thresholds.test_metric_curves import GATE, naive_counts, naive_triggers, pieces, shares
from tracepact import Contract, InvalidInput, curves, tune
from tracepact.data.assembly import assemble
from tracepact.data.events import Event, EventTable
from tracepact.data.family import Family, Mode
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace
from tracepact.evaluate.scorecard import Scorecard, score_family
from tracepact.measures.policy import EventPolicy, MetricSettings, OffsetRule
from tracepact.measures.results import CountMetric, Intervals, intervals
from tracepact.measures.standard import event_metrics, frame_metrics, segment_metrics
from tracepact.thresholds.family import detections_of
from tracepact.thresholds.psds import SCENARIOS, Criteria, Psds, intersections, psds
from tracepact.thresholds.quantities import CurveSettings, Quantities
from tracepact.thresholds.steps import counts_of


def filtered_family(
    scene: DetectedScene, contract: Contract, threshold: Fraction, classes: tuple[str, ...], mode: Mode
) -> Family:
    labelled = replace(contract, labels=classes) if mode is Mode.CLASS_INDEXED else contract
    return assemble(
        labelled,
        scene.reference,
        scene.kept(threshold),
        durations=scene.durations,
        mode=mode,
        ignore=scene.ignore,
        diagnostics=Diagnostics(),
        allow_outside=True,
    )


def card_at(scene: DetectedScene, contract: Contract, threshold: Fraction, mode: Mode) -> Scorecard:
    classes = scene.family(contract, mode).family.classes
    return score_family(contract, filtered_family(scene, contract, threshold, classes, mode))


@given(detected_scenes(), contracts, st.sampled_from(Mode), st.data())
@settings(max_examples=sized(80))
def test_the_counts_at_a_threshold_are_those_of_the_events_it_keeps(
    scene: DetectedScene, contract: Contract, mode: Mode, data: st.DataObject
) -> None:
    contract = CONTRACTS[0] if mode is Mode.UNION else contract
    quantities = Quantities(contract, scene.family(contract, mode))
    for threshold in data.draw(st.lists(st.sampled_from(scene.thresholds()), min_size=1, max_size=4)):
        card = card_at(scene, contract, threshold, mode)
        cut = scene.detections.levels.above(threshold)
        for clause in contract.clauses:
            expected, found = card.counts[clause.name], counts_of(quantities.steps(clause.name).at(cut))
            assert np.array_equal(found.satisfied, expected.satisfied), clause.name
            assert np.array_equal(found.obligated, expected.obligated), clause.name
            assert np.array_equal(found.counter, expected.counter), clause.name


def kept_intervals(scene: DetectedScene, threshold: Fraction, times: tuple[Fraction, ...], family: Family) -> Intervals:
    return intervals(
        scene.reference, scene.kept(threshold), family.clips, family.classes, times, scene.ignore, mode=family.mode
    )


@given(
    detected_scenes(),
    st.sampled_from(Mode),
    st.sampled_from([Fraction(1, 50), Fraction(1, 5)]),
    st.sampled_from(OffsetRule),
    st.data(),
)
@settings(max_examples=sized(80))
def test_the_metrics_at_a_threshold_are_those_of_the_events_it_keeps(
    scene: DetectedScene, mode: Mode, collar: Fraction, offset: OffsetRule, data: st.DataObject
) -> None:
    length = data.draw(st.sampled_from([Fraction(1, 10), Fraction(1, 3), Fraction(1)]))
    policies = MetricSettings(EventPolicy(collar, offset), length)
    family = scene.family(GATE, mode)
    quantities = Quantities(GATE, family, CurveSettings(policies))
    for threshold in data.draw(st.lists(st.sampled_from(scene.thresholds()), min_size=1, max_size=3)):
        cut = scene.detections.levels.above(threshold)
        given = kept_intervals(scene, threshold, (collar, length), family.family)
        on_grid = filtered_family(scene, GATE, threshold, family.family.classes, mode)
        expected: dict[str, CountMetric] = {
            "event": event_metrics(given, policies).exact,
            "segment": segment_metrics(given, policies).exact,
            "frame": frame_metrics(on_grid, Fraction(1, 5), "")[0],
        }
        for name, metric in expected.items():
            counts = quantities.metric(name)
            tallies = counts.tallies.at(cut).sum(axis=2).T.tolist()
            assert tallies == [[t.tp, t.fp, t.fn] for t in metric.classes.values()], name
            assert metric.errors is not None
            assert counts.substitutions is not None
            assert int(counts.substitutions.at(cut).sum()) == metric.errors.substitutions, name
            for rate in ("precision", "recall", "f1"):
                assert quantities.values(f"{name}_{rate}").at(cut) == getattr(metric.micro, rate)


@given(detected_scenes(), st.sampled_from(Mode), shares, shares, st.data())
@settings(max_examples=sized(80))
def test_intersection_counts_are_those_of_the_rule(
    scene: DetectedScene, mode: Mode, dtc: Fraction, gtc: Fraction, data: st.DataObject
) -> None:
    criteria = Criteria(dtc, gtc, Fraction(3, 10))
    family = scene.family(GATE, mode)
    found = intersections(family, criteria)
    assert found.triggers is not None
    classes = len(family.family.classes)
    for threshold in data.draw(st.lists(st.sampled_from(scene.thresholds()), min_size=1, max_size=3)):
        cut = scene.detections.levels.above(threshold)
        refs, preds = pieces(kept_intervals(scene, threshold, (), family.family))
        counts, triggers = found.tallies.at(cut).sum(axis=2), found.triggers.at(cut)[0].sum(axis=1)
        for label in range(classes):
            assert tuple(counts[:, label].tolist()) == naive_counts(refs, preds, criteria, label)
            for other in set(range(classes)) - {label}:
                assert triggers[label * classes + other] == naive_triggers(refs, preds, criteria, label, other)


@given(detected_scenes())
@settings(max_examples=sized(30))
def test_psds_is_the_area_under_what_the_thresholds_give(scene: DetectedScene) -> None:
    """From the counts of the rule at every threshold, without cross triggers, which have their own test."""
    how = Psds(SCENARIOS["psds1"].criteria, alpha_st=Fraction(1), e_max=Fraction(100_000))
    family = scene.family(GATE)
    hours = sum(family.lengths.values(), Fraction(0)) / 3600
    points: dict[int, list[tuple[Fraction, Fraction]]] = {k: [] for k in range(family.shape[0])}
    for threshold in [Fraction(-1), *scene.thresholds()]:
        refs, preds = pieces(kept_intervals(scene, threshold, (), family.family))
        for label, own in points.items():
            tp, fp, fn = naive_counts(refs, preds, how.criteria, label)
            if tp + fn:
                own.append((fp / hours, Fraction(tp, tp + fn)))
    rocs = [own for own in points.values() if own]
    value = psds(family, how).value
    if not rocs:
        assert value is None
        return
    rates = sorted({rate for own in rocs for rate, _ in own if rate <= how.e_max})
    area = 0.0
    for rate, end in zip(rates, [*rates[1:], how.e_max], strict=True):
        best = [max((share for other, share in own if other <= rate), default=Fraction(0)) for own in rocs]
        mean = sum(best, Fraction(0)) / len(best)
        area += float((end - rate) / how.e_max) * max(0.0, float(mean) - _deviation(best, mean))
    assert value is not None
    assert isclose(float(value), area, rel_tol=1e-9, abs_tol=1e-9)


@given(detected_scenes(), st.sampled_from(["mean", "event_f1", "segment_error_rate"]), st.booleans())
@settings(max_examples=sized(25))
def test_what_tune_says_of_its_decoding_is_what_scoring_the_kept_events_gives(
    scene: DetectedScene, objective: str, common: bool
) -> None:
    sides = scene.reference, scene.detections.table
    how: dict[str, Any] = {"durations": scene.durations, "ignore": scene.ignore}
    tuned = tune(GATE, *sides, objective, common=common, folds=0, **how)
    decided = {
        clip: tuple(replace(e, confidence=Fraction(e.confidence > tuned.decoding.of(e.label).threshold)) for e in own)
        for clip, own in scene.detections.table.clips.items()
    }
    again = curves(GATE, scene.reference, EventTable("pred", decided), **how)
    found = tuned.record.optimistic
    assert (None if found is None else found.value) == again.value(objective, Fraction(1, 2))


def _deviation(shares: list[Fraction], mean: Fraction) -> float:
    return sqrt(sum((share - mean) ** 2 for share in shares) / len(shares))


@pytest.mark.parametrize(("confidence", "said"), [(None, "no confidence"), (Fraction(3, 2), "the confidence 1.5")])
def test_an_event_without_a_confidence_from_0_to_1_is_refused(confidence: Fraction | None, said: str) -> None:
    event = Event(Fraction(0), Fraction(1), "x", 7, confidence)
    with pytest.raises(InvalidInput) as caught:
        detections_of(EventTable("pred.tsv", {"c": (event,)}), Diagnostics())
    (fault,) = caught.value.diagnostics
    assert fault.code == "bad-score"
    assert said in fault.headline
    assert fault.place == RowPlace("pred.tsv", 7)
