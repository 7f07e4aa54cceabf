"""`tracepact curves` and `tracepact tune`: every threshold of scores at once, and the decoding that is best."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, TypedDict, Unpack

import click
from markupsafe import Markup

from tracepact.command_line import Exit
from tracepact.data.formats import FORMATS
from tracepact.data.readings import Reading
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import did_you_mean
from tracepact.engines import engine_from, kept_engine
from tracepact.evaluate.uncertainty import Bootstrap
from tracepact.files import json_text, table_text, write_whole
from tracepact.language.contract import Contract
from tracepact.options import (
    OddLength,
    WholeNumber,
    durations_option,
    earlier_name,
    engine_options,
    format_option,
    full_option,
    given_contract,
    set_option,
    with_default,
    with_options,
)
from tracepact.outputs import DECODING, OutputFile, OutputFolder, print_json, print_rows, write_results
from tracepact.records import exact_text, plain
from tracepact.runs.directory import owner
from tracepact.runs.report_parts import offered
from tracepact.runs.score_command import told_batches
from tracepact.runs.side_options import (
    OutputOptions,
    bootstrap_options,
    columns_option,
    data_table,
    mode_of,
    mode_option,
    output_options,
    show,
)
from tracepact.runs.task import Task
from tracepact.show.figures import inline
from tracepact.show.lines import counted, print_diagnostics, reader_may_leave, say
from tracepact.show.pages import Section, html_page, html_table
from tracepact.show.tables import Cell, Table, TerminalTable, Tone, numbers, print_tables, words
from tracepact.thresholds.quantities import quantity_names
from tracepact.tuning.batches import curves_in_batches, curves_of_sides, field_sides
from tracepact.tuning.curves import POINTS, Curves, all_figures, guards_figure
from tracepact.tuning.records import BestThreshold, CurvesRecord, Tuning, text_of
from tracepact.tuning.tune import FOLDS, Freedom, goal_of, tuned
from tracepact.wording import UNDEFINED, count, decimal, print_number, short

# The options of commands that take scores or confidences, and judge them at every threshold.


class FieldOptions(TypedDict):
    """What `field_options` hands to a command."""

    ref: str
    pred: str
    durations: str | None
    ignore: str | None
    ref_format: str | None
    pred_format: str | None
    columns: tuple[str, ...]
    label_map: str | None
    clips: str | None
    class_indexed: bool


def field_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of `FieldOptions`."""
    return with_options(
        (
            click.option("--ref", type=click.Path(), required=True, help="Reference events: a file or folder."),
            click.option(
                "--pred",
                type=click.Path(),
                required=True,
                help="Predicted scores, or events with confidences.",
            ),
            durations_option(),
            click.option("--ignore", type=click.Path(), help="Regions without obligations, as for score."),
            click.option(
                "--ref-format",
                type=click.Choice(FORMATS),
                metavar="FORMAT",
                help="Format of the reference (default: found from its content).",
            ),
            click.option("--pred-format", type=click.Choice(FORMATS), help="Format of the predictions, likewise."),
            columns_option,
            click.option("--label-map", type=click.Path(), help="A label map (TOML), as for score."),
            click.option(
                "--clips", metavar="reference|durations|all|LIST", help="Evaluate these clips only, as for score."
            ),
            mode_option,
        ),
        function,
    )


def field_task_from_options(contract: Contract, options: FieldOptions) -> Task:
    """The task that `field_options` name."""
    maps = options["columns"] or None
    return Task(
        contract,
        options["ref"],
        options["pred"],
        durations=options["durations"],
        ignore=options["ignore"],
        mode=mode_of(options["class_indexed"]),
        ref_reading=Reading(options["ref_format"], columns=maps),
        pred_reading=Reading(options["pred_format"], columns=maps),
        clips=options["clips"],
        label_map=options["label_map"],
    )


# Curves as tables, rows and a page.

_EMPTY = Cell(UNDEFINED, Tone.FAINT)


def tables(record: CurvesRecord) -> list[Table]:
    """The best common threshold of everything, the best of each class, average precision, and PSDS."""
    return [_common(record), _by_class(record), _precision(record), _psds(record)]


