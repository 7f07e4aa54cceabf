"""The options by which commands take a calibration set and a family of candidates."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypedDict

import click
from click.shell_completion import CompletionItem

from tracepact.calibration.calibration import Calibration
from tracepact.calibration.declaring import read_family
from tracepact.calibration.family import NO_FAMILY, CandidateFamily
from tracepact.calibration.reading import calibrations, load_calibration
from tracepact.core import Contract
from tracepact.diagnostics import Diagnostics, InvalidInput
from tracepact.lang import read_file
from tracepact.progress import OnStage
from tracepact.show.progress import counted
from tracepact.tools.parameters import Assignment, complete_starter, named_contract, with_options

_NO_FAMILY = "none"


class FamilyOptions(TypedDict):
    """What `family_options` hands to a command."""

    calibration: str
    family: str | None
    clauses: tuple[str, ...]
    depth: int | None
    most: int | None
    without: tuple[str, ...]
    ranks: tuple[tuple[str, str], ...]


def complete_calibration(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The shipped calibration sets whose names begin so, and files, for the completion of shells."""
    names = [CompletionItem(name) for name in calibrations() if name.startswith(incomplete)]
    return names or complete_file(ctx, param, incomplete)


def complete_file(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Files, for the completion of shells."""
    return [CompletionItem(incomplete, type="file")]


def _complete_family(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    none = [CompletionItem(_NO_FAMILY)] if _NO_FAMILY.startswith(incomplete) else []
    return none or complete_file(ctx, param, incomplete)


def family_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The argument and the options of `FamilyOptions`."""
    return with_options(
        (
            click.argument("calibration", shell_complete=complete_calibration),
            click.option(
                "--family",
                metavar="FILE",
                shell_complete=_complete_family,
                help="A file that declares the candidates; `none` keeps those of --clauses.",
            ),
            click.option(
                "--clauses",
                metavar="CONTRACT",
                multiple=True,
                shell_complete=complete_starter,
                help="A contract whose clauses are tried as candidates too, before all others.",
            ),
            click.option("--depth", type=click.IntRange(min=0, max=4), help="Greatest nesting of temporal operators."),
            click.option("--most", type=click.IntRange(min=1), help="Greatest number of candidates."),
            click.option(
                "--without",
                metavar="CASE",
                multiple=True,
                help="Leave a case out and show what that changes.",
            ),
            click.option(
                "--rank",
                "ranks",
                type=Assignment("'late onset=5'"),
                multiple=True,
                help="Give a case another rank: --rank 'late onset=5'.",
            ),
        ),
        function,
    )


def read_family_options(
    options: FamilyOptions, *, ranked: bool = True
) -> tuple[Calibration, CandidateFamily, Contract | None]:
    """The calibration set, the family and the author's contract that the options name; ranks unless not `ranked`."""
    if len(options["clauses"]) > 1:
        raise click.UsageError("--clauses takes one contract: put the clauses into one file")
    for name in options["without"]:
        if name in dict(options["ranks"]):
            raise click.UsageError(f"`{name}` is left out with --without and given a rank with --rank")
    ranks = dict(options["ranks"])
    calibration = load_calibration(options["calibration"], without=options["without"], ranks=ranks, ranked=ranked)
    authors = named_contract(options["clauses"][0]) if options["clauses"] else None
    return calibration, _family(options, calibration), authors


def _family(options: FamilyOptions, calibration: Calibration) -> CandidateFamily:
    family = calibration.family
    if options["family"] == _NO_FAMILY:
        family = NO_FAMILY
    elif options["family"] is not None:
        diagnostics = Diagnostics()
        source = read_file(options["family"], diagnostics)
        if source is None:
            raise InvalidInput(diagnostics)
        family = read_family(source, calibration.step, calibration.atoms)
    depth = family.depth if options["depth"] is None else options["depth"]
    return replace(family, depth=depth, most=options["most"] or family.most)


@contextmanager
def stages_shown() -> Iterator[OnStage]:
    """A line on standard error that says what is being done."""
    with counted() as update:
        yield lambda what: update(0, 1, what)
