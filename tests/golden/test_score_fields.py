"""Rows of `curves` and `tune`: every threshold decoded and scored by plain loops."""

import csv
import json
import tomllib
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from io import StringIO
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest
from cli.command import run

from golden.task import (
    CLASSES,
    CLAUSES,
    CLIPS,
    COUNTED,
    FIELD,
    PROFILES,
    SIDES,
    Card,
    Count,
    card_tally,
    decoded,
    defined_mean,
    drawn_clips,
    error_rate,
    exact,
    interval,
    mean,
    rates,
    six,
    sum_of,
    total,
    write_field,
    write_task,
)

Record = dict[str, Any]
Value = Fraction | None
F = Fraction
SCORES = sorted({F(score, 100) for cells in FIELD.values() for cell in cells for score in cell})
THRESHOLDS = sorted({F(0), *SCORES})
RATES = ("f1", "macro_f1", "precision", "recall", "error_rate")
METRICS = tuple(f"{metric}_{rate}" for metric in ("frame", "segment", "event") for rate in RATES)
OTHERS = tuple(f"intersection_{rate}" for rate in RATES)
"""Checked beside their definition in tests/thresholds."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The task with scores, and its curves."""
    place = tmp_path_factory.mktemp("golden")
    write_task(place)
    write_field(place / "scores")
    outcome = run("curves", "golden.contract", *SIDES, "--pred", "scores", "--out", "curves", folder=place)
    assert outcome.code == 0, outcome.err
    return place


@cache
def card(thresholds: tuple[Fraction, ...]) -> Card:
    return Card(decoded(thresholds))


def at(threshold: Fraction) -> Card:
    return card((threshold,) * len(CLASSES))


def value(one: Card, name: str, clips: Sequence[str] = CLIPS) -> Value:
    """The value of a quantity; None where it is marked (19.5)."""
    if name in METRICS:
        metric, _, rate = name.partition("_")
        tally = sum_of(card_tally(one, metric, clip) for clip in clips)
        counts = (tally.tp, tally.fp, tally.fn)
        if rate == "error_rate":
            return error_rate(tally)
        if rate == "macro_f1":
            return defined_mean(rates(*(some[label] for some in counts))["f1"] for label in CLASSES)
        return rates(*(sum(some.values()) for some in counts))[rate]
    weights = PROFILES.get(name) or dict.fromkeys(CLAUSES if name == "mean" else (name,), 1)
    totals = {clause: one.score(clause, "pooled" if name == "edges" else "macro_classes", clips) for clause in weights}
    if any(some.vacuous for some in totals.values()):
        return None
    return sum(weight * totals[clause].value for clause, weight in weights.items()) / F(sum(weights.values()))


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(StringIO(text)))


def test_curve_rows(folder: Path) -> None:
    """Each piece has the value of its thresholds, and every score that occurs is in a piece with its value."""
    text = (folder / "curves" / "curves.csv").read_text()
    arguments = (*SIDES, "--pred", "scores", "--format", "csv")
    assert run("curves", "golden.contract", *arguments, folder=folder).out == text
    header, *rows = rows_of(text)
    columns = ("threshold", "threshold_decimal", "value", "decimal", "satisfied", "obligated")
    assert header == ["quantity", *columns, "pieces"]
    names = (*CLAUSES, *PROFILES, "mean", *METRICS, *OTHERS)
    assert list(dict.fromkeys(row[0] for row in rows)) == list(names)
    for name in names:
        pieces = [row for row in rows if row[0] == name]
        assert {row[-1] for row in pieces} == {str(len(pieces))}
        begins = [F(row[1]) for row in pieces]
        assert begins[0] == 0
        assert set(begins) <= set(THRESHOLDS)
        assert all(a < b for a, b in pairwise(begins))
        if name in OTHERS:
            continue
        for threshold in THRESHOLDS:
            row = next(row for row in reversed(pieces) if F(row[1]) <= threshold)
            now = value(at(threshold), name)
            counts = ["", ""]
            if name in CLAUSES:
                count = at(threshold).score(name, "pooled").count
                counts = [str(count.held), str(count.obliged)]
            decimal = "" if now is None else str(float(six(now)))
            assert row[3:-1] == [exact(now), decimal, *counts], (name, threshold)
            assert row[2] == str(float(six(F(row[1]))))
    assert {row[3] == "" for row in rows} == {True, False}


