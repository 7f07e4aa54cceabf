"""Soft scores of a contract on a soft family: means of margins over the obligations, exact (rule 18.10)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tracepact.core import Aggregation, Contract
from tracepact.monitor import evaluate_masks
from tracepact.soft.algebra import Ranks
from tracepact.soft.family import SoftAtoms, SoftFamily
from tracepact.soft.values import Margin

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class SoftEntry:
    """What one clip and class, or all together, contribute: the sum of the cut values, and the counts."""

    total: Fraction
    satisfied: int
    obligated: int
    least: Margin | None

    @property
    def vacuous(self) -> bool:
        """Whether nothing is asked."""
        return not self.obligated

    @property
    def value(self) -> Fraction:
        """The mean of the cut values; 1 without obligations."""
        return self.total / self.obligated if self.obligated else Fraction(1)

    def __add__(self, other: "SoftEntry") -> "SoftEntry":
        least = min((m for m in (self.least, other.least) if m is not None), default=None)
        return SoftEntry(
            self.total + other.total, self.satisfied + other.satisfied, self.obligated + other.obligated, least
        )


NOTHING = SoftEntry(Fraction(0), 0, 0, None)


@dataclass(frozen=True, slots=True)
class SoftScore:
    """A soft score with what is behind it.

    Attributes:
        value: the mean of the margins of the obligations, each cut to [−1, 1], under an aggregation.
        satisfied: how many obligations are satisfied: those with a positive margin.
        obligated: how many obligations there are.
        least: the least margin; None without obligations.
        vacuous: whether nothing is asked.
    """

    value: Fraction
    satisfied: int
    obligated: int
    least: Margin | None
    vacuous: bool


@dataclass(frozen=True, eq=False)
class SoftCard:
    """The soft values of every frame clause of a contract on a family.

    Attributes:
        contract: the contract.
        family: the clips and classes.
        atoms: the ranks of the atoms over their layout.
        judged: the frames of the clips that are not ignored.
        duties: by clause, the ranks of its obligation.
        values: by clause, the ranks of its formula.
    """

    contract: Contract
    family: SoftFamily
    atoms: SoftAtoms
    judged: Flags
    duties: Mapping[str, Ranks]
    values: Mapping[str, Ranks]

    @cached_property
    def obligations(self) -> Mapping[str, Flags]:
        """By clause, where it asks."""
        return {name: (ranks > 0) & self.judged for name, ranks in self.duties.items()}

    def margins(self, clause: str, clip: int, label: int) -> list[tuple[int, Margin]]:
        """The obligated frames of a clip and class, both by index, each with its margin."""
        segment = label * len(self.family.clips) + clip
        obliged = self.atoms.gather(self.obligations[clause], segment)
        ranks = self.atoms.gather(self.values[clause], segment)
        return [(i, self.atoms.levels.value(int(ranks[i]))) for i in np.flatnonzero(obliged).tolist()]

    def violated(self, clause: str) -> Iterator[tuple[tuple[int, int], Margin]]:
        """Every violated frame of a clause, as segment and frame, with its margin."""
        ranks = self.values[clause]
        positions = np.flatnonzero(self.obligations[clause] & (ranks < 0))
        segments, frames = self.atoms.layout.locate(positions)
        distinct, places = np.unique(ranks[positions], return_inverse=True)
        values = [self.atoms.levels.value(rank) for rank in distinct.tolist()]
        for segment, frame, place in zip(segments.tolist(), frames.tolist(), places.tolist(), strict=True):
            yield (segment, frame), values[place]

    def entry(self, clause: str, clip: int, label: int) -> SoftEntry:
        """The sum and counts of one clip and class."""
        segment = label * len(self.family.clips) + clip
        obliged = self.atoms.gather(self.obligations[clause], segment)
        ranks = self.atoms.gather(self.values[clause], segment)[obliged]
        if not len(ranks):
            return NOTHING
        levels = self.atoms.levels
        return SoftEntry(levels.total(ranks), int((ranks > 0).sum()), len(ranks), levels.value(int(ranks.min())))

    def score(self, clause: str, aggregation: Aggregation | None = None) -> SoftScore:
        """The soft score of a clause under an aggregation; the contract's own by default."""
        entries = [
            [self.entry(clause, clip, label) for clip in range(len(self.family.clips))]
            for label in range(len(self.family.classes))
        ]
        return aggregate_soft(entries, aggregation or self.contract.aggregation)

    def vector(self, aggregation: Aggregation | None = None) -> dict[str, SoftScore]:
        """The soft score of every frame clause, in source order."""
        return {clause.name: self.score(clause.name, aggregation) for clause in self.contract.frame_clauses}


def soft_scores(contract: Contract, family: SoftFamily) -> SoftCard:
    """Evaluate every frame clause of a contract softly on every clip and class of a family."""
    atoms = SoftAtoms(family, family.layout(contract.reach))
    ranks = evaluate_masks(contract.formulas, atoms, atoms.algebra)
    names = [clause.name for clause in contract.frame_clauses]
    judged = ~atoms.spread(family.ignored, True)
    duties, values = (dict(zip(names, found, strict=True)) for found in (ranks[::2], ranks[1::2]))
    return SoftCard(contract, family, atoms, judged, duties, values)


def aggregate_soft(entries: Sequence[Sequence[SoftEntry]], aggregation: Aggregation) -> SoftScore:
    """One soft score of entries by class and clip: rule 7.5 with sums in the place of counts."""
    pooled = sum((entry for row in entries for entry in row), NOTHING)
    informative = aggregation in (Aggregation.MACRO_CLIPS_INFORMATIVE, Aggregation.MACRO_CLASSES_INFORMATIVE)
    match aggregation:
        case Aggregation.POOLED:
            groups = [[pooled]]
        case Aggregation.MACRO_CLASSES | Aggregation.MACRO_CLASSES_INFORMATIVE:
            groups = [[sum(row, NOTHING) for row in entries]]
        case Aggregation.MACRO_CLIPS | Aggregation.MACRO_CLIPS_INFORMATIVE:
            groups = [list(column) for column in zip(*entries, strict=True)]
    means = [
        sum(values, Fraction(0)) / len(values)
        for values in ([entry.value for entry in group if not (informative and entry.vacuous)] for group in groups)
        if values
    ]
    value = sum(means, Fraction(0)) / len(means) if means else Fraction(1)
    return SoftScore(value, pooled.satisfied, pooled.obligated, pooled.least, pooled.vacuous)
