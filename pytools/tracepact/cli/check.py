"""`tracepact check`: say all that is wrong with contracts."""

import click

from tracepact.cli.exits import Exit
from tracepact.cli.screen import contract_path, messages, print_diagnostics
from tracepact.diagnostics import DIAGNOSTIC_FORMATS, Diagnostics, summarise
from tracepact.lang import compile_source, read_source


@click.command()
@click.argument("contracts", nargs=-1, required=True, metavar="CONTRACT...")
@click.option("--format", "form", type=click.Choice(sorted(DIAGNOSTIC_FORMATS)), default="terminal", show_default=True)
@click.option("--strict", is_flag=True, help="Treat warnings as errors.")
def command(contracts: tuple[str, ...], form: str, strict: bool) -> int:
    """Check contract files (or starter contracts by name) and report every fault, not only the first."""
    diagnostics = Diagnostics()
    for given in contracts:
        own = Diagnostics()
        source = read_source(contract_path(given), own)
        if source is not None:
            compile_source(source, own)
        diagnostics.extend(own)
        if form == "terminal":
            messages().print(f"{given}: {summarise(own) if len(own) else 'ok'}", markup=False)
    print_diagnostics(diagnostics, form)
    failed = diagnostics.errors or (strict and diagnostics.warnings)
    return Exit.INVALID if failed else Exit.OK