def test_curve_record(folder: Path) -> None:
    """curves.json: the best piece of every quantity, its value at one half, the best of each class, and all points."""
    record: Record = json.loads((folder / "curves" / "curves.json").read_text())
    head = {key: record[key] for key in ("aggregation", "median", "clips", "classes", "scores")}
    expected = {
        "aggregation": "macro_classes",
        "median": 1,
        "clips": 3,
        "classes": list(CLASSES),
        "scores": len(SCORES),
    }
    assert head == expected
    rows = rows_of((folder / "curves" / "curves.csv").read_text())[1:]
    points = []
    for quantity in record["quantities"]:
        name = quantity["name"]
        for point in quantity["points"]:
            shown = point["value"]
            shown = shown or {"value": None, "decimal": None}
            decimal = "" if shown["decimal"] is None else str(shown["decimal"])
            counts = ("" if point.get(part) is None else str(point[part]) for part in ("satisfied", "obligated"))
            threshold = str(float(six(F(point["threshold"]))))
            row = [name, point["threshold"], threshold, shown["value"] or "", decimal, *counts, str(quantity["pieces"])]
            points.append(row)
        if name in OTHERS:
            continue
        least = name.endswith("error_rate")
        curve = [(threshold, value(at(threshold), name)) for threshold in THRESHOLDS]
        known = [v for _, v in curve if v is not None]
        best = quantity["best"]
        assert F(best["value"]["value"]) == (min(known) if least else max(known))
        inside = [v for threshold, v in curve if F(best["low"]) <= threshold < F(best["high"])]
        assert set(inside or [value(at(F(best["low"])), name)]) == {F(best["value"]["value"])}
        assert F(best["low"]) <= F(best["threshold"]) <= F(best["high"])
        half = value(at(F(1, 2)), name)
        assert (quantity["at_half"] or {"value": None})["value"] == (None if half is None else exact(half))
        if name in CLAUSES:
            for label, one in zip(CLASSES, quantity["classes"], strict=True):
                totals = [at(threshold).score(name, "pooled", classes=(label,)) for threshold in THRESHOLDS]
                assert one["label"] == label
                assert F(one["best"]["value"]["value"]) == max(some.value for some in totals if not some.vacuous)
    assert points == rows


def test_curve_interval(folder: Path) -> None:
    """The interval of a best value is that of the draws at its threshold, held fixed (20.8)."""
    record: Record = json.loads((folder / "curves" / "curves.json").read_text())
    (quantity,) = (one for one in record["quantities"] if one["name"] == "quiet")
    one = at(F(quantity["best"]["threshold"]))
    drawn = {clips: one.score("quiet", "macro_classes", clips).value for clips in set(drawn_clips(4000))}
    ends = interval([drawn[clips] for clips in drawn_clips(4000)])
    assert quantity["best"]["interval"] == pytest.approx([float(end) for end in ends], abs=2e-6)


def average_precision(counts: list[tuple[int, int, int]]) -> Fraction:
    """20.4 from true positives, false positives and false negatives at every threshold, and below every score."""
    best: dict[Fraction, Fraction] = {}
    for tp, fp, fn in counts:
        recall, precision = F(tp, tp + fn), F(tp, tp + fp) if tp + fp else F(0)
        best[recall] = max(best.get(recall, F(0)), precision)
    area, before = F(0), F(0)
    for recall in sorted(best):
        area += (recall - before) * best[recall]
        before = recall
    return area


def test_average_precision(folder: Path) -> None:
    """Average precision of every class, and its mean."""
    record: Record = json.loads((folder / "curves" / "curves.json").read_text())
    shown = {one["metric"]: one for one in record["average_precision"]}
    assert list(shown) == ["frame", "segment", "event", "intersection"]
    for metric in ("frame", "segment", "event"):
        values = []
        for label in CLASSES:
            tallies = [COUNTED[metric](at(threshold)) for threshold in (F(-1), *THRESHOLDS)]
            values.append(average_precision([(t.tp[label], t.fp[label], t.fn[label]) for t in tallies]))
        told = [(one["label"], one["value"]["value"]) for one in shown[metric]["classes"]]
        assert told == [(label, exact(v)) for label, v in zip(CLASSES, values, strict=True)]
        assert shown[metric]["mean"]["value"] == exact(mean(values))


# tune


def pieces_of(clips: Sequence[str]) -> Iterator[tuple[Fraction, Fraction]]:
    """The stretches of the common threshold on which no count of these clips changes for `quiet`."""
    begins = [F(0)]
    for threshold in THRESHOLDS[1:]:
        counts = [[at(t).counts["quiet"][clip, k] for clip in clips for k in CLASSES] for t in (begins[-1], threshold)]
        if counts[0] != counts[1]:
            begins.append(threshold)
    yield from pairwise([*begins, F(1)])


