"""`tracepact profile`, also `tracepact audit profile`: which system is best under which weights."""

from typing import Unpack

import click

from tracepact.tools.audit.ranking import profile_view
from tracepact.tools.audit.risk_profiles import risk_profiles
from tracepact.tools.audit.show import Shown, show, show_options
from tracepact.tools.audit.systems import audit_profiles
from tracepact.tools.audit.systems_command import aggregation_option, chosen, profile_option, read, runs_argument


@click.command()
@runs_argument
@profile_option
@aggregation_option
@show_options
def command(runs: tuple[str, ...], profiles: tuple[str, ...], aggregation: str | None, **shown: Unpack[Shown]) -> None:
    """Which system is best under which risk profile.

    RUNS are run directories or report.json files of one contract and the same data. The profiles are balanced, support
    recall, edge timing, silence protection and event integrity over the starter guards, the contract's own, and those
    given with --profile. Values are compared exactly; a tie is said.
    """
    systems = read(runs)
    under = chosen(systems, aggregation)
    show(profile_view(audit_profiles(systems, risk_profiles(systems.contract, under, profiles), under)), **shown)
