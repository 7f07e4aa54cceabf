"""`tracepact select`: the smallest contract that respects a calibration set's order of harm."""

import dataclasses
from fractions import Fraction
from pathlib import Path
from typing import Unpack

import click
from msgspec.structs import replace

from tracepact.engines import engine_from
from tracepact.show.lines import print_diagnostics, say
from tracepact.show.screen import print_tables
from tracepact.tools.exits import Exit
from tracepact.tools.folders import OutputFolder
from tracepact.tools.parameters import Assignment, Seconds, durations_option, format_option
from tracepact.tools.results import print_json, print_rows
from tracepact.tools.select.asked import Asked, answered
from tracepact.tools.select.options import (
    FamilyOptions,
    complete_file,
    family_options,
    read_family_options,
    stages_shown,
)
from tracepact.tools.select.report.build import changes_between
from tracepact.tools.select.report.files import COMMAND, write_selection
from tracepact.tools.select.report.record import SelectionRecord
from tracepact.tools.select.report.text import render_selection
from tracepact.tools.select.select import Selection
from tracepact.tools.select.separate import DEFAULT_REQUIREMENTS, Requirement
from tracepact.tools.select.systems import Tables


@click.command()
@family_options
@click.option(
    "--require",
    "requirements",
    type=click.Choice([r.value for r in Requirement]),
    multiple=True,
    default=tuple(r.value for r in DEFAULT_REQUIREMENTS),
    show_default=True,
    help="What the contract must do: separate or order cases of different rank, name faults; repeatable.",
)
@click.option(
    "--seconds",
    type=Seconds(),
    help="Time limit of the search for the smallest set, and of each one that --stability and --holdout make; the best "
    "set found by then is shown with its gap. Reading and observing the candidates come before it. With --preferences, "
    "and with ranks that compare very many pairs, 20 unless given.",
)
@click.option("--all", "every", is_flag=True, help="List every other set of the same size and cost.")
@click.option(
    "--preferences",
    metavar="FILE",
    shell_complete=complete_file,
    help="A table (a, b, worse, perhaps weight and judge) of which of two cases is worse; ranks are not used. With a "
    "column clip, a and b are systems (--system).",
)
@click.option(
    "--ref", type=click.Path(), help="Your own references: a disturbance of the cases, or what --system was judged on."
)
@click.option(
    "--system",
    "systems",
    type=Assignment("'base=base.tsv'"),
    multiple=True,
    help="With --preferences over clips: the predictions of a system, NAME=TABLE; repeatable.",
)
@durations_option("the lengths of the clips of --ref")
@click.option(
    "--audio",
    type=click.Path(exists=True, file_okay=False),
    help="With --system: a folder of sound files, whose lengths are those of the clips.",
)
@click.option("--robust", is_flag=True, help="Require the same of disturbed copies of the cases: amounts, edges.")
@click.option("--stability", is_flag=True, help="Leave out one case at a time and show which clauses stay.")
@click.option(
    "--holdout",
    "folds",
    type=click.IntRange(min=2),
    metavar="FOLDS",
    help="Select without each part of the cases in turn, and count the pairs not seen that are kept.",
)
@click.option(
    "--engine",
    metavar="ENGINE",
    help="Where candidates are observed on the cases: local (the default), processes, processes:N, dask, or "
    "dask:tcp://HOST:PORT. What is selected is the same.",
)
@click.option("--out", type=OutputFolder(COMMAND), help="Write contract, page and tables here.")
@format_option("text", "json", "csv")
def command(
    requirements: tuple[str, ...],
    seconds: Fraction | None,
    every: bool,
    robust: bool,
    stability: bool,
    folds: int | None,
    preferences: str | None,
    ref: str | None,
    systems: tuple[tuple[str, str], ...],
    durations: str | None,
    audio: str | None,
    engine: str | None,
    out: Path | None,
    form: str,
    **options: Unpack[FamilyOptions],
) -> int:
    """Find the smallest contract that scores worse cases lower, prove that it is smallest, and justify each clause.

    CALIBRATION is a file, or the name of a shipped set such as boundary_gate. A case is an edit of a reference
    (late_onset, early_onset, late_release, early_release, missing, bleed, length, split, extra, none), intervals, or a
    clip of two tables; chapter 14 of spec/tools.md has the form, spec/schemas/calibration.schema.json its schema.

    The guarantee, unless --require says otherwise: the contract has a profile, whole weights on its clauses, under
    which the worse of any two cases of different rank has the lower mean, by the margin that is printed, alone and in a
    corpus of the same labels (order); and every fault has a clause that is lowest on it alone (name). The clauses are
    the fewest that do it, of these sets the one of the largest margin. Pairs that no weights order together are shown.
    --require separate asks for less: some clause is lower on the worse case; others, and the mean, may be higher.
    --format csv prints the values of the selected clauses.

    Exit codes: 0 every requirement is met and the set is proved best, 1 some requirement cannot be met, 2 invalid
    input, 3 the time limit was reached before the proof.
    """
    required = tuple(Requirement(value) for value in dict.fromkeys(requirements))
    if len(systems) != len(dict(systems)):
        raise click.UsageError("two systems have one name")
    given = any((ref, systems, durations, audio))
    tables = Tables(ref, durations, dict(systems), audio) if given else None
    chosen = None if engine is None else engine_from(engine)
    asked = Asked(required, seconds, every, robust, stability, folds, preferences, tables, chosen)
    if (conflict := asked.conflict(lambda name: f"--{name}")) is not None:
        raise click.UsageError(conflict)
    if preferences is not None and (options["without"] or options["ranks"]):
        raise click.UsageError("--preferences is without ranks: leave out --without and --rank")
    found, selection = _selected(options, asked)
    if options["without"] or options["ranks"]:
        unchanged: FamilyOptions = {**options, "without": (), "ranks": ()}
        before, _ = _selected(unchanged, dataclasses.replace(asked, every=False, stability=False, folds=None))
        found = replace(found, changes=changes_between(before, found))
    print_diagnostics(selection.diagnostics)
    if every and selection.optima is None:
        say("the set is not proved smallest, so no other sets can be called as small")
    if out is not None:
        written = write_selection(selection, found, out)
        say(f"wrote {len(written)} files to {out}")
    _show(found, form)
    return _exit(found, selection)


def _exit(found: SelectionRecord, selection: Selection) -> Exit:
    """Violated if something is known not to be met by any contract; what was given up in the time is not."""
    ordering = found.selected.ordering
    impossible = len(found.unmet) + (ordering.given_up.bound if ordering else 0)
    if impossible or (found.preferences and found.preferences.violated):
        return Exit.VIOLATED
    met = found.selected.met == found.selected.required
    return Exit.OK if met and selection.cover.optimal else Exit.UNKNOWN


def _selected(options: FamilyOptions, asked: Asked) -> tuple[SelectionRecord, Selection]:
    calibration, family, authors = read_family_options(options, ranked=asked.preferences is None)
    with stages_shown() as on_stage:
        return answered(calibration, family, authors, asked, on_stage=on_stage)


def _show(found: SelectionRecord, form: str) -> None:
    match form:
        case "json":
            print_json(found)
        case "csv":
            columns = ["case", "rank", "risk", *(clause.name for clause in found.selected.clauses)]
            cases, chosen = [(place, found.cases[place]) for place in found.worst_first], found.chosen
            ranks = {case.name: "" if case.rank is None else str(case.rank) for case in found.cases}
            rows = [[c.name, ranks[c.name], c.risk, *(str(v.values[k]) for v in chosen)] for k, c in cases]
            print_rows(columns, rows)
        case _:
            print_tables(render_selection(found))
