"""`tracepact basis`, `calibrate` and `select`."""

import dataclasses
import sys
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Literal, Unpack

import click
from msgspec import Meta
from msgspec.structs import astuple, replace

from tracepact.command_line import Exit
from tracepact.data.memory import durations_from, events_from
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import RowPlace, Source, did_you_mean
from tracepact.engines import engine_from
from tracepact.files import Row, write_whole
from tracepact.options import (
    Assignment,
    Seconds,
    WholeNumber,
    complete_starter,
    durations_option,
    earlier_name,
    format_option,
    named_contract,
)
from tracepact.outputs import OutputFolder, print_json, print_rows
from tracepact.records import Count, Record
from tracepact.selection.basis import check_family, observe_family
from tracepact.selection.calibration_reader import read_calibration
from tracepact.selection.candidates import Candidates, describe
from tracepact.selection.draft import (
    FAULTS,
    FamilyOptions,
    best_clip,
    complete_file,
    draft_calibration,
    family_options,
    fitting_faults,
    read_family_options,
    report_left_out,
    stages_shown,
    within_clips,
)
from tracepact.selection.files import COMMAND, write_selection
from tracepact.selection.judgements import Tables
from tracepact.selection.python import SelectionRequest, answered
from tracepact.selection.record import SelectionRecord
from tracepact.selection.record_parts import MEMBER_COLUMNS, MemberRecord, basis_record, changes_between, member_records
from tracepact.selection.requirements import DEFAULT_REQUIREMENTS, SelectionRequirement
from tracepact.selection.selection import Selection, retain_basis
from tracepact.selection.sentences import pair_rows
from tracepact.selection.values import Screening
from tracepact.selection.views import render_basis, render_pairs, render_selection
from tracepact.show.lines import print_diagnostics, reader_may_leave, say
from tracepact.show.tables import print_tables
from tracepact.wording import listed

# `tracepact basis`: the steps of a selection one by one.

_SEPARATOR = {"text": "\t", "csv": ","}
_PERFECT: dict[Screening, Literal["passed", "fails on a reference", "fails on a short trace"]] = {
    Screening.PASSED: "passed",
    Screening.FAILED_ON_REFERENCE: "fails on a reference",
    Screening.FAILED_ON_SHORT_TRACE: "fails on a short trace",
}


class CandidateRecord(Record, frozen=True):
    """A candidate: its number, its cost and its text (14.6)."""

    candidate: Count
    cost: Count
    text: str


class CandidateList(Record, frozen=True):
    """What `tracepact basis candidates --format json` prints: the candidates in their order."""

    candidates: tuple[CandidateRecord, ...]


class MemberList(Record, frozen=True):
    """What `tracepact basis retain --members --format json` prints: every candidate and where it went."""

    members: tuple[MemberRecord, ...]


class ObservedCandidate(Record, frozen=True):
    """A candidate, how it did on perfect predictions (14.8), and its value on every case (14.9)."""

    text: str
    perfect: Literal["passed", "fails on a reference", "fails on a short trace"]
    values: tuple[Fraction, ...]


class ObservationRecord(Record, frozen=True):
    """What `tracepact basis observe --format json` prints: the value of every candidate on every case."""

    cases: Annotated[tuple[str, ...], Meta(description="The names of the cases, in the order of the values.")]
    candidates: tuple[ObservedCandidate, ...]


@click.group()
def basis_command() -> None:
    """Show the steps from a calibration set to its basis: candidates, observe, retain, separate."""


@basis_command.command()
@family_options
@format_option("text", "json", "csv")
def candidates(form: str, **options: Unpack[FamilyOptions]) -> None:
    """List the candidates in their order, one on each line: number, cost, text."""
    calibration, family, authors = read_family_options(options)
    check_family(calibration, family, authors)
    every = Candidates(family, calibration.step, authors)
    costs = every.costs
    if form == "json":
        print_json(CandidateList(tuple(CandidateRecord(i, costs[i], describe(every, i)) for i in range(len(every)))))
        return
    rows = ((index, costs[index], describe(every, index)) for index in range(len(every)))
    print_rows(("candidate", "cost", "text") if form == "csv" else None, rows, _SEPARATOR[form])


