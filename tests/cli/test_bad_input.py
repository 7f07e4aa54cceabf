"""Bad input through the command line: every fault with its code and place, exit code 2, nothing written."""

from pathlib import Path

import pytest
from cli.command import Outcome, events, listing, run, write

GATE = """contract gate
step 20ms
clause onset on ref_onset : ref_onset -> N[40ms] pred_onset
"""
GOOD = {"ref.tsv": events("a 1 2 x"), "pred.tsv": events("a 1 2 x"), "durations.tsv": "filename\tduration\na\t10\n"}


def score(folder: Path, *more: str, durations: str | None = "durations.tsv", **files: str | bytes) -> Outcome:
    """Score the good tables, some of them replaced, into `out`."""
    write(folder, {"gate.contract": GATE, **GOOD, **{name.replace("_", "."): text for name, text in files.items()}})
    lengths = ("--durations", durations) if durations is not None else ()
    tables = ("--ref", "ref.tsv", "--pred", "pred.tsv", *lengths)
    return run("score", "gate.contract", *tables, "--out", "out", *more, folder=folder)


def test_good_tables_are_scored_without_a_word(tmp_path: Path) -> None:
    outcome = score(tmp_path)
    assert (outcome.code, outcome.places) == (0, [])
    assert (tmp_path / "out" / "report.json").exists()


HEADER = "filename\tonset\toffset\tevent_label\n"
ERRORS: dict[str, tuple[dict[str, str | bytes], list[tuple[str, str]]]] = {
    "offset before onset": (
        {"ref_tsv": events("a 1 2 x", "a 4 3 x")},
        [("offset-before-onset", "ref.tsv:3")],
    ),
    "negative and NaN times": (
        {"pred_tsv": events("a -1 2 x", "a 1 nan x", "a 1 2 x", "a 1 inf x")},
        [("bad-time", "pred.tsv:2"), ("bad-time", "pred.tsv:3"), ("bad-time", "pred.tsv:5")],
    ),
    "an event that starts outside its clip": (
        {"ref_tsv": events("a 1 2 x", "a 10 11 x", "a 12 13 x")},
        [("starts-outside-clip", "ref.tsv:3"), ("starts-outside-clip", "ref.tsv:4")],
    ),
    "a prediction on an unknown clip": (
        {"pred_tsv": events("a 1 2 x", "b 1 2 x")},
        [("unknown-clip", "pred.tsv:3")],
    ),
    "wrong columns": (
        {"ref_tsv": "filename\tonset\tend\tevent_label\na\t1\t2\tx\n", "pred_tsv": HEADER + "a\t1\t2\tx\na\t1\n"},
        [("wrong-columns", "ref.tsv:1"), ("wrong-columns", "pred.tsv:3")],
    ),
    "a row with gaps": (
        {"pred_tsv": HEADER + "a\t1\t\tx\n"},
        [("incomplete-row", "pred.tsv:2")],
    ),
    "wrong encoding": (
        {"ref_tsv": (HEADER + "ä\t1\t2\tcafé\n").encode()[:-2], "pred_tsv": HEADER.encode("utf-16-le")},
        [("bad-encoding", "ref.tsv:2"), ("bad-encoding", "pred.tsv:1")],
    ),
    "an empty file": (
        {"ref_tsv": "", "pred_tsv": "\n\n", "durations_tsv": ""},
        [("empty-file", "ref.tsv"), ("empty-file", "pred.tsv"), ("empty-file", "durations.tsv")],
    ),
    "two durations of one clip": (
        {"durations_tsv": "filename\tduration\na\t10\na\t11\n"},
        [("conflicting-duration", "durations.tsv:3")],
    ),
    "a duration of zero": (
        {"durations_tsv": "filename\tduration\na\t0\n"},
        [("bad-time", "durations.tsv:2")],
    ),
}


@pytest.mark.parametrize(("files", "places"), ERRORS.values(), ids=ERRORS.keys())
def test_bad_tables_are_errors_with_their_rows_and_nothing_is_written(
    files: dict[str, str | bytes], places: list[tuple[str, str]], tmp_path: Path
) -> None:
    outcome = score(tmp_path, **files)
    assert outcome.code == 2
    assert outcome.places == places
    assert outcome.out == ""
    assert not (tmp_path / "out").exists()


