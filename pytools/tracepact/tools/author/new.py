"""`tracepact new`: write a commented contract, from a starter contract or from the answers to a few questions."""

import re
import sys
from collections.abc import Sequence
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

import click

from tracepact.diagnostics import Diagnostics, Source
from tracepact.files import write_whole
from tracepact.lang import format_document, load_contract, parse_contract, read_document
from tracepact.logic.contract_text import ContractText
from tracepact.logic.value_findings import ValueFindings
from tracepact.show.lines import print_diagnostics, say
from tracepact.tools.author.draft import Answers, Never, OnTime, draft
from tracepact.tools.parameters import CONTRACT_ENDING, Length, complete_starter
from tracepact.wording import time_text

_E = TypeVar("_E", bound=Enum)


@click.command()
@click.argument("name")
@click.option(
    "--from",
    "starter",
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
@click.option("--early", type=Length(), help="How early an edge may be (default: 40ms).")
@click.option("--late", type=Length(), help="How late an edge may be (default: as --early).")
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

    With --from the contract is a copy of a starter contract. Otherwise it has a clause for each thing that --on-time
    and --never name; without any option, a terminal is asked what must be on time, what must never happen, how early an
    edge may be, and whether and how the limit for late differs. An existing file is never overwritten.
    """
    place = Path(name) if name.endswith(CONTRACT_ENDING) else Path(name + CONTRACT_ENDING)
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", place.stem):
        raise click.UsageError(f"`{place.stem}` is not a name: letters, digits and underscores, no digit first")
    if place.exists():
        raise click.UsageError(f"`{place}` already exists; choose another name")
    if not place.parent.is_dir():
        raise click.UsageError(f"there is no folder `{place.parent}`; make it first, or choose another place")
    given = [on_time, never, early, late, step]
    if starter is not None and any(given):
        raise click.UsageError("--from copies a starter contract as it is; leave the other options out")
    if starter is not None:
        text = _renamed(load_contract(starter).source.text, place.stem)
    else:
        asking = not any(given) and sys.stdin.isatty()
        drafted = Source(
            str(place), draft(place.stem, _asked() if asking else _answers(on_time, never, early, late, step))
        )
        text = format_document(read_document(drafted, Diagnostics()), drafted)
    contract = parse_contract(text, name=str(place))
    write_whole({place: text})
    print_diagnostics(ValueFindings(ContractText(contract)).warnings())
    say(f"wrote {place}; `tracepact explain {place}` says it in words, `tracepact try {place}` tries it")


def _renamed(text: str, name: str) -> str:
    """The text of a contract under another name."""
    return re.sub(r"^contract \w+", f"contract {name}", text, count=1, flags=re.MULTILINE)


def _answers(
    on_time: Sequence[str],
    never: Sequence[str],
    early: Fraction | None,
    late: Fraction | None,
    step: Fraction | None,
) -> Answers:
    """The answers that options give; what is not given is the default."""
    usual = Answers()
    before = early or late or usual.early
    return Answers(
        tuple(map(OnTime, on_time)) if on_time or never else usual.on_time,
        tuple(map(Never, never)) if on_time or never else usual.never,
        before,
        late or before,
        step or usual.step,
    )


def _asked() -> Answers:
    """The answers of somebody at a terminal."""
    usual = Answers()
    on_time = _several("What must be on time?", OnTime, usual.on_time)
    never = _several("What must never happen?", Never, usual.never)
    early: Fraction = click.prompt("How early may an edge be?", time_text(usual.early), type=Length(), err=True)
    is_other = click.confirm("Is there a different limit for late?", False, err=True)
    late = click.prompt("How late may an edge be?", time_text(early), type=Length(), err=True) if is_other else early
    return Answers(on_time, never, early, late)


def _several(question: str, kind: type[_E], usual: Sequence[_E]) -> tuple[_E, ...]:
    """Some members of a kind, named with commas between them; asked again until all are known."""
    names = ", ".join(one.value for one in kind)
    while True:
        said = click.prompt(f"{question} ({names})", ", ".join(one.value for one in usual), err=True)
        words = [word for word in re.split(r"[,\s]+", said.strip()) if word]
        unknown = [word for word in words if word not in {one.value for one in kind}]
        if not unknown:
            return tuple(one for one in kind if one.value in words)
        say(f"`{unknown[0]}` is none of them")
