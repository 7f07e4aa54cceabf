"""Reports: a run as plain data, and the views of that data: terminal, JSON, CSV, notebook, files."""

from tracepact.report.data import report_data
from tracepact.report.files import report_text, report_views
from tracepact.report.notebook import notebook_html
from tracepact.report.text import render_report
from tracepact.report.witnesses import all_witnesses

__all__ = [
    "all_witnesses",
    "notebook_html",
    "render_report",
    "report_data",
    "report_text",
    "report_views",
]
