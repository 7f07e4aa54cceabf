"""`tracepact audit`: what changes with a policy, each audit a command of its own."""

import click

from tracepact.tools.groups import LazyGroup

_AUDITS = {
    "annotation": "tracepact.tools.audit.annotation_command",
    "matcher": "tracepact.tools.audit.matcher_command",
    "neutrality": "tracepact.tools.audit.neutrality",
    "profile": "tracepact.tools.audit.profile",
    "selection": "tracepact.tools.audit.selection",
    "threshold": "tracepact.tools.audit.threshold_command",
    "tolerance": "tracepact.tools.audit.tolerance_command",
    "uncertainty": "tracepact.tools.audit.uncertainty_command",
    "union-gap": "tracepact.tools.audit.union_gap_command",
}
_SUMMARIES = {
    "annotation": "How ambiguous soft labels are, scene by scene.",
    "matcher": "Greedy against optimal matching.",
    "neutrality": "The best systems with and without some of them.",
    "profile": "The best system under each risk profile.",
    "selection": "The best system on each coordinate.",
    "threshold": "The vector at every decoding threshold of a score file.",
    "tolerance": "The vector as the exact step function of a parameter.",
    "uncertainty": "Intervals over clips, and differences between systems.",
    "union-gap": "Union against class-indexed scoring, and why they differ.",
}


@click.group(cls=LazyGroup, modules=_AUDITS, summaries=_SUMMARIES)
def command() -> None:
    """Show what changes with a policy.

    Each audit prints a table, or JSON with --json; --csv and --figure write its rows and its chart to files.
    """
