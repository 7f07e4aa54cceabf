"""Exact truth signatures as bitsets: formulas on every small environment, clauses on given traces; their measures."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from tracepact.core import (
    Always,
    And,
    Contract,
    Eventually,
    Formula,
    Not,
    Since,
    Until,
    cost,
    depth,
    lookahead,
    lookback,
    size,
    subformulas,
)
from tracepact.events import evaluate_events
from tracepact.frozen import dataclass
from tracepact.logic.enumerate import Universe
from tracepact.logic.vocabulary import over_base_atoms
from tracepact.monitor import IntegerAlgebra, evaluate_masks
from tracepact.trace import Family, Layout
from tracepact.trace.family import Atoms


@dataclass(frozen=True, slots=True)
class Signature:
    """Truth values as one array of bits; equal signatures have equal digests."""

    bits: bytes
    places: int

    @property
    def digest(self) -> str:
        """The SHA-256 of the bits."""
        return sha256(self.bits).hexdigest()

    @property
    def true(self) -> int:
        """At how many places it is true."""
        return int.from_bytes(self.bits, "little").bit_count()


def signatures(
    formulas: Iterable[Formula], names: Sequence[str], lengths: Iterable[int], *, free: bool = False
) -> list[Signature]:
    """The signature of every formula over all environments of the given lengths; equal parts are evaluated once.

    Two formulas over these base atoms have equal signatures exactly when they agree at every frame of every such trace.
    Each frame of each length takes whole bytes; the places are the environment-frames.
    """
    bases = [formula if free else over_base_atoms(formula) for formula in formulas]
    pieces: list[list[bytes]] = [[] for _ in bases]
    total = 0
    for frames in lengths:
        universe = Universe(names, frames)
        total += frames * universe.size
        known: dict[Formula, list[int]] = {}
        octets = -(-universe.size // 8)
        for base, own in zip(bases, pieces, strict=True):
            own.extend(mask.to_bytes(octets, "little") for mask in universe.truth(base, known))
    return [Signature(b"".join(own), total) for own in pieces]


def signature_classes(found: Sequence[Signature]) -> Iterator[list[int]]:
    """The indices of equal signatures, each class in order."""
    groups: dict[str, list[int]] = {}
    for index, signature in enumerate(found):
        groups.setdefault(signature.digest, []).append(index)
    yield from groups.values()


def clause_signatures(contract: Contract, family: Family) -> dict[str, Signature]:
    """Where each clause is violated on given traces: frames of frame clauses, first frames of violated intervals.

    The places are the frames of all clips and classes, laid out alike for every clause.
    """
    layout = family.layout(contract.reach)
    atoms, keep = Atoms(family, layout), layout.valid & ~Atoms(family, layout).ignored
    clauses = contract.frame_clauses
    asked = [And(clause.obligation, Not(clause.formula)) for clause in clauses]
    masks = evaluate_masks(asked, atoms, IntegerAlgebra(layout.valid, layout.longest))
    violated = {clause.name: mask & keep for clause, mask in zip(clauses, masks, strict=True)}
    if contract.event_clauses:
        violated |= _violated_intervals(contract, family, layout)
    places = int(layout.frames.sum())
    return {c.name: Signature(layout.to_words(violated[c.name]).tobytes(), places) for c in contract.clauses}


def _violated_intervals(contract: Contract, family: Family, layout: Layout) -> dict[str, int]:
    found: dict[str, int] = {}
    for evaluation in evaluate_events(contract, family).clauses:
        mask = 0
        for segment, obligation in evaluation.violated:
            interval = obligation.pred if evaluation.clause.each.value == "pred" else obligation.ref
            assert interval is not None
            mask |= 1 << (int(layout.start[segment]) + interval[0])
        found[evaluation.clause.name] = mask
    return found


@dataclass(frozen=True, slots=True)
class Measures:
    """How far a formula looks, how deep and large it is, what it costs to monitor."""

    depth: int
    lookback: int
    lookahead: int
    radius: int
    nodes: int
    cost: int


def measures(formula: Formula) -> Measures:
    """The measures of a formula; the radius is the farthest offset of any window."""
    return Measures(
        depth(formula), lookback(formula), lookahead(formula), _radius(formula), size(formula), cost(formula)
    )


def _radius(formula: Formula) -> int:
    farthest = 0
    for part in subformulas(formula):
        match part:
            case Eventually(lo, hi, _) | Always(lo, hi, _):
                farthest = max(farthest, abs(lo), abs(hi))
            case Until(radius, _, _) | Since(radius, _, _):
                farthest = max(farthest, radius)
            case _:
                pass
    return farthest
