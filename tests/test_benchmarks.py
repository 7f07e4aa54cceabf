"""Every benchmark runs: at its smallest size, in a process of its own, to a table of numbers."""

import json
import os
import subprocess
import sys
from math import isfinite
from pathlib import Path

import pytest

from benchmarks.__main__ import SUBJECTS
from benchmarks.harness import SMALLEST

ROOT = Path(__file__).parents[1]
BESIDE = {"prefix_sums", "harness", "data", "outputs", "originals_peer", "sed_scores_eval_peer", "mutant"}
"""What the others are made of."""
TESTED = {"long_haul", "mutants"}
"""Programs of their own, which `tests/stream/test_long_haul.py` and `tests/conform/test_sizes.py` run."""


def test_every_module_is_a_subject_or_part_of_one() -> None:
    modules = {path.stem for path in (ROOT / "pytools" / "benchmarks").glob("[!_]*.py")}
    assert modules == {*SUBJECTS} | BESIDE | TESTED


@pytest.mark.slow
@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_benchmark_ends_in_its_numbers(subject: str) -> None:
    """What has no number, such as a peer that is not installed, says why; nothing is said here about time."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", subject, "--json"],
        cwd=ROOT / "pytools",
        env={**os.environ, SMALLEST: "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert rows
    for row in rows:
        assert row["note"] if row["value"] is None else isfinite(row["value"]), row
