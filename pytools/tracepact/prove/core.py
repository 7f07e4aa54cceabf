"""Checking the whole core, and certifying a scorecard clip by clip."""

import os
import re
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from tracepact.evaluate.masks import IntegerAlgebra, evaluate_masks
from tracepact.evaluate.scorecard import Scorecard
from tracepact.files import write_whole
from tracepact.inputs import UnsafePlace, open_within, read_within
from tracepact.outputs import write_results
from tracepact.prove.build import Build, Program, ProgramFault, Progress, build_core, compile_program, kernel_faults
from tracepact.prove.family import FamilyCertificate, family_certificate, left_out
from tracepact.prove.scan import CERTIFICATE, FAMILY, VECTORS, Dialect
from tracepact.prove.text import (
    IGNORED,
    Certificate,
    CertificateCase,
    Claim,
    Entry,
    Segment,
    extra_atoms,
    write_certificates,
)
from tracepact.prove.theory import CERTIFICATES, Theory, theory_root
from tracepact.prove.toolchain import (
    TIME_LIMIT,
    LeanResult,
    Toolchain,
    ToolchainKind,
    cache_folder,
    private_folder,
)
from tracepact.runs.run import Run

# Checking the whole core: every file scanned and compiled, every theorem there, on no axiom but those allowed.

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
    program: Program | None = None
    """The core as a program, where it was asked for and the core is sound."""
    uncompiled: str | None = None
    """Why there is no program."""

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
    conformance: Path | None = None,
    *,
    compiles: bool = False,
) -> CoreReport:
    """Check the core from nothing, in a folder of its own unless one is given; compile it then, if asked to."""
    started = time.monotonic()
    theory = Theory(root or theory_root(), conformance)
    with tempfile.TemporaryDirectory(prefix="tracepact-lean-") as temporary:
        place = folder or Path(temporary)
        # Nothing of a cache is believed here: `prove` is what one runs when one trusts nothing.
        build = build_core(
            toolchain, theory, place, fresh=folder is None, progress=progress, limit=limit, emits=compiles
        )
        found: dict[str, tuple[str, ...]] = {}
        vectors = 0
        if build.ok:
            found = _audit(build)
            vectors = _check_vectors(build)
            # With Lake the bodies are those of Lean's own `Init`.
            if toolchain.kind is ToolchainKind.WHEEL:
                build.faults += kernel_faults(build)
        theorems = {name: Theorem(name, found.get(name)) for name in theory.theorems}
        headlines = theory.headlines if not build.faults or theorems else ()
        # A statement in the list of headlines that no module proves would be printed beside those that are.
        for name in headlines:
            if name not in theorems:
                build.faults.append(f"{name} is restated but is not a theorem of the core")
        allowed = toolchain.kind.axioms
        program, uncompiled = None, None
        if compiles and build.ok and all(theorem.proved(allowed) for theorem in theorems.values()):
            try:
                program = compile_program(build)
            except ProgramFault as fault:
                uncompiled = str(fault)
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
        program,
        uncompiled,
    )


def axioms_of(outcome: LeanResult) -> dict[str, tuple[str, ...]]:
    """The axioms of each theorem that a clean run printed; of a run that is not clean, nothing is believed."""
    # An error elsewhere in the file may have made Lean skip a theorem or take it for granted.
    if not outcome.clean:
        return {}
    found = {}
    for message in outcome.messages:
        # Lean breaks long lists of axioms over lines.
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
    # Lake keeps its own traces of what is up to date, which a stranger could have written; so it builds from nothing.
    folder = None if fresh or toolchain.kind is ToolchainKind.LAKE else private_folder(cache_folder())
    if folder is not None:
        folder = private_folder(folder / f"wheel-{theory.digest[:16]}")
    with tempfile.TemporaryDirectory(prefix="tracepact-lean-") as temporary:
        yield build_core(toolchain, theory, folder or Path(temporary), fresh=fresh, progress=progress, limit=limit)


