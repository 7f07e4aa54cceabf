"""`tracepact watch`: lines in, violations out as they are determined, and every way a stream can end."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli.command import Outcome, run, write
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from tracepact.command_line import Exit
from tracepact.declarations import spec_path
from tracepact.stream.frames import BadLine, EndLine, FrameLine, read_line

CONTRACT = """contract gate
step 20ms
atom zone
clause onset on ref_onset : ref_onset -> F[2f] pred_onset
clause there on zone : pred_active
clause whole on each ref : matched
"""
PLAIN = "contract plain\nstep 20ms\nclause onset on ref_onset : ref_onset -> F[2f] pred_onset\n"
LATE = "0 0\n1 0\n1 0\n1 0\n1 1\n0 0\n"
FILES = {path.name: json.loads(path.read_text()) for path in sorted(spec_path("schemas").glob("*.json"))}
REGISTRY: Registry[Any] = Registry().with_resources((n, Resource.from_contents(s)) for n, s in FILES.items())
SCHEMAS = {n: Draft202012Validator(FILES[f"{n}.schema.json"], registry=REGISTRY) for n in ("watch", "frame")}


def watch(folder: Path, lines: str | bytes, *options: str, contract: str = PLAIN) -> Outcome:
    write(folder, {"gate.contract": contract})
    stdin = lines if isinstance(lines, bytes) else lines.encode()
    return run("watch", "gate.contract", *options, folder=folder, stdin=stdin)


def printed(outcome: Outcome) -> list[dict[str, Any]]:
    """The JSON lines, each valid by the schema."""
    found = [json.loads(line) for line in outcome.out.splitlines()]
    for line in found:
        assert [error.message for error in SCHEMAS["watch"].iter_errors(line)] == []
    return found


def test_a_violation_is_printed_with_its_time_and_delay(tmp_path: Path) -> None:
    outcome = watch(tmp_path, LATE)
    assert outcome.code == Exit.OK
    assert outcome.out.splitlines()[0] == "0.020 s  onset  F[2f] pred_onset  (delay 2 frames, 0.04 s)"
    assert "plain: 6 frames, 0.12 s" in outcome.out
    assert outcome.err == ""


def test_json_lines_say_when_each_violation_was_determined(tmp_path: Path) -> None:
    violation, summary = printed(watch(tmp_path, LATE, "--format", "json"))
    assert violation == {
        "kind": "violation",
        "clause": "onset",
        "stream": "stream",
        "class": "*",
        "frame": 1,
        "time": "1/50",
        "part": {"span": [PLAIN.index("F[2f]"), len(PLAIN) - 1], "text": "F[2f] pred_onset"},
        "out": 3,
        "delay": {"frames": 2, "seconds": "1/25"},
    }
    assert (summary["kind"], summary["frames"], summary["bad_lines"]) == ("summary", 6, 0)
    assert summary["vector"][0]["score"]["obligated"] == 1


def test_json_frames_bring_masks_and_channels(tmp_path: Path) -> None:
    frames = [
        {"ref": [1, 0], "pred": [0, False], "masks": {"zone": [1, 1]}},
        {"ref": [0, 1], "pred": [0, True], "masks": {"zone": [0, 1]}},
        {"end": "b"},
        {"ref": [0, 0], "pred": [0, 0], "masks": {"zone": [1, 1]}},
    ]
    for line in frames:
        assert SCHEMAS["frame"].is_valid(line)
    lines = "\n".join(map(json.dumps, frames))
    outcome = watch(tmp_path, lines, "--stream", "a", "--stream", "b", "--format", "json", contract=CONTRACT)
    *violations, summary = printed(outcome)
    told = [(v["clause"], v["stream"], v.get("frame"), v.get("interval"), v["out"]) for v in violations]
    assert told == [
        ("there", "a", 0, None, 0),
        ("there", "b", 0, None, 0),
        ("whole", "a", None, ["0", "1/50"], 1),
        ("onset", "a", 0, None, 2),
        ("there", "a", 2, None, 2),
    ]
    assert summary["ended"] == {"a": 3, "b": 2}


BAD = ["x y", "1", "1 2", "1 0 1", "{", '{"ref": 2, "pred": 0}', '{"reff": 1}', '{"ref": 1}', '{"end": "nobody"}']


@pytest.mark.parametrize("bad", [*BAD, '{"ref": [1, 1], "pred": 0}', '{"ref": NaN, "pred": 0}', b"\xff 0"])
def test_a_bad_line_stops_or_is_left_out_as_asked(tmp_path: Path, bad: str | bytes) -> None:
    before, after = LATE.split("\n", 2)[:2], LATE.split("\n", 2)[2]
    line = bad if isinstance(bad, bytes) else bad.encode()
    lines = "\n".join(before).encode() + b"\n" + line + b"\n" + after.encode()
    contract = CONTRACT.replace("clause there on zone : pred_active\n", "").replace("atom zone\n", "")
    stopped = watch(tmp_path, lines, contract=contract)
    assert stopped.code == Exit.INVALID
    assert stopped.places == [("bad-line", "standard input:3")]
    assert "2 frames" in stopped.out
    skipped = watch(tmp_path, lines, "--on-bad", "skip", contract=contract)
    assert skipped.code == Exit.OK
    assert skipped.places == stopped.places
    assert "6 frames" in skipped.out
    assert "1 bad line" in skipped.out
    assert skipped.out.splitlines()[0] == watch(tmp_path, LATE, contract=contract).out.splitlines()[0]


def test_bad_lines_are_counted_in_json(tmp_path: Path) -> None:
    found = printed(watch(tmp_path, "# a comment\n\n1 0\nx\n0 0\ny\n", "--on-bad", "skip", "--format", "json"))
    assert [(line["line"], line["headline"]) for line in found if line["kind"] == "bad_line"] == [
        (4, "`x` is not a frame"),
        (6, "`y` is not a frame"),
    ]
    assert (found[-1]["frames"], found[-1]["bad_lines"]) == (2, 2)


def test_a_line_longer_than_memory_should_hold_is_bad(tmp_path: Path) -> None:
    outcome = watch(tmp_path, b"1 0\n" + b" " * (1 << 24) + b"1 0\n0 0\n", "--on-bad", "skip")
    assert outcome.places == [("bad-line", "standard input:2")]
    assert "2 frames" in outcome.out


def test_frames_after_the_end_are_bad(tmp_path: Path) -> None:
    outcome = watch(tmp_path, '1 0\n{"end": ["stream"]}\n1 0\n', "--on-bad", "skip")
    assert outcome.places == [("bad-line", "standard input:3")]


def test_an_empty_stream_is_no_fault_and_gets_a_hint(tmp_path: Path) -> None:
    outcome = watch(tmp_path, "# nothing\n")
    assert outcome.code == Exit.OK
    assert "no frame came in; each line is a frame" in outcome.err
    assert "no frame" not in watch(tmp_path, "0 0\n").err


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("1,0", "separated by white space, not commas: `1 0`"),
        ("1 ; 0", "separated by white space, not semicolons: `1 0`"),
        ("ref,pred", "separated by white space and not commas"),
        ("0.02 1 0", "a frame has two columns, and no time"),
        ('{"time": 0.02, "ref": 1, "pred": 0}', "leave it out: a line is the next frame"),
        ('{"frame": 7, "ref": 1, "pred": 0}', "leave it out: a line is the next frame"),
        ('{"reff": 1}', "did you mean `ref`?"),
    ],
)
def test_a_bad_line_comes_with_a_way_out(tmp_path: Path, line: str, hint: str) -> None:
    outcome = watch(tmp_path, f"{line}\n")
    assert outcome.places == [("bad-line", "standard input:1")]
    assert hint in outcome.err


def test_ignored_frames_that_nobody_expects_name_the_option(tmp_path: Path) -> None:
    outcome = watch(tmp_path, '{"ref": 1, "pred": 0, "ignore": 1}\n')
    assert outcome.code == Exit.INVALID
    assert "--ignoring" in outcome.err
    assert watch(tmp_path, '{"ref": 1, "pred": 0, "ignore": 1}\n', "--ignoring").code == Exit.OK


def test_two_columns_with_classes_are_shown_a_line_that_works(tmp_path: Path) -> None:
    classes = ("--class", "a", "--class", "b")
    outcome = watch(tmp_path, "1 0\n", *classes)
    assert outcome.code == Exit.INVALID
    line = '{"ref":[1,0],"pred":[0,0]}'
    assert line in outcome.err
    assert watch(tmp_path, f"{line}\n", *classes).code == Exit.OK


def test_a_score_of_0_without_an_obligation_is_explained(tmp_path: Path) -> None:
    """A reference event without a partner: no pair to judge, and that counts 0 (rule 7.4)."""
    contract = f"{PLAIN}clause long on each matched : overlap >= 1s\nclause quiet on pred_onset : ref_active\n"
    shown = " ".join(watch(tmp_path, "1 0\n0 0\n", contract=contract).out.split())
    assert "– no obligation: quiet" in shown
    assert "long: no matched pair although there are events; this scores 0 (rule 7.4)" in shown
    assert "long:" not in watch(tmp_path, "0 0\n", contract=contract).out


def test_open_intervals_are_counted_where_a_state_is_saved(tmp_path: Path) -> None:
    contract = f"{PLAIN}clause whole on each ref : matched\n"
    shown = watch(tmp_path, "1 0\n1 0\n", "--save", "state.json", contract=contract).out
    assert "1 interval not yet settled" in shown
    assert "settled" not in watch(tmp_path, "0 0\n", "--save", "state.json", contract=PLAIN).out


def test_fail_exits_with_1_if_anything_was_violated(tmp_path: Path) -> None:
    assert watch(tmp_path, LATE, "--fail").code == Exit.VIOLATED
    assert watch(tmp_path, "0 0\n1 1\n", "--fail").code == Exit.OK


def test_a_stream_in_two_parts_gives_what_it_gives_in_one(tmp_path: Path) -> None:
    lines = LATE.splitlines(keepends=True)
    first = watch(tmp_path, "".join(lines[:3]), "--save", "state.json", "--format", "json")
    assert "saved the state after 3 frames to state.json" in first.err
    second = watch(tmp_path, "".join(lines[3:]), "--resume", "state.json", "--format", "json")
    whole = watch(tmp_path, LATE, "--format", "json")
    kept = [line for line in first.out.splitlines() if '"violation"' in line]
    assert "\n".join([*kept, second.out.strip()]) == whole.out.strip()
    refused = watch(tmp_path, "", "--resume", "state.json", contract=PLAIN.replace("2f", "3f"))
    assert (refused.code, refused.codes) == (Exit.INVALID, ["wrong-state"])
    for missing in ("absent.json", "gate.contract"):
        assert watch(tmp_path, "", "--resume", missing).codes == ["wrong-state"]


def test_a_state_that_no_monitor_can_have_been_in_is_refused(tmp_path: Path) -> None:
    watch(tmp_path, "0 0\n" * 20, "--save", "state.json")
    state = json.loads((tmp_path / "state.json").read_text())
    for counts in state["counts"].values():
        counts.update(satisfied=[100], obligated=[10])
    (tmp_path / "state.json").write_text(json.dumps(state))
    refused = watch(tmp_path, "0 0\n", "--resume", "state.json")
    assert (refused.code, set(refused.codes)) == (Exit.INVALID, {"wrong-state"})
    assert "100 satisfied of 10 obligated" in refused.err
    for text in ("[" * 100_000, '{"frames": 1' + "0" * 5000 + "}", "null", "[]"):
        (tmp_path / "state.json").write_text(text)
        assert watch(tmp_path, "", "--resume", "state.json").codes == ["wrong-state"]


@pytest.mark.parametrize("contract", [PLAIN, PLAIN + "clause whole on each ref : matched\n"])
def test_lines_that_come_together_are_told_as_lines_that_come_one_by_one(tmp_path: Path, contract: str) -> None:
    """Through a pipe, so that they do; a tab makes a line that is read alone, and a bad one is told at its number."""
    (tmp_path / "gate.contract").write_text(contract)
    digits = [((i * i) % 7 < 3, (i * i + i) % 11 < 5) for i in range(3000)]
    lines = [f"{int(r)} {int(p)}\n" for r, p in digits]
    lines[1500] = "1 x\n"
    command = [sys.executable, "-m", "tracepact", "watch", "gate.contract", "--on-bad", "skip", "--format", "json"]
    told = [
        subprocess.run(command, input=text.encode(), cwd=tmp_path, capture_output=True, check=True).stdout
        for text in ("".join(lines), "".join(lines).replace(" ", "\t"))
    ]
    assert told[0].replace(b"1 x", b"1\\tx") == told[1]
    assert told[0].count(b'"kind": "violation"') > 100
    assert b'"line": 1501' in told[0]


def test_blocks_after_the_end_and_blocks_that_do_not_fit_are_bad_lines_each(tmp_path: Path) -> None:
    needs = PLAIN.replace("clause", "atom zone\nclause", 1).replace(": ", ": zone -> ", 1)
    ended = '0 0\n{"end": "stream"}\n' + "1 1\n" * 100
    for contract, text, bad in ((PLAIN, ended, 100), (needs, "1 1\n" * 100, 100)):
        (tmp_path / "gate.contract").write_text(contract)
        command = [sys.executable, "-m", "tracepact", "watch", "gate.contract", "--on-bad", "skip", "--format", "json"]
        done = subprocess.run(command, input=text.encode(), cwd=tmp_path, capture_output=True, check=True)
        assert done.stdout.count(b'"bad_line"') == bad
        assert json.loads(done.stdout.splitlines()[-1])["bad_lines"] == bad


def test_two_streams_of_one_name_are_refused(tmp_path: Path) -> None:
    assert watch(tmp_path, "", "--stream", "a", "--stream", "a").code == Exit.INVALID


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("1 0", FrameLine(1, {"ref_active": True, "pred_active": False})),
        ("0\t1", FrameLine(1, {"ref_active": False, "pred_active": True})),
        ('{"ref": true, "pred": 0}', FrameLine(1, {"ref_active": True, "pred_active": False})),
        ('{"ref": [1], "ignore": 1}', FrameLine(1, {"ref_active": True}, True)),
        ('{"masks": {"zone": 1}}', FrameLine(1, {"zone": True})),
        ('{"end": ["a", "b"]}', EndLine(1, ("a", "b"))),
    ],
)
def test_a_line_is_read(text: str, line: object) -> None:
    assert read_line(1, text) == line


@pytest.mark.parametrize(
    "text", ['{"masks": {"ref_active": 1}}', '{"masks": 1}', '{"end": 1}', '{"end": "a", "ref": 1}', '{"ref": 1.0}']
)
def test_the_schema_and_the_reader_refuse_the_same_line(text: str) -> None:
    assert isinstance(read_line(1, text), BadLine)
    if (
        "ref_active" not in text and "1.0" not in text
    ):  # JSON Schema takes 1.0 for 1, and does not know the two sides' atoms
        assert not SCHEMAS["frame"].is_valid(json.loads(text))


@pytest.mark.parametrize(
    "text",
    [
        '{"ref": [1, 0], "pred": [1, 0]}',
        '{"ref": [], "pred": []}',
        '{"ref": [[1]], "pred": [[1]]}',
        '{"ref": 1, "ref": 0, "pred": 1}',
        '{"ignore": 1}',
        "{}",
        "1\u00a00",
        "1\x0c0",
    ],
)
def test_a_line_is_one_frame_of_one_channel(text: str, tmp_path: Path) -> None:
    assert isinstance(read_line(1, text), BadLine)
    outcome = watch(tmp_path, f"{text}\n1 1\n", "--on-bad", "skip", "--format", "json")
    summary = json.loads(outcome.out.splitlines()[-1])
    assert (summary["frames"], summary["bad_lines"]) == (1, 1)


@pytest.mark.parametrize(
    "text", ['{"ref": 1, "pred": 1}', '{"ref": [1], "pred": [1]}', '{"ref": [1, 0, 1], "pred": 1}', "1 0"]
)
def test_a_line_of_two_channels_has_two_values(text: str) -> None:
    assert isinstance(read_line(1, text, 2), BadLine)
    pair = '{"ref": [1, 0], "pred": [false, true]}'
    assert read_line(1, pair, 2) == FrameLine(1, {"ref_active": [True, False], "pred_active": [False, True]})


@pytest.mark.parametrize("text", ["1 0\r\n", "\ufeff1 0\n", "  # a\n\t1\t0  \n", "1 0"])
def test_what_surrounds_a_frame_does_not_matter(text: str, tmp_path: Path) -> None:
    outcome = watch(tmp_path, text, "--format", "json")
    assert json.loads(outcome.out.splitlines()[-1])["frames"] == 1


# As a process

ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "TTY_COMPATIBLE")}


def process(*options: str) -> subprocess.Popen[str]:
    # A run in the background hands down an ignored Ctrl-C; the watching under test must see it.
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code += "from tracepact.cli import main; main()"
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", code, "watch", "boundary_gate", *options]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=ENVIRONMENT)


def test_a_violation_is_out_while_the_stream_goes_on_and_interrupting_ends_it() -> None:
    with process("--format", "json") as started:
        assert started.stdin is not None
        assert started.stdout is not None
        assert started.stderr is not None
        started.stdin.write("1 0\n0 0\n0 0\n")
        started.stdin.flush()
        told = [json.loads(started.stdout.readline()) for _ in range(3)]
        # The event of one frame has no partner once it has ended; its onset and its frame have none two frames later.
        assert [(line["clause"], line["out"]) for line in told] == [
            ("fragmentation_guard", 1),
            ("onset_guard", 2),
            ("missing_guard", 2),
        ]
        started.send_signal(signal.SIGINT)
        rest = [json.loads(line) for line in started.stdout.read().splitlines()]
        assert rest[-1]["kind"] == "summary"
        assert rest[-1]["frames"] == 3
        assert started.stderr.read() == ""
        started.stdin.close()
    assert started.returncode == Exit.OK


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--fail",), ("--fail", "--format", "json"), ("--fail", "--save", "s.json")])
def test_a_reader_that_leaves_ends_the_watching_and_the_exit_code_tells_what_was_seen(
    options: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with process(*options) as started:
        assert started.stdin is not None
        assert started.stdout is not None
        assert started.stderr is not None
        started.stdout.close()
        try:
            started.stdin.write("1 0\n0 0\n0 0\n" * 2000)
            started.stdin.close()
        except BrokenPipeError:
            pass
        said = started.stderr.read()
    assert started.returncode == (Exit.VIOLATED if options else Exit.OK)
    assert bool(said) == ("--save" in options)
    assert (tmp_path / "s.json").exists() == ("--save" in options)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_terminal_shows_the_scores_below_the_violations() -> None:
    import pty

    reader, writer = pty.openpty()
    code = "from tracepact.cli import main; main()"
    command = [sys.executable, "-c", code, "watch", "boundary_gate"]
    environment = {**ENVIRONMENT, "TERM": "xterm", "COLUMNS": "120", "LINES": "40"}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=writer, stderr=pipe, env=environment) as started:
        os.close(writer)
        assert started.stdin is not None
        assert started.stderr is not None
        started.stdin.write(b"1 0\n0 0\n0 0\n")
        started.stdin.close()
        shown = b""
        try:
            while more := os.read(reader, 65536):  # while it runs: a terminal holds little
                shown += more
        except OSError:  # the other end is closed
            pass
        os.close(reader)
        assert started.stderr.read() == b""
    assert started.returncode == Exit.OK
    text = shown.decode()
    assert "boundary_gate: 3 frames, 0.06 s" in text
    assert text.index("onset_guard") < text.index("N[tol] pred_onset") < text.rindex("silence_guard")
    assert "\x1b[" in text
