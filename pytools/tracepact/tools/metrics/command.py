"""`tracepact metrics`: the standard metrics of two tables, each with its policy."""

from fractions import Fraction
from typing import Unpack

import click
from rich.console import Group

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostics
from tracepact.files import json_text
from tracepact.io.outside import Outside
from tracepact.io.storage import public_name
from tracepact.metrics import (
    HALF_WIDTH,
    INTERVAL_COLUMNS,
    METRIC_COLUMNS,
    OVERLAP,
    Arithmetic,
    Measured,
    MetricIntervals,
    compare_systems,
    interval_rows,
    intervals_record,
    metric_rows,
    metrics_record,
)
from tracepact.records import record_of
from tracepact.scoring.uncertainty import Bootstrap
from tracepact.show.lines import print_diagnostics, reader_may_leave, say
from tracepact.show.progress import progress
from tracepact.show.screen import output
from tracepact.show.terminal import TerminalTable
from tracepact.tools.bootstrap import bootstrap_options
from tracepact.tools.exits import Exit
from tracepact.tools.metrics.batches import measure_batches
from tracepact.tools.metrics.measuring import Measuring
from tracepact.tools.metrics.record import MetricsOutput, metrics_output
from tracepact.tools.metrics.submission import check_submission
from tracepact.tools.parameters import Length, Share, format_option, named_contract
from tracepact.tools.results import print_rows
from tracepact.tools.score.arguments import (
    SideOptions,
    engine_options,
    mode_option,
    read_sides,
    side_options,
    strict_option,
)
from tracepact.tools.score.batches.command import batch_options, print_tallied, say_missing, told_batches
from tracepact.tools.score.metric_options import MetricOptions, metric_options, metric_settings
from tracepact.tools.score.report.metric_intervals import interval_tables
from tracepact.tools.score.report.metrics import accuracy_tables, render_metrics
from tracepact.tools.score.report.preparation import Preparation
from tracepact.trace import Mode
from tracepact.wording import ms, print_number


class _Given(SideOptions, MetricOptions):
    """What the command is given beside its own options."""


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
@metric_options
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
@click.option("--intervals", is_flag=True, help="Give every value its interval over clips (bootstrap).")
@click.option(
    "--compare",
    "others",
    multiple=True,
    type=click.Path(),
    help="Further predictions, compared with --pred on every value: differences, intervals, p after Holm; repeatable.",
)
@bootstrap_options
@engine_options
@format_option("text", "json", "csv")
def command(
    class_indexed: bool,
    strict: bool,
    policy: str,
    contract: str,
    points: bool,
    half_width: Fraction,
    overlap: bool,
    iou: Fraction,
    submission: str | None,
    intervals: bool,
    others: tuple[str, ...],
    draws: int,
    seed: int,
    level: Fraction,
    engine: str | None,
    memory: str | None,
    form: str,
    **given: Unpack[_Given],
) -> int:
    """Measure predictions: frame, segment, event, boundary and transition F1, boundary errors, error rates.

    All values are exact, each with its policy. A prediction on a clip that neither the reference nor the durations name
    is an error, unless --clips says which clips count (rule 13.32). The report says where sed_eval's floats
    differ. Times have a unit, as 200ms or 1.5s; a bare number is in seconds, and refused if it is 10 or more.
    With --intervals or --compare, --format csv lists every value with its interval, and every difference.
    With --engine or --memory, data that does not fit in memory is measured in batches of clips.
    """
    sides: SideOptions = given
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
            say(f"{sides['pred']} and {submission} are a valid submission")
            return Exit.OK
    how = Measuring(
        Arithmetic(policy),
        metric_settings(given),
        Mode.CLASS_INDEXED if class_indexed else Mode.UNION,
        half_width if points else None,
        iou if overlap else None,
        sides["outside"] != Outside.ERROR,
    )
    compiled = named_contract(contract)
    if engine is not None or memory is not None:
        needs = {"--clips": sides["clips"], "--compare": others, "--submission": submission}
        for option in (option for option, value in needs.items() if value):
            raise click.UsageError(f"{option} needs all clips at once; leave out --engine and --memory")
        drawing = Bootstrap(draws, seed, level) if intervals else None
        return _measure_in_batches(compiled, how, engine, memory, sides, form, drawing, strict=strict)
    with progress(2 + len(others) + bool(intervals or others)) as advance:
        advance("reading")
        ready, _ = read_sides(sides, diagnostics)
        advance("measuring")
        found = [how.measure(compiled, ready, diagnostics)]
        for other in others:
            advance(f"measuring {other}")
            own = Diagnostics()
            found.append(how.measure(compiled, read_sides({**sides, "pred": other}, own)[0], own))
            diagnostics.extend(finding for finding in own if finding not in diagnostics.items)
        diagnostics.raise_errors(strict=strict)
        drawn: MetricIntervals | None = None
        if intervals or others:
            advance("drawing clips")
            bootstrap = Bootstrap(draws, seed, level)
            names = [public_name(name) for name in (sides["pred"], *others)]
            drawn = intervals_record(names, compare_systems(found, bootstrap), bootstrap)
    print_diagnostics(diagnostics)
    with reader_may_leave():
        record = metrics_output(metrics_record(found[0]), found[0], record_of(ready.record, Preparation), drawn)
        _show(found[0], record, form)
    return Exit.OK


def _measure_in_batches(
    contract: Contract,
    how: Measuring,
    engine: str | None,
    memory: str | None,
    sides: SideOptions,
    form: str,
    bootstrap: Bootstrap | None,
    *,
    strict: bool,
) -> int:
    """Measure and show what the options name; of a part nothing is shown, so that it is not taken for the whole."""
    with told_batches() as on_plan:
        found = measure_batches(
            contract,
            sides["ref"],
            sides["pred"],
            how,
            engine=engine,
            memory=memory,
            strict=strict,
            bootstrap=bootstrap,
            on_plan=on_plan,
            **batch_options(sides),
        )
    print_tallied(found.findings)
    if found.given_up:
        say_missing(found.given_up)
        return Exit.FAILURE
    with reader_may_leave():
        _show(found.metrics, found.output, form)
    return Exit.OK


def _show(found: Measured, record: MetricsOutput, form: str) -> None:
    match form:
        case "json":
            click.echo(json_text(record.to_dict()), nl=False)
        case "csv" if record.intervals is not None:
            print_rows(INTERVAL_COLUMNS, interval_rows(record.intervals))
        case "csv":
            print_rows(METRIC_COLUMNS, metric_rows(found.metrics))
        case _:
            output().print(render_metrics(record))
            more = accuracy_tables(record.accuracies)
            more += interval_tables(record.intervals, record.clips) if record.intervals else []
            output().print(Group(*map(TerminalTable, more)))
            for line in record.preparation.lines:
                output().print(line, style="dim")
