"""Certifying a scorecard: the kernel checks the masks and counts of every frame clause, clip by clip."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tracepact.monitor import IntegerAlgebra, evaluate_masks
from tracepact.scoring import Scorecard
from tracepact.tools.folders import write_results
from tracepact.tools.prove.build import Build, Progress
from tracepact.tools.prove.certificate import (
    IGNORED,
    Case,
    Certificate,
    Claim,
    Entry,
    Segment,
    extra_atoms,
    write_certificates,
)
from tracepact.tools.prove.prove import Theorem, axioms_of
from tracepact.tools.prove.scan import CERTIFICATE, scan

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


def cases_of(card: Scorecard) -> dict[Case, list[Segment]]:
    """Every clip of every class with the monitor's claims; equal ones, such as the silent, are one case."""
    contract, layout, family = card.contract, card.layout, card.family
    ignores = bool(family.ignored)
    extra = extra_atoms(contract, ignores=ignores)
    atoms = [card.atoms.ignored if name == IGNORED else card.atoms[name] for name in extra]
    masks = evaluate_masks(contract.formulas, card.atoms, IntegerAlgebra(layout.valid, layout.longest))[1::2]
    grouped: dict[Case, list[Segment]] = {}
    columns = len(family.clips)
    for segment in range(layout.segments):
        frames, start = int(layout.frames[segment]), int(layout.start[segment])
        own = (1 << frames) - 1

        def part(mask: int, start: int = start, own: int = own) -> int:
            return (mask >> start) & own

        row, column = divmod(segment, columns)
        counts = [card.counts[clause.name] for clause in contract.frame_clauses]
        claims = tuple(
            Claim(part(mask), int(count.satisfied[row, column]), int(count.obligated[row, column]))
            for mask, count in zip(masks, counts, strict=True)
        )
        ref, pred = part(card.atoms["ref_active"]), part(card.atoms["pred_active"])
        case = Case(frames, ref, pred, tuple(map(part, atoms)), claims)
        grouped.setdefault(case, []).append(Segment(*family.place(segment)))
    return grouped


def certificates_of(card: Scorecard, cases: dict[Case, list[Segment]]) -> list[Certificate]:
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
    faults = scan(certificate.text, CERTIFICATE).faults
    if faults:
        return Checked(dict.fromkeys(certificate.theorems.values(), faults[0]))
    outcome = build.check(certificate.text)
    if outcome.limit is not None:
        return Checked({}, outcome.fault)
    found = axioms_of(outcome)
    refused: dict[tuple[int, int], str] = {}
    for message in outcome.messages:
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


def _batches(cases: dict[Case, list[Segment]], clauses: int) -> Iterator[list[Entry]]:
    batch: list[Entry] = []
    frames = 0
    for case, segments in cases.items():
        if batch and ((len(batch) + 1) * clauses > _CLAIMS_A_FILE or frames + case.frames > _FRAMES_A_FILE):
            yield batch
            batch, frames = [], 0
        batch.append((case, tuple(segments)))
        frames += case.frames
    if batch:
        yield batch
