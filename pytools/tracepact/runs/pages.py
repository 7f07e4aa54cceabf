"""The pages of a report: what they show beside it, in memory or in batches, and the report as one HTML page."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from tracepact.declarations import OnStage, silent
from tracepact.engines import Engine
from tracepact.evaluate.scores import LOGIC
from tracepact.language.contract import Aggregation, Contract
from tracepact.language.explanation import explain_contract
from tracepact.measures.records import CountMetricRecord
from tracepact.runs import report_parts, report_tables
from tracepact.runs.report import Report
from tracepact.runs.report_parts import PageData, page_data, report_from, tolerance_figure
from tracepact.runs.report_tables import accuracy_tables, difference_lines, metric_cells, metric_tables, overall_tables
from tracepact.runs.report_views import FILES, SILENT, Sounds, interval_tables, report_markdown, report_text
from tracepact.runs.tally import tally_of
from tracepact.runs.task import Scored
from tracepact.runs.timelines import fits, page_clips
from tracepact.show.figures import inline
from tracepact.show.pages import Section, html_page, html_table, templates
from tracepact.show.tables import ShareBar
from tracepact.wording import decimal

PAGE = "page.json"
"""The file of a run in batches that its pages are made of."""
WITH_RUN = ("html", "markdown")
"""The forms that `--page` puts into a run directory; the text is there anyway."""

# A run as one self-contained HTML page.

_FOLDER = Path(__file__).resolve().parent


def report_page(contract: Contract, report: Report, data: PageData, sounds: Sounds = SILENT) -> str:
    """A report as a page that needs nothing beside itself but the sounds it names."""
    parts: Any = templates(_FOLDER).get_template("report.html").module
    about = [report_parts.family(report), report_parts.grid(report), report_parts.matcher(report)]
    clips = page_clips(contract, report.family.classes, data.clips)
    return html_page(
        f"{report.contract.name}: tracepact report",
        parts.head(report, report_parts.system(report), about, list(_tiles(report))),
        list(_page_sections(parts, contract, report, data)),
        scripts=["address.js", "report.js"],
        data={**clips, "sounds": [sounds.sources.get(clip) for clip in clips["clips"]] if sounds.sources else []},
        media=sounds.media,
    )


def _tiles(report: Report) -> Iterator[tuple[str, str]]:
    """The numbers that are shown first, each with what it is."""
    own, soft = report.aggregation, report.soft_boundary
    # Pooled beside the contract's own: it is the one whose counts the vector lists.
    for aggregation in dict.fromkeys((own, Aggregation.POOLED)):
        name = report_tables.headline_name(report, aggregation)
        yield report_tables.headline_text(report, aggregation), f"{name}, {aggregation.words}"
    for profile in report_parts.profiles(report):
        yield profile.value, f"profile {profile.name} ({profile.about})"
    yield decimal(soft.value), f"soft boundary score, {soft.edges:,} edges (decides nothing)"
    yield f"{report.pairs:,}", "matched pair" if report.pairs == 1 else "matched pairs"
    for metric in report.metrics.metrics:
        if isinstance(metric, CountMetricRecord) and metric.name == "event":
            name, micro, *_ = metric_cells(metric)
            yield micro, f"{name}, micro; its policy is below"


def _page_sections(parts: Any, contract: Contract, report: Report, data: PageData) -> Iterator[Section]:
    lead = "One score for each clause, an exact fraction of counts. Choose a clause to see the clips that fail it."
    yield Section("vector", "The vector", _page_vector(parts, contract, report, data), lead)
    if (margins := report_tables.margin_table(report)) is not None:
        lead = "How far the verdicts of the frame clauses are from their opposite, in the scores the events come from."
        yield Section("margins", "Margins in score", html_table(replace(margins, title="")), lead)
    lead = "The field’s own numbers on the same data, each with the policy it depends on; ties are decided exactly."
    yield Section("metrics", "Standard metrics", _metrics(parts, report, data), lead)
    if len(report.classes) > 1:
        shown = html_table(report_tables.class_table(report), kind="heat")
        lead = "Pooled over clips. The stronger its shade, the more a cell has lost. Choose one to see its clips."
        yield Section("classes", "By class", shown, lead)
    if report.conditions:
        lead = f"Aggregated as the contract says: {report.aggregation.words}."
        yield Section(
            "conditions", "By condition", html_table(report_tables.condition_table(report), kind="heat"), lead
        )
    # Without `--page` at scoring there are no curves of a run in batches; the points of the sweep are in the report.
    if data.curves:
        lead = (
            "Every score as the exact step function of a parameter; nothing is interpolated. Aggregated as the "
            f"contract says ({report.aggregation.words}), whichever aggregation is chosen above."
        )
        yield Section("tolerance", "Tolerance", _tolerance(parts, data), lead)
    elif report.sweeps:
        shown = html_table(replace(report_tables.sweep_table(report), title=""))
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
    shown = parts.contract(named.text, report_tables.parameter_table(report))
    yield Section("contract", "The contract", shown, lead)
    versions = ", ".join(f"{name} {value}" for name, value in report.versions.to_dict().items())
    counts = report.diagnostics.words
    shown = parts.source(report_tables.input_table(report), versions, report_tables.warning_table(report), counts)
    yield Section("source", "Where it came from", shown)


def _page_vector(parts: Any, contract: Contract, report: Report, data: PageData) -> Any:
    own = report.aggregation
    texts = {row.clause: row.words for row in explain_contract(contract).clauses}
    shown = [
        (
            a.words,
            replace(report_tables.vector_table(report, a, ranges=data.intervals.get(a), texts=texts), title=""),
        )
        for a in (own, *(a for a in Aggregation if a is not own))
    ]
    one = Fraction(1)
    samples = [(ShareBar(one), "earned"), (ShareBar(one, one), "scores 1 without an obligation")]
    if data.intervals:
        samples.append((ShareBar(Fraction(0), low=0.1, high=0.9), "95 % interval"))
    return parts.vector(shown, samples)


def _metrics(parts: Any, report: Report, data: PageData) -> Any:
    overall = overall_tables(report.metrics)
    by_class = metric_tables(report.metrics)[len(overall) :]
    differences = report.metrics.differences
    lines = [line.strip() for line in difference_lines(differences)] if differences else []
    first = [replace(overall[0], title=""), *overall[1:], *accuracy_tables(data.accuracies)]
    if data.metric_intervals is not None:
        first[1:1] = interval_tables(data.metric_intervals, report.family.clips)
    return parts.metrics(first, [replace(table, title="") for table in by_class], lines)


def _tolerance(parts: Any, data: PageData) -> Any:
    figures = []
    for tolerance in data.curves:
        still = ", ".join(name for name, curve in tolerance.clauses.items() if not curve.span)
        figures.append((inline(tolerance_figure(tolerance)), still, report_tables.tolerance_table(tolerance)))
    return parts.tolerance(figures)


# The forms of a report that are made of its tally: of a run in memory, of one in batches, of a directory of one.


@dataclass(frozen=True, slots=True)
class ReportPages:
    """A report, and what its page shows beside it."""

    contract: Contract
    report: Report
    data: PageData

    @property
    def clips(self) -> list[str]:
        """The clips that a page holds."""
        return [entry.clip for entry in self.data.clips.worst]

    def form(self, form: str, sounds: Sounds = SILENT) -> str:
        """The report as `html`, `markdown` or `text`; a page plays these sounds."""
        match form:
            case "html":
                return report_page(self.contract, self.report, self.data, sounds)
            case "markdown":
                return report_markdown(self.report, self.data)
            case _:
                return report_text(self.report)

    def files(self, forms: Iterable[str], sounds: Sounds = SILENT) -> dict[str, str]:
        """The report in some forms, by the names of their files."""
        return {FILES[form]: self.form(form, sounds) for form in forms}


def run_pages(run: Scored, on_stage: OnStage = silent, *, drawn: bool = True) -> ReportPages:
    """The pages of a run in memory, which are those of a run in one batch; `drawn` asks for intervals and curves."""
    on_stage("intervals and curves")
    tally = tally_of(run, clips=True, page=drawn)
    data = page_data(tally, run.head, run.prediction.name, Engine(), None, drawn=drawn)
    on_stage("drawing")
    return ReportPages(run.card.contract, report_from(tally, run.head), data)


def fits_page(data: PageData, contract: Contract, classes: Sequence[str]) -> bool:
    """Whether data that was read speaks of these classes and of the clauses of a contract, and its curves are some."""
    clauses = {clause.name for clause in contract.clauses}
    known = all(set(some) == clauses | {LOGIC} for some in data.intervals.values())
    curves = [(curve, some) for some in data.curves for curve in (*some.clauses.values(), some.logic)]
    return (
        fits(data.clips, contract, classes)
        and known
        and all(set(some.clauses) == clauses for some in data.curves)
        and all(
            len(curve.starts) == len(curve.values) > 0
            and list(curve.starts) == sorted(set(curve.starts))
            and (curve.low, curve.high) == (some.low, some.high)
            and some.low < some.high
            for curve, some in curves
        )
        and all(some.low <= mark.value <= some.high for some in data.curves for mark in some.marks)
    )
