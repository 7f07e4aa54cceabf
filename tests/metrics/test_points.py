"""Timestamps against buffered references: the metric and the contract on the same scenarios; overlaps beside them."""

import random
from fractions import Fraction
from pathlib import Path

import pytest
from cli.command import run

from metrics.builders import Rows, rows, table
from tracepact import load_contract, score
from tracepact.data.events import EventTable
from tracepact.data.family import Mode
from tracepact.data.formats import read_events
from tracepact.data.memory import regions_from
from tracepact.diagnostics.collection import Diagnostics
from tracepact.language.contract import Aggregation
from tracepact.measures.policy import MetricCounts, Unknown
from tracepact.measures.results import CountMetric, Measured
from tracepact.measures.tables import compare_overlap, compare_points, point_frames

CONTRACT = load_contract("bio_points")


def points(text: str) -> list[tuple[str, str, str]]:
    """Timestamps, written `a 10.5, b 3`."""
    return rows(",".join(f"{part} {part.split()[1]}" for part in text.split(",") if part.strip()))


def overlapped(ref: str, pred: str) -> CountMetric:
    """The overlap metric of one clip."""
    sides = (table({"x": rows(side)}) for side in (ref, pred))
    return only(compare_overlap(*sides, diagnostics=Diagnostics()))


def only(found: Measured) -> CountMetric:
    (metric,) = found.metrics
    assert isinstance(metric, CountMetric)
    return metric


def by_contract(ref: EventTable, pred: EventTable, duration: int = 60) -> dict[str, MetricCounts]:
    """The same counts out of the contract's two clauses, by class."""
    sides = [point_frames(side, CONTRACT.step) for side in (ref, pred)]
    card = score(CONTRACT, *sides, durations=duration).card
    found = {}
    for number, label in enumerate(card.family.classes):
        hit, caused = (card.score(clause, Aggregation.POOLED, label=number) for clause in ("found", "caused"))
        found[label] = MetricCounts(hit.satisfied, caused.obligated - caused.satisfied, hit.obligated - hit.satisfied)
    return found


