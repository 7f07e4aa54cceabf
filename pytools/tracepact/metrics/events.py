"""The event metric, exact and as sed_eval has it, with the pairs on which the two disagree (rules 15.8 to 15.15)."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Meta, field

from tracepact.metrics.counts import Counts
from tracepact.metrics.intervals import Intervals
from tracepact.metrics.matching import best, largest
from tracepact.metrics.pairs import Indices, Pairs, candidates, exact_hits, float_hits
from tracepact.metrics.policy import Arithmetic, EventPolicy, Input, MetricSettings, Rules
from tracepact.metrics.result import CountMetric, MeanMetric
from tracepact.records import NotNegative, Record
from tracepact.trace.columns import Columns
from tracepact.trace.exact_times import Ticks


class PairDifference(Record, frozen=True):
    """A reference and a prediction that are a candidate under one arithmetic only; times in seconds."""

    clip: Annotated[str, Meta(description="The clip.")]
    label: Annotated[str, Meta(description="The class.")] = field(name="class")
    ref: Annotated[tuple[NotNegative, NotNegative], Meta(description="Onset and offset in seconds, exact.")]
    pred: Annotated[tuple[NotNegative, NotNegative], Meta(description="Onset and offset in seconds, exact.")]
    exact: Annotated[bool, Meta(description="What exact arithmetic says.")]
    sed_eval: Annotated[bool, Meta(description="What floats say.")]


@dataclass(frozen=True, slots=True, eq=False)
class EventMetrics:
    """All that is said of pairs of events."""

    exact: CountMetric
    sed_eval: CountMetric
    onset_error: MeanMetric
    offset_error: MeanMetric
    pairs: Pairs
    differences: tuple[PairDifference, ...]


def event_metrics(given: Intervals, settings: MetricSettings) -> EventMetrics:
    """Match the events of both sides under both arithmetics."""
    policy = settings.event
    near = candidates(given.ref, given.pred, policy)
    exact = exact_hits(given.ref, given.pred, near, policy)
    floats = float_hits(given.ref, given.pred, near, policy)
    matched = matched_pairs(given, near.where(exact))
    found = Pairs(*largest(*_columns(near.where(floats))))
    differences = tuple(_difference(given, near, k, bool(exact[k])) for k in np.flatnonzero(exact != floats).tolist())
    words = f"{policy.words}; largest matching; times as written"
    in_floats = f"{words}; binary floats, substitutions in row order"
    onset, offset = (
        MeanMetric(name, Input.INTERVALS, f"pairs: {words}", given.classes, counts, given.unit)
        for name, counts in zip(("onset error", "offset error"), _deviations(given, matched), strict=True)
    )
    return EventMetrics(
        _counted(given, words, matched, substituted_clips(given, matched, policy), settings.rules()),
        _counted(given, in_floats, found, _first_fits(given, found, policy), settings.rules(Arithmetic.SED_EVAL)),
        onset,
        offset,
        matched,
        differences,
    )


def _columns(pairs: Pairs) -> tuple[Indices, Indices]:
    return pairs.ref, pairs.pred


def matched_pairs(given: Intervals, hits: Pairs) -> Pairs:
    """The matching of rule 15.9, given the candidates of rule 15.8."""
    order, place = zip(*(_by_time(side) for side in (given.ref, given.pred)), strict=True)
    costs = [np.abs(a[hits.ref] - b[hits.pred]) for a, b in _ends(given)]
    ref, pred = best(place[0][hits.ref], place[1][hits.pred], costs)
    return Pairs(order[0][ref], order[1][pred])


def _ends(given: Intervals) -> list[tuple[Ticks, Ticks]]:
    return [(given.ref.onset, given.pred.onset), (given.ref.offset, given.pred.offset)]


def _by_time(side: Columns) -> tuple[Indices, Indices]:
    """The events by onset and offset, and the place of each in that order."""
    onset, offset = (np.unique(times, return_inverse=True)[1].reshape(-1) for times in (side.onset, side.offset))
    order = np.lexsort((offset, onset))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return order, place


def _leftovers(given: Intervals, matched: Pairs, policy: EventPolicy) -> tuple[Columns, Columns, Pairs]:
    """The events without a partner, and those of a clip that are near, whatever their class."""
    sides = []
    for side, taken in ((given.ref, matched.ref), (given.pred, matched.pred)):
        free = np.ones(len(side), dtype=np.bool_)
        free[taken] = False
        sides.append(Columns(side.unit, side.clip[free], side.label[free], side.onset[free], side.offset[free]))
    return sides[0], sides[1], candidates(sides[0], sides[1], policy, by_class=False)


def substituted_clips(given: Intervals, matched: Pairs, policy: EventPolicy) -> Indices:
    """The clip of each of the most disjoint pairs of leftovers (rule 15.10)."""
    ref, pred, near = _leftovers(given, matched, policy)
    hits = near.where(exact_hits(ref, pred, near, policy))
    return ref.clip[largest(hits.ref, hits.pred)[0]]


def _first_fits(given: Intervals, matched: Pairs, policy: EventPolicy) -> Indices:
    """The clips where a leftover reference takes the first leftover prediction that fits, in the order of the rows."""
    ref, pred, near = _leftovers(given, matched, policy)
    hits = near.where(float_hits(ref, pred, near, policy))
    done: set[int] = set()
    counted: set[int] = set()
    for r, p in zip(hits.ref.tolist(), hits.pred.tolist(), strict=True):
        if r not in done and p not in counted:
            done.add(r)
            counted.add(p)
    return ref.clip[np.array(sorted(done), dtype=np.int64)]


def _counted(given: Intervals, words: str, matched: Pairs, substituted: Indices, rules: Rules) -> CountMetric:
    """The metric of some pairs and of the clips of the substitutions among the rest."""
    classes, clips = len(given.classes), len(given.clips)
    pairs, preds, refs = (
        label * clips + clip
        for label, clip in (
            (given.ref.label[matched.ref], given.ref.clip[matched.ref]),
            (given.pred.label, given.pred.clip),
            (given.ref.label, given.ref.clip),
        )
    )
    counts = Counts.of(classes, clips, [(pairs, None), (preds, None), (refs, None)]).tallied
    _, fp, fn = counts.values
    clip = counts.segment % max(clips, 1)
    less = np.concatenate([clip, substituted]), -np.ones(len(substituted), dtype=np.int64)
    deletions, insertions = ((less[0], np.concatenate([some, less[1]])) for some in (fn, fp))
    errors = Counts.of(1, clips, [(substituted, None), deletions, insertions, (given.ref.clip, None)])
    head = "event", Input.INTERVALS, f"{words}{rules.words}", "events", given.classes
    return CountMetric(*head, counts, errors, rules=rules)


def _deviations(given: Intervals, matched: Pairs) -> list[Counts]:
    """The distances of onsets and of offsets in ticks, with the pairs (rule 15.11).

    They are Python's integers, for sums may be longer than their parts.
    """
    clips = len(given.clips)
    segment = given.ref.label[matched.ref] * clips + given.ref.clip[matched.ref]
    return [
        Counts.of(
            len(given.classes),
            clips,
            [(segment, np.abs(a[matched.ref] - b[matched.pred]).astype(np.object_)), (segment, None)],
        )
        for a, b in _ends(given)
    ]


def _difference(given: Intervals, near: Pairs, number: int, exact: bool) -> PairDifference:
    r, p = int(near.ref[number]), int(near.pred[number])
    return PairDifference(
        given.clips[int(given.ref.clip[r])],
        given.classes[int(given.ref.label[r])],
        (given.time(given.ref.onset[r]), given.time(given.ref.offset[r])),
        (given.time(given.pred.onset[p]), given.time(given.pred.offset[p])),
        exact,
        not exact,
    )
