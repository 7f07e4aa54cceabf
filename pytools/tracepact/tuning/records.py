"""Curves and tunings as records, and intervals over clips at thresholds that are held fixed (rules 20.8 and 24.20)."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from tracepact.engines import Engine, EngineProgress
from tracepact.evaluate.draws import (
    ClauseSums,
    ClipColumns,
    ClipParts,
    Values,
    Weights,
    clause_sums,
    in_order,
    interval,
)
from tracepact.evaluate.scores import ClauseCounts
from tracepact.evaluate.uncertainty import Bootstrap, draw_values
from tracepact.language.contract import Aggregation, Contract
from tracepact.measures.records import MetricValue
from tracepact.records import Count, Digest, NotNegative, Record, Share
from tracepact.runs.report import ClassDecodingRecord
from tracepact.thresholds.quantities import MetricRate, Quantities, weights_of
from tracepact.thresholds.steps import Whole, counts_of
from tracepact.wording import UNDEFINED, decimal

# Curves as a record: what JSON holds and every table and figure reads (spec/schemas/curves.schema.json).

_Name = Annotated[str, Meta(description="A clause, a profile, `mean`, or a rate of a metric such as `event_f1`.")]
_Label = Annotated[str, Meta(description="The class.")]


OnStep = Callable[[int, int, str], None]
"""Told how much of a long computation is done, of how much, and what it is."""


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


def text_of(value: MetricValue | None) -> str:
    """A value as tables show it."""
    return UNDEFINED if value is None else decimal(value.shown)


def optional(value: Fraction | float | None) -> MetricValue | None:
    """The record of a value, if there is one."""
    return None if value is None else MetricValue.of(value)


# Intervals over clips at thresholds that are held fixed, all from one pass over the draws (rules 20.8 and 24.20).

Ends = tuple[float, float]


@dataclass(frozen=True, slots=True)
class QuantityPoint:
    """A quantity at a threshold, of all classes or of one."""

    name: str
    label: int | None
    threshold: Fraction


@dataclass(frozen=True, slots=True)
class _Counted:
    """Counts that quantities are made of: of a clause or of a metric, at a threshold, of all classes or of one."""

    name: str
    is_clause: bool
    label: int | None
    threshold: Fraction

    @property
    def key(self) -> str:
        """The prefix of its columns."""
        return f"{'clause' if self.is_clause else 'metric'} {self.name} {self.label} {self.threshold}"


def _counted(contract: Contract, point: QuantityPoint) -> list[tuple[Fraction, _Counted]]:
    """The weighted parts of a quantity; the rate of a metric has its counts as the only part."""
    parts = weights_of(contract, point.name)
    place = point.label, point.threshold
    if parts is None:
        return [(Fraction(1), _Counted(point.name.partition("_")[0], False, *place))]
    return [(weight, _Counted(clause, True, *place)) for clause, weight in parts]


def clip_counts(quantities: Quantities, points: Sequence[QuantityPoint], places: Whole) -> ClipParts:
    """The columns that draws need of the clips of some quantities; `places` are their numbers in the whole."""
    columns: dict[str, Whole] = {}
    for one in dict.fromkeys(part for each in points for _, part in _counted(quantities.contract, each)):
        columns |= dict(_columns(quantities, one))
    return ClipParts.of(places, columns)


def _columns(quantities: Quantities, one: _Counted) -> Iterator[tuple[str, Whole]]:
    cut = quantities.given.levels.above(one.threshold)
    if one.is_clause:
        counts = counts_of(quantities.steps(one.name).at(cut)).select(label=one.label)
        kinds = (counts.satisfied, counts.obligated, counts.counter.astype(np.int64))
        yield from zip((f"{one.key} satisfied", f"{one.key} obligated", f"{one.key} counter"), kinds, strict=True)
        return
    found = quantities.metric(one.name)
    tallies = found.tallies.at(cut)
    yield f"{one.key} tallies", tallies if one.label is None else tallies[:, one.label : one.label + 1]
    if one.label is None and found.substitutions is not None:
        yield f"{one.key} swapped", found.substitutions.at(cut)[0, 0]


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Sums of counts over drawn clips; of a metric three kinds × draws × classes, and substitutions by draw."""

    clauses: Mapping[_Counted, ClauseSums]
    metrics: Mapping[_Counted, tuple[Values, Values]]

    def __add__(self, other: "_Sums") -> "_Sums":
        metrics = {
            key: (found[0] + other.metrics[key][0], found[1] + other.metrics[key][1])
            for key, found in self.metrics.items()
        }
        return _Sums({key: found + other.clauses[key] for key, found in self.clauses.items()}, metrics)


