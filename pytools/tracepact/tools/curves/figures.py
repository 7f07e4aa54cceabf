"""Figures of curves: every piece of the step functions, whatever is listed of them (rule 20.15)."""

import numpy as np

from tracepact.show.dense import DenseCurve, Floats, dense_chart
from tracepact.tools.curves.curves import Curves
from tracepact.tools.curves.record import CurvesRecord, QuantityCurve
from tracepact.wording import UNDEFINED, decimal


def all_figures(record: CurvesRecord, found: Curves, against: str) -> dict[str, str]:
    """All figures by name; that against a clause only if the clause is shown."""
    figures = {
        "guards": guards_figure(record, found),
        "metrics": metrics_figure(record, found),
        "roc": roc_figure(record, found),
    }
    if any(quantity.name == against for quantity in record.quantities):
        figures["against"] = against_figure(record, found, against)
    return figures


def guards_figure(record: CurvesRecord, found: Curves) -> str:
    """The score of every clause over the threshold."""
    curves = [_by_threshold(quantity, found) for quantity in _clauses(record)]
    title = f"Clauses by threshold ({record.aggregation.value}; ● best)"
    return dense_chart(title, curves, x="threshold", y="score", x_range=(0, 1))


def metrics_figure(record: CurvesRecord, found: Curves) -> str:
    """The F1 of every metric over the threshold."""
    shown = [q for q in record.quantities if q.kind == "metric" and q.name.endswith("_f1") and "macro" not in q.name]
    curves = [_by_threshold(quantity, found) for quantity in shown]
    return dense_chart("F1 by threshold", curves, x="threshold", y="F1", x_range=(0, 1))


def against_figure(record: CurvesRecord, found: Curves, name: str) -> str:
    """Every other clause against one, as the threshold moves."""
    others = [quantity.name for quantity in _clauses(record) if quantity.name != name]
    curves = [_against(name, other, found) for other in others]
    title = f"Clauses against {name}, over all thresholds"
    notes = ["Points are joined in the order of the threshold, from 0 to 1."]
    return dense_chart(title, curves, x=name, y="score", notes=notes)


def roc_figure(record: CurvesRecord, found: Curves) -> str:
    """The PSD ROC of both scenarios."""
    curves = []
    for scenario in record.psds:
        steps = found.psds(scenario.name).roc
        rates, shares = (np.array([float(step[k]) for step in steps]) for k in (0, 1))
        value = UNDEFINED if scenario.value is None else decimal(scenario.value.shown)
        curves.append(DenseCurve(f"{scenario.name} {value}", *_stairs(rates, shares, float(scenario.e_max))))
    ends = (0, max((scenario.e_max for scenario in record.psds), default=1))
    x, y = "effective false positives an hour", "effective share found"
    return dense_chart("PSD ROC", curves, x=x, y=y, x_range=ends)


def _clauses(record: CurvesRecord) -> list[QuantityCurve]:
    return [quantity for quantity in record.quantities if quantity.kind == "clause"]


def _by_threshold(quantity: QuantityCurve, found: Curves) -> DenseCurve:
    """The stairs of a quantity, with its best threshold as one of their points."""
    x, y = found.line(quantity.name)
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


def _against(name: str, other: str, found: Curves) -> DenseCurve:
    """The values of two clauses on all pieces of both, in the order of the threshold."""
    lines = [found.line(name), found.line(other)]
    thresholds = np.union1d(lines[0][0], lines[1][0])
    x, y = (values[np.searchsorted(begins, thresholds, side="right") - 1] for begins, values in lines)
    gap = np.isnan(x)
    return DenseCurve(other, np.where(gap, 0.0, x), np.where(gap, np.nan, y))
