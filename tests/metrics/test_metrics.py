"""The standard metrics on small cases worked by hand, and against plain loops over every frame."""

from fractions import Fraction
from typing import Any

import pytest

from metrics.builders import CONTRACT, Rows, measured, policy, random_sides, rows, table
from tracepact import parse_contract, score
from tracepact.data.assembly import assemble
from tracepact.data.events import Durations
from tracepact.data.family import Family, Mode, Side
from tracepact.data.memory import regions_from
from tracepact.diagnostics.collection import Diagnostics
from tracepact.measures.policy import Arithmetic, Errors, MetricCounts
from tracepact.measures.records import metrics_record
from tracepact.measures.results import CountMetric, MeanMetric
from tracepact.measures.standard import StandardMetrics
from tracepact.measures.tables import compare, compare_overlap, compare_points
from tracepact.runs.tally import measured as metrics_of_run


def counts(found: StandardMetrics, name: str) -> CountMetric:
    (metric,) = (m for m in found.metrics if m.name == name)
    assert isinstance(metric, CountMetric)
    return metric


def mean(found: StandardMetrics, name: str) -> MeanMetric:
    (metric,) = (m for m in found.metrics if m.name == name)
    assert isinstance(metric, MeanMetric)
    return metric


# The collar


@pytest.mark.parametrize(("ref", "pred"), [("a 1.0 3", "a 1.2 3"), ("a 2.0 4", "a 2.2 4")])
def test_an_onset_exactly_at_the_collar_is_within_it_wherever_it_lies(ref: str, pred: str) -> None:
    assert counts(measured(ref, pred), "event").total == MetricCounts(1, 0, 0)


def test_floats_let_a_collar_pass_at_one_second_and_fail_at_two_and_the_difference_is_listed() -> None:
    # 1.2 - 1.0 is 0.19999999999999996 as floats, 2.2 - 2.0 is 0.20000000000000018.
    assert 1.2 - 1.0 <= 0.2 < 2.2 - 2.0
    found = measured({"x": rows("a 1.0 3"), "y": rows("a 2.0 4")}, {"x": rows("a 1.2 3"), "y": rows("a 2.2 4")})
    assert counts(found, "event").total == MetricCounts(2, 0, 0)
    assert found.event.sed_eval.total == MetricCounts(1, 1, 1)
    (difference,) = found.event.differences
    assert (difference.clip, difference.label, difference.exact, difference.sed_eval) == ("y", "a", True, False)
    assert (difference.ref[0], difference.pred[0]) == (Fraction(2), Fraction(11, 5))


@pytest.mark.parametrize(
    ("offset", "matched"),
    [
        # The offset of a 4 s event is off by 0.5 s; a fifth of it is 0.8 s.
        # That of a 0.5 s event is off by 0.15 s; a fifth of it is 0.1 s.
        ("max", 2),
        ("collar", 1),
        ("and", 0),
        ("none", 2),
    ],
)
def test_one_collar_gives_a_value_for_each_offset_rule(offset: str, matched: int) -> None:
    found = measured("a 1 5, a 7 7.5", "a 1 5.5, a 7 7.65", event=policy(offset=offset))
    metric = counts(found, "event")
    assert metric.total == MetricCounts(matched, 2 - matched, 2 - matched)
    assert "200 ms" in metric.policy
    assert metric.input.value == "intervals"


def test_the_share_is_of_the_reference_and_ties_are_within() -> None:
    # 0.4 s of 2 s is exactly a fifth; of the predicted 2.4 s it would be less.
    assert counts(measured("a 1 3", "a 1 3.4"), "event").total == MetricCounts(1, 0, 0)
    assert counts(measured("a 1 3", "a 1 3.401"), "event").total == MetricCounts(0, 1, 1)


# What the metrics see of four fragments


def test_four_fragments_are_perfect_in_segments_and_wrong_as_events() -> None:
    found = measured("a 0 4", "a 0 0.9, a 1 1.9, a 2 2.9, a 3 3.9")
    assert counts(found, "segment").micro.f1 == 1
    assert counts(found, "event").total == MetricCounts(0, 4, 1)
    # 20 ms frames: 200 in the reference, 45 in each fragment.
    assert counts(found, "frame").total == MetricCounts(180, 0, 20)
    # The greedy matcher pairs the event with one fragment: the first shares its onset.
    assert counts(found, "boundary").total == MetricCounts(1, 3, 0)
    run = score(CONTRACT, [(0, 4)], [(0, 0.9), (1, 1.9), (2, 2.9), (3, 3.9)], durations=5)
    assert run.vector["fragmentation_guard"] == 0


