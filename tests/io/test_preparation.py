"""Clips named by their files find the names of other tables; options of the command line reach both sides."""

import json
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli.command import events, run
from formats import AUDACITY, BIODCASE, MAESTRO, SCORES, TEXTGRID, put

from tracepact import InvalidInput, curves, score, score_field, tune
from tracepact.data.decoding import Decoding
from tracepact.data.event_rows import Outside
from tracepact.data.events import Durations, EventTable, TableOrigin
from tracepact.data.formats import read_events
from tracepact.data.preparation import SideTables, prepare
from tracepact.data.readings import Reading
from tracepact.data.writers import written_field
from tracepact.diagnostics.collection import Diagnostics

CONTRACT = "contract c step 10ms clause onset on ref_onset : ref_onset -> N[10ms] pred_onset"


def by_files(*clips: str) -> EventTable:
    return EventTable(
        "folder", dict.fromkeys(clips, ()), None, TableOrigin("audacity", {c: f"folder/{c}.txt" for c in clips})
    )


def named(*clips: str) -> EventTable:
    return EventTable("table", dict.fromkeys(clips, ()))


def prepared(ref: EventTable, pred: EventTable, *durations: str) -> tuple[list[str], list[str], list[str]]:
    diagnostics = Diagnostics()
    lengths = Durations("d", dict.fromkeys(durations, Fraction(1))) if durations else None
    ready = prepare(SideTables(ref, pred, lengths, outside=Outside.ERROR), diagnostics)
    return list(ready.reference.clips), list(ready.prediction.clips), [d.code for d in diagnostics]


def test_a_clip_named_by_its_file_takes_the_name_other_tables_use() -> None:
    assert prepared(named("a.wav", "b.flac"), by_files("a", "b", "c")) == (
        ["a.wav", "b.flac"],
        ["a.wav", "b.flac", "c"],
        [],
    )
    assert prepared(by_files("a"), by_files("a"), "a.wav") == (["a.wav"], ["a.wav"], [])
    assert prepared(by_files("a"), by_files("a.wav")) == (["a.wav"], ["a.wav"], [])
    assert prepared(by_files("a"), named("a.wav")) == (["a.wav"], ["a.wav"], [])


@pytest.mark.parametrize("form", ["npz", "parquet", "scores", "memory"])
def test_a_clip_of_a_score_field_takes_the_name_other_tables_use(form: str, tmp_path: Path) -> None:
    values = np.array([[0.1], [0.9], [0.9], [0.1]])
    arrays = {"a": values, "b": values[::-1] * 0}
    field = score_field(arrays, classes=["dog"], step="0.5")
    pred: Any = field if form == "memory" else tmp_path / f"pred.{form}"
    if form != "memory":
        for name, data in written_field(field, form, Diagnostics()).items():
            place = pred / name if form == "scores" else pred
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(data if isinstance(data, bytes) else data.encode())
    ref = {"a.wav": [(0.5, 1.5, "dog")], "b.wav": []}
    found = score(CONTRACT, ref, pred, decoding=0.5, clips=["a.wav", "b.wav"])
    assert found.vector == {"onset": 1}
    assert list(found.prediction.clips) == ["a.wav", "b.wav"]
    assert curves(CONTRACT, ref, pred, clips=["a.wav", "b.wav"]).value("onset", 0.5) == 1


@pytest.mark.parametrize(
    "judge", [lambda *a, **k: score(*a, decoding=0.5, **k), curves, partial(tune, objective="onset")]
)
def test_predictions_that_are_all_left_out_are_an_error(judge: Any) -> None:
    field = score_field({"recording_1": np.array([[0.9]])}, classes=["dog"], step=1)
    with pytest.raises(InvalidInput) as error:
        judge(CONTRACT, {"recording-1.wav": [(0, 1, "dog")]}, field, clips="reference")
    (fault,) = [one for one in error.value.diagnostics if one.code == "unknown-clip"]
    assert "did you mean `recording-1.wav`?" in str(fault.help)


