"""`tracepact sat`, `implies`, `equivalent` and `simplify`: questions about formulas."""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from time import monotonic
from typing import Annotated, Any, Literal, TypedDict, Unpack

import click
from msgspec import Meta

from tracepact.command_line import Exit
from tracepact.diagnostics.collection import Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Source, Span
from tracepact.language.compilation import parse_located
from tracepact.language.contract import Located
from tracepact.language.formula import Constant, Formula, atoms, runs_of_frames, size
from tracepact.language.reader import read_tokens
from tracepact.logic.decisions import (
    QUESTION_SECONDS,
    Budget,
    Decision,
    Outcome,
    Terms,
    equivalent,
    formula_text,
    implies,
    never_occurs,
    satisfiable,
)
from tracepact.logic.models import NOT_SMALLEST, Model, picture
from tracepact.logic.simplify import NOTATIONS, Notation, read_notation, simplify
from tracepact.logic.value_findings import reading_hints
from tracepact.options import Length, WholeNumber, format_option, timeout_option, with_options
from tracepact.outputs import print_json
from tracepact.records import Count, NotNegative, Record
from tracepact.show.lines import parted, say, terminal_width
from tracepact.wording import count

# The answer to a question about formulas as a record: what `sat`, `implies` and `equivalent` return.

FrameRun = Annotated[
    tuple[Count, Annotated[int, Meta(ge=1)]], Meta(description="First frame, and the frame after the last.")
]
_Positive = Annotated[int, Meta(ge=1)]


class AtomRuns(Record, frozen=True):
    """An atom's mask as runs."""

    atom: Annotated[str, Meta(description="Its name.")]
    runs: Annotated[tuple[FrameRun, ...], Meta(description="Maximal half-open ranges of frames (5.5).")]


class TraceRecord(Record, frozen=True):
    """A trace and the frame the answer is about."""

    frames: Annotated[_Positive, Meta(description="The number of frames.")]
    frame: Annotated[Count, Meta(description="The frame, from zero.")]
    minimal: Annotated[
        bool, Meta(description="Whether no shorter trace shows it and none of this length with fewer active frames.")
    ]
    atoms: Annotated[
        tuple[AtomRuns, ...],
        Meta(description="Every base atom; onsets and offsets follow from activity (5.6) unless all atoms are free."),
    ]

    @classmethod
    def of(cls, model: Model) -> "TraceRecord":
        """A model by the runs of its atoms."""
        atoms = tuple(AtomRuns(name, tuple(runs_of_frames(mask))) for name, mask in sorted(model.atoms.items()))
        return cls(model.frames, model.frame, model.minimal, atoms)

    def model(self, *, free: bool) -> Model:
        """The model whose record it is."""
        masks = {one.atom: tuple(_mask(one.runs, self.frames)) for one in self.atoms}
        return Model(self.frames, masks, self.frame, free, self.minimal)


def _mask(runs: tuple[tuple[int, int], ...], frames: int) -> list[bool]:
    mask = [False] * frames
    for start, end in runs:
        mask[start:end] = [True] * (end - start)
    return mask


_Question = Literal["sat", "implies", "equivalent"]


class DecisionRecord(Record, frozen=True):
    """What `tracepact sat`, `implies` and `equivalent` print with `--format json`: a question and its answer."""

    question: Annotated[_Question, Meta(description="What was asked.")]
    formulas: Annotated[
        tuple[Annotated[str, Meta(description="A formula (2.1).")], ...],
        Meta(min_length=1, max_length=2, description="The formulas as they were given, in order."),
    ]
    obligation: Annotated[
        str | None, Meta(description="The formula that the frames asked about have to satisfy; null for all frames.")
    ]
    step: Annotated[NotNegative, Meta(description="The length of a frame in seconds, exact.")]
    length: Annotated[
        _Positive | None, Meta(description="The number of frames of the traces asked about; null for every length.")
    ]
    free_atoms: Annotated[bool, Meta(description="Whether every atom was independent; a trace may then be impossible.")]
    bound: Annotated[
        _Positive,
        Meta(
            description="The frames in sight of a frame: lookback, itself, lookahead (6.7). No longer trace shows "
            "anything new."
        ),
    ]
    outcome: Annotated[
        Literal["yes", "no", "unknown"], Meta(description="The answer; unknown if the budget was spent.")
    ]
    vacuous: Annotated[
        bool,
        Meta(
            description="Whether no frame of any trace satisfies the obligation and what the question is about: the "
            "answer then says nothing."
        ),
    ]
    reason: Annotated[str | None, Meta(description="Why the answer is unknown, if it is.")]
    trace: Annotated[
        TraceRecord | None,
        Meta(
            description="The trace that shows the answer, where one does: an example for `sat`, else a counterexample."
        ),
    ]


