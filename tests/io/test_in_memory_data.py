"""Data in memory gives the same exact events as a file, and its faults carry the row's index."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracepact.data.events import Durations, Event, EventTable
from tracepact.data.memory import durations_from, events_from, regions_from
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace


def read(data: Any, **options: Any) -> EventTable:
    diagnostics = Diagnostics()
    table = events_from(data, diagnostics, name="ref", **options)
    assert not list(diagnostics)
    return table


def faults(data: Any) -> list[tuple[str, int | None]]:
    diagnostics = Diagnostics()
    events_from(data, diagnostics, name="ref")
    return [(d.code, d.place.row) for d in diagnostics if isinstance(d.place, RowPlace)]


def test_a_list_is_one_clip() -> None:
    table = read([(0.1, "0.3"), (1, 2, "x")])
    assert table.clips == {
        "clip": (Event(Fraction(1, 10), Fraction(3, 10), "event"), Event(Fraction(1), Fraction(2), "x"))
    }
    assert [event.row for _, event in table.events] == [0, 1]
    assert read([(1, 2)], label="y", clip="a").clips == {"a": (Event(Fraction(1), Fraction(2), "y"),)}


def test_a_mapping_gives_its_clips_and_an_empty_list_is_silent() -> None:
    assert read({"a": [(1, 2, "x")], "b": []}).clips == {
        "a": (Event(Fraction(1), Fraction(2), "x"),),
        "b": (),
    }


@given(st.floats(0, 1e9))
def test_a_float_is_its_shortest_decimal(value: float) -> None:
    assert read([(value, value)]).clips["clip"][0].onset == Fraction(repr(value))


@pytest.mark.parametrize(
    "value",
    [
        "0.1",
        0.1,
        Decimal("0.1"),
        Fraction(1, 10),
        np.float64(0.1),
        np.float32(0.1),
        np.float16(0.1),
        np.longdouble("0.1"),
    ],
)
def test_a_tenth_of_any_type_is_a_tenth(value: Any) -> None:
    (event,) = read([(value, np.int64(3))]).clips["clip"]
    assert (event.onset, event.offset) == (Fraction(1, 10), Fraction(3))
    assert type(event.offset.numerator) is int


def test_an_array_of_intervals_is_one_clip() -> None:
    assert read(np.array([[0.1, 0.2], [0.5, 0.7]], np.float32)).clips["clip"][1].offset == Fraction(7, 10)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ([(0, 1), (float("nan"), 1)], [("bad-time", 1)]),
        ([(0, 1), (1, float("inf"))], [("bad-time", 1)]),
        ([(0, 1), (-1.0, 1)], [("bad-time", 1)]),
        ([(True, 1)], [("bad-time", 0)]),
        ([("soon", "later")], [("bad-time", 0), ("bad-time", 0)]),
        ([(10**5000, 1)], [("bad-time", 0)]),
        ([(Decimal("1e999999999"), 1)], [("bad-time", 0)]),
        ([(0, 1, "x"), (None, 1, "x")], [("incomplete-row", 1)]),
        ([(0, 1, None)], [("incomplete-row", 0)]),
        ([(None, None, None)], [("incomplete-row", 0)]),
        ([(0, 1, "x"), (1,)], [("wrong-columns", 1)]),
        ([(0, 1, "x", 3)], [("wrong-columns", 0)]),
        ((0.5, 1.0), [("wrong-columns", 0), ("wrong-columns", 1)]),
        (["ab"], [("wrong-columns", 0)]),
        ([{"onset": 1, "offset": 2}], [("wrong-columns", 0)]),
        (3, [("wrong-columns", None)]),
        (None, [("wrong-columns", None)]),
        ({"a": "xyz"}, [("wrong-columns", None)]),
    ],
)
def test_a_fault_carries_the_index_of_its_row(data: Any, found: list[tuple[str, int | None]]) -> None:
    assert faults(data) == found


def test_a_fault_in_a_mapping_names_the_clip() -> None:
    diagnostics = Diagnostics()
    table = events_from({"a": [(0, 1), (2, -3)], "b": [(0, 1)]}, diagnostics, name="ref")
    (found,) = diagnostics
    assert found.headline == "clip `a`: offset `-3` is negative"
    assert {clip: len(events) for clip, events in table.clips.items()} == {"a": 1, "b": 1}


def test_a_path_is_read_as_a_file(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("filename,onset,offset,event_label\na,1,2,x\n")
    for data in (path, str(path)):
        assert read(data).clips == {"a": (Event(Fraction(1), Fraction(2), "x"),)}
    table = read(path)
    assert read(table) is table


def test_a_data_frame_has_the_columns_of_a_table() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "score": [1, 2, 3],
            "event_label": ["x", None, 7],
            "offset": np.array([0.3, np.nan, 0.7], np.float32),
            "onset": [0.1, np.nan, 0.2],
            "filename": ["a", "b", "a"],
        },
        index=[10, 20, 30],
    )
    table = read(frame)
    assert table.clips == {
        "a": (Event(Fraction(1, 10), Fraction(3, 10), "x"), Event(Fraction(2, 10), Fraction(7, 10), "7")),
        "b": (),
    }
    assert [event.row for _, event in table.events] == [0, 2]
    assert read(frame.convert_dtypes()).clips["b"] == ()


def test_faults_of_a_data_frame_are_those_of_a_table() -> None:
    pandas = pytest.importorskip("pandas")
    twice = pandas.DataFrame([("a", 1, 2, 3, "x")], columns=["filename", "onset", "onset", "offset", "event_label"])
    assert faults(twice) == [("wrong-columns", None)]
    rows = [("a", 1.0, 2.0, "x"), ("a", np.nan, 2.0, "x"), ("a", -1.0, 2.0, "x")]
    columns = ["filename", "onset", "offset", "event_label"]
    assert faults(pandas.DataFrame(rows, columns=columns)) == [("incomplete-row", 1), ("bad-time", 2)]
    assert faults(pandas.DataFrame(rows, columns=["file", "onset", "offset", "label"])) == [("wrong-columns", None)] * 2
    assert (
        faults(pandas.DataFrame(rows, columns=["filename", "onset", "onset", "event_label"]))
        == [("wrong-columns", None)] * 2
    )


def test_regions_need_no_label() -> None:
    diagnostics = Diagnostics()
    assert regions_from({"a": [(1, 2), (3, 4, "x")]}, diagnostics).clips == {
        "a": (Event(Fraction(1), Fraction(2), ""), Event(Fraction(3), Fraction(4), "x"))
    }
    assert not list(diagnostics)
    regions_from([(2, 1)], diagnostics)
    assert [d.code for d in diagnostics] == ["offset-before-onset"]


def test_durations_are_one_time_or_one_for_each_clip(tmp_path: Path) -> None:
    path = tmp_path / "d.tsv"
    path.write_text("filename\tduration\na\t0.3\n")
    diagnostics = Diagnostics()
    assert durations_from(None, diagnostics) is None
    assert {durations_from(time, diagnostics) for time in (0.3, "0.3", "0.3s", "300ms")} == {Fraction(3, 10)}
    for data in ({"a": 0.3}, path, str(path)):
        durations = durations_from(data, diagnostics)
        assert isinstance(durations, Durations)
        assert durations.clips == {"a": Fraction(3, 10)}
        assert durations_from(durations, diagnostics) is durations
    assert not list(diagnostics)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (0, "bad-time"),
        (-1.5, "bad-time"),
        (float("nan"), "bad-time"),
        ({"a": 0}, "bad-time"),
        ({"a": "x"}, "bad-time"),
        ({"a": None}, "bad-time"),
        ("no/such/file.tsv", "unreadable-file"),
    ],
)
def test_a_bad_duration_is_a_diagnostic(data: Any, code: str) -> None:
    diagnostics = Diagnostics()
    durations_from(data, diagnostics)
    assert [d.code for d in diagnostics] == [code]