# Values


def test_micro_macro_and_counts_follow_from_the_classes() -> None:
    # a: both found. b: one of two found, one false. c: missed. d: invented.
    found = measured(
        "a 0 1, a 2 3, b 0 1, b 4 5, c 7 8", "a 0 1, a 2 3, b 0 1, b 8 9, d 3 4", event=policy(offset="collar")
    )
    metric = counts(found, "event")
    assert metric.classes == {
        "a": MetricCounts(2, 0, 0),
        "b": MetricCounts(1, 1, 1),
        "c": MetricCounts(0, 0, 1),
        "d": MetricCounts(0, 1, 0),
    }
    assert metric.total == MetricCounts(3, 2, 2)
    assert metric.micro.f1 == Fraction(6, 10)
    # Precision is undefined for c, recall for d.
    macro = metric.macro
    assert macro.rates.f1 == (1 + Fraction(1, 2)) / 4
    assert macro.rates.precision == (1 + Fraction(1, 2)) / 3
    assert macro.rates.recall == (1 + Fraction(1, 2)) / 3
    assert macro.classes == {"precision": 3, "recall": 3, "f1": 4}


def test_sed_eval_leaves_classes_without_precision_or_recall_out_of_its_mean() -> None:
    found = measured("a 0 1, b 2 3", "a 0 1, c 5 6", arithmetic=Arithmetic.SED_EVAL)
    macro = counts(found, "event").macro
    assert (macro.rates.f1, macro.classes["f1"]) == (1.0, 1)
    exact = counts(measured("a 0 1, b 2 3", "a 0 1, c 5 6"), "event").macro
    assert (exact.rates.f1, exact.classes["f1"]) == (Fraction(1, 3), 3)


def test_nothing_at_all_is_undefined_and_not_perfect() -> None:
    found = measured({"x": []}, {"x": []})
    for metric in found.metrics:
        if isinstance(metric, CountMetric):
            assert (metric.micro.f1, metric.macro.rates.f1, metric.error_rate) == (None, None, None)
        else:
            assert (metric.total.mean, metric.macro) == (None, None)


def test_errors_of_events_by_hand() -> None:
    # a at 0 is found; a at 3 is called b: one substitution; a at 6 is missed; c at 8 is invented.
    found = measured("a 0 1, a 3 4, a 6 7", "a 0 1, b 3 4, c 8 9")
    metric = counts(found, "event")
    assert metric.errors == Errors(1, 1, 1, 3)
    assert metric.error_rate == 1


def test_substitutions_are_as_many_as_fit() -> None:
    # The first reference fits both predictions, the second only the first of them: in row order there is one pair.
    found = measured("a 1.0 2, a 0.8 2", "b 0.9 2, c 1.15 2")
    assert counts(found, "event").errors == Errors(2, 0, 0, 2)
    assert found.event.sed_eval.errors == Errors(1, 1, 1, 2)


def test_a_prediction_substitutes_one_reference_only() -> None:
    assert counts(measured("a 1 2, a 1 2", "b 1 2"), "event").errors == Errors(1, 1, 0, 2)
    assert counts(measured("a 1 2", "b 1 2, c 1 2"), "event").errors == Errors(1, 0, 1, 1)


def test_errors_of_segments_by_hand() -> None:
    # Second 0: a against b. Second 1: a and b against a. Second 2: nothing against c. Second 3: a against a.
    found = measured("a 0 2, b 1 2, a 3 4", "b 0 1, a 1 2, c 2 3, a 3 4")
    metric = counts(found, "segment")
    assert metric.classes == {"a": MetricCounts(2, 0, 1), "b": MetricCounts(0, 1, 1), "c": MetricCounts(0, 1, 0)}
    assert metric.errors == Errors(1, 1, 1, 4)


def test_mean_errors_are_over_matched_pairs_by_class() -> None:
    # a: 0.1 and 0.05 late at the onset, 0.2 long at one offset; b: 0.15 early.
    found = measured("a 1 2, a 4 5, b 7 8", "a 1.1 2.2, a 4.05 5, b 6.85 8, b 2 3")
    onset, offset = mean(found, "onset error"), mean(found, "offset error")
    assert (onset.total.pairs, onset.total.mean) == (3, Fraction(1, 10))
    assert onset.macro == (Fraction(3, 40) + Fraction(3, 20)) / 2
    assert offset.total.mean == Fraction(1, 15)


