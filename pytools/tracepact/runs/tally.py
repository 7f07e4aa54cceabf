"""Tallies of some clips, which can be added to those of others, with all that a report and its draws need."""

import contextlib
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from msgspec import field

from tracepact.data.family import Indices
from tracepact.diagnostics.collection import InvalidInput
from tracepact.engines import Engine, EngineProgress
from tracepact.evaluate.cast import AnswersTally
from tracepact.evaluate.draws import (
    ClauseSums,
    ClauseTally,
    ClipColumns,
    ClipParts,
    GroupTally,
    Values,
    Weights,
    clause_sums,
)
from tracepact.evaluate.scorecard import Scorecard, SoftCounts, sweep_counts
from tracepact.evaluate.scores import LOGIC, ClauseCounts
from tracepact.evaluate.tolerance import ToleranceTally, swept_parameters
from tracepact.evaluate.uncertainty import Bootstrap, Interval, draw_values, intervals_of, with_mean
from tracepact.language.contract import Aggregation, EventClause, FrameClause
from tracepact.measures.policy import Counts
from tracepact.measures.results import MeanMetric, Measured, Metric
from tracepact.measures.standard import StandardMetrics, standard_metrics
from tracepact.measures.tables import MetricsTally
from tracepact.measures.uncertainty import (
    ComparedSystems,
    MetricSums,
    metric_intervals_of,
    metric_sums,
    metric_values,
    values_of_sums,
)
from tracepact.records import Record
from tracepact.runs.manifest import Content, added_content, content_of, masks_text
from tracepact.runs.margins import MarginsTally
from tracepact.runs.report import DiagnosticsRecord, MatchRecord
from tracepact.runs.task import Scored
from tracepact.runs.timelines import SHOWN as SHOWN_TIMELINES
from tracepact.runs.timelines import Timeline, WorstClipsTally, clips_tally, worst_segments
from tracepact.runs.timelines import timeline as timeline_of
from tracepact.runs.violations import SHOWN, ViolationRecord, name_ranks, ranked_violations

# Intervals over clips of a run in batches: what draws need of each clip, and the draws by an engine (rule 24.20).

_EXACT = 2**53
Intervals = dict[Aggregation, dict[str, Interval]]


def run_columns(places: Indices, counts: Mapping[str, ClauseCounts], metrics: Measured) -> ClipParts:
    """The columns that draws need of the clips of a batch: the counts of clauses and of metrics."""
    columns: dict[str, Any] = {}
    for name, some in counts.items():
        columns |= {
            f"clause {name} satisfied": some.satisfied,
            f"clause {name} obligated": some.obligated,
            f"clause {name} counter": some.counter.astype(np.int64),
        }
    for number, metric in enumerate(metrics.metrics):
        head = f"metric {number}"
        columns |= {f"{head} segment": metric.counts.segment, f"{head} values": metric.counts.values}
        if isinstance(metric, MeanMetric):
            columns |= _ticks(head, metric)
            continue
        if metric.clip_errors is not None:
            errors = metric.clip_errors
            columns |= {f"{head} errors segment": errors.segment, f"{head} errors values": errors.values}
        if metric.cells is not None:
            columns[f"{head} cells"] = metric.cells
    return ClipParts.of(places, columns)


def _ticks(head: str, metric: MeanMetric) -> dict[str, Any]:
    """The unit of distances; of one so fine that floats do not hold it, the distances are seconds in floats."""
    # Columns of draws are arrays of 64 bits; a unit beyond 2**53 would not survive the product with a weight.
    if metric.unit < _EXACT:
        return {f"{head} unit": np.array([metric.unit])}
    ticks, pairs = metric.counts.values
    seconds = np.array([int(tick) / metric.unit for tick in ticks], dtype=np.float64)
    return {f"{head} unit": np.array([1]), f"{head} values": np.stack([seconds, pairs.astype(np.float64)])}


