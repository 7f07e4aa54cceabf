"""The views of a report as the files that are written: JSON, text, a picture of the vector."""

from io import StringIO
from typing import Any

from rich.console import Console, RenderableType

from tracepact.files import json_text
from tracepact.show.width import needed_width
from tracepact.tools.score.report.text import render_report, render_summary

_WIDTH = 132


def report_views(data: dict[str, Any]) -> dict[str, str]:
    """The views of report data that a run directory holds, by file name."""
    title = f"tracepact score {data['contract']['name']}"
    return {
        "report.json": json_text(data),
        "report.txt": report_text(data),
        "report.svg": _recorded(render_summary(data)).export_svg(title=title),
    }


def report_text(data: dict[str, Any]) -> str:
    """The whole report as plain text."""
    return _recorded(render_report(data)).export_text()


def _recorded(shown: RenderableType) -> Console:
    console = Console(
        record=True, width=_WIDTH, file=StringIO(), force_terminal=True, color_system="truecolor", emoji=False
    )
    console.width = needed_width(shown, console)
    console.print(shown)
    return console
