"""`tracepact prove`: check the Lean proof core and list its theorems."""

from typing import Any

import click
from rich.table import Table

from tracepact.files import json_text
from tracepact.show.lines import say
from tracepact.show.screen import counted, output
from tracepact.tools.exits import Exit
from tracepact.tools.prove.prove import CoreReport, check_core
from tracepact.tools.prove.toolchain import HOW_TO_GET_LEAN, Toolchain, find_toolchain


@click.command()
@click.option("--all", "every", is_flag=True, help="List every theorem, not only the headlines.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(every: bool, as_json: bool) -> int:
    """Check the whole proof core with Lean's kernel, from nothing, and print each theorem with its axioms.

    Lean is a `lake` on the path, else the wheel of `tracepact[lean]`. Exit codes: 0 proved, 1 not, 3 no Lean.
    """
    toolchain = find_toolchain()
    if toolchain is None:
        return no_lean(as_json)
    with counted() as update:
        report = check_core(toolchain, progress=lambda done, total: update(done, total, "checking the proof core"))
    if as_json:
        click.echo(json_text(_data(report)), nl=False)
    else:
        output().print(_table(report, every))
    for fault in report.faults:
        say(f"refused: {fault}", "bold red")
    if not as_json:
        say(_summary(report, toolchain))
    return Exit.OK if report.ok else Exit.VIOLATED


def no_lean(as_json: bool) -> Exit:
    """Say that no Lean was found, and how to get one."""
    if as_json:
        click.echo(json_text({"ok": None, "reason": HOW_TO_GET_LEAN}), nl=False)
    say(HOW_TO_GET_LEAN)
    return Exit.UNKNOWN


def _table(report: CoreReport, every: bool) -> Table:
    table = Table(title="Theorems", title_justify="left", title_style="bold")
    table.add_column("theorem", no_wrap=True)
    table.add_column("axioms")
    for theorem in report.theorems if every else report.headlines:
        axioms = "not proved" if theorem.axioms is None else ", ".join(theorem.axioms) or "none"
        table.add_row(theorem.name, axioms, style=None if theorem.proved else "bold red")
    return table


def _summary(report: CoreReport, toolchain: Toolchain) -> str:
    proved = sum(theorem.proved for theorem in report.theorems)
    return (
        f"{proved} of {len(report.theorems)} theorems proved without an axiom ({len(report.headlines)} headlines) in "
        f"{report.seconds:.1f} s by {toolchain.version} ({toolchain.kind.value})"
    )


def _data(report: CoreReport) -> dict[str, Any]:
    return {
        "ok": report.ok,
        "lean": {"kind": report.toolchain.kind.value, "version": report.toolchain.version},
        "digest": report.digest,
        "seconds": round(report.seconds, 3),
        "faults": list(report.faults),
        "headlines": [theorem.name for theorem in report.headlines],
        "theorems": [{"name": t.name, "axioms": None if t.axioms is None else list(t.axioms)} for t in report.theorems],
    }
