"""`tracepact audit neutrality`: which answers change without some of the systems."""

from typing import Unpack

import click

from tracepact.tools.audit.ranking import neutrality_view
from tracepact.tools.audit.risk_profiles import risk_profiles
from tracepact.tools.audit.show import Shown, show, show_options
from tracepact.tools.audit.systems import audit_neutrality
from tracepact.tools.audit.systems_command import aggregation_option, chosen, profile_option, read, runs_argument


@click.command()
@runs_argument
@click.option("--without", multiple=True, required=True, help="A system to leave out, by its name; may be repeated.")
@profile_option
@aggregation_option
@show_options
def command(
    runs: tuple[str, ...],
    without: tuple[str, ...],
    profiles: tuple[str, ...],
    aggregation: str | None,
    **shown: Unpack[Shown],
) -> None:
    """Who is best under each profile and on each coordinate, of all systems and without some.

    RUNS are run directories or report.json files of one contract and the same data.
    """
    systems = read(runs)
    under = chosen(systems, aggregation)
    profiled = risk_profiles(systems.contract, under, profiles)
    show(neutrality_view(audit_neutrality(systems, without, profiled, under)), **shown)
