"""`tracepact calibrate`: the drafted set is one that `select` reads, and its cases are the nine faults."""

from fractions import Fraction
from io import StringIO
from pathlib import Path

import pytest
from cli.command import COLUMNS, events, run
from hypothesis import given, settings
from hypothesis import strategies as st
from selection.builders import scaled

from tracepact.data.events import Event, EventTable
from tracepact.declarations import spec_path
from tracepact.diagnostics.findings import Source
from tracepact.language.compilation import load_contract
from tracepact.selection import commands
from tracepact.selection.calibration_reader import load_calibration, read_calibration
from tracepact.selection.draft import FAULTS, best_clip, draft_calibration

GUARDS = ("--clauses", "boundary_gate", "--family", "none")


def test_the_demo_references_give_nine_cases_that_can_be_selected_for(tmp_path: Path) -> None:
    table = str(spec_path("demo/reference.tsv"))
    done = run("calibrate", "--ref", table, "--out", "mine.calibration", "--worst", "misses", folder=tmp_path)
    assert done.code == 0, done.err
    made = load_calibration(tmp_path / "mine.calibration")
    assert [case.name for case in made.cases] == [fault.name for fault in FAULTS]
    ranks = {case.name: case.rank for case in made.cases}
    assert max(ranks, key=lambda name: ranks[name]) == "missing activity"
    assert sum(rank == max(ranks.values()) for rank in ranks.values()) == 1
    text = (tmp_path / "mine.calibration").read_text(encoding="utf-8")
    assert "`listed_only = true` keeps the numbers" in text
    assert read_calibration(Source("mine", f"{text}listed_only = true\n")).family.listed_only
    again = run("calibrate", "--ref", table, "--out", "mine.calibration", folder=tmp_path)
    assert again.code == 2  # never overwritten
    assert run("select", "mine.calibration", "--guarantee", "separate", "--depth", "0", folder=tmp_path).code in (0, 1)


DOORS = """contract doors
step 20ms
param early = 20ms
param late = 100ms
clause onset_guard on ref_onset : ref_onset -> F[-early,late] pred_onset
"""


@pytest.mark.slow
def test_a_draft_of_short_events_under_two_tolerances_meets_all_that_is_required(tmp_path: Path) -> None:
    """The tolerance of one frame is taken as two, and lengths are wrong by more than edges are (14.25)."""
    rows = (f"a {onset} {onset}.3 door" for onset in (1, 3, 5, 7))
    (tmp_path / "doors.contract").write_text(DOORS)
    (tmp_path / "ref.tsv").write_text(events(*rows))
    drafting = ("calibrate", "--ref", "ref.tsv", "--durations", "10", "--contract", "doors.contract")
    assert run(*drafting, "--out", "doors.calibration", folder=tmp_path).code == 0
    selected = run("select", "doors.calibration", folder=tmp_path)
    assert selected.code == 0, selected.out


@settings(max_examples=scaled(40), deadline=None)
@given(st.lists(st.tuples(st.integers(1, 60), st.integers(1, 80)), min_size=1, max_size=8))
def test_whatever_the_events_the_draft_is_read_back(parts: list[tuple[int, int]]) -> None:
    """Random silences and lengths, in frames of 10 ms: off the grid of 20 ms as often as on it."""
    at, made = Fraction(0), []
    for silence, length in parts:
        onset = at + Fraction(silence, 100)
        at = onset + Fraction(length, 100)
        made.append(Event(onset, at, "a b"))
    contract = load_contract("boundary_gate")
    found = best_clip(contract, EventTable("t", {"clip": tuple(made)}), None, None)
    assert found is not None
    text = draft_calibration(contract, "mine", *found, {})
    cases = text.count("edit = ")
    if cases >= 2 and len({line.split("rank = ")[1][0] for line in text.splitlines() if "edit = " in line}) > 1:
        assert len(read_calibration(Source("mine", text)).cases) == cases
    assert cases + text.count("applies to no event") == len(FAULTS)