def _audit(build: Build) -> dict[str, tuple[str, ...]]:
    """The axioms of every theorem, by one file that imports the whole core."""
    scanned = build.theory.audit
    if scanned.faults:
        build.faults.append(f"audit of axioms: {scanned.faults[0]}")
        return {}
    outcome = build.check(scanned.lean)
    if not outcome.clean:
        build.note("audit of axioms", outcome)
    return axioms_of(outcome)


def _check_vectors(build: Build) -> int:
    """How many theorems about conformance vectors the kernel accepts; what it does not is a fault of the core."""
    accepted = 0
    for name in CERTIFICATES:
        sound, fault = check_stated(build, build.theory.certificates[name])
        accepted += sound
        if fault is not None:
            (build.faults if fault.limit is None else build.undecided).append(f"{name}: {fault.said}")
    return accepted


@dataclass(frozen=True, slots=True)
class CoreFault:
    """Why a file was not accepted; with the time it was given if that was not enough."""

    said: str
    limit: float | None = None


def check_stated(build: Build, text: str) -> tuple[int, CoreFault | None]:
    """Check a file of theorems about vectors: how many hold, and the fault if one does not."""
    scanned = build.scan(text, VECTORS)
    # The order too has to be that of the theorems: then each is printed once, and none under the name of another.
    stated = [found.name for found in scanned.declarations if found.kind == "theorem"]
    if not scanned.faults and (not stated or [f"{VECTORS.namespace}.{name}" for name in scanned.audits] != stated):
        return 0, CoreFault("not every theorem has its axioms printed once")
    fault = unproved(build, text, VECTORS, stated)
    return (0 if fault else len(stated)), fault


def unproved(build: Build, text: str, dialect: Dialect, names: Sequence[str]) -> CoreFault | None:
    """Why a text is not accepted as a proof of the theorems of these names, if it is not."""
    scanned = build.scan(text, dialect)
    if scanned.faults:
        return CoreFault(scanned.faults[0])
    outcome = build.check(scanned.lean)
    if not outcome.clean:
        return CoreFault(outcome.fault, outcome.limit)
    found = axioms_of(outcome)
    unsound = (name for name in names if not Theorem(name, found.get(name)).proved(build.toolchain.kind.axioms))
    name = next(unsound, None)
    return None if name is None else CoreFault(f"{name} rests on {found.get(name)}")


# Certifying a scorecard: the kernel checks the masks and counts of every frame clause, clip by clip.

COMMAND = "certify"
STEM = "Certificate"
"""What the names of kept files begin with."""
_CLAIMS_A_FILE = 100
_FRAMES_A_FILE = 400_000


@dataclass(frozen=True, slots=True)
class Refusal:
    """A claim that the kernel did not accept."""

    segments: tuple[Segment, ...]
    clause: str
    reason: str


@dataclass(frozen=True, slots=True)
class Certification:
    """What was certified: clauses, clips, frames, theorems; and what was refused."""

    clauses: tuple[str, ...]
    event_clauses: tuple[str, ...]
    segments: int
    frames: int
    theorems: int
    files: tuple[Path, ...]
    refusals: tuple[Refusal, ...]
    undecided: tuple[str, ...]
    """Files that Lean did not finish in time."""

    @property
    def ok(self) -> bool:
        """Whether the kernel accepted every claim."""
        return not self.refusals and not self.undecided


@dataclass(frozen=True, slots=True)
class Checked:
    """What the kernel said of one certificate file: the claims it refuses, by case and clause, or that time ran out."""

    refused: dict[tuple[int, int], str]
    undecided: str | None = None


