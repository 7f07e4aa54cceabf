"""`tracepact basis`: the steps of a selection one by one."""

from typing import Unpack

import click

from tracepact.files import json_text
from tracepact.show.lines import print_diagnostics, reader_may_leave
from tracepact.show.screen import output
from tracepact.tools.exits import Exit
from tracepact.tools.select.candidates import Candidates
from tracepact.tools.select.command import Asked, asked_set, family_options, watched
from tracepact.tools.select.report.data import retained_data
from tracepact.tools.select.report.files import candidates_table
from tracepact.tools.select.report.text import render_basis, render_pairs
from tracepact.tools.select.select import check_family, observe_family, retain_basis
from tracepact.tools.select.separate import Requirement
from tracepact.tools.select.write import describe


@click.group()
def command() -> None:
    """The steps from a calibration set to its basis: candidates, observe, retain, separate."""


@command.command()
@family_options
def candidates(**asked: Unpack[Asked]) -> None:
    """List the candidates in their order, one a line: number, cost, text."""
    calibration, family, authors = asked_set(asked)
    check_family(calibration, family, authors)
    made = Candidates(family, calibration.step, authors)
    costs = made.costs
    with reader_may_leave():
        for index in range(len(made)):
            click.echo(f"{index}\t{costs[index]}\t{describe(made, index)}")


@command.command()
@family_options
def observe(**asked: Unpack[Asked]) -> None:
    """Print the value of every candidate on every case, exact, as a table; `perfect` says what the tests found."""
    calibration, family, authors = asked_set(asked)
    with watched() as on_step:
        observed = observe_family(calibration, family, authors, on_step=on_step)
    print_diagnostics(observed.warnings)
    screenings = ("passed", "fails on a reference", "fails on a short trace")
    with reader_may_leave():
        click.echo("\t".join(["candidate", "perfect", *(case.name for case in calibration.cases)]))
        for index in range(len(observed.candidates)):
            values = map(str, observed.observation.values(index))
            text = describe(observed.candidates, index)
            click.echo("\t".join([text, screenings[int(observed.observation.screening[index])], *values]))


@command.command()
@family_options
@click.option("--members", is_flag=True, help="List every candidate with where it went, as a table.")
@click.option("--json", "as_json", is_flag=True, help="Print the basis as JSON.")
def retain(members: bool, as_json: bool, **asked: Unpack[Asked]) -> None:
    """Collapse observationally equal candidates and show the retained basis."""
    calibration, family, authors = asked_set(asked)
    with watched() as on_step:
        retained = retain_basis(observe_family(calibration, family, authors, on_step=on_step), on_step=on_step)
    print_diagnostics(retained.observed.warnings)
    with reader_may_leave():
        if members:
            click.echo(candidates_table(retained), nl=False)
        elif as_json:
            click.echo(json_text(retained_data(retained)), nl=False)
        else:
            output().print(render_basis(retained_data(retained)))


@command.command()
@family_options
@click.option("--json", "as_json", is_flag=True, help="Print the basis and what it separates as JSON.")
def separate(as_json: bool, **asked: Unpack[Asked]) -> int:
    """Say for every pair of cases of different rank how many coordinates separate it; exits with 1 if one is open."""
    calibration, family, authors = asked_set(asked)
    with watched() as on_step:
        observed = observe_family(calibration, family, authors, on_step=on_step)
        retained = retain_basis(observed, (Requirement.SEPARATE,), on_step=on_step)
    print_diagnostics(observed.warnings)
    data = retained_data(retained)
    with reader_may_leave():
        if as_json:
            click.echo(json_text(data), nl=False)
        else:
            output().print(render_pairs(data))
    return Exit.VIOLATED if retained.unmet else Exit.OK
