"""`tracepact curves` and `tracepact tune` on files: what they print, write and refuse."""

import csv
import json
from fractions import Fraction
from pathlib import Path

import pytest
from cli.command import run
from jsonschema import Draft202012Validator

from tracepact.declarations import spec_path

SCORES = {
    "a": ["0.1 0.2", "0.9 0.2", "0.8 0.7", "0.3 0.6"],
    "b": ["0.6 0.1", "0.7 0.1", "0.2 0.4", "0.1 0.5"],
}


@pytest.fixture
def data(tmp_path: Path) -> list[str]:
    """Two clips of two seconds, two classes; as arguments of a command."""
    folder = tmp_path / "scores"
    folder.mkdir()
    for clip, lines in SCORES.items():
        rows = [f"{k / 2}\t{k / 2 + 0.5}\t{line.replace(' ', chr(9))}" for k, line in enumerate(lines)]
        (folder / f"{clip}.tsv").write_text("\n".join(["onset\toffset\tdog\tcat", *rows]) + "\n")
    rows = ["a.wav\t0.5\t1.5\tdog", "a.wav\t1\t2\tcat", "b.wav\t0\t1\tdog"]
    (tmp_path / "ref.tsv").write_text("\n".join(["filename\tonset\toffset\tevent_label", *rows]) + "\n")
    return ["boundary_gate", "--ref", str(tmp_path / "ref.tsv"), "--pred", str(folder)]


def checked(text: str, schema: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(text)
    described = json.loads(spec_path(f"schemas/{schema}.schema.json").read_text(encoding="utf-8"))
    assert [error.message for error in Draft202012Validator(described).iter_errors(found)] == []
    return found


def test_curves_print_json_of_their_schema_with_exact_values(data: list[str]) -> None:
    done = run("curves", *data, "--format", "json", "--draws", "50")
    assert done.code == 0, done.err
    found = checked(done.out, "curves")
    by_name = {quantity["name"]: quantity for quantity in found["quantities"]}  # type: ignore[attr-defined]
    missing = by_name["missing_guard"]
    assert missing["points"][0] == {  # all of both references are active below every score
        "threshold": "0",
        "value": {"value": "1", "decimal": 1.0},
        "satisfied": 150,
        "obligated": 150,
    }
    assert Fraction(missing["best"]["high"]) == Fraction("0.6")  # then half of the cat is lost
    assert [row["name"] for row in found["psds"]] == ["psds1", "psds2"]  # type: ignore[attr-defined]


def test_curves_write_a_folder_with_a_page_and_figures(data: list[str], tmp_path: Path) -> None:
    done = run("curves", *data, "--out", str(tmp_path / "out"), "--draws", "50", "--versus", "silence_guard")
    assert done.code == 0, done.err
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        ".tracepact.json",
        "against.svg",
        "curves.csv",
        "curves.html",
        "curves.json",
        "guards.svg",
        "metrics.svg",
        "roc.svg",
    ]
    page = (tmp_path / "out" / "curves.html").read_text(encoding="utf-8")
    assert "Content-Security-Policy" in page
    assert "Clauses against silence_guard" in page


def test_curves_list_as_many_points_as_are_asked_for(data: list[str]) -> None:
    done = run("curves", *data, "--format", "csv", "--quantity", "silence_guard", "--list", "3", "--draws", "10")
    assert done.code == 0, done.err
    lines = list(csv.DictReader(done.out.splitlines()))
    assert len(lines) == 3
    assert all(float(Fraction(line["threshold"])) == float(line["threshold_decimal"]) for line in lines)
    pieces = {int(line["pieces"]) for line in lines}
    assert len(pieces) == 1
    assert f"of up to {pieces.pop():,}" in done.err
    everything = run("curves", *data, "--format", "csv", "--quantity", "silence_guard", "--list", "0", "--draws", "10")
    assert len(everything.out.splitlines()) == 1 + int(lines[0]["pieces"])
    assert "lists all" not in everything.err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--quantity", "evnt_f1"], "event_f1"),
        (["--versus", "nobody"], "no clause `nobody`"),
        (["--median", "2"], "even"),
    ],
)
def test_curves_refuse_what_they_do_not_know(data: list[str], more: list[str], said: str) -> None:
    done = run("curves", *data, *more)
    assert done.code == 2
    assert said in done.err


