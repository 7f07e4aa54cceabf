"""`tracepact metrics`: what it prints in each form, its policies, and what it says of the clips."""

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from cli.command import events, run, write

from tracepact import score

FILES = {
    "ref.tsv": events("x 1.0 3 a", "y 2.0 4 a", "y 5 6 b"),
    "pred.tsv": events("x 1.2 3 a", "y 2.2 4 a", "y 5 6 a"),
    "durations.tsv": "filename\tduration\nx\t10\ny\t10\n",
}
SIDES = ("--ref", "ref.tsv", "--pred", "pred.tsv")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, FILES)
    return tmp_path


def printed(folder: Path, *options: str) -> dict[str, Any]:
    outcome = run("metrics", *SIDES, "--format", "json", *options, folder=folder)
    assert outcome.code == 0, outcome.err
    found: dict[str, Any] = json.loads(outcome.out)
    return found


def named(data: dict[str, Any], name: str) -> dict[str, Any]:
    (metric,) = (m for m in data["metrics"] if m["name"] == name)
    return dict(metric)


def test_the_two_policies_differ_where_floats_do_and_both_say_so(folder: Path) -> None:
    exact, floats = printed(folder), printed(folder, "--policy", "sed_eval")
    # Both onsets of class a are exactly at the collar; floats lose the one at 2 s. b is taken for a: a substitution.
    assert named(exact, "event")["counts"] == {"tp": 2, "fp": 1, "fn": 1}
    assert named(floats, "event")["counts"] == {"tp": 1, "fp": 2, "fn": 2}
    assert named(exact, "event")["micro"]["f1"]["value"] == "2/3"
    assert named(floats, "event")["micro"]["f1"] == {"value": None, "decimal": 1 / 3}
    assert named(exact, "event")["errors"]["substitutions"] == 1
    assert exact["differences"] == floats["differences"]
    assert exact["differences"]["listed"]["pairs"] == [
        {"clip": "y", "class": "a", "ref": ["2", "4"], "pred": ["11/5", "4"], "exact": True, "sed_eval": False}
    ]
    assert {m["input"] for m in floats["metrics"]} == {"intervals"}


def test_every_value_stands_beside_its_input_and_policy(folder: Path) -> None:
    outcome = run("metrics", *SIDES, folder=folder)
    assert outcome.code == 0
    for word in ("frame F1", "segment F1", "event F1", "boundary F1", "transition F1", "onset error", "offset error"):
        (line,) = (
            line for line in outcome.out.splitlines() if word in line and ("trace" in line or "intervals" in line)
        )
        assert line
    assert "1 pair, 0 segments" in outcome.out
    assert "y a 2–4 against 2.2–4 s: yes exactly, no in floats" in outcome.out


def test_declared_settings_are_used_and_printed(folder: Path) -> None:
    data = printed(
        folder,
        *("--collar", "100ms", "--offset", "none", "--segment", "500ms", "--radius", "60ms"),
        *("--contract", "speech_gate"),
    )
    assert named(data, "event")["counts"]["tp"] == 0
    assert "100 ms" in named(data, "event")["policy"]
    assert "not asked" in named(data, "event")["policy"]
    assert "500 ms" in named(data, "segment")["policy"]
    assert "60 ms" in named(data, "transition")["policy"]
    assert "10 ms" in named(data, "frame")["policy"]  # the grid of the contract


def test_rows_for_tables_hold_the_same_numbers(folder: Path) -> None:
    rows = list(csv.DictReader(StringIO(run("metrics", *SIDES, "--format", "csv", folder=folder).out)))
    data = printed(folder)
    (micro,) = (r for r in rows if (r["metric"], r["of"]) == ("event", "micro"))
    assert [int(micro[key]) for key in ("tp", "fp", "fn")] == list(named(data, "event")["counts"].values())
    assert float(micro["f1"]) == 2 / 3
    assert {r["of"] for r in rows} == {"micro", "macro", "class a", "class b"}
    (mean,) = (r for r in rows if (r["metric"], r["of"]) == ("onset error", "micro"))
    assert (mean["pairs"], float(mean["mean"])) == ("2", 0.2)


def test_a_clip_that_only_the_predictions_name_counts_and_is_said(folder: Path) -> None:
    write(folder, {"pred.tsv": FILES["pred.tsv"] + "z\t1\t2\ta\n"})
    refused = run("metrics", *SIDES, "--durations", "durations.tsv", folder=folder)
    assert (refused.code, refused.codes) == (2, ["unknown-clip"])
    every = (*SIDES, "--clips", "all")
    outcome = run("metrics", *every, "--durations", "durations.tsv", "--format", "json", folder=folder)
    assert outcome.code == 0
    assert named(json.loads(outcome.out), "event")["counts"] == {"tp": 2, "fp": 2, "fn": 1}
    assert "unlisted-clip" in outcome.codes
    assert json.loads(outcome.out)["unlisted"] == 1
    assert "1 predicted event on clips" in run("metrics", *every, folder=folder).out
    pointed = run("metrics", *every, "--points", "--format", "json", folder=folder)
    assert json.loads(pointed.out)["unlisted"] == 1
    assert "unlisted-clip" in pointed.codes
    assert run("metrics", *every, "--strict", folder=folder).code == 2


