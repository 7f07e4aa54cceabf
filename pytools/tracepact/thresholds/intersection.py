"""Intersection criteria at every threshold: which runs are relevant, which references are found, what is triggered."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tracepact.thresholds.family import FieldFamily
from tracepact.thresholds.runs import LevelRuns, add_lives, apart, level_runs, reference_columns
from tracepact.thresholds.steps import Steps, StepsBuilder, Whole
from tracepact.trace.columns import Columns
from tracepact.trace.exact_times import Ticks


@dataclass(frozen=True, slots=True)
class Criteria:
    """What shares must be reached (rule 20.3).

    Attributes:
        dtc: of a detection, the share that lies on references of its class.
        gtc: of a reference, the share that relevant detections of its class cover.
        cttc: of a false positive, the share on references of another class that makes it a cross trigger; None counts
            no cross triggers.
    """

    dtc: Fraction
    gtc: Fraction
    cttc: Fraction | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Intersections:
    """Found references and false positives by class and clip, and cross triggers, as step functions of the threshold.

    Attributes:
        tallies: true positives (references), false positives (detections) and false negatives.
        triggers: cross triggers; row `class · classes + other` counts those of a class on references of another.
        lengths: how long the references of each class are together, in seconds.
        references: how many references each class has.
    """

    tallies: Steps
    triggers: Steps | None
    lengths: tuple[Fraction, ...]
    references: tuple[int, ...]


def intersections(given: FieldFamily, criteria: Criteria, runs: LevelRuns | None = None) -> Intersections:
    """Count by intersections at every threshold (rule 20.3)."""
    found = level_runs(given) if runs is None else runs
    refs = reference_columns(given, found.unit)
    covers = _Covers(given, found, refs)
    own = covers.shared(found.segment, found)
    length = found.offset - found.onset
    relevant = _reaches(own, length, criteria.dtc) & (length > 0).astype(np.bool_)
    builder = StepsBuilder(given.shape, 3)
    classes, clips = given.shape
    segment = refs.label * clips + refs.clip
    builder.add_base(segment, np.array([[0], [0], [1]]) * np.ones_like(segment))
    wrong = np.flatnonzero(~relevant)
    amount = np.zeros((3, len(wrong)), dtype=np.int8)
    amount[1] = 1
    add_lives(builder, found.segment[wrong], found.low[wrong], found.high[wrong], amount)
    good = found.some(np.flatnonzero(relevant))
    covering = apart(good, clips) if given.overlapping else good
    _add_found(builder, covering, refs, segment, criteria.gtc)
    lengths = [Fraction(0)] * classes
    for label, total in zip(refs.label.tolist(), (refs.offset - refs.onset).tolist(), strict=True):
        lengths[label] += Fraction(total, found.unit)
    triggers = None if criteria.cttc is None else _triggers(given, found, wrong, covers, criteria.cttc)
    number = np.bincount(refs.label, minlength=classes).tolist()
    return Intersections(builder.build(), triggers, tuple(lengths), tuple(number))


class _Covers:
    """How much of the references of each segment lies before each edge of its frames; references that overlap add."""

    def __init__(self, given: FieldFamily, runs: LevelRuns, refs: Columns) -> None:
        self._clips = given.shape[1]
        self._place = np.full(given.family.segments, -1, dtype=np.int64)
        segment = refs.label * self._clips + refs.clip
        parts, done = [np.zeros(0, dtype=np.int64)], 0
        order = np.argsort(segment, kind="stable")
        owners, begins = np.unique(segment[order], return_index=True)
        for own, here in zip(owners.tolist(), np.split(order, begins[1:]), strict=False):
            edges = runs.edges[own % self._clips]
            onset, offset = refs.onset[here][:, None], refs.offset[here][:, None]
            before = np.clip(edges[None, :] - onset, 0, offset - onset).sum(axis=0)
            self._place[own] = done
            parts.append(before)
            done += len(before)
        self._before = np.concatenate(parts)

    def shared(self, segment: Whole, runs: LevelRuns, which: Whole | None = None) -> Ticks:
        """How long runs, or some of them, lie on the references of a segment of the same clip."""
        first, last = (runs.first, runs.last) if which is None else (runs.first[which], runs.last[which])
        place = self._place[segment]
        known = place >= 0
        found = np.zeros(len(segment), dtype=self._before.dtype)
        found[known] = self._before[place[known] + last[known]] - self._before[place[known] + first[known]]
        return found


def _reaches(shared: Ticks, length: Ticks, share: Fraction) -> Whole:
    """Whether a part of lengths reaches a share; in whole numbers."""
    top, bottom = share.as_integer_ratio()
    if max(top, bottom) * max(int(length.max(initial=0)), int(shared.max(initial=0))) >= 1 << 62:
        shared, length = shared.astype(np.object_), length.astype(np.object_)
    return np.asarray(shared * bottom >= length * top, dtype=np.bool_)


def _add_found(builder: StepsBuilder, runs: LevelRuns, refs: Columns, segment: Whole, gtc: Fraction) -> None:
    """At which cuts the relevant runs, no two of which overlap, cover enough of each reference."""
    chosen = np.argsort(runs.segment, kind="stable")
    first = np.searchsorted(runs.segment[chosen], segment, side="left")
    number = np.searchsorted(runs.segment[chosen], segment, side="right") - first
    ref = np.repeat(np.arange(len(segment)), number)
    run = chosen[np.repeat(first - (np.cumsum(number) - number), number) + np.arange(len(ref))]
    overlap = np.minimum(refs.offset[ref], runs.offset[run]) - np.maximum(refs.onset[ref], runs.onset[run])
    meets = (overlap > 0).astype(np.bool_)
    ref, run, overlap = ref[meets], run[meets], overlap[meets]
    owner, cut = np.tile(ref, 2), np.concatenate([runs.low[run], runs.high[run]]) + 1
    amount = np.concatenate([overlap, -overlap])
    order = np.lexsort((cut, owner))
    owner, cut, covered = owner[order], cut[order], np.cumsum(amount[order])
    ends = np.flatnonzero(np.diff(owner * (int(cut.max(initial=0)) + 2) + cut, append=-1))
    owner, cut, covered = owner[ends], cut[ends], covered[ends]  # each reference ends at zero, so sums need no restart
    enough = _reaches(covered, (refs.offset - refs.onset)[owner], gtc) & (covered > 0).astype(np.bool_)
    change = np.diff(enough.astype(np.int64), prepend=0)
    opens = np.flatnonzero(np.diff(owner, prepend=-1))
    change[opens] = enough[opens]
    builder.add(cut, segment[owner], np.stack([change, np.zeros_like(change), -change]))


def _triggers(given: FieldFamily, runs: LevelRuns, wrong: Whole, covers: _Covers, cttc: Fraction) -> Steps:
    """The cross triggers of every class on every other."""
    classes, clips = given.shape
    builder = StepsBuilder((classes * classes, clips), 1)
    label, clip = np.divmod(runs.segment[wrong], clips)
    length = (runs.offset - runs.onset)[wrong]
    for other in range(classes):
        shared = covers.shared(other * clips + clip, runs, wrong)
        hits = np.flatnonzero(_reaches(shared, length, cttc) & (shared > 0).astype(np.bool_) & (label != other))
        entry = (label[hits] * classes + other) * clips + clip[hits]
        ones = np.ones((1, len(hits)), dtype=np.int64)
        add_lives(builder, entry, runs.low[wrong[hits]], runs.high[wrong[hits]], ones)
    return builder.build()
