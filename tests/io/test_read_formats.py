"""Every format is found from its content and read exactly; a folder of clips' files is one table."""

import hashlib
from fractions import Fraction
from pathlib import Path

import formats
import pytest
from formats import AUDACITY, LIST, MAESTRO, RAVEN, SCORES, SHORT_TEXTGRID, TEXTGRID, listed, places, put, read

import tracepact
from tracepact.data.decoding import Decoding
from tracepact.data.fields import read_scores
from tracepact.data.formats import FORMATS, MAPPED
from tracepact.data.readings import Reading
from tracepact.data.score_files import read_soft
from tracepact.diagnostics.collection import Diagnostics
from tracepact.records import record_of
from tracepact.runs.report import PreparedSide
from tracepact.runs.verification import verify_run

HALF = Decoding(Fraction(1, 2))
EXPECTED = {
    "list": {"clip": [("1/2", "5/4", "dog"), ("1", "2", "cat")]},
    "audacity": {"clip": [("1/2", "5/4", "dog"), ("2", "2", "click")]},
    "raven": {"clip": [("1/2", "3/2", "wren"), ("3", "33/8", "tit")]},
    "maestro": {"clip": [("0", "2", "dog"), ("3", "4", "dog")]},
    "scores": {"clip": [("0", "8/125", "dog"), ("16/125", "24/125", "dog"), ("16/125", "24/125", "cat")]},
    "textgrid": {
        "clip": [
            ("7500000000000001/25000000000000000", "5/4", 'say "hi" ! 3 [4]'),
            ("5/4", "3", "tit"),
            ("1/2", "1/2", "click"),
        ]
    },
    "biodcase": {
        "sea/2015-02-04T03-00-00_000.wav": [("269/4", "70", "bma")],
        "sea/2015-02-04T03-00-00_500.wav": [("267/4", "267/4", "bmb")],
    },
    "rttm": {"meet1": [("1/2", "7/4", "anna"), ("101/10", "103/10", "ben")]},
    "ctm": {"meet1": [("1/2", "3/4", "hello"), ("101/10", "103/10", "there")]},
    "lab": {"clip": [("0", "1/2", "sil"), ("1/2", "5/4", "say hi")]},
    "pam": {"sea/a.wav": [("51/4", "141/10", "up")], "b.wav": [("3", "7/2", "gs")]},
    "birdnet": {"a.wav": [("0", "3", "Wren")], "b.wav": [("3", "6", "Great Tit")]},
    "crowsetta": {"one.wav": [("1/80", "1/10", "a"), ("1/4", "1/2", "b")]},
    "audioset": {"x_30000": [("0", "5/2", "/m/09x0r")]},
    "few-shot": {"a.wav": [("1/2", "5/4", "CLASS_1"), ("2", "3", "CLASS_2")], "b.wav": []},
    "seld": {"clip": [("0", "1/5", "3"), ("1/10", "3/10", "3"), ("1/2", "3/5", "3"), ("7/10", "4/5", "0")]},
    "eaf": {"clip": [("1/2", "5/4", "wren & tit"), ("1/2", "5/4", "song")]},
    "jams": {
        "clip": [
            ("7093519000000001/1000000000000000", "7193519000000001/1000000000000000", "siren"),
            ("1", "1", "click"),
        ]
    },
    "aoef": {"dawn/a.wav": [("1/2", "5/4", "wren"), ("17/8", "17/8", "tit"), ("7/2", "5", "tit")], "b.wav": []},
    "subtitles": {"clip": [("3/2", "9/4", "dog"), ("3", "64", "big cat")]},
    "label-studio": {"dawn.wav": [("1/2", "5/4", "dog"), ("1/2", "5/4", "loud")], "still.wav": [("2", "5/2", "cat")]},
    "via": {"a.wav": [("1/2", "5/4", "dog")], "b.wav": []},
}
SAID = {
    "jams": ["background-left-out", "several-tiers"],
    "textgrid": ["several-tiers"],
    "eaf": ["rows-left-out", "several-tiers"],
}
TEXTS = {name: getattr(formats, name.upper().replace("-", "_")) for name in EXPECTED}


@pytest.mark.parametrize("format", TEXTS)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("named", [False, True])
def test_a_format_is_found_or_named_and_read_exactly(format: str, ending: str, named: bool, tmp_path: Path) -> None:
    put(tmp_path, {"clip.txt": TEXTS[format].replace("\n", ending)})
    table, found = read(tmp_path / "clip.txt", decoding=HALF, format=format if named else None)
    assert [d.code for d in found] == SAID.get(format, [])
    assert listed(table) == EXPECTED[format]
    assert table.origin is not None
    assert table.origin.format == format


