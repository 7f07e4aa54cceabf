"""Tables are read exactly, whatever their layout, and each fault is a diagnostic with its code and row."""

import csv
import hashlib
from collections.abc import Callable
from fractions import Fraction
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracepact.data.events import Event, EventTable
from tracepact.data.formats import read_events
from tracepact.data.sources import LONGEST_LINE
from tracepact.data.tables import read_conditions, read_durations, read_regions
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace

DEMO = Path(__file__).resolve().parents[2] / "spec" / "demo"
HEADER = "filename\tonset\toffset\tevent_label\n"

Fault = tuple[str, int | None]


def faults(diagnostics: Diagnostics) -> list[Fault]:
    """The code and row of each finding."""
    assert all(isinstance(d.place, RowPlace) for d in diagnostics)
    return [(d.code, d.place.row) for d in diagnostics if isinstance(d.place, RowPlace)]


@pytest.fixture
def events(tmp_path: Path) -> Callable[[str | bytes], tuple[EventTable, Diagnostics]]:
    def read(content: str | bytes) -> tuple[EventTable, Diagnostics]:
        path = tmp_path / "table.tsv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        diagnostics = Diagnostics()
        return read_events(path, diagnostics), diagnostics

    return read


Read = Callable[[str | bytes], tuple[EventTable, Diagnostics]]

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=8)
TIMES = st.tuples(st.integers(0, 10**6), st.integers(0, 6))
EVENTS = st.dictionaries(NAMES, st.lists(st.tuples(TIMES, TIMES, NAMES), max_size=4), max_size=4)


def decimal(time: tuple[int, int]) -> str:
    digits, places = time
    text = str(digits).rjust(places + 1, "0")
    return f"{text[: len(text) - places]}.{text[len(text) - places :]}" if places else text


@given(
    data=EVENTS,
    separator=st.sampled_from("\t,"),
    columns=st.permutations(["filename", "onset", "offset", "event_label", "", "score"]),
    ending=st.sampled_from(["\n", "\r\n"]),
    bom=st.booleans(),
    quoted=st.booleans(),
)
def test_a_table_of_any_layout_is_read_back_exactly(
    tmp_path_factory: pytest.TempPathFactory,
    data: dict[str, list[tuple[tuple[int, int], tuple[int, int], str]]],
    separator: str,
    columns: list[str],
    ending: str,
    bom: bool,
    quoted: bool,
) -> None:
    out = StringIO()
    writer = csv.writer(
        out,
        delimiter=separator,
        lineterminator=ending,
        quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL,
    )
    writer.writerow(columns)
    for clip, items in data.items():
        rows = [(clip, decimal(a), decimal(b), label) for a, b, label in items] or [(clip, "", "", "")]
        for name, onset, offset, label in rows:
            fields = {
                "filename": name,
                "onset": onset,
                "offset": offset,
                "event_label": label,
                "score": "0.5",
            }
            writer.writerow([fields.get(column, "7") for column in columns])
    path = tmp_path_factory.mktemp("tables") / "table"
    path.write_bytes(out.getvalue().encode("utf-8-sig" if bom else "utf-8"))
    diagnostics = Diagnostics()
    table = read_events(path, diagnostics)
    assert not list(diagnostics)
    expected = {
        clip: tuple(Event(Fraction(a[0], 10 ** a[1]), Fraction(b[0], 10 ** b[1]), label) for a, b, label in items)
        for clip, items in data.items()
    }
    assert table.clips == expected
    silent = [not items for items in data.values() for _ in range(len(items) or 1)]
    rows_of_events = [row for row, empty in enumerate(silent, start=2) if not empty]
    assert [event.row for _, event in table.events] == rows_of_events


def test_times_are_exact_decimals(events: Read) -> None:
    table, diagnostics = events(HEADER + "a\t0.1\t0.30000000000000004\tx\na\t1e-3\t.5\tx\n")
    assert not list(diagnostics)
    first, second = table.clips["a"]
    assert first.onset + Fraction(2, 10) == Fraction(3, 10) != first.offset
    assert (second.onset, second.offset) == (Fraction(1, 1000), Fraction(1, 2))


