"""The views of a study's rows: tables as CSV, Markdown and LaTeX, and one self-contained page."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from tracelab.detectors.recipes import DETECTORS
from tracelab.study.findings import finding_table, findings
from tracelab.study.latex import latex_table
from tracelab.study.rows import Row
from tracelab.study.tables import GUARDS, Rows, StudyTable, guard_value, study_tables, tolerance_curve
from tracepact.show import (
    Column,
    Curve,
    Section,
    Table,
    csv_text,
    curve_chart,
    heat_table,
    html_page,
    html_table,
    inline,
    table_lines,
    words,
)


def every_table(rows: Rows) -> list[StudyTable]:
    """The findings, the protocol, and every table made of rows."""
    return [
        StudyTable("findings", finding_table(findings(rows))),
        StudyTable("protocol", _listed("Protocol", rows["protocol"])),
        StudyTable("perturbations", _listed("Perturbations", rows["perturbations"])),
        *study_tables(rows),
    ]


def view_files(tables: Sequence[StudyTable], figures: Mapping[str, str]) -> dict[str, str]:
    """The files of the views by name."""
    files = {}
    for one in tables:
        files[f"tables/{one.name}.csv"] = _csv(one.table)
        files[f"tables/{one.name}.md"] = "\n".join(table_lines(one.table)) + "\n"
        files[f"tables/{one.name}.tex"] = latex_table(one.table)
    files |= {f"figures/{name}.svg": chart for name, chart in figures.items()}
    return files


def study_figures(rows: Rows) -> dict[str, str]:
    """The charts: the exact tolerance curves, and guards by detector."""
    names = [recipe.name for recipe in DETECTORS]
    curves = []
    for name in names:
        pieces = tolerance_curve(rows, name)
        points = [(pieces[0][0], pieces[0][3]), *((high, value) for _, high, _, value in pieces)]
        curves.append(Curve(name, [(1000 * x, y) for x, y in points]))
    values = [[guard_value(rows, "detectors", name, clause) for clause in GUARDS] for name in names]
    return {
        "tolerance": curve_chart(
            "Mean of the vector over the tolerance", curves, x="tolerance, ms", y="mean of the vector", steps=True
        ),
        "guards": heat_table("Guards by detector", names, [guard.removesuffix("_guard") for guard in GUARDS], values),
    }


def study_page(title: str, record: Mapping[str, Any], tables: Sequence[StudyTable], figures: Mapping[str, str]) -> str:
    """One page with every table, figure and the record of the run."""
    sections = []
    for one in tables:
        chart = Markup("<figure>{}</figure>").format(inline(figures[one.name])) if one.name in figures else Markup("")
        sections.append(Section(one.name, one.table.title, chart + html_table(replace(one.table, title="")), one.lead))
    sections.append(record_section(record))
    head = Markup(
        "<h1>{}</h1><p>Scale {}; speech from {}. Every table is a view of stored rows; "
        "<code>tracelab verify</code> computes them again.</p>"
    ).format(title, record["scale"], record["speech"])
    return html_page(title, head, sections)


def record_section(record: Mapping[str, Any]) -> Section:
    """The record of a run as the last part of its page."""
    listed = Table("", [Column("what"), Column("value")], [[key, _recorded(value)] for key, value in record.items()])
    return Section("record", "Record", html_table(listed))


def _recorded(value: Any) -> str:
    match value:
        case Mapping():
            return ", ".join(f"{name} {_recorded(one)}".strip() for name, one in value.items())
        case list():
            return ", ".join(map(str, value))
        case _:
            return str(value)


def _listed(title: str, rows: Sequence[Row]) -> Table:
    """Rows as they are."""
    return Table(title, words(*rows[0]), [list(row.values()) for row in rows])


def _csv(table: Table) -> str:
    return csv_text(
        [column.heading for column in table.columns], ([text.strip() for text in row] for row in table.texts())
    )
