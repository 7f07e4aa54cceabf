"""The standard metrics of the field on intervals and on traces, each with its declared policy."""

from tracepact.metrics.cells import CellDifference
from tracepact.metrics.compare import compare
from tracepact.metrics.events import PairDifference
from tracepact.metrics.policy import Arithmetic, EventPolicy, Input, MetricSettings, OffsetRule
from tracepact.metrics.result import CountMetric, Deviation, Errors, MeanMetric, Metric, Rates, Tally
from tracepact.metrics.standard import StandardMetrics, standard_metrics

__all__ = [
    "Arithmetic",
    "CellDifference",
    "CountMetric",
    "Deviation",
    "Errors",
    "EventPolicy",
    "Input",
    "MeanMetric",
    "Metric",
    "MetricSettings",
    "OffsetRule",
    "PairDifference",
    "Rates",
    "StandardMetrics",
    "Tally",
    "compare",
    "standard_metrics",
]
