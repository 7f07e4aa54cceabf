"""`tracepact export`: write the frame clauses in another tool's language."""

import click

from tracepact.cli.screen import say, set_option
from tracepact.export import EXPORTS
from tracepact.lang import load_contract


@click.command()
@click.argument("contract")
@click.option("--to", "target", type=click.Choice(sorted(EXPORTS)), required=True)
@set_option
def command(contract: str, target: str, overrides: tuple[tuple[str, str], ...]) -> None:
    """Print the frame clauses of a contract, after projection to its grid, for another monitor."""
    compiled = load_contract(contract, dict(overrides))
    if not compiled.frame_clauses:
        say(f"`{compiled.name}` has no frame clause, and event clauses have no counterpart there", "yellow")
    click.echo(EXPORTS[target](compiled), nl=False)
