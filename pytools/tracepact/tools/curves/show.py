"""Curves as tables, rows and a page."""

from collections.abc import Iterator, Mapping

from markupsafe import Markup

from tracepact.metrics import MetricValue
from tracepact.records import exact_text
from tracepact.show.figure import inline
from tracepact.show.page import Section, html_page, html_table
from tracepact.show.table import Cell, Table, Tone, numbers, words
from tracepact.tools.curves.record import BestThreshold, CurvesRecord
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
            exact = "" if value is None or value.value is None else exact_text(value.value)
            near = "" if value is None else repr(value.decimal)
            counts = ("" if n is None else n for n in (point.satisfied, point.obligated))
            threshold = str(point.threshold), repr(float(point.threshold))
            yield quantity.name, *threshold, exact, near, *counts, quantity.pieces


# Page


def curves_page(found: CurvesRecord, figures: Mapping[str, str], against: str) -> str:
    """All of it as one self-contained page, with figures by name; that against a clause only if there is one."""
    common, by_class, precision, psds = tables(found)
    sections = [
        Section("best", "Best common threshold", html_table(common)),
        Section("guards", "Clauses over the threshold", _drawn(figures["guards"])),
        Section("metrics", "Metrics over the threshold", _drawn(figures["metrics"])),
        Section("classes", "Best threshold of each class", html_table(by_class)),
        Section("psds", "PSDS", html_table(psds) + _drawn(figures["roc"])),
        Section("precision", "Average precision", html_table(precision)),
    ]
    if "against" in figures:
        sections.insert(2, Section("against", f"Clauses against {against}", _drawn(figures["against"])))
    clips = f"{count(found.clips, 'clip')}, {count(len(found.classes), 'class', 'classes')}"
    head = Markup("<h1>{}</h1><p>{}</p>").format(f"tracepact curves {found.contract}", clips)
    return html_page(f"tracepact curves {found.contract}", head, sections)


def _drawn(svg: str) -> Markup:
    return Markup("<figure>{}</figure>").format(inline(svg))
