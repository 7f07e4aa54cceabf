"""`tracepact judge`: collect judgements of which of two systems' outputs is worse, in the browser."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TypedDict, Unpack

import click

from tracepact.calibration.calibration import Calibration
from tracepact.calibration.reading import load_calibration
from tracepact.diagnostics import Diagnostics, InvalidInput, RowPlace
from tracepact.io import AudioFolder
from tracepact.io.audio import audio_files
from tracepact.show.lines import print_diagnostics, say
from tracepact.tools.exits import Exit
from tracepact.tools.page_server import PageServer, ServedFile, server_options
from tracepact.tools.parameters import Assignment, durations_option
from tracepact.tools.score.report.sounds import media_type
from tracepact.tools.select.asking import Tried, tried_contracts
from tracepact.tools.select.judge_page import judge_page
from tracepact.tools.select.judging import AskedPair, Interview, pairs_of, rows_of
from tracepact.tools.select.observed import observe_family, with_matcher
from tracepact.tools.select.options import complete_calibration, stages_shown
from tracepact.tools.select.preferences import ClipNames, read_preferences
from tracepact.tools.select.select import retain_basis
from tracepact.tools.select.systems import SystemOutputs, Tables, read_systems, with_cases
from tracepact.wording import count

MOST_CLIPS = 300


class _Options(TypedDict):
    """What the options hand over."""

    ref: str
    systems: tuple[tuple[str, str], ...]
    durations: str | None
    audio: str | None


@click.command()
@click.argument("calibration", default="boundary_gate", shell_complete=complete_calibration)
@click.option("--ref", type=click.Path(), required=True, help="Reference events: a file or folder of any format.")
@click.option(
    "--system",
    "systems",
    type=Assignment("'base=base.tsv'"),
    multiple=True,
    help="The predictions of a system, NAME=TABLE; two or more.",
)
@durations_option()
@click.option("--audio", type=click.Path(exists=True, file_okay=False), help="A folder of sound files, to be heard.")
@click.option(
    "--out",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file of judgements to write; one that exists is continued.",
)
@click.option("--judge", default="", help="Who judges; a column of the file.")
@server_options
def command(calibration: str, out: Path, judge: str, port: int, opens: bool, **given: Unpack[_Options]) -> int:
    """Say in the browser which of two systems' outputs is worse; the answers are preferences for `tracepact select`.

    CALIBRATION, a file or the name of a shipped set, gives the step and the candidates; its cases are not used. Each
    pair is shown as timelines under the reference, with its sound where there is one, without the systems' names. The
    next pair is the one that the contracts still possible are divided on most; the page says when asking more no longer
    changes the answer. Every answer is in --out before the next pair is shown: end it whenever you like, and go on
    later. The page is served on 127.0.0.1 only, at an address with a token. Ctrl-C ends it.

    Exit codes: 0 ended, 2 invalid input.
    """
    systems = dict(given["systems"])
    if len(systems) < 2 or len(systems) != len(given["systems"]):
        raise click.UsageError("give two systems or more, each with a name of its own: --system NAME=TABLE")
    if not out.parent.is_dir():
        raise click.UsageError(f"there is no folder `{out.parent}` to write `{out.name}` in")
    tables = Tables(given["ref"], given["durations"], systems, given["audio"])
    with stages_shown() as on_stage:
        on_stage("reading")
        grid = load_calibration(calibration, ranked=False)
        outputs = _bounded(read_systems(grid, tables))
        interview = prepared(grid, outputs, out, judge)
    print_diagnostics(outputs.warnings)
    sounds = _sounds(tables.audio, outputs)
    interview.sounds.update({clip: name for clip, (name, _) in sounds.items()})
    named = " ".join(f"--system {shlex.quote(f'{name}={table}')}" for name, table in systems.items())
    lengths = "" if tables.durations is None else f" --durations {shlex.quote(tables.durations)}"
    if tables.durations is None and tables.audio is not None:
        lengths = f" --audio {shlex.quote(tables.audio)}"
    again = f"tracepact select {calibration} --preferences {out} --ref {shlex.quote(tables.ref)} {named}{lengths}"
    with PageServer(judge_page(interview, again), interview.questions, port, dict(sounds.values())) as server:
        server.serve_page(opens=opens)
    say(f"{count(len(interview.rows), 'answer')} in {out}")
    return Exit.OK


def prepared(grid: Calibration, outputs: SystemOutputs, out: Path, judge: str) -> Interview:
    """An interview with the answers so far; InvalidInput if no pair differs, or if the file is of other tables."""
    places = {
        (clip, system): number * len(outputs.systems) + k
        for number, clip in enumerate(outputs.durations)
        for k, system in enumerate(outputs.systems)
    }
    pairs = pairs_of(outputs, places)
    kept: list[AskedPair] = []
    if pairs:
        cases = tuple(outputs.case(clip, system) for clip, system in places)
        tried = _tried(with_cases(grid, cases), pairs)
        told = [k for k in range(len(pairs)) if tried.signs[:, k].any()]
        kept, tried = [pairs[k] for k in told], replace(tried, signs=tried.signs[:, told])
    if not kept:
        diagnostics = Diagnostics()
        headline = "on no clip do two systems differ in a way that a candidate sees; there is nothing to judge"
        diagnostics.add("empty-family", headline, RowPlace(str(out)), "widen the family, or take other systems")
        raise InvalidInput(diagnostics)
    interview = Interview(outputs, kept, tried, out, judge)
    if out.exists():
        judged = read_preferences(str(out), ClipNames(outputs), empty=True)
        interview.rows = rows_of(out.read_text(encoding="utf-8-sig"), judged)
    return interview


def _tried(calibration: Calibration, pairs: list[AskedPair]) -> Tried:
    observed = observe_family(calibration, with_matcher(calibration.family, None))
    basis = retain_basis(observed, ()).basis
    classes = observed.observation.classes.tolist()
    return tried_contracts(basis.coordinates, [asked.pair for asked in pairs], classes)


def _bounded(outputs: SystemOutputs) -> SystemOutputs:
    """The first clips on which systems differ, so many at most."""
    differing = [
        clip for clip in outputs.durations if len({table.get(clip, ()) for table in outputs.systems.values()}) > 1
    ]
    if len(differing) > MOST_CLIPS:
        say(f"the first {MOST_CLIPS} of {len(differing):,} clips on which the systems differ are taken")
    taken = differing[:MOST_CLIPS]
    return replace(outputs, durations={clip: outputs.durations[clip] for clip in taken})


def _sounds(folder: str | None, outputs: SystemOutputs) -> dict[str, tuple[str, ServedFile]]:
    """By clip the address of its sound, and the file behind it."""
    if folder is None:
        return {}
    diagnostics = Diagnostics()
    files = audio_files(AudioFolder(folder), list(outputs.durations), diagnostics)
    diagnostics.raise_errors()
    say(f"{len(files):,} of {count(len(outputs.durations), 'clip')} have a sound file in {folder}")
    found = enumerate(sorted(files.items()))
    return {clip: (f"sound/{number}", ServedFile(path, media_type(path))) for number, (clip, path) in found}
