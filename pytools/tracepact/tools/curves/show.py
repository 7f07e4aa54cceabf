"""Curves as tables, rows, figures and a page."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from tracepact.metrics import MetricValue
from tracepact.show.figure import Curve, Point, curve_chart, inline
from tracepact.show.page import Section, html_page, html_table
from tracepact.show.table import Cell, Table, Tone, numbers, words
from tracepact.tools.curves.record import BestThreshold, CurvePoint, CurvesRecord, QuantityCurve
from tracepact.tools.score.shown import data_table
from tracepact.wording import UNDEFINED, count, decimal, short

_EMPTY = Cell(UNDEFINED, Tone.FAINT)


def tables(found: CurvesRecord) -> list[Table]:
    """The best common threshold of everything, the best of each class, average precision, and PSDS."""
    return [_common(found), _by_class(found), _precision(found), _psds(found)]


def _common(found: CurvesRecord) -> Table:
    rows = [
        [
            quantity.name,
            *_best_cells(quantity.best),
            _text(quantity.at_half),
            _text(quantity.own),
            f"{quantity.pieces:,}",
        ]
        for quantity in found.quantities
    ]
    level = "interval over clips at that threshold" if any(q.best and q.best.interval for q in found.quantities) else ""
    notes = ["own: a threshold for each class, chosen together", *([level] if level else [])]
    head = numbers("best", "interval", "threshold", "from", "to", "at 0.5", "own", "pieces")
    scores = count(found.scores, "distinct score")
    title = f"Best common threshold, over {scores} ({found.aggregation.value})"
    return Table(title, [*words("quantity"), *head], rows, notes)


def _best_cells(best: BestThreshold | None) -> list[Cell | str]:
    if best is None:
        return [_EMPTY] * 5
    interval = "" if best.interval is None else " – ".join(decimal(end) for end in best.interval)
    return [_text(best.value), interval, short(best.threshold), short(best.low), short(best.high)]


def _by_class(found: CurvesRecord) -> Table:
    """The best threshold of each class for each clause, profile and F1, with the value."""
    shown = [q for q in found.quantities if q.classes is not None and (q.kind != "metric" or q.name.endswith("_f1"))]
    rows: list[list[Cell | str]] = []
    for quantity in (q for q in shown if "macro" not in q.name):
        cells = [
            f"{short(c.best.threshold)} ({_text(c.best.value)})" if c.best is not None else UNDEFINED
            for c in quantity.classes or ()
        ]
        rows.append([quantity.name, *cells])
    return Table("Best threshold of each class (value)", [*words("quantity"), *numbers(*found.classes)], rows)


def _precision(found: CurvesRecord) -> Table:
    rows = [[ap.metric, _text(ap.mean), *(_text(c.value) for c in ap.classes)] for ap in found.average_precision]
    return Table("Average precision", [*words("metric"), *numbers("mean", *found.classes)], rows)


def _psds(found: CurvesRecord) -> Table:
    rows = [[p.name, _text(p.value), *(_text(c.value) for c in p.classes)] for p in found.psds]
    return Table("PSDS", [*words("scenario"), *numbers("PSDS", *found.classes)], rows)


def _text(value: MetricValue | None) -> str:
    return UNDEFINED if value is None else decimal(value.shown)


def rows(found: CurvesRecord) -> Table:
    """A row per listed point of every curve, with how many pieces the curve has."""
    columns = ("quantity", "threshold", "threshold_decimal", "value", "decimal", "satisfied", "obligated", "pieces")
    return data_table(columns, _rows(found))


def _rows(found: CurvesRecord) -> Iterator[tuple[str | int, ...]]:
    for quantity in found.quantities:
        for point in quantity.points:
            value = point.value
            exact = "" if value is None or value.value is None else str(value.value)
            near = "" if value is None else repr(value.decimal)
            counts = ("" if n is None else n for n in (point.satisfied, point.obligated))
            threshold = str(point.threshold), repr(float(point.threshold))
            yield quantity.name, *threshold, exact, near, *counts, quantity.pieces


# Figures


def guards_figure(found: CurvesRecord) -> str:
    """The score of every clause over the threshold."""
    curves = [Curve(q.name, _line(q.points), _mark(q)) for q in _clauses(found)]
    title = f"Clauses by threshold ({found.aggregation.value}; ● best)"
    return curve_chart(title, curves, x="threshold", y="score")


def metrics_figure(found: CurvesRecord) -> str:
    """The F1 of every metric over the threshold."""
    shown = [q for q in found.quantities if q.kind == "metric" and q.name.endswith("_f1") and "macro" not in q.name]
    return curve_chart(
        "F1 by threshold", [Curve(q.name, _line(q.points), _mark(q)) for q in shown], x="threshold", y="F1"
    )


def against_figure(found: CurvesRecord, name: str) -> str:
    """Every other clause against one, as the threshold moves."""
    clauses = {q.name: q for q in _clauses(found)}
    own = clauses[name]
    curves = [Curve(other, _against(own, quantity)) for other, quantity in clauses.items() if other != name]
    return curve_chart(f"Clauses against {name}, over all thresholds", curves, x=name, y="score")


def roc_figure(found: CurvesRecord) -> str:
    """The PSD ROC of both scenarios."""
    curves = []
    for scenario in found.psds:
        line: list[Point] = [(step.rate, step.found.shown) for step in scenario.roc]
        if line:
            line = [*_stairs(line), (scenario.e_max, line[-1][1])]
        curves.append(Curve(f"{scenario.name} {_text(scenario.value)}", line))
    return curve_chart("PSD ROC", curves, x="effective false positives an hour", y="effective share found")


def _clauses(found: CurvesRecord) -> list[QuantityCurve]:
    return [q for q in found.quantities if q.kind == "clause"]


def _line(points: Sequence[CurvePoint]) -> list[Point]:
    drawn: list[Point] = [(point.threshold, None if point.value is None else point.value.shown) for point in points]
    return [*_stairs(drawn), (1, drawn[-1][1])] if drawn else []


def _stairs(points: Sequence[Point]) -> list[Point]:
    """Each value from its place on: with a corner before the next."""
    corners: list[Point] = []
    for place, (x, y) in enumerate(points):
        if place:
            corners.append((x, points[place - 1][1]))
        corners.append((x, y))
    return corners


def _mark(quantity: QuantityCurve) -> list[Point]:
    return [] if quantity.best is None else [(quantity.best.threshold, quantity.best.value.shown)]


def _against(own: QuantityCurve, other: QuantityCurve) -> list[Point]:
    """The values of both at the thresholds that are listed for either, ascending by the first."""
    places = sorted({point.threshold for quantity in (own, other) for point in quantity.points})
    pairs = [(_at(own, place), _at(other, place)) for place in places]
    known = {(x, y) for x, y in pairs if x is not None and y is not None}
    return sorted(known)


def _at(quantity: QuantityCurve, threshold: object) -> float | None:
    value: float | None = None
    for point in quantity.points:
        if point.threshold > threshold:  # type: ignore[operator]
            break
        value = None if point.value is None else point.value.decimal
    return value


# Page


def curves_page(found: CurvesRecord, against: str | None) -> str:
    """All of it as one self-contained page."""
    common, by_class, precision, psds = tables(found)
    sections = [
        Section("best", "Best common threshold", html_table(common)),
        Section("guards", "Clauses over the threshold", _drawn(guards_figure(found))),
        Section("metrics", "Metrics over the threshold", _drawn(metrics_figure(found))),
        Section("classes", "Best threshold of each class", html_table(by_class)),
        Section("psds", "PSDS", html_table(psds) + _drawn(roc_figure(found))),
        Section("precision", "Average precision", html_table(precision)),
    ]
    if against is not None:
        sections.insert(2, Section("against", f"Clauses against {against}", _drawn(against_figure(found, against))))
    clips = f"{count(found.clips, 'clip')}, {count(len(found.classes), 'class', 'classes')}"
    head = Markup("<h1>{}</h1><p>{}</p>").format(f"tracepact curves {found.contract}", clips)
    return html_page(f"tracepact curves {found.contract}", head, sections)


def _drawn(svg: str) -> Markup:
    return Markup("<figure>{}</figure>").format(inline(svg))
