"""Everything that has a curve over the threshold, by name: clauses, profiles, means, rates; and its counts at cuts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from tracepact.data.events import Ranks, ScoreLevels, join_levels
from tracepact.evaluate.scores import aggregate
from tracepact.language.contract import Aggregation, Contract
from tracepact.language.formula import atoms
from tracepact.measures.policy import MetricSettings
from tracepact.thresholds.clauses import event_steps, frame_steps
from tracepact.thresholds.family import FieldFamily
from tracepact.thresholds.metrics import LevelRuns, collar_counts, frame_counts, level_runs, segment_counts
from tracepact.thresholds.psds import Criteria, Intersections, intersections
from tracepact.thresholds.steps import UNIT, CountSteps, MetricSteps, Values, Whole, clause_values, combined, counts_of

# Precision, recall, F1 and error rate over every threshold.

ERROR_RATE = "error_rate"
_SUMS = {
    "precision": ((1, 0, 0), (1, 1, 0)),
    "recall": ((1, 0, 0), (1, 0, 1)),
    "f1": ((2, 0, 0), (2, 1, 1)),
    ERROR_RATE: ((0, 1, 1), (1, 0, 1)),
}
"""The rates (rule 15.2): how often true positives, false positives and false negatives count in top and bottom."""
_RATES = ("precision", "recall", "f1", "macro_precision", "macro_recall", "macro_f1", ERROR_RATE)


@dataclass(frozen=True, slots=True)
class MetricRate:
    """The rate of a metric: a quotient of counts, or the mean of those of the classes.

    `spares` says that a substitution, which is a miss and a false alarm, counts once in the top.
    """

    metric: str
    top: tuple[int, int, int]
    bottom: tuple[int, int, int]
    macro: bool
    spares: bool

    @classmethod
    def of(cls, name: str) -> "MetricRate":
        """The rate of a name such as `event_macro_f1`."""
        metric, _, rate = name.partition("_")
        return cls(metric, *_SUMS[rate.removeprefix("macro_")], rate.startswith("macro_"), rate == ERROR_RATE)

    def values(self, tallies: CountSteps, spared: CountSteps | None = None) -> Values:
        """The rate at every cut; `spared` counts substitutions, None for criteria that know none."""
        if self.macro:  # over the classes for which it is defined
            grouped = tallies.grouped(clips=True, classes=False)
            alone = replace(self, macro=False)
            return defined_mean([alone.values(grouped.label(label)) for label in range(grouped.shape[0])])
        cuts, counts = tallies.running()
        top, bottom = np.asarray(self.top) @ counts, np.asarray(self.bottom) @ counts
        if not self.spares or spared is None:
            return quotient(cuts, top, bottom)
        others, swapped = spared.running()
        both = np.union1d(cuts, others)
        here, there = (np.searchsorted(line, both, side="right") - 1 for line in (cuts, others))
        return quotient(both, top[here] - swapped[0][there], bottom[here])


def quotient(cuts: Whole, top: Whole, bottom: Whole) -> Values:
    """The quotient of two counts from each cut on; undefined where the bottom is 0."""
    defined = bottom > 0
    near = np.rint(top / np.where(defined, bottom, 1) * UNIT).astype(np.int64)

    def exactly(at: Whole) -> list[Fraction | None]:
        places = np.searchsorted(cuts, at, side="right") - 1
        pairs = zip(top[places].tolist(), bottom[places].tolist(), strict=True)
        return [Fraction(a, b) if b else None for a, b in pairs]

    # An error rate may exceed 1: a float is off by one part in 2⁵³ of it.
    error = 2 + (int(near.max(initial=0)) >> 50)
    return Values(cuts, near, defined, error, exactly)


def defined_mean(parts: Sequence[Values]) -> Values:
    """The mean of the parts that are defined."""
    cuts = np.unique(np.concatenate([values.cuts for values in parts]))
    total, number = np.zeros(len(cuts), dtype=np.int64), np.zeros(len(cuts), dtype=np.int64)
    for values in parts:
        place = np.searchsorted(values.cuts, cuts, side="right") - 1
        total += np.where(values.earned[place], values.near[place], 0)
        number += values.earned[place]

    def exactly(at: Whole) -> list[Fraction | None]:
        found: list[Fraction | None] = []
        for row in zip(*(values.exactly(at) for values in parts), strict=True):
            known = [value for value in row if value is not None]
            found.append(sum(known, Fraction(0)) / len(known) if known else None)
        return found

    error = max(values.error for values in parts) + 1
    return Values(cuts, total // np.maximum(number, 1), number > 0, error, exactly)


# Counts of some clips over every threshold that can be added to those of others: curves in batches (rule 24.16).
#
# Every part has scores of its own. Their cuts mean the same on the scores of both: the cut just above a score stays
# just above it. Counts that are only ever added over clips are added at once; what becomes a mean over clips stays
# by clip.


@dataclass(frozen=True, slots=True, eq=False)
class CurveSums:
    """What is counted of some clips at every threshold.

    Attributes:
        classes: the classes of the whole.
        levels: the distinct scores of these clips.
        places: the numbers of these clips in the whole, ascending.
        seconds: how long they are together.
        by_clip: the clauses whose counts stay by clip, in the order of `places`; all other counts are of all clips.
        clauses: the counts of clauses.
        metrics: the counts of metrics.
        crossed: the counts by intersections of each criteria that were asked for.
    """

    classes: tuple[str, ...]
    levels: ScoreLevels
    places: Whole
    seconds: Fraction
    by_clip: frozenset[str]
    clauses: Mapping[str, CountSteps]
    metrics: Mapping[str, MetricSteps]
    crossed: Mapping[Criteria, Intersections]

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of classes and clips."""
        return len(self.classes), len(self.places)

    def __add__(self, other: "CurveSums") -> "CurveSums":
        levels, ranks = join_levels([self.levels, other.levels])
        order = np.argsort(np.concatenate([self.places, other.places]), kind="stable")

        def added(a: CountSteps, b: CountSteps, name: str = "") -> CountSteps:
            moved = _on_ranks(a, ranks[0]), _on_ranks(b, ranks[1])
            return _side_by_side(*moved, order) if name in self.by_clip else _summed(*moved)

        def if_there(a: CountSteps | None, b: CountSteps | None) -> CountSteps | None:
            return None if a is None or b is None else added(a, b)

        def both(a: MetricSteps, b: MetricSteps) -> MetricSteps:
            return MetricSteps(added(a.tallies, b.tallies), if_there(a.substitutions, b.substitutions))

        def crossings(a: Intersections, b: Intersections) -> Intersections:
            lengths, references = zip(a.lengths, b.lengths, strict=True), zip(a.references, b.references, strict=True)
            return Intersections(
                added(a.tallies, b.tallies),
                if_there(a.triggers, b.triggers),
                tuple(one + two for one, two in lengths),
                tuple(one + two for one, two in references),
            )

        return CurveSums(
            self.classes,
            levels,
            np.concatenate([self.places, other.places])[order],
            self.seconds + other.seconds,
            self.by_clip,
            {name: added(steps, other.clauses[name], name) for name, steps in self.clauses.items()},
            {name: both(steps, other.metrics[name]) for name, steps in self.metrics.items()},
            {criteria: crossings(some, other.crossed[criteria]) for criteria, some in self.crossed.items()},
        )