def test_bad_input_is_refused_with_its_row(folder: Path) -> None:
    write(folder, {"pred.tsv": FILES["pred.tsv"] + "x\t5\t4\ta\n"})
    outcome = run("metrics", *SIDES, folder=folder)
    assert outcome.code == 2
    assert ("offset-before-onset", "pred.tsv:5") in outcome.places
    for wrong in (("--collar", "0.2f"), ("--share", "2"), ("--offset", "both"), ("--points", "--overlap")):
        assert run("metrics", *SIDES, *wrong, folder=folder).code == 2
    assert run("metrics", "--ref", "ref.tsv", folder=folder).code == 2


def test_a_run_reports_the_same_metrics(folder: Path) -> None:
    data = printed(folder, "--durations", "durations.tsv")
    run_data = score(
        "boundary_gate", folder / "ref.tsv", folder / "pred.tsv", durations=folder / "durations.tsv"
    ).to_dict()
    assert data.pop("preparation") == run_data["preparation"]
    assert [found["metric"] for found in data.pop("accuracies")] == ["segment"]
    assert data.pop("intervals") is None
    assert run_data["metrics"] == data
    assert "Standard metrics" in str(score("boundary_gate", [(0, 1)], [(0, 1)], durations=5))


def test_an_event_beyond_its_clip_is_cut_on_the_grid_and_keeps_its_time_in_intervals(tmp_path: Path) -> None:
    write(tmp_path, {"ref.tsv": events("x 1 12 a"), "pred.tsv": events("x 1 10 a")})
    outcome = run("metrics", *SIDES, "--durations", "10", "--format", "json", folder=tmp_path)
    assert outcome.codes == ["offset-beyond-clip"]
    assert "on the grid it is cut there; metrics on intervals keep the time that is written" in outcome.err
    data = json.loads(outcome.out)
    assert named(data, "frame")["counts"] == {"tp": 450, "fp": 0, "fn": 0}
    assert named(data, "segment")["counts"] == {"tp": 9, "fp": 0, "fn": 2}
    assert all("times as written" in named(data, name)["policy"] for name in ("segment", "event"))


@pytest.mark.parametrize("option", ["--collar", "--segment", "--radius", "--half-width"])
def test_every_time_option_refuses_large_numbers_without_a_unit_and_zero(folder: Path, option: str) -> None:
    bare = run("metrics", *SIDES, option, "200", folder=folder)
    assert bare.code == 2
    assert "`200` has no unit; write 200ms, or 200s if you mean seconds" in " ".join(bare.err.split())
    zero = run("metrics", *SIDES, option, "0s", folder=folder)
    assert zero.code == 2
    assert "`0s` is not a length" in zero.err
    assert run("metrics", *SIDES, option, "0.5", folder=folder).code == 0
    assert run("metrics", *SIDES, option, "200s", folder=folder).code == 0


def test_a_clip_or_label_that_is_only_written_otherwise_is_offered(tmp_path: Path) -> None:
    write(tmp_path, {"ref.tsv": events("x.wav 1 2 Dog"), "pred.tsv": events("x 1 2 dog")})
    assert "did you mean `x.wav`?" in run("metrics", *SIDES, folder=tmp_path).err
    outcome = run("metrics", *SIDES, "--clips", "all", folder=tmp_path)
    assert outcome.codes[:1] == ["unlisted-clip"]
    assert "did you mean `x.wav`?" in outcome.err
    assert "there it is written `dog`" in outcome.err
    assert "there it is written `Dog`" in outcome.err


def test_means_over_classes_say_how_many_have_a_value_and_when_they_say_nothing(folder: Path) -> None:
    outcome = run("metrics", *SIDES, "--policy", "sed_eval", folder=folder)
    assert "macro event F1 is over 1 of 2 classes" in outcome.out
    assert "says nothing" not in outcome.out
    write(folder, {"pred.tsv": events("x 1 3 a", "x 5 6 c")})
    outcome = run("metrics", *SIDES, "--policy", "sed_eval", folder=folder)
    assert "the macro error rate of event says nothing" in " ".join(outcome.out.split())
    assert "says nothing" not in run("metrics", *SIDES, folder=folder).out


# Intervals, comparisons and policies


def values_of(system: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["metric"], row["quantity"]): row for row in system["values"]}