@pytest.mark.parametrize("format", [*FORMATS, MAPPED])
def test_a_report_can_name_every_format(format: str) -> None:
    side = {"format": format, "decoding": None, "renamed_clips": 0, "lengths": 0, "dropped": 0, "ignored": 0}
    assert record_of(side, PreparedSide).format == format


def test_what_a_column_map_reads_is_scored_stored_and_verified(tmp_path: Path) -> None:
    put(tmp_path, {"odd.csv": "F,T,E\na.wav,1,2\n"})
    reading = Reading(columns="clip=F,onset=T,offset=E,label==up")
    place = tmp_path / "odd.csv"
    run = tracepact.score("boundary_gate", place, place, durations=5, ref_reading=reading, pred_reading=reading)
    run.save(tmp_path / "run")
    assert not verify_run(tmp_path / "run").drifts
    assert run.to_dict()["preparation"]["reference"]["format"] == "columns"


@pytest.mark.parametrize(("named", "code"), [("table", "wrong-columns"), ("json", "bad-json")])
def test_a_named_format_is_not_doubted(named: str, code: str, tmp_path: Path) -> None:
    texts = {"table": '{"clips": {"a": [[0, 1, "x"]]}}', "json": "filename\tonset\toffset\tevent_label\na\t0\t1\tx\n"}
    put(tmp_path, {"side": texts[named]})
    assert read(tmp_path / "side")[1] == []
    assert [fault.code for fault in read(tmp_path / "side", format=named)[1]] == [code]


def test_both_texts_of_a_textgrid_are_the_same_events(tmp_path: Path) -> None:
    put(tmp_path, {"clip.TextGrid": SHORT_TEXTGRID, "long/clip.TextGrid": TEXTGRID})
    short, long = read(tmp_path / "clip.TextGrid")[0], read(tmp_path / "long")[0]
    assert short.clips == long.clips


def test_events_know_their_rows(tmp_path: Path) -> None:
    rows = {"audacity": [1, 3], "raven": [2, 4], "maestro": [1, 5], "scores": [2, 4, 4], "textgrid": [20, 24, 34]}
    rows |= {"rttm": [3, 4], "lab": [1, 2], "pam": [2, 3], "few-shot": [2, 3], "seld": [1, 3, 5, 6], "eaf": [12, 24]}
    for format, expected in rows.items():
        put(tmp_path / format, {"clip.txt": TEXTS[format]})
        table, _ = read(tmp_path / format / "clip.txt", decoding=HALF)
        assert [event.row for _, event in table.events] == expected, format


@pytest.mark.parametrize(
    "format", ["list", "audacity", "raven", "textgrid", "maestro", "scores", "lab", "eaf", "jams", "seld", "subtitles"]
)
def test_a_folder_is_one_table_whose_clips_are_the_names_of_its_files(format: str, tmp_path: Path) -> None:
    put(tmp_path, {"b.txt": TEXTS[format], "deep/a.wav.txt": TEXTS[format], ".hidden.txt": "?", ".git/x.txt": "?"})
    table, found = read(tmp_path, decoding=HALF)
    assert {d.code for d in found} == set(SAID.get(format, []))
    assert listed(table) == {"b": EXPECTED[format]["clip"], "deep/a.wav": EXPECTED[format]["clip"]}
    assert table.place("deep/a.wav", 3).file == str(tmp_path / "deep" / "a.wav.txt")


def test_the_digest_of_a_folder_is_that_of_its_sorted_list_of_digests(tmp_path: Path) -> None:
    put(tmp_path, {"b.txt": AUDACITY, "a.txt": "0\t1\tx\n"})
    one, two = (hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in ("a.txt", "b.txt"))
    expected = hashlib.sha256(f"{one}  a.txt\n{two}  b.txt\n".encode()).hexdigest()
    assert read(tmp_path)[0].digest == expected


def test_an_empty_label_track_is_a_silent_clip(tmp_path: Path) -> None:
    put(tmp_path, {"a.txt": AUDACITY, "b.txt": ""})
    table, found = read(tmp_path)
    assert found == []
    assert table.clips["b"] == ()
    assert read(tmp_path / "b.txt", format="audacity")[0].clips == {"b": ()}


def test_labels_without_text_and_points_are_kept(tmp_path: Path) -> None:
    put(tmp_path, {"a.txt": "1\t2\t\n3\t3\n4\t5\tdog\n"})
    table, found = read(tmp_path / "a.txt")
    assert listed(table)["a"] == [("1", "2", "event"), ("3", "3", "event"), ("4", "5", "dog")]
    assert places(found) == [("unlabelled-event", "a.txt", 1), ("unlabelled-event", "a.txt", 2)]


