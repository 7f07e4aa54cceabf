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

_HOMES = {
    "Bar": "figures",
    "BarGroup": "figures",
    "Cell": "tables",
    "Column": "tables",
    "Curve": "figures",
    "Section": "pages",
    "Table": "tables",
    "TerminalTable": "tables",
    "Tone": "tables",
    "bar_chart": "figures",
    "csv_rows": "tables",
    "csv_text": "tables",
    "curve_chart": "figures",
    "heat_table": "figures",
    "html_page": "pages",
    "html_table": "pages",
    "inline": "figures",
    "numbers": "tables",
    "print_tables": "tables",
    "table_lines": "tables",
    "words": "tables",
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
