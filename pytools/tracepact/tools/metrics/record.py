"""What `tracepact metrics` returns: the metrics, what was done to the data before, and intervals where asked for."""

from typing import Annotated

from msgspec import Meta
from msgspec.structs import asdict

from tracepact.metrics import Measured, MetricIntervals, MetricsRecord
from tracepact.metrics.record import AccuracyRecord, accuracy_records
from tracepact.tools.score.report.preparation import Preparation


class MetricsOutput(MetricsRecord, frozen=True):
    """What `tracepact metrics --format json` prints: the standard metrics with their policies.

    Numbers in parentheses are rules of language.md and tools.md.
    """

    accuracies: Annotated[tuple[AccuracyRecord, ...], Meta(description="Of the segment metric, where there is one.")]
    intervals: Annotated[MetricIntervals | None, Meta(description="Null unless asked for.")]
    preparation: Preparation


def metrics_output(
    record: MetricsRecord, found: Measured, preparation: Preparation, intervals: MetricIntervals | None
) -> MetricsOutput:
    """The record of some metrics with what is shown beside it."""
    return MetricsOutput(
        **asdict(record),
        accuracies=accuracy_records(found),
        intervals=intervals,
        preparation=preparation,
    )
