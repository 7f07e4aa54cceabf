"""`tracepact curves` and `tracepact tune` on files: what they print, write and refuse."""

import csv
import json
from fractions import Fraction
from pathlib import Path

import pytest
from cli.command import run
from jsonschema import Draft202012Validator

from tracepact.specs import spec_path

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
    done = run("curves", *data, "--out", str(tmp_path / "out"), "--draws", "50", "--against", "silence_guard")
    assert done.code == 0, done.err
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
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
        (["--against", "nobody"], "no clause `nobody`"),
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
