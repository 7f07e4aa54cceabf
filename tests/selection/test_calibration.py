"""Calibration sets: reading, edits, and every way to get one wrong with its code and place."""

import json
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tracepact.data.events import Event
from tracepact.declarations import spec_path
from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import Diagnostic, Source, TextPlace
from tracepact.selection.calibration import ARGUMENTS, Edit, NotApplicable, apply, read_family
from tracepact.selection.calibration_reader import calibrations, load_calibration, read_calibration
from tracepact.selection.toml_tables import Places

SCHEMA = json.loads(spec_path("schemas/calibration.schema.json").read_text(encoding="utf-8"))

REFERENCE = """
[reference.gate]
duration = "2s"
events = [["200ms", "600ms"], [0.8, 1.0], ["1400ms", "1.8s"]]
"""


def text_of(*cases: str, head: str = 'step = "20ms"', reference: str = REFERENCE) -> str:
    lines = ",\n".join(f"  {{{case}}}" for case in cases)
    return f"{head}\ncases = [\n{lines}\n]\n{reference}"


LATE = 'name = "late", rank = 2, edit = "late_onset", by = "60ms"'
LOST = 'name = "lost", rank = 3, edit = "missing", event = 2'


def read(text: str, folder: Path = Path()) -> list[tuple[str, int, str]]:
    """The codes of what is wrong, with line and marked text."""
    try:
        read_calibration(Source("set.calibration", text), folder)
    except InvalidInput as error:
        found = []
        for d in error.diagnostics:
            line = marked = None
            if isinstance(d.place, TextPlace):
                line = d.place.source.position(d.place.span.start)[0]
                marked = d.place.source.text[d.place.span.start : d.place.span.end]
            found.append((d.code, line or 0, marked or ""))
        return found
    return []


# Edits, in milliseconds by hand


def ms(*intervals: tuple[int, int]) -> tuple[Event, ...]:
    return tuple(Event(Fraction(a, 1000), Fraction(b, 1000), "event") for a, b in intervals)


EVENTS = ms((200, 600), (800, 1000), (1400, 1800))
MOVED = {
    "late_onset": (Edit("late_onset", by=Fraction(6, 100), events=(1,)), ms((260, 600), (800, 1000), (1400, 1800))),
    "early_onset": (Edit("early_onset", by=Fraction(6, 100)), ms((140, 600), (740, 1000), (1340, 1800))),
    "late_release": (Edit("late_release", by=Fraction(1, 10), events=(3,)), ms((200, 600), (800, 1000), (1400, 1900))),
    "early_release": (
        Edit("early_release", by=Fraction(1, 10), events=(2, 3)),
        ms((200, 600), (800, 900), (1400, 1700)),
    ),
    "missing": (Edit("missing", events=(2,)), ms((200, 600), (1400, 1800))),
    "bleed": (Edit("bleed", by=Fraction(4, 100), events=(1,)), ms((160, 640), (800, 1000), (1400, 1800))),
    "length": (Edit("length", factor=Fraction(1, 2), events=(1,)), ms((300, 500), (800, 1000), (1400, 1800))),
    "split": (
        Edit("split", pieces=2, gap=Fraction(1, 10), events=(1,)),
        ms((200, 350), (450, 600), (800, 1000), (1400, 1800)),
    ),
    "extra": (
        Edit("extra", at=Fraction(11, 10), length=Fraction(1, 10)),
        ms((200, 600), (800, 1000), (1100, 1200), (1400, 1800)),
    ),
    "none": (Edit("none"), EVENTS),
}


def test_every_edit_has_an_example() -> None:
    assert set(MOVED) == set(ARGUMENTS)


@pytest.mark.parametrize("kind", MOVED)
def test_an_edit_moves_what_it_names_and_nothing_else(kind: str) -> None:
    edit, expected = MOVED[kind]
    assert apply(edit, EVENTS, Fraction(2)) == expected


@pytest.mark.parametrize(
    ("edit", "key"),
    [
        (Edit("late_onset", by=Fraction(2, 10), events=(2,)), "by"),  # nothing is left of 200 ms
        (Edit("early_onset", by=Fraction(2, 10), events=(2,)), "edit"),  # up to the end of the first
        (Edit("early_onset", by=Fraction(3, 10), events=(1,)), "edit"),  # before the clip
        (Edit("late_release", by=Fraction(3, 10), events=(3,)), "edit"),  # beyond the clip
        (Edit("missing", events=(4,)), "event"),
        (Edit("split", pieces=3, gap=Fraction(1, 10), events=(2,)), "gap"),
        (Edit("extra", at=Fraction(5, 10), length=Fraction(1, 10)), "edit"),
        (Edit("length", factor=Fraction(0)), "by"),
    ],
)
def test_an_edit_that_does_not_apply_says_what_is_to_blame(edit: Edit, key: str) -> None:
    with pytest.raises(NotApplicable) as refused:
        apply(edit, EVENTS, Fraction(2))
    assert refused.value.key == key


