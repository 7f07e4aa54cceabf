"""`tracepact show`: print a starter contract, or list them."""

import click

from tracepact.diagnostics import Diagnostics
from tracepact.lang import load_contract, read_source
from tracepact.show.lines import say
from tracepact.specs import starter_contracts
from tracepact.tools.parameters import complete_starter


@click.command()
@click.argument("contract", required=False, shell_complete=complete_starter)
def command(contract: str | None) -> None:
    """Print a starter contract with its comments; without CONTRACT, list the starter contracts."""
    if contract is None:
        names = list(starter_contracts())
        width = max(map(len, names))
        text = "\n".join(f"{name:<{width}}  {load_contract(path).title}" for name, path in starter_contracts().items())
    else:
        diagnostics = Diagnostics()
        source = read_source(contract, diagnostics)
        diagnostics.raise_errors()
        assert source is not None  # what cannot be read is an error
        text = source.text.rstrip("\n")
    say(text, answer=True, verbatim=contract is not None)
