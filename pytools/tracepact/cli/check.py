"""`tracepact check`: say all that is wrong with contracts."""

import click

from tracepact.cli.exits import Exit
from tracepact.cli.screen import print_diagnostics, refuse, say
from tracepact.diagnostics import DIAGNOSTIC_FORMATS, Diagnostics, InvalidInput, summarise
from tracepact.lang import compile_source, read_source


@click.command()
@click.argument("contracts", nargs=-1, required=True, metavar="CONTRACT...")
@click.option("--format", "form", type=click.Choice(sorted(DIAGNOSTIC_FORMATS)), default="terminal", show_default=True)
@click.option("--strict", is_flag=True, help="Treat warnings as errors.")
def command(contracts: tuple[str, ...], form: str, strict: bool) -> int:
    """Check contract files (or starter contracts by name) and report every fault, not only the first."""
    diagnostics = Diagnostics()
    for given in contracts:
        own = _check(given)
        diagnostics.extend(own)
        if form == "terminal":
            say(f"{given}: {summarise(own) if len(own) else 'ok'}")
    failed = diagnostics.errors or (strict and diagnostics.warnings)
    if failed and form == "terminal":
        refuse(diagnostics)
    else:
        print_diagnostics(diagnostics, form)
    return Exit.INVALID if failed else Exit.OK


def _check(given: str) -> Diagnostics:
    """All findings on one contract."""
    found = Diagnostics()
    try:
        source = read_source(given, found)
    except InvalidInput as error:
        found.extend(error.diagnostics)
        return found
    if source is not None:
        compile_source(source, found)
    return found
