"""Draws tables, figures and pages; knows no subject. The names below are public, each loaded when it is first used."""

from typing import TYPE_CHECKING

from tracepact.lazy import loader

if TYPE_CHECKING:
    from tracepact.show.figure import Bar, BarGroup, Curve, bar_chart, curve_chart, heat_table, inline
    from tracepact.show.markdown import table_lines
    from tracepact.show.page import Section, html_page, html_table
    from tracepact.show.screen import print_tables
    from tracepact.show.separated import csv_rows, csv_text
    from tracepact.show.table import Cell, Column, Table, Tone, numbers, words
    from tracepact.show.terminal import TerminalTable

_HOMES = {
    "Bar": "figure",
    "BarGroup": "figure",
    "Cell": "table",
    "Column": "table",
    "Curve": "figure",
    "Section": "page",
    "Table": "table",
    "TerminalTable": "terminal",
    "Tone": "table",
    "bar_chart": "figure",
    "csv_rows": "separated",
    "csv_text": "separated",
    "curve_chart": "figure",
    "heat_table": "figure",
    "html_page": "page",
    "html_table": "page",
    "inline": "figure",
    "numbers": "table",
    "print_tables": "screen",
    "table_lines": "markdown",
    "words": "table",
}

__all__ = [
    "Bar",
    "BarGroup",
    "Cell",
    "Column",
    "Curve",
    "Section",
    "Table",
    "TerminalTable",
    "Tone",
    "bar_chart",
    "csv_rows",
    "csv_text",
    "curve_chart",
    "heat_table",
    "html_page",
    "html_table",
    "inline",
    "numbers",
    "print_tables",
    "table_lines",
    "words",
]


__getattr__ = loader(__name__, _HOMES)
