"""What a report needs of some clips, as a record that can be added to that of others: exact, and in no order.

A report is made from the tally of all clips (`report/build.py`). A run in memory has one tally; a run in batches adds
those of its batches, in whatever order they arrive, and comes to the same record, byte for byte.
"""

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from tracepact.core import EventClause, FrameClause
from tracepact.diagnostics import Diagnostic, InvalidInput, RowPlace
from tracepact.diagnostics.record import DiagnosticRecord, diagnostic_record
from tracepact.metrics.tally import MetricsTally
from tracepact.records import Record
from tracepact.scoring import Scorecard, SoftCounts
from tracepact.scoring.clip_columns import ClipParts
from tracepact.scoring.scorecard import sweep_counts
from tracepact.scoring.tally import ClauseTally, GroupTally
from tracepact.scoring.tolerance import swept_parameters
from tracepact.scoring.tolerance_tally import ToleranceTally
from tracepact.tools.score.drawn import run_columns
from tracepact.tools.score.margins_tally import MarginsTally
from tracepact.tools.score.report.clips import ClipsTally, clips_tally
from tracepact.tools.score.report.measured import measured
from tracepact.tools.score.report.record import MatchRecord
from tracepact.tools.score.report.timeline import SHOWN as SHOWN_TIMELINES
from tracepact.tools.score.report.timeline import Timeline, worst_segments
from tracepact.tools.score.report.timeline import timeline as timeline_of
from tracepact.tools.score.report.violations import SHOWN, ViolationRecord, name_ranks, ranked_violations
from tracepact.tools.score.scored import Scored

LISTED_DIFFERENCES = 20
LISTED_MATCHES = 10_000
"""How many matched pairs a report lists; a run directory holds all of them."""
LISTED_DIAGNOSTICS = 1_000
"""How many findings of one code a report lists."""


class Ranked(Record, frozen=True):
    """A violated obligation and its rank among all of its clause: how bad, then class, clip and time."""

    rank: tuple[float, int, str, int]
    found: ViolationRecord


class ViolationsTally(Record, frozen=True):
    """The violated obligations of one clause: how many, and the worst of them."""

    total: int
    worst: tuple[Ranked, ...]

    def __add__(self, other: "ViolationsTally") -> "ViolationsTally":
        both = sorted((*self.worst, *other.worst), key=lambda one: one.rank)
        return ViolationsTally(self.total + other.total, tuple(both[:SHOWN]))


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


class FindingsTally(Record, frozen=True):
    """What was odd about the input: how often each code occurs, and the first of each."""

    counts: dict[str, int]
    items: tuple[DiagnosticRecord, ...]

    @classmethod
    def of(cls, diagnostics: Iterable[Diagnostic]) -> "FindingsTally":
        """The tally of some findings, in the order of a report: by code, file and row."""
        found = sorted(diagnostics, key=_order)
        counts: Counter[str] = Counter()
        first: Counter[str] = Counter()
        kept = []
        for one in found:
            counts[one.code] += one.number
            first[one.code] += 1
            if first[one.code] <= LISTED_DIAGNOSTICS and not one.stands_for:
                kept.append(diagnostic_record(one))
        return cls(dict(sorted(counts.items())), tuple(kept))

    def __add__(self, other: "FindingsTally") -> "FindingsTally":
        counts = Counter(self.counts) + Counter(other.counts)
        kept: list[DiagnosticRecord] = []
        seen: Counter[str] = Counter()
        for one in sorted((*self.items, *other.items), key=_record_order):
            seen[one.code] += 1
            if seen[one.code] <= LISTED_DIAGNOSTICS:
                kept.append(one)
        return FindingsTally(dict(sorted(counts.items())), tuple(kept))


def _order(one: Diagnostic) -> tuple[str, str, int, str]:
    file = one.place.file if isinstance(one.place, RowPlace) else ""
    row = one.place.row if isinstance(one.place, RowPlace) else None
    return one.code, file, -1 if row is None else row, one.headline


def _record_order(one: DiagnosticRecord) -> tuple[str, str, int, str]:
    place: Any = one.place
    is_row = place is not None and not hasattr(place, "column")
    row = place.line if is_row else None
    return one.code, place.file if is_row else "", -1 if row is None else row, one.headline


class SweepTally(Record, frozen=True):
    """The counts of every clause at one value of a swept parameter."""

    parameter: str
    value: str
    clauses: dict[str, ClauseTally]


class RunTally(Record, frozen=True):
    """What a report needs of some clips; `clips` is what its page shows of them, where one may be made.

    Where a page is made now, `draws` is what draws of clips need of each, and `tolerances` are curves over swept
    parameters. `margins` are those of the frame clauses, where a threshold alone decoded scores.
    """

    frames: int
    group: GroupTally
    conditions: dict[str, GroupTally]
    sweeps: tuple[SweepTally, ...]
    violations: dict[str, ViolationsTally]
    timelines: tuple[RankedTimeline, ...]
    matches: MatchesTally
    metrics: MetricsTally
    findings: FindingsTally
    clips: ClipsTally | None = None
    draws: ClipParts | None = None
    tolerances: tuple[ToleranceTally, ...] = ()
    margins: dict[str, MarginsTally] | None = None

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
        )


def _added_margins(
    these: dict[str, MarginsTally] | None, those: dict[str, MarginsTally] | None
) -> dict[str, MarginsTally] | None:
    if these is None or those is None:
        return None
    return {name: found + those[name] for name, found in these.items()}


def _added_sweeps(a: SweepTally, b: SweepTally) -> SweepTally:
    return SweepTally(a.parameter, a.value, {name: found + b.clauses[name] for name, found in a.clauses.items()})


def tally_of(run: Scored, first: int = 0, *, clips: bool = False, page: bool = False) -> RunTally:
    """The tally of a run whose clips start at this place among all clips.

    If asked, it has what a page shows of `clips`, and what the intervals and curves of a `page` need.
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
        FindingsTally.of(run.diagnostics),
        clips_tally(card, run.conditions, first) if clips else None,
        run_columns(first + np.arange(len(family.clips)), _in_order(card), metrics) if page else None,
        tuple(_tolerances(card)) if page else (),
        _margins(run),
    )


def _margins(run: Scored) -> dict[str, MarginsTally] | None:
    margins = run.margins
    if margins is None:
        return None
    return {clause.name: MarginsTally.of(margins, run.card, clause.name) for clause in run.card.contract.frame_clauses}


def _tolerances(card: Scorecard) -> Iterator[ToleranceTally]:
    """The curves of the swept parameters that have one (rule 16.3)."""
    for name in swept_parameters(card.contract):
        with contextlib.suppress(InvalidInput):  # the sweep's own points are in the report all the same
            yield ToleranceTally.of(card, name)


def _sweeps(card: Scorecard) -> Iterator[SweepTally]:
    """The tallies of every swept value, for the contract's aggregation; counts that stay the same are tallied once."""
    own = (card.contract.aggregation,)
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
    ranks = name_ranks(card.family)
    found = sorted(card.events.matches, key=lambda match: (ranks[match.segment], match.ref, match.pred))
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
