"""Everything that has a curve over the threshold, by name: clauses, profiles, their mean, and the rates of metrics."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from tracepact.core import Aggregation, Contract, atoms
from tracepact.metrics import MetricSettings
from tracepact.thresholds.cells import frame_counts, segment_counts
from tracepact.thresholds.collar import collar_counts
from tracepact.thresholds.events import event_steps
from tracepact.thresholds.family import FieldFamily
from tracepact.thresholds.frames import frame_steps
from tracepact.thresholds.intersection import Criteria, Intersections, intersections
from tracepact.thresholds.rates import Rate, error_rate, macro_values, micro_values
from tracepact.thresholds.runs import LevelRuns, level_runs
from tracepact.thresholds.steps import MetricSteps, Steps, Whole
from tracepact.thresholds.sums import CurveSums, crossed_in_all_clips, of_all_clips
from tracepact.thresholds.values import Values, clause_values, combined
from tracepact.trace.levels import join_levels

METRICS = ("frame", "segment", "event", "intersection")
MEAN = "mean"
"""The mean of the vector; a clause or a profile of that name comes first."""
ERROR_RATE = "error_rate"
_RATES = (*(rate.value for rate in Rate), *(f"macro_{rate.value}" for rate in Rate), ERROR_RATE)
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


def _quiet(done: int, of: int, what: str) -> None:
    """Tell nobody."""


class Quantities:
    """The counts behind every curve of a contract on a field, found when they are first asked for, and the curves."""

    def __init__(
        self,
        contract: Contract,
        given: FieldFamily | CurveSums,
        settings: CurveSettings | None = None,
        advance: Advance = _quiet,
    ) -> None:
        self.contract, self.given = contract, given
        self.settings = settings or CurveSettings()
        self._advance = advance
        summed = given if isinstance(given, CurveSums) else None
        self._clauses: dict[str, Steps] = {} if summed is None else dict(summed.clauses)
        self._metrics: dict[str, MetricSteps] = {} if summed is None else dict(summed.metrics)
        self._crossed: dict[Criteria, Intersections] = {} if summed is None else dict(summed.crossed)
        self._runs: LevelRuns | None = None

    @property
    def names(self) -> Iterator[str]:
        """The names of all quantities: clauses, profiles, `mean`, and the rates of metrics such as `event_f1`."""
        return quantity_names(self.contract)

    @property
    def family(self) -> FieldFamily:
        """What the counts are made of; sums of batches have what was asked of them and nothing else."""
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

    def steps(self, clause: str) -> Steps:
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
                cells = frame_counts(self.family)
                return MetricSteps(cells.tallies, cells.substitutions)
            case "segment":
                cells = segment_counts(self.family, settings.segment)
                return MetricSteps(cells.tallies, cells.substitutions)
            case "event":
                events = collar_counts(self.family, settings.event, self.runs)
                return MetricSteps(events.tallies, events.substitutions)
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
        parts = self.weights(name)
        if parts is None:
            return self._rate(name, label, clips)
        chosen = self.aggregation(name, aggregation)
        curves = [(weight, clause_values(_some(self.steps(c), label, clips), chosen)) for c, weight in parts]
        return curves[0][1] if len(curves) == 1 else combined(curves)

    def aggregation(self, name: str, named: Aggregation | None = None) -> Aggregation:
        """The aggregation of a clause, a profile or the mean: the one that is named, or its own."""
        profiles = {profile.name: profile.aggregation for profile in self.contract.profiles}
        return named or profiles.get(name, self.contract.aggregation)

    def replaced(self, clauses: Mapping[str, Steps], tallies: Mapping[str, Steps]) -> "Quantities":
        """The same quantities of other counts; metrics then know no substitutions."""
        found = Quantities(self.contract, self.given, self.settings)
        found._clauses = dict(clauses)
        found._metrics = {name: MetricSteps(steps, None) for name, steps in tallies.items()}
        return found

    def weights(self, name: str) -> list[tuple[str, Fraction]] | None:
        """The clauses a quantity is the weighted mean of; None for the rate of a metric."""
        return weights_of(self.contract, name)

    def _rate(self, name: str, label: int | None, clips: Whole | None) -> Values:
        metric, _, rate = name.partition("_")
        counts = self.metric(metric)
        tallies = _some(counts.tallies, label, clips)
        if rate == ERROR_RATE:
            # A substitution is an error of two classes: of one class alone its miss and its false alarm are two.
            swapped = counts.substitutions if label is None else None
            return error_rate(tallies, None if swapped is None else _some(swapped, None, clips))
        if rate.startswith("macro_"):
            return macro_values(tallies, Rate(rate.removeprefix("macro_")))
        return micro_values(tallies, Rate(rate))

    def depends_on_other_classes(self, name: str) -> bool:
        """Whether the curve of one class moves with the thresholds of others (rule 19.6)."""
        return depends_on_other_classes(self.contract, name)


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


def _some(steps: Steps, label: int | None, clips: Whole | None) -> Steps:
    chosen = steps if label is None else steps.label(label)
    return chosen if clips is None else chosen.select(clips)
