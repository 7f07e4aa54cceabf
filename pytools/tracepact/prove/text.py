"""Core values and event predicates as Lean text, and certificates made of them."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tracepact.language.contract import BUILTIN_ATOMS, Contract, EventClause
from tracepact.language.formula import (
    Always,
    And,
    Atom,
    Constant,
    Eventually,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Since,
    Until,
    subformulas,
)
from tracepact.language.predicate import (
    Absolute,
    Attribute,
    ConstantTerm,
    EventAtom,
    Flag,
    Maximum,
    Minimum,
    Owner,
    Relation,
    Scaled,
    Term,
    TermComparison,
    TermDifference,
    TermSum,
    TermType,
)

# Core values as Lean text: masks, offsets, formulas, lists.

PIECE = 4096
"""Bits of one literal: Lean reads many short literals faster than a long one."""


def lean_bool(value: bool) -> str:
    """A truth value."""
    return ".true" if value else ".false"


def lean_list(items: Iterable[str]) -> str:
    """A list; without Lean's own `Init` there is no bracket notation."""
    # One line and no indentation: the depth of a list is its length, and certificates have lists of thousands.
    entries = list(items)
    return "".join(f"(.cons {entry} " for entry in entries) + ".nil" + ")" * len(entries)


def lean_int(offset: int) -> str:
    """A signed offset by its constructor."""
    # `negSucc n` is −n − 1: the core's integers, as Lean's, have one zero.
    return f"(.ofNat {offset})" if offset >= 0 else f"(.negSucc {-offset - 1})"


def lean_mask(mask: int) -> str:
    """A mask as one literal, or in pieces if it is long."""
    if mask.bit_length() <= PIECE:
        return f"{mask:#x}"
    # Least significant first, as the core puts them together.
    pieces = []
    while mask:
        pieces.append(f"{mask & ((1 << PIECE) - 1):#x}")
        mask >>= PIECE
    return f"(joined {PIECE} {lean_list(pieces)})"


def lean_formula(formula: Formula, numbers: Mapping[str, int]) -> str:
    """A formula; atoms by their numbers."""
    return _joined(formula, lambda name: f"(.atom {numbers[name]})")


def _joined(formula: Formula, atom: Callable[[str], str]) -> str:
    """A formula whose atoms are written in some way: the core has the same names in formulas and in predicates."""

    def of(part: Formula) -> str:
        return _joined(part, atom)

    match formula:
        case Atom(name):
            return atom(name)
        case Constant(value):
            return f"(.constant {lean_bool(value)})"
        case Not(body):
            return f"(.not {of(body)})"
        case And(a, b):
            return f"(.and {of(a)} {of(b)})"
        case Or(a, b):
            return f"(.or {of(a)} {of(b)})"
        case Implies(a, b):
            return f"(.implies {of(a)} {of(b)})"
        case Iff(a, b):
            return f"(.iff {of(a)} {of(b)})"
        case Eventually(lo, hi, body):
            return f"(.eventually {lean_int(lo)} {lean_int(hi)} {of(body)})"
        case Always(lo, hi, body):
            return f"(.always {lean_int(lo)} {lean_int(hi)} {of(body)})"
        case Until(radius, a, b):
            return f"(.«until» {radius} {of(a)} {of(b)})"
        case Since(radius, a, b):
            return f"(.since {radius} {of(a)} {of(b)})"


# Event predicates as Lean text: terms, comparisons and truth-valued attributes (chapter 4).

_RELATIONS = {
    Relation.LE: ".le",
    Relation.LT: ".lt",
    Relation.GE: ".ge",
    Relation.GT: ".gt",
    Relation.EQ: ".eq",
    Relation.NE: ".ne",
}
_SIDED = ("onset", "offset", "duration", "covering", "coverage")
_UNSIDED = {
    "longest_gap": ".longestGap",
    "shortest_gap": ".shortestGap",
    "purity": ".purity",
    "overlap": ".overlap",
    "iou": ".iou",
}


def lean_number(value: Fraction) -> str:
    """A signed fraction."""
    top = abs(value.numerator)
    # A pair of naturals stands for their difference: the core's order needs no case for signs.
    parts = (top, 0) if value >= 0 else (0, top)
    return f"⟨{parts[0]}, {parts[1]}, {value.denominator}⟩"


