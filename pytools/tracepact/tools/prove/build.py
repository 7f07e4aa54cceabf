"""Compiling the core: module by module with the wheel, in parallel as their imports allow, or with Lake."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tracepact.tools.prove.theory import Theory
from tracepact.tools.prove.toolchain import Kind, Outcome, Toolchain, run_lean

Progress = Callable[[int, int], None]
"""Told how many steps are done, of how many."""


def cache_folder() -> Path:
    """Where compiled cores are kept: TRACEPACT_CACHE, or the user's cache folder."""
    given = os.environ.get("TRACEPACT_CACHE")
    base = Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tracepact"
    return base / "lean"


@dataclass(slots=True)
class Build:
    """A core on its way to being compiled in a folder, and what went wrong."""

    toolchain: Toolchain
    theory: Theory
    folder: Path
    faults: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether every module compiled without a word of complaint."""
        return not self.faults

    def run(self, file: Path) -> Outcome:
        """Check a file outside the core against it."""
        if self.toolchain.kind is Kind.LAKE:
            return run_lean(self.toolchain, [f"--root={file.parent}", file], root=self.folder)
        return run_lean(self.toolchain, [file.name], root=file.parent, path=self.folder)


def build_core(
    toolchain: Toolchain, theory: Theory, folder: Path, *, fresh: bool = False, progress: Progress | None = None
) -> Build:
    """Compile the core into a folder; what was compiled before is kept unless `fresh` or changed."""
    build = Build(toolchain, theory, folder)
    folder.mkdir(parents=True, exist_ok=True)
    if toolchain.kind is Kind.LAKE:
        _with_lake(build, fresh=fresh)
    else:
        _with_wheel(build, fresh=fresh, progress=progress)
    return build


def _with_lake(build: Build, *, fresh: bool) -> None:
    """Lake works on a copy, so that it writes nothing into a checkout or an installed package."""
    if fresh:
        shutil.rmtree(build.folder / ".lake", ignore_errors=True)
    shutil.rmtree(build.folder / "lean", ignore_errors=True)
    shutil.copytree(build.theory.sources, build.folder / "lean")
    for name in ("lakefile.lean", "lean-toolchain"):
        shutil.copy2(build.theory.root / name, build.folder / name)
    lake = build.toolchain.command[0]
    done = subprocess.run([lake, "build"], cwd=build.folder, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        build.faults.append(f"lake build: {' '.join((done.stdout + done.stderr).split())[-600:]}")
    elif "warning:" in done.stdout:
        build.faults.append("lake build gave warnings")


def _with_wheel(build: Build, *, fresh: bool, progress: Progress | None) -> None:
    """Compile every module once its imports are; after a fault, only what does not depend on it."""
    theory, order = build.theory, build.theory.order()
    order.prepare()
    total, done = len(theory.imports), 0
    stamps: dict[str, str] = {}
    with _pool() as pool:
        running: dict[Future[str | None], str] = {}
        while order.is_active():
            for name in order.get_ready():
                running[pool.submit(_compile, build, name, stamps, fresh)] = name
            if not running:
                break
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                name, fault = running.pop(future), future.result()
                if fault is not None:
                    build.faults.append(f"{name}: {fault}")
                    continue
                order.done(name)
                done += 1
                if progress is not None:
                    progress(done, total)


@contextmanager
def _pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        yield pool


def _compile(build: Build, name: str, stamps: dict[str, str], fresh: bool) -> str | None:
    """Compile one module, unless its stamp says that nothing under it has changed; the fault, if any."""
    theory = build.theory
    is_stand_in = name in theory.stand_ins
    root = theory.bootstrap if is_stand_in else theory.sources
    source = (theory.stand_ins if is_stand_in else theory.library)[name]
    below = [stamps[needed] for needed in theory.imports[name]]
    parts = [build.toolchain.version.encode(), source.read_bytes(), *(stamp.encode() for stamp in below)]
    stamp = stamps[name] = hashlib.sha256(b"\0".join(parts)).hexdigest()
    compiled = build.folder.joinpath(*name.split(".")).with_suffix(".olean")
    stamped = compiled.with_suffix(".stamp")
    if not fresh and compiled.exists() and stamped.exists() and stamped.read_text("utf-8") == stamp:
        return None
    compiled.parent.mkdir(parents=True, exist_ok=True)
    compiled.unlink(missing_ok=True)  # a failed run would leave the old one in place
    stamped.unlink(missing_ok=True)
    outcome = run_lean(
        build.toolchain, ["-o", compiled, source.relative_to(root)], root=root, path=build.folder.resolve()
    )
    if not outcome.clean:
        compiled.unlink(missing_ok=True)
        return outcome.fault
    stamped.write_text(stamp, "utf-8")
    return None
