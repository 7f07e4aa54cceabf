"""The commands of the lab."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bars

import tracepact
from tracelab.configuration import DEVICE, SPEECH, WORKERS, configuration, configuration_text, configured
from tracelab.corpora.clips import CLIP_SECONDS
from tracelab.corpora.maestro import SCENES, read_corpus, write_sample
from tracelab.corpora.track import RECORD as CORPUS_RECORD
from tracelab.corpora.track import baseline_track, maestro_track, verify_corpus
from tracelab.detections import clip_page, hear_file, open_detectors
from tracelab.detections import detect as detect_files
from tracelab.detectors.models import load_model, save_model
from tracelab.detectors.recipes import CLASS_DETECTOR, DETECTORS
from tracelab.detectors.training import TrainingClips
from tracelab.detectors.training import train as train_model
from tracelab.features import events_of, hear
from tracelab.files import fault, filled, told, write_sound, write_whole
from tracelab.files import fetch as fetch_file
from tracelab.probe.probe import RECORD as PROBE_RECORD
from tracelab.probe.probe import probe, verify_probe
from tracelab.protocol import CONDITIONS, Protocol, perturbation_rows, protocol_rows
from tracelab.robustness.command import robustness, verify_robustness, verify_scenes
from tracelab.scenes.corpus import ClipTask, digest_of, render, render_all
from tracelab.scenes.voices import open_voice
from tracelab.stages import SILENT, UNREADABLE, StageListener, Verified, resumable_bars, stage_bars, unreadable
from tracelab.study.study import RECORD, run_study, verify_study
from tracelab.study.systems import tasks_of
from tracepact.inputs import plain_within
from tracepact.show import Table, TerminalTable, print_tables, words

_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
_OUT = click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder for tables and the page."
)


@click.group()
def corpus() -> None:
    """Measure real corpora: soft labels, the lab's detectors on their sound, score files of a baseline."""


@corpus.command()
@click.argument("folder", type=_FOLDER)
@click.option("--labels-only", is_flag=True, help="Audit the annotation alone; no sound is needed.")
@click.option("--fold", type=click.IntRange(1), help="A fold of the corpus (default: a seeded split).")
@click.option("--epochs", type=click.IntRange(1), help="Train for fewer epochs, for a trial.")
@click.option("--clip", type=click.IntRange(1, 60), default=CLIP_SECONDS, show_default=True, help="Clip seconds.")
@_OUT
def maestro(folder: Path, labels_only: bool, fold: int | None, epochs: int | None, clip: int, out: Path) -> None:
    """Audit the annotation of MAESTRO Real, and score the lab's detectors on it.

    FOLDER is a copy in its own layout: development_annotation/soft_labels_SCENE/RECORDING.txt (or one table,
    soft_gt_dev.csv), development_audio/SCENE/RECORDING.wav, development_folds. The split is by recording.
    """
    found = read_corpus(folder)
    if found.warnings:
        click.echo(told(found.warnings), err=True)
    with stage_bars() as progress:
        page = maestro_track(
            found, out, labels_only=labels_only, fold=fold, epochs=epochs, seconds=clip, progress=progress
        )
    click.echo(f"the corpus: {page}")


@corpus.command()
@click.argument("scores", type=_FOLDER)
@click.option("--ref", type=_FILE, required=True, help="Reference events (TSV).")
@click.option("--durations", type=_FILE, help="Durations of the clips (TSV).")
@click.option("--local", type=_FOLDER, help="A run directory of the local class detector, to stand beside.")
@_OUT
def baseline(scores: Path, ref: Path, durations: Path | None, local: Path | None, out: Path) -> None:
    """Score a baseline's score files at .3, .5 and .7 and over all thresholds, union and by class.

    SCORES is a folder of tables, frame by class, one for each clip; clips without one are left out.
    """
    with stage_bars() as progress:
        page = baseline_track(scores, ref, durations, out, local=local, progress=progress)
    click.echo(f"the corpus: {page}")


@corpus.command()
@click.option("--speech", default="formant", show_default=True, help="Source of speech, as for `scenes`.")
@click.option("--recordings", type=click.IntRange(1, 99), default=3, show_default=True, help="Number for each scene.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder to write.")
def sample(speech: str, recordings: int, out: Path) -> None:
    """Write a small corpus in the layout of MAESTRO Real, made of the lab's own scenes."""
    written = write_sample(out, open_voice(speech), recordings)
    click.echo(f"wrote {written} recordings to {out}: {len(SCENES)} scenes, {recordings} of each")