def lean_predicate(clause: EventClause, unit: int) -> str:
    """The predicate of an event clause; times in units of `1 / unit` seconds."""
    atoms = dict(clause.event_atoms)
    for part in subformulas(clause.formula):
        if isinstance(part, Eventually | Always | Until | Since):
            raise TypeError(f"an event predicate has no modalities, but this one has {part}")
    return _joined(clause.formula, lambda name: _atom(atoms[name], unit))


def _atom(atom: EventAtom, unit: int) -> str:
    match atom:
        case Flag(attribute):
            return f".{attribute.name}"
        case TermComparison(relation, left, right, _):
            return f"(.compare {_RELATIONS[relation]} {_term(left, unit)} {_term(right, unit)})"


def _term(term: Term, unit: int) -> str:
    match term:
        case ConstantTerm(value, quantity):
            return f"(.number {lean_number(value * unit if quantity is TermType.TIME else value)})"
        case Attribute():
            return f"(.attribute {_attribute(term)})"
        case TermSum(a, b):
            return f"(.sum {_term(a, unit)} {_term(b, unit)})"
        case TermDifference(a, b):
            return f"(.difference {_term(a, unit)} {_term(b, unit)})"
        case Scaled(factor, body):
            return f"(.scaled {lean_number(factor)} {_term(body, unit)})"
        case Absolute(body):
            return f"(.absolute {_term(body, unit)})"
        case Minimum(arguments):
            return _nested(".minimum", arguments, unit)
        case Maximum(arguments):
            return _nested(".maximum", arguments, unit)


def _nested(name: str, arguments: tuple[Term, ...], unit: int) -> str:
    """The least or greatest of several, two at a time."""
    # `min(a, b, c)` is `min(a, min(b, c))`, which is how the core defines it.
    *rest, text = (_term(argument, unit) for argument in arguments)
    for other in reversed(rest):
        text = f"({name} {other} {text})"
    return text


def _attribute(attribute: Attribute) -> str:
    if attribute.name in _SIDED:
        return f"(.{attribute.name} .{'ref' if attribute.owner is Owner.REF else 'pred'})"
    return _UNSIDED[attribute.name]


# Certificates: Lean files that state what the monitor computed, for the kernel to check.

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
FRAME = """\
set_option autoImplicit false
set_option exponentiation.threshold 1000000000
set_option maxRecDepth 1000000
set_option maxHeartbeats 0
noncomputable section
namespace Tracepact.Certificate
"""
"""What stands in every certificate between its heading and its statements: the core has no automatic names, and the
kernel computes with numbers and depths beyond Lean's defaults."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One clip of one class."""

    clip: str
    label: str


@dataclass(frozen=True, slots=True)
class CertificateClause:
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
class CertificateCase:
    """One clip of one class: its frames, its two active masks, further masks, and a claim for each clause."""

    frames: int
    ref: int
    pred: int
    extra: tuple[int, ...]
    claims: tuple[Claim, ...]


Entry = tuple[CertificateCase, tuple[Segment, ...]]
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


def certified_clauses(contract: Contract, *, ignores: bool) -> tuple[CertificateClause, ...]:
    """The frame clauses of a contract; where frames are ignored, without the obligations there."""
    return tuple(
        CertificateClause(
            clause.name,
            And(clause.obligation, Not(Atom(IGNORED))) if ignores else clause.obligation,
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
    # Over all bodies, before their headings are written: else a file would contain its own digest.
    run = hashlib.sha256("\0".join(text for text, _ in bodies).encode()).hexdigest()
    head = [
        f"-- contract {contract.name} {contract.digest}",
        f"-- run {run}",
        f"-- ignored frames: {'given' if ignores else 'none'}",
        *(f"-- | {line}" for line in contract.text.split("\n")),
    ]
    return [
        Certificate(
            "\n".join([f"{_OPENING}-- file {number} of {len(bodies)}", *head, f"{FRAME}{text}"]),
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
        # Windows are computed by doubling: this is how often one doubles to reach the last frame from the first.
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
