"""Writes a report's files, each one whole or not at all."""

import json
import os
import tempfile
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

from rich.console import Console

from tracepact.report.rows import (
    MATCH_COLUMNS,
    SCORE_COLUMNS,
    WITNESS_COLUMNS,
    match_rows,
    score_rows,
    witness_rows,
    write_csv,
)
from tracepact.report.text import render_report
from tracepact.run import Run

_WIDTH = 132


def write_report(run: Run, data: dict[str, Any], folder: Path) -> list[Path]:
    """The report as JSON, text and picture, and the rows behind it as CSV; returns what was written."""
    folder.mkdir(parents=True, exist_ok=True)
    screen = _recorded(data)
    contents: dict[str, Callable[[], str]] = {
        "report.json": lambda: json_text(data),
        "report.txt": lambda: screen.export_text(clear=False),
        "report.svg": lambda: screen.export_svg(title=f"tracepact score · {data['contract']['name']}", clear=False),
        "scores.csv": lambda: _csv(SCORE_COLUMNS, score_rows(run.card)),
        "witnesses.csv": lambda: _csv(WITNESS_COLUMNS, witness_rows(run.card)),
        "matches.csv": lambda: _csv(MATCH_COLUMNS, match_rows(run.card)),
    }
    written = []
    for name, make in contents.items():
        write_whole(folder / name, make())
        written.append(folder / name)
    return written


def json_text(data: Any) -> str:
    """Data as the JSON text that is written and printed."""
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def write_whole(path: Path, text: str) -> None:
    """Write a file beside its place and move it there, so that nobody ever sees half of it."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _recorded(data: dict[str, Any]) -> Console:
    console = Console(record=True, width=_WIDTH, file=StringIO(), force_terminal=True, color_system="truecolor")
    console.print(render_report(data))
    return console


def _csv(columns: tuple[str, ...], rows: Any) -> str:
    text = StringIO()
    write_csv(text, columns, rows)
    return text.getvalue()