def test_a_reference_without_events_has_nothing_to_split() -> None:
    with pytest.raises(NotApplicable, match="no event"):
        apply(Edit("split", pieces=2, gap=Fraction(1, 10)), (), Fraction(2))


# Reading


def test_cases_are_read_as_they_are_written() -> None:
    intervals = 'name = "shifted", rank = 1.5, risk = "a word", fault = "edge", pred = [["220ms", "600ms"]]'
    found = read_calibration(Source("set", text_of(LATE, LOST, intervals)))
    late, lost, shifted = found.cases
    assert (late.name, late.rank, late.fault, late.pred[0].onset) == ("late", 2, "late", Fraction(26, 100))
    assert [event.onset for event in lost.pred] == [Fraction(1, 5), Fraction(7, 5)]
    assert (shifted.rank, shifted.risk, shifted.fault) == (Fraction(3, 2), "a word", "edge")
    assert shifted.pred == ms((220, 600))
    assert late.ref == lost.ref == shifted.ref == EVENTS
    assert found.step == Fraction(1, 50)


def test_a_clip_of_a_corpus_is_a_case(tmp_path: Path) -> None:
    columns = "filename\tonset\toffset\tevent_label\n"
    (tmp_path / "ref.tsv").write_text(f"{columns}a.wav\t0.5\t1\tdog\nb.wav\t0\t1\tcat\n")
    (tmp_path / "pred.tsv").write_text(f"{columns}a.wav\t0.7\t1\tdog\n")
    clip = 'name = "real", rank = 9, ref = "ref.tsv", pred = "pred.tsv", clip = "a.wav", duration = "10s"'
    found = read_calibration(Source("set", text_of(LATE, clip)), tmp_path)
    real = found.cases[1]
    assert [(e.onset, e.offset, e.label) for e in real.ref] == [(Fraction(1, 2), 1, "dog")]
    assert [(e.onset, e.offset, e.label) for e in real.pred] == [(Fraction(7, 10), 1, "dog")]
    assert real.duration == 10


def test_a_case_can_be_a_table_of_its_own() -> None:
    table = '[[cases]]\nname = "late"\nrank = 2\nedit = "late_onset"\nby = "60ms"\n[[cases]]\nname = "lost"\nrank = 1\n'
    text = f'step = "20ms"\n{table}edit = "missing"\nevent = 7\n{REFERENCE}'
    assert read(text) == [("edit-does-not-apply", 11, "7")]


def test_what_the_grid_does_to_a_case_is_said(tmp_path: Path) -> None:
    from tracepact.selection.basis import observe_family

    tiny = 'name = "tiny", rank = 9, pred = [["200ms", "204ms"], ["800ms", "1000ms"], ["1005ms", "1100ms"]]'
    found = read_calibration(Source("set", text_of(LATE, tiny)))
    warned = observe_family(found, found.family).warnings
    assert [d.code for d in warned] == ["vanished-event", "joined-events"]
    assert all("`tiny`" in d.headline for d in warned)


def test_an_event_of_a_table_outside_its_clip_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("filename\tonset\toffset\tevent_label\na\t0.5\t3\tx\na\t4\t5\tx\n")
    table = 'name = "real", rank = 9, ref = "t.tsv", pred = "t.tsv", duration = "2s"'
    assert [(code, line) for code, line, _ in read(text_of(LATE, table), tmp_path)] == [("bad-time", 4)]


def test_an_event_written_twice_is_refused_and_never_dropped() -> None:
    twice = 'name = "twice", rank = 9, pred = [["200ms", "400ms"], ["200ms", "400ms"]]'
    assert [(code, line) for code, line, _ in read(text_of(LATE, twice))] == [("bad-time", 4)]


