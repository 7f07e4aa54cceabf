"""`tracepact metrics`: the standard metrics of two tables, at once or in batches."""

from dataclasses import replace
from fractions import Fraction
from typing import Unpack

import click
from rich.console import Group

from tracepact.command_line import Exit
from tracepact.data.columns import check_submission
from tracepact.data.event_rows import Outside
from tracepact.data.sources import public_name
from tracepact.diagnostics.collection import Diagnostics
from tracepact.evaluate.uncertainty import Bootstrap
from tracepact.files import json_text
from tracepact.measures.policy import Arithmetic, Unknown
from tracepact.measures.records import METRIC_COLUMNS, metric_rows, metrics_record
from tracepact.measures.results import Measured
from tracepact.measures.tables import HALF_WIDTH, OVERLAP
from tracepact.measures.uncertainty import (
    INTERVAL_COLUMNS,
    MetricIntervals,
    compare_systems,
    interval_rows,
    intervals_record,
)
from tracepact.options import (
    TEXT,
    Length,
    Share,
    engine_options,
    format_option,
    full_option,
    named_contract,
    strict_option,
)
from tracepact.outputs import print_rows
from tracepact.records import record_of
from tracepact.runs.metrics import Measuring, MetricsOutput, measure_batches, metrics_output, ready_sides, windows_of
from tracepact.runs.report import Preparation
from tracepact.runs.report_tables import accuracy_tables, interval_tables, render_metrics, render_metrics_summary
from tracepact.runs.score_command import print_tallied, say_missing, told_batches
from tracepact.runs.side_options import (
    MetricOptions,
    SideOptions,
    bootstrap_options,
    metric_options,
    metric_settings,
    mode_of,
    mode_option,
    side_options,
    task_from_options,
)
from tracepact.runs.task import Task
from tracepact.show.lines import print_diagnostics, print_findings, progress, reader_may_leave, say
from tracepact.show.tables import TerminalTable, output
from tracepact.wording import ms, print_number

# `tracepact metrics`: the standard metrics of two tables, each with its policy.


class _MetricsOptions(SideOptions, MetricOptions):
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
    "--unknown",
    type=click.Choice([u.value for u in Unknown]),
    default=Unknown.LEFT_OUT.value,
    show_default=True,
    help="With --overlap: ignore regions leave events out, or take what is left over (DCASE few-shot).",
)
@click.option(
    "--windows",
    type=Length(),
    help="Make both sides windows of this length, as BirdNET and other classifiers of a few seconds have them.",
)
@click.option(
    "--least-overlap",
    type=Length(),
    default="500ms",
    show_default=True,
    help="With --windows: by how much an event overlaps a window that it makes active.",
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
@full_option
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
    unknown: str,
    windows: Fraction | None,
    least_overlap: Fraction,
    submission: str | None,
    intervals: bool,
    others: tuple[str, ...],
    draws: int,
    seed: int,
    level: Fraction,
    engine: str | None,
    memory: str | None,
    full: bool,
    form: str,
    **options: Unpack[_MetricsOptions],
) -> int:
    """Measure predictions: frame, segment, event, boundary and transition F1, boundary errors, error rates.

    All values are exact, each with its policy. A prediction on a clip that neither the reference nor the durations name
    is an error, unless --clips says which clips count (rule 13.32). The report says where sed_eval's floats
    differ. Times have a unit, as 200ms or 1.5s; a bare number is in seconds, and refused if it is 10 or more.
    With --intervals or --compare, --format csv lists every value with its interval, and every difference.
    With --engine or --memory, data that does not fit in memory is measured in batches of clips.
    """
    sides: SideOptions = options
    if sides["pred"] is None or (sides["ref"] is None and submission is None):
        raise click.UsageError("give --ref and --pred")
    if points and overlap:
        raise click.UsageError("--points and --overlap are two ways of scoring; give one")
    if windows is not None and (points or overlap):
        raise click.UsageError("--windows is a way of its own; leave out --points and --overlap")
    if Unknown(unknown) is not Unknown.LEFT_OUT and not overlap:
        raise click.UsageError("--unknown is for --overlap; give both")
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
        metric_settings(options),
        mode_of(class_indexed),
        half_width if points else None,
        iou if overlap else None,
        sides["outside"] != Outside.ERROR,
        Unknown(unknown),
        None if windows is None else windows_of(windows, least_overlap),
    )
    compiled = named_contract(contract)
    task = task_from_options(compiled, sides, mode=how.mode, strict=strict)
    if engine is not None or memory is not None:
        needs = {"--clips": sides["clips"], "--compare": others, "--submission": submission}
        for option in (option for option, value in needs.items() if value):
            raise click.UsageError(f"{option} needs all clips at once; leave out --engine and --memory")
        drawing = Bootstrap(draws, seed, level) if intervals else None
        return _measure_in_batches(task, how, engine, memory, form, drawing, full=full)
    with progress(2 + len(others) + bool(intervals or others)) as advance:
        advance("reading")
        ready = ready_sides(task, diagnostics)
        advance("measuring")
        found = [how.measure(compiled, ready, diagnostics)]
        for other in others:
            advance(f"measuring {other}")
            own = Diagnostics()
            found.append(how.measure(compiled, ready_sides(replace(task, pred=other), own), own))
            # The reference is read again with every system, and its warnings would be told as often.
            diagnostics.extend(finding for finding in own if finding not in diagnostics.items)
        diagnostics.raise_errors(strict=strict)
        drawn: MetricIntervals | None = None
        if intervals or others:
            advance("drawing clips")
            bootstrap = Bootstrap(draws, seed, level)
            names = [public_name(name) for name in (sides["pred"], *others)]
            drawn = intervals_record(names, compare_systems(found, bootstrap), bootstrap)
    print_findings(diagnostics, full=full or form != TEXT)
    with reader_may_leave():
        record = metrics_output(metrics_record(found[0]), found[0], record_of(ready.record, Preparation), drawn)
        _show(found[0], record, form, full=full)
    return Exit.OK


def _measure_in_batches(
    task: Task,
    how: Measuring,
    engine: str | None,
    memory: str | None,
    form: str,
    bootstrap: Bootstrap | None,
    *,
    full: bool,
) -> int:
    """Measure and show what the options name; of a part nothing is shown, so that it is not taken for the whole."""
    with told_batches() as on_plan:
        found = measure_batches(task, how, engine=engine, memory=memory, bootstrap=bootstrap, on_plan=on_plan)
    print_tallied(found.findings, full=full or form != TEXT)
    if found.given_up:
        say_missing(found.given_up)
        return Exit.FAILURE
    with reader_may_leave():
        _show(found.metrics, found.output, form, full=full)
    return Exit.OK


def _show(metrics: Measured, record: MetricsOutput, form: str, *, full: bool) -> None:
    match form:
        case "json":
            click.echo(json_text(record.to_dict()), nl=False)
        case "csv" if record.intervals is not None:
            print_rows(INTERVAL_COLUMNS, interval_rows(record.intervals))
        case "csv":
            print_rows(METRIC_COLUMNS, metric_rows(metrics.metrics))
        case _:
            output().print(render_metrics(record) if full else render_metrics_summary(record))
            more = accuracy_tables(record.accuracies) if full else []
            more += interval_tables(record.intervals, record.clips) if record.intervals else []
            output().print(Group(*map(TerminalTable, more)))
            for line in record.preparation.lines:
                output().print(line, style="dim")
            if not full:
                output().print("--full shows every class, and the accuracies of segments", style="dim")
