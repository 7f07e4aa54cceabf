"""The requirements on a set of coordinates, by pair and by fault, as rows of a set cover (14.12 to 14.17)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tracepact.declarations import OnStage, silent
from tracepact.records import Record
from tracepact.selection.basis import Coordinate
from tracepact.selection.calibration import CalibrationCase
from tracepact.selection.cover import SECOND_OPINION, bounded, solve
from tracepact.selection.cover_problem import Clock, Cover, Problem, greedy_cover
from tracepact.selection.values import Counts, Seen, products_fit

# What is required of a set of coordinates, one by one: pairs told apart, named faults (14.12 to 14.17).


class SelectionRequirement(Enum):
    """What a selected contract is to do.

    Attributes:
        SEPARATE: of two cases of different rank some clause is lower on the worse one.
        ORDER: its weights make the mean of the clauses lower on the worse of any two cases of different rank.
        NAME: every fault has a clause that is lowest on it alone.
    """

    SEPARATE = "separate"
    ORDER = "order"
    NAME = "name"


DEFAULT_REQUIREMENTS = (SelectionRequirement.ORDER, SelectionRequirement.NAME)


class CasePair(Record, frozen=True):
    """Two cases, the worse one first."""

    worse: str
    better: str


@dataclass(frozen=True, slots=True)
class Pair:
    """Two cases of different rank, by their places."""

    worse: int
    better: int

    def names(self, cases: Sequence[CalibrationCase]) -> tuple[str, str]:
        """The names of both, the worse one first, as `CasePair` takes them."""
        return cases[self.worse].name, cases[self.better].name

    @property
    def pairs(self) -> tuple["Pair", ...]:
        """The pairs on which a coordinate that meets it is lower: this one alone."""
        return (self,)


@dataclass(frozen=True, slots=True)
class FaultCases:
    """Cases that are one fault, and all others it is compared with, by their places."""

    name: str
    cases: tuple[int, ...]
    others: tuple[int, ...]

    @property
    def pairs(self) -> Iterator[Pair]:
        """The pairs on which a coordinate that meets it is lower: each of its cases with each of the others."""
        return (Pair(case, other) for case in self.cases for other in self.others)


@dataclass(frozen=True, slots=True)
class PairBlend:
    """Pairs with weights: where weights on clauses keep the order, some clause is lower on the blend (14.18)."""

    weights: tuple[tuple[Pair, Fraction], ...]


def blend_words(pairs: Sequence[tuple[str, str]]) -> str:
    """The requirement of a blend on a clause, in words; each pair has the worse case first."""
    return f"lower, in a weighted mean, on the worse cases of {', '.join(f'`{a}` below `{b}`' for a, b in pairs)}"


@dataclass(frozen=True, slots=True)
class Row:
    """Something required, or that follows from what is, and the mask of the coordinates that meet it."""

    of: Pair | FaultCases | PairBlend
    coordinates: int


def rank_pairs(cases: Sequence[CalibrationCase]) -> list[Pair]:
    """All pairs of different rank in one group, the worse case first; then what cases without a rank are below."""
    level, group = (
        np.unique(np.array(keys, dtype=np.object_), return_inverse=True)[1]
        for keys in ([case.rank for case in cases], [case.group for case in cases])
    )
    ranked = np.array([not case.below for case in cases], dtype=np.bool_)
    worse, better = np.nonzero((level[:, None] > level) & (group[:, None] == group) & ranked[:, None] & ranked)
    places = {(case.group, case.name): place for place, case in enumerate(cases)}
    played = [
        Pair(place, places[case.group, name])
        for place, case in enumerate(cases)
        for name in case.below
        if (case.group, name) in places
    ]
    return [*(Pair(i, j) for i, j in zip(worse.tolist(), better.tolist(), strict=True)), *played]


def faults(cases: Sequence[CalibrationCase]) -> list[FaultCases]:
    """The faults in order of their first case; a perfect case is none (14.13)."""
    places: dict[tuple[str, str], list[int]] = {}
    for place, case in enumerate(cases):
        if not case.perfect and not case.below:
            places.setdefault((case.group, case.fault), []).append(place)
    return [
        FaultCases(
            f"{name}, {group}" if group else name,
            tuple(members),
            tuple(k for k, case in enumerate(cases) if case.group == group and k not in members and not case.below),
        )
        for (group, name), members in places.items()
    ]


def difference(coordinate: Coordinate, pair: Pair) -> Fraction:
    """The difference of a coordinate on a pair; what is for want of obligations does not help (14.17)."""
    seen = coordinate.seen.on((pair.worse, pair.better))
    worse, better = seen.values
    if better <= worse:
        return better - worse
    vacuous, counter = seen.vacuous_shares, seen.counter_shares
    helped = max(Fraction(0), vacuous[1] - vacuous[0]) + max(Fraction(0), counter[0] - counter[1])
    return max(Fraction(0), better - worse - helped)


def names(coordinate: Coordinate, fault: FaultCases) -> bool:
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


# What is required as rows of a set cover: by pair and by fault the coordinates that meet it, many at a time.

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
        return len(self.pairs) + sum(isinstance(row.of, FaultCases) for row in self.rows)

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
    cases: Sequence[CalibrationCase], coordinates: Sequence[Coordinate], requirements: Sequence[SelectionRequirement]
) -> Required:
    """The pairs and rows that some requirements come to."""
    pairs: tuple[Pair, ...] = ()
    rows: list[Row] = []
    if SelectionRequirement.SEPARATE in requirements or SelectionRequirement.ORDER in requirements:
        pairs = tuple(rank_pairs(cases))
        listed = pairs
        if len(pairs) * len(coordinates) > MOST_ENTRIES:
            listed = hardest_pairs(coordinates, pairs)
        rows += pair_rows(coordinates, listed)
    if SelectionRequirement.NAME in requirements:
        rows += fault_rows(coordinates, faults(cases))
    return Required(pairs, tuple(rows))


# Pairs


@dataclass(frozen=True, slots=True, eq=False)
class ComparedCoordinates:
    """The values of coordinates (columns) on cases (rows), laid out to compare many pairs of cases."""

    tops: Counts
    bottoms: Counts
    vacuous: Counts
    counter: Counts
    classes: Counts

    @classmethod
    def of(cls, coordinates: Sequence[Coordinate]) -> "ComparedCoordinates":
        """At least one coordinate."""
        return cls.of_seen(Seen.stacked([coordinate.seen for coordinate in coordinates]))

    @classmethod
    def of_seen(cls, scores: Seen) -> "ComparedCoordinates":
        """The values of at least one candidate."""
        tops, bottoms = scores.tops.T, scores.bottoms.T
        if not products_fit(bottoms, bottoms, 2 * int(scores.classes.max()) ** 2):
            tops, bottoms = tops.astype(object), bottoms.astype(object)
        vacuous, counter = np.ascontiguousarray(scores.vacuous.T), np.ascontiguousarray(scores.counter.T)
        return cls(np.ascontiguousarray(tops), np.ascontiguousarray(bottoms), vacuous, counter, scores.classes)

    def lower(self, worse: Places, better: Places, columns: slice = slice(None)) -> Flags:
        """By pair (rows) and coordinate (columns) whether the difference (14.17) is positive."""
        tops, bottoms = self.tops[:, columns], self.bottoms[:, columns]
        vacuous, counter = self.vacuous[:, columns], self.counter[:, columns]
        ours, theirs = (self.classes[places][:, None] for places in (worse, better))
        gap = tops[better] * bottoms[worse] - tops[worse] * bottoms[better]
        # what is for want of obligations, in parts of the product of both numbers of classes
        helped = np.maximum(0, vacuous[better] * ours - vacuous[worse] * theirs)
        helped += np.maximum(0, counter[worse] * theirs - counter[better] * ours)
        if not helped.any():
            return np.asarray(gap > 0, dtype=np.bool_)
        return np.asarray(gap * (ours * theirs) > helped * (bottoms[worse] * bottoms[better]), dtype=np.bool_)

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
        # pairs times coordinates are compared block by block: the whole table would not fit in memory
        size = max(1, _AT_A_TIME // self.tops.shape[1])
        for start in range(0, len(worse), size):
            yield self.lower(worse[start : start + size], better[start : start + size])

    def unmet(self, worse: Places, better: Places) -> Places:
        """The pairs that no coordinate meets: some coordinates at a time, on the pairs that are left."""
        left = np.arange(len(worse))
        # most pairs are met by one of the first coordinates, and are not looked at again
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
    masks = (_mask(row) for flags in ComparedCoordinates.of(coordinates).blocks(*pair_places(pairs)) for row in flags)
    return [Row(pair, mask) for pair, mask in zip(pairs, masks, strict=True)]


def hardest_pairs(coordinates: Sequence[Coordinate], pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """The pairs that no coordinate meets, and those on which the coordinates are least lower together."""
    worse, better = pair_places(pairs)
    compared = ComparedCoordinates.of(coordinates)
    with np.errstate(divide="ignore"):
        # floats choose which pairs have rows; whatever they choose, what is selected is checked on all pairs
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

    every: tuple[FaultCases, ...]
    groups: tuple[_Group, ...]

    @classmethod
    def of(cls, several: Sequence[FaultCases]) -> "Naming":
        """The faults of a calibration set, in order."""
        groups: dict[int, _Group] = {}
        for place, fault in enumerate(several):
            every = np.sort(np.array((*fault.cases, *fault.others), dtype=np.intp))
            group = groups.setdefault(int(every[0]), _Group(every, np.full(len(every), -1, dtype=np.intp)))
            group.fault[np.searchsorted(group.cases, fault.cases)] = place
        return cls(tuple(several), tuple(groups.values()))

    def by(self, coordinate: Coordinate) -> list[FaultCases]:
        """The faults that a coordinate names, at most one in a group: the one whose cases are the lowest there.

        Floats find the lowest cases and rule out what is far from being named; fractions decide.
        """
        named = []
        tops, bottoms = coordinate.seen.tops, coordinate.seen.bottoms
        rough = (tops / bottoms).astype(np.float64)
        for group in self.groups:
            # a fraction for each coordinate and case would cost more than all the rest; floats leave a
            # few to be decided
            values = rough[group.cases]
            near = np.flatnonzero(values <= values.min() + _NEAR)
            exact = list(zip(tops[group.cases[near]].tolist(), bottoms[group.cases[near]].tolist(), strict=True))
            least = min(set(exact), key=lambda value: Fraction(*value))
            lowest = {int(group.fault[k]) for k, value in zip(near.tolist(), exact, strict=True) if value == least}
            (place,) = lowest if len(lowest) == 1 else (-1,)
            named_here = group.fault == place
            if place < 0 or ((~named_here).any() and values[named_here].max() > values[~named_here].min() + _NEAR):
                continue
            if names(coordinate, self.every[place]):
                named.append(self.every[place])
        return named


def fault_rows(coordinates: Sequence[Coordinate], several: Sequence[FaultCases]) -> list[Row]:
    """By fault the coordinates that name it."""
    masks, naming = dict.fromkeys(several, 0), Naming.of(several)
    for place, coordinate in enumerate(coordinates):
        for fault in naming.by(coordinate):
            masks[fault] |= 1 << place
    return [Row(fault, mask) for fault, mask in masks.items()]


def _mask(flags: Flags) -> int:
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little") if flags.size else 0


# The smallest set that meets what is required one by one, where not every pair has a row (14.14, 14.34).

_JOINING = 200
"""So many of the pairs that a set does not separate get rows at a time."""


def least_cover(
    coordinates: Sequence[Coordinate],
    required: Required,
    *,
    seconds: Fraction | None,
    opinion: Fraction = SECOND_OPINION,
    on_stage: OnStage = silent,
) -> tuple[Required, Cover]:
    """The best cover of all that some coordinate meets, and the rows it was found by.

    A best cover of some rows that meets the others too is the best of all; as long as it does not, pairs that it misses
    get rows. When the time is over, what is missed is covered by greed.
    """
    clock, costs = Clock.of(seconds), tuple(coordinate.cost for coordinate in coordinates)
    pairs = required.met_pairs
    while True:
        # rows as they are needed: a cover of some rows is a bound, and the best cover once it covers the others
        problem = Problem(required.met, costs)
        left = clock.left()
        time = None if left is None else Fraction(max(left, 1))
        cover = solve(problem, seconds=time, on_stage=on_stage, opinion=opinion)
        missed = () if required.whole else _missed(coordinates, cover.columns, pairs)
        if not missed:
            return required, cover
        required = replace(required, rows=(*required.rows, *pair_rows(coordinates, missed[:_JOINING])))
        if left == 0:
            columns = _completed(coordinates, cover.columns, pairs, costs)
            return required, bounded(Problem(required.met, costs), columns, Clock.of(time))


def _missed(coordinates: Sequence[Coordinate], columns: Sequence[int], pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """The pairs that none of some coordinates separates."""
    if not columns:
        return tuple(pairs)
    places = ComparedCoordinates.of([coordinates[column] for column in columns]).unmet(*pair_places(pairs))
    return tuple(pairs[k] for k in np.sort(places).tolist())


def _completed(
    coordinates: Sequence[Coordinate], columns: Sequence[int], pairs: Sequence[Pair], costs: tuple[int, ...]
) -> tuple[int, ...]:
    """Some columns, and more of them until all pairs are separated."""
    chosen = set(columns)
    while missed := _missed(coordinates, sorted(chosen), pairs):
        rows = pair_rows(coordinates, missed[:_JOINING])
        chosen |= set(greedy_cover(Problem(tuple(row.coordinates for row in rows), costs)))
    return tuple(sorted(chosen))
