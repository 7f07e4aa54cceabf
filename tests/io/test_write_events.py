"""What is written is read again as the same events, exactly; what cannot be is refused with its row."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from cli.command import run
from formats import AUDACITY, TEXTGRID, listed, put, read
from hypothesis import given
from hypothesis import strategies as st

from tracepact.data.annotations import parse_textgrid
from tracepact.data.events import Event, EventTable, exact
from tracepact.data.sources import TextFile
from tracepact.data.writers import WRITABLE, check_place, written
from tracepact.diagnostics.collection import Diagnostics
from tracepact.files import write_whole

WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Zl", "Zp"], include_characters='"\\ []!<>='),
    min_size=1,
    max_size=12,
).filter(lambda text: text == text.strip())
NAMES = st.text("abcXYZ09_- .ü()", min_size=1, max_size=10).filter(lambda n: n == n.strip() and not n.startswith("."))
CLIPS = st.lists(NAMES, min_size=1, max_size=2).map("/".join)
TIMES = st.builds(lambda n, places: Fraction(n, 10**places), st.integers(0, 10**7), st.integers(0, 9))
MOMENTS = TIMES | st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1)])


@st.composite
def events(draw: st.DrawFn) -> Event:
    one, other = draw(MOMENTS), draw(MOMENTS)
    if draw(st.booleans()):
        other = one
    return Event(min(one, other), max(one, other), draw(st.sampled_from(["dog", "cat"]) | WORDS))


TABLES = st.dictionaries(CLIPS, st.lists(events(), max_size=5).map(tuple), min_size=1, max_size=3)


@given(clips=TABLES, format=st.sampled_from(WRITABLE), length=st.none() | TIMES)
def test_writing_and_reading_gives_the_same_clips_and_events(
    clips: dict[str, tuple[Event, ...]],
    format: str,
    length: Fraction | None,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("written")
    diagnostics = Diagnostics()
    texts = written(EventTable("t", clips), format, length, diagnostics)
    assert not list(diagnostics)
    put(folder, {name or "table.tsv": text for name, text in texts.items()})
    table, found = read(folder if format != "table" else folder / "table.tsv", format=format)
    assert not found
    assert {c: Counter(e) for c, e in table.clips.items()} == {c: Counter(e) for c, e in clips.items()}
    if format != "textgrid":
        assert table.clips == clips


SIGNS = st.text('ab\r\n\t",', min_size=1, max_size=6).filter(lambda text: text == text.strip())


@given(clips=st.dictionaries(SIGNS, st.lists(st.builds(Event, TIMES, TIMES, SIGNS), max_size=2).map(tuple), min_size=1))
def test_a_table_holds_names_and_labels_with_line_breaks_tabs_and_quotes(
    clips: dict[str, tuple[Event, ...]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Rule 13.13; written by the command's own writer, so that line ends reach the file as they are."""
    place = tmp_path_factory.mktemp("written") / "table.tsv"
    diagnostics = Diagnostics()
    write_whole({place: written(EventTable("t", clips), "table", None, diagnostics)[""]})
    table, _ = read(place, format="table")
    assert not list(diagnostics)
    assert table.clips == clips


@given(clips=TABLES, length=st.none() | TIMES)
def test_the_tiers_of_a_written_textgrid_are_as_praat_wants_them(
    clips: dict[str, tuple[Event, ...]], length: Fraction | None
) -> None:
    """Intervals follow one another without gaps from 0 to the end, points lie apart, names are distinct."""
    for text in written(EventTable("t", clips), "textgrid", length, Diagnostics()).values():
        _, _, tiers = parse_textgrid(TextFile("t", text, ""))
        assert len({tier.name for tier in tiers}) == len(tiers) > 0
        for tier in tiers:
            spans = [(exact(entry.start), exact(entry.end)) for entry in tier.entries]
            if spans[0][0] == spans[0][1]:
                assert all(a[0] < b[0] for a, b in pairwise(spans))
            else:
                assert spans[0][0] == 0
                assert all(a[0] < a[1] == b[0] for a, b in pairwise(spans))


