"""`tracepact explain`: say in plain words what each clause means and needs."""

from collections.abc import Iterator
from typing import Any

import click
from rich.padding import Padding
from rich.text import Text

from tracepact.core import Contract
from tracepact.files import json_text
from tracepact.lang import load_contract
from tracepact.lang.explain import explain_contract
from tracepact.logic.findings import check_contract
from tracepact.show.screen import output
from tracepact.tools.parameters import set_option
from tracepact.wording import count, print_number


@click.command()
@click.argument("contract")
@set_option
@click.option(
    "--notes/--no-notes", default=True, show_default=True, help="Ask the solver which clauses others imply, and say so."
)
@click.option("--json", "as_json", is_flag=True, help="Print the explanation as JSON.")
def command(contract: str, overrides: tuple[tuple[str, str], ...], notes: bool, as_json: bool) -> None:
    """Explain each clause: its words, its windows in frames, lookahead, depth and monitoring cost."""
    compiled = load_contract(contract, dict(overrides))
    data = explain_contract(compiled)
    if as_json:
        click.echo(json_text(data), nl=False)
        return
    console = output()
    console.print(Text.assemble((data["contract"], "bold"), f"  {data['title'] or ''}"))
    step, most = print_number(compiled.step * 1000), count(data["lookahead"], "frame")
    console.print(f"step {step} ms, lookahead {most}, digest {data['digest'][:16]}\n")
    for row in data["clauses"]:
        console.print(Text(row["clause"], style="bold"))
        console.print(Padding(Text(row["words"]), (0, 0, 0, 2)))
        for attribute in row.get("attributes", ()):
            console.print(Padding(Text(f"{attribute['name']}: {attribute['words']}", style="dim"), (0, 0, 0, 2)))
        console.print(Padding(Text(_measures(row), style="dim"), (0, 0, 1, 2)))
    if notes:
        for headline in _implied(compiled):
            console.print(Text(headline))


def _implied(contract: Contract) -> Iterator[str]:
    """Which clauses hold wherever others do; the solver is loaded only for this."""
    found = check_contract(contract, notes=True)
    return (d.headline for d in found if d.code in ("clause-implied", "undecided"))


def _measures(row: dict[str, Any]) -> str:
    if row["kind"] == "event":
        return str(row["note"])
    windows = ", ".join(f"{lo:+d} to {hi:+d}" for lo, hi in row["windows"]) or "none"
    return (
        f"windows in frames: {windows}; lookahead {row['lookahead']}, lookback {row['lookback']}, "
        f"depth {row['depth']}, {count(row['size'], 'node')}, "
        f"{count(row['cost'], 'pass', 'passes')} over the mask"
    )
