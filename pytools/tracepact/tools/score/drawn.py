"""Intervals over clips of a run in batches: what draws need of each clip, and the draws by an engine (rule 24.20)."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from math import lcm
from typing import Any

import numpy as np

from tracepact.core import Aggregation
from tracepact.engines import Engine, Progress
from tracepact.metrics import Compared, MeanMetric, Measured, Metric
from tracepact.metrics.counts import Counts
from tracepact.metrics.draws import MetricSums, metric_sums, values_of_sums
from tracepact.metrics.uncertainty import metric_intervals_of, metric_values
from tracepact.scoring.aggregate import LOGIC, ClauseCounts
from tracepact.scoring.bootstrap import ClauseSums, Values, Weights, clause_sums
from tracepact.scoring.clip_columns import ClipColumns, ClipParts
from tracepact.scoring.drawing import draw_values
from tracepact.scoring.tally import GroupTally
from tracepact.scoring.uncertainty import Bootstrap, Interval, intervals_of, with_mean
from tracepact.trace.layout import Indices

_EXACT = 2**53
Intervals = dict[Aggregation, dict[str, Interval]]


def run_columns(places: Indices, counts: Mapping[str, ClauseCounts], found: Measured) -> ClipParts:
    """What draws need of the clips of a batch: the counts of clauses and of metrics."""
    columns: dict[str, Any] = {}
    for name, some in counts.items():
        columns |= {
            f"clause {name} satisfied": some.satisfied,
            f"clause {name} obligated": some.obligated,
            f"clause {name} counter": some.counter.astype(np.int64),
        }
    for number, metric in enumerate(found.metrics):
        head = f"metric {number}"
        columns |= {f"{head} segment": metric.counts.segment, f"{head} values": metric.counts.values}
        if isinstance(metric, MeanMetric):
            columns |= _ticks(head, metric)
            continue
        if metric.clip_errors is not None:
            errors = metric.clip_errors
            columns |= {f"{head} errors segment": errors.segment, f"{head} errors values": errors.values}
        if metric.cells is not None:
            columns[f"{head} cells"] = metric.cells
    return ClipParts.of(places, columns)


def _ticks(head: str, metric: MeanMetric) -> dict[str, Any]:
    """The unit of distances; of one so fine that floats do not hold it, the distances are seconds in floats."""
    if metric.unit < _EXACT:
        return {f"{head} unit": np.array([metric.unit])}
    ticks, pairs = metric.counts.values
    seconds = np.array([int(tick) / metric.unit for tick in ticks], dtype=np.float64)
    return {f"{head} unit": np.array([1]), f"{head} values": np.stack([seconds, pairs.astype(np.float64)])}


@dataclass(frozen=True, slots=True, eq=False)
class RunSums:
    """What draws have of every clause and metric over some clips."""

    clauses: Mapping[str, ClauseSums]
    metrics: tuple[MetricSums, ...]

    def __add__(self, other: "RunSums") -> "RunSums":
        clauses = {name: found + other.clauses[name] for name, found in self.clauses.items()}
        return RunSums(clauses, tuple(a + b for a, b in zip(self.metrics, other.metrics, strict=True)))


@dataclass(frozen=True, slots=True)
class RunDraws:
    """Every clause under every aggregation, and every value of every metric, in draws.

    `metrics` say by which rules and of which classes; their counts are those of the parts.
    """

    clauses: tuple[str, ...]
    metrics: tuple[Metric, ...]

    def sums(self, part: ClipColumns, weights: Weights, clips: int) -> RunSums:
        """What draws of so many clips have of those of a part."""
        clauses = {name: clause_sums(_clause(part, name), weights, clips) for name in self.clauses}
        number = weights.shape[1]
        metrics = (_metric(part, k, metric, number) for k, metric in enumerate(self.metrics))
        return RunSums(clauses, tuple(metric_sums(metric, weights) for metric in metrics))

    def values(self, sums: RunSums) -> Mapping[Hashable, Values]:
        """Every value in every draw, by aggregation and clause or by metric and name."""
        found: dict[Hashable, Values] = {}
        for aggregation in Aggregation if self.clauses else ():
            drawn = {name: some.scores(aggregation) for name, some in sums.clauses.items()}
            found |= {(aggregation, name): values for name, values in with_mean(drawn).items()}
        for metric, own in zip(self.metrics, sums.metrics, strict=True):
            found |= {(metric.name, name): values for name, values in values_of_sums(metric, own).items()}
        return found


def _clause(part: ClipColumns, name: str) -> ClauseCounts:
    satisfied, obligated, counter = (part[f"clause {name} {kind}"] for kind in ("satisfied", "obligated", "counter"))
    return ClauseCounts(satisfied, obligated, counter > 0)


def _metric(part: ClipColumns, number: int, metric: Metric, clips: int) -> Metric:
    """A metric with the counts of a part."""
    head = f"metric {number}"
    counts = Counts(len(metric.labels), clips, part[f"{head} segment"], part[f"{head} values"])
    if isinstance(metric, MeanMetric):
        times = metric.unit // int(part[f"{head} unit"][0])
        return replace(metric, counts=replace(counts, values=counts.values * np.array([[times], [1]])))
    errors = None
    if metric.clip_errors is not None:
        errors = Counts(1, clips, part[f"{head} errors segment"], part[f"{head} errors values"])
    return replace(
        metric, counts=counts, clip_errors=errors, cells=None if metric.cells is None else part[f"{head} cells"]
    )


def _with_unit(metrics: tuple[Metric, ...], parts: ClipParts) -> tuple[Metric, ...]:
    """Metrics whose distances are in a unit of all parts."""
    found = []
    for number, metric in enumerate(metrics):
        if isinstance(metric, MeanMetric):
            units = (int(part[f"metric {number} unit"][0]) for _, part in parts.parts)
            metric = replace(metric, unit=lcm(*units))
        found.append(metric)
    return tuple(found)


def drawn_intervals(
    parts: ClipParts,
    clips: int,
    group: GroupTally | None,
    found: Measured,
    bootstrap: Bootstrap,
    engine: Engine,
    progress: Progress | None = None,
) -> tuple[Intervals, Compared]:
    """The interval of every clause under every aggregation, and of every value of the metrics."""
    clauses = () if group is None else tuple(group.clauses)
    draws = RunDraws(clauses, _with_unit(found.metrics, parts))
    drawn = draw_values(draws, parts, clips, bootstrap, engine, progress)
    intervals: Intervals = {}
    for aggregation in Aggregation if group is not None else ():
        assert group is not None
        values = {name: score.value for name, score in group.vector(aggregation).items()}
        values[LOGIC] = group.logic(aggregation)
        own = {name: drawn[aggregation, name] for name in values}
        intervals[aggregation] = intervals_of(values, own, bootstrap)
    metrics = {quantity: drawn[quantity] for quantity in metric_values(found)}
    return intervals, Compared((metric_intervals_of(found, metrics, bootstrap),), ())
