"""Column maps read any table exactly; what is wrong with one is said, and an unknown table offers one (rule 13.18)."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cli.command import events, run, write
from formats import BIRDNET, listed, places, put, read
from hypothesis import given
from hypothesis import strategies as st

from tracepact.data.memory import events_from
from tracepact.data.readings import Columns, Reading, columns_from
from tracepact.diagnostics.collection import Diagnostics
from tracepact.files import table_text

TABLE = "Audio,Begin,Finish,Kind,Sure\na.wav,0.1,0.30000000000000004,dog,0.75\nb.wav,2,3,cat,1\nc.wav,,,,\n"
MAP = "clip=Audio,onset=Begin,offset=Finish,label=Kind,confidence=Sure"
EXPECTED = {
    "a.wav": [("1/10", "7500000000000001/25000000000000000", "dog")],
    "b.wav": [("2", "3", "cat")],
    "c.wav": [],
}
TOML = 'clip = "Audio"\nonset = "Begin"\noffset = "Finish"\nlabel = "Kind"\nconfidence = "Sure"\n'


def test_a_map_may_be_an_option_a_mapping_a_record_or_a_file(tmp_path: Path) -> None:
    put(tmp_path, {"t.csv": TABLE, "map.toml": TOML})
    made = Columns("Begin", clip="Audio", offset="Finish", label="Kind", confidence="Sure")
    mapping = {"clip": "Audio", "onset": "Begin", "offset": "Finish", "label": "Kind", "confidence": "Sure"}
    for form in (MAP, mapping, made, tmp_path / "map.toml", str(tmp_path / "map.toml"), [made]):
        table, found = read(tmp_path / "t.csv", columns=form)
        assert found == []
        assert listed(table) == EXPECTED
        assert [e.confidence for _, e in table.events] == [Fraction(3, 4), 1]
        assert table.origin is not None
        assert table.origin.format == "columns"


@pytest.mark.parametrize("sign", ["\t", ",", ";", "|"])
def test_the_fields_may_be_separated_by_any_of_four_signs(sign: str, tmp_path: Path) -> None:
    put(tmp_path, {"t.csv": TABLE.replace(",", sign)})
    assert listed(read(tmp_path / "t.csv", columns=MAP)[0]) == EXPECTED


def test_a_map_beside_the_data_is_used_and_said(tmp_path: Path) -> None:
    put(tmp_path, {"t.csv": TABLE, "t.columns.toml": TOML, "set/x.csv": TABLE, "set.columns.toml": TOML})
    for path in (tmp_path / "t.csv", tmp_path / "set"):
        table, found = read(path)
        assert listed(table) == EXPECTED
        assert [d.code for d in found] == ["columns-beside"]
    other, found = read(tmp_path / "t.csv", columns="clip=Audio,onset=Begin")
    assert [d.code for d in found] == ["unlabelled-event"]
    assert listed(other)["b.wav"] == [("2", "2", "event")]


def test_what_a_map_leaves_out_has_a_meaning(tmp_path: Path) -> None:
    put(tmp_path, {"x.csv": "t,n,d\n1.5,up,2\n4,down,0.25\n"})
    cases: dict[str, Any] = {
        "onset=t,label=n": {"x": [("3/2", "3/2", "up"), ("4", "4", "down")]},
        "onset=t,duration=d,label=n": {"x": [("3/2", "7/2", "up"), ("4", "17/4", "down")]},
        "onset=t,duration=d,label==call": {"x": [("3/2", "7/2", "call"), ("4", "17/4", "call")]},
        "clip=n,onset=t,duration==1,label=n": {"up": [("3/2", "5/2", "up")], "down": [("4", "5", "down")]},
        "clip==all.wav,onset==0,offset=d,label=n": {"all.wav": [("0", "2", "up"), ("0", "1/4", "down")]},
    }
    for text, expected in cases.items():
        table, found = read(tmp_path / "x.csv", columns=text)
        assert found == [], text
        assert listed(table) == expected, text


def test_numbered_columns_read_a_table_without_a_header(tmp_path: Path) -> None:
    put(tmp_path, {"x.csv": "1;a.wav;0.5;1;dog\n2;b.wav;1;1.5;cat\n"})
    table, found = read(tmp_path / "x.csv", columns="clip=2,onset=3,offset=4,label=5")
    assert found == []
    assert listed(table) == {"a.wav": [("1/2", "1", "dog")], "b.wav": [("1", "3/2", "cat")]}
    assert [e.row for _, e in table.events] == [1, 2]


def test_a_rate_makes_seconds_of_other_units(tmp_path: Path) -> None:
    put(tmp_path, {"x.csv": "start_ms,n\n1501,up\n", "r.toml": 'onset = "start_ms"\nlabel = "n"\nrate = 1000\n'})
    for how in ({"columns": tmp_path / "r.toml"}, {"columns": "onset=start_ms,label=n", "rate": "1000"}):
        assert listed(read(tmp_path / "x.csv", **how)[0]) == {"x": [("1501/1000", "1501/1000", "up")]}


def test_of_several_maps_the_first_that_fits_is_used(tmp_path: Path) -> None:
    write(tmp_path, {"ref.csv": TABLE, "pred.csv": "F,T,L\na.wav,0.1,dog\nb.wav,2,cat\nc.wav,,\n"})
    maps = ("--columns", "clip=Audio,onset=Begin,label=Kind", "--columns", "clip=F,onset=T,label=L")
    outcome = run("lint-data", "--ref", "ref.csv", "--pred", "pred.csv", *maps, folder=tmp_path)
    assert outcome.code == 0
    assert set(outcome.codes) == {"zero-length"}


def test_a_map_that_no_table_has_is_a_warning_and_an_error_where_nothing_else_is_known(tmp_path: Path) -> None:
    write(tmp_path, {"ref.tsv": events("a 1 2 dog"), "odd.csv": TABLE})
    sides = ("--ref", "ref.tsv", "--pred", "ref.tsv", "--columns", "clip=Audoi,onset=Begin")
    outcome = run("lint-data", *sides, folder=tmp_path)
    assert (outcome.code, outcome.codes) == (0, ["unused-reading"])
    table, found = read(tmp_path / "odd.csv", columns="clip=Audoi,onset=Begin")
    assert table.clips == {}
    assert places(found) == [("wrong-columns", "odd.csv", 1)]
    assert "did you mean `Audio`" in str(found[0].help)


def test_an_unknown_table_shows_its_columns_and_offers_a_map(tmp_path: Path) -> None:
    put(tmp_path, {"t.csv": "Recording,Begin (s),End (s),Sound class\na,1,2,x\n"})
    _, found = read(tmp_path / "t.csv")
    said = " ".join(f"{d.headline} {d.help}" for d in found)
    assert "`Recording`, `Begin (s)`, `End (s)`, `Sound class`" in said
    offered = said.split("--columns '")[1].split("'")[0]
    table, found = read(tmp_path / "t.csv", columns=offered)
    assert found == []
    assert listed(table) == {"a": [("1", "2", "x")]}


BAD_MAPS: dict[str, tuple[Any, str]] = {
    "no onset": ("clip=a,label=b", "does not name the column of the onsets"),
    "unknown part": ("onset=a,labl=b", "`labl` is not a part of an event"),
    "twice": ("onset=a,onset=b", "is there twice"),
    "no column": ("onset=a,label=", "does not name a column"),
    "no sign": ("onset=a,label", "does not name a column"),
    "both ends": ("onset=a,offset=b,duration=c", "both `offset` and `duration`"),
    "no rate": ("onset=a,rate=fast", "`fast` is not a number greater than zero"),
    "rate of zero": ({"onset": "a", "rate": 0}, "not a number greater than zero"),
    "no text": ({"onset": ["a"]}, "does not name a column"),
}


@pytest.mark.parametrize(("given", "words"), BAD_MAPS.values(), ids=BAD_MAPS.keys())
def test_a_bad_map_is_said_and_nothing_is_read(given: Any, words: str, tmp_path: Path) -> None:
    put(tmp_path, {"t.csv": TABLE})
    table, found = read(tmp_path / "t.csv", columns=given)
    assert [d.code for d in found] == ["bad-columns"]
    assert words in found[0].headline
    assert table.clips == {}


def test_a_map_that_is_turned_round_or_repeated_for_both_sides_is_said_once(tmp_path: Path) -> None:
    write(tmp_path, {"ref.csv": TABLE})
    sides = ("--ref", "ref.csv", "--pred", "ref.csv", "--durations", "9")
    outcome = run("score", "boundary_gate", *sides, "--columns", "Begin=onset,clip=Audio", folder=tmp_path)
    assert (outcome.code, outcome.codes) == (2, ["bad-columns"])
    assert "onset=Begin" in outcome.err


def test_a_file_that_is_no_map_is_said_with_its_line(tmp_path: Path) -> None:
    put(tmp_path, {"t.csv": TABLE, "t.columns.toml": 'clip = "Audio"\nonset = \n'})
    _, found = read(tmp_path / "t.csv")
    assert places(found) == [("bad-columns", "t.columns.toml", 2)]


NAMES = st.text("abcXYZ ü,\"'=;\t", min_size=1, max_size=6).filter(lambda t: t == t.strip() and not t.startswith("="))
FIELDS = st.text("abcü ,;\"'|", min_size=1, max_size=6).filter(lambda t: t == t.strip())
TIMES = st.builds(lambda n, places: Fraction(n, 10**places), st.integers(0, 10**9), st.integers(0, 9))


@given(data=st.data())
def test_any_columns_in_any_order_are_read_as_they_are_written(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    names = data.draw(st.lists(NAMES, min_size=5, max_size=6, unique=True))
    rows = data.draw(st.lists(st.tuples(FIELDS, TIMES, TIMES, FIELDS, TIMES), min_size=1, max_size=4))
    order = data.draw(st.permutations(range(len(names))))
    texts: list[tuple[str, ...]] = []
    for clip, onset, offset, label, sure in rows:
        fields = (clip, *(_decimal(time) for time in (onset, offset)), label, _decimal(sure), "more")[: len(names)]
        texts.append(tuple(fields[place] for place in order))
    place = tmp_path_factory.mktemp("map") / "t.tsv"
    place.write_text(table_text([names[p] for p in order], texts), encoding="utf-8", newline="")
    columns = Columns(names[1], clip=names[0], offset=names[2], label=names[3], confidence=names[4])
    table, found = read(place, columns=columns)
    assert not found
    expected = [(clip, onset, offset, label, sure) for clip, onset, offset, label, sure in rows]
    assert sorted((c, e.onset, e.offset, e.label, e.confidence) for c, e in table.events) == sorted(expected)


def _decimal(value: Fraction) -> str:
    whole, rest = divmod(value, 1)
    return f"{whole}.{int(rest * 10**9):09}" if rest else str(whole)


@given(text=st.text(st.sampled_from("onsetclip=,\"'\\\n.xü"), max_size=30))
def test_any_text_is_a_map_or_says_why_not(text: str) -> None:
    diagnostics = Diagnostics()
    found = columns_from("=" + text, diagnostics)
    assert bool(found) != bool(diagnostics.errors)


def test_a_data_frame_is_read_by_a_map_or_its_known_header() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"f": ["a", "b"], "t": [0.1, 2.5], "d": [1, 2], "k": ["x", "y"]})
    diagnostics = Diagnostics()
    reading = Reading(columns="clip=f,onset=t,duration=d,label=k")
    table = events_from(frame, diagnostics, name="ref", reading=reading)
    assert listed(table) == {"a": [("1/10", "11/10", "x")], "b": [("5/2", "9/2", "y")]}
    points = pandas.DataFrame({"filename": ["a"], "timestamp": [0.1], "label": ["up"]})
    assert listed(events_from(points, diagnostics, name="ref")) == {"a": [("1/10", "1/10", "up")]}
    assert not list(diagnostics)
    events_from(frame, diagnostics, name="ref", reading=Reading(columns="onset=tt"))
    assert [d.code for d in diagnostics] == ["wrong-columns"]


def test_no_label_is_lost_to_a_known_header(tmp_path: Path) -> None:
    """`start` and `end` are those of `pam`, but its `label` is missing and another column holds the labels."""
    put(tmp_path, {"t.csv": "filename,start,end,species\na,1,2,wren\n"})
    table, found = read(tmp_path / "t.csv")
    assert table.clips == {}
    assert {d.code for d in found} == {"wrong-columns"}
    put(tmp_path, {"t.csv": "filename,timestamp\na,1\n"})
    table, found = read(tmp_path / "t.csv")
    assert listed(table) == {"a": [("1", "1", "event")]}
    assert places(found) == [("unlabelled-event", "t.csv", 2)]


def test_the_command_converts_by_a_map(tmp_path: Path) -> None:
    put(tmp_path, {"t.csv": TABLE, "b.csv": BIRDNET})
    done = run("convert", "t.csv", "--columns", MAP, "--to", "table", "--out", "o.tsv", folder=tmp_path)
    assert done.code == 0
    assert (tmp_path / "o.tsv").read_text().splitlines() == [
        "filename\tonset\toffset\tevent_label\tconfidence",
        "a.wav\t0.1\t0.30000000000000004\tdog\t0.75",
        "b.wav\t2\t3\tcat\t1",
        "c.wav\t\t\t\t",
    ]
    done = run(
        "convert", "b.csv", "--label-column", "Scientific name", "--to", "table", "--out", "b.tsv", folder=tmp_path
    )
    assert (done.code, done.codes) == (0, [])
    assert "a.wav\t0\t3\tTroglodytes troglodytes\t0.8312" in (tmp_path / "b.tsv").read_text()
