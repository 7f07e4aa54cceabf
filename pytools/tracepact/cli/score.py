"""`tracepact score`: score predictions against references under a contract."""

import re
import sys
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from tracepact.cli.exits import Exit
from tracepact.cli.screen import contract_path, messages, output, print_diagnostics, progress, set_option
from tracepact.diagnostics import Diagnostic, InvalidInput, did_you_mean
from tracepact.lang import load_contract
from tracepact.report import render_report, report_data, score_rows, write_csv, write_report
from tracepact.report.files import json_text
from tracepact.report.rows import SCORE_COLUMNS
from tracepact.run import Run, score, score_document
from tracepact.trace import Mode
from tracepact.trace.exact import exact_text

_REQUIREMENT = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*(>=|>|==)\s*([0-9./]+)\s*")


@click.command()
@click.argument("contract")
@click.option(
    "--ref", type=click.Path(), help="Reference events: a table (filename, onset, offset, event_label) or JSON."
)
@click.option("--pred", type=click.Path(), help="Predicted events, in the same forms.")
@click.option("--pair", type=click.Path(), help="Both sides, durations and masks in one JSON document.")
@click.option("--durations", help="A table (filename, duration), or one duration in seconds for all clips.")
@click.option("--ignore", type=click.Path(), help="Regions without obligations: filename, onset, offset, event_label.")
@click.option("--conditions", type=click.Path(), help="A table (filename, condition) that groups the results.")
@click.option(
    "--class-indexed/--union", default=True, show_default=True, help="Keep labels apart, or take them as one."
)
@set_option
@click.option("--profile", "profiles", multiple=True, help="Show these profiles only.")
@click.option(
    "--require", "requirements", multiple=True, help="Exit with 1 unless it holds: --require 'onset_guard>=0.9'."
)
@click.option("--format", "form", type=click.Choice(["text", "json", "csv"]), default="text", show_default=True)
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Also write the report's files here.")
@click.option("--strict", is_flag=True, help="Treat warnings as errors.")
def command(
    contract: str,
    ref: str | None,
    pred: str | None,
    pair: str | None,
    durations: str | None,
    ignore: str | None,
    conditions: str | None,
    class_indexed: bool,
    overrides: tuple[tuple[str, str], ...],
    profiles: tuple[str, ...],
    requirements: tuple[str, ...],
    form: str,
    out: Path | None,
    strict: bool,
) -> int:
    """Score predictions and show the vector, what stands beside it, and where it failed.

    CONTRACT is a file, or the name of a starter contract such as boundary_gate.
    """
    if (pair is None) == (ref is None or pred is None):
        raise click.UsageError("give --ref and --pred, or --pair alone")
    compiled = load_contract(contract_path(contract), dict(overrides))
    known = {p.name for p in compiled.profiles}
    _check_names(profiles, known, "profile")
    clauses = {clause.name for clause in compiled.clauses}
    wanted = [_requirement(text, clauses | known | {"logic"}) for text in requirements]
    mode = Mode.CLASS_INDEXED if class_indexed else Mode.UNION
    with progress("reading and scoring"):
        if pair is not None:
            run = score_document(compiled, pair, mode=mode, conditions=conditions, strict=strict)
        else:
            run = score(
                compiled,
                ref,
                pred,
                durations=durations,
                mode=mode,
                ignore=ignore,
                conditions=conditions,
                strict=strict,
            )
        data = report_data(run)
    if profiles:
        data["profiles"] = [p for p in data["profiles"] if p["name"] in profiles]
    print_diagnostics(run.diagnostics)
    _show(run, data, form)
    if out is not None:
        with progress(f"writing {out}"):
            written = write_report(run, data, out)
        messages().print(f"wrote {len(written)} files to {out}", markup=False)
    return _judge(run, data, wanted)


def _show(run: Run, data: dict[str, Any], form: str) -> None:
    match form:
        case "json":
            click.echo(json_text(data), nl=False)
        case "csv":
            write_csv(sys.stdout, SCORE_COLUMNS, score_rows(run.card))
        case _:
            output().print(render_report(data))


def _check_names(names: tuple[str, ...], known: set[str], kind: str) -> None:
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InvalidInput(
            Diagnostic("bad-requirement", f"the contract has no {kind} `{name}`", None, did_you_mean(name, known))
            for name in unknown
        )


def _requirement(text: str, known: set[str]) -> tuple[str, str, Fraction]:
    found = _REQUIREMENT.fullmatch(text)
    try:
        value = exact_text(found[3]) if found else None
    except ValueError:
        value = None
    if found is None or value is None:
        headline = f"`{text}` is not a requirement"
        raise InvalidInput([Diagnostic("bad-requirement", headline, None, "write `onset_guard>=0.9`")])
    _check_names((found[1],), known, "clause or profile")
    return found[1], found[2], value


def _judge(run: Run, data: Mapping[str, Any], wanted: list[tuple[str, str, Fraction]]) -> Exit:
    """Compare exact values with what was required."""
    card = run.card
    values = {**run.vector, "logic": card.logic(), **{p.name: card.profile(p) for p in card.contract.profiles}}
    failed = []
    for name, relation, bound in wanted:
        value = values[name]
        holds = {">=": value >= bound, ">": value > bound, "==": value == bound}[relation]
        if not holds:
            failed.append(f"required {name} {relation} {bound}, but it is {value} ({float(value):.4f})")
    for line in failed:
        messages().print(f"violated: {line}", style="bold red", markup=False)
    return Exit.VIOLATED if failed else Exit.OK
