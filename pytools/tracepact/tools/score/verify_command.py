"""`tracepact verify`: check a run directory against its manifest, its tables and the files it was made from."""

import re
from functools import partial
from pathlib import Path

import click

from tracepact.files import Row
from tracepact.show.lines import print_diagnostics, reader_may_leave, say
from tracepact.show.progress import progress
from tracepact.tools.exits import Exit
from tracepact.tools.parameters import TEXT, format_option
from tracepact.tools.results import print_json, print_rows
from tracepact.tools.score.arguments import engine_options
from tracepact.tools.score.batches.command import told_batches
from tracepact.tools.score.batches.store import batch_manifest, drifts
from tracepact.tools.score.batches.verifying import score_again
from tracepact.tools.score.verify import Drift, Verification, verify_run
from tracepact.wording import count

_SHOWN = 20
_COLUMNS = ("kind", "file", "clause", "filename", "event_label", "old", "new")


@click.command()
@click.argument("run", type=click.Path())
@click.option(
    "--strict",
    is_flag=True,
    help="Count originals that have changed or are gone, and files that are not listed, as drift too.",
)
@engine_options
@format_option("text", "json", "csv")
def command(run: str, strict: bool, engine: str | None, memory: str | None, form: str) -> int:
    """Recompute the digests and the scores of a run directory and name what drifted.

    RUN is what `tracepact score --out RUN` wrote. --format csv prints a row for each difference. A run in batches does
    not hold its tables: it is scored again from the files it was made from, by --engine, if they are as they were and
    where `score` found them; it is verified in text.

    Exit codes: 0 everything is as it was, 1 something drifted, 3 the files are as they were, and nothing could be
    scored again.
    """
    if batch_manifest(Path(run)) is not None:
        return _verify_batches(run, form, engine, memory, strict=strict)
    if engine is not None or memory is not None:
        raise click.UsageError("--engine and --memory are for runs in batches; this one holds its tables")
    with progress(1) as advance:
        advance(f"verifying {run}")
        found = verify_run(run)
    with reader_may_leave():
        match form:
            case "json":
                print_json(found.record)
            case "csv":
                print_diagnostics(found.diagnostics)
                print_rows(_COLUMNS, map(_row, found.drifts))
            case _:
                _show(found, strict)
    beside = strict and bool(found.moved or found.unlisted)
    return Exit.OK if found.holds and not beside else Exit.VIOLATED


def _verify_batches(run: str, form: str, engine: str | None, memory: str | None, *, strict: bool) -> int:
    """Check a run in batches: its digests, its report against its rows, and its scores (rules 24.10 and 24.19)."""
    if form != TEXT:
        raise click.UsageError("a run in batches is verified in text; leave out --format")
    found = drifts(Path(run))
    for line in found[:_SHOWN]:
        say(line, "red", answer=True)
    if found:
        say(f"drifted: {count(len(found), 'difference')} in {run}", "bold red", answer=True)
        return Exit.VIOLATED
    say("the files are as they were, and the report agrees with the rows of scores and violations", answer=True)
    manifest = batch_manifest(Path(run))
    assert manifest is not None  # its digest holds
    with told_batches() as on_plan:
        again = score_again(Path(run), manifest, engine=engine, memory=memory, on_plan=on_plan)
    moved = [original for original in again.originals if original.state != "same"]
    for original in moved:
        say(f"original {original.role} {original.name}: {original.state}", "yellow", answer=True)
    for line in again.drifts[:_SHOWN]:
        say(line, "red", answer=True)
    if again.why_not is not None:
        say(f"nothing was scored again: {again.why_not}", "bold yellow", answer=True)
    elif again.drifts:
        say(f"drifted: {count(len(again.drifts), 'difference')} in {run}", "bold red", answer=True)
    else:
        say("scored again from its originals: every row and the report are the same", "green", answer=True)
    if strict and moved and not again.drifts:
        line = f"drifted (--strict): {len(moved)} of {len(again.originals)} originals changed or not found"
        say(line, "bold red", answer=True)
    if again.drifts or (strict and moved):
        return Exit.VIOLATED
    return Exit.OK if again.why_not is None else Exit.UNKNOWN


def _row(drift: Drift) -> Row:
    return drift.kind, drift.file, drift.clause or "", drift.clip or "", drift.label or "", drift.old, drift.new


def _show(found: Verification, strict: bool) -> None:
    line = partial(say, answer=True)
    for drift in found.drifts[:_SHOWN]:
        old, new = (_short_digest(text) for text in (drift.old, drift.new))
        words = f"{old} → {new}" if drift.kind == "file" else f"stored {old}, computed again {new}"
        line(f"{drift.kind}  {drift.where}: {words}", "red")
    if len(found.drifts) > _SHOWN:
        line(f"… and {len(found.drifts) - _SHOWN:,} more (all of them with --format json)", "red")
    print_diagnostics(found.diagnostics)
    if found.diagnostics:
        say("the scores could not be computed again in full")
    for name in found.unlisted:
        line(f"not in the manifest: {name}", "yellow")
    for original in found.originals:
        line(
            f"original {original.role} {original.name}: {original.state}",
            None if original.state == "same" else "yellow",
        )
    if found.made_with != found.checked_with:
        both = found.made_with.to_dict(), found.checked_with.to_dict()
        made, now = (", ".join(f"{name} {version}" for name, version in side.items()) for side in both)
        line(f"made with {made}; checked with {now}")
    if found.holds:
        line(f"{found.checked.files} files and {found.checked.scores:,} scores of the run are as they were", "green")
        if strict and found.moved:
            moved = f"{len(found.moved)} of {len(found.originals)} originals"
            line(f"drifted (--strict): {moved} changed or not found", "bold red")
        if strict and found.unlisted:
            others = count(len(found.unlisted), "file")
            line(f"drifted (--strict): {others} that the manifest does not list", "bold red")
    else:
        faults = len(found.drifts) + len(found.diagnostics)
        line(f"drifted: {count(faults, 'difference')} in {found.folder}", "bold red")


def _short_digest(text: str) -> str:
    """A digest by its first characters, anything else as it is."""
    return f"{text[:16]}…" if re.fullmatch("[0-9a-f]{64}", text) else text
