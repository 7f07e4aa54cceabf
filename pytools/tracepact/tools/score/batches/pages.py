"""The forms of a report of a run in batches: made of its report, its worst clips and its contract (rule 24.14)."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from msgspec import DecodeError, ValidationError, field

from tracepact.core import Aggregation, Contract
from tracepact.diagnostics import Diagnostic, InvalidInput, RowPlace
from tracepact.engines import Engine, Progress
from tracepact.lang import parse_contract
from tracepact.metrics import MetricIntervals, intervals_record
from tracepact.metrics.record import AccuracyRecord, accuracy_records
from tracepact.records import Record, record_from_bytes
from tracepact.scoring import LOGIC
from tracepact.scoring.tolerance import Tolerance
from tracepact.scoring.uncertainty import USUAL, Interval
from tracepact.tools.score.batches.store import batch_manifest
from tracepact.tools.score.drawn import Intervals, drawn_intervals
from tracepact.tools.score.report.build import Head
from tracepact.tools.score.report.clips import ClipsTally, fits, page_clips
from tracepact.tools.score.report.evidence import Evidence
from tracepact.tools.score.report.html import tallied_page
from tracepact.tools.score.report.markdown import report_markdown
from tracepact.tools.score.report.record import Report
from tracepact.tools.score.report.sounds import SILENT, Sounds
from tracepact.tools.score.report.text import report_text
from tracepact.tools.score.store.writing import SOURCE
from tracepact.tools.score.tally import RunTally

PAGE = "page.json"


class PageData(Record, frozen=True):
    """What a page shows beside the report: the clips that lose most, and accuracies.

    If a page was asked for when the run was scored, also the intervals of clauses by aggregation and of metrics, and
    the curves over swept parameters.
    """

    format: Literal["tracepact-page/1"]
    clips: ClipsTally
    accuracies: tuple[AccuracyRecord, ...]
    intervals: dict[Aggregation, dict[str, Interval]] = field(default_factory=dict)
    curves: tuple[Tolerance, ...] = ()
    metric_intervals: MetricIntervals | None = None
    drawn: bool = False

    @property
    def evidence(self) -> Evidence:
        """What the page shows beside the run's own data."""
        return Evidence(self.intervals, self.curves, self.accuracies, self.metric_intervals)


def page_data(
    tally: RunTally, head: Head, prediction: str, engine: Engine, progress: Progress | None, *, drawn: bool
) -> PageData:
    """What a page shows of a tally that has clips; `drawn` asks for intervals and curves as well."""
    assert tally.clips is not None  # a run directory is being made
    measured = tally.metrics.measured(head.settings)
    accuracies = accuracy_records(measured)
    if not drawn:
        return PageData("tracepact-page/1", tally.clips, accuracies)
    curves = tuple(found.tolerance(head.contract) for found in tally.tolerances)
    ranges: Intervals = {}
    compared = None
    if tally.draws is not None and tally.group.clips > 1:
        given = tally.draws, tally.group.clips, tally.group, measured, USUAL
        ranges, found = drawn_intervals(*given, engine, progress)
        compared = intervals_record([prediction], found, USUAL)
    return PageData("tracepact-page/1", tally.clips, accuracies, ranges, curves, compared, drawn=True)


class BatchPages:
    """A report of a run in batches, and what its page shows beside it."""

    def __init__(self, contract: Contract, report: Report, data: PageData) -> None:
        self.contract, self.report, self.data = contract, report, data

    @property
    def clips(self) -> list[str]:
        """The clips that a page holds."""
        return [entry.clip for entry in self.data.clips.worst]

    def forms(self, forms: Sequence[str], sounds: Sounds = SILENT) -> dict[str, str]:
        """The report as `html`, `markdown` or `text`."""
        found = self.data.evidence
        makers: dict[str, Callable[[], str]] = {
            "html": lambda: tallied_page(
                self.contract,
                page_clips(self.contract, self.report.family.classes, self.data.clips),
                self.report,
                found,
                sounds,
            ),
            "markdown": lambda: report_markdown(self.report, found),
            "text": lambda: report_text(self.report),
        }
        return {form: makers[form]() for form in forms}


def open_pages(folder: Path) -> BatchPages | None:
    """What a run directory of a run in batches holds of its pages; None if it is none, InvalidInput if it is broken."""
    manifest = batch_manifest(folder)
    if manifest is None:
        return None
    name = "manifest.json"
    try:
        overrides, source = manifest["settings"]["overrides"], manifest["contract"]["source"]
        name = SOURCE
        contract = parse_contract((folder / SOURCE).read_text(encoding="utf-8"), overrides, name=source)
        name = "report.json"
        report = record_from_bytes((folder / name).read_bytes(), Report)
        name = PAGE
        data = record_from_bytes((folder / name).read_bytes(), PageData)
    except (OSError, KeyError, TypeError, ValueError, DecodeError, ValidationError) as error:
        raise _broken(folder / name, f"`{name}` is not of its form: {error}") from error
    if contract.digest != report.contract.digest:
        raise _broken(folder / SOURCE, "the contract is not the one that the report names")
    if not fits(data.clips, contract, report.family.classes) or not _drawn_fits(data, contract):
        raise _broken(folder / PAGE, f"`{PAGE}` speaks of classes or clauses that there are not")
    return BatchPages(contract, report, data)


def _drawn_fits(data: PageData, contract: Contract) -> bool:
    """Whether intervals and curves are of the contract's clauses, and the curves are some."""
    clauses = {clause.name for clause in contract.clauses}
    known = all(set(some) == clauses | {LOGIC} for some in data.intervals.values())
    curves = [(curve, found) for found in data.curves for curve in (*found.clauses.values(), found.logic)]
    return (
        known
        and all(set(found.clauses) == clauses for found in data.curves)
        and all(
            len(curve.starts) == len(curve.values) > 0
            and list(curve.starts) == sorted(set(curve.starts))
            and (curve.low, curve.high) == (found.low, found.high)
            and found.low < found.high
            for curve, found in curves
        )
        and all(found.low <= mark.value <= found.high for found in data.curves for mark in found.marks)
    )


def _broken(path: Path, headline: str) -> InvalidInput:
    return InvalidInput(
        [Diagnostic("broken-run", headline, RowPlace(str(path)), "`tracepact verify` names what drifted")]
    )
