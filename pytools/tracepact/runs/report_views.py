"""The views of a report: for a terminal, as Markdown, for notebooks, as one self-contained page."""

import base64
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

import click
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from tracepact.data.memory import AudioFolder, audio_files
from tracepact.diagnostics.collection import Diagnostics
from tracepact.evaluate.uncertainty import outside_mark, outside_notes
from tracepact.files import json_text
from tracepact.language.contract import Aggregation
from tracepact.language.explanation import AGGREGATED
from tracepact.measures.uncertainty import MetricIntervals, SystemIntervals, ValueDifference, ValueInterval
from tracepact.runs import report_parts
from tracepact.runs.report import Report
from tracepact.runs.report_parts import PageData
from tracepact.runs.report_tables import (
    accuracy_tables,
    class_table,
    condition_table,
    difference_lines,
    margin_table,
    overall_tables,
    render_metrics_summary,
    sweep_table,
    vector_table,
    violation_table,
)
from tracepact.runs.timelines import Timeline
from tracepact.runs.violations import EventViolationRecord, FrameViolationRecord
from tracepact.show.pages import html_table
from tracepact.show.tables import (
    Screen,
    Table,
    TerminalTable,
    cell_of,
    needed_width,
    numbers,
    plain,
    table_lines,
    turned,
    words,
)
from tracepact.wording import Shown, count, decimal, milliseconds, short, time_text

# Intervals of metrics as tables: the values with their intervals, and differences between systems with their p.

_MEAN, _MACRO_MEAN = "mean", "macro_mean"
_COLUMNS = (("f1", _MEAN), ("macro_f1", _MACRO_MEAN), ("error_rate",), ("macro_error_rate",), ("balanced_accuracy",))
_HEADINGS = ("micro", "macro", "error rate", "macro error rate", "balanced accuracy")


def interval_tables(intervals: MetricIntervals, clips: int) -> list[Table]:
    """The intervals of every system, and for every system but the first its differences from the first."""
    first, *others = intervals.systems
    how = intervals.bootstrap.words(clips)
    tables = [_values(system, how, intervals.bootstrap.draws, alone=not others) for system in intervals.systems]
    return tables + [_differences(system, first) for system in others]


def _values(system: SystemIntervals, how: str, draws: int, *, alone: bool) -> Table:
    by_metric: dict[str, dict[str, ValueInterval]] = {}
    for one in system.values:
        by_metric.setdefault(one.metric, {})[one.quantity] = one
    rows = [[_name(metric, values), *map(_interval_text, _chosen(values))] for metric, values in by_metric.items()]
    undefined = max((one.undefined for one in system.values if one.value is not None or one.decimal), default=0)
    notes = (
        [f"some values are undefined in up to {undefined:,} of {draws:,} draws, which they leave out"]
        if undefined
        else []
    )
    notes += outside_notes(text for row in rows for text in row[1:])
    title = f"Metrics, {how}" if alone else f"{system.name}, {how}"
    return Table(title, [*words("metric"), *numbers(*_HEADINGS)], rows, notes)


def _chosen(values: dict[str, ValueInterval]) -> Iterator[ValueInterval | None]:
    for names in _COLUMNS:
        yield next((values[name] for name in names if name in values), None)


def _name(metric: str, values: dict[str, ValueInterval]) -> str:
    return metric if _MEAN in values else f"{metric} F1"


def _interval_text(one: ValueInterval | None) -> str:
    return "" if one is None else interval_words(one)


def interval_words(one: ValueInterval | ValueDifference) -> str:
    """A value and its interval; distances in milliseconds."""
    shown: Callable[[Shown | None], str] = milliseconds if one.quantity in (_MEAN, _MACRO_MEAN) else decimal
    value = shown(one.decimal if one.value is None else one.value)
    mark = outside_mark(one.decimal, one.low, one.high)
    return value if one.low is None else f"{value} ({shown(one.low)} to {shown(one.high)}){mark}"


def _differences(system: SystemIntervals, first: SystemIntervals) -> Table:
    headings = {name: heading for names, heading in zip(_COLUMNS, _HEADINGS, strict=True) for name in names}
    rows = [
        [one.metric, headings[one.quantity], interval_words(one), decimal(one.p, 4), decimal(one.corrected, 4)]
        for one in system.differences
        if one.quantity in headings
    ]
    columns = [*words("metric", "value"), *numbers("difference", "p", "p (Holm over systems)")]
    notes = ["precision, recall and the rest are in the JSON and CSV", *outside_notes(row[2] for row in rows)]
    return Table(f"Difference {system.name} − {first.name}", columns, rows, notes)


# Draws a report for a terminal: the vector, what is shown beside it, and where it failed; and as files of a run.

FILES = {"html": "report.html", "markdown": "report.md", "text": "report.txt"}
"""The forms of a report and the files they are written to."""
_WIDTH = 132
_MOST_FAILURES = 3
"""How many clauses a screen shows a violation of."""
_MOST_CLASSES = 200
"""How many classes are printed; nobody reads more of them in a terminal."""
_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def render_report(report: Report) -> RenderableType:
    """The whole report."""
    return Group(*_terminal_sections(report))


