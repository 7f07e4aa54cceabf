"""`tracepact audit threshold`: the vector of one score file at several decoding thresholds."""

from fractions import Fraction
from typing import Unpack

import click

from tracepact.core import Aggregation
from tracepact.diagnostics import Diagnostics
from tracepact.io import label_map_from, read_scores
from tracepact.show.lines import print_diagnostics
from tracepact.show.screen import progress
from tracepact.tools.audit.show import Shown, aggregation_option, show, show_options, stored
from tracepact.tools.audit.threshold import audit_thresholds
from tracepact.tools.audit.threshold_view import threshold_view
from tracepact.tools.parameters import OddLength, Share

_USUAL = tuple(Fraction(k, 20) for k in range(1, 20))


@click.command()
@click.argument("run", type=click.Path(file_okay=False))
@click.option("--scores", required=True, type=click.Path(), help="The score file of a clip, or a folder of them.")
@click.option("--at", "at", type=Share(), multiple=True, help="A threshold; repeatable. By default 0.05 to 0.95.")
@click.option("--median", type=OddLength(), default="1", help="Filter the scores first, over so many frames.")
@click.option("--label-map", type=click.Path(), help="A TOML file, applied to the decoded events.")
@aggregation_option
@show_options
def command(
    run: str,
    scores: str,
    at: tuple[Fraction, ...],
    median: int,
    label_map: str | None,
    aggregation: Aggregation | None,
    **shown: Unpack[Shown],
) -> None:
    """The vector at every decoding threshold of a score file, against the reference of a run.

    RUN is a run directory; its contract, reference, durations and regions are used, and its predictions are not.
    """
    values = at or _USUAL
    diagnostics = Diagnostics()
    with progress(2 + len(set(values))) as advance:
        advance("reading")
        found = stored(run)
        table = read_scores(scores, diagnostics)
        labels = label_map_from(label_map, diagnostics)
        diagnostics.raise_errors()
        audit = audit_thresholds(
            found, table, values, median=median, labels=labels, aggregation=aggregation, advance=advance
        )
    print_diagnostics(diagnostics)
    show(threshold_view(audit), **shown)
