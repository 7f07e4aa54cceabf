"""`tracepact score`: score predictions against references, at once or in batches by an engine."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Unpack

import click
from msgspec import structs

from tracepact.command_line import Exit, ended_as_by_hand
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Diagnostic, RowPlace
from tracepact.engines import EngineLost, EngineProgress
from tracepact.evaluate.scorecard import ScoreRows
from tracepact.files import json_text, remove_dead_parts
from tracepact.language.contract import Contract
from tracepact.options import (
    TEXT,
    complete_clause,
    complete_profile,
    contract_argument,
    engine_options,
    format_option,
    full_option,
    given_contract,
    set_option,
)
from tracepact.outputs import LocalFolder, print_rows
from tracepact.runs.batch_run import BatchRun
from tracepact.runs.batch_scoring import BatchOutput, OnPlan, diagnostic_of, score_task_in_batches
from tracepact.runs.batches import BatchPlan, FailedBatch
from tracepact.runs.directory import MANY_ROWS, VIEWS, Replaced, check_place, kept_batches, write_run
from tracepact.runs.report import DiagnosticsRecord, Report
from tracepact.runs.report_parts import (
    HEADLINE_NAME,
    MEAN_NAME,
    Requirement,
    check_audio,
    check_name,
    embed_audio_option,
    find_sounds,
    report_of,
    requirement_from,
    unmet,
)
from tracepact.runs.report_views import WITH_RUN, render_brief, render_report, run_pages
from tracepact.runs.rows import SCORE_COLUMNS, score_rows
from tracepact.runs.rows import SCORES as PARQUET
from tracepact.runs.run import STAGES
from tracepact.runs.side_options import (
    DataOptions,
    MetricOptions,
    check_data_options,
    data_options,
    judging,
    metric_options,
    metric_settings,
    score_from_options,
    task_from_options,
)
from tracepact.runs.task import USUAL_MEMORY, JudgingOptions
from tracepact.show.lines import counted, print_findings, progress, reader_may_leave, say
from tracepact.show.tables import print_tables
from tracepact.wording import count, quoted

# What `tracepact score --engine` does: score in batches, tell how far it is, say what is missing.

NOT_IN_BATCHES = ("pair", "clips")


def score_in_batches(
    contract: Contract,
    engine: str | None,
    memory: str | None,
    options: DataOptions,
    output: BatchOutput,
    **more: Unpack[JudgingOptions],
) -> BatchRun:
    """Score what the options name in batches; batches that failed are said."""
    for name in NOT_IN_BATCHES:
        if options[name] is not None:  # type: ignore[literal-required]
            raise click.UsageError(f"--{name} needs all clips at once; leave out --engine and --memory")
    out = None if output.out is None else Path(output.out)
    task = task_from_options(contract, options, **judging(options, **more))
    with told_batches() as progress, _said_when_stopped(out):
        run = score_task_in_batches(task, engine, memory or USUAL_MEMORY, output, progress=progress)
    if out is not None and run.complete:
        say(f"wrote the run directory {out}")
    elif out is not None:
        say(f"{out} is not written: it would not be whole; the same command tries what is missing again", "bold red")
    say_missing(run.given_up)
    return run


@contextmanager
def _said_when_stopped(out: Path | None) -> Iterator[None]:
    """Say on Ctrl-C that the same command goes on from here, where batches are finished and kept (rule 24.18)."""
    try:
        yield
    except KeyboardInterrupt:
        kept = 0 if out is None else kept_batches(out)
        if kept:
            say(f"{count(kept, 'batch is', 'batches are')} finished and kept: the same command goes on from here")
        elif out is None:
            say("nothing is kept; with --out, what is finished is kept and the same command goes on")
        raise


def say_missing(given_up: Sequence[FailedBatch]) -> None:
    """Say that batches failed; each with its clips is among the findings."""
    if given_up:
        clips = count(sum(gone.clips for gone in given_up), "clip")
        say(f"incomplete: {count(len(given_up), 'batch', 'batches')} with {clips} failed three times", "bold red")


def print_tallied(
    findings: DiagnosticsRecord,
    kept: Callable[[list[Diagnostic]], list[Diagnostic]] = list,
    *,
    full: bool = True,
) -> None:
    """Diagnostics of batches; the first of each code are kept, and how many more there are is said."""
    items = list(map(diagnostic_of, findings.items))
    held = Counter(one.code for one in items)
    more = {code: times - held[code] for code, times in findings.counts.items() if times > held[code]}
    print_findings(kept(items), full=full, more=sum(more.values()))
    for code, times in more.items():
        say(f"{times:,} more of `{code}`, counted and not kept: the run keeps the first {held[code]:,}")


def check_batch_options(form: str, *, parquet: bool) -> None:
    """Refuse what a run in batches does not give."""
    if form == "csv":
        raise click.UsageError("--format csv lists every clip; --out writes them as Parquet")
    if parquet:
        raise click.UsageError("--parquet is how rows in batches are written: leave it out")


@contextmanager
def told_batches() -> Iterator[OnPlan]:
    """A bar with batches, clips a second, the time that remains, and the address of a dashboard if there is one.

    A cluster that goes away meanwhile raises InvalidInput. A request to end does what Ctrl-C does.
    """
    try:
        with ended_as_by_hand(), _bar() as start:
            yield start
    except EngineLost as error:
        help = "start the cluster again, and this command; with --out it goes on with what is finished"
        raise InvalidInput([Diagnostic("engine-lost", str(error), None, help)]) from error


@contextmanager
def _bar() -> Iterator[OnPlan]:
    with counted() as update:

        def start(plan: BatchPlan) -> EngineProgress:
            return _BatchProgress(update, len(plan.batches), len(plan.clips)).progress

        yield start


class _BatchProgress:
    """The progress of a run in batches: its batches, then other tasks, such as draws."""

    def __init__(self, update: Callable[[int, int, str], None], batches: int, clips: int) -> None:
        self._update, self._total, self._clips = update, batches, clips
        self._began, self._beside = time.monotonic(), ""
        self._what = "batch"
        self._show(0, f"{count(batches, 'batch', 'batches')} of {count(clips, 'clip')}")

    @property
    def progress(self) -> EngineProgress:
        """The callbacks for the engine."""
        return EngineProgress(self._done, self._dashboard, lambda text: say(f"note: {text}"), self._stage)

    def _show(self, number: int, words: str) -> None:
        self._update(number, self._total, f"{words}{self._beside}")

    def _done(self, number: int) -> None:
        # A clock may stand still between two ticks.
        passed = max(time.monotonic() - self._began, 1e-9)
        share = number / max(self._total, 1)
        rate, left = self._clips * share / passed, passed * (1 - share) / max(share, 1e-9)
        speed = f", {rate:,.0f} clips/s" if self._what == "batch" else ""
        self._show(number, f"{self._what} {number} of {self._total}{speed}, {left:,.0f} s left")

    def _dashboard(self, address: str) -> None:
        if address:
            self._beside = f", dashboard {address}"
            self._show(0, f"{self._what} 0 of {self._total}")

    def _stage(self, what: str, tasks: int) -> None:
        self._what, self._total, self._began = what, tasks, time.monotonic()
        self._show(0, f"{what} 0 of {tasks}")


# `tracepact score`: score predictions against references under a contract.


class _ScoreOptions(DataOptions, MetricOptions):
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
    help="Count what is found about the reference in place of listing it, where scoring fails too.",
)
@full_option
@click.option(
    "--margins",
    is_flag=True,
    help="Show how far each verdict is from its opposite, in score, where a threshold alone made events (--page does).",
)
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
    full: bool,
    margins: bool,
    page: bool,
    embed_audio: bool,
    parquet: bool,
    no_violations: bool,
    engine: str | None,
    memory: str | None,
    **options: Unpack[_ScoreOptions],
) -> int:
    """Score predictions and show the vector, the profiles, and where the worst clauses failed.

    CONTRACT is a file, or the name of a starter contract such as boundary_gate. --full shows the standard metrics,
    classes, sweeps, timelines and every warning too. --format csv prints the score of every clip, class and clause.
    --out replaces a run directory. If that one held a page or Parquet rows, they are written again. With --engine or
    --memory, data that does not fit in memory is scored in batches.

    Exit codes: 0 scored, 1 a --require does not hold, 2 invalid input, 4 some batches failed.
    """
    data: DataOptions = options
    check_data_options(data)
    for asked, option in ((page, "--page"), (parquet, "--parquet"), (no_violations, "--no-violations")):
        if asked and out is None:
            raise click.UsageError(f"{option} is about the run directory: give --out as well")
    check_audio(options["audio"], embed_audio)
    compiled = given_contract(contract, overrides)
    faults = Diagnostics()
    known = {p.name for p in compiled.profiles}
    for name in profiles:
        check_name(name, known, "profile", "unknown-profile", faults)
    values = {clause.name for clause in compiled.clauses} | known | {MEAN_NAME, HEADLINE_NAME}
    wanted = [found for text in requirements if (found := requirement_from(text, values, faults))]
    faults.raise_errors()
    more = JudgingOptions(conditions=conditions, settings=metric_settings(options), margins=margins or page)
    untold = _reference_untold(data) if ref_known else nullcontext()
    if engine is not None or memory is not None:
        check_batch_options(form, parquet=parquet)
        heard = partial(find_sounds, options["audio"], page_folder=out or Path(), embed=embed_audio) if page else None
        output = BatchOutput(out, not no_violations, heard)
        with untold:
            batched = score_in_batches(compiled, engine, memory, data, output, **more)
        reference = data["ref"] if ref_known else None
        findings = batched.report.diagnostics
        keep = list if reference is None else partial(_without_reference, reference=reference)
        print_tallied(findings, keep, full=full or form != TEXT)
        gone = sum(one.clips for one in batched.given_up)
        missing = f"{gone:,} of {batched.clips:,}" if gone else ""
        return _answer(batched.report, compiled, profiles, wanted, form, full=full, missing=missing)
    for left in remove_dead_parts(out) if out is not None else ():
        say(f"removed {left}, left over by a process that died")
    replaced = None if out is None else check_place(out)
    # A page of the run that was there would else be lost without a word.
    page, parquet = page or _had(replaced, *VIEWS), parquet or _had(replaced, PARQUET)
    with untold, progress(len(STAGES) + (3 if page else 1)) as advance:
        run = score_from_options(compiled, data, advance, **more)
        run = replace(run, violation_rows=not no_violations)
        advance("reporting")
        # With a page the report is that of its tally, so that nothing is counted twice.
        pages = run_pages(run, advance) if page else None
        report = report_of(run) if pages is None else pages.report
    warnings = _without_reference(run.diagnostics, run.reference.name) if ref_known else run.diagnostics
    print_findings(warnings, full=full or form != TEXT)
    if out is not None:
        if not no_violations and (line := _large_rows(report, out)):
            say(line)
        with progress(1) as advance:
            advance(f"writing {out}")
            views = {}
            if pages is not None:
                sounds = find_sounds(options["audio"], run.card.family.clips, out, embed=embed_audio)
                views = pages.files(WITH_RUN, sounds)
            written = write_run(run, out, report=report, views=views, parquet=parquet)
        say(f"wrote {len(written)} files to {out}")
        if replaced:
            again = [name for name in (*VIEWS, PARQUET) if name in replaced.files]
            also = f"; it had {quoted(again)}, written again" if again else ""
            say(f"replaced the run of {replaced.about} that was there{also}")
    return _answer(report, compiled, profiles, wanted, form, full=full, rows=run.rows if form == "csv" else None)


def _without_reference(diagnostics: Iterable[Diagnostic], reference: str) -> list[Diagnostic]:
    """The findings that are not about rows of the reference; how many others there are is printed."""
    known: list[Diagnostic] = []
    others: list[Diagnostic] = []
    for found in diagnostics:
        place = found.place
        (known if isinstance(place, RowPlace) and _is_in(place.file, reference) else others).append(found)
    if known:
        say(f"{count(len(known), 'warning')} about the reference, as `tracepact lint-data` lists them")
    return others


@contextmanager
def _reference_untold(data: DataOptions) -> Iterator[None]:
    """Where scoring fails, tell the faults of the predictions alone; those of other tables are counted by their codes.

    A participant reads the log of a submission, and is not to learn the rows of a held-out reference from it.
    """
    try:
        yield
    except InvalidInput as error:
        theirs = [place for place in (data["pred"], data["label_map"], data["decoding"]) if place]
        ours = data["ref"] or str(data["pair"])
        told: list[Diagnostic] = []
        untold: Counter[str] = Counter()
        for found in error.diagnostics:
            file = found.place.file if isinstance(found.place, RowPlace) else None
            if file is not None and (_is_in(file, ours) or not any(_is_in(file, place) for place in theirs)):
                untold[found.code] += found.number
                continue
            # A name that is near to a wrong one is a name of the reference.
            near = found.help is not None and found.help.startswith("did you mean")
            told.append(replace(found, help=None) if near else found)
        help = "`tracepact lint-data --ref …` lists them"
        for code, number in untold.items():
            headline = f"{count(number, 'finding')} about the reference, its clips or their lengths"
            told.append(Diagnostic(code, headline, None, help))
        raise InvalidInput(told) from None


def _is_in(file: str, place: str) -> bool:
    """Whether a file is the given one, or in the given folder."""
    return file == place or Path(place) in Path(file).parents


def _answer(
    report: Report,
    contract: Contract,
    profiles: Sequence[str],
    wanted: Sequence[Requirement],
    form: str,
    *,
    full: bool,
    rows: ScoreRows | None = None,
    missing: str = "",
) -> int:
    """Print a report, of which clips may be missing, and say what was required and does not hold; the exit code."""
    shown = _keep_profiles(report, profiles) if profiles else report
    with reader_may_leave():
        # Before the report, where it cannot be overlooked; JSON stays a document, and the exit code says it there.
        if missing and form != "json":
            say(f"incomplete: {missing} clips are missing, and nothing below counts them", "bold red", answer=True)
        if form == "json":
            click.echo(json_text(shown.to_dict()), nl=False)
        elif rows is not None and form == "csv":
            print_rows(SCORE_COLUMNS, score_rows(rows))
        else:
            print_tables(render_report(shown) if full else render_brief(shown))
    failed = unmet(wanted, contract, report)
    for line in failed:
        say(f"violated: {line}", "bold red")
    return Exit.FAILURE if missing else Exit.VIOLATED if failed else Exit.OK


def _large_rows(report: Report, out: Path) -> str | None:
    """The note about a file of violations that will be large, printed before it is written (rule 17.8)."""
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