@pytest.mark.parametrize(("rows", "arguments"), [("", ()), ("a.wav\t1\t2\tdog\n", ("--label", "cat"))])
def test_without_an_event_there_is_nothing_to_make_faults_of(
    rows: str, arguments: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "r.tsv").write_text(COLUMNS + rows, encoding="utf-8")
    done = run("calibrate", "--ref", "r.tsv", "--out", "x.calibration", *arguments, folder=tmp_path)
    assert (done.code, done.codes[-1:]) == (2, ["empty-calibration"])
    assert ("known here: `dog`" in done.err) == bool(rows)
    assert not (tmp_path / "x.calibration").exists()


def test_events_that_do_not_fit_their_clip_are_named_in_the_table_and_late_ends_are_cut(tmp_path: Path) -> None:
    (tmp_path / "r.tsv").write_text(f"{COLUMNS}a.wav\t1\t2\tdog\n", encoding="utf-8")
    drafting = ("calibrate", "--ref", "r.tsv", "--out", "x.calibration", "--durations")
    outside = run(*drafting, "1", folder=tmp_path)
    assert (outside.code, outside.codes) == (2, ["starts-outside-clip"])
    assert "r.tsv:2" in outside.err
    assert run(*drafting, "1.9", folder=tmp_path).code == 0
    assert '["1000ms", "1900ms", "dog"]' in (tmp_path / "x.calibration").read_text(encoding="utf-8")


def test_events_that_become_one_are_counted_in_a_warning(tmp_path: Path) -> None:
    """By hand: of three events of a dog the second begins in the first, the third in the second; the cat's is alone."""
    rows = "".join(f"a.wav\t{start}\t{end}\tdog\n" for start, end in ((1, 3), (2, 4), (3.5, 5), (7, 8)))
    (tmp_path / "r.tsv").write_text(f"{COLUMNS}{rows}a.wav\t1\t3\tcat\n", encoding="utf-8")
    done = run("calibrate", "--ref", "r.tsv", "--out", "x.calibration", "--worst", "misses", folder=tmp_path)
    assert (done.code, done.codes) == (0, ["joined-events"])
    assert "2 events overlapped another of the same label and became one with it" in done.err
    assert '["1000ms", "5000ms", "dog"]' in (tmp_path / "x.calibration").read_text(encoding="utf-8")


def test_events_that_a_draft_does_not_hold_are_counted(tmp_path: Path) -> None:
    """By hand: of three in a row the second is left out, the third then touches nothing; 44 in all are apart."""
    rows = [(1, 2), (2, 3), (3, 4), *((10 * k, 10 * k + 1) for k in range(1, 43))]
    text = "".join(f"a.wav\t{start}\t{end}\tdog\n" for start, end in rows)
    (tmp_path / "r.tsv").write_text(f"{COLUMNS}{text}b.wav\t1\t2\tdog\nb.wav\t2\t3\tdog\n", encoding="utf-8")
    done = run("calibrate", "--ref", "r.tsv", "--out", "x.calibration", "--worst", "misses", folder=tmp_path)
    assert (done.code, done.places) == (0, [("events-left-out", "r.tsv:3"), ("events-left-out", "r.tsv:43")])
    assert "left out: 1 event without a gap after one of the same label" in done.err
    assert "left out: 4 events after the first 40 of a clip" in done.err
    assert (tmp_path / "x.calibration").read_text(encoding="utf-8").count(', "dog"],  #') == 40
    own = run("select", "boundary_gate", *GUARDS, "--guarantee", "separate", "--ref", "r.tsv", folder=tmp_path)
    assert own.codes == ["events-left-out", "events-left-out"]
    assert "left out: 2 events without a gap after one of the same label" in own.err  # one in each clip


