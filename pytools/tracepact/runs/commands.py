"""`tracepact metrics`, `report` and `verify`: two tables measured, a stored run shown and checked."""

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Unpack

import click
from rich.console import Group

from tracepact.command_line import Exit
from tracepact.data.columns import check_submission
from tracepact.data.event_rows import Outside
from tracepact.data.sources import public_name
from tracepact.declarations import OnStage
from tracepact.diagnostics.collection import Diagnostics
from tracepact.evaluate.uncertainty import Bootstrap
from tracepact.files import Row, json_text
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
    choice_of,
    earlier_name,
    engine_options,
    format_option,
    full_option,
    named_contract,
    strict_option,
    with_default,
)
from tracepact.outputs import LocalFolder, check_folder, print_json, print_rows, write_results
from tracepact.records import record_of
from tracepact.runs.batch_run import batch_pages, open_batches
from tracepact.runs.directory import add_views
from tracepact.runs.manifest import batch_manifest
from tracepact.runs.metrics import Measuring, MetricsOutput, measure_batches, metrics_output, ready_sides, windows_of
from tracepact.runs.opening import StoredRun, check_same, open_run, stored_report
from tracepact.runs.originals import NAME_THEM
from tracepact.runs.report import Preparation
from tracepact.runs.report_parts import check_audio, embed_audio_option, find_sounds, sounds_line
from tracepact.runs.report_tables import accuracy_tables, interval_tables, render_metrics, render_metrics_summary
from tracepact.runs.report_views import FILES, ReportPages, run_pages
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
from tracepact.runs.task import USUAL_MEMORY, Task
from tracepact.runs.verification import Drift, Verification, verify_folder
from tracepact.show.lines import give, print_diagnostics, print_findings, progress, reader_may_leave, say
from tracepact.show.tables import TerminalTable, output
from tracepact.wording import count, ms, print_number

# `tracepact metrics`: the standard metrics of two tables, each with its policy.


class _MetricsOptions(SideOptions, MetricOptions):
    """What the command is given beside its own options."""


