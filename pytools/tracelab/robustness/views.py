"""The views of a robustness run: charts, the report as a PDF, every table as a file, and one page."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from io import BytesIO
from typing import Any
from xml.sax.saxutils import escape

from markupsafe import Markup
from reportlab.graphics.shapes import Drawing, Line, PolyLine, String
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.lib.units import mm
from reportlab.platypus import Flowable, PageBreak, Paragraph, SimpleDocTemplate, Spacer
from reportlab.platypus import Table as PdfTable

from tracelab.robustness.corruptions import SEVERITIES
from tracelab.robustness.records import CalibratedModel, CorruptedModel, Manifest, ReadingTrial
from tracelab.robustness.tables import ShownRecords, robustness_tables
from tracelab.study.tables import StudyTable
from tracelab.study.views import listed_section, view_files
from tracepact.show import Curve, Section, curve_chart, heat_table, html_page, html_table, inline
from tracepact.wording import parse_stored

# The charts of a robustness run: curves over severity, reliability diagrams, and readings over their iterations.


def robustness_figures(shown: ShownRecords) -> dict[str, str]:
    """Curves over severity, reliability diagrams, and the canonical reading over its iterations."""
    figures = {}
    for model, calibrated in zip(shown.corruptions.models, shown.calibration.models, strict=True):
        figures[f"severity-{model.name}"] = severity_chart(model)
        figures[f"reliability-{model.name}"] = reliability_chart(calibrated)
    values = [
        [float(parse_stored(piece.value)) for piece in family.curve]
        for model in shown.corruptions.models
        for family in model.families
    ]
    rows = [f"{model.name} {family.family}" for model in shown.corruptions.models for family in model.families]
    figures["accuracy"] = heat_table("Accuracy by severity", rows, ["clean", *map(str, SEVERITIES)], values)
    figures["fragility"] = fragility_chart(shown.explanation.trials)
    return figures


def severity_chart(model: CorruptedModel) -> str:
    """Accuracy over severity, a step function for each family."""
    curves = []
    for family in model.families:
        first = parse_stored(family.curve[0].value)
        curves.append(Curve(family.family, [(0, first), *((p.high, parse_stored(p.value)) for p in family.curve)]))
    return curve_chart(f"{model.name}: accuracy over severity", curves, x="severity", y="accuracy", steps=True)


def reliability_chart(model: CalibratedModel) -> str:
    """Accuracy over confidence, before and after temperature, beside the diagonal."""
    curves = [Curve("calibrated", [(0.0, 0.0), (1.0, 1.0)])]
    for name, found in (("before", model.before), ("after", model.after)):
        points = [(b.confidence, b.accuracy) for b in found.bins if b.confidence is not None]
        curves.append(Curve(name, points, points))
    title = f"{model.name}: reliability, T = {model.temperature:.2f}"
    return curve_chart(title, curves, x="mean confidence of the bin", y="accuracy of the bin", x_range=(0, 1))


def fragility_chart(trials: Sequence[ReadingTrial]) -> str:
    """The accuracy of each reading over the iterations it was allowed."""
    curves = []
    for coefficients, standardised in ((40, False), (20, False), (40, True), (20, True)):
        found = [t for t in trials if (t.coefficients, t.standardised) == (coefficients, standardised)]
        points = [(trial.iterations, trial.accuracy) for trial in found]
        curves.append(Curve(f"{coefficients} {'standardised' if standardised else 'raw'}", points, points))
    return curve_chart("LR-MFCC: accuracy over iterations", curves, x="iterations allowed", y="accuracy", y_range=None)


# The views of a robustness run: every table and chart as a file, and one self-contained page.

TITLE = "Robustness and calibration of sound classifiers"


def robustness_views(shown: ShownRecords) -> dict[str, str]:
    """Every table, figure and the page, by the name of its file."""
    tables, figures = robustness_tables(shown), robustness_figures(shown)
    return {**view_files(tables, figures), "report.html": _page(shown, tables, figures)}


def _page(shown: ShownRecords, tables: Sequence[StudyTable], figures: Mapping[str, str]) -> str:
    sections = []
    for one in tables:
        charts = Markup("").join(_figure(figures[name]) for name in _figures_of(one.name, figures))
        sections.append(Section(one.name, one.table.title, charts + html_table(replace(one.table, title="")), one.lead))
    manifest = shown.manifest
    record: list[tuple[str, Any]] = [
        ("corpus", manifest.corpus),
        ("corpus SHA-256", manifest.corpus_sha256),
        ("table of corruptions, SHA-256", manifest.table_sha256),
        ("seed", manifest.seed),
        ("seconds of the last run", manifest.seconds),
        ("machine", manifest.machine),
        *manifest.versions.items(),
        *((f"classifier {name}", _listed(key)) for name, key in manifest.classifiers.items()),
    ]
    sections.append(listed_section(dict(record)))
    head = Markup(
        "<h1>{}</h1><p>{} {} Every figure is computed from stored logits; "
        "<code>tracelab verify</code> computes them again.</p>"
    ).format(TITLE, protocol_line(manifest), headline(shown))
    return html_page(TITLE, head, sections)


def protocol_line(manifest: Manifest) -> str:
    """Whether the run is of the canonical protocol, and why not."""
    if manifest.canonical:
        return "The canonical protocol."
    return f"Not the canonical protocol: {'; '.join(manifest.not_canonical)}."


def headline(shown: ShownRecords) -> str:
    """One sentence for each classifier."""
    parts = []
    for clean, corrupted in zip(shown.clean.models, shown.corruptions.models, strict=True):
        worst = min(corrupted.families, key=lambda family: Fraction(family.mean_accuracy.exact or 0))
        parts.append(
            f"{clean.name}: {clean.scores.accuracy.value:.1%} clean, {corrupted.mean_corruption_accuracy.value:.1%} "
            f"over the grid, least under {worst.family} ({worst.mean_accuracy.value:.1%})."
        )
    return " ".join(parts)


def _figures_of(table: str, figures: Mapping[str, str]) -> list[str]:
    prefix = {"families": "severity-", "calibration": "reliability-"}.get(table)
    return [name for name in figures if (name.startswith(prefix) if prefix else name == table)]


def _figure(chart: str) -> Markup:
    return Markup("<figure>{}</figure>").format(inline(chart))


def _listed(key: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in key.items())


# The report as a PDF, the same bytes for the same records: tables and charts on pages, by ReportLab.

_PAPER = landscape(A4)
_MARGIN = 14 * mm
_PLAIN = {"—": "-", "→": "->", "−": "-", "≤": "<=", "≥": ">="}  # signs that the standard fonts have not
_COLOURS = ("#1b6ca8", "#c2641a", "#4b8f3a", "#8a4fa3", "#a33b3b", "#3b8f8f", "#777777", "#b38f00")
_WIDE, _HIGH, _LEFT, _BELOW = 330, 190, 36, 30

Line2 = tuple[str, Sequence[tuple[float, float]]]


def report_pdf(shown: ShownRecords) -> bytes:
    """The report: what the page shows, on paper."""
    styles = getSampleStyleSheet()
    story: list[Flowable] = [
        Paragraph(TITLE, styles["Title"]),
        Paragraph(_text(f"{protocol_line(shown.manifest)} {headline(shown)}"), styles["BodyText"]),
    ]
    for one in robustness_tables(shown):
        story += [Paragraph(_text(one.table.title), styles["Heading2"])]
        if one.lead:
            story.append(Paragraph(_text(one.lead), styles["BodyText"]))
        story += [_table(one), Spacer(1, 4 * mm)]
    story.append(PageBreak())
    story.append(Paragraph("Accuracy over severity, and reliability", styles["Heading2"]))
    for model, calibrated in zip(shown.corruptions.models, shown.calibration.models, strict=True):
        pair = [severity_drawing(model), reliability_drawing(calibrated)]
        story.append(PdfTable([pair], colWidths=[_WIDE + 60, _WIDE + 60]))
    out = BytesIO()
    SimpleDocTemplate(
        out,
        pagesize=_PAPER,
        leftMargin=_MARGIN,
        rightMargin=_MARGIN,
        topMargin=_MARGIN,
        bottomMargin=_MARGIN,
        title=TITLE,
        invariant=1,
    ).build(story)
    return out.getvalue()


def severity_drawing(model: CorruptedModel) -> Drawing:
    """Accuracy over severity, a step function for each family."""
    lines = []
    for family in model.families:
        points: list[tuple[float, float]] = []
        for piece in family.curve:
            value = float(parse_stored(piece.value))
            points += [(piece.low, value), (piece.high, value)]
        lines.append((family.family, points))
    return _chart(f"{model.name}: accuracy over severity", lines, 6.0)


def reliability_drawing(model: CalibratedModel) -> Drawing:
    """Accuracy over confidence, before and after temperature, beside the diagonal."""
    lines: list[Line2] = [("calibrated", [(0.0, 0.0), (1.0, 1.0)])]
    for name, found in (("before", model.before), ("after", model.after)):
        points = [(b.confidence, b.accuracy) for b in found.bins if b.confidence is not None and b.accuracy is not None]
        lines.append((name, points))
    return _chart(f"{model.name}: accuracy over confidence, T = {model.temperature:.2f}", lines, 1.0)


def _chart(title: str, lines: Sequence[Line2], most: float) -> Drawing:
    """Lines over an axis from 0 to `most`, with values from 0 to 1 and a legend beside."""
    drawing = Drawing(_WIDE + 50, _HIGH + _BELOW + 20)

    def place(x: float, y: float) -> tuple[float, float]:
        return _LEFT + x / most * (_WIDE - _LEFT - 60), _BELOW + y * (_HIGH - _BELOW)

    drawing.add(String(_LEFT, _HIGH + 8, title, fontSize=9, fontName="Helvetica-Bold"))
    for tenth in range(0, 11, 2):
        left, at = place(0, tenth / 10)
        drawing.add(Line(left, at, place(most, 0)[0], at, strokeColor=colors.lightgrey, strokeWidth=0.4))
        drawing.add(String(left - 4, at - 3, f"{tenth / 10:g}", fontSize=7, textAnchor="end"))
    for step in range(7 if most > 1 else 6):
        at = step if most > 1 else step / 5
        drawing.add(String(place(at, 0)[0], _BELOW - 11, f"{at:g}", fontSize=7, textAnchor="middle"))
    for number, (name, points) in enumerate(lines):
        colour = colors.HexColor(_COLOURS[number % len(_COLOURS)])
        if len(points) > 1:
            flat = [value for point in points for value in place(*point)]
            drawing.add(PolyLine(flat, strokeColor=colour, strokeWidth=1.2))
        drawing.add(String(_WIDE - 52, _HIGH - 8 - 11 * number, name, fontSize=7, fillColor=colour))
    return drawing


def _table(one: StudyTable) -> PdfTable:
    styles = getSampleStyleSheet()
    small = styles["BodyText"].clone("small", fontSize=6.5, leading=8)
    rows = [[column.heading for column in one.table.columns], *one.table.texts()]
    cells = [[Paragraph(_text(text), small) for text in row] for row in rows]
    table = PdfTable(cells, repeatRows=1, hAlign="LEFT")
    table.setStyle(
        [
            ("BACKGROUND", (0, 0), (-1, 0), colors.whitesmoke),
            ("LINEBELOW", (0, 0), (-1, -1), 0.25, colors.lightgrey),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("TOPPADDING", (0, 0), (-1, -1), 1.5),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 1.5),
        ]
    )
    return table


def _text(text: str) -> str:
    """Text for a paragraph: escaped, in signs that the standard fonts have."""
    return escape("".join(_PLAIN.get(sign, sign) for sign in text))
