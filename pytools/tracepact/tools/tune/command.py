"""`tracepact tune`: choose the decoding that is best for a declared objective."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Unpack

import click

from tracepact.files import write_whole
from tracepact.metrics import MetricValue
from tracepact.show.lines import print_diagnostics, reader_may_leave, say
from tracepact.show.progress import counted
from tracepact.show.screen import print_tables
from tracepact.show.table import Cell, Table, Tone, numbers, words
from tracepact.show.terminal import TerminalTable
from tracepact.tools.exits import Exit
from tracepact.tools.output_files import DECODING, OutputFile
from tracepact.tools.parameters import OddLength, format_option, given_contract, set_option
from tracepact.tools.results import print_json, print_rows
from tracepact.tools.score.field_task import FieldOptions, field_options, task_from_options
from tracepact.tools.score.store.writing import owner
from tracepact.tools.tune.record import Tuning
from tracepact.tools.tune.search import Freedom
from tracepact.tools.tune.tune import FOLDS, goal_of, tuned
from tracepact.wording import UNDEFINED, count, decimal, print_number

_COLUMNS = ("class", "threshold", "low", "median", "optimistic", "held_out")


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
@click.option(
    "--folds",
    type=click.IntRange(0),
    default=FOLDS,
    show_default=True,
    help="Folds of clips for the held-out value, at least 2; 0 for none.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the order of clips.")
@click.option("--out", type=OutputFile(DECODING, owner), help="Write the decoding file (TOML), which score takes.")
@format_option("text", "json", "csv")
def command(
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
    **given: Unpack[FieldOptions],
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
        task = task_from_options(compiled, given)
        found = tuned(task, goal, freedom, folds, seed, update)
    print_diagnostics(task.diagnostics)
    if out is not None:
        write_whole({out: found.record.decoding})
        say(f"wrote {out}")
    with reader_may_leave():
        _show(found.record, form)
    unmet = [asked for asked in found.record.requirements if not asked.met]
    for asked in unmet:
        say(f"no decoding was found that meets {asked.text}; the nearest was taken", "bold red")
    return Exit.VIOLATED if unmet else Exit.OK


def _show(record: Tuning, form: str) -> None:
    match form:
        case "json":
            print_json(record)
        case "csv":
            print_rows(_COLUMNS, _rows(record))
        case _:
            print_tables(TerminalTable(table(record)))


def _rows(record: Tuning) -> Iterator[tuple[Any, ...]]:
    for own in record.classes:
        how = own.decoding
        values = ("" if v is None else str(v.value) for v in (own.optimistic, own.held_out))
        yield (
            own.label,
            str(how.threshold),
            "" if how.low is None else str(how.low),
            how.median,
            *values,
        )


def table(record: Tuning) -> Table:
    """A row per class, the requirements, and all classes together."""
    rows: list[list[Cell | str]] = []
    for own in record.classes:
        how = own.decoding
        low = "" if how.low is None else print_number(how.low)
        note = "" if own.asked else "makes no difference"
        rows.append(
            [
                own.label,
                print_number(how.threshold),
                low,
                str(how.median),
                _text(own.optimistic),
                _text(own.held_out),
                note,
            ]
        )
    for asked in record.requirements:
        tone = Tone.GOOD if asked.met else Tone.BAD
        met = Cell("met" if asked.met else "not met", tone)
        rows.append([asked.text, "", "", "", _text(asked.optimistic), _text(asked.held_out), met])
    rows.append([record.objective, "", "", "", _text(record.optimistic), _text(record.held_out), ""])
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


def _text(value: MetricValue | None) -> str:
    return UNDEFINED if value is None else decimal(value.shown)