def render_brief(report: Report) -> RenderableType:
    """What one screen has room for: the vector, the profiles, and where the worst clauses failed."""
    contract, own = report.contract, report.aggregation
    head = f"{contract.name}: {report_parts.family(report)}, frames of {time_text(report.grid.step)}"
    heads = [head, *report.preparation.lines, f"score: {AGGREGATED[own]}"]
    if contract.overridden:
        heads.append(f"overridden: {contract.overridden}")
    vector = vector_table(report)
    columns = [vector.columns[0], replace(vector.columns[1], heading="score"), *vector.columns[2:]]
    if all(not row.scores[own].empty for row in report.vector):
        columns, rows = (
            columns[:-1],
            [row[:-1] for row in vector.rows],
        )  # of entries without an obligation there are none
    else:
        rows = list(vector.rows)
    table = TerminalTable(replace(vector, title="\n".join(heads), columns=columns, rows=rows))
    profiles = [
        f"profile {p.name} = {p.value}{'' if p.about == own.words else f' ({p.about})'}"
        for p in report_parts.profiles(report)
    ]
    margins = margin_table(report)
    rest = "--full shows metrics, classes and sweeps; --out DIR --page makes a page with every violation"
    shown = [table, *([] if margins is None else [TerminalTable(margins)])]
    return Group(*shown, Text("\n".join([*profiles, *_failures(report)])), Text(f"\n{rest}", style="dim"))


def _failures(report: Report) -> Iterator[str]:
    """A line for each of the worst clauses: how often it failed, and one violation, of another class and clip each."""
    own = report.aggregation
    scores = {row.clause: row.scores[own].value for row in report.vector}
    failed = sorted((some for some in report.violations if some.total), key=lambda some: scores[some.clause])
    named: list[str] = []
    for some in failed[:_MOST_FAILURES]:
        shown = [one for one in some.shown if isinstance(one, FrameViolationRecord | EventViolationRecord)]
        one = min(shown, key=lambda one: (one.label in named) + (one.clip in named))
        named += [one.label, one.clip]
        where = f"{one.label} at {short(one.start)} s of {one.clip}"
        yield f"{some.clause} fails {count(some.total, 'time')}: {where}, {one.how_far}"
    if len(failed) > _MOST_FAILURES:
        yield f"{count(len(failed) - _MOST_FAILURES, 'other clause fails', 'other clauses fail')}"


def render_summary(report: Report) -> RenderableType:
    """What fits a picture: the vector, what is shown beside it, and the clip that failed worst."""
    return Group(_heading(report), *_terminal_vector(report), *map(_timeline, report.timelines[:1]))


def _terminal_sections(report: Report) -> Iterator[RenderableType]:
    yield _heading(report)
    yield from _terminal_vector(report)
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
    text.append(
        f"  ·  {report_parts.family(report)}, {report_parts.grid(report)}  ·  {report_parts.matcher(report)}",
        style="dim",
    )
    inputs = [f"{item.role} {PurePath(item.name).name}" for item in report.inputs]
    if inputs:
        text.append(f"\n{'  ·  '.join(inputs)}", style="dim")
    for line in report.preparation.lines:
        text.append(f"\n{line}", style="dim")
    if contract.overridden:
        text.append(f"\noverridden: {contract.overridden}", style="yellow")
    return Padding(text, (0, 0, 1, 0))


def _terminal_vector(report: Report) -> Iterator[RenderableType]:
    others = [a for a in Aggregation if a is not report.aggregation]
    yield TerminalTable(vector_table(report, others=others))
    yield Padding(Text("\n".join(report_parts.beside(report)), style="dim"), (0, 0, 1, 1))


def _timeline(timeline: Timeline) -> RenderableType:
    lanes = timeline.lanes()
    width = max(len(name) for name, _ in lanes)
    text = Text()
    text.append(f"{timeline.clip}  {timeline.label}", style="bold")
    text.append(f"  0 to {short(timeline.duration)} s\n", style="dim")
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
    # rich writes the addresses of fonts into its pictures; a picture of ours loads nothing from anywhere.
    style, end, rest = _recorded(shown).export_svg(title=title).partition("</style>")
    return _FONTS.sub("", style) + end + rest


def _recorded(shown: RenderableType) -> Console:
    console = Screen(
        record=True, width=_WIDTH, file=StringIO(), force_terminal=True, color_system="truecolor", emoji=False
    )
    # A file has no width to respect: tables are as wide as they need, so that no name is cut.
    console.width = needed_width(shown, console)
    console.print(shown)
    return console


# A report as Markdown, short enough for a pull request: the vector first, the rest folded.


