"""The tables that challenges and tools publish: what each says beside its events, and what is wrong with it."""

import json
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cli.command import events, run, write
from formats import (
    AOEF,
    BIRDNET,
    CTM,
    EAF,
    FEW_SHOT,
    JAMS,
    LAB,
    LIST,
    PAM_POINTS,
    RTTM,
    SELD,
    TEXTGRID,
    UEM,
    listed,
    places,
    put,
    read,
)

from tracepact import score
from tracepact.data.decoding import Decoding
from tracepact.data.event_rows import Outside
from tracepact.data.events import Durations, Event, EventTable
from tracepact.data.formats import read_events
from tracepact.data.labels import label_map_from
from tracepact.data.preparation import SideTables, prepare
from tracepact.data.readings import Reading
from tracepact.data.tables import read_regions
from tracepact.diagnostics.collection import Diagnostics

GATE = "contract gate step 20ms clause onset on ref_onset : ref_onset -> N[40ms] pred_onset"


def regions(table: EventTable) -> dict[str, list[tuple[str, str, str]]]:
    """The ignore regions a table holds, as text."""
    assert table.origin is not None
    return {clip: [(str(e.onset), str(e.offset), e.label) for e in some] for clip, some in table.origin.regions.items()}


# Ignore regions that files hold (rules 13.19, 13.20, 13.28)


def test_unknown_marks_and_unjudged_stretches_are_ignore_regions(tmp_path: Path) -> None:
    put(tmp_path, {"f.csv": FEW_SHOT, "m.rttm": RTTM, "w.json": AOEF})
    assert regions(read(tmp_path / "f.csv")[0]) == {"a.wav": [("2", "3", "CLASS_1")]}
    assert regions(read(tmp_path / "m.rttm")[0]) == {"meet1": [("4", "11/2", "")]}
    assert regions(read(tmp_path / "w.json")[0]) == {"dawn/a.wav": [("30", "121/2", "")]}


def test_regions_of_the_reference_are_used_and_those_of_a_prediction_are_not(tmp_path: Path) -> None:
    put(tmp_path, {"f.csv": FEW_SHOT})
    table = read(tmp_path / "f.csv")[0]
    found = Diagnostics()
    ready = prepare(SideTables(table, table, outside=Outside.ERROR), found)
    assert ready.ignore is not None
    assert ready.ignore.clips == {"a.wav": (Event(Fraction(2), Fraction(3), "CLASS_1"),)}
    assert [d.code for d in found] == ["regions-left-out"]
    alone = prepare(SideTables(EventTable("r", {}), table, outside=Outside.ERROR), Diagnostics())
    assert alone.ignore is None


def test_a_label_map_renames_and_drops_regions_with_their_classes(tmp_path: Path) -> None:
    put(tmp_path, {"f.csv": FEW_SHOT})
    table = read(tmp_path / "f.csv")[0]
    for data, expected in (
        ({"rename": {"CLASS_1": "owl"}, "other": "keep"}, ["owl"]),
        ({"drop": ["CLASS_1"], "other": "keep"}, []),
    ):
        labels = label_map_from(data, Diagnostics())
        ready = prepare(
            SideTables(table, EventTable("p", {}), None, None, labels, outside=Outside.ERROR), Diagnostics()
        )
        assert [e.label for e in (ready.ignore.clips.get("a.wav", ()) if ready.ignore else ())] == expected


def test_regions_of_files_join_those_that_are_given(tmp_path: Path) -> None:
    put(tmp_path, {"f.csv": FEW_SHOT})
    given = EventTable("i", {"a.wav": (Event(Fraction(5), Fraction(6), ""),)})
    ready = prepare(
        SideTables(read(tmp_path / "f.csv")[0], EventTable("p", {}), None, given, outside=Outside.ERROR), Diagnostics()
    )
    assert ready.ignore is not None
    assert ready.ignore.clips["a.wav"] == (*given.clips["a.wav"], Event(Fraction(2), Fraction(3), "CLASS_1"))


