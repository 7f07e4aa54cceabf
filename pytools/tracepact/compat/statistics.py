"""Counts at every threshold in the form of sed_scores_eval, from the counts of the kernel on intervals and segments."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracepact.compat.tables import (
    NotCovered,
    ScoreClips,
    active_runs,
    parse_audio_durations,
    parse_ground_truth,
    typed,
)
from tracepact.data.events import (
    NOWHERE,
    Event,
    EventTable,
    Ranks,
    ScoreField,
    ScoreLevels,
    Ticks,
    common_unit,
    exact,
    ratios,
    ticks,
)
from tracepact.data.family import Family, Mode, Side
from tracepact.measures.policy import EventPolicy, OffsetRule
from tracepact.thresholds.family import Detections, FieldFamily
from tracepact.thresholds.metrics import LevelRuns, collar_counts, frame_runs
from tracepact.thresholds.psds import Criteria, Intersections, intersections, roc_area
from tracepact.thresholds.steps import CountSteps, StepsBuilder, Whole

Floats = NDArray[np.float64]
Statistics = tuple[Floats, dict[str, Any]]
"""The scores at which counts change, infinity last, and each count for the thresholds just below them."""
Results = dict[Any, Any]
_GUARD = 3
"""The decimals that times keep beyond those that comparisons are rounded to."""


@dataclass(frozen=True, eq=False)
class Deltas:
    """What counts at every threshold, by class and clip; to be handed on as `deltas`.

    Attributes:
        clips: the names of the clips.
        names: the names of the classes.
        levels: the distinct scores, ascending.
        tallies: true positives, false positives and false negatives.
        references: how many references each class and clip has, and how long they are in seconds.
        triggers: cross triggers of a class on another, where they were asked for.
        negatives: whether cells without either side are counted, so that there are true negatives.
    """

    clips: tuple[str, ...]
    names: tuple[Any, ...]
    levels: Floats
    tallies: CountSteps
    references: NDArray[Any]
    triggers: CountSteps | None = None
    negatives: bool = False

    def keys(self) -> tuple[str, ...]:
        """The names of the clips."""
        return self.clips

    def __len__(self) -> int:
        return len(self.clips)

    def select(self, clips: Sequence[str]) -> "Deltas":
        """The counts of some clips."""
        place = {clip: k for k, clip in enumerate(self.clips)}
        chosen = sorted(place[clip] for clip in clips)
        return replace(
            self,
            clips=tuple(self.clips[k] for k in chosen),
            tallies=self.tallies.select(chosen),
            references=self.references[:, :, chosen],
            triggers=None if self.triggers is None else self.triggers.select(chosen),
        )

    @property
    def counted(self) -> Intersections:
        """The counts as a PSDS takes them."""
        number, lengths = self.references.sum(axis=2)
        return Intersections(self.tallies, self.triggers, tuple(map(Fraction, lengths)), tuple(map(int, number)))

    def cuts(self, label: int) -> Whole:
        """The cuts from 0 on at which some clip's counts of a class change."""
        steps = [self.tallies.label(label)]
        if self.triggers is not None:
            number = len(self.names)
            steps += [self.triggers.label(label * number + other) for other in range(number) if other != label]
        there = np.zeros(len(self.levels) + 2, dtype=np.bool_)
        there[0] = True
        for step in steps:
            there[step.cut] = True
        return np.flatnonzero(there)

    def scores_at(self, cuts: Whole) -> Floats:
        """The scores that stretches of cuts end with; infinity for the last."""
        return np.append(self.levels[cuts[1:] - 1], np.inf)

    def statistics(self) -> dict[Any, Statistics]:
        """The counts of each class in the form of the original."""
        number, lengths = self.references.sum(axis=2)
        found: dict[Any, Statistics] = {}
        for label, name in enumerate(self.names):
            cuts = self.cuts(label)
            counts = _at(self.tallies.label(label), cuts).astype(np.float64)
            stats: dict[str, Any] = {"tps": counts[0], "fps": counts[1], "n_ref": int(number[label])}
            others = [other for other in range(len(self.names)) if other != label]
            if self.negatives:
                cells = counts[0, 0] + counts[1, 0]
                sums = counts[0] + counts[1]
                stats |= {"n_sys": sums, "n_ref": counts[0, 0], "tns": cells - sums - (counts[0, 0] - counts[0])}
            else:
                stats["t_ref"] = float(lengths[label])
            if self.triggers is not None:
                at = {o: _at(self.triggers.label(label * len(self.names) + o), cuts)[0] for o in others}
                stats["cts"] = {self.names[o]: at[o].astype(np.float64) for o in others}
                stats["n_ref_other"] = {self.names[o]: int(number[o]) for o in others}
                stats["t_ref_other"] = {self.names[o]: float(lengths[o]) for o in others}
            found[name] = self.scores_at(cuts), stats
        return found


