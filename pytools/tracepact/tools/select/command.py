"""`tracepact select`: the smallest contract that respects a calibration set's order of harm."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, TypedDict, Unpack

import click

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostics, InvalidInput
from tracepact.files import json_text
from tracepact.lang import load_contract, read_file
from tracepact.show.lines import print_diagnostics, say
from tracepact.show.screen import counted, output
from tracepact.tools.exits import Exit
from tracepact.tools.parameters import Assignment, Seconds
from tracepact.tools.select.calibration import Calibration
from tracepact.tools.select.declaring import read_family
from tracepact.tools.select.family import NO_FAMILY, FamilySpec
from tracepact.tools.select.reading import load_calibration
from tracepact.tools.select.report.data import changes_data, selection_data
from tracepact.tools.select.report.files import write_selection
from tracepact.tools.select.report.text import render_selection
from tracepact.tools.select.select import Selection, beyond, select
from tracepact.tools.select.separate import Requirement
from tracepact.tools.select.write import describe


class Asked(TypedDict):
    """What `family_options` hands to a command."""

    calibration: str
    family: str | None
    clauses: tuple[str, ...]
    depth: int | None
    most: int | None
    without: tuple[str, ...]
    ranks: tuple[tuple[str, str], ...]


_OPTIONS = (
    click.argument("calibration"),
    click.option("--family", metavar="FILE", help="Declare the candidates in a file; `none` takes --clauses alone."),
    click.option(
        "--clauses", metavar="CONTRACT", multiple=True, help="Clauses of a contract as candidates, before all others."
    ),
    click.option("--depth", type=click.IntRange(min=0, max=4), help="How deep modalities nest."),
    click.option("--most", type=click.IntRange(min=1), help="The bound on the number of candidates."),
    click.option("--without", metavar="CASE", multiple=True, help="Leave a case out and show what that changes."),
    click.option(
        "--rank",
        "ranks",
        type=Assignment("'late onset=5'"),
        multiple=True,
        help="Give a case another rank: --rank 'late onset=5'.",
    ),
)


def family_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of `Asked`."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def asked_set(asked: Asked) -> tuple[Calibration, FamilySpec, Contract | None]:
    """The calibration set, the family and the author's contract that the options name."""
    if len(asked["clauses"]) > 1:
        raise click.UsageError("--clauses takes one contract: put the clauses into one file")
    for name in asked["without"]:
        if name in dict(asked["ranks"]):
            raise click.UsageError(f"`{name}` is left out with --without and given a rank with --rank")
    calibration = load_calibration(asked["calibration"], without=asked["without"], ranks=dict(asked["ranks"]))
    authors = load_contract(asked["clauses"][0]) if asked["clauses"] else None
    return calibration, _family(asked, calibration), authors


def _family(asked: Asked, calibration: Calibration) -> FamilySpec:
    family = calibration.family
    if asked["family"] == "none":
        family = NO_FAMILY
    elif asked["family"] is not None:
        diagnostics = Diagnostics()
        source = read_file(asked["family"], diagnostics)
        if source is None:
            raise InvalidInput(diagnostics)
        family = read_family(source, calibration.step)
    depth = family.depth if asked["depth"] is None else asked["depth"]
    return replace(family, depth=depth, most=asked["most"] or family.most)


@contextmanager
def watched() -> Iterator[Callable[[str], None]]:
    """A line on standard error that says what is being done."""
    with counted() as update:
        yield lambda what: update(0, 1, what)


@click.command()
@family_options
@click.option(
    "--require",
    "requirements",
    type=click.Choice([r.value for r in Requirement]),
    multiple=True,
    default=(Requirement.SEPARATE.value,),
    show_default=True,
    help="What the clauses have to do: separate ranks, name faults; give it twice for both.",
)
@click.option(
    "--seconds", type=Seconds(), help="A budget for the search; beyond it the best found is given with its gap."
)
@click.option("--all", "every", is_flag=True, help="List every other set of the same size and cost.")
@click.option("--json", "as_json", is_flag=True, help="Print the selection as JSON.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Write contract, page and tables here.")
def command(
    requirements: tuple[str, ...],
    seconds: Fraction | None,
    every: bool,
    as_json: bool,
    out: Path | None,
    **asked: Unpack[Asked],
) -> int:
    """Find the smallest contract that tells worse cases from less bad ones, prove it, and say why each clause is there.

    CALIBRATION is a file, or the name of a shipped set such as boundary_gate. A case is an edit of a reference
    (late_onset, early_onset, late_release, early_release, missing, bleed, length, split, extra, none), intervals, or a
    clip of two tables; chapter 14 of spec/tools.md has the form, spec/schemas/calibration.schema.json its schema.

    Of two cases of different rank some clause is strictly lower on the worse one. No more is promised: other clauses,
    and the mean of all, may be higher on it, and the answer says on how many pairs they are. With --require name a
    case whose prediction is its reference needs no name.

    Exit codes: 0 all that is required is met and the set is proved smallest, 1 something no candidate can do, 3 the
    budget ran out before the proof.
    """
    required = tuple(Requirement(value) for value in dict.fromkeys(requirements))
    data, selection = _selected(asked, required, seconds, every)
    if asked["without"] or asked["ranks"]:
        unchanged: Asked = {**asked, "without": (), "ranks": ()}
        data["changes"] = changes_data(_selected(unchanged, required, seconds, every=False)[0], data)
    print_diagnostics(selection.diagnostics)
    if every and selection.optima is None:
        say("the set is not proved smallest, so no other sets can be called as small")
    if out is not None:
        written = write_selection(selection, data, out)
        say(f"wrote {len(written)} files to {out}")
    if as_json:
        click.echo(json_text(data), nl=False)
    else:
        output().print(render_selection(data))
    if data["unmet"]:
        return Exit.VIOLATED
    return Exit.OK if selection.cover.optimal else Exit.UNKNOWN


def _selected(
    asked: Asked, required: tuple[Requirement, ...], seconds: Fraction | None, every: bool
) -> tuple[dict[str, Any], Selection]:
    calibration, family, authors = asked_set(asked)
    with watched() as on_step:
        selection = select(
            calibration, family, authors, requirements=required, seconds=seconds, every=every, on_step=on_step
        )
        on_step("what lies beyond")
        return selection_data(selection, beyond(selection, describe)), selection
