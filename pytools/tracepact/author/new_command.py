"""`tracepact new`: drafts a commented contract from a starter or from answers to a few questions."""

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import click

from tracepact.declarations import CONTRACT_ENDING
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import Source, did_you_mean
from tracepact.files import write_whole
from tracepact.language.compilation import load_contract, parse_contract
from tracepact.language.printer import format_document
from tracepact.language.reader import read_document
from tracepact.logic.value_findings import ContractText, ValueFindings
from tracepact.options import Length, complete_starter, earlier_name
from tracepact.show.lines import print_diagnostics, say
from tracepact.wording import written_time

# Drafts a commented contract from answers: what is on time, what never happens, how early, how late.


class OnTime(Enum):
    """What must be on time."""

    ONSETS = "onsets"
    OFFSETS = "offsets"
    LENGTHS = "lengths"


class Never(Enum):
    """What must never happen."""

    MISSES = "misses"
    FALSE_ALARMS = "false-alarms"
    FRAGMENTS = "fragments"
    CONFUSIONS = "confusions"


@dataclass(frozen=True, slots=True)
class DraftAnswers:
    """What an author answered; times are in seconds."""

    on_time: tuple[OnTime, ...] = (OnTime.ONSETS, OnTime.OFFSETS)
    never: tuple[Never, ...] = (Never.MISSES, Never.FALSE_ALARMS)
    early: Fraction = Fraction(1, 25)
    late: Fraction = Fraction(1, 25)
    step: Fraction = Fraction(1, 50)

    @property
    def asymmetric(self) -> bool:
        """Whether being late is judged otherwise than being early."""
        return self.early != self.late


_CLAUSES = {
    OnTime.ONSETS: (
        "onset_on_time",
        "on ref_onset : ref_onset -> {window} pred_onset",
        "A beginning is found in time.",
    ),
    OnTime.OFFSETS: ("offset_on_time", "on ref_offset : ref_offset -> {window} pred_offset", "So is an ending."),
    OnTime.LENGTHS: (
        "length_kept",
        "on each matched : abs(pred.duration - ref.duration) <= 0.25 * ref.duration",
        "What is found is about as long as it was: a quarter more or less.",
    ),
    Never.MISSES: (
        "nothing_missed",
        "on ref_active : ref_active -> {window} pred_active",
        "What sounds is heard. Frames count, so a long miss is worse than a short one.",
    ),
    Never.FALSE_ALARMS: (
        "nothing_invented",
        "on pred_active : pred_active -> {mirrored} ref_active",
        "What is predicted has a cause. The window is the mirror image of the one above.",
    ),
    Never.FRAGMENTS: (
        "one_piece",
        "on each ref : matched and covering <= 1",
        "An event is found, and in one piece.",
    ),
    Never.CONFUSIONS: (
        "own_class",
        "on pred_active & other_ref_active : pred_active -> {mirrored} ref_active",
        "Where another class sounds, this one is predicted only if it sounds too. Score with labels kept apart.",
    ),
}


def draft(name: str, answers: DraftAnswers) -> str:
    """The text of a contract that asks what the answers ask."""
    early, late = written_time(answers.early), written_time(answers.late)
    lines = [
        f'contract {name} "what this contract is for"',
        "# The length of a frame; times that are no multiple of it are rounded outward.",
        f"step {written_time(answers.step)}",
        "# How far an edge may lie from the reference. Change them here, or try others with --set.",
    ]
    if answers.asymmetric:
        lines += [f"param early = {early}", f"param late = {late}"]
        window, mirrored = "F[-early,late]", "F[-late,early]"
    else:
        lines += [f"param tol = {early}"]
        window = mirrored = "N[tol]"
    lines += [
        "# Each class counts alike; what asks nothing of a system counts for nothing.",
        "aggregate macro_classes_informative",
        "",
    ]
    for wanted in _draft_answer(answers):
        clause, rule, comment = _CLAUSES[wanted]
        lines += [f"# {comment}", f"clause {clause} {rule.format(window=window, mirrored=mirrored)}"]
    return "\n".join([*lines, ""])


def _draft_answer(answers: DraftAnswers) -> Iterator[OnTime | Never]:
    """The questions of a draft, completed so that no silent, always active or broken prediction meets all of them."""
    edges = {OnTime.ONSETS, OnTime.OFFSETS} & {*answers.on_time}
    never = {*answers.never}
    if OnTime.LENGTHS in answers.on_time:
        # Of a prediction in pieces, the one of the right length would be the partner, the others nobody's (21.12).
        never.add(Never.FRAGMENTS)
    if not edges:
        # Lengths are asked of pairs alone: without these two a silent system would keep every clause.
        never |= {Never.MISSES, Never.FALSE_ALARMS}
    chosen: Sequence[OnTime | Never] = [*OnTime, *Never]
    yield from (one for one in chosen if one in answers.on_time or one in never)


# `tracepact new`: write a commented contract, from a starter contract or from the answers to a few questions.

_E = TypeVar("_E", bound=Enum)


