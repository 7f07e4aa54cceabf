"""The event metric at every threshold: runs near a reference, matched wherever one of them comes or goes."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tracepact.metrics import EventPolicy
from tracepact.metrics.events import matched_pairs, substituted_clips
from tracepact.metrics.intervals import Intervals
from tracepact.metrics.pairs import candidates, exact_hits
from tracepact.thresholds.family import FieldFamily
from tracepact.thresholds.runs import LevelRuns, add_lives, level_runs, reference_columns
from tracepact.thresholds.steps import Steps, StepsBuilder, Whole
from tracepact.trace.columns import Columns

_EVENTS = 2**19
"""About how many events are matched at once."""


@dataclass(frozen=True, slots=True, eq=False)
class CollarCounts:
    """True positives, false positives and false negatives by class and clip; substitutions by clip (rule 15.10)."""

    tallies: Steps
    substitutions: Steps


def collar_counts(given: FieldFamily, policy: EventPolicy, runs: LevelRuns | None = None) -> CollarCounts:
    """The counts of the event metric (rules 15.8 to 15.10) as step functions of the threshold."""
    found = level_runs(given, (policy.collar,)) if runs is None else runs
    refs = reference_columns(given, found.unit)
    clips = given.shape[1]
    tallies, substitutions = StepsBuilder(given.shape, 3), StepsBuilder((1, clips), 1)
    entry = refs.label * clips + refs.clip
    tallies.add_base(entry, np.array([[0], [0], [1]]) * np.ones_like(entry))
    one = np.array([[0], [1], [0]]) * np.ones_like(found.segment)
    add_lives(tallies, found.segment, found.low, found.high, one)
    label, clip = np.divmod(found.segment, clips)
    events = Columns(found.unit, clip, label, found.onset, found.offset)
    near = candidates(refs, events, policy, by_class=False)
    hits = np.unique(near.pred[exact_hits(refs, events, near, policy)])
    for rows in _portions(hits, found, refs, clips):
        _add(rows, policy, given.shape, tallies, substitutions)
    return CollarCounts(tallies.build(), substitutions.build())


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Clips at cuts, ascending, and the events of both sides at each; the clip of an event is its row."""

    clip: Whole
    cut: Whole
    ref: Columns
    pred: Columns


def _portions(hits: Whole, runs: LevelRuns, refs: Columns, clips: int) -> Iterator[_Rows]:
    """Some clips at a time, each at all cuts at which a run that some reference could take comes or goes."""
    owner = runs.segment[hits] % clips
    order = np.argsort(owner, kind="stable")
    hits, owner = hits[order], owner[order]
    by_clip = np.argsort(refs.clip, kind="stable")
    gathered: list[tuple[Whole, Whole, Whole, Whole, Whole, Whole]] = []
    size = rows = 0
    for clip in np.unique(owner).tolist():
        own = hits[slice(*np.searchsorted(owner, [clip, clip + 1]))]
        cuts = np.unique(np.concatenate([[0], runs.low[own] + 1, runs.high[own] + 1]))
        first, last = (np.searchsorted(cuts, runs_at[own] + 1) for runs_at in (runs.low, runs.high))
        there = by_clip[slice(*np.searchsorted(refs.clip[by_clip], [clip, clip + 1]))]
        times = last - first
        row = np.repeat(first - (np.cumsum(times) - times), times) + np.arange(int(times.sum()))
        ref_rows = np.repeat(np.arange(len(cuts)), len(there))
        gathered.append(
            (
                np.full(len(cuts), clip),
                cuts,
                ref_rows + rows,
                np.tile(there, len(cuts)),
                row + rows,
                np.repeat(own, times),
            )
        )
        rows += len(cuts)
        size += len(row) + len(ref_rows)
        if size >= _EVENTS:
            yield _joined(gathered, runs, refs, clips)
            gathered, size, rows = [], 0, 0
    if gathered:
        yield _joined(gathered, runs, refs, clips)


def _joined(
    parts: list[tuple[Whole, Whole, Whole, Whole, Whole, Whole]], runs: LevelRuns, refs: Columns, clips: int
) -> _Rows:
    clip, cut, ref_row, ref, pred_row, pred = (np.concatenate(column) for column in zip(*parts, strict=True))
    return _Rows(
        clip,
        cut,
        Columns(refs.unit, ref_row, refs.label[ref], refs.onset[ref], refs.offset[ref]),
        Columns(refs.unit, pred_row, runs.segment[pred] // clips, runs.onset[pred], runs.offset[pred]),
    )


def _add(
    rows: _Rows, policy: EventPolicy, shape: tuple[int, int], tallies: StepsBuilder, substitutions: StepsBuilder
) -> None:
    """Match every row, and add what each has more than the one before it."""
    classes, clips = shape
    number = len(rows.clip)
    both = Intervals(tuple(map(str, range(number))), tuple(map(str, range(classes))), rows.ref, rows.pred)
    near = candidates(rows.ref, rows.pred, policy)
    matched = matched_pairs(both, near.where(exact_hits(rows.ref, rows.pred, near, policy)))
    where = rows.ref.clip[matched.ref] * classes + rows.ref.label[matched.ref]
    hits = np.bincount(where, minlength=number * classes).reshape(number, classes)
    swapped = np.bincount(substituted_clips(both, matched, policy), minlength=number)
    opens = np.flatnonzero(np.diff(rows.clip, prepend=-1))
    change = np.diff(hits, axis=0, prepend=0)
    change[opens] = hits[opens]
    row, label = np.nonzero(change)
    more = change[row, label]
    tallies.add(rows.cut[row], label * clips + rows.clip[row], np.stack([more, -more, -more]))
    turn = np.diff(swapped, prepend=0)
    turn[opens] = swapped[opens]
    substitutions.add(rows.cut, rows.clip, turn[None, :])
