"""`tracepact score`: score predictions against references under a contract."""

import operator
import re
import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Unpack

import click

from tracepact.cli.data import Given, check_given, data_options, score_given
from tracepact.cli.exits import Exit
from tracepact.cli.screen import output, print_diagnostics, progress, reader_may_leave, say, set_option
from tracepact.diagnostics import Diagnostics, did_you_mean
from tracepact.lang import load_contract
from tracepact.report import render_report, report_data
from tracepact.report.files import json_text
from tracepact.report.stored import written_views
from tracepact.run import STAGES, Run
from tracepact.store import score_rows, write_csv, write_run
from tracepact.store.rows import SCORE_COLUMNS
from tracepact.store.writing import check_place
from tracepact.trace.exact import exact_text

_RELATIONS = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt, "==": operator.eq}
_REQUIREMENT = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*(>=|>|<=|<|==)\s*([0-9./]+)\s*")


@click.command()
@click.argument("contract")
@data_options
@click.option("--conditions", type=click.Path(), help="A table (filename, condition) that groups the results.")
@set_option
@click.option("--profile", "profiles", multiple=True, help="Show these profiles only.")
@click.option(
    "--require",
    "requirements",
    multiple=True,
    help="Exit with 1 unless it holds (>=, >, <=, <, ==): --require 'onset_guard>=0.9'.",
)
@click.option("--format", "form", type=click.Choice(["text", "json", "csv"]), default="text", show_default=True)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Also write the run directory: rows, tables, report, manifest.",
)
@click.option("--page", is_flag=True, help="With --out: the report as an HTML page and as Markdown too.")
@click.option("--parquet", is_flag=True, help="With --out: the score rows as Parquet too.")
def command(
    contract: str,
    conditions: str | None,
    overrides: tuple[tuple[str, str], ...],
    profiles: tuple[str, ...],
    requirements: tuple[str, ...],
    form: str,
    out: Path | None,
    page: bool,
    parquet: bool,
    **given: Unpack[Given],
) -> int:
    """Score predictions and show the vector, what stands beside it, and where it failed.

    CONTRACT is a file, or the name of a starter contract such as boundary_gate.
    """
    check_given(given)
    for asked, option in ((page, "--page"), (parquet, "--parquet")):
        if asked and out is None:
            raise click.UsageError(f"{option} goes into the run directory: give --out as well")
    compiled = load_contract(contract, dict(overrides))
    faults = Diagnostics()
    known = {p.name for p in compiled.profiles}
    for name in profiles:
        _check_name(name, known, "profile", "unknown-profile", faults)
    values = {clause.name for clause in compiled.clauses} | known | {"logic"}
    wanted = [found for text in requirements if (found := _requirement(text, values, faults))]
    faults.raise_errors()
    if out is not None:
        check_place(out)
    with progress(len(STAGES) + 1) as advance:
        run = score_given(compiled, conditions, advance, **given)
        advance("reporting")
        data = report_data(run)
    print_diagnostics(run.diagnostics)
    if out is not None:
        with progress(3 if page else 1) as advance:
            views = written_views(run, data, advance) if page else {}
            advance(f"writing {out}")
            written = write_run(run, out, data=data, views=views, parquet=parquet)
        say(f"wrote {len(written)} files to {out}")
    if profiles:
        _keep_profiles(data, profiles)
    with reader_may_leave():
        _show(run, data, form)
    failed = _unmet(run, wanted)
    for line in failed:
        say(f"violated: {line}", "bold red")
    return Exit.VIOLATED if failed else Exit.OK


def _keep_profiles(data: dict[str, Any], names: Sequence[str]) -> None:
    """Leave the named profiles only, here and under every condition."""
    data["profiles"] = [profile for profile in data["profiles"] if profile["name"] in names]
    for group in data["conditions"]:
        group["profiles"] = {name: value for name, value in group["profiles"].items() if name in names}


def _show(run: Run, data: dict[str, Any], form: str) -> None:
    match form:
        case "json":
            click.echo(json_text(data), nl=False)
        case "csv":
            write_csv(sys.stdout, SCORE_COLUMNS, score_rows(run.card))
        case _:
            output().print(render_report(data))


def _check_name(name: str, known: set[str], kind: str, code: str, faults: Diagnostics) -> bool:
    if name not in known:
        faults.add(code, f"the contract has no {kind} `{name}`", help=did_you_mean(name, known))
    return name in known


def _requirement(text: str, known: set[str], faults: Diagnostics) -> tuple[str, str, Fraction] | None:
    """What `--require` says: a name, a relation and a bound."""
    found = _REQUIREMENT.fullmatch(text)
    try:
        bound = exact_text(found[3]) if found else None
    except ValueError:
        bound = None
    if found is None or bound is None:
        faults.add("bad-requirement", f"`{text}` is not a requirement", help="write `onset_guard>=0.9`")
        return None
    if not _check_name(found[1], known, "clause or profile", "bad-requirement", faults):
        return None
    return found[1], found[2], bound


def _unmet(run: Run, wanted: Sequence[tuple[str, str, Fraction]]) -> list[str]:
    """What was required and does not hold; exact values are compared."""
    card = run.card
    values = {**run.vector, "logic": card.logic(), **{p.name: card.profile(p) for p in card.contract.profiles}}
    failed = []
    for name, relation, bound in wanted:
        value = values[name]
        if not _RELATIONS[relation](value, bound):
            failed.append(f"required {name} {relation} {bound}, but it is {value} ({float(value):.4f})")
    return failed