def _at(steps: CountSteps, cuts: Whole) -> Whole:
    """The counts of all entries added, at some cuts."""
    line, counts = steps.running()
    return counts[:, np.searchsorted(line, cuts, side="right") - 1]


@dataclass(frozen=True, eq=False)
class ScoredTable:
    """Scores beside their ground truth, ready for the counts of the kernel.

    Attributes:
        clips: the scores.
        truth: the events, by clip.
        decimals: to how many decimals of a second comparisons are rounded; None where all is exact.
    """

    clips: ScoreClips
    truth: Mapping[str, Sequence[Sequence[Any]]]
    decimals: int | None

    @classmethod
    def of(cls, scores: Any, ground_truth: Any, decimals: int | None) -> "ScoredTable":
        """Both as they were given; labels without a column and columns without an event are refused, as there."""
        clips = ScoreClips(scores)
        truth = parse_ground_truth(ground_truth, audio_ids=clips.clips)
        labels = {event[2] for events in truth.values() for event in events}
        if unknown := labels - set(clips.classes):
            raise ValueError(f"event labels {unknown} are not among the event classes {list(clips.classes)}")
        if empty := set(clips.classes) - labels:
            raise AssertionError(f"No ground truth events for classes {sorted(map(str, empty))}.")
        return cls(clips, truth, decimals)

    def deltas(self, tallies: CountSteps, levels: Floats, triggers: CountSteps | None = None) -> Deltas:
        """Counts of these clips and classes."""
        names = self.clips.classes
        # Most changes cancel within a clip, where a run grows by a frame: netted once, all that follows is short.
        tallies, triggers = tallies.netted(), None if triggers is None else triggers.netted()
        number = {name: k for k, name in enumerate(names)}
        references = np.zeros((2, len(names), len(self.clips.clips)), dtype=np.object_)
        for k, clip in enumerate(self.clips.clips):
            for onset, offset, label in self.truth[clip]:
                references[0, number[label], k] += 1
                references[1, number[label], k] += typed(float(offset)) - typed(float(onset))
        return Deltas(self.clips.clips, names, levels, tallies, references, triggers)

    def time(self, seconds: float) -> Fraction:
        """A time as it is counted with."""
        if self.decimals is None:
            return exact(float(seconds))
        unit = 10 ** (self.decimals + _GUARD)
        return Fraction(round(seconds * unit), unit)

    def family(self) -> FieldFamily:
        """The ground truth as a family without a grid, for counts on intervals."""
        events = {
            clip: tuple(Event(self.time(on), self.time(off), str(label)) for on, off, label in self.truth[clip])
            for clip in self.clips.clips
        }
        return without_grid(events, tuple(map(str, self.clips.classes)), ScoreLevels(np.zeros(0)))

    def ticks(self, *times: Fraction) -> tuple[int, tuple[Ticks, ...]]:
        """Ticks a second, in which these times and those of both sides are whole, and the edges of every clip."""
        lines = {id(edges): edges for edges in self.clips.edges}
        if self.decimals is not None:
            unit = 10 ** (self.decimals + _GUARD)
            known: dict[int, Ticks] = {
                key: np.rint(np.round(line, self.decimals) * unit).astype(np.int64) for key, line in lines.items()
            }
        else:
            parts = {key: ratios(map(exact, line.tolist())) for key, line in lines.items()}
            events = [exact(float(time)) for some in self.truth.values() for event in some for time in event[:2]]
            unit = common_unit(*parts.values(), times, events)
            known = {key: ticks(line, unit) for key, line in parts.items()}
        return unit, tuple(known[id(edges)] for edges in self.clips.edges)

    def runs(self, *times: Fraction) -> tuple[LevelRuns, Floats]:
        """The runs of all thresholds, and the distinct scores."""
        levels, ranks = _ranked(self.clips.scores)
        unit, edges = self.ticks(*times)
        return frame_runs(ranks, edges, unit), levels

    def runs_at(self, threshold: Any, *times: Fraction) -> LevelRuns:
        """The runs of one threshold, a number or one by class; there at cut 0."""
        unit, edges = self.ticks(*times)
        bounds = self.clips.thresholds(threshold)
        parts = [active_runs(values > bounds) for values in self.clips.scores]
        clip = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
        label, first, last = (np.concatenate(column) for column in zip(*parts, strict=True))
        begins = np.cumsum([0, *(len(line) for line in edges)])[:-1][clip]
        flat = np.concatenate(edges)
        low = np.full(len(clip), NOWHERE)
        segment = label * len(parts) + clip
        return LevelRuns(unit, edges, segment, first, last, flat[begins + first], flat[begins + last], low, low + 1)


