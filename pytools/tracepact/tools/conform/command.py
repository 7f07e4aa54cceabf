"""`tracepact conform`: test another implementation against the vectors and the reference."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import click
from rich.console import Console

from tracepact.files import json_text, write_whole
from tracepact.show.lines import reader_may_leave
from tracepact.show.screen import messages, output
from tracepact.show.table import Table, numbers, words
from tracepact.show.terminal import drawn
from tracepact.tools.conform.badge import badge_svg
from tracepact.tools.conform.conform import conform
from tracepact.tools.conform.differential import MissingHypothesis
from tracepact.tools.conform.findings import Conformance, Finding, Tally
from tracepact.tools.conform.outcome import conformance_record, junit_xml
from tracepact.tools.conform.picture import picture
from tracepact.tools.conform.replay import asked, replay_line, vector_named
from tracepact.tools.conform.trees import BadCase
from tracepact.tools.conform.vectors import Profile, Vector
from tracepact.tools.exits import Exit
from tracepact.tools.output_files import BADGE, JUNIT, OutputFile
from tracepact.tools.parameters import Seconds, format_option, timeout_option
from tracepact.tools.results import print_json, print_rows
from tracepact.tools.stopping import ended_as_by_hand
from tracepact.wording import count

_SHOWN = 10
_LONGEST_LINE = 4_000
_LONGEST_WAIT = 86_400


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("implementation", nargs=-1, type=click.UNPROCESSED, metavar="-- COMMAND...")
@click.option(
    "--python",
    metavar="FILE[:NAME]",
    help="Test a Python implementation in this process, steered by its branches: NAME (default: monitor) makes a "
    "function from messages to replies.",
)
@click.option(
    "--examples", type=click.IntRange(min=0), default=100, show_default=True, help="Random cases of each experiment."
)
@click.option("--long", is_flag=True, help="Draw larger cases too; with --examples 400 a run takes many minutes.")
@click.option("--id", "names", multiple=True, metavar="ID", help="Ask only this vector; repeatable.")
@click.option(
    "--ask", "asks", multiple=True, metavar="JSON", help="Ask only this case, as findings give it; repeatable."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random cases.")
@click.option(
    "--profile",
    "profiles",
    type=click.Choice([profile.value for profile in Profile]),
    multiple=True,
    help="Test only this profile, of those the implementation supports; repeatable.",
)
@timeout_option(10.0, at_least=0.1, at_most=_LONGEST_WAIT, help="Seconds to wait for an answer.")
@click.option("--seconds", type=Seconds(), help="Begin no case after this time; the outcome says what was left out.")
@click.option("--all", "show_all", is_flag=True, help=f"Show every finding, not only the first {_SHOWN}.")
@click.option("--junit", type=OutputFile(JUNIT), help="Also write JUnit XML to this file.")
@click.option("--badge", type=OutputFile(BADGE), help="Also write a badge (SVG) to this file.")
@format_option("text", "json", "csv")
def command(
    implementation: tuple[str, ...],
    python: str | None,
    examples: int,
    long: bool,
    names: tuple[str, ...],
    asks: tuple[str, ...],
    seed: int,
    profiles: tuple[str, ...],
    timeout: float,
    seconds: Fraction | None,
    show_all: bool,
    junit: Path | None,
    badge: Path | None,
    form: str,
) -> int:
    """Test an implementation that speaks the oracle protocol: all vectors of its profiles, then random cases.

    Random cases are small ones, which most faults show in, and ones around sizes that programs get wrong. A case on
    which it fails is shrunk to the smallest formula and trace that still disagree, with the command that asks it again.
    --format csv prints how many cases of each topic passed and failed.

    Exit codes: 0 nothing was found, 1 something was found, 3 nothing was tested, or not to the end.
    """
    if bool(implementation) == (python is not None):
        raise click.UsageError("name what is to be tested: a command after `--`, or a file with --python")
    only = _chosen(names, asks)
    chosen = [Profile(name) for name in profiles] or None
    console = messages()
    try:
        with ended_as_by_hand(), console.status("starting") as status:

            def progress(what: str, number: int) -> None:
                if console.is_terminal:
                    status.update(f"{what}: {number}")

            found = conform(
                implementation,
                profiles=chosen,
                examples=examples,
                seed=seed,
                timeout=timeout,
                seconds=float("inf") if seconds is None else float(seconds),
                long=long,
                only=only,
                python=python,
                progress=progress,
            )
    except MissingHypothesis:
        raise click.ClickException(
            "random cases need Hypothesis: pip install 'tracepact[conform]', or ask for none with --examples 0"
        ) from None
    files = {} if junit is None else {junit: junit_xml(found)}
    write_whole(files if badge is None else {**files, badge: badge_svg(found)})
    with reader_may_leave():
        match form:
            case "json":
                print_json(conformance_record(found))
            case "csv":
                rows = ((*names, t.passed, t.failed, t.unsupported) for names, t in _tallies(found))
                print_rows(("kind", "name", "passed", "failed", "unsupported"), rows)
            case _:
                _print(output(), found, show_all)
    if found.findings:
        return Exit.VIOLATED
    return Exit.OK if found.conforms else Exit.UNKNOWN


def _chosen(names: tuple[str, ...], asks: tuple[str, ...]) -> list[Vector] | None:
    """The cases to ask in place of all, None for all."""
    if not names and not asks:
        return None
    try:
        return [*map(vector_named, names), *map(asked, asks)]
    except KeyError as unknown:
        raise click.BadParameter(f"there is no vector `{unknown.args[0]}`", param_hint="--id") from None
    except BadCase as bad:
        raise click.BadParameter(str(bad), param_hint="--ask") from None


def _tallies(found: Conformance) -> Iterator[tuple[tuple[str, str], Tally]]:
    for group, tallies in (("vectors", found.vectors), ("random", found.random)):
        for name, tally in tallies.items():
            yield (group, name), tally


def _print(console: Console, found: Conformance, show_all: bool) -> None:
    console.print(f"[bold]{_headline(found)}[/bold]:", end=" ")
    console.print(found.name, markup=False)
    if found.stopped:
        console.print(f"stopped early: {found.stopped}", style="bold", markup=False, soft_wrap=True)
    console.print(f"profiles {_names(found.profiles)}; seed {found.seed}")
    if not found.tested and found.stopped is None:
        asked = "all" if found.asked is None else _names(found.asked)
        console.print(f"it supports {_names(found.supported)}; asked for: {asked}")
    elif found.left_out:
        console.print(f"asked for but not supported, so not tested: {_names(found.left_out)}")
    if found.reasons:
        console.print(f"answered {_share(found.vectors, 'vectors')}, {_share(found.random, 'random cases')}")
    console.print()
    rows = [[": ".join(names), *_numbers(tally)] for names, tally in _tallies(found)]
    if rows:
        console.print(drawn(Table("", [*words("cases"), *numbers("passed", "failed", "unsupported")], rows)))
    _print_reasons(console, found, show_all)
    shown = found.findings if show_all else _first_of_each_origin(found.findings)
    for finding in shown:
        _print_finding(console, finding, replay_line(finding, found.implementation))
    if len(shown) < len(found.findings):
        console.print(f"\n{count(len(found.findings) - len(shown), 'more finding')}; --all shows every one")


def _names(profiles: Sequence[Profile]) -> str:
    return ", ".join(profile.value for profile in profiles) or "none"


def _headline(found: Conformance) -> str:
    if found.findings:
        return "does not conform"
    if found.stopped:
        return "not tested to the end: nothing was found until then"
    if not found.tested:
        return "nothing was tested"
    return "conforms in what it answered" if found.reasons else "conforms"


def _share(tallies: Mapping[str, Tally], what: str) -> str:
    answered, asked = (sum(getattr(t, part) for t in tallies.values()) for part in ("answered", "asked"))
    return f"{answered} of {asked} {what}"


def _print_reasons(console: Console, found: Conformance, show_all: bool) -> None:
    reasons = found.reasons.most_common()
    shown = reasons if show_all else reasons[:_SHOWN]
    if reasons:
        console.print("\nreasons it gives for unsupported cases:")
    for reason, number in shown:
        console.print(f"  {number} × {reason}", markup=False, soft_wrap=True)
    if len(shown) < len(reasons):
        console.print(f"  {count(len(reasons) - len(shown), 'more reason')}; --all shows every one")


def _numbers(tally: Tally) -> tuple[str, str, str]:
    return str(tally.passed), str(tally.failed) if tally.failed else "·", str(tally.unsupported or "·")


def _first_of_each_origin(findings: list[Finding]) -> list[Finding]:
    """The random ones, which are shrunk, and as many of the vectors as fit."""
    random = [finding for finding in findings if finding.origin != "vectors"]
    fixed = [finding for finding in findings if finding.origin == "vectors"]
    return [*fixed[: max(_SHOWN - len(random), 3)], *random]


def _print_finding(console: Console, finding: Finding, again: str | None) -> None:
    title = finding.vector.id if finding.vector is not None and finding.origin == "vectors" else finding.origin
    console.print(f"\n{finding.kind}  {title}", style="bold", markup=False)
    console.print(f"  {finding.words}", markup=False, soft_wrap=True)
    for line in picture(finding):
        console.print(f"    {line}", markup=False, soft_wrap=True)
    if finding.vector is None:
        return
    if again is not None and len(again) <= _LONGEST_LINE:
        console.print("  ask it again:", style="dim")
        console.print(f"    {again}", markup=False, soft_wrap=True)
    elif again is not None:
        console.print(f"  the line that asks it again has {len(again):,} characters: --format json has it", style="dim")
    if finding.origin == "vectors":
        console.print(
            f"  rules {', '.join(finding.vector.rules)}: {finding.vector.derivation}", markup=False, soft_wrap=True
        )
    else:
        rules = ", ".join(finding.vector.rules)
        console.print(f"  rules {rules}" if rules else "  rules of chapters 1 to 4", markup=False)
        console.print("  as a vector, once its answer is derived from the rules:", style="dim")
        console.print(f"    {_as_vector(finding, finding.vector)}", markup=False, soft_wrap=True)


def _as_vector(finding: Finding, vector: Vector) -> str:
    """The vector's data; running counts that are right, a list for each moment, are left out of a long one."""
    if "counts" in vector.expected and "counts" not in finding.parts and len(vector.expected["counts"]) > _SHOWN:
        expected = {key: value for key, value in vector.expected.items() if key != "counts"}
        vector = replace(vector, expected=expected)
    text = json_text(vector.data, one_line=True).rstrip()
    return text if len(text) <= _LONGEST_LINE else f"{len(text):,} characters long: --format json has it"