def chosen(clips: Sequence[str], name: str = "quiet") -> Fraction:
    """The common threshold that is best on some clips; of equals the longest piece (20.10)."""

    def score(low: Fraction) -> Fraction:
        return at(low).score(name, "macro_classes", clips).value

    some = list(pieces_of(clips))
    best = max(score(low) for low, _ in some)
    equals = [(low, high) for low, high in some if score(low) == best]
    equals = [piece for piece in equals if piece[0] > 0] or equals
    return max(equals, key=lambda piece: (piece[1] - piece[0], -piece[0]))[0]


def test_tune_in_common(folder: Path) -> None:
    """A common threshold: the best value, by class too, and the held-out one, whose folds are single clips here."""
    arguments = (*SIDES, "--pred", "scores", "--objective", "quiet", "--common", "--folds", "3")
    outcome = run("tune", "golden.contract", *arguments, "--format", "json", "--out", "common.toml", folder=folder)
    assert outcome.code == 0, outcome.err
    record: Record = json.loads(outcome.out)
    best = chosen(CLIPS)
    held: dict[tuple[str, str], Count] = {}
    for clip in CLIPS:
        there = at(chosen([other for other in CLIPS if other != clip]))
        held |= {(clip, k): there.counts["quiet"][clip, k] for k in CLASSES}
    assert record["optimistic"]["value"] == exact(at(best).score("quiet", "macro_classes").value)
    assert record["held_out"]["value"] == exact(total(held, "macro_classes", CLIPS, CLASSES).value)
    rows = []
    for label, one in zip(CLASSES, record["classes"], strict=True):
        ours = at(best).score("quiet", "pooled", classes=(label,)).value
        theirs = total(held, "pooled", CLIPS, (label,)).value
        assert (one["label"], one["decoding"]["low"], one["decoding"]["median"]) == (label, None, 1)
        assert (one["optimistic"]["value"], one["held_out"]["value"]) == (exact(ours), exact(theirs))
        threshold = F(one["decoding"]["threshold"])
        assert at(threshold).counts["quiet"] == at(best).counts["quiet"]
        rows.append([label, exact(threshold), "", "1", exact(ours), exact(theirs)])
    outcome = run("tune", "golden.contract", *arguments, "--format", "csv", folder=folder)
    header = ["class", "threshold", "low", "median", "optimistic", "held_out"]
    assert rows_of(outcome.out) == [header, *rows]
    file = tomllib.loads((folder / "common.toml").read_text())
    assert file == {
        "format": "tracepact-decoding/1",
        "tuned_on": list(CLIPS),
        "default": {"threshold": str(float(F(rows[0][1])))},
    }
    assert (record["folds"], record["clips"], record["objective"], record["common"]) == (3, 3, "quiet", True)


def test_tune_by_class(folder: Path) -> None:
    """Thresholds by class: no pair is better, and scoring with the file gives the value that was promised."""
    arguments = (*SIDES, "--pred", "scores", "--objective", "quiet", "--folds", "0", "--out", "best.toml")
    outcome = run("tune", "golden.contract", *arguments, "--format", "csv", folder=folder)
    assert outcome.code == 0, outcome.err
    _, *rows = rows_of(outcome.out)
    pairs = list(product(THRESHOLDS, repeat=2))
    best = max(card(pair).score("quiet", "macro_classes").value for pair in pairs)
    thresholds = tuple(F(row[1]) for row in rows)
    one = card(thresholds)
    assert one.score("quiet", "macro_classes").value == best
    by_class = [one.score("quiet", "pooled", classes=(label,)).value for label in CLASSES]
    shown = zip(CLASSES, thresholds, by_class, strict=True)
    assert rows == [[label, exact(t), "", "1", exact(v), ""] for label, t, v in shown]
    file = tomllib.loads((folder / "best.toml").read_text())
    named = {label: file["classes"].get(label, file["default"])["threshold"] for label in CLASSES}
    assert {label: F(text) for label, text in named.items()} == dict(zip(CLASSES, thresholds, strict=True))
    scored = (*SIDES, "--pred", "scores", "--decoding", "best.toml", "--format", "csv")
    told = {
        tuple(row[:3]): row[3:5] for row in rows_of(run("score", "golden.contract", *scored, folder=folder).out)[1:]
    }
    assert told == {
        (clip, label, clause): [str(one.counts[clause][clip, label].held), str(one.counts[clause][clip, label].obliged)]
        for clip in CLIPS
        for label in CLASSES
        for clause in CLAUSES
    }