def test_convert_writes_regions_or_says_that_it_does_not(tmp_path: Path) -> None:
    put(tmp_path, {"f.csv": FEW_SHOT})
    bare = run("convert", "f.csv", "--to", "table", "--out", "a.tsv", folder=tmp_path)
    assert (bare.code, bare.codes) == (0, ["regions-left-out"])
    full = run("convert", "f.csv", "--to", "table", "--out", "b.tsv", "--regions", "i.tsv", folder=tmp_path)
    assert (full.code, full.codes) == (0, [])
    assert read_regions(tmp_path / "i.tsv", Diagnostics()).clips == {
        "a.wav": (Event(Fraction(2), Fraction(3), "CLASS_1"),)
    }
    onto = run("convert", "f.csv", "--to", "table", "--out", "c.tsv", "--regions", "f.csv", folder=tmp_path)
    assert (onto.code, onto.codes) == (2, ["unsafe-place"])
    assert (tmp_path / "f.csv").read_text() == FEW_SHOT


def test_a_uem_file_ignores_what_it_does_not_name(tmp_path: Path) -> None:
    put(tmp_path, {"m.uem": UEM, "r.rttm": RTTM})
    given = read_regions(tmp_path / "m.uem", Diagnostics())
    reference = read(tmp_path / "r.rttm")[0]
    ready = prepare(
        SideTables(reference, reference, Durations("d", {"meet1.wav": Fraction(12)}), given, outside=Outside.ERROR),
        Diagnostics(),
    )
    assert ready.ignore is not None
    spans = [(str(e.onset), str(e.offset)) for e in ready.ignore.clips["meet1.wav"]]
    assert spans == [("0", "3/2"), ("4", "6"), ("37/4", "12"), ("4", "11/2")]
    open_end = prepare(SideTables(reference, reference, None, given, outside=Outside.ERROR), Diagnostics())
    assert open_end.ignore is not None
    assert [str(e.offset) for e in open_end.ignore.clips["meet1"]] == ["3/2", "6", "103/10", "11/2"]


def test_a_uem_file_holds_no_events(tmp_path: Path) -> None:
    put(tmp_path, {"m.uem": UEM})
    table, found = read(tmp_path / "m.uem")
    assert table.clips == {}
    assert places(found) == [("unknown-format", "m.uem", None)]
    assert "--ignore" in str(found[0].help)


def test_ignored_times_ask_for_nothing(tmp_path: Path) -> None:
    rows = "Audiofilename,Starttime,Endtime,Q\na.wav,1,2,POS\na.wav,5,6,UNK\n"
    put(tmp_path, {"ref.csv": rows, "pred.csv": "Audiofilename,Starttime,Endtime\na.wav,1,2\na.wav,5,6\n"})
    outcome = run("metrics", "--ref", "ref.csv", "--pred", "pred.csv", "--format", "json", folder=tmp_path)
    assert outcome.code == 0
    data = json.loads(outcome.out)
    assert data["left_out"] == 1
    assert {m["micro"]["f1"]["value"] for m in data["metrics"] if "f1" in m["micro"]} == {"1"}
    found = score(GATE, tmp_path / "ref.csv", tmp_path / "pred.csv", durations=10)
    assert found.vector["onset"] == 1


# What files say of their clips


def test_files_say_how_long_their_clips_are(tmp_path: Path) -> None:
    put(tmp_path, {"a.jams": JAMS, "w.json": AOEF})
    jams, whombat = (read(tmp_path / name)[0].origin for name in ("a.jams", "w.json"))
    assert jams is not None
    assert whombat is not None
    assert jams.lengths == {"a": 10}
    assert whombat.lengths == {"dawn/a.wav": Fraction("60.5"), "b.wav": 5}


def test_a_speech_file_takes_the_name_of_its_clip(tmp_path: Path) -> None:
    write(tmp_path, {"r.rttm": RTTM, "p.tsv": events("meet1.wav 0.5 1.75 anna")})
    reference = read_events(tmp_path / "r.rttm", Diagnostics())
    ready = prepare(
        SideTables(reference, read_events(tmp_path / "p.tsv", Diagnostics()), outside=Outside.ERROR), Diagnostics()
    )
    assert list(ready.reference.clips) == ["meet1.wav"]
    assert list(ready.ignore.clips if ready.ignore else ()) == ["meet1.wav"]


def test_two_speech_files_of_one_recording_each_are_not_taken_for_one_clip(tmp_path: Path) -> None:
    put(tmp_path, {"r.rttm": RTTM, "p.rttm": RTTM.replace("meet1", "meet2")})
    sides = [read_events(tmp_path / name, Diagnostics()) for name in ("r.rttm", "p.rttm")]
    tables = SideTables(*sides, outside=Outside.ERROR)
    ready = prepare(tables, Diagnostics())
    assert list(ready.prediction.clips) == ["meet2"]


