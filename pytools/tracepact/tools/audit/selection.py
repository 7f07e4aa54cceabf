"""`tracepact audit selection`: which system is best on which coordinate."""

from typing import Unpack

import click

from tracepact.tools.audit.ranking import selection_view
from tracepact.tools.audit.show import Shown, show, show_options
from tracepact.tools.audit.systems import audit_selection
from tracepact.tools.audit.systems_command import aggregation_option, chosen, read, runs_argument


@click.command()
@runs_argument
@aggregation_option
@show_options
def command(runs: tuple[str, ...], aggregation: str | None, **shown: Unpack[Shown]) -> None:
    """Which system is best on which coordinate of the vector.

    RUNS are run directories or report.json files of one contract and the same data.
    """
    systems = read(runs)
    show(selection_view(audit_selection(systems, chosen(systems, aggregation))), **shown)
