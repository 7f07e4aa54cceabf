"""Judgements collected pair by pair: what is asked next, what is kept, and what a changed file or a stale page does."""

import json
import socket
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from cli.command import run
from hypothesis import given, settings
from hypothesis import strategies as st
from selection.builders import scaled
from selection.test_order import weighings

from tracepact.diagnostics.collection import InvalidInput
from tracepact.selection.basis import Coordinate
from tracepact.selection.calibration import CalibrationCase
from tracepact.selection.calibration_reader import load_calibration
from tracepact.selection.interview import Interview, JudgedPair, Undone, prepared
from tracepact.selection.judgements import Tables, Tried, outlook, read_systems, tried_contracts
from tracepact.selection.requirements import Pair, difference

HEADER = "filename\tonset\toffset\tevent_label\n"
REFERENCE = "".join(f"c{k}.wav\t1\t2\tdog\nc{k}.wav\t3\t4\tdog\n" for k in range(4))
LATE = "".join(f"c{k}.wav\t{1 + k / 10:.1f}5\t2\tdog\nc{k}.wav\t3\t4\tdog\n" for k in range(4))
LOST = "".join(f"c{k}.wav\t1\t2\tdog\n" for k in range(4))
CALIBRATION = (
    'step = "50ms"\ncases = [{name = "x", edit = "missing"}]\n[reference.r]\nduration = "5s"\nevents = [[1, 2]]\n'
)


@settings(max_examples=scaled(60), deadline=None)
@given(weighings(), st.data())
def test_a_tried_contract_says_what_the_differences_of_its_clauses_say(
    problem: tuple[list[CalibrationCase], list[Coordinate], list[int]], data: st.DataObject
) -> None:
    """Every coordinate alone and every sum of two by three weights, from the definition of 14.17."""
    cases, coordinates, _ = problem
    every = [Pair(i, j) for i in range(len(cases)) for j in range(i)]
    pairs = data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=5, unique=True))
    found = tried_contracts(coordinates, pairs)
    some = [[(c, 1)] for c in coordinates]
    for x in range(len(coordinates)):
        some += [
            [(coordinates[x], by), (other, with_)]
            for other in coordinates[x + 1 :]
            for by, with_ in ((1, 1), (1, 3), (3, 1))
        ]

    def sign(contract: list[tuple[Coordinate, int]], pair: Pair) -> int:
        turned = Pair(pair.better, pair.worse)
        first, second = (sum(difference(c, p) * weight for c, weight in contract) > 0 for p in (pair, turned))
        return int(first) - int(second)

    assert {tuple(row) for row in found.signs.tolist()} == {tuple(sign(c, p) for p in pairs) for c in some}
    assert len(np.unique(found.signs, axis=0)) == len(found.signs)
    assert found.number == len(some)


@settings(max_examples=scaled(150), deadline=None)
@given(st.data())
def test_the_next_pair_divides_what_is_possible_most_evenly(data: st.DataObject) -> None:
    pairs = data.draw(st.integers(1, 5))
    rows = data.draw(st.lists(st.lists(st.integers(-1, 1), min_size=pairs, max_size=pairs), min_size=1, max_size=12))
    judged = data.draw(st.dictionaries(st.integers(0, pairs - 1), st.sampled_from([-2, -1, 0, 1, 2])))
    found = outlook(Tried(np.array(rows, dtype=np.int8), len(rows)), judged, frozenset(judged))

    def against(row: list[int]) -> int:
        return sum(abs(sign) for pair, sign in judged.items() if sign and row[pair] * sign <= 0)

    least = min(map(against, rows))
    possible = [row for row in rows if against(row) == least]
    split = {
        pair: min(sum(row[pair] == sign for row in possible) for sign in (-1, 1))
        for pair in range(pairs)
        if pair not in judged
    }
    assert (found.possible, found.violated) == (len(possible), least)
    assert found.open == sum(number > 0 for number in split.values())
    assert found.settled == (found.open == 0)
    assert found.next == (max(split, key=lambda pair: (split[pair], -pair)) if split else None)


@pytest.fixture
def tables(tmp_path: Path) -> dict[str, Path]:
    texts = {"ref": REFERENCE, "late": LATE, "lost": LOST, "same": LATE}
    for name, text in texts.items():
        (tmp_path / f"{name}.tsv").write_text(HEADER + text)
    (tmp_path / "grid.calibration").write_text(CALIBRATION)
    return {name: tmp_path / f"{name}.tsv" for name in texts}


