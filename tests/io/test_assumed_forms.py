"""Ways of writing that programs and people have: each is read for what it is, said, or refused; none is lost."""

import gzip
import io
import zipfile
from pathlib import Path

import pytest
from formats import EAF, LIST, SELD, listed, read

from tracepact.data import sources
from tracepact.data.readings import columns_from
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import Severity

HEADER = "filename,onset,offset,event_label\n"
ASSUMED = {
    "decimal commas": (
        "filename;onset;offset;event_label\na;0,5;1,25;dog\na;2;3;cat\n",
        {"a": [("1/2", "5/4", "dog"), ("2", "3", "cat")]},
    ),
    "decimal commas without a header": ("a;0,5;1,25;dog\n", {"a": [("1/2", "5/4", "dog")]}),
    "hours": (HEADER + "a,1:00:01.500,01:01:02,dog\n", {"a": [("7203/2", "3662", "dog")]}),
    "minutes": (HEADER + "a,00:01.5,2:03,dog\n", {"a": [("3/2", "123", "dog")]}),
    "Windows-1252": ((HEADER + "a,1,2,Gebrüll\n").encode("cp1252"), {"a": [("1", "2", "Gebrüll")]}),
}


@pytest.mark.parametrize("form", ASSUMED)
def test_what_is_assumed_is_a_warning(form: str, tmp_path: Path) -> None:
    text, expected = ASSUMED[form]
    (tmp_path / "t.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    table, findings = read(tmp_path / "t.csv")
    assert listed(table) == expected
    assert {(d.code, d.severity) for d in findings if d.code != "header-absent"} == {("assumed-form", Severity.WARNING)}


@pytest.mark.parametrize(
    "rows",
    ["a;0,5;1.25;dog\n", "a;1,250;2.5;dog\n", "a;0.5;1;dog\na;1,5;2;dog\n", "a;1:75;2;x\n", "a;1:2:3:4;9;x\n"],
)
def test_what_could_mean_two_things_is_an_error(rows: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(HEADER.replace(",", ";") + rows)
    assert [d.code for d in read(tmp_path / "t.csv")[1] if d.severity is Severity.ERROR] == ["bad-time"]


def test_utf8_that_is_damaged_is_not_taken_for_windows_1252(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(HEADER.encode() + "a,1,2,Käuzchen\nb,1,2,Gebrüll".encode()[:-3])
    assert [d.code for d in read(tmp_path / "t.csv")[1]] == ["bad-encoding"]


@pytest.mark.parametrize("empty", ["NaN", "NA", "N/A", "<NA>", "null", ""])
def test_cells_that_hold_nothing_make_a_silent_clip(empty: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"{HEADER}a,1,2,dog\nb,{empty},{empty},{empty}\n")
    table, findings = read(tmp_path / "t.csv")
    assert listed(table) == {"a": [("1", "2", "dog")], "b": []}
    assert findings == []


def test_a_class_may_be_called_na_but_a_time_may_not(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"{HEADER}a,1,2,NA\nb,NaN,2,dog\n")
    table, findings = read(tmp_path / "t.csv")
    assert listed(table) == {"a": [("1", "2", "NA")]}
    assert [d.code for d in findings] == ["bad-time"]


def test_columns_are_found_in_any_case(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("Filename,ONSET,Offset,Event_Label,Confidence\na,1,2,dog,0.5\n")
    table, findings = read(tmp_path / "t.csv")
    assert findings == []
    assert [(e.label, str(e.confidence)) for e in table.clips["a"]] == [("dog", "1/2")]


# Annotation tools


def test_a_tier_without_values_labels_its_events_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "c.eaf").write_text(EAF.replace("wren &amp; tit", "").replace(">song<", "><"))
    table, findings = read(tmp_path / "c.eaf")
    assert listed(table) == {"c": [("1/2", "5/4", "calls"), ("2", "401/200", "calls"), ("1/2", "5/4", "kinds")]}
    assert [d.code for d in findings] == ["assumed-form"] * 2  # and no word of several tiers: each is a class


def test_annotations_without_a_value_beside_others_are_counted(tmp_path: Path) -> None:
    (tmp_path / "c.eaf").write_text(EAF)
    _, findings = read(tmp_path / "c.eaf", tiers=("calls",))
    assert [(d.code, d.headline.startswith("1 annotation left out")) for d in findings] == [("rows-left-out", True)]


def test_a_second_tier_is_noticed_unless_tiers_are_named(tmp_path: Path) -> None:
    (tmp_path / "c.eaf").write_text(EAF)
    assert "several-tiers" in {d.code for d in read(tmp_path / "c.eaf")[1]}
    assert "several-tiers" not in {d.code for d in read(tmp_path / "c.eaf", tiers=("calls", "kinds"))[1]}


@pytest.mark.parametrize(("first", "onset"), [(None, "1/10"), (0, "1/10"), (1, "0")])
def test_frames_may_be_counted_from_one(first: int | None, onset: str, tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("1,3,0,10,-5\n2,3,0,10,-5\n")
    table, findings = read(tmp_path / "c.csv", first_frame=first)
    assert [(str(e.onset), e.offset - e.onset) for e in table.clips["c"]] == [
        (onset, table.clips["c"][0].offset - table.clips["c"][0].onset)
    ]
    assert str(table.clips["c"][0].offset - table.clips["c"][0].onset) == "1/5"
    assert [d.code for d in findings] == ([] if first is not None else ["assumed-form"])


def test_a_seld_file_may_name_its_columns(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(SELD)
    (tmp_path / "b.csv").write_text("frame,class,source,azimuth,elevation\n" + SELD)
    assert listed(read(tmp_path / "b.csv")[0])["b"] == listed(read(tmp_path / "a.csv")[0])["a"]


def test_a_frame_before_the_first_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("0,3,0,10,-5\n")
    assert [d.code for d in read(tmp_path / "c.csv", first_frame=1)[1]] == ["wrong-columns"]


def test_a_label_track_of_birdnet_is_a_table_of_detections(tmp_path: Path) -> None:
    (tmp_path / "dawn.BirdNET.results.txt").write_text("0.0\t3.0\tTurdus merula, Blackbird\t0.85\n")
    table, findings = read(tmp_path)
    assert findings == []
    assert listed(table) == {"dawn": [("0", "3", "Turdus merula, Blackbird")]}
    assert [str(e.confidence) for e in table.clips["dawn"]] == ["17/20"]


# Column maps


def test_marks_are_the_events_of_their_columns(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("file,start,end,dog,cat\na,0,1,1,0\na,1,2,0,1\nb,0,1,0,0\nb,3,4,UNK,0\n")
    columns = "clip=file,onset=start,offset=end,marks=dog|cat"
    table, findings = read(tmp_path / "t.csv", columns=columns)
    assert findings == []
    assert listed(table) == {"a": [("0", "1", "dog"), ("1", "2", "cat")], "b": []}
    assert table.origin is not None
    assert [(str(e.onset), e.label) for e in table.origin.regions["b"]] == [("3", "dog")]


def test_a_column_that_marks_a_class_is_not_one_of_labels(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("file,start,end,dog,class\na,0,1,1,1\na,1,2,0,0\n")
    wrong = read(tmp_path / "t.csv", columns="clip=file,onset=start,offset=end,label=dog")[1]
    assert [(d.code, d.severity) for d in wrong] == [("wrong-columns", Severity.ERROR)]
    right = read(tmp_path / "t.csv", columns="clip=file,onset=start,offset=end,label=class")
    assert right[1] == []
    assert right[0].labels == {"0", "1"}


def test_times_of_frames_count_from_the_first(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("f,a,b,n\nx,1,51,25\n")
    ends = read(tmp_path / "t.csv", columns="clip=f,onset=a,offset=b,label==up,rate=50,first=1")[0]
    lasting = read(tmp_path / "t.csv", columns="clip=f,onset=a,duration=n,label==up,rate=50,first=1")[0]
    assert (listed(ends), listed(lasting)) == ({"x": [("0", "1", "up")]}, {"x": [("0", "1/2", "up")]})


DATED = "file,start,end,label,begin\n{},2024-01-01T00:00:01.5,2024-01-01T01:00:02+01:00,dog,2024-01-01T00:00:00Z\n"


@pytest.mark.parametrize(
    ("clip", "more"), [("a.wav", ",start=begin"), ("S4A_20240101_000000.wav", ""), ("2024-01-01T00-00-00_000.wav", "")]
)
def test_dates_count_from_the_start_of_the_recording(clip: str, more: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(DATED.format(clip))
    table, findings = read(tmp_path / "t.csv", columns=f"clip=file,onset=start,offset=end,label=label{more}")
    assert findings == []
    assert listed(table) == {clip: [("3/2", "2", "dog")]}


def test_dates_without_a_start_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(DATED.format("a.wav"))
    findings = read(tmp_path / "t.csv", columns="clip=file,onset=start,offset=end,label=label")[1]
    assert [(d.code, "start=COLUMN" in (d.help or "")) for d in findings] == [("bad-date", True)]


OFFERED = {
    "file,start,end,dog,cat\na,0,1,1,0\na,1,2,0,1\n": {"a": [("0", "1", "dog"), ("1", "2", "cat")]},
    "filename,onset_ms,offset_ms,event_label\na,1000,2500,dog\n": {"a": [("1", "5/2", "dog")]},
    "filename,onset,duration,event_label\na,1,0.5,dog\n": {"a": [("1", "3/2", "dog")]},
    "INDIR,FOLDER,IN FILE,CHANNEL,OFFSET,DURATION,TOP1MATCH\n/x,,a.wav,0,1.5,3,MYOLUC\n": {
        "a.wav": [("3/2", "9/2", "MYOLUC")]
    },
    DATED.format("a.wav").replace("begin", "recording_start"): {"a.wav": [("3/2", "2", "dog")]},
    "Audio,Anfang,Ende,Species\na,0.5,1,dog\na,1,2,cat\n": {"a": [("1/2", "1", "dog"), ("1", "2", "cat")]},
    "Audio,Von;Begin,End,Species\nx,1,2,wren\n": {"x": [("1", "2", "wren")]},
}


@pytest.mark.parametrize("text", OFFERED)
def test_a_map_that_is_offered_reads_the_table(text: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(text)
    help = next(d.help for d in read(tmp_path / "t.csv")[1] if "--columns" in (d.help or ""))
    table, findings = read(tmp_path / "t.csv", columns=(help or "").split("'")[1])
    assert findings == []
    assert listed(table) == OFFERED[text]


def test_no_part_is_offered_that_the_cells_contradict(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("path,start,end,name\na.wav,soon,late,3\n")
    help = next(d.help for d in read(tmp_path / "t.csv")[1] if "--columns" in (d.help or ""))
    faults = Diagnostics()
    columns = columns_from((help or "").split("'")[1], faults)
    assert "onset=…" in (help or "")
    assert "offset=…" in (help or "")
    assert read(tmp_path / "t.csv", columns=columns)[1] != []  # as it stands the map reads nothing


def test_columns_of_numbers_too_long_to_read_are_no_times(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"path,start,end,name\na.wav,{'1' * 61},{'2' * 61},dog\n")
    help = next(d.help for d in read(tmp_path / "t.csv")[1] if "--columns" in (d.help or ""))
    assert "onset=…,offset=…" in (help or "")


# Packed data, JSON lines


def packed(files: dict[str, str]) -> bytes:
    """A ZIP archive of texts."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return stream.getvalue()


@pytest.mark.parametrize("name", ["t.csv.gz", "t.zip", "t.csv"])
def test_a_packed_table_is_the_table(name: str, tmp_path: Path) -> None:
    text = HEADER + "a,1,2,dog\n"
    content = packed({"in.csv": text, ".hidden": "x", "__MACOSX/in.csv": "x"}) if "zip" in name else text.encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    table, findings = read(tmp_path / name)
    assert findings == []
    assert listed(table) == {"a": [("1", "2", "dog")]}


def test_an_archive_of_files_is_a_folder_of_them(tmp_path: Path) -> None:
    (tmp_path / "all.zip").write_bytes(
        packed({"deep/a.txt": LIST, "b.txt": "onset\toffset\tevent_label\n", "README": "?"})
    )
    table, findings = read(tmp_path / "all.zip")
    assert findings == []
    assert listed(table) == {"b": [], "deep/a": [("1/2", "5/4", "dog"), ("1", "2", "cat")]}


@pytest.mark.parametrize("cut", [10, 40, -30, -1])
@pytest.mark.parametrize("kind", ["gz", "zip"])
def test_packed_data_that_is_damaged_is_an_error(kind: str, cut: int, tmp_path: Path) -> None:
    text = HEADER + "".join(f"a,{n},{n + 1},dog\n" for n in range(99))
    content = gzip.compress(text.encode()) if kind == "gz" else packed({"a.csv": text})
    (tmp_path / f"t.{kind}").write_bytes(content[:cut])
    assert any(d.severity is Severity.ERROR for d in read(tmp_path / f"t.{kind}")[1])


@pytest.mark.parametrize("kind", ["gz", "zip", "several"])
def test_packed_data_is_bounded(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_LARGEST_UNPACKED", 1 << 21)
    monkeypatch.setattr(sources, "LONGEST_LINE", 1 << 16)
    text = HEADER + "a,1,2,dog\n" * 400_000
    content = gzip.compress(text.encode()) if kind == "gz" else packed({"a.csv": text})
    content = packed({"a.csv": text, "b.csv": text}) if kind == "several" else content
    (tmp_path / "t").write_bytes(content)
    assert len(content) < 1 << 17
    assert "unreadable-file" in {d.code for d in read(tmp_path / "t")[1]}


@pytest.mark.parametrize("name", ["t.jsonl", "t"])
def test_json_lines_are_a_table(name: str, tmp_path: Path) -> None:
    first = '{"filename": "a", "onset": 0.5, "offset": 1.25, "event_label": "dog", "confidence": null}\n'
    (tmp_path / name).write_text(
        first + '{"event_label": "cat", "filename": "b", "onset": 1, "offset": 2.0000000000000000001}\n'
    )
    table, findings = read(tmp_path / name)
    assert findings == []
    assert listed(table) == {
        "a": [("1/2", "5/4", "dog")],
        "b": [("1", "20000000000000000001/10000000000000000000", "cat")],
    }


def test_a_line_that_is_no_object_is_named(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"filename": "a"}\n{"filename": "b"}\n[1]\n')
    findings = read(tmp_path / "t.jsonl")[1]
    assert [(d.code, getattr(d.place, "row", None)) for d in findings] == [("bad-json", 3)]
