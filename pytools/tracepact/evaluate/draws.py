"""Counts of clips that can be added to those of others: tallies of every aggregation, and draws of the bootstrap."""

import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.evaluate.scorecard import SoftCounts
from tracepact.evaluate.scores import ClauseCounts, MeanTally, Score, aggregate, mean_tally, taken, vector_mean
from tracepact.language.contract import Aggregation, OmittedEntries
from tracepact.records import Record

# Counts of some clips that can be added to those of others: every aggregation follows from the sum, exactly.

# A score of sums over clips follows from the sums; a mean over clips does not, and needs its own parts.
_BY_CLIP = tuple(aggregation for aggregation in Aggregation if not aggregation.steps.adds_clips)
_ALL = slice(None)
_MANTISSA = 53
_HALF = 27
_LEAST = 1127
"""Floats are whole multiples of two to the minus this, the least of them included."""


class ClauseTally(Record, frozen=True):
    """The counts of one clause: sums over clips by class, and the parts of every mean over clips."""

    satisfied: tuple[int, ...]
    obligated: tuple[int, ...]
    counter: tuple[bool, ...]
    means: dict[Aggregation, MeanTally]

    @classmethod
    def of(cls, counts: ClauseCounts, aggregations: Collection[Aggregation] = tuple(Aggregation)) -> "ClauseTally":
        """The tally of the counts of some clips, enough for these aggregations."""
        total = counts.added(clips=True, classes=False)
        means = {}
        for aggregation in (one for one in _BY_CLIP if one in aggregations):
            steps = aggregation.steps
            means[aggregation] = mean_tally(counts.added(clips=False, classes=steps.adds_classes), steps.leaves_out)
        satisfied, obligated, counter = (
            tuple(column[:, 0].tolist()) for column in (total.satisfied, total.obligated, total.counter)
        )
        return cls(satisfied, obligated, counter, means)

    def __add__(self, other: "ClauseTally") -> "ClauseTally":
        return ClauseTally(
            _sum_of_counts(self.satisfied, other.satisfied),
            _sum_of_counts(self.obligated, other.obligated),
            tuple(mine or theirs for mine, theirs in zip(self.counter, other.counter, strict=True)),
            {aggregation: mean + other.means[aggregation] for aggregation, mean in self.means.items()},
        )

    def score(self, aggregation: Aggregation) -> Score:
        """The score of all clips and classes (rule 7.5)."""
        mean = self.means.get(aggregation)
        return aggregate(self._counts(), aggregation) if mean is None else mean.score

    def of_class(self, label: int) -> Score:
        """The pooled score of one class."""
        return aggregate(self._counts(slice(label, label + 1)), Aggregation.POOLED)

    def _counts(self, classes: slice = _ALL) -> ClauseCounts:
        """The sums over clips, of some classes, as the counts of one clip."""
        kinds = (np.int64, np.int64, np.bool_)
        columns = (self.satisfied[classes], self.obligated[classes], self.counter[classes])
        return ClauseCounts(*(np.array(c, dtype=kind)[:, None] for c, kind in zip(columns, kinds, strict=True)))


def _sum_of_counts(mine: Sequence[int], theirs: Sequence[int]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(mine, theirs, strict=True))


class SoftTally(Record, frozen=True):
    """The sum of floats and how many there are; the sum is exact, a whole number of the least floats in hexadecimal."""

    closeness: str
    edges: int

    @classmethod
    def of(cls, counts: SoftCounts) -> "SoftTally":
        """The tally of the soft boundary scores of some clips."""
        return cls(f"{_whole_sum(counts.closeness):x}", int(counts.edges.sum()))

    def __add__(self, other: "SoftTally") -> "SoftTally":
        return SoftTally(f"{int(self.closeness, 16) + int(other.closeness, 16):x}", self.edges + other.edges)

    @property
    def mean(self) -> tuple[float, int]:
        """The mean, rounded once, and of how many edges it is; 1 for none."""
        if not self.edges:
            return 1.0, 0
        return min(1.0, float(Fraction(int(self.closeness, 16), self.edges << _LEAST))), self.edges