@given(clips=TABLES)
def test_praatio_reads_what_is_written(
    clips: dict[str, tuple[Event, ...]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    textgrid = pytest.importorskip("praatio.textgrid")
    folder = tmp_path_factory.mktemp("praat")
    # praatio looks for its own words inside labels, so those that hold them are left out here.
    plain = {
        clip: tuple(e for e in events if not any(word in e.label for word in '"[]=')) for clip, events in clips.items()
    }
    put(folder, written(EventTable("t", plain), "textgrid", None, Diagnostics()))
    for clip, events in plain.items():
        grid = textgrid.openTextgrid(str(folder / f"{clip}.TextGrid"), includeEmptyIntervals=False)
        found = Counter()
        for tier in grid.tiers:
            for entry in tier.entries:
                found[(entry[0], entry[-2], entry[-1])] += 1
        assert found == Counter((float(e.onset), float(e.offset), e.label) for e in events)


def test_what_praatio_writes_is_read(tmp_path: Path) -> None:
    textgrid = pytest.importorskip("praatio.textgrid")
    grid = textgrid.Textgrid()
    grid.addTier(textgrid.IntervalTier("calls", [(0.1, 0.3, "a"), (1, 2.5, "b c")], 0, 3))
    grid.addTier(textgrid.PointTier("clicks", [(0.7, "x")], 0, 3))
    for name, text in (("long", "long_textgrid"), ("short", "short_textgrid")):
        grid.save(str(tmp_path / f"{name}.TextGrid"), text, includeBlankSpaces=True)
        table, found = read(tmp_path / f"{name}.TextGrid")
        assert [d.code for d in found] == ["several-tiers"]
        assert listed(table) == {name: [("1/10", "3/10", "a"), ("1", "5/2", "b c"), ("7/10", "7/10", "x")]}


ONE = Fraction(1)
REFUSED = {
    "a third of a second": ("table", "a", Event(Fraction(1, 3), ONE, "x", 7), "finite decimal"),
    "a third in a TextGrid": ("textgrid", "a", Event(Fraction(1, 3), ONE, "x", 7), "finite decimal"),
    "a tab in an Audacity label": ("audacity", "a", Event(ONE, ONE, "x\ty", 7), "tab"),
    "a line break in an Audacity label": ("audacity", "a", Event(ONE, ONE, "x\ny", 7), "line break"),
    "a label of white space": ("table", "a", Event(ONE, ONE, " x", 7), "white space"),
    "a NUL in a label": ("table", "a", Event(ONE, ONE, "x\0", 7), "no text file"),
    "ends in the wrong order in a TextGrid": ("textgrid", "a", Event(ONE, Fraction(0), "x", 7), "before it starts"),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_written_is_refused_with_its_row(case: tuple[str, str, Event, str]) -> None:
    format, clip, event, words = case
    diagnostics = Diagnostics()
    written(EventTable("t.tsv", {clip: (event,)}), format, None, diagnostics)
    (found,) = diagnostics
    assert (found.code, found.place) == ("unwritable-value", EventTable("t.tsv", {}).place(clip, 7))
    assert words in found.headline


@pytest.mark.parametrize("clip", ["../a", "/a", "a/../b", ".a", "b/.a", "a//b", "a/", "./a"])
@pytest.mark.parametrize("format", ["audacity", "textgrid"])
def test_a_clip_whose_name_leads_elsewhere_is_refused(clip: str, format: str) -> None:
    diagnostics = Diagnostics()
    assert written(EventTable("t", {clip: ()}), format, None, diagnostics) == {}
    assert [d.code for d in diagnostics] == ["unwritable-value"]


def test_writing_onto_the_input_or_among_other_files_is_refused(tmp_path: Path) -> None:
    put(tmp_path, {"in/a.txt": AUDACITY, "full/b.txt": "?", "t.tsv": "x"})

    def codes(out: str, given: str, folder: bool) -> list[str]:
        diagnostics = Diagnostics()
        check_place(tmp_path / out, [tmp_path / given], diagnostics, folder=folder)
        return [d.code for d in diagnostics]

    assert codes("in", "in", True) == ["unsafe-place"]
    assert codes("in/deeper", "in", True) == ["unsafe-place"]
    assert codes(".", "in/a.txt", True) == ["unsafe-place"]
    assert codes("./in/../in/a.txt", "in/a.txt", False) == ["unsafe-place"]
    assert codes("full", "in", True) == ["unsafe-place"]
    assert codes("t.tsv", "in", True) == ["unsafe-place"]
    assert codes("full", "in", False) == ["unsafe-place"]
    assert codes("new", "in", True) == codes("new.tsv", "t.tsv", False) == []


# The command


def test_convert_there_and_back_changes_nothing(tmp_path: Path) -> None:
    rows = "a.wav\t0.1\t0.30000000000000004\tdog\na.wav\t0.2\t1\tdog\nb/c.wav\t\t\t\n"
    table = f"filename\tonset\toffset\tevent_label\n{rows}"
    put(tmp_path, {"t.tsv": table})
    steps = [("t.tsv", "audacity", "au"), ("au", "textgrid", "tg"), ("tg", "table", "back.tsv")]
    for source, format, out in steps:
        done = run("convert", source, "--to", format, "--out", out, folder=tmp_path)
        assert (done.code, done.err) == (0, f"wrote 2 events of 2 clips to {out}\n")
    assert (tmp_path / "back.tsv").read_text() == table


def test_convert_keeps_a_clip_named_with_a_carriage_return(tmp_path: Path) -> None:
    put(tmp_path, {"t.json": '{"clips": {"a\\rb": [[0, 1, "x"]]}}'})
    assert run("convert", "t.json", "--to", "table", "--out", "t.tsv", folder=tmp_path).code == 0
    table, found = read(tmp_path / "t.tsv")
    assert not found
    assert table.clips == {"a\rb": (Event(Fraction(0), Fraction(1), "x"),)}


def test_convert_decodes_scores(tmp_path: Path) -> None:
    put(tmp_path, {"s/a.tsv": "onset\toffset\tdog\n0\t0.02\t0.9\n0.02\t0.04\t0.4\n0.04\t0.06\t0.9\n"})
    done = run(
        "convert", "s", "--to", "table", "--out", "t.tsv", "--threshold", "0.5", "--median", "3", folder=tmp_path
    )
    assert done.code == 0
    assert (tmp_path / "t.tsv").read_text().splitlines()[1:] == ["a\t0\t0.06\tdog"]
    bare = run("convert", "s", "--to", "table", "--out", "u.tsv", folder=tmp_path)
    assert bare.code == 2
    assert "undeclared-threshold" in bare.err
    assert not (tmp_path / "u.tsv").exists()


def test_convert_refuses_to_write_onto_its_input(tmp_path: Path) -> None:
    put(tmp_path, {"in/a.TextGrid": TEXTGRID})
    done = run("convert", "in", "--to", "textgrid", "--out", "in", folder=tmp_path)
    assert done.code == 2
    assert "unsafe-place" in done.err
    assert (tmp_path / "in" / "a.TextGrid").read_text() == TEXTGRID


def test_convert_refuses_a_time_no_table_can_hold(tmp_path: Path) -> None:
    put(tmp_path, {"t.json": '{"clips": {"a": [["1/3", 1, "x"]]}}'})
    done = run("convert", "t.json", "--to", "table", "--out", "t.tsv", folder=tmp_path)
    assert done.code == 2
    assert "unwritable-value" in done.err
