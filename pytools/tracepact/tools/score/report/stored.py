"""The forms of a report that are made from a stored run: page, Markdown, text."""

from collections.abc import Callable, Sequence

from msgspec import ValidationError

from tracepact.core import Aggregation
from tracepact.diagnostics import Diagnostics, InvalidInput, RowPlace
from tracepact.progress import OnStage, silent
from tracepact.records import record_of
from tracepact.tools.score.report.evidence import Evidence, evidence
from tracepact.tools.score.report.html import report_page
from tracepact.tools.score.report.markdown import report_markdown
from tracepact.tools.score.report.record import Report
from tracepact.tools.score.report.sounds import SILENT, Sounds
from tracepact.tools.score.report.text import FILES, report_text
from tracepact.tools.score.scored import Scored
from tracepact.tools.score.store.opening import StoredRun


def report_forms(
    stored: StoredRun, forms: Sequence[str] = tuple(FILES), on_stage: OnStage = silent, sounds: Sounds = SILENT
) -> dict[str, str]:
    """The report of a stored run in some of the FILES' forms; a page plays these sounds.

    InvalidInput if the run does not come out as it is stored: a page would then show what the report does not say.
    """
    on_stage("computing the run again")
    report, run = stored_report(stored), stored.rescore()
    check_same(stored, report, run)
    return run_forms(run, report, forms, on_stage, sounds)


def stored_report(stored: StoredRun) -> Report:
    """The report of a stored run; InvalidInput if it is not of the form of one."""
    try:
        return record_of(stored.report, Report)
    except ValidationError as error:
        raise _broken(stored, f"the report is not of its form: {str(error)[:1].lower()}{str(error)[1:]}") from error


def run_forms(
    run: Scored,
    report: Report,
    forms: Sequence[str] = tuple(FILES),
    on_stage: OnStage = silent,
    sounds: Sounds = SILENT,
) -> dict[str, str]:
    """The report of a run in some of the FILES' forms; `report` is what its files say."""
    on_stage("intervals and curves")
    found = evidence(run) if set(forms) & {"html", "markdown"} else Evidence({}, ())
    on_stage("drawing")
    makers: dict[str, Callable[[], str]] = {
        "html": lambda: report_page(run, report, found, sounds),
        "markdown": lambda: report_markdown(report, found),
        "text": lambda: report_text(report),
    }
    return {form: makers[form]() for form in forms}


def written_views(run: Scored, report: Report, on_stage: OnStage = silent, sounds: Sounds = SILENT) -> dict[str, str]:
    """The page and the Markdown of a run, by the names of their files: what `write_run` takes as further views."""
    made = run_forms(run, report, ("html", "markdown"), on_stage, sounds)
    return {FILES[form]: text for form, text in made.items()}


def check_same(stored: StoredRun, report: Report, run: Scored) -> None:
    """The counts of every clause against those of the stored report."""
    known = {clause.name for clause in run.card.contract.clauses}
    for row in report.vector:
        old = row.scores[Aggregation.POOLED]
        new = run.card.score(row.clause, Aggregation.POOLED) if row.clause in known else None
        if new is None or (old.satisfied, old.obligated) != (new.satisfied, new.obligated):
            fault = f"`{row.clause}` does not come out as it is stored"
            raise _broken(stored, fault, "`tracepact verify` names what drifted")


def _broken(stored: StoredRun, fault: str, help: str | None = None) -> InvalidInput:
    diagnostics = Diagnostics()
    diagnostics.add("broken-run", fault, RowPlace(str(stored.folder / "report.json")), help)
    return InvalidInput(diagnostics)
