"""`tracelab robustness`: a whole run in one command, one sound corrupted, and the same grid over the scenes.

What needs librosa or ReportLab is imported inside the commands, after they were found to be installed.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from tracelab.configuration import SPEECH, WORKERS, configuration
from tracelab.files import fault
from tracelab.stages import StageListener, Verified, resumable_bars

_NEEDED = ("librosa", "reportlab")
CANONICAL_SEED = 20260331
"""The seed of the published run; with another one a run is not canonical."""
_LAYOUTS = ("esc50", "urbansound8k")
_CLASSIFIERS = ("lr_mfcc", "lr_mfcc_sound", "cnn_mel_small")
_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
_NEW_FOLDER = click.Path(path_type=Path, file_okay=False)


def verify_scenes(folder: Path, progress: StageListener) -> Verified:
    """Verify a grid over the scenes."""
    from tracelab.robustness.scene_grid import verify_grid

    return verify_grid(folder, progress)


def needed() -> None:
    """Say what is missing, and how to install it."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        help = "pip install 'tracepact[robustness]'"
        raise fault("missing-extra", f"`tracelab robustness` needs {' and '.join(missing)}", help=help)


def verify_robustness(folder: Path, progress: StageListener) -> Verified:
    """Verify a robustness run."""
    needed()
    from tracelab.robustness.verify import verify_run

    return verify_run(folder, progress)


@click.group()
def robustness() -> None:
    """Robustness and calibration of classifiers under a fixed grid of corruptions."""


@robustness.command("run-all")
@click.argument("corpus", type=_FOLDER)
@click.option("--out", type=_NEW_FOLDER, required=True, help="Folder of the run.")
@click.option(
    "--classifier",
    "classifiers",
    multiple=True,
    default=_CLASSIFIERS,
    show_default=True,
    help="A classifier by name, FILE.py:NAME or entry point; may be repeated.",
)
@click.option("--layout", type=click.Choice(_LAYOUTS), help="Layout of the corpus (default: recognised by its table).")
@click.option("--test-fold", type=click.IntRange(1), default=1, show_default=True, help="Fold to test on.")
@click.option("--validation-fold", type=click.IntRange(1), help="Fold for the temperature (default: the next one).")
@click.option("--seed", type=click.IntRange(0), default=CANONICAL_SEED, show_default=True, help="Seed of the run.")
@WORKERS
def run_all(
    corpus: Path,
    out: Path,
    classifiers: tuple[str, ...],
    layout: str | None,
    test_fold: int,
    validation_fold: int | None,
    seed: int,
    workers: int,
) -> int:
    """Train, corrupt, measure, report and verify; a run that was stopped goes on.

    CORPUS is a folder in the layout of ESC-50 or UrbanSound8K.
    """
    needed()
    from tracelab.robustness.classifiers import open_classifier
    from tracelab.robustness.corruptions import canonical
    from tracelab.robustness.datasets import LAYOUTS, open_corpus
    from tracelab.robustness.evaluation import CorpusTask
    from tracelab.robustness.run import run_all as run
    from tracelab.robustness.verify import write_verification

    chosen = [open_classifier(source) for source in classifiers]
    repeated = [one.name for number, one in enumerate(chosen) if one.name in {other.name for other in chosen[:number]}]
    if repeated:
        raise fault("bad-classifier", f"two classifiers are called `{repeated[0]}`", help="name each once")
    found = open_corpus(corpus, layout)
    task = CorpusTask(found, LAYOUTS[found.layout].rotation(test_fold, validation_fold), canonical(), seed)
    with resumable_bars() as progress:
        page = run(out, task, chosen, workers=workers, progress=progress)
        report = write_verification(out, progress)
    click.echo(f"the report: {page} and {page.with_suffix('.pdf')}")
    for check in report.checks:
        for wrong in check.faults:
            click.echo(f"changed: {check.name}: {wrong}")
    click.echo(report.line)
    return 0 if report.verified else 1


@robustness.command()
@configuration
@SPEECH
@WORKERS
@click.option("--out", type=_NEW_FOLDER, required=True, help="Folder of the grid.")
def scenes(speech: str, workers: int, out: Path, **which: Any) -> None:
    """The same corruptions over the controlled scenes: the contract vector of every detector.

    A grid that was stopped goes on.
    """
    from tracelab.configuration import configured
    from tracelab.robustness.scene_grid import run_grid
    from tracelab.scenes.voices import open_voice

    with resumable_bars() as progress:
        page = run_grid(out, configured(**which), open_voice(speech), workers=workers, progress=progress)
    click.echo(f"the grid: {page}")


@robustness.command()
@click.argument("sound", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--family", required=True, help="Family of corruptions, such as lowpass.")
@click.option("--severity", type=click.IntRange(1, 5), required=True, help="From 1 (slight) to 5.")
@click.option("--index", type=click.IntRange(0), default=0, show_default=True, help="Index of the example.")
@click.option("--seed", type=click.IntRange(0), default=CANONICAL_SEED, show_default=True, help="Seed of the run.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), required=True, help="WAV file to write.")
def corrupt(sound: Path, family: str, severity: int, index: int, seed: int, out: Path) -> None:
    """Write one sound as a classifier hears it under a corruption.

    The samples are those of a run with the same seed and index, rounded to 16 bits.
    """
    from tracelab.files import read_sound, whole_samples, write_sound
    from tracelab.robustness.corruptions import GridCell, canonical
    from tracelab.robustness.corruptions import corrupt as corrupted

    names = [one.name for one in canonical().families]
    if family not in names:
        raise fault("bad-corruptions", f"there is no family `{family}`", help=", ".join(names))
    if out.exists() and out.samefile(sound):
        raise click.UsageError(f"`{out}` is the sound itself; name another file")
    samples, rate = read_sound(sound)
    found = corrupted(samples, GridCell(family, severity), seed=seed, index=index)
    write_sound(out, whole_samples(found), rate)
    click.echo(f"wrote {out}")


@robustness.command()
def corruptions() -> None:
    """Show the table of corruptions."""
    from tracelab.robustness.corruptions import canonical
    from tracepact.show import Table, TerminalTable, print_tables, words

    rows = [[family.name, family.does, family.parameter, *family.severities] for family in canonical().families]
    headings = words("family", "does", "parameter", "1", "2", "3", "4", "5")
    print_tables(TerminalTable(Table("Corruptions", headings, rows)))