def brief_tables(record: CurvesRecord) -> list[Table]:
    """Tables that fit one screen: the best common threshold of clauses, profiles and F1, and means of the others."""
    shown = [q for q in record.quantities if q.kind != "metric" or (q.name.endswith("_f1") and "macro" not in q.name)]
    rows = [[quantity.name, *_best_cells(quantity.best)[:3], text_of(quantity.at_half)] for quantity in shown]
    title = f"Best common threshold, over {count(record.scores, 'distinct score')} ({record.aggregation.value})"
    notes = [
        f"{title}: {', '.join(f'{name} {text_of(value)}' for name, value in values)}"
        for title, values in (
            ("average precision", [(one.metric, one.mean) for one in record.average_precision]),
            ("PSDS", [(one.name, one.value) for one in record.psds]),
        )
        if values
    ]
    notes.append("--full shows every quantity and class; --out DIR writes curves, figures and a page")
    return [Table(title, [*words("quantity"), *numbers("best", "interval", "threshold", "at 0.5")], rows, notes)]


def _common(record: CurvesRecord) -> Table:
    rows = [
        [
            quantity.name,
            *_best_cells(quantity.best),
            text_of(quantity.at_half),
            text_of(quantity.own),
            f"{quantity.pieces:,}",
        ]
        for quantity in record.quantities
    ]
    level = (
        "interval over clips at that threshold" if any(q.best and q.best.interval for q in record.quantities) else ""
    )
    notes = ["own: a threshold for each class, chosen together", *([level] if level else [])]
    head = numbers("best", "interval", "threshold", "from", "to", "at 0.5", "own", "pieces")
    scores = count(record.scores, "distinct score")
    title = f"Best common threshold, over {scores} ({record.aggregation.value})"
    return Table(title, [*words("quantity"), *head], rows, notes)


def _best_cells(best: BestThreshold | None) -> list[Cell | str]:
    if best is None:
        return [_EMPTY] * 5
    interval = "" if best.interval is None else " – ".join(decimal(end) for end in best.interval)
    return [text_of(best.value), interval, short(best.threshold), short(best.low), short(best.high)]


def _by_class(record: CurvesRecord) -> Table:
    """The best threshold of each class for each clause, profile and F1, with the value."""
    shown = [q for q in record.quantities if q.classes is not None and (q.kind != "metric" or q.name.endswith("_f1"))]
    rows: list[list[Cell | str]] = []
    for quantity in (q for q in shown if "macro" not in q.name):
        cells = [
            f"{short(c.best.threshold)} ({text_of(c.best.value)})" if c.best is not None else UNDEFINED
            for c in quantity.classes or ()
        ]
        rows.append([quantity.name, *cells])
    return Table("Best threshold of each class (value)", [*words("quantity"), *numbers(*record.classes)], rows)


def _precision(record: CurvesRecord) -> Table:
    rows = [[ap.metric, text_of(ap.mean), *(text_of(c.value) for c in ap.classes)] for ap in record.average_precision]
    return Table("Average precision", [*words("metric"), *numbers("mean", *record.classes)], rows)


def _psds(record: CurvesRecord) -> Table:
    rows = [[p.name, text_of(p.value), *(text_of(c.value) for c in p.classes)] for p in record.psds]
    return Table("PSDS", [*words("scenario"), *numbers("PSDS", *record.classes)], rows)


def rows(record: CurvesRecord) -> Table:
    """A row per listed point of every curve, with how many pieces the curve has."""
    columns = ("quantity", "threshold", "threshold_decimal", "value", "decimal", "satisfied", "obligated", "pieces")
    return data_table(columns, _rows(record))


def _rows(record: CurvesRecord) -> Iterator[tuple[str | int, ...]]:
    for quantity in record.quantities:
        for point in quantity.points:
            value = point.value
            exact = "" if value is None or value.value is None else exact_text(value.value)
            near = "" if value is None else repr(value.decimal)
            counts = ("" if n is None else n for n in (point.satisfied, point.obligated))
            threshold = str(point.threshold), repr(float(point.threshold))
            yield quantity.name, *threshold, exact, near, *counts, quantity.pieces


# Page


def curves_page(record: CurvesRecord, figures: Mapping[str, str], against: str) -> str:
    """All of it as one self-contained page, with figures by name; that against a clause only if there is one."""
    common, by_class, precision, psds = tables(record)
    sections = [
        Section("best", "Best common threshold", html_table(common)),
        Section("guards", "Clauses over the threshold", _drawn(figures["guards"])),
        Section("metrics", "Metrics over the threshold", _drawn(figures["metrics"])),
        Section("classes", "Best threshold of each class", html_table(by_class)),
        Section("psds", "PSDS", html_table(psds) + _drawn(figures["roc"])),
        Section("precision", "Average precision", html_table(precision)),
    ]
    if "against" in figures:
        sections.insert(2, Section("against", f"Clauses against {against}", _drawn(figures["against"])))
    clips = f"{count(record.clips, 'clip')}, {count(len(record.classes), 'class', 'classes')}"
    head = Markup("<h1>{}</h1><p>{}</p>").format(f"tracepact curves {record.contract}", clips)
    return html_page(f"tracepact curves {record.contract}", head, sections)