@dataclass(frozen=True, slots=True, eq=False)
class RunSums:
    """Sums of every clause and metric over the drawn clips of a part."""

    clauses: Mapping[str, ClauseSums]
    metrics: tuple[MetricSums, ...]

    def __add__(self, other: "RunSums") -> "RunSums":
        clauses = {name: found + other.clauses[name] for name, found in self.clauses.items()}
        return RunSums(clauses, tuple(a + b for a, b in zip(self.metrics, other.metrics, strict=True)))


@dataclass(frozen=True, slots=True)
class RunDraws:
    """Every clause under every aggregation, and every value of every metric, in draws.

    `metrics` say by which rules and of which classes; their counts are those of the parts.
    """

    clauses: tuple[str, ...]
    metrics: tuple[Metric, ...]

    def sums(self, part: ClipColumns, weights: Weights, clips: int) -> RunSums:
        """The sums over the clips of a part, in draws of `clips` clips."""
        clauses = {name: clause_sums(_clause(part, name), weights, clips) for name in self.clauses}
        number = weights.shape[1]
        metrics = (_metric(part, k, metric, number) for k, metric in enumerate(self.metrics))
        return RunSums(clauses, tuple(metric_sums(metric, weights) for metric in metrics))

    def values(self, sums: RunSums) -> Mapping[Hashable, Values]:
        """Every value in every draw, by aggregation and clause or by metric and name."""
        found: dict[Hashable, Values] = {}
        for aggregation in Aggregation if self.clauses else ():
            drawn = {name: some.scores(aggregation) for name, some in sums.clauses.items()}
            found |= {(aggregation, name): values for name, values in with_mean(drawn).items()}
        for metric, own in zip(self.metrics, sums.metrics, strict=True):
            found |= {(metric.name, name): values for name, values in values_of_sums(metric, own).items()}
        return found


def _clause(part: ClipColumns, name: str) -> ClauseCounts:
    satisfied, obligated, counter = (part[f"clause {name} {kind}"] for kind in ("satisfied", "obligated", "counter"))
    return ClauseCounts(satisfied, obligated, counter > 0)


def _metric(part: ClipColumns, number: int, metric: Metric, clips: int) -> Metric:
    """A metric with the counts of a part."""
    head = f"metric {number}"
    counts = Counts(len(metric.labels), clips, part[f"{head} segment"], part[f"{head} values"])
    if isinstance(metric, MeanMetric):
        times = metric.unit // int(part[f"{head} unit"][0])
        return replace(metric, counts=replace(counts, values=counts.values * np.array([[times], [1]])))
    errors = None
    if metric.clip_errors is not None:
        errors = Counts(1, clips, part[f"{head} errors segment"], part[f"{head} errors values"])
    return replace(
        metric, counts=counts, clip_errors=errors, cells=None if metric.cells is None else part[f"{head} cells"]
    )


def _with_unit(metrics: tuple[Metric, ...], parts: ClipParts) -> tuple[Metric, ...]:
    """Metrics whose distances are in a unit of all parts."""
    found = []
    for number, metric in enumerate(metrics):
        # Batches measure distances in units of their own events; a common multiple of them keeps every distance whole.
        if isinstance(metric, MeanMetric):
            units = (int(part[f"metric {number} unit"][0]) for _, part in parts.parts)
            metric = replace(metric, unit=lcm(*units))
        found.append(metric)
    return tuple(found)


