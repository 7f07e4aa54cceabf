"""The engines of Python beside the compiled core: no difference, and one for every planted fault."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from lean_differential import FAULTS
from tracepact.prove.build import Program

ENTRIES = tomllib.loads(FAULTS.read_text("utf-8"))["fault"]
CASES = "3000"
ALL = int(os.environ.get("TRACEPACT_EXAMPLES", "50")) >= 1000


def differential(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lean_differential", "--cases", CASES, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_engines_agree_with_the_proven_definitions(compiled: Program) -> None:
    done = differential("--seed", "7")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES if ALL else ENTRIES[::9], ids=lambda entry: entry["id"])
def test_a_planted_fault_makes_a_difference(entry: dict[str, str], compiled: Program) -> None:
    done = differential("--fault", entry["id"])
    # A fault may also end the engine; what it may not do is to pass.
    assert done.returncode == 1, done.stdout + done.stderr


def test_every_fault_can_be_planted() -> None:
    assert len(ENTRIES) >= 60
    assert len({entry["id"] for entry in ENTRIES}) == len(ENTRIES)
    package = Path(__file__).parents[2] / "pytools" / "tracepact"
    for entry in ENTRIES:
        text = package.joinpath(*entry["module"].split(".")).with_suffix(".py").read_text("utf-8")
        assert text.count(entry["old"]) == 1, entry["id"]
        assert entry["old"] != entry["new"]
