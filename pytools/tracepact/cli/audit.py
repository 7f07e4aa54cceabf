"""`tracepact audit`: compare policies on the same data."""

from fractions import Fraction
from typing import Any

import click
from rich.table import Table

from tracepact.cli.screen import output, print_diagnostics, progress, set_option
from tracepact.diagnostics import Diagnostics
from tracepact.events import MatcherAudit, MatcherComparison, audit_matcher
from tracepact.io import durations_from, events_from
from tracepact.lang import load_contract
from tracepact.report.files import json_text
from tracepact.trace import Mode, assemble


@click.group()
def command() -> None:
    """Compare policies on the same data."""


@command.command()
@click.argument("contract", default="boundary_gate")
@click.option("--ref", type=click.Path(), help="Reference events; their bridges are tried as well.")
@click.option("--pred", type=click.Path(), help="Predicted events.")
@click.option("--durations", help="A table (filename, duration), or one duration in seconds for all clips.")
@click.option("--class-indexed/--union", default=True, show_default=True)
@set_option
@click.option("--json", "as_json", is_flag=True, help="Print the audit as JSON.")
def matcher(
    contract: str,
    ref: str | None,
    pred: str | None,
    durations: str | None,
    class_indexed: bool,
    overrides: tuple[tuple[str, str], ...],
    as_json: bool,
) -> None:
    """Greedy against optimal matching: on given data, on bridges between its references, on built-in cases.

    A bridge is a made-up prediction that spans two consecutive references. Boundary F1 is twice the matched pairs over
    all runs of both sides. The built-in cases are three named ones and a stress track over a grid of lengths and gaps.
    """
    if (ref is None) != (pred is None):
        raise click.UsageError("give both --ref and --pred, or neither")
    compiled = load_contract(contract, dict(overrides))
    family = None
    with progress(2) as advance:
        advance("reading")
        if ref is not None and pred is not None:
            diagnostics = Diagnostics()
            family = assemble(
                compiled,
                events_from(ref, diagnostics, name="ref"),
                events_from(pred, diagnostics, name="pred"),
                durations=durations_from(durations, diagnostics),
                mode=Mode.CLASS_INDEXED if class_indexed else Mode.UNION,
                diagnostics=diagnostics,
            )
            print_diagnostics(diagnostics)
        advance("matching")
        audit = audit_matcher(compiled, family)
    if as_json:
        click.echo(json_text({group: _data(row) for group, row in _rows(audit).items()}), nl=False)
    else:
        output().print(_table(audit))


def _rows(audit: MatcherAudit) -> dict[str, MatcherComparison]:
    given = {"given data": audit.given, "bridges of its references": audit.bridges}
    return {
        **{name: row for name, row in given.items() if row is not None},
        **{f"case: {name}": row for name, row in audit.known.items()},
        **{f"stress: {name}": row for name, row in audit.stress.items()},
    }


def _table(audit: MatcherAudit) -> Table:
    table = Table(title="Greedy against optimal matching", title_justify="left", title_style="bold", pad_edge=False)
    table.add_column("on", no_wrap=True)
    for heading in ("cases", "refs", "preds", "greedy pairs", "optimal pairs", "changed", "boundary F1"):
        table.add_column(heading, justify="right")
    table.add_column("changed coordinates (greedy → optimal)")
    for name, row in _rows(audit).items():
        table.add_row(
            name,
            f"{row.cases:,}",
            f"{row.refs:,}",
            f"{row.preds:,}",
            f"{row.greedy.pairs:,}",
            f"{row.optimal.pairs:,}",
            f"{float(row.changed_share):.1%}",
            f"{float(row.greedy.boundary_f1):.3f} → {float(row.optimal.boundary_f1):.3f}",
            ", ".join(f"{n} {_number(g)} → {_number(o)}" for n, (g, o) in row.changed_values.items()) or "none",
        )
    return table


def _number(value: Fraction) -> str:
    return f"{float(value):.3f}"


def _data(row: MatcherComparison) -> dict[str, Any]:
    return {
        "cases": row.cases,
        "refs": row.refs,
        "preds": row.preds,
        "changed": row.changed,
        "pairs": {"greedy": row.greedy.pairs, "optimal": row.optimal.pairs},
        "boundary_f1": {"greedy": str(row.greedy.boundary_f1), "optimal": str(row.optimal.boundary_f1)},
        "changed_values": {name: [str(g), str(o)] for name, (g, o) in row.changed_values.items()},
    }