def decision_lines(record: DecisionRecord, idle: str, free: str) -> list[str]:
    """The answer, why it says nothing if it does, and the bound; `free` is how the caller asks for free atoms."""
    lengths = "of any length" if record.length is None else f"of {count(record.length, 'frame')}"
    reason = f" ({record.reason})" if record.reason else ""
    lines = [f"{record.outcome} (searched: traces {lengths}){reason}"]
    if record.vacuous:
        lines.append(idle)
    if record.length is None and record.outcome != Outcome.UNKNOWN.value:
        lines.append(f"bound: {count(record.bound, 'frame')}; a longer trace shows nothing new")
    if record.free_atoms:
        words = "a trace shown may be impossible, such as an onset without activity"
        lines.append(f"every atom is independent ({free}): {words}")
    return lines


def idle_words(premise: str | None, *, has_obligation: bool) -> str:
    """Why an answer rests on there being no frame to ask about; the premise as the caller calls it."""
    where = [*(["the obligation"] if has_obligation else []), *([premise] if premise else [])]
    return f"vacuous: no frame of any trace satisfies {' and '.join(where)}"


def decision_picture(record: DecisionRecord, formulas: Iterable[Formula]) -> str | None:
    """The trace that shows the answer, with the judged frame marked and a row for each atom of the formulas."""
    if record.trace is None:
        return None
    model = record.trace.model(free=record.free_atoms)
    return picture(model, {name for formula in formulas for name in atoms(formula)} | set(model.atoms))


# What the questions about formulas share: options, record, words, exit code.

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
            click.option("--length", type=WholeNumber(min=1), help="Ask only about traces of this many frames."),
            click.option("--obligation", metavar="FORMULA", help="Ask only about frames where this formula holds."),
            step_option,
            notation_option,
            click.option("--free", is_flag=True, help="Treat every atom as independent, also onsets from activity."),
            timeout_option(QUESTION_SECONDS),
            format_option("text", "json"),
        ),
        function,
    )


@dataclass(frozen=True, slots=True)
class FormulaQuestion:
    """A question about formulas: its name, what its arguments are called, how it is decided.

    A yes is idle where its premise never holds; the premise is the first argument, or any frame.
    """

    name: Literal["sat", "implies", "equivalent"]
    arguments: tuple[str, ...]
    decide: Callable[..., Decision]
    has_premise: bool = False


SAT = FormulaQuestion("sat", ("FORMULA",), satisfiable)
IMPLIES = FormulaQuestion("implies", ("STRONGER", "WEAKER"), implies, has_premise=True)
EQUIVALENT = FormulaQuestion("equivalent", ("FIRST", "SECOND"), equivalent)


def decided(
    question: FormulaQuestion,
    texts: tuple[str, ...],
    obligation: str | None,
    step: Fraction,
    formulas: Sequence[Formula],
    terms: Terms,
) -> DecisionRecord:
    """A question as it was asked, and its answer with the trace that shows it, all within the budget of the terms."""
    started = monotonic()
    decision = question.decide(*formulas, terms)
    left = replace(terms.budget, seconds=max(0.0, terms.budget.seconds - (monotonic() - started)))
    return DecisionRecord(
        question=question.name,
        formulas=texts,
        obligation=obligation,
        step=step,
        length=decision.length,
        free_atoms=decision.free,
        bound=decision.bound,
        outcome=decision.outcome.value,
        vacuous=_is_idle(question, formulas[0], replace(terms, budget=left), decision),
        reason=decision.reason,
        trace=None if decision.model is None else TraceRecord.of(decision.model),
    )


def _is_idle(question: FormulaQuestion, first: Formula, terms: Terms, decision: Decision) -> bool:
    """Whether the answer rests on there being no frame to ask about."""
    if decision.model is not None or decision.outcome is Outcome.UNKNOWN:
        return False
    if not question.has_premise and terms.obligation is None:
        return False
    return never_occurs(first if question.has_premise else Constant(True), terms)


def ask(question: FormulaQuestion, texts: tuple[str, ...], options: QuestionOptions) -> int:
    """Parse, decide, show; the exit code is the answer."""
    if options["all_lengths"] and options["length"] is not None:
        raise click.UsageError("give --length or --all-lengths, not both")
    step, stated = options["step"], options["obligation"]
    named = dict(zip(question.arguments, texts, strict=True)) | ({} if stated is None else {"--obligation": stated})
    located = parse_formulas(named, step, options["notation"])
    _say_hints(located, step)
    formulas = [one.formula for one in located]
    obligation = formulas[len(texts)] if stated is not None else None
    terms = Terms(obligation, options["length"], options["free"], Budget(seconds=options["timeout"]))
    record = decided(question, texts, stated, step, formulas[: len(texts)], terms)
    if options["form"] == "json":
        print_json(record)
    else:
        premise = question.arguments[0] if question.has_premise else None
        _show(record, formulas, idle_words(premise, has_obligation=stated is not None))
    return _EXITS[Outcome(record.outcome)]


