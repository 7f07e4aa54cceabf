"""What is required as rows of a set cover: by pair and by fault the coordinates that meet it, many at a time."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tracepact.calibration.calibration import Case
from tracepact.tools.select.retain import Coordinate
from tracepact.tools.select.seen import Counts, Seen, products_fit
from tracepact.tools.select.separate import Fault, Pair, Requirement, Row, faults, names, pair_places, rank_pairs

Flags = NDArray[np.bool_]
Places = NDArray[np.intp]
MOST_ENTRIES = 50_000_000
"""Of more pairs times coordinates than this only the hardest pairs have rows; what is selected is checked on all."""
_HARDEST = 1000
"""How many pairs have rows then, beside those that no coordinate meets."""
_AT_A_TIME = 1_000_000
"""So many comparisons are made at a time."""
_COLUMNS = 64
"""So many coordinates are tried at a time on the pairs that none has met."""
_NEAR = 1e-9


@dataclass(frozen=True, slots=True)
class Required:
    """The pairs to be told apart or ordered, and a row for each thing that is required, or for the hardest of them.

    Every fault has a row, and so has every pair that no coordinate meets; its mask is empty.
    """

    pairs: tuple[Pair, ...]
    rows: tuple[Row, ...]

    @property
    def number(self) -> int:
        """How many things are required."""
        return len(self.pairs) + sum(isinstance(row.of, Fault) for row in self.rows)

    @property
    def met(self) -> tuple[int, ...]:
        """The masks of the rows that some coordinate meets."""
        return tuple(row.coordinates for row in self.rows if row.coordinates)

    @property
    def met_pairs(self) -> tuple[Pair, ...]:
        """The pairs that some coordinate meets."""
        unmet = {row.of for row in self.rows if not row.coordinates}
        return tuple(pair for pair in self.pairs if pair not in unmet) if unmet else self.pairs

    @property
    def whole(self) -> bool:
        """Whether every pair has a row."""
        return sum(isinstance(row.of, Pair) for row in self.rows) == len(self.pairs)


def required_of(
    cases: Sequence[Case], coordinates: Sequence[Coordinate], requirements: Sequence[Requirement]
) -> Required:
    """What is required of the coordinates."""
    pairs: tuple[Pair, ...] = ()
    rows: list[Row] = []
    if Requirement.SEPARATE in requirements or Requirement.ORDER in requirements:
        pairs = tuple(rank_pairs(cases))
        listed = pairs
        if len(pairs) * len(coordinates) > MOST_ENTRIES:
            listed = hardest_pairs(coordinates, pairs)
        rows += pair_rows(coordinates, listed)
    if Requirement.NAME in requirements:
        rows += fault_rows(coordinates, faults(cases))
    return Required(pairs, tuple(rows))


# Pairs


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """What is seen of coordinates (columns) on cases (rows), for comparing many pairs of cases."""

    tops: Counts
    bottoms: Counts
    vacuous: Counts
    counter: Counts
    classes: Counts

    @classmethod
    def of(cls, coordinates: Sequence[Coordinate]) -> "Compared":
        """At least one coordinate."""
        return cls.of_seen(Seen.stacked([coordinate.seen for coordinate in coordinates]))

    @classmethod
    def of_seen(cls, seen: Seen) -> "Compared":
        """What is seen of at least one candidate."""
        tops, bottoms = seen.tops.T, seen.bottoms.T
        if not products_fit(bottoms, bottoms, 2 * int(seen.classes.max()) ** 2):
            tops, bottoms = tops.astype(object), bottoms.astype(object)
        vacuous, counter = np.ascontiguousarray(seen.vacuous.T), np.ascontiguousarray(seen.counter.T)
        return cls(np.ascontiguousarray(tops), np.ascontiguousarray(bottoms), vacuous, counter, seen.classes)

    def lower(self, worse: Places, better: Places, columns: slice = slice(None)) -> Flags:
        """By pair (rows) and coordinate (columns) whether the difference (14.17) is positive."""
        tops, bottoms = self.tops[:, columns], self.bottoms[:, columns]
        vacuous, counter = self.vacuous[:, columns], self.counter[:, columns]
        own, other = (self.classes[places][:, None] for places in (worse, better))
        gap = tops[better] * bottoms[worse] - tops[worse] * bottoms[better]
        # what is for want of obligations, in parts of the product of both numbers of classes
        helped = np.maximum(0, vacuous[better] * own - vacuous[worse] * other)
        helped += np.maximum(0, counter[worse] * other - counter[better] * own)
        if not helped.any():
            return np.asarray(gap > 0, dtype=np.bool_)
        return np.asarray(gap * (own * other) > helped * (bottoms[worse] * bottoms[better]), dtype=np.bool_)

    def smaller(self, pairs: Iterable[Pair]) -> bool:
        """Whether some coordinate is smaller on the worse case of each pair, be it for want of anything to judge."""
        tops, bottoms = self.tops, self.bottoms
        left = np.arange(tops.shape[1])
        for pair in pairs:
            worse, better = pair.worse, pair.better
            left = left[tops[better, left] * bottoms[worse, left] > tops[worse, left] * bottoms[better, left]]
            if not left.size:
                return False
        return True

    def blocks(self, worse: Places, better: Places) -> Iterator[Flags]:
        """`lower` for some pairs at a time, in order."""
        size = max(1, _AT_A_TIME // self.tops.shape[1])
        for start in range(0, len(worse), size):
            yield self.lower(worse[start : start + size], better[start : start + size])

    def unmet(self, worse: Places, better: Places) -> Places:
        """The pairs that no coordinate meets: some coordinates at a time, on the pairs that are left."""
        left = np.arange(len(worse))
        for start in range(0, self.tops.shape[1], _COLUMNS):
            if not len(left):
                break
            columns = slice(start, start + _COLUMNS)
            size = _AT_A_TIME // _COLUMNS
            parts = [left[k : k + size] for k in range(0, len(left), size)]
            left = np.concatenate([p[~self.lower(worse[p], better[p], columns).any(axis=1)] for p in parts])
        return left


def pair_rows(coordinates: Sequence[Coordinate], pairs: Sequence[Pair]) -> list[Row]:
    """By pair the coordinates that are lower on the worse case."""
    if not coordinates or not pairs:
        return [Row(pair, 0) for pair in pairs]
    masks = (_mask(row) for flags in Compared.of(coordinates).blocks(*pair_places(pairs)) for row in flags)
    return [Row(pair, mask) for pair, mask in zip(pairs, masks, strict=True)]


def hardest_pairs(coordinates: Sequence[Coordinate], pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """The pairs that no coordinate meets, and those on which the coordinates are least lower together."""
    worse, better = pair_places(pairs)
    compared = Compared.of(coordinates)
    with np.errstate(divide="ignore"):
        sums = (compared.tops / compared.bottoms).astype(np.float64).sum(axis=1)
    hardest = np.argsort(sums[better] - sums[worse], kind="stable")[:_HARDEST]
    return tuple(pairs[k] for k in np.union1d(compared.unmet(worse, better), hardest).tolist())


# Faults


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Cases that are compared with each other, and by case which of the faults it is of; -1 is none."""

    cases: Places
    fault: Places


