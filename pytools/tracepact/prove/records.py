"""What `prove` and `certify` answer, as records."""

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from tracepact.prove.certificates import OrderCertificate, Rechecked
from tracepact.prove.core import Certification, CertifiedFile, CoreReport
from tracepact.prove.family import AGGREGATIONS
from tracepact.prove.toolchain import Toolchain, ToolchainKind
from tracepact.records import Count, Digest, Exact, Name, OneOf, Record, Share
from tracepact.runs.run import Run
from tracepact.selection.files import OrderClaim

_Segments = Annotated[int, Meta(ge=0, description="Clips, counted once per class.")]
_Fault = Annotated[str | None, Meta(description="Why it is refused, if it is.")]


class ProveAnswer(OneOf):
    """What `tracepact prove --format json` prints."""


class CertifyAnswer(OneOf):
    """What `tracepact certify --format json` prints."""


class NothingKnown(Record, ProveAnswer, CertifyAnswer, frozen=True):
    """No Lean was found, or it did not end in time, so nothing is known."""

    ok: None
    reason: str

    @classmethod
    def because(cls, reasons: Sequence[str]) -> "NothingKnown":
        """The answer with its reasons."""
        return cls(None, "; ".join(reasons))


class LeanRecord(Record, frozen=True):
    """The Lean that answered."""

    kind: Literal["lake", "wheel"]
    version: Annotated[str, Meta(description="What it says of itself.")]
    path: Annotated[str, Meta(description="The program.")]
    program: Annotated[Digest, Meta(description="The SHA-256 of the program.")]
    outside: Annotated[bool, Meta(description="It was named with --lean: its answer is worth what that program is.")]

    @classmethod
    def of(cls, toolchain: Toolchain) -> "LeanRecord":
        """The record of a toolchain."""
        outside = toolchain.kind is not ToolchainKind.WHEEL
        return cls(toolchain.kind.value, toolchain.version, str(toolchain.binary), toolchain.program, outside)


class TheoremRecord(Record, frozen=True):
    """A theorem of the proof core."""

    name: str
    axioms: Annotated[list[str] | None, Meta(description="The axioms it rests on; null if it was not proved.")]


class CoreRecord(Record, ProveAnswer, frozen=True):
    """The proof core as the kernel found it."""

    ok: Annotated[
        bool, Meta(description="Every file is clean, and every theorem is proved on no axiom but the allowed.")
    ]
    lean: LeanRecord
    digest: Annotated[Digest, Meta(description="SHA-256 of the core's files.")]
    seconds: Annotated[float, Meta(ge=0)]
    faults: list[str]
    allowed_axioms: Annotated[
        list[Literal["Classical.choice", "Quot.sound", "propext"]],
        Meta(description="None with the wheel; those of Lean's own lemmas with a full toolchain."),
    ]
    definitions: Annotated[int, Meta(ge=0, description="Definitions that are as listed in lean/definitions.txt.")]
    vectors: Annotated[int, Meta(ge=0, description="Theorems about conformance vectors that the kernel accepted.")]
    program: Annotated[Digest | None, Meta(description="SHA-256 of the program that --build made.")]
    uncompiled: Annotated[str | None, Meta(description="Why --build made none.")]
    headlines: Annotated[list[str], Meta(min_length=1)]
    theorems: list[TheoremRecord]

    @classmethod
    def of(cls, report: CoreReport) -> "CoreRecord":
        """The record of a check."""
        kind = report.toolchain.kind
        return msgspec.convert(
            {
                "ok": report.ok,
                "lean": msgspec.to_builtins(LeanRecord.of(report.toolchain)),
                "digest": report.digest,
                "seconds": round(report.seconds, 3),
                "faults": [*report.faults, *report.undecided],
                "allowed_axioms": sorted(kind.axioms),
                "definitions": report.definitions,
                "vectors": report.vectors,
                "program": None if report.program is None else report.program.digest,
                "uncompiled": report.uncompiled,
                "headlines": [theorem.name for theorem in report.headlines],
                "theorems": [{"name": t.name, "axioms": t.axioms} for t in report.theorems],
            },
            cls,
        )


class SegmentRecord(Record, frozen=True):
    """One clip of one class."""

    clip: str
    label: str = msgspec.field(name="class")


class RefusalRecord(Record, frozen=True):
    """A claim that the kernel did not accept."""

    clause: str
    reason: str
    segments: list[SegmentRecord]


class CertificationRecord(Record, CertifyAnswer, frozen=True):
    """The verdict masks and counts of a run, clip by clip."""

    ok: Annotated[bool, Meta(description="The kernel accepted every verdict mask and count.")]
    clauses: Annotated[list[str], Meta(description="The frame clauses certified.")]
    event_clauses: Annotated[list[str], Meta(description="Not certified.")]
    segments: _Segments
    frames: Count
    theorems: Count
    files: Annotated[list[str], Meta(description="Certificates kept with --out.")]
    refusals: list[RefusalRecord]
    lean: LeanRecord

    @classmethod
    def of(cls, outcome: Certification, lean: LeanRecord) -> "CertificationRecord":
        """The record of a certification."""
        refusals = [
            RefusalRecord(refusal.clause, refusal.reason, [SegmentRecord(s.clip, s.label) for s in refusal.segments])
            for refusal in outcome.refusals
        ]
        counts = outcome.segments, outcome.frames, outcome.theorems
        files = [str(file) for file in outcome.files]
        return cls(outcome.ok, list(outcome.clauses), list(outcome.event_clauses), *counts, files, refusals, lean)


