"""Parquet and Arrow files and data frames of three libraries give the events of the table they hold (rule 13.27)."""

import builtins
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from formats import listed, places, put, read
from hypothesis import given
from hypothesis import strategies as st

from tracepact.data.decoding import Decoding
from tracepact.data.memory import durations_from, events_from
from tracepact.data.readings import Reading
from tracepact.data.tables import read_conditions, read_durations, read_regions
from tracepact.diagnostics.collection import Diagnostics

arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
feather = pytest.importorskip("pyarrow.feather")

ROWS: dict[str, list[Any]] = {
    "filename": ["a.wav", "a.wav", "b.wav"],
    "onset": [0.1, 2.0, None],
    "offset": [0.30000000000000004, 2.5, None],
    "event_label": ['dog, or "hound"', "cat\tor not", None],
    "confidence": [0.75, None, None],
}
EXPECTED = {
    "a.wav": [("1/10", "7500000000000001/25000000000000000", 'dog, or "hound"'), ("2", "5/2", "cat\tor not")],
    "b.wav": [],
}
Writer = Callable[[Any, str], None]
WRITERS: dict[str, Writer] = {"parquet": parquet.write_table, "arrow": feather.write_feather}


@pytest.mark.parametrize("kind", WRITERS)
def test_a_columnar_file_is_the_table_it_holds(kind: str, tmp_path: Path) -> None:
    WRITERS[kind](arrow.table(ROWS), str(tmp_path / "t.bin"))
    table, found = read(tmp_path / "t.bin")
    assert found == []
    assert listed(table) == EXPECTED
    assert [e.confidence for _, e in table.events] == [Fraction(3, 4), None]
    assert [e.row for _, e in table.events] == [2, 3]
    assert table.digest is not None
    assert len(table.digest) == 64


def test_whatever_format_the_columns_make_is_read(tmp_path: Path) -> None:
    points = arrow.table({"filename": ["a"], "timestamp": [1.5], "label": ["up"]})
    scores = arrow.table({"filename": ["a", "a"], "onset": [0, 1], "offset": [1, 2], "dog": [0.2, 0.7]})
    marks = arrow.table({"Audiofilename": ["a"], "Starttime": [1], "Endtime": [2], "Q": ["POS"]})
    for name, data in (("p", points), ("s", scores), ("m", marks)):
        parquet.write_table(data, tmp_path / f"{name}.parquet")
    half = Decoding(Fraction(1, 2))
    assert listed(read(tmp_path / "p.parquet")[0]) == {"a": [("3/2", "3/2", "up")]}
    assert listed(read(tmp_path / "s.parquet", decoding=half)[0]) == {"a": [("1", "2", "dog")]}
    assert listed(read(tmp_path / "m.parquet")[0]) == {"a": [("1", "2", "Q")]}
    assert listed(read(tmp_path / "p.parquet", columns="clip=filename,onset=timestamp,label==x")[0]) == {
        "a": [("3/2", "3/2", "x")]
    }


def test_durations_conditions_and_regions_may_be_columnar(tmp_path: Path) -> None:
    parquet.write_table(arrow.table({"filename": ["a"], "duration": [10.5]}), tmp_path / "d.parquet")
    parquet.write_table(arrow.table({"filename": ["a"], "condition": ["wet"]}), tmp_path / "c.parquet")
    parquet.write_table(arrow.table({"filename": ["a"], "onset": [1], "offset": [2]}), tmp_path / "i.parquet")
    diagnostics = Diagnostics()
    assert read_durations(tmp_path / "d.parquet", diagnostics).clips == {"a": Fraction("10.5")}
    assert read_conditions(tmp_path / "c.parquet", diagnostics).clips == {"a": "wet"}
    assert len(read_regions(tmp_path / "i.parquet", diagnostics).clips["a"]) == 1
    assert not list(diagnostics)


def test_a_fault_has_the_row_it_would_have_in_text(tmp_path: Path) -> None:
    rows = {**ROWS, "onset": [0.1, -2.0, None]}
    parquet.write_table(arrow.table(rows), tmp_path / "t.parquet")
    assert places(read(tmp_path / "t.parquet")[1]) == [("bad-time", "t.parquet", 3)]


@pytest.mark.parametrize("start", [b"PAR1", b"ARROW1\0\0"])
@pytest.mark.parametrize("rest", [b"", b"\0" * 40, b"PAR1" * 9])
def test_a_broken_columnar_file_is_said(start: bytes, rest: bytes, tmp_path: Path) -> None:
    (tmp_path / "t.bin").write_bytes(start + rest)
    table, found = read(tmp_path / "t.bin")
    assert table.clips == {}
    assert [d.code for d in found] == ["unreadable-file"]


