"""The paired bootstrap over clips: the scores of many draws at once, from counts (rule 16.7)."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tracepact.core import Aggregation
from tracepact.scoring import ClauseCounts

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
    """The score of every draw under an aggregation (rules 7.2 to 7.5)."""
    match aggregation:
        case Aggregation.POOLED:
            pooled = ClauseCounts(
                counts.satisfied.sum(axis=0, keepdims=True),
                counts.obligated.sum(axis=0, keepdims=True),
                np.asarray(counts.counter.any(axis=0, keepdims=True)),
            )
            values, _ = _by_class(pooled, weights)
            return values[:, 0]
        case Aggregation.MACRO_CLASSES | Aggregation.MACRO_CLASSES_INFORMATIVE:
            values, vacuous = _by_class(counts, weights)
            if aggregation is Aggregation.MACRO_CLASSES:
                return np.asarray(values.mean(axis=1))
            taken = ~vacuous
            return _quotient(np.where(taken, values, 0.0).sum(axis=1), taken.sum(axis=1).astype(np.float64))
        case Aggregation.MACRO_CLIPS | Aggregation.MACRO_CLIPS_INFORMATIVE:
            informative = aggregation is Aggregation.MACRO_CLIPS_INFORMATIVE
            values, taken = clip_values(counts, informative=informative)
            return _quotient(weights @ np.where(taken, values, 0.0), weights @ taken.astype(np.float64))


def clip_values(counts: ClauseCounts, *, informative: bool) -> tuple[Values, NDArray[np.bool_]]:
    """The mean over classes of each clip, and which clips count."""
    vacuous = counts.vacuous
    entry = np.where(counts.obligated > 0, counts.satisfied / np.maximum(counts.obligated, 1), vacuous)
    taken = ~vacuous if informative else np.ones_like(vacuous)
    per_clip = taken.sum(axis=0)
    return np.where(taken, entry, 0.0).sum(axis=0) / np.maximum(per_clip, 1), per_clip > 0


def interval(values: Values, level: Fraction) -> tuple[float, float]:
    """The drawn values that leave as many draws outside on either side as the level allows."""
    ordered = np.sort(values)
    outside = min(int(len(ordered) * (1 - level) / 2), (len(ordered) - 1) // 2)
    return float(ordered[outside]), float(ordered[len(ordered) - 1 - outside])


def _by_class(counts: ClauseCounts, weights: Weights) -> tuple[Values, NDArray[np.bool_]]:
    """The pooled score of every draw and class, and where it is vacuous."""
    satisfied, obligated, counter = (_sums(weights, a) for a in (counts.satisfied, counts.obligated, counts.counter))
    empty, evidence = obligated == 0, counter > 0
    values = np.where(empty, np.where(evidence, 0.0, 1.0), satisfied / np.where(empty, 1.0, obligated))
    return values, empty & ~evidence


def _sums(weights: Weights, counts: NDArray[np.int64] | NDArray[np.bool_]) -> Values:
    """Draws by classes: exact while the sums are below 2**53, which no clip count that fits a run exceeds."""
    assert int(counts.max(initial=0)) * counts.shape[1] < _LARGEST
    found: Values = weights @ counts.T.astype(np.float64)
    return found


def _quotient(top: Values, bottom: Values) -> Values:
    """A mean; 1 where nothing was taken."""
    return np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1.0), 1.0)
