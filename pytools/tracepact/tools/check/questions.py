"""What the questions about formulas share: options, record, words, exit code."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from time import monotonic
from typing import Any, Literal, TypedDict

import click

from tracepact.core import Constant, Formula, Located
from tracepact.diagnostics import Diagnostics, InvalidInput, Span
from tracepact.lang import parse_located
from tracepact.logic import Budget, Decision, Outcome, Terms, never_occurs
from tracepact.logic.notations import NOTATIONS, Notation, read_notation
from tracepact.logic.picture import NOT_SMALLEST
from tracepact.logic.value_findings import reading_hints
from tracepact.show.lines import parted, say, terminal_width
from tracepact.tools.check.decision import (
    DecisionRecord,
    decision_lines,
    decision_picture,
    decision_record,
    idle_words,
)
from tracepact.tools.exits import Exit
from tracepact.tools.parameters import Length, format_option, timeout_option, with_options
from tracepact.tools.results import print_json

_EXITS = {Outcome.YES: Exit.OK, Outcome.NO: Exit.VIOLATED, Outcome.UNKNOWN: Exit.UNKNOWN}


class QuestionOptions(TypedDict):
    """What `question_options` hands to a command."""

    all_lengths: bool
    length: int | None
    obligation: str | None
    step: Fraction
    notation: Notation | None
    free: bool
    timeout: float
    form: str


def step_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The --step option."""
    return click.option("--step", type=Length(), default="20ms", show_default=True, help="The length of a frame.")(
        function
    )


def notation_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The --from option."""
    words = "Read the formulas in this notation, bounds in frames (`tracepact help notations`)."
    return click.option("--from", "notation", type=click.Choice(NOTATIONS), help=words)(function)


def question_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of `QuestionOptions`."""
    return with_options(
        (
            click.option("--all-lengths", is_flag=True, help="Ask about traces of every length (the default)."),
            click.option("--length", type=click.IntRange(min=1), help="Ask only about traces of this many frames."),
            click.option("--obligation", metavar="FORMULA", help="Ask only about frames where this formula holds."),
            step_option,
            notation_option,
            click.option("--free", is_flag=True, help="Treat every atom as independent, also onsets from activity."),
            timeout_option(Budget().seconds),
            format_option("text", "json"),
        ),
        function,
    )


@dataclass(frozen=True, slots=True)
class Question:
    """A question about formulas: its name, what its arguments are called, how it is decided.

    A yes is idle where its premise never holds; the premise is the first argument, or any frame.
    """

    name: Literal["sat", "implies", "equivalent"]
    arguments: tuple[str, ...]
    decide: Callable[..., Decision]
    has_premise: bool = False


def ask(question: Question, texts: tuple[str, ...], options: QuestionOptions) -> int:
    """Parse, decide, show; the exit code is the answer."""
    if options["all_lengths"] and options["length"] is not None:
        raise click.UsageError("give --length or --all-lengths, not both")
    step, stated = options["step"], options["obligation"]
    given = dict(zip(question.arguments, texts, strict=True)) | ({} if stated is None else {"--obligation": stated})
    formulas = [located.formula for located in parse_formulas(given, step, options["notation"])]
    obligation = formulas[len(texts)] if len(formulas) > len(texts) else None
    terms = Terms(obligation, options["length"], options["free"], Budget(seconds=options["timeout"]))
    started = monotonic()
    decision = question.decide(*formulas[: len(texts)], terms)
    left = replace(terms.budget, seconds=max(0.0, terms.budget.seconds - (monotonic() - started)))
    idle = _is_idle(question, formulas[0], replace(terms, budget=left), decision)
    record = decision_record(question.name, texts, stated, step, decision, vacuous=idle)
    if options["form"] == "json":
        print_json(record)
    else:
        premise = question.arguments[0] if question.has_premise else None
        _show(record, formulas, idle_words(premise, has_obligation=stated is not None))
    return _EXITS[decision.outcome]


def _is_idle(question: Question, first: Formula, terms: Terms, decision: Decision) -> bool:
    """Whether the answer rests on there being no frame to ask about."""
    if decision.model is not None or decision.outcome is Outcome.UNKNOWN:
        return False
    if not question.has_premise and terms.obligation is None:
        return False
    return never_occurs(first if question.has_premise else Constant(True), terms)


def parse_formulas(given: Mapping[str, str], step: Fraction, notation: Notation | None = None) -> list[Located]:
    """The formulas by what their arguments are called; the faults of all at once, and hints on what was read."""
    formulas: list[Located] = []
    found = Diagnostics()
    for name, text in given.items():
        try:
            if notation is None:
                formulas.append(parse_located(text, step, name=name))
            else:
                formulas.append(Located(read_notation(text, notation, name=name), Span(0, len(text))))
        except InvalidInput as error:
            found.extend(error.diagnostics)
    found.raise_errors()
    for hint in dict.fromkeys(hint for located in formulas for hint in reading_hints(located, step)):
        say(hint)
    return formulas


def _show(record: DecisionRecord, formulas: list[Formula], idle: str) -> None:
    click.echo("\n".join(decision_lines(record, idle, "--free")))
    if record.outcome == Outcome.UNKNOWN.value:
        say("give it more time (`--timeout`), shorter traces (`--length`) or fewer frames (a larger `--step`)")
    drawn = decision_picture(record, formulas)
    if drawn is not None:
        click.echo("\n" + parted(drawn, terminal_width(sys.stdout)))
    if record.trace is not None and not record.trace.minimal:
        say(NOT_SMALLEST)