@click.command()
@click.argument("name")
@earlier_name("--from", "--starter")
@click.option(
    "--starter",
    metavar="STARTER",
    shell_complete=complete_starter,
    help="Copy this starter contract, with its comments.",
)
@click.option(
    "--on-time",
    type=click.Choice([one.value for one in OnTime]),
    multiple=True,
    help="What must be on time; repeatable (default: onsets and offsets).",
)
@click.option(
    "--never",
    type=click.Choice([one.value for one in Never]),
    multiple=True,
    help="What must never happen; repeatable (default: misses and false alarms).",
)
@click.option("--early", type=Length(zero=True), help="How early an edge may be, 0 if never (default: 40ms).")
@click.option("--late", type=Length(zero=True), help="How late an edge may be (default: as --early).")
@click.option("--step", type=Length(), help="The length of a frame (default: 20ms).")
def command(
    name: str,
    starter: str | None,
    on_time: tuple[str, ...],
    never: tuple[str, ...],
    early: Fraction | None,
    late: Fraction | None,
    step: Fraction | None,
) -> None:
    """Write a commented contract to NAME.contract.

    With --starter the contract is a copy of a starter contract. Otherwise it has a clause for each thing that --on-time
    and --never name; without any option, a terminal is asked what must be on time, what must never happen, how early an
    edge may be, and whether and how the limit for late differs. An existing file is never overwritten.
    """
    place = Path(name) if name.endswith(CONTRACT_ENDING) else Path(name + CONTRACT_ENDING)
    # The name of the file becomes the name of the contract (rule 3.1).
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", place.stem):
        raise click.UsageError(f"`{place.stem}` is not a name: letters, digits and underscores, no digit first")
    if place.exists():
        raise click.UsageError(f"`{place}` already exists; choose another name")
    if not place.parent.is_dir():
        raise click.UsageError(f"there is no folder `{place.parent}`; make it first, or choose another place")
    # A time of 0 is an answer.
    answered = bool(on_time or never) or any(time is not None for time in (early, late, step))
    if starter is not None and answered:
        raise click.UsageError("--starter copies a starter contract as it is; leave the other options out")
    if starter is not None:
        text = _renamed(load_contract(starter).source.text, place.stem)
    else:
        asking = not answered and sys.stdin.isatty()
        drafted = Source(
            str(place), draft(place.stem, _prompted() if asking else _answers(on_time, never, early, late, step))
        )
        text = format_document(read_document(drafted, Diagnostics()), drafted)
    # Read before it is written: nothing that does not compile is left behind.
    contract = parse_contract(text, name=str(place))
    write_whole({place: text})
    print_diagnostics(ValueFindings(ContractText(contract)).warnings())
    say(f"wrote {place}; `tracepact explain {place}` says it in words, `tracepact try {place}` tries it")


def _renamed(text: str, name: str) -> str:
    """The text of a contract under another name."""
    # On the text and not the parsed contract, which has no comments.
    return re.sub(r"^contract \w+", f"contract {name}", text, count=1, flags=re.MULTILINE)


def _answers(
    on_time: Sequence[str],
    never: Sequence[str],
    early: Fraction | None,
    late: Fraction | None,
    step: Fraction | None,
) -> DraftAnswers:
    """The answers that options give; what is not given is the default."""
    usual = DraftAnswers()
    before = next((time for time in (early, late) if time is not None), usual.early)
    return DraftAnswers(
        tuple(map(OnTime, on_time)) if on_time or never else usual.on_time,
        tuple(map(Never, never)) if on_time or never else usual.never,
        before,
        before if late is None else late,
        step or usual.step,
    )


def _prompted() -> DraftAnswers:
    """The answers of somebody at a terminal."""
    usual = DraftAnswers()
    on_time = _several("What must be on time?", OnTime, usual.on_time)
    never = _several("What must never happen?", Never, usual.never)
    early = _time("How early may an edge be? (0 if never)", usual.early)
    is_other = click.prompt(
        "Is there a different limit for late? [y/N]", False, type=_YesOrNo(), show_default=False, err=True
    )
    late = _time("How late may an edge be?", early) if is_other else early
    return DraftAnswers(on_time, never, early, late)


def _time(question: str, usual: Fraction) -> Fraction:
    """A time; what is offered is written as it has to be typed."""
    time: Fraction = click.prompt(question, written_time(usual), type=Length(zero=True), err=True)
    return time


class _YesOrNo(click.types.BoolParamType):
    """Yes or no; whatever else is typed is told what was expected, which click's own question does not say."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> bool:
        """The answer that a text stands for."""
        try:
            return bool(super().convert(value, param, ctx))
        except click.BadParameter:
            self.fail(f"`{value}` is neither yes nor no: answer y or n, and the limit is asked next", param, ctx)


def _several(question: str, kind: type[_E], usual: Sequence[_E]) -> tuple[_E, ...]:
    """Some members of a kind, named with commas between them; asked again until all are known."""
    names = ", ".join(one.value for one in kind)
    while True:
        said = click.prompt(f"{question} ({names})", ", ".join(one.value for one in usual), err=True)
        words = [word for word in re.split(r"[,\s]+", said.strip()) if word]
        unknown = [word for word in words if word not in {one.value for one in kind}]
        if not unknown:
            return tuple(one for one in kind if one.value in words)
        hint = did_you_mean(unknown[0], [one.value for one in kind])
        say(f"`{unknown[0]}` is none of them{hint and f'; {hint}'}")
