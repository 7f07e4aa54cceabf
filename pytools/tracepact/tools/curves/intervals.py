"""Intervals over clips at a threshold that is held fixed (rule 20.8)."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tracepact.scoring.bootstrap import Weights, drawn_scores, draws, interval
from tracepact.scoring.uncertainty import Bootstrap
from tracepact.thresholds import Quantities, counts_of

Drawn = NDArray[np.float64]


def interval_at(quantities: Quantities, name: str, cut: int, label: int | None, how: Bootstrap) -> tuple[float, float]:
    """The interval of a quantity at a cut, of all classes or of one."""
    value = _drawn(quantities, name, cut, label)
    drawn = [value(weights) for weights in draws(quantities.given.shape[1], how.number, how.seed)]
    return interval(np.concatenate(drawn), how.level)


def _drawn(quantities: Quantities, name: str, cut: int, label: int | None) -> Callable[[Weights], Drawn]:
    """What a quantity is in draws of clips, given how often each draw has each clip."""
    parts = quantities.weights(name)
    if parts is None:
        return _drawn_rate(quantities, name, cut, label)
    contract = quantities.contract
    own = {profile.name: profile.aggregation for profile in contract.profiles}.get(name, contract.aggregation)
    total = float(sum(weight for _, weight in parts))
    counts = [(float(weight) / total, counts_of(quantities.steps(clause).at(cut))) for clause, weight in parts]
    if label is not None:
        counts = [(weight, some.select(label=label)) for weight, some in counts]

    def mean(weights: Weights) -> Drawn:
        values = [weight * drawn_scores(some, own, weights) for weight, some in counts]
        return np.asarray(np.sum(values, axis=0))

    return mean


def _drawn_rate(quantities: Quantities, name: str, cut: int, label: int | None) -> Callable[[Weights], Drawn]:
    metric, _, rate = name.partition("_")
    counts = quantities.metric(metric)
    tallies = counts.tallies.at(cut)
    if label is not None:
        tallies = tallies[:, label : label + 1]
    swapped = np.zeros(tallies.shape[2])
    if rate == "error_rate" and label is None and counts.substitutions is not None:
        swapped = counts.substitutions.at(cut)[0, 0].astype(np.float64)

    def value(weights: Weights) -> Drawn:
        tp, fp, fn = (weights @ some.T.astype(np.float64) for some in tallies)  # draws × classes
        if not rate.startswith("macro_"):
            tp, fp, fn = (part.sum(axis=1, keepdims=True) for part in (tp, fp, fn))
        match rate.removeprefix("macro_"):
            case "precision":
                top, bottom = tp, tp + fp
            case "recall":
                top, bottom = tp, tp + fn
            case "f1":
                top, bottom = 2 * tp, 2 * tp + fp + fn
            case _:
                top, bottom = fp + fn - (weights @ swapped)[:, None], tp + fn
        defined = bottom > 0
        shares = np.where(defined, top / np.where(defined, bottom, 1.0), 0.0)
        return np.asarray(shares.sum(axis=1) / np.maximum(defined.sum(axis=1), 1))

    return value
