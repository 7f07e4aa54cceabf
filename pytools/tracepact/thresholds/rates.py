"""Precision, recall, F1 and error rate over every threshold, and the average precision."""

from collections.abc import Sequence
from enum import Enum
from fractions import Fraction

import numpy as np

from tracepact.thresholds.steps import Steps, Whole
from tracepact.thresholds.values import UNIT, Values


class Rate(Enum):
    """A quotient of counts (rule 15.2), its top and bottom as sums of tp, fp and fn."""

    PRECISION = "precision"
    RECALL = "recall"
    F1 = "f1"

    @property
    def weights(self) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """How often tp, fp and fn count in the top and in the bottom."""
        return {
            Rate.PRECISION: ((1, 0, 0), (1, 1, 0)),
            Rate.RECALL: ((1, 0, 0), (1, 0, 1)),
            Rate.F1: ((2, 0, 0), (2, 1, 1)),
        }[self]


def micro_values(tallies: Steps, rate: Rate) -> Values:
    """A rate of the counts of all classes and clips."""
    cuts, counts = tallies.running()
    top, bottom = (np.asarray(weights) @ counts for weights in rate.weights)
    return quotient(cuts, top, bottom)


def macro_values(tallies: Steps, rate: Rate) -> Values:
    """The mean of a rate over the classes for which it is defined (rule 15.2)."""
    grouped = tallies.grouped(clips=True, classes=False)
    parts = [micro_values(grouped.label(label), rate) for label in range(grouped.shape[0])]
    return defined_mean(parts)


def quotient(cuts: Whole, top: Whole, bottom: Whole) -> Values:
    """The quotient of two counts from each cut on; undefined where the bottom is 0."""
    defined = bottom > 0
    near = np.rint(top / np.where(defined, bottom, 1) * UNIT).astype(np.int64)

    def exactly(at: Whole) -> list[Fraction | None]:
        places = np.searchsorted(cuts, at, side="right") - 1
        pairs = zip(top[places].tolist(), bottom[places].tolist(), strict=True)
        return [Fraction(a, b) if b else None for a, b in pairs]

    # An error rate may exceed 1: a float is off by one part in 2⁵³ of it.
    error = 2 + (int(near.max(initial=0)) >> 50)
    return Values(cuts, near, defined, error, exactly)


def defined_mean(parts: Sequence[Values]) -> Values:
    """The mean of the parts that are defined."""
    cuts = np.unique(np.concatenate([values.cuts for values in parts]))
    total, number = np.zeros(len(cuts), dtype=np.int64), np.zeros(len(cuts), dtype=np.int64)
    for values in parts:
        place = np.searchsorted(values.cuts, cuts, side="right") - 1
        total += np.where(values.earned[place], values.near[place], 0)
        number += values.earned[place]

    def exactly(at: Whole) -> list[Fraction | None]:
        found: list[Fraction | None] = []
        for row in zip(*(values.exactly(at) for values in parts), strict=True):
            known = [value for value in row if value is not None]
            found.append(sum(known, Fraction(0)) / len(known) if known else None)
        return found

    error = max(values.error for values in parts) + 1
    return Values(cuts, total // np.maximum(number, 1), number > 0, error, exactly)


def error_rate(tallies: Steps, spared: Steps | None) -> Values:
    """Errors over references at every cut (rules 15.7, 15.10 and 20.3).

    `spared` counts the pairs of a miss and a false alarm that are one error, a substitution; None for criteria that
    know none.
    """
    cuts, counts = tallies.running()
    errors, references = counts[1] + counts[2], counts[0] + counts[2]
    if spared is None:
        return quotient(cuts, errors, references)
    others, swapped = spared.running()
    both = np.union1d(cuts, others)
    here, there = (np.searchsorted(line, both, side="right") - 1 for line in (cuts, others))
    return quotient(both, errors[here] - swapped[0][there], references[here])


def average_precision(tallies: Steps) -> Fraction | None:
    """The sum over the recalls that occur of the best precision at each times its rise (rule 20.4)."""
    _, counts = tallies.running()
    tp, fp, fn = counts
    references = int(tp[0] + fn[0])
    if not references:
        return None
    order = np.lexsort((fp, tp))
    tp, fp = tp[order], fp[order]
    first = np.flatnonzero(np.diff(tp, prepend=-1))
    area, before = Fraction(0), 0
    for hits, wrong in zip(tp[first].tolist(), fp[first].tolist(), strict=True):
        if hits:
            area += Fraction(hits, hits + wrong) * (hits - before)
            before = hits
    return area / references
