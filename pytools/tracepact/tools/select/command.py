"""`tracepact select`: the smallest contract that respects a calibration set's order of harm."""

import dataclasses
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Unpack

import click
from msgspec.structs import replace

from tracepact.calibration.calibration import Calibration
from tracepact.diagnostics import Diagnostic, Diagnostics
from tracepact.io import durations_from, events_from
from tracepact.show.lines import print_diagnostics, say
from tracepact.show.screen import print_tables
from tracepact.tools.exits import Exit
from tracepact.tools.folders import OutputFolder
from tracepact.tools.parameters import Assignment, Seconds, durations_option, format_option
from tracepact.tools.results import print_json, print_rows
from tracepact.tools.select.candidate_words import describe
from tracepact.tools.select.options import FamilyOptions, family_options, read_family_options, stages_shown
from tracepact.tools.select.preferences import CaseNames, ClipNames, read_preferences
from tracepact.tools.select.preferring import select_by_preferences
from tracepact.tools.select.report.build import changes_between, selection_record
from tracepact.tools.select.report.files import COMMAND, write_selection
from tracepact.tools.select.report.record import SelectionRecord
from tracepact.tools.select.report.text import render_selection
from tracepact.tools.select.robust import own_reference, with_disturbances
from tracepact.tools.select.select import Selection, larger_families, select
from tracepact.tools.select.separate import DEFAULT_REQUIREMENTS, Requirement
from tracepact.tools.select.stability import hold_out, leave_one_out
from tracepact.tools.select.systems import Tables, read_systems, with_cases

_SEARCH = Fraction(20)
"""Seconds of a search over preferences, which may contradict each other in ways that take for ever to prove (14.34)."""


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
    help="Time limit of the search; after it, the best set found is shown with its gap. With --preferences 20 unless "
    "given.",
)
@click.option("--all", "every", is_flag=True, help="List every other set of the same size and cost.")
@click.option(
    "--preferences",
    metavar="FILE",
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
    if preferences is not None and (every or robust or stability or options["without"] or options["ranks"]):
        raise click.UsageError("--preferences goes with --family, --clauses, --seconds, --holdout and --out alone")
    if systems and (preferences is None or ref is None):
        raise click.UsageError("--system goes with --preferences, which judges systems, and with --ref")
    if preferences is not None and ref is not None and not systems:
        raise click.UsageError("name the systems that were judged: --system NAME=TABLE")
    if durations is not None and ref is None:
        raise click.UsageError("--durations are the lengths of the clips of --ref")
    if audio is not None and (not systems or durations is not None):
        raise click.UsageError("--audio gives the lengths of the clips of --system in place of --durations")
    tables = None if ref is None else Tables(ref, durations, dict(systems), audio)
    if len(systems) != len(dict(systems)):
        raise click.UsageError("two systems have one name")
    asked = _Asked(required, seconds, every, robust, stability, folds, preferences, tables)
    found, selection = _selected(options, asked)
    if options["without"] or options["ranks"]:
        unchanged: FamilyOptions = {**options, "without": (), "ranks": ()}
        before, _ = _selected(unchanged, _Asked(required, seconds, False, robust, False, None, None, tables))
        found = replace(found, changes=changes_between(before, found))
    print_diagnostics(selection.diagnostics)
    if every and selection.optima is None:
        say("the set is not proved smallest, so no other sets can be called as small")
    if out is not None:
        written = write_selection(selection, found, out)
        say(f"wrote {len(written)} files to {out}")
    _show(found, form)
    if found.selected.met < found.selected.required or (found.preferences and found.preferences.violated):
        return Exit.VIOLATED
    return Exit.OK if selection.cover.optimal else Exit.UNKNOWN


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked of a selection beside its cases and candidates."""

    required: tuple[Requirement, ...]
    seconds: Fraction | None
    every: bool
    robust: bool
    stability: bool
    folds: int | None
    preferences: str | None
    tables: Tables | None


def _preferred(options: FamilyOptions, asked: _Asked, path: str) -> tuple[SelectionRecord, Selection]:
    calibration, family, authors = read_family_options(options, ranked=False)
    warnings: tuple[Diagnostic, ...] = ()
    if asked.tables is None:
        judged = read_preferences(path, CaseNames(calibration.cases))
    else:
        outputs = read_systems(calibration, asked.tables)
        names, warnings = ClipNames(outputs), outputs.warnings
        judged = read_preferences(path, names)
        calibration = with_cases(calibration, tuple(names.cases), Path(path).stem)
    print_diagnostics(warnings)
    with stages_shown() as on_stage:
        found = select_by_preferences(
            calibration,
            judged,
            family,
            authors,
            folds=asked.folds,
            seconds=_SEARCH if asked.seconds is None else asked.seconds,
            on_stage=on_stage,
        )
    return selection_record(found.selection, preferred=found), found.selection


def _selected(options: FamilyOptions, asked: _Asked) -> tuple[SelectionRecord, Selection]:
    if asked.preferences is not None:
        return _preferred(options, asked, asked.preferences)
    calibration, family, authors = read_family_options(options)
    if asked.tables is not None:
        calibration = _with_own(calibration, asked.tables)
    if asked.robust:
        calibration = with_disturbances(calibration)
    seconds = asked.seconds
    with stages_shown() as on_stage:
        selection = select(
            calibration,
            family,
            authors,
            requirements=asked.required,
            seconds=seconds,
            every=asked.every,
            on_stage=on_stage,
        )
        on_stage("larger families")
        larger = larger_families(selection, describe)
        left = leave_one_out(selection, seconds=seconds, on_stage=on_stage) if asked.stability else None
        held = hold_out(selection, asked.folds, seconds=seconds, on_stage=on_stage) if asked.folds else None
        return selection_record(selection, larger, stability=left, holdout=held), selection


def _with_own(calibration: Calibration, tables: Tables) -> Calibration:
    """The calibration set with the user's own reference as a disturbance."""
    diagnostics = Diagnostics()
    table = events_from(Path(tables.ref), diagnostics, name=tables.ref)
    lengths = None if tables.durations is None else durations_from(tables.durations, diagnostics)
    diagnostics.raise_errors()
    print_diagnostics(diagnostics)
    return dataclasses.replace(calibration, own=own_reference(calibration, table, lengths))


def _show(found: SelectionRecord, form: str) -> None:
    match form:
        case "json":
            print_json(found)
        case "csv":
            columns = ["case", "rank", "risk", *(clause.name for clause in found.selected.clauses)]
            cases = [(place, found.cases[place]) for place in found.worst_first]
            rows = [[c.name, str(c.rank), c.risk, *(str(v.values[k]) for v in found.chosen)] for k, c in cases]
            print_rows(columns, rows)
        case _:
            print_tables(render_selection(found))
