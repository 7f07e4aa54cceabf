"""The view of the tolerance audit."""

from typing import Any

from rich.table import Table

from tracepact.scoring.steps import StepFunction
from tracepact.scoring.tolerance import Tolerance
from tracepact.tools.audit.view import Cell, View, table
from tracepact.tools.score.report.evidence import tolerance_figure
from tracepact.wording import decimal, short

_COLUMNS = ("clause", "from", "from_included", "to", "to_included", "value", "decimal", "satisfied", "obligated")


def tolerance_view(audit: Tolerance) -> View:
    """Every curve with its pieces, integral, mean and span, and its values at the points the contract names."""
    return View(
        {
            "parameter": audit.parameter,
            "is_time": audit.is_time,
            "low": str(audit.low),
            "high": str(audit.high),
            "aggregation": audit.aggregation.value,
            "marks": [{"text": mark.text, "value": str(mark.value), "own": mark.own} for mark in audit.marks],
            "curves": [
                {"clause": name, "method": audit.methods[name], **_curve(curve)}
                for name, curve in audit.clauses.items()
            ],
            "logic": _curve(audit.logic),
        },
        _table(audit),
        _COLUMNS,
        [row for name, curve in {**audit.clauses, "logic": audit.logic}.items() for row in _rows(name, curve)],
        tolerance_figure(audit),
    )


def _curve(curve: StepFunction) -> dict[str, Any]:
    return {
        "integral": str(curve.integral),
        "mean": str(curve.mean),
        "span": str(curve.span),
        "pieces": [
            {
                "from": str(piece.low),
                "from_included": piece.low_included,
                "to": str(piece.high),
                "to_included": piece.high_included,
                "value": str(piece.value),
                "satisfied": piece.counts[0] if piece.counts else None,
                "obligated": piece.counts[1] if piece.counts else None,
            }
            for piece in curve.pieces()
        ],
    }


def _rows(name: str, curve: StepFunction) -> list[tuple[Cell, ...]]:
    return [
        (
            name,
            str(piece.low),
            str(piece.low_included).lower(),
            str(piece.high),
            str(piece.high_included).lower(),
            str(piece.value),
            decimal(piece.value, 6),
            *(piece.counts or ("", "")),
        )
        for piece in curve.pieces()
    ]


def _table(audit: Tolerance) -> Table:
    unit = " s" if audit.is_time else ""
    title = f"The vector over {audit.parameter} from {short(audit.low)}{unit} to {short(audit.high)}{unit}"
    marks = [f"{mark.text}{' (own)' if mark.own else ''}" for mark in audit.marks]
    made = table(f"{title} ({audit.aggregation.value})", ("clause",), ("integral", "mean", "span", "steps", *marks))
    made.add_column("found by")
    for name, curve in {**audit.clauses, "logic": audit.logic}.items():
        made.add_row(
            name,
            decimal(curve.integral, 5),
            decimal(curve.mean),
            decimal(curve.span),
            str(len(curve.starts) - 1),
            *(decimal(curve.at(mark.value)) for mark in audit.marks),
            audit.methods.get(name, "mean"),
            end_section=name == list(audit.clauses)[-1],
        )
    return made
