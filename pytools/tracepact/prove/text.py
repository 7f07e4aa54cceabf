"""Values of the proof core, as Lean terms and as numbers, and certificates made of them."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from tracepact.language.contract import BUILTIN_ATOMS, Contract, EventClause, FrameClause, Projection
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
)
from tracepact.language.predicate import (
    Absolute,
    Attribute,
    ConstantTerm,
    Each,
    EventAtom,
    Flag,
    Maximum,
    Minimum,
    Owner,
    Scaled,
    Term,
    TermComparison,
    TermDifference,
    TermSum,
    TermType,
)

# Core values: one table for each type of the core lists its constructors in the order that the core declares them. A
# certificate writes a value by their names, a request to the compiled core by their places.

_BOOL = ("false", "true")
_INT = ("ofNat", "negSucc")
_FORMULA = (
    *("atom", "constant", "not", "and", "or", "implies", "iff"),
    *("eventually", "always", "«until»", "since"),
)
_PREDICATE = ("constant", "matched", "dominant", "compare", "not", "and", "or", "implies", "iff")
_RELATIONS = ("le", "lt", "ge", "gt", "eq", "ne")
_TERM = ("number", "attribute", "sum", "difference", "scaled", "absolute", "minimum", "maximum")
_SIDES = ("ref", "pred")
_SIDED = ("onset", "offset", "duration", "covering", "coverage")
"""The attributes that name their side."""
_ATTRIBUTES = {
    **{name: name for name in _SIDED},
    "longest_gap": "longestGap",
    "shortest_gap": "shortestGap",
    **{name: name for name in ("purity", "overlap", "iou")},
}
"""The attributes in the order of the core, each with its name there."""
_EACH = ("ref", "pred", "matched")
_PROJECTIONS = ("centre", "touch", "inside")
_CLAUSE = ("frame", "event")


class CoreValue(NamedTuple):
    """A value of the core: the constructors of its type, the one it is made with, and what this is given."""

    constructors: Sequence[str]
    name: str
    parts: "tuple[CoreValue | Fraction | int, ...]" = ()

    @property
    def text(self) -> str:
        """The value as a Lean term."""
        parts = [part.text if isinstance(part, CoreValue) else _number_text(part) for part in self.parts]
        return f"({' '.join([f'.{self.name}', *parts])})" if parts else f".{self.name}"

    @property
    def words(self) -> Iterator[int]:
        """The value as the numbers that the compiled core reads."""
        yield self.constructors.index(self.name)
        for part in self.parts:
            yield from part.words if isinstance(part, CoreValue) else _number_words(part)


def _number_words(value: Fraction | int) -> tuple[int, ...]:
    """A natural number, or a signed fraction: what is added, what is taken away, the denominator."""
    if isinstance(value, int):
        return (value,)
    # A pair of naturals stands for their difference: the core's order needs no case for signs.
    top = abs(value.numerator)
    return (top, 0, value.denominator) if value >= 0 else (0, top, value.denominator)


def _number_text(value: Fraction | int) -> str:
    return str(value) if isinstance(value, int) else f"⟨{', '.join(map(str, _number_words(value)))}⟩"


def core_bool(value: bool) -> CoreValue:
    """A truth value."""
    return CoreValue(_BOOL, _BOOL[value])


def core_int(offset: int) -> CoreValue:
    """A signed offset."""
    # `negSucc n` is −n − 1: the core's integers, as Lean's, have one zero.
    return CoreValue(_INT, "ofNat", (offset,)) if offset >= 0 else CoreValue(_INT, "negSucc", (-offset - 1,))


def core_formula(formula: Formula, numbers: Mapping[str, int]) -> CoreValue:
    """A formula; atoms by their numbers."""
    return _core(_FORMULA, formula, lambda name: CoreValue(_FORMULA, "atom", (numbers[name],)))


def _core(constructors: Sequence[str], formula: Formula, atom: Callable[[str], CoreValue]) -> CoreValue:
    """A formula, or a predicate, whose atoms are made in some way: both have the same connectives."""

    def of(part: Formula) -> CoreValue:
        return _core(constructors, part, atom)

    def value(name: str, *parts: CoreValue | int) -> CoreValue:
        if name not in constructors:
            raise TypeError(f"an event predicate has no modalities, but this one has {formula}")
        return CoreValue(constructors, name, parts)

    match formula:
        case Atom(name):
            return atom(name)
        case Constant(holds):
            return value("constant", core_bool(holds))
        case Not(body):
            return value("not", of(body))
        case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b):
            return value(type(formula).__name__.lower(), of(a), of(b))
        case Eventually(lo, hi, body) | Always(lo, hi, body):
            return value(type(formula).__name__.lower(), core_int(lo), core_int(hi), of(body))
        case Until(radius, a, b):
            return value("«until»", radius, of(a), of(b))
        case Since(radius, a, b):
            return value("since", radius, of(a), of(b))


def core_predicate(clause: EventClause, unit: int) -> CoreValue:
    """The predicate of an event clause (chapter 4); times in units of `1 / unit` seconds."""
    atoms = dict(clause.event_atoms)
    return _core(_PREDICATE, clause.formula, lambda name: _atom(atoms[name], unit))


def _atom(atom: EventAtom, unit: int) -> CoreValue:
    match atom:
        case Flag(attribute):
            return CoreValue(_PREDICATE, attribute.name)
        case TermComparison(relation, left, right, _):
            compared = CoreValue(_RELATIONS, relation.name.lower())
            return CoreValue(_PREDICATE, "compare", (compared, _term(left, unit), _term(right, unit)))


def _term(term: Term, unit: int) -> CoreValue:
    match term:
        case ConstantTerm(value, quantity):
            return CoreValue(_TERM, "number", (value * unit if quantity is TermType.TIME else value,))
        case Attribute(owner, name):
            side = (CoreValue(_SIDES, "ref" if owner is Owner.REF else "pred"),) if name in _SIDED else ()
            return CoreValue(_TERM, "attribute", (CoreValue(tuple(_ATTRIBUTES.values()), _ATTRIBUTES[name], side),))
        case TermSum(a, b):
            return CoreValue(_TERM, "sum", (_term(a, unit), _term(b, unit)))
        case TermDifference(a, b):
            return CoreValue(_TERM, "difference", (_term(a, unit), _term(b, unit)))
        case Scaled(factor, body):
            return CoreValue(_TERM, "scaled", (factor, _term(body, unit)))
        case Absolute(body):
            return CoreValue(_TERM, "absolute", (_term(body, unit),))
        case Minimum(arguments) | Maximum(arguments):
            # `min(a, b, c)` is `min(a, min(b, c))`, which is how the core defines it.
            *rest, nested = (_term(argument, unit) for argument in arguments)
            for other in reversed(rest):
                nested = CoreValue(_TERM, type(term).__name__.lower(), (other, nested))
            return nested


def core_clauses(contract: Contract, unit: int) -> list[CoreValue]:
    """The clauses of a contract."""
    numbers = {atom: number for number, atom in enumerate(BUILTIN_ATOMS)}
    clauses = []
    for clause in contract.clauses:
        match clause:
            case FrameClause():
                formulas = core_formula(clause.obligation, numbers), core_formula(clause.formula, numbers)
                clauses.append(CoreValue(_CLAUSE, "frame", formulas))
            case EventClause():
                clauses.append(CoreValue(_CLAUSE, "event", (core_each(clause.each), core_predicate(clause, unit))))
    return clauses


def core_each(each: Each) -> CoreValue:
    """What a clause has an obligation for."""
    return CoreValue(_EACH, each.value)


def core_projection(projection: Projection) -> CoreValue:
    """How events become frames."""
    return CoreValue(_PROJECTIONS, projection.value)


# Core values as Lean text.

PIECE = 4096
"""Bits of one literal: Lean reads many short literals faster than a long one."""


def lean_bool(value: bool) -> str:
    """A truth value."""
    return core_bool(value).text


def lean_list(items: Iterable[str]) -> str:
    """A list; without Lean's own `Init` there is no bracket notation."""
    # One line and no indentation: the depth of a list is its length, and certificates have lists of thousands.
    entries = list(items)
    return "".join(f"(.cons {entry} " for entry in entries) + ".nil" + ")" * len(entries)


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
        parts = f"{core_formula(clause.obligation, numbers).text}, {core_formula(clause.formula, numbers).text}"
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