def interview_of(tables: dict[str, Path], out: Path, systems: tuple[str, ...] = ("late", "lost")) -> Interview:
    grid = load_calibration(tables["ref"].with_name("grid.calibration"), ranked=False)
    given = Tables(str(tables["ref"]), "5", {name: str(tables[name]) for name in systems})
    return prepared(grid, read_systems(grid, given), out, "ann")


def worse_side(interview: Interview, pair: int, worse: str) -> str:
    asked = interview.pairs[pair]
    left = asked.b if asked.turned else asked.a
    return "left" if worse == left else "right"


def test_every_answer_is_in_the_file_before_the_next_pair_is_shown(tables: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "judged.csv"
    interview = interview_of(tables, out)
    assert {one.clip for one in interview.pairs} == {f"c{k}.wav" for k in range(4)}
    assert {one.turned for one in interview.pairs} == {False, True}, "sides change"
    seen = set()
    for number in range(4):
        shown = interview.shown()
        assert shown.pair is not None
        seen.add(shown.clip)
        assert "late" not in shown.picture.replace("translate", ""), "the judge does not see which system it is"
        assert not shown.settled, "so few answers tell too little of those that were not given"
        said = worse_side(interview, shown.pair, "lost")
        interview.answer(JudgedPair(shown.pair, said, number))  # type: ignore[arg-type]
        rows = out.read_text().splitlines()
        assert rows[0] == "clip,a,b,worse,judge"
        assert rows[-1] == f"{shown.clip},late,lost,b,ann"
        assert len(rows) == number + 2
    assert len(seen) == 4, "no pair is asked twice"
    assert interview.shown().pair is None
    assert interview.shown().settled
    assert interview.shown().told == "Every pair was asked about."


def test_answers_that_no_contract_keeps_are_told_and_not_called_settled(
    tables: dict[str, Path], tmp_path: Path
) -> None:
    """By hand: every pair is judged both ways once, so of four pairs one answer each is against any contract."""
    out = tmp_path / "judged.csv"
    rows = [f"c{k}.wav,late,lost,{worse},{judge}" for k in range(4) for worse, judge in (("a", "ann"), ("b", "bob"))]
    out.write_text("\n".join(["clip,a,b,worse,judge", *rows]) + "\n")
    told = interview_of(tables, out).shown().told
    assert told.startswith("No contract tried agrees with all answers: each is against 4 answers or more.")
    assert "`tracepact select` searches all" in told
    # Equally late in all clips and equally lost: who finds late worse in one and lost in another is against any.
    tables["late"].write_text(HEADER + LATE.replace("1.15", "1.05"))
    out.write_text("clip,a,b,worse,judge\nc0.wav,late,lost,a,ann\nc1.wav,late,lost,b,ann\n")
    told = interview_of(tables, out).shown().told
    assert told.startswith("No contract tried agrees with all answers: each is against 1 answer or more.")


def test_nothing_is_told_before_the_first_answer(tables: dict[str, Path], tmp_path: Path) -> None:
    """No contract finds a perfect output worse, so all agree from the start; that is no reason to stop."""
    shown = interview_of(tables, tmp_path / "judged.csv", ("late", "ref")).shown()
    assert (shown.answers, shown.settled, shown.told) == (0, False, "")


def test_names_that_are_formulas_are_kept_from_spreadsheets_and_stay_what_they_are(
    tables: dict[str, Path], tmp_path: Path
) -> None:
    out = tmp_path / "judged.csv"
    out.write_text("clip,a,b,worse,judge,=why\nc1.wav,late,lost,b,@bob,=1+1\n")
    for answers in (1, 2, 3):
        interview = interview_of(tables, out)
        assert interview.rows[0] | {"judge": "@bob", "=why": "=1+1"} == interview.rows[0]
        assert list(interview.rows[0])[-1] == "=why"
        shown = interview.shown()
        assert shown.pair is not None
        interview.answer(JudgedPair(shown.pair, "same", answers))
        assert out.read_text().splitlines()[:2] == ["clip,a,b,worse,judge,'=why", "c1.wav,late,lost,b,'@bob,'=1+1"]


def test_an_interview_goes_on_where_it_was_and_keeps_what_others_wrote(tables: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "judged.csv"
    out.write_text(
        "judge,clip,a,b,worse,weight,why\nbob,c1.wav,lost,late,lost,2,too quiet\nbob,c2.wav,late,lost,same,,\n"
    )
    interview = interview_of(tables, out)
    assert interview.outlook().violated == 0
    shown = interview.shown()
    assert shown.answers == 2
    assert shown.clip in ("c0.wav", "c3.wav")
    assert shown.pair is not None
    assert interview.undo(Undone(2)).notice == "only answers of this interview are taken back"
    interview.answer(JudgedPair(shown.pair, "same", 2))
    assert "bob,c1.wav,lost,late,lost,2,too quiet" not in out.read_text(), "columns may move"
    again = interview_of(tables, out)
    assert again.rows[0] == {
        "judge": "bob",
        "clip": "c1.wav",
        "a": "lost",
        "b": "late",
        "worse": "lost",
        "weight": "2",
        "why": "too quiet",
    }
    assert again.rows[2]["worse"] == "same"
    assert interview.undo(Undone(3)).answers == 2
    assert len(out.read_text().splitlines()) == 3


def test_an_answer_of_a_page_that_is_behind_changes_nothing(tables: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "judged.csv"
    interview = interview_of(tables, out)
    interview.answer(JudgedPair(0, "left", 0))
    text = out.read_text()
    assert "another window" in interview.answer(JudgedPair(1, "left", 0)).notice
    assert "another window" in interview.undo(Undone(0)).notice
    assert interview.answer(JudgedPair(99, "left", 1)).notice == "there is no such pair"
    assert out.read_text() == text


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("c9.wav,late,lost,a", "no table has a clip `c9.wav`"),
        ("c1.wav,late,lots,a", "there is no system `lots`"),
        ("c1.wav,late,late,a", "`late` is compared with itself"),
        ("c1.wav,late,lost,neither", "`neither` is none of a, b and same"),
        ("c1.wav,late,lost", "`` is none of a, b and same"),
    ],
)
def test_a_file_of_other_tables_is_refused_and_stays(
    tables: dict[str, Path], tmp_path: Path, row: str, fault: str
) -> None:
    out = tmp_path / "judged.csv"
    out.write_text(f"clip,a,b,worse\n{row}\n")
    with pytest.raises(InvalidInput, match=fault):
        interview_of(tables, out)
    assert out.read_text() == f"clip,a,b,worse\n{row}\n"


def test_systems_that_do_not_differ_leave_nothing_to_judge(tables: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="nothing to judge"):
        interview_of(tables, tmp_path / "judged.csv", ("late", "same"))


def select_judged(tables: dict[str, Path], file: Path, *more: str) -> tuple[int, str, str]:
    systems = [part for name in ("late", "lost") for part in ("--system", f"{name}={tables[name]}")]
    grid = str(tables["ref"].with_name("grid.calibration"))
    data = ["--preferences", str(file), "--ref", str(tables["ref"]), "--durations", "5", *systems]
    found = run("select", grid, *data, *more)
    return found.code, found.out, found.err


def test_judgements_over_clips_of_systems_become_a_contract(tables: dict[str, Path], tmp_path: Path) -> None:
    file = tmp_path / "judged.csv"
    file.write_text("clip,a,b,worse,judge\n" + "".join(f"c{k}.wav,late,lost,lost,ann\n" for k in range(4)))
    code, out, _ = select_judged(tables, file, "--holdout", "2", "--format", "json")
    found = json.loads(out)
    assert code == 0
    assert found["preferences"]["judgements"] == 4
    assert found["preferences"]["violated"] == []
    assert found["preferences"]["agreement"] == {
        "count": 4,
        "of": 4,
        "interval": found["preferences"]["agreement"]["interval"],
    }
    assert [case["name"] for case in found["cases"]][:2] == ["c0.wav by late", "c0.wav by lost"]
    values = found["selected"]["ordering"]["values"]
    named = dict(zip((case["name"] for case in found["cases"]), map(Fraction, values), strict=True))
    assert all(named[f"c{k}.wav by lost"] < named[f"c{k}.wav by late"] for k in range(4))


def test_judges_who_never_agree_get_the_lightest_violation_and_are_told(
    tables: dict[str, Path], tmp_path: Path
) -> None:
    """Half says one thing, half the other: half of the weight must be violated, whatever is done."""
    file = tmp_path / "judged.csv"
    rows = [f"c{k}.wav,late,lost,{worse},{judge}" for k in range(2) for worse, judge in (("a", "ann"), ("b", "bob"))]
    file.write_text("\n".join(["clip,a,b,worse,judge", *rows]) + "\n")
    code, out, _ = select_judged(tables, file, "--format", "json")
    found = json.loads(out)
    assert code == 1
    assert found["contract"] is not None
    assert Fraction(found["preferences"]["violated_weight"]) == Fraction(found["preferences"]["bound"]) == 2
    assert len(found["preferences"]["contradictions"]) == 2
    assert (found["preferences"]["pairs"], found["preferences"]["undecided"]) == (2, 2)
    said = " ".join(select_judged(tables, file)[1].split())
    assert "the judges agree on nothing, and this contract should not be used" in said
    rows += ["c2.wav,late,lost,b,ann", "c0.wav,late,lost,b,eve"]  # of c0 two of three say the same
    file.write_text("\n".join(["clip,a,b,worse,judge", *rows]) + "\n")
    said = " ".join(select_judged(tables, file)[1].split())
    assert "on 1 of 3 judged pairs there is no majority" in said
    assert "agree on nothing" not in said


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("clip,a,b,worse\n", "no row says which of two is worse"),
        ("clip,a,b,worse\nc1.wav,late,lost,same\n", "every row says that neither is worse"),
        ("a,b,worse\nlate,lost,a\n", "the table has no column `clip`"),
        ("clip,a,b,worse\nc9.wav,late,lost,a\n", "no table has a clip `c9.wav`"),
        ("clip,a,b,worse\nc1.wav,late,late,a\n", "`late` is compared with itself"),
        ("clip,a,b,worse,weight\nc1.wav,late,lost,a,-1\n", "the weight `-1` is not a positive number"),
        ("", "the file is empty"),
    ],
)
def test_bad_judgements_are_a_diagnostic_and_never_an_empty_contract(
    tables: dict[str, Path], tmp_path: Path, text: str, fault: str
) -> None:
    file = tmp_path / "judged.csv"
    file.write_text(text)
    code, out, err = select_judged(tables, file)
    assert (code, out) == (2, "")
    assert fault in err


