"""What is required of a set of coordinates, as rows of a set cover: pairs told apart, named faults (14.12 to 14.17)."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tracepact.tools.select.calibration import Case
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


@dataclass(frozen=True, slots=True)
class Fault:
    """Cases that are one fault, and all others it is compared with, by their places."""

    name: str
    cases: tuple[int, ...]
    others: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PairBlend:
    """Pairs with weights: where weights on clauses keep the order, some clause is lower on the blend (14.18)."""

    weights: tuple[tuple[Pair, Fraction], ...]


@dataclass(frozen=True, slots=True)
class Row:
    """Something required, or that follows from what is, and the mask of the coordinates that meet it."""

    of: Pair | Fault | PairBlend
    coordinates: int


def rank_pairs(cases: Sequence[Case]) -> list[Pair]:
    """All pairs of different rank in one group, the worse case first."""
    return [
        Pair(i, j)
        for i, worse in enumerate(cases)
        for j, better in enumerate(cases)
        if worse.rank > better.rank and worse.group == better.group
    ]


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
    gap = coordinate.values[pair.better] - coordinate.values[pair.worse]
    if gap <= 0:
        return gap
    vacuous, counter = coordinate.vacuous, coordinate.counter
    helped = max(Fraction(0), vacuous[pair.better] - vacuous[pair.worse])
    helped += max(Fraction(0), counter[pair.worse] - counter[pair.better])
    return max(Fraction(0), gap - helped)


def names(coordinate: Coordinate, fault: Fault) -> bool:
    """Whether every case of the fault has a strictly smaller value than every other, and not for want of obligations.

    A class of a case that scores 0 for want of obligations counts as 1 there (14.17).
    """
    values, counter = coordinate.values, coordinate.counter
    others = [values[place] for place in fault.others]
    return not others or max(values[place] + counter[place] for place in fault.cases) < min(others)


def requirement_rows(
    cases: Sequence[Case], coordinates: Sequence[Coordinate], requirements: Sequence[Requirement]
) -> list[Row]:
    """A row for each thing that is required; one that no coordinate meets has an empty mask."""
    rows: list[Row] = []
    if Requirement.SEPARATE in requirements or Requirement.ORDER in requirements:
        rows += pair_rows(coordinates, rank_pairs(cases))
    if Requirement.NAME in requirements:
        rows += [Row(f, _mask(np.array([names(c, f) for c in coordinates], dtype=np.bool_))) for f in faults(cases)]
    return rows


def pair_rows(coordinates: Sequence[Coordinate], pairs: Sequence[Pair]) -> list[Row]:
    """By pair the coordinates that are lower on the worse case."""
    if not coordinates:
        return [Row(pair, 0) for pair in pairs]
    levels = np.array([_levels(c.values) for c in coordinates], dtype=np.int64)
    wanting = [place for place, c in enumerate(coordinates) if any(c.vacuous) or any(c.counter)]
    rows = []
    for pair in pairs:
        lower = levels[:, pair.worse] < levels[:, pair.better]
        for place in wanting:
            lower[place] = lower[place] and difference(coordinates[place], pair) > 0
        rows.append(Row(pair, _mask(lower)))
    return rows


def _levels(values: Sequence[Fraction]) -> list[int]:
    """The values as whole numbers in the same order."""
    order = {value: level for level, value in enumerate(sorted(set(values)))}
    return [order[value] for value in values]


def _mask(flags: NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little") if flags.size else 0