def test_a_text_that_is_not_utf8_is_said(tmp_path: Path) -> None:
    parquet.write_table(arrow.table(ROWS), tmp_path / "t.parquet", use_dictionary=False, compression="none")
    whole = (tmp_path / "t.parquet").read_bytes()
    (tmp_path / "t.parquet").write_bytes(whole.replace(b"a.wav", b"\xff.wav"))
    table, found = read(tmp_path / "t.parquet")
    assert table.clips == {}
    assert [d.code for d in found] == ["unreadable-file"]


@given(cut=st.integers(1, 900), flip=st.integers(0, 10**6))
def test_a_damaged_columnar_file_is_read_or_said(cut: int, flip: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    parquet.write_table(arrow.table(ROWS), folder / "whole.parquet")
    data = bytearray((folder / "whole.parquet").read_bytes())
    data[4 + flip % (len(data) - 4)] ^= 1 + flip % 255
    (folder / "cut.parquet").write_bytes((folder / "whole.parquet").read_bytes()[: max(4, len(data) - cut)])
    (folder / "bent.parquet").write_bytes(data)
    for name in ("cut", "bent"):
        table, found = read(folder / f"{name}.parquet")
        assert all(d.headline.isprintable() for d in found)
        assert found or table.clips


def test_without_the_package_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet.write_table(arrow.table(ROWS), tmp_path / "t.parquet")
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.split(".")[0] == "pyarrow":
            raise ModuleNotFoundError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    for name in [name for name in sys.modules if name.startswith("pyarrow")]:
        monkeypatch.delitem(sys.modules, name)
    _, found = read(tmp_path / "t.parquet")
    assert [d.code for d in found] == ["missing-extra"]
    assert found[0].help == "pip install 'tracepact[parquet]'"


def frame_in(library: str, data: dict[str, list[Any]]) -> Any:
    """A data frame of a library."""
    if library == "pyarrow":
        return arrow.table(data)
    return pytest.importorskip(library).DataFrame(data)


@pytest.mark.parametrize("library", ["pyarrow", "pandas", "polars"])
def test_a_data_frame_of_any_library_is_the_same_table(library: str) -> None:
    diagnostics = Diagnostics()
    table = events_from(frame_in(library, ROWS), diagnostics, name="ref")
    assert not list(diagnostics)
    assert listed(table) == EXPECTED
    assert [e.row for _, e in table.events] == [0, 1]
    assert [e.confidence for _, e in table.events] == [Fraction(3, 4), None]
    lengths = durations_from(frame_in(library, {"filename": ["a"], "duration": [1.1]}), diagnostics)
    assert getattr(lengths, "clips", None) == {"a": Fraction("1.1")}
    scores = {"a": frame_in(library, {"onset": [0, 1], "offset": [1, 2], "dog": [0.4, 0.6]})}
    decoded = events_from(scores, diagnostics, name="pred", reading=Reading(decoding="0.5"))
    assert listed(decoded) == {"a": [("1", "2", "dog")]}


@given(values=st.lists(st.floats(0, 1e6, width=32), min_size=1, max_size=5))
def test_a_short_float_is_its_own_shortest_decimal(values: list[float]) -> None:
    numpy = pytest.importorskip("numpy")
    polars = pytest.importorskip("polars")
    pandas = pytest.importorskip("pandas")
    short = numpy.array(values, dtype=numpy.float32)
    expected = [Fraction(Decimal(str(value))) for value in short]
    columns = {"filename": ["a"] * len(values), "event_label": ["x"] * len(values)}
    frames = [
        pandas.DataFrame({**columns, "onset": short, "offset": short}),
        polars.DataFrame({**columns, "onset": short, "offset": short}),
        arrow.table({**columns, "onset": arrow.array(short), "offset": arrow.array(short)}),
    ]
    for frame in frames:
        table = events_from(frame, Diagnostics(), name="ref")
        assert [event.onset for _, event in table.events] == expected


def test_a_folder_of_columnar_scores_is_one_table(tmp_path: Path) -> None:
    put(tmp_path, {})
    for clip in ("a", "b"):
        data = arrow.table({"onset": [0, 1], "offset": [1, 2], "dog": [0.1, 0.9]})
        parquet.write_table(data, tmp_path / f"{clip}.parquet")
    table, found = read(tmp_path, decoding=Decoding(Fraction(1, 2)))
    assert found == []
    assert listed(table) == {"a": [("1", "2", "dog")], "b": [("1", "2", "dog")]}
