"""What the audits of several systems share: their runs, profiles and aggregation as arguments."""

import click

from tracepact.core import Aggregation
from tracepact.show.screen import progress
from tracepact.tools.audit.systems import Systems, read_systems

runs_argument = click.argument("runs", nargs=-1, required=True, type=click.Path())
profile_option = click.option(
    "--profile",
    "profiles",
    multiple=True,
    help="Another profile, written as in a contract: --profile 'mine : onset_guard = 2, silence_guard = 1'. "
    "It is over --aggregation unless it says so itself: 'mine over pooled : …'.",
)
aggregation_option = click.option(
    "--aggregation",
    type=click.Choice([a.value for a in Aggregation]),
    help="The aggregation of the scores; the contract's own by default. A contract's profiles keep theirs.",
)


def read(runs: tuple[str, ...]) -> Systems:
    """The systems of at least two runs."""
    if len(runs) < 2:
        raise click.UsageError("give at least two runs")
    with progress(1) as advance:
        advance("reading")
        return read_systems(runs)


def chosen(systems: Systems, aggregation: str | None) -> Aggregation:
    """The aggregation asked for, or the contract's."""
    return systems.contract.aggregation if aggregation is None else Aggregation(aggregation)