def without_grid(
    truth: Mapping[str, tuple[Event, ...]],
    classes: tuple[str, ...],
    levels: ScoreLevels,
    detections: Detections | None = None,
) -> FieldFamily:
    """Events of the ground truth, by clip, as a family without frames: for counts on intervals."""
    none = (0,) * len(truth)
    family = Family(Fraction(1), Mode.CLASS_INDEXED, tuple(truth), none, classes, {side: {} for side in Side}, {}, {})
    field = ScoreField("scores", classes, levels, {})
    return FieldFamily(family, levels, (), EventTable("ground truth", truth), field, {}, None, detections)


def _ranked(scores: Sequence[Floats], *, cells: bool = False) -> tuple[Floats, list[Ranks]]:
    """The distinct scores of all clips, and the ranks of each clip; of frames minus infinity is nowhere active."""
    levels, ranks = np.unique(np.concatenate([values.reshape(-1) for values in scores]), return_inverse=True)
    ranks = ranks.reshape(-1).astype(np.int64, copy=False)
    if len(levels) and levels[0] == -np.inf and not cells:
        levels, ranks = levels[1:], ranks - 1
    ends = np.cumsum([values.size for values in scores])[:-1]
    parts = zip(np.split(ranks, ends), scores, strict=True)
    return levels, [part.reshape(values.shape) for part, values in parts]


# Counts by intersection, by collar, in segments and of clips, at every threshold or at one.

Count = Callable[[FieldFamily, LevelRuns], tuple[CountSteps, CountSteps | None]]


def by_intersection(
    dtc_threshold: float, gtc_threshold: float, cttc_threshold: float | None, decimals: int | None
) -> Count:
    """Counts by intersection (rule 20.3)."""
    if gtc_threshold <= 0 or (cttc_threshold is not None and cttc_threshold <= 0):
        raise NotCovered("a threshold 0 of the intersection criteria", "tracepact.curves, where a share of 0 is asked")
    cttc = None if cttc_threshold is None else exact(float(cttc_threshold))
    criteria = Criteria(exact(float(dtc_threshold)), exact(float(gtc_threshold)), cttc, decimals)

    def count(family: FieldFamily, runs: LevelRuns) -> tuple[CountSteps, CountSteps | None]:
        counted = intersections(family, criteria, runs)
        return counted.tallies, counted.triggers

    return count


def collar_policy(
    onset_collar: float, offset_collar: float, offset_collar_rate: float, decimals: int | None
) -> EventPolicy:
    """The policy of rule 15.8 for two equal collars."""
    if onset_collar != offset_collar:
        raise NotCovered(
            "an offset collar that differs from the onset collar",
            "an event clause with `abs(onset_difference)` and `abs(offset_difference)`",
        )
    slack = Fraction(0) if decimals is None else Fraction(1, 2 * 10**decimals)
    return EventPolicy(exact(float(onset_collar)), OffsetRule.MAX, exact(float(offset_collar_rate)), slack)


def by_collar(policy: EventPolicy) -> Count:
    """Counts by collars (rule 15.8); substitutions are not asked for."""

    def count(family: FieldFamily, runs: LevelRuns) -> tuple[CountSteps, CountSteps | None]:
        return collar_counts(family, policy, runs, swaps=False).tallies, None

    return count


def deltas_of(table: ScoredTable, count: Count, *times: Fraction) -> Deltas:
    """The counts of a way of counting at every threshold."""
    runs, levels = table.runs(*times)
    tallies, triggers = count(table.family(), runs)
    return table.deltas(tallies, levels, triggers)


def statistics_at(table: ScoredTable, count: Count, threshold: Any, *times: Fraction) -> dict[Any, dict[str, Any]]:
    """The counts of a way of counting at one threshold, by class."""
    # One threshold is decoded and counted alone: counting all of them to pick one takes a hundred times as long.
    runs = table.runs_at(threshold, *times)
    tallies, triggers = count(table.family(), runs)
    deltas = table.deltas(tallies, np.zeros(1), triggers)
    return {
        name: {key: first(value) for key, value in stats.items()} for name, (_, stats) in deltas.statistics().items()
    }


def first(value: Any) -> Any:
    """The first of each count."""
    if isinstance(value, Mapping):
        return {key: first(part) for key, part in value.items()}
    return value[0] if isinstance(value, np.ndarray) else value