def test_a_name_that_is_known_stays() -> None:
    assert prepared(named("a", "a.wav"), by_files("a")) == (["a", "a.wav"], ["a"], [])
    assert prepared(named("a.wav"), named("a")) == (["a.wav"], ["a"], [])


def test_two_clips_alike_are_an_error() -> None:
    assert prepared(named("a.wav", "a.flac"), by_files("a"))[2] == ["ambiguous-clip"]


def test_a_file_in_a_folder_below_is_found_by_its_name_alone() -> None:
    assert prepared(by_files("soft/cafe_00", "x/b"), named("cafe_00.wav")) == (
        ["cafe_00.wav", "x/b"],
        ["cafe_00.wav"],
        [],
    )
    assert prepared(by_files("x/a"), named("x/a.wav", "a.wav")) == (["x/a.wav"], ["x/a.wav", "a.wav"], [])


def test_two_files_of_one_clip_are_an_error() -> None:
    assert prepared(by_files("x/a", "y/a"), named("a.wav"))[2] == ["ambiguous-clip"]
    assert prepared(by_files("a", "a.wav"), named("a.wav"))[2] == ["ambiguous-clip"]


def test_a_renamed_clip_keeps_its_file() -> None:
    ready = prepare(SideTables(named("a.wav"), by_files("a"), outside=Outside.ERROR), Diagnostics())
    assert ready.prediction.place("a.wav", 3).file == "folder/a.txt"
    assert ready.record["prediction"]["renamed_clips"] == 1


def test_two_single_files_speak_of_one_clip(tmp_path: Path) -> None:
    put(tmp_path, {"anna.txt": AUDACITY, "ben.txt": AUDACITY, "folder/ben.txt": AUDACITY})
    one = score(CONTRACT, tmp_path / "anna.txt", tmp_path / "ben.txt", durations=5)
    assert one.card.family.clips == ("anna",)
    assert one.vector["onset"] == 1
    with pytest.raises(InvalidInput) as error:
        score(CONTRACT, tmp_path / "anna.txt", tmp_path / "folder", durations=5)
    assert [d.code for d in error.value.diagnostics if d.code == "unknown-clip"] == ["unknown-clip"]


def test_every_format_can_be_scored_against_a_table(tmp_path: Path) -> None:
    """The table holds what the other format says, so every onset is met."""
    put(tmp_path, {"m/a.txt": MAESTRO, "s/a.tsv": SCORES, "g/a.TextGrid": TEXTGRID, "l/a.txt": AUDACITY})
    cases = {
        "m": events("a.wav 0 2 dog", "a.wav 3 4 dog"),
        "s": events("a.wav 0 0.064 dog", "a.wav 0.128 0.192 dog", "a.wav 0.128 0.192 cat"),
        "l": events("a.wav 0.5 1.25 dog"),
    }
    for folder, table in cases.items():
        put(tmp_path, {"r.tsv": table})
        found = score(CONTRACT, tmp_path / "r.tsv", tmp_path / folder, durations=5, decoding="0.5")
        assert found.vector["onset"] == 1, folder
        assert found.preparation["prediction"]["renamed_clips"] == 1


def test_scores_in_memory_are_those_of_files(tmp_path: Path) -> None:
    import pandas as pd

    put(tmp_path, {"a.tsv": SCORES})
    frame = pd.DataFrame(
        {"onset": [0.0, 0.064, 0.128], "offset": [0.064, 0.128, 0.192], "dog": [0.9, 0.3, 0.7], "cat": [0.1, 0.5, 0.51]}
    )
    one = score(CONTRACT, {"a": []}, {"a": frame}, durations=1, decoding=Decoding(Fraction(1, 2)))
    expected = read_events(tmp_path / "a.tsv", Diagnostics(), Reading(decoding="0.5"))
    assert one.prediction.clips == expected.clips
    assert one.preparation["prediction"]["format"] == "scores"
    with pytest.raises(InvalidInput) as error:
        score(CONTRACT, {"a": []}, {"a": frame.assign(dog=[2, 0, 0])}, durations=1, decoding="0.5")
    (found,) = error.value.diagnostics
    assert (found.code, str(found.place)) == ("bad-score", "RowPlace(file='pred[a]', row=2)")


