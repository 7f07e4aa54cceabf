"""`tracepact audit`: what changes with a policy, each audit a command of its own."""

import click

from tracepact.cli.lazy import LazyGroup

_AUDITS = {
    "matcher": "tracepact.cli.audits.matcher",
}
_SUMMARIES = {
    "matcher": "Greedy against optimal matching.",
}


@click.group(cls=LazyGroup, modules=_AUDITS, summaries=_SUMMARIES)
def command() -> None:
    """Show what changes with a policy.

    Each audit prints a table, or JSON with --json; --csv and --figure write its rows and its chart to files.
    """