def _on_ranks(steps: CountSteps, ranks: Ranks) -> CountSteps:
    """The same counts where each score has another rank; a cut above no score is in no change."""
    return CountSteps(steps.shape, steps.base, ranks[steps.cut - 1] + 1, steps.entry, steps.change)


def _summed(a: CountSteps, b: CountSteps) -> CountSteps:
    """The counts of both added; where all that changes cancels there is still a piece, as in the whole."""
    columns = ((a.cut, b.cut), (a.entry, b.entry), (a.change, b.change))
    cut, entry, change = (np.concatenate(pair, axis=-1) for pair in columns)
    return CountSteps(a.shape, a.base + b.base, cut, entry, change).netted(cancelled=True)


def _side_by_side(a: CountSteps, b: CountSteps, order: Whole) -> CountSteps:
    """The counts of the clips of both, in an order of all."""
    classes, number = a.shape[0], a.shape[1] + b.shape[1]
    place = np.argsort(order)
    base = np.concatenate([some.base.reshape(len(some.base), *some.shape) for some in (a, b)], axis=2)[:, :, order]
    entries = []
    for some, first in ((a, 0), (b, a.shape[1])):
        label, clip = np.divmod(some.entry, max(some.shape[1], 1))
        entries.append(label * number + place[clip + first])
    columns = ((a.cut, b.cut), tuple(entries), (a.change, b.change))
    cut, entry, change = (np.concatenate(pair, axis=-1) for pair in columns)
    return CountSteps((classes, number), base.reshape(len(base), -1), cut, entry, change).netted(cancelled=True)


