"""`tracepact simplify`: write a formula with fewer parts and the same meaning."""

from fractions import Fraction
from typing import Annotated

import click
from msgspec import Meta

from tracepact.core import size
from tracepact.logic import Budget, Terms
from tracepact.logic.notations import Notation
from tracepact.logic.simplify import simplify
from tracepact.logic.text import formula_text
from tracepact.records import Count, NotNegative, Record
from tracepact.show.lines import say
from tracepact.tools.check.questions import notation_option, parse_formulas, step_option
from tracepact.tools.parameters import format_option, timeout_option
from tracepact.tools.results import print_json


class Nodes(Record, frozen=True):
    """The size of both."""

    before: Annotated[int, Meta(ge=1, description="Of the given formula.")]
    after: Annotated[int, Meta(ge=1, description="Of the simplified one.")]


class Rewrites(Record, frozen=True):
    """What became of the rewrites that were tried."""

    confirmed: Annotated[Count, Meta(description="Equivalent, and made.")]
    refused: Annotated[Count, Meta(description="Not equivalent.")]
    undecided: Annotated[Count, Meta(description="Not decided within the time, and not made.")]


class SimplifiedFormula(Record, frozen=True):
    """What `tracepact simplify --format json` prints: a formula and one with fewer parts and the same meaning."""

    formula: Annotated[str, Meta(description="The formula as it was given (2.1).")]
    obligation: Annotated[
        str | None, Meta(description="The formula under which the meaning is kept; null for all frames.")
    ]
    step: Annotated[NotNegative, Meta(description="The length of a frame in seconds, exact.")]
    simplified: Annotated[str, Meta(min_length=1, description="The formula with fewer parts, bounds in frames.")]
    nodes: Nodes
    rewrites: Rewrites


@click.command()
@click.argument("formula")
@click.option("--obligation", metavar="FORMULA", help="Keep the meaning only where this formula holds.")
@step_option
@notation_option
@timeout_option(5.0)
@format_option("text", "json")
def command(
    formula: str, obligation: str | None, step: Fraction, notation: Notation | None, timeout: float, form: str
) -> None:
    """Print FORMULA with fewer parts and the same meaning on traces of every length, bounds in frames.

    Every rewrite is confirmed by the solver; one that is not confirmed in time is not made. Unknown identifiers are
    free atoms.
    """
    given = {"FORMULA": formula} | ({"--obligation": obligation} if obligation is not None else {})
    original, *condition = (located.formula for located in parse_formulas(given, step, notation))
    found = simplify(original, Terms(condition[0] if condition else None, budget=Budget(seconds=timeout)))
    result = SimplifiedFormula(
        formula,
        obligation,
        step,
        formula_text(found.formula),
        Nodes(size(original), size(found.formula)),
        Rewrites(found.confirmed, found.refused, found.undecided),
    )
    if form == "json":
        print_json(result)
        return
    click.echo(result.simplified)
    left = f"; {found.undecided} could not be decided in time" if found.undecided else ""
    say(f"nodes: {result.nodes.before} → {result.nodes.after}; rewrites confirmed: {found.confirmed}{left}")