def _whole_sum(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> int:
    """The exact sum of floats that are not negative, in units of the least float."""
    # Floats are added as whole numbers of the least float, exactly and in any order: batches then give the same last
    # digit as one pass over all clips.
    fractions, exponents = np.frexp(values.ravel())
    whole = (fractions * (1 << _MANTISSA)).astype(np.int64)
    total = 0
    for exponent in np.unique(exponents).tolist():
        some = whole[exponents == exponent]
        # Halves of a mantissa can be added a thousand million times before an int64 is full.
        high, low = int((some >> _HALF).sum()), int((some & ((1 << _HALF) - 1)).sum())
        total += ((high << _HALF) + low) << (_LEAST + exponent - _MANTISSA)
    return total


class GroupTally(Record, frozen=True):
    """What a report says of a group of clips: how many, the counts of every clause, the soft boundary score."""

    clips: int
    clauses: dict[str, ClauseTally]
    soft: SoftTally

    @classmethod
    def of(cls, clips: int, counts: Mapping[str, ClauseCounts], soft: SoftCounts) -> "GroupTally":
        """The tally of the counts of some clips, by clause."""
        return cls(clips, {name: ClauseTally.of(some) for name, some in counts.items()}, SoftTally.of(soft))

    def __add__(self, other: "GroupTally") -> "GroupTally":
        clauses = {name: tally + other.clauses[name] for name, tally in self.clauses.items()}
        return GroupTally(self.clips + other.clips, clauses, self.soft + other.soft)

    def vector(self, aggregation: Aggregation) -> dict[str, Score]:
        """The score of every clause."""
        return {name: tally.score(aggregation) for name, tally in self.clauses.items()}

    def logic(self, aggregation: Aggregation) -> Fraction:
        """The mean of the vector (rule 7.7)."""
        return vector_mean(self.vector(aggregation).values())


# Counts of clips in few bytes: what draws of clips need of a batch, side by side with that of other batches.

_WHOLE = ("uint8", "uint16", "uint32", "int64")
_KINDS = (*_WHOLE, "float64")
_LEVEL = 1
"""Counts are mostly small and often alike: the least effort makes them small enough."""


class PackedArray(Record, frozen=True):
    """An array of numbers: the kind of number, its shape, and its bytes, compressed."""

    kind: str
    shape: tuple[int, ...]
    data: bytes

    @classmethod
    def of(cls, array: NDArray[Any]) -> "PackedArray":
        """An array of whole numbers in the shortest that hold them; Python's own, which may be longer, as floats."""
        # Most counts of a clip fit one octet. Draws over a million clips need all of them at once, so what a count
        # takes decides whether they fit in memory.
        kind = "float64" if array.dtype.kind in "fO" else _shortest(array)
        data = np.ascontiguousarray(array, dtype=np.dtype(kind).newbyteorder("<")).tobytes()
        return cls(kind, array.shape, zlib.compress(data, _LEVEL))

    @property
    def array(self) -> NDArray[Any]:
        """The array: int64 or float64; ValueError if the bytes are not those of such an array."""
        if self.kind not in _KINDS or min(self.shape, default=0) < 0:
            raise ValueError(f"there are no arrays of {self.kind} and of the shape {self.shape}")
        kind = np.dtype(self.kind).newbyteorder("<")
        # No more than the shape says is unpacked: a few octets of a stranger's file can unpack to gigabytes.
        size = prod(self.shape) * kind.itemsize
        try:
            data = zlib.decompressobj().decompress(self.data, size + 1)
        except zlib.error as error:
            raise ValueError("the bytes of an array are damaged") from error
        if len(data) != size:
            raise ValueError("the bytes of an array are not as many as its shape says")
        numbers = np.frombuffer(data, dtype=kind).reshape(self.shape)
        return numbers.astype(np.float64 if self.kind == "float64" else np.int64)


def _shortest(array: NDArray[Any]) -> str:
    if array.size and int(array.min()) < 0:
        return _WHOLE[-1]
    most = int(array.max()) if array.size else 0
    return next(kind for kind in _WHOLE if most <= np.iinfo(kind).max)


class ClipColumns(Record, frozen=True):
    """Arrays of some clips by name; `places` are the numbers of the clips in the whole."""

    places: PackedArray
    columns: dict[str, PackedArray]

    @classmethod
    def of(cls, places: NDArray[np.int64], columns: Mapping[str, NDArray[Any]]) -> "ClipColumns":
        """The arrays of clips with these numbers."""
        return cls(PackedArray.of(places), {name: PackedArray.of(array) for name, array in columns.items()})

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.columns[name].array

    def __contains__(self, name: object) -> bool:
        return name in self.columns


class ClipParts(Record, frozen=True):
    """What draws need of the clips of some batches, each with the number of its first clip, ascending."""

    parts: tuple[tuple[int, ClipColumns], ...]

    @classmethod
    def of(cls, places: NDArray[np.int64], columns: Mapping[str, NDArray[Any]]) -> "ClipParts":
        """What draws need of one batch."""
        first = int(places.min()) if len(places) else -1
        return cls(((first, ClipColumns.of(places, columns)),))

    def __add__(self, other: "ClipParts") -> "ClipParts":
        return ClipParts(tuple(sorted((*self.parts, *other.parts), key=lambda part: part[0])))


# The paired bootstrap over clips: the scores of many draws at once, from counts (rule 16.7).

Values = NDArray[np.float64]
Weights = NDArray[np.float64]
"""How often each draw has each clip, draws by clips: whole numbers in floats, which multiply fast and exactly."""

DRAWS = 4000
SEED = 0
_FLOAT = 53
_LARGEST = 2**_FLOAT
_CELLS = 2**23


def draws(clips: int, number: int = DRAWS, seed: int = SEED) -> Iterator[Weights]:
    """The draws in portions that fit into memory; the same for everyone with the same seed."""
    generator = np.random.default_rng(seed)
    portion = max(1, _CELLS // max(clips, 1))
    for start in range(0, number, portion):
        some = min(portion, number - start)
        chosen = generator.integers(0, max(clips, 1), size=(some, clips))
        flat = chosen + np.arange(some)[:, None] * clips
        yield np.bincount(flat.ravel(), minlength=some * clips).reshape(some, clips).astype(np.float64)


def drawn_scores(counts: ClauseCounts, aggregation: Aggregation, weights: Weights) -> Values:
    """The score of every draw under an aggregation (rules 7.2 to 7.5), in floats."""
    return clause_sums(counts, weights, weights.shape[1], (aggregation,)).scores(aggregation)


@dataclass(frozen=True, slots=True, eq=False)
class ClauseSums:
    """What draws have of a clause over some clips, so that those of other clips can be added in any order (rule 24.20).

    `satisfied`, `obligated` and `counter` are draws by classes. `means` are the sums of a mean over clips, of those in
    which something is taken: coarse and fine parts of their values, and how many they are. All are whole numbers, or
    such numbers of one power of two, and below 2**53, so that floats add them exactly.
    """

    satisfied: Values
    obligated: Values
    counter: Values
    means: Mapping[Aggregation, tuple[Values, ...]]
    fineness: int

    def __add__(self, other: "ClauseSums") -> "ClauseSums":
        means = {
            a: tuple(mine + theirs for mine, theirs in zip(sums, other.means[a], strict=True))
            for a, sums in self.means.items()
        }
        sums = self.satisfied + other.satisfied, self.obligated + other.obligated, self.counter + other.counter
        return ClauseSums(*sums, means, self.fineness)

    def scores(self, aggregation: Aggregation) -> Values:
        """The score of every draw."""
        steps = aggregation.steps
        if not steps.adds_clips:
            coarse, fine, number = self.means[aggregation]
            return _quotient(coarse + np.ldexp(fine, -self.fineness), number)
        sums = [self.satisfied, self.obligated, self.counter]
        if steps.adds_classes:
            sums = [some.sum(axis=1, keepdims=True) for some in sums]
        satisfied, obligated, counter = (some.T for some in sums)
        return _class_means(satisfied, obligated, counter > 0, steps.leaves_out)[0]


def clause_sums(
    counts: ClauseCounts, weights: Weights, clips: int, aggregations: Collection[Aggregation] = tuple(Aggregation)
) -> ClauseSums:
    """What draws of `clips` clips have of those counted here; `weights` say how often each draw has each of these."""
    fineness = _FLOAT - clips.bit_length()
    assert int(counts.obligated.max(initial=0)) * clips < _LARGEST  # which no clip that fits a run exceeds
    rows: list[NDArray[Any]] = [counts.satisfied, counts.obligated, counts.counter]
    by_clip = [one for one in aggregations if not one.steps.adds_clips]
    for aggregation in by_clip:
        own = counts.added(clips=False, classes=aggregation.steps.adds_classes)
        values, taking = _class_means(own.satisfied, own.obligated, own.counter, aggregation.steps.leaves_out)
        rows.append(np.stack([*split(np.where(taking, values, 0.0), fineness), taking]))
    # One product for all: the weights are what is large, and they are gone through once.
    drawn = weights @ np.concatenate(rows, dtype=np.float64).T
    first, second, third, *ends = np.cumsum([len(some) for some in rows]).tolist()
    means = {a: tuple(drawn[:, end - 3 : end].T) for a, end in zip(by_clip, ends, strict=True)}
    parts = (np.ascontiguousarray(some) for some in (drawn[:, :first], drawn[:, first:second], drawn[:, second:third]))
    satisfied, obligated, counter = parts
    return ClauseSums(satisfied, obligated, counter, means, fineness)


def split(values: Values, fineness: int) -> tuple[Values, Values]:
    """Values of at most 1 in a coarse part and a fine one, which floats add exactly over all clips of a draw.

    The coarse part is a whole number of 2**-fineness; the fine one is 2**fineness times what remains, in such numbers.
    """
    # A value split in two without error, as Dekker (1971) splits products: powers of two only, so that every sum with
    # counts of draws is exact and the order of batches does not show.
    scaled = np.ldexp(values, fineness)
    coarse = np.rint(scaled)
    fine = np.ldexp(np.rint(np.ldexp(scaled - coarse, fineness)), -fineness)
    return np.ldexp(coarse, -fineness), fine


def drawn_exactly(counts: ClauseCounts, aggregation: Aggregation, times: NDArray[np.int64]) -> Fraction:
    """The exact score of one draw, given how often it has each clip."""
    if not aggregation.steps.adds_clips:
        return aggregate(counts.select(clips=np.repeat(np.arange(len(times)), times)), aggregation).value
    drawn = times[:, None]
    summed = ClauseCounts(counts.satisfied @ drawn, counts.obligated @ drawn, counts.counter @ drawn > 0)
    return aggregate(summed, aggregation).value


def is_sum_over_clips(aggregation: Aggregation) -> bool:
    """Whether a clip adds the same to a draw's value whatever the other clips are, the number of clips aside."""
    return not aggregation.steps.adds_clips and aggregation.steps.leaves_out is OmittedEntries.NOTHING


def interval(values: Values, level: Fraction) -> tuple[float, float]:
    """The drawn values that leave as many draws outside on either side as the level allows."""
    # The percentile method of the bootstrap (Efron 1981), by order statistics: no interpolation, so each end is a value
    # that some draw has.
    ordered = np.sort(values)
    outside = min(int(len(ordered) * (1 - level) / 2), (len(ordered) - 1) // 2)
    return float(ordered[outside]), float(ordered[len(ordered) - 1 - outside])


def in_order(values: NDArray[Any]) -> Values:
    """The sums over the first axis, added one after the other: the same floats whatever is beside them."""
    total = np.zeros(values.shape[1:])
    for row in values:
        total += row
    return total


def _class_means(
    satisfied: NDArray[Any], obligated: NDArray[Any], counter: NDArray[np.bool_], leaves_out: OmittedEntries
) -> tuple[Values, NDArray[np.bool_]]:
    """The mean of the entries of each column, whose rows are classes, 1 without any; and where there is one."""
    empty = obligated == 0
    values = np.where(empty, ~counter, satisfied / np.where(empty, 1, obligated))
    kept = taken(empty, counter, leaves_out)
    number = kept.sum(axis=0)
    return _quotient(in_order(np.where(kept, values, 0.0)), number.astype(np.float64)), number > 0


def _quotient(top: Values, bottom: Values) -> Values:
    """A mean; 1 where nothing was taken."""
    return np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1.0), 1.0)
