"""The paired bootstrap over clips: the scores of many draws at once, from counts (rule 16.7)."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.core import Aggregation, LeftOut
from tracepact.scoring.aggregate import ClauseCounts, aggregate, taken

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
            a: tuple(mine + theirs for mine, theirs in zip(found, other.means[a], strict=True))
            for a, found in self.means.items()
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
    return not aggregation.steps.adds_clips and aggregation.steps.leaves_out is LeftOut.NOTHING


def interval(values: Values, level: Fraction) -> tuple[float, float]:
    """The drawn values that leave as many draws outside on either side as the level allows."""
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
    satisfied: NDArray[Any], obligated: NDArray[Any], counter: NDArray[np.bool_], leaves_out: LeftOut
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
