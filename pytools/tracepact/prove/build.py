"""Compiling the core: module by module for the kernel, and to a program; names that the kernel computes by itself."""

import hashlib
import math
import operator
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

from tracepact.prove.scan import BODIES, Around, Dialect, LeanText, Scan, names_text, scan, tokens_of
from tracepact.prove.text import lean_bool
from tracepact.prove.theory import Theory, theory_root
from tracepact.prove.toolchain import (
    TIME_LIMIT,
    LeanResult,
    Message,
    Toolchain,
    ToolchainKind,
    cache_folder,
    forget,
    keep,
    kept,
    only_user,
    private_folder,
    run_lake,
    run_lean,
    run_limited,
    wheel_library,
    write_modules,
)

# Compiling the core: module by module with the wheel, in parallel as their imports allow, or with Lake.

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
    emits: bool = False
    """Whether Lean also writes the C of the modules that the program is made of."""
    plain: set[str] = field(default_factory=set)
    """Words of which Lean has said that they are plain names."""

    @property
    def ok(self) -> bool:
        """Whether every module compiled without a word of complaint."""
        return not self.faults and not self.undecided

    def scan(self, text: str, dialect: Dialect) -> Scan:
        """Scan a text that is to be checked against the core: its names are its own, its other words the core's."""
        return scan(text, dialect, self.theory.around)

    def check(self, text: LeanText) -> LeanResult:
        """Have Lean check a text against the core, once it has said that the words of the text are plain names."""
        outcome = self.check_names(text.names)
        return self._run(text) if outcome is None else outcome

    def check_names(self, names: Iterable[str]) -> LeanResult | None:
        """Have Lean say of words, each once, that they are plain names; the run, if it did not."""
        # Lean is asked once for all words of a file, and never again for those it knows: starting it costs more than
        # the words.
        words = sorted(set(names) - self.plain)
        if not words:
            return None
        outcome = self._run(names_text(words))
        if outcome.clean:
            self.plain.update(words)
            return None
        # One word a line, so that the line of a message is the number of the word.
        wrong = sorted({message.line for message in outcome.messages if message.severity != "information"})
        said = ", ".join(f"`{words[line - 1]}`" for line in wrong[:5] if line <= len(words))
        if outcome.limit is not None or not said:
            return outcome
        text = f"to Lean this is not a plain name, or follows one that is not: {said}"
        return LeanResult(outcome.code, (Message("error", 0, text),), outcome.noise)

    def _run(self, text: LeanText) -> LeanResult:
        """Run Lean in a folder of its own, so that nothing beside the text is read."""
        with tempfile.TemporaryDirectory(prefix="tracepact-check-") as temporary:
            root = Path(temporary).resolve()
            return run_lean(self.toolchain, text, place="Check.lean", root=root, core=self.folder, limit=self.limit)

    def note(self, about: str, outcome: LeanResult) -> None:
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
    emits: bool = False,
) -> Build:
    """Compile the core into a folder; what is there as it was made from the same is used unless `fresh`.

    Lean sees no file before all of them have passed the scan.
    """
    build = Build(toolchain, theory, folder.resolve(), limit, theory.faults(), emits=emits)
    if build.faults:
        return build
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Two processes that build in one folder would each compile against half of what the other has written.
    with only_user(folder):
        _write_sources(build)
        if toolchain.kind is ToolchainKind.LAKE:
            _with_lake(build)
        else:
            _with_wheel(build, fresh=fresh, progress=progress)
    return build


def _write_sources(build: Build) -> None:
    """The texts that were scanned, in the build's own folder: Lean reads those, and nothing is written elsewhere."""
    lean = build.folder / "lean"
    shutil.rmtree(lean, ignore_errors=True)
    write_modules(_texts(build.theory.scans), lean)
    write_modules(_texts(build.theory.init), lean / "bootstrap")


def _texts(scans: Mapping[str, Scan]) -> dict[str, LeanText]:
    return {name: scanned.lean for name, scanned in scans.items()}