def test_no_way_to_know_a_duration_is_an_error(tmp_path: Path) -> None:
    outcome = score(tmp_path, durations=None, ref_tsv=events("a 1 2 x", "b 1 2 x"))
    assert outcome.code == 2
    assert outcome.places == [("unknown-duration", "ref.tsv")]
    outcome = score(tmp_path, ref_tsv=events("a 1 2 x", "b 1 2 x"))
    assert outcome.places == [("unknown-duration", "durations.tsv")]
    assert "`b`" in outcome.err


@pytest.mark.parametrize("duration", ["-5", "nan", "1.2.3", "0", " "])
def test_a_duration_that_is_no_time_is_an_error(tmp_path: Path, duration: str) -> None:
    assert score(tmp_path, durations=duration).codes == ["bad-time"]


def test_a_duration_beyond_all_memory_is_an_error(tmp_path: Path) -> None:
    assert score(tmp_path, durations="1e9").codes == ["too-many-frames"]
    assert score(tmp_path, durations="1e10").codes == ["bad-time"]
    raised = score(tmp_path, "--limit", "frames=100", durations="10")
    assert (raised.code, raised.codes) == (2, ["too-many-frames"])
    assert score(tmp_path, "--limit", "frames=500", durations="10").code == 0, "500 frames of one class"


def test_strict_refuses_the_warnings_of_the_contract_too(tmp_path: Path) -> None:
    contract = "contract c\nstep 20ms\nparam spare = 1s\nclause g on ref_onset : ref_onset -> pred_active\n"
    assert score(tmp_path, gate_contract=contract).codes == ["unused-parameter"]
    assert score(tmp_path, "--strict", gate_contract=contract).code == 2


def test_absent_files_are_all_named(tmp_path: Path) -> None:
    write(tmp_path, {"gate.contract": GATE, **GOOD})
    outcome = run("score", "gate.contract", "--ref", "reff.tsv", "--pred", "no.tsv", folder=tmp_path)
    assert outcome.code == 2
    assert outcome.places == [("unreadable-file", "reff.tsv"), ("unreadable-file", "no.tsv")]
    assert "did you mean `ref.tsv`?" in outcome.err
    assert "durations.tsv" not in outcome.err, "files with other names are not offered"


CONTRACTS = {
    "a step of zero": ("contract a\nstep 0\nclause c on true : ref_onset\n", [("out-of-range", "bad.contract:2:6")]),
    "10,000 nested parentheses": (
        f"contract a\nstep 20ms\nclause c on true : {'(' * 10_000}ref_onset{')' * 10_000}\n",
        [("too-deep", "bad.contract:3:220")],
    ),
    "10,000 negations": (
        f"contract a\nstep 20ms\nclause c on true : {'!' * 10_000}ref_onset\n",
        [("too-deep", "bad.contract:3:20")],
    ),
}


@pytest.mark.parametrize("command", ["check", "score", "explain", "export"])
@pytest.mark.parametrize(("text", "places"), CONTRACTS.values(), ids=CONTRACTS.keys())
def test_a_bad_contract_is_refused_by_every_command(
    text: str, places: list[tuple[str, str]], command: str, tmp_path: Path
) -> None:
    write(tmp_path, {"bad.contract": text, **GOOD})
    more = {
        "score": ("--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "10", "--out", "out"),
        "export": ("--to", "rtamt"),
    }
    outcome = run(command, "bad.contract", *more.get(command, ()), folder=tmp_path)
    assert outcome.code == 2
    assert outcome.places == places
    assert command == "check" or outcome.out == ""
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", ["check", "explain", "fmt"])
def test_a_contract_of_10_mb_is_refused_and_not_touched(command: str, tmp_path: Path) -> None:
    text = "contract a\nstep 20ms\n" + "clause c on true : ref_onset\n" * 360_000
    write(tmp_path, {"big.contract": text})
    outcome = run(command, "big.contract", folder=tmp_path)
    assert outcome.code == 2
    assert outcome.codes[0] == "file-too-large"
    assert listing(tmp_path) == {"big.contract": text.encode()}


def test_a_contract_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"bad.contract": 'contract a "café"\nstep 20ms\n'.encode("latin-1")})
    assert run("check", "bad.contract", folder=tmp_path).places == [("bad-encoding", "bad.contract:1")]


