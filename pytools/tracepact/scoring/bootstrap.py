"""The paired bootstrap over clips: the scores of many draws at once, from counts (rule 16.7)."""

from collections.abc import Iterator
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
_LARGEST = 2**53
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
    steps = aggregation.steps
    counts = counts.added(clips=False, classes=steps.adds_classes)
    if steps.adds_clips:
        satisfied, obligated = _sums(weights, counts.satisfied), _sums(weights, counts.obligated)
        return _class_means(satisfied, obligated, _sums(weights, counts.counter) > 0, steps.leaves_out, axis=1)[0]
    means, counting = _class_means(counts.satisfied, counts.obligated, counts.counter, steps.leaves_out, axis=0)
    return _quotient(weights @ np.where(counting, means, 0.0), weights @ counting.astype(np.float64))


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


def _class_means(
    satisfied: NDArray[Any], obligated: NDArray[Any], counter: NDArray[np.bool_], leaves_out: LeftOut, *, axis: int
) -> tuple[Values, NDArray[np.bool_]]:
    """The mean of the entries along the axis of the classes, 1 without any; and where there is one."""
    empty = obligated == 0
    values = np.where(empty, ~counter, satisfied / np.where(empty, 1, obligated))
    kept = taken(empty, counter, leaves_out)
    number = kept.sum(axis=axis)
    return _quotient(np.where(kept, values, 0.0).sum(axis=axis), number.astype(np.float64)), number > 0


def _sums(weights: Weights, counts: NDArray[np.int64] | NDArray[np.bool_]) -> Values:
    """Draws by classes: exact while the sums are below 2**53, which no clip count that fits a run exceeds."""
    assert int(counts.max(initial=0)) * counts.shape[1] < _LARGEST
    found: Values = weights @ counts.T.astype(np.float64)
    return found


def _quotient(top: Values, bottom: Values) -> Values:
    """A mean; 1 where nothing was taken."""
    return np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1.0), 1.0)
