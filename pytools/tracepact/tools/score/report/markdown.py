"""A report as Markdown, short enough for a pull request: the vector first, the rest folded."""

from collections.abc import Iterator

from tracepact.core import Aggregation
from tracepact.show.markdown import plain, table_lines
from tracepact.tools.score.report import facts
from tracepact.tools.score.report.evidence import Evidence
from tracepact.tools.score.report.metric_intervals import interval_tables
from tracepact.tools.score.report.metrics import accuracy_tables, difference_lines, overall_tables
from tracepact.tools.score.report.record import Report
from tracepact.tools.score.report.tables import (
    class_table,
    condition_table,
    margin_table,
    sweep_table,
    vector_table,
    violation_table,
)
from tracepact.wording import time_text


def report_markdown(report: Report, found: Evidence) -> str:
    """The whole report; tables beside the vector are folded."""
    own = report.aggregation
    others = [a for a in (Aggregation.POOLED, Aggregation.MACRO_CLASSES) if a is not own]
    vector = vector_table(report, others=others, ranges=found.intervals.get(own))
    parts = [*_head(report), "", *table_lines(vector), ""]
    for title, lines in _folded(report, found):
        parts += ["<details>", f"<summary>{title}</summary>", "", *lines, "", "</details>", ""]
    return "\n".join([*parts, _foot(report)]) + "\n"


def _head(report: Report) -> Iterator[str]:
    contract, system = report.contract, facts.system(report)
    name = plain(contract.name)
    yield f"### {plain(system)} under {name}" if system else f"### {name}"
    yield ""
    yield (
        f"{facts.family(report)}, frames of {time_text(report.grid.step)}, {report.matcher.kind.value} matcher, "
        f"contract `{contract.digest[:16]}`"
    )
    for line in report.preparation.lines:
        yield ""
        yield plain(line)
    if contract.overridden:
        yield ""
        yield f"**Overridden:** {plain(contract.overridden)}"


def _folded(report: Report, found: Evidence) -> Iterator[tuple[str, list[str]]]:
    tables = [*overall_tables(report.metrics), *accuracy_tables(found.accuracies)]
    if found.metric_intervals is not None:
        tables[1:1] = interval_tables(found.metric_intervals, report.family.clips)
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
