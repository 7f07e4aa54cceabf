"""The views of a report: for a terminal, as Markdown, for notebooks, as one self-contained page."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from io import StringIO
from pathlib import Path, PurePath
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from tracepact.declarations import OnStage, silent
from tracepact.engines import Engine
from tracepact.evaluate.scores import LOGIC
from tracepact.files import json_text
from tracepact.language.contract import Aggregation, Contract
from tracepact.language.explanation import AGGREGATED, explain_contract
from tracepact.measures.records import CountMetricRecord
from tracepact.runs import report_parts
from tracepact.runs.report import Report
from tracepact.runs.report_parts import SILENT, PageData, Sounds, page_data, report_from, tolerance_figure
from tracepact.runs.report_tables import (
    accuracy_tables,
    class_table,
    condition_table,
    difference_lines,
    headline_name,
    headline_text,
    interval_tables,
    margin_table,
    metric_cells,
    metric_tables,
    overall_tables,
    render_metrics_summary,
    sweep_table,
    tolerance_table,
    vector_table,
    violation_table,
)
from tracepact.runs.tally import tally_of
from tracepact.runs.task import Scored
from tracepact.runs.timelines import Timeline, fits, page_clips
from tracepact.runs.violations import EventViolationRecord, FrameViolationRecord
from tracepact.show.figures import inline
from tracepact.show.pages import Section, html_page, html_table, templates
from tracepact.show.tables import (
    Cell,
    Screen,
    ShareBar,
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
from tracepact.wording import count, decimal, short, time_text

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
    """A report that fits one screen: the vector, the profiles, and where the worst clauses failed."""
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
    """A report that fits a picture: the vector, the lines beside it, and the clip that failed worst."""
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
    """The terminal's picture as SVG that loads nothing: the fonts that rich would fetch are left to the viewer."""
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


PAGE = "page.json"
"""The file of a run in batches that its pages are made of."""
WITH_RUN = ("html", "markdown")
"""The forms that `--page` puts into a run directory; the text is there anyway."""

# A run as one self-contained HTML page.

_TEMPLATES = Path(__file__).resolve().parent


def report_page(contract: Contract, report: Report, data: PageData, sounds: Sounds = SILENT) -> str:
    """A report as a page that needs nothing beside itself but the sounds it names."""
    parts: Any = templates(_TEMPLATES).get_template("report.html").module
    about = [report_parts.family(report), report_parts.grid(report), report_parts.matcher(report)]
    clips = page_clips(contract, report.family.classes, data.clips)
    return html_page(
        f"{report.contract.name}: tracepact report",
        parts.head(report, report_parts.system(report), about, list(_tiles(report))),
        list(_page_sections(parts, contract, report, data)),
        scripts=["address.js", "report.js"],
        data={**clips, "sounds": [sounds.sources.get(clip) for clip in clips["clips"]] if sounds.sources else []},
        media=sounds.media,
    )


def _tiles(report: Report) -> Iterator[tuple[str, str]]:
    """The numbers that are shown first, each with what it is."""
    own, soft = report.aggregation, report.soft_boundary
    # Pooled beside the contract's own: it is the one whose counts the vector lists.
    for aggregation in dict.fromkeys((own, Aggregation.POOLED)):
        name = headline_name(report, aggregation)
        yield headline_text(report, aggregation), f"{name}, {aggregation.words}"
    for profile in report_parts.profiles(report):
        yield profile.value, f"profile {profile.name} ({profile.about})"
    yield decimal(soft.value), f"soft boundary score, {soft.edges:,} edges (decides nothing)"
    yield f"{report.pairs:,}", "matched pair" if report.pairs == 1 else "matched pairs"
    for metric in report.metrics.metrics:
        if isinstance(metric, CountMetricRecord) and metric.name == "event":
            name, micro, *_ = metric_cells(metric)
            yield micro, f"{name}, micro; its policy is below"


def _page_sections(parts: Any, contract: Contract, report: Report, data: PageData) -> Iterator[Section]:
    lead = "One score for each clause, an exact fraction of counts. Choose a clause to see the clips that fail it."
    yield Section("vector", "The vector", _page_vector(parts, contract, report, data), lead)
    if (margins := margin_table(report)) is not None:
        lead = "How far the verdicts of the frame clauses are from their opposite, in the scores the events come from."
        yield Section("margins", "Margins in score", html_table(replace(margins, title="")), lead)
    lead = "The field’s own numbers on the same data, each with the policy it depends on; ties are decided exactly."
    yield Section("metrics", "Standard metrics", _page_metrics(parts, report, data), lead)
    if len(report.classes) > 1:
        shown = html_table(class_table(report), kind="heat")
        lead = "Pooled over clips. The stronger its shade, the more a cell has lost. Choose one to see its clips."
        yield Section("classes", "By class", shown, lead)
    if report.conditions:
        lead = f"Aggregated as the contract says: {report.aggregation.words}."
        yield Section("conditions", "By condition", html_table(condition_table(report), kind="heat"), lead)
    # Without `--page` at scoring there are no curves of a run in batches; the points of the sweep are in the report.
    if data.curves:
        lead = (
            "Every score as the exact step function of a parameter; nothing is interpolated. Aggregated as the "
            f"contract says ({report.aggregation.words}), whichever aggregation is chosen above."
        )
        yield Section("tolerance", "Tolerance", _tolerance(parts, data), lead)
    elif report.sweeps:
        shown = html_table(replace(sweep_table(report), title=""))
        yield Section("tolerance", "Tolerance", shown, "The vector at every value that the contract sweeps.")
    lead = (
        "What each clip loses over the chosen clauses and classes. Open one to see both sides, the matched pairs and "
        "every violation; hover or focus a mark for its distance and the part of the contract that failed."
    )
    names = [row.clause for row in report.vector], [row.label for row in report.classes]
    shown = parts.clips(*names, [row.condition for row in report.conditions])
    yield Section("clips-section", "Clips", shown, lead)
    named = report.contract
    lead = f"Canonical text of {named.source}, digest {named.digest}."
    shown = parts.contract(named.text, parameter_table(report))
    yield Section("contract", "The contract", shown, lead)
    versions = ", ".join(f"{name} {value}" for name, value in report.versions.to_dict().items())
    counts = report.diagnostics.words
    shown = parts.source(input_table(report), versions, warning_table(report), counts)
    yield Section("source", "Where it came from", shown)


