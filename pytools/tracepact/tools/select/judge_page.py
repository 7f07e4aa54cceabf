"""The page on which a judge says which of two outputs is worse."""

from pathlib import Path
from typing import Any

from tracepact.show.page import Section, html_page, templates
from tracepact.tools.select.judging import Interview

_FOLDER = Path(__file__).resolve().parent


def judge_page(interview: Interview, command: str) -> str:
    """The page of an interview; `command` is what makes a contract of its file."""
    parts: Any = templates(_FOLDER).get_template("judge.html").module
    sections = [
        Section("pair", "Which of the two is worse?", parts.pair()),
        Section("known", "What is known", parts.progress(str(interview.file), command)),
    ]
    return html_page(
        "tracepact judge",
        parts.head(),
        sections,
        scripts=["judge.js"],
        styles=["judge.css"],
        media="'self'",
        connect="'self'",
    )