def test_the_clip_of_a_birdnet_table_is_its_own_column_or_the_name_of_its_file(tmp_path: Path) -> None:
    bare = "\n".join(line.rpartition(",")[0] for line in BIRDNET.splitlines())
    put(tmp_path, {"a.BirdNET.results.csv": bare, "all.csv": BIRDNET})
    assert list(read(tmp_path / "a.BirdNET.results.csv")[0].clips) == ["a"]
    assert list(read(tmp_path / "all.csv")[0].clips) == ["a.wav", "b.wav"]
    table = read(tmp_path / "all.csv")[0]
    assert [str(e.confidence) for _, e in table.events] == ["1039/1250", "1/4"]


def test_two_paths_of_one_name_are_not_taken_for_one_clip(tmp_path: Path) -> None:
    put(tmp_path, {"b.csv": BIRDNET + "0.0,3.0,x,Wren,0.5,/data/dusk/a.wav\n"})
    assert ("ambiguous-clip", "b.csv", 4) in places(read(tmp_path / "b.csv")[1])


SELECTIONS = (
    "Selection\tView\tChannel\tBegin Time (s)\tEnd Time (s)\tLow Freq (Hz)\tHigh Freq (Hz)\tCommon Name\tSpecies Code\t"
    "Confidence\tBegin Path\tFile Offset (s)\n"
    "1\tSpectrogram 1\t1\t3.0\t6.0\t0\t12000\tWren\twinwre4\t0.5120\t/data/a.wav\t3.0\n"
    "2\tSpectrogram 1\t1\t100.0\t103.0\t0\t12000\tGreat Tit\tgretit1\t0.25\tC:\\data\\b.wav\t0.0\n"
    "3\tSpectrogram 1\t1\t0\t3\t0\t12000\tnocall\tnocall\t1.0\t/data/c.wav\t0\n"
)


def test_a_birdnet_selection_table_is_read_with_its_confidences(tmp_path: Path) -> None:
    put(tmp_path, {"x.BirdNET.selection.table.txt": SELECTIONS})
    table, found = read(tmp_path / "x.BirdNET.selection.table.txt")
    assert found == []
    assert listed(table) == {"a.wav": [("3", "6", "Wren")], "b.wav": [("0", "3", "Great Tit")], "c.wav": []}
    assert [e.confidence for _, e in table.events] == [Fraction("0.512"), Fraction("0.25")]


def test_birdnets_other_tables_are_read(tmp_path: Path) -> None:
    r = "filepath,start,end,scientific_name,common_name,confidence,lat\n/d/a.wav,0,3,T t,Wren,0.5,1\n"
    kaleidoscope = (
        "INDIR,FOLDER,IN FILE,OFFSET,DURATION,scientific_name,common_name,confidence,lat,lon,week,overlap,sensitivity\n"
        "/d,x,a.wav,6.0,3.0,T t,Wren,0.5,-1,-1,-1,0,1\n"
    )
    put(tmp_path, {"r.csv": r, "k.csv": kaleidoscope})
    assert listed(read(tmp_path / "r.csv")[0]) == {"a.wav": [("0", "3", "Wren")]}
    assert listed(read(tmp_path / "k.csv")[0]) == {"a.wav": [("6", "9", "Wren")]}


def test_points_of_a_whale_challenge_are_compared_as_points(tmp_path: Path) -> None:
    detected = "filename,timestamp,score\nsea/a.wav,12.8,1\nb.wav,9,1\n"
    put(tmp_path, {"ref.csv": PAM_POINTS, "pred.csv": detected})
    maps = ("--columns", "clip=filename,onset=timestamp,label==up")
    outcome = run("lint-data", "--ref", "ref.csv", "--pred", "pred.csv", *maps, folder=tmp_path)
    assert outcome.code == 0
    assert "one-sided-label" not in outcome.codes


# Silent clips (rule 13.26)


def test_a_row_with_a_file_name_alone_is_a_silent_clip(tmp_path: Path) -> None:
    with_header = "filename\tonset\toffset\tevent_label\na.wav\nb.wav\t1\t2\tdog\n"
    bare = "a.wav\nb.wav\t1\t2\tdog\n"
    for text in (with_header, bare, with_header.replace("\t", ","), bare.replace("\t", ",")):
        put(tmp_path, {"t.txt": text})
        table, found = read(tmp_path / "t.txt")
        assert listed(table) == {"a.wav": [], "b.wav": [("1", "2", "dog")]}
        assert {d.code for d in found} <= {"header-absent"}