_VIOLATED = 1
_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
_NEW_FOLDER = click.Path(path_type=Path, file_okay=False)
_RECIPES = {recipe.name: recipe for recipe in (*DETECTORS, CLASS_DETECTOR)}
_VERIFIERS: dict[str, Callable[[Path, StageListener], Verified]] = {
    RECORD: verify_study,
    PROBE_RECORD: verify_probe,
    CORPUS_RECORD: verify_corpus,
    "corruptions.json": verify_robustness,
    "results_corruptions.json": verify_robustness,
    "grid.json": verify_scenes,
}


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tracepact")
def commands() -> None:
    """A measurement study for boundary contracts: scenes, detectors, tables.

    Exit codes: 0 ok, 1 something is not as it was, 2 invalid input, 4 failure.
    """


@commands.command()
@configuration
@SPEECH
@WORKERS
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder for the test clips as WAV.")
def scenes(speech: str, workers: int, out: Path | None, **which: Any) -> None:
    """Show the protocol, and render the test clips."""
    protocol = configured(**which).protocol
    print_tables(TerminalTable(Table("Protocol", words("what", "value"), protocol_rows(protocol))))
    levels = perturbation_rows(protocol.training, protocol.test)
    print_tables(TerminalTable(Table("Perturbations", words("what", "training", "test"), levels)))
    if out is None:
        return
    voice = open_voice(speech)
    tasks = tasks_of(protocol, "test")
    lines, clips = ["filename\tonset\toffset\tevent_label\tcondition"], []
    with filled(out, last="reference.tsv") as part, stage_bars() as progress:
        progress.begin("scenes", len(tasks))
        for clip in render_all(protocol, voice, tasks, workers=workers, on_clip=progress.advance):
            write_sound(part / f"{clip.name}.wav", clip.samples, protocol.rate)
            clips.append(clip)
            lines += [
                f"{clip.name}.wav\t{float(onset)}\t{float(offset)}\t{label}\t{clip.task.condition}"
                for onset, offset, label in clip.events(protocol.rate)
            ]
        write_whole(part / "reference.tsv", "\n".join(lines) + "\n")
    click.echo(f"wrote {len(clips)} clips to {out}; digest {digest_of(clips)}")


@commands.command()
@configuration
def protocol(**which: Any) -> None:
    """Print the whole configuration of a study as a file.

    It states every size, range and seed, and the reason of what the published text leaves open. `--protocol FILE`
    takes it back, changed or not.
    """
    click.echo(configuration_text(configured(**which)), nl=False)


@commands.command()
@click.argument("clip")
@SPEECH
@configuration
@click.option("--condition", type=click.Choice(CONDITIONS), help="Another condition than the clip's own.")
@click.option("--model", "models", multiple=True, type=_FOLDER, help="A trained detector to show; may be repeated.")
@click.option("--out", type=_NEW_FOLDER, default=Path(), help="Folder for the sound and the page (default: here).")
def listen(clip: str, speech: str, condition: str | None, models: tuple[Path, ...], out: Path, **which: Any) -> None:
    """Write one clip as sound, beside a page.

    CLIP is a name such as test-0003; the page shows its spectrogram, its events and what --model detectors hear.
    """
    protocol = configured(**which).protocol
    tasks = {task.name: task for split in ("clean", "test") for task in tasks_of(protocol, split)}
    if clip not in tasks:
        last = f"test-{protocol.test_clips - 1:04d}"
        raise fault("unknown-clip", f"there is no clip `{clip}`", help=f"test clips are test-0000 to {last}")
    task = tasks[clip]
    rendered = render(protocol, open_voice(speech), ClipTask(task.split, task.number, condition or task.condition))
    with filled(out, last=f"{clip}.html") as part:
        write_sound(part / f"{clip}.wav", rendered.samples, protocol.rate)
        heard = hear_file(part / f"{clip}.wav", protocol)
        systems = {}
        for model in map(load_model, models):
            masks = {clip: model.heard_as(heard)[1][0]}
            systems[model.recipe.name] = events_of(masks, model.labels, protocol.step)[clip]
        write_whole(part / f"{clip}.html", clip_page(rendered, protocol, systems, f"{clip}.wav"))
    click.echo(f"wrote {out / clip}.wav and {out / clip}.html")


