"""The views of a robustness run: every table and chart as a file, and one self-contained page."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from markupsafe import Markup

from tracelab.robustness.charts import robustness_figures
from tracelab.robustness.records import Manifest
from tracelab.robustness.tables import Shown, robustness_tables
from tracelab.study.tables import StudyTable
from tracelab.study.views import view_files
from tracepact.show import Section, Table, html_page, html_table, inline, words

TITLE = "Robustness and calibration of sound classifiers"


def robustness_views(shown: Shown) -> dict[str, str]:
    """Every table, figure and the page, by the name of its file."""
    tables, figures = robustness_tables(shown), robustness_figures(shown)
    return {**view_files(tables, figures), "report.html": _page(shown, tables, figures)}


def _page(shown: Shown, tables: Sequence[StudyTable], figures: Mapping[str, str]) -> str:
    sections = []
    for one in tables:
        charts = Markup("").join(_figure(figures[name]) for name in _figures_of(one.name, figures))
        sections.append(Section(one.name, one.table.title, charts + html_table(replace(one.table, title="")), one.lead))
    manifest = shown.manifest
    record: list[tuple[str, Any]] = [
        ("corpus", manifest.corpus),
        ("corpus SHA-256", manifest.corpus_sha256),
        ("table of corruptions, SHA-256", manifest.table_sha256),
        ("seed", manifest.seed),
        ("seconds of the last run", manifest.seconds),
        ("machine", manifest.machine),
        *manifest.versions.items(),
        *((f"classifier {name}", _listed(key)) for name, key in manifest.classifiers.items()),
    ]
    listed = Table("", words("what", "value"), [[name, str(value)] for name, value in record])
    sections.append(Section("record", "Record", html_table(listed)))
    head = Markup(
        "<h1>{}</h1><p>{} {} Every figure is computed from stored logits; "
        "<code>tracelab verify</code> computes them again.</p>"
    ).format(TITLE, protocol_line(manifest), headline(shown))
    return html_page(TITLE, head, sections)


def protocol_line(manifest: Manifest) -> str:
    """Whether the run is of the canonical protocol, and why not."""
    if manifest.canonical:
        return "The canonical protocol."
    return f"Not the canonical protocol: {'; '.join(manifest.not_canonical)}."


def headline(shown: Shown) -> str:
    """One sentence for each classifier."""
    parts = []
    for clean, corrupted in zip(shown.clean.models, shown.corruptions.models, strict=True):
        worst = min(corrupted.families, key=lambda family: Fraction(family.mean_accuracy.exact or 0))
        parts.append(
            f"{clean.name}: {clean.scores.accuracy.value:.1%} clean, {corrupted.mean_corruption_accuracy.value:.1%} "
            f"over the grid, least under {worst.family} ({worst.mean_accuracy.value:.1%})."
        )
    return " ".join(parts)


def _figures_of(table: str, figures: Mapping[str, str]) -> list[str]:
    prefix = {"families": "severity-", "calibration": "reliability-"}.get(table)
    return [name for name in figures if (name.startswith(prefix) if prefix else name == table)]


def _figure(chart: str) -> Markup:
    return Markup("<figure>{}</figure>").format(inline(chart))


def _listed(key: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in key.items())
