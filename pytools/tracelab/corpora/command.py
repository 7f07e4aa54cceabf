"""`tracelab corpus`: real corpora, or a small one in the same layout."""

from pathlib import Path

import click

from tracelab.corpora.clips import CLIP_SECONDS
from tracelab.corpora.maestro import SCENES, read_corpus, write_sample
from tracelab.corpora.track import baseline_track, maestro_track
from tracelab.files import told
from tracelab.scenes.voices import open_voice
from tracelab.stages import stage_bars

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
