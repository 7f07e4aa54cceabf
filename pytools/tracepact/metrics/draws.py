"""The values of a metric in many draws of clips at once, from its counts (rules 15.22 and 16.7)."""

import numpy as np
from numpy.typing import NDArray

from tracepact.metrics.counts import Values
from tracepact.metrics.policy import Arithmetic, Empty, MacroOver, Rules
from tracepact.metrics.result import NAMED_ACCURACIES, RATES, CountMetric, MeanMetric, Metric
from tracepact.metrics.values import EPSILON
from tracepact.scoring.bootstrap import Weights

Flags = NDArray[np.bool_]


def drawn_values(metric: Metric, weights: Weights) -> dict[str, Values]:
    """Every value of `metric.values` in every draw, in floats; not a number where it is undefined."""
    return _means(metric, weights) if isinstance(metric, MeanMetric) else _counts(metric, weights)


def _means(metric: MeanMetric, weights: Weights) -> dict[str, Values]:
    ticks, pairs = np.moveaxis(metric.counts.drawn(weights), 1, 0)
    seconds = ticks / metric.unit
    macro = _over(_quotient(seconds, pairs), pairs > 0, MacroOver.DEFINED)
    return {"mean": _quotient(seconds.sum(axis=1), pairs.sum(axis=1)), "macro_mean": macro}


def _counts(metric: CountMetric, weights: Weights) -> dict[str, Values]:
    rules = metric.rules
    tally = np.moveaxis(metric.counts.drawn(weights), 1, 0)
    total, in_reference = tally.sum(axis=2), tally[0] + tally[2] > 0
    found = dict(zip(RATES, _rates(total, rules), strict=True))
    for name, values in zip(RATES, _rates(tally, rules), strict=True):
        found[f"macro_{name}"] = _over(values, in_reference, rules.macro)
    if metric.cells is not None:
        cells = weights @ metric.cells.astype(np.float64)
        micro = _accuracies(total, cells * len(metric.labels) - total.sum(axis=0), rules)
        by_class = _accuracies(tally, cells[:, None] - tally.sum(axis=0), rules)
        found |= dict(zip(NAMED_ACCURACIES, micro, strict=True))
        for name, values in zip(NAMED_ACCURACIES, by_class, strict=True):
            found[f"macro_{name}"] = _over(values, in_reference, rules.macro)
    if metric.clip_errors is not None:
        errors = metric.clip_errors.drawn(weights)[:, :, 0]
        found["error_rate"] = _error_rate(errors[:, :3].sum(axis=1), errors[:, 3], rules)
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
    return _quotient(np.where(kept, values, 0.0).sum(axis=1), number.astype(np.float64))


def _quotient(top: Values, bottom: Values) -> Values:
    """A quotient; not a number where it is undefined."""
    found: Values = np.divide(top, bottom, out=np.full(np.broadcast(top, bottom).shape, np.nan), where=bottom != 0)
    return found
