"""Draws tables, figures and pages; knows no subject. The names below are public, each loaded when it is first used."""

from typing import TYPE_CHECKING

from tracepact.lazy import loader

if TYPE_CHECKING:
    from tracepact.show.figures import Bar, BarGroup, Curve, bar_chart, curve_chart, heat_table, inline
    from tracepact.show.pages import Section, html_page, html_table
    from tracepact.show.tables import (
        Cell,
        Column,
        Table,
        TerminalTable,
        Tone,
        csv_rows,
        csv_text,
        numbers,
        print_tables,
        table_lines,
        words,
    )

_NAMES = {
    "figures": ("Bar", "BarGroup", "Curve", "bar_chart", "curve_chart", "heat_table", "inline"),
    "pages": ("Section", "html_page", "html_table"),
    "tables": (
        *("Cell", "Column", "Table", "TerminalTable", "Tone"),
        *("csv_rows", "csv_text", "numbers", "print_tables", "table_lines", "words"),
    ),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}

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