@dataclass(frozen=True, slots=True, eq=False)
class Naming:
    """Faults, and the groups in which they are compared."""

    asked: tuple[Fault, ...]
    groups: tuple[_Group, ...]

    @classmethod
    def of(cls, asked: Sequence[Fault]) -> "Naming":
        """The faults of a calibration set, in order."""
        groups: dict[int, _Group] = {}
        for place, fault in enumerate(asked):
            every = np.sort(np.array((*fault.cases, *fault.others), dtype=np.intp))
            group = groups.setdefault(int(every[0]), _Group(every, np.full(len(every), -1, dtype=np.intp)))
            group.fault[np.searchsorted(group.cases, fault.cases)] = place
        return cls(tuple(asked), tuple(groups.values()))

    def by(self, coordinate: Coordinate) -> list[Fault]:
        """The faults that a coordinate names, at most one in a group: the one whose cases are the lowest there.

        Floats find the lowest cases and rule out what is far from being named; fractions decide.
        """
        found = []
        tops, bottoms = coordinate.seen.tops, coordinate.seen.bottoms
        rough = (tops / bottoms).astype(np.float64)
        for group in self.groups:
            values = rough[group.cases]
            near = np.flatnonzero(values <= values.min() + _NEAR)
            exact = list(zip(tops[group.cases[near]].tolist(), bottoms[group.cases[near]].tolist(), strict=True))
            least = min(set(exact), key=lambda value: Fraction(*value))
            lowest = {int(group.fault[k]) for k, value in zip(near.tolist(), exact, strict=True) if value == least}
            (place,) = lowest if len(lowest) == 1 else (-1,)
            own = group.fault == place
            if place < 0 or ((~own).any() and values[own].max() > values[~own].min() + _NEAR):
                continue
            if names(coordinate, self.asked[place]):
                found.append(self.asked[place])
        return found


def fault_rows(coordinates: Sequence[Coordinate], asked: Sequence[Fault]) -> list[Row]:
    """By fault the coordinates that name it."""
    found, naming = dict.fromkeys(asked, 0), Naming.of(asked)
    for place, coordinate in enumerate(coordinates):
        for fault in naming.by(coordinate):
            found[fault] |= 1 << place
    return [Row(fault, mask) for fault, mask in found.items()]


def _mask(flags: Flags) -> int:
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little") if flags.size else 0
