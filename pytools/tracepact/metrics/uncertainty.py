"""Intervals of metrics over clips, and differences between systems with their significance (rule 15.22)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from tracepact.metrics.counts import Values
from tracepact.metrics.draws import drawn_values
from tracepact.metrics.policy import Number
from tracepact.metrics.result import CountMetric, Measured, Metric
from tracepact.scoring.bootstrap import Weights, draws, interval
from tracepact.scoring.uncertainty import NEAR, USUAL, Bootstrap, Signs, holm, two_sided

Quantity = tuple[str, str]
"""A metric and one of its values: `("event", "macro_f1")`."""


@dataclass(frozen=True, slots=True)
class MetricInterval:
    """A value, the interval of the draws in which it is defined, and the number of those in which it is not.

    A value that is undefined for all clips is so in every draw, and has no interval.
    """

    value: Number | None
    low: float | None
    high: float | None
    undefined: int


@dataclass(frozen=True, slots=True)
class MetricDifference:
    """A system minus the one it is compared with, the interval of its draws, its p, and this after Holm."""

    value: Number | None
    low: float | None
    high: float | None
    undefined: int
    p: Fraction
    corrected: Fraction


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """What is said of several systems: the intervals of each, and the differences of all but the first from it."""

    intervals: tuple[dict[Quantity, MetricInterval], ...]
    differences: tuple[dict[Quantity, MetricDifference], ...]


def metric_values(found: Measured) -> dict[Quantity, Number | None]:
    """Every value of every metric, by metric and name."""
    return {(metric.name, name): value for metric in found.metrics for name, value in metric.values.items()}


def metric_draws(found: Measured, bootstrap: Bootstrap = USUAL) -> dict[Quantity, Values]:
    """Every value in every draw; systems with the same clips in the same order see the same draws."""
    portions = [_drawn(found.metrics, weights) for weights in draws(found.clips, bootstrap.number, bootstrap.seed)]
    return {quantity: np.concatenate([some[quantity] for some in portions]) for quantity in portions[0]}


def metric_intervals(found: Measured, bootstrap: Bootstrap = USUAL) -> dict[Quantity, MetricInterval]:
    """Every value with its interval over clips."""
    return metric_intervals_of(found, metric_draws(found, bootstrap), bootstrap)


def metric_intervals_of(
    found: Measured, drawn: Mapping[Quantity, Values], bootstrap: Bootstrap
) -> dict[Quantity, MetricInterval]:
    """Every value with the interval of its draws."""
    return {
        quantity: MetricInterval(value, *_interval(drawn[quantity], bootstrap))
        for quantity, value in metric_values(found).items()
    }


def compare_systems(systems: Sequence[Measured], bootstrap: Bootstrap = USUAL) -> Compared:
    """Intervals of systems measured alike on one reference, and differences from the first, corrected over the systems.

    A clip that one of them does not have is silent in it.
    """
    base, *others = aligned(systems)
    found = [_differences(base, other, bootstrap) for other in others]
    for quantity in found[0] if found else ():
        corrected = holm([some[quantity].p for some in found])
        for some, p in zip(found, corrected, strict=True):
            some[quantity] = replace(some[quantity], corrected=p)
    return Compared(tuple(metric_intervals(some, bootstrap) for some in (base, *others)), tuple(found))


def aligned(systems: Sequence[Measured]) -> list[Measured]:
    """The systems with the clips of all of them, in one order."""
    names = tuple(dict.fromkeys(clip for some in systems for clip in some.clip_names))
    number = {clip: k for k, clip in enumerate(names)}
    found = []
    for some in systems:
        if some.clip_names == names:
            found.append(some)
            continue
        clips = [number[clip] for clip in some.clip_names]
        metrics = tuple(metric.renumbered(clips, len(names)) for metric in some.metrics)
        found.append(Measured(some.arithmetic, names, metrics, some.left_out, some.unlisted))
    return found


_Ends = tuple[float | None, float | None, int]


def _differences(base: Measured, other: Measured, bootstrap: Bootstrap) -> dict[Quantity, MetricDifference]:
    """Each value of the other minus that of the base, not yet corrected for other comparisons."""
    pairs = list(zip(other.metrics, base.metrics, strict=True))
    portions = [
        {(a.name, name): found for a, b in pairs for name, found in _signed(a, b, weights).items()}
        for weights in draws(base.clips, bootstrap.number, bootstrap.seed)
    ]
    before, found = metric_values(base), {}
    for quantity, after in metric_values(other).items():
        values, signs = (np.concatenate([some[quantity][part] for some in portions]) for part in (0, 1))
        was = before[quantity]
        value = None if after is None or was is None else after - was
        p = two_sided(signs.astype(np.int8))
        found[quantity] = MetricDifference(value, *_interval(values, bootstrap), p, p)
    return found


def _signed(ours: Metric, theirs: Metric, weights: Weights) -> dict[str, tuple[Values, Signs]]:
    """The differences of every draw and their signs, computed exactly where a float could mislead; 0 if undefined."""
    a, b = drawn_values(ours, weights), drawn_values(theirs, weights)
    touched = weights @ _differing_clips(ours, theirs) > 0
    found = {}
    exact: dict[int, tuple[Mapping[str, Number | None], Mapping[str, Number | None]]] = {}
    for name in a:
        difference = a[name] - b[name]
        signs = np.sign(np.nan_to_num(difference)).astype(np.int8)
        near = np.abs(difference) < NEAR
        for draw in np.flatnonzero(near & touched).tolist():
            if draw not in exact:
                times = weights[draw].astype(np.int64)
                exact[draw] = ours.drawn_once(times).values, theirs.drawn_once(times).values
            x, y = (values[name] for values in exact[draw])
            assert x is not None
            assert y is not None
            signs[draw] = (x > y) - (x < y)
        found[name] = difference, signs
    return found


def _differing_clips(a: Metric, b: Metric) -> Values:
    """1 for each clip on which two systems differ in some count, else 0."""
    found = np.zeros(a.counts.clips)
    if a.labels != b.labels:
        return found + 1
    found[a.counts.differing_clips(b.counts)] = 1
    if isinstance(a, CountMetric) and isinstance(b, CountMetric):
        if a.clip_errors is not None and b.clip_errors is not None:
            found[a.clip_errors.differing_clips(b.clip_errors)] = 1
        if a.cells is not None and b.cells is not None:
            found[a.cells != b.cells] = 1
    return found


def _drawn(metrics: Sequence[Metric], weights: Weights) -> dict[Quantity, Values]:
    return {(metric.name, name): values for metric in metrics for name, values in drawn_values(metric, weights).items()}


def _interval(values: Values, bootstrap: Bootstrap) -> _Ends:
    """The ends of the interval of the defined values, and how many are not."""
    defined = values[~np.isnan(values)]
    undefined = len(values) - len(defined)
    return (*interval(defined, bootstrap.level), undefined) if len(defined) else (None, None, undefined)