def test_biodcase_clips_are_named_with_their_dataset(tmp_path: Path) -> None:
    clip = "sea/2015-02-04T03-00-00_000.wav"
    put(tmp_path, {"r.csv": BIODCASE, "d.tsv": f"filename\tduration\n{clip}\t3600\n{clip[:-7]}500.wav\t3600\n"})
    done = run(
        "score", "boundary_gate", "--ref", "r.csv", "--pred", "r.csv", "--durations", "d.tsv", "--format", "json",
        folder=tmp_path,
    )  # fmt: skip
    assert done.code == 0, done.err
    assert json.loads(done.out)["preparation"]["reference"]["format"] == "biodcase"


WRONG_OPTIONS = {
    "low above high": (("--hysteresis", "0.6,0.3"), "low threshold 0.6 is greater than the high one 0.3"),
    "one number": (("--hysteresis", "0.6"), "low,high"),
    "an even filter": (("--threshold", "0.5", "--median", "4"), "take 3 or 5"),
    "a filter of nothing": (("--threshold", "0.5", "--median", "0"), "not a number of frames"),
    "a filter alone": (("--median", "3"), "--threshold or --hysteresis"),
    "two ways": (("--threshold", "0.5", "--hysteresis", "0.3,0.6"), "leave out --threshold"),
    "a threshold in per cent": (("--threshold", "50"), "outside 0 to 1"),
    "a threshold with a comma": (("--threshold", "0,5"), "not a number"),
    "an unknown format": (("--pred-format", "audacty"), "audacity"),
    "no threshold": ((), "undeclared-threshold"),
    "no reference threshold": (("--ref", "m", "--threshold", "0.5"), "--ref-threshold"),
}


@pytest.mark.parametrize("case", WRONG_OPTIONS.values(), ids=WRONG_OPTIONS.keys())
def test_wrong_options_say_what_is_right(case: tuple[tuple[str, ...], str], tmp_path: Path) -> None:
    options, words = case
    put(tmp_path, {"r.tsv": events("a 0 0.1 dog"), "s/a.tsv": SCORES, "m/a.txt": MAESTRO})
    done = run("score", "boundary_gate", "--ref", "r.tsv", "--pred", "s", "--durations", "5", *options, folder=tmp_path)
    assert done.code == 2
    assert words in done.err, done.err


def test_a_pair_takes_a_label_map_and_nothing_else(tmp_path: Path) -> None:
    document = {"clips": [{"name": "a", "duration": 5, "ref": [[0, 1, "x"]], "pred": [[0, 1, "y"]]}]}
    put(tmp_path, {"pair.json": json.dumps(document), "m.toml": '[rename]\ny = "x"\n'})
    done = run(
        "score", "boundary_gate", "--pair", "pair.json", "--label-map", "m.toml", "--format", "json", folder=tmp_path
    )
    assert done.code == 0, done.err
    assert json.loads(done.out)["family"]["classes"] == ["x"]
    refused = run("score", "boundary_gate", "--pair", "pair.json", "--threshold", "0.5", "--tier", "x", folder=tmp_path)
    assert refused.code == 2
    assert "leave out --threshold, --tier" in refused.err


def test_a_stored_run_verifies_with_its_preparation(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            "r.tsv": events("a.wav 0 0.1 dog", "a.wav 0.5 1 UNK", "a.wav 2 3 rain"),
            "s/a.tsv": SCORES,
            "m.toml": 'keep = ["dog"]\nignore = ["UNK"]\nother = "drop"\n',
        },
    )
    made = run(
        "score", "boundary_gate", "--ref", "r.tsv", "--pred", "s", "--durations", "5", "--threshold", "0.5",
        "--label-map", "m.toml", "--out", "run", folder=tmp_path,
    )  # fmt: skip
    assert made.code == 0, made.err
    verified = run("verify", "run", folder=tmp_path)
    assert verified.code == 0, verified.out + verified.err
