"""Metrics over every threshold are those of the decoded events; PSDS and average precision are those of their rules."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import isclose, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import sized

from thresholds.builders import Scene, field_of, scenes
from tracepact import load_contract
from tracepact.data.decoding import Decoding, decode
from tracepact.data.events import Durations, Event, EventTable
from tracepact.data.family import Family, Mode
from tracepact.measures.policy import EventPolicy, MetricSettings, OffsetRule
from tracepact.measures.results import CountMetric, Intervals, intervals
from tracepact.measures.standard import event_metrics, frame_metrics, segment_metrics
from tracepact.thresholds.metrics import level_runs
from tracepact.thresholds.psds import SCENARIOS, Criteria, Psds, average_precision, intersections, psds
from tracepact.thresholds.quantities import CurveSettings, Quantities

GATE = load_contract("boundary_gate")
shares = st.sampled_from([Fraction(1, 10), Fraction(1, 2), Fraction(7, 10), Fraction(1)])
Piece = tuple[int, int, int, int]
"""Clip, class, onset, offset."""


def pieces(given: Intervals) -> tuple[list[Piece], list[Piece]]:
    ref, pred = (
        list(zip(*(c.tolist() for c in (side.clip, side.label, side.onset, side.offset)), strict=True))
        for side in (given.ref, given.pred)
    )
    return ref, pred


def shared(a: Piece, b: Piece) -> int:
    return max(0, min(a[3], b[3]) - max(a[2], b[2])) if a[0] == b[0] else 0


def relevant(refs: Sequence[Piece], preds: Sequence[Piece], dtc: Fraction) -> list[Piece]:
    lasting = [p for p in preds if p[3] > p[2]]
    return [p for p in lasting if sum(shared(p, r) for r in refs if r[1] == p[1]) >= dtc * (p[3] - p[2])]


def covered(ref: Piece, preds: Sequence[Piece]) -> int:
    """How much of a reference lies on detections, where several lie counted once (rule 20.13)."""
    there = [p for p in preds if p[0] == ref[0]]
    edges = sorted({ref[2], ref[3], *(t for p in there for t in p[2:] if ref[2] < t < ref[3])})
    return sum(b - a for a, b in pairwise(edges) if any(p[2] <= a and b <= p[3] for p in there))


def naive_counts(refs: Sequence[Piece], preds: Sequence[Piece], criteria: Criteria, label: int) -> tuple[int, int, int]:
    """True positives, false positives and false negatives of one class, by rule 20.3."""
    good = [p for p in relevant(refs, preds, criteria.dtc) if p[1] == label]
    own = [r for r in refs if r[1] == label]
    found = [r for r in own if (s := covered(r, good)) > 0 and s >= criteria.gtc * (r[3] - r[2])]
    return len(found), sum(p[1] == label for p in preds) - len(good), len(own) - len(found)


def naive_triggers(refs: Sequence[Piece], preds: Sequence[Piece], criteria: Criteria, label: int, other: int) -> int:
    good, cttc = relevant(refs, preds, criteria.dtc), criteria.cttc
    assert cttc is not None
    wrong = [p for p in preds if p[1] == label and p[3] > p[2] and p not in good]
    on_other = [(p, sum(shared(p, r) for r in refs if r[1] == other)) for p in wrong]
    return sum(some > 0 and some >= cttc * (p[3] - p[2]) for p, some in on_other)


def decoded(scene: Scene, threshold: Fraction, times: Sequence[Fraction], family: Family) -> Intervals:
    events = decode(scene.field, Decoding(threshold))
    return intervals(scene.reference, events, family.clips, family.classes, times, scene.ignore, mode=family.mode)


@given(
    scenes(beyond=False),
    st.sampled_from(Mode),
    st.sampled_from([Fraction(1, 50), Fraction(1, 5)]),
    st.sampled_from(OffsetRule),
    st.data(),
)
@settings(max_examples=sized(80))
def test_frame_segment_and_event_counts_are_those_of_the_decoded_events(
    scene: Scene, mode: Mode, collar: Fraction, offset: OffsetRule, data: st.DataObject
) -> None:
    """By class and in union, where detections that touch or overlap are one (rule 20.16)."""
    length = data.draw(st.sampled_from([Fraction(1, 10), Fraction(1, 3), Fraction(1)]))
    policies = MetricSettings(EventPolicy(collar, offset), length)
    family = scene.family(GATE, mode)
    quantities = Quantities(GATE, family, CurveSettings(policies))
    for threshold in data.draw(st.lists(st.sampled_from(scene.thresholds()), min_size=1, max_size=3)):
        cut = scene.field.levels.above(threshold)
        given = decoded(scene, threshold, (collar, length), family.family)
        expected: dict[str, CountMetric] = {
            "event": event_metrics(given, policies).exact,
            "segment": segment_metrics(given, policies).exact,
            "frame": frame_metrics(family.at(cut), Fraction(1, 5), "")[0],
        }
        for name, metric in expected.items():
            counts = quantities.metric(name)
            tallies = counts.tallies.at(cut).sum(axis=2).T.tolist()
            assert tallies == [[t.tp, t.fp, t.fn] for t in metric.classes.values()], name
            assert metric.errors is not None
            assert counts.substitutions is not None
            assert int(counts.substitutions.at(cut).sum()) == metric.errors.substitutions, name
            assert quantities.values(f"{name}_error_rate").at(cut) == metric.error_rate, name
            for rate in ("precision", "recall", "f1"):
                assert quantities.values(f"{name}_{rate}").at(cut) == getattr(metric.micro, rate)
                assert quantities.values(f"{name}_macro_{rate}").at(cut) == getattr(metric.macro.rates, rate)


@given(scenes(beyond=False), st.sampled_from(Mode), shares, shares, st.data())
@settings(max_examples=sized(80))
def test_intersection_counts_are_those_of_the_rule(
    scene: Scene, mode: Mode, dtc: Fraction, gtc: Fraction, data: st.DataObject
) -> None:
    criteria = Criteria(dtc, gtc, Fraction(3, 10))
    family = scene.family(GATE, mode)
    found = intersections(family, criteria)
    assert found.triggers is not None
    classes = len(family.family.classes)
    for threshold in data.draw(st.lists(st.sampled_from(scene.thresholds()), min_size=1, max_size=3)):
        cut = scene.field.levels.above(threshold)
        refs, preds = pieces(decoded(scene, threshold, (), family.family))
        counts, triggers = found.tallies.at(cut).sum(axis=2), found.triggers.at(cut)[0].sum(axis=1)
        for label in range(classes):
            assert tuple(counts[:, label].tolist()) == naive_counts(refs, preds, criteria, label)
            for other in range(classes):
                if other != label:
                    expected = naive_triggers(refs, preds, criteria, label, other)
                    assert triggers[label * classes + other] == expected


@given(scenes(longest=20, beyond=False))
@settings(max_examples=sized(40))
def test_every_run_is_there_exactly_at_its_cuts(scene: Scene) -> None:
    family = scene.family(GATE)
    runs = level_runs(family)
    for cut in range(len(scene.field.levels) + 1):
        there = (runs.low < cut) & (cut <= runs.high)
        found = sorted(zip(runs.segment[there], runs.first[there], runs.last[there], strict=True))
        expected = []
        for label in range(family.shape[0]):
            for clip, name in enumerate(family.family.clips):
                active = np.concatenate([[0], (family.field.clips[name].ranks[:, label] >= cut), [0]])
                edges = np.flatnonzero(np.diff(active))
                own = label * family.shape[1] + clip
                expected += [(own, a, b) for a, b in zip(edges[::2], edges[1::2], strict=True)]
        assert found == expected


def naive_psds(scene: Scene, how: Psds) -> float | None:
    """By rule 20.5, from the counts at every cut, one after another."""
    family = scene.family(GATE)
    classes = family.family.classes
    hours = sum(family.lengths.values(), Fraction(0)) / 3600
    rocs = []
    points: dict[int, list[tuple[Fraction, Fraction]]] = {k: [] for k in range(len(classes))}
    lengths: dict[int, Fraction] = {}
    for cut in range(len(scene.field.levels) + 1):
        events = {
            clip: tuple(
                Event(scores.edges[a], scores.edges[b], classes[k])
                for k in range(len(classes))
                for a, b in _runs((scores.ranks[:, k] >= cut).tolist())
            )
            for clip, scores in family.field.clips.items()
        }
        given = intervals(
            scene.reference, EventTable("p", events), family.family.clips, classes, (), mode=Mode.CLASS_INDEXED
        )
        refs, preds = pieces(given)
        lengths = {k: Fraction(sum(r[3] - r[2] for r in refs if r[1] == k), given.unit) / 3600 for k in points}
        for k in points:
            tp, fp, fn = naive_counts(refs, preds, how.criteria, k)
            others = [o for o in points if o != k and lengths[o]]
            rate = Fraction(fp) / hours
            if how.alpha_ct and others:
                rates = [naive_triggers(refs, preds, how.criteria, k, o) / lengths[o] for o in others]
                rate += how.alpha_ct * sum(rates, Fraction(0)) / len(others)
            if tp + fn:
                points[k].append((rate, Fraction(tp, tp + fn)))
    rocs = [found for found in points.values() if found]
    if not rocs:
        return None
    rates = sorted({rate for found in rocs for rate, _ in found if rate <= how.e_max})
    area = 0.0
    for rate, end in zip(rates, [*rates[1:], how.e_max], strict=True):
        best = [max(share for other, share in found if other <= rate) for found in rocs]
        mean = sum(best, Fraction(0)) / len(best)
        deviation = sqrt(sum((share - mean) ** 2 for share in best) / len(best))
        area += float((end - rate) / how.e_max) * max(0.0, float(mean) - float(how.alpha_st) * deviation)
    return area


def _runs(active: list[bool]) -> list[tuple[int, int]]:
    edges = [k for k in range(len(active) + 1) if (k < len(active) and active[k]) != (k > 0 and active[k - 1])]
    return list(zip(edges[::2], edges[1::2], strict=True))


@given(scenes(longest=12, beyond=False, ignoring=False), st.sampled_from(["psds1", "psds2"]), st.booleans())
@settings(max_examples=sized(30))
def test_psds_is_the_area_of_its_rule(scene: Scene, scenario: str, wide: bool) -> None:
    """With the rates of such short clips, e_max of the scenarios is small; a larger one reaches every point."""
    how = SCENARIOS[scenario]
    if wide:
        how = Psds(how.criteria, how.alpha_ct, how.alpha_st, Fraction(100_000))
    value, expected = psds(scene.family(GATE), how).value, naive_psds(scene, how)
    if value is None or expected is None:
        assert value is None
        assert expected is None
    else:
        assert isclose(float(value), expected, rel_tol=1e-12, abs_tol=1e-12)


def one_class(scores: list[str], events: list[tuple[str, str]]) -> Scene:
    ref = tuple(Event(Fraction(a), Fraction(b), "x") for a, b in events)
    field = field_of({"c": (Fraction(1), {"x": scores})})
    return Scene(EventTable("ref", {"c": ref}), field, Durations("durations", {"c": Fraction(len(scores))}), None)


def test_average_precision_by_hand() -> None:
    """Two references: 0.9 finds the first, 0.6 is a false alarm, 0.3 finds the second: 1/2 · 1 + 1/2 · 2/3."""
    scene = one_class(["0.9", "0", "0.6", "0", "0.3"], [("0", "1"), ("4", "5")])
    found = intersections(scene.family(GATE), Criteria(Fraction(1, 2), Fraction(1, 2)))
    assert average_precision(found.tallies) == Fraction(1, 2) + Fraction(1, 2) * Fraction(2, 3)


def test_psds_by_hand() -> None:
    """One false alarm in 5 s is 720 an hour, and e_max is 1440: half is found without one, all with it."""
    scene = one_class(["0.9", "0", "0.6", "0", "0.3"], [("0", "1"), ("4", "5")])
    how = Psds(Criteria(Fraction(1, 2), Fraction(1, 2)), e_max=Fraction(1440))
    found = psds(scene.family(GATE), how)
    assert found.value == Fraction(3, 4)
    assert [(point.rate, point.found) for point in found.rocs["x"]] == [(0, Fraction(1, 2)), (720, 1)]


def test_in_union_detections_of_two_classes_that_touch_are_one() -> None:
    """At 0.5 one class is heard from 0 to 2 s, the other from 2 to 3: one detection of the one event from 0 to 3.

    At 0.75 it ends at 2 s: nothing near the end of the event, and two thirds of it.
    """
    refs = (Event(Fraction(0), Fraction(2), "x"), Event(Fraction(1), Fraction(3), "y"))
    field = field_of({"c": (Fraction(1), {"x": ["0.9", "0.8", "0"], "y": ["0", "0", "0.7"]})})
    scene = Scene(EventTable("ref", {"c": refs}), field, Durations("durations", {"c": Fraction(3)}), None)
    quantities = Quantities(GATE, scene.family(GATE, Mode.UNION))
    for threshold, expected in ((Fraction(1, 2), [1, 0, 0]), (Fraction(3, 4), [0, 1, 1])):
        cut = field.levels.above(threshold)
        assert quantities.metric("event").tallies.at(cut).sum(axis=(1, 2)).tolist() == expected
    for gtc, expected in ((Fraction(2, 3), [1, 0, 0]), (Fraction(7, 10), [0, 0, 1])):
        found = intersections(scene.family(GATE, Mode.UNION), Criteria(Fraction(1), gtc))
        assert found.tallies.at(field.levels.above(Fraction(3, 4))).sum(axis=(1, 2)).tolist() == expected


def test_in_union_what_two_classes_cover_of_a_reference_is_covered_once() -> None:
    """Both classes are heard on the first second of two: half of the reference is covered, not all of it."""
    refs = (Event(Fraction(0), Fraction(2), "x"),)
    field = field_of({"c": (Fraction(1), {"x": ["0.9", "0"], "y": ["0.9", "0"]})})
    scene = Scene(EventTable("ref", {"c": refs}), field, Durations("durations", {"c": Fraction(2)}), None)
    family = scene.family(GATE, Mode.UNION)
    for gtc, expected in ((Fraction(1, 2), [1, 0, 0]), (Fraction(3, 5), [0, 0, 1])):
        found = intersections(family, Criteria(Fraction(1, 2), gtc))
        assert found.tallies.at(1).sum(axis=(1, 2)).tolist() == expected


@pytest.mark.parametrize(("events", "expected"), [([("0", "1"), ("1", "2")], 2), ([("0", "2"), ("1", "2")], 2)])
def test_references_that_touch_or_overlap_are_each_counted(events: list[tuple[str, str]], expected: int) -> None:
    scene = one_class(["0.9", "0.9", "0"], events)
    found = intersections(scene.family(GATE), Criteria(Fraction(1), Fraction(1)))
    assert found.tallies.at(1).sum(axis=(1, 2)).tolist() == [expected, 0, 0]