def test_every_correction_of_the_references_is_counted(tmp_path: Path) -> None:
    """By hand: line 2 has no length, line 4 repeats line 3, line 6 ends a second after its clip."""
    rows = "".join(f"a.wav\t{start}\t{end}\tdog\n" for start, end in ((1, 1), (1, 2), (1, 2), (5, 6), (12, 14)))
    (tmp_path / "r.tsv").write_text(COLUMNS + rows, encoding="utf-8")
    drafting = ("calibrate", "--ref", "r.tsv", "--out", "x.calibration", "--worst", "misses", "--durations", "13")
    done = run(*drafting, folder=tmp_path)
    places = {"zero-length": "r.tsv:2", "duplicate-row": "r.tsv:4", "offset-beyond-clip": "r.tsv:6"}
    assert (done.code, dict(done.places), len(done.places)) == (0, places, 3)


def test_references_of_a_disturbance_must_lie_in_their_clips(tmp_path: Path) -> None:
    (tmp_path / "r.tsv").write_text(f"{COLUMNS}a.wav\t1\t2\tdog\na.wav\t6\t7\tdog\n", encoding="utf-8")
    done = run("select", "boundary_gate", "--ref", "r.tsv", "--durations", "5", folder=tmp_path)
    assert (done.code, done.codes) == (2, ["starts-outside-clip"])
    assert "r.tsv:3" in done.err


def test_events_too_short_for_a_second_fault_are_said_to_be_so(tmp_path: Path) -> None:
    """By hand: of 40 ms at the start of 300 ms nothing can be missed, cut or added; only the release can be late."""
    (tmp_path / "r.tsv").write_text(f"{COLUMNS}a.wav\t0\t0.04\tdog\n", encoding="utf-8")
    done = run("calibrate", "--ref", "r.tsv", "--out", "x.calibration", "--durations", "0.3", folder=tmp_path)
    assert (done.code, done.codes) == (2, ["one-rank"])
    assert "no other fault fits events this short or close: only `late release` fits" in done.err
    assert "x.calibration" not in done.err


class Terminal(StringIO):
    """Answers that are typed."""

    def isatty(self) -> bool:
        """It is one."""
        return True


def test_a_terminal_is_asked_nothing_that_its_answers_decide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After `late` there are two questions, not three: the second answer is that events must stay whole."""
    monkeypatch.setattr("sys.stdin", Terminal("late\ny\n"))
    made = tmp_path / "asked.calibration"
    drafting = ["--ref", str(spec_path("demo/reference.tsv")), "--out", str(made)]
    commands.calibrate_command.main(drafting, standalone_mode=False)
    ranks = {case.name: int(case.rank) for case in load_calibration(made).cases}
    assert (ranks["late onset"], ranks["late release"], ranks["fragmentation"], ranks["early onset"]) == (6, 6, 5, 3)


def test_late_and_early_are_onset_and_release(tmp_path: Path) -> None:
    table = str(spec_path("demo/reference.tsv"))
    ranks = {}
    for name, asked in {
        "late": ("--worst", "late"),
        "early": ("--worst", "early"),
        "worse": ("--early-is-worse",),
    }.items():
        assert run("calibrate", "--ref", table, "--out", f"{name}.calibration", *asked, folder=tmp_path).code == 0
        cases = load_calibration(tmp_path / f"{name}.calibration").cases
        ranks[name] = {case.name: int(case.rank) for case in cases}
    for name in ("late", "early"):
        assert {case for case, rank in ranks[name].items() if rank == 6} == {f"{name} onset", f"{name} release"}
    assert [ranks["worse"][f"{when} {edge}"] for when in ("early", "late") for edge in ("onset", "release")] == [
        4,
        4,
        3,
        3,
    ]
    both = run("calibrate", "--ref", table, "--out", "x", "--worst", "late", "--early-is-worse", folder=tmp_path)
    assert both.code == 2
    assert "the opposite" in both.err
