"""The forms of a report that are made from a stored run: page, Markdown, text."""

from collections.abc import Callable, Sequence
from typing import Any

from tracepact.core import Aggregation
from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.tools.score.report.evidence import Evidence, evidence
from tracepact.tools.score.report.files import report_text
from tracepact.tools.score.report.html import report_page
from tracepact.tools.score.report.markdown import report_markdown
from tracepact.tools.score.scored import OnStage, Scored, unwatched
from tracepact.tools.score.store.opening import StoredRun

FILES = {"html": "report.html", "markdown": "report.md", "text": "report.txt"}
"""The forms of a report and the files they are written to."""


def report_forms(
    stored: StoredRun, forms: Sequence[str] = tuple(FILES), on_stage: OnStage = unwatched
) -> dict[str, str]:
    """The report of a stored run in some of the FILES' forms.

    InvalidInput if the run does not come out as it is stored: a page would then show what the report does not say.
    """
    on_stage("computing the run again")
    run = stored.rescore()
    _check_same(stored, run)
    return run_forms(run, stored.report, forms, on_stage)


def run_forms(
    run: Scored,
    data: dict[str, Any],
    forms: Sequence[str] = tuple(FILES),
    on_stage: OnStage = unwatched,
) -> dict[str, str]:
    """The report of a run in some of the FILES' forms; `data` is the run's report as plain data."""
    on_stage("intervals and curves")
    found = evidence(run) if set(forms) & {"html", "markdown"} else Evidence({}, ())
    on_stage("drawing")
    makers: dict[str, Callable[[], str]] = {
        "html": lambda: report_page(run, data, found),
        "markdown": lambda: report_markdown(data, found),
        "text": lambda: report_text(data),
    }
    return {form: makers[form]() for form in forms}


def written_views(run: Scored, data: dict[str, Any], on_stage: OnStage = unwatched) -> dict[str, str]:
    """The page and the Markdown of a run, by the names of their files: what `write_run` takes as further views."""
    made = run_forms(run, data, ("html", "markdown"), on_stage)
    return {FILES[form]: text for form, text in made.items()}


def _check_same(stored: StoredRun, run: Scored) -> None:
    """The counts of every clause against those of the stored report."""
    for row in stored.report["vector"]:
        old, new = row["scores"]["pooled"], run.card.score(row["clause"], Aggregation.POOLED)
        if (old["satisfied"], old["obligated"]) != (new.satisfied, new.obligated):
            diagnostics = Diagnostics()
            diagnostics.add(
                "broken-run",
                f"`{row['clause']}` does not come out as it is stored",
                RowPlace(str(stored.folder / "report.json")),
                "`tracepact verify` names what drifted",
            )
            diagnostics.raise_errors()
