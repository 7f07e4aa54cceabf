"""Certifying the vector of a scoring run: its family certificate written, kept, compared and checked by the kernel."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from tracepact.files import write_whole
from tracepact.inputs import UnsafePlace, read_bytes
from tracepact.tools.prove.build import Build
from tracepact.tools.prove.family import FamilyCertificate, family_certificate, left_out
from tracepact.tools.prove.prove import Theorem, axioms_of
from tracepact.tools.prove.scan import FAMILY, scan
from tracepact.tools.score.run import Run


@dataclass(frozen=True, slots=True)
class VectorCertified:
    """Whether the kernel accepts that the tables score the vector, why not, or why nothing is known."""

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


def certify_vector(run: Run, build: Build, file: Path) -> VectorCertified:
    """Write the family certificate of a run into a file and have the kernel check it."""
    reason = left_out(run.card)
    if reason is not None:
        return VectorCertified(file, 0, refused=f"a family certificate does not cover {reason}")
    certificate = certificate_of(run)
    if file.exists() and not is_vector_certificate(file):
        raise UnsafePlace("it is there and is not the certificate of a vector", file)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole({file: certificate.text})
    return _checked(build, file, certificate)


def recheck_vector(run: Run, build: Build, file: Path) -> VectorCertified:
    """Check a kept family certificate: that it is the one of the run, byte for byte, and that the kernel accepts it."""
    reason = left_out(run.card)
    if reason is not None:
        return VectorCertified(file, 0, refused=f"a family certificate does not cover {reason}")
    certificate = certificate_of(run)
    if read_bytes(file) != certificate.text.encode():
        return VectorCertified(file, 0, refused="it is not the certificate of the contract and the tables given")
    return _checked(build, file, certificate)


def is_vector_certificate(file: Path) -> bool:
    """Whether a file claims to be a family certificate."""
    first = b"import Tracepact.Thm.Vector\n"
    with file.open("rb") as opened:
        return opened.read(len(first)) == first


def _checked(build: Build, file: Path, certificate: FamilyCertificate) -> VectorCertified:
    faults = scan(certificate.text, FAMILY).faults
    if faults:
        return VectorCertified(file, 0, refused=faults[0])
    outcome = build.check(certificate.text)
    if outcome.limit is not None:
        return VectorCertified(file, 0, undecided=outcome.fault)
    if not outcome.clean:
        return VectorCertified(file, 0, refused=outcome.fault)
    name = certificate.theorems[-1]
    proved = Theorem(name, axioms_of(outcome).get(name)).proved(build.toolchain.kind.axioms)
    refused = None if proved else f"{name} rests on {axioms_of(outcome).get(name)}"
    return VectorCertified(file, len(certificate.theorems) if proved else 0, refused=refused)