def test_a_row_whose_fields_are_separated_otherwise_is_no_silent_clip(tmp_path: Path) -> None:
    for row in ("a.wav 1 2 dog", "a.wav;1;2;dog", "a.wav|1.5|2|dog"):
        put(tmp_path, {"t.tsv": f"filename\tonset\toffset\tevent_label\n{row}\n"})
        assert places(read(tmp_path / "t.tsv")[1]) == [("wrong-columns", "t.tsv", 2)]


def test_a_scene_column_is_not_used(tmp_path: Path) -> None:
    put(tmp_path, {"t.txt": "audio/a.wav\thome\t1.5\t2\tdog\naudio/b.wav\thome\t0\t1\tcat\n"})
    table, found = read(tmp_path / "t.txt")
    assert listed(table) == {"audio/a.wav": [("3/2", "2", "dog")], "audio/b.wav": [("0", "1", "cat")]}
    assert [d.code for d in found] == ["header-absent"]


def test_a_list_of_clips_is_a_table_of_silent_ones(tmp_path: Path) -> None:
    for text in ("filename\na.wav\nb.wav\n", "a.wav\nb.wav\n"):
        put(tmp_path, {"t.csv": text})
        table, found = read(tmp_path / "t.csv")
        assert table.clips == {"a.wav": (), "b.wav": ()}
        assert [d.code for d in found] == ["clips-alone"]


@pytest.mark.parametrize(
    ("format", "text"), [("list", LIST), ("lab", LAB), ("seld", SELD), ("rttm", RTTM), ("ctm", CTM)]
)
def test_an_empty_file_is_a_silent_clip(format: str, text: str, tmp_path: Path) -> None:
    put(tmp_path, {"f/a.txt": text, "f/b.txt": "", "c.txt": " \n"})
    table, found = read(tmp_path / "f")
    assert found == []
    assert table.clips["b"] == ()
    assert read(tmp_path / "c.txt", format=format)[0].clips == {"c": ()}
    assert places(read(tmp_path / "c.txt")[1]) == [("empty-file", "c.txt", None)]


# Encodings, tiers, units, folders


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_marked_utf16_is_read(encoding: str, tmp_path: Path) -> None:
    text = TEXTGRID.replace("tit", "Zaunkönig")
    mark = "" if encoding == "utf-16" else "\ufeff"
    (tmp_path / "a.TextGrid").write_bytes((mark + text).encode(encoding))
    (tmp_path / "t.tsv").write_bytes((mark + "filename\tonset\toffset\tevent_label\nä\t1\t2\tx\n").encode(encoding))
    assert [e.label for _, e in read(tmp_path / "a.TextGrid")[0].events][1] == "Zaunkönig"
    assert listed(read(tmp_path / "t.tsv")[0]) == {"ä": [("1", "2", "x")]}


def test_tiers_and_namespaces_can_be_chosen(tmp_path: Path) -> None:
    put(tmp_path, {"a.eaf": EAF, "a.jams": JAMS})
    assert listed(read(tmp_path / "a.eaf", tiers=("kinds",))[0])["a"] == [("1/2", "5/4", "song")]
    assert listed(read(tmp_path / "a.jams", tiers=("tag_open",))[0])["a"] == [("1", "1", "click")]
    for name, tier in (("a.eaf", "kind"), ("a.jams", "tag_opn")):
        found = read(tmp_path / name, tiers=(tier,))[1]
        assert [d.code for d in found] == ["unknown-tier"]
        assert "did you mean" in str(found[0].help)


def test_whole_numbers_in_label_files_need_a_unit(tmp_path: Path) -> None:
    put(tmp_path, {"a.phn": "0 3050 h#\n3050 4559 sh\n"})
    table, found = read(tmp_path / "a.phn")
    assert places(found) == [("undeclared-unit", "a.phn", 1)]
    assert "--rate 16000" in str(found[0].help)
    assert table.clips == {"a": ()}
    table, found = read(tmp_path / "a.phn", rate=16000)
    assert found == []
    assert listed(table) == {"a": [("0", "61/320", "h#"), ("61/320", "4559/16000", "sh")]}