def report_markdown(report: Report, data: PageData) -> str:
    """The whole report; tables beside the vector are folded."""
    own = report.aggregation
    # Two more aggregations, not all: a comment on a pull request is read in a narrow column.
    others = [a for a in (Aggregation.POOLED, Aggregation.MACRO_CLASSES) if a is not own]
    vector = vector_table(report, others=others, ranges=data.intervals.get(own))
    parts = [*_head(report), "", *table_lines(vector), ""]
    for title, lines in _folded(report, data):
        parts += ["<details>", f"<summary>{title}</summary>", "", *lines, "", "</details>", ""]
    return "\n".join([*parts, _foot(report)]) + "\n"


def _head(report: Report) -> Iterator[str]:
    contract, system = report.contract, report_parts.system(report)
    name = plain(contract.name)
    yield f"### {plain(system)} under {name}" if system else f"### {name}"
    yield ""
    yield (
        f"{report_parts.family(report)}, frames of {time_text(report.grid.step)}, {report.matcher.kind.value} matcher, "
        f"contract `{contract.digest[:16]}`"
    )
    for line in report.preparation.lines:
        yield ""
        yield plain(line)
    if contract.overridden:
        yield ""
        yield f"**Overridden:** {plain(contract.overridden)}"


def _folded(report: Report, data: PageData) -> Iterator[tuple[str, list[str]]]:
    tables = [*overall_tables(report.metrics), *accuracy_tables(data.accuracies)]
    if data.metric_intervals is not None:
        tables[1:1] = interval_tables(data.metric_intervals, report.family.clips)
    lines = [line for table in tables for line in (*table_lines(table), "")][:-1]
    if report.metrics.differences is not None:
        lines += ["", *(f"- {plain(line)}" for line in difference_lines(report.metrics.differences))]
    yield "Standard metrics", lines
    margins = margin_table(report)
    shown = [] if margins is None else [margins]
    if any(clause.total for clause in report.violations):
        shown.append(violation_table(report, most=1))
    if len(report.classes) > 1:
        shown.append(class_table(report))
    if report.conditions:
        shown.append(condition_table(report))
    if report.sweeps:
        shown.append(sweep_table(report))
    for table in shown:
        yield table.title, list(table_lines(table))


def _foot(report: Report) -> str:
    notes = [f"warnings: {report.diagnostics.words}"] if report.diagnostics.counts else []
    return f"<sub>{' · '.join([*notes, f'tracepact {report.versions.tracepact}'])}</sub>"


# The vector of a report as a small HTML table for notebooks.


def notebook_html(report: Report) -> str:
    """The vector with its counts; names are plain, since a notebook has no clips to lead to."""
    found = vector_table(report)
    rows = [[replace(cell_of(cell), choice=None, title="") for cell in row] for row in found.rows]
    title = f"{report.contract.name} · {report.aggregation.words}"
    return str(html_table(replace(found, title=title, rows=rows)))


# The sounds of clips for a page: files beside it by their relative paths, or their bytes inside it.

_KINDS = {".wav": "wav", ".flac": "flac", ".ogg": "ogg", ".oga": "ogg", ".opus": "ogg", ".mp3": "mpeg"}
"""What browsers play, by the ending of the file; others are offered as they are."""


@dataclass(frozen=True, slots=True)
class Sounds:
    """Where a page finds the sound of each clip, and what its policy must allow for that."""

    sources: Mapping[str, str] = field(default_factory=dict)
    media: str = ""


SILENT = Sounds()


def find_sounds(folder: str | None, clips: Collection[str], page_folder: Path, *, embed: bool = False) -> Sounds:
    """The sounds of these clips for a page in a folder; InvalidInput if the sound folder holds none at all."""
    if folder is None:
        return SILENT
    diagnostics = Diagnostics()
    files = audio_files(AudioFolder(folder), clips, diagnostics)
    diagnostics.raise_errors()
    if embed:
        return Sounds({clip: _embedded(path) for clip, path in files.items()}, "data:")
    # Relative paths: a folder that is moved or sent with its sounds still plays them.
    start = page_folder.resolve()
    places = {clip: Path(os.path.relpath(path.resolve(), start)).as_posix() for clip, path in files.items()}
    return Sounds({clip: quote(place) for clip, place in places.items()}, "'self' file:")


def sounds_line(sounds: Sounds, clips: int, folder: str) -> str:
    """How many clips can be heard."""
    return f"{len(sounds.sources):,} of {count(clips, 'clip')} have a sound file in {folder}"


def media_type(path: Path) -> str:
    """The media type of a sound file, by its ending."""
    return f"audio/{_KINDS.get(path.suffix.lower(), path.suffix.lower().removeprefix('.'))}"


def _embedded(path: Path) -> str:
    return f"data:{media_type(path)};base64,{base64.b64encode(path.read_bytes()).decode()}"


def embed_audio_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The --embed-audio option."""
    return click.option(
        "--embed-audio", is_flag=True, help="With --audio: put the sounds into the page instead of their paths."
    )(function)


def check_audio(folder: str | None, embed: bool) -> None:
    """Refuse to embed sounds that are not there."""
    if embed and folder is None:
        raise click.UsageError("--embed-audio needs --audio, the folder of the sounds")