def _with_lake(build: Build) -> None:
    """Lake builds from nothing: what it left from before is not used."""
    theory = build.theory
    for name, text in theory.project.items():
        (build.folder / name).write_bytes(text.encode())
    _check_names(build)
    if build.ok:
        limit = build.limit * len(theory.library)
        outcome = run_lake(build.toolchain, _texts(theory.scans), theory.project, build.folder, limit)
        if not outcome.clean:
            build.note("lake build", outcome)


def _check_names(build: Build) -> None:
    """Have Lean say that every word of the library that the scan took for a name is one."""
    outcome = build.check_names(build.theory.names)
    if outcome is not None:
        build.note("the names of the core", outcome)


def _with_wheel(build: Build, *, fresh: bool, progress: Progress | None) -> None:
    """What stands in for `Init` first; the library only after Lean has said that its names are names."""
    digest = build.toolchain.digest()
    stand_ins, library = build.theory.stand_ins, build.theory.library
    made: dict[str, str] = {}
    work = _Work(build, digest, made, fresh, progress)
    # Lean reads the library with the small `Init` of the core, so that has to be there before Lean can be asked
    # anything.
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
        # Threads are enough: each waits for a process of Lean.
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            running: dict[Future[LeanResult | None], str] = {}
            while order.is_active():
                ready = order.get_ready()
                # The order is over all modules in both rounds: those of the first round are done when the second
                # begins.
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

    def _one(self, name: str) -> LeanResult | None:
        """Compile one module, unless it is kept as it was made from the same; the run, if it went wrong."""
        build = self.build
        theory = build.theory
        root = build.folder / "lean" / ("bootstrap" if name in theory.stand_ins else "")
        text = (theory.init if name in theory.stand_ins else theory.scans)[name].lean
        # A module is made from its text, from the Lean that compiled it, and from its imports as they were compiled;
        # these in turn from theirs. So a change anywhere below gives another digest, as in a Merkle tree.
        parts = [self.lean, text.text, *(self.made[needed] for needed in theory.imports[name])]
        made_from = hashlib.sha256("\0".join(parts).encode()).hexdigest()
        compiled = build.folder.joinpath(*name.split(".")).with_suffix(".olean")
        record = None if self.fresh else kept(compiled, made_from)
        if record is None:
            compiled.parent.mkdir(parents=True, exist_ok=True)
            # Were the old module left, a run of Lean that fails without a word would seem to have written it.
            forget(compiled)
            place = str(Path(*name.split(".")).with_suffix(".lean"))
            outcome = run_lean(
                build.toolchain,
                text,
                place=place,
                root=root,
                core=build.folder,
                compiled=compiled,
                emitted=compiled.with_suffix(".c") if build.emits and name in theory.program else None,
                limit=build.limit,
            )
            if not outcome.clean:
                forget(compiled)
                return outcome
            record = keep(compiled, made_from)
        self.made[name] = record
        return None


# The core as a program: compiled from the C that Lean writes, and kept by digest.

HOW_TO_BUILD = "the proof core is not compiled to a program here: run `tracepact prove --build`"
NO_COMPILER = "no C compiler was found (`cc`, `gcc` or `clang`): what Lean writes for the core is C"
NO_FOLDER = "there is no folder that is the user's alone to keep a program in"
_COMPILERS = ("cc", "gcc", "clang")
_NAME = "tracepact-lean"
_FLAGS = ("-O2", "-w", "-Werror=implicit-function-declaration")
"""Warnings are for people who write C. A function that is not declared would be taken for one of integers, and its
results cut to 32 bits: that is no warning."""
_COMPILE_LIMIT = 300.0


