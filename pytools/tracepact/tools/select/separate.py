"""What is required of a set of coordinates, one by one: pairs told apart, named faults (14.12 to 14.17)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tracepact.calibration.calibration import Case
from tracepact.tools.select.retain import Coordinate


class Requirement(Enum):
    """What a selected contract is to do.

    Attributes:
        SEPARATE: of two cases of different rank some clause is lower on the worse one.
        ORDER: its weights make the mean of the clauses lower on the worse of any two cases of different rank.
        NAME: every fault has a clause that is lowest on it alone.
    """

    SEPARATE = "separate"
    ORDER = "order"
    NAME = "name"


DEFAULT_REQUIREMENTS = (Requirement.ORDER, Requirement.NAME)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two cases of different rank, by their places."""

    worse: int
    better: int

    @property
    def pairs(self) -> tuple["Pair", ...]:
        """What a coordinate that meets it is lower on: the pair alone."""
        return (self,)


@dataclass(frozen=True, slots=True)
class Fault:
    """Cases that are one fault, and all others it is compared with, by their places."""

    name: str
    cases: tuple[int, ...]
    others: tuple[int, ...]

    @property
    def pairs(self) -> Iterator[Pair]:
        """What a coordinate that meets it is lower on: each of its cases before each of the others."""
        return (Pair(own, other) for own in self.cases for other in self.others)


@dataclass(frozen=True, slots=True)
class PairBlend:
    """Pairs with weights: where weights on clauses keep the order, some clause is lower on the blend (14.18)."""

    weights: tuple[tuple[Pair, Fraction], ...]


def blend_words(pairs: Sequence[tuple[str, str]]) -> str:
    """What a blend asks of a clause, in words; each pair has the worse case first."""
    return f"lower, in a weighted mean, on the worse cases of {', '.join(f'`{a}` below `{b}`' for a, b in pairs)}"


@dataclass(frozen=True, slots=True)
class Row:
    """Something required, or that follows from what is, and the mask of the coordinates that meet it."""

    of: Pair | Fault | PairBlend
    coordinates: int


def rank_pairs(cases: Sequence[Case]) -> list[Pair]:
    """All pairs of different rank in one group, the worse case first."""
    level, group = rank_levels(cases), np.unique([case.group for case in cases], return_inverse=True)[1]
    worse, better = np.nonzero((level[:, None] > level) & (group[:, None] == group))
    return [Pair(i, j) for i, j in zip(worse.tolist(), better.tolist(), strict=True)]


def rank_levels(cases: Sequence[Case]) -> NDArray[np.intp]:
    """By case how many smaller ranks there are."""
    ranks = {rank: level for level, rank in enumerate(sorted({case.rank for case in cases}))}
    return np.array([ranks[case.rank] for case in cases], dtype=np.intp)


def faults(cases: Sequence[Case]) -> list[Fault]:
    """The faults in order of their first case; a perfect case is none (14.13)."""
    found: dict[tuple[str, str], list[int]] = {}
    for place, case in enumerate(cases):
        if not case.perfect:
            found.setdefault((case.group, case.fault), []).append(place)
    return [
        Fault(
            f"{name}, {group}" if group else name,
            tuple(own),
            tuple(k for k, case in enumerate(cases) if case.group == group and k not in own),
        )
        for (group, name), own in found.items()
    ]


def separates(values: Sequence[Fraction], pair: Pair) -> bool:
    """Whether the worse case has the strictly smaller value."""
    return values[pair.worse] < values[pair.better]


def difference(coordinate: Coordinate, pair: Pair) -> Fraction:
    """By how much a coordinate is lower on the worse case; what is for want of obligations does not help (14.17)."""
    seen = coordinate.seen.on((pair.worse, pair.better))
    worse, better = seen.values
    if better <= worse:
        return better - worse
    vacuous, counter = seen.vacuous_shares, seen.counter_shares
    helped = max(Fraction(0), vacuous[1] - vacuous[0]) + max(Fraction(0), counter[0] - counter[1])
    return max(Fraction(0), better - worse - helped)


def names(coordinate: Coordinate, fault: Fault) -> bool:
    """Whether every case of the fault has a strictly smaller value than every other, and not for want of obligations.

    A class of a case that scores 0 for want of obligations counts as 1 there (14.17).
    """
    values, counter = coordinate.values, coordinate.counter
    most = max(values[place] + counter[place] for place in fault.cases)
    return all(most < values[place] for place in fault.others)


def pair_places(pairs: Sequence[Pair]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The places of the worse cases and of the better ones."""
    both = np.array([(pair.worse, pair.better) for pair in pairs], dtype=np.intp).reshape(-1, 2)
    return both[:, 0], both[:, 1]
