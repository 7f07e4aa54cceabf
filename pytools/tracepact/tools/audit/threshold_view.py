"""The view of the threshold audit."""

from rich.table import Table

from tracepact.show.figure import Curve, curve_chart
from tracepact.tools.audit.threshold import ThresholdAudit
from tracepact.tools.audit.view import Cell, View, table
from tracepact.tools.score.report.data import score_data, value_data
from tracepact.wording import decimal, short

_COLUMNS = ("threshold", "low", "median", "events", "clause", "value", "decimal", "satisfied", "obligated")


def threshold_view(audit: ThresholdAudit) -> View:
    """The vector at every threshold, and which threshold is best for each coordinate."""
    names = [*audit.points[0].vector, "logic"]
    return View(
        {
            "aggregation": audit.aggregation,
            "points": [
                {
                    "decoding": point.decoding.data,
                    "events": point.events,
                    "vector": {name: score_data(score) for name, score in point.vector.items()},
                    "logic": value_data(point.logic),
                }
                for point in audit.points
            ],
            "best": [
                {"clause": name, "thresholds": [str(point.decoding.threshold) for point in audit.best(name)]}
                for name in names
            ],
        },
        _table(audit, names),
        _COLUMNS,
        _rows(audit),
        _chart(audit, names),
    )


def _rows(audit: ThresholdAudit) -> list[tuple[Cell, ...]]:
    found: list[tuple[Cell, ...]] = []
    for point in audit.points:
        how = point.decoding
        head = (str(how.threshold), "" if how.low is None else str(how.low), how.median, point.events)
        for name, score in point.vector.items():
            value = decimal(score.value, 6)
            found.append((*head, name, str(score.value), value, score.satisfied, score.obligated))
        found.append((*head, "logic", str(point.logic), decimal(point.logic, 6), "", ""))
    return found


def _table(audit: ThresholdAudit, names: list[str]) -> Table:
    made = table(f"The vector by decoding threshold ({audit.aggregation}; ▲ best)", (), ("threshold", "events", *names))
    best = {name: audit.best(name) for name in names}
    for point in audit.points:
        values = {**{name: score.value for name, score in point.vector.items()}, "logic": point.logic}
        shown = (decimal(values[name]) + (" ▲" if any(point is top for top in best[name]) else "  ") for name in names)
        made.add_row(short(point.decoding.threshold), f"{point.events:,}", *shown)
    return made


def _chart(audit: ThresholdAudit, names: list[str]) -> str:
    curves = []
    for name in names:
        points = [(p.decoding.threshold, p.logic if name == "logic" else p.vector[name].value) for p in audit.points]
        curves.append(Curve("logic (mean)" if name == "logic" else name, points, points))
    return curve_chart(f"Scores by decoding threshold ({audit.aggregation})", curves, x="threshold", y="score")
