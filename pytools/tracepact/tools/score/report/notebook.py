"""The vector of a report as a small HTML table for notebooks."""

from dataclasses import replace

from tracepact.show.page import html_table
from tracepact.show.table import cell_of
from tracepact.tools.score.report.record import Report
from tracepact.tools.score.report.tables import vector_table


def notebook_html(report: Report) -> str:
    """The vector with its counts; names are plain, since a notebook has no clips to lead to."""
    found = vector_table(report)
    rows = [[replace(cell_of(cell), choice=None, title="") for cell in row] for row in found.rows]
    title = f"{report.contract.name} · {report.aggregation.words}"
    return str(html_table(replace(found, title=title, rows=rows)))