def segment_deltas(
    scores: Any, ground_truth: Any, audio_durations: Any, segment_length: float, decimals: int | None
) -> Deltas:
    """Counts in segments up to the end of each clip: its greatest score, and whether an event is active in it."""
    table = ScoredTable.of(scores, ground_truth, decimals)
    clips = table.clips
    lengths = None if audio_durations is None else parse_audio_durations(audio_durations, audio_ids=clips.clips)
    length = table.time(segment_length)
    unit, edges = table.ticks(length)
    number = {name: k for k, name in enumerate(clips.classes)}
    rows: list[tuple[Floats, NDArray[np.bool_]]] = []
    for clip, line, values in zip(clips.clips, edges, clips.scores, strict=True):
        events = table.truth[clip]
        end = max([clips.edges[len(rows)][-1], *(event[1] for event in events)]) if lengths is None else lengths[clip]
        cells = -(-exact(float(end)) // length) if decimals is None else int(np.ceil(end / segment_length))
        whole = int(length * unit)
        begins = np.arange(cells) * whole
        low = np.maximum(np.searchsorted(line, begins, side="right") - 1, 0)
        high = np.minimum(np.searchsorted(line, begins + whole, side="left"), len(line) - 1)
        greatest = np.zeros((cells, len(clips.classes)))
        some = np.flatnonzero(high > low)
        if len(some):
            pairs = np.stack([low[some], high[some]], axis=1).reshape(-1)
            wide = np.concatenate([values, values[-1:]])
            greatest[some] = np.maximum.reduceat(wide, pairs, axis=0)[::2]
        active = np.zeros(greatest.shape, dtype=np.bool_)
        for onset, offset, label in events:
            start, stop = (int(table.time(time) * unit) for time in (onset, offset))
            active[max(start // whole, 0) : max(-(-stop // whole), 0), number[label]] |= stop > start
        rows.append((greatest, active))
    return _cell_deltas(clips, rows)


def clip_deltas(scores: Any, ground_truth: Any) -> Deltas:
    """Counts of clips: the greatest score of each, and whether it is tagged with the class."""
    clips = ScoreClips(scores)
    tags = parse_ground_truth(ground_truth, tagging=True, audio_ids=clips.clips)
    if unknown := {tag for some in tags.values() for tag in some} - set(clips.classes):
        raise ValueError(f"ground truth contains unknown tags {unknown}; known tags: {list(clips.classes)}")
    rows = [
        (values.max(axis=0, keepdims=True), np.isin(clips.classes, tags[clip])[None, :])
        for clip, values in zip(clips.clips, clips.scores, strict=True)
    ]
    return _cell_deltas(clips, rows)


def _cell_deltas(clips: ScoreClips, rows: Sequence[tuple[Floats, NDArray[np.bool_]]]) -> Deltas:
    levels, ranks = _ranked([values for values, _ in rows], cells=True)
    shape = len(clips.classes), len(clips.clips)
    builder = StepsBuilder(shape, 3)
    references = np.zeros((2, *shape), dtype=np.object_)
    for clip, (own, (_, active)) in enumerate(zip(ranks, rows, strict=True)):
        label = np.broadcast_to(np.arange(shape[0]), own.shape).reshape(-1)
        entry, flags = label * shape[1] + clip, active.reshape(-1)
        change = np.stack([flags, ~flags, -flags.astype(np.int64)]).astype(np.int64)
        builder.add(np.zeros_like(entry), entry, change)
        builder.add(own.reshape(-1) + 1, entry, -change)
        references[0, :, clip] = active.sum(axis=0)
        builder.add_base(entry, np.stack([0 * flags, 0 * flags, flags]).astype(np.int64))
    return Deltas(clips.clips, clips.classes, levels, builder.build().netted(), references, negatives=True)


def folds(deltas: Deltas, n_folds: int, n_iterations: int) -> Iterator[Deltas]:
    """The parts that a bootstrap of the original takes: all clips but one fold, for several shuffles."""
    clips = sorted(deltas.keys())
    ends = np.linspace(0, len(clips), n_folds + 1).astype(int)
    for seed in range(n_iterations):
        np.random.RandomState(seed).shuffle(clips)
        for low, high in itertools.pairwise(ends):
            yield deltas.select([*clips[:low], *clips[high:]])


# Values that follow from counts, with the conventions of the original.


def rates_of(stats: Mapping[str, Any], beta: float, one: Any = 1.0) -> tuple[Any, Any, Any]:
    """F-score, precision and recall; precision is 1 where nothing is predicted. Fractions where `one` is a fraction."""
    tps, fps = stats["tps"], stats["fps"]
    if isinstance(one, Fraction):
        tp, fp, n_ref = (int(count) for count in (tps, fps, stats["n_ref"]))
        square = exact(float(beta)) ** 2
        precision, recall = Fraction(tp, tp + fp) if tp + fp else one, Fraction(tp, n_ref)
        weight = square * precision + recall
        return (1 + square) * precision * recall / weight if weight else Fraction(0), precision, recall
    predicted = tps + fps
    p = np.where(predicted == 0, 1.0, tps / np.maximum(predicted, 1))
    r = tps / stats["n_ref"]
    return (1 + beta**2) * p * r / np.maximum(beta**2 * p + r, 1e-15), p, r


def picked(order: NDArray[np.int64], value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: picked(order, part) for key, part in value.items()}
    return value[order] if isinstance(value, np.ndarray) else value


def precision_recall(statistics: Statistics) -> tuple[Any, ...]:
    scores, stats = statistics
    _, p, r = rates_of(stats, 1.0)
    order = np.lexsort((p, r))
    return p[order], r[order], scores[order], picked(order, stats)


def f_scores(statistics: Statistics, beta: float = 1.0) -> tuple[Any, ...]:
    scores, stats = statistics
    f, p, r = rates_of(stats, beta)
    return f, p, r, scores, stats


def with_means(parts: Mapping[Any, tuple[Any, ...]], beta: float, one: Any = 1.0) -> tuple[Results, ...]:
    """Values by class as one mapping for each, with the means over classes and the values of all counts."""
    exactly = isinstance(one, Fraction)
    columns: list[Results] = [dict(zip(parts, column, strict=True)) for column in zip(*parts.values(), strict=True)]
    stats = columns[-1].values()
    total = {key: sum(some[key] for some in stats) for key in ("tps", "fps", "n_ref")}
    micro = rates_of(total, beta, one)
    if not total["tps"] + total["fps"]:  # of all classes, and of them alone, an empty output has no precision
        micro = (0 * one, 0 * one, micro[2])
    for column, value in zip(columns, micro, strict=False):
        values = list(column.values())
        column["macro_average"] = sum(values, Fraction(0)) / len(values) if exactly else np.mean(values)
        column["micro_average"] = value
    return tuple(columns)


def best_f_score(statistics: Statistics, beta: float, min_precision: float, min_recall: float) -> tuple[Any, ...]:
    f, p, r, scores, stats = f_scores(statistics, beta)
    f = np.where((p < min_precision) | (r < min_recall), 0.0, f)
    best = len(f) - 1 - int(np.argmax(f[::-1]))
    threshold = (scores[best] + scores[best - 1]) / 2 if best else -np.inf
    return f[best], p[best], r[best], threshold, picked(np.array(best), stats)


def average_precision(curve: tuple[Any, ...]) -> Any:
    p, r = curve[:2]
    last = np.flatnonzero(np.diff(r, append=np.inf))
    return np.sum(p[last][1:] * np.diff(r[last]))


def roc_curve(statistics: Statistics) -> tuple[Any, ...]:
    scores, stats = statistics
    tpr, fpr = stats["tps"] / stats["n_ref"], stats["fps"] / (stats["tns"] + stats["fps"])
    order = np.lexsort((tpr, fpr))
    return tpr[order], fpr[order], scores[order], picked(order, stats)


def area_under_roc(statistics: Statistics, max_fpr: float | None) -> Fraction | None:
    _, stats = statistics
    hits, alarms = (stats[key].astype(np.int64) for key in ("tps", "fps"))
    most = Fraction(1) if max_fpr is None else exact(float(max_fpr))
    return roc_area(hits, alarms, int(stats["n_ref"]), int(stats["tns"][0] + stats["fps"][0]), most)


def psds_from_psd_roc(tpr: Floats, fpr: Floats, max_fpr: float) -> float:
    """The area under a staircase up to a rate, as a share of it."""
    order = np.argsort(fpr, kind="stable")
    ends = np.minimum(np.append(fpr[order][1:], max_fpr), max_fpr)
    return float(np.sum(tpr[order] * np.maximum(ends - fpr[order], 0)) / max_fpr)


def confidence_interval(values: Any, confidence: float = 0.9) -> Any:
    """Mean and both ends of the middle share of values, or of values by class."""
    if isinstance(values[0], Mapping):
        return {name: confidence_interval([value[name] for value in values], confidence) for name in values[0]}
    low, high = np.percentile(values, [(1 - confidence) * 50, (1 + confidence) * 50])
    return float(np.mean(values)), float(low), float(high)