def test_the_digest_is_that_of_the_bytes(events: Read) -> None:
    content = b"\xef\xbb\xbf" + HEADER.encode() + b"a\t\t\t\r\n"
    assert events(content)[0].digest == hashlib.sha256(content).hexdigest()


def test_a_row_with_a_filename_alone_is_a_silent_clip(events: Read) -> None:
    table, diagnostics = events(HEADER + "a\t\t\t\nb\t1\t2\tx\n")
    assert table.clips == {"a": (), "b": (Event(Fraction(1), Fraction(2), "x"),)}
    assert not list(diagnostics)


def test_a_header_alone_is_a_table_without_clips(events: Read) -> None:
    table, diagnostics = events(HEADER)
    assert table.clips == {}
    assert not list(diagnostics)


def test_blank_lines_are_skipped_and_counted(events: Read) -> None:
    table, diagnostics = events("\n" + HEADER + "\n  \na\t1\t2\tx\n\n")
    assert [event.row for _, event in table.events] == [5]
    assert not list(diagnostics)


def test_a_quoted_field_over_two_lines_keeps_later_rows_on_their_lines(events: Read) -> None:
    table, diagnostics = events(HEADER + 'a\t1\t2\t"x\ny"\na\t3\t4\tz\n')
    assert [(event.label, event.row) for _, event in table.events] == [("x\ny", 2), ("z", 4)]
    assert not list(diagnostics)


def test_spaces_around_names_and_fields_do_not_count(events: Read) -> None:
    table, diagnostics = events("filename, onset, offset, event_label\na, 1, 2, x\nb, , , \n")
    assert table.clips == {"a": (Event(Fraction(1), Fraction(2), "x"),), "b": ()}
    assert not list(diagnostics)


def test_a_row_may_lack_columns_that_are_not_read(events: Read) -> None:
    table, diagnostics = events("filename\tonset\toffset\tevent_label\tnote\na\t1\t2\tx\n")
    assert len(table.clips["a"]) == 1
    assert not list(diagnostics)


def test_trailing_separators_are_no_fault(events: Read) -> None:
    table, diagnostics = events(HEADER + "a\t1\t2\tx\t\t\n")
    assert len(table.clips["a"]) == 1
    assert not list(diagnostics)


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("a\tnan\t2\tx", "bad-time"),
        ("a\t1\tinf\tx", "bad-time"),
        ("a\t-0.5\t2\tx", "bad-time"),
        ("a\t1\tlate\tx", "bad-time"),
        ("a\t1,5\t2.5\tx", "bad-time"),
        ("a\t0:61\t2\tx", "bad-time"),
        ("a\t1/3\t2\tx", "bad-time"),
        ("a\t1_0\t20\tx", "bad-time"),
        ("a\t١\t2\tx", "bad-time"),
        ("a\t1" + "0" * 100 + "\t2\tx", "bad-time"),
        ("a\t\t2\tx", "incomplete-row"),
        ("a\t1\t\tx", "incomplete-row"),
        ("a\t1\t2\t", "incomplete-row"),
        ("a\t\t\tx", "incomplete-row"),
        ("a\t \t2\tx", "incomplete-row"),
        ("\t1\t2\tx", "incomplete-row"),
        ("a\t1\t2", "wrong-columns"),
        ("a 1 2 x", "wrong-columns"),
        ("a\t1\t5\t2\t5\tx", "wrong-columns"),
        ('a\t1\t2\t"x"y', "wrong-columns"),
        ("a\t1\t2\t" + "x" * 200_000, "wrong-columns"),
    ],
)
def test_a_bad_row_is_reported_and_the_others_are_read(events: Read, row: str, code: str) -> None:
    table, diagnostics = events(HEADER + f"b\t1\t2\tx\n{row}\nc\t1\t2\tx\n")
    assert faults(diagnostics) == [(code, 3)]
    assert [(clip, event.row) for clip, event in table.events] == [("b", 2), ("c", 4)]


def test_all_faults_of_a_file_are_collected(events: Read) -> None:
    _, diagnostics = events(HEADER + "a\tx\ty\tz\na\t1\t\tz\na\t1\nb\t1\t-2\tz\n")
    assert faults(diagnostics) == [
        ("bad-time", 2),
        ("bad-time", 2),
        ("incomplete-row", 3),
        ("wrong-columns", 4),
        ("bad-time", 5),
    ]


