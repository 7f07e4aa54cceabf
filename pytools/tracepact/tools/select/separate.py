"""What is required of a set of coordinates, as rows of a set cover: separated pairs, named faults (14.12, 14.13)."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tracepact.tools.select.calibration import Case
from tracepact.tools.select.retain import Coordinate


class Requirement(Enum):
    """What a selected contract is to do."""

    SEPARATE = "separate"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two cases of different rank, by their places."""

    worse: int
    better: int


@dataclass(frozen=True, slots=True)
class Fault:
    """Cases that are one fault, by their places."""

    name: str
    cases: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """Something required, and the mask of the coordinates that meet it."""

    of: Pair | Fault
    coordinates: int


def rank_pairs(cases: Sequence[Case]) -> list[Pair]:
    """All pairs of different rank, the worse case first."""
    places = range(len(cases))
    return [Pair(i, j) for i in places for j in places if cases[i].rank > cases[j].rank]


def faults(cases: Sequence[Case]) -> list[Fault]:
    """The faults in order of their first case; a perfect case is none (14.13)."""
    found: dict[str, list[int]] = {}
    for place, case in enumerate(cases):
        if not case.perfect:
            found.setdefault(case.fault, []).append(place)
    return [Fault(name, tuple(places)) for name, places in found.items()]


def separates(values: Sequence[Fraction], pair: Pair) -> bool:
    """Whether the worse case has the strictly smaller value."""
    return values[pair.worse] < values[pair.better]


def names(values: Sequence[Fraction], fault: Fault) -> bool:
    """Whether every case of the fault has a strictly smaller value than every other case."""
    others = [value for place, value in enumerate(values) if place not in fault.cases]
    return not others or max(values[place] for place in fault.cases) < min(others)


def requirement_rows(
    cases: Sequence[Case], coordinates: Sequence[Coordinate], requirements: Sequence[Requirement]
) -> list[Row]:
    """A row for each thing that is required; one that no coordinate meets has an empty mask."""
    rows: list[Row] = []
    if Requirement.SEPARATE in requirements:
        levels = np.array([_levels(c.values) for c in coordinates], dtype=np.int64)
        levels = levels.reshape(len(coordinates), len(cases))
        rows += [Row(pair, _mask(levels[:, pair.worse] < levels[:, pair.better])) for pair in rank_pairs(cases)]
    if Requirement.NAME in requirements:
        rows += [
            Row(f, _mask(np.array([names(c.values, f) for c in coordinates], dtype=np.bool_))) for f in faults(cases)
        ]
    return rows


def _levels(values: Sequence[Fraction]) -> list[int]:
    """The values as whole numbers in the same order."""
    order = {value: level for level, value in enumerate(sorted(set(values)))}
    return [order[value] for value in values]


def _mask(flags: NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little") if flags.size else 0
