"""Curves as a record: what JSON holds and every table and figure reads (spec/schemas/curves.schema.json)."""

from fractions import Fraction
from typing import Annotated, Literal

from msgspec import Meta

from tracepact.core import Aggregation
from tracepact.metrics import MetricValue
from tracepact.records import Count, Digest, NotNegative, Record, Share

_Name = Annotated[str, Meta(description="A clause, a profile, `mean`, or a rate of a metric such as `event_f1`.")]
_Label = Annotated[str, Meta(description="The class.")]


class CurvePoint(Record, frozen=True):
    """The value from a threshold on, up to the next that is listed or some before it."""

    threshold: Share
    value: Annotated[MetricValue | None, Meta(description="Null where nothing is asked, or the value is undefined.")]
    satisfied: Annotated[Count | None, Meta(description="Satisfied obligations; null for what has none.")]
    obligated: Annotated[Count | None, Meta(description="Obligations; null for what has none.")]


class BestThreshold(Record, frozen=True):
    """The best value and where it is taken (19.7)."""

    value: MetricValue
    low: Annotated[Share, Meta(description="Where the longest best stretch begins; it is included.")]
    high: Annotated[Share, Meta(description="Where that stretch ends; it is not included unless it is 1.")]
    threshold: Annotated[Share, Meta(description="A short decimal in the middle of that stretch.")]
    stretches: Annotated[Count, Meta(description="How many stretches are best.")]
    interval: Annotated[
        tuple[float, float] | None, Meta(description="Over clips, at this threshold (20.8); null if not asked for.")
    ]


class ClassBest(Record, frozen=True):
    """The best threshold of one class by itself (19.6)."""

    label: _Label
    best: Annotated[BestThreshold | None, Meta(description="Null if it is asked nothing at any threshold.")]


class QuantityCurve(Record, frozen=True):
    """The curve of one quantity over the threshold."""

    name: _Name
    kind: Annotated[Literal["clause", "profile", "mean", "metric"], Meta(description="What it is.")]
    pieces: Annotated[Count, Meta(description="How many pieces the curve has, between 0 and 1.")]
    best: Annotated[BestThreshold | None, Meta(description="With a common threshold; null if nothing is ever asked.")]
    at_half: Annotated[MetricValue | None, Meta(description="The value at the threshold 0.5.")]
    classes: Annotated[
        tuple[ClassBest, ...] | None,
        Meta(description="Each class with a threshold of its own; null where classes depend on each other (19.6)."),
    ]
    own: Annotated[
        MetricValue | None,
        Meta(description="The value with a threshold for each class, chosen together (20.10); null without one."),
    ]
    points: Annotated[
        tuple[CurvePoint, ...],
        Meta(description="Ascending; every piece, or evenly chosen ones if fewer than `pieces` are listed."),
    ]


class ClassValue(Record, frozen=True):
    """A value of one class."""

    label: _Label
    value: Annotated[MetricValue | None, Meta(description="Null without references.")]


class AveragePrecision(Record, frozen=True):
    """The average precision of a metric (20.4)."""

    metric: str
    mean: Annotated[MetricValue | None, Meta(description="Over the classes that have one.")]
    classes: tuple[ClassValue, ...]


class RocStep(Record, frozen=True):
    """From a rate on, the effective share that is found."""

    rate: Annotated[NotNegative, Meta(description="Effective false positives an hour.")]
    found: MetricValue


class PsdsRecord(Record, frozen=True):
    """A PSDS with its ROC (20.5)."""

    name: str
    dtc: Share
    gtc: Share
    cttc: Share | None
    alpha_ct: NotNegative
    alpha_st: NotNegative
    e_max: NotNegative
    value: MetricValue | None
    classes: tuple[ClassValue, ...]
    roc: Annotated[tuple[RocStep, ...], Meta(description="All steps, or some if there are many.")]


class CurvesRecord(Record, frozen=True):
    """What `tracepact curves --format json` prints: every curve over the threshold (chapters 19 and 20)."""

    format: Annotated[Literal["tracepact-curves/1"], Meta(description="The form of this document.")]
    contract: str
    contract_digest: Digest
    aggregation: Aggregation
    median: Annotated[int, Meta(ge=1, description="The length of the median filter before every threshold.")]
    clips: Count
    classes: tuple[str, ...]
    scores: Annotated[Count, Meta(description="How many distinct scores there are.")]
    quantities: Annotated[tuple[QuantityCurve, ...], Meta(min_length=1)]
    average_precision: tuple[AveragePrecision, ...]
    psds: tuple[PsdsRecord, ...]

    def quantity(self, name: str) -> QuantityCurve:
        """The curve of a name; StopIteration if there is none."""
        return next(found for found in self.quantities if found.name == name)


def optional(value: Fraction | float | None) -> MetricValue | None:
    """The record of a value, if there is one."""
    return None if value is None else MetricValue.of(value)
