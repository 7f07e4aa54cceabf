"""Draws of clips: the paired bootstrap over counts in few bytes; and systems that answer the same throughout."""

import zlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Annotated, Any, NamedTuple

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from tracepact.data.family import Family, Layout, Side
from tracepact.evaluate.scores import ClauseCounts, aggregate, taken
from tracepact.language.contract import Aggregation, OmittedEntries
from tracepact.language.formula import union_runs
from tracepact.records import Count, Record

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
    """What draws of so many clips have of these ones; `weights` are how often each draw has each of them."""
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


# Systems that answer the same throughout, or the same in every clip, entirely or nearly (rule 16.12).

NEARLY = 20
"""A system is nearly constant if it answers otherwise in at most one of so many pairs, or frames, where it is wrong."""
SILENT, ALWAYS_ON, MIXED = "silent", "always on", "silent or always on, class by class,"


class SameAnswers(Record, frozen=True):
    """How far a system answers the same throughout, in pairs of a clip and a class (16.12)."""

    answer: Annotated[str, Meta(description="What it answers in most pairs: `silent`, `always on`, or one by class.")]
    pairs: Annotated[Count, Meta(description="The pairs with a frame that is not ignored.")]
    otherwise: Annotated[Count, Meta(description="The pairs in which it answers anything else.")]
    wrong: Annotated[Count, Meta(description="The pairs in which answering so throughout is wrong.")]
    frames_answer: Annotated[str, Meta(description="What it answers in most frames: as `answer`.")] = SILENT
    otherwise_frames: Annotated[Count, Meta(description="The frames in which it answers otherwise.")] = 0
    wrong_frames: Annotated[Count, Meta(description="The frames in which answering so throughout is wrong.")] = 0

    @property
    def constant(self) -> bool:
        """Whether it never answers anything else, in any clip."""
        return self.otherwise == 0

    @property
    def nearly_constant(self) -> bool:
        """Whether it answers something else, but in hardly any pair, or hardly any frame."""
        return self._in_pairs or self._in_frames

    @property
    def _in_pairs(self) -> bool:
        return 0 < self.otherwise * NEARLY <= self.wrong

    @property
    def _in_frames(self) -> bool:
        return 0 < self.otherwise_frames * NEARLY <= self.wrong_frames

    def words(self, classes: int) -> str:
        """What it answers, and where."""
        if self._in_frames and not self._in_pairs:
            return f"{self.frames_answer} in all frames but {self.otherwise_frames:,}"
        what = "clips" if classes == 1 else "pairs of clip and class"
        return f"{self.answer} in {self.pairs - self.otherwise:,} of {self.pairs:,} {what}"


class RepeatedFrames(Record, frozen=True):
    """Where a class is active on one side in some clip, and where it is not, as bits in hexadecimal.

    Frames count from the start of their clip. Those that are ignored are not looked at, nor is the last of a clip,
    which the end of the clip may cut. `repeated` says that a frame is active in two clips or more.
    """

    active: str
    inactive: str
    repeated: bool

    def with_clips(self, other: "RepeatedFrames") -> "RepeatedFrames | None":
        """The same of further clips; None if a frame is active in a clip and not in another, which settles it."""
        return _frames_of(
            int(self.active, 16) | int(other.active, 16),
            int(self.inactive, 16) | int(other.inactive, 16),
            repeated=self.repeated or other.repeated or bool(int(self.active, 16) & int(other.active, 16)),
        )


class AnswersTally(Record, frozen=True):
    """What tells whether a system is constant, of some clips, by class; it can be added to that of others.

    `heard` and `gaps` say whether a frame that is not ignored is predicted, and whether one is not.
    """

    heard: tuple[bool, ...]
    gaps: tuple[bool, ...]
    predicted: tuple[RepeatedFrames | None, ...]
    reference: tuple[RepeatedFrames | None, ...]

    @classmethod
    def of(cls, family: Family) -> "AnswersTally":
        """The tally of a family."""
        labels, clips = range(len(family.classes)), range(len(family.clips))
        pairs = [[family.segment(label, clip) for clip in clips] for label in labels]
        predicted = family.runs[Side.PRED]
        heard = (any((p := _pair(family, s)) and p.predicted for s in own if s in predicted) for own in pairs)
        gaps = (any((p := _pair(family, s)) and p.predicted < p.seen for s in own) for own in pairs)
        sides = (tuple(_repeated(family, side, label) for label in labels) for side in (Side.PRED, Side.REF))
        return cls(tuple(map(bool, heard)), tuple(map(bool, gaps)), *sides)

    def __add__(self, other: "AnswersTally") -> "AnswersTally":
        return AnswersTally(
            tuple(a or b for a, b in zip(self.heard, other.heard, strict=True)),
            tuple(a or b for a, b in zip(self.gaps, other.gaps, strict=True)),
            tuple(a and b and a.with_clips(b) for a, b in zip(self.predicted, other.predicted, strict=True)),
            tuple(a and b and a.with_clips(b) for a, b in zip(self.reference, other.reference, strict=True)),
        )

    @property
    def constant(self) -> bool:
        """Whether the system has not listened: it answers the same throughout, or the same in every clip."""
        throughout = not any(heard and gap for heard, gap in zip(self.heard, self.gaps, strict=True))
        return throughout or self.same_in_every_clip

    @property
    def same_in_every_clip(self) -> bool:
        """Whether no frame that clips share tells them apart by the predictions, but one does by the references.

        A system that predicts nothing in the frames that clips share has not shown that it repeats itself.
        """
        alike = all(one is not None for one in self.predicted) and any(one and one.repeated for one in self.predicted)
        return alike and None in self.reference


