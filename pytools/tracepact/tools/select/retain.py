"""The retained basis: one representative of each class of observationally equal candidates (rule 14.10)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256

import numpy as np

from tracepact.logic import Outcome
from tracepact.tools.select.observe import Observation, Screening
from tracepact.tools.select.perfect import Proof
from tracepact.tools.select.seen import Seen

_BLOCK = 2048
"""So many candidates are brought to lowest terms at a time."""


@dataclass(frozen=True, slots=True)
class Coordinate:
    """A representative, what is seen of it, and the candidates that share it, itself among them, in order."""

    candidate: int
    cost: int
    seen: Seen = field(compare=False)
    members: tuple[int, ...]
    proof: Proof

    @property
    def values(self) -> tuple[Fraction, ...]:
        """By case the value; made anew whenever it is asked for."""
        return self.seen.values

    @property
    def vacuous(self) -> tuple[Fraction, ...]:
        """By case the share of its classes that score 1 for want of obligations."""
        return self.seen.vacuous_shares

    @property
    def counter(self) -> tuple[Fraction, ...]:
        """By case the share of its classes that score 0 for want of obligations."""
        return self.seen.counter_shares


@dataclass(frozen=True, slots=True)
class Basis:
    """Where every candidate went: to a coordinate, to a constant, or out.

    `refuted` passed the tests on perfect predictions and failed the proof; `undecided` stayed open and are not used.
    `proofs` counts what the representatives rest on. The other members passed the tests and were not asked about.
    """

    candidates: int
    coordinates: tuple[Coordinate, ...]
    constants: dict[Fraction | None, tuple[int, ...]]
    by_reference: int
    by_short_trace: int
    refuted: tuple[int, ...]
    undecided: tuple[int, ...]
    proofs: dict[str, int]

    @property
    def dropped(self) -> int:
        """How many candidates a perfect prediction is known not to satisfy."""
        return self.by_reference + self.by_short_trace + len(self.refuted)

    @property
    def only_tested(self) -> int:
        """How many candidates passed the tests and were not proved perfect: members beside their representative."""
        return sum(len(c.members) - 1 for c in self.coordinates) + sum(map(len, self.constants.values()))


@dataclass(frozen=True, slots=True, eq=False)
class ObservedClass:
    """Candidates of which the same is seen, in order, and that."""

    members: tuple[int, ...]
    seen: Seen


def observational_classes(observation: Observation) -> list[ObservedClass]:
    """The kept candidates by their values and by what these rest on, classes and members in order.

    What satisfies as many obligations of one kind everywhere is together before any value is made.
    """
    alike: dict[tuple[int, bytes], list[int]] = {}
    for index in np.flatnonzero(observation.screening == Screening.PASSED).tolist():
        row = observation.place[index]
        digest = sha256(observation.satisfied[row].tobytes()).digest()
        alike.setdefault((int(observation.kind[row]), digest), []).append(index)
    groups = list(alike.values())
    merged: dict[bytes, tuple[list[int], Seen]] = {}
    for start in range(0, len(groups), _BLOCK):
        block = groups[start : start + _BLOCK]
        seen = observation.seen([members[0] for members in block])
        for place, members in enumerate(block):
            own = seen[place]
            merged.setdefault(sha256(own.key).digest(), ([], own))[0].extend(members)
    classes = [ObservedClass(tuple(sorted(members)), seen) for members, seen in merged.values()]
    return sorted(classes, key=lambda one: one.members[0])


def retain(
    observation: Observation,
    costs: Sequence[int],
    prove: Callable[[int], Proof],
    on_stage: Callable[[int, int], None] = lambda done, total: None,
) -> Basis:
    """Collapse the kept candidates; of each class the first in (cost, order) that is proved perfect stays."""
    coordinates: list[Coordinate] = []
    constants: dict[Fraction | None, tuple[int, ...]] = {}
    refuted: list[int] = []
    undecided: list[int] = []
    proofs: dict[str, int] = {}
    classes = observational_classes(observation)
    for done, one in enumerate(classes):
        on_stage(done, len(classes))
        members = one.members
        if one.seen.is_constant():
            value = next(iter(one.seen.values), None)
            constants[value] = tuple(sorted((*constants.get(value, ()), *members)))
            continue
        out: set[int] = set()
        for candidate in sorted(members, key=lambda index: (costs[index], index)):
            proof = prove(candidate)
            if proof.outcome is Outcome.YES:
                proofs[proof.by] = proofs.get(proof.by, 0) + 1
                kept = tuple(index for index in members if index not in out)
                coordinates.append(Coordinate(candidate, costs[candidate], one.seen, kept, proof))
                break
            out.add(candidate)
            (refuted if proof.outcome is Outcome.NO else undecided).append(candidate)
    coordinates.sort(key=lambda coordinate: coordinate.candidate)
    counts = np.bincount(observation.screening, minlength=len(Screening)).tolist()
    return Basis(
        len(observation),
        tuple(coordinates),
        constants,
        counts[Screening.FAILED_ON_REFERENCE],
        counts[Screening.FAILED_ON_SHORT_TRACE],
        tuple(sorted(refuted)),
        tuple(sorted(undecided)),
        proofs,
    )
