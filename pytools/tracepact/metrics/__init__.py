"""The standard metrics of the field on intervals and on traces, each with its declared policy."""

from tracepact.metrics.cells import CellDifference
from tracepact.metrics.compare import compare
from tracepact.metrics.events import PairDifference
from tracepact.metrics.points import HALF_WIDTH, OVERLAP, compare_overlap, compare_points, point_frames
from tracepact.metrics.policy import Arithmetic, EventPolicy, Input, MetricSettings, OffsetRule
from tracepact.metrics.record import CountMetricRecord, MeanMetricRecord, MetricsRecord, MetricValue, metrics_record
from tracepact.metrics.result import CountMetric, Deviation, Errors, MeanMetric, Measured, Metric, Rates, Tally
from tracepact.metrics.rows import METRIC_COLUMNS, metric_rows
from tracepact.metrics.standard import StandardMetrics, standard_metrics

__all__ = [
    "HALF_WIDTH",
    "METRIC_COLUMNS",
    "OVERLAP",
    "Arithmetic",
    "CellDifference",
    "CountMetric",
    "CountMetricRecord",
    "Deviation",
    "Errors",
    "EventPolicy",
    "Input",
    "MeanMetric",
    "MeanMetricRecord",
    "Measured",
    "Metric",
    "MetricSettings",
    "MetricValue",
    "MetricsRecord",
    "OffsetRule",
    "PairDifference",
    "Rates",
    "StandardMetrics",
    "Tally",
    "compare",
    "compare_overlap",
    "compare_points",
    "metric_rows",
    "metrics_record",
    "point_frames",
    "standard_metrics",
]
