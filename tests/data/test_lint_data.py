"""Linting finds every oddity with its row; corrections are logged, idempotent and leave everything else alone."""

import csv
import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from cli.command import events, listing, run
from formats import AUDACITY, TEXTGRID, put
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import tracepact
from tracepact.data.events import Durations, Event, EventTable
from tracepact.declarations import spec_path
from tracepact.diagnostics.collection import Diagnostics
from tracepact.runs.data_commands import fix, lint

REF = events(
    "a 0 1 x",  # 2
    "a 0 1 x",  # 3: repeats
    "a 0.5 2 x",  # 4: overlaps
    "a 3 2.5 x",  # 5: ends before it starts
    "a 4 4 y",  # 6: no length
    "b 9 12 x",  # 7: beyond the clip
    "b 10 12 z",  # 8: starts outside
    "c   ",  # 9: silent
    "d 1 2 x",  # 10: no predictions
)
PRED = events("a 0 1 x", "b 1 2 w", "c 1 2 x", "c 3 4 x", "e 1 2 x")
EXPECTED = {
    ("duplicate-row", "r.tsv", 3),
    ("overlapping-events", "r.tsv", 4),
    ("offset-before-onset", "r.tsv", 5),
    ("zero-length", "r.tsv", 6),
    ("offset-beyond-clip", "r.tsv", 7),
    ("starts-outside-clip", "r.tsv", 8),
    ("clip-without-predictions", "p.tsv", None),
    ("one-sided-label", "r.tsv", 6),
    ("one-sided-label", "r.tsv", 8),
    ("one-sided-label", "p.tsv", 3),
    ("silent-clip-predicted", "p.tsv", 4),
    ("unknown-clip", "p.tsv", 6),
}