def test_tune_writes_a_file_that_score_takes(data: list[str], tmp_path: Path) -> None:
    place = tmp_path / "decoding.toml"
    done = run("tune", *data, "--objective", "missing_guard", "--out", str(place), "--format", "json", "--folds", "2")
    assert done.code == 0, done.err
    found = checked(done.out, "tuning")
    scored = run("score", *data, "--decoding", str(place), "--format", "json")
    assert scored.code == 0, scored.err
    report = json.loads(scored.out)
    (row,) = (row for row in report["vector"] if row["clause"] == "missing_guard")
    assert row["scores"][report["aggregation"]]["value"] == found["optimistic"]["value"]  # type: ignore[index]
    (own,) = (row for row in report["inputs"] if row["role"] == "decoding")
    assert own["name"] == str(place)


def test_tune_fails_where_the_value_over_all_classes_misses_a_requirement(data: list[str]) -> None:
    done = run("tune", *data, "--maximise", "mean", "--require", "offset_guard > 1")
    assert done.code == 1
    assert "no decoding was found that meets offset_guard > 1" in done.err
    met = run("tune", *data, "--maximise", "mean", "--require", "pooled.silence_guard >= 0.5", "--format", "json")
    assert met.code == 0, met.err
    assert [asked["met"] for asked in checked(met.out, "tuning")["requirements"]] == [True]  # type: ignore[index,union-attr]


def test_tune_refuses_a_file_in_no_folder_before_it_computes(data: list[str], tmp_path: Path) -> None:
    done = run("tune", *data, "--objective", "mean", "--out", str(tmp_path / "none" / "best.toml"))
    assert done.code == 2
    assert "there is no folder" in done.err


def test_a_threshold_beside_a_decoding_file_is_refused(data: list[str], tmp_path: Path) -> None:
    place = tmp_path / "decoding.toml"
    place.write_text('format = "tracepact-decoding/1"\n[default]\nthreshold = 0.5\n')
    done = run("score", *data, "--decoding", str(place), "--threshold", "0.5")
    assert done.code == 2
    assert "--decoding holds thresholds" in done.err


@pytest.fixture
def detected(tmp_path: Path) -> list[str]:
    """Two clips of two seconds and events with confidences; as arguments of a command."""
    rows = [
        "a.wav\t0.5\t1.5\tdog\t0.9",
        "a.wav\t0.5\t2\tdog\t0.4",
        "a.wav\t1\t2\tcat\t0.7",
        "b.wav\t0\t1\tdog\t0.3",
        "b.wav\t1.2\t2\tdog\t0.2",
    ]
    header = "filename\tonset\toffset\tevent_label"
    (tmp_path / "pred.tsv").write_text("\n".join([f"{header}\tconfidence", *rows]) + "\n")
    (tmp_path / "plain.tsv").write_text("\n".join([header, *(row.rpartition("\t")[0] for row in rows)]) + "\n")
    refs = ["a.wav\t0.5\t1.5\tdog", "a.wav\t1\t2\tcat", "b.wav\t0\t1\tdog"]
    (tmp_path / "ref.tsv").write_text("\n".join([header, *refs]) + "\n")
    sides = ["--ref", str(tmp_path / "ref.tsv"), "--pred", str(tmp_path / "pred.tsv"), "--durations", "2"]
    return ["boundary_gate", *sides]


def test_the_points_of_curves_of_events_are_those_of_score_with_that_threshold(detected: list[str]) -> None:
    done = run("curves", *detected, "--format", "json", "--list", "0", "--draws", "10")
    assert done.code == 0, done.err
    found = checked(done.out, "curves")
    assert found["scores"] == 5
    curves = {quantity["name"]: quantity["points"] for quantity in found["quantities"]}  # type: ignore[attr-defined]
    assert {point["threshold"] for points in curves.values() for point in points} <= {
        *("0", "1/5", "3/10", "2/5", "7/10", "9/10")
    }
    for threshold in ("0", "0.2", "0.3", "0.4", "0.7"):
        scored = run("score", *detected, "--threshold", threshold, "--format", "json")
        assert scored.code == 0, scored.err
        report = json.loads(scored.out)
        for row in report["vector"]:
            there = [p for p in curves[row["clause"]] if Fraction(p["threshold"]) <= Fraction(threshold)][-1]
            own = row["scores"][report["aggregation"]]
            assert there["value"] is None or there["value"]["value"] == own["value"]
            assert (there["value"] is None) == own["vacuous"]


