"""The standard metrics of a run as the columns of a league take them: one value each, and whether it was earned."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Annotated

import numpy as np
from msgspec import Meta

from tracepact.metrics import CountMetric, Measured, MetricsRecord, MetricValue
from tracepact.metrics.record import CountMetricRecord, MeanMetricRecord
from tracepact.metrics.result import Metric
from tracepact.metrics.uncertainty import metric_draws
from tracepact.records import Record
from tracepact.scoring.bootstrap import Values
from tracepact.scoring.uncertainty import Bootstrap

_LEADING = ("f1", "macro_f1", "error_rate", "mean")
_MEANS = ("mean", "macro_mean")
_LOWER = ("error_rate", "macro_error_rate", *_MEANS)


class Measure(Record, frozen=True):
    """One value of a standard metric, with the policy it depends on."""

    name: str
    policy: str
    value: MetricValue
    earned: bool
    higher_is_better: bool
    ranked: Annotated[bool, Meta(description="Whether systems are ranked by it (16.16).")]
    leading: Annotated[bool, Meta(description="Whether tables for people show it.")]

    @property
    def number(self) -> Fraction | float | None:
        """The value, exact where it is."""
        return self.value.shown


def measures(found: Measured) -> tuple[Measure, ...]:
    """Every value of every metric."""
    return tuple(measure for metric in found.metrics for measure in _of_metric(metric))


def drawn_measures(found: Measured, clips: Sequence[str], bootstrap: Bootstrap) -> Values:
    """Every value in every draw, in the order of `measures`; the clips are drawn in this order."""
    number = {clip: k for k, clip in enumerate(clips)}
    places = [number[clip] for clip in found.clip_names]
    same = tuple(metric.renumbered(places, len(clips)) for metric in found.metrics)
    drawn = metric_draws(Measured(found.arithmetic, tuple(clips), same, found.left_out, found.unlisted), bootstrap)
    values: Values = np.stack([drawn[metric.name, name] for metric in found.metrics for name in metric.values])
    return values


def policies(found: MetricsRecord) -> dict[str, str]:
    """What the metrics depend on beside the data: runs of one league have this in common."""
    known = (metric for metric in found.metrics if isinstance(metric, CountMetricRecord | MeanMetricRecord))
    return {"arithmetic": found.policy.value, **{metric.name: metric.policy for metric in known}}


def _of_metric(metric: Metric) -> Iterator[Measure]:
    is_count = isinstance(metric, CountMetric)
    predicted = metric.total.tp + metric.total.fp > 0 if isinstance(metric, CountMetric) else metric.total.pairs > 0
    for quantity, value in metric.values.items():
        name = metric.name.replace(" ", "_")
        yield Measure(
            name if quantity == "mean" else f"{name}_{quantity}",
            metric.policy,
            MetricValue.of(value),
            predicted and value is not None,
            quantity not in _LOWER,
            is_count,
            quantity in _LEADING,
        )