BAD = {
    "no rank": (text_of('name = "a", edit = "missing"', LOST), [("bad-rank", 3)]),
    "a rank in words": (text_of('name = "a", rank = "bad", edit = "missing"', LOST), [("bad-rank", 3)]),
    "a rank that is true": (text_of('name = "a", rank = true, edit = "missing"', LOST), [("bad-rank", 3)]),
    "a rank that is not a number": (text_of('name = "a", rank = nan, edit = "missing"', LOST), [("bad-rank", 3)]),
    "one name twice": (text_of(LATE, LOST, LATE), [("repeated-case", 5)]),
    "no event to split": (
        text_of(
            'name = "a", rank = 1, edit = "split", pieces = 2, gap = "60ms"',
            LOST,
            reference="[reference.r]\nduration = 1\nevents = []",
        ),
        [("edit-does-not-apply", 3), ("edit-does-not-apply", 4)],
    ),
    "too short to split": (
        text_of('name = "a", rank = 1, edit = "split", pieces = 9, gap = "60ms"', LOST),
        [("edit-does-not-apply", 3)],
    ),
    "into the next event": (
        text_of('name = "a", rank = 1, edit = "late_release", by = "0.2s"', LOST),
        [("edit-does-not-apply", 3)],
    ),
    "out of the clip": (
        text_of('name = "a", rank = 1, edit = "bleed", by = "300ms", event = 1', LOST),
        [("edit-does-not-apply", 3)],
    ),
    "an event that is not there": (
        text_of('name = "a", rank = 1, edit = "missing", event = [1, 9]', LOST),
        [("edit-does-not-apply", 3)],
    ),
    "an edit that the grid does not see": (
        text_of('name = "a", rank = 1, edit = "late_onset", by = "5ms"', LOST),
        [("edit-does-not-apply", 3)],
    ),
    "an unknown edit": (
        text_of('name = "a", rank = 1, edit = "late_onsett", by = "60ms"', LOST),
        [("unknown-choice", 3)],
    ),
    "an edit without its amount": (text_of('name = "a", rank = 1, edit = "late_onset"', LOST), [("missing-key", 3)]),
    "an amount of no time": (
        text_of('name = "a", rank = 1, edit = "late_onset", by = "soon"', LOST),
        [("bad-time", 3)],
    ),
    "an unknown key of a case": (text_of(f"{LATE}, evnt = 1", LOST), [("unknown-key", 3)]),
    "an unknown key": (text_of(LATE, LOST, head='step = "20ms"\nstp = 1'), [("unknown-key", 2)]),
    "a name of two lines": (text_of(LATE.replace('"late"', '"la\\nte"'), LOST), [("wrong-form", 3)]),
    "an empty name": (text_of(LATE.replace('"late"', '""'), LOST), [("wrong-form", 3)]),
    "no case": ('step = "20ms"\ncases = []\n', [("empty-calibration", 2)]),
    "nothing": ("", [("missing-key", 1), ("empty-calibration", 1)]),
    "one rank only": (text_of(LATE, 'name = "b", rank = 2, edit = "missing"'), [("one-rank", 2)]),
    "no step": (text_of(LATE, LOST, head="# no step"), [("missing-key", 1)]),
    "a step of zero": (text_of(LATE, LOST, head="step = 0"), [("bad-time", 1)]),
    "an unknown reference": (text_of(f'{LATE}, reference = "gat"', LOST), [("unknown-reference", 3)]),
    "an edit and intervals": (text_of(f"{LATE}, pred = []", LOST), [("wrong-form", 3)]),
    "neither": (text_of('name = "a", rank = 1', LOST), [("wrong-form", 3)]),
    "events out of order": (
        text_of(LATE, LOST, reference='[reference.gate]\nduration = "2s"\nevents = [[1, 1.5], [1.4, 1.8]]'),
        [("bad-time", 8)],
    ),
    "an event after its clip": (
        text_of(
            LATE,
            'name = "b", rank = 1, edit = "missing"',
            reference='[reference.gate]\nduration = "1s"\nevents = [[0.1, 0.5], [0.8, 1.2]]',
        ),
        [("bad-time", 8)],
    ),
    "no TOML": ('step = "20ms"\ncases = [{name = }]\n', [("bad-toml", 2)]),
    "TOML that ends early": ('step = "20ms"\ncases = [', [("bad-toml", 2)]),
    "a table that is not there": (
        text_of('name = "a", rank = 1, ref = "r.tsv", pred = "p.tsv", duration = 1', LOST),
        None,
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_has_its_code_and_its_line(name: str, tmp_path: Path) -> None:
    text, expected = BAD[name]
    found = read(text, tmp_path)
    if expected is None:
        assert found
        assert {code for code, _, _ in found} == {"unreadable-file"}
    else:
        assert [(code, line) for code, line, _ in found] == expected


def test_every_fault_is_reported_at_once() -> None:
    bad = [
        'name = "a", edit = "missing"',
        'name = "b", rank = "x", edit = "missing"',
        'name = "b", rank = 1, edit = "gone"',
    ]
    assert [code for code, _, _ in read(text_of(*bad))] == ["bad-rank", "bad-rank", "repeated-case", "unknown-choice"]


BAD_FAMILIES = {
    'depth = "deep"': "wrong-form",
    "depth = 9": "wrong-form",
    'atoms = ["ref_activ"]': "unknown-choice",
    'obligations = ["ref_onset &"]': "wrong-form",
    'obligations = ["zone"]': "wrong-form",
    'tolerances = ["0ms"]': "bad-time",
    "shares = [2]": "wrong-form",
    "counts = [0.5]": "wrong-form",
    'matchers = ["greedy"]': "wrong-form",
    'matchers = [{kind = "gready"}]': "unknown-choice",
    "most = 0": "wrong-form",
    "deph = 1": "unknown-key",
}


@pytest.mark.parametrize("text", BAD_FAMILIES)
def test_a_wrong_family_is_refused_at_its_place(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_family(Source("family.toml", f"# a family\n{text}\n"), Fraction(1, 50))
    (found,) = refused.value.diagnostics
    assert found.code == BAD_FAMILIES[text]
    assert isinstance(found.place, TextPlace)
    assert found.place.source.position(found.place.span.start)[0] == 2


SHIPPED = calibrations()["boundary_gate"].read_text(encoding="utf-8")
PIECES = st.sampled_from(
    ["", '"', "]", "{", "=", "[[x]]\n", "0", "-1", "nan", "1e9", "true", "[]", '"1/0"', "\n", "9" * 70, "#", "é"]
)


@given(st.lists(st.tuples(st.integers(0, len(SHIPPED)), st.integers(0, 12), PIECES), min_size=1, max_size=3))
def test_no_text_is_more_than_refused(changes: list[tuple[int, int, str]]) -> None:
    """Pieces of the shipped set taken out or put in: a set that is read, or diagnostics that all have a place."""
    text = SHIPPED
    for at, length, piece in changes:
        text = text[:at] + piece + text[at + length :]
    found: tuple[Diagnostic, ...] = ()
    try:
        assert read_calibration(Source("changed", text)).cases
    except InvalidInput as error:
        found = error.diagnostics
    for d in found:
        assert isinstance(d.place, TextPlace)
        assert 0 <= d.place.span.start <= d.place.span.end <= len(text) + 1


# Places


def test_places_point_at_keys_and_values_of_any_form() -> None:
    lines = [
        "a.b = 1 # c = 2",
        '"q k" = """x',
        '"" = y"""',
        "[t]",
        "k = [ 1, # ]",
        """ {z = "}"}, '''l''' ]""",
        "[[u]]",
        "v = 2026-01-01",
        "[[u]]",
        "v = 3",
        "[u.w]",
        "x = -1.5",
    ]
    text = "\n".join(lines)
    data = tomllib.loads(text)
    places = Places.of(Source("t", text))

    def shown(*path: str | int) -> str:
        span = places.value(path).span
        return text[span.start : span.end]

    assert shown("a", "b") == "1"
    assert shown("q k") == '"""x\n"" = y"""'
    assert shown("t", "k", 0) == "1"
    assert shown("t", "k", 1, "z") == '"}"'
    assert shown("t", "k", 2) == "'''l'''"
    assert shown("u", 0, "v") == "2026-01-01"
    assert shown("u", 1, "v") == "3"
    assert shown("u", 1, "w", "x") == "-1.5"
    assert data["u"][1]["w"]["x"] == -1.5


# What ships


@pytest.mark.parametrize("name", sorted(calibrations()))
def test_a_shipped_set_is_read_and_valid_under_the_schema(name: str) -> None:
    data = tomllib.loads(calibrations()[name].read_text(encoding="utf-8"))
    assert not list(Draft202012Validator(SCHEMA).iter_errors(data))
    assert load_calibration(name).cases


NOT_IN_A_SCHEMA = {
    "no rank",  # it may be absent where preferences say which case is worse (14.26)
    "one name twice",
    "one rank only",
    "no TOML",
    "TOML that ends early",
    "events out of order",
    "an event after its clip",
}


@pytest.mark.parametrize("name", sorted(set(BAD) - NOT_IN_A_SCHEMA))
def test_the_schema_refuses_what_has_the_wrong_form(name: str) -> None:
    """What is wrong with the content, an edit that does not apply, only the reader knows."""
    text, expected = BAD[name]
    codes = {code for code, _ in expected or []}
    valid = Draft202012Validator(SCHEMA).is_valid(tomllib.loads(text))
    content = {"edit-does-not-apply", "unknown-reference"}
    assert valid == (
        not codes
        or codes <= content
        or name in ("an edit without its amount", "a rank that is not a number", "a step of zero")
    )


# Labels and helps

LABELLED = """
[reference.gate]
duration = "2s"
events = [["200ms", "600ms", "dog"], ["800ms", "1s", "{label}"]]
"""
PRED = 'name = "as found", rank = 1, pred = [["200ms", "500ms"]]'


def test_an_interval_without_a_label_has_that_of_the_reference() -> None:
    one = read_calibration(Source("set", text_of(PRED, LOST, reference=LABELLED.format(label="dog"))))
    assert [event.label for event in one.cases[0].pred] == ["dog"]
    assert one.warnings == ()
    assert read(text_of(PRED, LOST, reference=LABELLED.format(label="cat"))) == [
        ("unlabelled-interval", 3, '["200ms", "500ms"]')
    ]


def test_labels_on_one_side_only_are_warned_of_as_in_scoring() -> None:
    other = PRED.replace('"500ms"', '"500ms", "cow"')
    found = read_calibration(Source("set", text_of(other, LOST, reference=LABELLED.format(label="dog"))))
    assert [(d.code, "`cow`" in d.headline) for d in found.warnings] == [
        ("one-sided-label", False),
        ("one-sided-label", True),
    ]


@pytest.mark.parametrize(
    ("case", "word"),
    [
        ('name = "x", rank = "3", edit = "missing"', "without the quotes"),
        ('name = "x", rank = 3, edit = "late_onset", by = "60 ms"', "without the space"),
        ('name = "x", rank = 3, edit = "late_onset", by = "1min"', "`min` is not a unit"),
        ('name = "x", rank = 3, edit = "late_onset", by = 60', "60ms"),
        ('name = "x", rank = 3, edit = "late_onset", by = "60"', "60ms"),
        ('name = "x", rank = 3, ref = "absent.tsv", pred = "absent.tsv", clip = "a", duration = 1', "folder"),
        ('name = "x", rank = 3, edit = "extra", at = "1.1s", for = "60ms", event = 2', "known here"),
    ],
)
def test_the_help_says_what_is_at_fault(case: str, word: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_calibration(Source("set.calibration", text_of(LATE, case)))
    helps = [d.help or "" for d in refused.value.diagnostics]
    assert any(word in help for help in helps), helps
    assert not any("did you mean `event`" in help for help in helps)


TABLES = """step = "20ms"
durations = "lengths.tsv"
cases = [
  {name = "one", rank = 1, ref = "ref.tsv", pred = "pred.tsv", clip = "a.wav"},
  {name = "two", rank = 2, ref = "ref.tsv", pred = "pred.tsv", clip = "b.wav"EXTRA},
]
"""


def clip_tables(folder: Path, lengths: str) -> Path:
    (folder / "ref.tsv").write_text("filename\tonset\toffset\tevent_label\na.wav\t1\t2\tx\nb.wav\t1\t2\tx\n")
    (folder / "pred.tsv").write_text("filename\tonset\toffset\tevent_label\na.wav\t1\t2\tx\n")
    (folder / "lengths.tsv").write_text(f"filename\tduration\n{lengths}")
    return folder


def test_real_clips_take_their_lengths_from_a_table_of_durations(tmp_path: Path) -> None:
    folder = clip_tables(tmp_path, "a.wav\t10\nb.wav\t7.5\n")
    found = read_calibration(Source("set", TABLES.replace("EXTRA", "")), folder)
    assert [case.duration for case in found.cases] == [10, Fraction(15, 2)]
    own = read_calibration(Source("set", TABLES.replace("EXTRA", ', duration = "3s"')), folder)
    assert [case.duration for case in own.cases] == [10, 3], "a case's own word comes first"


def test_a_clip_that_the_table_of_durations_lacks_is_said(tmp_path: Path) -> None:
    folder = clip_tables(tmp_path, "a.wav\t10\n")
    with pytest.raises(InvalidInput, match=r"the table of durations has no clip `b.wav`"):
        read_calibration(Source("set", TABLES.replace("EXTRA", "")), folder)
    with pytest.raises(InvalidInput, match=r"there is no table `lengths.tsv`"):
        read_calibration(Source("set", TABLES.replace("EXTRA", "")), tmp_path / "elsewhere")
