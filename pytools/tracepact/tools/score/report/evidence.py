"""What a report shows beside a run's own data: intervals over clips and tolerance curves."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from tracepact.core import Aggregation
from tracepact.diagnostics import InvalidInput
from tracepact.metrics import MetricIntervals, compare_systems, intervals_record
from tracepact.metrics.record import AccuracyRecord, accuracy_records
from tracepact.scoring import MEAN, ScoreRows
from tracepact.scoring.steps import StepFunction
from tracepact.scoring.tolerance import Tolerance, curves, swept_parameters
from tracepact.scoring.uncertainty import USUAL, Interval, intervals
from tracepact.show.figure import Curve, curve_chart
from tracepact.tools.score.report.measured import measured
from tracepact.tools.score.scored import Scored


@dataclass(frozen=True, slots=True)
class Evidence:
    """The intervals of every clause and of `logic` by aggregation, and the curves of the swept parameters.

    `accuracies` and `metric_intervals` are those of the standard metrics.
    """

    intervals: Mapping[Aggregation, Mapping[str, Interval]]
    curves: tuple[Tolerance, ...]
    accuracies: tuple[AccuracyRecord, ...] = ()
    metric_intervals: MetricIntervals | None = None


def evidence(run: Scored) -> Evidence:
    """Intervals where there are clips to choose from; curves of the parameters that have one (rule 16.3)."""
    rows = ScoreRows.of(run.card)
    ranges = {a: intervals(rows, a) for a in Aggregation} if len(rows.clips) > 1 else {}
    found: list[Tolerance] = []
    for name in swept_parameters(run.card.contract):
        try:
            found.append(curves(run.card, name))
        except InvalidInput:
            continue  # the sweep's own points are in the report all the same
    metrics = measured(run)
    compared = intervals_record([run.prediction.name], compare_systems([metrics]), USUAL) if ranges else None
    return Evidence(ranges, tuple(found), accuracy_records(metrics), compared)


def tolerance_figure(tolerance: Tolerance) -> str:
    """The curves of the clauses that move and of the mean, with the contract's own value and sweep points marked."""
    unit = 1000 if tolerance.is_time else 1
    moving = {name: curve for name, curve in tolerance.clauses.items() if curve.span}
    lines = {**moving, MEAN: tolerance.logic}
    marks = [mark.value for mark in tolerance.marks]
    return curve_chart(
        f"Scores over {tolerance.parameter} ({tolerance.aggregation.words})",
        [
            Curve(name, _points(curve, unit), [(value * unit, curve.at(value)) for value in marks])
            for name, curve in lines.items()
        ],
        x=f"{tolerance.parameter} in ms" if tolerance.is_time else tolerance.parameter,
        y="score",
        steps=True,
        rules=[(mark.value * unit, f"{mark.text} (own)" if mark.own else mark.text) for mark in tolerance.marks],
    )


def _points(curve: StepFunction, unit: int) -> list[tuple[Fraction, Fraction]]:
    """The ends of the stretches of a step function; a stretch reaches back to the one before."""
    stretches = [(piece.high * unit, piece.value) for piece in curve.pieces() if piece.high > piece.low]
    return [(curve.low * unit, curve.values[0]), *stretches]