SCENARIOS = {
    # Three detections in the buffer of the call at 10 s (8.5 to 11.5) find it once, and none of them is false.
    # The call at 30 s is missed, the detection at 40 s is near none.
    "several detections of one call": ("a 10, a 30", "a 8.5, a 10.2, a 11.5, a 40", MetricCounts(1, 1, 1)),
    # The buffers of 10 and 12 s overlap from 10.5 to 11.5; the detection lies in both and finds both. The call at
    # 14.5 s is 3.5 s from it: joined buffers would have found it.
    "one detection of several calls": ("a 10, a 12, a 14.5", "a 11", MetricCounts(2, 0, 1)),
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_metric_and_contract_count_a_scenario_as_it_is_by_hand(name: str) -> None:
    ref, pred, expected = SCENARIOS[name]
    sides = [table({"clip": points(side)}) for side in (ref, pred)]
    metric = only(compare_points(*sides, diagnostics=Diagnostics()))
    assert metric.classes == {"a": expected}
    assert by_contract(*sides) == {"a": expected}
    assert "1.5 s" in metric.policy


@pytest.mark.parametrize(("at", "found"), [("8.5", 1), ("11.5", 1), ("8.499", 0), ("11.501", 0)])
def test_both_ends_of_a_buffer_are_included(at: str, found: int) -> None:
    sides = table({"clip": points("a 10")}), table({"clip": points(f"a {at}")})
    assert only(compare_points(*sides, diagnostics=Diagnostics())).total == MetricCounts(found, 1 - found, 1 - found)


def test_values_are_by_label_and_averaged_over_labels() -> None:
    # a: one of two found, one false: precision and recall 1/2. b: found: 1.
    sides = table({"x": points("a 10, a 20, b 10")}), table({"x": points("a 10, a 40, b 11"), "y": []})
    metric = only(compare_points(*sides, diagnostics=Diagnostics()))
    assert metric.classes == {"a": MetricCounts(1, 1, 1), "b": MetricCounts(1, 0, 0)}
    assert metric.macro.rates.f1 == Fraction(3, 4)
    # In union the points of a and b at 10 are one, which is found; 20 is not, 40 is false.
    assert only(compare_points(*sides, diagnostics=Diagnostics(), mode=Mode.UNION)).total == MetricCounts(1, 1, 1)


def random_points(seed: int) -> tuple[Rows, Rows]:
    """Timestamps in hundredths of a second, no two of a side in one frame."""
    draw = random.Random(seed)
    return tuple(  # type: ignore[return-value]
        {
            clip: [
                (f"{at / 100:.2f}", f"{at / 100:.2f}", f"label{draw.randrange(2)}")
                for at in draw.sample(range(0, 2000, draw.choice((1, 50))), draw.randrange(12))
            ]
            for clip in ("x", "y")
        }
        for _ in range(2)
    )


@pytest.mark.parametrize("seed", range(40))
def test_metric_and_contract_agree_with_a_plain_loop(seed: int) -> None:
    ref, pred = random_points(seed)
    sides = table(ref), table(pred)
    expected: dict[str, MetricCounts] = {}
    for label in sorted(sides[0].labels | sides[1].labels):
        tally = MetricCounts(0, 0, 0)
        for clip in ("x", "y"):
            refs, preds = ([Fraction(a) for a, _, name in side[clip] if name == label] for side in (ref, pred))
            hit = sum(any(abs(r - p) <= Fraction(3, 2) for p in preds) for r in refs)
            false = sum(not any(abs(r - p) <= Fraction(3, 2) for r in refs) for p in preds)
            tally += MetricCounts(hit, false, len(refs) - hit)
        expected[label] = tally
    assert only(compare_points(*sides, diagnostics=Diagnostics())).classes == expected
    if expected:
        assert by_contract(*sides) == expected


def test_a_mask_of_points_has_one_frame_a_timestamp() -> None:
    found = point_frames(table({"x": [("1.234", "9", "a"), ("2.01", "2.01", "b")]}), Fraction(1, 100))
    assert [(e.onset, e.offset) for e in found.clips["x"]] == [
        (Fraction(123, 100), Fraction(124, 100)),
        (Fraction(201, 100), Fraction(202, 100)),
    ]


# Overlaps


def test_a_further_prediction_on_a_matched_reference_is_false() -> None:
    # 0 to 4 has 0.4 of the reference, 5 to 10 has 0.5.
    metric = only(
        compare_overlap(table({"x": rows("a 0 10")}), table({"x": rows("a 0 4, a 5 10")}), diagnostics=Diagnostics())
    )
    assert metric.total == MetricCounts(1, 1, 0)


@pytest.mark.parametrize(("pred", "found"), [("a 7 10", 0), ("a 6.999 10", 1), ("a 4 14.3", 1), ("a 10 20", 0)])
def test_the_threshold_is_exceeded_and_not_met(pred: str, found: int) -> None:
    # 3 s of 10 s is exactly 0.3 and not more; 6 s of 14.3 s is.
    metric = overlapped("a 0 10", pred)
    assert metric.total == MetricCounts(found, 1 - found, 1 - found)
    assert "0.3" in metric.policy


def test_as_many_pairs_as_fit_are_taken() -> None:
    # The first prediction fits both references, the second only the first of them.
    metric = only(
        compare_overlap(
            table({"x": rows("a 0 4, a 5 9")}), table({"x": rows("a 0 9, a 0 3")}), diagnostics=Diagnostics()
        )
    )
    assert metric.total == MetricCounts(2, 0, 0)


def test_what_is_left_over_is_matched_with_what_is_unknown() -> None:
    """0 to 4 takes the event. Of the two that lie on the region of a, one is excused; that of b is for b alone.

    Left out by regions would be the second and third prediction, and the reference from 20 on.
    """
    sides = table({"x": rows("a 0 4, a 20 22")}), table({"x": rows("a 0 4, a 11 15, a 12 16, a 40 44, b 41 44")})
    regions = regions_from({"x": [("10", "16", "a"), ("19", "30", "a"), ("40", "44", "b")]}, Diagnostics())
    found = compare_overlap(*sides, ignore=regions, unknown=Unknown.FEW_SHOT, diagnostics=Diagnostics())
    assert only(found).classes == {"a": MetricCounts(1, 2, 1), "b": MetricCounts(0, 0, 0)}
    assert found.left_out == 2
    assert "few-shot" in only(found).policy
    usual = compare_overlap(*sides, ignore=regions, diagnostics=Diagnostics())
    assert only(usual).classes == {"a": MetricCounts(1, 1, 0), "b": MetricCounts(0, 0, 0)}
    # A region of no class holds for every class, once for each; in union there is one class.
    of_all = regions_from({"x": [("11", "15", ""), ("40", "44", "")]}, Diagnostics())
    found = compare_overlap(*sides, ignore=of_all, unknown=Unknown.FEW_SHOT, diagnostics=Diagnostics())
    assert only(found).classes == {"a": MetricCounts(1, 1, 1), "b": MetricCounts(0, 0, 0)}
    union = {"mode": Mode.UNION, "ignore": of_all, "diagnostics": Diagnostics()}
    assert only(compare_overlap(*sides, unknown=Unknown.FEW_SHOT, **union)).total == MetricCounts(1, 0, 1)


@pytest.mark.parametrize("seed", range(20))
def test_every_overlap_is_found(seed: int) -> None:
    """Against all pairs, when each reference fits at most one prediction and the other way round."""
    draw = random.Random(seed)
    sides = []
    for _ in range(2):
        starts = sorted(draw.sample(range(100), 12))
        sides.append({"x": [(str(s), str(s + draw.randrange(1, 12)), "a") for s in starts]})
    pairs = {
        (i, j)
        for i, (a, b, _) in enumerate(sides[0]["x"])
        for j, (c, d, _) in enumerate(sides[1]["x"])
        if iou(int(a), int(b), int(c), int(d)) > Fraction(9, 10)
    }
    metric = only(
        compare_overlap(table(sides[0]), table(sides[1]), threshold=Fraction(9, 10), diagnostics=Diagnostics())
    )
    if len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs):
        assert metric.total.tp == len(pairs)
    assert metric.total.tp <= len(pairs)


