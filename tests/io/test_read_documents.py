"""JSON documents keep numbers exact, and each fault is named by its path."""

import hashlib
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracepact.data.documents import FamilyDocument, read_document
from tracepact.data.events import Event
from tracepact.data.formats import read_events
from tracepact.data.tables import read_regions
from tracepact.diagnostics.collection import Diagnostics


def document(path: Path, content: str | Any) -> tuple[FamilyDocument, Diagnostics]:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    diagnostics = Diagnostics()
    return read_document(path, diagnostics), diagnostics


def test_a_document_gives_both_sides_and_what_goes_with_them(tmp_path: Path) -> None:
    text = """{"clips": [
      {"name": "a", "duration": "12", "ref": [["1.0", 2.10, "x"]], "pred": [[0.1, "1/3", "y"]],
       "ignore": [[3, 4], [5, 6, "x"]], "masks": {"zone": [[0, 2], [5, 6]]}},
      {"name": "b", "duration": 0.30, "ref": [], "masks": {"zone": []}}]}"""
    read, diagnostics = document(tmp_path / "pair.json", text)
    assert not list(diagnostics)
    assert read.reference.clips == {"a": (Event(Fraction(1), Fraction(21, 10), "x"),), "b": ()}
    assert read.prediction.clips == {"a": (Event(Fraction(1, 10), Fraction(1, 3), "y"),)}
    assert read.durations.clips == {"a": 12, "b": Fraction(3, 10)}
    assert read.ignore is not None
    assert read.ignore.clips == {"a": (Event(Fraction(3), Fraction(4), ""), Event(Fraction(5), Fraction(6), "x"))}
    assert read.masks == {"zone": {"a": 0b100011, "b": 0}}
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert {read.digest, read.reference.digest, read.prediction.digest, read.durations.digest} == {digest}


def test_a_document_without_regions_or_masks_has_none(tmp_path: Path) -> None:
    read, diagnostics = document(tmp_path / "pair.json", {"clips": [{"name": "a", "ref": [], "pred": []}]})
    assert (read.ignore, read.masks, read.durations.clips) == (None, None, {})
    assert not list(diagnostics)


@given(st.integers(0, 30).flatmap(lambda p: st.tuples(st.integers(0, 10 ** (10 + p) - 1), st.just(p))), st.booleans())
def test_json_numbers_are_exact_beyond_doubles(
    tmp_path_factory: pytest.TempPathFactory, written: tuple[int, int], quoted: bool
) -> None:
    """Times are less than 10^10 s (rule 13.40)."""
    digits, places = written
    number = f"{digits}e-{places}"
    text = f'"{number}"' if quoted else number
    path = tmp_path_factory.mktemp("json") / "side.json"
    path.write_text(f'{{"clips": {{"a": [[0, {text}, "x"]]}}}}')
    diagnostics = Diagnostics()
    assert read_events(path, diagnostics).clips["a"][0].offset == Fraction(digits, 10**places)
    assert not list(diagnostics)


def test_one_side_is_recognised_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "side.tsv"
    path.write_text('\ufeff {"clips": {"a": [["0.1", "0.3", "x"]], "b": []}}')
    diagnostics = Diagnostics()
    assert read_events(path, diagnostics).clips == {
        "a": (Event(Fraction(1, 10), Fraction(3, 10), "x"),),
        "b": (),
    }
    path.write_text('{"clips": {"a": [[1, 2]]}}')
    assert read_regions(path, diagnostics).clips == {"a": (Event(Fraction(1), Fraction(2), ""),)}
    assert not list(diagnostics)


