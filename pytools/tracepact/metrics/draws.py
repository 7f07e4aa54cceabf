"""The values of a metric in many draws of clips at once, from its counts (rules 15.22 and 16.7)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracepact.metrics.counts import Values
from tracepact.metrics.policy import Arithmetic, Empty, MacroOver, Rules
from tracepact.metrics.result import NAMED_ACCURACIES, RATES, CountMetric, MeanMetric, Metric
from tracepact.metrics.values import EPSILON
from tracepact.scoring.bootstrap import Weights, in_order

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class MetricSums:
    """What draws have of a metric over some clips, so that those of other clips can be added in any order (rule 24.20).

    `counts` are draws by kinds by classes; of errors and cells, which not every metric has, draws by kinds and draws.
    """

    counts: Values
    errors: Values | None
    cells: Values | None

    def __add__(self, other: "MetricSums") -> "MetricSums":
        errors = None if self.errors is None or other.errors is None else self.errors + other.errors
        cells = None if self.cells is None or other.cells is None else self.cells + other.cells
        return MetricSums(self.counts + other.counts, errors, cells)


def drawn_values(metric: Metric, weights: Weights) -> dict[str, Values]:
    """Every value of `metric.values` in every draw, in floats; not a number where it is undefined."""
    return values_of_sums(metric, metric_sums(metric, weights))


def metric_sums(metric: Metric, weights: Weights) -> MetricSums:
    """What draws have of a metric, given how often each draw has each of its clips."""
    counts = metric.counts.drawn(weights)
    if isinstance(metric, MeanMetric):
        return MetricSums(counts, None, None)
    errors = None if metric.clip_errors is None else metric.clip_errors.drawn(weights)[:, :, 0]
    cells = None if metric.cells is None else weights @ metric.cells.astype(np.float64)
    return MetricSums(counts, errors, cells)


def values_of_sums(metric: Metric, sums: MetricSums) -> dict[str, Values]:
    """Every value of a metric in every draw; of the metric itself only its rules, labels and unit are taken."""
    return _means(metric, sums) if isinstance(metric, MeanMetric) else _counts(metric, sums)


def _means(metric: MeanMetric, sums: MetricSums) -> dict[str, Values]:
    ticks, pairs = np.moveaxis(sums.counts, 1, 0)
    seconds = ticks / metric.unit
    macro = _over(_quotient(seconds, pairs), pairs > 0, MacroOver.DEFINED)
    return {"mean": _quotient(in_order(seconds.T), pairs.sum(axis=1)), "macro_mean": macro}


def _counts(metric: CountMetric, sums: MetricSums) -> dict[str, Values]:
    rules = metric.rules
    tally = np.moveaxis(sums.counts, 1, 0)
    total, in_reference = tally.sum(axis=2), tally[0] + tally[2] > 0
    found = dict(zip(RATES, _rates(total, rules), strict=True))
    for name, values in zip(RATES, _rates(tally, rules), strict=True):
        found[f"macro_{name}"] = _over(values, in_reference, rules.macro)
    if sums.cells is not None:
        micro = _accuracies(total, sums.cells * len(metric.labels) - total.sum(axis=0), rules)
        by_class = _accuracies(tally, sums.cells[:, None] - tally.sum(axis=0), rules)
        found |= dict(zip(NAMED_ACCURACIES, micro, strict=True))
        for name, values in zip(NAMED_ACCURACIES, by_class, strict=True):
            found[f"macro_{name}"] = _over(values, in_reference, rules.macro)
    if sums.errors is not None:
        found["error_rate"] = _error_rate(sums.errors[:, :3].sum(axis=1), sums.errors[:, 3], rules)
        own = _error_rate(tally[1] + tally[2], tally[0] + tally[2], rules)
        over = MacroOver.DEFINED if rules.macro is MacroOver.ALL else rules.macro
        found["macro_error_rate"] = _over(own, in_reference, over)
    return found


def _rates(tally: Values, rules: Rules) -> tuple[Values, Values, Values]:
    """Precision, recall and F1 of true positives, false positives and false negatives."""
    tp, fp, fn = tally
    precision, recall = _quotient(tp, tp + fp), _quotient(tp, tp + fn)
    if rules.empty is Empty.ZERO_SCORE:
        precision = np.where(tp + fp > 0, precision, 0.0)
    if rules.arithmetic is Arithmetic.EXACT:
        return precision, recall, _quotient(2 * tp, 2 * tp + fp + fn)
    both = precision + recall
    return precision, recall, np.where(both == 0, 0.0, _quotient(2.0 * precision * recall, both))


def _accuracies(tally: Values, tn: Values, rules: Rules) -> tuple[Values, Values, Values]:
    """Specificity, balanced accuracy and accuracy."""
    tp, fp, fn = tally
    more = EPSILON if rules.arithmetic is Arithmetic.SED_EVAL else 0.0
    sensitivity, specificity = _quotient(tp, tp + fn + more), _quotient(tn, tn + fp + more)
    return specificity, (sensitivity + specificity) / 2, _quotient(tp + tn, tp + tn + fn + fp + more)


def _error_rate(wrong: Values, reference: Values, rules: Rules) -> Values:
    return _quotient(wrong, reference + (EPSILON if rules.arithmetic is Arithmetic.SED_EVAL else 0.0))


def _over(values: Values, in_reference: Flags, over: MacroOver) -> Values:
    """The mean over classes of every draw (rule 15.21)."""
    kept = ~np.isnan(values)
    if over is MacroOver.REFERENCE:
        kept &= in_reference
    number = np.full(len(values), values.shape[1]) if over is MacroOver.ALL else kept.sum(axis=1)
    return _quotient(in_order(np.where(kept, values, 0.0).T), number.astype(np.float64))


def _quotient(top: Values, bottom: Values) -> Values:
    """A quotient; not a number where it is undefined."""
    found: Values = np.divide(top, bottom, out=np.full(np.broadcast(top, bottom).shape, np.nan), where=bottom != 0)
    return found
