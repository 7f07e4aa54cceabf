"""Label maps: what a file may say, what becomes of each label on both sides, and what the report records."""

import json
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cli.command import events, run
from formats import places, put
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tracepact import score
from tracepact.data.event_rows import Outside
from tracepact.data.events import Event, EventTable
from tracepact.data.labels import KEYS, OTHER, LabelMap, apply_map, label_map_from
from tracepact.data.preparation import SideTables, prepare
from tracepact.declarations import spec_path
from tracepact.diagnostics.collection import Diagnostics, InvalidInput

SCHEMA = Draft202012Validator(json.loads(spec_path("schemas/label-map.schema.json").read_text(encoding="utf-8")))
GOOD = """
other = "drop"
keep = ["Speech"]
drop = ["Music"]
ignore = ["UNK"]

[rename]
Dog_bark = "Dog"

[merge]
Water = ["Faucet", "Shower", "Water running"]
"""
CONTRACT = "contract c step 100ms clause onset on ref_onset : ref_onset -> N[0.1s] pred_onset"


def read(text: str, folder: Path) -> tuple[LabelMap | None, Diagnostics]:
    put(folder, {"labels.toml": text})
    diagnostics = Diagnostics()
    return label_map_from(folder / "labels.toml", diagnostics), diagnostics


def test_a_map_says_what_becomes_of_each_label(tmp_path: Path) -> None:
    labels, diagnostics = read(GOOD, tmp_path)
    assert not list(diagnostics)
    assert labels is not None
    treatments = {
        label: (labels.treatment(label), labels.renamed.get(label))
        for label in ("Speech", "Music", "UNK", "Dog_bark", "Dog", "Faucet", "Water running", "Water", "Cat")
    }
    assert treatments == {
        "Speech": ("keep", "Speech"),
        "Music": ("drop", None),
        "UNK": ("ignore", None),
        "Dog_bark": ("keep", "Dog"),
        "Dog": ("keep", "Dog"),
        "Faucet": ("keep", "Water"),
        "Water running": ("keep", "Water"),
        "Water": ("keep", "Water"),
        "Cat": ("drop", None),
    }


def test_labels_may_change_places(tmp_path: Path) -> None:
    labels, _ = read('[rename]\na = "b"\nb = "a"\n', tmp_path)
    assert labels is not None
    table = EventTable("t", {"c": (Event(Fraction(0), Fraction(1), "a"), Event(Fraction(0), Fraction(1), "b"))})
    assert [e.label for _, e in apply_map(labels, table, Diagnostics()).table.events] == ["b", "a"]


WRONG = {
    "not TOML": ('keep = ["a"\nother = 1\n', 2, ("not TOML",)),
    "an unknown key": ('keep = ["a"]\ndorp = ["b"]\n', 2, ("`dorp`", "did you mean `drop`")),
    "a word for a list": ('drop = "a"\n', 1, ("`drop`", '["a", "b"]')),
    "a number for a label": ("drop = [3]\n", 1, ("`3`", "not a label")),
    "a list for a name": ('[rename]\na = ["b"]\n', 2, ("rename.a", 'old = "new"')),
    "an empty name": ('[rename]\na = " "\n', 2, ("rename.a",)),
    "a word for a merge": ('[merge]\nw = "a"\n', 1, ("merge.w", 'new = ["a", "b"]')),
    "a list for rename": ('rename = ["a"]\n', 1, ("`rename`",)),
    "an unknown treatment": ('other = "delete"\n', 1, ("`delete`", '"drop"')),
    "a label in two places": ('drop = ["a"]\nignore = ["a"]\n', 2, ("`a` is in `drop` and in `ignore`",)),
    "a label twice": ('drop = ["a", "a"]\n', 1, ("twice in `drop`",)),
    "a label kept and merged": ('keep = ["a"]\n[merge]\nw = ["a"]\n', 3, ("`a` is in",)),
    "a label that comes out and is dropped": ('drop = ["w"]\n[merge]\nw = ["a"]\n', 1, ("comes out",)),
}


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_map_is_refused_with_its_line(case: tuple[str, int, tuple[str, ...]], tmp_path: Path) -> None:
    text, row, words = case
    labels, diagnostics = read(text, tmp_path)
    assert labels is None
    assert places(list(diagnostics))[0] == ("bad-label-map", "labels.toml", row)
    first = next(iter(diagnostics))
    said = f"{first.headline} / {first.help}"
    assert all(word in said for word in words), said


BY_MEANING = {"not TOML", "a label in two places", "a label kept and merged", "a label that comes out and is dropped"}
"""What no schema can say."""