def test_files_with_another_ending_are_skipped_where_the_format_is_named(tmp_path: Path) -> None:
    put(tmp_path, {"notes.tsv": "# mine\n", "a.jams": JAMS})
    assert "mixed-formats" in [d.code for d in read(tmp_path)[1]]
    table, found = read(tmp_path, format="jams")
    assert list(table.clips) == ["a"]
    assert [d.code for d in found] == ["files-skipped", "background-left-out", "several-tiers"]
    assert "notes.tsv" in found[0].headline


@pytest.mark.parametrize("name", ["README.md", "readme.txt", "LICENSE", "about.md", "Licence.TXT"])
def test_documents_among_data_are_skipped_and_named(tmp_path: Path, name: str) -> None:
    put(tmp_path, {name: "# read me\n", "a.jams": JAMS})
    table, found = read(tmp_path)
    assert list(table.clips) == ["a"]
    assert [d.code for d in found] == ["files-skipped", "background-left-out", "several-tiers"]
    assert name in found[0].headline


def test_a_folder_of_documents_alone_is_read(tmp_path: Path) -> None:
    put(tmp_path, {"readme.tsv": "onset\toffset\tevent_label\n0\t1\tx\n"})
    table, found = read(tmp_path)
    assert list(table.clips) == ["readme"]
    assert found == []


def test_rows_of_other_kinds_and_second_channels_are_said(tmp_path: Path) -> None:
    more = "LEXEME meet1 1 0.5 0.1 hi lex anna 1\nSPEAKER meet1 2 3 1 <NA> <NA> anna <NA>\n"
    put(tmp_path, {"m.rttm": RTTM + more})
    table, found = read(tmp_path / "m.rttm")
    assert len(table.clips["meet1"]) == 3
    assert [d.code for d in found] == ["several-channels", "rows-left-out"]


def test_soft_labels_of_many_clips_in_one_table_are_those_of_one_file_a_clip(tmp_path: Path) -> None:
    rows = {
        "a": ["0\t1\t0.2\t0.9", "1\t2\t0.6\t0.9", "2\t3\t0.500000001\t0.1"],
        "b": ["0\t1\t0\t1", "1\t2\t0.5\t0"],
    }
    one = "filename\tonset\toffset\tdog\tcat\n" + "".join(f"{c}.wav\t{r}\n" for c, rs in rows.items() for r in rs)
    many = {f"s/{c}.tsv": "onset\toffset\tdog\tcat\n" + "".join(f"{r}\n" for r in rs) for c, rs in rows.items()}
    put(tmp_path, {"all.tsv": one, **many})
    half = Decoding(Fraction(1, 2))
    table, found = read(tmp_path / "all.tsv", decoding=half)
    split = read(tmp_path / "s", decoding=half)[0]
    assert found == []
    assert {f"{clip}.wav": rows for clip, rows in listed(split).items()} == listed(table)
    assert table.origin is not None
    assert table.origin.lengths == {"a.wav": 3, "b.wav": 2}


def test_a_clip_in_two_tables_of_scores_is_an_error(tmp_path: Path) -> None:
    frame = "filename\tonset\toffset\tdog\tcat\na.wav\t0\t1\t0.2\t0.9\n"
    put(tmp_path, {"one.tsv": frame, "two.tsv": frame})
    assert places(read(tmp_path, decoding="0.5")[1]) == [("ambiguous-clip", "two.tsv", None)]


def test_a_score_a_hair_above_one_is_a_warning_and_is_compared_as_written(tmp_path: Path) -> None:
    put(tmp_path, {"a.tsv": "onset\toffset\tx\n0\t1\t1.0000001\n1\t2\t1\n", "b.tsv": "onset\toffset\tx\n0\t1\t1.1\n"})
    table, found = read(tmp_path / "a.tsv", decoding=Decoding(Fraction(1)))
    assert places(found) == [("score-outside", "a.tsv", 2)]
    assert listed(table) == {"a": [("0", "1", "x")]}
    assert places(read(tmp_path / "b.tsv", decoding="0.5")[1]) == [("bad-score", "b.tsv", 2)]