def test_faults_of_all_tables_are_said_at_once(tmp_path: Path) -> None:
    outcome = score(
        tmp_path,
        "--conditions",
        "conditions.tsv",
        ref_tsv=events("a -1 2 x", "a 1 2 x"),
        pred_tsv="name\tonset\toffset\tevent_label\n",
        durations_tsv="filename\tduration\na\tten\n",
        conditions_tsv="filename\tcondition\na\t\n",
    )
    assert outcome.places == [
        ("bad-time", "ref.tsv:2"),
        ("wrong-columns", "pred.tsv:1"),
        ("bad-time", "durations.tsv:2"),
        ("incomplete-row", "conditions.tsv:2"),
    ]


def test_faults_of_rows_and_of_clips_are_said_at_once(tmp_path: Path) -> None:
    outcome = score(tmp_path, ref_tsv=events("a nan 2 x", "a 4 3 x", "a 11 12 x"), pred_tsv=events("b 1 2 x"))
    assert sorted(outcome.codes) == ["bad-time", "offset-before-onset", "starts-outside-clip", "unknown-clip"]


def test_a_clip_without_its_extension_is_offered_with_it(tmp_path: Path) -> None:
    lengths = "filename\tduration\nd/a_1.50.wav\t10\n"
    outcome = score(tmp_path, ref_tsv=HEADER, durations_tsv=lengths, pred_tsv=events("a_1.50 1 2 x"))
    assert outcome.places == [("unknown-clip", "pred.tsv:2")]
    assert "did you mean `d/a_1.50.wav`?" in outcome.err


@pytest.mark.parametrize("written", ["Clip-7", "clip 07", "CLIP_007"])
def test_a_clip_that_is_written_a_little_differently_is_offered(written: str, tmp_path: Path) -> None:
    lengths = "filename\tduration\nclip_7\t10\nclip_17\t10\nclip_70\t10\n"
    predicted = f"{HEADER}{written}\t1\t2\tx\n"
    outcome = score(tmp_path, ref_tsv=HEADER, durations_tsv=lengths, pred_tsv=predicted)
    assert outcome.codes == ["unknown-clip"]
    assert "did you mean `clip_7`?" in outcome.err
    other = score(tmp_path, ref_tsv=HEADER, durations_tsv=lengths, pred_tsv=events("clip_8 1 2 x"))
    assert "did you mean" not in other.err, "another number is another clip"


def test_clips_without_durations_name_the_options_that_give_them(tmp_path: Path) -> None:
    outcome = score(tmp_path, durations=None)
    assert outcome.codes == ["unknown-duration"]
    assert all(option in outcome.err for option in ("--durations", "--audio"))


WINDOW = """contract gate
step 20ms
clause onset on ref_onset : ref_onset -> N[11s] pred_onset
"""
WARNINGS: dict[str, tuple[dict[str, str | bytes], list[tuple[str, str]]]] = {
    "an offset beyond the clip's end": (
        {"ref_tsv": events("a 1 2 x", "a 9 10.5 x")},
        [("offset-beyond-clip", "ref.tsv:3")],
    ),
    "duplicate rows": (
        {"pred_tsv": events("a 1 2 x", "a 1 2 x", "a 1.0 2.00 x")},
        [("duplicate-row", "pred.tsv:3"), ("duplicate-row", "pred.tsv:4")],
    ),
    "overlapping events of one class": (
        {"ref_tsv": events("a 1 2 x", "a 1.5 3 x")},
        [("joined-events", "ref.tsv:3")],
    ),
    "an event that vanishes on the grid": (
        {"pred_tsv": events("a 1 2 x", "a 5 5.005 x")},
        [("vanished-event", "pred.tsv:3")],
    ),
    "a label that only one side has": (
        {"ref_tsv": events("a 1 2 x", "a 3 4 y"), "pred_tsv": events("a 1 2 x", "a 3 4 z")},
        [("one-sided-label", "ref.tsv:3"), ("one-sided-label", "pred.tsv:3")],
    ),
    "clips without predictions": (
        {"durations_tsv": "filename\tduration\na\t10\nb\t10\n"},
        [("clip-without-predictions", "pred.tsv")],
    ),
    "a window longer than the trace": (
        {"gate_contract": WINDOW},
        [("window-beyond-trace", "gate.contract:3:1")],
    ),
}


