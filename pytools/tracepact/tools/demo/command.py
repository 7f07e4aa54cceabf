"""`tracepact demo`: score the shipped systems and show how they differ."""

from pathlib import Path

import click

from tracepact.core import Aggregation
from tracepact.diagnostics import Diagnostics, summarise
from tracepact.lang import compile_source, read_source
from tracepact.show.lines import say
from tracepact.show.progress import progress
from tracepact.show.screen import output
from tracepact.show.table import Bar, Cell, Table, Tone, words
from tracepact.show.terminal import TerminalTable
from tracepact.tools.demo.systems import CONTRACT, SYSTEMS, DemoSystem, demo_contract, score_demo
from tracepact.tools.folders import LocalFolder
from tracepact.tools.score.report.build import report_of
from tracepact.tools.score.report.record import Report
from tracepact.tools.score.report.stored import written_views
from tracepact.tools.score.report.text import render_report
from tracepact.tools.score.store.writing import write_run
from tracepact.wording import decimal


@click.command()
@click.option(
    "--out",
    type=LocalFolder(),
    default=Path("out/demo"),
    show_default=True,
    help="The folder to write the run directories to.",
)
def command(out: Path) -> None:
    """Check the starter contract, score three imitation systems, show where they fail and write their reports."""
    console = output()
    diagnostics = Diagnostics()
    source = read_source(demo_contract(), diagnostics)
    if source is not None:
        compile_source(source, diagnostics)
    diagnostics.raise_errors()
    say(f"checked {CONTRACT}: {summarise(diagnostics) if len(diagnostics) else 'ok'}")
    systems: list[DemoSystem] = []
    reports: dict[str, Report] = {}
    with progress(2 * len(SYSTEMS)) as advance:
        for name in SYSTEMS:
            advance(f"scoring {name}")
            system = score_demo(name)
            systems.append(system)
            reports[name] = report_of(system.run)
        for system in systems:
            advance(f"writing {out / system.name}")
            report = reports[system.name]
            write_run(system.run, out / system.name, report=report, views=written_views(system.run, report))
    console.print(TerminalTable(_comparison(systems, reports)))
    console.print("Nearly the same frame F1, three different failures: that is what the vector is for.\n")
    worst = systems[0]
    console.print(f"[bold]{worst.name} in full[/bold]")
    console.print(render_report(reports[worst.name]))
    say(f"wrote a run directory for each to {out}; open {out / worst.name / 'report.html'} in a browser")


def _comparison(systems: list[DemoSystem], reports: dict[str, Report]) -> Table:
    rows: list[list[Cell | str]] = [["frame F1", *(Cell(decimal(s.frame_f1), Tone.STRONG) for s in systems)]]
    for index, clause in enumerate(systems[0].run.card.contract.clauses):
        scores = [reports[system.name].vector[index].scores[Aggregation.POOLED] for system in systems]
        rows.append([clause.name, *(Cell(score.text, Tone.STRONG, bar=Bar(score.value)) for score in scores)])
    headings = words("", *(system.name for system in systems))
    return Table("Three systems, pooled over clips and classes", headings, rows)
