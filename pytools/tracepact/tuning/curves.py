"""Every curve of a contract on a score field: values at any threshold, best thresholds, PSDS, and all as a record."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Literal, Protocol

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from tracepact.data.events import Time, exact
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Diagnostic, did_you_mean
from tracepact.engines import Engine, EngineProgress
from tracepact.evaluate.draws import ClipParts
from tracepact.evaluate.uncertainty import Bootstrap
from tracepact.measures.records import MetricValue
from tracepact.runs.report_parts import offered
from tracepact.show.figures import DenseCurve, dense_chart
from tracepact.thresholds.cuts import Goal, choose_jointly, cut_range, short_threshold, threshold_range
from tracepact.thresholds.psds import SCENARIOS, Psds, PsdsResult, average_precision, psds_of
from tracepact.thresholds.quantities import (
    MEAN,
    METRICS,
    CurveSums,
    Quantities,
    depends_on_other_classes,
    is_least_best,
    quantity_names,
    weights_of,
)
from tracepact.thresholds.steps import Best, Values, Whole, best
from tracepact.tuning.records import (
    AveragePrecision,
    BestThreshold,
    ClassBest,
    ClassValue,
    CurvePoint,
    CurvesRecord,
    Ends,
    OnStep,
    PsdsRecord,
    QuantityCurve,
    QuantityPoint,
    RocStep,
    clip_counts,
    intervals_at,
    optional,
)
from tracepact.wording import UNDEFINED, count, decimal, quoted

RATES = ("f1", "macro_f1", "precision", "recall", "error_rate")
POINTS = 100
_HALF = Fraction(1, 2)
_ALL_AT_ONCE = "leave out the engine and the memory"
Floats = NDArray[np.float64]


class Curves:
    """What `curves` returns: everything that has a curve over the threshold, exact at every threshold.

    Attributes:
        contract: the contract.
        classes: the classes, in order (rule 19.3).
        diagnostics: the warnings; errors raise InvalidInput.

    Examples:
        >>> import numpy as np
        >>> import tracepact
        >>> scores = np.array([[0.1], [0.9], [0.8], [0.3]])
        >>> field = tracepact.score_field({"a": scores}, classes=["dog"], step="0.5")
        >>> found = tracepact.curves("boundary_gate", {"a": [(0.5, 1.5, "dog")]}, field)
        >>> [found.value("missing_guard", threshold) for threshold in (0.2, 0.8, 0.9)]
        [Fraction(1, 1), Fraction(27, 50), Fraction(0, 1)]
        >>> best = found.best("mean")
        >>> best.value.value, best.low, best.high
        (Fraction(1, 1), Fraction(3, 10), Fraction(4, 5))
    """

    def __init__(
        self,
        quantities: Quantities,
        median: int,
        diagnostics: Sequence[Diagnostic],
        advance: OnStep,
        counting: "Counting | None" = None,
    ) -> None:
        self._counting = counting or _AtOnce(quantities)
        self.contract = quantities.contract
        self._median = median
        self._quantities = quantities
        self._levels = quantities.given.levels
        self._range = cut_range(self._levels)
        self._advance = advance
        self._scored: dict[Psds, PsdsResult] = {}
        self.classes = quantities.given.classes
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)

    def __repr__(self) -> str:
        clips = count(self._quantities.given.shape[1], "clip")
        scores = count(len(self._levels), "distinct score")
        return f"<Curves of {self.contract.name}: {clips}, {count(len(self.classes), 'class', 'classes')}, {scores}>"

    @property
    def names(self) -> list[str]:
        """Everything that has a curve: clauses, profiles, `mean`, and rates of metrics such as `event_f1`."""
        return list(quantity_names(self.contract))

    def value(self, name: str, threshold: Time, label: str | None = None) -> Fraction | None:
        """The exact value of a quantity at a threshold.

        Args:
            name: one of `names`.
            threshold: from 0 to 1; a frame is active if its score is greater, an event kept if its confidence is.
            label: a class, whose own counts are taken; by default all classes, with a common threshold.

        Returns:
            The value; None where a quotient is undefined.

        Raises:
            InvalidInput: there is no such quantity or class.
        """
        return self._values(name, label).at(self._levels.above(exact(threshold)))

    def best(self, name: str, label: str | None = None) -> BestThreshold | None:
        """The best threshold of a quantity, common or of one class.

        Args:
            name: one of `names`.
            label: a class, whose own counts are taken; by default all classes, with a common threshold.

        Returns:
            The best value and the longest stretch of thresholds that has it; None if nothing is ever asked.

        Raises:
            InvalidInput: there is no such quantity or class.
        """
        return self._place(self._best(self._values(name, label), name))

    def line(self, name: str) -> tuple[Floats, Floats]:
        """The whole curve of a quantity for drawing, with a common threshold.

        Args:
            name: one of `names`.

        Returns:
            The threshold from which each piece holds, ascending from 0, and its value, as floats; NaN where nothing is
            asked or the value is undefined.

        Raises:
            InvalidInput: there is no such quantity.
        """
        values = self._values(name).within(*self._range)
        thresholds = np.append(0.0, np.clip(self._levels.floats, 0, 1))
        return thresholds[values.cuts], values.floats()

    def psds(self, how: Psds | str) -> PsdsResult:
        """The PSDS over all thresholds (rule 20.5).

        Args:
            how: a scenario by name, `psds1` or `psds2`, or settings of one's own.

        Returns:
            The score, its ROC, and those of each class.

        Raises:
            InvalidInput: there is no such scenario; or, of curves in batches, its criteria were not counted.
        """
        if isinstance(how, str) and how not in SCENARIOS:
            headline = f"there is no scenario `{how}` of PSDS"
            raise InvalidInput(
                [Diagnostic("unknown-quantity", headline, help=f"known here: {quoted(list(SCENARIOS))}")]
            )
        chosen = SCENARIOS[how] if isinstance(how, str) else how
        given = self._quantities.given
        if isinstance(given, CurveSums) and chosen.criteria not in given.crossed:
            headline = "batches count the scenarios `psds1` and `psds2` alone"
            raise InvalidInput([Diagnostic("not-in-batches", headline, None, _ALL_AT_ONCE)])
        if chosen not in self._scored:
            counted = self._quantities.crossed(chosen.criteria)
            self._scored[chosen] = psds_of(counted, self.classes, given.seconds, chosen)
        return self._scored[chosen]

    def record(
        self, names: Sequence[str] | None = None, *, points: int = POINTS, bootstrap: Bootstrap | None = None
    ) -> CurvesRecord:
        """Everything as a record, as `tracepact curves --format json` prints it.

        Args:
            names: the quantities; by default clauses, profiles, `mean`, and five rates of each metric.
            points: the most points of each curve to list; 0 lists all.
            bootstrap: how clips are drawn for intervals; None gives none.

        Returns:
            The record.
        """
        chosen = list(names or self._usual())
        given = self._quantities.given
        ends = {} if bootstrap is None else self._intervals(chosen, bootstrap)
        quantities = []
        for place, name in enumerate(chosen):
            self._advance(place, len(chosen), name)
            quantities.append(self._curve(name, points, ends))
        return CurvesRecord(
            "tracepact-curves/1",
            self.contract.name,
            self.contract.digest,
            self.contract.aggregation,
            self._median,
            given.shape[1],
            self.classes,
            len(self._levels),
            tuple(quantities),
            tuple(self._average_precision(metric) for metric in METRICS),
            tuple(self._psds(name, points) for name in SCENARIOS),
        )

    def _usual(self) -> Iterator[str]:
        yield from (clause.name for clause in self.contract.clauses)
        yield from (profile.name for profile in self.contract.profiles)
        yield MEAN
        yield from (f"{metric}_{rate}" for metric in METRICS for rate in RATES)

    def _values(self, name: str, label: str | None = None) -> Values:
        faults = Diagnostics()
        if name not in self.names:
            faults.add("unknown-quantity", f"nothing is called `{name}`", help=offered(name, self.names))
        if label is not None and label not in self.classes:
            faults.add("unknown-label", f"there is no class `{label}`", help=did_you_mean(label, self.classes))
        faults.raise_errors()
        return self._quantities.values(name, label=None if label is None else self.classes.index(label))

    def _best(self, values: Values, name: str) -> Best | None:
        low, high = self._range
        return best(values.within(low, high), high, least=is_least_best(name))

    def _place(self, top: Best | None) -> BestThreshold | None:
        """The longest stretch of thresholds that has a best value, of equals the lowest, and a short one in it."""
        if top is None:
            return None
        ranges = [threshold_range(self._levels, *stretch) for stretch in top.stretches]
        low, high = max(ranges, key=lambda ends: (ends[1] - ends[0], -ends[0]))
        threshold = short_threshold(low, high)
        return BestThreshold(MetricValue.of(top.value), low, high, threshold, len(top.stretches), None)

    def _intervals(self, names: Sequence[str], bootstrap: Bootstrap) -> Mapping[QuantityPoint, Ends]:
        """The intervals at the best thresholds of quantities, common and of each class."""
        points: dict[QuantityPoint, None] = {}
        for place, name in enumerate(names):
            self._advance(place, len(names), f"best threshold of {name}")
            for label in (None, *self._labels(name)):
                top = self._place(self._best(self._quantities.values(name, label=label), name))
                if top is not None:
                    points[QuantityPoint(name, label, top.threshold)] = None
        self._advance(0, 1, "drawing clips")
        counting = self._counting
        parts = counting.counted(list(points))
        return intervals_at(self._quantities, list(points), parts, bootstrap, counting.engine, counting.progress)

    def _labels(self, name: str) -> range:
        """The classes that have a best threshold of their own."""
        return range(0 if depends_on_other_classes(self.contract, name) else len(self.classes))

    def _curve(self, name: str, points: int, ends: Mapping[QuantityPoint, Ends]) -> QuantityCurve:
        values = self._quantities.values(name)
        inside = values.within(*self._range)
        classes = None
        if not depends_on_other_classes(self.contract, name):
            classes = tuple(
                ClassBest(label, self._placed(name, self._quantities.values(name, label=k), k, ends))
                for k, label in enumerate(self.classes)
            )
        half = self._levels.above(_HALF)
        return QuantityCurve(
            name,
            self._kind(name),
            len(inside.cuts),
            self._placed(name, values, None, ends),
            optional(values.at(half)) if values.earned[values.index(half)] else None,
            classes,
            None if classes is None else optional(self._own(name)),
            tuple(self._points(name, inside, points)),
        )

    def _kind(self, name: str) -> Literal["clause", "profile", "mean", "metric"]:
        if name == MEAN:
            return "mean"
        if any(profile.name == name for profile in self.contract.profiles):
            return "profile"
        return "metric" if weights_of(self.contract, name) is None else "clause"

    def _placed(
        self, name: str, values: Values, label: int | None, ends: Mapping[QuantityPoint, Ends]
    ) -> BestThreshold | None:
        top = self._place(self._best(values, name))
        return top and replace(top, interval=ends.get(QuantityPoint(name, label, top.threshold)))

    def _points(self, name: str, values: Values, most: int) -> Iterator[CurvePoint]:
        places = _some(len(values.cuts), most)
        cuts = values.cuts[places]
        clause = self._kind(name) == "clause"
        counts = self._totals(name, cuts) if clause else [(None, None)] * len(cuts)
        exactly = values.exactly(cuts)
        for place, cut, value, (satisfied, obligated) in zip(places, cuts.tolist(), exactly, counts, strict=True):
            low, _ = threshold_range(self._levels, cut, cut)
            yield CurvePoint(low, optional(value) if values.earned[place] else None, satisfied, obligated)

    def _totals(self, clause: str, cuts: Whole) -> list[tuple[int | None, int | None]]:
        line, counts = self._quantities.steps(clause).running()
        at = np.searchsorted(line, cuts, side="right") - 1
        return list(zip(counts[0][at].tolist(), counts[1][at].tolist(), strict=True))

    def _own(self, name: str) -> Fraction | None:
        """The value with a threshold for each class, chosen together; of rates for F1 only."""
        if weights_of(self.contract, name) is None and not name.endswith("f1"):
            return None
        found = choose_jointly({1: self._quantities}, Goal(name))
        return None if found is None else found.choice.found.value

    def _average_precision(self, metric: str) -> AveragePrecision:
        tallies = self._quantities.metric(metric).tallies
        found = {name: average_precision(tallies.label(k)) for k, name in enumerate(self.classes)}
        known = [value for value in found.values() if value is not None]
        mean = sum(known, Fraction(0)) / len(known) if known else None
        classes = tuple(ClassValue(name, optional(value)) for name, value in found.items())
        return AveragePrecision(metric, optional(mean), classes)

    def _psds(self, name: str, most: int) -> PsdsRecord:
        how, found = SCENARIOS[name], self.psds(name)
        steps = [found.roc[place] for place in _some(len(found.roc), most)]
        return PsdsRecord(
            name,
            how.criteria.dtc,
            how.criteria.gtc,
            how.criteria.cttc,
            how.alpha_ct,
            how.alpha_st,
            how.e_max,
            optional(found.value),
            tuple(ClassValue(label, optional(value)) for label, value in found.classes.items()),
            tuple(RocStep(rate, MetricValue.of(share)) for rate, share in steps),
        )


class Counting(Protocol):
    """How clips are counted at thresholds, for draws of them, which engine draws, and who is told how far it is."""

    engine: Engine
    progress: EngineProgress | None

    def counted(self, points: Sequence[QuantityPoint]) -> ClipParts:
        """The columns that draws need of every clip."""


class _AtOnce:
    """Counts all clips at once, here."""

    progress = None

    def __init__(self, quantities: Quantities) -> None:
        self.engine, self._quantities = Engine(), quantities

    def counted(self, points: Sequence[QuantityPoint]) -> ClipParts:
        """The columns that draws need of every clip."""
        return clip_counts(self._quantities, points, np.arange(self._quantities.given.shape[1]))


def _some(number: int, most: int) -> Whole:
    """Evenly spaced places of a line with both ends, at most a given number; all for 0."""
    if not most or number <= most:
        return np.arange(number)
    # Both ends stay, so that a drawn curve begins and ends where the exact one does.
    return np.unique(np.linspace(0, number - 1, most).round().astype(np.int64))


# Figures of curves: every piece of the step functions, whatever is listed of them (rule 20.15).


def all_figures(record: CurvesRecord, curves: Curves, against: str) -> dict[str, str]:
    """All figures by name; that against a clause only if the clause is shown."""
    figures = {
        "guards": guards_figure(record, curves),
        "metrics": metrics_figure(record, curves),
        "roc": roc_figure(record, curves),
    }
    if any(quantity.name == against for quantity in record.quantities):
        figures["against"] = against_figure(record, curves, against)
    return figures


def guards_figure(record: CurvesRecord, exact: Curves) -> str:
    """The score of every clause over the threshold."""
    curves = [_by_threshold(quantity, exact) for quantity in _clauses(record)]
    title = f"Clauses by threshold ({record.aggregation.value}; ● best)"
    return dense_chart(title, curves, x="threshold", y="score", x_range=(0, 1))


def metrics_figure(record: CurvesRecord, exact: Curves) -> str:
    """The F1 of every metric over the threshold."""
    shown = [q for q in record.quantities if q.kind == "metric" and q.name.endswith("_f1") and "macro" not in q.name]
    curves = [_by_threshold(quantity, exact) for quantity in shown]
    return dense_chart("F1 by threshold", curves, x="threshold", y="F1", x_range=(0, 1))


def against_figure(record: CurvesRecord, exact: Curves, name: str) -> str:
    """Every other clause against one, as the threshold moves."""
    others = [quantity.name for quantity in _clauses(record) if quantity.name != name]
    curves = [_against(name, other, exact) for other in others]
    title = f"Clauses against {name}, over all thresholds"
    notes = ["Points are joined in the order of the threshold, from 0 to 1."]
    return dense_chart(title, curves, x=name, y="score", notes=notes)


def roc_figure(record: CurvesRecord, exact: Curves) -> str:
    """The PSD ROC of both scenarios."""
    curves = []
    for scenario in record.psds:
        steps = exact.psds(scenario.name).roc
        rates, shares = (np.array([float(step[k]) for step in steps]) for k in (0, 1))
        value = UNDEFINED if scenario.value is None else decimal(scenario.value.shown)
        curves.append(DenseCurve(f"{scenario.name} {value}", *_stairs(rates, shares, float(scenario.e_max))))
    ends = (0, max((scenario.e_max for scenario in record.psds), default=1))
    x, y = "effective false positives an hour", "effective share found"
    return dense_chart("PSD ROC", curves, x=x, y=y, x_range=ends)


def _clauses(record: CurvesRecord) -> list[QuantityCurve]:
    return [quantity for quantity in record.quantities if quantity.kind == "clause"]


def _by_threshold(quantity: QuantityCurve, curves: Curves) -> DenseCurve:
    """The stairs of a quantity, with its best threshold as one of their points."""
    x, y = curves.line(quantity.name)
    best = quantity.best
    if best is None or best.value.shown is None:
        return DenseCurve(quantity.name, *_stairs(x, y, 1.0))
    mark = (float(best.threshold), float(best.value.shown))
    place = np.searchsorted(x, mark[0], side="right")
    stairs = _stairs(np.insert(x, place, mark[0]), np.insert(y, place, mark[1]), 1.0)
    return DenseCurve(quantity.name, *stairs, [mark])


def _stairs(x: Floats, y: Floats, end: float) -> tuple[Floats, Floats]:
    """Each value from its place on, with a corner before the next; the last up to the end."""
    if not len(x):
        return x, y
    return np.append(np.repeat(x, 2)[1:], end), np.repeat(y, 2)


def _against(name: str, other: str, curves: Curves) -> DenseCurve:
    """The values of two clauses on all pieces of both, in the order of the threshold."""
    lines = [curves.line(name), curves.line(other)]
    thresholds = np.union1d(lines[0][0], lines[1][0])
    x, y = (values[np.searchsorted(begins, thresholds, side="right") - 1] for begins, values in lines)
    gap = np.isnan(x)
    return DenseCurve(other, np.where(gap, 0.0, x), np.where(gap, np.nan, y))
