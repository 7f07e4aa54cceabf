"""`tracepact simplify`: write a formula with fewer parts and the same meaning."""

from fractions import Fraction

import click

from tracepact.core import size
from tracepact.files import json_text
from tracepact.logic import Budget, Terms
from tracepact.logic.simplify import simplify
from tracepact.logic.text import formula_text
from tracepact.show.lines import say
from tracepact.tools.check.sat import parsed
from tracepact.tools.parameters import Length, timeout_option


@click.command()
@click.argument("formula")
@click.option("--obligation", metavar="FORMULA", help="It only has to mean the same where this formula holds.")
@click.option("--step", type=Length(), default="20ms", show_default=True, help="The length of a frame.")
@timeout_option(5.0)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(formula: str, obligation: str | None, step: Fraction, timeout: float, as_json: bool) -> None:
    """Print FORMULA with fewer parts and the same meaning on traces of every length, bounds in frames.

    Every rewrite is confirmed by the solver; one that is not confirmed in time is not made. Unknown identifiers are
    free atoms.
    """
    given = {"FORMULA": formula} | ({"--obligation": obligation} if obligation is not None else {})
    asked, *duty = (located.formula for located in parsed(given, step))
    found = simplify(asked, Terms(duty[0] if duty else None, budget=Budget(seconds=timeout)))
    text = formula_text(found.formula)
    if as_json:
        data = {
            "formula": formula,
            "obligation": obligation,
            "step": str(step),
            "simplified": text,
            "nodes": {"before": size(asked), "after": size(found.formula)},
            "rewrites": {"confirmed": found.confirmed, "refused": found.refused, "undecided": found.undecided},
        }
        click.echo(json_text(data), nl=False)
        return
    click.echo(text)
    left = f"; {found.undecided} could not be decided in time" if found.undecided else ""
    say(f"nodes: {size(asked)} → {size(found.formula)}; rewrites confirmed: {found.confirmed}{left}")
