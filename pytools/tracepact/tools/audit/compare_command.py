"""`tracepact compare`: two runs side by side, and what changed clip by clip."""

from fractions import Fraction
from typing import Unpack

import click

from tracepact.core import Aggregation
from tracepact.diagnostics import Diagnostics
from tracepact.scoring.uncertainty import Bootstrap
from tracepact.show.screen import progress
from tracepact.tools.audit.compare import compare_view
from tracepact.tools.audit.comparison import compare
from tracepact.tools.audit.show import Shown, aggregation_option, bootstrap_options, show, show_options
from tracepact.tools.score.store.opening import open_run


@click.command()
@click.argument("before", type=click.Path(file_okay=False))
@click.argument("after", type=click.Path(file_okay=False))
@aggregation_option
@bootstrap_options
@show_options
def command(
    before: str,
    after: str,
    aggregation: Aggregation | None,
    draws: int,
    seed: int,
    level: Fraction,
    **shown: Unpack[Shown],
) -> None:
    """Two runs of one contract on the same data: what became better, what worse, and where.

    BEFORE and AFTER are run directories. The differences have intervals over clips; p is two-sided and corrected over
    the clauses (Holm). --csv writes every obligation that was fixed or broken.
    """
    with progress(2) as advance:
        advance("reading")
        first, second = (open_run(folder, Diagnostics()) for folder in (before, after))
        advance("comparing")
        found = compare(first, second, Bootstrap(draws, seed, level), aggregation)
    show(compare_view(found), **shown)
