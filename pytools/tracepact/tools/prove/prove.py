"""Checking the whole core: every file compiles, every theorem is there and rests on no axiom."""

import re
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tracepact.tools.prove.build import Build, Progress, build_core, cache_folder
from tracepact.tools.prove.theory import ROOT_MODULE, Theory, theory_root
from tracepact.tools.prove.toolchain import Outcome, Toolchain

_AXIOMS = re.compile(r"'(?P<name>[^']+)' (?:does not depend on any axioms|depends on axioms: \[(?P<axioms>[^\]]*)\])")


@dataclass(frozen=True, slots=True)
class Theorem:
    """A theorem and the axioms it rests on; none at all if it was not proved."""

    name: str
    axioms: tuple[str, ...] | None

    @property
    def proved(self) -> bool:
        """Proved, and without an axiom."""
        return self.axioms == ()


@dataclass(frozen=True, slots=True)
class CoreReport:
    """What a check of the core found."""

    toolchain: Toolchain
    digest: str
    headlines: tuple[Theorem, ...]
    theorems: tuple[Theorem, ...]
    faults: tuple[str, ...]
    seconds: float

    @property
    def ok(self) -> bool:
        """Every file is clean, every theorem is proved without an axiom."""
        return not self.faults and all(theorem.proved for theorem in self.theorems)


def check_core(
    toolchain: Toolchain, root: Path | None = None, folder: Path | None = None, progress: Progress | None = None
) -> CoreReport:
    """Check the core from nothing, in a folder of its own unless one is given."""
    started = time.monotonic()
    theory = Theory(root or theory_root())
    with tempfile.TemporaryDirectory(prefix="tracepact-lean-") as temporary:
        build = build_core(toolchain, theory, folder or Path(temporary), fresh=folder is None, progress=progress)
        faults = [*theory.faults(), *build.faults]
        found: dict[str, tuple[str, ...]] = {}
        if build.ok:
            outcome = _audit(build, theory.theorems)
            found = axioms_of(outcome)
            if not outcome.clean:
                faults.append(f"audit of axioms: {outcome.fault}")
    theorems = {name: Theorem(name, found.get(name)) for name in theory.theorems}
    for name in theory.headlines:
        if name not in theorems:
            faults.append(f"{name} is restated but is no theorem of the core")
    headlines = tuple(theorems.get(name, Theorem(name, None)) for name in theory.headlines)
    seconds = time.monotonic() - started
    return CoreReport(toolchain, theory.digest, headlines, tuple(theorems.values()), tuple(faults), seconds)


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


def ready_core(toolchain: Toolchain, progress: Progress | None = None) -> Build:
    """The compiled core for checking other files against it, from the cache if it is there."""
    theory = Theory(theory_root())
    folder = cache_folder() / f"{toolchain.kind.value}-{theory.digest[:16]}"
    return build_core(toolchain, theory, folder, progress=progress)


def _audit(build: Build, names: Iterable[str]) -> Outcome:
    """Print the axioms of every theorem in one file that imports the whole core."""
    with tempfile.TemporaryDirectory(prefix="tracepact-audit-") as temporary:
        file = Path(temporary).resolve() / "Audit.lean"
        lines = [f"import {ROOT_MODULE}", *(f"#print axioms {name}" for name in names)]
        file.write_text("\n".join(lines) + "\n", "utf-8")
        return build.run(file)