class KeptFile(Record, frozen=True):
    """A certificate that was checked again."""

    file: Annotated[str, Meta(description="The certificate.")]
    theorems: Annotated[int, Meta(ge=0, description="Those that hold without an axiom.")]
    fault: _Fault


class CertifiedContract(Record, frozen=True):
    """A contract by its name and digest."""

    name: Name
    digest: Digest


class CertificateBinding(Record, frozen=True):
    """What a kept certificate is bound to."""

    contract: Annotated[bool, Meta(description="A contract was given, and it is that one.")]
    tables: Annotated[bool, Meta(description="Tables were given, and byte for byte it is their certificate.")]


class RecheckRecord(Record, CertifyAnswer, frozen=True):
    """Kept certificates, checked again."""

    ok: Annotated[bool, Meta(description="It is a certificate, bound to what was given, and the kernel accepts it.")]
    rechecked: Annotated[list[KeptFile], Meta(min_length=1)]
    contract: Annotated[
        CertifiedContract | None,
        Meta(description="The contract whose text the files carry; null if they are refused before it is read."),
    ]
    segments: _Segments
    bound: CertificateBinding
    lean: LeanRecord

    @classmethod
    def of(cls, rechecked: Rechecked, lean: LeanRecord) -> "RecheckRecord":
        """The record of a check."""
        contract = (
            None
            if rechecked.contract is None
            else CertifiedContract(rechecked.contract.name, rechecked.contract.digest)
        )
        files = [KeptFile(str(file.file), file.theorems, file.fault) for file in rechecked.files]
        bound = CertificateBinding(rechecked.is_given_contract, rechecked.is_of_given_tables)
        return cls(not rechecked.refused, files, contract, rechecked.segments, bound, lean)


class CertifiedClause(Record, frozen=True):
    """What a certificate states of a clause: its pooled counts and exact values."""

    satisfied: Count
    obligated: Count
    pooled: Share
    macro_clips: Share
    macro_classes: Share
    macro_classes_informative: Share


class VectorRecord(Record, CertifyAnswer, frozen=True):
    """The vector of a run, certified from its tables' own times."""

    ok: Annotated[bool, Meta(description="The kernel accepts that the tables score the vector.")]
    vector: Annotated[dict[Name, CertifiedClause], Meta(description="What is stated, by clause.")]
    segments: _Segments
    theorems: Count
    file: Annotated[str, Meta(description="The certificate.")]
    fault: _Fault
    lean: LeanRecord

    @classmethod
    def of(cls, file: CertifiedFile, run: Run, lean: LeanRecord) -> "VectorRecord":
        """The record of a certificate."""
        vector = {}
        for clause in run.card.contract.clauses:
            pooled, *means = (run.card.score(clause.name, how) for how in AGGREGATIONS)
            values = (pooled.value, *(mean.value for mean in means))
            vector[clause.name] = CertifiedClause(pooled.satisfied, pooled.obligated, *values)
        segments = run.card.layout.segments
        return cls(file.refused is None, vector, segments, file.theorems, str(file.file), file.refused, lean)


class CertifiedCase(Record, frozen=True):
    """What a certificate states of a case: the values of the clauses when it is scored alone."""

    name: str
    values: dict[Name, Share]


class OrderCertifiedRecord(Record, CertifyAnswer, frozen=True):
    """The order of a selection, certified from its cases' own times."""

    ok: Annotated[bool, Meta(description="The kernel accepts the values, and that every pair is ordered.")]
    profile: Name
    weights: Annotated[dict[Name, Count], Meta(description="The profile in whole numbers, by clause.")]
    margin: Exact
    cases: Annotated[tuple[CertifiedCase, ...], Meta(description="What is stated, case by case.")]
    pairs: Count
    theorems: Count
    file: Annotated[str, Meta(description="The certificate.")]
    fault: _Fault
    lean: LeanRecord

    @classmethod
    def of(
        cls, file: CertifiedFile, stated: OrderCertificate, claim: OrderClaim, lean: LeanRecord
    ) -> "OrderCertifiedRecord":
        """The record of a certificate."""
        rows = zip(claim.cases, stated.values, strict=True)
        return cls(
            file.refused is None,
            claim.profile,
            dict(zip(stated.clauses, stated.weights, strict=True)),
            Exact.of(stated.margin),
            tuple(CertifiedCase(case.name, dict(zip(stated.clauses, row, strict=True))) for case, row in rows),
            len(claim.pairs),
            file.theorems,
            str(file.file),
            file.refused,
            lean,
        )
