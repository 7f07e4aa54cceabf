"""`tracepact curves`: every threshold of a score field at once."""

from fractions import Fraction
from pathlib import Path
from typing import Unpack

import click

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostics, did_you_mean
from tracepact.engines import Engine, engine_from, kept_engine
from tracepact.files import json_text, table_text
from tracepact.io import Reading
from tracepact.records import plain
from tracepact.scoring.uncertainty import Bootstrap
from tracepact.show.lines import print_diagnostics, say
from tracepact.show.progress import counted
from tracepact.thresholds import quantity_names
from tracepact.tools.bootstrap import bootstrap_options
from tracepact.tools.curves.batches import curves_in_batches
from tracepact.tools.curves.curves import POINTS, Curves, curves_of_task
from tracepact.tools.curves.figures import all_figures, guards_figure
from tracepact.tools.curves.record import CurvesRecord
from tracepact.tools.curves.show import curves_page, rows, tables
from tracepact.tools.folders import OutputFolder, write_results
from tracepact.tools.parameters import OddLength, given_contract, set_option
from tracepact.tools.score.arguments import engine_options
from tracepact.tools.score.batches.command import told_batches
from tracepact.tools.score.batches.running import OnPlan
from tracepact.tools.score.field_task import FieldOptions, field_options, task_from_options
from tracepact.tools.score.requirement import offered
from tracepact.tools.score.shown import OutputOptions, output_options, show
from tracepact.trace import Mode

_COMMAND = "curves"


@click.command()
@click.argument("contract")
@field_options
@click.option("--median", type=OddLength(), help="Filter predicted scores first, over this many frames.")
@set_option
@click.option("--quantity", "names", multiple=True, metavar="NAME", help="Show only this quantity; repeatable.")
@click.option("--against", metavar="CLAUSE", help="With --out: draw every other clause against this one.")
@click.option(
    "--list",
    "points",
    type=click.IntRange(0),
    default=POINTS,
    show_default=True,
    help="Most points of each curve to list, not to draw; 0 lists all.",
)
@bootstrap_options
@engine_options
@click.option(
    "--out",
    type=OutputFolder(_COMMAND),
    help="Also write JSON, CSV, figures and a page to this folder.",
)
@output_options
def command(
    contract: str,
    median: int | None,
    overrides: tuple[tuple[str, str], ...],
    names: tuple[str, ...],
    against: str | None,
    points: int,
    draws: int,
    seed: int,
    level: Fraction,
    engine: str | None,
    memory: str | None,
    out: Path | None,
    form: str,
    csv_file: Path | None,
    figure_file: Path | None,
    **given: Unpack[FieldOptions],
) -> None:
    """Show scores and metrics at every threshold of scores or confidences, and the best thresholds.

    CONTRACT is a file, or the name of a starter contract. Clauses, profiles and metrics are exact step functions of the
    threshold: all scores that occur are visited. PSDS and average precision are those over all of them. Quantities are
    clauses, profiles, mean, and rates of metrics such as event_f1, segment_macro_f1 or intersection_error_rate.
    With --engine or --memory, data that does not fit in memory is counted in batches of clips.
    """
    compiled = given_contract(contract, overrides)
    clauses = [clause.name for clause in compiled.clauses]
    _check(against, clauses)
    _check_names(names, list(quantity_names(compiled)))
    in_batches = engine is not None or memory is not None
    if in_batches:
        with told_batches() as on_plan, kept_engine(engine_from(engine)) as kept:
            found = _counted_in_batches(compiled, median or 1, kept, memory, given, on_plan)
            record = found.record(names or None, points=points, bootstrap=Bootstrap(draws, seed, level))
    else:
        with counted() as update:
            update(0, 1, "reading")
            found = curves_of_task(task_from_options(compiled, given), median or 1, None, update)
            record = found.record(names or None, points=points, bootstrap=Bootstrap(draws, seed, level))
    print_diagnostics(found.diagnostics)
    most = max(quantity.pieces for quantity in record.quantities)
    if most > points > 0 and (form != "text" or out is not None or csv_file is not None):
        say(f"at most {points:,} points of each curve are listed, of up to {most:,}; --list 0 lists all")
    if out is not None:
        files = _files(record, found, against or clauses[0])
        write_results(out, _COMMAND, files)
        say(f"wrote {len(files)} files to {out}")
    output = OutputOptions(form=form, csv_file=csv_file, figure_file=figure_file)
    show(record, tables, rows, lambda record: guards_figure(record, found), **output)


def _check(clause: str | None, known: list[str]) -> None:
    faults = Diagnostics()
    if clause is not None and clause not in known:
        faults.add("unknown-quantity", f"the contract has no clause `{clause}`", help=did_you_mean(clause, known))
    faults.raise_errors()


def _check_names(names: tuple[str, ...], known: list[str]) -> None:
    faults = Diagnostics()
    for name in names:
        if name not in known:
            faults.add("unknown-quantity", f"nothing is called `{name}`", help=offered(name, known))
    faults.raise_errors()


def _counted_in_batches(
    contract: Contract,
    median: int,
    engine: Engine,
    memory: str | None,
    given: FieldOptions,
    on_plan: OnPlan,
) -> Curves:
    """The curves of what the options name, in batches."""
    if given["clips"] is not None:
        raise click.UsageError("--clips needs all clips at once; leave out --engine and --memory")
    maps = given["columns"] or None
    return curves_in_batches(
        contract,
        given["ref"],
        given["pred"],
        median=median,
        mode=Mode.CLASS_INDEXED if given["class_indexed"] else Mode.UNION,
        engine=engine,
        memory=memory,
        on_plan=on_plan,
        durations=given["durations"],
        ignore=given["ignore"],
        label_map=given["label_map"],
        ref_reading=Reading(given["ref_format"], columns=maps),
        pred_reading=Reading(given["pred_format"], columns=maps),
    )


def _files(record: CurvesRecord, found: Curves, against: str) -> dict[str, str]:
    """All files by their names; what needs clauses only if there are some."""
    listed = rows(record)
    figures = all_figures(record, found, against)
    return {
        "curves.json": json_text(plain(record)),
        "curves.csv": table_text([column.heading for column in listed.columns], listed.texts(), ","),
        "curves.html": curves_page(record, figures, against),
        **{f"{name}.svg": figure for name, figure in figures.items()},
    }
