"""The standard metrics of the field on intervals and on traces, each with its declared policy."""

from tracepact.metrics.cells import CellDifference
from tracepact.metrics.compare import compare
from tracepact.metrics.events import PairDifference
from tracepact.metrics.interval_record import (
    INTERVAL_COLUMNS,
    MetricIntervals,
    ValueDifference,
    ValueInterval,
    interval_rows,
    intervals_record,
)
from tracepact.metrics.points import HALF_WIDTH, OVERLAP, compare_overlap, compare_points, point_frames
from tracepact.metrics.policy import (
    Arithmetic,
    Empty,
    Evaluated,
    EventPolicy,
    Input,
    MacroOver,
    MetricSettings,
    OffsetRule,
    Rules,
)
from tracepact.metrics.record import CountMetricRecord, MeanMetricRecord, MetricsRecord, MetricValue, metrics_record
from tracepact.metrics.result import CountMetric, Deviation, MeanMetric, Measured, Metric
from tracepact.metrics.rows import METRIC_COLUMNS, metric_rows
from tracepact.metrics.standard import StandardMetrics, standard_metrics
from tracepact.metrics.uncertainty import (
    Compared,
    MetricDifference,
    MetricInterval,
    Quantity,
    compare_systems,
    metric_draws,
    metric_intervals,
    metric_values,
)
from tracepact.metrics.values import Accuracy, Errors, Rates, Tally

__all__ = [
    "HALF_WIDTH",
    "INTERVAL_COLUMNS",
    "METRIC_COLUMNS",
    "OVERLAP",
    "Accuracy",
    "Arithmetic",
    "CellDifference",
    "Compared",
    "CountMetric",
    "CountMetricRecord",
    "Deviation",
    "Empty",
    "Errors",
    "Evaluated",
    "EventPolicy",
    "Input",
    "MacroOver",
    "MeanMetric",
    "MeanMetricRecord",
    "Measured",
    "Metric",
    "MetricDifference",
    "MetricInterval",
    "MetricIntervals",
    "MetricSettings",
    "MetricValue",
    "MetricsRecord",
    "OffsetRule",
    "PairDifference",
    "Quantity",
    "Rates",
    "Rules",
    "StandardMetrics",
    "Tally",
    "ValueDifference",
    "ValueInterval",
    "compare",
    "compare_overlap",
    "compare_points",
    "compare_systems",
    "interval_rows",
    "intervals_record",
    "metric_draws",
    "metric_intervals",
    "metric_rows",
    "metric_values",
    "metrics_record",
    "point_frames",
    "standard_metrics",
]