def drawn_intervals(
    parts: ClipParts,
    clips: int,
    group: GroupTally | None,
    whole: Measured,
    bootstrap: Bootstrap,
    engine: Engine,
    progress: EngineProgress | None = None,
) -> tuple[Intervals, ComparedSystems]:
    """The interval of every clause under every aggregation, and of every value of the metrics."""
    # `metrics` has no contract's clauses to draw; it shares the draws with `score`.
    clauses = () if group is None else tuple(group.clauses)
    draws = RunDraws(clauses, _with_unit(whole.metrics, parts))
    drawn = draw_values(draws, parts, clips, bootstrap, engine, progress)
    intervals: Intervals = {}
    for aggregation in Aggregation if group is not None else ():
        assert group is not None
        values = {name: score.value for name, score in group.vector(aggregation).items()}
        values[LOGIC] = group.logic(aggregation)
        own = {name: drawn[aggregation, name] for name in values}
        intervals[aggregation] = intervals_of(values, own, bootstrap)
    metrics = {quantity: drawn[quantity] for quantity in metric_values(whole)}
    return intervals, ComparedSystems((metric_intervals_of(whole, metrics, bootstrap),), ())


# What a report needs of some clips, as a record that can be added to that of others: exact, and in no order.
#
# A report is made from the tally of all clips (`runs/report_parts.py`). A run in memory has one tally; a run in batches
# adds those of its batches, in whatever order they arrive, and comes to the same record, byte for byte.

LISTED_DIFFERENCES = 20
LISTED_MATCHES = 10_000
"""How many matched pairs a report lists; a run directory holds all of them."""


class Ranked(Record, frozen=True):
    """A violated obligation and its rank among all of its clause: how bad, then class, clip and time."""

    rank: tuple[float, int, str, int]
    found: ViolationRecord

    @property
    def label(self) -> int:
        """The number of its class."""
        return self.rank[1]


class ViolationsTally(Record, frozen=True):
    """The violated obligations of one clause: how many, the worst of all, and the worst of each class."""

    total: int
    worst: tuple[Ranked, ...]

    def __add__(self, other: "ViolationsTally") -> "ViolationsTally":
        # The worst of all, and of a class, are among the worst of each part: no more than these are ever held.
        both = sorted((*self.worst, *other.worst), key=lambda one: one.rank)
        first = {one.label: place for place, one in reversed([*enumerate(both)])}
        kept = (one for place, one in enumerate(both) if place < SHOWN or first[one.label] == place)
        return ViolationsTally(self.total + other.total, tuple(kept))

    def shown(self, classes: Sequence[int]) -> tuple[ViolationRecord, ...]:
        """Violations that differ: the worst of each class in this order, then the worst that are left."""
        first = {one.label: one for one in reversed(self.worst)}
        chosen = [first[label] for label in classes if label in first][:SHOWN]
        return tuple(one.found for one in (*chosen, *(one for one in self.worst if one not in chosen)))[:SHOWN]


class RankedTimeline(Record, frozen=True):
    """A clip and class that failed, and its rank: how much it loses, then class and clip."""

    rank: tuple[float, int, str]
    found: Timeline


class PlacedMatch(Record, frozen=True):
    """A matched pair and its place: class, clip, number."""

    place: tuple[int, str, int]
    found: MatchRecord


class MatchesTally(Record, frozen=True):
    """The matched pairs: how many, and the first of them."""

    total: int
    first: tuple[PlacedMatch, ...]

    def __add__(self, other: "MatchesTally") -> "MatchesTally":
        both = sorted((*self.first, *other.first), key=lambda one: one.place)
        return MatchesTally(self.total + other.total, tuple(both[:LISTED_MATCHES]))


class SweepTally(Record, frozen=True):
    """The counts of every clause at one value of a swept parameter."""

    parameter: str
    value: str
    clauses: dict[str, ClauseTally]


