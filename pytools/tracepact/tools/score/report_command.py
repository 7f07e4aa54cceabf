"""`tracepact report`: a stored run as a page, as Markdown and as text."""

from collections.abc import Sequence
from pathlib import Path

import click

from tracepact.diagnostics import Diagnostics
from tracepact.show.lines import give, reader_may_leave, say
from tracepact.show.progress import progress
from tracepact.tools.folders import LocalFolder, check_folder, write_results
from tracepact.tools.score.batches.pages import BatchPages, open_pages
from tracepact.tools.score.report.sounds import check_audio, embed_audio_option, find_sounds, sounds_line
from tracepact.tools.score.report.stored import report_forms
from tracepact.tools.score.report.text import FILES
from tracepact.tools.score.store.opening import open_run
from tracepact.tools.score.store.writing import add_views

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
def command(run: str, out: Path | None, forms: tuple[str, ...], audio: str | None, embed_audio: bool) -> None:
    """Write the report of a run directory: one self-contained HTML page, Markdown, text.

    RUN is what `tracepact score --out RUN` wrote.
    """
    if out is None and len(forms) != 1:
        raise click.UsageError("give --out DIR, or one --format to print")
    check_audio(audio, embed_audio)
    if out is not None and not _is_own(out, run):
        check_folder(out, _COMMAND)
    if (pages := open_pages(Path(run))) is not None:
        _write_batches(pages, run, out, forms or tuple(FILES), audio, embed=embed_audio)
        return
    stored = open_run(run, Diagnostics())
    sounds = find_sounds(audio, stored.rows.clips, out or Path(), embed=embed_audio)
    with progress(3) as advance:
        made = report_forms(stored, forms or tuple(FILES), advance, sounds)
    if audio is not None:
        say(sounds_line(sounds, len(stored.rows.clips), audio))
    if out is None:
        with reader_may_leave():
            give(made[forms[0]])
        return
    files = {FILES[form]: text for form, text in made.items()}
    if _is_own(out, run):
        add_views(Path(run), stored.manifest, files)
    else:
        write_results(out, _COMMAND, files, beside=True)
    say(f"wrote {', '.join(str(out / name) for name in files)}")


def _write_batches(
    pages: BatchPages, run: str, out: Path | None, forms: Sequence[str], audio: str | None, *, embed: bool
) -> None:
    """Write the report of a run in batches, or print its one form."""
    if out is not None and _is_own(out, run):
        raise click.UsageError("the folder of a run in batches is not written to again: give another --out")
    if not pages.data.drawn:
        say("note: the run was scored without --page, so there are no intervals and no curves of tolerance")
    sounds = find_sounds(audio, pages.clips, out or Path(), embed=embed)
    made = pages.forms(forms, sounds)
    if out is None:
        with reader_may_leave():
            give(made[forms[0]])
        return
    files = {FILES[form]: text for form, text in made.items()}
    write_results(out, _COMMAND, files, beside=True)
    say(f"wrote {', '.join(str(out / name) for name in files)}")


def _is_own(out: Path, run: str) -> bool:
    """Whether the report goes into the run directory itself."""
    return out.resolve() == Path(run).resolve()