def test_tune_on_events_writes_a_file_that_score_takes(detected: list[str], tmp_path: Path) -> None:
    place = tmp_path / "decoding.toml"
    done = run("tune", *detected, "--objective", "event_f1", "--out", str(place), "--format", "json", "--folds", "2")
    assert done.code == 0, done.err
    found = checked(done.out, "tuning")
    assert found["optimistic"] == {"value": "6/7", "decimal": 0.857143}  # 0.2 keeps both dogs, one of them twice
    scored = run("score", *detected, "--decoding", str(place), "--format", "json")
    assert scored.code == 0, scored.err
    (event,) = (metric for metric in json.loads(scored.out)["metrics"]["metrics"] if metric["name"] == "event")
    assert event["micro"]["f1"]["value"] == "6/7"


@pytest.mark.parametrize(
    ("command", "more", "said"),
    [
        ("curves", ["--median", "3"], "a median filter is for scores of frames"),
        ("tune", ["--objective", "mean", "--with-low"], "a hysteresis is for scores of frames"),
        ("score", ["--hysteresis", "0.2,0.4"], "take a threshold alone"),
    ],
)
def test_events_have_no_frames_to_filter(detected: list[str], command: str, more: list[str], said: str) -> None:
    done = run(command, *detected, *more)
    assert done.code == 2
    assert said in " ".join(done.err.split())


def test_events_without_confidences_are_refused_by_curves_and_kept_by_score(
    detected: list[str], tmp_path: Path
) -> None:
    plain = [text.replace("pred.tsv", "plain.tsv") for text in detected]
    refused = run("curves", *plain)
    assert refused.code == 2
    assert "has no confidence" in refused.err
    kept = run("score", *plain, "--threshold", "0.5")
    assert kept.code == 0
    assert "holds events, not scores" in kept.err
    some = (tmp_path / "pred.tsv").read_text().replace("dog\t0.4", "dog\t")
    (tmp_path / "pred.tsv").write_text(some)
    mixed = run("score", *detected, "--threshold", "0.5")
    assert mixed.code == 2
    assert "has no confidence, and others have one" in mixed.err


MAP = '[rename]\ndog = "animal"\n[merge]\ncalm = ["cat"]\n'


@pytest.mark.parametrize("which", ["data", "detected"])
def test_under_a_label_map_tune_writes_the_labels_that_score_decodes(
    which: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    given: list[str] = request.getfixturevalue(which)
    (tmp_path / "map.toml").write_text(MAP)
    mapped = [*given, "--label-map", str(tmp_path / "map.toml")]
    place = tmp_path / "decoding.toml"
    done = run("tune", *mapped, "--objective", "event_f1", "--out", str(place), "--format", "json", "--folds", "0")
    assert done.code == 0, done.err
    assert done.err.splitlines() == [f"wrote {place}"]
    found = checked(done.out, "tuning")
    assert [own["label"] for own in found["classes"]] == ["animal", "calm"]  # type: ignore[attr-defined]
    scored = run("score", *mapped, "--decoding", str(place), "--format", "json")
    assert scored.code == 0, scored.err
    (event,) = (metric for metric in json.loads(scored.out)["metrics"]["metrics"] if metric["name"] == "event")
    assert event["micro"]["f1"]["value"] == found["optimistic"]["value"]  # type: ignore[index]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[merge]\nanimal = ["dog", "cat"]\n', "makes one class `animal` of the columns"),
        ('keep = ["dog"]\n', "says nothing about the column `cat`"),
    ],
)
def test_columns_that_a_label_map_joins_or_does_not_name_are_refused(
    data: list[str], tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "map.toml").write_text(text)
    done = run("curves", *data, "--label-map", str(tmp_path / "map.toml"))
    assert done.code == 2
    assert said in " ".join(done.err.split())