@commands.command()
@click.argument("detector", type=click.Choice(sorted(_RECIPES)))
@configuration
@SPEECH
@WORKERS
@DEVICE
@click.option("--out", type=_NEW_FOLDER, required=True, help="Folder for the model and its checkpoint.")
def train(detector: str, speech: str, workers: int, device: str, out: Path, **which: Any) -> None:
    """Train one detector.

    A training that was stopped goes on after its last whole epoch.
    """
    size, voice, recipe = configured(**which), open_voice(speech), _RECIPES[detector]
    with stage_bars() as progress:
        splits = {}
        for split in ("clean", "views") if recipe.augmented else ("clean",):
            tasks = tasks_of(size.protocol, split, size.views)
            progress.begin(f"scenes, {split}", len(tasks))
            splits[split] = hear(size.protocol, voice, tasks, workers=workers, on_clip=progress.advance)
        recipe = size.trained(recipe)
        progress.begin(f"training {detector}", recipe.epochs or 1)
        checkpoint = out / "checkpoint.pt"
        training = TrainingClips(splits["clean"], splits.get("views"))
        model = train_model(
            recipe,
            training,
            seed=size.protocol.seed,
            checkpoint=checkpoint,
            on_epoch=lambda *_: progress.advance(),
            device=device,
        )
    save_model(model, out)
    checkpoint.unlink(missing_ok=True)
    click.echo(f"wrote {out}; decoding {model.decoding.data}")


@commands.command()
@click.argument("model", type=_FOLDER)
@click.argument("sounds", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--out", type=_NEW_FOLDER, required=True, help="Folder for events, durations and scores.")
def detect(model: Path, sounds: tuple[Path, ...], out: Path) -> None:
    """Run a trained detector over sound files.

    `tracepact score` reads the events, durations and scores that it writes.
    """
    count = detect_files(load_model(model), list(sounds), out, Protocol())
    click.echo(f"wrote {count} events of {len(sounds)} {'sound' if len(sounds) == 1 else 'sounds'} to {out}")


@commands.command()
@click.argument("url")
@click.option("--sha256", required=True, help="SHA-256 of the file, in hexadecimal.")
@click.option("--size", type=click.IntRange(1), required=True, help="Size of the file in bytes.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), required=True, help="Where to write it.")
def fetch(url: str, sha256: str, size: int, out: Path) -> None:
    """Fetch a file by its address.

    It is kept only if its size and SHA-256 are right. Nothing else of the lab uses the network.
    """
    with Bars(TextColumn("{task.description}"), BarColumn(), console=Console(stderr=True)) as bars:
        task = bars.add_task(out.name, total=size)
        fetch_file(url, out, sha256=sha256, size=size, on_bytes=lambda count: bars.advance(task, count))
    click.echo(f"wrote {out}")


@commands.command()
@configuration
@SPEECH
@WORKERS
@click.option(
    "--detector",
    "detectors",
    multiple=True,
    metavar="FILE.py:NAME",
    help="A detector of yours beside the study's: NAME(samples, rate) gives (onset, offset) pairs; may be repeated.",
)
@DEVICE
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder of the study.")
def study(speech: str, workers: int, detectors: tuple[str, ...], device: str, out: Path, **which: Any) -> None:
    """Run the study, or go on with one that was stopped."""
    own = open_detectors(detectors, [recipe.name for recipe in DETECTORS])
    scale, voice = configured(**which), open_voice(speech)
    with resumable_bars() as progress:
        page = run_study(out, scale, voice, workers=workers, progress=progress, detectors=own, device=device)
    click.echo(f"the study: {page}")


@commands.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.pass_context
def verify(context: click.Context, folder: Path) -> int:
    """Compute a folder of results again and name what changed.

    A study: runs are computed from their stored predictions, rows from the runs, tables and the page from the rows.
    A robustness run: schemas, digests, the table of corruptions, and every figure from the stored logits.
    """
    with stage_bars() as progress:
        found = verified(folder, progress)
    for drift in found.drifts:
        click.echo(f"changed: {drift}")
    click.echo(f"{found.checked}: {'nothing changed' if found.holds else 'something changed'}")
    if found.holds and found.seal:
        click.echo(found.seal)
    return 0 if found.holds else _VIOLATED


def verified(folder: Path, progress: StageListener = SILENT) -> Verified:
    """What is not as it was in a folder of results; where it cannot be computed again, that is what changed."""
    try:
        plain_within(folder, ".")  # before anything is opened: the libraries that read some of it take a path
        return _verifier(folder)(folder, progress)
    except UNREADABLE as error:
        return Verified("what is stored", (f"it cannot be computed again: {unreadable(error)}",))


def _verifier(folder: Path) -> Callable[[Path, StageListener], Verified]:
    """What verifies a folder, by the record that it holds."""
    for record, verifier in _VERIFIERS.items():
        if (folder / record).is_file():
            return verifier
    help = "give the folder that a study, a probe, a corpus or a robustness run was written to"
    raise fault("not-a-study", f"not a folder of results: it has none of {', '.join(_VERIFIERS)}", folder, help)


commands.add_command(probe)
commands.add_command(corpus)
commands.add_command(robustness)


def run() -> None:
    """Run the command line; every way out is one of the exit codes."""
    tracepact.run_command_line(commands, "tracelab")
