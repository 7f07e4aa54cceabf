"""`tracepact export`: write the frame clauses in another tool's language."""

import click

from tracepact.cli.screen import set_option
from tracepact.export import EXPORTS
from tracepact.lang import load_contract


@click.command()
@click.argument("contract")
@click.option("--to", "target", type=click.Choice(sorted(EXPORTS)), required=True)
@set_option
def command(contract: str, target: str, overrides: tuple[tuple[str, str], ...]) -> None:
    """Print the frame clauses of a contract, after projection to its grid, for another monitor."""
    click.echo(EXPORTS[target](load_contract(contract, dict(overrides))), nl=False)
