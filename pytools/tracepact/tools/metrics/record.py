"""What `tracepact metrics` returns: the metrics, what was done to the data before, and intervals where asked for."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import asdict

from tracepact.metrics import Measured, MetricIntervals, MetricsRecord, metrics_record
from tracepact.tools.score.report.preparation import Preparation


class MetricsOutput(MetricsRecord, frozen=True):
    """What `tracepact metrics --format json` prints: the standard metrics with their policies.

    Numbers in parentheses are rules of language.md and tools.md.
    """

    preparation: Preparation
    intervals: Annotated[MetricIntervals | UnsetType, Meta(description="Absent unless asked for.")] = UNSET


def metrics_output(
    found: Measured, preparation: Preparation, intervals: MetricIntervals | UnsetType = UNSET
) -> MetricsOutput:
    """The record of some metrics."""
    return MetricsOutput(**asdict(metrics_record(found, accuracy=True)), preparation=preparation, intervals=intervals)
