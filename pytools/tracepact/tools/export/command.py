"""`tracepact export`: write a contract in another tool's language."""

import click

from tracepact.show.lines import give, say
from tracepact.tools.export.targets import EVENT_TARGETS, EXPORTS
from tracepact.tools.parameters import contract_argument, given_contract, set_option


@click.command()
@contract_argument
@click.option(
    "--to",
    "target",
    type=click.Choice(sorted(EXPORTS)),
    required=True,
    help="The language: latex, a table of every clause; rtamt, the frame clauses as STL text for that monitor.",
)
@set_option
def command(contract: str, target: str, overrides: tuple[tuple[str, str], ...]) -> None:
    """Print a contract, after projection to its grid, in another tool's language.

    Every target can express frame clauses, only latex event clauses (`on each …`) too; what is left out is named.
    """
    compiled = given_contract(contract, overrides)
    if compiled.event_clauses and target not in EVENT_TARGETS:
        names = ", ".join(clause.name for clause in compiled.event_clauses)
        say(f"left out because {target} has no event clauses: {names}", "yellow")
    give(EXPORTS[target](compiled))
