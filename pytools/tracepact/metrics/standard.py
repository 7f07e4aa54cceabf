"""All standard metrics of one pair of tables, under one arithmetic, with what the other would have decided."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from tracepact.core import Contract
from tracepact.events import EventEvaluation, evaluate_events
from tracepact.metrics.cells import CellDifference, SegmentMetrics, boundary_metric, frame_metrics, segment_metrics
from tracepact.metrics.events import EventMetrics, PairDifference, event_metrics
from tracepact.metrics.intervals import intervals
from tracepact.metrics.policy import Arithmetic, MetricSettings
from tracepact.metrics.result import Measured, Metric
from tracepact.trace import EventTable, Family, Regions
from tracepact.wording import time_text


@dataclass(frozen=True, slots=True, eq=False)
class StandardMetrics(Measured):
    """The metrics, and the decisions on which exact and float arithmetic differ."""

    event: EventMetrics
    segment: SegmentMetrics

    @property
    def pair_differences(self) -> tuple[PairDifference, ...]:
        """The pairs of events that are a candidate under one arithmetic only."""
        return self.event.differences

    @property
    def cell_differences(self) -> tuple[CellDifference, ...]:
        """The segments that are active under one arithmetic only."""
        return self.segment.differences


def standard_metrics(
    reference: EventTable,
    prediction: EventTable,
    family: Family,
    contract: Contract,
    *,
    settings: MetricSettings | None = None,
    arithmetic: Arithmetic = Arithmetic.EXACT,
    events: EventEvaluation | None = None,
    ignore: Regions | None = None,
    durations: Mapping[str, Fraction] | None = None,
    unlisted: int = 0,
    unmeasured: int = 0,
    clips: int | None = None,
) -> StandardMetrics:
    """Measure two tables and the family they make; the contract declares grid and matcher.

    `durations` are the lengths of all clips, needed where segments end with the clip;
    `events` is the evaluation of that matcher on the family, where there is one already; `unlisted` is the
    number of predictions on clips that were not listed, `unmeasured` that of clips taken to end with their last event,
    of so many `clips` in all, if the family is a part of them.
    """
    settings = settings or MetricSettings()
    times = (settings.event.collar, settings.segment)
    given = intervals(reference, prediction, family.clips, family.classes, times, ignore)
    event = event_metrics(given, settings)
    segment = segment_metrics(given, settings, durations)
    if arithmetic is Arithmetic.SED_EVAL:
        metrics: tuple[Metric, ...] = (segment.sed_eval, event.sed_eval)
    else:
        grid = f"frames of {time_text(family.step)}, {contract.projection.value}"
        if unmeasured:
            of_all = len(family.clips) if clips is None else clips
            grid += f"; {unmeasured:,} of {of_all:,} clips without a duration, taken to end with the last event"
        runs = f"runs joined over {time_text(contract.merge_gap)}; {grid}" if contract.merge_gap else grid
        matched = events or evaluate_events(replace(contract, clauses=()), family)
        frames, transitions = frame_metrics(family, settings.transition, grid, settings.rules())
        metrics = (
            frames,
            segment.exact,
            event.exact,
            boundary_metric(family, matched, runs, settings.rules()),
            transitions,
            event.onset_error,
            event.offset_error,
        )
    return StandardMetrics(arithmetic, family.clips, metrics, given.left_out, unlisted, event, segment)