def parse_formulas(texts: Mapping[str, str], step: Fraction, notation: Notation | None = None) -> list[Located]:
    """The formulas by what their arguments are called; the faults of all at once."""
    formulas: list[Located] = []
    faults = Diagnostics()
    for name, text in texts.items():
        try:
            if notation is None:
                formulas.append(parse_located(text, step, name=name))
            else:
                formulas.append(Located(read_notation(text, notation, name=name), Span(0, len(text))))
        except InvalidInput as error:
            faults.extend(error.diagnostics)
    faults.raise_errors()
    return formulas


def _say_hints(formulas: Sequence[Located], step: Fraction) -> None:
    """Say once how formulas were read where that may surprise."""
    for hint in dict.fromkeys(hint for located in formulas for hint in reading_hints(located, step)):
        say(hint)


def _show(record: DecisionRecord, formulas: list[Formula], idle: str) -> None:
    click.echo("\n".join(decision_lines(record, idle, "--free")))
    if record.outcome == Outcome.UNKNOWN.value:
        say("give it more time (`--timeout`), shorter traces (`--length`) or fewer frames (a larger `--step`)")
    drawn = decision_picture(record, formulas)
    if drawn is not None:
        click.echo("\n" + parted(drawn, terminal_width(sys.stdout)))
    if record.trace is not None and not record.trace.minimal:
        say(NOT_SMALLEST)


# `tracepact equivalent`: do two formulas hold at the same frames.


@click.command()
@click.argument("first")
@click.argument("second")
@question_options
def equivalent_command(first: str, second: str, **options: Unpack[QuestionOptions]) -> int:
    """Do FIRST and SECOND hold at the same frames of every trace? Shows a smallest trace if not.

    Unknown identifiers are free atoms. Exit codes: 0 yes, 1 no, 3 unknown.
    """
    return ask(EQUIVALENT, (first, second), options)


# `tracepact implies`: does one formula hold wherever another does.


@click.command()
@click.argument("stronger")
@click.argument("weaker")
@question_options
def implies_command(stronger: str, weaker: str, **options: Unpack[QuestionOptions]) -> int:
    """Does WEAKER hold at every frame where STRONGER does? Shows a smallest trace if not.

    Unknown identifiers are free atoms. Exit codes: 0 yes, 1 no, 3 unknown.
    """
    return ask(IMPLIES, (stronger, weaker), options)


# `tracepact sat`: can a formula hold at a frame of some trace.


@click.command()
@click.argument("formula")
@question_options
def sat_command(formula: str, **options: Unpack[QuestionOptions]) -> int:
    """Is there a trace with a frame where FORMULA holds? Shows a smallest one.

    Unknown identifiers are free atoms. Exit codes: 0 yes, 1 no, 3 unknown.
    """
    return ask(SAT, (formula,), options)


# `tracepact simplify`: write a formula with fewer parts and the same meaning.


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
    simpler = simplify(original, Terms(condition[0] if condition else None, budget=Budget(seconds=timeout)))
    return SimplifiedFormula(
        formula,
        obligation,
        step,
        formula_text(simpler.formula, step if _gives_times_alone(formula) else None),
        Nodes(size(original), size(simpler.formula)),
        Rewrites(simpler.confirmed, simpler.refused, simpler.undecided),
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
@timeout_option(QUESTION_SECONDS)
@format_option("text", "json")
def simplify_command(
    formula: str, obligation: str | None, step: Fraction, notation: Notation | None, timeout: float, form: str
) -> None:
    """Print FORMULA with fewer parts and the same meaning on traces of every length.

    Bounds are in times where FORMULA has times alone, and in frames otherwise. Every rewrite is confirmed by the
    solver; one that is not confirmed in time is not made. Unknown identifiers are free atoms.
    """
    named = {"FORMULA": formula} | ({"--obligation": obligation} if obligation is not None else {})
    located = parse_formulas(named, step, notation)
    _say_hints(located, step)
    result = simplified_record(formula, obligation, step, [one.formula for one in located], timeout)
    if form == "json":
        print_json(result)
        return
    click.echo(result.simplified)
    say(simplification_words(result))