@dataclass(frozen=True, slots=True)
class CurveDraws:
    """Quantities at thresholds, in draws: what each is the weighted mean of, and under which aggregation."""

    asked: tuple[QuantityPoint, ...]
    parts: tuple[tuple[tuple[float, _Counted], ...], ...]
    aggregations: tuple[Aggregation, ...]

    @classmethod
    def of(cls, quantities: Quantities, points: Sequence[QuantityPoint]) -> "CurveDraws":
        """The draws of some quantities."""
        parts = []
        for one in points:
            found = _counted(quantities.contract, one)
            total = sum(weight for weight, _ in found)
            parts.append(tuple((float(weight / total), counted) for weight, counted in found))
        return cls(tuple(points), tuple(parts), tuple(quantities.aggregation(one.name) for one in points))

    def sums(self, part: ClipColumns, weights: Weights, clips: int) -> _Sums:
        """The sums over the clips of a part, in draws of `clips` clips."""
        clauses: dict[_Counted, ClauseSums] = {}
        metrics: dict[_Counted, tuple[Values, Values]] = {}
        # The mean, a profile and a clause at one threshold are made of the same counts: each is drawn once.
        for one in dict.fromkeys(counted for parts in self.parts for _, counted in parts):
            if one.is_clause:
                satisfied, obligated, counter = (
                    part[f"{one.key} {kind}"] for kind in ("satisfied", "obligated", "counter")
                )
                counts = ClauseCounts(satisfied, obligated, counter > 0)
                clauses[one] = clause_sums(counts, weights, clips, frozenset(self.aggregations))
                continue
            tallies = part[f"{one.key} tallies"].astype(np.float64)
            swapped = part[f"{one.key} swapped"] if f"{one.key} swapped" in part else np.zeros(weights.shape[1])
            drawn = np.stack([weights @ some.T for some in tallies])
            metrics[one] = drawn, weights @ swapped.astype(np.float64)
        return _Sums(clauses, metrics)

    def values(self, sums: _Sums) -> Mapping[Hashable, Values]:
        """Every quantity in every draw."""
        found: dict[Hashable, Values] = {}
        for one, parts, aggregation in zip(self.asked, self.parts, self.aggregations, strict=True):
            if not parts[0][1].is_clause:
                found[one] = _rate(MetricRate.of(one.name), *sums.metrics[parts[0][1]])
                continue
            values = [weight * sums.clauses[counted].scores(aggregation) for weight, counted in parts]
            found[one] = in_order(np.stack(values))
        return found


def _rate(rate: MetricRate, tallies: Values, swapped: Values) -> Values:
    """A rate of a metric in every draw; 0 where it is not defined. Tallies are kinds × draws × classes."""
    groups = tallies if rate.macro else tallies.sum(axis=2, keepdims=True)
    top, bottom = (np.tensordot(weights, groups, 1) for weights in (rate.top, rate.bottom))
    if rate.spares:
        top = top - swapped[:, None]
    defined = bottom > 0
    shares = np.where(defined, top / np.where(defined, bottom, 1.0), 0.0)
    return np.asarray(in_order(shares.T) / np.maximum(defined.sum(axis=1), 1))


def intervals_at(
    quantities: Quantities,
    points: Sequence[QuantityPoint],
    parts: ClipParts,
    bootstrap: Bootstrap,
    engine: Engine,
    progress: EngineProgress | None = None,
) -> dict[QuantityPoint, Ends]:
    """The interval of each quantity at its threshold."""
    if not points:
        return {}
    draws = CurveDraws.of(quantities, points)
    drawn = draw_values(draws, parts, quantities.given.shape[1], bootstrap, engine, progress)
    return {one: interval(drawn[one], bootstrap.level) for one in points}


# A tuning as a record: the decoding of every class, its optimistic and its held-out values.

_Optimistic = Annotated[MetricValue | None, Meta(description="Its clips have chosen their own decoding.")]
_HeldOut = Annotated[
    MetricValue | None, Meta(description="Every clip at what the others have chosen (20.11); null without folds.")
]


class TunedClass(Record, frozen=True):
    """The decoding of one class."""

    label: Annotated[str, Meta(description="The class.")]
    decoding: ClassDecodingRecord
    asked: Annotated[bool, Meta(description="Whether its threshold makes a difference; if not, 0.5 is taken (20.10).")]
    optimistic: _Optimistic
    held_out: _HeldOut


class TunedRequirement(Record, frozen=True):
    """A requirement, and the value it is about, over all classes."""

    text: str
    optimistic: _Optimistic
    held_out: _HeldOut
    met: Annotated[bool, Meta(description="Whether the optimistic value meets it; if not, the exit code is 1.")]


class Tuning(Record, frozen=True):
    """What `tracepact tune --format json` prints: the chosen decoding (20.9 to 20.11)."""

    format: Annotated[Literal["tracepact-tuning/1"], Meta(description="The form of this document.")]
    contract: str
    contract_digest: Digest
    objective: Annotated[str, Meta(description="The quantity to be best at.")]
    least: Annotated[bool, Meta(description="Whether less of it is better.")]
    common: Annotated[bool, Meta(description="Whether all classes have one decoding.")]
    medians: Annotated[tuple[int, ...], Meta(description="The filter lengths that were tried.")]
    method: Annotated[
        Literal["exact", "steps", "search"],
        Meta(
            description="`exact`: no better decoding exists; `steps`: no change of one class's threshold is better; "
            "`search`: a better one may exist (20.10)."
        ),
    ]
    clips: Count
    folds: Annotated[Count, Meta(description="0 if there is no held-out value.")]
    seed: Count
    optimistic: _Optimistic
    held_out: _HeldOut
    requirements: tuple[TunedRequirement, ...]
    classes: Annotated[tuple[TunedClass, ...], Meta(min_length=1)]
    decoding: Annotated[str, Meta(description="The decoding file (20.12).")]