@basis_command.command()
@family_options
@format_option("text", "json", "csv")
def observe(form: str, **options: Unpack[FamilyOptions]) -> None:
    """Print the exact value of every candidate on every case as a table.

    The column `perfect` says how the candidate did on perfect predictions.
    """
    calibration, family, authors = read_family_options(options)
    with stages_shown() as on_stage:
        observed = observe_family(calibration, family, authors, on_stage=on_stage, dropped=True)
    print_diagnostics(observed.warnings)
    observations = (
        ObservedCandidate(
            describe(observed.candidates, index),
            _PERFECT[Screening(int(observed.observation.screening[index]))],
            observed.observation.values(index),
        )
        for index in range(len(observed.candidates))
    )
    names = tuple(case.name for case in calibration.cases)
    if form == "json":
        print_json(ObservationRecord(names, tuple(observations)))
        return
    rows = ([candidate.text, candidate.perfect, *map(str, candidate.values)] for candidate in observations)
    _print_rows(form, ("candidate", "perfect", *names), rows)


@basis_command.command()
@family_options
@click.option("--members", is_flag=True, help="List every candidate with the coordinate it belongs to, as a table.")
@format_option("text", "json", "csv")
def retain(members: bool, form: str, **options: Unpack[FamilyOptions]) -> None:
    """Collapse observationally equal candidates and show the retained basis.

    --format csv prints a row for every coordinate: its name, text and cost, and its value on every case.
    """
    calibration, family, authors = read_family_options(options)
    with stages_shown() as on_stage:
        retained = retain_basis(observe_family(calibration, family, authors, on_stage=on_stage), on_stage=on_stage)
    print_diagnostics(retained.observed.warnings)
    if members and form == "json":
        print_json(MemberList(tuple(member_records(retained))))
        return
    if members:
        _print_rows(form, MEMBER_COLUMNS, map(astuple, member_records(retained)))
        return
    record = basis_record(retained)
    match form:
        case "json":
            print_json(record)
        case "csv":
            rows = ((c.name, c.text, str(c.cost), *map(str, c.values)) for c in record.coordinates)
            _print_rows(form, ("coordinate", "text", "cost", *(case.name for case in record.cases)), rows)
        case _:
            with reader_may_leave():
                print_tables(render_basis(record))


@basis_command.command()
@family_options
@format_option("text", "json", "csv")
def separate(form: str, **options: Unpack[FamilyOptions]) -> int:
    """Say for every pair of cases of different rank how many coordinates separate it.

    Exit codes: 0 every pair is separated, 1 some pair is not.
    """
    calibration, family, authors = read_family_options(options)
    with stages_shown() as on_stage:
        observed = observe_family(calibration, family, authors, on_stage=on_stage)
        retained = retain_basis(observed, (SelectionRequirement.SEPARATE,), on_stage=on_stage)
    print_diagnostics(observed.warnings)
    record = basis_record(retained)
    match form:
        case "json":
            print_json(record)
        case "csv":
            _print_rows(form, ("worse", "better", "coordinates", "first"), pair_rows(record))
        case _:
            with reader_may_leave():
                print_tables(render_pairs(record))
    return Exit.VIOLATED if retained.unmet else Exit.OK