def lint_json(folder: Path, *options: str) -> tuple[int, set[tuple[str, str, int | None]]]:
    done = run("lint-data", *options, "--format", "json", folder=folder)
    found = json.loads(done.out)
    schema = json.loads(spec_path("schemas/diagnostics.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(found)
    return done.code, {(d["code"], d["place"]["file"], d["place"]["line"]) for d in found}


def test_every_oddity_is_found_with_its_row(tmp_path: Path) -> None:
    put(tmp_path, {"r.tsv": REF, "p.tsv": PRED})
    both = ("--ref", "r.tsv", "--pred", "p.tsv", "--durations", "10")
    assert lint_json(tmp_path, *both) == (2, EXPECTED)


def test_a_submission_of_one_fault_in_every_row_is_told_so_on_one_screen(tmp_path: Path) -> None:
    swapped = events(*(f"a {k + 1} {k} x" for k in range(300)))
    put(tmp_path, {"p.tsv": swapped, "d.tsv": "filename\tduration\na\t400\n"})
    done = run("lint-data", "--pred", "p.tsv", "--durations", "d.tsv", folder=tmp_path)
    assert done.code == 2
    assert done.err.count("error[offset-before-onset]") == 21
    assert "error[offset-before-onset]: … and 280 more in p.tsv" in done.err
    assert "--format json lists all of them" in done.err
    assert "labels: `x`; no contract says which there may be" in done.err
    every = {("offset-before-onset", "p.tsv", row) for row in range(2, 302)}
    assert lint_json(tmp_path, "--pred", "p.tsv", "--durations", "d.tsv") == (2, every)


def test_without_predictions_or_durations_only_what_is_there_is_judged(tmp_path: Path) -> None:
    put(tmp_path, {"r.tsv": REF, "p.tsv": PRED})
    alone = {finding for finding in EXPECTED if finding[1] == "r.tsv" and finding[0] != "one-sided-label"}
    assert lint_json(tmp_path, "--ref", "r.tsv", "--durations", "10") == (2, alone)
    inside = {finding for finding in alone if finding[0] not in ("offset-beyond-clip", "starts-outside-clip")}
    assert lint_json(tmp_path, "--ref", "r.tsv") == (2, inside)


@pytest.mark.parametrize(("level", "code"), [("error", 0), ("warning", 2), ("never", 0)])
def test_what_fails_is_chosen(level: str, code: int, tmp_path: Path) -> None:
    put(tmp_path, {"r.tsv": events("a 0 1 x", "a 0 1 x")})
    assert lint_json(tmp_path, "--ref", "r.tsv", "--fail-on", level)[0] == code


def test_sound_tables_have_no_findings(tmp_path: Path) -> None:
    put(tmp_path, {"r.tsv": events("a 0 1 x", "a 1 2 x"), "p.tsv": events("a 0 1 x")})
    done = run(
        "lint-data", "--ref", "r.tsv", "--pred", "p.tsv", "--durations", "2", "--fail-on", "warning", folder=tmp_path
    )
    assert (done.code, done.out, done.err) == (0, "", "r.tsv, p.tsv: no findings\n")


def test_rows_that_cannot_be_read_are_findings_too(tmp_path: Path) -> None:
    put(tmp_path, {"r.tsv": events("a 0 one x", "a 1 1 x")})
    assert lint_json(tmp_path, "--ref", "r.tsv") == (2, {("bad-time", "r.tsv", 2), ("zero-length", "r.tsv", 3)})
    done = run("lint-data", "--ref", "r.tsv", "--fix", "--out", "new", folder=tmp_path)
    assert done.code == 2
    assert "nothing was written" in done.err
    assert not (tmp_path / "new").exists()


def test_a_file_that_is_not_there_is_all_that_is_said(tmp_path: Path) -> None:
    put(tmp_path, {"r.tsv": REF})
    done = run("lint-data", "--ref", "r.tsv", "--pred", "q.tsv", folder=tmp_path)
    assert done.code == 2
    assert done.err.count("error[") == 1


def test_findings_of_a_folder_name_the_file_of_their_clip(tmp_path: Path) -> None:
    put(tmp_path, {"ref/a.txt": "0\t1\tx\n0.5\t2\tx\n", "ref/b.txt": AUDACITY})
    code, found = lint_json(tmp_path, "--ref", "ref")
    assert code == 0
    assert found == {("overlapping-events", "ref/a.txt", 2), ("zero-length", "ref/b.txt", 3)}


# Corrections


def test_the_corrected_copy_and_its_log(tmp_path: Path) -> None:
    put(tmp_path, {"r.tsv": REF})
    before = listing(tmp_path)
    done = run(
        "lint-data",
        "--ref",
        "r.tsv",
        "--durations",
        "10",
        "--fix",
        "--out",
        "new",
        "--fail-on",
        "never",
        folder=tmp_path,
    )
    assert done.code == 0
    after = listing(tmp_path)
    assert {name: after[name] for name in before} == before
    assert after["new/reference.tsv"].decode() == events("a 0 2 x", "a 2.5 3 x", "b 9 10 x", "c   ", "d 1 2 x")
    log = list(csv.DictReader(after["new/changes.tsv"].decode().splitlines(), delimiter="\t"))
    assert [(row["row"], row["finding"], row["before"], row["after"]) for row in log] == [
        ("3", "duplicate-row", "0 to 1", ""),
        ("5", "offset-before-onset", "3 to 2.5", "2.5 to 3"),
        ("6", "zero-length", "4 to 4", ""),
        ("2", "overlapping-events", "0 to 1", "0 to 2"),
        ("4", "overlapping-events", "0.5 to 2", ""),
        ("7", "offset-beyond-clip", "9 to 12", "9 to 10"),
        ("8", "starts-outside-clip", "10 to 12", ""),
    ]
    assert {row["file"] for row in log} == {"r.tsv"}


def test_label_tracks_stay_label_tracks(tmp_path: Path) -> None:
    put(tmp_path, {"ref/a.txt": "0\t1\tx\n0.5\t2\tx\n", "pred/a.TextGrid": TEXTGRID})
    done = run("lint-data", "--ref", "ref", "--pred", "pred", "--fix", "--out", "new", folder=tmp_path)
    assert done.code == 0
    assert (tmp_path / "new/reference/a.txt").read_text() == "0\t2\tx\n"
    assert (tmp_path / "new/prediction/a.TextGrid").exists()


@pytest.mark.parametrize("out", [".", "in", "full"])
def test_nothing_is_written_onto_inputs_or_among_files(out: str, tmp_path: Path) -> None:
    put(tmp_path, {"in/a.txt": "0\t0\tx\n", "full/b.txt": "?"})
    before = listing(tmp_path)
    done = run("lint-data", "--ref", "in", "--fix", "--out", out, folder=tmp_path)
    assert done.code == 2
    assert "unsafe-place" in done.err
    assert listing(tmp_path) == before


def test_fix_and_out_go_together(tmp_path: Path) -> None:
    put(tmp_path, {"r.tsv": REF})
    put(tmp_path, {"m.toml": 'other = "keep"\n'})
    copy = ["--fix", "--out", "new"]
    for options in (["--fix"], ["--out", "new"], [*copy, "--label-map", "m.toml"], [*copy, "--clips", "reference"]):
        assert run("lint-data", "--ref", "r.tsv", *options, folder=tmp_path).code == 2
    assert run("lint-data", folder=tmp_path).code == 2


def test_events_that_touch_are_left_alone() -> None:
    one, two = Event(Fraction(0), Fraction(1), "x"), Event(Fraction(1), Fraction(2), "x")
    table = EventTable("t", {"a": (one, two)})
    assert fix(table, None) == (table, [])


TIMES = st.integers(0, 12).map(lambda n: Fraction(n, 2))
EVENTS = st.builds(Event, TIMES, TIMES, st.sampled_from("xy"))
CORRECTED = {
    "duplicate-row",
    "offset-before-onset",
    "zero-length",
    "offset-beyond-clip",
    "starts-outside-clip",
    "overlapping-events",
}


@st.composite
def tables(draw: st.DrawFn) -> EventTable:
    clips = draw(st.dictionaries(st.sampled_from("ab"), st.lists(EVENTS, max_size=6), max_size=2))
    rows = iter(range(2, 99))
    return EventTable(
        "t.tsv",
        {clip: tuple(Event(e.onset, e.offset, e.label, next(rows)) for e in some) for clip, some in clips.items()},
    )


DURATIONS = st.none() | st.just(Fraction(5)) | st.just(Durations("d", {"a": Fraction(5), "b": Fraction(4)}))


@given(tables(), DURATIONS)
def test_a_corrected_table_has_no_findings_that_can_be_corrected(
    table: EventTable, durations: Durations | Fraction | None
) -> None:
    fixed, _ = fix(table, durations)
    diagnostics = Diagnostics()
    lint(fixed, None, durations, diagnostics)
    assert not [d for d in diagnostics if d.code in CORRECTED]
    assert fix(fixed, durations) == (fixed, [])
    assert fixed.clips.keys() == table.clips.keys()


@given(tables(), DURATIONS)
def test_the_log_tells_all_that_was_done(table: EventTable, durations: Durations | Fraction | None) -> None:
    """Replaying the log on the rows gives the corrected table."""
    fixed, changes = fix(table, durations)
    rows = {event.row: (clip, event) for clip, event in table.events}
    for change in changes:
        clip, event = rows.pop(change.row)
        assert (clip, event) == (change.clip, change.before)
        if change.after is not None:
            rows[change.row] = (clip, change.after)
    assert {change.finding for change in changes} <= CORRECTED
    assert Counter(rows.values()) == Counter((clip, event) for clip, event in fixed.events)


@given(tables(), DURATIONS)
def test_corrections_cover_the_same_time(table: EventTable, durations: Durations | Fraction | None) -> None:
    """At every quarter of a second the same labels sound before and after, inside the clip."""
    fixed, _ = fix(table, durations)
    for clip, some in table.clips.items():
        length = durations.clips[clip] if isinstance(durations, Durations) else durations
        for quarter in range(28):
            time = Fraction(quarter, 4)
            if length is not None and time >= length:
                continue
            before = {e.label for e in some if min(e.onset, e.offset) <= time < max(e.onset, e.offset)}
            assert before == {e.label for e in fixed.clips[clip] if e.onset <= time < e.offset}


@given(tables())
def test_overlaps_are_those_of_pairs(table: EventTable) -> None:
    """An event is reported when some other sound event of its label starts no later and ends after it starts."""
    diagnostics = Diagnostics()
    lint(table, None, None, diagnostics)
    reported = sum(d.code == "overlapping-events" for d in diagnostics)
    expected = 0
    for some in table.clips.values():
        distinct = {e for e in some if e.onset < e.offset}
        ordered = sorted(distinct, key=lambda e: (e.onset, e.offset))
        for i, event in enumerate(ordered):
            expected += any(o.label == event.label and o.offset > event.onset for o in ordered[:i])
    assert reported == expected


LENGTHS = "filename\tduration\na\t10\nb\t5\nc\t5\n"
SUBMITTED = events("a 0 1 dog", "a 0 1 dog", "b 6 7 dog", "d 0 1 dog", "a 2 1 dgo")


def test_a_submission_is_checked_without_the_reference(tmp_path: Path) -> None:
    contract = "contract c\nlabels dog cat\nstep 20ms\nclause onset on ref_onset : ref_onset -> N[40ms] pred_onset\n"
    put(tmp_path, {"p.tsv": SUBMITTED, "d.tsv": LENGTHS, "c.contract": contract})
    sides = ("--pred", "p.tsv", "--durations", "d.tsv")
    odd = {
        ("duplicate-row", "p.tsv", 3),
        ("starts-outside-clip", "p.tsv", 4),
        ("unknown-clip", "p.tsv", 5),
        ("offset-before-onset", "p.tsv", 6),
        ("clip-without-predictions", "p.tsv", None),
    }
    assert lint_json(tmp_path, *sides) == (2, odd)
    assert lint_json(tmp_path, *sides, "--contract", "c.contract") == (2, odd | {("unknown-label", "p.tsv", 6)})


def test_a_sound_submission_has_no_findings(tmp_path: Path) -> None:
    put(tmp_path, {"p.tsv": events("a 0 1 dog", "b   ", "c   "), "d.tsv": LENGTHS})
    assert lint_json(tmp_path, "--pred", "p.tsv", "--durations", "d.tsv", "--fail-on", "note") == (0, set())


def test_what_is_told_of_a_submission_is_what_scoring_tells(tmp_path: Path) -> None:
    put(tmp_path, {"p.tsv": events("a 0 x dog", "e 0 1 dog"), "d.tsv": LENGTHS, "r.tsv": events("a 0 1 dog")})
    sides = ("--pred", "p.tsv", "--durations", "d.tsv")
    alone = run("lint-data", *sides, folder=tmp_path)
    scored = run("score", "boundary_gate", "--ref", "r.tsv", *sides, folder=tmp_path)
    assert "bad-time" in {*alone.codes} & {*scored.codes}


def test_predictions_alone_need_the_clips(tmp_path: Path) -> None:
    put(tmp_path, {"p.tsv": SUBMITTED})
    assert run("lint-data", "--pred", "p.tsv", folder=tmp_path).code == 2


def test_a_repeated_row_is_told_with_its_effect() -> None:
    ref = {"a": [(0, 1, "dog")]}
    once, twice = (tracepact.metrics(ref, {"a": ref["a"] * n}, durations=5) for n in (1, 2))
    assert (once["event_f1"], twice["event_f1"]) == (1, Fraction(2, 3))
    assert ["count it once more" in (d.help or "") for d in twice.diagnostics] == [True]
