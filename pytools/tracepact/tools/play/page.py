"""The page of the workbench: its parts from a template, its scripts and style from the package."""

from pathlib import Path
from typing import Any

from tracepact.records import plain
from tracepact.show.page import Section, html_page, templates
from tracepact.tools.play.scene import Clip

_FOLDER = Path(__file__).resolve().parent
_SCRIPTS = ("times", "scene", "timeline", "verdicts", "contract", "parameters", "files", "workbench")


def play_page(contract: str, clips: tuple[Clip, ...], overrides: dict[str, str], *, union: bool) -> str:
    """The page that begins with a contract's text and some clips."""
    parts: Any = templates(_FOLDER).get_template("parts.html").module
    sections = [
        Section("contract", "Contract", parts.contract()),
        Section("scene", "Scene", parts.scene()),
        Section("verdicts", "Verdicts", parts.verdicts()),
        Section("parameters", "Parameters", parts.parameters()),
        Section("findings", "Findings", parts.findings()),
        Section("files", "Files", parts.files()),
    ]
    return html_page(
        "tracepact play",
        parts.head(),
        sections,
        scripts=["address.js", *(f"play/{name}.js" for name in _SCRIPTS)],
        styles=["play/play.css"],
        data=plain({"contract": contract, "clips": clips, "set": overrides, "union": union}),
        connect="'self'",
    )