class RunTally(Record, frozen=True):
    """What a report needs of some clips; `clips` is what its page shows of them, where one may be made.

    Where a page is made now, `draws` is what draws of clips need of each, and `tolerances` are curves over swept
    parameters. `margins` are those of the frame clauses, where a threshold alone decoded scores. `content` and
    `answers` stand in a run in batches for the tables, which it does not keep.
    """

    frames: int
    group: GroupTally
    conditions: dict[str, GroupTally]
    sweeps: tuple[SweepTally, ...]
    violations: dict[str, ViolationsTally]
    timelines: tuple[RankedTimeline, ...]
    matches: MatchesTally
    metrics: MetricsTally
    findings: DiagnosticsRecord
    clips: WorstClipsTally | None = None
    draws: ClipParts | None = None
    tolerances: tuple[ToleranceTally, ...] = ()
    margins: dict[str, MarginsTally] | None = None
    content: Content = field(default_factory=dict)
    answers: AnswersTally | None = None

    def __add__(self, other: "RunTally") -> "RunTally":
        conditions = dict(self.conditions)
        for name, group in other.conditions.items():
            conditions[name] = conditions[name] + group if name in conditions else group
        return RunTally(
            self.frames + other.frames,
            self.group + other.group,
            dict(sorted(conditions.items())),
            tuple(_added_sweeps(a, b) for a, b in zip(self.sweeps, other.sweeps, strict=True)),
            {name: found + other.violations[name] for name, found in self.violations.items()},
            tuple(sorted((*self.timelines, *other.timelines), key=lambda one: one.rank)[:SHOWN_TIMELINES]),
            self.matches + other.matches,
            self.metrics + other.metrics,
            self.findings + other.findings,
            self.clips + other.clips if self.clips and other.clips else None,
            self.draws + other.draws if self.draws and other.draws else None,
            tuple(a + b for a, b in zip(self.tolerances, other.tolerances, strict=True)),
            _added_margins(self.margins, other.margins),
            added_content(self.content, other.content),
            self.answers + other.answers if self.answers and other.answers else None,
        )


def _added_margins(
    these: dict[str, MarginsTally] | None, those: dict[str, MarginsTally] | None
) -> dict[str, MarginsTally] | None:
    if these is None or those is None:
        return None
    return {name: found + those[name] for name, found in these.items()}


def _added_sweeps(a: SweepTally, b: SweepTally) -> SweepTally:
    return SweepTally(a.parameter, a.value, {name: found + b.clauses[name] for name, found in a.clauses.items()})


def tally_of(run: Scored, first: int = 0, *, clips: bool = False, page: bool = False, batch: bool = False) -> RunTally:
    """The tally of a run whose clips start at this place among all clips.

    If asked, it has what a page shows of `clips`, what the intervals and curves of a `page` need, and what a `batch`
    keeps in place of its tables.
    """
    card, metrics = run.card, measured(run)
    family = card.family
    clauses = card.contract.clauses
    segments = worst_segments(card)
    return RunTally(
        sum(family.frames) * len(family.classes),
        GroupTally.of(len(family.clips), _in_order(card), card.soft),
        _conditions(card, run.conditions) if run.conditions else {},
        tuple(_sweeps(card)),
        {clause.name: _violations(run, clause) for clause in clauses},
        tuple(
            RankedTimeline((-loss, *_placed(card, segment)), timeline_of(card, segment)) for segment, loss in segments
        ),
        _matches(card),
        MetricsTally.of(metrics, first, LISTED_DIFFERENCES),
        DiagnosticsRecord.of(run.diagnostics),
        clips_tally(card, run.conditions, first) if clips else None,
        run_columns(first + np.arange(len(family.clips)), _in_order(card), metrics) if page else None,
        tuple(_tolerances(card)) if page else (),
        _margins(run),
        run_content(run) if batch else {},
        AnswersTally.of(family) if batch else None,
    )


def measured(run: Scored) -> StandardMetrics:
    """The metrics of the tables and traces of a run, clip by clip; its own pairs are those of the boundary metric."""
    # The matches of the card are handed on: the boundary metric has the contract's own matcher, and it has run.
    card, lengths = run.card, run.durations
    return standard_metrics(
        run.reference,
        run.prediction,
        card.family,
        card.contract,
        settings=run.settings,
        events=card.events,
        ignore=run.ignore,
        durations=dict.fromkeys(card.family.clips, lengths) if isinstance(lengths, Fraction) else lengths.clips,
    )


