"""Checking the whole core: every file scanned and compiled, every theorem there, on no axiom but those allowed."""

import re
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tracepact.specs import spec_path
from tracepact.tools.prove.build import Build, Progress, build_core
from tracepact.tools.prove.cache import cache_folder, private_folder
from tracepact.tools.prove.kernel import kernel_faults
from tracepact.tools.prove.scan import VECTORS, scan
from tracepact.tools.prove.theory import ROOT_MODULE, Theory, theory_root
from tracepact.tools.prove.toolchain import TIME_LIMIT, Kind, Outcome, Toolchain

CERTIFICATE = "certificate.lean"
SOFT_CERTIFICATE = f"soft/{CERTIFICATE}"
"""The theorems about conformance vectors, and about those of soft values, beside the vectors."""
_AXIOMS = re.compile(r"'(?P<name>\S+)' (?:does not depend on any axioms|depends on axioms: \[(?P<axioms>[^\]]*)\])")


@dataclass(frozen=True, slots=True)
class Theorem:
    """A theorem and the axioms it rests on; none at all if it was not proved."""

    name: str
    axioms: tuple[str, ...] | None

    def proved(self, allowed: Iterable[str]) -> bool:
        """Proved, and on no axiom but those allowed."""
        return self.axioms is not None and set(self.axioms) <= set(allowed)


@dataclass(frozen=True, slots=True)
class CoreReport:
    """What a check of the core found."""

    toolchain: Toolchain
    digest: str
    headlines: tuple[Theorem, ...]
    theorems: tuple[Theorem, ...]
    definitions: int
    vectors: int
    """Theorems about conformance vectors that the kernel accepted."""
    faults: tuple[str, ...]
    undecided: tuple[str, ...]
    seconds: float

    @property
    def ok(self) -> bool:
        """Every file is clean, every theorem is proved on no axiom but those allowed."""
        return not self.faults and not self.undecided and self.proved == len(self.theorems)

    @property
    def proved(self) -> int:
        """How many theorems are proved."""
        return sum(theorem.proved(self.toolchain.kind.axioms) for theorem in self.theorems)

    @property
    def axioms(self) -> tuple[str, ...]:
        """The axioms that any theorem rests on."""
        return tuple(sorted({axiom for theorem in self.theorems for axiom in theorem.axioms or ()}))


def check_core(
    toolchain: Toolchain,
    root: Path | None = None,
    folder: Path | None = None,
    progress: Progress | None = None,
    limit: float = TIME_LIMIT,
) -> CoreReport:
    """Check the core from nothing, in a folder of its own unless one is given."""
    started = time.monotonic()
    theory = Theory(root or theory_root())
    with tempfile.TemporaryDirectory(prefix="tracepact-lean-") as temporary:
        place = folder or Path(temporary)
        build = build_core(toolchain, theory, place, fresh=folder is None, progress=progress, limit=limit)
        found: dict[str, tuple[str, ...]] = {}
        vectors = 0
        if build.ok:
            found = _audit(build)
            vectors = _check_vectors(build)
            if toolchain.kind is Kind.WHEEL:
                build.faults += kernel_faults(build)
    theorems = {name: Theorem(name, found.get(name)) for name in theory.theorems}
    headlines = theory.headlines if not build.faults or theorems else ()
    for name in headlines:
        if name not in theorems:
            build.faults.append(f"{name} is restated but is not a theorem of the core")
    return CoreReport(
        toolchain,
        theory.digest,
        tuple(theorems.get(name, Theorem(name, None)) for name in headlines),
        tuple(theorems.values()),
        len(theory.digests),
        vectors,
        tuple(build.faults),
        tuple(build.undecided),
        time.monotonic() - started,
    )


def axioms_of(outcome: Outcome) -> dict[str, tuple[str, ...]]:
    """The axioms of each theorem that a clean run printed; of a run that is not clean, nothing is believed."""
    if not outcome.clean:
        return {}
    found = {}
    for message in outcome.messages:
        if match := _AXIOMS.fullmatch(" ".join(message.text.split())):
            names = match["axioms"]
            found[match["name"]] = tuple(name.strip() for name in names.split(",")) if names else ()
    return found


@contextmanager
def ready_core(
    toolchain: Toolchain, *, fresh: bool = False, progress: Progress | None = None, limit: float = TIME_LIMIT
) -> Iterator[Build]:
    """The compiled core for checking other files against it: from the user's own cache if it can be verified there.

    What Lake builds is not kept, and neither is anything where no folder is the user's alone.
    """
    theory = Theory(theory_root())
    folder = None if fresh or toolchain.kind is Kind.LAKE else private_folder(cache_folder())
    if folder is not None:
        folder = private_folder(folder / f"wheel-{theory.digest[:16]}")
    with tempfile.TemporaryDirectory(prefix="tracepact-lean-") as temporary:
        yield build_core(toolchain, theory, folder or Path(temporary), fresh=fresh, progress=progress, limit=limit)


def _audit(build: Build) -> dict[str, tuple[str, ...]]:
    """The axioms of every theorem, by one file that imports the whole core."""
    lines = [f"import {ROOT_MODULE}", *(f"#print axioms {name}" for name in build.theory.theorems)]
    outcome = build.check("\n".join(lines) + "\n")
    if not outcome.clean:
        build.note("audit of axioms", outcome)
    return axioms_of(outcome)


def _check_vectors(build: Build) -> int:
    """How many theorems about conformance vectors the kernel accepts; what it does not is a fault of the core."""
    accepted = 0
    for name in (CERTIFICATE, SOFT_CERTIFICATE):
        sound, fault = check_stated(build, spec_path(f"conformance/{name}").read_text("utf-8"))
        accepted += sound
        if fault is not None:
            (build.faults if fault.limit is None else build.undecided).append(f"{name}: {fault.said}")
    return accepted


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a file was not accepted; with the time it was given if that was not enough."""

    said: str
    limit: float | None = None


def check_stated(build: Build, text: str) -> tuple[int, Fault | None]:
    """Check a file of theorems about vectors: how many hold, and the fault if one does not."""
    scanned = scan(text, VECTORS)
    stated = [found.name for found in scanned.declarations if found.kind == "theorem"]
    if scanned.faults:
        return 0, Fault(scanned.faults[0])
    if not stated or [f"Tracepact.Vectors.{name}" for name in scanned.audits] != stated:
        return 0, Fault("not every theorem has its axioms printed once")
    outcome = build.check(text)
    if not outcome.clean:
        return 0, Fault(outcome.fault, outcome.limit)
    found = axioms_of(outcome)
    unsound = [name for name in stated if not Theorem(name, found.get(name)).proved(build.toolchain.kind.axioms)]
    return len(stated) - len(unsound), Fault(f"{unsound[0]} rests on {found.get(unsound[0])}") if unsound else None
