"""`tracepact demo`: the main job on shipped data."""

from pathlib import Path
from typing import Any

import click
from rich.table import Table

from tracepact.diagnostics import Diagnostics, summarise
from tracepact.lang import compile_source, read_source
from tracepact.show.lines import say
from tracepact.show.screen import output, progress
from tracepact.tools.demo.systems import CONTRACT, SYSTEMS, DemoSystem, demo_contract, score_demo
from tracepact.tools.score.report.data import report_data
from tracepact.tools.score.report.stored import written_views
from tracepact.tools.score.report.text import bar, render_report
from tracepact.tools.score.store.writing import write_run
from tracepact.wording import decimal


@click.command()
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path("out/demo"), show_default=True)
def command(out: Path) -> None:
    """Check the starter contract, score three imitation systems, show where they fail, write their reports."""
    console = output()
    diagnostics = Diagnostics()
    source = read_source(demo_contract(), diagnostics)
    if source is not None:
        compile_source(source, diagnostics)
    diagnostics.raise_errors()
    say(f"checked {CONTRACT}: {summarise(diagnostics) if len(diagnostics) else 'ok'}")
    systems: list[DemoSystem] = []
    reports: dict[str, dict[str, Any]] = {}
    with progress(2 * len(SYSTEMS)) as advance:
        for name in SYSTEMS:
            advance(f"scoring {name}")
            system = score_demo(name)
            systems.append(system)
            reports[name] = report_data(system.run)
        for system in systems:
            advance(f"writing {out / system.name}")
            data = reports[system.name]
            write_run(system.run, out / system.name, data=data, views=written_views(system.run, data))
    console.print(_comparison(systems, reports))
    console.print("Nearly one frame F1, three different failures: that is what the vector is for.\n")
    worst = systems[0]
    console.print(f"[bold]{worst.name} in full[/bold]")
    console.print(render_report(reports[worst.name]))
    say(f"wrote a run directory for each to {out}; open {out / worst.name / 'report.html'} in a browser")


def _comparison(systems: list[DemoSystem], reports: dict[str, dict[str, object]]) -> Table:
    table = Table(title="Three systems, pooled over clips and classes", title_justify="left", title_style="bold")
    table.add_column("", no_wrap=True)
    for system in systems:
        table.add_column(system.name, no_wrap=True)
    table.add_row("frame F1", *(decimal(system.frame_f1) for system in systems), style="bold")
    table.add_section()
    for index, clause in enumerate(systems[0].run.card.contract.clauses):
        cells = [reports[system.name]["vector"][index]["scores"]["pooled"] for system in systems]  # type: ignore[index]  # report data is plain JSON
        table.add_row(clause.name, *(bar(cell) for cell in cells))
    return table