def test_durations_named_without_an_extension_are_those_of_their_clips(tmp_path: Path) -> None:
    reference = EventTable("r", {"a.wav": (), "b.wav": ()})
    given = Durations("d", {"a": Fraction(3), "b.wav": Fraction(4), "c": Fraction(5)})
    tables = SideTables(reference, reference, given, outside=Outside.ERROR)
    ready = prepare(tables, Diagnostics())
    assert isinstance(ready.durations, Durations)
    assert ready.durations.clips == {"a.wav": 3, "b.wav": 4, "c": 5}
    twice = EventTable("r", {"a.wav": (), "a.flac": ()})
    assert prepare(SideTables(twice, twice, given, outside=Outside.ERROR), Diagnostics()).durations == given


def test_pympi_writes_what_is_read(tmp_path: Path) -> None:
    elan = pytest.importorskip("pympi.Elan")
    document = elan.Eaf()
    document.add_tier("calls")
    document.add_annotation("calls", 250, 1999, "wren")
    document.add_annotation("calls", 3000, 3001, "tit <&> \u00e4")
    document.to_file(str(tmp_path / "a.eaf"))
    table, found = read(tmp_path / "a.eaf")
    assert found == []
    assert listed(table)["a"] == [("1/4", "1999/1000", "wren"), ("3", "3001/1000", "tit <&> \u00e4")]


# Mistakes


@dataclass(frozen=True)
class Mistake:
    """A text, where it is wrong, and what the message must speak of."""

    text: str
    code: str
    row: int | None
    words: tuple[str, ...]
    how: dict[str, Any] = field(default_factory=dict)