def iou(a: int, b: int, c: int, d: int) -> Fraction:
    shared = max(0, min(b, d) - max(a, c))
    return Fraction(shared, (b - a) + (d - c) - shared)


# From files

BIO = "dataset,filename,annotation,start_datetime,end_datetime\n"


def row(label: str, seconds: str) -> str:
    return f"site,2015-02-04T03-00-00_000.wav,{label},2015-02-04T03:00:{seconds}+00:00,\n"


def test_timestamps_of_a_file_are_scored_by_the_metric_and_converted_for_the_contract(tmp_path: Path) -> None:
    (tmp_path / "ref.csv").write_text(BIO + row("bma", "10.000000") + row("bma", "12.000000"))
    (tmp_path / "pred.csv").write_text(BIO + row("bma", "11.000000") + row("bma", "40.000000"))
    found = run("metrics", "--points", "--ref", "ref.csv", "--pred", "pred.csv", "--format", "csv", folder=tmp_path)
    assert found.code == 0, found.err
    assert ",micro,2,1,0," in found.out
    for side in ("ref", "pred"):
        converted = run(
            *("convert", f"{side}.csv", "--to", "table", "--as-points", "10ms", "--out", f"{side}.tsv"), folder=tmp_path
        )
        assert converted.code == 0, converted.err
    scored = run(
        *("score", "bio_points", "--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "60", "--format", "csv"),
        folder=tmp_path,
    )
    assert scored.code == 0, scored.err
    counts = {line.split(",")[2]: line.split(",")[3:5] for line in scored.out.splitlines()[1:]}
    assert counts == {"found": ["2", "2"], "caused": ["1", "2"]}
    assert len(list(read_events(tmp_path / "ref.tsv", Diagnostics()).events)) == 2
