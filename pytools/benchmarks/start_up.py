"""What it costs to start: `--version` against an empty Python, `check` of each starter against importing its solver."""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import Options, Row, Target, sized
from tracepact import starter_contracts

SUBJECT = "start-up"
TURNS = sized(15, 1)
"""How often each command is run, in alternation; the least counts."""
_PACKAGES = str(Path(__file__).parents[1])
_COMMANDS = {
    "empty": ("-c", "pass"),
    "solver": ("-c", "import z3"),
    "version": ("-m", "tracepact", "--version"),
    "help": ("-m", "tracepact", "--help"),
    **{name: ("-m", "tracepact", "check", name) for name in starter_contracts()},
}


def measure(_: Options) -> Iterator[Row]:
    """Processor seconds of whole processes, user and system, and their ratios in one run."""
    with tempfile.TemporaryDirectory() as folder:
        environment = _environment(folder)
        for command in _COMMANDS.values():
            _seconds(command, environment)  # compiles what it loads, as an installation does
        turns = [[_seconds(command, environment) for command in _COMMANDS.values()] for _ in range(TURNS)]
    least = dict(zip(_COMMANDS, (min(column) for column in zip(*turns, strict=True)), strict=True))
    empty, solver = least["empty"], least["solver"]
    note = f"python -c pass {empty * 1e3:.0f} ms, import z3 {solver * 1e3:.0f} ms"
    yield Row(
        SUBJECT, "--version against python -c pass", least["version"] / empty, "×", Target(3, at_least=False), note
    )
    yield Row(SUBJECT, "--help against python -c pass", least["help"] / empty, "×")
    for name in starter_contracts():
        yield Row(SUBJECT, f"check {name} against import z3", least[name] / solver, "×", Target(2, at_least=False))


def _environment(folder: str) -> dict[str, str]:
    """The one at hand, with compiled modules kept in a folder of their own: an installed package has them."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": folder}


def _seconds(command: tuple[str, ...], environment: dict[str, str]) -> float:
    """What one process used."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *command], cwd=_PACKAGES, env=environment, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