def of_all_clips(steps: CountSteps) -> CountSteps:
    """The counts of all clips added, one change for each class and cut."""
    return steps.grouped(clips=True, classes=False).netted(cancelled=True)


def crossed_in_all_clips(crossings: Intersections) -> Intersections:
    """The same, of counts by intersections."""
    triggers = None if crossings.triggers is None else of_all_clips(crossings.triggers)
    return Intersections(of_all_clips(crossings.tallies), triggers, crossings.lengths, crossings.references)


# Everything that has a curve over the threshold, by name: clauses, profiles, their mean, and the rates of metrics.

METRICS = ("frame", "segment", "event", "intersection")
MEAN = "mean"
"""The mean of the vector; a clause or a profile of that name comes first."""
Advance = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class CurveSettings:
    """The policies of the metrics over every threshold.

    Attributes:
        metrics: collar, segment length and so on (chapter 15).
        intersection: the intersection criteria of precision, recall and F1 (rule 20.3).
    """

    metrics: MetricSettings = field(default_factory=MetricSettings)
    intersection: Criteria = field(default_factory=lambda: Criteria(Fraction(1, 2), Fraction(1, 2)))


class Quantities:
    """The counts behind every curve of a contract on a field, found when they are first asked for, and the curves."""

    def __init__(
        self,
        contract: Contract,
        counted: FieldFamily | CurveSums,
        settings: CurveSettings | None = None,
        advance: Advance = lambda done, of, what: None,
    ) -> None:
        self.contract, self.given = contract, counted
        self.settings = settings or CurveSettings()
        self._advance = advance
        summed = counted if isinstance(counted, CurveSums) else None
        self._clauses: dict[str, CountSteps] = {} if summed is None else dict(summed.clauses)
        self._metrics: dict[str, MetricSteps] = {} if summed is None else dict(summed.metrics)
        self._crossed: dict[Criteria, Intersections] = {} if summed is None else dict(summed.crossed)
        self._runs: LevelRuns | None = None

    @property
    def family(self) -> FieldFamily:
        """The family that is counted; sums of batches have no family, only the counts that were asked for."""
        if isinstance(self.given, CurveSums):
            raise LookupError("this was not counted in the batches")
        return self.given

    @property
    def runs(self) -> LevelRuns:
        """Every run that some threshold gives."""
        if self._runs is None:
            self._advance(0, 1, "runs of all thresholds")
            times = (self.settings.metrics.event.collar, self.settings.metrics.segment)
            self._runs = level_runs(self.family, times)
        return self._runs

    def steps(self, clause: str) -> CountSteps:
        """The counts of a clause."""
        if clause not in self._clauses:
            frames = any(c.name == clause for c in self.contract.frame_clauses)
            if frames:
                advance = self._told("frame clauses")
                self._clauses |= frame_steps(self.contract.frame_clauses, self.family, advance)
            else:
                self._clauses |= event_steps(self.contract, self.family, self._told("event clauses"))
        return self._clauses[clause]

    def metric(self, name: str) -> MetricSteps:
        """The counts of a metric."""
        if name not in self._metrics:
            self._advance(0, 1, f"{name} metric")
            self._metrics[name] = self._measured(name)
        return self._metrics[name]

    def _measured(self, name: str) -> MetricSteps:
        settings = self.settings.metrics
        match name:
            case "frame":
                return frame_counts(self.family)
            case "segment":
                return segment_counts(self.family, settings.segment)
            case "event":
                return collar_counts(self.family, settings.event, self.runs)
            case _:
                return MetricSteps(self.crossed(self.settings.intersection).tallies, None)

    def crossed(self, criteria: Criteria) -> Intersections:
        """The counts by intersections under some criteria; those of the metric and of PSDS."""
        if criteria not in self._crossed:
            self._crossed[criteria] = intersections(self.family, criteria, self.runs)
        return self._crossed[criteria]

    def sums(self, places: Whole, metrics: Sequence[str], criteria: Sequence[Criteria]) -> CurveSums:
        """The counts of all clauses, of metrics and under criteria, to be added to those of other clips."""
        clauses = {clause.name: self.steps(clause.name) for clause in self.contract.clauses}
        by_clip = frozenset(name for name in clauses if _means_over_clips(self.contract, name))
        measured = {name: self.metric(name) for name in metrics}
        return CurveSums(
            self.given.classes,
            join_levels([self.given.levels])[0],
            places,
            self.given.seconds,
            by_clip,
            {
                name: steps.netted(cancelled=True) if name in by_clip else of_all_clips(steps)
                for name, steps in clauses.items()
            },
            {
                name: MetricSteps(of_all_clips(some.tallies), some.substitutions and of_all_clips(some.substitutions))
                for name, some in measured.items()
            },
            {how: crossed_in_all_clips(self.crossed(how)) for how in criteria},
        )

    def _told(self, what: str) -> Callable[[int, int], None]:
        return lambda done, of: self._advance(done, of, what)

    def values(
        self,
        name: str,
        aggregation: Aggregation | None = None,
        *,
        label: int | None = None,
        clips: Whole | None = None,
    ) -> Values:
        """The curve of a quantity: of all, or of one class; over all clips, or some.

        A clause or the mean is under the contract's aggregation, a profile under its own, unless another is named.
        """
        parts = weights_of(self.contract, name)
        if parts is None:
            return self._rate(name, label, clips)
        chosen = self.aggregation(name, aggregation)
        curves = [(weight, clause_values(_some(self.steps(c), label, clips), chosen)) for c, weight in parts]
        return curves[0][1] if len(curves) == 1 else combined(curves)

    def aggregation(self, name: str, named: Aggregation | None = None) -> Aggregation:
        """The aggregation of a clause, a profile or the mean: the one that is named, or its own."""
        profiles = {profile.name: profile.aggregation for profile in self.contract.profiles}
        return named or profiles.get(name, self.contract.aggregation)

    def replaced(self, clauses: Mapping[str, CountSteps], tallies: Mapping[str, CountSteps]) -> "Quantities":
        """The same quantities of other counts; metrics then know no substitutions."""
        found = Quantities(self.contract, self.given, self.settings)
        found._clauses = dict(clauses)
        found._metrics = {name: MetricSteps(steps, None) for name, steps in tallies.items()}
        return found

    def _rate(self, name: str, label: int | None, clips: Whole | None) -> Values:
        rate = MetricRate.of(name)
        counts = self.metric(rate.metric)
        # A substitution is an error of two classes: of one class alone its miss and its false alarm are two.
        swapped = counts.substitutions if label is None else None
        return rate.values(
            _some(counts.tallies, label, clips), None if swapped is None else _some(swapped, None, clips)
        )


