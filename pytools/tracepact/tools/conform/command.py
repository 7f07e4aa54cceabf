"""`tracepact conform`: test another implementation against the vectors and the reference."""

import json
import math
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from tracepact.files import json_text
from tracepact.show.lines import reader_may_leave
from tracepact.show.screen import messages, output
from tracepact.tools.conform.conform import conform
from tracepact.tools.conform.differential import MissingHypothesis
from tracepact.tools.conform.findings import Conformance, Finding, Tally
from tracepact.tools.conform.outcome import junit_xml, outcome_data
from tracepact.tools.conform.picture import picture
from tracepact.tools.conform.vectors import Profile
from tracepact.tools.exits import Exit

_SHOWN = 10
_LONGEST_WAIT = 86_400


def _number(context: click.Context, parameter: click.Parameter, value: float) -> float:
    """The value, which is no nan: that one is in every range."""
    if math.isnan(value):
        raise click.BadParameter("nan is no number of seconds")
    return value


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("implementation", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND...")
@click.option(
    "--examples", type=click.IntRange(min=0), default=200, show_default=True, help="Random cases an experiment."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Start of the random cases.")
@click.option(
    "--profile",
    "profiles",
    type=click.Choice([profile.value for profile in Profile]),
    multiple=True,
    help="Test these profiles only, of those the implementation supports.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1, max=_LONGEST_WAIT),
    callback=_number,
    default=10.0,
    show_default=True,
    help="Seconds for an answer.",
)
@click.option("--all", "show_all", is_flag=True, help=f"Show every finding, not the first {_SHOWN}.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
@click.option("--junit", type=click.Path(dir_okay=False, path_type=Path), help="Write JUnit XML to this file as well.")
def command(
    implementation: tuple[str, ...],
    examples: int,
    seed: int,
    profiles: tuple[str, ...],
    timeout: float,
    show_all: bool,
    as_json: bool,
    junit: Path | None,
) -> int:
    """Test an implementation that speaks the oracle protocol: all vectors of its profiles, then random cases.

    A case on which it fails is shrunk to the smallest formula and trace that still disagree. Exits with 1 if anything
    was found, with 3 if nothing was tested.
    """
    if junit is not None and not junit.absolute().parent.is_dir():
        raise click.BadParameter(f"there is no folder `{junit.parent}`", param_hint="--junit")
    chosen = [Profile(name) for name in profiles] or None
    console = messages()
    try:
        with _ended_as_by_hand(), console.status("starting") as status:

            def progress(what: str, count: int) -> None:
                if console.is_terminal:
                    status.update(f"{what}: {count}")

            found = conform(
                implementation, profiles=chosen, examples=examples, seed=seed, timeout=timeout, progress=progress
            )
    except MissingHypothesis:
        raise click.ClickException(
            "random cases need Hypothesis: pip install 'tracepact[conform]', or ask for none with --examples 0"
        ) from None
    if junit is not None:
        junit.write_text(junit_xml(found), encoding="utf-8")
    with reader_may_leave():
        if as_json:
            click.echo(json_text(outcome_data(found)), nl=False)
        else:
            _print(output(), found, show_all)
    if found.findings or found.stopped:
        return Exit.VIOLATED
    return Exit.OK if found.tested else Exit.UNKNOWN


@contextmanager
def _ended_as_by_hand() -> Iterator[None]:
    """A request to end (SIGTERM) does what Ctrl-C does: the implementation is ended too."""

    def end(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _print(console: Console, found: Conformance, show_all: bool) -> None:
    console.print(f"[bold]{_headline(found)}[/bold]:", end=" ")
    console.print(found.name, markup=False)
    console.print(f"profiles {_names(found.profiles)}; seed {found.seed}")
    if not found.tested and found.stopped is None:
        asked = "all" if found.asked is None else _names(found.asked)
        console.print(f"it supports {_names(found.supported)}; asked for: {asked}")
    elif found.left_out:
        console.print(f"asked for but not supported, so not tested: {_names(found.left_out)}")
    if found.reasons:
        console.print(f"answered {_share(found.vectors, 'vectors')}, {_share(found.random, 'random cases')}")
    console.print()
    table = Table(box=None, pad_edge=False)
    for column in ("", "passed", "failed", "unsupported"):
        table.add_column(column, justify="left" if not column else "right")
    for group, tallies in (("vectors", found.vectors), ("random", found.random)):
        for name, tally in tallies.items():
            table.add_row(f"{group}: {name}", *_numbers(tally))
    console.print(table)
    _print_reasons(console, found, show_all)
    shown = found.findings if show_all else _first_of_each_origin(found.findings)
    for finding in shown:
        _print_finding(console, finding)
    if len(shown) < len(found.findings):
        console.print(f"\n{len(found.findings) - len(shown)} more findings; --all shows them")
    if found.stopped:
        console.print(f"\nstopped: {found.stopped}", style="bold", markup=False)


def _names(profiles: Sequence[Profile]) -> str:
    return ", ".join(profile.value for profile in profiles) or "none"


def _headline(found: Conformance) -> str:
    if found.findings or found.stopped:
        return "does not conform"
    if not found.tested:
        return "nothing was tested"
    return "conforms in what it answered" if found.reasons else "conforms"


def _share(tallies: dict[str, Tally], what: str) -> str:
    answered, asked = (sum(getattr(t, part) for t in tallies.values()) for part in ("answered", "asked"))
    return f"{answered} of {asked} {what}"


def _print_reasons(console: Console, found: Conformance, show_all: bool) -> None:
    reasons = found.reasons.most_common()
    shown = reasons if show_all else reasons[:_SHOWN]
    if reasons:
        console.print("\nunsupported, it says:")
    for reason, count in shown:
        console.print(f"  {count} × {reason}", markup=False, soft_wrap=True)
    if len(shown) < len(reasons):
        console.print(f"  {len(reasons) - len(shown)} more reasons; --all shows them")


def _numbers(tally: Tally) -> tuple[str, str, str]:
    return str(tally.passed), str(tally.failed) if tally.failed else "·", str(tally.unsupported or "·")


def _first_of_each_origin(findings: list[Finding]) -> list[Finding]:
    """The random ones, which are shrunk, and as many of the vectors as fit."""
    random = [finding for finding in findings if finding.origin != "vectors"]
    fixed = [finding for finding in findings if finding.origin == "vectors"]
    return [*fixed[: max(_SHOWN - len(random), 3)], *random]


def _print_finding(console: Console, finding: Finding) -> None:
    title = finding.vector.id if finding.vector is not None and finding.origin == "vectors" else finding.origin
    console.print(f"\n{finding.kind}  {title}", style="bold", markup=False)
    console.print(f"  {finding.words}", markup=False, soft_wrap=True)
    for line in picture(finding):
        console.print(f"    {line}", markup=False, soft_wrap=True)
    if finding.vector is None:
        return
    if finding.origin == "vectors":
        console.print(
            f"  rules {', '.join(finding.vector.rules)}: {finding.vector.derivation}", markup=False, soft_wrap=True
        )
    else:
        console.print("  as a vector, once its answer is derived from the rules:", style="dim")
        console.print(f"    {_one_line(finding.vector.data)}", markup=False, soft_wrap=True)


def _one_line(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False)
