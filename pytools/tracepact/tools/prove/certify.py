"""Certifying a scorecard: the kernel checks the masks and counts of every frame clause, clip by clip."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tracepact.monitor import IntegerAlgebra, evaluate_masks
from tracepact.scoring import Scorecard
from tracepact.tools.prove.build import Build, Progress
from tracepact.tools.prove.certificate import (
    IGNORED,
    Case,
    Certificate,
    Claim,
    certified_clauses,
    extra_atoms,
    write_certificate,
)
from tracepact.tools.prove.prove import axioms_of

_CLAIMS_A_FILE = 100
_FRAMES_A_FILE = 400_000


@dataclass(frozen=True, slots=True)
class Segment:
    """One clip of one class."""

    clip: str
    label: str


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

    @property
    def ok(self) -> bool:
        """Whether the kernel accepted every claim."""
        return not self.refusals


@dataclass(frozen=True, slots=True)
class _Batch:
    """The cases of one file, each with the segments that share it."""

    cases: tuple[Case, ...]
    segments: tuple[tuple[Segment, ...], ...]


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


def certificates_of(card: Scorecard, cases: dict[Case, list[Segment]]) -> Iterator[tuple[Certificate, _Batch]]:
    """The certificate files of a scorecard, a bounded amount of work each."""
    contract = card.contract
    ignores = bool(card.family.ignored)
    clauses = certified_clauses(contract, ignores=ignores)
    extra = extra_atoms(contract, ignores=ignores)
    for batch in _batches(cases, max(len(clauses), 1)):
        titles = [_title(segments) for segments in batch.segments]
        yield write_certificate(contract.name, contract.digest, clauses, extra, batch.cases, titles), batch


def certify(
    card: Scorecard, build: Build, *, out: Path | None = None, progress: Progress | None = None
) -> Certification:
    """Have the kernel check the claims of a scorecard; the files are kept in `out` if it is given."""
    contract = card.contract
    cases = cases_of(card)
    pairs = list(certificates_of(card, cases))
    names = [clause.name for clause in contract.frame_clauses]
    refusals: list[Refusal] = []
    kept: list[Path] = []
    with tempfile.TemporaryDirectory(prefix="tracepact-certify-") as temporary:
        folder = Path(temporary).resolve() if out is None else out.resolve()
        folder.mkdir(parents=True, exist_ok=True)
        files = [folder / f"Certificate{number}.lean" for number in range(len(pairs))]
        for file, (certificate, _) in zip(files, pairs, strict=True):
            file.write_text(certificate.text, "utf-8")
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            checks = pool.map(lambda file, pair: check_certificate(build, file, pair[0]), files, pairs)
            for done, (refused, (_, batch)) in enumerate(zip(checks, pairs, strict=True), start=1):
                for (case, clause), reason in refused.items():
                    refusals.append(Refusal(batch.segments[case], names[clause], reason))
                if progress is not None:
                    progress(done, len(pairs))
        if out is not None:
            kept = files
    return Certification(
        tuple(names),
        tuple(clause.name for clause in contract.event_clauses),
        card.layout.segments,
        sum(case.frames * len(segments) for case, segments in cases.items()),
        sum(len(certificate.theorems) for certificate, _ in pairs),
        tuple(kept),
        tuple(refusals),
    )


def check_certificate(build: Build, file: Path, certificate: Certificate) -> dict[tuple[int, int], str]:
    """The claims that the kernel refuses, by case and clause; empty when it accepts all of them."""
    outcome = build.run(file)
    found = axioms_of(outcome)
    refused: dict[tuple[int, int], str] = {}
    for message in outcome.messages:
        place = certificate.at_line(message.line) if message.severity != "information" else None
        if place is not None:
            refused.setdefault(place, "the kernel computes something else")
    if outcome.clean:
        for name, place in certificate.theorems.items():
            if found.get(name) != ():
                refused.setdefault(place, f"rests on {found.get(name)}")
    elif not refused:
        refused = dict.fromkeys(certificate.theorems.values(), outcome.fault)
    return refused


def recheck(build: Build, file: Path) -> tuple[int, str | None]:
    """Check a kept certificate: how many theorems hold without an axiom, and the fault if one does not."""
    outcome = build.run(file.resolve())
    found = axioms_of(outcome)
    stated = file.read_text("utf-8").count("\ntheorem ")
    if not outcome.clean:
        return 0, outcome.fault
    sound = sum(axioms == () for axioms in found.values())
    return sound, None if sound == stated else f"{stated} theorems are stated, {sound} rest on no axiom"


def _batches(cases: dict[Case, list[Segment]], clauses: int) -> Iterator[_Batch]:
    batch: list[tuple[Case, tuple[Segment, ...]]] = []
    frames = 0
    for case, segments in cases.items():
        if batch and ((len(batch) + 1) * clauses > _CLAIMS_A_FILE or frames + case.frames > _FRAMES_A_FILE):
            yield _batch(batch)
            batch, frames = [], 0
        batch.append((case, tuple(segments)))
        frames += case.frames
    if batch:
        yield _batch(batch)


def _batch(entries: Sequence[tuple[Case, tuple[Segment, ...]]]) -> _Batch:
    return _Batch(tuple(case for case, _ in entries), tuple(segments for _, segments in entries))


def _title(segments: Sequence[Segment]) -> str:
    first = f"clip {segments[0].clip!r}, class {segments[0].label!r}"
    return first if len(segments) == 1 else f"{first}, and {len(segments) - 1} more that are equal"
