"""The view of the matcher audit."""

from fractions import Fraction
from typing import Any

from rich.table import Table

from tracepact.show.figure import Bar, BarGroup, bar_chart
from tracepact.tools.audit.matcher import MatcherAudit, MatcherComparison
from tracepact.tools.audit.view import Cell, View, table
from tracepact.wording import decimal, percent

_TITLE = "Greedy against optimal matching"
_COLUMNS = ("on", "cases", "refs", "preds", "changed", "quantity", "greedy", "optimal")


def matcher_view(audit: MatcherAudit) -> View:
    """Both matchers side by side, on each family they were tried on."""
    found = _comparisons(audit)
    return View(
        {name: _data(row) for name, row in found.items()},
        _table(found),
        _COLUMNS,
        [line for name, row in found.items() for line in _rows(name, row)],
        bar_chart(f"{_TITLE}: boundary F1", [_group(name, row) for name, row in found.items()], x="boundary F1"),
    )


def _comparisons(audit: MatcherAudit) -> dict[str, MatcherComparison]:
    given = {"given data": audit.given, "bridges of its references": audit.bridges}
    return {
        **{name: row for name, row in given.items() if row is not None},
        **{f"case: {name}": row for name, row in audit.known.items()},
        **{f"stress: {name}": row for name, row in audit.stress.items()},
    }


def _table(found: dict[str, MatcherComparison]) -> Table:
    counts = ("cases", "refs", "preds", "greedy pairs", "optimal pairs", "changed", "boundary F1")
    made = table(_TITLE, ("on",), counts)
    made.add_column("changed coordinates (greedy → optimal)")
    for name, row in found.items():
        made.add_row(
            name,
            f"{row.cases:,}",
            f"{row.refs:,}",
            f"{row.preds:,}",
            f"{row.greedy.pairs:,}",
            f"{row.optimal.pairs:,}",
            percent(row.changed_share, 1),
            f"{decimal(row.greedy.boundary_f1)} → {decimal(row.optimal.boundary_f1)}",
            ", ".join(f"{n} {decimal(g)} → {decimal(o)}" for n, (g, o) in row.changed_values.items()) or "none",
        )
    return made


def _rows(name: str, row: MatcherComparison) -> list[tuple[Cell, ...]]:
    """A row for the pairs, for boundary F1 and for every event clause."""
    values: list[tuple[str, Fraction | int, Fraction | int]] = [
        ("pairs", row.greedy.pairs, row.optimal.pairs),
        ("boundary_f1", row.greedy.boundary_f1, row.optimal.boundary_f1),
        *((clause, value, row.optimal.values[clause]) for clause, value in row.greedy.values.items()),
    ]
    return [(name, row.cases, row.refs, row.preds, row.changed, what, str(g), str(o)) for what, g, o in values]


def _group(name: str, row: MatcherComparison) -> BarGroup:
    return BarGroup(name, [Bar("greedy", row.greedy.boundary_f1), Bar("optimal", row.optimal.boundary_f1)])


def _data(row: MatcherComparison) -> dict[str, Any]:
    return {
        "cases": row.cases,
        "refs": row.refs,
        "preds": row.preds,
        "changed": row.changed,
        "pairs": {"greedy": row.greedy.pairs, "optimal": row.optimal.pairs},
        "boundary_f1": {"greedy": str(row.greedy.boundary_f1), "optimal": str(row.optimal.boundary_f1)},
        "changed_values": {name: [str(g), str(o)] for name, (g, o) in row.changed_values.items()},
    }