WRONG: dict[str, Callable[[dict[str, Path]], list[str]]] = {
    "name the systems": lambda t: ["--preferences", "f.csv", "--ref", str(t["ref"])],
    "--system goes with": lambda t: ["--system", f"late={t['late']}"],
    "two systems have one name": lambda t: [
        *("--preferences", "f.csv", "--ref", str(t["ref"])),
        *("--system", f"late={t['late']}", "--system", f"late={t['lost']}"),
    ],
    "lengths of the clips of --ref": lambda t: ["--durations", "5"],
}


@pytest.mark.parametrize("fault", WRONG)
def test_options_that_do_not_go_together_are_refused(tables: dict[str, Path], fault: str) -> None:
    found = run("select", "boundary_gate", *WRONG[fault](tables))
    assert found.code == 2
    assert fault in found.err


def test_a_table_of_clips_without_its_systems_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "judged.csv").write_text("clip,a,b,worse\nc1.wav,late,lost,a\n")
    found = run("select", "boundary_gate", "--preferences", str(tmp_path / "judged.csv"))
    assert found.code == 2
    assert "--system NAME=TABLE" in found.err


def test_judge_refuses_at_the_start_a_place_that_cannot_be_written(tables: dict[str, Path], tmp_path: Path) -> None:
    systems = [part for name in ("late", "lost") for part in ("--system", f"{name}={tables[name]}")]
    found = run("judge", "--ref", str(tables["ref"]), *systems, "--out", str(tmp_path / "none" / "j.csv"))
    assert found.code == 2
    assert "there is no folder" in found.err


def test_judge_needs_two_systems(tables: dict[str, Path], tmp_path: Path) -> None:
    found = run(
        "judge", "--ref", str(tables["ref"]), "--system", f"a={tables['late']}", "--out", str(tmp_path / "j.csv")
    )
    assert found.code == 2
    assert "two systems or more" in found.err


def test_judge_names_a_port_that_is_in_use(tables: dict[str, Path], tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        sides = [f"--system={name}={tables[name]}" for name in ("late", "lost")]
        asked = ("--ref", str(tables["ref"]), *sides, "--durations", "5", "--out", "j.csv", "--port", port)
        done = run("judge", str(tables["ref"].with_name("grid.calibration")), *asked, folder=tmp_path)
    assert done.code == 2
    assert f"port {port} cannot be used" in done.err