class ProgramFault(Exception):  # noqa: N818  (it is what happened)
    """The program cannot be made or asked; the text says why, for the user."""


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled core: where it lies, and what it was made from."""

    path: Path
    made_from: str
    """The SHA-256 of the core's files, of the C around it and of the library it runs in."""

    @property
    def digest(self) -> str:
        """The SHA-256 of the program."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()


def compile_program(build: Build) -> Program:
    """Compile what Lean wrote for the modules of the program, and keep it; ProgramFault says why there is none.

    The folder of the build must hold the C of a core that was checked.
    """
    compiler = next(filter(None, map(shutil.which, _COMPILERS)), None)
    if compiler is None:
        raise ProgramFault(NO_COMPILER)
    library = wheel_library()
    if library is None:
        raise ProgramFault("the program runs in the library of the wheel, which is not installed")
    place = _place(build.theory)
    if place is None:
        raise ProgramFault(NO_FOLDER)
    made_from = _made_from(build.theory, library)
    with tempfile.TemporaryDirectory(prefix="tracepact-program-") as temporary:
        folder = Path(temporary).resolve()
        for name, text in build.theory.rim.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        sources = [folder / "rim" / "main.c", *(_emitted(build, name) for name in build.theory.program)]
        objects = [folder / f"{number}.o" for number in range(len(sources))]
        commands = [
            [compiler, *_FLAGS, f"-I{folder / 'rim'}", "-c", str(source), "-o", str(target)]
            for source, target in zip(sources, objects, strict=True)
        ]
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            list(pool.map(lambda command: _run(command, folder), commands))
        # The library by its path, and not by a name that another could have.
        linked = folder / _NAME
        runs_at = f"-Wl,-rpath,{library.parent}"
        _run([compiler, *map(str, objects), str(library), runs_at, "-lpthread", "-o", str(linked)], folder)
        place.with_suffix(".kept").unlink(missing_ok=True)
        # Beside its place first, so that no moment has half a program there.
        fresh = place.with_name(f"{_NAME}.{os.getpid()}")
        shutil.copyfile(linked, fresh)
        fresh.chmod(0o700)
        fresh.replace(place)
    keep(place, made_from)
    return Program(place, made_from)


def find_program() -> Program | None:
    """The program that was made from this core, this rim and this library, and is as it was made; or none."""
    theory, library = Theory(theory_root()), wheel_library()
    place = _place(theory)
    if library is None or place is None or not place.is_file():
        return None
    made_from = _made_from(theory, library)
    return Program(place, made_from) if kept(place, made_from) else None


def _place(theory: Theory) -> Path | None:
    folder = private_folder(cache_folder())
    if folder is not None:
        folder = private_folder(folder / f"program-{theory.digest[:16]}")
    return None if folder is None else folder / _NAME


def _made_from(theory: Theory, library: Path) -> str:
    with library.open("rb") as file:
        runtime = hashlib.file_digest(file, "sha256").hexdigest()
    return hashlib.sha256(f"{theory.digest} {runtime}".encode()).hexdigest()


def _emitted(build: Build, module: str) -> Path:
    return build.folder.joinpath(*module.split(".")).with_suffix(".c")


def _run(command: Sequence[str], folder: Path) -> None:
    code, _, noise = run_limited(command, folder, _COMPILE_LIMIT)
    if code is None:
        raise ProgramFault(f"the C compiler did not end within {_COMPILE_LIMIT:g} s")
    if code:
        raise ProgramFault(f"the C compiler refused {Path(command[-1]).name}: {' '.join(noise.split())[:300]}")


# The names that Lean's kernel computes by itself: their bodies in the small `Init`, compared with it and Python.

OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": lambda a, b: max(a - b, 0),
    "mul": operator.mul,
    "div": lambda a, b: a // b if b else 0,
    "mod": lambda a, b: a % b if b else a,
    "gcd": math.gcd,
    "pow": operator.pow,
    "land": operator.and_,
    "lor": operator.or_,
    "xor": operator.xor,
    "shiftLeft": operator.lshift,
    "shiftRight": operator.rshift,
}
RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "beq": operator.eq,
    "ble": operator.le,
    "testBit": lambda a, b: bool(a >> b & 1),
}
UNARY: dict[str, Callable[[int], int]] = {
    "log2": lambda a: a.bit_length() - 1 if a else 0,
    "half": lambda a: a // 2,
    "pred": lambda a: max(a - 1, 0),
}
_SMALL = {"pow": 3, "shiftLeft": 4}
"""How far the second argument goes where the value grows fast: unfolding counts one by one."""
_SIDE = 6
_LARGE = ((10**12 + 39, 17), (2**70 + 12, 96), (2**70 + 12, 2**71 + 24))
"""For the kernel alone: unfolding would take for ever."""
_DEFINITION = re.compile(r"^def Nat\.(\w+)[^\n]*\n(?:[ |][^\n]*\n)*", re.MULTILINE)
_NOT_UNFOLDED = frozenset({"ctorIdx", "decEq"})


def kernel_faults(build: Build) -> list[str]:
    """Where a body of the small `Init`, what the kernel computes under its name, and Python differ."""
    text = build.theory.stand_ins["Init"]
    missing = sorted({*OPERATIONS, *RELATIONS, *UNARY} - {match[1] for match in _DEFINITION.finditer(text)})
    if missing:
        return [f"Init does not define Nat.{name}, which the kernel may compute by name" for name in missing]
    # The kernel of Lean 4 computes these names with GMP instead of by their definitions. A wrong body in the small
    # `Init` would therefore never be noticed by a proof; it is compared here with what the kernel computes.
    lines, about = kernel_file(text)
    tables = scan("\n".join(lines) + "\n", BODIES, _around_bodies(text))
    if tables.faults:
        return [f"Init: {fault}" for fault in tables.faults[:5]]
    outcome = build.check(tables.lean)
    wrong = [about.get(message.line, message.text) for message in outcome.messages if message.severity != "information"]
    if outcome.clean:
        return []
    return [f"Init: {said}" for said in wrong[:5]] or [f"Init: {outcome.fault}"]


def _around_bodies(init: str) -> Around:
    """The words of the small `Init`, which is trusted as it is listed."""
    return Around(
        words=frozenset(token.text.partition(".")[0] for token in tokens_of(init) if token.is_word) | {"Body"}
    )


def kernel_file(init: str) -> tuple[list[str], dict[int, str]]:
    """Tables as a Lean file, and what each of its lines is about.

    Each body is repeated there under a name that the kernel does not know and must unfold.
    """
    lines = [
        "set_option autoImplicit false",
        "set_option maxRecDepth 1000000",
        "noncomputable section",
        "namespace Body",
    ]
    for match in _DEFINITION.finditer(init):
        if match[1] not in _NOT_UNFOLDED:
            # `le`, `succ` and `zero` belong to the type itself and have no body.
            renamed = re.sub(r"\bNat\.(?!le\b|succ\b|zero\b)(\w+)", r"Body.\1", match[0])
            # What the runtime takes over is nothing to the kernel.
            lines += renamed.replace("def Body.", "def ", 1).replace("@& ", "").splitlines()
    about = {}
    for name, arguments, value in _table():
        # Four characters and more are the large arguments, which only the kernel can compute.
        for place in ("Body", "Nat") if len(arguments) < 4 else ("Nat",):
            lines.append(f"example : Eq ({place}.{name} {arguments}) {value} := rfl")
            about[len(lines)] = f"Nat.{name} {arguments} is not {value}{' by its body' if place == 'Body' else ''}"
    return [*lines, "end Body"], about


def _table() -> Iterator[tuple[str, str, str]]:
    for a in range(_SIDE):
        for name, unary in UNARY.items():
            yield name, str(a), str(unary(a))
        for b in range(_SIDE):
            for name, operation in OPERATIONS.items():
                if b < _SMALL.get(name, _SIDE):
                    yield name, f"{a} {b}", str(operation(a, b))
            for name, relation in RELATIONS.items():
                yield name, f"{a} {b}", lean_bool(relation(a, b))
    for a, b in _LARGE:
        for name, operation in OPERATIONS.items():
            # A power or a shift by 2^71 is more than any memory holds.
            if b < 100 or name not in _SMALL:
                yield name, f"{a} {b}", str(operation(a, b))
        for name, relation in RELATIONS.items():
            yield name, f"{a} {b}", lean_bool(relation(a, b))
