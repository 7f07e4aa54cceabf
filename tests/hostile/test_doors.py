"""Hostile inputs through every door, a modest number: no traceback, no hang, the same outcome in every environment."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hostile.doors import DOORS
from hostile.kills import WRITERS, kills

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="uses limits and forks of Linux")]
TESTS = Path(__file__).parent.parent
SIZE = int(os.environ["TRACEPACT_EXAMPLES"])
ENVIRONMENTS = (
    {"PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC"},
    {
        "PYTHONHASHSEED": "2",
        "LC_ALL": "C",
        "TZ": "Asia/Kathmandu",
        "PYTHONUTF8": "0",
        "COLUMNS": "200",
        "LANG": "tr_TR",
    },
)


def played(inputs: int, seed: int, environment: dict[str, str]) -> str:
    """The counts and the digest that a process of its own prints."""
    done = subprocess.run(
        [sys.executable, "-m", "hostile", "--inputs", str(inputs), "--seed", str(seed), "--often", "0"],
        cwd=TESTS,
        env={**os.environ, **environment},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr[-6000:]
    return done.stdout


def test_no_input_breaks_the_program_and_no_environment_changes_an_outcome() -> None:
    inputs = max(len(DOORS), SIZE // 2)
    first, second = (played(inputs, 11, environment) for environment in ENVIRONMENTS)
    assert "tracebacks 0\nhangs 0\nmemorys 0\nexit 4 0\n" in first
    assert first == second


def test_a_killed_command_leaves_what_was_there_or_all_of_the_new() -> None:
    tally = kills(max(len(WRITERS) // 2, SIZE // 8), 5)
    assert [(name, kind) for name, ends in tally.items() for kind in ends if "HALF" in kind] == []
