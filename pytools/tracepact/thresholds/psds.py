"""Intersection criteria at every threshold, and the polyphonic sound detection score (rule 20.5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, lcm, sqrt
from typing import Any

import numpy as np

from tracepact.data.events import EventColumns, Ticks
from tracepact.thresholds.family import FieldFamily
from tracepact.thresholds.metrics import LevelRuns, add_lives, apart, level_runs, reference_columns
from tracepact.thresholds.steps import CountSteps, StepsBuilder, Whole, increments, ranges

# Intersection criteria at every threshold: which runs are relevant, which references are found, what is triggered.


@dataclass(frozen=True, slots=True)
class Criteria:
    """What shares must be reached (rule 20.3).

    Attributes:
        dtc: of a detection, the share that lies on references of its class.
        gtc: of a reference, the share that relevant detections of its class cover.
        cttc: of a false positive, the share on references of another class that makes it a cross trigger; None counts
            no cross triggers.
        decimals: to how many decimals of a second both sides of a comparison are rounded, in floats; None compares
            exactly, as every rule of this project does.
    """

    dtc: Fraction
    gtc: Fraction
    cttc: Fraction | None = None
    decimals: int | None = None

    def reached(
        self, shared: Ticks, length: Ticks, share: Fraction, unit: int
    ) -> "np.ndarray[Any, np.dtype[np.bool_]]":
        """Whether parts of lengths reach a share."""
        if self.decimals is None:
            return _reaches(shared, length, share)
        # As sed_scores_eval decides: a rounded part against a rounded share of the length.
        part, bound = (shared / unit).astype(np.float64), float(share) * (length / unit).astype(np.float64)
        return np.asarray(np.round(part, self.decimals) >= np.round(bound, self.decimals))


@dataclass(frozen=True, slots=True, eq=False)
class Intersections:
    """Found references and false positives by class and clip, and cross triggers, as step functions of the threshold.

    Attributes:
        tallies: true positives (references), false positives (detections) and false negatives.
        triggers: cross triggers; row `class · classes + other` counts those of a class on references of another.
        lengths: how long the references of each class are together, in seconds.
        references: how many references each class has.
    """

    tallies: CountSteps
    triggers: CountSteps | None
    lengths: tuple[Fraction, ...]
    references: tuple[int, ...]


def intersections(ranked: FieldFamily, criteria: Criteria, runs: LevelRuns | None = None) -> Intersections:
    """Count by intersections at every threshold (rule 20.3)."""
    level = level_runs(ranked) if runs is None else runs
    refs = reference_columns(ranked, level.unit)
    covers = _ReferenceCovers(ranked, level, refs)
    own = covers.shared(level.segment, level)
    length = level.offset - level.onset
    relevant = criteria.reached(own, length, criteria.dtc, level.unit) & (length > 0).astype(np.bool_)
    builder = StepsBuilder(ranked.shape, 3)
    classes, clips = ranked.shape
    segment = refs.label * clips + refs.clip
    builder.add_base(segment, np.array([[0], [0], [1]]) * np.ones_like(segment))
    wrong = np.flatnonzero(~relevant)
    amount = np.zeros((3, len(wrong)), dtype=np.int8)
    amount[1] = 1
    add_lives(builder, level.segment[wrong], level.low[wrong], level.high[wrong], amount)
    good = level.some(np.flatnonzero(relevant))
    covering = apart(good, clips) if ranked.overlapping else good
    _add_found(builder, covering, refs, segment, criteria)
    lengths = [Fraction(0)] * classes
    for label, total in zip(refs.label.tolist(), (refs.offset - refs.onset).tolist(), strict=True):
        lengths[label] += Fraction(total, level.unit)
    triggers = None if criteria.cttc is None else _triggers(ranked, level, wrong, covers, criteria)
    number = np.bincount(refs.label, minlength=classes).tolist()
    return Intersections(builder.build(), triggers, tuple(lengths), tuple(number))


class _ReferenceCovers:
    """The length of the references of each segment before each edge of its frames; references that overlap add up."""

    def __init__(self, ranked: FieldFamily, runs: LevelRuns, refs: EventColumns) -> None:
        self._clips = ranked.shape[1]
        self._place = np.full(ranked.family.segments, -1, dtype=np.int64)
        segment = refs.label * self._clips + refs.clip
        # Sums up to each edge: what a run shares with all references of a class is then one difference, however many
        # references there are.
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
        """The length that runs, or some of them, share with the references of a segment of the same clip."""
        first, last = (runs.first, runs.last) if which is None else (runs.first[which], runs.last[which])
        place = self._place[segment]
        known = place >= 0
        lengths = np.zeros(len(segment), dtype=self._before.dtype)
        lengths[known] = self._before[place[known] + last[known]] - self._before[place[known] + first[known]]
        return lengths


def _reaches(shared: Ticks, length: Ticks, share: Fraction) -> "np.ndarray[Any, np.dtype[np.bool_]]":
    """Whether parts of lengths reach a share; in whole numbers."""
    top, bottom = share.as_integer_ratio()
    if max(top, bottom) * max(int(length.max(initial=0)), int(shared.max(initial=0))) >= 1 << 62:
        shared, length = shared.astype(np.object_), length.astype(np.object_)
    return np.asarray(shared * bottom >= length * top, dtype=np.bool_)


def _add_found(builder: StepsBuilder, runs: LevelRuns, refs: EventColumns, segment: Whole, criteria: Criteria) -> None:
    """At which cuts the relevant runs, no two of which overlap, cover enough of each reference."""
    chosen = np.argsort(runs.segment, kind="stable")
    first = np.searchsorted(runs.segment[chosen], segment, side="left")
    number = np.searchsorted(runs.segment[chosen], segment, side="right") - first
    ref = np.repeat(np.arange(len(segment)), number)
    run = chosen[ranges(first, number)]
    overlap = np.minimum(refs.offset[ref], runs.offset[run]) - np.maximum(refs.onset[ref], runs.onset[run])
    meets = (overlap > 0).astype(np.bool_)
    ref, run, overlap = ref[meets], run[meets], overlap[meets]
    owner, cut = np.tile(ref, 2), np.concatenate([runs.low[run], runs.high[run]]) + 1
    amount = np.concatenate([overlap, -overlap])
    order = np.lexsort((cut, owner))
    owner, cut, covered = owner[order], cut[order], np.cumsum(amount[order])
    # Several runs may come or go at one cut: only the sum after the last of them is a state of the field.
    ends = np.flatnonzero(np.diff(owner * (int(cut.max(initial=0)) + 2) + cut, append=-1))
    owner, cut, covered = owner[ends], cut[ends], covered[ends]  # each reference ends at zero, so sums need no restart
    lengths = (refs.offset - refs.onset)[owner]
    enough = criteria.reached(covered, lengths, criteria.gtc, runs.unit) & (covered > 0).astype(np.bool_)
    change = increments(enough.astype(np.int64), owner)
    builder.add(cut, segment[owner], np.stack([change, np.zeros_like(change), -change]))


def _triggers(
    ranked: FieldFamily, runs: LevelRuns, wrong: Whole, covers: _ReferenceCovers, criteria: Criteria
) -> CountSteps:
    """The cross triggers of every class on every other."""
    classes, clips = ranked.shape
    assert criteria.cttc is not None
    builder = StepsBuilder((classes * classes, clips), 1)
    label, clip = np.divmod(runs.segment[wrong], clips)
    length = (runs.offset - runs.onset)[wrong]
    for other in range(classes):
        shared = covers.shared(other * clips + clip, runs, wrong)
        enough = criteria.reached(shared, length, criteria.cttc, runs.unit) & (shared > 0).astype(np.bool_)
        hits = np.flatnonzero(enough & (label != other))
        entry = (label[hits] * classes + other) * clips + clip[hits]
        ones = np.ones((1, len(hits)), dtype=np.int64)
        add_lives(builder, entry, runs.low[wrong[hits]], runs.high[wrong[hits]], ones)
    return builder.build()


# The polyphonic sound detection score: its ROC over every threshold, and the area under it (rule 20.5).

HOUR = 3600


@dataclass(frozen=True, slots=True)
class Psds:
    """What a PSDS is taken with.

    Attributes:
        criteria: the intersection criteria.
        alpha_ct: how much cross triggers count beside false positives.
        alpha_st: how much the deviation between classes counts.
        e_max: up to how many effective false positives an hour the area is taken.
    """

    criteria: Criteria
    alpha_ct: Fraction = Fraction(0)
    alpha_st: Fraction = Fraction(0)
    e_max: Fraction = Fraction(100)


SCENARIOS = {
    "psds1": Psds(Criteria(Fraction(7, 10), Fraction(7, 10)), Fraction(0), Fraction(1)),
    "psds2": Psds(Criteria(Fraction(1, 10), Fraction(1, 10), Fraction(3, 10)), Fraction(1, 2), Fraction(1)),
}
"""The two scenarios of DCASE Task 4, by name."""


@dataclass(frozen=True, slots=True)
class RocPoint:
    """An operating point of a class: the least effective false positives an hour at which so much is found.

    Attributes:
        rate: effective false positives an hour.
        found: the share of the references that are found.
        cut: the least cut that gives the point.
    """

    rate: Fraction
    found: Fraction
    cut: int


@dataclass(frozen=True, slots=True)
class PsdsResult:
    """A PSDS with its ROC.

    Attributes:
        value: the score; exact if alpha_st is 0.
        roc: from each rate on, the effective share found, up to e_max.
        classes: by class, its own score; None for a class without references.
        rocs: by class, its operating points, ascending.
    """

    value: Fraction | float | None
    roc: tuple[tuple[Fraction, Fraction | float], ...]
    classes: dict[str, Fraction | None]
    rocs: dict[str, tuple[RocPoint, ...]]


def psds(ranked: FieldFamily, how: Psds, runs: LevelRuns | None = None) -> PsdsResult:
    """The PSDS of a field over every threshold."""
    return psds_of(intersections(ranked, how.criteria, runs), ranked.classes, ranked.seconds, how)


def psds_of(counted: Intersections, names: Sequence[str], seconds: Fraction, how: Psds) -> PsdsResult:
    """The PSDS of what was counted of classes in clips that last so long together."""
    rocs = {
        name: _class_roc(counted, label, seconds / HOUR, how)
        for label, name in enumerate(names)
        if counted.references[label]
    }
    return _of_rocs(rocs, names, how)


def independent_psds(results: Sequence[PsdsResult], how: Psds) -> PsdsResult:
    """The PSDS that is independent of post-processing (rule 20.17): each class is taken where it is best.

    The results are of the same classes, clips and settings, one for each way of post-processing.
    """
    names = list(results[0].classes)
    rocs = {}
    for name in results[0].rocs:
        points = sorted((p for result in results for p in result.rocs[name]), key=lambda p: (p.rate, -p.found))
        kept: list[RocPoint] = []
        for point in points:
            if not kept or point.found > kept[-1].found:
                kept.append(point)
        rocs[name] = tuple(kept)
    return _of_rocs(rocs, names, how)


def _of_rocs(rocs: dict[str, tuple[RocPoint, ...]], names: Sequence[str], how: Psds) -> PsdsResult:
    roc = _mean_roc(list(rocs.values()), how) if rocs else []
    classes = {
        name: _area([(p.rate, p.found) for p in rocs[name]], how.e_max) if name in rocs else None for name in names
    }
    value = _area(roc, how.e_max) if rocs else None
    return PsdsResult(value, tuple(roc), classes, rocs)  # type: ignore[arg-type]


def _class_roc(counted: Intersections, label: int, hours: Fraction, how: Psds) -> tuple[RocPoint, ...]:
    """The points of a class that no other point of it beats, up to e_max."""
    own = counted.tallies.label(label)
    classes = len(counted.references)
    others = [o for o in range(classes) if o != label and counted.references[o]] if counted.triggers else []
    parts = [own, *(counted.triggers.label(label * classes + o) for o in others if counted.triggers)]
    cuts, rows = _aligned(parts)
    found, wrong, triggers = rows[0], rows[1], rows[3:]
    weights = [1 / hours, *(how.alpha_ct / len(others) / (counted.lengths[o] / HOUR) for o in others)]
    counts = np.concatenate([wrong[None, :], triggers])
    near = np.asarray([float(weight) for weight in weights]) @ counts
    references = counted.references[label]
    points: list[RocPoint] = []
    least: Fraction | None = None
    for hits, rate, cut in _least_rates(found, near, counts, weights, cuts):
        if least is None or rate < least:
            points.append(RocPoint(rate, Fraction(hits, references), cut))
            least = rate
    return tuple(point for point in reversed(points) if point.rate <= how.e_max)


def _least_rates(
    hits: Whole,
    near: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    counts: Whole,
    weights: list[Fraction],
    cuts: Whole,
) -> list[tuple[int, Fraction, int]]:
    """For every number of found references, the most first, the exact least rate and where it is taken.

    Floats choose who could be least; fractions decide between those that are too near to tell.
    """
    # Few operating points can be the least: floats leave those within their error, and fractions decide among them
    # alone, since they are slow.
    order = np.lexsort((near, -hits))
    first = np.flatnonzero(np.diff(hits[order], prepend=-1))
    chosen: list[tuple[int, Fraction, int]] = []
    for begin, end in zip(first.tolist(), [*first[1:].tolist(), len(order)], strict=True):
        lowest = near[order[begin]]
        last = begin + int(np.searchsorted(near[order[begin:end]], lowest * (1 + 1e-12), side="right"))
        some = order[begin:last]
        if (counts[:, some] == counts[:, some[:1]]).all():  # nearly always
            least = sum((w * n for w, n in zip(weights, counts[:, some[0]].tolist(), strict=True)), Fraction(0))
            chosen.append((int(hits[order[begin]]), least, int(cuts[some].min())))
            continue
        rows, back = np.unique(counts[:, some], axis=1, return_inverse=True)
        rates = [sum((w * n for w, n in zip(weights, row, strict=True)), Fraction(0)) for row in rows.T.tolist()]
        best = min(range(len(rates)), key=rates.__getitem__)
        chosen.append((int(hits[order[begin]]), rates[best], int(cuts[some[back.reshape(-1) == best]].min())))
    return chosen


def _aligned(parts: list[CountSteps]) -> tuple[Whole, Whole]:
    """The running sums of several steps over all their cuts, one row a count."""
    lines = [part.running() for part in parts]
    if len(lines) == 1:
        return lines[0]
    cuts = np.unique(np.concatenate([line for line, _ in lines]))
    places = (np.searchsorted(line, cuts, side="right") - 1 for line, _ in lines)
    return cuts, np.concatenate([counts[:, place] for (_, counts), place in zip(lines, places, strict=True)])


def _mean_roc(rocs: list[tuple[RocPoint, ...]], how: Psds) -> list[tuple[Fraction, Fraction | float]]:
    """The mean over classes less alpha_st deviations, from each rate on at which a class changes; never below 0."""
    # Sums of whole parts, kept up to date: a fraction for each class and step would take most of the time.
    parts = lcm(*(point.found.denominator for roc in rocs for point in roc))
    changes = sorted((point.rate, label, int(point.found * parts)) for label, roc in enumerate(rocs) for point in roc)
    now = [0] * len(rocs)
    number, total, squares = len(rocs), 0, 0
    roc: dict[Fraction, Fraction | float] = {}
    for rate, label, share in changes:
        total += share - now[label]
        squares += share * share - now[label] * now[label]
        now[label] = share
        if how.alpha_st:
            variance = (number * squares - total * total) / (number * parts) ** 2
            roc[rate] = max(total / (number * parts) - float(how.alpha_st) * sqrt(variance), 0.0)
        else:
            roc[rate] = Fraction(total, number * parts)
    return list(roc.items())


def _area(
    roc: list[tuple[Fraction, Fraction | float]] | list[tuple[Fraction, Fraction]], e_max: Fraction
) -> Fraction | float:
    """The area under steps up to e_max, as a share of e_max."""
    ends = [*(rate for rate, _ in roc[1:]), e_max]
    widths = [(end - rate) / e_max for (rate, _), end in zip(roc, ends, strict=True)]
    if any(isinstance(value, float) for _, value in roc):
        return fsum(float(width) * float(value) for width, (_, value) in zip(widths, roc, strict=True))
    return sum((width * Fraction(value) for width, (_, value) in zip(widths, roc, strict=True)), Fraction(0))


# Areas under what every threshold gives: precision over recall, and the ROC of cells (rules 20.4 and 20.18).


def average_precision(tallies: CountSteps) -> Fraction | None:
    """The sum over the recalls that occur of the best precision at each times its rise (rule 20.4)."""
    _, counts = tallies.running()
    tp, fp, fn = counts
    references = int(tp[0] + fn[0])
    if not references:
        return None
    # At one recall the best precision is that of the fewest false positives: the first of each recall after sorting.
    order = np.lexsort((fp, tp))
    tp, fp = tp[order], fp[order]
    first = np.flatnonzero(np.diff(tp, prepend=-1))
    area, before = Fraction(0), 0
    for hits, wrong in zip(tp[first].tolist(), fp[first].tolist(), strict=True):
        if hits:
            area += Fraction(hits, hits + wrong) * (hits - before)
            before = hits
    return area / references


def roc_area(
    hits: Whole, alarms: Whole, positives: int, negatives: int, most: Fraction = Fraction(1)
) -> Fraction | None:
    """The area under the share of hits over the share of false alarms up to `most`, as a share of `most`.

    Hits and false alarms are those of each threshold, in any order; nothing at all is one of them. At a rate the curve
    is the greatest share of hits at a threshold with at most that rate. None without positives or negatives.
    """
    if not positives or not negatives:
        return None
    # A step, not a line between points: what lies between two thresholds is reached by no threshold. Cells of equal
    # scores turn together, so that a hit gains nothing from false alarms it is tied with.
    order = np.lexsort((hits, alarms))
    last = np.flatnonzero(np.diff(alarms[order], append=-1))
    rates, shares = alarms[order][last], np.maximum.accumulate(hits[order])[last]
    top, bottom = (most * negatives).as_integer_ratio()
    ends = np.minimum(np.append(rates[1:], negatives).astype(np.object_) * bottom, top)
    widths = np.maximum(ends - np.minimum(rates.astype(np.object_) * bottom, top), 0)
    return Fraction(int((widths * shares).sum()), top * positives)
