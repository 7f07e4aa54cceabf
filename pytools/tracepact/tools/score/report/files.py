"""The views of a report as the files that are written: JSON, text, a picture of the vector."""

import re
from io import StringIO

from rich.console import Console, RenderableType

from tracepact.files import json_text
from tracepact.show.width import needed_width
from tracepact.tools.score.report.record import Report
from tracepact.tools.score.report.text import render_report, render_summary

_WIDTH = 132
_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def report_views(report: Report) -> dict[str, str]:
    """The views of a report that a run directory holds, by file name."""
    return {
        "report.json": json_text(report.to_dict()),
        "report.txt": report_text(report),
        "report.svg": _picture(render_summary(report), f"tracepact score {report.contract.name}"),
    }


def report_text(report: Report) -> str:
    """The whole report as plain text."""
    return _recorded(render_report(report)).export_text()


def _picture(shown: RenderableType, title: str) -> str:
    """What a terminal shows, as SVG that loads nothing: the fonts that rich would fetch are left to the viewer."""
    style, end, rest = _recorded(shown).export_svg(title=title).partition("</style>")
    return _FONTS.sub("", style) + end + rest


def _recorded(shown: RenderableType) -> Console:
    console = Console(
        record=True, width=_WIDTH, file=StringIO(), force_terminal=True, color_system="truecolor", emoji=False
    )
    console.width = needed_width(shown, console)
    console.print(shown)
    return console
