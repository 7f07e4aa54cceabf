"""The command as a process: exit codes, streams, start-up, and readers that leave."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tracepact.command_line import Exit
from tracepact.declarations import spec_path

pytestmark = pytest.mark.slow

DEMO = spec_path("demo")
SCORE = (
    "score",
    "boundary_gate",
    *("--ref", str(DEMO / "reference.tsv"), "--pred", str(DEMO / "late_long.tsv")),
    *("--durations", str(DEMO / "durations.tsv")),
)
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "TTY_COMPATIBLE")}


def tracepact(*arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    code = "from tracepact.cli import main; main()"
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=env or ENVIRONMENT)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--version",), Exit.OK),
        (("--help",), Exit.OK),
        (("check", "boundary_gate"), Exit.OK),
        ((*SCORE, "--require", "onset_guard>=0.9"), Exit.VIOLATED),
        (("check", "absent.contract"), Exit.INVALID),
        (("score", "absent.contract", "--pair", "absent.json"), Exit.INVALID),
        (("no-such-command",), Exit.INVALID),
        (("check", "--no-such-option"), Exit.INVALID),
        (("check",), Exit.INVALID),
        ((), Exit.INVALID),
        ((*SCORE, "--out", f"{os.devnull}/out"), Exit.FAILURE),
    ],
)
def test_a_command_ends_with_its_exit_code(arguments: tuple[str, ...], code: Exit) -> None:
    ended = tracepact(*arguments)
    assert ended.returncode == code, ended.stderr
    assert "Traceback" not in ended.stderr


def test_exit_codes_have_one_meaning_each() -> None:
    assert {code.name: code.value for code in Exit} == {
        "OK": 0,
        "VIOLATED": 1,
        "INVALID": 2,
        "UNKNOWN": 3,
        "FAILURE": 4,
    }


@pytest.mark.parametrize(
    "arguments",
    [("--help",), ("score", "--help"), ("explain", "boundary_gate", "--no-notes"), ("check", "boundary_gate")],
)
def test_help_and_small_commands_import_nothing_heavy(arguments: tuple[str, ...]) -> None:
    code = """
import json, sys
from tracepact.cli import main
try:
    main()
except SystemExit as ended:
    assert not ended.code, ended.code
print("\\n" + json.dumps(sorted(sys.modules)))
"""
    command = [sys.executable, "-c", code, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, env=ENVIRONMENT)
    loaded = set(json.loads(ended.stdout.splitlines()[-1]))
    assert "tracepact.cli" in loaded
    heavy = {"z3", "sympy", "scipy", "pandas", "matplotlib"}
    if arguments[0] == "check":
        heavy = {"rich", "tracepact.evaluate.scorecard", "tracepact.data.formats", "tracepact.data.memory"}
    if arguments == ("--help",):
        heavy |= {
            "rich.table",
            "tracepact.runs.report",
            "tracepact.runs.score_command",
            "tracepact.logic.check_commands",
        }
    assert not loaded & heavy


@pytest.mark.parametrize(
    "arguments",
    [SCORE, (*SCORE, "--format", "json"), (*SCORE, "--format", "csv"), ("explain", "boundary_gate"), ("--help",)],
    ids=["text", "json", "csv", "explain", "help"],
)
def test_a_reader_that_leaves_ends_the_command_quietly(arguments: tuple[str, ...]) -> None:
    code, err = _into_closed_pipe(*arguments)
    assert (code, err) == (0, "")


def test_a_reader_that_leaves_does_not_change_the_verdict() -> None:
    code, err = _into_closed_pipe(*SCORE, "--require", "onset_guard>=0.9")
    assert code == Exit.VIOLATED
    assert err.startswith("violated: required onset_guard >= 0.9")
    assert _into_closed_pipe("check", "absent.contract", "--format", "json")[0] == Exit.INVALID


def test_a_reader_that_leaves_does_not_keep_files_from_being_written(tmp_path: Path) -> None:
    assert _into_closed_pipe(*SCORE, "--out", str(tmp_path / "out"))[0] == 0
    assert len(list((tmp_path / "out").iterdir())) == 12


def test_output_to_a_file_is_quiet_and_without_colour(tmp_path: Path) -> None:
    ended = tracepact(*SCORE, "--out", str(tmp_path))
    assert "\x1b" not in ended.stdout + ended.stderr
    assert ended.stderr == f"wrote 12 files to {tmp_path}\n"
    for arguments in (("check", "absent.contract"), ("demo", "--out", str(tmp_path)), ("explain", "boundary_gate")):
        ended = tracepact(*arguments)
        assert "\x1b" not in ended.stdout + ended.stderr


def test_help_names_every_command_and_the_exit_codes() -> None:
    text = tracepact("--help").stdout
    for name in ("audit", "check", "demo", "explain", "export", "fmt", "score"):
        assert f"\n  {name} " in text
    assert "0 ok, 1 violated, 2 invalid input, 3 unknown, 4 failure" in text


def _into_closed_pipe(*arguments: str) -> tuple[int, str]:
    """Run a command whose standard output nobody reads; its exit code and standard error."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-c", "from tracepact.cli import main; main()", *arguments]
    try:
        ended = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
    finally:
        os.close(writer)
    return ended.returncode, ended.stderr


def test_a_misspelt_command_is_offered() -> None:
    ended = tracepact("scor", "boundary_gate")
    assert ended.returncode == 2
    assert "did you mean `score`?" in ended.stderr


def test_output_is_utf_8_whatever_the_locale_says() -> None:
    usual = tracepact("audit", "matcher", env=ENVIRONMENT)
    other = tracepact("audit", "matcher", env={**ENVIRONMENT, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
    assert (usual.returncode, other.returncode) == (0, 0)
    assert other.stdout == usual.stdout
    assert not usual.stdout.isascii()