def test_a_quote_that_never_closes_is_reported_where_it_opens(events: Read) -> None:
    table, diagnostics = events(HEADER + 'a\t1\t2\tx\nb\t1\t2\t"x\nc\t1\t2\tx\n')
    assert faults(diagnostics) == [("wrong-columns", 3)]
    assert list(table.clips) == ["a"]


def test_an_offset_before_its_onset_is_left_to_the_assembly(events: Read) -> None:
    table, diagnostics = events(HEADER + "a\t2\t1\tx\n")
    assert table.clips["a"][0].offset == 1
    assert not list(diagnostics)


@pytest.mark.parametrize(
    ("header", "headline", "help"),
    [
        ("filename\tonset\toffset\tevent_labels", "no column `event_label`", "did you mean `event_labels`?"),
        ("filename\tonset\tonset\toffset\tevent_label", "`onset` occurs twice", "keep one"),
        ("filename onset offset event_label", "separated by spaces", "tabs, commas or `;`"),
        ("a.wav\t0.0\t1.0\tspeech\tmore", "has none of the columns", "first line must name the columns"),
        ('"filename\tonset\toffset\tevent_label', "never closed", "ends with one"),
    ],
)
def test_a_wrong_header_is_explained(events: Read, header: str, headline: str, help: str) -> None:
    table, diagnostics = events(f"{header}\na\t1\t2\tx\n")
    assert [code for code, _ in faults(diagnostics)] == ["wrong-columns"]
    (found,) = diagnostics
    assert headline in found.headline
    assert help in (found.help or "")
    assert table.clips == {}


def test_each_missing_column_is_reported(events: Read) -> None:
    _, diagnostics = events("filename\tstart\tevent_label\na\t1\tx\n")
    assert faults(diagnostics) == [("wrong-columns", 1)] * 2


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", ("empty-file", None)),
        (b"\xef\xbb\xbf \r\n\n", ("empty-file", None)),
        ((HEADER + "a\t1\t2\tx\n").encode("utf-16")[:-1], ("bad-encoding", 2)),
        ((HEADER + "a\t1\t2\tx\n").encode("utf-16-be"), ("bad-encoding", 1)),
        (HEADER.encode() + b"\xc3\xa4\t1\t2\t\xe9\n", ("bad-encoding", 2)),
        (HEADER.encode() + b"a\t\0\n", ("bad-encoding", 2)),
        (b"\x89PNG\r\n\x1a\n\0\0", ("bad-encoding", 3)),
        (HEADER.encode() + b"a" * (2 * LONGEST_LINE), ("wrong-columns", 2)),
        (b"a" * (2 * LONGEST_LINE), ("wrong-columns", 1)),
    ],
)
def test_a_file_that_is_no_text_table_is_one_fault(events: Read, content: bytes, fault: Fault) -> None:
    table, diagnostics = events(content)
    assert faults(diagnostics) == [fault]
    assert table.clips == {}


@pytest.mark.parametrize(
    ("content", "words"),
    [(HEADER.encode("utf-16")[:-1], "UTF-16"), (b"a" * (2 * LONGEST_LINE), "longer than 1 MiB")],
)
def test_a_file_that_is_no_text_table_is_explained(events: Read, content: bytes, words: str) -> None:
    assert [words in d.headline for d in events(content)[1]] == [True]


def test_an_endless_file_stops_early() -> None:
    if not Path("/dev/zero").exists():
        pytest.skip("there is no /dev/zero on this system")
    diagnostics = Diagnostics()
    read_events("/dev/zero", diagnostics)
    assert faults(diagnostics) == [("bad-encoding", 1)]


def test_a_missing_file_offers_the_nearest_name(tmp_path: Path) -> None:
    (tmp_path / "reference.tsv").write_text(HEADER)
    diagnostics = Diagnostics()
    table = read_events(tmp_path / "referense.tsv", diagnostics)
    (found,) = diagnostics
    assert (found.code, found.help) == ("unreadable-file", "did you mean `reference.tsv`?")
    assert table.clips == {}


