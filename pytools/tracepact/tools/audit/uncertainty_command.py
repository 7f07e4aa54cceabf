"""`tracepact audit uncertainty`: intervals over clips, and differences between systems."""

from fractions import Fraction
from typing import Unpack

import click

from tracepact.core import Aggregation
from tracepact.diagnostics import Diagnostics
from tracepact.scoring.uncertainty import Bootstrap, audit_uncertainty
from tracepact.show.screen import progress
from tracepact.tools.audit.pairing import paired_rows
from tracepact.tools.audit.show import Shown, aggregation_option, bootstrap_options, show, show_options
from tracepact.tools.audit.uncertainty import uncertainty_view
from tracepact.tools.score.store.opening import open_run


@click.command()
@click.argument("runs", type=click.Path(file_okay=False), nargs=-1, required=True)
@aggregation_option
@bootstrap_options
@show_options
def command(
    runs: tuple[str, ...],
    aggregation: Aggregation | None,
    draws: int,
    seed: int,
    level: Fraction,
    **shown: Unpack[Shown],
) -> None:
    """Intervals of the scores over clips, and the differences of all systems from the first.

    RUNS are run directories of one contract on the same data. Clips are drawn with replacement, the same for all; p is
    two-sided and corrected over the systems (Holm).
    """
    with progress(2) as advance:
        advance("reading")
        opened = [open_run(folder, Diagnostics()) for folder in runs]
        rows = paired_rows(opened)
        advance("drawing clips")
        chosen = aggregation or opened[0].contract.aggregation
        systems = list(zip(runs, rows, strict=True))
        audit = audit_uncertainty(systems, chosen, Bootstrap(draws, seed, level))
    show(uncertainty_view(audit), **shown)
