"""What the runs of a league have in common, and their standard metrics as columns."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta

from tracepact.audits.systems import report_faults
from tracepact.data.event_rows import Outside
from tracepact.data.family import Side
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import RowPlace
from tracepact.evaluate.draws import Values
from tracepact.evaluate.scorecard import Scorecard
from tracepact.evaluate.uncertainty import Bootstrap
from tracepact.language.compilation import parse_contract
from tracepact.language.contract import Contract
from tracepact.measures.records import CountMetricRecord, MeanMetricRecord, MetricsRecord, MetricValue
from tracepact.measures.results import CountMetric, Measured, Metric
from tracepact.measures.uncertainty import metric_draws
from tracepact.records import Count, Digest, Record, Share
from tracepact.runs.opening import OpenRun, RunIdentity
from tracepact.runs.report import ContractRecord, Report
from tracepact.runs.timelines import packed

# The standard metrics of a run as the columns of a league take them: one value each, and whether it was earned.

_LEADING = ("f1", "macro_f1", "error_rate", "mean")
_MEANS = ("mean", "macro_mean")
# Of an error less is better; every other quantity is a share of what was right.
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


def measures(measured: Measured) -> tuple[Measure, ...]:
    """Every value of every metric."""
    return tuple(measure for metric in measured.metrics for measure in _of_metric(metric))


def drawn_measures(measured: Measured, clips: Sequence[str], bootstrap: Bootstrap) -> Values:
    """Every value in every draw, in the order of `measures`; the clips are drawn in this order."""
    number = {clip: k for k, clip in enumerate(clips)}
    # Draws pick clips by number: metrics and scores must number them alike, or a draw would not be of the same clips.
    places = [number[clip] for clip in measured.clip_names]
    same = tuple(metric.renumbered(places, len(clips)) for metric in measured.metrics)
    drawn = metric_draws(
        Measured(measured.arithmetic, tuple(clips), same, measured.left_out, measured.unlisted), bootstrap
    )
    values: Values = np.stack([drawn[metric.name, name] for metric in measured.metrics for name in metric.values])
    return values


def policies(record: MetricsRecord) -> dict[str, str]:
    """What the metrics depend on beside the data: runs of one league have this in common."""
    known = (metric for metric in record.metrics if isinstance(metric, CountMetricRecord | MeanMetricRecord))
    return {"arithmetic": record.policy.value, **{metric.name: metric.policy for metric in known}}


def _of_metric(metric: Metric) -> Iterator[Measure]:
    is_count = isinstance(metric, CountMetric)
    # A silent system has an error rate of 1 and may be ahead of one that tries: it has not earned it (rule 16.16).
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


# What the runs of a league have in common: contract, data, policies, clips; and how the league is made of them.

Flat = tuple[int, ...]
"""Runs of frames as gaps and lengths, one after the other."""
# 2⁶³ has 19: a longer number, read from a file, would only cost time to refuse.
_DIGITS = 19
"""The number of a segment has fewer."""


class Settings(Record, frozen=True):
    """How a league is made of its systems."""

    baseline: str
    rank_by: str
    draws: Annotated[int, Meta(ge=1)]
    seed: Count
    level: Share

    @property
    def bootstrap(self) -> Bootstrap:
        """How clips are drawn."""
        return Bootstrap(self.draws, self.seed, self.level)


class Policies(Record, frozen=True):
    """What values depend on beside contract and data, and systems of one league have in common (16.16)."""

    label_map: Annotated[str, Meta(description="The label map (13.11), in one line; empty without one.")]
    outside: Annotated[str, Meta(description="What became of predicted events outside their clips (13.31).")]
    metrics: Annotated[Mapping[str, str], Meta(description="The policy of each standard metric, and its arithmetic.")]


class Base(Record, frozen=True, kw_only=True):
    """What all runs of a league share."""

    format: Literal["tracepact-league-base/1"]
    mode: str
    tables: Mapping[str, Digest]
    contract: ContractRecord
    policies: Policies
    clips: tuple[str, ...]
    frames: tuple[int, ...]
    classes: tuple[str, ...]
    step: Fraction
    reference: Annotated[Mapping[str, Flat], Meta(description="The runs of the reference, by segment.")]
    ignored: Annotated[Mapping[str, Flat], Meta(description="The ignored frames, by segment.")]
    conditions: Mapping[str, str] | None
    settings: Settings

    @property
    def identity(self) -> RunIdentity:
        """What a run is compared by."""
        return RunIdentity(self.contract.digest, self.mode, self.tables, self.clips, self.classes)

    @property
    def fits(self) -> bool:
        """Whether its parts are of one family: a number of frames for every clip, and runs inside their clips."""
        return (
            len(self.frames) == len(self.clips)
            and min(self.frames, default=0) >= 0
            and self.step > 0
            and all(
                frames_fit(flat, self.frames_of(segment))
                for runs in (self.reference, self.ignored)
                for segment, flat in runs.items()
            )
        )

    def frames_of(self, segment: str) -> int:
        """How many frames the clip of a segment has; less than none if there is no such segment."""
        if not (segment.isascii() and segment.isdecimal() and len(segment) < _DIGITS):
            return -1
        number = int(segment)
        return self.frames[number % len(self.clips)] if number < len(self.clips) * len(self.classes) else -1

    def compiled(self) -> Contract:
        """The contract."""
        return parse_contract(self.contract.text, name=self.contract.source)


def frames_fit(flat: Flat, frames: int) -> bool:
    """Whether gaps and lengths are of runs that lie within so many frames."""
    return frames >= 0 and len(flat) % 2 == 0 and min(flat, default=0) >= 0 and sum(flat) <= frames


def policies_of(report: Report) -> Policies:
    """The policies a run was made with."""
    preparation: dict[str, Any] = report.preparation.to_dict()
    labels = preparation["label_map"]
    outside = preparation.get("outside", {}).get("policy", Outside.FALSE_ALARM.value)
    return Policies("" if labels is None else _label_map(labels), outside, policies(report.metrics))


def _label_map(labels: Mapping[str, Any]) -> str:
    """A label map in one line, whatever its file is called."""
    renamed = [f"{label['old']} → {label['new']}" for label in labels["labels"]]
    said = [*renamed, *(f"drop {name}" for name in labels["drop"]), *(f"ignore {name}" for name in labels["ignore"])]
    return ", ".join([*said, f"others: {labels['other']}"])


def base_of(
    run: OpenRun, report: Report, card: Scorecard, conditions: Mapping[str, str] | None, settings: Settings
) -> Base:
    """What the first run of a league brings."""
    family, identity = card.family, run.identity
    return Base(
        format="tracepact-league-base/1",
        mode=identity.mode,
        tables=identity.tables,
        contract=report.contract,
        policies=policies_of(report),
        clips=family.clips,
        frames=tuple(family.frames),
        classes=family.classes,
        step=family.step,
        reference={str(s): tuple(packed(runs)) for s, runs in sorted(family.runs[Side.REF].items()) if runs},
        ignored={str(s): tuple(packed(runs)) for s, runs in sorted(family.ignored.items()) if runs},
        conditions=conditions,
        settings=settings,
    )


def report_differences(
    base: tuple[RunIdentity, Policies],
    where: str,
    other: tuple[RunIdentity, Policies],
    folder: str,
    diagnostics: Diagnostics,
) -> None:
    """Say what about a run differs from the others of a league, which `where` names, if anything does."""
    report_faults(base[0], where, other[0], folder, diagnostics)
    place = RowPlace(folder)
    for what, help, ours, theirs in _pairs(base[1], other[1]):
        if ours != theirs:
            headline = f"the {what} differs from that of `{where}`: `{theirs or 'none'}`, not `{ours or 'none'}`"
            diagnostics.add("incomparable-runs", headline, place, help)


def _pairs(base: Policies, other: Policies) -> Iterator[tuple[str, str, str, str]]:
    """What a policy is of, what to do if it differs, and both of it."""
    yield "label map", "score all systems with the same --label-map", base.label_map, other.label_map
    yield "treatment of events outside clips", "use the same --outside for all", base.outside, other.outside
    for name in sorted({*base.metrics, *other.metrics}):
        help = "score all systems with the same release and the same metric policies"
        yield f"policy of the metric `{name}`", help, base.metrics.get(name, ""), other.metrics.get(name, "")
