"""`tracepact fmt`: write contracts in their canonical form."""

import difflib
import sys
from pathlib import Path

import click

from tracepact.cli.exits import Exit
from tracepact.cli.screen import messages
from tracepact.diagnostics import Diagnostics, Source
from tracepact.lang import format_document, read_document, read_source
from tracepact.report.files import write_whole


@click.command()
@click.argument("contracts", nargs=-1, required=True, metavar="CONTRACT...")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a file is not in canonical form.")
@click.option("--diff", is_flag=True, help="Write nothing; show what would change.")
def command(contracts: tuple[str, ...], check: bool, diff: bool) -> int:
    """Format contract files in place, comments kept; `-` formats standard input to standard output."""
    diagnostics = Diagnostics()
    formatted: list[tuple[Source, str]] = []
    for given in contracts:
        source = Source("-", sys.stdin.read()) if given == "-" else read_source(given, diagnostics)
        if source is not None:
            formatted.append((source, format_document(read_document(source, diagnostics), source)))
    diagnostics.raise_errors()
    changed = [(source, text) for source, text in formatted if text != source.text]
    for source, text in formatted:
        if diff:
            lines = difflib.unified_diff(
                source.text.splitlines(True), text.splitlines(True), source.name, f"{source.name} (canonical)"
            )
            click.echo("".join(lines), nl=False)
        elif source.name == "-" and not check:
            click.echo(text, nl=False)
    if check or diff:
        for source, _ in changed:
            messages().print(f"{source.name}: not in canonical form", markup=False)
        return Exit.VIOLATED if changed else Exit.OK
    for source, text in changed:
        if source.name != "-":
            write_whole(Path(source.name), text)
            messages().print(f"{source.name}: formatted", markup=False)
    return Exit.OK
