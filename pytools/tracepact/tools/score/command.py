"""`tracepact score`: score predictions against references under a contract."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Unpack

import click
from msgspec import structs

from tracepact.diagnostics import Diagnostic, Diagnostics, RowPlace
from tracepact.files import json_text, remove_dead_parts
from tracepact.scoring import Scorecard
from tracepact.show.lines import print_diagnostics, reader_may_leave, say
from tracepact.show.progress import progress
from tracepact.show.screen import print_tables
from tracepact.tools.exits import Exit
from tracepact.tools.folders import LocalFolder
from tracepact.tools.parameters import (
    TEXT,
    complete_clause,
    complete_profile,
    contract_argument,
    format_option,
    given_contract,
    set_option,
)
from tracepact.tools.results import print_rows
from tracepact.tools.score.arguments import (
    DataOptions,
    check_data_options,
    data_options,
    engine_options,
    score_from_options,
)
from tracepact.tools.score.batches.command import check_batch_options, print_tallied, score_in_batches, tallied_value
from tracepact.tools.score.batches.scoring import BatchRun
from tracepact.tools.score.metric_options import MetricOptions, metric_options, metric_settings
from tracepact.tools.score.report.build import report_of
from tracepact.tools.score.report.record import Report
from tracepact.tools.score.report.sounds import check_audio, embed_audio_option, find_sounds
from tracepact.tools.score.report.stored import written_views
from tracepact.tools.score.report.text import brief_lines, render_report
from tracepact.tools.score.requirement import HEADLINE, MEAN, Requirement, check_name, requirement_from
from tracepact.tools.score.run import STAGES, Run
from tracepact.tools.score.store.parquet import NAME as PARQUET
from tracepact.tools.score.store.rows import SCORE_COLUMNS, score_rows
from tracepact.tools.score.store.writing import MANY_ROWS, VIEWS, Replaced, check_place, write_run
from tracepact.wording import count, decimal, quoted


class _Given(DataOptions, MetricOptions):
    """What the command is given beside its own options."""


@click.command()
@contract_argument
@data_options
@metric_options
@engine_options
@click.option("--conditions", type=click.Path(), help="A table (filename, condition) that groups the results.")
@set_option
@click.option(
    "--profile",
    "profiles",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_profile,
    help="Show only this profile; repeatable.",
)
@click.option(
    "--require",
    "requirements",
    multiple=True,
    shell_complete=complete_clause,
    help="Exit with 1 unless this holds (>=, >, <=, <, ==) for a clause, a profile, the mean of the vector (mean) or "
    "the mean of the clauses with an obligation (headline), under the contract's aggregation or a named one: "
    "--require 'onset_guard>=0.9', --require 'pooled.onset_guard>=0.9'; repeatable.",
)
@click.option(
    "--out",
    type=LocalFolder(),
    help="Also write the run directory: rows, tables, report, manifest.",
)
@click.option(
    "--ref-known",
    is_flag=True,
    help="Count the warnings about the reference in place of listing them, as after the first of many submissions.",
)
@click.option("--brief", is_flag=True, help="Print the vector, the profiles and a line for each violated clause.")
@click.option("--page", is_flag=True, help="With --out: also write the report as an HTML page and as Markdown.")
@embed_audio_option
@click.option("--parquet", is_flag=True, help="With --out: also write the score rows as Parquet.")
@click.option(
    "--no-violations",
    is_flag=True,
    help="With --out: leave out violations.csv, the row of every violated obligation; the rest is computed without it.",
)
@format_option("text", "json", "csv")
def command(
    contract: str,
    conditions: str | None,
    overrides: tuple[tuple[str, str], ...],
    profiles: tuple[str, ...],
    requirements: tuple[str, ...],
    form: str,
    out: Path | None,
    ref_known: bool,
    brief: bool,
    page: bool,
    embed_audio: bool,
    parquet: bool,
    no_violations: bool,
    engine: str | None,
    memory: str | None,
    **given: Unpack[_Given],
) -> int:
    """Score predictions and show the vector, the profiles, the standard metrics, and where clauses failed.

    CONTRACT is a file, or the name of a starter contract such as boundary_gate. --format csv prints the score of every
    clip, class and clause. --out replaces a run directory. If that one held a page or Parquet
    rows, they are written again. With --engine or --memory, data that does not fit in memory is scored in batches.

    Exit codes: 0 scored, 1 a --require does not hold, 2 invalid input, 4 some batches failed.
    """
    data: DataOptions = given
    check_data_options(data)
    if brief and form != TEXT:
        raise click.UsageError(f"--brief shortens the text; leave it out with --format {form}")
    for asked, option in ((page, "--page"), (parquet, "--parquet"), (no_violations, "--no-violations")):
        if asked and out is None:
            raise click.UsageError(f"{option} is about the run directory: give --out as well")
    check_audio(given["audio"], embed_audio)
    compiled = given_contract(contract, overrides)
    faults = Diagnostics()
    known = {p.name for p in compiled.profiles}
    for name in profiles:
        check_name(name, known, "profile", "unknown-profile", faults)
    values = {clause.name for clause in compiled.clauses} | known | {MEAN, HEADLINE}
    wanted = [found for text in requirements if (found := requirement_from(text, values, faults))]
    faults.raise_errors()
    if engine is not None or memory is not None:
        check_batch_options(form, parquet=parquet)
        settings = metric_settings(given)
        violations = not no_violations
        heard = partial(find_sounds, given["audio"], page_folder=out or Path(), embed=embed_audio) if page else None
        batched = score_in_batches(
            compiled, engine, memory, conditions, settings, data, out, violations=violations, page=heard
        )
        reference = data["ref"] if ref_known else None
        findings = batched.tally.findings
        print_tallied(findings, list if reference is None else partial(_without_reference, reference=reference))
        return _show_batches(batched, profiles, wanted, form, brief=brief)
    for left in remove_dead_parts(out) if out is not None else ():
        say(f"removed {left}, left over by a process that died")
    replaced = None if out is None else check_place(out)
    page, parquet = page or _had(replaced, *VIEWS), parquet or _had(replaced, PARQUET)
    with progress(len(STAGES) + 1) as advance:
        run = score_from_options(compiled, conditions, advance, **data)
        run = replace(run, settings=metric_settings(given), violation_rows=not no_violations)
        advance("reporting")
        report = report_of(run)
    print_diagnostics(_without_reference(run.diagnostics, run.reference.name) if ref_known else run.diagnostics)
    if out is not None:
        if not no_violations and (line := _large_rows(report, out)):
            say(line)
        with progress(3 if page else 1) as advance:
            sounds = find_sounds(given["audio"] if page else None, run.card.family.clips, out, embed=embed_audio)
            views = written_views(run, report, advance, sounds) if page else {}
            advance(f"writing {out}")
            written = write_run(run, out, report=report, views=views, parquet=parquet)
        say(f"wrote {len(written)} files to {out}")
        if replaced:
            again = [name for name in (*VIEWS, PARQUET) if name in replaced.files]
            also = f"; it had {quoted(again)}, written again" if again else ""
            say(f"replaced the run of {replaced.about} that was there{also}")
    if profiles:
        report = _keep_profiles(report, profiles)
    with reader_may_leave():
        if brief:
            say("\n".join(brief_lines(report)), answer=True)
        else:
            _show(run, report, form)
    failed = _unmet(wanted, partial(_required_value, run.card))
    for line in failed:
        say(f"violated: {line}", "bold red")
    return Exit.VIOLATED if failed else Exit.OK


def _without_reference(diagnostics: Iterable[Diagnostic], reference: str) -> list[Diagnostic]:
    """What is not about the rows of the reference; how much else there is, is said."""
    known: list[Diagnostic] = []
    others: list[Diagnostic] = []
    for found in diagnostics:
        place = found.place
        (known if isinstance(place, RowPlace) and _is_in(place.file, reference) else others).append(found)
    if known:
        say(f"{count(len(known), 'warning')} about the reference, as `tracepact lint-data` lists them")
    return others


def _is_in(file: str, place: str) -> bool:
    """Whether a file is the given one, or in the given folder."""
    return file == place or Path(place) in Path(file).parents


def _show_batches(
    run: BatchRun, profiles: Sequence[str], wanted: Sequence[Requirement], form: str, *, brief: bool
) -> int:
    """Print the report of a run in batches, and say what was required and does not hold."""
    report = run.report
    if profiles:
        report = _keep_profiles(report, profiles)
    missing = sum(gone.clips for gone in run.given_up)
    with reader_may_leave():
        if missing and form != "json":
            line = f"incomplete: {missing:,} of {run.clips:,} clips are missing, and nothing below counts them"
            say(line, "bold red", answer=True)
        if brief:
            say("\n".join(brief_lines(report)), answer=True)
        elif form == "json":
            click.echo(json_text(report.to_dict()), nl=False)
        else:
            print_tables(render_report(report))
    failed = _unmet(wanted, lambda required: tallied_value(run, required.name, required.aggregation))
    for line in failed:
        say(f"violated: {line}", "bold red")
    return Exit.FAILURE if not run.complete else Exit.VIOLATED if failed else Exit.OK


def _large_rows(report: Report, out: Path) -> str | None:
    """What is said of a file of violations that will be large, before it is written (rule 17.8)."""
    rows = sum(found.total for found in report.violations)
    if rows <= MANY_ROWS:
        return None
    return f"note: {rows:,} rows of violations go into {out}, as Parquet by clause; --no-violations leaves them out"


def _had(replaced: Replaced | None, *names: str) -> bool:
    """Whether the run that is replaced had one of these files."""
    return replaced is not None and not replaced.files.isdisjoint(names)


def _keep_profiles(report: Report, names: Sequence[str]) -> Report:
    """The report with the named profiles only, here and under every condition."""
    conditions = tuple(
        structs.replace(group, profiles={name: value for name, value in group.profiles.items() if name in names})
        for group in report.conditions
    )
    kept = tuple(profile for profile in report.profiles if profile.name in names)
    return structs.replace(report, profiles=kept, conditions=conditions)


def _show(run: Run, report: Report, form: str) -> None:
    match form:
        case "json":
            click.echo(json_text(report.to_dict()), nl=False)
        case "csv":
            print_rows(SCORE_COLUMNS, score_rows(run.card))
        case _:
            print_tables(render_report(report))


def _unmet(wanted: Sequence[Requirement], value_of: Callable[[Requirement], Fraction | None]) -> list[str]:
    """What was required and does not hold; exact values are compared."""
    failed = []
    for required in wanted:
        value = value_of(required)
        if value is None:
            failed.append(f"required {required.name}, but nothing was asked")
        elif not required.is_met(value):
            failed.append(f"required {required.text}, but it is {value} ({decimal(value, 4)})")
    return failed


def _required_value(card: Scorecard, required: Requirement) -> Fraction | None:
    """The value a requirement is about; None for the headline of a run in which nothing was asked (rule 16.13)."""
    profiles = {profile.name: profile for profile in card.contract.profiles}
    if profile := profiles.get(required.name):
        return card.profile(replace(profile, aggregation=required.aggregation or profile.aggregation))
    if required.name in card.counts:
        return card.score(required.name, required.aggregation).value
    return (card.logic if required.name == MEAN else card.headline)(required.aggregation)
