"""`tracepact audit union-gap`: union against class-indexed scoring, with its mechanisms."""

from pathlib import Path
from typing import Unpack

import click

from tracepact.show.screen import progress
from tracepact.tools.audit.show import Shown, show, show_options, stored
from tracepact.tools.audit.union_gap import audit_union_gap
from tracepact.tools.audit.union_gap_view import confusion_chart, union_gap_view
from tracepact.tools.parameters import OutputFile
from tracepact.tools.score.store.writing import owner


@click.command()
@click.argument("run", type=click.Path(file_okay=False))
@click.option(
    "--confusion", type=OutputFile(owner, ".svg"), help="Also write the overlap confusion to this file, as SVG (.svg)."
)
@show_options
def command(run: str, confusion: Path | None, **shown: Unpack[Shown]) -> None:
    """Union against class-indexed scoring, and the classes behind the gap.

    RUN is a run directory. Beside the gap of each clause: classes without predicted support, support ratios,
    substitution pairs, overlap confusion (in JSON, CSV and --confusion), and scores by support stratum.
    """
    with progress(2) as advance:
        advance("reading")
        found = stored(run)
        advance("scoring both ways")
        audit = audit_union_gap(found)
    show(union_gap_view(audit), {} if confusion is None else {confusion: confusion_chart(audit)}, **shown)