def test_the_name_of_a_raven_table_gives_its_clip(tmp_path: Path) -> None:
    put(tmp_path, {"dawn.Table.1.selections.txt": RAVEN, "dusk.selections.txt": RAVEN})
    assert list(read(tmp_path)[0].clips) == ["dawn", "dusk"]


def test_a_raven_table_of_several_files_names_its_clips(tmp_path: Path) -> None:
    header = "Selection\tBegin Time (s)\tEnd Time (s)\tBegin File\tFile Offset (s)\tCall\n"
    put(tmp_path, {"all.txt": header + "1\t1\t2.5\ta.wav\t1\tx\n2\t11\t12\tb.wav\t0.25\ty\n"})
    table, found = read(tmp_path / "all.txt")
    assert found == []
    assert listed(table) == {"a.wav": [("1", "5/2", "x")], "b.wav": [("1/4", "5/4", "y")]}


def test_the_column_of_raven_labels_can_be_named(tmp_path: Path) -> None:
    text = "Selection\tBegin Time (s)\tEnd Time (s)\tKind\tSure\n1\t0\t1\tsong\tyes\n"
    put(tmp_path, {"a.txt": text})
    assert listed(read(tmp_path / "a.txt", label_column="Kind")[0])["a"] == [("0", "1", "song")]
    assert listed(read(tmp_path / "a.txt", label_column="Sure")[0])["a"] == [("0", "1", "yes")]


def test_tiers_can_be_chosen(tmp_path: Path) -> None:
    put(tmp_path, {"a.TextGrid": TEXTGRID})
    assert listed(read(tmp_path / "a.TextGrid", tiers=("clicks",))[0])["a"] == [("1/2", "1/2", "click")]


def test_soft_fields_are_kept(tmp_path: Path) -> None:
    put(tmp_path, {"cafe_00.txt": MAESTRO})
    soft = read_soft(tmp_path, Diagnostics())
    assert [(e.confidence, e.label, e.row) for e in soft.clips["cafe_00"]] == [
        (Fraction(3, 5), "dog", 1),
        (Fraction(3, 4), "dog", 2),
        (Fraction(1, 2), "cat", 3),
        (0, "cat", 4),
        (1, "dog", 5),
    ]


def test_scores_are_the_decimals_that_are_written(tmp_path: Path) -> None:
    put(tmp_path, {"a.tsv": "onset\toffset\tx\n0\t1\t0.1\n1\t2\t0.1000000000000000000000001\n2\t3\t1e-30\n"})
    field = read_scores(tmp_path, Diagnostics())
    ranks = field.clips["a"].ranks[:, 0]
    assert [field.levels.text(rank) for rank in ranks] == ["0.1", "0.1000000000000000000000001", "1e-30"]
    table, _ = read(tmp_path, decoding=Decoding(Fraction(1, 10)))
    assert listed(table)["a"] == [("1", "2", "x")]


def test_a_number_alone_is_a_threshold(tmp_path: Path) -> None:
    put(tmp_path, {"a.tsv": SCORES})
    assert read(tmp_path, decoding="0.5")[0].clips == read(tmp_path, decoding=0.5)[0].clips
    assert read(tmp_path, decoding="0.5")[0].clips == read(tmp_path, decoding=HALF)[0].clips


def test_columns_of_scores_may_stand_in_another_order(tmp_path: Path) -> None:
    put(tmp_path, {"a.tsv": SCORES, "b.tsv": "cat\tonset\tdog\toffset\n0.6\t0\t0.2\t1\n"})
    assert listed(read(tmp_path, decoding=HALF)[0])["b"] == [("0", "1", "cat")]


def test_dates_keep_every_digit_and_know_leap_days(tmp_path: Path) -> None:
    rows = (
        "filename,annotation,start_datetime,end_datetime\n"
        "2016-02-28T23-59-59_250.wav,x,2016-02-28T23:59:59.2500001Z,2016-03-01 00:00:00\n"
    )
    put(tmp_path, {"t.csv": rows})
    table, found = read(tmp_path / "t.csv")
    assert found == []
    assert listed(table) == {"2016-02-28T23-59-59_250.wav": [("1/10000000", str(86400 + Fraction(3, 4)), "x")]}


def test_a_list_without_rows_is_a_silent_clip(tmp_path: Path) -> None:
    put(tmp_path, {"a.tsv": LIST, "b.tsv": "onset\toffset\tevent_label\n"})
    table, found = read(tmp_path)
    assert found == []
    assert table.clips["b"] == ()
