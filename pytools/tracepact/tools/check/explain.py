"""`tracepact explain`: say in plain words what each clause means and needs."""

from collections.abc import Iterator

import click
from rich.padding import Padding
from rich.text import Text

from tracepact.core import Contract
from tracepact.lang.explain import ClauseExplanation, EventClauseExplanation, FrameClauseExplanation, explain_contract
from tracepact.logic.findings import check_contract
from tracepact.show.screen import output
from tracepact.tools.parameters import contract_argument, format_option, given_contract, set_option
from tracepact.tools.results import print_json
from tracepact.wording import count, print_number


@click.command()
@contract_argument
@set_option
@click.option(
    "--notes/--no-notes", default=True, show_default=True, help="Ask the solver which clauses others imply, and say so."
)
@format_option("text", "json")
def command(contract: str, overrides: tuple[tuple[str, str], ...], notes: bool, form: str) -> None:
    """Explain each clause: its words, its windows in frames, lookahead, depth and monitoring cost."""
    compiled = given_contract(contract, overrides)
    found = explain_contract(compiled)
    if form == "json":
        print_json(found)
        return
    console = output()
    console.print(Text.assemble((found.contract, "bold"), f"  {found.title or ''}"))
    step, ahead = print_number(found.step * 1000), count(found.lookahead, "frame")
    console.print(f"step {step} ms, lookahead {ahead}, digest {found.digest[:16]}")
    for setting in found.settings:
        default = "" if setting.written else " (default)"
        console.print(Text(f"{setting.name} {setting.value}{default}: {setting.words}", style="dim"))
    console.print()
    for row in found.clauses:
        console.print(Text(row.clause, style="bold"))
        console.print(Padding(Text(row.words), (0, 0, 0, 2)))
        if isinstance(row, EventClauseExplanation):
            console.print(Padding(Text(" ".join(row.text.split()), style="dim"), (0, 0, 0, 2)))
        for attribute in row.attributes if isinstance(row, EventClauseExplanation) else ():
            console.print(Padding(Text(f"{attribute.name}: {attribute.words}", style="dim"), (0, 0, 0, 2)))
        console.print(Padding(Text(_measures(row), style="dim"), (0, 0, 1, 2)))
    if notes:
        for headline in _implied(compiled):
            console.print(Text(headline))


def _implied(contract: Contract) -> Iterator[str]:
    """Which clauses hold wherever others do; the solver is loaded only for this."""
    found = check_contract(contract, notes=True)
    return (d.headline for d in found if d.code in ("clause-implied", "undecided"))


def _measures(row: ClauseExplanation) -> str:
    match row:
        case FrameClauseExplanation():
            windows = ", ".join(f"{lo:+d} to {hi:+d}" for lo, hi in row.windows) or "none"
            return (
                f"windows in frames: {windows}; lookahead {row.lookahead}, lookback {row.lookback}, "
                f"depth {row.depth}, {count(row.size, 'node')}, {count(row.cost, 'pass', 'passes')} over the mask"
            )
        case EventClauseExplanation():
            return row.note
    raise TypeError(f"no explanation: {row}")
