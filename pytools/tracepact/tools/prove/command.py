"""`tracepact prove`: check the Lean proof core and list its theorems."""

from collections.abc import Sequence

import click
from rich.table import Table

from tracepact.files import json_text
from tracepact.records import plain
from tracepact.show.lines import say
from tracepact.show.progress import counted
from tracepact.show.screen import output
from tracepact.tools.exits import Exit
from tracepact.tools.parameters import format_option, timeout_option
from tracepact.tools.prove.prove import CoreReport, check_core
from tracepact.tools.prove.records import CoreRecord, NothingKnown
from tracepact.tools.prove.toolchain import HOW_TO_GET_LEAN, TIME_LIMIT, Toolchain, find_toolchain

limit_option = timeout_option(TIME_LIMIT, help="Seconds Lean may take for one file; after that the answer is unknown.")


@click.command()
@limit_option
@click.option("--all", "every", is_flag=True, help="List every theorem, not only the headlines.")
@format_option("text", "json")
def command(every: bool, form: str, timeout: float) -> int:
    """Check the whole proof core with Lean's kernel, from scratch, and print each theorem with its axioms.

    Before Lean reads a file, the file is checked against an allow-list; every definition must be the listed one, and
    compute the pinned values. Lean is a `lake` on the path, else the wheel of `tracepact[lean]`.

    Exit codes: 0 proved, 1 not proved, 3 unknown: no Lean, or it did not end in time.
    """
    as_json = form == "json"
    toolchain = find_toolchain()
    if toolchain is None:
        return no_lean(as_json)
    with counted() as update:
        report = check_core(
            toolchain, progress=lambda done, total: update(done, total, "checking the proof core"), limit=timeout
        )
    if not report.faults and report.undecided:
        return unknown(as_json, report.undecided)
    if as_json:
        click.echo(json_text(plain(CoreRecord.of(report))), nl=False)
    else:
        output().print(_table(report, every))
    for fault in report.faults:
        say(f"refused: {fault}", "bold red")
    if not as_json and not report.faults:
        say(_summary(report, toolchain))
    return Exit.OK if report.ok else Exit.VIOLATED


def no_lean(as_json: bool) -> Exit:
    """Say that no Lean was found, and how to get one."""
    return unknown(as_json, [HOW_TO_GET_LEAN])


def unknown(as_json: bool, reasons: Sequence[str]) -> Exit:
    """Say that nothing is known, and why."""
    if as_json:
        click.echo(json_text(plain(NothingKnown.because(reasons))), nl=False)
    for reason in reasons:
        say(reason)
    return Exit.UNKNOWN


def _table(report: CoreReport, every: bool) -> Table:
    table = Table(title="Theorems", title_justify="left", title_style="bold")
    table.add_column("theorem", no_wrap=True)
    table.add_column("axioms")
    for theorem in report.theorems if every else report.headlines:
        axioms = "not proved" if theorem.axioms is None else ", ".join(theorem.axioms) or "none"
        table.add_row(theorem.name, axioms, style=None if theorem.proved(report.toolchain.kind.axioms) else "bold red")
    return table


def _summary(report: CoreReport, toolchain: Toolchain) -> str:
    on = f"on no axiom but {', '.join(report.axioms)}" if report.axioms else "without an axiom"
    return (
        f"{report.proved} of {len(report.theorems)} theorems proved {on} ({len(report.headlines)} headlines), "
        f"{report.definitions} definitions as listed, {report.vectors} theorems about conformance vectors, in "
        f"{report.seconds:.1f} s by {toolchain.version} ({toolchain.kind.value})"
    )
