"""What the audits share: the options by which they are shown and written, and stored runs as arguments."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypedDict, Unpack

import click

from tracepact.core import Aggregation
from tracepact.diagnostics import Diagnostics
from tracepact.files import json_text, table_text, write_whole
from tracepact.scoring.bootstrap import DRAWS, SEED
from tracepact.show.lines import reader_may_leave, say
from tracepact.show.screen import print_tables
from tracepact.tools.audit.view import View
from tracepact.tools.parameters import OutputFile, Share
from tracepact.tools.score.run import Run
from tracepact.tools.score.store.opening import open_run
from tracepact.tools.score.store.writing import owner


class Shown(TypedDict):
    """What `show_options` hands to a command."""

    as_json: bool
    csv: Path | None
    figure: Path | None


_OPTIONS = (
    click.option("--json", "as_json", is_flag=True, help="Print the audit as JSON."),
    click.option("--csv", type=OutputFile(owner), help="Also write its rows to this file."),
    click.option("--figure", type=OutputFile(owner, ".svg"), help="Also write its chart to this file, as SVG (.svg)."),
)


def show_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of `Shown`."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def show(view: View, more: Mapping[Path, str] | None = None, **given: Unpack[Shown]) -> None:
    """Print an audit, and write the files that are asked for."""
    files = dict(more or {})
    if given["csv"] is not None:
        files[given["csv"]] = table_text(view.columns, view.rows, ",")
    if given["figure"] is not None:
        files[given["figure"]] = view.figure
    write_whole(files)
    for path in files:
        say(f"wrote {path}")
    with reader_may_leave():
        if given["as_json"]:
            click.echo(json_text(view.data), nl=False)
        else:
            print_tables(view.text)


def stored(folder: str) -> Run:
    """The run a directory holds, computed again from its tables."""
    return open_run(folder, Diagnostics()).rescore()


def aggregation_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The option --aggregation, by default the contract's own."""
    return click.option(
        "--aggregation",
        type=click.Choice([a.value for a in Aggregation]),
        callback=lambda ctx, param, value: None if value is None else Aggregation(value),
        help="How clips and classes become one; by default as the contract says.",
    )(function)


def bootstrap_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options --draws, --seed and --level of a bootstrap."""
    for option in (
        click.option("--level", type=Share(), default="0.95", show_default=True, help="The level of the intervals."),
        click.option("--seed", type=click.IntRange(0), default=SEED, show_default=True, help="Seed of the generator."),
        click.option(
            "--draws", type=click.IntRange(1, 10**6), default=DRAWS, show_default=True, help="Draws of clips."
        ),
    ):
        function = option(function)
    return function
