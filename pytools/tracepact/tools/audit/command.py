"""`tracepact audit`: the table of audits, each a command of its own."""

import click

from tracepact.tools.groups import LazyGroup

_AUDITS = {
    "annotation": "tracepact.tools.audit.annotation",
    "matcher": "tracepact.tools.audit.matcher",
    "neutrality": "tracepact.tools.audit.neutrality",
    "profile": "tracepact.tools.audit.profile",
    "reference": "tracepact.tools.audit.reference",
    "selection": "tracepact.tools.audit.selection",
    "threshold": "tracepact.tools.audit.threshold",
    "tolerance": "tracepact.tools.audit.tolerance",
    "uncertainty": "tracepact.tools.audit.uncertainty",
    "union-gap": "tracepact.tools.audit.union_gap",
}
_SUMMARIES = {
    "annotation": "Show how ambiguous soft labels are in each scene.",
    "matcher": "Compare greedy and optimal matching.",
    "neutrality": "Show which winners change when systems are left out.",
    "profile": "Show the best system under each risk profile.",
    "reference": "Show how much of a score is decided inside the uncertainty of soft references.",
    "selection": "Show the best system on each clause.",
    "threshold": "Show the vector at each decoding threshold of a score file.",
    "tolerance": "Show the vector as an exact step function of a parameter.",
    "uncertainty": "Show intervals over clips, and differences between systems.",
    "union-gap": "Compare union and class-indexed scoring, and explain the gap.",
}


@click.group(cls=LazyGroup, modules=_AUDITS, summaries=_SUMMARIES)
def command() -> None:
    """Show what a result depends on.

    Each audit prints tables, or its data with --format json or csv; --csv and --figure also write its rows and its
    chart to files.
    """