def clip(**keys: Any) -> dict[str, Any]:
    return {"clips": [{"name": "ok", "ref": [[1, 2, "x"]]}, {"name": "a", **keys}]}


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        (clip(ref=[[1, 2, "x"], [1, 2]]), "bad-json", "`clips[1].ref[1]` is a list of 2 items"),
        (clip(ref=[[1, 2, "x", 3]]), "bad-json", "`clips[1].ref[0]`"),
        (clip(ref=[5]), "bad-json", "`clips[1].ref[0]` is the number 5"),
        (clip(ref={"x": 1}), "bad-json", "`clips[1].ref` is an object"),
        (clip(ref=[[1, 2, 3]]), "bad-json", "`clips[1].ref[0][2]` is the number 3"),
        (clip(ref=[[1, 2, ""]]), "bad-json", "`clips[1].ref[0][2]` is an empty text"),
        (clip(ref=[[None, 2, "x"]]), "bad-json", "`clips[1].ref[0][0]` is `null`"),
        (clip(ref=[[1, True, "x"]]), "bad-json", "`clips[1].ref[0][1]` is `true`"),
        (clip(ref=[["late", 2, "x"]]), "bad-time", "`clips[1].ref[0]`: onset `late`"),
        (clip(ref=[[1, float("nan"), "x"]]), "bad-time", "offset `NaN` is not a finite number"),
        (clip(pred=[[1, -2, "x"]]), "bad-time", "`clips[1].pred[0]`: offset `-2` is negative"),
        (clip(ignore=[[2, 1]]), "offset-before-onset", "`clips[1].ignore[0]`"),
        (clip(duration=0), "bad-time", "`clips[1].duration`: duration `0` is zero"),
        (clip(duration="-1"), "bad-time", "`clips[1].duration`: duration `-1` is negative"),
        (clip(duration=[]), "bad-json", "`clips[1].duration` is a list of 0 items"),
        (clip(prd=[]), "bad-json", "`clips[1].prd` is not a known key"),
        (clip(masks=[]), "bad-json", "`clips[1].masks` is a list"),
        (clip(masks={"zone": [[3, 2]]}), "bad-json", "`clips[1].masks.zone[0]`"),
        (clip(masks={"zone": [[0, 10**12]]}), "bad-json", "`clips[1].masks.zone[0]`"),
        (clip(masks={"zone": [[0, 1.5]]}), "bad-json", "`clips[1].masks.zone[0]`"),
        (clip(masks={"zone": [[-1, 2]]}), "bad-json", "`clips[1].masks.zone[0]`"),
        (
            f'{{"clips": [{{"name": "a", "masks": {{"zone": [[0, {"9" * 5000}]]}}}}]}}',
            "bad-json",
            "`clips[0].masks.zone[0]`",
        ),
        ({"clips": [{"ref": []}]}, "bad-json", "`clips[0].name` is missing"),
        ({"clips": [{"name": 3}]}, "bad-json", "`clips[0].name` is the number 3"),
        ({"clips": [{"name": "a"}, {"name": "a"}]}, "bad-json", "`clips[1].name` repeats clip `a`"),
        ({"clips": ["a"]}, "bad-json", "`clips[0]` is the text `a`"),
        ({"clips": {"a": []}}, "bad-json", "`clips` is an object"),
        ({"clip": []}, "bad-json", "`clip` is not a known key"),
        ({}, "bad-json", "`clips` is missing"),
        ([], "bad-json", "the document is a list"),
        ('{"clips": [{"name": "a", "name": "b"}]}', "bad-json", "`clips[0].name` occurs twice"),
        ("[" * 100_000, "bad-json", "nests too deep"),
        ("filename\tonset", "bad-json", "not JSON at column 1"),
        ("", "empty-file", "the file is empty"),
    ],
)
def test_a_fault_is_named_by_its_path(tmp_path: Path, content: Any, code: str, words: str) -> None:
    _, diagnostics = document(tmp_path / "pair.json", content)
    assert (diagnostics.items[0].code, words in diagnostics.items[0].headline) == (code, True), list(diagnostics)


@pytest.mark.parametrize("duration", [0, "0.0", "-1", "NaN", None])
def test_a_bad_duration_is_not_kept(tmp_path: Path, duration: Any) -> None:
    read, diagnostics = document(tmp_path / "pair.json", clip(duration=duration))
    assert read.durations.clips == {}
    assert len(diagnostics) == 1


def test_a_misspelt_key_offers_the_nearest(tmp_path: Path) -> None:
    _, diagnostics = document(tmp_path / "pair.json", clip(prd=[]))
    assert [d.help for d in diagnostics] == ["did you mean `pred`?"]


def test_sound_parts_of_a_faulty_document_are_read_and_all_faults_collected(tmp_path: Path) -> None:
    read, diagnostics = document(
        tmp_path / "pair.json", clip(ref=[[1, 2, "x"], ["late", "later", "x"], [1]], pred=[[0, -1, "y"]])
    )
    assert [d.code for d in diagnostics] == ["bad-time", "bad-time", "bad-json", "bad-time"]
    assert {name: len(events) for name, events in read.reference.clips.items()} == {"ok": 1, "a": 1}


def test_broken_json_is_reported_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "side.json"
    path.write_text('{"clips":\n {"a": [[1, 2, "x"],]}}')
    diagnostics = Diagnostics()
    assert read_events(path, diagnostics).clips == {}
    (found,) = diagnostics
    assert (found.code, getattr(found.place, "row", None)) == ("bad-json", 2)


def test_a_clip_given_twice_in_one_side_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "side.json"
    path.write_text('{"clips": {"a": [], "a": [[1, 2, "x"]]}}')
    diagnostics = Diagnostics()
    read_events(path, diagnostics)
    assert ["occurs twice" in d.headline for d in diagnostics] == [True]


def test_a_document_of_both_sides_is_not_one_side(tmp_path: Path) -> None:
    path = tmp_path / "pair.json"
    path.write_text('{"clips": [{"name": "a"}]}')
    diagnostics = Diagnostics()
    assert read_events(path, diagnostics).clips == {}
    (found,) = diagnostics
    assert found.code == "bad-json"
    assert "one side" in (found.help or "")


def test_a_missing_document_is_a_diagnostic(tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    read = read_document(tmp_path / "none.json", diagnostics)
    assert [d.code for d in diagnostics] == ["unreadable-file"]
    assert read.reference.clips == {}