def test_of_several_largest_matchings_the_one_with_the_least_onset_error_counts_then_offset_error() -> None:
    assert mean(measured("a 1 3", "a 1.2 3, a 1.1 3.2"), "onset error").total.total == Fraction(1, 10)
    # Both predictions fit both references; the onsets are 0.2 s off in all, crossed or not, the offsets 0 or 0.6 s.
    found = measured("a 1 3, a 1.1 3.3", "a 1.1 3.3, a 1.2 3")
    assert counts(found, "event").total.tp == 2
    assert mean(found, "onset error").total.total == Fraction(1, 5)
    assert mean(found, "offset error").total.total == 0


def test_a_segment_is_active_only_where_an_event_shares_more_than_a_point() -> None:
    # Ends at the border of second 2; a point inside second 4 has no length.
    found = measured("a 1 2, a 4.5 4.5", "a 1 2")
    assert counts(found, "segment").total == MetricCounts(1, 0, 0)
    # sed_eval rounds a point's ends apart: the cell differs, and is listed.
    assert found.segment.sed_eval.total == MetricCounts(1, 0, 1)
    (cell,) = found.segment.differences
    assert (cell.side, cell.first, cell.count, cell.exact, cell.sed_eval) == (Side.REF, 4, 1, False, True)


def test_float_segments_of_a_tenth_differ_from_exact_ones_and_say_where() -> None:
    # 0.6 / 0.1 is 5.999999999999999 as floats: the event seems to begin a cell early.
    found = measured("a 0.6 1", "a 0.6 1", segment="0.1")
    assert {(c.side, c.first, c.count, c.exact) for c in found.segment.differences} == {
        (Side.REF, 5, 1, False),
        (Side.PRED, 5, 1, False),
    }
    assert (counts(found, "segment").total.tp, found.segment.sed_eval.total.tp) == (4, 5)


# Transitions and boundaries


def test_transition_frames_are_those_near_an_edge_of_the_reference() -> None:
    # Frames of 20 ms, radius 2. The reference is 50 to 99, its edges are 50 and 100: frames 48 to 52 and 98 to 102.
    # The prediction is 51 to 100: 51 and 52, 98 and 99 right; 50 missed; 100 false.
    found = measured("a 1 2", "a 1.02 2.02", transition="0.04", durations=5)
    assert counts(found, "transition").total == MetricCounts(4, 1, 1)


def test_an_event_that_reaches_the_end_has_no_offset_to_be_near() -> None:
    # Edge at frame 50 only: 48 to 52, all of the reference's 50 to 52 right.
    found = measured("a 1 2", "a 1 1.5", transition="0.04", durations=2)
    assert counts(found, "transition").total == MetricCounts(3, 0, 0)


def test_boundaries_are_of_runs_and_events_of_intervals() -> None:
    # Touching events are one run on the grid and two events in the table.
    found = measured("a 1 2, a 2 3", "a 1 3")
    assert counts(found, "boundary").total == MetricCounts(1, 0, 0)
    assert counts(found, "event").total == MetricCounts(0, 1, 2)
    assert {m.name: m.input.value for m in found.metrics} == {
        "frame": "trace",
        "segment": "intervals",
        "event": "intervals",
        "boundary": "trace",
        "transition": "trace",
        "onset error": "intervals",
        "offset error": "intervals",
    }


@pytest.mark.parametrize("seed", range(25))
def test_metrics_of_cells_are_those_of_plain_loops(seed: int) -> None:
    ref, pred = random_sides(seed)
    ref, pred = ({clip: side.get(clip, []) for clip in ref | pred} for side in (ref, pred))
    if not any(ref.values()) and not any(pred.values()):
        return
    durations = dict.fromkeys(ref, "6")
    found = measured(ref, pred, durations=durations, transition="0.06")
    family = assemble(
        CONTRACT,
        table(ref),
        table(pred),
        durations=Durations("d", {clip: Fraction(6) for clip in ref}),
        diagnostics=Diagnostics(),
    )
    assert counts(found, "frame").classes == looped(family, None)
    assert counts(found, "transition").classes == looped(family, 3)
    assert counts(found, "frame").errors == looped_errors(family)


def frames(family: Family, side: Side, label: int, clip: int) -> list[bool]:
    runs = family.runs[side].get(family.segment(label, clip), ())
    return [any(start <= i < end for start, end in runs) for i in range(family.frames[clip])]


