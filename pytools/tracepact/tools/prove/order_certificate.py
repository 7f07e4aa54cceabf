"""Certificates of the order of a selection: the values of its cases, the weights, and that every pair is ordered."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from pathlib import Path

from tracepact.core import Aggregation, Contract
from tracepact.diagnostics import Diagnostics, InvalidInput, RowPlace, known_name
from tracepact.files import write_whole
from tracepact.lang import parse_contract
from tracepact.scoring import Scorecard, score_family
from tracepact.tools.folders import listed_files, write_results
from tracepact.tools.order_claim import ClaimedCase, OrderClaim
from tracepact.tools.prove.build import Build
from tracepact.tools.prove.certify import COMMAND
from tracepact.tools.prove.family import NAMESPACE, family_part, lean_contract, left_out
from tracepact.tools.prove.prove import Theorem, axioms_of
from tracepact.tools.prove.scan import ORDER, scan
from tracepact.tools.prove.text import lean_list
from tracepact.trace import Durations, EventTable, Mode, assemble
from tracepact.trace.exact_times import common_unit

IMPORT = "import Tracepact.Thm.Order\n"
"""The first line, by which such a certificate is known."""

_OPENING = """\
/-!
Certificate of the order of `{name}`, contract {digest}.

Times are in units of 1/{unit} s. A case is a family of one clip: for each of its labels its duration and the events of
the reference and of the prediction. `keeps` says: under `contract` each case, scored alone from its own times, has the
row of `table` as its means over clips, in parts of 1/{scale}; and on every pair, its worse case first, the sum of the
values times the `weights` is lower by `margin` or more. Divided by {scale} and by the total of the weights, {total},
that is the profile `{profile}` and a margin of {margin}. `everywhere` says it of every corpus: whatever clips of the
same labels are scored beside them, their values added up. Anyone who has Lean and the proof core can check this file
again.
-/
set_option autoImplicit false
set_option exponentiation.threshold 1000000000
set_option maxRecDepth 1000000
set_option maxHeartbeats 0
noncomputable section
namespace Tracepact.Certificate
"""
_EVERYWHERE = """\
theorem everywhere : (p : CasePair) → Mem p pairs → Exists fun worse => Exists fun better =>
    And (RowAt table p.worse worse) (And (RowAt table p.better better)
      ((others : List (List Nat)) → LowerBy weights margin (corpusValues worse others) (corpusValues better others))) :=
  orders_everywhere weights margin table pairs keeps.ordered"""


@dataclass(frozen=True, slots=True)
class OrderCertificate:
    """The text of a certificate, its theorems, and what it states: values by case, whole weights, the margin."""

    text: str
    theorems: tuple[str, ...]
    clauses: tuple[str, ...]
    values: tuple[tuple[Fraction, ...], ...]
    weights: tuple[int, ...]
    margin: Fraction


@dataclass(frozen=True, slots=True)
class OrderCertified:
    """Whether the kernel accepts a certificate, why not, or why nothing is known."""

    file: Path
    theorems: int
    refused: str | None = None
    undecided: str | None = None


def order_certificate(claim: OrderClaim, file: str) -> OrderCertificate:
    """The certificate of a claim, its values computed anew from the contract and the cases.

    InvalidInput if the contract cannot be compiled or has no such profile, or if it uses what a certificate cannot
    state. That the pairs are ordered is for the kernel to say.
    """
    contract = parse_contract(claim.contract, name=file)
    profiles = {profile.name: profile for profile in contract.profiles}
    known_name(claim.profile, profiles, "profile", "unknown-profile")
    given = dict(profiles[claim.profile].weights)
    weights = _whole([given.get(clause.name, Fraction(0)) for clause in contract.clauses])
    cards = [_scored(contract, case, file) for case in claim.cases]
    values = [[c.score(clause.name, Aggregation.MACRO_CLIPS).value for clause in contract.clauses] for c in cards]
    scale = lcm(*(value.denominator for row in values for value in row), claim.margin.denominator)
    unit = _unit(contract, claim.cases)
    total = sum(weights)
    opening = _OPENING.format(
        name=contract.name,
        digest=contract.digest,
        unit=unit,
        scale=scale,
        total=total,
        profile=claim.profile,
        margin=claim.margin,
    )
    lines = [IMPORT + opening.rstrip("\n"), f"def contract : Contract :=\n  {lean_contract(contract, unit)}"]
    theorems: list[str] = []
    for number, (card, case) in enumerate(zip(cards, claim.cases, strict=True), start=1):
        written, names = family_part(card, *_tables(case, file), {case.name: case.duration}, unit, f"case{number}_")
        lines += [f"-- case {number}", *written]
        theorems += names
    rows = [[int(value * scale) for value in row] for row in values]
    lines += _order(rows, weights, int(claim.margin * scale) * total, scale, claim)
    theorems += ["keeps", "everywhere"]
    return OrderCertificate(
        "\n".join(lines) + "\n",
        tuple(f"{NAMESPACE}.{name}" for name in theorems),
        tuple(clause.name for clause in contract.clauses),
        tuple(map(tuple, values)),
        tuple(weights),
        claim.margin,
    )


def _order(
    rows: Sequence[Sequence[int]], weights: Sequence[int], margin: int, scale: int, claim: OrderClaim
) -> list[str]:
    """The table, the weights, the pairs and the two theorems about them."""
    numbers = range(1, len(rows) + 1)
    pairs = lean_list(f"⟨{worse}, {better}⟩" for worse, better in claim.pairs)
    table = lean_list(lean_list(map(str, row)) for row in rows)
    scored = "".join(f"(.more case{k}_scores rfl " for k in numbers) + ".none" + ")" * len(rows)
    parts = f"contract {scale} weights margin cases table pairs"
    return [
        f"def cases : List (List (List Sides)) := {lean_list(f'case{k}_family' for k in numbers)}",
        f"def table : List (List Nat) := {table}",
        f"def weights : List Nat := {lean_list(map(str, weights))}",
        f"def margin : Nat := {margin}",
        f"def pairs : List CasePair := {pairs}",
        f"theorem keeps : KeepsOrder {parts} :=\n  order_certified {parts}\n    {scored} (id rfl)",
        _EVERYWHERE,
        "#print axioms keeps",
        "#print axioms everywhere",
        f"end {NAMESPACE}",
    ]


def certify_order(claim: OrderClaim, source: str, build: Build, file: Path) -> tuple[OrderCertified, OrderCertificate]:
    """Write the certificate of a claim into a file and have the kernel check it.

    A folder that is not the selection's own is listed as one that `certify` wrote, so that it can be written again.
    """
    certificate = order_certificate(claim, source)
    if listed_files(file.parent, COMMAND) is not None or not file.parent.exists() or not any(file.parent.iterdir()):
        write_results(file.parent, COMMAND, {file.name: certificate.text})
    else:
        write_whole({file: certificate.text})
    return _checked(build, file, certificate), certificate


def recheck_order(claim: OrderClaim, source: str, build: Build, file: Path) -> tuple[OrderCertified, OrderCertificate]:
    """Check a kept certificate: that it is the one of the claim, byte for byte, and that the kernel accepts it."""
    certificate = order_certificate(claim, source)
    if file.read_bytes() != certificate.text.encode():
        return OrderCertified(file, 0, refused="it is not the certificate of the selection given"), certificate
    return _checked(build, file, certificate), certificate


def is_order_certificate(file: Path) -> bool:
    """Whether a file claims to be a certificate of an order."""
    with file.open(encoding="utf-8", errors="replace") as text:
        return text.readline() == IMPORT


def _checked(build: Build, file: Path, certificate: OrderCertificate) -> OrderCertified:
    faults = scan(certificate.text, ORDER).faults
    if faults:
        return OrderCertified(file, 0, refused=faults[0])
    outcome = build.check(certificate.text)
    if outcome.limit is not None:
        return OrderCertified(file, 0, undecided=outcome.fault)
    if not outcome.clean:
        return OrderCertified(file, 0, refused=outcome.fault)
    found = axioms_of(outcome)
    for name in certificate.theorems[-2:]:
        if not Theorem(name, found.get(name)).proved(build.toolchain.kind.axioms):
            return OrderCertified(file, 0, refused=f"{name} rests on {found.get(name)}")
    return OrderCertified(file, len(certificate.theorems))


def _scored(contract: Contract, case: ClaimedCase, file: str) -> Scorecard:
    """A case scored alone, over its own labels (14.9)."""
    diagnostics = Diagnostics()
    durations = Durations(file, {case.name: case.duration})
    mode = Mode.CLASS_INDEXED if case.ref or case.pred else Mode.UNION  # without a label there is one empty class
    family = assemble(contract, *_tables(case, file), durations=durations, mode=mode, diagnostics=diagnostics)
    diagnostics.raise_errors()
    card = score_family(contract, family)
    reason = left_out(card)
    if reason is not None:
        diagnostics.add("not-certifiable", f"a certificate of an order does not cover {reason}", RowPlace(file))
        raise InvalidInput(diagnostics)
    return card


def _tables(case: ClaimedCase, file: str) -> tuple[EventTable, EventTable]:
    ref, pred = (EventTable(file, {case.name: tuple(e.event for e in side)}) for side in (case.ref, case.pred))
    return ref, pred


def _unit(contract: Contract, cases: Sequence[ClaimedCase]) -> int:
    times = [time for case in cases for e in (*case.ref, *case.pred) for time in (e.onset, e.offset)]
    return common_unit(
        times, [case.duration for case in cases], (contract.step, contract.merge_gap, contract.matcher.search)
    )


def _whole(weights: Sequence[Fraction]) -> list[int]:
    """The weights as whole numbers."""
    common = lcm(*(weight.denominator for weight in weights))
    return [int(weight * common) for weight in weights]