def cases_of(card: Scorecard) -> dict[CertificateCase, list[Segment]]:
    """Every clip of every class with the monitor's claims; equal ones, such as the silent, are one case."""
    contract, layout, family = card.contract, card.layout, card.family
    ignores = bool(family.ignored)
    extra = extra_atoms(contract, ignores=ignores)
    atoms = [card.atoms.ignored if name == IGNORED else card.atoms[name] for name in extra]
    # The formulas of a contract are pairs, obligation and formula; every second one is a verdict mask.
    masks = evaluate_masks(contract.formulas, card.atoms, IntegerAlgebra(layout.valid, layout.longest))[1::2]
    grouped: dict[CertificateCase, list[Segment]] = {}
    columns = len(family.clips)
    for segment in range(layout.segments):
        frames, start = int(layout.frames[segment]), int(layout.start[segment])
        inside = (1 << frames) - 1

        def part(mask: int, start: int = start, inside: int = inside) -> int:
            return (mask >> start) & inside

        row, column = divmod(segment, columns)
        counts = [card.counts[clause.name] for clause in contract.frame_clauses]
        claims = tuple(
            Claim(part(mask), int(count.satisfied[row, column]), int(count.obligated[row, column]))
            for mask, count in zip(masks, counts, strict=True)
        )
        ref, pred = part(card.atoms["ref_active"]), part(card.atoms["pred_active"])
        case = CertificateCase(frames, ref, pred, tuple(map(part, atoms)), claims)
        # In most corpora most clips of most classes are silent: they are proved once.
        grouped.setdefault(case, []).append(Segment(*family.place(segment)))
    return grouped


def certificates_of(card: Scorecard, cases: dict[CertificateCase, list[Segment]]) -> list[Certificate]:
    """The certificate files of a scorecard, a bounded amount of work each."""
    batches = list(_batches(cases, max(len(card.contract.frame_clauses), 1)))
    return write_certificates(card.contract, batches, ignores=bool(card.family.ignored))


def certify(
    card: Scorecard, build: Build, *, out: Path | None = None, progress: Progress | None = None
) -> Certification:
    """Have the kernel check the claims of a scorecard; the files are kept in `out` if it is given."""
    contract = card.contract
    cases = cases_of(card)
    certificates = certificates_of(card, cases)
    names = [clause.name for clause in contract.frame_clauses]
    files = () if out is None else keep_certificates(certificates, out)
    refusals: list[Refusal] = []
    undecided: list[str] = []
    # One process of Lean a file; `map` keeps their order, so a file is named by its number.
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        checks = pool.map(lambda certificate: check_certificate(build, certificate), certificates)
        for done, (checked, certificate) in enumerate(zip(checks, certificates, strict=True), start=1):
            for (case, clause), reason in checked.refused.items():
                refusals.append(Refusal(certificate.entries[case][1], names[clause], reason))
            if checked.undecided is not None:
                undecided.append(f"file {done} of {len(certificates)}: {checked.undecided}")
            if progress is not None:
                progress(done, len(certificates))
    return Certification(
        tuple(names),
        tuple(clause.name for clause in contract.event_clauses),
        card.layout.segments,
        sum(case.frames * len(segments) for case, segments in cases.items()),
        sum(len(certificate.theorems) for certificate in certificates),
        files,
        tuple(refusals),
        tuple(undecided),
    )


def keep_certificates(certificates: Sequence[Certificate], out: Path) -> tuple[Path, ...]:
    """Write certificate files into a folder, in place of those that are there."""
    texts = {f"{STEM}{number}.lean": certificate.text for number, certificate in enumerate(certificates)}
    write_results(out, COMMAND, texts)
    return tuple(out.resolve() / name for name in texts)


