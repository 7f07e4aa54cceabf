"""`tracepact report` and `tracepact verify`: the pages of a stored run, and whether it is what it says."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from tracepact.command_line import Exit
from tracepact.declarations import OnStage
from tracepact.files import Row
from tracepact.options import TEXT, earlier_name, engine_options, format_option
from tracepact.outputs import LocalFolder, check_folder, print_json, print_rows, write_results
from tracepact.runs.batch_run import batch_pages, open_batches
from tracepact.runs.batch_scoring import USUAL_MEMORY
from tracepact.runs.directory import add_views
from tracepact.runs.manifest import batch_manifest
from tracepact.runs.opening import StoredRun, check_same, open_run, stored_report
from tracepact.runs.originals import NAME_THEM
from tracepact.runs.report_parts import check_audio, embed_audio_option, find_sounds, sounds_line
from tracepact.runs.report_views import FILES, ReportPages, run_pages
from tracepact.runs.score_command import told_batches
from tracepact.runs.verification import Drift, Verification, verify_folder
from tracepact.show.lines import give, print_diagnostics, progress, reader_may_leave, say
from tracepact.wording import count

# `tracepact report`: a stored run as a page, as Markdown and as text.

_COMMAND = "report"


@click.command()
@click.argument("run", type=click.Path())
@click.option("--out", type=LocalFolder(), help="The folder to write to.")
@click.option(
    "--format",
    "forms",
    type=click.Choice(list(FILES)),
    multiple=True,
    help="Formats to write (default: all). Without --out give one, which is printed.",
)
@click.option(
    "--audio",
    type=click.Path(exists=True, file_okay=False),
    help="A folder of sound files: a click on a violation of the page plays the clip from there.",
)
@embed_audio_option
def report_command(run: str, out: Path | None, forms: tuple[str, ...], audio: str | None, embed_audio: bool) -> None:
    """Write the report of a run directory: one self-contained HTML page, Markdown, text.

    RUN is what `tracepact score --out RUN` wrote.
    """
    if out is None and len(forms) != 1:
        raise click.UsageError("give --out DIR, or one --format to print")
    check_audio(audio, embed_audio)
    is_own = out is not None and out.resolve() == Path(run).resolve()
    if out is not None and not is_own:
        check_folder(out, _COMMAND)
    chosen = forms or tuple(FILES)
    batches = open_batches(Path(run))
    if batches is None:
        stored = open_run(run)
        with progress(3) as advance:
            pages = _stored_pages(stored, advance, drawn=set(chosen) != {TEXT})
        clips: Sequence[str] = stored.rows.clips
    else:
        if is_own:
            raise click.UsageError("the folder of a run in batches is not written to again: give another --out")
        pages = batch_pages(batches)
        if not pages.data.drawn:
            say("note: the run was scored without --page, so there are no intervals and no curves of tolerance")
        clips = pages.clips
    sounds = find_sounds(audio, clips, out or Path(), embed=embed_audio)
    files = pages.files(chosen, sounds)
    if audio is not None and batches is None:
        say(sounds_line(sounds, len(clips), audio))
    if out is None:
        with reader_may_leave():
            give(files[FILES[forms[0]]])
        return
    if is_own:
        add_views(Path(run), stored.manifest, files)
    else:
        write_results(out, _COMMAND, files, beside=True)
    say(f"wrote {', '.join(str(out / name) for name in files)}")


def _stored_pages(run: StoredRun, on_stage: OnStage, *, drawn: bool) -> ReportPages:
    """The pages of a stored run, with the report that it holds; `drawn` asks for intervals and curves.

    InvalidInput if the run does not come out as it is stored: a page would then show what the report does not say.
    """
    on_stage("computing the run again")
    report, again = stored_report(run), run.rescore()
    check_same(run.folder, report, again)
    return replace(run_pages(again, on_stage, drawn=drawn), report=report)


# `tracepact verify`: check a run directory against its manifest, its tables and the files it was made from.

_SHOWN = 20
_COLUMNS = ("kind", "file", "clause", "filename", "event_label", "old", "new")


@click.command()
@click.argument("run", type=click.Path())
@earlier_name("--strict", "--complete")
@click.option(
    "--complete",
    is_flag=True,
    help="Count originals that changed, are gone or were not compared, and files that are not listed, as drift.",
)
@click.option(
    "--originals",
    metavar="DIR",
    multiple=True,
    help="Compare the files the run was made from, looked for below this folder or address only; may be repeated.",
)
@engine_options
@format_option("text", "json", "csv")
def verify_command(
    run: str, complete: bool, originals: tuple[str, ...], engine: str | None, memory: str | None, form: str
) -> int:
    """Recompute the digests and the scores of a run directory and name what drifted.

    RUN is what `tracepact score --out RUN` wrote. --format csv prints a row for each difference. A run in batches does
    not hold its tables: it is scored again from the files it was made from, by --engine, if they are as they were below
    --originals. Nothing that the run names is opened elsewhere.

    Exit codes: 0 everything is as it was, 1 something drifted, 3 the files are as they were, and nothing could be
    scored again.
    """
    if batch_manifest(Path(run)) is not None:
        with told_batches() as on_plan:
            found = verify_folder(Path(run), originals, engine=engine, memory=memory or USUAL_MEMORY, progress=on_plan)
    else:
        if engine is not None or memory is not None:
            raise click.UsageError("--engine and --memory are for runs in batches; this one holds its tables")
        with progress(1) as advance:
            advance(f"verifying {run}")
            found = verify_folder(Path(run), originals)
    with reader_may_leave():
        match form:
            case "json":
                print_json(found.record)
            case "csv":
                print_diagnostics(found.diagnostics)
                print_rows(_COLUMNS, map(_row, found.drifts))
            case _:
                _show(found, complete)
    if complete and (found.moved or found.uncompared or found.unlisted):
        return Exit.VIOLATED
    return Exit.OK if found.holds else Exit.UNKNOWN if found.is_unknown else Exit.VIOLATED


def _row(drift: Drift) -> Row:
    return drift.kind, drift.file, drift.clause or "", drift.clip or "", drift.label or "", drift.old, drift.new


def _show(verification: Verification, complete: bool) -> None:
    line = partial(say, answer=True)
    for drift in verification.drifts[:_SHOWN]:
        old, new = (_short_digest(text) for text in (drift.old, drift.new))
        words = f"{old} → {new}" if drift.kind == "file" else f"stored {old}, computed again {new}"
        line(f"{drift.kind}  {drift.where}: {words}", "red")
    if len(verification.drifts) > _SHOWN:
        line(f"… and {len(verification.drifts) - _SHOWN:,} more (all of them with --format json)", "red")
    if not verification.is_unknown:
        print_diagnostics(verification.diagnostics)
        if verification.diagnostics:
            say("the scores could not be computed again in full")
    for name in verification.unlisted:
        line(f"not in the manifest: {name}", "yellow")
    for original in verification.originals:
        tone = None if original.state == "same" else "yellow"
        line(f"original {original.role} {original.name}: {original.state}", tone)
    if verification.uncompared:
        line(f"to compare the files the run was made from, {NAME_THEM}")
    if verification.made_with != verification.checked_with:
        both = verification.made_with.to_dict(), verification.checked_with.to_dict()
        then, now = (", ".join(f"{name} {version}" for name, version in side.items()) for side in both)
        line(f"made with {then}; checked with {now}")
    if not verification.holds and not verification.is_unknown:
        faults = len(verification.drifts) + len(verification.diagnostics)
        line(f"drifted: {count(faults, 'difference')} in {verification.folder}", "bold red")
        return
    checked = verification.checked
    if verification.holds:
        line(f"{checked.files} files and {checked.scores:,} scores of the run are as they were", "green")
    else:
        # That no more is known is the answer here, so its reason goes to standard output with it.
        line(f"{checked.files} files of the run are as they were", "green")
        for fault in verification.diagnostics:
            line(fault.headline, "bold yellow")
    if complete and verification.moved:
        moved = f"{len(verification.moved)} of {len(verification.originals)} originals"
        line(f"drifted (--complete): {moved} changed or not found", "bold red")
    if complete and verification.uncompared:
        uncompared = f"{len(verification.uncompared)} of {len(verification.originals)} originals"
        line(f"drifted (--complete): {uncompared} not compared; {NAME_THEM}", "bold red")
    if complete and verification.unlisted:
        others = count(len(verification.unlisted), "file")
        line(f"drifted (--complete): {others} that the manifest does not list", "bold red")


def _short_digest(text: str) -> str:
    """A digest by its first characters, anything else as it is."""
    return f"{text[:16]}…" if re.fullmatch("[0-9a-f]{64}", text) else text
