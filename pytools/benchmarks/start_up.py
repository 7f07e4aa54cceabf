"""What it costs to start: `--version` against an empty Python, `check` of a starter against importing its solver."""

import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import Options, Row, Target

SUBJECT = "start-up"
TURNS = 15
"""How often each command is run, in alternation; the least counts."""
_PACKAGES = str(Path(__file__).parents[1])
_EMPTY = ("-c", "pass")
_SOLVER = ("-c", "import z3")
_VERSION = ("-m", "tracepact", "--version")
_HELP = ("-m", "tracepact", "--help")
_CHECK = ("-m", "tracepact", "check", "boundary_gate")


def measure(_: Options) -> Iterator[Row]:
    """Processor seconds of whole processes, user and system, and their ratios in one run."""
    commands = (_EMPTY, _SOLVER, _VERSION, _HELP, _CHECK)
    turns = [[_seconds(command) for command in commands] for _ in range(TURNS)]
    empty, solver, version, help_, check = (min(column) for column in zip(*turns, strict=True))
    note = f"python -c pass {empty * 1e3:.0f} ms, import z3 {solver * 1e3:.0f} ms"
    yield Row(SUBJECT, "--version against python -c pass", version / empty, "×", Target(3, at_least=False), note)
    yield Row(SUBJECT, "--help against python -c pass", help_ / empty, "×")
    yield Row(SUBJECT, "check of a starter against import z3", check / solver, "×", Target(2, at_least=False))


def _seconds(command: tuple[str, ...]) -> float:
    """What one process used."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *command], cwd=_PACKAGES, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
