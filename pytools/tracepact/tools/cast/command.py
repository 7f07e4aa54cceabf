"""`tracepact try`: play a fixed cast of systems against a contract, and say what is wrong with it."""

from pathlib import Path

import click
from rich.console import Group
from rich.text import Text

from tracepact.files import json_text, table_text
from tracepact.records import plain
from tracepact.show.lines import print_diagnostics, reader_may_leave, say
from tracepact.show.progress import progress
from tracepact.show.screen import output, print_tables
from tracepact.show.terminal import TerminalTable
from tracepact.tools.cast.record import Trial
from tracepact.tools.cast.show import ROW_COLUMNS, finding_lines, heading, rows, tables, timeline_lines, trial_page
from tracepact.tools.cast.trial import referenced, trial_on
from tracepact.tools.cast_members import SEED
from tracepact.tools.cast_scenes import scenes
from tracepact.tools.exits import Exit
from tracepact.tools.folders import OutputFolder, write_results
from tracepact.tools.parameters import (
    contract_argument,
    durations_option,
    fail_on_option,
    format_option,
    given_contract,
    set_option,
)
from tracepact.tools.results import print_json, print_rows

_COMMAND = "try"
_NEVER = "never"
_WIDEST = 120
_ABOUT_PREDICTIONS = ("one-sided-label", "clip-without-predictions")
"""What is said of references that have no predictions yet, which is meant here."""


@click.command()
@contract_argument
@click.option("--ref", type=click.Path(), help="Reference events: a file or folder of any format.")
@durations_option()
@set_option
@click.option("--seed", type=click.IntRange(0), default=SEED, show_default=True, help="Seed of the generator.")
@fail_on_option(_NEVER, "warning", "note")
@click.option("--out", type=OutputFolder(_COMMAND), help="Write page, JSON and rows to this folder.")
@format_option("text", "json", "csv")
def command(
    contract: str,
    ref: str | None,
    durations: str | None,
    overrides: tuple[tuple[str, str], ...],
    seed: int,
    fail_on: str,
    out: Path | None,
    form: str,
) -> int:
    """Try a contract: play a fixed cast of systems against it, and say in sentences what is wrong.

    CONTRACT is a file, or the name of a starter contract such as boundary_gate. The cast is perfect, silent, always on,
    late, early, long, short, split, merged, jittered, of the wrong class, with one event too many or too few, and moved
    by each tolerance and one frame less or more. It is played on scenes made for the contract's own step and
    tolerances, or on the references of --ref. What it shows holds for these clips; `check` decides for all.

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
        trial = trial_on(compiled, family, seed=seed, given=run is not None)
    found = () if run is None else run.diagnostics
    print_diagnostics([one for one in found if one.code not in _ABOUT_PREDICTIONS])
    if out is not None:
        _write(trial, out)
    _show(trial, form)
    failed = {_NEVER: (), "warning": trial.warnings, "note": trial.findings}[fail_on]
    return Exit.INVALID if failed else Exit.OK


def _write(trial: Trial, out: Path) -> None:
    files = {
        "trial.html": trial_page(trial),
        "trial.json": json_text(plain(trial)),
        "trial.csv": table_text(ROW_COLUMNS, rows(trial), ","),
    }
    write_results(out, _COMMAND, files)
    say(f"wrote {len(files)} files to {out}")


def _show(trial: Trial, form: str) -> None:
    match form:
        case "json":
            print_json(trial)
        case "csv":
            print_rows(ROW_COLUMNS, rows(trial))
        case _:
            _print(trial)


def _print(trial: Trial) -> None:
    console = output()
    with reader_may_leave():
        console.print(Text(trial.contract, style="bold"))
        for line in heading(trial):
            console.print(Text(line))
        console.print()
        for line in finding_lines(trial):
            console.print(Text(line, style="bold yellow" if line.startswith("warning") else ""))
        console.print()
        for number, line in enumerate(timeline_lines(trial, min(console.width, _WIDEST))):
            console.print(Text(line), no_wrap=bool(number), crop=False)
        console.print()
        print_tables(Group(*map(TerminalTable, tables(trial))))
