"""What files say without being asked: how long their clips are, which columns a table without a header has."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from cli.command import events, run, write

from tracepact import Decoding, score
from tracepact.data.event_rows import Outside
from tracepact.data.events import Durations
from tracepact.data.formats import read_events
from tracepact.data.preparation import SideTables, prepare
from tracepact.data.readings import Reading
from tracepact.diagnostics.collection import Diagnostics, InvalidInput

GATE = "contract gate step 20ms clause onset on ref_onset : ref_onset -> N[40ms] pred_onset"
SCORES = "onset\toffset\tdog\n0\t4\t0.1\n4\t7.5\t0.9\n"


def grid(end: str, *, start: str = "0") -> str:
    """A short TextGrid with one event, from 1 to 2 s."""
    tier = f'"IntervalTier"\n"t"\n{start}\n{end}\n1\n1\n2\n"dog"\n'
    return f'"ooTextFile"\n"TextGrid"\n{start}\n{end}\n<exists>\n1\n{tier}'


def test_a_textgrid_says_how_long_its_clip_is(tmp_path: Path) -> None:
    write(tmp_path, {"a.TextGrid": grid("6.25"), "p.tsv": events("a.wav 1 2 dog")})
    found = score(GATE, tmp_path / "a.TextGrid", tmp_path / "p.tsv")
    assert found.durations == Durations(str(tmp_path / "a.TextGrid"), {"a.wav": Fraction("6.25")})
    assert found.preparation["reference"]["lengths"] == 1
    assert found.preparation["prediction"]["lengths"] == 0


def test_given_durations_come_before_what_files_say(tmp_path: Path) -> None:
    write(tmp_path, {"a.TextGrid": grid("6.25"), "p.tsv": events("a 1 2 dog")})
    found = score(GATE, tmp_path / "a.TextGrid", tmp_path / "p.tsv", durations=9)
    assert found.durations == 9
    assert found.preparation["reference"]["lengths"] == 0


def test_scores_last_to_their_last_frame_and_only_for_clips_of_the_reference(tmp_path: Path) -> None:
    (tmp_path / "scores").mkdir()
    write(tmp_path, {"ref.tsv": events("a.wav 4 7 dog"), "scores/a.tsv": SCORES})
    found = score(GATE, tmp_path / "ref.tsv", tmp_path / "scores", decoding=Decoding(Fraction(1, 2)))
    assert found.durations == Durations(str(tmp_path / "scores"), {"a.wav": Fraction("7.5")})
    write(tmp_path, {"scores/b.tsv": SCORES})
    with pytest.raises(InvalidInput) as refused:
        score(GATE, tmp_path / "ref.tsv", tmp_path / "scores", decoding=Decoding(Fraction(1, 2)))
    assert [d.code for d in refused.value.diagnostics] == ["unknown-clip"]


def test_the_reference_comes_before_the_predictions(tmp_path: Path) -> None:
    write(tmp_path, {"a.TextGrid": grid("6.25"), "a.tsv": SCORES})
    annotated = read_events(tmp_path / "a.TextGrid", Diagnostics())
    scored = read_events(tmp_path / "a.tsv", Diagnostics(), Reading(decoding=Decoding(Fraction(1, 2))))
    ready = prepare(SideTables(annotated, scored, outside=Outside.ERROR), Diagnostics())
    assert isinstance(ready.durations, Durations)
    assert ready.durations.clips == {"a": Fraction("6.25")}
    turned = prepare(SideTables(scored, annotated, outside=Outside.ERROR), Diagnostics())
    assert isinstance(turned.durations, Durations)
    assert turned.durations.clips == {"a": Fraction("7.5")}


def test_a_textgrid_that_does_not_start_at_zero_and_soft_labels_say_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"a.TextGrid": grid("6", start="0.5"), "p.tsv": events("a 1 2 dog"), "s.txt": "0\t1\tdog\t0.9\n"})
    with pytest.raises(InvalidInput) as refused:
        score(GATE, tmp_path / "a.TextGrid", tmp_path / "p.tsv")
    assert [d.code for d in refused.value.diagnostics] == ["unknown-duration"]
    with pytest.raises(InvalidInput) as refused:
        score(GATE, tmp_path / "s.txt", tmp_path / "p.tsv", ref_reading=Reading(decoding="0.5"))
    assert "soft labels do not" in str(refused.value)


def test_the_report_says_where_lengths_come_from(tmp_path: Path) -> None:
    write(tmp_path, {"g.contract": GATE, "a.TextGrid": grid("6.25"), "p.tsv": events("a 1 2 dog")})
    outcome = run("score", "g.contract", "--ref", "a.TextGrid", "--pred", "p.tsv", "--full", folder=tmp_path)
    assert outcome.code == 0
    assert "reference: length of 1 clip taken from its files (textgrid)" in outcome.out


@pytest.mark.parametrize("sign", ["\t", ","])
def test_a_table_of_events_without_a_header_is_read_by_the_order_of_its_columns(tmp_path: Path, sign: str) -> None:
    rows = [("a.wav", "1.5", "2", "dog"), ("b.wav", "0", "3.25", "cat"), ("b.wav", "", "", "")]
    text = "".join(sign.join(row) + "\n" for row in rows)
    header = sign.join(("filename", "onset", "offset", "event_label")) + "\n"
    write(tmp_path, {"bare.txt": text, "full.txt": header + text})
    found = Diagnostics()
    bare = read_events(tmp_path / "bare.txt", found)
    full = read_events(tmp_path / "full.txt", Diagnostics())
    assert bare.clips == full.clips
    assert [event.row for _, event in bare.events] == [1, 2]
    assert [d.code for d in found] == ["header-absent"]


def test_a_row_of_words_or_of_numbers_is_no_event(tmp_path: Path) -> None:
    for text in ("a\tb\tc\td\n", "a.wav\t1\t2\t3\n", "a.wav\t1\tdog\n"):
        write(tmp_path, {"t.txt": text})
        found = Diagnostics()
        read_events(tmp_path / "t.txt", found)
        assert found.errors, text


OPTIONS = (
    (("--threshold", "0.5"), "pred.tsv", "holds events, not scores"),
    (("--hysteresis", "0.2,0.5", "--median", "3"), "pred.tsv", "holds events, not scores"),
    (("--ref-threshold", "0.5"), "ref.tsv", "holds events, not scores"),
    (("--label-column", "Species"), "ref.tsv", "nothing here is of the format `raven`"),
    (("--tier", "t"), "ref.tsv", "nothing here is of the format `textgrid`"),
)


@pytest.mark.parametrize(("options", "place", "words"), OPTIONS)
@pytest.mark.parametrize("command", ["metrics", "score", "lint-data"])
def test_an_option_without_use_is_a_warning(
    tmp_path: Path, options: tuple[str, ...], place: str, words: str, command: str
) -> None:
    write(tmp_path, {"g.contract": GATE, "ref.tsv": events("a 1 2 dog"), "pred.tsv": events("a 1 2 dog")})
    contract = ("g.contract", "--durations", "10") if command == "score" else ()
    outcome = run(command, *contract, "--ref", "ref.tsv", "--pred", "pred.tsv", *options, folder=tmp_path)
    assert outcome.code == 0
    assert ("unused-reading", place) in outcome.places
    assert words in outcome.err


def test_an_option_with_a_use_is_not_one(tmp_path: Path) -> None:
    write(tmp_path, {"a.TextGrid": grid("7.5"), "a.tsv": SCORES})
    outcome = run(
        *("metrics", "--ref", "a.TextGrid", "--pred", "a.tsv", "--threshold", "0.5", "--tier", "t", "--format", "json"),
        folder=tmp_path,
    )
    assert outcome.code == 0
    assert "unused-reading" not in outcome.codes
    assert "without a duration" not in json.dumps(json.loads(outcome.out))


def test_labels_that_differ_only_in_spelling_are_a_finding(tmp_path: Path) -> None:
    write(tmp_path, {"ref.tsv": events("a 1 2 Dog_bark", "a 3 4 dog-bark", "a 5 6 cat")})
    outcome = run("lint-data", "--ref", "ref.tsv", folder=tmp_path)
    assert outcome.places == [("similar-labels", "ref.tsv:3")]


def test_renaming_two_labels_alike_is_said_to_merge_them(tmp_path: Path) -> None:
    write(tmp_path, {"m.toml": '[rename]\nDog = "dog"\nhound = "dog"\n', "ref.tsv": events("a 1 2 Dog", "a 3 4 hound")})
    sides = ("--ref", "ref.tsv", "--pred", "ref.tsv", "--label-map", "m.toml")
    said = run("metrics", *sides, folder=tmp_path)
    assert said.code == 0
    assert "note[merged-labels]: `Dog` and `hound` become one class, `dog`" in said.err
    assert '"dog" = ["Dog", "hound"]' in said.err
    write(tmp_path, {"m.toml": '[merge]\n"dog" = ["Dog", "hound"]\n'})
    assert "merged-labels" not in run("metrics", *sides, folder=tmp_path).err