def test_the_schema_and_the_reader_agree(tmp_path: Path) -> None:
    assert set(KEYS) == set(SCHEMA.schema["properties"])
    assert SCHEMA.is_valid(tomllib.loads(GOOD))
    for name, (text, _, _) in WRONG.items():
        if name not in BY_MEANING:
            assert not SCHEMA.is_valid(tomllib.loads(text)), name


def test_a_mapping_is_taken_like_a_file(tmp_path: Path) -> None:
    from_file, _ = read(GOOD, tmp_path)
    from_data = label_map_from(tomllib.loads(GOOD), Diagnostics())
    assert from_file is not None
    assert from_data is not None
    assert {**from_file.data, "name": ""} == {**from_data.data, "name": ""}


LABELS = st.sampled_from("abcdef")
EVENTS = st.builds(
    lambda start, length, label, row: Event(Fraction(start), Fraction(start + length), label, row),
    st.integers(0, 9),
    st.integers(0, 4),
    LABELS,
    st.integers(2, 99),
)
TABLES = st.dictionaries(st.sampled_from("xyz"), st.lists(EVENTS, max_size=5).map(tuple), max_size=3)


@st.composite
def maps(draw: st.DrawFn) -> dict[str, Any]:
    data: dict[str, Any] = {"rename": {}, "merge": {"M": []}, "keep": [], "drop": [], "ignore": []}
    for label in "abcdef":
        match draw(st.sampled_from([*data, "nowhere"])):
            case "rename":
                data["rename"][label] = draw(st.sampled_from("NM"))
            case "merge":
                data["merge"]["M"].append(label)
            case "nowhere":
                pass
            case key:
                data[key].append(label)
    return {**data, "other": draw(st.sampled_from(OTHER))}


def treatment(data: dict[str, Any], label: str) -> str:
    """Where a label ends: its new name, or `-drop`, `-ignore`, `-error`."""
    if label in data["rename"]:
        return str(data["rename"][label])
    if label in data["merge"]["M"]:
        return "M"
    named = next((key for key in ("keep", "drop", "ignore") if label in data[key]), data["other"])
    return label if named == "keep" else f"-{named}"


@given(maps(), TABLES, TABLES)
def test_every_event_is_kept_dropped_ignored_or_reported(
    data: dict[str, Any], ref: dict[str, tuple[Event, ...]], pred: dict[str, tuple[Event, ...]]
) -> None:
    diagnostics = Diagnostics()
    labels = label_map_from(data, diagnostics)
    assert labels is not None
    ready = prepare(
        SideTables(EventTable("r", ref), EventTable("p", pred), None, None, labels, outside=Outside.ERROR), diagnostics
    )
    for table, original, side in ((ready.reference, ref, "reference"), (ready.prediction, pred, "prediction")):
        ends = {clip: [(e, treatment(data, e.label)) for e in events] for clip, events in original.items()}
        assert {
            clip: [(e.onset, e.offset, e.label, e.row) for e in events] for clip, events in table.clips.items()
        } == {
            clip: [(e.onset, e.offset, end, e.row) for e, end in some if not end.startswith("-")]
            for clip, some in ends.items()
        }
        every = [end for some in ends.values() for _, end in some]
        assert ready.record[side]["dropped"] == every.count("-drop")
        assert ready.record[side]["ignored"] == every.count("-ignore")
    unmapped = {
        (side, e.label)
        for side, clips in (("r", ref), ("p", pred))
        for events in clips.values()
        for e in events
        if treatment(data, e.label) == "-error"
    }
    reported = [
        (name, d.headline)
        for d, (_, name, _) in zip(diagnostics, places(list(diagnostics)), strict=True)
        if d.code == "unmapped-label"
    ]
    assert len(reported) == len(unmapped)
    assert all(
        any(name == side and f"`{label}`" in headline for name, headline in reported) for side, label in unmapped
    )
    regions = {
        clip: tuple(Event(e.onset, e.offset, "") for e in events if treatment(data, e.label) == "-ignore")
        for clip, events in ref.items()
    }
    assert (ready.ignore.clips if ready.ignore else {}) == {clip: some for clip, some in regions.items() if some}


def test_ignored_labels_join_the_declared_regions() -> None:
    labels = label_map_from({"ignore": ["UNK"], "keep": ["x"]}, Diagnostics())
    ref = EventTable("r", {"a": (Event(Fraction(3), Fraction(4), "UNK", 2),)})
    declared = EventTable("i", {"a": (Event(Fraction(1), Fraction(2), "x", 5),)}, "digest")
    tables = SideTables(ref, EventTable("p", {}), None, declared, labels, outside=Outside.ERROR)
    ready = prepare(tables, Diagnostics())
    assert ready.ignore is not None
    assert ready.ignore.clips == {"a": (Event(Fraction(1), Fraction(2), "x"), Event(Fraction(3), Fraction(4), ""))}
    assert ready.ignore.digest == "digest"


