"""Writes a report's files, whole or not at all."""

import json
import os
import shutil
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from rich.console import Console, RenderableType

from tracepact.report.rows import (
    MATCH_COLUMNS,
    SCORE_COLUMNS,
    WITNESS_COLUMNS,
    match_rows,
    score_rows,
    witness_rows,
    write_csv,
)
from tracepact.report.text import render_report, render_summary
from tracepact.run import Run

_WIDTH = 132


def write_report(run: Run, data: dict[str, Any], folder: Path) -> list[Path]:
    """The report as JSON and text, a picture of its vector, and the rows behind it as CSV; returns the paths."""
    title = f"tracepact score {data['contract']['name']}"
    contents = {
        folder / "report.json": json_text(data),
        folder / "report.txt": report_text(data),
        folder / "report.svg": _recorded(render_summary(data)).export_svg(title=title),
        folder / "scores.csv": _csv(SCORE_COLUMNS, score_rows(run.card)),
        folder / "witnesses.csv": _csv(WITNESS_COLUMNS, witness_rows(run.card)),
        folder / "matches.csv": _csv(MATCH_COLUMNS, match_rows(run.card)),
    }
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(contents)
    return list(contents)


def report_text(data: dict[str, Any]) -> str:
    """The whole report as plain text."""
    return _recorded(render_report(data)).export_text()


def json_text(data: Any) -> str:
    """Data as the JSON text that is written and printed."""
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def write_whole(contents: Mapping[Path, str]) -> None:
    """Write files beside their places and move them there, so that nobody ever sees half of what belongs together.

    A link stays a link and a file keeps its permissions.
    """
    staged: list[tuple[Path, Path]] = []
    try:
        for given, text in contents.items():
            path = given.resolve()
            part = path.with_name(f".{path.name}.{os.getpid()}")
            staged.append((part, path))
            part.write_text(text, encoding="utf-8", newline="")
            if path.exists():
                shutil.copymode(path, part)
        for part, path in staged:
            os.replace(part, path)
    finally:
        for part, _ in staged:
            part.unlink(missing_ok=True)


def _recorded(shown: RenderableType) -> Console:
    console = Console(
        record=True, width=_WIDTH, file=StringIO(), force_terminal=True, color_system="truecolor", emoji=False
    )
    console.print(shown)
    return console


def _csv(columns: tuple[str, ...], rows: Any) -> str:
    text = StringIO()
    write_csv(text, columns, rows)
    return text.getvalue()
