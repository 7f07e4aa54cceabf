"""The views of the audits, a module each: plain data, a table, rows, a chart."""

from tracepact.report.audits.view import View

__all__ = ["View"]