def looped(family: Family, radius: int | None) -> dict[str, MetricCounts]:
    found = {}
    for label, name in enumerate(family.classes):
        tally = MetricCounts(0, 0, 0)
        for clip in range(len(family.clips)):
            ref, pred = (frames(family, side, label, clip) for side in (Side.REF, Side.PRED))
            edges = [i for i in range(len(ref)) if (ref[i] != ref[i - 1] if i else ref[0])]
            for i, (r, p) in enumerate(zip(ref, pred, strict=True)):
                if radius is None or any(abs(i - edge) <= radius for edge in edges):
                    tally += MetricCounts(int(r and p), int(p and not r), int(r and not p))
        found[name] = tally
    return found


def looped_errors(family: Family) -> Errors:
    substituted = deleted = inserted = reference = 0
    labels = range(len(family.classes))
    for clip in range(len(family.clips)):
        refs, preds = ([frames(family, side, k, clip) for k in labels] for side in (Side.REF, Side.PRED))
        for i in range(family.frames[clip]):
            r, p = sum(side[i] for side in refs), sum(side[i] for side in preds)
            both = sum(a[i] and b[i] for a, b in zip(refs, preds, strict=True))
            substituted += min(r, p) - both
            deleted += max(0, r - p)
            inserted += max(0, p - r)
            reference += r
    return Errors(substituted, deleted, inserted, reference)


# Clips, classes and regions


def test_false_alarms_on_clips_the_reference_does_not_list_count_and_are_said() -> None:
    diagnostics = Diagnostics()
    found = measured({"x": rows("a 1 2")}, {"x": rows("a 1 2"), "y": rows("a 1 2, a 4 5")}, diagnostics=diagnostics)
    assert counts(found, "event").total == MetricCounts(1, 2, 0)
    assert counts(found, "frame").total == MetricCounts(50, 100, 0)
    assert [d.headline for d in diagnostics if d.code == "unlisted-clip"] == [
        "neither the reference nor the durations name `y`; its 2 events count as false positives"
    ]
    assert counts(measured({"x": []}, {"y": rows("a 1 2")}, durations=3), "event").total == MetricCounts(0, 1, 0)


def test_silence_at_the_end_of_a_clip_changes_nothing() -> None:
    for seed in range(10):
        ref, pred = random_sides(seed)
        if not any(ref.values()) and not any(pred.values()):
            continue
        long = dict.fromkeys(ref | pred, "60")
        first, second = measured(ref, pred), measured(ref, pred, durations=long)
        assert [m.classes for m in first.metrics] == [m.classes for m in second.metrics]


def test_of_a_contract_only_grid_and_matcher_matter() -> None:
    """Its clauses ask for a mask and look further than the clip is long; nobody asks them."""
    contract = parse_contract(
        "contract zoned step 10ms atom zone clause far on zone & ref_active : N[100s] pred_active", None
    )
    diagnostics = Diagnostics()
    found = measured("a 1 2", "a 1 2", contract=contract, diagnostics=diagnostics)
    assert counts(found, "frame").total == MetricCounts(100, 0, 0)
    assert not list(diagnostics)


def test_a_clip_whose_length_nobody_gave_is_part_of_the_policy() -> None:
    sides = {"x": rows("a 1 2"), "y": rows("a 1 2")}
    for durations, words in (
        ({"x": 5}, "1 of 2 clips without a duration"),
        (None, "2 of 2 clips without a duration"),
        (5, ""),
        ({"x": 5, "y": 5}, ""),
    ):
        found = measured(sides, sides, durations=durations)
        for name in ("frame", "boundary", "transition"):
            assert words in counts(found, name).policy
            assert ("without a duration" in counts(found, name).policy) == bool(words)
        assert "without a duration" not in counts(found, "event").policy


def test_labels_as_one_are_compared_as_one() -> None:
    found = measured("a 1 2, b 4 5", "b 1 2, b 4 5", mode=Mode.UNION)
    assert counts(found, "event").classes == {"*": MetricCounts(2, 0, 0)}
    assert counts(found, "frame").total == MetricCounts(100, 0, 0)


def joined_by_hand(side: Rows) -> Rows:
    """The tenths of a second that events of a clip cover, ends included, as events of one label."""
    found: Rows = {}
    for clip, events in side.items():
        spans = [(int(Fraction(onset) * 10), int(Fraction(offset) * 10)) for onset, offset, _ in events]
        joined: list[list[int]] = []
        while spans:
            start, end = spans.pop()
            while touching := [span for span in spans if span[0] <= end and start <= span[1]]:
                spans = [span for span in spans if span not in touching]
                start, end = min(start, *(a for a, _ in touching)), max(end, *(b for _, b in touching))
            joined.append([start, end])
        found[clip] = [(f"{start / 10:.1f}", f"{end / 10:.1f}", "*") for start, end in joined]
    return found


