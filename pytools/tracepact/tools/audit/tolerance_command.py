"""`tracepact audit tolerance`: the vector as the exact step function of a parameter."""

from typing import Unpack

import click

from tracepact.core import Aggregation
from tracepact.scoring.tolerance import curves, parameter_value
from tracepact.show.screen import progress
from tracepact.tools.audit.show import Shown, aggregation_option, show, show_options, stored
from tracepact.tools.audit.tolerance import tolerance_view


@click.command()
@click.argument("run", type=click.Path(file_okay=False))
@click.option("--parameter", required=True, help="The parameter of the contract to vary.")
@click.option("--from", "low", help="The lower end of the range, such as 0ms; by default zero.")
@click.option("--to", "high", help="The upper end; by default the largest value the contract names.")
@aggregation_option
@show_options
def command(
    run: str,
    parameter: str,
    low: str | None,
    high: str | None,
    aggregation: Aggregation | None,
    **shown: Unpack[Shown],
) -> None:
    """The vector and its mean as exact step functions of a parameter, over a closed range.

    RUN is a run directory. Integral and span are exact in JSON and CSV; the contract's own value and its sweep points
    are marked.
    """
    with progress(1) as advance:
        advance("reading")
        found = stored(run)
        contract = found.card.contract
        ends = [None if text is None else parameter_value(contract, parameter, text) for text in (low, high)]
    with progress(len(contract.clauses)) as advance:
        audit = curves(found.card, parameter, *ends, aggregation=aggregation, on_clause=advance)
    show(tolerance_view(audit), **shown)
