"""A run as one self-contained HTML page."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from tracepact.core import Aggregation, Contract
from tracepact.lang.explain import explain_contract
from tracepact.metrics import CountMetricRecord
from tracepact.show.figure import inline
from tracepact.show.page import Section, html_page, html_table, templates
from tracepact.show.table import Bar
from tracepact.tools.score.report import facts, tables
from tracepact.tools.score.report.clips import clip_data
from tracepact.tools.score.report.evidence import Evidence, tolerance_figure
from tracepact.tools.score.report.metric_intervals import interval_tables
from tracepact.tools.score.report.metrics import (
    accuracy_tables,
    difference_lines,
    metric_cells,
    metric_tables,
    overall_tables,
)
from tracepact.tools.score.report.record import Report
from tracepact.tools.score.report.sounds import SILENT, Sounds
from tracepact.tools.score.scored import Scored
from tracepact.wording import decimal

_FOLDER = Path(__file__).resolve().parent / "templates"


def report_page(run: Scored, report: Report, found: Evidence, sounds: Sounds = SILENT) -> str:
    """The report of a run as a page that needs nothing beside itself but the sounds it names.

    `report` is what its files say.
    """
    return tallied_page(run.card.contract, clip_data(run.card, run.conditions), report, found, sounds)


def tallied_page(
    contract: Contract, data: Mapping[str, Any], report: Report, found: Evidence, sounds: Sounds = SILENT
) -> str:
    """The page of a report with the data of its clips (`report/clips.py`)."""
    parts: Any = templates(_FOLDER).get_template("report.html").module
    about = [facts.family(report), facts.grid(report), facts.matcher(report)]
    return html_page(
        f"{report.contract.name}: tracepact report",
        parts.head(report, facts.system(report), about, list(_tiles(report))),
        list(_sections(parts, contract, report, found)),
        scripts=["address.js", "report.js"],
        data={**data, "sounds": [sounds.sources.get(clip) for clip in data["clips"]] if sounds.sources else []},
        media=sounds.media,
    )


def _tiles(report: Report) -> Iterator[tuple[str, str]]:
    """The numbers that are shown first, each with what it is."""
    own, soft = report.aggregation, report.soft_boundary
    for aggregation in dict.fromkeys((own, Aggregation.POOLED)):
        name = tables.headline_name(report, aggregation)
        yield tables.headline_text(report, aggregation), f"{name}, {aggregation.words}"
    for profile in facts.profiles(report):
        yield profile.value, f"profile {profile.name} ({profile.about})"
    yield decimal(soft.value), f"soft boundary score, {soft.edges:,} edges (decides nothing)"
    yield f"{report.pairs:,}", "matched pair" if report.pairs == 1 else "matched pairs"
    for metric in report.metrics.metrics:
        if isinstance(metric, CountMetricRecord) and metric.name == "event":
            name, micro, *_ = metric_cells(metric)
            yield micro, f"{name}, micro; its policy is below"


def _sections(parts: Any, contract: Contract, report: Report, found: Evidence) -> Iterator[Section]:
    lead = "One score for each clause, an exact fraction of counts. Choose a clause to see the clips that fail it."
    yield Section("vector", "The vector", _vector(parts, contract, report, found), lead)
    if (margins := tables.margin_table(report)) is not None:
        lead = "How far the verdicts of the frame clauses are from their opposite, in the scores the events come from."
        yield Section("margins", "Margins in score", html_table(replace(margins, title="")), lead)
    lead = "The field’s own numbers on the same data, each with the policy it depends on; ties are decided exactly."
    yield Section("metrics", "Standard metrics", _metrics(parts, report, found), lead)
    if len(report.classes) > 1:
        shown = html_table(tables.class_table(report), kind="heat")
        lead = "Pooled over clips. The stronger its shade, the more a cell has lost. Choose one to see its clips."
        yield Section("classes", "By class", shown, lead)
    if report.conditions:
        lead = f"Aggregated as the contract says: {report.aggregation.words}."
        yield Section("conditions", "By condition", html_table(tables.condition_table(report), kind="heat"), lead)
    if found.curves:
        lead = (
            "Every score as the exact step function of a parameter; nothing is interpolated. Aggregated as the "
            f"contract says ({report.aggregation.words}), whichever aggregation is chosen above."
        )
        yield Section("tolerance", "Tolerance", _tolerance(parts, found), lead)
    elif report.sweeps:
        shown = html_table(replace(tables.sweep_table(report), title=""))
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
    shown = parts.contract(named.text, tables.parameter_table(report))
    yield Section("contract", "The contract", shown, lead)
    versions = ", ".join(f"{name} {value}" for name, value in report.versions.to_dict().items())
    counts = report.diagnostics.words
    shown = parts.source(tables.input_table(report), versions, tables.warning_table(report), counts)
    yield Section("source", "Where it came from", shown)


def _vector(parts: Any, contract: Contract, report: Report, found: Evidence) -> Any:
    own = report.aggregation
    texts = {row.clause: row.words for row in explain_contract(contract).clauses}
    shown = [
        (
            a.words,
            replace(tables.vector_table(report, a, ranges=found.intervals.get(a), texts=texts), title=""),
        )
        for a in (own, *(a for a in Aggregation if a is not own))
    ]
    one = Fraction(1)
    samples = [(Bar(one), "earned"), (Bar(one, one), "scores 1 without an obligation")]
    if found.intervals:
        samples.append((Bar(Fraction(0), low=0.1, high=0.9), "95 % interval"))
    return parts.vector(shown, samples)


def _metrics(parts: Any, report: Report, found: Evidence) -> Any:
    overall = overall_tables(report.metrics)
    by_class = metric_tables(report.metrics)[len(overall) :]
    differences = report.metrics.differences
    lines = [line.strip() for line in difference_lines(differences)] if differences else []
    first = [replace(overall[0], title=""), *overall[1:], *accuracy_tables(found.accuracies)]
    if found.metric_intervals is not None:
        first[1:1] = interval_tables(found.metric_intervals, report.family.clips)
    return parts.metrics(first, [replace(table, title="") for table in by_class], lines)


def _tolerance(parts: Any, found: Evidence) -> Any:
    figures = []
    for tolerance in found.curves:
        still = ", ".join(name for name, curve in tolerance.clauses.items() if not curve.span)
        figures.append((inline(tolerance_figure(tolerance)), still, tables.tolerance_table(tolerance)))
    return parts.tolerance(figures)