@pytest.mark.parametrize(("files", "places"), WARNINGS.values(), ids=WARNINGS.keys())
def test_oddities_are_warnings_listed_and_counted_in_the_report(
    files: dict[str, str | bytes], places: list[tuple[str, str]], tmp_path: Path
) -> None:
    outcome = score(tmp_path, "--full", **files)
    assert outcome.code == 0
    assert outcome.places == places
    assert "error[" not in outcome.err
    assert f"warnings: {len(places)} {places[0][0]}" in outcome.out
    assert (tmp_path / "out" / "report.json").exists()


@pytest.mark.parametrize(("files", "places"), WARNINGS.values(), ids=WARNINGS.keys())
def test_strict_makes_warnings_errors(
    files: dict[str, str | bytes], places: list[tuple[str, str]], tmp_path: Path
) -> None:
    outcome = score(tmp_path, "--strict", **files)
    assert outcome.code == 2
    assert outcome.places == places
    assert "--strict makes these warnings errors" in outcome.err
    assert outcome.out == ""
    assert not (tmp_path / "out").exists()


def test_many_warnings_of_one_code_are_counted_and_not_repeated(tmp_path: Path) -> None:
    brief = score(tmp_path, pred_tsv=events(*["a 1 2 x"] * 12))
    assert brief.err.splitlines()[0] == "warnings: 11 duplicate-row (in pred.tsv); --full lists them"
    outcome = score(tmp_path, "--full", pred_tsv=events(*["a 1 2 x"] * 12))
    assert outcome.codes == ["duplicate-row"] * 6
    assert "… and 6 more" in outcome.err
    assert "warnings: 11 duplicate-row" in outcome.out


def test_what_may_make_every_number_wrong_is_said_and_not_only_counted(tmp_path: Path) -> None:
    rows = [f"a {k} {k + 1} dog" for k in range(0, 12, 2)]
    slip = events(*rows, *rows, "a 14 15 cta")
    write(tmp_path, {"ref.tsv": events(*rows, "a 14 15 cat"), "pred.tsv": slip})
    words = ("score", "boundary_gate", "--ref", "ref.tsv", "--pred", "pred.tsv", "--durations", "20s")
    brief = run(*words, folder=tmp_path)
    assert "label `cat` does not occur in the predictions" in brief.err
    assert "did you mean `cta`" in brief.err
    assert "duplicate-row]" not in brief.err
    assert "6 duplicate-row" in brief.err
    write(tmp_path, {"pred.tsv": events(*(f"a {k}000 {k + 1}000 dog" for k in range(1, 19, 2)))})
    assert "warning[milliseconds]" in run(*words, folder=tmp_path).err


def test_the_first_twenty_errors_of_one_kind_are_listed_and_the_rest_counted(tmp_path: Path) -> None:
    outcome = score(tmp_path, ref_tsv=events(*[f"a {n} x x" for n in range(40)]))
    assert outcome.places[:20] == [("bad-time", f"ref.tsv:{n}") for n in range(2, 22)]
    assert outcome.err.count("error[bad-time]") == 21
    assert "20 more of this kind" in outcome.err


def test_a_silent_clip_and_columns_in_any_order_are_no_fault(tmp_path: Path) -> None:
    table = "event_label,offset,more,filename,onset\nx,2,1,a,1\n,,,b,\n"
    outcome = score(tmp_path, durations="10", ref_tsv=table, pred_tsv=table)
    assert (outcome.code, outcome.places) == (0, [])


def test_signs_in_the_input_are_shown_as_they_stand(tmp_path: Path) -> None:
    outcome = score(tmp_path, pred_tsv=events("[bold]:bell:[/x] 1 2 x"))
    assert "`[bold]:bell:[/x]`" in outcome.err
