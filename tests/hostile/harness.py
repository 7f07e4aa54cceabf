"""Runs hostile inputs in this process, each with a time budget, and counts how they ended.

An input ends well if its result or its refusal is one of the program's own: exit codes 0 to 3 of a command, a value or
InvalidInput of a function. Anything else is a fault: a traceback, an exception of another kind, no end within the time.
"""

import hashlib
import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from cli.command import run

from tracepact.diagnostics.collection import InvalidInput

BUDGET = 20.0
"""Seconds of processor time that one input may take."""

STRETCH = 20_000
"""After so many inputs a long run says how far it is."""


class OutOfTime(BaseException):
    """An input did not end within its budget; nothing in the program catches this."""


@dataclass(frozen=True)
class Input:
    """What goes through a door: files, and a command line or a call that reads them."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    stdin: bytes = b""
    call: Callable[[Path], Any] | None = None


Door = Callable[[Random], Input]


@dataclass
class Tally:
    """How the inputs of a run ended."""

    ends: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    digest: Any = field(default_factory=hashlib.sha256)

    def lines(self) -> Iterator[str]:
        """The counts and the digest, to be printed."""
        yield f"inputs {sum(self.ends.values())}"
        for kind in ("traceback", "hang", "memory", "exit 4"):
            yield f"{kind}s {self.ends[kind]}" if kind != "exit 4" else f"exit 4 {self.ends[kind]}"
        for kind, number in sorted(self.ends.items()):
            yield f"  {kind}: {number}"
        yield f"digest {self.digest.hexdigest()}"


@contextmanager
def budget(seconds: float = BUDGET) -> Iterator[None]:
    """Raise OutOfTime once so much processor time has been used."""

    def ended(number: int, frame: FrameType | None) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGPROF, ended)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def put(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a folder, those that can have their names."""
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


def outcome(given: Input, folder: Path, seconds: float = BUDGET) -> tuple[str, str]:
    """How an input ended, and what it gave, with the folder's own name taken out."""
    put(folder, given.files)
    try:
        with budget(seconds), chdir(folder):
            if given.call is not None:
                end, text = _called(given.call, folder)
            else:
                found = run(*given.arguments, stdin=given.stdin)
                end = f"exit {found.code}"
                text = f"{found.out}\n{found.err}"
                if "Traceback (most recent call last)" in found.err:
                    end = "memory" if "MemoryError" in found.err else "traceback"
    except OutOfTime:
        return "hang", ""
    except MemoryError:
        return "memory", ""
    return end, text.replace(str(folder.resolve()), "FOLDER").replace(str(folder), "FOLDER")


def _called(call: Callable[[Path], Any], folder: Path) -> tuple[str, str]:
    try:
        return "value", repr(call(folder))
    except InvalidInput as refused:
        return "refused", "\n".join(f"{d.code} {d.headline} {d.help}" for d in refused.diagnostics)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001  (what is looked for)
        import traceback

        last = traceback.extract_tb(error.__traceback__)[-1]
        return "traceback", f"{type(error).__name__}: {str(error)[:200]} at {Path(last.filename).name}:{last.lineno}"


def play(
    doors: Mapping[str, Door],
    inputs: int,
    seed: int,
    *,
    seconds: float = BUDGET,
    stop: float = 0,
    say: Callable[[str], object] = lambda text: None,
) -> Tally:
    """Run inputs through the doors in turn; input number n depends on the seed and on n alone.

    With `stop`, no input is begun after so many seconds. Faults, and now and then how far it is, are said at once.
    """
    tally = Tally()
    names = sorted(doors)
    began = time.monotonic()
    home = Path(tempfile.mkdtemp(prefix="hostile-"))
    try:
        for number in range(inputs):
            if stop and time.monotonic() - began > stop:
                break
            door = names[number % len(names)]
            given = doors[door](Random(f"{seed} {number}"))
            folder = home / "in"
            folder.mkdir()
            try:
                end, text = outcome(given, folder, seconds)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            tally.ends[end] += 1
            tally.digest.update(f"{number} {door} {end}\n{text}\n".encode("utf-8", "backslashreplace"))
            if end in ("traceback", "hang", "memory", "exit 4"):
                tally.faults.append(
                    f"{end} at door {door}, seed {seed}, number {number}: {' '.join(given.arguments)[:200]}\n"
                    f"{text[-1500:]}"
                )
                say(tally.faults[-1])
            if (number + 1) % STRETCH == 0:
                say(f"{number + 1} of {inputs} inputs, {len(tally.faults)} faults, digest {tally.digest.hexdigest()}")
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return tally
