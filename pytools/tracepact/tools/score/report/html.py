"""A run as one self-contained HTML page."""

from dataclasses import replace
from typing import Any

from markupsafe import Markup

from tracepact.show.page import Section, page
from tracepact.tools.score.report.clips import clip_data
from tracepact.tools.score.report.evidence import Evidence
from tracepact.tools.score.report.sections import (
    class_section,
    clip_section,
    condition_section,
    contract_section,
    head,
    metric_section,
    source_section,
    tolerance_section,
    vector_section,
)
from tracepact.tools.score.scored import Scored


def report_page(run: Scored, data: dict[str, Any], found: Evidence) -> str:
    """The report of a run as a page that needs nothing beside itself; `data` is the run's report as plain data."""
    sections: list[Section | None] = [
        vector_section(data, run, found),
        metric_section(data),
        class_section(data),
        condition_section(data),
        tolerance_section(found),
        clip_section(data),
        contract_section(data),
        source_section(data),
    ]
    return page(
        f"{data['contract']['name']}: tracepact report",
        Markup(head(data)),  # noqa: S704  (texts are escaped)
        [replace(section, body=Markup(section.body)) for section in sections if section is not None],  # noqa: S704
        scripts=["report.js"],
        data=clip_data(run.card, run.conditions),
    )
