"""`tracepact sat`, and what the questions about formulas share: options, words, exit code."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import click

from tracepact.cli.exits import Exit
from tracepact.cli.screen import say
from tracepact.core import Formula, atoms
from tracepact.diagnostics import Diagnostics, InvalidInput, Source
from tracepact.lang import parse_formula, syntax
from tracepact.lang.reader import read_value
from tracepact.logic import Budget, Decision, Outcome, Terms, picture, satisfiable
from tracepact.logic.data import decision_data
from tracepact.report.files import json_text

_EXITS = {Outcome.YES: Exit.OK, Outcome.NO: Exit.VIOLATED, Outcome.UNKNOWN: Exit.UNKNOWN}


class Step(click.ParamType):  # type: ignore[type-arg]  # generic in some releases of click only
    """A frame's length as a quantity of time."""

    name = "TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Fraction:
        """Read it exactly; it is greater than zero and not in frames."""
        if isinstance(value, Fraction):
            return value
        found = read_value(Source("--step", str(value)), Diagnostics())
        units = {"": Fraction(1), "s": Fraction(1), "ms": Fraction(1, 1000)}
        match found:
            case syntax.Value(syntax.Quantity(number, unit), False) if unit in units:
                step: Fraction = number * units[unit]
            case _:
                self.fail(f"`{value}` is not a time, such as 20ms", param, ctx)
        if step == 0:
            self.fail("the step must be greater than zero", param, ctx)
        return step


def timeout_option(seconds: float) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The --timeout option: how long one question may take."""
    return click.option(
        "--timeout",
        type=click.FloatRange(min=0),
        default=seconds,
        show_default=True,
        help="Seconds a question may take; beyond them the answer is unknown.",
    )


def question_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every question."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON."),
        timeout_option(20.0),
        click.option("--free", is_flag=True, help="Take every atom as independent, also onsets from activity."),
        click.option("--step", type=Step(), default="20ms", show_default=True, help="The length of a frame."),
        click.option("--obligation", metavar="FORMULA", help="Ask only about frames where this formula holds."),
        click.option("--length", type=click.IntRange(min=1), help="Ask about traces of so many frames only."),
        click.option("--all-lengths", is_flag=True, help="Ask about traces of every length (the default)."),
    ):
        function = option(function)
    return function


def ask(question: str, texts: tuple[str, ...], decide: Callable[..., Decision], asked: dict[str, Any]) -> int:
    """Parse, decide, show; the exit code is the answer."""
    if asked["all_lengths"] and asked["length"] is not None:
        raise click.UsageError("give --length or --all-lengths, not both")
    step: Fraction = asked["step"]
    given = (*texts, *((asked["obligation"],) if asked["obligation"] is not None else ()))
    formulas = _parsed(given, step)
    obligation = formulas[len(texts)] if len(formulas) > len(texts) else None
    budget = Budget(seconds=asked["timeout"])
    decision = decide(*formulas[: len(texts)], Terms(obligation, asked["length"], asked["free"], budget))
    if asked["as_json"]:
        click.echo(json_text(decision_data(question, texts, asked["obligation"], step, decision)), nl=False)
    else:
        _show(decision, formulas)
    return _EXITS[decision.outcome]


def _parsed(texts: tuple[str, ...], step: Fraction) -> list[Formula]:
    """The formulas; the faults of all of them at once."""
    formulas: list[Formula] = []
    found = Diagnostics()
    for text in texts:
        try:
            formulas.append(parse_formula(text, step))
        except InvalidInput as error:
            found.extend(error.diagnostics)
    found.raise_errors()
    return formulas


def _show(decision: Decision, formulas: list[Formula]) -> None:
    lengths = "of every length" if decision.length is None else f"of {decision.length} frames"
    click.echo(
        f"{decision.outcome.value} (asked about traces {lengths})"
        + (f" ({decision.reason})" if decision.reason else "")
    )
    if decision.length is None and decision.outcome is not Outcome.UNKNOWN:
        click.echo(f"bound: {decision.bound} frames; a longer trace shows nothing new")
    if decision.free:
        click.echo(
            "every atom is independent (--free): a trace shown may be impossible, such as an onset without activity"
        )
    if decision.model is not None:
        names = {name for formula in formulas for name in atoms(formula)}
        click.echo("\n" + picture(decision.model, names | set(decision.model.atoms)))
        if not decision.model.minimal:
            say("the time ran out before the trace was known to be the smallest")


@click.command()
@click.argument("formula")
@question_options
def command(formula: str, **asked: Any) -> int:
    """Is there a trace with a frame where FORMULA holds? Shows a smallest one. Unknown identifiers are free atoms.

    Exit codes: 0 yes, 1 no, 3 unknown.
    """
    return ask("sat", (formula,), satisfiable, asked)
