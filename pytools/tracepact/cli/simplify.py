"""`tracepact simplify`: write a formula with fewer parts and the same meaning."""

from fractions import Fraction

import click

from tracepact.cli.sat import Step, timeout_option
from tracepact.cli.screen import say
from tracepact.core import size
from tracepact.lang import parse_formula
from tracepact.logic import Budget, Terms
from tracepact.logic.simplify import simplify
from tracepact.logic.text import formula_text


@click.command()
@click.argument("formula")
@click.option("--obligation", metavar="FORMULA", help="It only has to mean the same where this formula holds.")
@click.option("--step", type=Step(), default="20ms", show_default=True, help="The length of a frame.")
@timeout_option(5.0)
def command(formula: str, obligation: str | None, step: Fraction, timeout: float) -> None:
    """Print FORMULA with fewer parts and the same meaning on traces of every length, bounds in frames.

    Every rewrite is confirmed by the solver. Unknown identifiers are free atoms.
    """
    asked = parse_formula(formula, step)
    duty = parse_formula(obligation, step) if obligation is not None else None
    found = simplify(asked, Terms(duty, budget=Budget(seconds=timeout)))
    click.echo(formula_text(found.formula))
    say(f"{size(asked)} nodes became {size(found.formula)}; rewrites confirmed: {found.confirmed}")
