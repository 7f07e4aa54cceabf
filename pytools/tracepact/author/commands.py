"""`tracepact try`, `export` and `demo`: a contract played, written in another language, and at work."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import click
import msgspec
from rich.console import Group
from rich.text import Text

from tracepact.author.exports import EVENT_TARGETS, EXPORTS
from tracepact.author.trial import referenced, trial_on, useless_wins
from tracepact.author.trial_record import (
    ROW_COLUMNS,
    Trial,
    finding_lines,
    heading,
    rows,
    shown_columns,
    tables,
    timeline_lines,
    trial_page,
    value_table,
)
from tracepact.command_line import Exit
from tracepact.declarations import spec_path, starter_contracts
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import summarise
from tracepact.evaluate.cast import SEED, scenes
from tracepact.evaluate.scorecard import Scorecard
from tracepact.files import json_text
from tracepact.language.compilation import compile_source, read_source
from tracepact.language.contract import Aggregation
from tracepact.options import (
    WholeNumber,
    contract_argument,
    durations_option,
    fail_on_option,
    format_option,
    full_option,
    given_contract,
    has_failed,
    set_option,
)
from tracepact.outputs import LocalFolder, OutputFolder, print_json, print_rows, write_results
from tracepact.records import plain
from tracepact.runs.directory import write_run
from tracepact.runs.report import Report
from tracepact.runs.report_parts import report_of
from tracepact.runs.report_views import WITH_RUN, render_report, run_pages
from tracepact.runs.run import Run, score
from tracepact.selection.calibration_reader import load_calibration
from tracepact.selection.draft import complete_calibration
from tracepact.show.lines import give, print_diagnostics, progress, reader_may_leave, say
from tracepact.show.tables import Cell, ShareBar, Table, TerminalTable, Tone, csv_text, output, print_tables, words
from tracepact.wording import count, decimal

# The shipped demo: three imitation systems whose frame F1 is nearly the same and whose vectors are not.

SYSTEMS = ("late_long", "over_firing", "fragmenting")
CONTRACT = "boundary_gate"


def score_demo(name: str) -> Run:
    """Score one of the shipped SYSTEMS."""
    tables = spec_path("demo")
    return score(
        starter_contracts()[CONTRACT],
        tables / "reference.tsv",
        tables / f"{name}.tsv",
        durations=tables / "durations.tsv",
        conditions=tables / "conditions.tsv",
    )


def frame_f1(card: Scorecard) -> Fraction:
    """Twice the frames active on both sides over all active frames, all clips and classes together."""
    ref, pred = card.atoms["ref_active"], card.atoms["pred_active"]
    # 2·tp + fp + fn is the sum of both sides, so the layout's masks need no counting by class.
    active = ref.bit_count() + pred.bit_count()
    return Fraction(2 * (ref & pred).bit_count(), active) if active else Fraction(1)


# `tracepact try`: play a fixed cast of systems against a contract, and say what is wrong with it.

_COMMAND = "try"
_WIDEST = 120
_MOST_FINDINGS = 5
"""With the heading and a line for each system, what one screen has room for."""
_ABOUT_PREDICTIONS = ("one-sided-label", "clip-without-predictions")
"""What is said of references that have no predictions yet, which is meant here."""


@click.command()
@contract_argument
@click.option("--ref", type=click.Path(), help="Reference events: a file or folder of any format.")
@durations_option()
@click.option(
    "--calibration",
    metavar="SET",
    shell_complete=complete_calibration,
    help="A calibration set, or the name of a shipped one, whose mildest faults no useless system may reach.",
)
@set_option
@click.option("--seed", type=WholeNumber(0), default=SEED, show_default=True, help="Seed of the generator.")
@fail_on_option
@click.option("--out", type=OutputFolder(_COMMAND), help="Write page, JSON and rows to this folder.")
@full_option
@format_option("text", "json", "csv")
def try_command(
    contract: str,
    ref: str | None,
    durations: str | None,
    calibration: str | None,
    overrides: tuple[tuple[str, str], ...],
    seed: int,
    fail_on: str,
    out: Path | None,
    full: bool,
    form: str,
) -> int:
    """Try a contract: play a fixed cast of systems against it, and say in sentences what is wrong.

    CONTRACT is a file, or the name of a starter contract such as boundary_gate. The cast is perfect, silent, always on,
    late, early, long, short, split, merged, jittered, of the wrong class, with one event too many or too few, and moved
    by each tolerance and one frame less or more. It is played on scenes made for the contract's own step and
    tolerances, or on the references of --ref. With --calibration useless systems are played on the set's references too
    and must score below its mildest faults. What it shows holds for these clips; `check` decides for all.

    Exit codes: 0 tried, 2 invalid input, or a finding at least as severe as --fail-on.
    """
    if ref is None and durations is not None:
        raise click.UsageError("--durations goes with --ref: the scenes have their own")
    compiled = given_contract(contract, overrides)
    with progress(2) as advance:
        advance("reading")
        run = None if ref is None else referenced(compiled, ref, durations)
        family = scenes(compiled) if run is None else run.card.family
        advance("playing")
        trial = trial_on(compiled, family, seed=seed, supplied=run is not None)
    if calibration is not None:
        wins = tuple(useless_wins(compiled, load_calibration(calibration)))
        trial = msgspec.structs.replace(trial, findings=(*wins, *trial.findings))
    diagnostics = () if run is None else run.diagnostics
    print_diagnostics([one for one in diagnostics if one.code not in _ABOUT_PREDICTIONS])
    if out is not None:
        _write(trial, out)
    _show(trial, form, full=full)
    return Exit.INVALID if has_failed(fail_on, (finding.severity for finding in trial.findings)) else Exit.OK


def _write(trial: Trial, out: Path) -> None:
    files = {
        "trial.html": trial_page(trial),
        "trial.json": json_text(plain(trial)),
        "trial.csv": csv_text(ROW_COLUMNS, rows(trial)),
    }
    write_results(out, _COMMAND, files)
    say(f"wrote {len(files)} files to {out}")


def _show(trial: Trial, form: str, *, full: bool) -> None:
    match form:
        case "json":
            print_json(trial)
        case "csv":
            print_rows(ROW_COLUMNS, rows(trial))
        case _:
            _print(trial, full=full)


def _print(trial: Trial, *, full: bool) -> None:
    console = output()
    with reader_may_leave():
        console.print(Text(trial.contract, style="bold"))
        for line in heading(trial):
            console.print(Text(line))
        console.print()
        lines = finding_lines(trial)
        for line in lines if full else lines[:_MOST_FINDINGS]:
            console.print(Text(line, style="bold yellow" if line.startswith("warning") else ""))
        if not full and len(lines) > _MOST_FINDINGS:
            console.print(Text(f"… and {count(len(lines) - _MOST_FINDINGS, 'finding')} more"))
        console.print()
        if not full:
            print_tables(TerminalTable(value_table(trial, full=False)))
            console.print(Text(f"columns: {shown_columns(trial)}"))
            more = "--full shows what each system predicts, moves by each tolerance, orders and profiles; --out a page"
            console.print(Text(more, style="dim"))
            return
        for number, line in enumerate(timeline_lines(trial, min(console.width, _WIDEST))):
            console.print(Text(line), no_wrap=bool(number), crop=False)
        console.print()
        print_tables(Group(*map(TerminalTable, tables(trial))))


# `tracepact export`: write a contract in another tool's language.


@click.command()
@contract_argument
@click.option(
    "--to",
    "target",
    type=click.Choice(sorted(EXPORTS)),
    required=True,
    help="The language: latex, a table of every clause; rtamt, the frame clauses as STL text for that monitor.",
)
@set_option
def export_command(contract: str, target: str, overrides: tuple[tuple[str, str], ...]) -> None:
    """Print a contract, after projection to its grid, in another tool's language.

    Every target can express frame clauses, only latex event clauses (`on each …`) too; what is left out is named.
    """
    compiled = given_contract(contract, overrides)
    if compiled.event_clauses and target not in EVENT_TARGETS:
        names = ", ".join(clause.name for clause in compiled.event_clauses)
        say(f"left out because {target} has no event clauses: {names}", "yellow")
    give(EXPORTS[target](compiled))


# `tracepact demo`: score the shipped systems and show how they differ.


@click.command()
@click.option(
    "--out",
    type=LocalFolder(),
    default=Path("out/demo"),
    show_default=True,
    help="The folder to write the run directories to.",
)
def demo_command(out: Path) -> None:
    """Check the starter contract, score three imitation systems, show where they fail and write their reports."""
    console = output()
    diagnostics = Diagnostics()
    source = read_source(starter_contracts()[CONTRACT], diagnostics)
    if source is not None:
        compile_source(source, diagnostics)
    diagnostics.raise_errors()
    say(f"checked {CONTRACT}: {summarise(diagnostics) if len(diagnostics) else 'ok'}")
    runs: dict[str, Run] = {}
    reports: dict[str, Report] = {}
    with progress(2 * len(SYSTEMS)) as advance:
        for name in SYSTEMS:
            advance(f"scoring {name}")
            runs[name] = score_demo(name)
            reports[name] = report_of(runs[name])
        for name, run in runs.items():
            advance(f"writing {out / name}")
            write_run(run, out / name, report=reports[name], views=run_pages(run).files(WITH_RUN))
    console.print(TerminalTable(_comparison(runs, reports)))
    console.print("Nearly the same frame F1, three different failures: that is what the vector is for.\n")
    first = SYSTEMS[0]
    console.print(f"[bold]{first} in full[/bold]")
    console.print(render_report(reports[first]))
    say(f"wrote a run directory for each to {out}; open {out / first / 'report.html'} in a browser")


def _comparison(runs: Mapping[str, Run], reports: Mapping[str, Report]) -> Table:
    rows: list[list[Cell | str]] = [
        ["frame F1", *(Cell(decimal(frame_f1(run.card)), Tone.STRONG) for run in runs.values())]
    ]
    for number, clause in enumerate(runs[SYSTEMS[0]].card.contract.clauses):
        scores = [report.vector[number].scores[Aggregation.POOLED] for report in reports.values()]
        rows.append([clause.name, *(Cell(score.text, Tone.STRONG, bar=ShareBar(score.value)) for score in scores)])
    return Table("Three systems, pooled over clips and classes", words("", *runs), rows)