@pytest.mark.parametrize("name", ["", "none/at/all.tsv", "nul\0.tsv", "x" * 5000])
def test_a_path_that_cannot_be_opened_is_a_diagnostic(tmp_path: Path, name: str) -> None:
    diagnostics = Diagnostics()
    read_events(f"{tmp_path}/{name}", diagnostics)
    assert [d.code for d in diagnostics] == ["unreadable-file"]


def test_durations_are_exact_and_may_repeat(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("duration,filename\n10.0,a\n0.3,b\n10,a\n")
    diagnostics = Diagnostics()
    assert read_durations(path, diagnostics).clips == {"a": 10, "b": Fraction(3, 10)}
    assert not list(diagnostics)


def test_each_bad_duration_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "d.tsv"
    path.write_text("filename\tduration\na\t10\na\t12\na\t10.0\na\t13\nb\t0\nc\t-1\nd\tnan\ne\t\n\t5\nf\t1\n")
    diagnostics = Diagnostics()
    assert read_durations(path, diagnostics).clips == {"a": 10, "f": 1}
    assert faults(diagnostics) == [
        ("incomplete-row", 9),
        ("incomplete-row", 10),
        ("conflicting-duration", 3),
        ("conflicting-duration", 5),
        ("bad-time", 6),
        ("bad-time", 7),
        ("bad-time", 8),
    ]
    assert ["line 2" in d.headline for d in diagnostics if d.code == "conflicting-duration"] == [True, True]


def test_a_clip_has_one_condition(tmp_path: Path) -> None:
    path = tmp_path / "c.tsv"
    path.write_text("filename\tcondition\na\tbusy\nb\tquiet\na\tbusy\na\tquiet\nc\t\n")
    diagnostics = Diagnostics()
    assert read_conditions(path, diagnostics).clips == {"a": "busy", "b": "quiet"}
    assert sorted(faults(diagnostics)) == [("conflicting-condition", 5), ("incomplete-row", 6)]


@pytest.mark.parametrize(
    ("content", "clips", "found"),
    [
        ("filename\tonset\toffset\na\t1\t2\n", {"a": [(1, 2, "")]}, []),
        (
            "filename\tonset\toffset\tevent_label\na\t1\t2\t\na\t1\t2\tx\n",
            {"a": [(1, 2, ""), (1, 2, "x")]},
            [],
        ),
        ("filename\tonset\toffset\textra\na\t1\t2\tb\n", {"a": [(1, 2, "")]}, []),
        ("filename\tonset\toffset\na\t\t\n", {"a": []}, []),
        ("filename\tonset\toffset\na\t2\t1\n", {}, [("offset-before-onset", 2)]),
        ("filename\tonset\toffset\na\t2\t\n", {}, [("incomplete-row", 2)]),
        ("filename\tonset\toffset\na\t2\tx\n", {}, [("bad-time", 2)]),
    ],
)
def test_the_label_of_a_region_is_optional(
    tmp_path: Path, content: str, clips: dict[str, list[tuple[int, int, str]]], found: list[Fault]
) -> None:
    path = tmp_path / "ignore.tsv"
    path.write_text(content)
    diagnostics = Diagnostics()
    regions = read_regions(path, diagnostics)
    assert regions.clips == {
        clip: tuple(Event(Fraction(onset), Fraction(offset), label) for onset, offset, label in events)
        for clip, events in clips.items()
    }
    assert faults(diagnostics) == found


@pytest.mark.parametrize("name", ["reference", "late_long", "over_firing", "fragmenting"])
def test_the_demo_tables_have_no_fault(name: str) -> None:
    diagnostics = Diagnostics()
    table = read_events(DEMO / f"{name}.tsv", diagnostics)
    lines = (DEMO / f"{name}.tsv").read_text().splitlines()[1:]
    assert sum(map(len, table.clips.values())) == sum(1 for line in lines if not line.endswith("\t\t\t"))
    assert not list(diagnostics)


def test_the_demo_durations_and_conditions_cover_the_same_clips() -> None:
    diagnostics = Diagnostics()
    durations = read_durations(DEMO / "durations.tsv", diagnostics)
    conditions = read_conditions(DEMO / "conditions.tsv", diagnostics)
    assert set(durations.clips) == set(conditions.clips)
    assert set(durations.clips.values()) == {Fraction(12)}
    assert not list(diagnostics)
