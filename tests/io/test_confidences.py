"""Confidences stand beside events, are no part of them, and are kept through all that is done to them (13.29)."""

from fractions import Fraction
from pathlib import Path

import pytest
from cli.command import run
from formats import BIRDNET, CTM, JAMS, RTTM, places, put, read
from hypothesis import given
from hypothesis import strategies as st

from tracepact import score
from tracepact.data.event_rows import Outside
from tracepact.data.events import Event, EventTable
from tracepact.data.labels import label_map_from
from tracepact.data.preparation import SideTables, prepare
from tracepact.data.writers import written
from tracepact.diagnostics.collection import Diagnostics
from tracepact.files import BadTable
from tracepact.runs import manifest
from tracepact.runs.data_commands import fix
from tracepact.runs.opening import open_run
from tracepact.runs.verification import verify_run

TIMES = st.builds(lambda n, places: Fraction(n, 10**places), st.integers(0, 10**6), st.integers(0, 6))
SURE = st.none() | st.builds(lambda n, places: Fraction(n, 10**places), st.integers(-(10**6), 10**6), st.integers(0, 9))
EVENTS = st.builds(Event, TIMES, TIMES, st.sampled_from(["dog", "cat"]), st.none(), SURE)
TABLES = st.dictionaries(st.sampled_from("abc"), st.lists(EVENTS, max_size=4).map(tuple), min_size=1)


def sure(table: EventTable) -> list[Fraction | None]:
    """The confidences of all events, in order."""
    return [event.confidence for _, event in table.events]


def test_events_that_differ_in_confidence_alone_are_equal() -> None:
    one, other = (Event(Fraction(1), Fraction(2), "dog", 3, Fraction(n, 10)) for n in (1, 9))
    assert one == other
    assert hash(one) == hash(other)


@given(clips=TABLES)
def test_a_table_gives_confidences_again_as_they_are(
    clips: dict[str, tuple[Event, ...]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("sure") / "t.tsv"
    table = EventTable("t", clips)
    place.write_text(written(table, "table", None, Diagnostics())[""], encoding="utf-8", newline="")
    again, found = read(place)
    assert not found
    assert again.clips == clips
    assert sure(again) == sure(table)


def test_formats_with_confidences_keep_them(tmp_path: Path) -> None:
    put(tmp_path, {"b.csv": BIRDNET, "c.ctm": CTM, "j.jams": JAMS, "r.rttm": RTTM})
    assert sure(read(tmp_path / "b.csv")[0]) == [Fraction("0.8312"), Fraction("0.25")]
    assert sure(read(tmp_path / "c.ctm")[0]) == [Fraction("0.75"), None]
    assert sure(read(tmp_path / "j.jams")[0]) == [Fraction("0.5"), None]
    assert sure(read(tmp_path / "r.rttm")[0]) == [Fraction("0.9"), None]


@given(clips=TABLES)
def test_the_tables_of_a_run_directory_give_them_again_as_they_are(clips: dict[str, tuple[Event, ...]]) -> None:
    table = EventTable("t", clips)
    text = manifest.events_text(table)
    again = EventTable("t", manifest.read_events(text))
    assert again.clips == clips
    assert sure(again) == sure(table)
    assert ("confidence" in text.partition("\n")[0]) == any(number is not None for number in sure(table))


def test_a_run_that_is_opened_again_has_them_and_one_without_is_stored_as_before(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            "ref.tsv": "filename\tonset\toffset\tevent_label\nx\t1\t2\ta\n",
            "pred.tsv": "filename\tonset\toffset\tevent_label\tconfidence\n"
            "x\t1\t2\ta\t0.75\nx\t7\t8\ta\t-2.5\nx\t3\t4\ta\t\n",
        },
    )
    scored = score("boundary_gate", tmp_path / "ref.tsv", tmp_path / "pred.tsv", durations=5, outside="cut")
    scored.save(tmp_path / "run")
    again = open_run(tmp_path / "run").rescore()
    assert sure(again.prediction) == sure(scored.prediction) == [Fraction(3, 4), Fraction(-5, 2), None]
    assert verify_run(tmp_path / "run").holds
    header = (tmp_path / "run" / "reference.tsv").read_text(encoding="utf-8").partition("\n")[0]
    assert header == "filename\tonset\toffset\tevent_label\trow"


def test_a_stored_confidence_that_is_no_number_is_an_error_with_its_row(tmp_path: Path) -> None:
    text = "filename\tonset\toffset\tevent_label\trow\tconfidence\nx\t1\t2\ta\t2\t0.5\nx\t1\t2\ta\t2\tlots\n"
    with pytest.raises(BadTable, match="`lots` is not a number") as found:
        manifest.read_events(text)
    assert found.value.line == 3


def test_a_label_map_keeps_them() -> None:
    table = EventTable("t", {"a": (Event(Fraction(0), Fraction(1), "dog", None, Fraction(1, 4)),)})
    labels = label_map_from({"rename": {"dog": "hound"}}, Diagnostics())
    ready = prepare(SideTables(table, table, None, None, labels, outside=Outside.ERROR), Diagnostics())
    assert sure(ready.prediction) == [Fraction(1, 4)]


def test_corrections_keep_them_and_joining_takes_the_greatest() -> None:
    def event(onset: int, offset: int, tenths: int | None) -> Event:
        confidence = None if tenths is None else Fraction(tenths, 10)
        return Event(Fraction(onset), Fraction(offset), "dog", None, confidence)

    clips = {"a": (event(2, 1, 3), event(5, 7, None), event(6, 8, 9), event(6, 9, 2), event(20, 40, 5))}
    fixed, _ = fix(EventTable("t", clips), Fraction(30))
    assert [(int(e.onset), int(e.offset)) for _, e in fixed.events] == [(1, 2), (5, 9), (20, 30)]
    assert sure(fixed) == [Fraction(3, 10), Fraction(9, 10), Fraction(1, 2)]


def test_words_are_no_confidence_and_no_reason_to_refuse_a_table(tmp_path: Path) -> None:
    rows = "filename\tonset\toffset\tevent_label\tconfidence\na\t0\t1\tdog\thigh\na\t2\t3\tdog\t0,5\na\t4\t5\tdog\t-3\n"
    put(tmp_path, {"t.tsv": rows})
    table, found = read(tmp_path / "t.tsv")
    assert places(found) == [("bad-confidence", "t.tsv", 2), ("bad-confidence", "t.tsv", 3)]
    assert sure(table) == [None, None, -3]
    assert run("lint-data", "--ref", "t.tsv", folder=tmp_path).code == 0