def _means_over_clips(contract: Contract, clause: str) -> bool:
    """Whether some quantity takes a mean over clips of a clause, so that sums over clips do not give it."""
    own = [profile.aggregation for profile in contract.profiles if clause in dict(profile.weights)]
    return any(not aggregation.steps.adds_clips for aggregation in (contract.aggregation, *own))


def depends_on_other_classes(contract: Contract, name: str) -> bool:
    """Whether a quantity of one class moves with the thresholds of others (rule 19.6)."""
    parts = {clause for clause, _ in weights_of(contract, name) or ()}
    clauses = [c for c in contract.frame_clauses if c.name in parts]
    return any("other_pred_active" in atoms(f) for c in clauses for f in (c.obligation, c.formula))


def weights_of(contract: Contract, name: str) -> list[tuple[str, Fraction]] | None:
    """The clauses of a contract that a quantity is the weighted mean of; None for the rate of a metric."""
    for profile in contract.profiles:
        if profile.name == name:
            return list(profile.weights)
    names = [clause.name for clause in contract.clauses]
    if name in names:
        return [(name, Fraction(1))]
    return [(clause, Fraction(1)) for clause in names] if name == MEAN else None


def quantity_names(contract: Contract) -> Iterator[str]:
    """The names of all quantities: clauses, profiles, `mean`, and the rates of metrics such as `event_f1`."""
    yield from (clause.name for clause in contract.clauses)
    yield from (profile.name for profile in contract.profiles)
    yield MEAN
    yield from (f"{metric}_{rate}" for metric in METRICS for rate in _RATES)