def check_certificate(build: Build, certificate: Certificate) -> Checked:
    """The claims of a certificate that the kernel refuses."""
    scanned = build.scan(certificate.text, CERTIFICATE)
    if scanned.faults:
        return Checked(dict.fromkeys(certificate.theorems.values(), scanned.faults[0]))
    outcome = build.check(scanned.lean)
    if outcome.limit is not None:
        return Checked({}, outcome.fault)
    found = axioms_of(outcome)
    refused: dict[tuple[int, int], str] = {}
    for message in outcome.messages:
        # Lean names the line of what it could not prove. Every other message, such as one about the whole file, is left
        # for the last branch, which refuses all.
        place = certificate.at_line(message.line) if message.severity != "information" else None
        if place is not None:
            refused.setdefault(place, "the kernel computes something else")
    if outcome.clean:
        for name, place in certificate.theorems.items():
            if not Theorem(name, found.get(name)).proved(build.toolchain.kind.axioms):
                refused.setdefault(place, f"rests on {found.get(name)}")
    elif not refused:
        refused = dict.fromkeys(certificate.theorems.values(), outcome.fault)
    return Checked(refused)


def _batches(cases: dict[CertificateCase, list[Segment]], clauses: int) -> Iterator[list[Entry]]:
    batch: list[Entry] = []
    frames = 0
    for case, segments in cases.items():
        # Lean holds a whole file in memory and checks it in one thread: files of bounded work keep both small.
        if batch and ((len(batch) + 1) * clauses > _CLAIMS_A_FILE or frames + case.frames > _FRAMES_A_FILE):
            yield batch
            batch, frames = [], 0
        batch.append((case, tuple(segments)))
        frames += case.frames
    if batch:
        yield batch


# Certifying the vector of a scoring run: its family certificate written, kept, compared and checked by the kernel.


@dataclass(frozen=True, slots=True)
class CertifiedFile:
    """Whether the kernel accepts a certificate of one file, why it does not, or why nothing is known."""

    file: Path
    theorems: int
    refused: str | None = None
    undecided: str | None = None


def certificate_of(run: Run) -> FamilyCertificate:
    """The family certificate of a run; ValueError if the run uses what a certificate cannot state."""
    clips = run.card.family.clips
    durations = run.durations
    lengths = dict.fromkeys(clips, durations) if isinstance(durations, Fraction) else durations.clips
    return family_certificate(run.card, run.reference, run.prediction, lengths)


def certify_vector(run: Run, build: Build, file: Path) -> CertifiedFile:
    """Write the family certificate of a run into a file and have the kernel check it."""
    reason = left_out(run.card)
    if reason is not None:
        return CertifiedFile(file, 0, refused=f"a family certificate does not cover {reason}")
    certificate = certificate_of(run)
    # `--vector` names any file; one that this command did not write is not written over.
    if file.exists() and not is_vector_certificate(file):
        raise UnsafePlace("it is there and is not the certificate of a vector", file)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole({file: certificate.text})
    return checked_file(build, file, certificate.text, FAMILY, certificate.theorems, 1)


def recheck_vector(run: Run, build: Build, file: Path) -> CertifiedFile:
    """Check a kept family certificate: that it is the one of the run, byte for byte, and that the kernel accepts it."""
    reason = left_out(run.card)
    if reason is not None:
        return CertifiedFile(file, 0, refused=f"a family certificate does not cover {reason}")
    certificate = certificate_of(run)
    if read_within(file.parent, file.name) != certificate.text.encode():
        return CertifiedFile(file, 0, refused="it is not the certificate of the contract and the tables given")
    return checked_file(build, file, certificate.text, FAMILY, certificate.theorems, 1)


def is_vector_certificate(file: Path) -> bool:
    """Whether a file claims to be a family certificate."""
    first = b"import Tracepact.Thm.Vector\n"
    with open_within(file.parent, file.name) as opened:
        return opened.read(len(first)) == first


def checked_file(
    build: Build, file: Path, text: str, dialect: Dialect, theorems: Sequence[str], statements: int
) -> CertifiedFile:
    """Have the kernel check a certificate of one file, whose last theorems, so many of them, are what it states."""
    fault = unproved(build, text, dialect, theorems[-statements:])
    if fault is None:
        return CertifiedFile(file, len(theorems))
    if fault.limit is not None:
        return CertifiedFile(file, 0, undecided=fault.said)
    return CertifiedFile(file, 0, refused=fault.said)