@pytest.mark.parametrize("arithmetic", Arithmetic)
@pytest.mark.parametrize("seed", range(20))
def test_metrics_of_a_union_are_those_of_the_joined_events(seed: int, arithmetic: Arithmetic) -> None:
    """Of events, boundaries, cells, distances, points and overlaps, also with ignore regions (rule 15.23)."""
    sides = random_sides(seed, places=100)
    regions = [("2", "6", "label0"), ("7", "8", "")]
    for ignored in ([], regions):
        ways = []
        for mode, labels, given in (
            (Mode.UNION, ["label0", ""], sides),
            (Mode.CLASS_INDEXED, ["", ""], tuple(map(joined_by_hand, sides))),
        ):
            cut = [(onset, offset, label) for (onset, offset, _), label in zip(ignored, labels, strict=False)]
            diagnostics = Diagnostics()
            shared: dict[str, Any] = {
                "mode": mode,
                "ignore": regions_from(dict.fromkeys(sides[0], cut), diagnostics),
                "diagnostics": diagnostics,
            }
            tables = table(given[0]), table(given[1])
            found = (
                compare(CONTRACT, *tables, arithmetic=arithmetic, **shared),
                compare_points(*tables, **shared),
                compare_overlap(*tables, **shared),
            )
            ways.append([metrics_record(one).to_dict() for one in found])
        assert ways[0] == ways[1]


def test_a_prediction_of_what_a_union_covers_is_perfect() -> None:
    """Two references that overlap are the one event from 1 to 3, by whatever way the union is scored."""
    events = {"c": [("1", "2", "a"), ("1.5", "3", "b")]}, {"c": [("1", "3", "c")]}
    run = score(CONTRACT, *events, durations="5", mode="union")
    found = metrics_of_run(run)
    assert [counts(found, name).micro.f1 for name in ("event", "boundary", "segment", "frame")] == [1, 1, 1, 1]
    assert counts(found, "event").classes == {"*": MetricCounts(1, 0, 0)}
    # A third label inside is no event of its own; one beside it is, and one label "*" is no union.
    more = {"c": [("1", "2", "a"), ("1.2", "1.7", "c"), ("1.5", "3", "b"), ("3.1", "4", "a")]}
    assert counts(measured(more, {"c": [("1", "3", "x")]}, mode=Mode.UNION), "event").total == MetricCounts(1, 0, 1)
    same = {"c": [("1", "2", "*"), ("1.5", "3", "*")]}
    assert counts(measured(same, same), "event").total == MetricCounts(2, 0, 0)


def test_an_ignored_event_counts_on_neither_side_and_is_said() -> None:
    # The region holds the second reference and a prediction beside it wholly, and the end of the first prediction.
    # The prediction from 5.5 to 7 s begins in it and ends after it: it counts.
    found = measured(
        "a 1 2, a 4 5", "a 1 2.1, a 4.4 5, a 5.5 7, b 4.2 4.6", ignore=table({"clip": [("2", "6", "a")]}), durations=8
    )
    assert found.left_out == 2
    assert counts(found, "event").classes == {"a": MetricCounts(1, 1, 0), "b": MetricCounts(0, 1, 0)}
    # Frames 100 to 299 of class a do not count; those of b do.
    assert counts(found, "frame").classes == {"a": MetricCounts(50, 50, 0), "b": MetricCounts(0, 20, 0)}
    assert counts(found, "boundary").classes == {"a": MetricCounts(1, 1, 0), "b": MetricCounts(0, 1, 0)}


def test_times_of_many_digits_are_compared_exactly() -> None:
    tiny = "0." + "0" * 24 + "1"
    near, far = f"1.2{'0' * 24}", f"1.2{'0' * 23}1"
    found = measured(f"a 1 3, b {tiny} 2", f"a {near} 3, b 0 2")
    assert counts(found, "event").total == MetricCounts(2, 0, 0)
    found = measured("a 1 3", f"a {far} 3")
    assert counts(found, "event").total == MetricCounts(0, 1, 1)
    # As floats both are 1.2, which is within the collar of 1.
    assert found.event.sed_eval.total == MetricCounts(1, 0, 0)
    assert [d.exact for d in found.event.differences] == [False]