def is_least_best(name: str) -> bool:
    """Whether less is better of a quantity."""
    return name.endswith(ERROR_RATE)


def _some(steps: CountSteps, label: int | None, clips: Whole | None) -> CountSteps:
    chosen = steps if label is None else steps.label(label)
    return chosen if clips is None else chosen.select(clips)


# The counts of one decoding, whatever it is for each class and clip, and the exact values they give.


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """The counts of clauses and metrics by name, counts × classes × clips; substitutions of metrics by clip."""

    parts: Mapping[str, Whole]
    swapped: Mapping[str, Whole]

    def value(
        self, quantities: Quantities, name: str, aggregation: Aggregation | None = None, label: int | None = None
    ) -> Fraction | None:
        """The value of a quantity, of all classes or of one; None where it is undefined."""
        rows = slice(None) if label is None else slice(label, label + 1)
        weights = weights_of(quantities.contract, name)
        if weights is None:
            return self._rate(name, rows)
        chosen = quantities.aggregation(name, aggregation)
        total = sum((weight for _, weight in weights), Fraction(0))
        scores = (weight * aggregate(counts_of(self.parts[c][:, rows]), chosen).value for c, weight in weights)
        return sum(scores, Fraction(0)) / total

    def some(self, clips: Whole) -> "Counted":
        """The counts of some clips."""
        parts = {name: counts[:, :, clips] for name, counts in self.parts.items()}
        return Counted(parts, {name: counts[clips] for name, counts in self.swapped.items()})

    def _rate(self, name: str, rows: slice) -> Fraction | None:
        rate = MetricRate.of(name)
        tallies = self.parts[rate.metric][:, rows].sum(axis=2)
        groups = tallies.T if rate.macro else tallies.sum(axis=1)[None, :]
        swapped = self.swapped.get(rate.metric) if rate.spares and rows == slice(None) else None
        spared = 0 if swapped is None else int(swapped.sum())
        pairs = [(int(row @ np.asarray(rate.top)) - spared, int(row @ np.asarray(rate.bottom))) for row in groups]
        shares = [Fraction(a, b) for a, b in pairs if b]
        return sum(shares, Fraction(0)) / len(shares) if shares else None


def parts_of(contract: Contract, names: list[str]) -> tuple[list[str], list[str]]:
    """The clauses and the metrics that quantities are made of."""
    clauses: dict[str, None] = {}
    metrics: dict[str, None] = {}
    for name in names:
        weights = weights_of(contract, name)
        if weights is None:
            metrics[name.partition("_")[0]] = None
        else:
            clauses |= dict.fromkeys(clause for clause, _ in weights)
    return list(clauses), list(metrics)


def counted_at(quantities: Quantities, names: list[str], cuts: list[int]) -> Counted:
    """The counts that quantities need, each class at its own cut.

    Substitutions belong to no class: they are counted where all classes have one cut.
    """
    clauses, metrics = parts_of(quantities.contract, names)
    steps = {c: quantities.steps(c) for c in clauses} | {m: quantities.metric(m).tallies for m in metrics}
    parts = {
        name: np.concatenate([found.label(k).at(cut) for k, cut in enumerate(cuts)], axis=1)
        for name, found in steps.items()
    }
    swapped = {}
    for metric in metrics if len(set(cuts)) == 1 else ():
        if (found := quantities.metric(metric).substitutions) is not None:
            swapped[metric] = found.at(cuts[0])[0, 0]
    return Counted(parts, swapped)


def by_folds(parts: list[tuple[Whole, Counted]]) -> Counted:
    """The counts of all clips, those of some clips out of each part."""
    first = parts[0][1]
    parts_of_all = {name: np.zeros_like(counts) for name, counts in first.parts.items()}
    swapped = {name: np.zeros_like(counts) for name, counts in first.swapped.items()}
    for clips, counted in parts:
        for name, counts in counted.parts.items():
            parts_of_all[name][:, :, clips] = counts[:, :, clips]
        for name in swapped:
            swapped[name][clips] = counted.swapped[name][clips]
    return Counted(parts_of_all, swapped)