def test_a_system_cannot_excuse_itself_with_an_ignored_label() -> None:
    """The reference has an onset at 1 s; predicting UNK over it must not take the obligation away."""
    ref, pred = {"a": [(1, 2, "x")]}, {"a": [(0, 5, "UNK")]}
    labels = {"ignore": ["UNK"], "keep": ["x"]}
    run_ = score(CONTRACT, ref, pred, durations=5, label_map=labels)
    assert run_.card.vector()["onset"].obligated == 1
    assert run_.vector["onset"] == 0
    excused = score(CONTRACT, {"a": [(1, 2, "x"), (0, 5, "UNK")]}, {"a": []}, durations=5, label_map=labels)
    assert excused.card.vector()["onset"].obligated == 0


def test_merged_classes_are_scored_as_one() -> None:
    ref, pred = {"a": [(1, 2, "cat"), (3, 4, "dog")]}, {"a": [(1, 2, "animal"), (3, 4, "animal")]}
    run_ = score(CONTRACT, ref, pred, durations=5, label_map={"merge": {"animal": ["cat", "dog"]}})
    assert run_.card.family.classes == ("animal",)
    assert run_.vector["onset"] == 1


def test_a_label_the_map_does_not_know_is_an_error_with_its_row(tmp_path: Path) -> None:
    put(
        tmp_path,
        {"r.tsv": events("a 0 1 Dog", "a 2 3 Dogg"), "p.tsv": events("a 0 1 Dog"), "m.toml": 'keep = ["Dog"]\n'},
    )
    done = run(
        "score",
        "boundary_gate",
        "--ref",
        "r.tsv",
        "--pred",
        "p.tsv",
        "--durations",
        "5",
        "--label-map",
        "m.toml",
        folder=tmp_path,
    )
    assert done.code == 2
    assert "error[unmapped-label]: the label map says nothing about `Dogg` (1 event)\n  --> r.tsv:3" in done.err
    assert "did you mean `Dog`?" in done.err


def test_a_label_of_the_map_that_never_occurs_is_a_warning(tmp_path: Path) -> None:
    put(tmp_path, {"m.toml": 'keep = ["Dog"]\ndrop = ["Musik"]\nother = "keep"\n'})
    run_ = score(
        CONTRACT, {"a": [(0, 1, "Dog"), (1, 2, "Music")]}, {"a": []}, durations=5, label_map=tmp_path / "m.toml"
    )
    found = [d for d in run_.diagnostics if d.code == "unused-mapping"]
    assert [("Musik" in d.headline, d.help) for d in found] == [(True, "did you mean `Music`?")]


def test_a_wrong_map_stops_before_other_faults(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as error:
        score(CONTRACT, {"a": [(0, 9, "Dog")]}, {"b": []}, durations=5, label_map={"dorp": []})
    assert [d.code for d in error.value.diagnostics] == ["bad-label-map"]


def test_the_report_records_map_and_decoding(tmp_path: Path) -> None:
    files = {
        "r.tsv": events("a.wav 0 1 Dog", "a.wav 2 3 UNK", "a.wav 3 4 Rain"),
        "scores/a.tsv": "onset\toffset\tDog\tRain\n0\t1\t0.9\t0.9\n1\t2\t0.2\t0.1\n",
        "m.toml": 'keep = ["Dog"]\nignore = ["UNK"]\ndrop = ["Rain"]\n',
    }
    put(tmp_path, files)
    done = run(
        "score", "boundary_gate", "--ref", "r.tsv", "--pred", "scores", "--durations", "5", "--label-map", "m.toml",
        "--hysteresis", "0.25,0.5", "--median", "1", "--format", "json", folder=tmp_path,
    )  # fmt: skip
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert report["preparation"] == {
        "reference": {
            "format": "table",
            "decoding": None,
            "renamed_clips": 0,
            "lengths": 0,
            "dropped": 1,
            "ignored": 1,
        },
        "prediction": {
            "format": "scores",
            "decoding": {"threshold": "1/2", "low": "1/4", "median": 1},
            "renamed_clips": 1,
            "lengths": 0,
            "dropped": 1,
            "ignored": 0,
        },
        "label_map": {
            "name": "m.toml",
            "labels": [{"old": "Dog", "new": "Dog"}],
            "drop": ["Rain"],
            "ignore": ["UNK"],
            "other": "error",
        },
    }
    assert {item["role"] for item in report["inputs"]} == {"reference", "prediction", "label_map"}
    text = run(
        "score", "boundary_gate", "--ref", "r.tsv", "--pred", "scores", "--durations", "5", "--label-map", "m.toml",
        "--threshold", "0.5", "--full", folder=tmp_path,
    )  # fmt: skip
    assert "prediction decoded from scores: score > 1/2" in text.out
    assert "label map m.toml" in text.out
