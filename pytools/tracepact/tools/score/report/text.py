"""Draws a report for a terminal: the vector, what is shown beside it, and where it failed; and as files of a run."""

import re
from collections.abc import Iterator
from io import StringIO
from pathlib import PurePath

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from tracepact.core import Aggregation
from tracepact.files import json_text
from tracepact.show.screen import Screen, needed_width
from tracepact.show.table import turned
from tracepact.show.terminal import TerminalTable
from tracepact.tools.score.report import facts
from tracepact.tools.score.report.metrics import render_metrics_summary
from tracepact.tools.score.report.record import Report
from tracepact.tools.score.report.tables import (
    class_table,
    condition_table,
    margin_table,
    sweep_table,
    vector_table,
    violation_table,
)
from tracepact.tools.score.report.timeline import Timeline
from tracepact.tools.score.report.violations import EventViolationRecord, FrameViolationRecord
from tracepact.wording import count, decimal, short

FILES = {"html": "report.html", "markdown": "report.md", "text": "report.txt"}
"""The forms of a report and the files they are written to."""
_WIDTH = 132
_MOST_CLASSES = 200
"""How many classes are printed; nobody reads more of them in a terminal."""
_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def render_report(report: Report) -> RenderableType:
    """The whole report."""
    return Group(*_sections(report))


def brief_lines(report: Report) -> Iterator[str]:
    """The vector, the profiles, and a line for each violated clause: how often, and where it is worst."""
    own = report.aggregation
    scores = ((row.clause, row.scores[own]) for row in report.vector)
    vector = ", ".join(f"{name} {'∅' if score.vacuous else decimal(score.value)}" for name, score in scores)
    yield f"{report.contract.name} ({own.words}): {vector}"
    for profile in facts.profiles(report):
        yield f"profile {profile.name}: {profile.value}"
    for found in report.violations:
        for worst in found.shown[:1]:
            assert isinstance(worst, FrameViolationRecord | EventViolationRecord)
            where = f"{worst.clip}, {worst.label}, {short(worst.start)} s"
            yield f"{found.clause}: {count(found.total, 'violation')}, worst at {where}: {worst.how_far}"


def render_summary(report: Report) -> RenderableType:
    """What fits a picture: the vector, what is shown beside it, and the clip that failed worst."""
    return Group(_heading(report), *_vector(report), *map(_timeline, report.timelines[:1]))


def _sections(report: Report) -> Iterator[RenderableType]:
    yield _heading(report)
    yield from _vector(report)
    if (margins := margin_table(report)) is not None:
        yield TerminalTable(margins)
    yield render_metrics_summary(report.metrics)
    if report.sweeps:
        yield TerminalTable(turned(sweep_table(report), "clause"))
    if len(report.classes) > 1:
        yield TerminalTable(turned(class_table(report, _MOST_CLASSES), "clause"))
    if report.conditions:
        yield TerminalTable(turned(condition_table(report), "clause"))
    if any(found.total for found in report.violations):
        yield TerminalTable(violation_table(report))
    yield from map(_timeline, report.timelines)
    if report.diagnostics.counts:
        yield Text(f"warnings: {report.diagnostics.words}", style="yellow")


def _heading(report: Report) -> RenderableType:
    contract = report.contract
    text = Text()
    text.append(contract.name, style="bold")
    if contract.title:
        text.append(f"  {contract.title}")
    text.append(f"\ndigest {contract.digest[:16]}", style="dim")
    text.append(f"  ·  {facts.family(report)}, {facts.grid(report)}  ·  {facts.matcher(report)}", style="dim")
    inputs = [f"{item.role} {PurePath(item.name).name}" for item in report.inputs]
    if inputs:
        text.append(f"\n{'  ·  '.join(inputs)}", style="dim")
    for line in report.preparation.lines:
        text.append(f"\n{line}", style="dim")
    if contract.overridden:
        text.append(f"\noverridden: {contract.overridden}", style="yellow")
    return Padding(text, (0, 0, 1, 0))


def _vector(report: Report) -> Iterator[RenderableType]:
    others = [a for a in Aggregation if a is not report.aggregation]
    yield TerminalTable(vector_table(report, others=others))
    yield Padding(Text("\n".join(facts.beside(report)), style="dim"), (0, 0, 1, 1))


def _timeline(found: Timeline) -> RenderableType:
    lanes = found.lanes()
    width = max(len(name) for name, _ in lanes)
    text = Text()
    text.append(f"{found.clip}  {found.label}", style="bold")
    text.append(f"  0 to {short(found.duration)} s\n", style="dim")
    styles = {"ref": "green", "pred": "blue"}
    for name, cells in lanes:
        text.append(f"{name:>{width}} ", style="dim")
        text.append(cells + "\n", style=styles.get(name, "red"))
    return Padding(text, (0, 0, 0, 1))


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
    console = Screen(
        record=True, width=_WIDTH, file=StringIO(), force_terminal=True, color_system="truecolor", emoji=False
    )
    console.width = needed_width(shown, console)
    console.print(shown)
    return console