@click.command()
@side_options
@mode_option
@strict_option
@with_default(
    "--policy",
    choice_of(Arithmetic),
    Arithmetic.EXACT.value,
    "Exact arithmetic, or the floats and the choices of sed_eval 0.2.1.",
)
@click.option(
    "--contract",
    default="boundary_gate",
    show_default=True,
    help="The contract whose grid and matcher are used.",
)
@metric_options
@click.option("--points", is_flag=True, help="Score timestamps against buffered references (BioDCASE).")
@with_default("--half-width", Length(), ms(HALF_WIDTH), "How far a buffer reaches to each side.")
@click.option("--overlap", is_flag=True, help="Score by intersection over union, one prediction for each reference.")
@with_default("--iou", Share(), print_number(OVERLAP), "What the intersection over union must exceed.")
@with_default(
    "--unknown",
    choice_of(Unknown),
    Unknown.LEFT_OUT.value,
    "With --overlap: ignore regions leave events out, or take what is left over (DCASE few-shot).",
)
@click.option(
    "--windows",
    type=Length(),
    help="Make both sides windows of this length, as BirdNET and other classifiers of a few seconds have them.",
)
@with_default(
    "--least-overlap", Length(), "500ms", "With --windows: by how much an event overlaps a window that it makes active."
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
def metrics_command(
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
        _show_metrics(found[0], record, form, full=full)
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
        _show_metrics(found.metrics, found.output, form, full=full)
    return Exit.OK


def _show_metrics(metrics: Measured, record: MetricsOutput, form: str, *, full: bool) -> None:
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


# `tracepact report`: a stored run as a page, as Markdown and as text.

_COMMAND = "report"


@click.command()
@click.argument("run", type=click.Path())
@click.option("--out", type=LocalFolder(), help="The folder to write to.")
@click.option(
    "--format",
    "forms",
    type=click.Choice(list(FILES)),
    multiple=True,
    help="Formats to write (default: all). Without --out give one, which is printed.",
)
@click.option(
    "--audio",
    type=click.Path(exists=True, file_okay=False),
    help="A folder of sound files: a click on a violation of the page plays the clip from there.",
)
@embed_audio_option
def report_command(run: str, out: Path | None, forms: tuple[str, ...], audio: str | None, embed_audio: bool) -> None:
    """Write the report of a run directory: one self-contained HTML page, Markdown, text.

    RUN is what `tracepact score --out RUN` wrote.
    """
    if out is None and len(forms) != 1:
        raise click.UsageError("give --out DIR, or one --format to print")
    check_audio(audio, embed_audio)
    is_own = out is not None and out.resolve() == Path(run).resolve()
    if out is not None and not is_own:
        check_folder(out, _COMMAND)
    chosen = forms or tuple(FILES)
    batches = open_batches(Path(run))
    if batches is None:
        stored = open_run(run)
        with progress(3) as advance:
            pages = _stored_pages(stored, advance, drawn=set(chosen) != {TEXT})
        clips: Sequence[str] = stored.rows.clips
    else:
        if is_own:
            raise click.UsageError("the folder of a run in batches is not written to again: give another --out")
        pages = batch_pages(batches)
        if not pages.data.drawn:
            say("note: the run was scored without --page, so there are no intervals and no curves of tolerance")
        clips = pages.clips
    sounds = find_sounds(audio, clips, out or Path(), embed=embed_audio)
    files = pages.files(chosen, sounds)
    if audio is not None and batches is None:
        say(sounds_line(sounds, len(clips), audio))
    if out is None:
        with reader_may_leave():
            give(files[FILES[forms[0]]])
        return
    if is_own:
        add_views(Path(run), stored.manifest, files)
    else:
        write_results(out, _COMMAND, files, beside=True)
    say(f"wrote {', '.join(str(out / name) for name in files)}")


def _stored_pages(run: StoredRun, on_stage: OnStage, *, drawn: bool) -> ReportPages:
    """The pages of a stored run, with the report that it holds; `drawn` asks for intervals and curves.

    InvalidInput if the run does not come out as it is stored: a page would then show what the report does not say.
    """
    on_stage("computing the run again")
    report, again = stored_report(run), run.rescore()
    check_same(run.folder, report, again)
    return replace(run_pages(again, on_stage, drawn=drawn), report=report)


# `tracepact verify`: check a run directory against its manifest, its tables and the files it was made from.

_SHOWN = 20
_DRIFT_COLUMNS = ("kind", "file", "clause", "filename", "event_label", "old", "new")


@click.command()
@click.argument("run", type=click.Path())
@earlier_name("--strict", "--complete")
@click.option(
    "--complete",
    is_flag=True,
    help="Count originals that changed, are gone or were not compared, and files that are not listed, as drift.",
)
@click.option(
    "--originals",
    metavar="DIR",
    multiple=True,
    help="Compare the files the run was made from, looked for below this folder or address only; may be repeated.",
)
@engine_options
@format_option("text", "json", "csv")
def verify_command(
    run: str, complete: bool, originals: tuple[str, ...], engine: str | None, memory: str | None, form: str
) -> int:
    """Recompute the digests and the scores of a run directory and name what drifted.

    RUN is what `tracepact score --out RUN` wrote. --format csv prints a row for each difference. A run in batches does
    not hold its tables: it is scored again from the files it was made from, by --engine, if they are as they were below
    --originals. Nothing that the run names is opened elsewhere.

    Exit codes: 0 everything is as it was, 1 something drifted, 3 the files are as they were, and nothing could be
    scored again.
    """
    if batch_manifest(Path(run)) is not None:
        with told_batches() as on_plan:
            found = verify_folder(Path(run), originals, engine=engine, memory=memory or USUAL_MEMORY, progress=on_plan)
    else:
        if engine is not None or memory is not None:
            raise click.UsageError("--engine and --memory are for runs in batches; this one holds its tables")
        with progress(1) as advance:
            advance(f"verifying {run}")
            found = verify_folder(Path(run), originals)
    with reader_may_leave():
        match form:
            case "json":
                print_json(found.record)
            case "csv":
                print_diagnostics(found.diagnostics)
                print_rows(_DRIFT_COLUMNS, map(_drift_row, found.drifts))
            case _:
                _show_verification(found, complete)
    if complete and (found.moved or found.uncompared or found.unlisted):
        return Exit.VIOLATED
    return Exit.OK if found.holds else Exit.UNKNOWN if found.is_unknown else Exit.VIOLATED


def _drift_row(drift: Drift) -> Row:
    return drift.kind, drift.file, drift.clause or "", drift.clip or "", drift.label or "", drift.old, drift.new


def _show_verification(verification: Verification, complete: bool) -> None:
    line = partial(say, answer=True)
    for drift in verification.drifts[:_SHOWN]:
        old, new = (_short_digest(text) for text in (drift.old, drift.new))
        words = f"{old} → {new}" if drift.kind == "file" else f"stored {old}, computed again {new}"
        line(f"{drift.kind}  {drift.where}: {words}", "red")
    if len(verification.drifts) > _SHOWN:
        line(f"… and {len(verification.drifts) - _SHOWN:,} more (all of them with --format json)", "red")
    if not verification.is_unknown:
        print_diagnostics(verification.diagnostics)
        if verification.diagnostics:
            say("the scores could not be computed again in full")
    for name in verification.unlisted:
        line(f"not in the manifest: {name}", "yellow")
    for original in verification.originals:
        tone = None if original.state == "same" else "yellow"
        line(f"original {original.role} {original.name}: {original.state}", tone)
    if verification.uncompared:
        line(f"to compare the files the run was made from, {NAME_THEM}")
    if verification.made_with != verification.checked_with:
        both = verification.made_with.to_dict(), verification.checked_with.to_dict()
        then, now = (", ".join(f"{name} {version}" for name, version in side.items()) for side in both)
        line(f"made with {then}; checked with {now}")
    if not verification.holds and not verification.is_unknown:
        faults = len(verification.drifts) + len(verification.diagnostics)
        line(f"drifted: {count(faults, 'difference')} in {verification.folder}", "bold red")
        return
    checked = verification.checked
    if verification.holds:
        line(f"{checked.files} files and {checked.scores:,} scores of the run are as they were", "green")
    else:
        # That no more is known is the answer here, so its reason goes to standard output with it.
        line(f"{checked.files} files of the run are as they were", "green")
        for fault in verification.diagnostics:
            line(fault.headline, "bold yellow")
    if complete and verification.moved:
        moved = f"{len(verification.moved)} of {len(verification.originals)} originals"
        line(f"drifted (--complete): {moved} changed or not found", "bold red")
    if complete and verification.uncompared:
        uncompared = f"{len(verification.uncompared)} of {len(verification.originals)} originals"
        line(f"drifted (--complete): {uncompared} not compared; {NAME_THEM}", "bold red")
    if complete and verification.unlisted:
        others = count(len(verification.unlisted), "file")
        line(f"drifted (--complete): {others} that the manifest does not list", "bold red")


def _short_digest(text: str) -> str:
    """A digest by its first characters, anything else as it is."""
    return f"{text[:16]}…" if re.fullmatch("[0-9a-f]{64}", text) else text
