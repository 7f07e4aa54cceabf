"""The commands of the lab."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

import tracepact
from tracelab.faults import fault
from tracelab.progress import Progress
from tracelab.protocol import CONDITIONS, TEST_PERTURBATIONS, TRAIN_PERTURBATIONS, perturbation_rows, protocol_rows
from tracelab.scenes.corpus import Task, digest_of, render, render_all
from tracelab.scenes.voices import open_voice
from tracelab.sound import write_sound
from tracelab.study.scales import SCALES
from tracelab.study.splits import tasks_of
from tracelab.study.study import run_study
from tracelab.study.verify import verify_study
from tracepact.show import Table, TerminalTable, print_tables, words

_VIOLATED = 1
_SPEECH = click.option(
    "--speech",
    default="formant",
    show_default=True,
    help="Source of speech: `formant` (embedded), `espeak-ng`, or a folder of recordings (WAV, FLAC, Ogg).",
)
_SCALE = click.option(
    "--scale", type=click.Choice(list(SCALES)), default="small", show_default=True, help="Size of the study."
)
_WORKERS = click.option("--workers", type=click.IntRange(1), default=2, show_default=True, help="Processes to use.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tracepact")
def commands() -> None:
    """A measurement study for boundary contracts: scenes, detectors, tables.

    Exit codes: 0 ok, 1 something is not as it was, 2 invalid input, 4 failure.
    """


@commands.command()
@_SCALE
@_SPEECH
@_WORKERS
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder for the test clips as WAV.")
def scenes(scale: str, speech: str, workers: int, out: Path | None) -> None:
    """Show the protocol, and render the test clips."""
    protocol = SCALES[scale].protocol
    print_tables(TerminalTable(Table("Protocol", words("what", "value"), protocol_rows(protocol))))
    levels = perturbation_rows(TRAIN_PERTURBATIONS, TEST_PERTURBATIONS)
    print_tables(TerminalTable(Table("Perturbations", words("what", "training", "test"), levels)))
    if out is None:
        return
    voice = open_voice(speech)
    tasks = tasks_of(protocol, "test")
    out.mkdir(parents=True, exist_ok=True)
    with _bars() as progress:
        progress.begin("scenes", len(tasks))
        clips = []
        for clip in render_all(protocol, voice, tasks, workers=workers, on_clip=progress.advance):
            write_sound(out / f"{clip.name}.wav", clip.samples, protocol.rate)
            clips.append(clip)
    lines = ["filename\tonset\toffset\tevent_label\tcondition"]
    for clip in clips:
        rows = clip.events(protocol.rate)
        lines += [f"{clip.name}.wav\t{float(a)}\t{float(b)}\t{label}\t{clip.task.condition}" for a, b, label in rows]
    (out / "reference.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    click.echo(f"wrote {len(clips)} clips to {out}; digest {digest_of(clips)}")


@commands.command()
@click.argument("clip")
@_SPEECH
@click.option("--scale", type=click.Choice(list(SCALES)), default="paper", show_default=True, help="Set of scenes.")
@click.option("--condition", type=click.Choice(CONDITIONS), help="Another condition than the clip's own.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=Path(), help="Where to write.")
def listen(clip: str, speech: str, scale: str, condition: str | None, out: Path) -> None:
    """Write one clip as a WAV file: CLIP is a name such as test-0003."""
    protocol = SCALES[scale].protocol
    tasks = {task.name: task for split in ("clean", "test") for task in tasks_of(protocol, split)}
    if clip not in tasks:
        raise fault(
            "unknown-case", f"no clip `{clip}`", help=f"clips are test-0000 to test-{protocol.test_clips - 1:04d}"
        )
    task = tasks[clip]
    rendered = render(protocol, open_voice(speech), Task(task.split, task.number, condition or task.condition))
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{clip}.wav"
    write_sound(path, rendered.samples, protocol.rate)
    click.echo(f"wrote {path}")


@commands.command()
@_SCALE
@_SPEECH
@_WORKERS
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder of the study.")
def study(scale: str, speech: str, workers: int, out: Path) -> None:
    """Run the study, or go on with one that was stopped."""
    with _bars() as progress:
        page = run_study(out, SCALES[scale], open_voice(speech), workers=workers, progress=progress)
    click.echo(f"the study: {page}")


@commands.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.pass_context
def verify(context: click.Context, folder: Path) -> int:
    """Compute a study's runs, rows and tables again and name what changed."""
    with _bars() as progress:
        found = verify_study(folder, progress)
    for drift in found.drifts:
        click.echo(f"changed: {drift}")
    click.echo(f"{found.runs} runs and {found.files} files: {'as they were' if found.holds else 'NOT as they were'}")
    return 0 if found.holds else _VIOLATED


@contextmanager
def _bars() -> Iterator[Progress]:
    """Progress on standard error, a bar for every stage."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=Console(stderr=True), transient=False) as bars:
        current: list[TaskID] = []

        def begin(name: str, parts: int) -> None:
            current[:] = [bars.add_task(name, total=parts)]

        yield Progress(begin, lambda: bars.advance(current[0]))


def run() -> None:
    """Run the command line; every way out is one of the exit codes."""
    tracepact.run_command_line(commands, "tracelab")
