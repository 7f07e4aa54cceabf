"""`tracepact simplify`: write a formula with fewer parts and the same meaning."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated

import click
from msgspec import Meta

from tracepact.core import Formula, size
from tracepact.diagnostics import Diagnostics, Source
from tracepact.lang.reader import read_tokens
from tracepact.logic import Budget, Terms
from tracepact.logic.notations import Notation
from tracepact.logic.simplify import simplify
from tracepact.logic.text import formula_text
from tracepact.records import Count, NotNegative, Record
from tracepact.show.lines import say
from tracepact.tools.check.questions import notation_option, parse_formulas, step_option
from tracepact.tools.parameters import format_option, timeout_option
from tracepact.tools.results import print_json

SIMPLIFY_SECONDS = 5.0
"""The time for each question unless the caller says otherwise."""


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
    simplified: Annotated[str, Meta(min_length=1, description="With fewer parts; bounds in times if all were.")]
    nodes: Nodes
    rewrites: Rewrites


def simplified_record(
    formula: str, obligation: str | None, step: Fraction, parsed: Sequence[Formula], timeout: float
) -> SimplifiedFormula:
    """The simplification of the first parsed formula, under the second if there is one."""
    original, *condition = parsed
    found = simplify(original, Terms(condition[0] if condition else None, budget=Budget(seconds=timeout)))
    return SimplifiedFormula(
        formula,
        obligation,
        step,
        formula_text(found.formula, step if _gives_times_alone(formula) else None),
        Nodes(size(original), size(found.formula)),
        Rewrites(found.confirmed, found.refused, found.undecided),
    )


def _gives_times_alone(formula: str) -> bool:
    """Whether every bound is written with a unit of time; those of other notations never are."""
    tokens, _ = read_tokens(Source("formula", formula), Diagnostics())
    bounds = [str(token) for token in tokens if token.type == "QUANTITY"]
    return bool(bounds) and all(bound.endswith("s") for bound in bounds)


def simplification_words(result: SimplifiedFormula) -> str:
    """The sizes of both formulas, and what became of the rewrites."""
    undecided = result.rewrites.undecided
    left = f"; {undecided} could not be decided in time" if undecided else ""
    sizes = f"nodes: {result.nodes.before} → {result.nodes.after}"
    return f"{sizes}; rewrites confirmed: {result.rewrites.confirmed}{left}"


@click.command()
@click.argument("formula")
@click.option("--obligation", metavar="FORMULA", help="Keep the meaning only where this formula holds.")
@step_option
@notation_option
@timeout_option(SIMPLIFY_SECONDS)
@format_option("text", "json")
def command(
    formula: str, obligation: str | None, step: Fraction, notation: Notation | None, timeout: float, form: str
) -> None:
    """Print FORMULA with fewer parts and the same meaning on traces of every length.

    Bounds are in times where FORMULA has times alone, and in frames otherwise. Every rewrite is confirmed by the
    solver; one that is not confirmed in time is not made. Unknown identifiers are free atoms.
    """
    given = {"FORMULA": formula} | ({"--obligation": obligation} if obligation is not None else {})
    parsed = [located.formula for located in parse_formulas(given, step, notation)]
    result = simplified_record(formula, obligation, step, parsed, timeout)
    if form == "json":
        print_json(result)
        return
    click.echo(result.simplified)
    say(simplification_words(result))
