"""`tracepact metrics`: the standard metrics of two tables, each with its policy."""

import sys
from fractions import Fraction
from typing import TypedDict, Unpack

import click

from tracepact.diagnostics import Diagnostics
from tracepact.files import json_text, write_csv
from tracepact.io.outside import Outside
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
from tracepact.show.progress import progress
from tracepact.show.screen import output
from tracepact.tools.exits import Exit
from tracepact.tools.metrics.submission import check_submission
from tracepact.tools.parameters import Length, Share, format_option
from tracepact.tools.score.arguments import SideOptions, mode_option, read_sides, side_options, strict_option
from tracepact.tools.score.report.metrics import render_metrics
from tracepact.trace import Durations, Mode, Regions
from tracepact.wording import ms, print_number


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
@mode_option
@strict_option
@click.option(
    "--policy",
    type=click.Choice([a.value for a in Arithmetic]),
    default=Arithmetic.EXACT.value,
    show_default=True,
    help="Exact arithmetic, or the floats and the choices of sed_eval 0.2.1.",
)
@click.option(
    "--contract",
    default="boundary_gate",
    show_default=True,
    help="The contract whose grid and matcher are used.",
)
@click.option(
    "--collar",
    type=Length(),
    default=ms(_DEFAULT.collar),
    show_default=True,
    help="How far apart onsets may be.",
)
@click.option(
    "--offset",
    type=click.Choice([rule.value for rule in OffsetRule]),
    default=_DEFAULT.offset.value,
    show_default=True,
    help="Offsets within the greater (max) or the smaller (and) of collar and share, the collar alone, or any.",
)
@click.option(
    "--share",
    type=Share(),
    default=print_number(_DEFAULT.share),
    show_default=True,
    help="The share of the reference's duration, as in DCASE; sed_eval itself takes 0.5 by default.",
)
@click.option(
    "--segment",
    type=Length(),
    default=ms(_SETTINGS.segment),
    show_default=True,
    help="The length of a segment.",
)
@click.option(
    "--radius",
    type=Length(),
    default=ms(_SETTINGS.transition),
    show_default=True,
    help="The reach of a transition.",
)
@click.option("--points", is_flag=True, help="Score timestamps against buffered references (BioDCASE).")
@click.option(
    "--half-width",
    type=Length(),
    default=ms(HALF_WIDTH),
    show_default=True,
    help="How far a buffer reaches to each side.",
)
@click.option("--overlap", is_flag=True, help="Score by intersection over union, one prediction for each reference.")
@click.option(
    "--iou",
    type=Share(),
    default=print_number(OVERLAP),
    show_default=True,
    help="What the intersection over union must exceed.",
)
@click.option(
    "--submission",
    type=click.Path(),
    metavar="METADATA",
    help="Check the predictions as a BioDCASE submission with this YAML metadata; without --ref do only that.",
)
@format_option("text", "json", "csv")
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
    **sides: Unpack[SideOptions],
) -> int:
    """Measure predictions: frame, segment, event, boundary and transition F1, boundary errors, error rates.

    All values are exact, each with its policy. A prediction on a clip that neither the reference nor the durations name
    is an error, unless --clips says which clips count (rule 13.32). The report says where sed_eval's floats
    differ. Times have a unit, as 200ms or 1.5s; a bare number is in seconds, and refused if it is 10 or more.
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
            click.echo(f"{sides['pred']} and {submission} are a valid submission", err=True)
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
            chosen, allowed = Arithmetic(policy), sides["outside"] != Outside.ERROR
            found = compare(
                load_contract(contract), *tables, settings=settings, arithmetic=chosen, allow_outside=allowed, **shared
            )
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
