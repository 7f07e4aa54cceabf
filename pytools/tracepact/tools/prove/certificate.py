"""Certificates: Lean files that state what the monitor computed, for the kernel to check."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from tracepact.core import And as Conjunction
from tracepact.core import Atom, Contract, Formula
from tracepact.core import Not as Negation
from tracepact.core.contract import BUILTIN_ATOMS
from tracepact.tools.prove.text import lean_formula, lean_list, lean_mask

IGNORED = "<ignored>"
"""The mask of ignored frames, as an atom that no contract can name: it takes obligations away (rule 5.9)."""

_OPENING = """\
import Tracepact.Thm.Certificate
/-!
For each clip below this certificate states the verdict mask of each frame clause of the contract, and how many
obliged frames hold and are obliged. `certify` makes of each statement one computation for Lean's kernel, and proves
that what it computes is the meaning. Event clauses are not part of it. With the contract and the tables, anyone who has
Lean and the proof core can check that this is the certificate of both: `tracepact certify CONTRACT … --recheck FOLDER`.
-/
"""
_FRAME = """\
set_option autoImplicit false
set_option exponentiation.threshold 1000000000
set_option maxRecDepth 1000000
set_option maxHeartbeats 0
noncomputable section
namespace Tracepact.Certificate
"""


@dataclass(frozen=True, slots=True)
class Segment:
    """One clip of one class."""

    clip: str
    label: str


@dataclass(frozen=True, slots=True)
class CertifiedClause:
    """A frame clause by name, with the obligation as it is scored."""

    name: str
    obligation: Formula
    formula: Formula


@dataclass(frozen=True, slots=True)
class Claim:
    """What the monitor says of one clause on one clip."""

    verdict: int
    satisfied: int
    obligated: int


@dataclass(frozen=True, slots=True)
class Case:
    """One clip of one class: its frames, its two active masks, further masks, and a claim for each clause."""

    frames: int
    ref: int
    pred: int
    extra: tuple[int, ...]
    claims: tuple[Claim, ...]


Entry = tuple[Case, tuple[Segment, ...]]
"""A case and the segments that it stands for."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """One file of a certificate: its text, what it states, and which case and clause each of its theorems is about."""

    text: str
    entries: tuple[Entry, ...]
    theorems: dict[str, tuple[int, int]]

    def at_line(self, line: int) -> tuple[int, int] | None:
        """The case and clause of the theorem that a line belongs to."""
        lines = self.text.split("\n")
        for number in range(min(line, len(lines)), 0, -1):
            word, _, rest = lines[number - 1].partition(" ")
            if word == "theorem":
                return self.theorems[f"Tracepact.Certificate.{rest.split(' ')[0]}"]
        return None


def certified_clauses(contract: Contract, *, ignores: bool) -> tuple[CertifiedClause, ...]:
    """The frame clauses of a contract; where frames are ignored, without the obligations there."""
    return tuple(
        CertifiedClause(
            clause.name,
            Conjunction(clause.obligation, Negation(Atom(IGNORED))) if ignores else clause.obligation,
            clause.formula,
        )
        for clause in contract.frame_clauses
    )


def extra_atoms(contract: Contract, *, ignores: bool) -> tuple[str, ...]:
    """The atoms that do not follow from the two active masks, in the order of their numbers."""
    return (*sorted(contract.atoms - set(BUILTIN_ATOMS)), *([IGNORED] if ignores else []))


def write_certificates(contract: Contract, batches: Sequence[Sequence[Entry]], *, ignores: bool) -> list[Certificate]:
    """The files of a certificate, one a batch of cases; each carries the contract in full, and its number.

    The digest of the run is that of what all files state, so that files of two runs cannot be taken for one.
    """
    bodies = [_body(contract, entries, ignores=ignores) for entries in batches]
    run = hashlib.sha256("\0".join(text for text, _ in bodies).encode()).hexdigest()
    head = [
        f"-- contract {contract.name} {contract.digest}",
        f"-- run {run}",
        f"-- ignored frames: {'given' if ignores else 'none'}",
        *(f"-- | {line}" for line in contract.text.split("\n")),
    ]
    return [
        Certificate(
            "\n".join([f"{_OPENING}-- file {number} of {len(bodies)}", *head, f"{_FRAME}{text}"]),
            tuple(entries),
            theorems,
        )
        for number, ((text, theorems), entries) in enumerate(zip(bodies, batches, strict=True), start=1)
    ]


def _body(contract: Contract, entries: Sequence[Entry], *, ignores: bool) -> tuple[str, dict[str, tuple[int, int]]]:
    """The clauses, the cases and the theorems about both."""
    extra = extra_atoms(contract, ignores=ignores)
    numbers = {atom: number for number, atom in enumerate((*BUILTIN_ATOMS, *extra))}
    lines = []
    for k, clause in enumerate(certified_clauses(contract, ignores=ignores)):
        lines.append(f"-- {clause.name}")
        parts = f"{lean_formula(clause.obligation, numbers)}, {lean_formula(clause.formula, numbers)}"
        lines.append(f"def clause{k} : Clause := ⟨{parts}⟩")
    theorems = {}
    for i, (case, segments) in enumerate(entries):
        folds = max(case.frames - 1, 0).bit_length()
        masks = f"{lean_mask(case.ref)}, {lean_mask(case.pred)}, numbered {lean_list(map(lean_mask, case.extra))}"
        lines += [f"-- clip {json.dumps(segment.clip)} class {json.dumps(segment.label)}" for segment in segments]
        lines.append(f"def case{i} : Case := ⟨{case.frames}, {masks}⟩")
        for k, claim in enumerate(case.claims):
            stated = f"case{i} clause{k} claim{i}_{k}"
            counts = f"{claim.satisfied}, {claim.obligated}"
            lines.append(f"def claim{i}_{k} : Claim := ⟨{lean_mask(claim.verdict)}, {counts}⟩")
            lines.append(f"theorem certified{i}_{k} : Certified {stated} := certify {folds} {stated} (id rfl)")
            lines.append(f"#print axioms certified{i}_{k}")
            theorems[f"Tracepact.Certificate.certified{i}_{k}"] = (i, k)
    lines.append("end Tracepact.Certificate\n")
    return "\n".join(lines), theorems
