"""The tables and charts of the grid over the scenes: vectors, curves over severity, and which guard breaks first."""

from collections.abc import Sequence
from fractions import Fraction

from tracelab.robustness.corruptions import SEVERITIES, canonical
from tracelab.robustness.records import Piece
from tracelab.robustness.results import severity_curve
from tracelab.robustness.scene_grid import MEAN
from tracelab.study.rows import Row
from tracelab.study.tables import GUARDS, StudyTable
from tracepact.show import Cell, Column, Curve, Table, Tone, curve_chart, heat_table, numbers

BREAK = Fraction(1, 10)
_NONE = "—"

Values = dict[tuple[str, str, int, str], Fraction | None]


def values_of(rows: Sequence[Row]) -> Values:
    """The value of each clause by detector, family, severity and clause; clean ones have the family `clean`."""
    return {
        (row["detector"], row["family"], int(row["severity"]), row["clause"]): (
            Fraction(row["value"]) if row["value"] else None
        )
        for row in rows
    }


def detectors_of(rows: Sequence[Row]) -> list[str]:
    """The detectors, in their order."""
    return list(dict.fromkeys(row["detector"] for row in rows))


def curve_of(values: Values, detector: str, family: str, clause: str) -> list[Piece]:
    """A clause as a step function of severity; a clause that asks nothing counts 1, as a vacuous score does."""
    found = [values[detector, family, severity, clause] for severity in SEVERITIES]
    clean = values[detector, "clean", 0, clause]
    known = [Fraction(1) if value is None else value for value in (clean, *found)]
    return severity_curve(known[0], known[1:])


def breaks(curve: Sequence[Piece]) -> tuple[int, Fraction] | None:
    """The first severity at which a guard is at least a tenth below its clean value, and by how much."""
    clean = Fraction(curve[0].value)
    lost = ((piece.low, clean - Fraction(piece.value)) for piece in curve[1:])
    return next(((severity, loss) for severity, loss in lost if loss >= BREAK), None)


def first_break(values: Values, detector: str, family: str) -> list[tuple[str, int, Fraction]]:
    """The guards that break at the least severity, the greatest loss first."""
    found = [(guard, breaks(curve_of(values, detector, family, guard))) for guard in GUARDS]
    broken = [(guard, *one) for guard, one in found if one is not None]
    least = min((severity for _, severity, _ in broken), default=0)
    return sorted((one for one in broken if one[1] == least), key=lambda one: (-one[2], GUARDS.index(one[0])))


def curve_rows(rows: Sequence[Row]) -> list[Row]:
    """Every clause of every detector and family as a step function of severity, piece by piece."""
    values = values_of(rows)
    return [
        {
            "detector": detector,
            "family": family.name,
            "clause": clause,
            "low": str(piece.low),
            "high": str(piece.high),
            "value": piece.value,
        }
        for detector in detectors_of(rows)
        for family in canonical().families
        for clause in (*GUARDS, MEAN)
        for piece in curve_of(values, detector, family.name, clause)
    ]


def scene_tables(rows: Sequence[Row]) -> list[StudyTable]:
    """Every table, in reading order."""
    values, detectors = values_of(rows), detectors_of(rows)
    return [_break_table(values, detectors), _loss_table(values, detectors), _vector_table(values, detectors)]


def scene_figures(rows: Sequence[Row]) -> dict[str, str]:
    """The mean of the vector over severity, a chart for each family; guards of each detector at the end of the grid."""
    values, detectors = values_of(rows), detectors_of(rows)
    names = [family.name for family in canonical().families]
    figures = {}
    for family in names:
        curves = []
        for detector in detectors:
            pieces = curve_of(values, detector, family, MEAN)
            points = [(0, Fraction(pieces[0].value)), *((piece.high, Fraction(piece.value)) for piece in pieces)]
            curves.append(Curve(detector, points))
        figures[f"severity-{family}"] = curve_chart(
            f"{family}: mean of the vector over severity", curves, x="severity", y="mean of the vector", steps=True
        )
    for detector in detectors:
        last = [[values[detector, family, SEVERITIES[-1], guard] for guard in GUARDS] for family in names]
        clean = [values[detector, "clean", 0, guard] for guard in GUARDS]
        headings = [guard.removesuffix("_guard") for guard in GUARDS]
        title = f"{detector}: guards at severity {SEVERITIES[-1]}"
        figures[f"guards-{detector}"] = heat_table(title, ["clean", *names], headings, [clean, *last])
    return figures


def _break_table(values: Values, detectors: Sequence[str]) -> StudyTable:
    names = [family.name for family in canonical().families]
    body: list[list[Cell | str]] = []
    for detector in detectors:
        cells: list[Cell | str] = [Cell(detector, Tone.STRONG)]
        for family in names:
            found = first_break(values, detector, family)
            guards = ", ".join(guard.removesuffix("_guard") for guard, _, _ in found)
            cells.append(f"{guards} at {found[0][1]} (−{float(found[0][2]):.2f})" if found else "none")
        body.append(cells)
    lead = (
        "The guards that are the first to fall at least 0.10 below their clean value, the severity, and the greatest "
        "loss there; `none` if no guard does up to severity 5."
    )
    return StudyTable(
        "breaks", Table("Which guard breaks first", [Column("detector"), *map(Column, names)], body), lead
    )


def _loss_table(values: Values, detectors: Sequence[str]) -> StudyTable:
    names = [family.name for family in canonical().families]
    body = []
    for detector in detectors:
        clean = values[detector, "clean", 0, MEAN] or Fraction(0)
        worst = [values[detector, family, SEVERITIES[-1], MEAN] or Fraction(0) for family in names]
        body.append([detector, f"{float(clean):.3f}", *(f"{float(value - clean):+.3f}" for value in worst)])
    table = Table(
        "Mean of the vector, and what severity 5 takes", [Column("detector"), *numbers("clean", *names)], body
    )
    return StudyTable("losses", table)


def _vector_table(values: Values, detectors: Sequence[str]) -> StudyTable:
    body = []
    for detector in detectors:
        cells = [("clean", 0), *((f.name, s) for f in canonical().families for s in SEVERITIES)]
        for family, severity in cells:
            found = [values[detector, family, severity, clause] for clause in (*GUARDS, MEAN)]
            shown = [_NONE if value is None else f"{float(value):.3f}" for value in found]
            body.append([detector, family, str(severity) if severity else "", *shown])
    columns = [Column("detector"), Column("family"), *numbers("severity", *GUARDS, MEAN)]
    return StudyTable("vectors", Table("The vector under every family and severity", columns, body))