def _page_vector(parts: Any, contract: Contract, report: Report, data: PageData) -> Any:
    own = report.aggregation
    texts = {row.clause: row.words for row in explain_contract(contract).clauses}
    shown = [
        (
            a.words,
            replace(vector_table(report, a, ranges=data.intervals.get(a), texts=texts), title=""),
        )
        for a in (own, *(a for a in Aggregation if a is not own))
    ]
    one = Fraction(1)
    samples = [(ShareBar(one), "earned"), (ShareBar(one, one), "scores 1 without an obligation")]
    if data.intervals:
        samples.append((ShareBar(Fraction(0), low=0.1, high=0.9), "95 % interval"))
    return parts.vector(shown, samples)


def _page_metrics(parts: Any, report: Report, data: PageData) -> Any:
    overall = overall_tables(report.metrics)
    by_class = metric_tables(report.metrics)[len(overall) :]
    differences = report.metrics.differences
    lines = [line.strip() for line in difference_lines(differences)] if differences else []
    first = [replace(overall[0], title=""), *overall[1:], *accuracy_tables(data.accuracies)]
    if data.metric_intervals is not None:
        first[1:1] = interval_tables(data.metric_intervals, report.family.clips)
    return parts.metrics(first, [replace(table, title="") for table in by_class], lines)


def _tolerance(parts: Any, data: PageData) -> Any:
    figures = []
    for tolerance in data.curves:
        still = ", ".join(name for name, curve in tolerance.clauses.items() if not curve.span)
        figures.append((inline(tolerance_figure(tolerance)), still, tolerance_table(tolerance)))
    return parts.tolerance(figures)


_WARNINGS = 200
"""How many warnings a page lists."""


def parameter_table(report: Report) -> Table:
    """The contract's parameters."""
    rows = [[p.name, p.value, "yes" if p.overridden else ""] for p in report.contract.parameters]
    return Table("", [*words("parameter"), *numbers("value"), *words("overridden")], rows)


def input_table(report: Report) -> Table:
    """The files that went into the run."""
    rows: list[list[Cell | str]] = [
        [item.role, item.name, Cell(f"{item.sha256[:16]}…", code=True)] for item in report.inputs
    ]
    return Table("", words("input", "file", "SHA-256"), rows)


def warning_table(report: Report) -> Table:
    """The first warnings, with how many there are beside."""
    items = report.diagnostics.items
    rows = [[item.code, item.headline, item.where] for item in items[:_WARNINGS]]
    rest = [f"… and {len(items) - _WARNINGS:,} more in report.json"] if len(items) > _WARNINGS else []
    return Table("", words("warning", "what", "where"), rows, rest)


# The forms of a report that are made of its tally: of a run in memory, of one in batches, of a directory of one.


@dataclass(frozen=True, slots=True)
class ReportPages:
    """A report, and what its page shows beside it."""

    contract: Contract
    report: Report
    data: PageData

    @property
    def clips(self) -> list[str]:
        """The clips that a page holds."""
        return [entry.clip for entry in self.data.clips.worst]

    def form(self, form: str, sounds: Sounds = SILENT) -> str:
        """The report as `html`, `markdown` or `text`; a page plays these sounds."""
        match form:
            case "html":
                return report_page(self.contract, self.report, self.data, sounds)
            case "markdown":
                return report_markdown(self.report, self.data)
            case _:
                return report_text(self.report)

    def files(self, forms: Iterable[str], sounds: Sounds = SILENT) -> dict[str, str]:
        """The report in some forms, by the names of their files."""
        return {FILES[form]: self.form(form, sounds) for form in forms}


def run_pages(run: Scored, on_stage: OnStage = silent, *, drawn: bool = True) -> ReportPages:
    """The pages of a run in memory, which are those of a run in one batch; `drawn` asks for intervals and curves."""
    on_stage("intervals and curves")
    tally = tally_of(run, clips=True, page=drawn)
    data = page_data(tally, run.head, run.prediction.name, Engine(), None, drawn=drawn)
    on_stage("drawing")
    return ReportPages(run.card.contract, report_from(tally, run.head), data)


def fits_page(data: PageData, contract: Contract, classes: Sequence[str]) -> bool:
    """Whether data that was read speaks of these classes and of the clauses of a contract, and its curves are some."""
    clauses = {clause.name for clause in contract.clauses}
    known = all(set(some) == clauses | {LOGIC} for some in data.intervals.values())
    curves = [(curve, some) for some in data.curves for curve in (*some.clauses.values(), some.logic)]
    return (
        fits(data.clips, contract, classes)
        and known
        and all(set(some.clauses) == clauses for some in data.curves)
        and all(
            len(curve.starts) == len(curve.values) > 0
            and list(curve.starts) == sorted(set(curve.starts))
            and (curve.low, curve.high) == (some.low, some.high)
            and some.low < some.high
            for curve, some in curves
        )
        and all(some.low <= mark.value <= some.high for some in data.curves for mark in some.marks)
    )