def test_every_value_has_an_interval_that_holds_it_or_the_draws_say_why_not(folder: Path) -> None:
    data = printed(folder, "--intervals", "--draws", "300", "--seed", "7", "--level", "0.9")
    assert data["intervals"]["bootstrap"] == {"draws": 300, "seed": 7, "level": "9/10"}
    (system,) = data["intervals"]["systems"]
    assert (system["name"], system["differences"]) == ("pred.tsv", [])
    rows = values_of(system)
    for metric in data["metrics"]:
        if metric["kind"] == "mean":
            assert rows[metric["name"], "mean"]["value"] == metric["micro"]["value"]
            continue
        for name in ("precision", "recall", "f1"):
            assert rows[metric["name"], name]["value"] == metric["micro"][name]["value"]
            assert rows[metric["name"], f"macro_{name}"]["value"] == metric["macro"][name]["value"]
        if metric["errors"]:
            assert rows[metric["name"], "error_rate"]["value"] == metric["errors"]["rate"]["value"]
    (accuracy,) = data["accuracies"]
    assert rows["segment", "specificity"]["value"] == accuracy["micro"]["specificity"]["value"]
    assert rows["segment", "macro_accuracy"]["value"] == accuracy["macro"]["accuracy"]["value"]


def test_further_predictions_are_compared_with_the_first_in_every_form(folder: Path) -> None:
    write(folder, {"silent.tsv": events("x"), "same.tsv": FILES["pred.tsv"]})
    more = ("--compare", "same.tsv", "--compare", "silent.tsv", "--draws", "50")
    systems = printed(folder, *more)["intervals"]["systems"]
    assert [system["name"] for system in systems] == ["pred.tsv", "same.tsv", "silent.tsv"]
    assert all(row["p"] == "1" and row["value"] in ("0", None) for row in systems[1]["differences"])
    recall = next(row for row in systems[2]["differences"] if (row["metric"], row["quantity"]) == ("event", "recall"))
    assert recall["value"].startswith("-")
    out = run("metrics", *SIDES, *more, folder=folder).out
    assert "Difference silent.tsv − pred.tsv" in out
    lines = run("metrics", *SIDES, *more, "--format", "csv", folder=folder).out.splitlines()
    assert lines[0].startswith("system,metric,quantity,kind,value")
    assert len(lines) - 1 == sum(len(system["values"]) + len(system["differences"]) for system in systems)


def test_policies_stand_beside_the_values_they_change(folder: Path) -> None:
    write(folder, {"pred.tsv": events("x 1 3 a", "x 5 6 c")})
    usual = named(printed(folder), "event")["macro"]
    assert usual["classes"] == {"precision": 2, "recall": 2, "f1": 3}
    zero = named(printed(folder, "--empty", "zero_score"), "event")
    assert zero["macro"]["classes"]["precision"] == 3
    assert "precision 0 where nothing is predicted (zero_score)" in zero["policy"]
    reference = named(printed(folder, "--macro", "reference"), "event")
    assert reference["macro"]["classes"] == {"precision": 1, "recall": 2, "f1": 2}
    assert "macro over the classes of the reference" in reference["policy"]
    every = named(printed(folder, "--macro", "all"), "event")
    assert every["macro"]["classes"] == {"precision": 3, "recall": 3, "f1": 3}
    assert "macro over all classes, undefined as 0" in every["policy"]
    for option, words in (("zero_score", "(zero_score)"), ("undefined", "")):
        out = run("metrics", *SIDES, "--empty", option, folder=folder).out
        assert words in " ".join(out.split())


def test_segments_end_with_the_last_event_or_with_the_clip(tmp_path: Path) -> None:
    # 12 s of reference in a clip of 10 s; the prediction ends at 4 s.
    write(tmp_path, {"ref.tsv": events("x 0 12 a"), "pred.tsv": events("x 0 4 a")})
    for length, fn, cells in (("events", 8, 12), ("clip", 6, 10)):
        outcome = run(
            "metrics", *SIDES, "--durations", "10", "--evaluated", length, "--format", "json", folder=tmp_path
        )
        data = json.loads(outcome.out)
        assert named(data, "segment")["counts"] == {"tp": 4, "fp": 0, "fn": fn}
        (accuracy,) = data["accuracies"]
        assert (accuracy["cells"], accuracy["micro"]["tn"]) == (cells, 0)
        assert ("up to the clip's end" in accuracy["policy"]) == (length == "clip")
    silent = events("x 0 2 a")
    write(tmp_path, {"ref.tsv": silent, "pred.tsv": silent})
    outcome = run("metrics", *SIDES, "--durations", "10", "--evaluated", "clip", "--format", "json", folder=tmp_path)
    (accuracy,) = json.loads(outcome.out)["accuracies"]
    assert (accuracy["cells"], accuracy["micro"]["tn"], accuracy["micro"]["specificity"]["value"]) == (10, 8, "1")
