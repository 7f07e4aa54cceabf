"""`tracepact basis`: the steps of a selection one by one."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Annotated, Literal, Unpack

import click
from msgspec import Meta

from tracepact.files import Row
from tracepact.records import Count, Record
from tracepact.show.lines import print_diagnostics, reader_may_leave
from tracepact.show.screen import print_tables
from tracepact.tools.exits import Exit
from tracepact.tools.parameters import format_option
from tracepact.tools.results import print_json, print_rows
from tracepact.tools.select.candidate_words import describe
from tracepact.tools.select.candidates import Candidates
from tracepact.tools.select.observe import Screening
from tracepact.tools.select.observed import check_family, observe_family
from tracepact.tools.select.options import FamilyOptions, family_options, read_family_options, stages_shown
from tracepact.tools.select.report.build import basis_record
from tracepact.tools.select.report.files import MEMBER_COLUMNS, MemberRecord, member_records, member_rows
from tracepact.tools.select.report.tables import pair_rows
from tracepact.tools.select.report.text import render_basis, render_pairs
from tracepact.tools.select.select import retain_basis
from tracepact.tools.select.separate import Requirement

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
def command() -> None:
    """Show the steps from a calibration set to its basis: candidates, observe, retain, separate."""


@command.command()
@family_options
@format_option("text", "json", "csv")
def candidates(form: str, **options: Unpack[FamilyOptions]) -> None:
    """List the candidates in their order, one on each line: number, cost, text."""
    calibration, family, authors = read_family_options(options)
    check_family(calibration, family, authors)
    made = Candidates(family, calibration.step, authors)
    costs = made.costs
    if form == "json":
        print_json(CandidateList(tuple(CandidateRecord(i, costs[i], describe(made, i)) for i in range(len(made)))))
        return
    rows = ((index, costs[index], describe(made, index)) for index in range(len(made)))
    print_rows(("candidate", "cost", "text") if form == "csv" else None, rows, _SEPARATOR[form])


@command.command()
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
    found = (
        ObservedCandidate(
            describe(observed.candidates, index),
            _PERFECT[Screening(int(observed.observation.screening[index]))],
            observed.observation.values(index),
        )
        for index in range(len(observed.candidates))
    )
    names = tuple(case.name for case in calibration.cases)
    if form == "json":
        print_json(ObservationRecord(names, tuple(found)))
        return
    rows = ([candidate.text, candidate.perfect, *map(str, candidate.values)] for candidate in found)
    _print_rows(form, ("candidate", "perfect", *names), rows)


@command.command()
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
        _print_rows(form, MEMBER_COLUMNS, member_rows(retained))
        return
    found = basis_record(retained)
    match form:
        case "json":
            print_json(found)
        case "csv":
            rows = ((c.name, c.text, str(c.cost), *map(str, c.values)) for c in found.coordinates)
            _print_rows(form, ("coordinate", "text", "cost", *(case.name for case in found.cases)), rows)
        case _:
            with reader_may_leave():
                print_tables(render_basis(found))


@command.command()
@family_options
@format_option("text", "json", "csv")
def separate(form: str, **options: Unpack[FamilyOptions]) -> int:
    """Say for every pair of cases of different rank how many coordinates separate it.

    Exit codes: 0 every pair is separated, 1 some pair is not.
    """
    calibration, family, authors = read_family_options(options)
    with stages_shown() as on_stage:
        observed = observe_family(calibration, family, authors, on_stage=on_stage)
        retained = retain_basis(observed, (Requirement.SEPARATE,), on_stage=on_stage)
    print_diagnostics(observed.warnings)
    found = basis_record(retained)
    match form:
        case "json":
            print_json(found)
        case "csv":
            _print_rows(form, ("worse", "better", "coordinates", "first"), pair_rows(found))
        case _:
            with reader_may_leave():
                print_tables(render_pairs(found))
    return Exit.VIOLATED if retained.unmet else Exit.OK


def _print_rows(form: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """A table on standard output: separated by tabs as text, by commas as CSV."""
    print_rows(columns, rows, _SEPARATOR[form])
