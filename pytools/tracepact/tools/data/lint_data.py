"""`tracepact lint-data`: find what is odd in references and predictions, and write a corrected copy."""

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Unpack

import click

from tracepact.diagnostics import Diagnostics, summarise
from tracepact.diagnostics.render import LISTED_PER_CODE
from tracepact.files import encoded, table_text, write_folder
from tracepact.io import Prepared
from tracepact.io.formats import TABLE
from tracepact.io.lint import CHANGE_COLUMNS, change_rows, fix, lint
from tracepact.io.outside import is_outside
from tracepact.io.writing import check_place, written, written_format
from tracepact.show.lines import print_diagnostics, say
from tracepact.show.progress import progress
from tracepact.tools.exits import Exit
from tracepact.tools.folders import LocalFolder
from tracepact.tools.parameters import TEXT, diagnostics_format_option, fail_on_option
from tracepact.tools.score.arguments import SideOptions, read_sides, side_options
from tracepact.trace import Durations, EventTable
from tracepact.wording import count

LOG = "changes.tsv"


@click.command()
@side_options
@fail_on_option("error", "warning", "never")
@click.option("--fix", "fixing", is_flag=True, help="Write a corrected copy and a log of every change to --out.")
@click.option("--out", type=LocalFolder(), help="A new folder for the corrected copy.")
@diagnostics_format_option
def command(fail_on: str, form: str, fixing: bool, out: Path | None, **options: Unpack[SideOptions]) -> int:
    """Find what is odd in a reference, and in predictions for it, with file and row.

    That is: overlapping or repeated events; events outside their clips, without duration or that end before they start;
    labels and clips on one side only; predictions in silent clips. Nothing is changed in place.

    Exit codes: 0 nothing as severe as --fail-on was found, 2 otherwise.
    """
    if options["ref"] is None:
        raise click.UsageError("give --ref, and --pred to compare with it")
    if fixing != (out is not None):
        raise click.UsageError("--fix writes to a new folder: give --fix and --out together")
    if fixing and options["label_map"] is not None:
        raise click.UsageError("a corrected copy keeps its labels: leave out --label-map or --fix")
    if fixing and options["clips"] is not None:
        raise click.UsageError("a corrected copy keeps every clip: leave out --clips or --fix")
    diagnostics = Diagnostics()
    with progress(2) as advance:
        advance("reading")
        ready, durations = read_sides(options, diagnostics, lenient=True)
        whole = not diagnostics.errors
        advance("checking")
        sides = _sides(options, ready)
        lint(ready.reference, sides.get("prediction"), durations, diagnostics)
    print_diagnostics(diagnostics, form)
    if form == TEXT:
        say(f"{', '.join(table.name for table in sides.values())}: {summarise(diagnostics)}")
        if max(Counter(d.code for d in diagnostics.warnings).values(), default=0) > LISTED_PER_CODE:
            say("--format json lists all of them")
    if out is not None:
        if not whole:
            say("nothing was written: a row that cannot be read would be lost")
            return Exit.INVALID
        _write_fixed(sides, durations, options, out)
    failed = (fail_on != "never" and diagnostics.errors) or (fail_on == "warning" and diagnostics.warnings)
    return Exit.INVALID if failed else Exit.OK


def _sides(options: SideOptions, ready: Prepared) -> dict[str, EventTable]:
    """The sides that the options name."""
    sides = {"reference": ready.reference, "prediction": ready.prediction}
    return {side: table for side, table in sides.items() if side == "reference" or options["pred"] is not None}


def _write_fixed(
    sides: dict[str, EventTable], durations: Durations | Fraction | None, options: SideOptions, out: Path
) -> None:
    """The corrected copies and the log, in a new folder."""
    diagnostics = Diagnostics()
    inputs = [Path(path) for path in (options["ref"], options["pred"], options["label_map"], options["ignore"]) if path]
    check_place(out, inputs, diagnostics, folder=True)
    diagnostics.raise_errors()
    changes = {}
    files: dict[str, bytes] = {}
    for side, table in sides.items():
        fixed, changes[side] = fix(table, durations, keep_outside=side == "prediction")
        format = written_format(table)
        for name, text in written(fixed, format, durations, diagnostics).items():
            files[f"{side}.tsv" if format == TABLE else f"{side}/{name}"] = encoded(text)
    diagnostics.raise_errors()
    files[LOG] = encoded(table_text(CHANGE_COLUMNS, change_rows(changes)))
    write_folder(out, files)
    if kept := _outside(sides.get("prediction"), durations):
        events = count(kept, "predicted event")
        say(f"{events} after the end of the clip stay: false alarms, for `score --outside` to judge")
    changed = sum(map(len, changes.values()))
    say(f"wrote corrected copies with {count(changed, 'change')} to {out}; {out / LOG} lists them")


def _outside(table: EventTable | None, durations: Durations | Fraction | None) -> int:
    """How many events of a table start at or after the end of their clip."""
    if table is None:
        return 0
    lengths = durations.clips if isinstance(durations, Durations) else dict.fromkeys(table.clips, durations)
    ends = ((lengths.get(clip), event) for clip, event in table.events)
    return sum(end is not None and is_outside(event, end) for end, event in ends)
