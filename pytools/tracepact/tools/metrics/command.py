"""`tracepact metrics`: the standard metrics of two tables, each with its policy."""

import sys
from fractions import Fraction
from typing import TypedDict, Unpack

import click

from tracepact.diagnostics import Diagnostics
from tracepact.files import json_text, write_csv
from tracepact.lang import load_contract
from tracepact.metrics import (
    HALF_WIDTH,
    METRIC_COLUMNS,
    OVERLAP,
    Arithmetic,
    EventPolicy,
    Measured,
    MetricSettings,
    OffsetRule,
    compare,
    compare_overlap,
    compare_points,
    metric_rows,
    metrics_record,
)
from tracepact.show.lines import print_diagnostics, reader_may_leave
from tracepact.show.screen import output, progress
from tracepact.tools.exits import Exit
from tracepact.tools.metrics.submission import check_submission
from tracepact.tools.parameters import Length, Share
from tracepact.tools.score.arguments import Sides, read_sides, side_options
from tracepact.tools.score.report.metrics import render_metrics
from tracepact.trace import Durations, Mode, Regions


class _Shared(TypedDict):
    """What every comparison takes."""

    durations: Durations | Fraction | None
    mode: Mode
    ignore: Regions | None
    diagnostics: Diagnostics


_DEFAULT = EventPolicy()
_SETTINGS = MetricSettings()


@click.command()
@side_options
@click.option(
    "--class-indexed/--union", default=True, show_default=True, help="Keep labels apart, or take them as one."
)
@click.option("--strict", is_flag=True, help="Treat warnings as errors.")
@click.option(
    "--policy",
    type=click.Choice([a.value for a in Arithmetic]),
    default=Arithmetic.EXACT.value,
    show_default=True,
    help="Exact arithmetic, or the floats and the choices of sed_eval 0.2.1.",
)
@click.option("--contract", default="boundary_gate", show_default=True, help="Declares the grid and the matcher.")
@click.option("--collar", type=Length(), default=_DEFAULT.collar, help="How far apart onsets may be; 200ms.")
@click.option(
    "--offset",
    type=click.Choice([rule.value for rule in OffsetRule]),
    default=_DEFAULT.offset.value,
    show_default=True,
    help="Offsets within the greater or the smaller (and) of collar and share, the collar alone, or not asked.",
)
@click.option(
    "--share",
    type=Share(),
    default=_DEFAULT.share,
    help="The share of the reference's length; 0.2 as in DCASE (the tool sed_eval's own default is 0.5).",
)
@click.option("--segment", type=Length(), default=_SETTINGS.segment, help="The length of a segment; 1s.")
@click.option("--radius", type=Length(), default=_SETTINGS.transition, help="The reach of a transition; 200ms.")
@click.option("--points", is_flag=True, help="Timestamps against buffered references instead (BioDCASE).")
@click.option("--half-width", type=Length(), default=HALF_WIDTH, help="How far a buffer reaches to each side; 1.5s.")
@click.option("--overlap", is_flag=True, help="Intersection over union instead, one prediction a reference.")
@click.option("--iou", type=Share(), default=OVERLAP, help="What the intersection over union must exceed; 0.3.")
@click.option(
    "--submission",
    type=click.Path(),
    metavar="METADATA",
    help="The predictions are a BioDCASE submission with this YAML metadata: check both; without --ref only that.",
)
@click.option("--format", "form", type=click.Choice(["text", "json", "csv"]), default="text", show_default=True)
def command(
    class_indexed: bool,
    strict: bool,
    policy: str,
    contract: str,
    collar: Fraction,
    offset: str,
    share: Fraction,
    segment: Fraction,
    radius: Fraction,
    points: bool,
    half_width: Fraction,
    overlap: bool,
    iou: Fraction,
    submission: str | None,
    form: str,
    **sides: Unpack[Sides],
) -> int:
    """Frame, segment, event, boundary and transition F1, onset and offset errors, error rates; exact, with policies.

    Every clip of either side counts. The report says on which decisions sed_eval's floats differ. Times have a unit,
    as 200ms or 1.5s; a bare number is in seconds, and refused from 10 on.
    """
    if sides["pred"] is None or (sides["ref"] is None and submission is None):
        raise click.UsageError("give --ref and --pred")
    if points and overlap:
        raise click.UsageError("--points and --overlap are two ways of scoring; give one")
    diagnostics = Diagnostics()
    if submission is not None:
        check_submission(sides["pred"], submission, diagnostics)
        diagnostics.raise_errors(strict=strict)
        if sides["ref"] is None:
            print_diagnostics(diagnostics)
            click.echo(f"{sides['pred']} and {submission} are a sound submission", err=True)
            return Exit.OK
    with progress(2) as advance:
        advance("reading")
        ready, durations = read_sides(sides, diagnostics)
        advance("measuring")
        tables = ready.reference, ready.prediction
        shared: _Shared = {
            "durations": durations,
            "mode": Mode.CLASS_INDEXED if class_indexed else Mode.UNION,
            "ignore": ready.ignore,
            "diagnostics": diagnostics,
        }
        if points:
            found: Measured = compare_points(*tables, half_width=half_width, **shared)
        elif overlap:
            found = compare_overlap(*tables, threshold=iou, **shared)
        else:
            settings = MetricSettings(EventPolicy(collar, OffsetRule(offset), share), segment, radius)
            chosen = Arithmetic(policy)
            found = compare(load_contract(contract), *tables, settings=settings, arithmetic=chosen, **shared)
    diagnostics.raise_errors(strict=strict)
    print_diagnostics(diagnostics)
    with reader_may_leave():
        _show(found, form)
    return Exit.OK


def _show(found: Measured, form: str) -> None:
    match form:
        case "json":
            click.echo(json_text(metrics_record(found).to_dict()), nl=False)
        case "csv":
            write_csv(sys.stdout, METRIC_COLUMNS, metric_rows(found.metrics))
        case _:
            output().print(render_metrics(metrics_record(found)))