def _print_rows(form: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """A table on standard output: separated by tabs as text, by commas as CSV."""
    print_rows(columns, rows, _SEPARATOR[form])


# `tracepact calibrate`: write a calibration set made of the user's own references.

_WORST = {
    "misses": ("missing activity",),
    "false alarms": ("extra activity", "silence bleed"),
    "late": ("late onset", "late release"),
    "early": ("early onset", "early release"),
    "pieces": ("fragmentation",),
}


@click.command()
@click.option("--ref", type=click.Path(), required=True, help="Reference events: a file or folder of any format.")
@click.option(
    "--contract",
    default="boundary_gate",
    show_default=True,
    shell_complete=complete_starter,
    help="The contract whose step and tolerances the amounts are tied to.",
)
@click.option("--out", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The file to write.")
@durations_option("without them a clip ends a second after its last event")
@click.option("--label", help="Take the events of this label (default: the label and clip with the most).")
@click.option("--worst", type=click.Choice(list(_WORST)), help="What hurts most: it gets the highest rank.")
@click.option("--early-is-worse", is_flag=True, help="An early edge is worse than a late one.")
@click.option("--whole", is_flag=True, help="Events must stay whole: pieces are as bad as misses.")
def calibrate_command(
    ref: str,
    contract: str,
    out: Path,
    durations: str | None,
    label: str | None,
    worst: str | None,
    early_is_worse: bool,
    whole: bool,
) -> None:
    """Write a calibration set made of your own references: nine faults, at amounts tied to a contract's tolerances.

    Ranks are those of the shipped set unless the answers to three questions say otherwise (--worst, --early-is-worse,
    --whole; a terminal asks them if none is given). Every case is a line to edit, and `tracepact select` works on the
    file at once.
    """
    if worst == "late" and early_is_worse:
        raise click.UsageError("--worst late says that late is worse than early, --early-is-worse the opposite")
    if out.exists():
        raise click.UsageError(f"`{out}` already exists; choose another name")
    compiled, diagnostics = named_contract(contract), Diagnostics()
    table = events_from(Path(ref), diagnostics, name=ref)
    lengths = durations_from(durations, diagnostics) if durations is not None else None
    diagnostics.raise_errors()
    table = within_clips(table, lengths, diagnostics)
    clip = best_clip(compiled, table, lengths, label)
    if clip is None:
        what = f"no event has the label `{label}`" if label else "the references have no event"
        labels = {event.label for events in table.clips.values() for event in events}
        near = did_you_mean(label, labels) if label else None
        diagnostics.add("empty-calibration", f"{what}; there is nothing to make faults of", RowPlace(ref), near)
        raise InvalidInput(diagnostics)
    report_left_out(table, {clip[0]: clip[1]}, diagnostics)
    if worst is None and not early_is_worse and not whole and sys.stdin.isatty():
        worst, early_is_worse, whole = _answers()
    ranks = _ranks(worst, early_is_worse, whole)
    _check_faults(fitting_faults(compiled, *clip[1:]), ranks, ref, diagnostics)
    text = draft_calibration(compiled, out.stem, *clip, ranks)
    # what is written has to be readable: a fault of the draft shows here, not at the user's next command
    read_calibration(Source(str(out), text))
    print_diagnostics(diagnostics)
    write_whole({out: text})
    say(f"wrote {out}; `tracepact select {out}` selects a contract for it")


def _answers() -> tuple[str | None, bool, bool]:
    """The three questions."""
    worst = click.prompt("What hurts most", type=click.Choice(list(_WORST)), default="misses")
    early = worst not in ("late", "early") and click.confirm("Is early worse than late?", default=False)
    return worst, early, click.confirm("Must events stay whole?", default=False)


def _check_faults(fitting: list[str], ranks: dict[str, int], ref: str, diagnostics: Diagnostics) -> None:
    """InvalidInput if the faults that fit the events have fewer than two ranks."""
    if len({ranks[name] for name in fitting}) > 1:
        return
    which = f"only {listed(fitting)} fits" if len(fitting) == 1 else f"only faults of one rank fit: {listed(fitting)}"
    headline = f"no other fault fits events this short or close: {which}" if fitting else "no fault fits these events"
    help = "take a label or clips with longer events further apart, or a contract with a smaller step and tolerance"
    diagnostics.add("one-rank", headline, RowPlace(ref), help)
    raise InvalidInput(diagnostics)


def _ranks(worst: str | None, early_is_worse: bool, whole: bool) -> dict[str, int]:
    """The ranks that differ from those of the shipped set."""
    ranks = {fault.name: fault.rank for fault in FAULTS}
    if early_is_worse:
        ranks |= {"early onset": 4, "early release": 4, "late onset": 3, "late release": 3}
    if whole:
        ranks["fragmentation"] = ranks["missing activity"]
    for name in _WORST.get(worst or "", ()):
        ranks[name] = max(ranks.values()) + 1 if name == _WORST[worst or ""][0] else max(ranks.values())
    return ranks


# `tracepact select`: the smallest contract that respects a calibration set's order of harm.


@click.command()
@family_options
@earlier_name("--require", "--guarantee")
@click.option(
    "--guarantee",
    "requirements",
    type=click.Choice([r.value for r in SelectionRequirement]),
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
    type=WholeNumber(min=2),
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
def select_command(
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
    clip of two tables; spec/tools/14-selection.md has the form, spec/schemas/calibration.schema.json its schema.

    The guarantee, unless --guarantee says otherwise: the contract has a profile, whole weights on its clauses, under
    which the worse of any two cases of different rank has the lower mean, by the margin that is printed, alone and in a
    corpus of the same labels (order); and every fault has a clause that is lowest on it alone (name). The clauses are
    the fewest that do it, of these sets the one of the largest margin. Pairs that no weights order together are shown.
    --guarantee separate asks for less: some clause is lower on the worse case; others, and the mean, may be higher.
    --format csv prints the values of the selected clauses.

    Exit codes: 0 every requirement is met and the set is proved best, 1 some requirement cannot be met, 2 invalid
    input, 3 the time limit was reached before the proof.
    """
    required = tuple(SelectionRequirement(value) for value in dict.fromkeys(requirements))
    if len(systems) != len(dict(systems)):
        raise click.UsageError("two systems have one name")
    with_tables = any((ref, systems, durations, audio))
    tables = Tables(ref, durations, dict(systems), audio) if with_tables else None
    chosen = None if engine is None else engine_from(engine)
    request = SelectionRequest(required, seconds, every, robust, stability, folds, preferences, tables, chosen)
    if (conflict := request.conflict(lambda name: f"--{name}")) is not None:
        raise click.UsageError(conflict)
    if preferences is not None and (options["without"] or options["ranks"]):
        raise click.UsageError("--preferences is without ranks: leave out --without and --rank")
    record, selection = _selected(options, request)
    if options["without"] or options["ranks"]:
        unchanged: FamilyOptions = {**options, "without": (), "ranks": ()}
        # the set as it is in the file is selected as well: a change is only seen beside it
        before, _ = _selected(unchanged, dataclasses.replace(request, every=False, stability=False, folds=None))
        record = replace(record, changes=changes_between(before, record))
    print_diagnostics(selection.diagnostics)
    if every and selection.optima is None:
        say("the set is not proved smallest, so no other sets can be called as small")
    if out is not None:
        written = write_selection(selection, record, out)
        say(f"wrote {len(written)} files to {out}")
    _show(record, form)
    return _exit(record, selection)


def _exit(record: SelectionRecord, selection: Selection) -> Exit:
    """Violated if something is known not to be met by any contract; what was given up in the time is not."""
    ordering = record.selected.ordering
    impossible = len(record.unmet) + (ordering.given_up.bound if ordering else 0)
    if impossible or (record.preferences and record.preferences.violated):
        return Exit.VIOLATED
    met = record.selected.met == record.selected.required
    return Exit.OK if met and selection.cover.optimal else Exit.UNKNOWN


def _selected(options: FamilyOptions, request: SelectionRequest) -> tuple[SelectionRecord, Selection]:
    calibration, family, authors = read_family_options(options, ranked=request.preferences is None)
    with stages_shown() as on_stage:
        return answered(calibration, family, authors, request, on_stage=on_stage)


def _show(record: SelectionRecord, form: str) -> None:
    match form:
        case "json":
            print_json(record)
        case "csv":
            columns = ["case", "rank", "risk", *(clause.name for clause in record.selected.clauses)]
            ranks = {case.name: "" if case.rank is None else str(case.rank) for case in record.cases}
            print_rows(columns, [[c.name, ranks[c.name], c.risk, *map(str, row)] for c, row in record.value_rows])
        case _:
            print_tables(render_selection(record))