def is_constant(family: Family) -> bool:
    """Whether the system has not listened: it answers the same throughout, or the same in every clip."""
    return AnswersTally.of(family).constant


def same_in_every_clip(family: Family) -> bool:
    """Whether the system answers the same in every clip, and the references do not."""
    return AnswersTally.of(family).same_in_every_clip


def _repeated(family: Family, side: Side, label: int) -> RepeatedFrames | None:
    """Where a class is active on a side; None if a frame is active in a clip and not in another."""
    active = inactive = 0
    repeated = False
    silent = 0  # the frames of the longest clip in which nothing is to be painted
    for clip, frames in enumerate(family.frames):
        segment = family.segment(label, clip)
        runs, ignored = family.runs[side].get(segment, ()), family.ignored.get(segment, ())
        if not runs and not ignored:
            silent = max(silent, frames - 1)
            continue
        layout = Layout([frames], 1)
        looked_at = ((1 << max(frames - 1, 0)) - 1) & ~layout.paint({0: union_runs(ignored)})
        heard = layout.paint({0: runs}) & looked_at
        repeated = repeated or bool(active & heard)
        active, inactive = active | heard, inactive | (looked_at & ~heard)
        # Settled: no further clip can make the frame the same in all of them.
        if active & (inactive | ((1 << silent) - 1)):
            return None
    return _frames_of(active, inactive | ((1 << silent) - 1), repeated=repeated)


def _frames_of(active: int, inactive: int, *, repeated: bool) -> RepeatedFrames | None:
    return None if active & inactive else RepeatedFrames(f"{active:x}", f"{inactive:x}", repeated)


def answers(family: Family) -> SameAnswers:
    """How far a system answers the same throughout; of each class by the answer that it departs from less."""
    pairs, otherwise, wrong, throughout = 0, 0, 0, set[str]()
    otherwise_frames, wrong_frames, in_frames = 0, 0, set[str]()
    for label in range(len(family.classes)):
        judged = [one for clip in range(len(family.clips)) if (one := _pair(family, family.segment(label, clip)))]
        heard, gaps = (
            sum(one.predicted > 0 for one in judged),
            sum(one.predicted < one.seen for one in judged),
        )
        pairs += len(judged)
        otherwise += min(heard, gaps)
        if heard <= gaps:
            throughout.add(SILENT)
            wrong += sum(one.reference > 0 for one in judged)
        else:
            throughout.add(ALWAYS_ON)
            wrong += sum(one.reference < one.seen for one in judged)
        heard_frames, predicted, reference = (sum(column) for column in zip(_Pair(0, 0, 0), *judged, strict=True))
        otherwise_frames += min(predicted, heard_frames - predicted)
        in_frames.add(SILENT if 2 * predicted <= heard_frames else ALWAYS_ON)
        wrong_frames += reference if 2 * predicted <= heard_frames else heard_frames - reference
    return SameAnswers(_one(throughout), pairs, otherwise, wrong, _one(in_frames), otherwise_frames, wrong_frames)


def _one(names: set[str]) -> str:
    """The answer of all classes, if they have one."""
    return next(iter(names)) if len(names) == 1 else MIXED


class _Pair(NamedTuple):
    """The frames of a clip and class that are not ignored, and those predicted and in the reference."""

    seen: int
    predicted: int
    reference: int


def _pair(family: Family, segment: int) -> _Pair | None:
    ignored = family.ignored.get(segment, ())
    left_out = _length(ignored)
    seen = family.frames_of(segment) - left_out
    if not seen:
        return None
    sides = (family.runs[side].get(segment, ()) for side in (Side.PRED, Side.REF))
    return _Pair(seen, *(_length((*ignored, *runs)) - left_out if runs else 0 for runs in sides))


def _length(runs: tuple[tuple[int, int], ...]) -> int:
    return sum(end - start for start, end in union_runs(runs)) if runs else 0