def run_content(run: Scored) -> Content:
    """The digests of the tables that a run was scored from."""
    family = run.card.family
    lengths = run.durations if isinstance(run.durations, Fraction) else run.durations.clips
    ignore = None if run.ignore is None else run.ignore.clips
    return content_of(family.clips, run.reference.clips, lengths, ignore, masks_text(family) if family.masks else None)


def _margins(run: Scored) -> dict[str, MarginsTally] | None:
    margins = run.margins
    if margins is None:
        return None
    return {name: MarginsTally.of(own, run.card.counts[name]) for name, own in margins.items()}


def _tolerances(card: Scorecard) -> Iterator[ToleranceTally]:
    """The curves of the swept parameters that have one (rule 16.3)."""
    for name in swept_parameters(card.contract):
        with contextlib.suppress(InvalidInput):  # the sweep's own points are in the report all the same
            yield ToleranceTally.of(card, name)


def _sweeps(card: Scorecard) -> Iterator[SweepTally]:
    """The tallies of every swept value, for the contract's aggregation; counts that stay the same are tallied once."""
    own = (card.contract.aggregation,)
    # A sweep moves few clauses; the others have the very counts of the card, so their tally is made once.
    same = {name: ClauseTally.of(found, own) for name, found in card.counts.items()} if card.contract.sweeps else {}
    for parameter, value, counts in sweep_counts(card):
        tallies = {
            name: same[name] if found is card.counts[name] else ClauseTally.of(found, own)
            for name, found in counts.items()
        }
        yield SweepTally(parameter, value, tallies)


def _in_order(card: Scorecard) -> dict[str, Any]:
    return {clause.name: card.counts[clause.name] for clause in card.contract.clauses}


def _placed(card: Scorecard, segment: int) -> tuple[int, str]:
    """Class and clip of a segment, the clip by its name: the order of rows in a table is no part of the data."""
    label, clip = divmod(segment, len(card.family.clips))
    return label, card.family.clips[clip]


def _violations(run: Scored, clause: FrameClause | EventClause) -> ViolationsTally:
    total, worst = ranked_violations(run.card, clause, margins=run.margins)
    ranked = (Ranked((badness, *_placed(run.card, segment), start), found) for badness, segment, start, found in worst)
    return ViolationsTally(total, tuple(sorted(ranked, key=lambda one: one.rank)))


def _conditions(card: Scorecard, conditions: Mapping[str, str]) -> dict[str, GroupTally]:
    groups: dict[str, list[str]] = {}
    for clip in card.family.clips:
        groups.setdefault(conditions[clip], []).append(clip)
    return {name: _group(card, groups[name]) for name in sorted(groups)}


def _group(card: Scorecard, names: Sequence[str]) -> GroupTally:
    clips = card.clip_indices(names)
    counts = {name: found.select(clips=clips) for name, found in _in_order(card).items()}
    soft = SoftCounts(card.soft.closeness[:, clips], card.soft.edges[:, clips])
    return GroupTally.of(len(clips), counts, soft)


def _matches(card: Scorecard) -> MatchesTally:
    """The matched pairs, in seconds."""
    step = card.family.step
    # By the names of clips, not by their places: rows in another order, or in other batches, list the same pairs.
    ranks = name_ranks(card.family)
    found = sorted(card.events.matches, key=lambda match: (ranks[match.segment], match.ref, match.pred))
    # Fractions are slow to make, and ten thousand pairs share a few hundred edges.
    times: dict[int, Fraction] = {}

    def seconds(run: tuple[int, int]) -> tuple[Fraction, Fraction]:
        for edge in run:
            if edge not in times:
                times[edge] = edge * step
        return times[run[0]], times[run[1]]

    placed = (
        PlacedMatch(
            (*_placed(card, match.segment), number),
            MatchRecord(*card.family.place(match.segment), seconds(match.ref), seconds(match.pred)),
        )
        for number, match in enumerate(found[:LISTED_MATCHES])
    )
    return MatchesTally(len(found), tuple(placed))
