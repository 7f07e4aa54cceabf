"""Compiling the core: module by module with the wheel, in parallel as their imports allow, or with Lake."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

from tracepact.tools.prove.cache import forget, keep, kept, only_user
from tracepact.tools.prove.scan import names_file
from tracepact.tools.prove.theory import Theory
from tracepact.tools.prove.toolchain import TIME_LIMIT, Kind, Outcome, Toolchain, run_lean, run_limited

Progress = Callable[[int, int], None]
"""Told how many steps are done, of how many."""


@dataclass(slots=True)
class Build:
    """A core on its way to being compiled in a folder, and what went wrong."""

    toolchain: Toolchain
    theory: Theory
    folder: Path
    limit: float = TIME_LIMIT
    faults: list[str] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    """What Lean did not finish in time: neither right nor wrong."""

    @property
    def ok(self) -> bool:
        """Whether every module compiled without a word of complaint."""
        return not self.faults and not self.undecided

    def check(self, text: str) -> Outcome:
        """Have Lean check a text against the core: in a folder of its own, so that nothing beside it is read."""
        with tempfile.TemporaryDirectory(prefix="tracepact-check-") as temporary:
            file = Path(temporary).resolve() / "Check.lean"
            file.write_text(text, "utf-8")
            if self.toolchain.kind is Kind.LAKE:
                arguments = [f"--root={file.parent}", str(file)]
                return run_lean(self.toolchain, arguments, root=self.folder, limit=self.limit)
            return run_lean(self.toolchain, [file.name], root=file.parent, path=self.folder, limit=self.limit)

    def run(self, file: Path) -> Outcome:
        """Have Lean check the text of a file against the core."""
        return self.check(file.read_text("utf-8"))

    def note(self, about: str, outcome: Outcome) -> None:
        """Note a run that was not clean."""
        (self.faults if outcome.limit is None else self.undecided).append(f"{about}: {outcome.fault}")


def build_core(
    toolchain: Toolchain,
    theory: Theory,
    folder: Path,
    *,
    fresh: bool = False,
    progress: Progress | None = None,
    limit: float = TIME_LIMIT,
) -> Build:
    """Compile the core into a folder; what is there as it was made from the same is used unless `fresh`.

    Lean sees no file before all of them have passed the scan.
    """
    build = Build(toolchain, theory, folder.resolve(), limit, theory.faults())
    if build.faults:
        return build
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with only_user(folder):
        _write_sources(build)
        if toolchain.kind is Kind.LAKE:
            _with_lake(build)
        else:
            _with_wheel(build, fresh=fresh, progress=progress)
    return build


def _write_sources(build: Build) -> None:
    """The texts that were scanned, in the build's own folder: Lean reads those, and nothing is written elsewhere."""
    lean = build.folder / "lean"
    shutil.rmtree(lean, ignore_errors=True)
    for root, texts in ((lean, build.theory.library), (lean / "bootstrap", build.theory.stand_ins)):
        for name, text in texts.items():
            path = root.joinpath(*name.split(".")).with_suffix(".lean")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")


def _with_lake(build: Build) -> None:
    """Lake builds from nothing: what it left from before is not used."""
    shutil.rmtree(build.folder / ".lake", ignore_errors=True)
    for name in ("lakefile.lean", "lean-toolchain"):
        shutil.copy2(build.theory.root / name, build.folder / name)
    _check_names(build)
    if not build.ok:
        return
    limit = build.limit * len(build.theory.library)
    code, output, noise = run_limited([build.toolchain.command[0], "build"], build.folder, limit)
    if code is None:
        build.undecided.append(f"lake build did not end within {limit:g} s")
    elif code:
        build.faults.append(f"lake build: {' '.join((output + noise).split())[-600:]}")
    elif "warning:" in output:
        build.faults.append("lake build gave warnings")


def _check_names(build: Build) -> None:
    """Have Lean say that every word of the library that the scan took for a name is one."""
    names = build.theory.names
    outcome = build.check(names_file(names))
    if outcome.clean:
        return
    wrong = sorted({message.line for message in outcome.messages if message.severity != "information"})
    if outcome.limit is None and wrong:
        said = ", ".join(f"`{names[line - 1]}`" for line in wrong[:5] if line <= len(names))
        build.faults.append(f"to Lean this is not a plain name, or follows one that is not: {said}")
    else:
        build.note("the names of the core", outcome)


def _with_wheel(build: Build, *, fresh: bool, progress: Progress | None) -> None:
    """What stands in for `Init` first; the library only after Lean has said that its names are names."""
    digest = build.toolchain.digest()
    stand_ins, library = build.theory.stand_ins, build.theory.library
    made: dict[str, str] = {}
    work = _Work(build, digest, made, fresh, progress)
    work.compile(stand_ins)
    if build.ok:
        _check_names(build)
    if build.ok:
        work.compile(library)


@dataclass(slots=True)
class _Work:
    """Modules being compiled with the wheel."""

    build: Build
    lean: str
    made: dict[str, str]
    """Of each compiled module, what it was made from and its own digest."""
    fresh: bool
    progress: Progress | None

    def compile(self, modules: Iterable[str]) -> None:
        """Compile modules once their imports are; after a fault, only what does not depend on it."""
        build, wanted = self.build, set(modules)
        order = build.theory.order()
        order.prepare()
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            running: dict[Future[Outcome | None], str] = {}
            while order.is_active():
                ready = order.get_ready()
                known = [name for name in ready if name in self.made]
                order.done(*known)
                running |= {pool.submit(self._one, name): name for name in ready if name in wanted.difference(known)}
                if known:
                    continue
                if not running:
                    break
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    name, outcome = running.pop(future), future.result()
                    if outcome is None:
                        order.done(name)
                        self._say()
                    else:
                        build.note(name, outcome)

    def _say(self) -> None:
        if self.progress is not None:
            self.progress(len(self.made), len(self.build.theory.imports))

    def _one(self, name: str) -> Outcome | None:
        """Compile one module, unless it is kept as it was made from the same; the run, if it went wrong."""
        build = self.build
        theory = build.theory
        root = build.folder / "lean" / ("bootstrap" if name in theory.stand_ins else "")
        text = theory.stand_ins[name] if name in theory.stand_ins else theory.library[name]
        parts = [self.lean, text, *(self.made[needed] for needed in theory.imports[name])]
        made_from = hashlib.sha256("\0".join(parts).encode()).hexdigest()
        compiled = build.folder.joinpath(*name.split(".")).with_suffix(".olean")
        record = None if self.fresh else kept(compiled, made_from)
        if record is None:
            compiled.parent.mkdir(parents=True, exist_ok=True)
            forget(compiled)
            source = Path(*name.split(".")).with_suffix(".lean")
            arguments = ["-o", str(compiled), str(source)]
            outcome = run_lean(build.toolchain, arguments, root=root, path=build.folder, limit=build.limit)
            if not outcome.clean:
                forget(compiled)
                return outcome
            record = keep(compiled, made_from)
        self.made[name] = record
        return None
