"""The retained basis: one representative of each class of observationally equal candidates (rule 14.10)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256

import numpy as np

from tracepact.logic import Outcome
from tracepact.tools.select.observe import Observation, Screening
from tracepact.tools.select.perfect import Proof

Observed = tuple[tuple[Fraction, ...], tuple[Fraction, ...], tuple[Fraction, ...]]
"""By case the value, and the shares of classes that are vacuous and that score 0 for want of obligations."""


@dataclass(frozen=True, slots=True)
class Coordinate:
    """A representative, its values, and the candidates that have the same ones, itself among them, in order.

    `vacuous` and `counter` are the shares of the classes of each case that score 1, or 0, for want of obligations.
    """

    candidate: int
    cost: int
    values: tuple[Fraction, ...]
    vacuous: tuple[Fraction, ...]
    counter: tuple[Fraction, ...]
    members: tuple[int, ...]
    proof: Proof

    @property
    def observed(self) -> Observed:
        """All that is observed of each member, as `observed_of` gives it."""
        return self.values, self.vacuous, self.counter


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


def observational_classes(observation: Observation) -> list[list[int]]:
    """The kept candidates by their values and by what these rest on, classes and members in order."""
    columns = (observation.numerator, observation.denominator, observation.vacuous, observation.counter)
    classes: dict[bytes, list[int]] = {}
    for index in np.flatnonzero(observation.screening == Screening.PASSED).tolist():
        digest = sha256()
        for column in columns:
            digest.update(column[index].tobytes())
        classes.setdefault(digest.digest(), []).append(index)
    if all(len(own) == 1 for own in observation.entries):
        return list(classes.values())
    merged: dict[Observed, list[int]] = {}
    for members in classes.values():
        merged.setdefault(observed_of(observation, members[0]), []).extend(members)
    return sorted((sorted(members) for members in merged.values()), key=lambda members: members[0])


def observed_of(observation: Observation, candidate: int) -> Observed:
    """All that is observed of a candidate: its values, and the shares of both kinds of want."""
    vacuous, counter = (observation.shares(flags, candidate) for flags in (observation.vacuous, observation.counter))
    return observation.values(candidate), vacuous, counter


def is_constant(values: Sequence[Fraction]) -> bool:
    """Whether there is one value on all cases."""
    return len(set(values)) <= 1


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
    for done, members in enumerate(classes):
        on_stage(done, len(classes))
        values, vacuous, counter = observed_of(observation, members[0])
        if is_constant(values):
            value = values[0] if values else None
            constants[value] = tuple(sorted((*constants.get(value, ()), *members)))
            continue
        out: set[int] = set()
        for candidate in sorted(members, key=lambda index: (costs[index], index)):
            proof = prove(candidate)
            if proof.outcome is Outcome.YES:
                proofs[proof.by] = proofs.get(proof.by, 0) + 1
                kept = tuple(index for index in members if index not in out)
                coordinates.append(Coordinate(candidate, costs[candidate], values, vacuous, counter, kept, proof))
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