SPEAKER = "SPEAKER m 1 0.5 1 <NA> <NA> anna <NA> <NA>\n"
MISTAKES = {
    "rttm: no time": Mistake(SPEAKER + "SPEAKER m 1 soon 1 <NA> <NA> anna <NA>\n", "bad-time", 2, ("onset `soon`",)),
    "rttm: negative": Mistake(
        SPEAKER + "SPEAKER m 1 1 -1 <NA> <NA> anna <NA>\n", "bad-time", 2, ("duration", "negative")
    ),
    "rttm: short row": Mistake(SPEAKER + "SPEAKER m 1 1 1\n", "wrong-columns", 2, ("5 fields",)),
    "rttm: no speaker": Mistake(SPEAKER + "SPEAKER m 1 1 1 <NA> <NA> <NA> <NA>\n", "incomplete-row", 2, ("speaker",)),
    "rttm: unknown type": Mistake(SPEAKER + "SPEAKR m 1 1 1 <NA> <NA> anna <NA>\n", "wrong-columns", 2, ("`SPEAKR`",)),
    "ctm: short row": Mistake("m 1 0 1 hi\nm 1 0 1\n", "wrong-columns", 2, ("4 fields", "word")),
    "ctm: no time": Mistake("m 1 0 1 hi\nm 1 x 1 ho\n", "bad-time", 2, ("`x`",)),
    "lab: no label": Mistake("0.0 1 a\n1.0 2\n", "wrong-columns", 2, ("2 fields", "label")),
    "lab: no time": Mistake("0.0 1 a\n1.0 two b\n", "bad-time", 2, ("`two`",)),
    "seld: short row": Mistake(SELD + "1,2\n", "wrong-columns", 7, ("2 fields",), {"format": "seld"}),
    "seld: no frame": Mistake(SELD + "1.5,2,0,0,0\n", "wrong-columns", 7, ("`1.5`",)),
    "seld: again": Mistake(SELD + "0,3,0,7,7\n", "duplicate-row", 7, ("frame 0",)),
    "few-shot: a mark misspelt": Mistake(FEW_SHOT + "a.wav,5,6,PSO,NEG\n", "bad-mark", 5, ("`PSO`", "POS")),
    "few-shot: no time": Mistake(FEW_SHOT + "a.wav,five,6,UNK,NEG\n", "bad-time", 5, ("`five`",)),
    "few-shot: no clip": Mistake(FEW_SHOT + ",5,6,POS,NEG\n", "incomplete-row", 5, ("`filename`",)),
    "few-shot: a region turned round": Mistake(FEW_SHOT + "a.wav,6,5,UNK,NEG\n", "offset-before-onset", 5, ("region",)),
    "few-shot: no marks": Mistake(
        "Audiofilename,Starttime,Endtime,Kind\na,1,2,dog\n",
        "unnamed-label-column",
        1,
        ("POS", "--columns", "label=Kind"),
    ),
    "pam: no time": Mistake(PAM_POINTS + "c.wav,late,up\n", "bad-time", 4, ("`late`",)),
    "pam: no label": Mistake(PAM_POINTS + "c.wav,1,\n", "incomplete-row", 4, ("`event_label`",)),
    "birdnet: a label column misspelt": Mistake(
        BIRDNET, "wrong-columns", 1, ("`Scientfic name`", "did you mean"), {"label_column": "Scientfic name"}
    ),
    "birdnet: confidence in words": Mistake(
        BIRDNET.replace("0.25", "high"), "bad-confidence", 3, ("`high`", "not a number")
    ),
    "eaf: cut off": Mistake(EAF[:800], "bad-eaf", 14, ("",)),
    "eaf: other XML": Mistake("<a><b/></a>\n", "bad-eaf", 1, ("no ELAN document",)),
    "eaf: entities": Mistake('<!DOCTYPE a [<!ENTITY b "c">]>\n<a>&b;</a>\n', "bad-eaf", 1, ("a type of its own",)),
    "eaf: a slot without a time": Mistake(
        EAF.replace(' TIME_VALUE="1250"', ""), "bad-time", 12, ("time slot", "align")
    ),
    "eaf: a slot that is not there": Mistake(EAF.replace('REF2="ts2"', 'REF2="ts9"'), "bad-time", 12, ("time slot",)),
    "eaf: refers to nothing": Mistake(EAF.replace('_REF="a1"', '_REF="a9"'), "bad-eaf", 24, ("refers to none",)),
    "eaf: refers to itself": Mistake(EAF.replace('_REF="a1"', '_REF="a3"'), "bad-eaf", 24, ("refers to none",)),
    "eaf: twice the same": Mistake(EAF.replace('"a2"', '"a1"'), "bad-eaf", 17, ("called `a1`",)),
    "jams: no list": Mistake('{"annotations": 3, "file_metadata": {}}', "bad-json", None, ("the number 3",)),
    "jams: no value": Mistake(JAMS.replace('"siren"', "null"), "bad-json", None, ("data[1].value", "`null`")),
    "jams: a time as text": Mistake(JAMS.replace("7.093519000000001", '"7"'), "bad-json", None, ("data[1].time",)),
    "jams: a negative time": Mistake(
        JAMS.replace("7.093519000000001", "-7"), "bad-time", None, ("data[1]", "negative")
    ),
    "jams: broken": Mistake(JAMS[:-20], "bad-json", None, ("not JSON",)),
    "aoef: an event that is not there": Mistake(
        AOEF.replace('"e1", "sound_event": "s1"', '"e1", "sound_event": "s9"'),
        "bad-json",
        None,
        ("sound_event_annotations[0].sound_event", "not in the document"),
    ),
    "aoef: several tags": Mistake(AOEF.replace("[0]}", "[0, 1]}"), "unnamed-label-column", None, ("several tags",)),
    "aoef: a tag that is not there": Mistake(AOEF.replace("[0]}", "[7]}"), "bad-json", None, ("[0].tags",)),
    "aoef: no such key": Mistake(AOEF, "wrong-columns", None, ("`specie`", "did you mean"), {"label_column": "specie"}),
    "aoef: no geometry": Mistake(AOEF.replace('"TimeStamp"', '"BoundingBox"'), "bad-json", None, ("[1].geometry",)),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_reported_with_its_place_and_a_way_out(mistake: Mistake, tmp_path: Path) -> None:
    put(tmp_path, {"clip.txt": mistake.text})
    _, found = read(tmp_path / "clip.txt", **mistake.how)
    said = [d for d in found if d.code == mistake.code]
    assert said, found
    assert places(said)[0] == (mistake.code, "clip.txt", mistake.row) or mistake.code in ("bad-json", "bad-eaf")
    text = f"{said[0].headline} / {said[0].help}"
    assert all(word in text for word in mistake.words), text


def test_a_label_key_chooses_among_tags(tmp_path: Path) -> None:
    text = AOEF.replace('{"id": 1, "key": "species", "value": "tit"}', '{"id": 1, "key": "call", "value": "song"}')
    put(tmp_path, {"w.json": text.replace('"tags": [0]}', '"tags": [0, 1]}')})
    table = read_events(tmp_path / "w.json", Diagnostics(), Reading(label_column="call"))
    assert [e.label for e in table.clips["dawn/a.wav"]] == ["song", "song", "song"]
