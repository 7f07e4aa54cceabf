"""The report as a PDF, the same bytes for the same records: tables and charts on pages, by ReportLab."""

from collections.abc import Sequence
from fractions import Fraction
from io import BytesIO
from xml.sax.saxutils import escape

from reportlab.graphics.shapes import Drawing, Line, PolyLine, String
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.lib.units import mm
from reportlab.platypus import Flowable, PageBreak, Paragraph, SimpleDocTemplate, Spacer
from reportlab.platypus import Table as PdfTable

from tracelab.robustness.records import CalibratedModel, CorruptedModel
from tracelab.robustness.tables import Shown, robustness_tables
from tracelab.robustness.views import TITLE, headline, protocol_line
from tracelab.study.tables import StudyTable

_PAPER = landscape(A4)
_MARGIN = 14 * mm
_PLAIN = {"—": "-", "→": "->", "−": "-", "≤": "<=", "≥": ">="}  # signs that the standard fonts have not
_COLOURS = ("#1b6ca8", "#c2641a", "#4b8f3a", "#8a4fa3", "#a33b3b", "#3b8f8f", "#777777", "#b38f00")
_WIDE, _HIGH, _LEFT, _BELOW = 330, 190, 36, 30

Line2 = tuple[str, Sequence[tuple[float, float]]]


def report_pdf(shown: Shown) -> bytes:
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
            value = float(Fraction(piece.value))
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
