"""`tracepact verify`: check a run directory against its manifest, its tables and the files it was made from."""

import re

import click

from tracepact.files import json_text
from tracepact.show.lines import print_diagnostics, reader_may_leave, say
from tracepact.show.screen import output, progress
from tracepact.tools.exits import Exit
from tracepact.tools.score.verify import Verification, verify_run
from tracepact.wording import count

_SHOWN = 20


@click.command()
@click.argument("run", type=click.Path())
@click.option("--strict", is_flag=True, help="Originals that have changed or are gone count as drift too.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(run: str, strict: bool, form: str) -> int:
    """Recompute the digests and the scores of a run directory and name what drifted.

    RUN is what `tracepact score --out RUN` wrote. Exit code 0 if everything is as it was, else 1.
    """
    with progress(1) as advance:
        advance(f"verifying {run}")
        found = verify_run(run)
    with reader_may_leave():
        if form == "json":
            click.echo(json_text(found.to_dict()), nl=False)
        else:
            _show(found, strict)
    moved = strict and bool(found.moved)
    return Exit.OK if found.holds and not moved else Exit.VIOLATED


def _show(found: Verification, strict: bool) -> None:
    console = output()

    def line(text: str, style: str | None = None) -> None:
        console.print(text, style=style, markup=False, soft_wrap=True)

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
        made, now = (", ".join(f"{k} {v}" for k, v in side.items()) for side in (found.made_with, found.checked_with))
        line(f"made with {made}; checked with {now}")
    if found.holds:
        line(f"{found.files} files and {found.scores:,} scores of the run are as they were", "green")
        if strict and found.moved:
            moved = f"{len(found.moved)} of {len(found.originals)} originals"
            line(f"drifted (--strict): {moved} changed or not found", "bold red")
    else:
        faults = len(found.drifts) + len(found.diagnostics)
        line(f"drifted: {count(faults, 'difference')} in {found.folder}", "bold red")


def _short_digest(text: str) -> str:
    """A digest by its first characters, anything else as it is."""
    return f"{text[:16]}…" if re.fullmatch("[0-9a-f]{64}", text) else text