def _drawn(svg: str) -> Markup:
    return Markup("<figure>{}</figure>").format(inline(svg))


# `tracepact curves`: every threshold of a score field at once.

_COMMAND = "curves"


@click.command()
@click.argument("contract")
@field_options
@click.option("--median", type=OddLength(), help="Filter predicted scores first, over this many frames.")
@set_option
@click.option("--quantity", "names", multiple=True, metavar="NAME", help="Show only this quantity; repeatable.")
@earlier_name("--against", "--versus")
@click.option("--versus", "against", metavar="CLAUSE", help="With --out: draw every other clause against this one.")
@click.option(
    "--list",
    "points",
    type=WholeNumber(0),
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
@full_option
@output_options
def curves_command(
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
    full: bool,
    form: str,
    csv_file: Path | None,
    figure_file: Path | None,
    **options: Unpack[FieldOptions],
) -> None:
    """Show scores and metrics at every threshold of scores or confidences, and the best thresholds.

    CONTRACT is a file, or the name of a starter contract. Clauses, profiles and metrics are exact step functions of the
    threshold: all scores that occur are visited. PSDS and average precision are those over all of them. Quantities are
    clauses, profiles, mean, and rates of metrics such as event_f1, segment_macro_f1 or intersection_error_rate.
    With --engine or --memory, data that does not fit in memory is counted in batches of clips.
    """
    compiled = given_contract(contract, overrides)
    clauses = [clause.name for clause in compiled.clauses]
    faults, known = Diagnostics(), list(quantity_names(compiled))
    if against is not None and against not in clauses:
        faults.add("unknown-quantity", f"the contract has no clause `{against}`", help=did_you_mean(against, clauses))
    for name in (name for name in names if name not in known):
        faults.add("unknown-quantity", f"nothing is called `{name}`", help=offered(name, known))
    faults.raise_errors()
    task = field_task_from_options(compiled, options)
    if engine is not None or memory is not None:
        if options["clips"] is not None:
            raise click.UsageError("--clips needs all clips at once; leave out --engine and --memory")
        with told_batches() as on_plan, kept_engine(engine_from(engine)) as kept:
            found = curves_in_batches(task, median=median or 1, engine=kept, memory=memory, on_plan=on_plan)
            record = found.record(names or None, points=points, bootstrap=Bootstrap(draws, seed, level))
    else:
        with counted() as update:
            update(0, 1, "reading")
            found = curves_of_sides(field_sides(task), median or 1, None, update)
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
    show(record, tables if full or names else brief_tables, rows, lambda record: guards_figure(record, found), **output)


def _files(record: CurvesRecord, curves: Curves, against: str) -> dict[str, str]:
    """All files by their names; what needs clauses only if there are some."""
    listed = rows(record)
    figures = all_figures(record, curves, against)
    return {
        "curves.json": json_text(plain(record)),
        "curves.csv": table_text([column.heading for column in listed.columns], listed.texts(), ","),
        "curves.html": curves_page(record, figures, against),
        **{f"{name}.svg": figure for name, figure in figures.items()},
    }


# `tracepact tune`: choose the decoding that is best for a declared objective.

_TUNED_COLUMNS = ("class", "threshold", "low", "median", "optimistic", "held_out")


@click.command()
@click.argument("contract")
@field_options
@set_option
@click.option(
    "--objective",
    "--maximise",
    "objective",
    required=True,
    metavar="QUANTITY",
    help="What to be best at, over all classes: a clause, pooled.CLAUSE, a profile, mean, or a rate such as event_f1. "
    "An error rate is made as small as possible.",
)
@click.option(
    "--require",
    "requirements",
    multiple=True,
    help="What must hold over all classes together, not of each: 'silence_guard >= 0.95'; repeatable.",
)
@click.option("--common", is_flag=True, help="One decoding for all classes; by default each has its own.")
@click.option(
    "--try-median", "medians", type=OddLength(), multiple=True, help="Try a filter of this many frames; repeatable."
)
@click.option("--with-low", is_flag=True, help="Search for the low threshold of a hysteresis too.")
@with_default("--folds", WholeNumber(0), FOLDS, "Folds of clips for the held-out value, at least 2; 0 for none.")
@with_default("--seed", WholeNumber(0), 0, "Seed of the order of clips.")
@click.option("--out", type=OutputFile(DECODING, owner), help="Write the decoding file (TOML), which score takes.")
@format_option("text", "json", "csv")
def tune_command(
    contract: str,
    overrides: tuple[tuple[str, str], ...],
    objective: str,
    requirements: tuple[str, ...],
    common: bool,
    medians: tuple[int, ...],
    with_low: bool,
    folds: int,
    seed: int,
    out: Path | None,
    form: str,
    **options: Unpack[FieldOptions],
) -> int:
    """Choose threshold, median filter and hysteresis of every class for a declared objective.

    CONTRACT is a file, or the name of a starter contract. Thresholds are chosen exactly out of all that make a
    difference, for the value over all classes. The optimistic value is that of the clips the decoding was chosen on.
    The held-out value scores every clip with a decoding chosen on the other folds; expect it on new clips.

    Exit codes: 0 chosen, 1 no decoding was found that meets every --require.
    """
    compiled = given_contract(contract, overrides)
    freedom = Freedom(common, tuple(sorted(set(medians) | {1})), with_low)
    goal = goal_of(compiled, objective, requirements, freedom, folds)
    with counted() as update:
        update(0, 1, "reading")
        sides = field_sides(field_task_from_options(compiled, options))
        found = tuned(sides, goal, freedom, folds, seed, update)
    print_diagnostics(sides.diagnostics)
    if out is not None:
        write_whole({out: found.record.decoding})
        say(f"wrote {out}")
    with reader_may_leave():
        _show_tuning(found.record, form)
    unmet = [asked for asked in found.record.requirements if not asked.met]
    for asked in unmet:
        say(f"no decoding was found that meets {asked.text}; the nearest was taken", "bold red")
    return Exit.VIOLATED if unmet else Exit.OK


def _show_tuning(record: Tuning, form: str) -> None:
    match form:
        case "json":
            print_json(record)
        case "csv":
            print_rows(_TUNED_COLUMNS, _tuned_rows(record))
        case _:
            print_tables(TerminalTable(tuned_table(record)))


def _tuned_rows(record: Tuning) -> Iterator[tuple[Any, ...]]:
    for own in record.classes:
        how = own.decoding
        values = ("" if v is None else str(v.value) for v in (own.optimistic, own.held_out))
        yield own.label, str(how.threshold), "" if how.low is None else str(how.low), how.median, *values


def tuned_table(record: Tuning) -> Table:
    """A row per class, the requirements, and all classes together."""
    rows: list[list[Cell | str]] = []
    for own in record.classes:
        how = own.decoding
        low = "" if how.low is None else print_number(how.low)
        note = "" if own.asked else "makes no difference"
        values = text_of(own.optimistic), text_of(own.held_out)
        rows.append([own.label, print_number(how.threshold), low, str(how.median), *values, note])
    for asked in record.requirements:
        tone = Tone.GOOD if asked.met else Tone.BAD
        met = Cell("met" if asked.met else "not met", tone)
        rows.append([asked.text, "", "", "", text_of(asked.optimistic), text_of(asked.held_out), met])
    rows.append([record.objective, "", "", "", text_of(record.optimistic), text_of(record.held_out), ""])
    head = [*words("class"), *numbers("threshold", "low", "median", "optimistic", "held out"), *words("note")]
    folds = f"held out: {count(record.folds, 'fold')} of {count(record.clips, 'clip')}" if record.folds else "no folds"
    best = "Least" if record.least else "Best"
    title = (
        f"{best} {record.objective}, {'one decoding for all classes' if record.common else 'a decoding for each class'}"
    )
    return Table(title, head, rows, [f"{_known(record)}; {folds}"], totals=1 + len(record.requirements))


def _known(record: Tuning) -> str:
    """What is known of better decodings (rule 20.10)."""
    match record.method:
        case "exact" if record.common:
            return "no other common threshold is better"
        case "exact":
            return "no other thresholds are better"
        case "steps":
            return "no change of a single class's threshold is better"
        case _:
            return "found by search; a better decoding may exist"
